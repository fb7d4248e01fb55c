//! The log of a step: its notes, and the output of its commands.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Error, Result, bail, ensure};

use crate::children::{self, Child};
use crate::console::colours;
use crate::workspace;

#[derive(Debug)]
pub(crate) struct StepLog {
    /// The file with the output of its commands.
    pub(super) path: PathBuf,
    notes: Mutex<StepNotes>,
}

/// A page in which wasm-bindgen's runner runs tests.
///
/// The runner's server (`tiny_http` 0.12) may assign a connection to a thread that serves another one, which the browser keeps open for five minutes.
/// The page then loads for as long. Any new connection starts a new thread, which serves the waiting one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageWatch {
    pub(crate) server: SocketAddr,
    /// The longest time without a line, after which the page is stopped.
    pub(crate) silence: Duration,
}

impl PageWatch {
    fn watch(self, group: u32, lines: &Receiver<()>) {
        let mut heard = Instant::now();
        loop {
            match lines.recv_timeout(Duration::from_secs(1).min(self.silence)) {
                Ok(()) => heard = Instant::now(),
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) if heard.elapsed() < self.silence => {
                    // The connection is refused as long as the runner does not listen.
                    let _ = TcpStream::connect(self.server);
                }
                Err(RecvTimeoutError::Timeout) => return children::end(group),
            }
        }
    }
}

/// What one run of tests has printed.
struct TestRun {
    passed: Vec<String>,
    failed: Vec<String>,
    /// True if the harness has printed its summary, with the same number of failures.
    is_whole: bool,
    ended: Result<()>,
}

#[derive(Debug, Default)]
pub(super) struct StepNotes {
    pub(super) doing: String,
    /// The number of passed tests.
    pub(super) tests: usize,
    pub(super) without: Vec<String>,
}

impl StepLog {
    pub(super) fn new(name: &str) -> Self {
        let path = workspace::scratch(&format!("{name}.log"));
        // Each run starts with an empty log.
        let _ = fs::remove_file(&path);
        Self { path, notes: Mutex::default() }
    }

    pub(crate) fn run(&self, command: &mut Command) -> Result<()> {
        self.run_reading(command, |_| ())
    }

    /// Runs `command` to its end, and returns what it prints.
    pub(crate) fn output(&self, command: &mut Command) -> Result<String> {
        let mut printed = String::new();
        self.run_reading(command, |line| printed.extend([line, "\n"]))?;
        Ok(printed)
    }

    /// Runs a non-empty set of tests, and repeats those that fail: beside another step, a driver sometimes loses a key press, or a page is late. A
    /// run that breaks off is not repeated, since some of its tests have not started.
    pub(crate) fn run_some(&self, tests: &mut Command) -> Result<()> {
        let first = self.try_tests(tests, None);
        if first.failed.is_empty() || !first.is_whole {
            first.ended?;
            ensure!(first.is_whole, "the tests ended without their summary");
            ensure!(!first.passed.is_empty(), "no test has such a name");
            return Ok(());
        }
        let second = self.try_tests(tests.arg("--exact").args(&first.failed), None);
        second.ended?;
        ensure!(second.passed.len() == first.failed.len(), "not every failed test was run again");
        self.has_passed_again(&first.failed.join(", "));
        Ok(())
    }

    /// Runs tests by wasm-bindgen's runner, and returns how many have passed. In a page, it repeats failed tests once, and tests that a silent page
    /// has not finished twice.
    pub(crate) fn run_wasm(&self, tests: &mut Command, page: Option<PageWatch>) -> Result<usize> {
        let (mut passed, mut blamed) = (0, Vec::<String>::new());
        loop {
            let run = self.try_tests(tests, page);
            passed += run.passed.len();
            let most = if run.failed.is_empty() { 2 } else { 1 };
            if run.ended.is_ok() || page.is_none() || blamed.len() >= most {
                run.ended?;
                blamed.iter().for_each(|blamed| self.has_passed_again(blamed));
                return Ok(passed);
            }
            if blamed.is_empty() {
                tests.arg("--exact");
            }
            blamed.push(match run.passed.last() {
                _ if !run.failed.is_empty() => run.failed.join(", "),
                Some(last) => format!("a page that went silent after {last}"),
                None => "a page that never spoke".into(),
            });
            tests.args(run.passed.iter().flat_map(|name| ["--skip", name]));
        }
    }

