//! What was tolerated, as data. Nothing here is ever printed.

use crate::input::PROTOCOL_VERSION;
use crate::patch::PatchError;
use std::fmt;

/// Something that was tolerated, dropped or repaired. Its sentence (`Display`) is for developers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Which kind, for programs.
    pub code: WarningCode,
    /// Where in the event, as a JSON pointer, where one place can be named.
    pub path: Option<String>,
    /// Which event of the stream, counted from 0 and with the dropped ones, where one can be named.
    pub event_index: Option<u64>,
    detail: Detail,
    /// What the sentence quotes.
    names: Vec<String>,
}

/// The kinds of warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WarningCode {
    /// An event of a type that 1.0 does not have was dropped.
    UnknownEvent,
    /// A property that 1.0 does not describe was stripped.
    UnknownProperty,
    /// A member of a union that 1.0 does not have was removed.
    UnknownMember,
    /// A retired event or form was translated.
    Retired,
    /// The producer speaks a newer version.
    NewerVersion,
    /// A state or activity patch does not apply; the value before it was kept.
    PatchFailed,
    /// An activity patch names no activity; it was skipped.
    MissingActivity,
    /// A call started again under another name; the later name holds.
    RenamedToolCall,
    /// A call's parent is no assistant message; the call got a message of its own.
    ForeignParent,
    /// An event is for a message or call that is not there; it was skipped.
    MissingEntity,
    /// A text is for a message that takes none; it was dropped.
    TextDropped,
    /// A frame holds no event, as heartbeats of proxies do; it was skipped.
    SkippedFrame,
    /// An event came after the error that ended its run; it was dropped.
    AfterError,
    /// A run ended under another id than it began with.
    OtherId,
    /// Arguments came after the end of their call; they were dropped.
    LateArguments,
    /// A run ended in an interrupt while a call was open; the call ended with it.
    UnendedCall,
    /// A call id was used again; the later call got a key of its own.
    RepeatedCall,
    /// A call's arguments came more than once or behind a placeholder; one form of them was kept.
    SettledArguments,
    /// A message began under the id of another one; it got an id of its own.
    RepeatedMessage,
    /// A message repeated the text of the one before it; it was dropped.
    RepeatedText,
}

impl WarningCode {
    /// As JSON has it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnknownEvent => "unknown-event",
            Self::UnknownProperty => "unknown-property",
            Self::UnknownMember => "unknown-member",
            Self::Retired => "retired",
            Self::NewerVersion => "newer-version",
            Self::PatchFailed => "patch-failed",
            Self::MissingActivity => "missing-activity",
            Self::RenamedToolCall => "renamed-tool-call",
            Self::ForeignParent => "foreign-parent",
            Self::MissingEntity => "missing-entity",
            Self::TextDropped => "text-dropped",
            Self::SkippedFrame => "skipped-frame",
            Self::AfterError => "after-error",
            Self::OtherId => "other-id",
            Self::LateArguments => "late-arguments",
            Self::UnendedCall => "unended-call",
            Self::RepeatedCall => "repeated-call",
            Self::SettledArguments => "settled-arguments",
            Self::RepeatedMessage => "repeated-message",
            Self::RepeatedText => "repeated-text",
        }
    }
}

