#![doc = include_str!("../README.md")]
#![warn(clippy::unwrap_used)]

mod case;
mod check;
mod matching;
mod repair;
mod results;
mod text;
mod words;

pub use check::{Checked, check, check_text, from_arguments, from_json};
pub use matching::match_message;
pub use repair::{Repair, RepairCode, repair};
pub use results::parse_foreign;

use ask_user_question::AskUserQuestion;
use ask_user_question::outcome::{Outcome, Readers};
use ask_user_question::repairs::Repairs;

/// The repairs of calls.
pub static REPAIRS: Repairs = Repairs {
    read_text: from_arguments,
    read_value: |arguments| from_json(arguments),
    meaning: repair::meaning,
    stands: repair::stands,
    tag: repair::tag,
};

/// All readers of this crate. A user message that names no ask counts as an answer only if it consists of labels, since any other text may be about
/// something else.
pub const READERS: Readers = Readers { repairs: &REPAIRS, result: parse_foreign, typed: only_labels };

fn only_labels(ask: &AskUserQuestion, text: &str) -> Option<Outcome> {
    let Outcome::Answered(reply) = match_message(ask, text, Vec::new()) else {
        return None;
    };
    let only_labels = reply.answers().iter().all(|it| !it.given.options().is_empty() && it.given.typed().is_none());
    only_labels.then_some(Outcome::Answered(reply))
}
