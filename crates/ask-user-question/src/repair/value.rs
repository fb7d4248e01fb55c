//! The repairs as a value.

use super::other::{Meaning, meaning};
use super::shapes::{Stands, stands};
use crate::members::Of;
use crate::validate::{MAX_ARGUMENTS_BYTES, MAX_ASK_BYTES, exceeds};
use crate::wire::AskUserQuestion;
use json_tree::Json;

/// The repairs that a reader of asks makes; by default none, so that it takes the tool's own form alone.
#[derive(Debug)]
pub struct Repairs {
    /// Reads arguments as a whole.
    pub(crate) read_text: fn(&str) -> Option<AskUserQuestion>,
    read_value: fn(Json<'_>) -> Option<AskUserQuestion>,
    /// The meaning of a label, which may still grow.
    pub(crate) meaning: fn(&str) -> Meaning,
    /// The member that another name may stand for.
    pub(crate) stands: fn(Of, &str) -> Option<Stands>,
}

/// All repairs.
pub static REPAIRS: Repairs = Repairs {
    read_text: AskUserQuestion::from_arguments,
    read_value: |value| AskUserQuestion::from_json(value),
    meaning,
    stands,
};

static NONE: Repairs = Repairs {
    read_text: |text| match text.len() {
        ..=MAX_ARGUMENTS_BYTES => as_it_is(json_tree::parse_unique(text).ok()?),
        _ => None,
    },
    read_value: as_it_is,
    meaning: |_| Meaning::Own,
    stands: |_, _| None,
};

impl Default for &Repairs {
    fn default() -> Self {
        &NONE
    }
}

impl Repairs {
    /// Reads arguments that are JSON already. Returns `None` if no readable part survives, or the ask is [too large](MAX_ASK_BYTES).
    #[must_use]
    pub fn read<'a>(&self, arguments: impl Into<Json<'a>>) -> Option<AskUserQuestion> {
        (self.read_value)(arguments.into())
    }
}

fn as_it_is(value: Json<'_>) -> Option<AskUserQuestion> {
    if exceeds(&value, MAX_ASK_BYTES) { None } else { AskUserQuestion::shown_of(&value) }
}
