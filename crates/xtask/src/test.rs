//! `cargo xtask test`: every check, one after the other, and one summary.

mod browser;
mod clients;
mod journeys;
mod steps;
mod stranger;
mod summary;

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result};

use crate::args::Group;
use crate::children;
use crate::console::{bold, say};
use crate::workspace;
use steps::{STEPS, Step, Tools};
use summary::{Entry, Outcome};

/// Runs the steps of these groups and says how each went; a failed one makes the whole fail, but not stop.
///
/// # Errors
///
/// We are interrupted.
pub(crate) fn test(groups: &[Group]) -> Result<ExitCode> {
    let steps: Vec<&Step> = STEPS.iter().filter(|step| groups.contains(&step.group)).collect();
    let count = steps.len() + 1;
    let mut entries = Vec::new();

    let mut tools = Tools::default();
    entries.push(timed("tools", 1, count, || tools.gather(groups))?);
    for (number, step) in (2..).zip(steps) {
        entries.push(timed(step.name, number, count, || (step.run)(&tools))?);
    }
    say(&summary::table(&entries));
    // The last line is for programs, so it goes where output is read from.
    println!("{}", summary::counts(&entries));
    let failed = entries.iter().any(|entry| matches!(entry.outcome, Outcome::Failed(_)));
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Judges the stream reader with the cases under `path`.
///
/// # Errors
///
/// The path can't be made absolute, or cargo can't be started.
pub(crate) fn conformance(path: &Path) -> Result<ExitCode> {
    let path = std::path::absolute(path).with_context(|| format!("{} is no path", path.display()))?;
    let mut cargo = Command::new(workspace::cargo());
    cargo.current_dir(workspace::root());
    cargo.args(["run", "--quiet", "--package", "ag-ui-stream", "--example", "conformance", "--"]).arg(path);
    let passed = children::run(&mut cargo)?.success();
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn timed(name: &'static str, number: usize, count: usize, run: impl FnOnce() -> Result<Outcome>) -> Result<Entry> {
    say(&format!("\n{}", bold(&format!("── {number} of {count}: {name}"))));
    let start = Instant::now();
    let outcome = match run() {
        Ok(outcome) => outcome,
        Err(problem) if children::interrupted() => return Err(problem),
        Err(problem) => Outcome::Failed(format!("{problem:#}")),
    };
    let entry = Entry { name, outcome, elapsed: start.elapsed() };
    say(&summary::line(&entry));
    Ok(entry)
}
