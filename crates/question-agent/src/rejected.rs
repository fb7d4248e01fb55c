//! Rejected events.

use crate::call::ToolResult;
use ask_user_question::validate::Violation;
use std::borrow::Cow;
use thiserror::Error;

/// The reason why an event was rejected. The conversation is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Rejected {
    /// The agent is at work and cannot take a message now.
    #[error("the agent is at work; wait for it or stop it first")]
    Busy,
    /// Another ask waits, and there is one at a time.
    #[error("another question is waiting already: {waiting}")]
    AlreadyWaiting {
        /// The id of the waiting ask's call.
        waiting: String,
    },
    /// Neither a text nor a message was given.
    #[error("the message is empty")]
    EmptyMessage,
    /// The model was not asked, or its request was given up.
    #[error("the model was not asked")]
    NotRequested,
    /// No tool runs.
    #[error("no tool is running")]
    NotExecuting,
    /// Another tool runs.
    #[error("another call is running: {running}")]
    ForeignTool {
        /// The id of the call that runs.
        running: String,
    },
    /// The tool's sub-agents have not finished.
    #[error("the call's sub-agents have not finished")]
    SubAgentsPending,
    /// The running tool has no such sub-agent.
    #[error("the running call has no such sub-agent")]
    UnknownSubAgent,
    /// No ask waits.
    #[error("no question is waiting for an answer")]
    NotWaiting,
    /// The ask that waits has time left.
    #[error("the question has time left")]
    NotExpired,
    /// Another ask waits.
    #[error("another question is waiting: {waiting}")]
    ForeignReply {
        /// The id of the waiting ask's call.
        waiting: String,
    },
    /// The ask has its result already: the first valid reply wins, unless it was cancelled or expired before.
    #[error("{}", ended(*.same_reply, .winner))]
    AlreadyAnswered {
        /// True if this is the winning reply again, which has been delivered.
        same_reply: bool,
        /// The result that the ask has.
        winner: Box<ToolResult>,
    },
    /// The reply does not fit the ask.
    #[error("the answer does not fit the question:{}", list(.0))]
    InvalidReply(Vec<Violation>),
    /// No work or question is there to be cancelled.
    #[error("there is nothing to cancel")]
    NothingToCancel,
    /// There was no failure.
    #[error("there is nothing to try again")]
    NothingToRetry,
    /// The history has a call with this id already.
    #[error("the call {id} exists already")]
    DuplicateToolCall {
        /// The id of the call.
        id: String,
    },
    /// The history has a message with this id already.
    #[error("the message {id} exists already")]
    KnownMessage {
        /// The id of the message.
        id: String,
    },
}

impl Rejected {
    /// A stable code, for machines.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::AlreadyWaiting { .. } => "already_waiting",
            Self::EmptyMessage => "empty_message",
            Self::NotRequested => "not_requested",
            Self::NotExecuting => "not_executing",
            Self::ForeignTool { .. } => "foreign_tool",
            Self::SubAgentsPending => "sub_agents_pending",
            Self::UnknownSubAgent => "unknown_sub_agent",
            Self::NotWaiting => "not_waiting",
            Self::NotExpired => "not_expired",
            Self::ForeignReply { .. } => "foreign_reply",
            Self::AlreadyAnswered { .. } => "already_answered",
            Self::InvalidReply(_) => "invalid_reply",
            Self::NothingToCancel => "nothing_to_cancel",
            Self::NothingToRetry => "nothing_to_retry",
            Self::DuplicateToolCall { .. } => "duplicate_tool_call",
            Self::KnownMessage { .. } => "known_message",
        }
    }
}

fn ended(same_reply: bool, winner: &ToolResult) -> Cow<'static, str> {
    match same_reply {
        true => "this answer has been delivered already".into(),
        false if winner.is_error => format!("the question has ended already: {}", winner.content).into(),
        false => "the question has been answered already".into(),
    }
}

fn list(violations: &[Violation]) -> String {
    violations.iter().map(|violation| format!(" {} ({});", violation.message, violation.path)).collect()
}
