use crate::sse::SseError;
use serde::Serialize;
use std::fmt;

/// Why a stream is refused. What came before it holds.
///
/// Its sentences speak of the protocol: they are for logs and for who writes the agent. What a person is told, a page says in its own words by
/// the [`code`](Self::code).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamError {
    /// Which kind; what to choose words by.
    pub code: ErrorCode,
    /// Where in the event, as a JSON pointer, where one place can be named.
    pub path: Option<String>,
    /// A sentence for developers.
    pub message: String,
    /// Which event of the stream, counted from 0 and with the dropped ones; absent where it is no event at all.
    pub event_index: Option<u64>,
}

/// What the stages of a reader come to. Errors are rare and large, so they travel in a box.
pub(super) type Verdict<T = ()> = Result<T, Box<StreamError>>;

/// The kinds of refusal. Their spelling is part of the interface: programs choose by it what to tell people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// A frame is longer than allowed.
    FrameTooLong,
    /// A frame's data is no JSON, or none that is read: nested deeper than 127 levels, or with a number that no double holds.
    InvalidJson,
    /// A frame's data is JSON, but no object with a `type`.
    NotAnEvent,
    /// A described field is missing or holds what it must not.
    Malformed,
    /// A chunk that continues nothing, or contradicts what it continues.
    Chunk,
    /// An event that is not allowed at its place.
    Order,
}

impl ErrorCode {
    /// As JSON has it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FrameTooLong => "frame-too-long",
            Self::InvalidJson => "invalid-json",
            Self::NotAnEvent => "not-an-event",
            Self::Malformed => "malformed",
            Self::Chunk => "chunk",
            Self::Order => "order",
        }
    }
}

impl StreamError {
    #[cold]
    pub(super) fn new(code: ErrorCode, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { code, path: None, message: message.into(), event_index: None })
    }

    pub(super) fn frame(error: SseError) -> Box<Self> {
        Self::new(ErrorCode::FrameTooLong, error.to_string())
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{path}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for StreamError {}

/// How a stream ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// How.
    pub outcome: EndOutcome,
    /// Why, where it did not end well.
    pub error: Option<EndError>,
}

/// The ways in which a stream ends; where it held several runs, the last one tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EndOutcome {
    /// The run succeeded.
    Completed,
    /// The run waits for answers to interrupts.
    Interrupt,
    /// The run was stopped.
    Cancelled,
    /// The run failed.
    Error,
    /// The bytes ended before the run did.
    Truncated,
    /// The stream broke a rule of the protocol.
    Rejected,
}

/// Why a stream did not end well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EndError {
    /// Where the stream was refused, an [`ErrorCode`]; where it broke off, `truncated`; where the run failed, its own code or `RUN_ERROR`.
    pub code: String,
    /// The agent's own sentence where the run failed, else one for developers.
    pub message: String,
    /// Which event of the stream, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_index: Option<u64>,
}
