//! The conversations in memory: only those that somebody does something with or watches. A question may wait for days.

use super::tell::entries;
use super::{Runtime, stop};
use crate::caller::Caller;
use crate::error::ApiError;
use crate::limits::{Bounds, CROWDED_OUT_AT_ONCE};
use crate::live::{Live, Talk, TalkGuard};
use crate::owner::name_in_log;
use crate::peer::Peer;
use crate::rate::TokenBucket;
use crate::store::signals::{Notification, StopCause};
use crate::store::{Revision, Stored, StreamPosition};
use question_agent::Timestamp;
use question_agent::ag_ui::catch_up;
use std::collections::HashMap;
use std::sync::{Arc, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use uuid::Uuid;

/// The conversations in memory, and how often those may be changed that are not, until that is forgotten.
#[derive(Debug, Default)]
pub(super) struct Slots {
    slots: HashMap<Box<str>, Slot>,
    /// The number at which those that are of use are looked for next.
    prune_at: usize,
}

#[derive(Debug)]
struct Slot {
    live: Weak<Live>,
    changes: Arc<TokenBucket>,
}

/// The number of slots that are not worth a look.
const FEW: usize = 64;

impl Slots {
    pub(super) fn live(&self, id: &str) -> Option<Arc<Live>> {
        self.slots.get(id)?.live.upgrade()
    }

    /// The number of conversations in memory, with those that are just being made.
    fn begun(&self) -> usize {
        let in_memory = |slot: &&Slot| slot.live.strong_count() > 0;
        self.slots.values().filter(in_memory).count()
    }

    /// The conversation of this name in memory; where it is not there it is made, of how often it may be changed.
    fn get_or_make(&mut self, id: &str, bounds: &Bounds, make: impl FnOnce(Arc<TokenBucket>) -> Live) -> Arc<Live> {
        if let Some(live) = self.live(id) {
            return live;
        }
        let now = Instant::now();
        if self.slots.len() >= self.prune_at {
            self.prune(now);
        }
        let changes = match self.slots.get(id) {
            Some(slot) => Arc::clone(&slot.changes),
            None => Arc::new(TokenBucket::new(now, bounds.changes)),
        };
        let live = Arc::new(make(Arc::clone(&changes)));
        let slot = Slot { live: Arc::downgrade(&live), changes };
        self.slots.insert(id.into(), slot);
        live
    }

    /// The conversations that somebody does something with or watches.
    pub(super) fn all(&self) -> Vec<Arc<Live>> {
        self.slots.values().filter_map(|slot| slot.live.upgrade()).collect()
    }

    /// The next request reads it from the store.
    fn forget(&mut self, id: &str) {
        if let Some(slot) = self.slots.get_mut(id) {
            slot.live = Weak::new();
        }
    }

    /// Forgets what is not in memory and may be changed as often as any. Each look at all of them comes after as many new ones.
    fn prune(&mut self, now: Instant) {
        self.slots.retain(|_, slot| slot.live.strong_count() > 0 || !slot.changes.is_whole(now));
        self.slots.shrink_to(2 * self.slots.len());
        self.prune_at = FEW.max(2 * self.slots.len());
    }
}

impl Runtime {
    /// The conversations in memory; nothing is waited for with it.
    pub(super) fn slots(&self) -> MutexGuard<'_, Slots> {
        // Names are only put in and taken out.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The conversation of this name, whether or not there is one.
    fn live(&self, id: &str) -> Arc<Live> {
        let new = |changes| Live::new(id.to_owned(), changes, self.bounds.log());
        self.slots().get_or_make(id, &self.bounds, new)
    }

    /// A conversation that exists; for whom it is not, it does not.
    pub(crate) async fn open(&self, caller: &Caller, id: &str) -> Result<Arc<Live>, ApiError> {
        let live = self.find(id).await?;
        live.filter(|live| caller.may_open(live.owner())).ok_or(ApiError::UnknownConversation)
    }

    pub(super) async fn open_or_create(&self, caller: &Caller, id: &str) -> Result<Arc<Live>, ApiError> {
        let live = self.live(id);
        let mut talk = live.talk.lock().await;
        if !live.is_known() && !self.load(&live, &mut talk).await? {
            self.check_room(caller).await?;
            live.belongs_to(caller.owner.clone());
            live.peer.get_or_init(|| caller.peer.map(Peer::digest).unwrap_or_default());
            live.begin(&mut talk, self.clock.now());
        }
        drop(talk);
        Some(live).filter(|live| caller.may_open(live.owner())).ok_or(ApiError::UnknownConversation)
    }

    /// A conversation for a program to ask in. A new one has no owner, unless a layer around the server says whose it is: each client that knows its name may answer.
    pub(crate) async fn open_for_program(&self, caller: &Caller, id: &str) -> Result<Arc<Live>, ApiError> {
        match self.find(id).await? {
            Some(_) => self.open(caller, id).await,
            None => self.open_or_create(&caller.as_program(), id).await,
        }
    }

    /// A conversation that exists, whosever it is.
    pub(crate) async fn find(&self, id: &str) -> Result<Option<Arc<Live>>, ApiError> {
        let live = self.live(id);
        if !live.is_known() {
            let mut talk = live.talk.lock().await;
            if !live.is_known() && !self.load(&live, &mut talk).await? {
                return Ok(None);
            }
        }
        Ok(Some(live))
    }

    /// What a conversation is by now, for as long as the guard is held.
    pub(crate) async fn talk<'a>(self: &Arc<Self>, live: &'a Arc<Live>) -> Result<TalkGuard<'a>, ApiError> {
        let mut talk = live.talk.lock().await;
        loop {
            // What others may have changed is known for as long as somebody works on it here.
            let is_shared = self.signals.is_some() && talk.run.is_none();
            let is_fresh = std::mem::take(&mut talk.is_fresh);
            if talk.is_away || (is_shared && !is_fresh) {
                let was_there = talk.revision.is_some();
                if !self.load(live, &mut talk).await? {
                    if was_there {
                        live.end();
                        return Err(ApiError::UnknownConversation);
                    }
                    live.begin(&mut talk, self.clock.now());
                }
                talk.is_fresh = false;
            }
            match self.expire(live, &mut talk).await {
                Err(ApiError::Overtaken) => {}
                expired => return expired.map(|()| talk),
            }
        }
    }

    /// Reads a conversation from the store; false where there is none.
    async fn load(&self, live: &Live, talk: &mut Talk) -> Result<bool, ApiError> {
        let Some(mut stored) = self.store.load(&live.id).await? else {
            return Ok(false);
        };
        if !live.belongs_to(stored.owner.take()) {
            // Another one of the same name.
            live.end();
            self.forget(&live.id);
            return Err(ApiError::UnknownConversation);
        }
        self.take(live, talk, stored);
        Ok(true)
    }

    /// Takes over what the store has. Those who read here are told what was committed elsewhere meanwhile.
    fn take(&self, live: &Live, talk: &mut Talk, mut stored: Stored) {
        let (told, run) = (stored.told, stored.run.take());
        let known = std::mem::replace(talk, Talk::stored(stored)).known;
        let is_elsewhere = self.signals.is_some() && self.is_anothers(talk);
        // The server that worked on it has told more than it committed, so the next one counts from the start.
        let broken_off = talk.revision.filter(|_| talk.view().is_at_work() && !is_elsewhere);
        talk.told = broken_off.map_or(told, |revision| StreamPosition { since: revision.next(), frames: 0 });
        let here = live.log.told();
        let is_ours = self.signals.is_none() && talk.lease.is_some_and(|lease| lease.holder == self.holder);
        if is_ours && here.since == told.since && here.frames >= told.frames {
            // A run that broke off here is told as far as it came.
            talk.told = here;
        } else if here.since == talk.told.since && here.frames < talk.told.frames {
            let id = || Uuid::new_v4().to_string();
            let new = catch_up(talk.view(), &live.id, known, live.log.open_run(), run.as_deref(), id);
            live.log.catch_up(talk.told.frames, entries(new).collect());
        } else {
            live.log.go_on_from(talk.told);
        }
        if let Some(run) = run.filter(|_| is_elsewhere) {
            live.log.goes_on(&run);
            talk.run_elsewhere = Some(run);
        }
    }

    /// Refuses if there is no room for another conversation of this caller's.
    async fn check_room(&self, caller: &Caller) -> Result<(), ApiError> {
        if let Some(owner) = &caller.owner
            && self.store.count_of(owner).await? >= self.bounds.owned
        {
            return Err(ApiError::TooManyOwned);
        }
        self.allow_new(caller).map_err(|wait| ApiError::TooManyRequests { limit: "--max-new", wait })?;
        let (stored, most) = (self.store.count().await?, self.bounds.conversations);
        if stored.max(self.slots().begun()) >= most && !self.make_room().await? {
            return Err(ApiError::TooManyConversations("--max-conversations"));
        }
        Ok(())
    }

    /// Deletes some of the conversations of the peer that has more than half of all; false if there are none to delete. Those that somebody watches
    /// stay.
    async fn make_room(&self) -> Result<bool, ApiError> {
        let (all, at_once) = (self.bounds.conversations, self.bounds.conversations / CROWDED_OUT_AT_ONCE + 1);
        let mut gone = 0;
        let watched = self.slots().begun();
        for (id, revision) in self.store.surplus(all / 2, at_once + watched).await? {
            if gone < at_once && self.slots().live(&id).is_none() {
                gone += usize::from(self.crowd_out(&id, revision, "--max-conversations").await?);
            }
        }
        Ok(gone > 0)
    }

    /// Deletes the longest conversations of the peer that has most in memory, for as long as they are over their bound together. One that would have
    /// to go for itself takes nothing more.
    pub(super) async fn make_room_in_memory(&self, id: &str) -> Result<(), ApiError> {
        while self.store.bytes() > self.bounds.memory {
            match self.store.longest().await? {
                Some((longest, _)) if longest == id => return Err(ApiError::ConversationFull("--max-memory")),
                Some((longest, revision)) => drop(self.crowd_out(&longest, revision, "--max-memory").await?),
                None => return Err(ApiError::TooManyConversations("--max-memory")),
            }
        }
        Ok(())
    }

    async fn crowd_out(&self, id: &str, revision: Revision, limit: &'static str) -> Result<bool, ApiError> {
        let is_gone = self.store.delete(id, revision).await?;
        if is_gone {
            self.say(id, Notification::Gone).await;
            let conversation = name_in_log(id, None);
            tracing::warn!(%conversation, limit, "conversation deleted for others");
            self.metrics.crowded_out();
            self.is_gone([id.to_owned()]);
        }
        Ok(is_gone)
    }

    /// Counts a new conversation for its owner and for its peer: a peer can have any number of owners.
    fn allow_new(&self, caller: &Caller) -> Result<(), Duration> {
        let now = Instant::now();
        if let Some(owner) = &caller.owner {
            self.new_by_owner.take(now, owner.clone())?;
        }
        // All that is not known counts as one: a client may name another owner each time.
        self.new_by_peer.take(now, caller.peer)
    }

    /// Deletes a conversation with all that was said in it. What runs in it ends first.
    /// Where it changes meanwhile, as by an answer at another server, what is new ends as well.
    pub(crate) async fn delete(self: &Arc<Self>, live: &Arc<Live>) -> Result<(), ApiError> {
        while !self.try_delete(live).await? {}
        Ok(())
    }

    async fn try_delete(self: &Arc<Self>, live: &Arc<Live>) -> Result<bool, ApiError> {
        let mut talk = self.talk(live).await?;
        if let Some(run) = talk.run_elsewhere.clone() {
            drop(talk);
            self.stop_elsewhere(live, run, StopCause::Said).await;
            talk = self.talk(live).await?;
        }
        while let Some(run) = talk.run.clone() {
            drop(talk);
            stop(&run).await;
            talk = self.talk(live).await?;
        }
        let revision = talk.revision.ok_or(ApiError::UnknownConversation)?;
        // A request that has waited for it meanwhile reads what became of it.
        talk.is_away = true;
        if !self.store.delete(&live.id, revision).await? {
            return Ok(false);
        }
        self.say(&live.id, Notification::Gone).await;
        tracing::info!(conversation = %live.name(), "deleted");
        live.end();
        self.forget(&live.id);
        Ok(true)
    }

    /// The conversations of this caller's, the newest first.
    pub(crate) async fn list(&self, caller: &Caller) -> Result<Vec<String>, ApiError> {
        let mut all = Vec::new();
        for owner in caller.owners() {
            all.extend(self.store.of_owner(owner, self.bounds.owned).await?);
        }
        Ok(all)
    }

    /// Deletes what ended that long ago, where the operator says so.
    pub(super) async fn delete_ended(&self) {
        let Some(by) = self.keep.and_then(|keep| earlier(self.clock.now(), keep)) else {
            return;
        };
        let deleted = self.store.delete_ended(by).await.unwrap_or_else(|error| {
            tracing::error!(%error, "deleting ended conversations failed");
            Vec::new()
        });
        if deleted.is_empty() {
            return;
        }
        tracing::info!(conversations = deleted.len(), "deleted what ended long ago");
        self.is_gone(deleted);
    }

    /// Ends what reads these conversations, which the store does not have any more.
    fn is_gone(&self, deleted: impl IntoIterator<Item = String>) {
        let mut slots = self.slots();
        for id in deleted {
            if let Some(live) = slots.live(&id) {
                live.end();
            }
            slots.forget(&id);
        }
    }

    /// The store does not have it any more, or as another's.
    pub(super) fn forget(&self, id: &str) {
        self.slots().forget(id);
    }
}

