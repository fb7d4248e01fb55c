//! An ask beside the form of its reply, and the parts of an interrupt.

use crate::message::ToolCall;
use ask_user_question::repairs::Repairs;
use ask_user_question::{AskUserQuestion, Outcome};
use json_tree::Json;
use question_form::Form;
use std::fmt;
use std::sync::Arc;

/// The form in which the agent expects a reply, if it is not the tool's own. A page without forms carries no code for it.
pub(super) trait ReplyForm: Send + Sync {
    /// The content for an outcome, or the sentence that refuses it.
    fn write(&self, ask: &AskUserQuestion, outcome: &Outcome) -> Result<Json<'static>, String>;
    fn read(&self, ask: &AskUserQuestion, content: &Json<'static>) -> Option<Outcome>;
    /// True if the ask beside it is in the tool's own form. A call that it is about must offer the same choices.
    fn restates(&self) -> bool {
        false
    }
}

/// One word: the members of each form would be code that every page with forms carries.
impl fmt::Debug for dyn ReplyForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReplyForm")
    }
}

/// An ask, and the form of its reply unless that is the tool's own.
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

/// The call that an interrupt is about.
#[derive(Clone, Copy)]
pub(super) enum About<'t> {
    /// An ask.
    Ask,
    /// A call of another tool. A snapshot of the messages may have dropped it.
    Foreign(Option<&'t ToolCall>),
    /// None that is known.
    Unknown,
}

/// The content for an outcome without an answer, for an agent that reads answers by a schema.
pub(super) fn unanswered(ask: &AskUserQuestion, outcome: &Outcome) -> Result<Json<'static>, String> {
    match outcome {
        // No schema describes free text.
        Outcome::RepliedInChat { text, .. } => {
            Err(String::from("\"") + text + "\" is no answer that the agent can take")
        }
        _ => Ok(outcome.to_json(ask)),
    }
}

#[derive(Debug)]
pub(super) struct InterruptPart {
    /// `None` if it can't be asked.
    pub(super) asked: Option<Asked>,
    pub(super) decision: Option<Decision>,
}

/// The part of one ask in the answer to an interrupt.
#[derive(Clone, Debug)]
pub(super) struct Decision {
    pub(super) at: usize,
    /// The number of decisions.
    pub(super) of: usize,
    pub(super) form: Arc<dyn ReplyForm>,
}

/// An ask in the tool's own form, or its one question in an object of its own, as `LibreChat` has it.
pub(super) fn ask_in(value: &Json<'static>, repairs: &Repairs) -> Option<AskUserQuestion> {
    let inner = value.get("question").filter(|question| question.as_object().is_some());
    match inner {
        _ if value.get("questions").is_some() => repairs.read(value),
        Some(question) => repairs.read(question),
        None => value.get("question").and(value.get("options")).and_then(|_| repairs.read(value)),
    }
}