    fn has_passed_again(&self, blamed: &str) {
        self.without(format!("a first try that passed: {blamed}"));
    }

    fn try_tests(&self, tests: &mut Command, page: Option<PageWatch>) -> TestRun {
        let (mut passed, mut failed, mut counted) = (Vec::new(), Vec::new(), None);
        let ended = self.execute(tests, page, |line| {
            counted = counts_in(line).map(|[_, failed]| failed).or(counted);
            match line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... ")) {
                Some((name, "ok")) => passed.push(name.to_owned()),
                Some((name, outcome)) if outcome.starts_with("FAIL") => failed.push(name.to_owned()),
                _ => (),
            }
        });
        TestRun { is_whole: counted == Some(failed.len()), passed, failed, ended }
    }

    /// Runs `command` to its end; `read` gets each line that it prints. Adds advice to common failures.
    pub(crate) fn run_reading(&self, command: &mut Command, mut read: impl FnMut(&str)) -> Result<()> {
        let mut printed = String::new();
        let outcome = self.execute(command, None, |line| {
            printed.extend([line, "\n"]);
            read(line);
        });
        outcome.map_err(|problem| explained(problem, command.get_program(), &printed))
    }

    fn execute(&self, command: &mut Command, page: Option<PageWatch>, mut read: impl FnMut(&str)) -> Result<()> {
        command.env("CARGO_TERM_PROGRESS_WHEN", "always").env("CARGO_TERM_PROGRESS_WIDTH", "80");
        command.env("CARGO_TERM_COLOR", if colours() { "always" } else { "never" });
        let mut file = File::options().create(true).append(true).open(&self.path);
        let (child, output) = Child::start(command)?;
        let (heard, lines) = mpsc::channel();
        let status = thread::scope(|scope| {
            if let Some(page) = page {
                let group = child.group();
                scope.spawn(move || page.watch(group, &lines));
            }
            // In a separate thread, since a process that outlives the child may hold the output open until the child's end is noticed.
            let ended = scope.spawn(|| child.wait());
            children::each_line(output, |line| {
                let _ = heard.send(());
                // Cargo clears its progress line first.
                let line = line.trim_start_matches("\x1b[K");
                if let Some(progress) = progress_in(line) {
                    return self.doing(&progress);
                }
                self.notes().tests += counts_in(line).map_or(0, |[passed, _]| passed);
                // Messages of cargo in JSON are not logged.
                if let Ok(file) = &mut file
                    && !line.starts_with("{\"reason\"")
                {
                    // Writing fails on a full disk, which the output of the command itself will show.
                    let _ = writeln!(file, "{line}");
                }
                read(line);
            });
            drop(heard);
            ended.join().expect("waiting does not panic")
        })?;
        if !status.success() {
            bail!("`{}` ended with {status}", command.get_program().display());
        }
        Ok(())
    }

    pub(crate) fn doing(&self, what: &str) {
        what.clone_into(&mut self.notes().doing);
    }

    /// Notes a part that the step skips, with the reason.
    pub(crate) fn without(&self, what: String) {
        self.notes().without.push(what);
    }

    pub(super) fn notes(&self) -> MutexGuard<'_, StepNotes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The part of the output that explains the failure.
    pub(crate) fn failure(&self) -> String {
        failure_in(&fs::read_to_string(&self.path).unwrap_or_default())
    }
}

