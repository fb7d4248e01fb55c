#![doc = include_str!("../README.md")]

mod own_words;
mod pieces;
mod script;
mod story;
mod template;

use ask_user_question::Limits;
use question_agent::ag_ui::Delta;
use question_agent::message::Message;
use question_agent::registry::ToolContext;
pub use script::{SPAWN_AGENTS, Script, ScriptError, ScriptTool};
use story::ScriptTurn;

impl Script {
    /// The front desk of a car workshop.
    ///
    /// # Panics
    /// Never: a test reads it.
    #[must_use]
    pub fn front_desk() -> Self {
        Self::parse(include_str!("../scripts/front-desk.json")).expect("a test reads it")
    }

    /// A coding agent that asks before it guesses.
    ///
    /// # Panics
    /// Never: a test reads it.
    #[must_use]
    pub fn coding_desk() -> Self {
        Self::parse(include_str!("../scripts/coding-desk.json")).expect("a test reads it")
    }

    /// The agent's name in the page; `None` for the front desk, which the page names in its user's language.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The profile by which it asks.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.profile.clone()
    }

    /// Its tools, whose results are in the script.
    #[must_use]
    pub fn tools(&self) -> &[ScriptTool] {
        &self.tools
    }

    /// Returns true if it may call [`SPAWN_AGENTS`].
    #[must_use]
    pub fn spawns_agents(&self) -> bool {
        self.sub_agents.is_some()
    }

    /// The next turn after a history, cut as models stream it: texts word by word, the arguments of a call in uneven pieces.
    #[must_use]
    pub fn next(&self, history: &[Message], context: &ToolContext) -> Vec<Delta> {
        let ScriptTurn { text, call } = story::next(self, history, context);
        let mut deltas = pieces::text(&text);
        if let Some((name, arguments)) = call {
            deltas.extend(pieces::call(0, &name, &arguments));
        }
        deltas
    }
}
