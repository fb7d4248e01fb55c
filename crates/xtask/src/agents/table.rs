//! The table of what works, in the README of the recipes.

use std::collections::BTreeMap;

use anyhow::{Context, Result};

use super::Walked;
use super::recipe::{FOLDER, GROWS, RECIPES, Recipe, SCENARIOS};
use crate::{files, workspace};

/// Writes the rows of the recipes that were run; the others stay.
pub(super) fn write(walked: &BTreeMap<&str, Walked>) -> Result<()> {
    let file = format!("{FOLDER}/README.md");
    let readme = workspace::read(&file)?;
    let written = with_rows(&readme, walked)?;
    if written != readme {
        files::write(&workspace::root().join(&file), written)?;
    }
    Ok(())
}

fn with_rows(readme: &str, walked: &BTreeMap<&str, Walked>) -> Result<String> {
    let (before, rest) = readme.split_once(BEGIN).context("the README of the recipes has no table")?;
    let (old, after) = rest.split_once(END).context("the table of the recipes has no end")?;
    let headings = SCENARIOS.map(|(_, heading)| heading).join(" | ");
    let mut table = format!("| recipe | versions | {headings} |\n|---|---|{}\n", "---|".repeat(SCENARIOS.len()));
    let mut notes = String::new();
    for recipe in &RECIPES {
        let kept = old.lines().find(|line| line.starts_with(&link(recipe)));
        let row = match (walked.get(recipe.name), kept) {
            (Some(walked), _) => row(recipe, walked)?,
            (None, Some(kept)) => kept.to_owned(),
            (None, None) => continue,
        };
        table.push_str(&row);
        table.push('\n');
        for (scenario, why) in recipe.lacks {
            let (_, heading) = SCENARIOS.iter().find(|(name, _)| name == scenario).context("a lack is of a journey")?;
            notes.push_str(&format!("- {}, {heading}: {why}\n", recipe.name));
        }
    }
    if !notes.is_empty() {
        table.push_str(&format!("\n{notes}"));
    }
    Ok(format!("{before}{BEGIN}\n{table}\n{END}{after}"))
}

fn row(recipe: &Recipe, walked: &Walked) -> Result<String> {
    let version = |package: &&str| Ok(format!("{package} {}", recipe.version(package)?));
    let versions = recipe.packages.iter().map(version).collect::<Result<Vec<_>>>()?.join(", ");
    let cell = |(scenario, _): &(&str, &str)| match walked.get(scenario) {
        Some(true) if recipe.lack(scenario).is_none() => "yes",
        // Nothing is lost by it.
        _ if *scenario == GROWS => "comes whole",
        _ => "**no**",
    };
    Ok(format!("{} {versions} | {} |", link(recipe), SCENARIOS.iter().map(cell).collect::<Vec<_>>().join(" | ")))
}

fn link(recipe: &Recipe) -> String {
    format!("| [{0}]({0}) |", recipe.name)
}

const BEGIN: &str = "<!-- `cargo xtask agents` writes what follows. -->\n";
const END: &str = "<!-- The end of what it writes. -->\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_has_a_row_for_every_recipe() {
        let readme = workspace::read(&format!("{FOLDER}/README.md")).unwrap();
        for recipe in &RECIPES {
            assert!(readme.contains(&link(recipe)), "{}: run `cargo xtask agents {0}`", recipe.name);
        }
        assert_eq!(with_rows(&readme, &BTreeMap::new()).unwrap(), readme, "what was not run stays as it is");
    }

    #[test]
    fn what_was_run_gets_its_row() {
        let readme = format!("Before.\n{BEGIN}{END}After.\n");
        let recipe = &RECIPES[0];
        let walked = SCENARIOS.map(|(scenario, _)| (scenario, scenario != "a_second_question_is_answered_as_well"));
        let written = with_rows(&readme, &BTreeMap::from([(recipe.name, Walked::from(walked))])).unwrap();
        let row = written.lines().find(|line| line.starts_with(&link(recipe))).unwrap();
        assert!(row.ends_with("| yes | yes | **no** | yes | yes | yes |"), "{row}");
        assert!(written.starts_with("Before.\n") && written.ends_with("After.\n"), "{written}");
        assert!(with_rows("No table.", &BTreeMap::new()).is_err());
    }
}
