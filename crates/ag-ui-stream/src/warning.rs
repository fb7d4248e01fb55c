//! What was tolerated, as data. Nothing here is ever printed.

use serde::Serialize;

/// Something that was tolerated, dropped or repaired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Warning {
    /// Which kind, for programs.
    pub code: WarningCode,
    /// Where in the event, as a JSON pointer, where one place can be named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A sentence for people.
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
    /// An encrypted value is for something that is not there; it was skipped.
    MissingEntity,
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
        }
    }
}

impl Warning {
    pub(crate) fn new(code: WarningCode, message: impl Into<String>) -> Self {
        Self {
            code,
            path: None,
            message: message.into(),
            event_index: None,
        }
    }

    pub(crate) fn at(self, path: impl Into<String>) -> Self {
        Self {
            path: Some(path.into()),
            ..self
        }
    }
}
