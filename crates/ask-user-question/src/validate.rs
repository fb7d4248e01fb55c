//! The verdict on an ask.
//!
//! A model is told all that is wrong at once ([`describe`]), so that it can do better in one more call. Agents mostly call `check_text` of
//! the crate `question-compat`, which repairs arguments before it validates them.

mod rules;
pub(crate) mod size;
mod violation;

pub use rules::too_large;
pub use size::{MAX_ARGUMENTS_BYTES, MAX_ASK_BYTES, MAX_REPLY_BYTES, MAX_REPORTED, exceeds};
pub use violation::{Code, Violation};

pub(crate) use rules::range_of;
pub(crate) use violation::{AnyViolation, Refuse, Report};

use crate::limits::Limits;
use json_tree::Json;

/// Validates arguments as they are. All violations at once, in reading order; empty means valid.
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
