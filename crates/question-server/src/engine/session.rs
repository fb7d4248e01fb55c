//! A conversation in the server's memory: its state, its run and its event log.

use crate::error::ApiError;
use crate::live::histories::SharedHistory;
use crate::live::room::Share;
use crate::live::{Hub, Position};
use crate::owner::{Owner, name_in_log};
use crate::rate::RateLimits;
use crate::store::{Lease, Revision, Stored};
use question_agent::ag_ui::{Pending, View, wire};
use question_agent::registry::ToolContext;
use question_agent::{Conversation, Timestamp};
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard, OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// A conversation that is at work or watched.
#[derive(Debug)]
pub(crate) struct ActiveSession {
    pub(crate) id: String,
    /// The messages of a revision as JSON, for as long as a client reads them.
    history: std::sync::Mutex<(Option<Revision>, Weak<SharedHistory>)>,
    /// The owner, once it is known; `Some(None)` for a conversation without one.
    owner: OnceLock<Option<Owner>>,
    /// A digest of the peer that started it, if this server saw that.
    pub(crate) peer: OnceLock<String>,
    is_deleted: AtomicBool,
    /// The changes that are still allowed from outside.
    pub(crate) changes: Arc<RateLimits<String>>,
    pub(crate) hub: Hub,
    /// Boxed, so that its memory is free with the last `Arc`: the server keeps a `Weak` for a while.
    pub(crate) state: Mutex<Box<SessionState>>,
}

pub(crate) type SessionGuard<'a> = MutexGuard<'a, Box<SessionState>>;

/// The state of a session, under one lock.
#[derive(Debug, Default)]
pub(crate) struct SessionState {
    pub(crate) conversation: Conversation,
    pub(crate) context: ToolContext,
    /// The stored revision; `None` if none is stored yet.
    pub(crate) revision: Option<Revision>,
    /// The lease, as far as this server knows.
    pub(crate) lease: Option<Lease>,
    /// The time at which its question began to wait.
    pub(crate) waiting_since: Option<Timestamp>,
    /// The time since which it is idle or failed.
    pub(crate) ended_at: Option<Timestamp>,
    pub(crate) run: Option<ActiveRun>,
    /// The run that was under way after the last commit.
    pub(crate) told_run: Option<String>,
    /// True if this copy differs from the stored conversation, as between an event and its commit:
    /// [`Runtime::lock`](crate::engine::runtime::Runtime::lock) loads it again.
    pub(crate) is_away: bool,
    /// True if it was just loaded and is not used yet.
    pub(crate) is_fresh: bool,
}

impl SessionState {
    /// A conversation without messages.
    pub(crate) fn new() -> Self {
        Self { is_fresh: true, ..Self::default() }
    }

    /// A conversation from the store.
    pub(crate) fn stored(stored: Stored) -> Self {
        Self {
            conversation: stored.conversation,
            context: stored.context,
            revision: Some(stored.revision),
            lease: stored.lease,
            waiting_since: stored.waiting_since,
            ended_at: stored.ended_at,
            told_run: stored.run,
            ..Self::new()
        }
    }

    /// A stale state: the store has the conversation.
    fn away(revision: Option<Revision>) -> Self {
        Self { revision, is_away: true, ..Self::new() }
    }

    /// The conversation as AG-UI sees it.
    pub(crate) fn view(&self) -> View<'_> {
        View { conversation: &self.conversation, context: &self.context }
    }

    /// Evicts the conversation from memory until it is needed: a client may watch it for days while its question waits.
    pub(crate) fn rest(&mut self) {
        if self.run.is_none() && self.revision.is_some() {
            *self = Self::away(self.revision);
        }
    }
}

/// The time in which the server notices the end of a client's connection.
const ABANDON_GRACE: Duration = Duration::from_millis(250);

/// A run under way.
#[derive(Clone, Debug)]
pub(crate) struct ActiveRun {
    pub(crate) id: String,
    /// Cancelled to end the run.
    pub(crate) stop: CancellationToken,
    /// Cancelled once the run has ended.
    pub(crate) over: CancellationToken,
    pub(crate) pending: Pending,
    /// True if it was started over REST, so that no client reads it as its own or can abandon it.
    is_detached: bool,
    /// Closed while no client reads it as its own.
    followers: watch::Sender<()>,
    /// The permits of which it takes one before it begins, if it has to.
    pub(crate) permits: Option<Arc<Semaphore>>,
}

/// A client that reads the response to its own `POST`; dropped when it goes away.
pub(crate) type Follower = watch::Receiver<()>;

