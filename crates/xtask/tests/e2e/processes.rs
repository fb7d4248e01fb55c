//! Programs that run beside a test and end with it.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

/// A program that is ended when this is dropped, with all that it has started. Its files in the temporary folder go as well.
pub(crate) struct Process {
    child: Child,
    guard: Child,
    _temporary: TempDir,
}

impl Process {
    /// Starts a program and waits until `announcement` finds in a line of its output where it listens.
    pub(crate) fn listening(
        command: &mut Command,
        announcement: fn(&str) -> Option<u16>,
        patience: Duration,
    ) -> (Self, u16) {
        let program = command.get_program().to_owned();
        let temporary = TempDir::new();
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        command.env("TMPDIR", &temporary.0).process_group(0);
        let mut child =
            command.spawn().unwrap_or_else(|problem| panic!("can't start {}: {problem}", program.display()));
        let output = child.stdout.take().expect("its output is piped");
        let process = Self { guard: guard(&child, &temporary), child, _temporary: temporary };

        let (heard, lines) = mpsc::channel();
        // Reads on after the announcement, or the program would block once the pipe is full.
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let _ = heard.send(line);
            }
        });
        let deadline = Instant::now() + patience;
        let mut said = Vec::new();
        let port = loop {
            let rest = deadline.saturating_duration_since(Instant::now());
            let Ok(line) = lines.recv_timeout(rest) else {
                panic!("{} does not say where it listens, but: {said:#?}", program.display());
            };
            match announcement(&line) {
                Some(port) => break port,
                None => said.push(line),
            }
        };
        (process, port)
    }

    /// Lets the program do nothing any more, without ending it.
    pub(crate) fn freeze(&self) {
        killpg(group(&self.child), Signal::SIGSTOP).expect("it is there");
    }

    /// Ends the program without asking it.
    pub(crate) fn kill(&mut self) {
        kill_group(&self.child);
        let _ = self.child.wait();
    }

    /// Ends the program as Ctrl+C does, and says how it ended; nothing if it has to be killed.
    pub(crate) fn interrupt(&mut self) -> Option<ExitStatus> {
        let _ = killpg(group(&self.child), Signal::SIGINT);
        self.ended()
    }

    /// Sends a signal to the program, and not to what it has started, and says how it ended; nothing if it has to be killed.
    pub(crate) fn signal(&mut self, signal: Signal) -> Option<ExitStatus> {
        kill(group(&self.child), signal).expect("it is there");
        self.ended()
    }

    /// Waits for the end, but not for long.
    fn ended(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + END_LIMIT;
        while Instant::now() < deadline {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            // The standard library waits for a child either for ever or not at all.
            std::thread::sleep(Duration::from_millis(20));
        }
        None
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.interrupt();
        }
        kill_group(&self.child);
        for child in [&mut self.child, &mut self.guard] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A folder for what is not to stay, removed when this is dropped.
pub(crate) struct TempDir(pub(crate) PathBuf);

impl TempDir {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("journey-{}-{count}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("there is room on the disk");
        Self(folder)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        // The system removes leftovers at times.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The digits that follow `before` in a line.
pub(crate) fn port_after(before: &str, line: &str) -> Option<u16> {
    let (_, after) = line.split_once(before)?;
    after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn kill_group(leader: &Child) {
    // A group that is already gone is fine.
    let _ = killpg(group(leader), Signal::SIGKILL);
}

/// Ends a program that the tests have not ended when they end, however that comes about: their end of a pipe is closed then.
fn guard(leader: &Child, temporary: &TempDir) -> Child {
    let mut guard = Command::new("sh");
    // `cargo xtask serve` ends what it has started, in groups of their own, if it is asked to.
    let script = r#"
        read -r _
        kill -s INT -- "-$1"
        for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 -- "-$1" || break; sleep 1; done
        kill -s KILL -- "-$1"
        rm -rf -- "$2"
    "#;
    guard.args(["-c", script, "guard", &leader.id().to_string()]);
    guard.arg(&temporary.0).stdin(Stdio::piped());
    // It outlives the tests, and a reader of their output does not wait for it.
    guard.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    guard.spawn().expect("there is a shell")
}

fn group(leader: &Child) -> Pid {
    Pid::from_raw(i32::try_from(leader.id()).expect("process ids are small"))
}

/// The most time that a program may take to start if nothing has to be built, on a busy machine. A program that ends instead is not waited
/// for.
pub(crate) const START_LIMIT: Duration = Duration::from_secs(120);

/// The most time that a program may take to end by itself.
pub(crate) const END_LIMIT: Duration = Duration::from_secs(15);
