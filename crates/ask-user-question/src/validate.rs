//! Validates asks.
//!
//! A model is told all violations at once ([`describe`]), so that it can fix them in one more call. Agents usually call `check_text` of the crate
//! `question-compat`, which repairs arguments before it validates them.

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

/// Validates arguments without repairing them. Returns all violations in reading order; empty means valid.
///
/// The schema of [`tool_definition`](crate::tool::tool_definition) accepts the value if and only if [`Code::is_schema_rule`] is false for all
/// violations.
#[must_use]
pub fn validate<'a, J>(limits: &Limits, ask: &'a J) -> Vec<Violation>
where
    &'a J: Into<Json<'a>>,
{
    rules::violations(limits, &ask.into())
}

/// The text of an error result for the model: "Invalid input: " and the violation, or a list of several.
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
