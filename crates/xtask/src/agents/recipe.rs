//! The recipes, and what is known to be wrong with the agents in them.

use std::path::PathBuf;

use super::Walked;
use crate::workspace;

/// An agent of another make, as a user would set it up.
#[derive(Debug)]
pub(super) struct Recipe {
    /// The name of its folder.
    pub(super) name: &'static str,
    /// The command that starts it on port 8000, in its folder.
    pub(super) start: &'static str,
    /// Where it answers.
    pub(super) path: &'static str,
    /// The packages that its row names with their versions.
    pub(super) packages: &'static [&'static str],
    /// What does not work with it, by the names of journeys, and why.
    pub(super) lacks: &'static [(&'static str, &'static str)],
}

/// The recipes.
pub(super) const RECIPES: [Recipe; 1] = [Recipe {
    name: "pydantic-ai",
    start: "uvicorn agent:app --port 8000",
    path: "/",
    packages: &["pydantic-ai-slim"],
    lacks: &[],
}];

/// The journeys of `tests/e2e/recipes.rs`, each with the heading of its column.
pub(super) const SCENARIOS: [(&str, &str); 6] = [
    ("the_card_grows_while_the_call_streams", "card grows as it streams"),
    ("an_answer_is_taken_and_the_agent_goes_on_with_it", "answered, goes on"),
    ("a_second_question_is_answered_as_well", "two asks"),
    ("two_questions_in_one_turn_are_answered", "two at once"),
    ("cancel_is_told_and_the_conversation_goes_on", "cancel"),
    ("a_reload_finds_the_question_and_the_receipts", "reload"),
];

impl Recipe {
    pub(super) fn folder(&self) -> PathBuf {
        workspace::root().join(FOLDER).join(self.name)
    }

    /// The text of one of its files.
    pub(super) fn read(&self, file: &str) -> anyhow::Result<String> {
        workspace::read(&format!("{FOLDER}/{}/{file}", self.name))
    }

    /// The command on another port, in words.
    pub(super) fn start_at(&self, port: u16) -> Vec<String> {
        self.start.split(' ').map(|word| word.replace("8000", &port.to_string())).collect()
    }

    /// Why this journey does not come to its end with it.
    pub(super) fn lack(&self, scenario: &str) -> Option<&'static str> {
        self.lacks.iter().find(|(lacking, _)| *lacking == scenario).map(|(_, why)| *why)
    }

    /// What went other than expected, in words.
    pub(super) fn surprises(&self, walked: &Walked) -> Vec<String> {
        let surprise = |(&scenario, &passed): (&&str, &bool)| match (passed, self.lack(scenario)) {
            (true, Some(_)) => Some(format!("`{scenario}` works by now, so it is no lack any more")),
            (false, None) => Some(format!("`{scenario}` failed")),
            _ => None,
        };
        walked.iter().filter_map(surprise).collect()
    }
}

/// Where the recipes are.
pub(super) const FOLDER: &str = "crates/agent-chat/recipes";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_journey_exists_and_every_lack_is_of_one() {
        let journeys = workspace::read("crates/xtask/tests/e2e/recipes.rs").unwrap();
        for (scenario, _) in SCENARIOS {
            assert!(journeys.contains(&format!("async fn {scenario}()")), "{scenario}");
        }
        assert_eq!(journeys.matches("#[tokio::test]").count(), SCENARIOS.len());
        for recipe in &RECIPES {
            for (lacking, _) in recipe.lacks {
                assert!(SCENARIOS.iter().any(|(scenario, _)| scenario == lacking), "{}: {lacking}", recipe.name);
            }
        }
    }

    #[test]
    fn every_folder_is_a_recipe_and_says_how_it_is_started() {
        let entries = std::fs::read_dir(workspace::root().join(FOLDER)).unwrap().map(Result::unwrap);
        let folders =
            entries.filter(|entry| entry.path().is_dir() && !entry.file_name().to_string_lossy().starts_with("__"));
        let mut folders: Vec<_> = folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
        folders.sort();
        let mut names = RECIPES.map(|recipe| recipe.name);
        names.sort_unstable();
        assert_eq!(folders, names);
        for recipe in &RECIPES {
            let readme = recipe.read("README.md").unwrap();
            let command = format!("\npython3 ../scripted_model.py {}\n", recipe.start);
            assert!(readme.contains(&command), "{} does not say{command}", recipe.name);
            let address = format!("?agent=http://127.0.0.1:8000{}", recipe.path);
            assert!(readme.contains(&address), "{} does not say {address}", recipe.name);
        }
    }

    #[test]
    fn what_goes_other_than_expected_is_named() {
        let recipe = Recipe {
            name: "a",
            start: "run --port 8000",
            path: "/",
            packages: &[],
            lacks: &[("stops", "It never does.")],
        };
        assert_eq!(recipe.start_at(1), ["run", "--port", "1"]);
        assert!(recipe.surprises(&Walked::from([("goes", true), ("stops", false)])).is_empty());
        assert_eq!(recipe.surprises(&Walked::from([("goes", false), ("stops", true)])).len(), 2);
    }
}
