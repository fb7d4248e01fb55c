//! The messages of a conversation, as the model reads them.

use crate::call::{ToolCall, ToolResult};
use ask_user_question::outcome::AskMetadata;
use json_tree::JsonText;
use serde::{Deserialize, Serialize};

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// What the user said.
    User(UserMessage),
    /// What the model said and called.
    Assistant(AssistantMessage),
    /// What a call came to.
    Tool(ToolResult),
}

impl Message {
    /// The message's id.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::User(message) => &message.id,
            Self::Assistant(message) => &message.id,
            Self::Tool(result) => &result.message_id,
        }
    }
}

/// What the user said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserMessage {
    /// The message's id, made by the client.
    pub id: String,
    /// The text.
    pub text: String,
    /// Which ask it goes with, where the selection was sent as a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<AskMetadata>,
}

/// What the model said and called in one turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AssistantMessage {
    /// The message's id.
    pub id: String,
    /// The text; may be empty where there are calls.
    pub text: String,
    /// The calls, in the order in which they run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// What the model's endpoint wants back with it, such as its own ids of the calls, in words of its adapter: kept, and shown to nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<JsonText>,
}
