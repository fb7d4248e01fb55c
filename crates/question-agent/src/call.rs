//! A model's tool calls and their results.

use ask_user_question::outcome::AskMetadata;
use ask_user_question::{AskUserQuestion, Limits};
use question_compat::from_arguments;
use serde::{Deserialize, Serialize};

/// One call of a tool, as the model made it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The call's id, unique in its conversation.
    pub id: String,
    /// The tool and its arguments.
    #[serde(flatten)]
    pub input: ToolInput,
}

/// The tool and the arguments of a call. The asking tool is a variant of its own, so that no executor can run it by mistake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ToolInput {
    /// A call of the asking tool: [`intercept`](crate::intercept()) judges it.
    AskUserQuestion {
        /// The name the model used, one of [`is_asking_tool`]'s.
        name: String,
        /// The arguments, verbatim.
        arguments: String,
    },
    /// A call of any other tool.
    Other {
        /// The tool's name.
        name: String,
        /// The arguments, verbatim.
        arguments: String,
    },
}

impl ToolCall {
    /// A call as the model made it; the name decides the variant of its input.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        let (name, arguments) = (name.into(), arguments.into());
        let input = if is_asking_tool(&name) {
            ToolInput::AskUserQuestion { name, arguments }
        } else {
            ToolInput::Other { name, arguments }
        };
        Self { id: id.into(), input }
    }

    /// The tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.input {
            ToolInput::AskUserQuestion { name, .. } | ToolInput::Other { name, .. } => name,
        }
    }

    /// The questions, if this is an ask whose arguments can be read.
    pub(crate) fn asks(&self) -> Option<AskUserQuestion> {
        match &self.input {
            ToolInput::AskUserQuestion { arguments, .. } => from_arguments(arguments),
            ToolInput::Other { .. } => None,
        }
    }

    /// The arguments, verbatim.
    #[must_use]
    pub fn arguments(&self) -> &str {
        match &self.input {
            ToolInput::AskUserQuestion { arguments, .. } | ToolInput::Other { arguments, .. } => arguments,
        }
    }
}

/// Returns true if a call with this name is an ask, whatever the profile: models mix up the two spellings.
#[must_use]
pub fn is_asking_tool(name: &str) -> bool {
    asking_tool(name).is_some()
}

/// Returns the spelling of the asking tool's name that equals `name`, if one does.
#[must_use]
pub fn asking_tool(name: &str) -> Option<&'static str> {
    [Limits::RUNTIME, Limits::CODING, Limits::CHAT].iter().map(Limits::tool_name).find(|known| *known == name)
}

/// The result of a call. Every call gets exactly one, except that a withdrawn background ask gets a second one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The id of the message that carries it.
    pub message_id: String,
    /// The id of the call.
    pub tool_use_id: String,
    /// The content that the model reads.
    pub content: String,
    /// True if the call failed, was refused or never ran.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_error: bool,
    /// The origin of the answer, if the call was an ask that a user replied to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<AskMetadata>,
}

impl ToolResult {
    /// The result of a successful call.
    #[must_use]
    pub fn success(tool_use_id: impl Into<String>, content: impl Into<String>) -> Self {
        let tool_use_id = tool_use_id.into();
        Self {
            message_id: format!("{tool_use_id}-result"),
            tool_use_id,
            content: content.into(),
            is_error: false,
            ask: None,
        }
    }

    /// The result of a call that failed, was refused or never ran.
    #[must_use]
    pub fn error(tool_use_id: impl Into<String>, content: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::success(tool_use_id, content) }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's `skip_serializing_if` hands out references")]
fn is_false(value: &bool) -> bool {
    !value
}
