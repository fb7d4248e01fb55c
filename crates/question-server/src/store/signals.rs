//! The signals between servers that share a store.

use super::revision::Revision;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A signal from one server to the others. Postgres takes 8,000 bytes of one at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signal {
    /// The server that sends it.
    pub by: Uuid,
    /// The conversation.
    pub id: String,
    /// Its content.
    #[serde(flatten)]
    pub notification: Notification,
}

/// The content of a signal about a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "news", content = "of", rename_all = "snake_case")]
pub enum Notification {
    /// The conversation was changed up to this revision, or deleted after it.
    Committed(Revision),
    /// The server that worked on it stops, and has released its lease.
    Released,
    /// The server that works on this run is to stop it.
    Stop {
        /// The run.
        run: String,
        /// The reason.
        cause: StopCause,
    },
}

/// The reason why a run is to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopCause {
    /// A client asked for it.
    Requested,
    /// A client has a new message: the run stops only if its own client has gone.
    IfAbandoned,
}
