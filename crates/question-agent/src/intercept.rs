//! Judges a call of the asking tool before it could run.

use crate::call::{ToolCall, ToolInput, ToolResult};
use crate::context::{PermissionMode, ToolContext};
use crate::event::Event;
use crate::time::Timestamp;
use ask_user_question::limits::ExtraMember;
use ask_user_question::validate::describe;
use ask_user_question::{AskUserQuestion, Limits};
use question_compat::check_text;

/// The action of an executor for a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interception {
    /// It is no ask: run it.
    Execute,
    /// It is an ask that cannot be asked: the result gives the reason, so that the model can try again.
    Refuse(ToolResult),
    /// It is a valid ask: wait for the user, unless it [does not block](AskUserQuestion::is_background).
    Wait {
        /// The questions, repaired.
        questions: AskUserQuestion,
    },
}

impl Interception {
    /// The event to feed for this call, which expires then if it is an ask that waits; `None` if the executor has to run it.
    #[must_use]
    pub fn into_event(self, call: &ToolCall, expires_at: Option<Timestamp>) -> Option<Event> {
        match self {
            Self::Execute => None,
            Self::Refuse(result) => Some(Event::ToolComplete { result }),
            Self::Wait { questions } => {
                Some(Event::AskUserQuestionPending { tool_use_id: call.id.clone(), questions, expires_at })
            }
        }
    }
}

/// Judges a call before it could run. An agent that may not ask is refused first. Then the arguments are read, repaired and validated, and
/// the model gets every violation at once. Allow-rules do not apply: an ask that passes goes to the user.
#[must_use]
pub fn intercept(context: &ToolContext, limits: &Limits, call: &ToolCall) -> Interception {
    let ToolInput::AskUserQuestion { name, arguments } = &call.input else {
        return Interception::Execute;
    };
    let refuse = |why: String| Interception::Refuse(ToolResult::error(&call.id, why));
    if context.is_sub_agent {
        return refuse(format!("{name} is not available to sub-agents: only the parent conversation can ask the user"));
    }
    if context.permission_mode == PermissionMode::BypassPermissions {
        return refuse(format!(
            "{name} is not available while permissions are bypassed: decide and say what you assumed"
        ));
    }
    match check_text(limits, arguments).into_valid() {
        Ok(mut questions) => {
            // A model that was not told of it does not know that the answer would come later.
            questions.blocking.take_if(|_| !limits.offers(ExtraMember::Blocking));
            Interception::Wait { questions }
        }
        Err(violations) => refuse(describe(&violations)),
    }
}
