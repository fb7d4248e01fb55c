//! The coding desk: a rule-driven coding agent that asks before it guesses, without a network or an account.

mod story;
mod tools;

use crate::models::{Delta, Model, ModelError, Request, pieces};
use ask_user_question::Limits;
use futures_util::stream::BoxStream;
use question_agent::registry::{Tool, ToolContext};
use std::sync::Arc;
use std::time::Duration;
use story::Step;

/// The coding desk. What it says follows from the history and its context alone.
#[derive(Clone, Debug)]
pub struct CodingDesk {
    pace: Duration,
}

impl CodingDesk {
    /// A desk that pauses for `pace` before each delta.
    #[must_use]
    pub fn new(pace: Duration) -> Self {
        Self { pace }
    }
}

impl Model for CodingDesk {
    fn limits(&self) -> Limits {
        Limits::CODING
    }

    fn tools(&self, context: &ToolContext) -> Vec<Arc<dyn Tool>> {
        tools::offered(context)
    }

    fn respond(&self, request: Request) -> BoxStream<'static, Result<Delta, ModelError>> {
        let step = story::next(&request.messages, &request.context);
        pieces::paced(deltas(&step), self.pace)
    }
}

fn deltas(step: &Step) -> Vec<Delta> {
    let mut deltas = pieces::text(&step.text);
    if let Some((name, arguments)) = &step.call {
        deltas.extend(pieces::call(0, name, arguments));
    }
    deltas
}
