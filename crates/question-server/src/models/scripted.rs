//! A model that follows a script: an agent as data, without a network or an account. The README says how to write one.

mod own_words;
mod pieces;
mod script;
mod story;
mod template;
mod tools;

use crate::models::{Delta, Model, ModelError, Request};
use crate::tools::Tool;
use ask_user_question::Limits;
use futures_util::stream::BoxStream;
use script::Script;
pub use script::ScriptError;
use std::sync::Arc;
use std::time::Duration;
use story::Turn;

/// A script at work. What it says follows from the history and its context alone.
#[derive(Clone, Debug)]
pub struct Scripted {
    script: Arc<Script>,
    pace: Duration,
}

impl Scripted {
    /// The agent of a script, which pauses for `pace` before each delta, as a model that thinks and a network that carries would.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn new(script: &str, pace: Duration) -> Result<Self, ScriptError> {
        Ok(Self { script: Arc::new(Script::read(script)?), pace })
    }

    /// The front desk of a car workshop.
    #[must_use]
    pub fn front_desk(pace: Duration) -> Self {
        Self::new(include_str!("../../scripts/front-desk.json"), pace).expect("a test reads it")
    }

    /// A coding agent that asks before it guesses.
    #[must_use]
    pub fn coding_desk(pace: Duration) -> Self {
        Self::new(include_str!("../../scripts/coding-desk.json"), pace).expect("a test reads it")
    }
}

impl Model for Scripted {
    fn name(&self) -> Option<&str> {
        self.script.name.as_deref()
    }

    fn limits(&self) -> Limits {
        self.script.limits()
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        tools::all(&self.script)
    }

    fn respond(&self, request: Request) -> BoxStream<'static, Result<Delta, ModelError>> {
        let Turn { text, call } = story::next(&self.script, &request.messages, &request.context);
        let mut deltas = pieces::text(&text);
        if let Some((name, arguments)) = call {
            deltas.extend(pieces::call(0, &name, &arguments));
        }
        pieces::paced(deltas, self.pace)
    }
}