/// What was tolerated, in more detail than the code. `{0}` and so on in the remarks are the names beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// The type is `{0}`.
    UnknownEvent,
    UnknownProperty,
    UnknownChoice,
    /// The member that tells the kind, which is `{0}`.
    UnknownKind(&'static str),
    UnknownOperation,
    RetiredTitle,
    RetiredForm,
    NewerVersion,
    StatePatch(PatchError),
    ActivityPatch(PatchError),
    MissingActivity,
    /// Call `{0}` of `{1}` is now one of `{2}`.
    Renamed,
    /// `{0}` is the parent of call `{1}`.
    ForeignParent,
    MissingMessage,
    MissingCall,
    MissingEncrypted,
    TextDropped,
    SkippedFrame,
    /// The type is `{0}`.
    AfterError,
    /// The member says `{0}` instead of `{1}`.
    OtherId(&'static str),
    LateArguments,
    UnendedCall,
    /// The second call `{0}` has the key `{1}`.
    RepeatedCall,
    SettledArguments,
    /// The second message `{0}` has the id `{1}`.
    RepeatedMessage,
    /// The message is `{0}`.
    RepeatedText,
}

impl Detail {
    fn code(self) -> WarningCode {
        match self {
            Self::UnknownEvent => WarningCode::UnknownEvent,
            Self::UnknownProperty => WarningCode::UnknownProperty,
            Self::UnknownChoice | Self::UnknownKind(_) | Self::UnknownOperation => WarningCode::UnknownMember,
            Self::RetiredTitle | Self::RetiredForm => WarningCode::Retired,
            Self::NewerVersion => WarningCode::NewerVersion,
            Self::StatePatch(_) | Self::ActivityPatch(_) => WarningCode::PatchFailed,
            Self::MissingActivity => WarningCode::MissingActivity,
            Self::Renamed => WarningCode::RenamedToolCall,
            Self::ForeignParent => WarningCode::ForeignParent,
            Self::MissingMessage | Self::MissingCall | Self::MissingEncrypted => WarningCode::MissingEntity,
            Self::TextDropped => WarningCode::TextDropped,
            Self::SkippedFrame => WarningCode::SkippedFrame,
            Self::AfterError => WarningCode::AfterError,
            Self::OtherId(_) => WarningCode::OtherId,
            Self::LateArguments => WarningCode::LateArguments,
            Self::UnendedCall => WarningCode::UnendedCall,
            Self::RepeatedCall => WarningCode::RepeatedCall,
            Self::SettledArguments => WarningCode::SettledArguments,
            Self::RepeatedMessage => WarningCode::RepeatedMessage,
            Self::RepeatedText => WarningCode::RepeatedText,
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |at: usize| self.names.get(at).map_or("", String::as_str);
        match self.detail {
            Detail::UnknownEvent => write!(f, "an event of the unknown type {} was dropped", name(0)),
            Detail::UnknownProperty => {
                write!(f, "the property {} is not described in version 1.0 and was stripped", name(0))
            }
            Detail::UnknownChoice => write!(f, "the unknown {} was removed", name(0)),
            Detail::UnknownKind(tag) => write!(f, "something of the unknown {tag} {} was removed", name(0)),
            Detail::UnknownOperation => f.write_str("a JSON Patch operation of an unknown kind was removed"),
            Detail::RetiredTitle => {
                f.write_str("the title of a retired THINKING_START has no place in 1.0 and was dropped")
            }
            Detail::RetiredForm => f.write_str("a retired form was translated"),
            Detail::NewerVersion => {
                write!(f, "the producer speaks version {}, this client {PROTOCOL_VERSION}", name(0))
            }
            Detail::StatePatch(error) => write!(f, "Failed to apply state patch: {error}"),
            Detail::ActivityPatch(error) => write!(f, "Failed to apply activity patch for '{}': {error}", name(0)),
            Detail::MissingActivity => write!(f, "there is no activity '{}'; its patch was skipped", name(0)),
            Detail::Renamed => write!(f, "the call '{}' of {} started again as {}", name(0), name(1), name(2)),
            Detail::ForeignParent => {
                write!(f, "the parent '{}' of call '{}' is no assistant message", name(0), name(1))
            }
            Detail::MissingMessage => write!(f, "the message '{}' is not there; the event was skipped", name(0)),
            Detail::MissingCall => write!(f, "no message holds the call '{}' any more", name(0)),
            Detail::MissingEncrypted => {
                write!(f, "an encrypted value is for '{}', which is not there; it was skipped", name(0))
            }
            Detail::TextDropped => write!(f, "the message '{}' takes no text; some was dropped", name(0)),
            Detail::SkippedFrame => f.write_str("a frame without an event was skipped"),
            Detail::AfterError => write!(f, "{} came after RUN_ERROR and was dropped", name(0)),
            Detail::OtherId(member) => {
                write!(f, "RUN_FINISHED has the {member} '{}', RUN_STARTED had '{}'", name(0), name(1))
            }
            Detail::LateArguments => {
                write!(f, "arguments came after the end of the call '{}' and were dropped", name(0))
            }
            Detail::UnendedCall => write!(f, "the call '{}' had not ended and was interrupted", name(0)),
            Detail::RepeatedCall => {
                write!(f, "the call id '{}' was used again; the later call has the key '{}'", name(0), name(1))
            }
            Detail::SettledArguments => {
                write!(f, "the arguments of the call '{}' came more than once; one form was kept", name(0))
            }
            Detail::RepeatedMessage => {
                write!(f, "another message has the id '{}'; the later one has the id '{}'", name(0), name(1))
            }
            Detail::RepeatedText => write!(f, "the message '{}' repeated the one before it and was dropped", name(0)),
        }
    }
}

impl Warning {
    /// How many wait at most until they are taken. Those that come on top are only counted: the first ones say what is wrong, and nobody may
    /// ever take them.
    pub const MAX_WAITING: usize = 256;

    /// The same about the whole of what was read.
    pub(crate) fn without_path(self) -> Self {
        Self { path: None, ..self }
    }

    pub(crate) fn detail(&self) -> Detail {
        self.detail
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}

/// Warnings that wait until they are taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warnings {
    waiting: Vec<Warning>,
    dropped: u64,
    /// Which event they are about.
    event_index: Option<u64>,
}

impl Warnings {
    /// What is warned of from here on is about this event.
    pub(crate) fn begin_event(&mut self, index: u64) {
        self.event_index = Some(index);
    }

    #[cold]
    pub(crate) fn push(&mut self, detail: Detail, names: &[&str], path: Option<String>) {
        if self.waiting.len() < Warning::MAX_WAITING {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            let (code, event_index) = (detail.code(), self.event_index);
            self.waiting.push(Warning { code, path, event_index, detail, names });
        } else {
            self.dropped += 1;
        }
    }

    pub(crate) fn take(&mut self) -> Option<Warning> {
        if self.waiting.is_empty() { None } else { Some(self.waiting.remove(0)) }
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    pub(crate) fn into_vec(self) -> Vec<Warning> {
        self.waiting
    }
}
