//! The front desk of a car workshop: a rule-driven agent that asks as a language model would, without a network or an account.

mod desk;
mod speech;
mod visit;

use crate::models::{Delta, Model, ModelError, Request, pieces};
use ask_user_question::Limits;
use desk::Turn;
use futures_util::stream::BoxStream;
use std::time::Duration;

/// The front desk. What it says follows from the history alone.
#[derive(Clone, Debug)]
pub struct FrontDesk {
    pace: Duration,
}

impl FrontDesk {
    /// A desk that pauses for `pace` before each delta, as a model that thinks and a network that carries would.
    #[must_use]
    pub fn new(pace: Duration) -> Self {
        Self { pace }
    }
}

impl Model for FrontDesk {
    fn limits(&self) -> Limits {
        Limits::CHAT
    }

    fn respond(&self, request: Request) -> BoxStream<'static, Result<Delta, ModelError>> {
        let tool = request.context.asking_tool(&Limits::CHAT);
        pieces::paced(deltas(&desk::turn(&request.messages), tool), self.pace)
    }
}

fn deltas(turn: &Turn, tool: &str) -> Vec<Delta> {
    let mut deltas = pieces::text(&turn.text);
    if let Some(ask) = &turn.ask {
        let arguments = serde_json::to_string(ask).expect("an ask has only strings for keys");
        deltas.extend(pieces::call(0, tool, &arguments));
    }
    deltas
}
