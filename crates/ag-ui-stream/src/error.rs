//! Why a stream is refused and how it ended: kind and place. The words come where somebody reads them.

use crate::sse::SseError;
use json_tree::Json;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;

/// The largest integer that survives a JavaScript number.
pub(crate) const MAX_INTEGER: i64 = 9_007_199_254_740_991;

/// Why a stream is refused. What came before it holds.
///
/// Its sentence (`Display`) speaks of the protocol: it is for logs and for who writes the agent. What a person is told, a page says in its own
/// words by the [`code`](Self::code).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamError {
    /// Which kind; what to choose words by.
    pub code: ErrorCode,
    /// Where in the event, as a JSON pointer, where one place can be named.
    pub path: Option<String>,
    /// Which event of the stream, counted from 0 and with the dropped ones; absent where it is no event at all.
    pub event_index: Option<u64>,
    fault: Fault,
    /// What the sentence quotes.
    names: Vec<String>,
}

/// What a step of the reader returns. Errors are rare and large, so they travel in a box.
pub(crate) type Verdict<T = ()> = Result<T, Box<StreamError>>;

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

/// What is wrong, in more detail than the code. `{0}` and so on in the remarks are the names beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Frame(SseError),
    Json(json_tree::Error),
    NotAnEvent,
    /// A required member is not there.
    Missing,
    Expected {
        expected: Expected,
        found: Expected,
    },
    /// `{0}` is no integer from `min` on.
    Integer {
        min: i64,
    },
    /// `{0}` is none of these.
    Choice(&'static [&'static str]),
    TooFew {
        min: usize,
        found: usize,
    },
    /// The member that tells the kind is no string.
    NoTag(&'static str),
    /// The member `name` of a patch operation.
    Operation(OperationFault),
    /// Something of the unknown `tag` `{0}`, and nothing else is there.
    UnknownKind(&'static str),
    UnknownChoice,
    UnknownOperation,
    /// A property that is not described.
    UnknownProperty,
    /// A retired form where none is translated.
    Retired,
    FirstChunkLacks {
        chunk: &'static str,
        field: &'static str,
    },
    /// The chunk says `{0}`, the open stream `{1}`.
    ChunkDiffers {
        chunk: &'static str,
        field: &'static str,
    },
    ChunkOfAnother {
        chunk: &'static str,
    },
    ChunkIsAmbiguous {
        chunk: &'static str,
    },
    NotFirst,
    RunFinished {
        event: &'static str,
    },
    RunIsOpen,
    /// The event names thread `{0}` instead of `{1}`.
    OtherThread {
        event: &'static str,
    },
    /// Interrupt `{0}` comes twice.
    InterruptTwice,
    AlreadyOpen(&'static str),
    NotOpen(&'static str),
    /// Something continues for another subagent than it began for.
    OtherOwner(&'static str),
    /// Call `{0}` of subagent `{1}` names a message of another.
    OtherParent,
    StepIsOpen,
    StepIsNotOpen,
    SubagentAgain,
    /// Subagent `{0}` names the parent `{1}`.
    UnknownParent,
    SubagentIsNotOpen {
        event: &'static str,
    },
    /// The run ends while something is open: all names are its.
    StillOpen(&'static str),
}

/// What a value is, or what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    Null,
    Value,
    Text,
    Flag,
    Number,
    Integer,
    List,
    TextOrList,
    Object,
}

/// What is wrong with a member of a patch operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperationFault {
    NoOperation,
    NoText,
    NoPointer,
    Missing,
    /// The operation is of a kind that the RFC does not have.
    Unknown,
}

impl Fault {
    fn code(self) -> ErrorCode {
        match self {
            Self::Frame(_) => ErrorCode::FrameTooLong,
            Self::Json(_) => ErrorCode::InvalidJson,
            Self::NotAnEvent => ErrorCode::NotAnEvent,
            Self::Missing
            | Self::Expected { .. }
            | Self::Integer { .. }
            | Self::Choice(_)
            | Self::TooFew { .. }
            | Self::NoTag(_)
            | Self::Operation(_)
            | Self::UnknownKind(_)
            | Self::UnknownChoice
            | Self::UnknownOperation
            | Self::UnknownProperty
            | Self::Retired => ErrorCode::Malformed,
            Self::FirstChunkLacks { .. }
            | Self::ChunkDiffers { .. }
            | Self::ChunkOfAnother { .. }
            | Self::ChunkIsAmbiguous { .. } => ErrorCode::Chunk,
            _ => ErrorCode::Order,
        }
    }
}

impl StreamError {
    #[cold]
    pub(crate) fn new(fault: Fault, names: &[&str]) -> Box<Self> {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Box::new(Self { code: fault.code(), path: None, event_index: None, fault, names })
    }

    pub(crate) fn at(mut self: Box<Self>, path: String) -> Box<Self> {
        self.path = Some(path);
        self
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{path}: ")?;
        }
        let name = |at: usize| self.names.get(at).map_or("", String::as_str);
        match self.fault {
            Fault::Frame(error) => error.fmt(f),
            Fault::Json(error) => write!(f, "this is not JSON: {error}"),
            Fault::NotAnEvent => f.write_str("the frame is no object with a string `type`"),
            Fault::Missing => f.write_str("required, and missing"),
            Fault::Expected { expected, found } => write!(f, "expected {expected}, found {found}"),
            Fault::Integer { min } => {
                write!(f, "expected an integer from {min} to {MAX_INTEGER}, found {}", name(0))
            }
            Fault::Choice(choices) => {
                // `Debug` of texts brings tables of all characters.
                write!(f, "expected \"{}\", found {}", choices.join("\" or \""), Json::from(name(0)))
            }
            Fault::TooFew { min, found } => write!(f, "expected at least {min} item, found {found}"),
            Fault::NoTag(tag) => write!(f, "expected a string `{tag}`"),
            Fault::Operation(fault) => fault.fmt(f),
            Fault::UnknownKind(tag) => write!(f, "something of the unknown {tag} {} was removed", name(0)),
            Fault::UnknownChoice => write!(f, "the unknown {} was removed", name(0)),
            Fault::UnknownOperation => f.write_str("a JSON Patch operation of an unknown kind was removed"),
            Fault::UnknownProperty => {
                write!(f, "the property {} is not described in version 1.0 and was stripped", name(0))
            }
            Fault::Retired => f.write_str("a retired form was translated"),
            Fault::FirstChunkLacks { chunk, field } => write!(f, "First {chunk} must have a {field}"),
            Fault::ChunkDiffers { chunk, field } => {
                let (given, open) = (name(0), name(1));
                write!(f, "{chunk}: the {field} '{given}' does not match the open stream's {field} '{open}'")
            }
            Fault::ChunkOfAnother { chunk } => {
                write!(f, "{chunk} for '{}' names another subagent than the open stream", name(0))
            }
            Fault::ChunkIsAmbiguous { chunk } => {
                write!(f, "Ambiguous {chunk}: several streams are open and it names none")
            }
            Fault::NotFirst => f.write_str("First event must be 'RUN_STARTED'"),
            Fault::RunFinished { event } => {
                write!(f, "Cannot send event type '{event}': The run has already finished with 'RUN_FINISHED'")
            }
            Fault::RunIsOpen => f.write_str("Cannot send 'RUN_STARTED' while a run is still active"),
            Fault::OtherThread { event } => {
                write!(f, "'{event}' names thread '{}' instead of '{}'", name(0), name(1))
            }
            Fault::InterruptTwice => write!(f, "'RUN_FINISHED' names interrupt '{}' twice", name(0)),
            Fault::AlreadyOpen(thing) => write!(f, "A {thing} with ID '{}' is already in progress", name(0)),
            Fault::NotOpen(thing) => write!(f, "No active {thing} found with ID '{}'", name(0)),
            Fault::OtherOwner(thing) => {
                write!(f, "The {thing} '{}' continues for another subagent than it began for", name(0))
            }
            Fault::OtherParent => {
                let (call, tag) = (name(0), name(1));
                write!(
                    f,
                    "Tool call '{call}' of subagent '{tag}' names a parent message that the subagent does not own"
                )
            }
            Fault::StepIsOpen => write!(f, "Step '{}' is already active", name(0)),
            Fault::StepIsNotOpen => {
                write!(f, "Cannot send 'STEP_FINISHED' for step '{}' that was not started", name(0))
            }
            Fault::SubagentAgain => write!(f, "Subagent '{}' was already started in this run", name(0)),
            Fault::UnknownParent => {
                write!(f, "Subagent '{}' names the parent '{}', which was not started", name(0), name(1))
            }
            Fault::SubagentIsNotOpen { event } => {
                write!(f, "Cannot send '{event}' for subagent '{}' that is not active", name(0))
            }
            Fault::StillOpen(things) => {
                write!(f, "Cannot send 'RUN_FINISHED' while {things} are still active: {}", self.names.join(", "))
            }
        }
    }
}

impl std::error::Error for StreamError {}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Value => "a value",
            Self::Text => "a string",
            Self::Flag => "a boolean",
            Self::Number => "a number",
            Self::Integer => "an integer",
            Self::List => "an array",
            Self::TextOrList => "a string or an array",
            Self::Object => "an object",
        })
    }
}

