//! The verdict on an ask.
//!
//! [`check`] is what everybody calls: it [repairs](crate::repair) the arguments and validates what came out. A model is told
//! all that is wrong at once ([`describe`]), so that it can do better in one more call.

mod rules;
pub(crate) mod size;
mod violation;

pub use size::{MAX_ASK_BYTES, MAX_REPLY_BYTES, MAX_REPORTED};
pub use violation::{Code, Violation};

pub(crate) use rules::range_of;
pub(crate) use size::{MAX_ARGUMENTS_BYTES, exceeds};
pub(crate) use violation::{AnyViolation, Refuse, Report};

use crate::limits::Limits;
use crate::repair::{Repair, RepairCode, parsed, repair, repair_quietly};
use crate::wire::AskUserQuestion;
use json_tree::{Error, ErrorKind, Json, NotUnique};

/// The verdict on a call's arguments: the repaired ask, what was repaired and all that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checked {
    /// The ask as a card would show it; `None` where nothing readable survived repair, or the ask is [too large](MAX_ASK_BYTES).
    pub ask: Option<AskUserQuestion>,
    /// The repairs.
    pub repairs: Vec<Repair>,
    /// The violations of the limits; empty means valid.
    pub violations: Vec<Violation>,
}

impl Checked {
    /// Returns true if the agent may take the ask as it is.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }

    /// The ask, where it is valid.
    ///
    /// # Errors
    /// All violations; [`describe`] makes them the text of an error result.
    pub fn into_valid(self) -> Result<AskUserQuestion, Vec<Violation>> {
        match self.ask {
            Some(ask) if self.violations.is_empty() => Ok(ask),
            _ => Err(self.violations),
        }
    }
}

/// Repairs, then validates the arguments of a call. Any input of any shape and size gets its verdict, in time proportional to its size.
#[must_use]
pub fn check<'a>(limits: &Limits, input: impl Into<Json<'a>>) -> Checked {
    judge(limits, input.into())
}

fn judge(limits: &Limits, input: Json<'_>) -> Checked {
    if exceeds(&input, MAX_ASK_BYTES) {
        return Checked { ask: None, repairs: Vec::new(), violations: vec![rules::too_large()] };
    }
    let (ask, repairs) = repair(input);
    let violations = rules::violations(limits, &ask);
    Checked { ask: AskUserQuestion::shown_of(&ask), repairs, violations }
}

/// As [`check`], from the text of the arguments as a stream delivers it. No text at all is an object without fields, which is how some
/// models call a tool without arguments. A key that an object has twice is refused. While arguments stream, a card shows its first value.
/// An agent that took the last one would wait for the answer to a question that no user saw.
#[must_use]
pub fn check_text(limits: &Limits, arguments: &str) -> Checked {
    let refuse = |violation| Checked { ask: None, repairs: Vec::new(), violations: vec![violation] };
    match read(arguments) {
        Ok((input, is_strict)) => {
            let mut checked = judge(limits, input);
            if !is_strict {
                checked.repairs.insert(0, Repair { path: String::new(), code: RepairCode::AlmostJson });
            }
            checked
        }
        Err(Unread::TooLong) => refuse(rules::too_large()),
        Err(Unread::NotJson(error)) => refuse(Violation {
            path: String::new(),
            code: Code::InvalidJson,
            message: match error {
                NotUnique::NotJson(Error { kind: ErrorKind::Trailing, offset }) => {
                    format!(
                        "The arguments must be one JSON object, but after the value another one begins at byte {offset}."
                    )
                }
                error => format!("The arguments must be one JSON object: {error}."),
            },
        }),
    }
}

/// Why the text of arguments is not read.
enum Unread {
    TooLong,
    NotJson(NotUnique),
}

/// The value, and whether the text is JSON without repair.
fn read(arguments: &str) -> Result<(Json<'_>, bool), Unread> {
    if arguments.len() > MAX_ARGUMENTS_BYTES {
        return Err(Unread::TooLong);
    }
    let text = if arguments.trim().is_empty() { "{}" } else { arguments };
    parsed(text).map_err(Unread::NotJson)
}

/// Validates arguments as they are, without repair. All violations at once, in reading order; empty means valid.
///
/// If [`Code::is_schema_rule`] is false for all of them, the schema of [`tool_definition`](crate::tool::tool_definition) accepts the value
/// too, and the other way round.
#[must_use]
pub fn validate<'a, J>(limits: &Limits, ask: &'a J) -> Vec<Violation>
where
    &'a J: Into<Json<'a>>,
{
    rules::violations(limits, &ask.into())
}

impl AskUserQuestion {
    /// The repaired ask of some arguments, as a card shows it. [`check_text`] judges if the agent may take it: the same ask, with the
    /// verdict. Returns `None` if no readable part survived repair, or the ask is [too large](MAX_ASK_BYTES).
    #[must_use]
    pub fn from_arguments(arguments: &str) -> Option<Self> {
        Self::shown_by(read(arguments).ok()?.0)
    }

    /// As [`from_arguments`](Self::from_arguments), from arguments that were read.
    #[must_use]
    pub fn from_json<'a>(input: impl Into<Json<'a>>) -> Option<Self> {
        Self::shown_by(input.into())
    }

    fn shown_by(mut input: Json<'_>) -> Option<Self> {
        if exceeds(&input, MAX_ASK_BYTES) {
            return None;
        }
        repair_quietly(&mut input);
        Self::shown_of(&input)
    }
}

/// The text of an error result for the model: "Invalid input: " and one violation, or a list of them.
#[must_use]
pub fn describe(violations: &[Violation]) -> String {
    match violations {
        [only] => format!("Invalid input: {only}"),
        _ => {
            let lines: String = violations.iter().map(|violation| format!("\n- {violation}")).collect();
            format!("Invalid input:{lines}")
        }
    }
}
