//! Opening, loading and deleting conversations.

use super::{Runtime, Sessions};
use crate::caller::Caller;
use crate::config::limits::{COUNT_PAUSE, COUNTED_FOR, LOST_FILES_KEPT_FOR};
use crate::engine::clock::earlier;
use crate::engine::session::{ActiveSession, SessionGuard, SessionState};
use crate::error::{ApiError, WithCauses};
use crate::live::room::Share;
use crate::peer::Peer;
use crate::store::signals::{Notification, StopCause};
use crate::store::{Entry, Revision, StoreError};
use question_agent::Timestamp;
use question_agent::ag_ui::length_of;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

impl Runtime {
    /// The sessions in memory. The guard must not be held over an await.
    pub(super) fn sessions(&self) -> MutexGuard<'_, Sessions> {
        // Ids are only inserted and removed, so a panic leaves the map consistent.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session with this id, or a new one. The store may not have the conversation.
    fn session(&self, id: &str) -> Arc<ActiveSession> {
        let new = || ActiveSession::new(id.to_owned(), Arc::clone(&self.changes), self.config.bounds.log());
        self.sessions().entry(id.into()).or_insert_with(|| Arc::new(new()))
    }

    /// Opens a conversation. One that the caller may not open counts as unknown.
    pub(crate) async fn open(&self, caller: &Caller, id: &str) -> Result<Arc<ActiveSession>, ApiError> {
        let session = self.find(id).await?;
        session.filter(|session| caller.may_open(session.owner())).ok_or(ApiError::UnknownConversation)
    }

    pub(super) async fn open_or_create(&self, caller: &Caller, id: &str) -> Result<Arc<ActiveSession>, ApiError> {
        let session = self.session(id);
        let mut state = session.state.lock().await;
        if !session.is_known() && !self.load(&session, &mut state).await? {
            self.check_room(caller).await?;
            session.belongs_to(caller.owner.clone());
            session.peer.get_or_init(|| caller.peer.map(Peer::digest).unwrap_or_default());
            session.begin(&mut state, self.clock.now());
        }
        drop(state);
        Some(session).filter(|session| caller.may_open(session.owner())).ok_or(ApiError::UnknownConversation)
    }

    /// Opens a conversation for a program's ask. A new one has no owner unless a layer around the server names it: each client that knows its id may answer.
    pub(crate) async fn open_for_program(&self, caller: &Caller, id: &str) -> Result<Arc<ActiveSession>, ApiError> {
        match self.find(id).await? {
            Some(_) => self.open(caller, id).await,
            None => self.open_or_create(&caller.as_program(), id).await,
        }
    }

    /// Finds a conversation of any owner.
    pub(crate) async fn find(&self, id: &str) -> Result<Option<Arc<ActiveSession>>, ApiError> {
        let session = self.session(id);
        if !session.is_known() {
            let mut state = session.state.lock().await;
            if !session.is_known() && !self.load(&session, &mut state).await? {
                return Ok(None);
            }
        }
        Ok(Some(session))
    }