impl ActiveSession {
    /// A session whose conversation is still to be loaded or started.
    pub(crate) fn new(id: String, changes: Arc<RateLimits<String>>, log_bytes: usize) -> Self {
        let state = Mutex::new(Box::new(SessionState::away(None)));
        Self {
            id,
            history: std::sync::Mutex::default(),
            owner: OnceLock::new(),
            peer: OnceLock::new(),
            is_deleted: AtomicBool::new(false),
            changes,
            hub: Hub::new(log_bytes),
            state,
        }
    }

    /// The owner, if it has one.
    pub(crate) fn owner(&self) -> Option<&Owner> {
        self.owner.get()?.as_ref()
    }

    /// Returns true if it has been found in the store, or started.
    pub(crate) fn is_known(&self) -> bool {
        self.owner.get().is_some()
    }

    /// Sets the owner. Returns false if another one is known.
    pub(crate) fn belongs_to(&self, owner: Option<Owner>) -> bool {
        self.owner.get_or_init(|| owner.clone()) == &owner
    }

    /// Starts the conversation at this time.
    pub(crate) fn begin(&self, state: &mut SessionState, now: Timestamp) {
        self.hub.restart(Revision(now.0).previous(), None);
        *state = SessionState::new();
    }

    /// Ends the streams of all its clients after its deletion.
    pub(crate) fn end(&self) {
        self.is_deleted.store(true, Ordering::Release);
        self.hub.clear();
        // No conversation has this revision, so its clients cannot continue from it.
        self.hub.restart(Revision::default(), None);
    }

    /// Returns true once its streams have ended with its deletion.
    pub(crate) fn is_deleted(&self) -> bool {
        self.is_deleted.load(Ordering::Acquire)
    }

    /// The name for log lines.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        name_in_log(&self.id, self.owner())
    }

    /// Counts a change that a client makes.
    pub(crate) fn allow_change(&self) -> Result<(), ApiError> {
        self.changes.take(&self.id).map_err(|wait| ApiError::TooManyRequests { limit: "max-changes", wait })
    }

    /// The messages as JSON, shared by all clients that read them now.
    pub(crate) fn history(self: &Arc<Self>, state: &SessionState, room: Share) -> Arc<SharedHistory> {
        // Both are replaced at once, so a panic leaves them consistent.
        let mut kept = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = kept.1.upgrade().filter(|_| kept.0 == state.revision) {
            return text;
        }
        let messages =
            serde_json::to_string(&wire::messages(state.view())).expect("messages have only strings for keys");
        let text = SharedHistory::new(messages, room, self);
        *kept = (state.revision, Arc::downgrade(&text));
        text
    }

    /// The position of a client that knows the conversation's messages.
    pub(crate) fn settled(&self, state: &SessionState) -> Position {
        let end = self.hub.position();
        match state.revision {
            // The end of a run that broke off here is no part of a commit.
            Some(revision) if state.run.is_some() || end.revision != revision => Position::behind(revision),
            _ => end,
        }
    }
}

impl ActiveRun {
    pub(crate) fn new(id: String, pending: Pending) -> Self {
        Self {
            id,
            pending,
            is_detached: false,
            stop: CancellationToken::new(),
            over: CancellationToken::new(),
            followers: watch::Sender::default(),
            permits: None,
        }
    }

    /// A run that no client reads as its own.
    pub(crate) fn detached(id: String, state: &SessionState) -> Self {
        Self { is_detached: true, ..Self::new(id, Pending::of(&state.context)) }
    }

    /// A run that the server starts by itself. It counts as abandoned, so that the user's next message stops it.
    pub(crate) fn unattended(state: &SessionState) -> Self {
        Self::new(Uuid::new_v4().to_string(), Pending::of(&state.context))
    }

    /// Makes the run wait for one of these permits.
    pub(crate) fn after(self, permits: Arc<Semaphore>) -> Self {
        Self { permits: Some(permits), ..self }
    }

    /// Waits for the permit that it needs, if it needs one, until it is stopped.
    pub(crate) async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        let permits = Arc::clone(self.permits.as_ref()?);
        self.stop.run_until_cancelled(permits.acquire_owned()).await?.ok()
    }

    pub(crate) fn follow(&self) -> Follower {
        self.followers.subscribe()
    }

    /// Returns true if all clients that read the run as their own have gone, or go in a moment: a client's next request may arrive before the
    /// server notices its end.
    async fn is_abandoned(&self) -> bool {
        !self.is_detached && timeout(ABANDON_GRACE, self.followers.closed()).await.is_ok()
    }

    /// Stops the run and waits for its end.
    pub(crate) async fn stop_and_wait(&self) {
        self.stop.cancel();
        self.over.cancelled().await;
    }

    /// Stops the run if its clients have gone. Returns true if it has ended.
    pub(crate) async fn stop_if_abandoned(&self) -> bool {
        if !self.is_abandoned().await && !self.over.is_cancelled() {
            return false;
        }
        self.stop_and_wait().await;
        true
    }
}
