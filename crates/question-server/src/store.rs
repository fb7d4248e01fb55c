//! Stores of conversations.

pub(crate) mod error;
mod files;
#[cfg(feature = "postgres")]
pub mod postgres;
mod push;
mod revision;
mod rows;
pub mod signals;
mod sql;
pub mod sqlite;
pub mod suite;

use crate::engine::clock::Clock;
use crate::owner::Owner;
use async_trait::async_trait;
pub use error::{CommitError, StoreError};
pub use files::{FileHead, FilePart, FileRoom, NewFile, StoredFile};
use futures_util::stream::BoxStream;
#[cfg(feature = "postgres")]
pub use postgres::PostgresStore;
pub use push::{NewPushSubscription, PushSubscription};
use question_agent::message::Message;
use question_agent::registry::ToolContext;
use question_agent::{ConvState, Conversation, Timestamp};
pub use revision::Revision;
use serde::Serialize;
use signals::Signal;
pub use sqlite::SqliteStore;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use uuid::Uuid;

/// A store of conversations. An acknowledged commit survives a crash, as far as its medium allows.
///
/// A conversation has a [`Revision`]. A change names the revision that it is based on, and the store takes one change for each revision. So
/// reading, deciding and committing needs no other lock, in one process or in many.
#[async_trait]
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// Loads a conversation; `None` if there is none.
    async fn load(&self, id: &str) -> Result<Option<Stored>, StoreError>;

    /// Loads the owner of a conversation: `None` if there is no conversation, `Some(None)` if it has no owner.
    async fn owner(&self, id: &str) -> Result<Option<Option<Owner>>, StoreError> {
        Ok(self.load(id).await?.map(|stored| stored.owner))
    }

    /// Stores a change as a whole if the conversation still has the revision `base`, or does not exist yet if that is `None`.
    async fn commit(&self, id: &str, base: Option<Revision>, change: Commit<'_>) -> Result<(), CommitError>;

    /// Claims conversations in which this kind of work is due now, at most `most`: for a while no other claim gets them.
    async fn due(&self, kind: DueKind, now: Timestamp, most: usize) -> Result<Due<String>, StoreError>;

    /// Prolongs the leases of these conversations, if they are still this holder's.
    async fn renew(&self, ids: Vec<String>, lease: Lease) -> Result<(), StoreError>;

    /// Claims webhooks that are due now, at most `most`: until `until` no other claim gets them.
    async fn claim_webhooks(&self, now: Timestamp, until: Timestamp, most: usize) -> Result<Due<Webhook>, StoreError>;

    /// Stores the attempts of a webhook and the time of the next one, or removes it if there is none.
    async fn reschedule_webhook(&self, webhook: &Webhook, next_at: Option<Timestamp>) -> Result<(), StoreError>;

    /// Deletes a conversation with its messages, webhooks and files, if it still has this revision. Returns false if it has another or is gone.
    async fn delete(&self, id: &str, revision: Revision) -> Result<bool, StoreError>;

    /// Deletes conversations that ended by this time, a limited number at a time, and returns their ids.
    async fn delete_ended(&self, by: Timestamp) -> Result<Vec<String>, StoreError>;

    /// Fails if the store cannot commit now.
    async fn check(&self) -> Result<(), StoreError>;

    /// The number of conversations.
    async fn count(&self) -> Result<usize, StoreError>;

    /// Loads the entries of a conversation after a revision, in order. Returns none if their texts have more than `most` bytes together.
    async fn entries(&self, id: &str, after: Revision, most: usize) -> Result<Vec<Entry>, StoreError>;

    /// The revisions of these conversations; one that is missing from the map was deleted. `None` for a store of one server.
    async fn revisions(&self, ids: Vec<String>) -> Result<Option<HashMap<String, Revision>>, StoreError> {
        let _ = ids;
        Ok(None)
    }

    /// Sends signals to all servers that share the store, with the sender. One may get lost: servers also poll
    /// [`revisions`](Self::revisions).
    async fn publish(&self, signals: Vec<Signal>) -> Result<(), StoreError> {
        let _ = signals;
        Ok(())
    }

    /// The signals that servers send from now on. A `None` among them says that some may be lost. A store of one server has no stream.
    fn subscribe(&self) -> Option<BoxStream<'static, Option<Signal>>> {
        None
    }

    /// The clock for the leases of servers that share the store; `None` for a store of one server.
    fn clock(&self) -> Option<Arc<dyn Clock>> {
        None
    }

    /// The questions that wait for an answer.
    async fn waiting(&self) -> Result<Waiting, StoreError> {
        Ok(Waiting::default())
    }

    /// The connections in use and the most connections; `None` for a store without a pool.
    fn pool(&self) -> Option<(usize, usize)> {
        None
    }

    /// The number of conversations of this owner.
    async fn count_of(&self, owner: &Owner) -> Result<usize, StoreError>;

    /// The ids of this owner's conversations, newest first and at most `most`.
    async fn of_owner(&self, owner: &Owner, most: usize) -> Result<Vec<String>, StoreError>;

    /// The number of this peer's conversations.
    async fn count_of_peer(&self, peer: &str) -> Result<usize, StoreError> {
        let _ = peer;
        Ok(0)
    }

    /// Stores a file if it fits into `room`. Returns true if it is stored. The same bytes again take no room: they update the name, the type and the
    /// time.
    async fn put_file(&self, file: NewFile, room: FileRoom) -> Result<bool, StoreError>;

    /// A file of a conversation by its digest.
    async fn file(&self, conversation: &str, hash: &str, with: FilePart) -> Result<Option<StoredFile>, StoreError>;

    /// Deletes files that came by this time for conversations that never began, a limited number at a time, and returns their number.
    async fn delete_lost_files(&self, by: Timestamp) -> Result<usize, StoreError>;

    /// Returns the secret of this name, which all servers of this store share. If there is none yet, it becomes `fresh`.
    async fn secret(&self, name: &str, fresh: Vec<u8>) -> Result<Vec<u8>, StoreError>;

    /// Stores a browser's subscription, and removes its owner's oldest ones above `new.most`.
    async fn put_push_subscription(&self, new: NewPushSubscription) -> Result<(), StoreError>;

    /// The number of all subscriptions.
    async fn count_push_subscriptions(&self) -> Result<usize, StoreError>;

    /// The subscriptions of an owner's browsers, oldest first.
    async fn push_subscriptions(&self, owner: &Owner) -> Result<Vec<PushSubscription>, StoreError>;

    /// The subscription with this endpoint.
    async fn push_subscription(&self, endpoint: &str) -> Result<Option<PushSubscription>, StoreError>;

    /// Removes a subscription: of this owner, or of any.
    async fn delete_push_subscription(&self, endpoint: &str, owner: Option<&Owner>) -> Result<(), StoreError>;

    /// The memory that the conversations take, in bytes and roughly; 0 for a store outside of memory.
    fn bytes(&self) -> usize {
        0
    }
}

