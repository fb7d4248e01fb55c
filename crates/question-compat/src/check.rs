//! The verdict on a call: repairs the arguments, then validates them.

use crate::repair::{Repair, RepairCode, parsed, repair, repair_quietly};
use ask_user_question::validate::{Code, MAX_ARGUMENTS_BYTES, MAX_ASK_BYTES, Violation, exceeds, too_large, validate};
use ask_user_question::{AskUserQuestion, Limits};
use json_tree::{Error, ErrorKind, Json, NotUnique};

/// The verdict on a call's arguments: the repaired ask, its repairs, and its violations.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checked {
    /// The ask as a card would show it; `None` if nothing readable survived repair, or if the ask is [too large](MAX_ASK_BYTES).
    pub ask: Option<AskUserQuestion>,
    /// What was changed to repair the arguments.
    pub repairs: Vec<Repair>,
    /// The violations of the limits; empty if the ask is valid.
    pub violations: Vec<Violation>,
}

impl Checked {
    /// Returns true if the agent may use the ask.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }

    /// The ask, if it is valid.
    ///
    /// # Errors
    /// All violations; [`describe`](ask_user_question::validate::describe) turns them into the text of an error result.
    pub fn into_valid(self) -> Result<AskUserQuestion, Vec<Violation>> {
        match self.ask {
            Some(ask) if self.violations.is_empty() => Ok(ask),
            _ => Err(self.violations),
        }
    }
}

/// Repairs and validates the arguments of a call. Never fails, and takes time proportional to the size of the input.
#[must_use]
pub fn check<'a>(limits: &Limits, input: impl Into<Json<'a>>) -> Checked {
    let input = input.into();
    if exceeds(&input, MAX_ASK_BYTES) {
        return Checked { ask: None, repairs: Vec::new(), violations: vec![too_large()] };
    }
    let (ask, repairs) = repair(input);
    let violations = validate(limits, &ask);
    Checked { ask: AskUserQuestion::from_json(ask), repairs, violations }
}

/// As [`check`], for the text of the arguments. An empty text counts as an empty object, since some models call tools without arguments that way. An
/// object with a repeated key is rejected: while arguments stream, a card shows the first value, so an agent that used the last one would wait for
/// the answer to a question that no user saw.
#[must_use]
pub fn check_text(limits: &Limits, arguments: &str) -> Checked {
    let refuse = |violation| Checked { ask: None, repairs: Vec::new(), violations: vec![violation] };
    match read(arguments) {
        Ok((input, is_strict)) => {
            let mut checked = check(limits, input);
            if !is_strict {
                checked.repairs.insert(0, Repair { path: String::new(), code: RepairCode::AlmostJson });
            }
            checked
        }
        Err(Unread::TooLong) => refuse(too_large()),
        Err(Unread::NotJson(error)) => refuse(Violation::new(
            "",
            Code::InvalidJson,
            match error {
                NotUnique::NotJson(Error { kind: ErrorKind::Trailing, offset }) => {
                    format!(
                        "The arguments must be one JSON object, but after the value another one begins at byte {offset}."
                    )
                }
                error => format!("The arguments must be one JSON object: {error}."),
            },
        )),
    }
}

enum Unread {
    TooLong,
    NotJson(NotUnique),
}

/// The parsed value, and whether the text was JSON without repair.
fn read(arguments: &str) -> Result<(Json<'_>, bool), Unread> {
    if arguments.len() > MAX_ARGUMENTS_BYTES {
        return Err(Unread::TooLong);
    }
    let text = if arguments.trim().is_empty() { "{}" } else { arguments };
    parsed(text).map_err(Unread::NotJson)
}

/// The repaired ask as a card shows it. [`check_text`] returns the same ask with the verdict whether the agent may use it. `None` if no readable
/// part survived repair, or if the ask is [too large](MAX_ASK_BYTES).
#[must_use]
pub fn from_arguments(arguments: &str) -> Option<AskUserQuestion> {
    from_json(read(arguments).ok()?.0)
}

/// As [`from_arguments`], for parsed arguments.
#[must_use]
pub fn from_json<'a>(input: impl Into<Json<'a>>) -> Option<AskUserQuestion> {
    let mut input = input.into();
    if exceeds(&input, MAX_ASK_BYTES) {
        return None;
    }
    repair_quietly(&mut input);
    AskUserQuestion::from_json(input)
}
