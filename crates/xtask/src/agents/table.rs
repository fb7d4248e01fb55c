//! The table of what works, in the README of the recipes. People write the names in its rows, and the reasons below it; versions and
//! outcomes are written here.

use std::collections::BTreeMap;

use anyhow::{Context, Result};

use super::Walked;
use super::recipe::{FOLDER, Recipe};
use crate::{files, workspace};

/// The journeys of `tests/e2e/recipes.rs`, in the order of the columns.
pub(super) const SCENARIOS: [&str; 6] = [
    GROWS,
    "an_answer_is_taken_and_the_agent_goes_on_with_it",
    "a_second_question_is_answered_as_well",
    "two_questions_in_one_turn_are_answered",
    "cancel_is_told_and_the_conversation_goes_on",
    "a_reload_finds_the_question_and_the_receipts",
];
const GROWS: &str = "the_card_grows_while_the_call_streams";

/// The README that has the table.
pub(super) fn read() -> Result<String> {
    workspace::read(&format!("{FOLDER}/README.md"))
}

/// The recipes that have a row.
pub(super) fn names(readme: &str) -> Vec<&str> {
    readme.lines().filter_map(name_in).collect()
}

/// The name in a line that is a recipe's row: `| [name](name) | …`.
fn name_in(line: &str) -> Option<&str> {
    line.strip_prefix("| [")?.split_once("](").map(|(name, _)| name)
}

/// The journeys that do not come to their end with this agent, as a line `- name, heading: why` says.
pub(super) fn lacks<'a>(readme: &str, name: &str) -> Result<Vec<&'a str>> {
    let headings = readme.lines().find(|line| line.starts_with("| recipe |")).context("the table has no headings")?;
    let headings: Vec<&str> = headings.split('|').skip(3).map(str::trim).collect();
    let reasons = readme.lines().filter_map(|line| line.strip_prefix(&format!("- {name}, "))?.split_once(": "));
    let column = |(heading, _)| headings.iter().position(|known| *known == heading);
    reasons.map(|reason| column(reason).map(|at| SCENARIOS[at]).context("a reason is of a column")).collect()
}

/// Writes the rows of the recipes that were run; the others stay.
pub(super) fn write(walked: &BTreeMap<&str, Walked>, recipes: &[Recipe]) -> Result<()> {
    let readme = read()?;
    let written = with_rows(&readme, walked, recipes)?;
    if written != readme { files::write(&workspace::root().join(FOLDER).join("README.md"), written) } else { Ok(()) }
}

fn with_rows(readme: &str, walked: &BTreeMap<&str, Walked>, recipes: &[Recipe]) -> Result<String> {
    let rows = readme.lines().map(|line| {
        let ran = name_in(line)
            .and_then(|name| Some((recipes.iter().find(|recipe| recipe.name == name)?, walked.get(name)?)));
        Ok(match ran {
            Some((recipe, walked)) => row(line, recipe, walked, &lacks(readme, &recipe.name)?)?,
            None => line.to_owned(),
        } + "\n")
    });
    rows.collect()
}

fn row(line: &str, recipe: &Recipe, walked: &Walked, lacks: &[&str]) -> Result<String> {
    let packages = line.split('|').nth(2).context("a row names its packages")?.split(',');
    let packages = packages.map(|package| package.trim().split(' ').next().unwrap_or_default());
    let version = |package| Ok(format!("{package} {}", recipe.version(package)?));
    let versions = packages.map(version).collect::<Result<Vec<_>>>()?.join(", ");
    let cells = SCENARIOS.map(|scenario| match walked.get(scenario) {
        Some(true) if !lacks.contains(&scenario) => "yes",
        // Nothing is lost by it.
        _ if scenario == GROWS => "comes whole",
        _ => "**no**",
    });
    Ok(format!("| [{0}]({0}) | {versions} | {1} |", recipe.name, cells.join(" | ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_journey_is_a_column() {
        let journeys = workspace::read("crates/xtask/tests/e2e/recipes.rs").unwrap();
        assert!(SCENARIOS.iter().all(|scenario| journeys.contains(&format!("async fn {scenario}()"))));
        assert_eq!(journeys.matches("#[tokio::test]").count(), SCENARIOS.len());
        let readme = read().unwrap();
        assert_eq!(lacks(&readme, "agno").unwrap(), [GROWS]);
        assert!(lacks(&readme, "mastra").unwrap().is_empty());
    }

    #[test]
    fn what_was_run_gets_its_row_and_the_rest_stays() {
        let (readme, recipes) = (read().unwrap(), Recipe::all().unwrap());
        let rows = |walked| with_rows(&readme, &walked, &recipes).unwrap();
        assert_eq!(rows(BTreeMap::new()), readme);
        let walked = SCENARIOS.map(|scenario| (scenario, scenario != "a_second_question_is_answered_as_well"));
        let written = rows(BTreeMap::from([("mastra", Walked::from(walked))]));
        let row = written.lines().find(|line| line.starts_with("| [mastra]")).unwrap();
        assert!(row.contains("@mastra/core 1.") && row.ends_with("| yes | yes | **no** | yes | yes | yes |"), "{row}");
        assert_eq!(written.lines().count(), readme.lines().count());
    }
}
