//! Refusals of a client's request.

use crate::Rejected;
use ask_user_question::validate::{Violation, describe};
use thiserror::Error;

/// The reason why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refused {
    /// The request can't be read, for this reason.
    #[error("{0}")]
    BadRequest(String),
    /// It asks for `bypassPermissions`, which the host does not allow.
    #[error("Clients may not bypass permissions here.")]
    BypassNotAllowed,
    /// The reply does not fit the ask.
    #[error("The answer does not fit the question.")]
    InvalidReply(Vec<Violation>),
    /// The questions of a program are no legal ask.
    #[error("{}", describe(.0))]
    InvalidAsk(Vec<Violation>),
    /// The conversation can't take it now.
    #[error(transparent)]
    Rejected(Rejected),
    /// The conversation has no room for it.
    #[error("The conversation is too long to go on; start a new one.")]
    Full(Full),
    /// The result of the client's tool has more than this number of bytes.
    #[error("The tool's result is longer than {0} bytes; bring a shorter one or an error.")]
    ToolResultTooLong(usize),
    /// The user's text has more than this number of bytes.
    #[error("Shorten your text to {}.", size(*.0))]
    MessageTooLong(usize),
}

/// The bound that a conversation has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// Its number of messages.
    Messages,
    /// Their length.
    History,
}

impl Refused {
    /// The code by which clients distinguish refusals.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::BadRequest(_) | Self::ToolResultTooLong(_) | Self::MessageTooLong(_) => "bad_request",
            Self::BypassNotAllowed => "bypass_not_allowed",
            Self::InvalidReply(_) => "invalid_reply",
            Self::InvalidAsk(_) => "invalid_ask",
            Self::Rejected(rejected) => rejected.code(),
            Self::Full(_) => "conversation_full",
        }
    }
}

impl From<Rejected> for Refused {
    fn from(rejected: Rejected) -> Self {
        match rejected {
            Rejected::InvalidReply(violations) => Self::InvalidReply(violations),
            other => Self::Rejected(other),
        }
    }
}

/// A number of bytes in words for the user.
fn size(bytes: usize) -> String {
    match bytes {
        ..1024 => format!("{bytes} bytes"),
        _ => format!("{} KB", bytes / 1024),
    }
}
