//! Receipts of questions that no call made, as this browser keeps them: messages do not tell of them.

use ask_user_question::{AskUserQuestion, Outcome};
use json_tree::Json;

/// How a question ended, and where in the conversation it stands.
pub(crate) struct Receipt {
    /// The message that it follows, if it does not come first.
    pub(crate) after: Option<String>,
    pub(crate) id: String,
    pub(crate) ask: AskUserQuestion,
    pub(crate) outcome: Outcome,
}

impl Receipt {
    pub(crate) fn of(json: &Json<'_>) -> Option<Self> {
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

/// What brings a receipt back.
pub(crate) fn json(after: Option<&str>, id: &str, ask: &AskUserQuestion, outcome: &Outcome) -> Json<'static> {
    Json::object([
        ("after", text(after)),
        ("id", id.into()),
        ("outcome", outcome.tool_content(ask).into()),
        ("ask", ask.into()),
    ])
}

fn text(text: Option<&str>) -> Json<'static> {
    text.map_or(Json::Null, Json::from)
}