/// The lines from the first error or failed test on, without backtraces and passed tests. The last lines if there is no such line.
fn failure_in(printed: &str) -> String {
    let is_noise = |line: &&str| {
        let line = line.trim_start();
        let is_frame = line.split_once(": ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
        let is_passed = line.starts_with("test ") && line.ends_with("... ok");
        is_frame || is_passed || NOISE.iter().any(|begin| line.starts_with(begin))
    };
    let lines: Vec<&str> = printed.lines().filter(|line| !is_noise(line)).collect();
    let begins = |line: &&str| {
        *line == "failures:" || line.contains("panicked at") || FAILURES.iter().any(|word| line.starts_with(word))
    };
    let from = lines.iter().position(begins).unwrap_or(lines.len().saturating_sub(LAST_LINES));
    let shown = lines[from..].iter().take(MOST_LINES).map(|line| line.chars().take(WIDEST_LINE).collect());
    shown.collect::<Vec<String>>().join("\n").trim_end().to_owned()
}

/// The prefixes of lines in which cargo, rustc, tests in browsers, apt, npm, Trunk and pip report a failure.
const FAILURES: [&str; 8] = ["error", "Error", "ERROR", "E: ", "npm error", "npm ERR!", "Diff in ", "FAILED"];
/// The prefixes of lines in backtraces, and of those that tests in browsers print for each test.
const NOISE: [&str; 4] = ["at ", "Stack backtrace:", "stack backtrace:", "Invoking test:"];
const LAST_LINES: usize = 20;
const MOST_LINES: usize = 80;
const WIDEST_LINE: usize = 400;

/// Adds advice to a failure whose cause is known from the output. The network is only blamed for programs that download: a test that times out, or
/// finds no server, has failed.
fn explained(problem: Error, program: &OsStr, printed: &str) -> Error {
    let program = Path::new(program).file_name().and_then(OsStr::to_str).unwrap_or_default();
    if !DOWNLOADING.contains(&program) || printed.contains("test result: FAILED") {
        return problem;
    }
    const NETWORK: &str = "resolve host|failed to download|download of |to connect|Connection refused|imed out|network failure|ENOTFOUND|\
                           ECONN|ailure resolving|error sending request|Failed to fetch";
    const CAUSES: [(&str, &str); 3] = [
        ("the disk is full; tools and builds need about 12 GB", "No space left on device|ENOSPC"),
        ("another program is installing packages; let it finish", "Could not get lock|Unable to acquire the dpkg"),
        ("the network or the package registry does not answer", NETWORK),
    ];
    match CAUSES.iter().find(|(_, signs)| signs.split('|').any(|sign| printed.contains(sign))) {
        Some((cause, _)) => {
            problem.context(format!("{cause}. Fix that and run the same command again: it continues where it stopped"))
        }
        None => problem,
    }
}

/// The programs that download what they need.
const DOWNLOADING: [&str; 6] = ["cargo", "rustup", "npm", "apt-get", "dpkg", "pip"];

/// `85 of 120` in cargo's `Building [====>   ] 85/120: serde, …`.
fn progress_in(line: &str) -> Option<String> {
    let (_, after) = line.split_once("Building")?;
    let (_, after) = after.split_once("] ")?;
    let (done, all) = after.split(':').next()?.split_once('/')?;
    Some(format!("{} of {}", done.parse::<u32>().ok()?, all.parse::<u32>().ok()?))
}

/// The numbers of passed and failed tests, in `test result: ok. 12 passed; 0 failed; …`.
fn counts_in(line: &str) -> Option<[usize; 2]> {
    let (_, after) = line.split_once("test result: ")?;
    let (passed, after) = after.split_once(". ")?.1.split_once(" passed; ")?;
    Some([passed.parse().ok()?, after.split_once(" failed")?.0.parse().ok()?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files;
    use anyhow::anyhow;
    use std::net::TcpListener;

    #[test]
    fn an_everyday_failure_is_explained() {
        for (program, printed, explanation) in [
            ("cargo", "error: failed to download from `https://…`\n  [6] Couldn't resolve host name", "network"),
            ("/usr/bin/npm", "npm error code ENOTFOUND", "network"),
            ("apt-get", "E: Failed to fetch http://…  Temporary failure resolving '…'", "network"),
            ("apt-get", "E: Could not get lock /var/lib/dpkg/lock-frontend", "another program"),
            ("cargo", "error: failed to write: No space left on device (os error 28)", "disk is full"),
            ("cargo", "error[E0308]: mismatched types", "it failed"),
            ("cargo", "script timed out\ntest result: FAILED. 2 passed; 1 failed", "it failed"),
            ("target/debug/deps/e2e-5fc0", "script timed out after 90000ms", "it failed"),
            ("node", "Error: connect ECONNREFUSED 127.0.0.1:80", "it failed"),
        ] {
            let problem = explained(anyhow!("it failed"), OsStr::new(program), printed).to_string();
            assert!(problem.starts_with("it failed") == (explanation == "it failed"), "{printed}: {problem}");
            assert!(problem.contains(explanation), "{printed}: {problem}");
        }
    }

    #[test]
    fn only_what_did_not_pass_is_repeated_and_a_silent_page_is_given_up() {
        let log = StepLog::new("a test of xtask");
        files::make(&workspace::scratch("")).unwrap();
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let page = Some(PageWatch { server: server.local_addr().unwrap(), silence: Duration::from_millis(200) });
        let script = r#"[ "$*" = "--exact --skip a" ] && echo "test b ... ok" || { echo "test a ... ok"; sleep 600; }"#;
        assert_eq!(log.run_wasm(Command::new("sh").args(["-c", script, "sh"]), page).unwrap(), 2);
        let script = r#"[ "$*" = "--exact --skip a" ] || { echo "test a ... ok"; echo "test b ... FAIL"; exit 1; }"#;
        assert_eq!(log.run_wasm(Command::new("sh").args(["-c", script, "sh"]), page).unwrap(), 1);
        let told = ["a page that went silent after a", "b"].map(|what| format!("a first try that passed: {what}"));
        assert_eq!(log.notes().without, told);
        assert!(log.run_wasm(Command::new("sh").args(["-c", "sleep 600", "sh"]), page).is_err());
        assert_eq!(log.notes().without.len(), 2, "nothing has passed");
    }

    #[test]
    fn a_run_that_breaks_off_has_failed_and_a_second_try_counts_once_it_has_passed() {
        let log = StepLog::new("a test of trying again");
        files::make(&workspace::scratch("")).unwrap();
        let run = |first: &str, second: &str| {
            let fails = "echo 'test a ... FAILED'";
            let script = format!("if [ \"$*\" = '--exact a' ]; then {second}; else {fails}; {first}; fi");
            log.run_some(Command::new("sh").args(["-c", &script, "sh"]))
        };
        let (sum, passes) = ("echo 'test result: FAILED. 0 passed; 1 failed'; exit 101", "echo 'test a ... ok'");
        let passes = format!("{passes}; echo 'test result: ok. 1 passed; 0 failed'");
        // The tests after the failure have not run, or their results are unknown.
        for breaks_off in ["kill -9 $$", "exit 0", "echo 'test result: FAILED. 0 passed; 2 failed'; exit 101"] {
            assert!(run(breaks_off, &passes).is_err(), "{breaks_off}");
        }
        for fails_again in [sum, "exit 0", "echo 'test result: ok. 0 passed; 0 failed'"] {
            assert!(run(sum, fails_again).is_err(), "{fails_again}");
        }
        assert!(log.notes().without.is_empty(), "{:?}", log.notes().without);
        run(sum, &passes).unwrap();
        assert_eq!(log.notes().without, ["a first try that passed: a"]);
    }

    #[test]
    fn a_failure_is_shown_without_what_came_before_and_without_frames() {
        let printed = "Setting up nodejs\ntest a ... ok\n\nfailures:\n\n---- b stdout ----\nthread 'b' panicked at src/b.rs:1:2:\n547 px\n   0: std::rt\n             at /rustc/x.rs:1:2\n";
        assert_eq!(
            failure_in(printed),
            "failures:\n\n---- b stdout ----\nthread 'b' panicked at src/b.rs:1:2:\n547 px"
        );
        let many = "line\n".repeat(500);
        assert_eq!(failure_in(&many).lines().count(), LAST_LINES);
        assert_eq!(failure_in(&format!("{many}error: x\n{many}")).lines().count(), MOST_LINES);
    }

    #[test]
    fn cargos_progress_and_the_harness_counts_are_read() {
        assert_eq!(progress_in("    Building [====>   ] 85/120: serde, syn").as_deref(), Some("85 of 120"));
        assert_eq!(progress_in("   Compiling serde v1.0.0"), None);
        assert_eq!(counts_in("test result: FAILED. 12 passed; 3 failed; 0 ignored"), Some([12, 3]));
        assert_eq!(counts_in("12 passed"), None);
    }
}
