//! Questions that depend on an earlier answer.

use json_tree::{Json, WireValue};
use serde::{Deserialize, Serialize};

/// The answer to an earlier question without which a question is not asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShowIf {
    /// The text or the header of the earlier question.
    pub question: String,
    /// The answer that it must have: a label or a value, one of several, or what is typed.
    pub is: String,
}

impl ShowIf {
    /// The condition that the question of this text or header has this answer.
    pub fn new(question: impl Into<String>, is: impl Into<String>) -> Self {
        Self { question: question.into(), is: is.into() }
    }
}

impl WireValue for ShowIf {
    fn of(json: &Json<'_>) -> Option<Self> {
        Some(Self::new(json.string("question")?, json.string("is")?))
    }

    fn write(&self) -> Option<Json<'static>> {
        Some(Json::object([("question", self.question.as_str().into()), ("is", self.is.as_str().into())]))
    }
}
