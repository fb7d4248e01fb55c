//! The effects of a transition.

use crate::call::{ToolCall, ToolResult};
use crate::message::Message;
use crate::state::ConvState;
use crate::time::Timestamp;
use ask_user_question::AskUserQuestion;
use serde::{Serialize, Serializer};

/// An effect of a transition, to be carried out in the given order. Everything before the first request to a model or a tool is one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Append a user's or the model's message to the history.
    PersistMessage(Message),
    /// Insert results behind their calls.
    PersistToolResults {
        /// The results, in the order of the calls.
        results: Vec<ToolResult>,
    },
    /// Store the new state.
    PersistState,
    /// Send every client the new state.
    NotifyStateChange(StateChange),
    /// Notify every client that the model has been asked.
    NotifyLlmRequesting {
        /// The number of the attempt, from 1.
        attempt: u32,
    },
    /// Notify every client that the agent is done until the user speaks.
    NotifyAgentDone,
    /// Ask the model to continue from the history.
    RequestLlm,
    /// Run a tool, after [`intercept`](crate::intercept()).
    ExecuteTool(ToolCall),
}

/// A state for clients: `{"type": "awaiting_user_response", "questions": […], "toolCallId": "…"}` and similar.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum StateChange {
    /// The user's turn.
    Idle,
    /// The model has been asked.
    LlmRequesting {
        /// The number of the attempt, from 1.
        attempt: u32,
    },
    /// A tool runs.
    ToolExecuting {
        /// The call.
        tool_call_id: String,
        /// The tool's name.
        name: String,
    },
    /// An ask waits.
    AwaitingUserResponse {
        /// The questions.
        #[serde(flatten)]
        questions: AskUserQuestion,
        /// The call.
        tool_call_id: String,
        /// The time at which it expires, as ISO 8601; absent if it waits without a limit.
        #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
        expires_at: Option<Timestamp>,
    },
    /// The model failed.
    Failed {
        /// The reason.
        reason: String,
    },
}

impl From<&ConvState> for StateChange {
    fn from(state: &ConvState) -> Self {
        match state {
            ConvState::Idle => Self::Idle,
            ConvState::LlmRequesting { attempt } => Self::LlmRequesting { attempt: *attempt },
            ConvState::ToolExecuting(executing) => Self::ToolExecuting {
                tool_call_id: executing.current_tool.id.clone(),
                name: executing.current_tool.name().to_owned(),
            },
            ConvState::AwaitingUserResponse(waiting) => Self::AwaitingUserResponse {
                questions: waiting.questions.clone(),
                tool_call_id: waiting.tool_use_id.clone(),
                expires_at: waiting.expires_at,
            },
            ConvState::Failed { reason } => Self::Failed { reason: reason.clone() },
        }
    }
}

#[expect(clippy::ref_option, reason = "serde's `serialize_with` hands out references")]
fn as_text<S: Serializer>(time: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => serializer.collect_str(time),
        None => serializer.serialize_none(),
    }
}
