//! Receipts of questions without a call, for this browser's store: messages do not have them.

use ask_user_question::{AskUserQuestion, Outcome};
use json_tree::Json;

/// The outcome of a question, and its position in the conversation.
pub(crate) struct Receipt {
    /// The message before it, if it is not the first entry.
    pub(crate) after: Option<String>,
    pub(crate) id: String,
    pub(crate) ask: AskUserQuestion,
    pub(crate) outcome: Outcome,
}

impl Receipt {
    pub(crate) fn from_json(json: &Json<'_>) -> Option<Self> {
        let text = |key: &str| json.get(key)?.as_str();
        let ask = AskUserQuestion::from_json(json.get("ask")?)?;
        Some(Self {
            after: text("after").map(str::to_owned),
            id: text("id")?.to_owned(),
            outcome: Outcome::parse(&ask, text("outcome")?)?,
            ask,
        })
    }
}

/// A receipt as JSON, for [`Receipt::from_json`].
pub(crate) fn to_json(after: Option<&str>, id: &str, ask: &AskUserQuestion, outcome: &Outcome) -> Json<'static> {
    Json::object([
        ("after", after.map_or(Json::Null, Json::from)),
        ("id", id.into()),
        ("outcome", outcome.tool_content(ask).into()),
        ("ask", ask.into()),
    ])
}
