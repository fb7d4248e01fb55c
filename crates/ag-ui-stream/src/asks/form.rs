//! The format in which an ask is answered, and the parts of an interrupt.

use crate::message::ToolCall;
use ask_user_question::repairs::Repairs;
use ask_user_question::{AskUserQuestion, Outcome};
use json_tree::Json;
use question_form::Form;
use std::fmt;
use std::sync::Arc;

/// The format in which the agent expects a reply, if it is not the tool's own. It is a trait so that a page without forms carries no code for them.
pub(super) trait ReplyForm: Send + Sync {
    /// The content for an outcome, or an error for the user if the format can't express it.
    fn write(&self, ask: &AskUserQuestion, outcome: &Outcome) -> Result<Json<'static>, String>;
    fn read(&self, ask: &AskUserQuestion, content: &Json<'static>) -> Option<Outcome>;
    /// True if the ask comes in the tool's own form. A call that the interrupt is about must then offer the same choices.
    fn restates(&self) -> bool {
        false
    }
}

/// Prints one word, since printing the members of each form would add code to every page with forms.
impl fmt::Debug for dyn ReplyForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReplyForm")
    }
}

/// An ask and the format of its reply; `None` means the tool's own format.
pub(super) type Asked = (AskUserQuestion, Option<Arc<dyn ReplyForm>>);

pub(super) fn asked((ask, form): (AskUserQuestion, Form)) -> Asked {
    (ask, Some(Arc::new(form)))
}

impl ReplyForm for Form {
    fn write(&self, ask: &AskUserQuestion, outcome: &Outcome) -> Result<Json<'static>, String> {
        match outcome {
            Outcome::Answered(reply) => self.payload(reply),
            _ => unanswered(ask, outcome),
        }
    }

    fn read(&self, ask: &AskUserQuestion, content: &Json<'static>) -> Option<Outcome> {
        self.read(ask, content).map(Outcome::Answered)
    }
}

#[derive(Clone, Copy)]
pub(super) enum About<'t> {
    /// A call of the tool.
    Ask,
    /// A call of another tool; `None` if a snapshot has dropped it.
    Foreign(Option<&'t ToolCall>),
    /// No known call.
    Unknown,
}

/// The content for an outcome without an answer, if the agent expects an answer that matches a schema.
pub(super) fn unanswered(ask: &AskUserQuestion, outcome: &Outcome) -> Result<Json<'static>, String> {
    match outcome {
        // Free text matches no schema.
        Outcome::RepliedInChat { text, .. } => {
            Err(String::from("\"") + text + "\" is no answer that the agent can take")
        }
        _ => Ok(outcome.to_json(ask)),
    }
}

#[derive(Debug)]
pub(super) struct InterruptPart {
    /// `None` if the part can't be shown as an ask.
    pub(super) asked: Option<Asked>,
    pub(super) decision: Option<Decision>,
}

/// The position of one ask in the list of decisions that answers an interrupt.
#[derive(Clone, Debug)]
pub(super) struct Decision {
    pub(super) at: usize,
    pub(super) of: usize,
    /// The answer is the list itself, not an object with it.
    pub(super) is_list: bool,
    pub(super) form: Arc<dyn ReplyForm>,
}

/// Reads an ask in the tool's own form, or with a single question in a nested object as `LibreChat` sends it.
pub(super) fn ask_in(value: &Json<'static>, repairs: &Repairs) -> Option<AskUserQuestion> {
    let inner = value.get("question").filter(|question| question.as_object().is_some());
    match inner {
        _ if value.get("questions").is_some() => repairs.read(value),
        Some(question) => repairs.read(question),
        None => value.get("question").and(value.get("options")).and_then(|_| repairs.read(value)),
    }
}
