//! Receipts of questions that no call made, as this browser keeps them: messages do not tell of them.

use ag_ui_stream::Event;
use ag_ui_stream::event::EventType;
use ask_user_question::{AskUserQuestion, Outcome};
use serde_json::Value;

/// The name of the event that brings one back.
const NAME: &str = "agent-chat receipt";

/// How a question ended, and where in the conversation it stands.
pub(crate) struct Receipt {
    /// The message that it follows, if it does not come first.
    pub(crate) after: Option<String>,
    pub(crate) id: String,
    pub(crate) ask: AskUserQuestion,
    pub(crate) outcome: Outcome,
}

impl Receipt {
    pub(crate) fn of(event: &Event) -> Option<Self> {
        if event.kind() != EventType::Custom || event.text("name") != NAME {
            return None;
        }
        let value = event.get("value")?;
        let text = |key: &str| value.get(key)?.as_str();
        let ask = AskUserQuestion::from_json(value.get("ask")?.clone().into_value())?;
        Some(Self {
            after: text("after").map(str::to_owned),
            id: text("id")?.to_owned(),
            outcome: Outcome::parse(&ask, text("outcome")?)?,
            ask,
        })
    }
}

/// The event that brings a receipt back, as a line.
pub(crate) fn event(after: Option<&str>, id: &str, ask: &AskUserQuestion, outcome: &Outcome) -> String {
    let value = json_tree::object([
        ("after", after.into()),
        ("id", id.into()),
        ("outcome", outcome.tool_content(ask).into()),
        ("ask", serde_json::to_value(ask).expect("an ask always serializes")),
    ]);
    let event: Value =
        json_tree::object([("type", "CUSTOM".into()), ("name", NAME.into()), ("value", value.into())]).into();
    json_tree::text(&event)
}