fn earlier(time: Timestamp, by: Duration) -> Option<Timestamp> {
    let by = u64::try_from(by.as_millis()).ok()?;
    time.0.checked_sub(by).map(Timestamp)
}

#[cfg(test)]
mod tests {
    use super::{FEW, Slots};
    use crate::limits::Bounds;
    use crate::live::Live;
    use crate::rate::PerMinute;
    use std::sync::Arc;

    fn keep(slots: &mut Slots, id: &str, bounds: &Bounds) -> Arc<Live> {
        slots.get_or_make(id, bounds, |changes| Live::new(id.to_owned(), changes, 0))
    }

    #[test]
    fn conversations_that_nobody_needs_are_forgotten() {
        let mut slots = Slots::default();
        let bounds = Bounds { changes: PerMinute::new(2), ..Bounds::default() };
        let used = keep(&mut slots, "used", &bounds);
        used.allow_change().expect("there are two");
        drop(used);
        let watched = keep(&mut slots, "watched", &bounds);
        for number in 0..20 * FEW {
            keep(&mut slots, &format!("over-{number}"), &bounds);
            assert!(slots.slots.len() <= 2 * FEW, "after {number}");
        }
        assert!(slots.live("watched").is_some());
        assert!(slots.slots.contains_key("used"), "or its rate would be no bound");
        drop(watched);
        assert_eq!(slots.begun(), 0);
    }
}
