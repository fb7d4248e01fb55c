//! What the files of the page may weigh.

use anyhow::{Context, Result};

/// The line of all files together.
pub(super) const TOGETHER: &str = "together";

/// The most bytes of Brotli for each file, and for all of them together.
#[derive(Debug)]
pub(super) struct Budget<'a>(Vec<(&'a str, u64)>);

impl<'a> Budget<'a> {
    /// Reads lines of a name and a number; a line that begins with `#` is a remark.
    ///
    /// # Errors
    ///
    /// A line is something else.
    pub(super) fn parse(text: &'a str) -> Result<Self> {
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let line = |line: &'a str| {
            let (name, most) = line.split_once(' ')?;
            Some((name, most.trim().parse().ok()?))
        };
        lines
            .map(|text| line(text).with_context(|| format!("not a name and a number: {text}")))
            .collect::<Result<_>>()
            .map(Self)
    }

    /// What is wrong with files that weigh so much, in a sentence each.
    pub(super) fn judge(&self, files: &[(&str, u64)]) -> Vec<String> {
        let all = files.iter().map(|(_, weight)| weight).sum();
        let mut complaints = Vec::new();
        for &(name, weight) in files.iter().chain([&(TOGETHER, all)]) {
            match self.most(name) {
                Some(most) if weight > most => complaints.push(format!(
                    "{name} weighs {weight} bytes of Brotli, {} more than its budget of {most}",
                    weight - most
                )),
                Some(_) => {}
                None => complaints.push(format!("{name} weighs {weight} bytes and has no budget")),
            }
        }
        let is_there = |name: &str| name == TOGETHER || files.iter().any(|file| file.0 == name);
        for (name, _) in self.0.iter().filter(|(name, _)| !is_there(name)) {
            complaints.push(format!("{name} has a budget and is not there"));
        }
        complaints
    }

    fn most(&self, name: &str) -> Option<u64> {
        let line = self.0.iter().find(|(named, _)| *named == name)?;
        Some(line.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: &str = "# Remark\na.wasm 100\na.css   20\n\ntogether 110\n";

    #[track_caller]
    fn check(files: &[(&str, u64)], complaints: &[&str]) {
        let budget = Budget::parse(BUDGET).unwrap();
        assert_eq!(budget.judge(files), complaints);
    }

    #[test]
    fn what_keeps_to_it_is_let_through() {
        check(&[("a.wasm", 100), ("a.css", 10)], &[]);
    }

    #[test]
    fn the_file_that_grew_is_named() {
        check(&[("a.wasm", 103), ("a.css", 1)], &["a.wasm weighs 103 bytes of Brotli, 3 more than its budget of 100"]);
    }

    #[test]
    fn all_together_have_a_budget_of_their_own() {
        check(
            &[("a.wasm", 100), ("a.css", 20)],
            &["together weighs 120 bytes of Brotli, 10 more than its budget of 110"],
        );
    }

    #[test]
    fn files_and_lines_belong_together() {
        check(
            &[("a.wasm", 1), ("b.js", 2)],
            &["b.js weighs 2 bytes and has no budget", "a.css has a budget and is not there"],
        );
    }

    #[test]
    fn what_is_no_budget_is_refused() {
        for text in ["a.wasm", "a.wasm many", "a.wasm -1"] {
            assert!(Budget::parse(text).is_err(), "{text}");
        }
    }
}
