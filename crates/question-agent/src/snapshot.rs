//! A conversation at rest: what is stored, and how it is read by later versions.

use crate::conversation::Conversation;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::error::Error;
use std::fmt;

/// The version that [`Snapshot::new`] writes. In version 1 an ask could not expire.
pub const SNAPSHOT_VERSION: u32 = 2;

/// A conversation at rest. It can be taken at any point; what was under way goes on by [`Conversation::resume`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    version: u32,
    conversation: Conversation,
}

impl Snapshot {
    /// Takes a snapshot.
    #[must_use]
    pub fn new(conversation: Conversation) -> Self {
        Self { version: SNAPSHOT_VERSION, conversation }
    }

    /// The stored form.
    #[must_use]
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).expect("every map key of a snapshot is a string")
    }

    /// Reads a stored form of this version or an older one.
    ///
    /// # Errors
    /// [`SnapshotError::Newer`] where a later version wrote it, [`SnapshotError::Unreadable`] where it is no snapshot.
    pub fn from_json(json: Value) -> Result<Self, SnapshotError> {
        let version = json.get("version").and_then(Value::as_u64);
        match version {
            Some(1) => Self::read(migrate_from_1(json)),
            Some(2) => Self::read(json),
            Some(version) if version > u64::from(SNAPSHOT_VERSION) => Err(SnapshotError::Newer { version }),
            // Versions below 1 were never written.
            Some(_) | None => Err(SnapshotError::Unreadable("it has no known version".to_owned())),
        }
    }

    fn read(json: Value) -> Result<Self, SnapshotError> {
        serde_json::from_value(json).map_err(|error| SnapshotError::Unreadable(error.to_string()))
    }

    /// Reads a conversation that was stored in parts, as a store does that writes only what is new: the state as it is now, and the messages in the
    /// order in which the effects brought them. A result that came behind a later message goes back to its call, as it did then.
    ///
    /// # Errors
    /// Those of [`from_json`](Self::from_json).
    pub fn from_parts(version: u32, state: Value, messages: Vec<Value>) -> Result<Self, SnapshotError> {
        let conversation = json!({"state": state, "messages": messages});
        let read = Self::from_json(json!({"version": version, "conversation": conversation}))?;
        Ok(Self { version: read.version, conversation: read.conversation.replayed() })
    }

    /// The conversation, to go on with.
    #[must_use]
    pub fn into_conversation(self) -> Conversation {
        self.conversation
    }
}

/// An ask of version 1 has no deadline, which version 2 reads as waiting for as long as it takes.
fn migrate_from_1(mut json: Value) -> Value {
    json["version"] = 2.into();
    json
}

/// Why a stored form could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnapshotError {
    /// A later version of this crate wrote it.
    Newer {
        /// The version it has.
        version: u64,
    },
    /// It is no snapshot.
    Unreadable(String),
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Newer { version } => write!(
                f,
                "the conversation was stored by a newer version ({version}, this one reads {SNAPSHOT_VERSION})"
            ),
            Self::Unreadable(why) => write!(f, "the stored conversation cannot be read: {why}"),
        }
    }
}

impl Error for SnapshotError {}
