//! A Postgres for a test or a measurement.

use std::fs::{File, TryLockError};
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// A Postgres of its own, gone with the value.
pub(crate) struct Postgres {
    pub(crate) folder: PathBuf,
    user: Option<u32>,
    is_durable: bool,
    pub(crate) child: Option<Child>,
    /// Locked for as long as this process lives.
    _owned: File,
}

/// Postgres does not run as root; this user can do nothing else.
const NOBODY: u32 = 65534;

/// The prefix of the folders, each with a locked file. The name of a socket in one has a hundred letters at most.
pub(crate) const FOLDERS: &str = "questions-";
const OWNED: &str = "owned";

impl Postgres {
    /// Returns true if its programs are here.
    pub(crate) async fn is_here() -> bool {
        Command::new(path("initdb")).arg("--version").output().await.is_ok_and(|asked| asked.status.success())
    }

    /// One that forgets what it has written if the machine crashes, unless it is to be durable.
    pub(crate) async fn start_with(is_durable: bool) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        assert!(Self::is_here().await, "there is no Postgres: `cargo xtask test postgres` installs it");
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        remove_left(&std::env::temp_dir());
        let folder = std::env::temp_dir().join(format!("{FOLDERS}{}-{number}", std::process::id()));
        std::fs::create_dir(&folder).expect("the folder is new");
        let owned = own(&folder).expect("it can be written");
        let is_root = std::fs::metadata(&folder).expect("it is there").uid() == 0;
        let user = is_root.then_some(NOBODY);
        chown(&folder, user, None).expect("root may give it away");
        let mut postgres = Self { folder, user, is_durable, child: None, _owned: owned };
        let mut initdb = postgres.command("initdb");
        initdb.args(["--no-sync", "--auth=trust", "--username=asker", "--encoding=UTF8", "--locale=C", "-D", "data"]);
        let made = initdb.output().await.expect("it is there");
        assert!(made.status.success(), "{made:?}");
        assert!(postgres.begins().await);
        postgres
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(path(program));
        command.current_dir(&self.folder).stdin(Stdio::null()).kill_on_drop(true);
        if let Some(user) = self.user {
            command.uid(user);
        }
        command
    }

    /// Returns true if it takes connections.
    pub(crate) async fn begins(&mut self) -> bool {
        let mut command = self.command("postgres");
        command.args(["-D", "data", "-c", "listen_addresses=", "-k"]).arg(&self.folder);
        // For the servers of several tests.
        command.args(["-c", "max_connections=400"]);
        command.args(["-c", if self.is_durable { "fsync=on" } else { "fsync=off" }]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut said = BufReader::new(child.stderr.take().expect("it is piped")).lines();
        loop {
            match said.next_line().await.expect("it is text") {
                Some(line) if line.contains("ready to accept connections") => break,
                Some(_) => {}
                None => return false,
            }
        }
        // It must not wait for a reader.
        tokio::spawn(async move { while let Ok(Some(_)) = said.next_line().await {} });
        self.child = Some(child);
        true
    }

    pub(crate) fn address(&self) -> String {
        self.address_of("postgres")
    }

    pub(crate) fn address_of(&self, database: &str) -> String {
        format!("postgres://asker@localhost/{database}?host={}", self.folder.display())
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // A leftover is removed before another begins.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The path of a program of Postgres: in `POSTGRES_PROGRAMS`, on the `PATH`, or in Debian's folder.
fn path(program: &str) -> PathBuf {
    if let Some(folder) = std::env::var_os("POSTGRES_PROGRAMS") {
        return Path::new(&folder).join(program);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debians = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let folders = std::env::split_paths(&path).chain(debians.map(|version| version.path().join("bin")));
    let mut programs = folders.map(|folder| folder.join(program));
    programs.find(|path| path.is_file()).unwrap_or_else(|| program.into())
}

/// Claims a folder for as long as this process lives. The file gets its name only after it is locked.
pub(crate) fn own(folder: &Path) -> std::io::Result<File> {
    let made = folder.join("new");
    let owned = File::create(&made)?;
    owned.lock()?;
    std::fs::rename(made, folder.join(OWNED))?;
    Ok(owned)
}

/// Removes what processes have left that were killed. A Postgres that still runs in such a folder misses it within a minute, and ends.
pub(crate) fn remove_left(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(FOLDERS));
        let owned = is_ours.then(|| File::open(entry.path().join(OWNED)));
        if let Some(Ok(owned)) = owned
            && !matches!(owned.try_lock(), Err(TryLockError::WouldBlock))
        {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
