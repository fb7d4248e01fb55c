//! The packages of the program, in empty folders, where a stranger installs and uses them.

mod launcher;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::browser::visit;
use crate::chat_page::{ChatPage, INTERVAL};
use crate::given;
use crate::processes::{END_LIMIT, Process, START_LIMIT, TempDir, port_after};
use crate::stranger::run;

#[tokio::test]
async fn npm_installs_the_launcher_and_the_program_of_this_platform() {
    is_used(|place| {
        let platform = match std::env::consts::ARCH {
            "aarch64" => "arm64",
            _ => "x64",
        };
        let os = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
        let [launcher, program] =
            ["question-server-", &format!("question-server-{os}-{platform}-")].map(|begin| package(begin, ".tgz"));
        // No registry answers: both have all that is needed.
        run(place.command("npm").args(["install", "--offline", "--no-audit", "--no-fund"]).arg(launcher).arg(program));
        let mut npx = place.command("npx");
        npx.args(["--no-install", "question-server"]);
        npx
    })
    .await;
}

#[tokio::test]
async fn pip_installs_the_wheel() {
    is_used(|place| {
        run(place.command("python3").args(["-m", "venv", "env"]));
        let wheel = package("question_server-", ".whl");
        run(place.command("env/bin/pip").args(["install", "--no-index", "--no-cache-dir"]).arg(wheel));
        place.command("env/bin/question-server")
    })
    .await;
}

#[tokio::test]
async fn the_archive_has_the_program_and_licences() {
    is_used(|place| {
        run(place.command("python3").args(["-m", "tarfile", "-e"]).arg(package("question-server-", ".tar.xz")));
        let folder = fs::read_dir(place.here()).expect("it is unpacked").flatten().next().expect("into one folder");
        let name = folder.file_name().into_string().expect("its name is plain");
        for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
            assert!(fs::metadata(folder.path().join(file)).is_ok_and(|file| file.len() > 0), "{file}");
        }
        let bash = "source <(./question-server completions bash) && complete -p question-server";
        run(place.command("bash").args(["-c", bash]).current_dir(folder.path()));
        place.command(format!("{name}/question-server"))
    })
    .await;
}

/// Installs the program, and uses what comes of it: in the browser, by MCP, to its end. It writes nowhere but into the folder of its data.
async fn is_used(install: impl FnOnce(&Place) -> Command) {
    // The page stays open when the program ends.
    visit(&["net::ERR_"], async |driver| {
        let place = Place::new();
        let mut program = install(&place);
        let before = place.files();
        let (mut server, port) =
            Process::listening(program.args(["--port", "0", "--log", "warn"]), address, START_LIMIT);
        let page = ChatPage::open(driver, &format!("http://127.0.0.1:{port}/")).await?;
        page.say("I need my car looked at").await?;
        page.can_choose("Brake service").await?;
        page.tap("Brake service").await?;
        page.can_choose("Rush").await?;

        let status = server.signal(Signal::SIGTERM).expect("it ends by itself");
        // Npx ends by the signal that it has passed on.
        assert!(status.success() || status.signal() == Some(Signal::SIGTERM as i32), "{status}");
        // The program is no child of the test, which can await only its port.
        let until = Instant::now() + END_LIMIT;
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
            assert!(Instant::now() < until, "the program has outlived what started it");
            sleep(INTERVAL).await;
        }
        speaks_mcp(&place, &program);
        assert_eq!(place.files(), before, "it has written beside its data");
        assert!(files_in(&[place.data()]).values().any(|&length| length > 0), "it has kept no conversation");
        Ok(())
    })
    .await;
}

/// Starts the program as a client of MCP does, greets it, and leaves.
fn speaks_mcp(place: &Place, program: &Command) {
    let mut mcp = place.command(program.get_program());
    mcp.args(program.get_args().take_while(|argument| *argument != "--port")).arg("mcp");
    let mut child = mcp.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut asks = child.stdin.take().expect("its input is piped");
    let mut answers = BufReader::new(child.stdout.take().expect("its output is piped")).lines();
    let mut answer = |ask: Value| -> Value {
        writeln!(asks, "{ask}").expect("it listens");
        let line = answers.next().expect("it answers").expect("in text");
        serde_json::from_str(&line).unwrap_or_else(|problem| panic!("{line}: {problem}"))
    };
    let client = json!({ "name": "stranger", "version": "1" });
    let greeting = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let greeted = answer(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": greeting }));
    assert!(greeted["result"]["capabilities"]["tools"].is_object(), "{greeted}");
    drop(asks);
    let status = child.wait().expect("it ends");
    assert!(status.success(), "{status}");
}

/// A folder with nothing in it but another one for the user's home.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(TempDir::new());
        for folder in [place.here(), place.home()] {
            fs::create_dir_all(folder).expect("there is room on the disk");
        }
        place
    }

    /// The folder into which one installs.
    fn here(&self) -> PathBuf {
        self.0.0.join("here")
    }

    fn home(&self) -> PathBuf {
        self.0.0.join("home")
    }

    /// The folder of users' data.
    fn data(&self) -> PathBuf {
        self.0.0.join("data")
    }

    /// A call of a program on the PATH or in the folder, in an environment with nothing else.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let own = self.here().join(program.as_ref());
        let mut command = if own.is_file() { Command::new(own) } else { Command::new(program) };
        command.current_dir(self.here()).env_clear().env("PATH", given("PATH"));
        command.env("HOME", self.home()).env("XDG_DATA_HOME", self.data());
        // Npm's own files are not the program's.
        command.env("npm_config_update_notifier", "false").env("npm_config_logs_max", "0");
        command
    }

    /// All files but the user's data, with their lengths.
    fn files(&self) -> BTreeMap<PathBuf, u64> {
        files_in(&[self.here(), self.home()])
    }
}

fn files_in(folders: &[PathBuf]) -> BTreeMap<PathBuf, u64> {
    let mut files = BTreeMap::new();
    folders.iter().for_each(|folder| list(folder, &mut files));
    files
}

fn list(folder: &Path, files: &mut BTreeMap<PathBuf, u64>) {
    for entry in fs::read_dir(folder).expect("it is a folder").flatten() {
        let metadata = entry.metadata().expect("it is there");
        if metadata.is_dir() {
            list(&entry.path(), files);
        }
        files.insert(entry.path(), if metadata.is_file() { metadata.len() } else { 0 });
    }
}

/// The package of this beginning, whose next letter begins a version or a target, and of this end.
fn package(begin: &str, end: &str) -> PathBuf {
    let packages = fs::read_dir(given("XTASK_PACKAGES")).expect("there are packages").flatten();
    let is_it = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.strip_prefix(begin)
            .and_then(|rest| rest.strip_suffix(end))
            .is_some_and(|version| end != ".tgz" || version.starts_with(|first: char| first.is_ascii_digit()))
    };
    packages.map(|entry| entry.path()).find(is_it).unwrap_or_else(|| panic!("there is no {begin}…{end}"))
}

fn address(line: &str) -> Option<u16> {
    port_after("listening on http://127.0.0.1:", line)
}
