//! The launcher, with a script in place of the program, and without it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::given;
use crate::processes::{Process, START_LIMIT, TempDir, port_after};

#[test]
fn another_platform_is_told_which_there_are_and_how_to_build() {
    let launcher = Launcher::alone();
    let elsewhere = "Object.defineProperty(process, 'platform', { value: 'freebsd' });";
    fs::write(launcher.0.0.join("elsewhere.js"), elsewhere).expect("there is room on the disk");
    let told = launcher.fails(Command::new("node").arg("--require").arg(launcher.0.0.join("elsewhere.js")));
    let known = launcher.platforms();
    assert!(known.len() >= 5, "{known:?}");
    for words in known
        .iter()
        .map(|name| name.trim_start_matches("question-server-"))
        .chain(["no program for freebsd-", "cargo install question-server"])
    {
        assert!(told.contains(words), "{words}: {told}");
    }
}

#[test]
fn a_program_that_npm_has_left_out_is_named_with_the_way_to_it() {
    let told = Launcher::alone().fails(&mut Command::new("node"));
    assert!(told.contains("is missing") && told.contains("npm install question-server-"), "{told}");
}

#[test]
fn a_program_of_another_version_is_not_started() {
    let launcher = Launcher::with("echo started", "9.9.9");
    let told = launcher.fails(&mut Command::new("node"));
    assert!(told.contains("9.9.9") && told.contains("the same version of both"), "{told}");
}

#[test]
fn arguments_and_the_end_are_the_programs() {
    let launcher = Launcher::with("printf '%s|' \"$@\"; exit 7", "");
    let ended = launcher.run(Command::new("node"), &["--agent", "a b", ""]);
    assert_eq!((ended.status.code(), &*String::from_utf8_lossy(&ended.stdout)), (Some(7), "--agent|a b||"));

    let killed = Launcher::with("kill -s KILL $$", "").run(Command::new("node"), &[]);
    assert_eq!(killed.status.signal(), Some(Signal::SIGKILL as i32), "{killed:?}");
}

#[test]
fn a_signal_to_the_launcher_ends_the_program() {
    for (signal, name, code) in [(Signal::SIGINT, "INT", 3), (Signal::SIGTERM, "TERM", 4), (Signal::SIGHUP, "HUP", 5)] {
        let script = format!("trap 'exit {code}' {name}; echo waits 1; while :; do sleep 0.05; done");
        let launcher = Launcher::with(&script, "");
        let mut command = Command::new("node");
        let waits = |line: &str| port_after("waits ", line);
        let (mut process, _) = Process::listening(command.arg(launcher.script()), waits, START_LIMIT);
        let status = process.signal(signal).expect("it ends by itself");
        assert_eq!(status.code(), Some(code), "{name}");
    }
}

/// The launcher in a folder of packages.
struct Launcher(TempDir);

impl Launcher {
    fn alone() -> Self {
        let launcher = Self(TempDir::new());
        let content = Path::new(&given("XTASK_PACKAGES")).join("content/question-server");
        for file in ["launcher.js", "package.json"] {
            write(
                &launcher.package("question-server").join(file),
                &fs::read(content.join(file)).expect("it is packed"),
            );
        }
        launcher
    }

    /// The same, beside the package of this platform with this script as its program: of the launcher's version, unless another is named.
    fn with(script: &str, version: &str) -> Self {
        let launcher = Self::alone();
        let version = if version.is_empty() { launcher.manifest()["version"].clone() } else { json!(version) };
        for name in launcher.platforms() {
            let package = launcher.package(&name);
            write(&package.join("package.json"), json!({ "name": name, "version": version }).to_string().as_bytes());
            let program = package.join("question-server");
            write(&program, format!("#!/bin/sh\n{script}\n").as_bytes());
            fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("it is ours");
        }
        launcher
    }

    fn package(&self, name: &str) -> PathBuf {
        self.0.0.join("node_modules").join(name)
    }

    fn script(&self) -> PathBuf {
        self.package("question-server").join("launcher.js")
    }

    fn manifest(&self) -> Value {
        let text = fs::read(self.package("question-server").join("package.json")).expect("it is there");
        serde_json::from_slice(&text).expect("it is JSON")
    }

    /// The names of the packages with programs.
    fn platforms(&self) -> Vec<String> {
        self.manifest()["optionalDependencies"].as_object().expect("it has them").keys().cloned().collect()
    }

    fn run(&self, mut node: Command, arguments: &[&str]) -> Output {
        node.arg(self.script()).args(arguments).output().expect("there is Node")
    }

    /// Runs to a failure, and returns its sentence.
    fn fails(&self, node: &mut Command) -> String {
        let ended = node.arg(self.script()).output().expect("there is Node");
        assert_eq!(ended.status.code(), Some(1), "{ended:?}");
        assert!(ended.stdout.is_empty(), "{ended:?}");
        let told = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(told.starts_with("question-server: ") && told.lines().count() == 1, "{told}");
        told
    }
}

fn write(file: &Path, content: &[u8]) {
    fs::create_dir_all(file.parent().expect("a file is in a folder")).expect("there is room on the disk");
    fs::write(file, content).expect("there is room on the disk");
}
