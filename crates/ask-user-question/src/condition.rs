//! Questions that depend on an earlier answer.

use json_tree::{Json, WireValue};
use serde::{Deserialize, Serialize};

/// A condition on an earlier answer. A question with an unmet condition is not asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShowIf {
    /// The text or the header of the earlier question.
    pub question: String,
    /// The required answer: the label or value of an option (one of several is enough), or the typed text.
    pub is: String,
}

impl ShowIf {
    /// Creates a condition from an earlier question, given by text or header, and its required answer.
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
