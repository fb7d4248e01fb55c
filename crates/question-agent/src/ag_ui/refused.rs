//! Refusals of a client's request.

use crate::Rejected;
use ask_user_question::validate::{Violation, describe};
use std::error::Error;
use std::fmt;

/// The reason why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The request can't be read, for this reason.
    BadRequest(String),
    /// It asks for `bypassPermissions`, which the host does not allow.
    BypassNotAllowed,
    /// The reply does not fit the ask.
    InvalidReply(Vec<Violation>),
    /// The questions of a program are no legal ask.
    InvalidAsk(Vec<Violation>),
    /// The conversation can't take it now.
    Rejected(Rejected),
    /// The conversation has no room for it.
    Full(Full),
    /// The result of the client's tool has more than this number of bytes.
    ToolResultTooLong(usize),
    /// The user's text has more than this number of bytes.
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

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadRequest(why) => f.write_str(why),
            Self::BypassNotAllowed => f.write_str("Clients may not bypass permissions here."),
            Self::InvalidReply(_) => f.write_str("The answer does not fit the question."),
            Self::InvalidAsk(violations) => f.write_str(&describe(violations)),
            Self::Rejected(rejected) => rejected.fmt(f),
            Self::Full(_) => f.write_str("The conversation is too long to go on; start a new one."),
            Self::ToolResultTooLong(most) => {
                write!(f, "The tool's result is longer than {most} bytes; bring a shorter one or an error.")
            }
            // The user reads this text.
            Self::MessageTooLong(most @ ..1024) => write!(f, "Shorten your text to {most} bytes."),
            Self::MessageTooLong(most) => write!(f, "Shorten your text to {} KB.", most / 1024),
        }
    }
}

impl Error for Refused {}

impl From<Rejected> for Refused {
    fn from(rejected: Rejected) -> Self {
        match rejected {
            Rejected::InvalidReply(violations) => Self::InvalidReply(violations),
            other => Self::Rejected(other),
        }
    }
}
