//! Replies in the form that an agent expects.

use ask_user_question::form::Form;
use ask_user_question::{AskUserQuestion, Reply};
use json_tree::Json;
use std::fmt;
use std::sync::Arc;

/// A conversion of the reply into the form that the agent expects. A page without forms carries no code for it.
pub(super) trait Payload: Send + Sync {
    /// The payload that a reply stands for, or the sentence that says why it is none.
    fn payload(&self, reply: &Reply) -> Result<Json<'static>, String>;
    /// The reply that a payload stands for.
    fn read(&self, ask: &AskUserQuestion, payload: &Json<'static>) -> Option<Reply>;
}

/// By a word: what each form holds would be code that every page with forms carries.
impl fmt::Debug for dyn Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Payload")
    }
}

/// An ask, and how its reply becomes a payload, if not in the tool's own form.
pub(super) type Asked = (AskUserQuestion, Option<Arc<dyn Payload>>);

/// An ask of a form.
pub(super) fn asked((ask, form): (AskUserQuestion, Form)) -> Asked {
    (ask, Some(Arc::new(form)))
}

impl Payload for Form {
    fn payload(&self, reply: &Reply) -> Result<Json<'static>, String> {
        self.payload(reply)
    }

    fn read(&self, ask: &AskUserQuestion, payload: &Json<'static>) -> Option<Reply> {
        self.read(ask, payload)
    }
}