/// The exclusive right of one server to work on a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The server that works on it.
    pub holder: Uuid,
    /// The time at which it ends unless it is renewed.
    pub until: Timestamp,
}

/// A kind of work without a client. Each has its own bound, so that one keeps no other waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DueKind {
    /// A run goes on, since the lease of its server has ended.
    Resume,
    /// A question expires.
    Expire,
}

/// What is due: webhooks, or conversations by their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due<T> {
    /// The claimed items, in any order. Those due for longest are claimed first.
    pub claimed: Vec<T>,
    /// The time at which to claim again; `None` if nothing is left.
    pub next: Option<Timestamp>,
}

/// What a URL is called with: the outcome of a program's ask, or a question that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// The conversation.
    pub conversation: String,
    /// The id of the ask whose outcome it is, or a random one.
    pub id: String,
    /// The URL; empty for that of `--notify-url`, which may have a secret.
    pub url: String,
    /// The body as JSON.
    pub body: String,
    /// The number of attempts so far.
    pub attempts: u32,
}

/// A webhook of a commit, due at its time.
#[derive(Clone, Debug, Serialize)]
pub struct NewWebhook {
    /// The id of the ask whose outcome it is, or a random one.
    pub id: String,
    /// The URL; empty for that of `--notify-url`.
    pub url: String,
    /// The body as JSON.
    pub body: String,
    /// The time of the first attempt.
    pub at: Timestamp,
}

/// The questions that wait for an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Their number.
    pub count: usize,
    /// The time at which the oldest began to wait.
    pub since: Option<Timestamp>,
}

/// A conversation as a store has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The messages and the state.
    pub conversation: Conversation,
    /// The context of its agent: tools, permissions, callbacks.
    pub context: ToolContext,
    /// The owner; `None` if its creator named none.
    pub owner: Option<Owner>,
    /// The revision of this state.
    pub revision: Revision,
    /// The time at which its question began to wait.
    pub waiting_since: Option<Timestamp>,
    /// The time since which it is idle or failed; `None` while it is at work or a question waits.
    pub ended_at: Option<Timestamp>,
    /// The lease, if it is at work.
    pub lease: Option<Lease>,
    /// The run that is under way.
    pub run: Option<String>,
}

/// What clients are told of one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The revision that the commit made.
    pub revision: Revision,
    /// The run under way after the commit.
    pub run: Option<String>,
    /// The events and states, as in the [commit](Commit::told).
    pub told: String,
}

/// The changes that an event makes to a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Commit<'a> {
    /// The revision that it makes.
    pub revision: Revision,
    /// The owner. The first commit sets it.
    pub owner: Option<&'a Owner>,
    /// A digest of the peer that started it; empty if it is not known. The first commit sets it.
    pub peer: &'a str,
    /// The context of its agent.
    pub context: &'a ToolContext,
    /// The state.
    pub state: &'a ConvState,
    /// The new messages and results, in the order of the effects.
    pub messages: &'a [Message],
    /// The webhooks that it makes due.
    pub webhooks: &'a [NewWebhook],
    /// The events and states for clients that have seen none of them live, as text.
    pub told: &'a str,
    /// The lease from now on.
    pub lease: Option<Lease>,
    /// The run under way.
    pub run: Option<&'a str>,
    /// The time of the change.
    pub at: Timestamp,
}

impl Commit<'_> {
    /// The time of the change, if the conversation is idle or failed after it.
    pub(crate) fn ended_at(&self) -> Option<Timestamp> {
        matches!(self.state, ConvState::Idle | ConvState::Failed { .. }).then_some(self.at)
    }

    /// The time at which its question began to wait.
    fn waiting_since(&self) -> Option<Timestamp> {
        self.state.waiting().map(|_| self.at)
    }

    /// The time at which a server has to resume the conversation.
    fn due_at(&self) -> Option<Timestamp> {
        let expiry = self.state.waiting().and_then(|waiting| waiting.expires_at);
        self.lease.map(|lease| lease.until).or(expiry)
    }
}

/// The most ended conversations, or lost files, that are deleted at a time. Each may have many bytes, and other commits wait meanwhile.
const DELETED_AT_A_TIME: usize = 16;
