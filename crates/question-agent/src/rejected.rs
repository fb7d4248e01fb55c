//! Rejected events.

use crate::call::ToolResult;
use ask_user_question::validate::Violation;
use std::error::Error;
use std::fmt;

/// The reason why an event was rejected. The conversation is unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rejected {
    /// The agent is at work and cannot take a message now.
    Busy,
    /// Another ask waits, and there is one at a time.
    AlreadyWaiting {
        /// The ask that waits.
        waiting: String,
    },
    /// Neither a text nor a message was given.
    EmptyMessage,
    /// The model was not asked, or its request was given up.
    NotRequested,
    /// No tool runs.
    NotExecuting,
    /// Another tool runs.
    ForeignTool {
        /// The call that runs.
        running: String,
    },
    /// The tool's sub-agents have not finished.
    SubAgentsPending,
    /// The running tool has no such sub-agent.
    UnknownSubAgent,
    /// No ask waits.
    NotWaiting,
    /// The ask that waits has time left.
    NotExpired,
    /// Another ask waits.
    ForeignReply {
        /// The ask that waits.
        waiting: String,
    },
    /// The ask has its result already: the first valid reply wins, unless it was cancelled or expired before.
    AlreadyAnswered {
        /// True if this is the winning reply again, which has been delivered.
        same_reply: bool,
        /// The result.
        winner: Box<ToolResult>,
    },
    /// The reply does not fit the ask.
    InvalidReply(Vec<Violation>),
    /// No work or question is there to be cancelled.
    NothingToCancel,
    /// There was no failure.
    NothingToRetry,
    /// The history has a call with this id already.
    DuplicateToolCall {
        /// The call.
        id: String,
    },
    /// The history has a message with this id already.
    KnownMessage {
        /// The message.
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

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => f.write_str("the agent is at work; wait for it or stop it first"),
            Self::AlreadyWaiting { waiting } => write!(f, "another question is waiting already: {waiting}"),
            Self::EmptyMessage => f.write_str("the message is empty"),
            Self::NotRequested => f.write_str("the model was not asked"),
            Self::NotExecuting => f.write_str("no tool is running"),
            Self::ForeignTool { running } => write!(f, "another call is running: {running}"),
            Self::SubAgentsPending => f.write_str("the call's sub-agents have not finished"),
            Self::UnknownSubAgent => f.write_str("the running call has no such sub-agent"),
            Self::NotWaiting => f.write_str("no question is waiting for an answer"),
            Self::NotExpired => f.write_str("the question has time left"),
            Self::ForeignReply { waiting } => write!(f, "another question is waiting: {waiting}"),
            Self::AlreadyAnswered { same_reply: true, .. } => f.write_str("this answer has been delivered already"),
            Self::AlreadyAnswered { winner, .. } if winner.is_error => {
                write!(f, "the question has ended already: {}", winner.content)
            }
            Self::AlreadyAnswered { .. } => f.write_str("the question has been answered already"),
            Self::InvalidReply(violations) => write_violations(f, violations),
            Self::NothingToCancel => f.write_str("there is nothing to cancel"),
            Self::NothingToRetry => f.write_str("there is nothing to try again"),
            Self::DuplicateToolCall { id } => write!(f, "the call {id} exists already"),
            Self::KnownMessage { id } => write!(f, "the message {id} exists already"),
        }
    }
}

impl Error for Rejected {}

fn write_violations(f: &mut fmt::Formatter<'_>, violations: &[Violation]) -> fmt::Result {
    f.write_str("the answer does not fit the question:")?;
    for violation in violations {
        write!(f, " {} ({});", violation.message, violation.path)?;
    }
    Ok(())
}
