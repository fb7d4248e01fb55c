//! Where conversations are kept.

pub(crate) mod error;
mod memory;
mod position;
#[cfg(feature = "postgres")]
pub mod postgres;
mod rows;
pub mod signals;
pub mod sqlite;

use crate::clock::Clock;
use crate::owner::Owner;
use async_trait::async_trait;
pub use error::{CommitError, StoreError};
pub use memory::MemoryStore;
pub use position::{Revision, StreamPosition};
#[cfg(feature = "postgres")]
pub use postgres::PostgresStore;
use question_agent::message::Message;
use question_agent::registry::ToolContext;
use question_agent::{ConvState, Conversation, Timestamp};
use signals::Signals;
pub use sqlite::SqliteStore;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use uuid::Uuid;

/// Where conversations are kept. What it has acknowledged is there after a crash, as far as its medium allows.
///
/// A conversation has a [`Revision`]. A change names the revision that it is based on, and the store takes one change for each revision. So
/// reading, deciding and committing needs no other lock, in one process or in many.
#[async_trait]
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// Reads a conversation; `None` where there is none.
    async fn load(&self, id: &str) -> Result<Option<Stored>, StoreError>;

    /// Stores what an event changed, as one commit, if the conversation still has the revision `base`; `None` is for one that does not exist yet.
    /// An acknowledged commit stays.
    async fn commit(&self, id: &str, base: Option<Revision>, change: Change<'_>) -> Result<(), CommitError>;

    /// The conversations that somebody has to take up by now: their question has expired, or nobody works on them any more. And when to look again.
    async fn due(&self, now: Timestamp) -> Result<Due, StoreError>;

    /// Has the leases of these conversations run longer, where they are still this holder's.
    async fn renew(&self, ids: Vec<String>, lease: Lease) -> Result<(), StoreError>;

    /// Deletes a conversation with all that was said in it, if it still has this revision; false if it has another or is gone.
    async fn delete(&self, id: &str, revision: Revision) -> Result<bool, StoreError>;

    /// Deletes conversations that ended by then and in which nothing has happened since, some at a time, and gives their names.
    async fn delete_ended(&self, by: Timestamp) -> Result<Vec<String>, StoreError>;

    /// Finds out whether it could commit now.
    async fn check(&self) -> Result<(), StoreError>;

    /// The number of conversations.
    async fn count(&self) -> Result<usize, StoreError>;

    /// The position up to which the clients of these conversations had been told at the last commit; those that are missing are deleted. `None` where nobody else can
    /// change what this server has read, as in a store of one server.
    async fn told(&self, ids: Vec<String>) -> Result<Option<HashMap<String, StreamPosition>>, StoreError> {
        let _ = ids;
        Ok(None)
    }

    /// The signals by which servers learn of one another's commits; `None` if it is one server's alone.
    fn signals(&self) -> Option<Arc<dyn Signals>> {
        None
    }

    /// The clock by which servers that share it agree on leases; `None` if it is one server's alone.
    fn clock(&self) -> Option<Arc<dyn Clock>> {
        None
    }

    /// The questions that wait for their answer.
    async fn waiting(&self) -> Result<Waiting, StoreError> {
        Ok(Waiting::default())
    }

    /// The connections to its database that are in use, and the most that it may have; `None` for a store without.
    fn pool(&self) -> Option<(usize, usize)> {
        None
    }

    /// The number of conversations that are this owner's.
    async fn count_of(&self, owner: &Owner) -> Result<usize, StoreError>;

    /// The conversations that are this owner's, the newest first and no more than `most`.
    async fn of_owner(&self, owner: &Owner, most: usize) -> Result<Vec<String>, StoreError>;

    /// Conversations that can make room for others, the first to go first and no more than `most`: those of the peer that has most, if that is more
    /// than `over`. Nobody works on them, and they are not of the newest quarter of the peer's. Where least was said goes first, then what does
    /// not wait, then the newest: so what somebody makes up in a hurry goes before the question that was there already.
    async fn surplus(&self, over: usize, most: usize) -> Result<Vec<(String, Revision)>, StoreError> {
        let _ = (over, most);
        Ok(Vec::new())
    }

    /// The bytes of memory that they take, near enough; 0 for a store that keeps them elsewhere.
    fn bytes(&self) -> usize {
        0
    }

    /// The longest conversation of the peer whose conversations take most memory, if nobody works on it.
    async fn longest(&self) -> Result<Option<(String, Revision)>, StoreError> {
        Ok(None)
    }
}

/// Who works on a conversation, and until when nobody else may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The server that works on it.
    pub holder: Uuid,
    /// When that is over, unless it is renewed.
    pub until: Timestamp,
}

/// What is to be taken up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Due {
    /// The conversations, those that wait longest first.
    pub now: Vec<String>,
    /// When there will be more.
    pub next: Option<Timestamp>,
}

/// The questions that wait for their answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Their number.
    pub count: usize,
    /// Since when the oldest of them waits.
    pub since: Option<Timestamp>,
}

/// A conversation as a store has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// What was said and where it stands.
    pub conversation: Conversation,
    /// Who its agent is and what it may do.
    pub context: ToolContext,
    /// Whose it is; `None` if its creator did not say.
    pub owner: Option<Owner>,
    /// Which of its states this is.
    pub revision: Revision,
    /// The position up to which its clients had been told when it was committed.
    pub told: StreamPosition,
    /// Since when its question waits, if one does.
    pub waiting_since: Option<Timestamp>,
    /// Who works on it.
    pub lease: Option<Lease>,
    /// In which run, as far as a store with [signals](Store::signals) knows.
    pub run: Option<String>,
}

/// What an event changed in a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The revision that it makes.
    pub revision: Revision,
    /// Whose conversation it is. It is kept with the first change and stays.
    pub owner: Option<&'a Owner>,
    /// From where it was started, as a digest of the peer; empty if that is not known. It stays as well.
    pub peer: &'a str,
    /// Who its agent is and what it may do, as it is now.
    pub context: &'a ToolContext,
    /// Where it stands now.
    pub state: &'a ConvState,
    /// The new messages and results, in the order in which the effects brought them.
    pub messages: &'a [Message],
    /// The position up to which its clients will have been told with it.
    pub told: StreamPosition,
    /// Who works on it from now on.
    pub lease: Option<Lease>,
    /// In which run. For stores with [signals](Store::signals) alone.
    pub run: Option<&'a str>,
    /// When that is.
    pub at: Timestamp,
}

impl Change<'_> {
    /// When it came to an end, for now: nobody works on it, and it waits for nobody.
    fn ended_at(&self) -> Option<Timestamp> {
        matches!(self.state, ConvState::Idle | ConvState::Failed { .. }).then_some(self.at)
    }

    /// Since when its question waits, if one does.
    fn waiting_since(&self) -> Option<Timestamp> {
        self.state.waiting().map(|_| self.at)
    }

    /// When a server has to look after the conversation.
    fn due_at(&self) -> Option<Timestamp> {
        let expiry = self.state.waiting().and_then(|waiting| waiting.expires_at);
        let callbacks = self.context.callbacks.iter().filter_map(|callback| callback.due);
        self.lease.map(|lease| lease.until).or_else(|| callbacks.chain(expiry).min())
    }
}

/// The number of ended conversations that are deleted at a time, so that nobody waits long for that.
const DELETED_AT_A_TIME: usize = 256;