impl fmt::Display for OperationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoOperation => "expected a JSON Patch operation",
            Self::NoText => "expected a string",
            Self::NoPointer => "expected a JSON pointer",
            Self::Missing => "required",
            Self::Unknown => "unknown operation",
        })
    }
}

/// How a stream ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// How.
    pub outcome: EndOutcome,
    /// Why, where it did not end well.
    pub error: Option<EndError>,
}

/// The ways in which a stream ends; where it held several runs, the last one tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

impl EndOutcome {
    /// As JSON has it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Interrupt => "interrupt",
            Self::Cancelled => "cancelled",
            Self::Error => "error",
            Self::Truncated => "truncated",
            Self::Rejected => "rejected",
        }
    }
}

impl Serialize for EndOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Why a stream did not end well. Its sentence (`Display`) is the agent's own where the run failed, else one for developers.
///
/// As JSON it is an object of `code`, `message` and, where one event is to blame, `eventIndex`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndError {
    /// The stream was refused.
    Refused(StreamError),
    /// The stream broke off.
    Truncated(BrokeOff),
    /// The run failed, as the agent says.
    Failed {
        /// The agent's own code.
        code: Option<String>,
        /// The agent's own sentence.
        message: String,
    },
}

/// Where a stream broke off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrokeOff {
    /// Before a run began.
    BeforeRun,
    /// While this run was open.
    InRun(String),
    /// In the middle of a frame, after the run.
    InFrame,
}

