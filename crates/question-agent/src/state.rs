//! The state of a conversation.

use crate::call::ToolCall;
use crate::time::Timestamp;
use ask_user_question::AskUserQuestion;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The state of a conversation. [`transition`](crate::transition()) alone changes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ConvState {
    /// Idle; it is the user's turn.
    #[default]
    Idle,
    /// The model has been asked to continue.
    LlmRequesting {
        /// The number of the attempt, from 1.
        attempt: u32,
    },
    /// A tool runs.
    ToolExecuting(ToolExecuting),
    /// An ask waits for its reply, without a time limit unless it has a deadline (parent conversations only).
    AwaitingUserResponse(AwaitingUserResponse),
    /// The model could not be reached or refused; a retry or a new message continues.
    Failed {
        /// The reason, in words for the user.
        reason: String,
    },
}

/// The running tool and those that wait behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolExecuting {
    /// The call that runs.
    pub current_tool: ToolCall,
    /// The calls of the same turn that have not run yet.
    pub remaining_tools: Vec<ToolCall>,
    /// The calls of the same turn that have their result.
    pub persisted_tool_ids: BTreeSet<String>,
    /// The sub-agents that the running tool started and that have not finished.
    pub pending_sub_agents: Vec<String>,
}

/// The ask that waits and the calls that wait behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AwaitingUserResponse {
    /// The questions, repaired and valid.
    #[serde(flatten)]
    pub questions: AskUserQuestion,
    /// The call that asked.
    pub tool_use_id: String,
    /// The calls of the same turn that have not run yet.
    pub remaining_tools: Vec<ToolCall>,
    /// The calls of the same turn that have their result.
    pub persisted_tool_ids: BTreeSet<String>,
    /// The time at which it expires; `None` if it waits without a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// True for an ask of a program, after which the model does not continue.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_programs: bool,
}

impl AwaitingUserResponse {
    /// An ask of this call that waits without a limit, with no calls behind it.
    #[must_use]
    pub fn new(tool_use_id: &str, questions: AskUserQuestion) -> Self {
        Self {
            questions,
            tool_use_id: tool_use_id.to_owned(),
            remaining_tools: Vec::new(),
            persisted_tool_ids: BTreeSet::new(),
            expires_at: None,
            is_programs: false,
        }
    }

    /// Returns true if its time is up.
    #[must_use]
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|deadline| deadline <= now)
    }
}

impl ConvState {
    /// The state's name as clients read it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::LlmRequesting { .. } => "llm_requesting",
            Self::ToolExecuting(_) => "tool_executing",
            Self::AwaitingUserResponse(_) => "awaiting_user_response",
            Self::Failed { .. } => "failed",
        }
    }

    /// Returns true if a model or a tool is at work, so that the conversation goes on without its user.
    #[must_use]
    pub fn is_at_work(&self) -> bool {
        match self {
            Self::LlmRequesting { .. } | Self::ToolExecuting(_) => true,
            Self::Idle | Self::AwaitingUserResponse(_) | Self::Failed { .. } => false,
        }
    }

    /// The ask that waits, if one does.
    #[must_use]
    pub fn waiting(&self) -> Option<&AwaitingUserResponse> {
        match self {
            Self::AwaitingUserResponse(waiting) => Some(waiting),
            Self::Idle | Self::LlmRequesting { .. } | Self::ToolExecuting(_) | Self::Failed { .. } => None,
        }
    }

    /// The calls that have no result yet, in the order in which they will get one.
    #[must_use]
    pub fn open_calls(&self) -> Vec<&str> {
        let (first, remaining) = match self {
            Self::ToolExecuting(executing) => (&executing.current_tool.id, &executing.remaining_tools),
            Self::AwaitingUserResponse(waiting) => (&waiting.tool_use_id, &waiting.remaining_tools),
            Self::Idle | Self::LlmRequesting { .. } | Self::Failed { .. } => return Vec::new(),
        };
        std::iter::once(first.as_str()).chain(remaining.iter().map(|call| call.id.as_str())).collect()
    }
}
