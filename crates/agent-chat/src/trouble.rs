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
    /// `None` where the user ended the request.
    pub(crate) fn from_transport(error: TransportError) -> Option<Self> {
        match error {
            TransportError::Aborted => None,
            TransportError::Network => Some(Self::Unreachable),
            TransportError::Status { status, message } => Some(Self::Refused { status, message }),
        }
    }

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

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Self {
        Self::Unsendable(refusal.to_string())
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
            Self::BrokeOff => write!(f, "The connection broke before the agent had finished."),
            Self::Agent(message) => write!(f, "The agent failed: {message}"),
            Self::Unreadable(message) => {
                write!(f, "The agent sent something that can't be read: {message}")
            }
            Self::Unsendable(reason) => write!(f, "This can't be sent: {reason}"),
        }
    }
}
