//! The effects of a transition.

use crate::call::{ToolCall, ToolResult};
use crate::message::Message;
use crate::state::{ConvState, ToolExecuting};
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

/// A state for clients: `{"type": "awaiting_user_response", "questions": […], "toolCallId": "…"}` and similar. It leaves out the calls that wait
/// behind the first one, and deadlines are ISO 8601.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateChange(pub ConvState);

impl From<&ConvState> for StateChange {
    fn from(state: &ConvState) -> Self {
        Self(state.clone())
    }
}

impl Serialize for StateChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let r#type = self.0.name();
        let told = match &self.0 {
            ConvState::ToolExecuting(ToolExecuting { current_tool: call, .. }) => {
                Told::Tool { r#type, tool_call_id: &call.id, name: call.name() }
            }
            ConvState::AwaitingUserResponse(waiting) => Told::Ask {
                r#type,
                questions: &waiting.questions,
                tool_call_id: &waiting.tool_use_id,
                expires_at: waiting.expires_at.map(|time| time.to_string()),
            },
            state => Told::Whole(state),
        };
        told.serialize(serializer)
    }
}

#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum Told<'a> {
    Tool {
        r#type: &'a str,
        tool_call_id: &'a str,
        name: &'a str,
    },
    Ask {
        r#type: &'a str,
        #[serde(flatten)]
        questions: &'a AskUserQuestion,
        tool_call_id: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        expires_at: Option<String>,
    },
    Whole(&'a ConvState),
}