impl EndError {
    /// Where the stream was refused, the spelling of its [`ErrorCode`]; where it broke off, `truncated`; where the run failed, its own code or
    /// `RUN_ERROR`.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Refused(error) => error.code.as_str(),
            Self::Truncated(_) => "truncated",
            Self::Failed { code, .. } => code.as_deref().unwrap_or("RUN_ERROR"),
        }
    }

    /// Which event of the stream is to blame, counted from 0.
    #[must_use]
    pub fn event_index(&self) -> Option<u64> {
        match self {
            Self::Refused(error) => error.event_index,
            Self::Truncated(_) | Self::Failed { .. } => None,
        }
    }
}

impl fmt::Display for EndError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::Truncated(BrokeOff::BeforeRun) => f.write_str("the stream ended before a run began"),
            Self::Truncated(BrokeOff::InRun(run)) => write!(f, "the stream ended while run '{run}' was open"),
            Self::Truncated(BrokeOff::InFrame) => f.write_str("the stream broke off in the middle of a frame"),
            Self::Failed { message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for EndError {}

impl Serialize for EndError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("code", self.code())?;
        object.serialize_entry("message", &self.to_string())?;
        if let Some(index) = self.event_index() {
            object.serialize_entry("eventIndex", &index)?;
        }
        object.end()
    }
}
