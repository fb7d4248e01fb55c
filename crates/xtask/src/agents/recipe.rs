//! The recipes, and what is known to be wrong with the agents in them.

use std::path::PathBuf;

use anyhow::Context;

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

/// What an agent is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    Node,
}

/// The recipes.
pub(super) const RECIPES: [Recipe; 11] = [
    Recipe { name: "pydantic-ai", start: UVICORN, path: "/", packages: &["pydantic-ai-slim"], lacks: &[] },
    Recipe { name: "langgraph", start: UVICORN, path: "/", packages: &["langgraph", "ag-ui-langgraph"], lacks: &[] },
    Recipe {
        name: "langgraph-interrupt",
        start: UVICORN,
        path: "/",
        packages: &["langgraph", "ag-ui-langgraph"],
        lacks: &[],
    },
    Recipe {
        name: "agno",
        start: UVICORN,
        path: "/agui",
        packages: &["agno"],
        lacks: &[(GROWS, "Agno sends the arguments in one piece, once the model has written them all.")],
    },
    Recipe {
        name: "agent-framework",
        start: UVICORN,
        path: "/",
        packages: &["agent-framework-ag-ui"],
        lacks: &[(
            AT_ONCE,
            "the adapter can't tell two calls apart that stream in one turn, so `agent.py` lets the model ask one at a time.",
        )],
    },
    Recipe {
        name: "llama-index",
        start: UVICORN,
        path: "/run",
        packages: &["llama-index-protocols-ag-ui"],
        lacks: &[(GROWS, "LlamaIndex sends the arguments in one piece, once the model has written them all.")],
    },
    Recipe {
        name: "google-adk",
        start: UVICORN,
        path: "/",
        packages: &["google-adk", "ag_ui_adk"],
        lacks: &[(GROWS, "ADK sends the arguments in one piece, once the model has written them all.")],
    },
    Recipe {
        name: "strands",
        start: UVICORN,
        path: "/",
        packages: &["strands-agents", "ag_ui_strands"],
        lacks: &[(GROWS, "the adapter holds the arguments back until the model has written them all.")],
    },
    Recipe { name: "crewai", start: UVICORN, path: "/", packages: &["crewai", "ag-ui-crewai"], lacks: &[] },
    Recipe { name: "mastra", start: NODE, path: "/", packages: &["@mastra/core", "@ag-ui/mastra"], lacks: &[] },
    Recipe {
        name: "copilotkit",
        start: NODE,
        path: "/api/copilotkit/agent/desk/run",
        packages: &["@copilotkit/runtime"],
        lacks: &[],
    },
];

/// How most are started.
const UVICORN: &str = "uvicorn agent:app --port 8000";
const NODE: &str = "node agent.mjs 8000";

/// The journeys that some agents can't take.
pub(super) const GROWS: &str = "the_card_grows_while_the_call_streams";
const AT_ONCE: &str = "two_questions_in_one_turn_are_answered";

/// The journeys of `tests/e2e/recipes.rs`, each with the heading of its column.
pub(super) const SCENARIOS: [(&str, &str); 6] = [
    (GROWS, "card grows as it streams"),
    ("an_answer_is_taken_and_the_agent_goes_on_with_it", "answered, goes on"),
    ("a_second_question_is_answered_as_well", "two asks"),
    (AT_ONCE, "two at once"),
    ("cancel_is_told_and_the_conversation_goes_on", "cancel"),
    ("a_reload_finds_the_question_and_the_receipts", "reload"),
];

impl Recipe {
    pub(super) fn folder(&self) -> PathBuf {
        workspace::root().join(FOLDER).join(self.name)
    }

    pub(super) fn language(&self) -> Language {
        if self.start.starts_with("node ") { Language::Node } else { Language::Python }
    }

    /// The versions that it pins.
    pub(super) fn pinned(&self) -> anyhow::Result<String> {
        match self.language() {
            Language::Python => Ok(self.read("requirements.txt")? + &self.read("constraints.txt")?),
            Language::Node => Ok(self.read("package.json")? + &self.read(".npmrc")?),
        }
    }

    /// The version of a package that it pins.
    pub(super) fn version(&self, package: &str) -> anyhow::Result<String> {
        let pinned = self.pinned()?;
        let (before, after) = match self.language() {
            Language::Python => (format!("\n{package}=="), '\n'),
            Language::Node => (format!("\"{package}\": \""), '"'),
        };
        let version = pinned.split_once(&before).and_then(|(_, rest)| rest.split(after).next());
        Ok(version.with_context(|| format!("{} does not pin {package}", self.name))?.to_owned())
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

    /// The journeys that failed, and are not known to.
    pub(super) fn surprises(&self, walked: &Walked) -> Vec<&'static str> {
        let failed = walked.iter().filter(|(_, passed)| !**passed).map(|(scenario, _)| *scenario);
        failed.filter(|scenario| self.lack(scenario).is_none()).collect()
    }

    /// The journeys that passed, though they are known to fail: luck, or a lack that was mended.
    pub(super) fn mended(&self, walked: &Walked) -> Vec<&'static str> {
        let passed = walked.iter().filter(|(_, passed)| **passed).map(|(scenario, _)| *scenario);
        passed.filter(|scenario| self.lack(scenario).is_some()).collect()
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
            let ours = format!("\ncargo xtask serve --agent http://127.0.0.1:8000{}\n", recipe.path);
            assert!(readme.contains(&ours), "{} does not say{ours}", recipe.name);
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
        let walked = Walked::from([("goes", true), ("stops", false)]);
        assert!(recipe.surprises(&walked).is_empty() && recipe.mended(&walked).is_empty());
        let walked = Walked::from([("goes", false), ("stops", true)]);
        assert_eq!((recipe.surprises(&walked), recipe.mended(&walked)), (vec!["goes"], vec!["stops"]));
    }
}
