//! What the steps came to.

use std::time::Duration;

use crate::console::duration;

/// How a step ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It did what it should.
    Passed,
    /// It did not, and why.
    Failed(String),
    /// It could not be tried, and why.
    Skipped(String),
}

/// A step that is over.
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) outcome: Outcome,
    pub(super) elapsed: Duration,
}

/// The step in one line.
pub(super) fn line(entry: &Entry) -> String {
    let Entry { name, outcome, elapsed } = entry;
    let (word, reason) = match outcome {
        Outcome::Passed => ("ok", None),
        Outcome::Failed(reason) => ("FAILED", Some(reason)),
        Outcome::Skipped(reason) => ("skipped", Some(reason)),
    };
    let reason = reason.map(|reason| format!("  {reason}")).unwrap_or_default();
    format!("{name:<NAME_WIDTH$}  {word:<7}  {:>12}{reason}", duration(*elapsed))
}

/// All steps, a line each, and the time they took together.
pub(super) fn table(entries: &[Entry]) -> String {
    let mut text = String::from("\n");
    for entry in entries {
        text.push_str(&line(entry));
        text.push('\n');
    }
    let together = entries.iter().map(|entry| entry.elapsed).sum();
    text.push_str(&format!("{:<NAME_WIDTH$}  {:<7}  {:>12}\n", "together", "", duration(together)));
    text
}

/// `N passed, N failed, N skipped`.
pub(super) fn counts(entries: &[Entry]) -> String {
    let count = |wanted: fn(&Outcome) -> bool| entries.iter().filter(|entry| wanted(&entry.outcome)).count();
    let passed = count(|outcome| matches!(outcome, Outcome::Passed));
    let failed = count(|outcome| matches!(outcome, Outcome::Failed(_)));
    let skipped = count(|outcome| matches!(outcome, Outcome::Skipped(_)));
    format!("{passed} passed, {failed} failed, {skipped} skipped")
}

/// Room for the longest name of a step.
const NAME_WIDTH: usize = 28;

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        let entry = |name, outcome, seconds| Entry { name, outcome, elapsed: Duration::from_secs(seconds) };
        vec![
            entry("formatting", Outcome::Passed, 2),
            entry("clippy", Outcome::Failed("cargo ended with exit status: 101".into()), 70),
            entry("components in Firefox", Outcome::Skipped("there is no Firefox".into()), 0),
        ]
    }

    #[test]
    fn every_step_has_its_line_with_the_reason() {
        let table = table(&entries());
        let lines: Vec<_> = table.trim().lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines[0].starts_with("formatting ") && lines[0].contains(" ok ") && lines[0].ends_with("2.0 s"));
        assert!(lines[1].contains("FAILED") && lines[1].ends_with("exit status: 101"));
        assert!(lines[2].contains("skipped") && lines[2].ends_with("there is no Firefox"));
        assert!(lines[3].starts_with("together ") && lines[3].ends_with("1 min 12 s"));
    }

    #[test]
    fn the_counts_are_plain() {
        assert_eq!(counts(&entries()), "1 passed, 1 failed, 1 skipped");
    }
}
