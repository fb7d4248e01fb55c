//! Child processes, none of which outlives xtask.
//!
//! Every child leads a process group of its own, so that ending it also ends its children: trunk starts cargo, cargo starts rustc, a driver
//! starts a browser. Groups are ended when a [`Child`] is dropped, and on Ctrl+C.

use std::env;
use std::ffi::OsStr;
use std::io::{self, BufReader, PipeReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// A running child. Dropping it ends it and all that it has started.
pub(crate) struct Child(process::Child);

impl Child {
    /// Starts `command` without input, with its output and errors as one stream.
    pub(crate) fn start(command: &mut Command) -> Result<(Self, PipeReader)> {
        // Held while starting, so that an interrupt finds either no child or a registered one.
        let mut groups = groups();
        ensure_not_interrupted()?;
        if let Some(folder) = PREFERRED.get() {
            let own = command.get_envs().find_map(|(name, path)| path.filter(|_| name == "PATH").map(OsStr::to_owned));
            let path = own.or_else(|| env::var_os("PATH")).unwrap_or_default();
            command.env("PATH", env::join_paths([folder.clone()].into_iter().chain(env::split_paths(&path)))?);
        }
        let (reader, writer) = io::pipe().context("the system gives no pipe")?;
        command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer).process_group(0);
        let started = command.spawn();
        // The stream ends only when no process can write to it any more, and the command would keep its copies of the pipe open.
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let process = started.with_context(|| format!("can't start `{}`", command.get_program().display()))?;
        groups.push(process.id());
        Ok((Self(process), reader))
    }

    /// The id of the process group that the child leads.
    pub(crate) fn group(&self) -> u32 {
        self.0.id()
    }

    pub(crate) fn wait(mut self) -> Result<ExitStatus> {
        let status = self.0.wait().context("can't wait for a child process")?;
        ensure_not_interrupted()?;
        Ok(status)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let group = self.0.id();
        signal_group(group, Signal::SIGTERM);
        let asked = Instant::now();
        while asked.elapsed() < PATIENCE && matches!(self.0.try_wait(), Ok(None)) {
            // The standard library has no wait with a timeout.
            thread::sleep(Duration::from_millis(20));
        }
        // The leader may have ended before the processes that it started.
        signal_group(group, Signal::SIGKILL);
        let _ = self.0.wait();
        groups().retain(|&known| known != group);
    }
}

/// Runs `command` to its end and returns what it printed on standard output, if it succeeded.
pub(crate) fn output_of(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output();
    let output = output.ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Calls `take` with each line of a child's output until the output ends. A carriage return also ends a line.
pub(crate) fn each_line(output: impl Read, mut take: impl FnMut(&str)) {
    let mut line = Vec::new();
    // Bytes, not `lines()`, which would stop at output that is not UTF-8.
    for byte in BufReader::new(output).bytes().map_while(io::Result::ok) {
        match byte {
            b'\n' | b'\r' => {
                take(&String::from_utf8_lossy(&line));
                line.clear();
            }
            byte => line.push(byte),
        }
    }
    if !line.is_empty() {
        take(&String::from_utf8_lossy(&line));
    }
}

/// True once Ctrl+C, SIGTERM or SIGHUP has arrived.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Fails once such a signal has arrived.
pub(crate) fn ensure_not_interrupted() -> Result<()> {
    ensure!(!interrupted(), "interrupted");
    Ok(())
}

/// Makes Ctrl+C, SIGTERM and SIGHUP end every child, after which the commands return. A second signal kills them at once.
pub(crate) fn end_all_when_interrupted() -> Result<()> {
    let handler = || {
        let again = INTERRUPTED.swap(true, Ordering::SeqCst);
        let signal = if again { Signal::SIGKILL } else { Signal::SIGTERM };
        for &group in groups().iter() {
            signal_group(group, signal);
        }
    };
    ctrlc::set_handler(handler).context("can't listen for Ctrl+C")
}

/// Ends a child by its group, since another thread waits for it.
pub(crate) fn end(group: u32) {
    signal_group(group, Signal::SIGTERM);
}

fn signal_group(group: u32, signal: Signal) {
    // A group that has already ended needs no signal.
    let _ = killpg(Pid::from_raw(group.cast_signed()), signal);
}

fn groups() -> MutexGuard<'static, Vec<u32>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The time that a child has to end by itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// Puts a folder first in the `PATH` of every child from now on.
pub(crate) fn prefer(folder: &Path) {
    // The first call wins.
    let _ = PREFERRED.set(folder.to_owned());
}

static PREFERRED: OnceLock<PathBuf> = OnceLock::new();
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static GROUPS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropping_a_child_ends_what_it_started() {
        let script = ["-c", "sleep 60 & echo started; wait"];
        let (child, mut output) = Child::start(Command::new("sh").args(script)).unwrap();
        output.read_exact(&mut [0; 8]).unwrap();

        let dropped = Instant::now();
        drop(child);
        // The pipe ends when the last process that holds it has ended, which is `sleep`.
        output.read_to_end(&mut Vec::new()).unwrap();
        assert!(dropped.elapsed() < Duration::from_secs(30), "something was left behind");
    }

    #[test]
    fn a_line_ends_at_a_line_feed_a_carriage_return_and_the_end() {
        let mut lines = Vec::new();
        each_line(&b"one\rtwo\n\xff\nlast"[..], |line| lines.push(line.to_owned()));
        assert_eq!(lines, ["one", "two", "\u{fffd}", "last"]);
    }
}
