//! What was tolerated, as data. Nothing here is ever printed.

use serde::Serialize;
use std::collections::VecDeque;

/// Something that was tolerated, dropped or repaired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Warning {
    /// Which kind, for programs.
    pub code: WarningCode,
    /// Where in the event, as a JSON pointer, where one place can be named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A sentence for developers.
    pub message: String,
    /// Which event of the stream, counted from 0 and with the dropped ones, where one can be named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_index: Option<u64>,
}

/// The kinds of warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
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
    /// A `[DONE]` after the run's end was ignored.
    DoneMarker,
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
            Self::DoneMarker => "done-marker",
            Self::PatchFailed => "patch-failed",
            Self::MissingActivity => "missing-activity",
            Self::RenamedToolCall => "renamed-tool-call",
            Self::ForeignParent => "foreign-parent",
            Self::MissingEntity => "missing-entity",
            Self::TextDropped => "text-dropped",
        }
    }
}

impl Warning {
    /// How many wait at most until they are taken. Those that come on top are only counted: the first ones say what is wrong, and nobody may
    /// ever take them.
    pub const MAX_WAITING: usize = 256;

    pub(crate) fn new(code: WarningCode, message: impl Into<String>) -> Self {
        Self { code, path: None, message: message.into(), event_index: None }
    }

    pub(crate) fn at(self, path: impl Into<String>) -> Self {
        Self { path: Some(path.into()), ..self }
    }
}

/// Warnings that wait until they are taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warnings {
    waiting: VecDeque<Warning>,
    dropped: u64,
    /// Which event they are about.
    event_index: Option<u64>,
}

impl Warnings {
    /// What is warned of from here on is about this event.
    pub(crate) fn begin_event(&mut self, index: u64) {
        self.event_index = Some(index);
    }

    /// What is warned of from here on is about no event.
    pub(crate) fn end_event(&mut self) {
        self.event_index = None;
    }

    pub(crate) fn push(&mut self, warning: Warning) {
        if self.waiting.len() < Warning::MAX_WAITING {
            self.waiting.push_back(Warning { event_index: self.event_index, ..warning });
        } else {
            self.dropped += 1;
        }
    }

    pub(crate) fn take(&mut self) -> Option<Warning> {
        self.waiting.pop_front()
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    pub(crate) fn into_vec(self) -> Vec<Warning> {
        self.waiting.into()
    }
}
