//! Everything that is said of stores and of several servers, over a real Postgres that each test brings itself.
//!
//! `cargo xtask test postgres` runs them, which sees to it that there is one.

mod feed;
mod many;

use crate::{killed, replicas, sqlite};
use futures_util::future::join_all;
use question_agent::Timestamp;
use question_server::store::{Lease, PostgresStore, Store};
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// A Postgres of a test's own, gone with it.
pub(crate) struct Postgres {
    folder: PathBuf,
    user: Option<u32>,
    child: Option<Child>,
}

/// Postgres does not run as root; this user can do nothing else.
const NOBODY: u32 = 65534;

impl Postgres {
    pub(crate) async fn start() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        // The name of a socket has a hundred letters at most.
        let folder = std::env::temp_dir().join(format!("questions-{}-{number}", std::process::id()));
        std::fs::create_dir(&folder).expect("the folder is new");
        let is_root = std::fs::metadata(&folder).expect("it is there").uid() == 0;
        let user = is_root.then_some(NOBODY);
        chown(&folder, user, None).expect("root may give it away");
        let mut postgres = Self { folder, user, child: None };
        let mut initdb = postgres.command("initdb");
        initdb.args(["--no-sync", "--auth=trust", "--username=asker", "--encoding=UTF8", "--locale=C", "-D", "data"]);
        let made = initdb.output().await.expect("initdb is there: `cargo xtask test postgres` brings it");
        assert!(made.status.success(), "{made:?}");
        assert!(postgres.begins().await);
        postgres
    }

    fn command(&self, program: &str) -> Command {
        let program = match std::env::var_os("POSTGRES_PROGRAMS") {
            Some(folder) => Path::new(&folder).join(program),
            None => program.into(),
        };
        let mut command = Command::new(program);
        command.current_dir(&self.folder).stdin(Stdio::null()).kill_on_drop(true);
        if let Some(user) = self.user {
            command.uid(user);
        }
        command
    }

    /// Whether it takes connections.
    async fn begins(&mut self) -> bool {
        let mut command = self.command("postgres");
        command.args(["-D", "data", "-c", "listen_addresses=", "-c", "fsync=off", "-k"]).arg(&self.folder);
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
        format!("postgres://asker@/postgres?host={}", self.folder.display())
    }

    pub(crate) async fn open(&self) -> Arc<dyn Store> {
        Arc::new(PostgresStore::open(&self.address()).await.expect("it is there"))
    }

    /// Ends it without a word and starts it again.
    async fn dies_and_starts_again(&mut self) {
        self.child.take().expect("it runs").kill().await.expect("it runs");
        // What it left running ends by itself, and until then nobody else gets the data.
        for _ in 0..100 {
            if self.begins().await {
                return;
            }
        }
        panic!("it does not begin again");
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // What is left over lies among what is temporary.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn what_is_committed_is_read_again() {
    let postgres = Postgres::start().await;
    sqlite::check(&*postgres.open().await).await;
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn of_many_who_decide_on_the_same_grounds_one_is_taken() {
    let postgres = Postgres::start().await;
    sqlite::check_conflicts(postgres.open().await).await;
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn what_is_deleted_is_gone() {
    let postgres = Postgres::start().await;
    sqlite::check_deletion(&*postgres.open().await).await;
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn what_is_due_is_claimed_by_one_server_for_a_while() {
    let postgres = Postgres::start().await;
    let stores = [postgres.open().await, postgres.open().await, postgres.open().await];
    let names: Vec<String> = (0..30).map(|number| format!("t{number:02}")).collect();
    for name in &names {
        sqlite::begins_to_work(&*stores[0], name).await;
    }
    let due = async |store: &Arc<dyn Store>, now| store.due(Timestamp(now)).await.expect("it is read");
    assert_eq!(due(&stores[1], 24).await.now, Vec::<String>::new());
    assert_eq!(due(&stores[1], 24).await.next, Some(Timestamp(25)));
    let claims = join_all(stores.iter().map(|store| due(store, 25))).await;
    let mut claimed: Vec<String> = claims.into_iter().flat_map(|due| due.now).collect();
    claimed.sort_unstable();
    assert_eq!(claimed, names, "each once");
    // The server that held them does not hold them any more, and the one that claimed them may end.
    let lease = Lease { holder: sqlite::HOLDER, until: Timestamp(1_000_000) };
    stores[0].renew(names.clone(), lease).await.expect("it is written");
    let again = due(&stores[2], 25).await;
    assert!(again.now.is_empty() && again.next > Some(Timestamp(25)), "{again:?}");
    assert_eq!(due(&stores[2], 100_000).await.now, names);
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn servers_that_start_at_once_make_the_tables_once() {
    let postgres = Postgres::start().await;
    let stores = join_all((0..8).map(|_| postgres.open())).await;
    sqlite::begins_to_work(&*stores[0], "t").await;
    for store in &stores {
        assert_eq!(store.count().await, Ok(1));
    }
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_database_that_died_and_came_back_has_everything() {
    let mut postgres = Postgres::start().await;
    let store = postgres.open().await;
    sqlite::begins_to_work(&*store, "t").await;
    postgres.dies_and_starts_again().await;
    // The connection of before is gone, which may take a request to be noticed.
    if store.check().await.is_err() {
        assert_eq!(store.check().await, Ok(()));
    }
    assert!(store.load("t").await.expect("it is read").is_some());
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_database_that_is_not_there_is_told_without_its_password() {
    let opened = PostgresStore::open("postgres://me:secret@127.0.0.1:1/chat").await;
    let error = opened.expect_err("nobody listens there").to_string();
    assert!(error.contains("cannot be reached") && !error.contains("secret"), "{error}");
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn what_a_server_works_on_is_its_own_until_its_lease_is_over() {
    let postgres = Postgres::start().await;
    replicas::is_its_own_until_its_lease_is_over(async || postgres.open().await).await;
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn of_all_replies_at_all_servers_one_wins() {
    let postgres = Postgres::start().await;
    replicas::one_reply_wins(async || postgres.open().await).await;
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn what_was_acknowledged_is_there_after_every_kill() {
    let postgres = Postgres::start().await;
    // A lease outlives the server that had it.
    killed::is_there_after_kills(&postgres.address(), &[40, 95]).await;
}

#[tokio::test]
#[ignore = "takes minutes"]
async fn endurance_of_what_was_acknowledged() {
    let postgres = Postgres::start().await;
    killed::is_there_after_kills(&postgres.address(), &killed::at_random(200)).await;
}
