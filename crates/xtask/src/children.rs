//! Child processes, none of which outlives us.
//!
//! Every child leads a process group of its own, so that ending it also ends what it has started itself (trunk starts cargo,
//! cargo starts rustc, a driver starts a browser). Groups are ended when a [`Child`] is dropped and when we are interrupted.

use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// A running child. Dropping it ends it and all that it has started.
pub(crate) struct Child {
    process: std::process::Child,
}

impl Child {
    /// Starts `command`, which reads nothing from the terminal.
    ///
    /// # Errors
    ///
    /// The program can't be started, most often because it is not there; or we have been interrupted.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        // Held while starting, so that an interrupt finds either no child or a registered one.
        let mut groups = lock(&GROUPS);
        ensure_not_interrupted()?;
        lead_a_group(command.stdin(Stdio::null()));
        let process = command.spawn().with_context(|| format!("can't start `{}`", command.get_program().display()))?;
        groups.push(process.id());
        Ok(Self { process })
    }

    /// The child's standard output, once, if it was piped.
    pub(crate) fn take_stdout(&mut self) -> Option<std::process::ChildStdout> {
        self.process.stdout.take()
    }

    /// The child's standard error, once, if it was piped.
    pub(crate) fn take_stderr(&mut self) -> Option<std::process::ChildStderr> {
        self.process.stderr.take()
    }

    /// How the child ended, if it has.
    ///
    /// # Errors
    ///
    /// The system can't say.
    pub(crate) fn ended(&mut self) -> Result<Option<ExitStatus>> {
        self.process.try_wait().context("can't ask after a child process")
    }

    /// Waits for the end of the child.
    ///
    /// # Errors
    ///
    /// We are interrupted while waiting.
    pub(crate) fn wait(mut self) -> Result<ExitStatus> {
        let status = self.process.wait().context("can't wait for a child process")?;
        ensure_not_interrupted()?;
        Ok(status)
    }

    fn end(&mut self) {
        let group = self.process.id();
        if matches!(self.process.try_wait(), Ok(None)) {
            signal_group(group, Signal::End);
            let patience = Instant::now() + PATIENCE;
            while matches!(self.process.try_wait(), Ok(None)) && Instant::now() < patience {
                // The standard library waits for a child either for ever or not at all.
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        // The leader may be gone while something that it started is not.
        signal_group(group, Signal::Kill);
        let _ = self.process.wait();
        lock(&GROUPS).retain(|&known| known != group);
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.end();
    }
}

/// Runs `command` to its end with the terminal as its output.
///
/// # Errors
///
/// It can't be started, or we are interrupted meanwhile.
pub(crate) fn run(command: &mut Command) -> Result<ExitStatus> {
    Child::start(command)?.wait()
}

/// Runs `command` to its end and gives what it printed on standard output, if it succeeded.
pub(crate) fn output_of(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let succeeded = output.status.success();
    succeeded.then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// True once Ctrl+C or another request to end has arrived.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Makes Ctrl+C, SIGTERM and SIGHUP end every child; the commands then notice and return. A second one kills at once.
///
/// # Errors
///
/// The system refuses the handler.
pub(crate) fn end_all_when_interrupted() -> Result<()> {
    let handler = || {
        let signal = if INTERRUPTED.swap(true, Ordering::SeqCst) { Signal::Kill } else { Signal::End };
        let groups = lock(&GROUPS).clone();
        for group in groups {
            signal_group(group, signal);
        }
    };
    ctrlc::set_handler(handler).context("can't listen for Ctrl+C")
}

fn ensure_not_interrupted() -> Result<()> {
    if interrupted() {
        bail!("interrupted");
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Signal {
    /// Ask to end.
    End,
    /// End without asking.
    Kill,
}

#[cfg(unix)]
fn lead_a_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(unix)]
fn signal_group(group: u32, signal: Signal) {
    use nix::sys::signal::{Signal as Unix, killpg};
    let signal = match signal {
        Signal::End => Unix::SIGTERM,
        Signal::Kill => Unix::SIGKILL,
    };
    let Ok(group) = i32::try_from(group) else {
        return;
    };
    // A group that is already gone is what we want.
    let _ = killpg(nix::unistd::Pid::from_raw(group), signal);
}

#[cfg(windows)]
fn lead_a_group(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

#[cfg(windows)]
fn signal_group(group: u32, _: Signal) {
    let tree = ["/T", "/F", "/PID", &group.to_string()];
    let _ = Command::new("taskkill").args(tree).stdout(Stdio::null()).stderr(Stdio::null()).status();
}

/// Nothing panics while holding these locks, and a list of numbers has no broken state anyway.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// How long a child may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(5);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static GROUPS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn dropping_a_child_ends_what_it_started() {
        let mut script = Command::new("sh");
        script.args(["-c", "sleep 60 & echo started; wait"]).stdout(Stdio::piped());
        let mut child = Child::start(&mut script).unwrap();
        let mut stdout = child.take_stdout().unwrap();
        stdout.read_exact(&mut [0; 8]).unwrap();

        let dropped = Instant::now();
        drop(child);
        // The pipe ends when the last process that holds it has ended, which is `sleep`.
        stdout.read_to_end(&mut Vec::new()).unwrap();
        assert!(dropped.elapsed() < Duration::from_secs(30), "something was left behind");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let problem = Child::start(&mut Command::new("no-such-program")).err().unwrap();
        assert!(problem.to_string().contains("`no-such-program`"), "{problem}");
    }

    #[test]
    fn output_is_given_only_on_success() {
        assert_eq!(output_of(Command::new("echo").arg("yes")).as_deref(), Some("yes"));
        assert_eq!(output_of(&mut Command::new("false")), None);
    }
}
