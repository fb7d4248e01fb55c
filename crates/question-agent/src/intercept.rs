//! Judges a call of the asking tool before it could run.

use crate::background;
use crate::call::{ToolCall, ToolInput, ToolResult};
use crate::context::{PermissionMode, ToolContext};
use crate::event::Event;
use crate::time::Timestamp;
use ask_user_question::Limits;
use ask_user_question::limits::ExtraMember;
use ask_user_question::validate::describe;
use question_compat::check_text;

/// Judges a call before it could run. An agent that may not ask is refused first. Then the arguments are read, repaired and validated, and
/// the model gets every violation at once. Allow-rules do not apply: an ask that passes waits for the user until `expires_at`.
///
/// Returns the event of the call, or `None` if it is to be run.
#[must_use]
pub fn intercept(
    context: &ToolContext,
    limits: &Limits,
    call: &ToolCall,
    expires_at: Option<Timestamp>,
) -> Option<Event> {
    let tool_use_id = call.id.clone();
    let refuse = |why: String| Some(Event::ToolComplete { result: ToolResult::error(&call.id, why) });
    let (name, arguments) = match &call.input {
        ToolInput::AskUserQuestion { name, arguments } => (name, arguments),
        ToolInput::Other { name, arguments } if name == background::WITHDRAW && offers_withdrawing(context, limits) => {
            return match background::named(arguments) {
                Ok(question) => Some(Event::QuestionWithdrawn { tool_use_id, question }),
                Err(why) => refuse(why),
            };
        }
        ToolInput::Other { .. } => return None,
    };
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
            // A model that was not offered `blocking` does not know that the answer would come later.
            questions.blocking.take_if(|_| !limits.offers(ExtraMember::Blocking));
            Some(Event::AskUserQuestionPending { tool_use_id, questions, expires_at })
        }
        Err(violations) => refuse(describe(&violations)),
    }
}

/// Returns true if an agent in this context may ask its user.
pub(crate) fn offers_asking(context: &ToolContext) -> bool {
    !context.is_sub_agent && context.permission_mode != PermissionMode::BypassPermissions
}

/// Returns true if an agent in this context is offered the tool that withdraws asks, which a client may have under its name.
pub(crate) fn offers_withdrawing(context: &ToolContext, limits: &Limits) -> bool {
    offers_asking(context) && limits.offers(ExtraMember::Blocking) && !context.is_client_tool(background::WITHDRAW)
}
