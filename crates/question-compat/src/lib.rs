#![doc = include_str!("../README.md")]
#![warn(clippy::unwrap_used)]

mod matching;
mod results;
mod text;

pub use matching::match_message;
pub use results::parse_foreign;

use ask_user_question::AskUserQuestion;
use ask_user_question::outcome::{Outcome, Readers};
use ask_user_question::repair::REPAIRS;

/// All readers of this crate. A message that names no ask answers one by labels alone: any other text may mean anything.
pub const READERS: Readers = Readers { repairs: &REPAIRS, result: parse_foreign, typed: only_labels };

fn only_labels(ask: &AskUserQuestion, text: &str) -> Option<Outcome> {
    let Outcome::Answered(reply) = match_message(ask, text, Vec::new()) else {
        return None;
    };
    let only_labels = reply.answers().iter().all(|answer| !answer.selected.is_empty() && answer.other.is_none());
    only_labels.then_some(Outcome::Answered(reply))
}
