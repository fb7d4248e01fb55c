//! The messages of a conversation, as the model reads them.

use crate::call::{ToolCall, ToolResult};
use ask_user_question::outcome::AskMetadata;
use json_tree::JsonText;
use serde::{Deserialize, Serialize};

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// A message of the user.
    User(UserMessage),
    /// A message of the model, with its calls.
    Assistant(AssistantMessage),
    /// The result of a call.
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

/// A message of the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserMessage {
    /// The message's id, made by the client.
    pub id: String,
    /// The text.
    pub text: String,
    /// The ask that it goes with, if the selection was sent as a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<AskMetadata>,
}

/// The model's text and calls in one turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AssistantMessage {
    /// The message's id.
    pub id: String,
    /// The text; may be empty if there are calls.
    pub text: String,
    /// The calls, in the order in which they run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Data that the model's endpoint wants back with it, such as its own ids of the calls, in the format of its adapter: stored, and never
    /// shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<JsonText>,
}
