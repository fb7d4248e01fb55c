//! What can go wrong, in words for the user.

use crate::transport::TransportError;
use ag_ui_stream::asks::reply::Refusal;
use ag_ui_stream::reader::{End, EndOutcome};
use std::fmt;

/// Why a run failed or could not be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The agent's server could not be reached, or the connection broke before it answered.
    Unreachable,
    /// The page may not talk to that server. Nothing was sent.
    NotAllowed {
        /// The agent's address, or the origin of it.
        agent: String,
    },
    /// The server refused the request.
    Refused {
        /// The HTTP status.
        status: u16,
        /// What the server says about it, where it says something.
        message: Option<String>,
    },
    /// The server has no such conversation any more. What is said next begins it anew.
    Gone,
    /// The user stopped the request before the agent had taken it.
    Stopped,
    /// The connection broke in the middle of the response.
    BrokeOff,
    /// It was on its way when the page was left; whether it arrived is not known.
    Unknown,
    /// The agent reported an error.
    Agent(String),
    /// The response breaks the protocol.
    Unreadable(String),
    /// Not sent, because a run is open.
    RunOpen,
    /// Not sent, because the question does not wait any more.
    NotWaiting,
    /// Not sent, because another question waits as well.
    OthersWait,
    /// Not sent, for another reason.
    Unsendable(String),
}

impl Trouble {
    /// `None` where the response ended as it should.
    pub(crate) fn from_end(end: End) -> Option<Self> {
        let message = end.error.map(|error| error.message).unwrap_or_default();
        match end.outcome {
            EndOutcome::Completed | EndOutcome::Interrupt | EndOutcome::Cancelled => None,
            EndOutcome::Error => Some(Self::Agent(message)),
            EndOutcome::Truncated => Some(Self::BrokeOff),
            EndOutcome::Rejected => Some(Self::Unreadable(message)),
        }
    }
}

impl From<TransportError> for Trouble {
    fn from(error: TransportError) -> Self {
        match error {
            TransportError::Aborted => Self::Stopped,
            TransportError::Network => Self::Unreachable,
            TransportError::Status { status, body } => Self::Refused {
                status,
                message: body.message,
            },
        }
    }
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::RunOpen { .. } => Self::RunOpen,
            Refusal::NotAnswerable { .. } | Refusal::Expired { .. } => Self::NotWaiting,
            Refusal::OpenCalls { .. } | Refusal::OpenInterrupts { .. } => Self::OthersWait,
            Refusal::Payload { message, .. } => Self::Unsendable(message),
            refusal => Self::Unsendable(refusal.to_string()),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unreachable => "The agent can't be reached. Is the connection up?",
            Self::NotAllowed { agent } => {
                return write!(
                    f,
                    "This page may not talk to {agent}. Whoever runs it can allow that; nothing was sent."
                );
            }
            Self::Refused {
                message: Some(message),
                ..
            } => return write!(f, "The agent refused: {message}"),
            Self::Refused {
                status,
                message: None,
            } => return write!(f, "The agent refused the message (HTTP {status})."),
            Self::Gone => {
                "The agent does not know this conversation any more. What you write next begins it anew."
            }
            Self::Stopped => "Stopped before the agent had it.",
            Self::BrokeOff => "The connection broke before the agent had finished.",
            Self::Unknown => "The page was left while this was on its way. It may not have arrived.",
            Self::Agent(message) => return write!(f, "The agent failed: {message}"),
            Self::Unreadable(message) => {
                return write!(f, "The agent sent something that can't be read: {message}");
            }
            Self::RunOpen => "This can't be sent: the agent is still writing.",
            Self::NotWaiting => "This can't be sent: the question is no longer waiting.",
            Self::OthersWait => "This can't be sent: another question waits for its answer.",
            Self::Unsendable(reason) => return write!(f, "This can't be sent: {reason}"),
        })
    }
}