    /// The current state of a conversation, under its lock.
    pub(crate) async fn lock<'a>(
        self: &Arc<Self>,
        session: &'a Arc<ActiveSession>,
    ) -> Result<SessionGuard<'a>, ApiError> {
        let mut state = session.state.lock().await;
        loop {
            // No other server changes a conversation at work here.
            let is_shared = self.is_shared() && state.run.is_none();
            let is_fresh = std::mem::take(&mut state.is_fresh);
            if state.is_away || (is_shared && !is_fresh) {
                let was_there = state.revision.is_some();
                if !self.load(session, &mut state).await? {
                    if was_there {
                        self.end(session);
                        return Err(ApiError::UnknownConversation);
                    }
                    session.begin(&mut state, self.clock.now());
                }
                state.is_fresh = false;
            }
            match self.expire(session, &mut state).await {
                Err(ApiError::Overtaken) => {}
                expired => return expired.map(|()| state),
            }
        }
    }

    /// Like [`lock`](Self::lock), with memory reserved for a text with the history.
    pub(crate) async fn lock_with_room<'a>(
        self: &Arc<Self>,
        session: &'a Arc<ActiveSession>,
        share: &mut Share,
    ) -> Result<SessionGuard<'a>, ApiError> {
        let mut state = self.lock(session).await?;
        let length = length_of(state.conversation.messages());
        if share.try_reserve(length) {
            return Ok(state);
        }
        // Other requests can use the conversation during the wait.
        state.rest();
        drop(state);
        if share.reserve(length).await { self.lock(session).await } else { Err(ApiError::HistoriesFull) }
    }

    /// Loads a conversation from the store. Returns false if there is none.
    async fn load(&self, session: &ActiveSession, state: &mut SessionState) -> Result<bool, ApiError> {
        let Some(mut stored) = self.store.load(&session.id).await? else {
            return Ok(false);
        };
        if !session.belongs_to(stored.owner.take()) {
            // The conversation was deleted, and another one has its id now.
            self.end(session);
            return Err(ApiError::UnknownConversation);
        }
        let (here, there) = (session.hub.position().revision, stored.revision);
        let is_told = here < there && session.hub.is_read() && self.tell_missed(session, there).await?;
        *state = SessionState::stored(stored);
        if here != there && !is_told {
            session.hub.restart(there, state.told_run.as_deref());
        }
        Ok(true)
    }

    /// Appends to the log what other servers have committed, up to a revision. Returns false if [`entries`](Self::entries) returns nothing.
    pub(super) async fn tell_missed(&self, session: &ActiveSession, to: Revision) -> Result<bool, StoreError> {
        let missed = self.entries(session, session.hub.position().revision, to).await?;
        missed.iter().for_each(|entry| session.hub.catch_up(entry));
        Ok(!missed.is_empty())
    }

    /// The stored entries after one revision, up to another. Empty if the first one does not follow directly, as in a later conversation with this
    /// id, or if they are longer than what is buffered for slow clients.
    pub(crate) async fn entries(
        &self,
        session: &ActiveSession,
        after: Revision,
        to: Revision,
    ) -> Result<Vec<Entry>, StoreError> {
        let mut entries = self.store.entries(&session.id, after, self.config.bounds.log()).await?;
        entries.retain(|entry| entry.revision <= to);
        let is_next = entries.first().is_some_and(|first| first.revision == after.next());
        Ok(if is_next { entries } else { Vec::new() })
    }

    /// The number of stored conversations when they were last counted, with what this server has stored and deleted since. Counting reads the whole
    /// store, so it is done only now and then, and changes of other servers show late.
    pub(super) async fn stored(&self) -> Result<usize, StoreError> {
        let known = self.stored_count().filter(|(_, until)| Instant::now() < *until);
        if let Some((count, _)) = known {
            return Ok(count);
        }
        let begun = Instant::now();
        let count = self.store.count().await?;
        let counted_for = COUNTED_FOR.max(begun.elapsed() * COUNT_PAUSE);
        *self.stored_count() = Some((count, Instant::now() + counted_for));
        Ok(count)
    }

    /// Counts conversations that this server has stored or deleted.
    pub(super) fn count_stored(&self, by: isize) {
        if let Some((count, _)) = &mut *self.stored_count() {
            *count = count.saturating_add_signed(by);
        }
    }

    fn stored_count(&self) -> MutexGuard<'_, Option<(usize, Instant)>> {
        // Two numbers, which no panic leaves half-written.
        self.stored_count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails if there is no room for another conversation of this caller.
    async fn check_room(&self, caller: &Caller) -> Result<(), ApiError> {
        if let Some(owner) = &caller.owner
            && self.store.count_of(owner).await? >= self.config.bounds.owned
        {
            return Err(ApiError::TooManyOwned);
        }
        self.allow_new(caller).map_err(|wait| ApiError::TooManyRequests { limit: "max-new", wait })?;
        let most = self.config.bounds.conversations;
        let stored = self.stored().await?.max(self.sessions().values().count());
        if stored >= most {
            return Err(is_full("max-conversations"));
        }
        // A single peer may store at most half of `max-conversations`.
        let half = most.div_ceil(2);
        if let Some(peer) = caller.peer
            && stored >= half
            && self.store.count_of_peer(&peer.digest()).await? >= half
        {
            return Err(is_full("max-conversations"));
        }
        Ok(())
    }

    /// Fails if conversations in memory take more than their bound.
    pub(crate) fn check_memory(&self) -> Result<(), ApiError> {
        match self.store.bytes() > self.config.bounds.memory {
            true => Err(is_full("max-memory")),
            false => Ok(()),
        }
    }

    /// Counts a new conversation for its owner and its peer: a peer may use many owners.
    fn allow_new(&self, caller: &Caller) -> Result<(), Duration> {
        if let Some(owner) = &caller.owner {
            self.new_by_owner.take(owner)?;
        }
        // Unknown peers share one limit, since a client may name another owner each time.
        self.new_by_peer.take(&caller.peer)
    }

    /// Stops the run of a conversation and deletes it. If it changes meanwhile, as by an answer at another server, starts again.
    pub(crate) async fn delete(self: &Arc<Self>, session: &Arc<ActiveSession>) -> Result<(), ApiError> {
        while !self.try_delete(session).await? {}
        Ok(())
    }

    async fn try_delete(self: &Arc<Self>, session: &Arc<ActiveSession>) -> Result<bool, ApiError> {
        let mut state = self.lock(session).await?;
        if let Some(run) = self.run_elsewhere(&state) {
            drop(state);
            self.stop_elsewhere(session, run, StopCause::Requested).await;
            state = self.lock(session).await?;
        }
        while let Some(run) = state.run.clone() {
            drop(state);
            run.stop_and_wait().await;
            state = self.lock(session).await?;
        }
        let revision = state.revision.ok_or(ApiError::UnknownConversation)?;
        // A request that waits for the lock then loads the conversation again.
        state.is_away = true;
        if !self.store.delete(&session.id, revision).await? {
            return Ok(false);
        }
        self.count_stored(-1);
        self.notify(&session.id, Notification::Committed(revision.next())).await;
        tracing::info!(conversation = %session.name(), "conversation deleted");
        self.end(session);
        Ok(true)
    }

    /// The conversations of this caller, newest first.
    pub(crate) async fn list(&self, caller: &Caller) -> Result<Vec<String>, ApiError> {
        match &caller.owner {
            Some(owner) => Ok(self.store.of_owner(owner, self.config.bounds.owned).await?),
            None => Ok(Vec::new()),
        }
    }

    /// Deletes some of the files whose conversations never began, and of the conversations that ended longer ago than `--keep`, if it is set. Returns
    /// the time of the next look, if there may be more.
    pub(super) async fn delete_old(&self) -> Option<Timestamp> {
        let now = self.clock.now();
        let lost = match earlier(now, LOST_FILES_KEPT_FOR) {
            Some(by) => self.store.delete_lost_files(by).await,
            None => Ok(0),
        };
        let lost = lost.unwrap_or_else(|error| {
            tracing::error!(error = %WithCauses(&error), "deleting files without a conversation failed");
            0
        });
        let ended = match self.config.keep.and_then(|keep| earlier(now, keep)) {
            Some(by) => self.store.delete_ended(by).await,
            None => Ok(Vec::new()),
        };
        let ended = ended.unwrap_or_else(|error| {
            tracing::error!(error = %WithCauses(&error), "deleting ended conversations failed");
            Vec::new()
        });
        let next = (lost > 0 || !ended.is_empty()).then_some(now);
        if !ended.is_empty() {
            self.count_stored(-ended.len().cast_signed());
            tracing::info!(conversations = ended.len(), "deleted ended conversations (--keep)");
            self.is_gone(ended);
        }
        next
    }

    /// Ends the streams of these deleted conversations.
    fn is_gone(&self, deleted: impl IntoIterator<Item = String>) {
        let mut sessions = self.sessions();
        for id in deleted {
            if let Some(session) = sessions.get(id.as_str()) {
                session.end();
            }
            sessions.remove(id.as_str());
        }
    }

    /// Ends the streams of a session whose conversation is deleted or another owner's, and forgets it.
    fn end(&self, session: &ActiveSession) {
        session.end();
        self.forget(&session.id);
    }

    pub(super) fn forget(&self, id: &str) {
        self.sessions().remove(id);
    }
}

/// Logs that the server is full, and returns the error.
fn is_full(limit: &'static str) -> ApiError {
    tracing::warn!(limit, "the server is full: nothing new is stored");
    ApiError::TooManyConversations(limit)
}
