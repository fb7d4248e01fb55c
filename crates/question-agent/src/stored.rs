//! Reads a stored conversation.

use crate::conversation::Conversation;
use serde_json::Value;
use thiserror::Error;

/// The version of the parts that a store keeps: states and messages, as they serialize. In version 1 an ask could not expire.
pub const VERSION: u32 = 2;

impl Conversation {
    /// Reads a conversation from its parts: the present state, and the messages in the order in which the effects brought them. A result
    /// that came behind a later message goes back to its call, as it did then. [`resume`](Self::resume) continues the work that was under
    /// way.
    ///
    /// # Errors
    /// [`StoredError::Newer`] if a later version wrote it, [`StoredError::Unreadable`] if it is no conversation.
    pub fn from_parts(version: u32, state: Value, messages: Vec<Value>) -> Result<Self, StoredError> {
        if version > VERSION {
            return Err(StoredError::Newer { version });
        }
        // An ask of version 1 has no deadline, and so waits without a limit.
        let state = serde_json::from_value(state)?;
        let messages: Result<_, _> = messages.into_iter().map(serde_json::from_value).collect();
        Ok(Self::replayed(state, messages?))
    }
}

/// The reason why stored parts could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StoredError {
    /// A later version of this crate wrote them.
    #[error("the conversation was stored by a newer version ({version}, this one reads {VERSION})")]
    Newer {
        /// The version they have.
        version: u32,
    },
    /// They are no conversation.
    #[error("the stored conversation cannot be read: {0}")]
    Unreadable(String),
}

impl From<serde_json::Error> for StoredError {
    fn from(error: serde_json::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}
