//! The front desk of a car workshop: a rule-driven agent that asks as a language model would, without a network or an account.

mod desk;
mod pieces;
mod speech;
mod visit;

use crate::models::{Delta, Model, ModelError, Request};
use ask_user_question::Limits;
use desk::Turn;
use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
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
        let pace = self.pace;
        let deltas = deltas(&desk::turn(&request.messages));
        let paced = stream::iter(deltas).then(move |delta| async move {
            if !pace.is_zero() {
                tokio::time::sleep(pace).await;
            }
            Ok(delta)
        });
        paced.boxed()
    }
}

fn deltas(turn: &Turn) -> Vec<Delta> {
    let mut deltas: Vec<Delta> = pieces::words(&turn.text)
        .map(|word| Delta::Text(word.to_owned()))
        .collect();
    if let Some(ask) = &turn.ask {
        let arguments = serde_json::to_string(ask).expect("an ask has only strings for keys");
        let name = Limits::CHAT.tool_name().to_owned();
        deltas.push(Delta::CallStart { call: 0, name });
        deltas.extend(pieces::crumbs(&arguments).map(|crumb| Delta::CallArgs {
            call: 0,
            delta: crumb.to_owned(),
        }));
        deltas.push(Delta::CallEnd { call: 0 });
    }
    deltas
}
