//! What a step tells of its work, and what its commands print.

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::{Result, bail};

use crate::children::{self, Child};
use crate::console::colours;
use crate::workspace;

/// Where a step tells of its work.
#[derive(Debug)]
pub(crate) struct Log {
    /// Where what its commands print is kept.
    path: PathBuf,
    notes: Mutex<Notes>,
}

#[derive(Debug, Default)]
pub(super) struct Notes {
    /// What happens now.
    pub(super) doing: String,
    /// How many tests have passed.
    pub(super) tests: u32,
    pub(super) without: Vec<String>,
}

impl Log {
    pub(super) fn new(name: &str) -> Self {
        let path = workspace::scratch(&format!("{name}.log"));
        // A log is of one run.
        let _ = fs::remove_file(&path);
        Self { path, notes: Mutex::default() }
    }

    /// Runs `command` to its end.
    pub(crate) fn run(&self, command: &mut Command) -> Result<()> {
        self.run_reading(command, |_| ())
    }

    /// Runs `command` to its end, and returns what it prints.
    pub(crate) fn output(&self, command: &mut Command) -> Result<String> {
        let mut printed = String::new();
        self.run_reading(command, |line| printed.extend([line, "\n"]))?;
        Ok(printed)
    }

    /// Runs tests to their end, and returns how many have passed.
    pub(crate) fn run_tests(&self, command: &mut Command) -> Result<u32> {
        let mut passed = 0;
        self.run_reading(command, |line| passed += tests_passed_in(line).unwrap_or(0))?;
        Ok(passed)
    }

    /// Runs `command` to its end; `read` gets each line that it prints.
    pub(crate) fn run_reading(&self, command: &mut Command, mut read: impl FnMut(&str)) -> Result<()> {
        command.env("CARGO_TERM_PROGRESS_WHEN", "always").env("CARGO_TERM_PROGRESS_WIDTH", "80");
        command.env("CARGO_TERM_COLOR", if colours() { "always" } else { "never" });
        let mut file = File::options().create(true).append(true).open(&self.path);
        let (child, output) = Child::start(command)?;
        let status = thread::scope(|scope| {
            // Beside the reading: what a child leaves behind may hold its output open until the child's end is seen.
            let ended = scope.spawn(|| child.wait());
            children::each_line(output, |line| {
                // Cargo wipes its progress away before it prints.
                let line = line.trim_start_matches("\x1b[K");
                if let Some(progress) = progress_in(line) {
                    return self.doing(&progress);
                }
                self.notes().tests += tests_passed_in(line).unwrap_or(0);
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
            bail!("`{}` ended with {status}", command.get_program().display());
        }
        Ok(())
    }

    /// Tells what happens now.
    pub(crate) fn doing(&self, what: &str) {
        what.clone_into(&mut self.notes().doing);
    }

    /// Tells what the step does not look at, and why.
    pub(crate) fn without(&self, what: String) {
        self.notes().without.push(what);
    }

    pub(super) fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the step's commands have printed.
    pub(super) fn read(&self) -> String {
        fs::read_to_string(&self.path).unwrap_or_default()
    }
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
