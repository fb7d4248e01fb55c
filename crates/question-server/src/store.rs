//! Where conversations are kept.

mod memory;
mod rows;
pub mod sqlite;

use crate::owner::Owner;
use futures_util::future::BoxFuture;
pub use memory::MemoryStore;
use question_agent::registry::ToolContext;
use question_agent::{Conversation, Effect, Timestamp};
pub use sqlite::SqliteStore;
use std::error::Error;
use std::fmt;

/// Where conversations are kept. What it has acknowledged is there after a crash, as far as its medium allows.
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// Reads a conversation; `None` where there is none.
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Stored>, StoreError>>;

    /// Keeps what an event changed, as one commit. Once it is acknowledged it stays.
    fn commit<'a>(&'a self, id: &'a str, change: Change<'a>) -> BoxFuture<'a, Result<(), StoreError>>;

    /// How many conversations there are.
    fn count(&self) -> BoxFuture<'_, Result<usize, StoreError>>;

    /// Which questions have expired by now, and when the next will.
    fn deadlines(&self, now: Timestamp) -> BoxFuture<'_, Result<Deadlines, StoreError>>;

    /// The conversations in which a model or a tool is at work; at the start, all that an earlier process left so, the oldest first.
    fn at_work(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>>;
}

/// When questions expire that wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deadlines {
    /// The conversations whose questions have, those that wait longest first.
    pub over: Vec<String>,
    /// When the next will.
    pub next: Option<Timestamp>,
}

/// A conversation as a store has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// What was said and where it stands.
    pub conversation: Conversation,
    /// Who its agent is and what it may do.
    pub context: ToolContext,
    /// Whose it is; `None` where whoever made it did not say.
    pub owner: Option<Owner>,
}

/// What an event changed in a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// Whose conversation it is. It is kept with the first change and stays.
    pub owner: Option<&'a Owner>,
    /// Who its agent is and what it may do, as it is now.
    pub context: &'a ToolContext,
    /// What the event led to.
    pub conversation: &'a Conversation,
    /// The new messages, results and state.
    pub effects: &'a [Effect],
}

/// Why the store did not do it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError(pub String);

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for StoreError {}
