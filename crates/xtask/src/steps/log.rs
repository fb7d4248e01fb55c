//! What a step tells of its work, and what its commands print.

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::Sender;
use std::thread;

use anyhow::{Result, bail};

use crate::children::{self, Child};
use crate::console::colours;
use crate::workspace;

/// Where a step tells of its work.
#[derive(Debug)]
pub(crate) struct Log {
    name: &'static str,
    sender: Sender<(&'static str, Said)>,
}

/// What a step tells.
#[derive(Debug)]
pub(super) enum Said {
    Doing(String),
    TestsPassed(u32),
    Without(String),
    Ended(Result<()>),
}

impl Log {
    pub(super) fn new(name: &'static str, sender: Sender<(&'static str, Said)>) -> Self {
        // A log is of one run.
        let _ = path(name).map(fs::remove_file);
        Self { name, sender }
    }

    /// Runs `command` to its end.
    pub(crate) fn run(&self, command: Command) -> Result<()> {
        self.run_reading(command, |_| ())
    }

    /// Runs `command` to its end; `read` gets each line that it prints.
    pub(crate) fn run_reading(&self, mut command: Command, mut read: impl FnMut(&str)) -> Result<()> {
        let name = command.get_program().display().to_string();
        command.env("CARGO_TERM_PROGRESS_WHEN", "always").env("CARGO_TERM_PROGRESS_WIDTH", "80");
        command.env("CARGO_TERM_COLOR", if colours() { "always" } else { "never" });
        let path = path(self.name)?;
        let mut file = File::options().create(true).append(true).open(&path);
        let (child, output) = Child::start_piped(command)?;
        let status = thread::scope(|scope| {
            // Beside the reading: what a child leaves behind may hold its output open until the child's end is seen.
            let ended = scope.spawn(|| child.wait());
            children::each_line(output, |line| {
                // Cargo wipes its progress away before it prints.
                let line = line.trim_start_matches("\x1b[K");
                if let Some(progress) = progress_in(line) {
                    return self.doing(&progress);
                }
                if let Some(count) = tests_passed_in(line) {
                    self.tell(Said::TestsPassed(count));
                }
                // What cargo tells programs is not for people.
                if let Ok(file) = &mut file
                    && !line.starts_with("{\"reason\"")
                {
                    // A full disk shows in what the command itself writes.
                    let _ = writeln!(file, "{line}");
                }
                read(line);
            });
            ended.join().expect("waiting does not panic")
        })?;
        if !status.success() {
            bail!("`{name}` ended with {status}");
        }
        Ok(())
    }

    /// Runs tests to their end, and returns how many have passed.
    pub(crate) fn run_tests(&self, command: Command) -> Result<u32> {
        let mut passed = 0;
        self.run_reading(command, |line| passed += tests_passed_in(line).unwrap_or(0))?;
        Ok(passed)
    }

    /// Tells what happens now.
    pub(crate) fn doing(&self, what: &str) {
        self.tell(Said::Doing(what.to_owned()));
    }

    /// Tells what the step does not look at, and why.
    pub(crate) fn without(&self, what: String) {
        self.tell(Said::Without(what));
    }

    pub(super) fn tell(&self, said: Said) {
        // Nobody listens any more after Ctrl+C.
        let _ = self.sender.send((self.name, said));
    }
}

/// What the commands of a step have printed.
pub(super) fn read(name: &str) -> String {
    path(name).and_then(|path| Ok(fs::read_to_string(path)?)).unwrap_or_default()
}

/// Where that is kept.
fn path(name: &str) -> Result<PathBuf> {
    Ok(workspace::scratch_dir()?.join(format!("{name}.log")))
}

/// `85 of 120` in cargo's `Building [====>   ] 85/120: serde, …`.
fn progress_in(line: &str) -> Option<String> {
    let (_, after) = line.split_once("Building")?;
    let (_, after) = after.split_once("] ")?;
    let (done, all) = after.split(':').next()?.split_once('/')?;
    Some(format!("{} of {}", done.parse::<u32>().ok()?, all.parse::<u32>().ok()?))
}

/// The count in `test result: ok. 12 passed; 0 failed; …`.
fn tests_passed_in(line: &str) -> Option<u32> {
    let (_, after) = line.split_once("test result: ")?;
    let (_, after) = after.split_once(". ")?;
    after.split_once(" passed")?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargos_progress_and_the_harness_counts_are_read() {
        assert_eq!(progress_in("    Building [====>   ] 85/120: serde, syn").as_deref(), Some("85 of 120"));
        assert_eq!(progress_in("   Compiling serde v1.0.0"), None);
        assert_eq!(tests_passed_in("test result: ok. 12 passed; 0 failed; 0 ignored"), Some(12));
        assert_eq!(tests_passed_in("12 passed"), None);
    }
}
