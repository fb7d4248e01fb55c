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
    /// The server refused the request.
    Refused {
        /// The HTTP status.
        status: u16,
        /// What the server says about it, where it says something.
        message: Option<String>,
    },
    /// The user stopped the request before the agent had taken it.
    Stopped,
    /// The connection broke in the middle of the response.
    BrokeOff,
    /// The agent reported an error.
    Agent(String),
    /// The response breaks the protocol.
    Unreadable(String),
    /// The input must not be sent, such as one that would leave a question without an answer.
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
        Self::Unsendable(match refusal {
            Refusal::RunOpen { .. } => "the agent is still writing.".to_owned(),
            Refusal::NotAnswerable { .. } | Refusal::Expired { .. } => {
                "the question is no longer waiting.".to_owned()
            }
            Refusal::OpenCalls { .. } | Refusal::OpenInterrupts { .. } => {
                "another question waits for its answer.".to_owned()
            }
            Refusal::Payload { message, .. } => message,
            refusal => refusal.to_string(),
        })
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable => write!(f, "The agent can't be reached. Is the connection up?"),
            Self::Refused {
                message: Some(message),
                ..
            } => write!(f, "The agent refused: {message}"),
            Self::Refused {
                status,
                message: None,
            } => write!(f, "The agent refused the message (HTTP {status})."),
            Self::Stopped => write!(f, "Stopped before the agent had it."),
            Self::BrokeOff => write!(f, "The connection broke before the agent had finished."),
            Self::Agent(message) => write!(f, "The agent failed: {message}"),
            Self::Unreadable(message) => {
                write!(f, "The agent sent something that can't be read: {message}")
            }
            Self::Unsendable(reason) => write!(f, "This can't be sent: {reason}"),
        }
    }
}
