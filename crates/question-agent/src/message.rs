//! The messages of a conversation, as the model reads them.

use crate::call::{ToolCall, ToolResult};
use ask_user_question::attachment::Attachment;
use ask_user_question::outcome::AskMetadata;
use json_tree::Json;
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

    /// The user's message, if it is one.
    #[must_use]
    pub fn as_user(&self) -> Option<&UserMessage> {
        if let Self::User(user) = self { Some(user) } else { None }
    }

    /// The model's message, if it is one.
    #[must_use]
    pub fn as_assistant(&self) -> Option<&AssistantMessage> {
        if let Self::Assistant(assistant) = self { Some(assistant) } else { None }
    }

    /// The result of a call, if it is one.
    #[must_use]
    pub fn as_result(&self) -> Option<&ToolResult> {
        if let Self::Tool(result) = self { Some(result) } else { None }
    }

    /// The files that the user attached to this message, or to the answer that this result is.
    #[must_use]
    pub fn attachments(&self) -> Vec<Attachment> {
        match self {
            Self::User(user) => user.files.iter().map(|file| file.file.clone()).collect(),
            Self::Tool(result) if result.ask.is_some() => attached_to(&result.content),
            Self::Assistant(_) | Self::Tool(_) => Vec::new(),
        }
    }
}

/// The files of a reply, read from its content alone, since the question of an old answer is not at hand.
fn attached_to(content: &str) -> Vec<Attachment> {
    let Ok(reply) = json_tree::parse(content) else {
        return Vec::new();
    };
    let details = reply["details"].as_array().into_iter().flatten();
    let files = details.filter_map(|detail| detail["attachments"].as_array()).flatten();
    files.filter_map(|file| Attachment::deserialize(file).ok()).collect()
}

/// A message of the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserMessage {
    /// The message's id, made by the client.
    pub id: String,
    /// The text.
    pub text: String,
    /// The files with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<MessageFile>,
    /// The ask that it goes with, if the selection was sent as a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<AskMetadata>,
    /// What it undoes, if it changes an answer and the agent [begins anew](crate::branch) from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<Undone>,
}

/// What a changed answer has undone: the agent's work after the first one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undone {
    /// The id of the last message that stays. Those between it and the change are undone.
    pub after: String,
    /// The tools that the agent has called since. Their effects may remain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

impl UserMessage {
    /// A message with this text and nothing else.
    #[must_use]
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), text: text.into(), files: Vec::new(), ask: None, undoes: None }
    }
}

/// A file with a message of the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageFile {
    /// The file.
    #[serde(flatten)]
    pub file: Attachment,
    /// The index of the question that it answers, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<usize>,
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
    pub origin: Option<Json<'static>>,
}
