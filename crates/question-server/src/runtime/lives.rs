//! The conversations in memory: only those that somebody does something with or watches. A question may wait for days.

use super::{Runtime, stop};
use crate::error::ApiError;
use crate::limits::Bounds;
use crate::live::{Live, Talk};
use crate::owner::Caller;
use crate::rate::Allowance;
use question_agent::Timestamp;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio::sync::MutexGuard;

/// The conversations in memory, and how often those may be changed that are not, until that is forgotten.
#[derive(Debug, Default)]
pub(super) struct Slots {
    slots: HashMap<String, Slot>,
    /// How many there are when it is looked next which are of use.
    prune_at: usize,
}

#[derive(Debug)]
struct Slot {
    live: Weak<Live>,
    changes: Arc<Allowance>,
}

/// How many slots are not worth a look.
const FEW: usize = 64;

impl Slots {
    fn live(&self, id: &str) -> Option<Arc<Live>> {
        self.slots.get(id)?.live.upgrade()
    }

    /// How many conversations are in memory, those among them that are just being made.
    fn begun(&self) -> usize {
        let in_memory = |slot: &&Slot| slot.live.strong_count() > 0;
        self.slots.values().filter(in_memory).count()
    }

    /// Keeps a conversation in memory that is made of how often it may be changed.
    fn keep(&mut self, id: &str, bounds: &Bounds, make: impl FnOnce(Arc<Allowance>) -> Live) -> Arc<Live> {
        let now = Instant::now();
        if self.slots.len() >= self.prune_at {
            self.prune(now);
        }
        let changes = match self.slots.get(id) {
            Some(slot) => Arc::clone(&slot.changes),
            None => Arc::new(Allowance::new(now, bounds.changes)),
        };
        let live = Arc::new(make(Arc::clone(&changes)));
        let slot = Slot { live: Arc::downgrade(&live), changes };
        self.slots.insert(id.to_owned(), slot);
        live
    }

    /// The conversations that somebody does something with or watches.
    fn all(&self) -> Vec<Arc<Live>> {
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
    /// A conversation that exists; for whom it is not, it does not.
    pub(crate) async fn open(&self, caller: &Caller, id: &str) -> Result<Arc<Live>, ApiError> {
        self.find(&mut *self.slots.lock().await, id)
            .await?
            .filter(|live| caller.may_open(live.owner.as_ref()))
            .ok_or(ApiError::UnknownConversation)
    }

    /// What a conversation is by now, for as long as the guard is held.
    pub(crate) async fn talk<'a>(self: &Arc<Self>, live: &'a Arc<Live>) -> Result<MutexGuard<'a, Talk>, ApiError> {
        let mut talk = live.talk.lock().await;
        loop {
            if talk.is_away {
                match self.store.load(&live.id).await? {
                    Some(stored) => live.take(&mut talk, stored, self.holder),
                    None if talk.revision.is_some() => {
                        live.end();
                        return Err(ApiError::UnknownConversation);
                    }
                    None => *talk = Talk::new(),
                }
            }
            match self.expire(live, &mut talk).await {
                Err(ApiError::Overtaken) => {}
                expired => return expired.map(|()| talk),
            }
        }
    }

    pub(super) async fn open_or_create(&self, caller: &Caller, id: &str) -> Result<Arc<Live>, ApiError> {
        let mut slots = self.slots.lock().await;
        if let Some(live) = self.find(&mut slots, id).await? {
            let known = Some(live).filter(|live| caller.may_open(live.owner.as_ref()));
            return known.ok_or(ApiError::UnknownConversation);
        }
        if self.store.count().await?.max(slots.begun()) >= self.bounds.conversations {
            return Err(ApiError::TooManyConversations);
        }
        if let Some(owner) = &caller.owner
            && self.store.count_of(owner).await? >= self.bounds.owned
        {
            return Err(ApiError::TooManyOwned);
        }
        self.allow_new(caller).map_err(ApiError::TooManyRequests)?;
        let (owner, now) = (caller.owner.clone(), self.clock.now());
        let new = |changes| Live::new(id.to_owned(), owner, now, changes, self.bounds.log());
        Ok(slots.keep(id, &self.bounds, new))
    }

    /// Counts a new conversation for its owner and for its peer: a peer can have any number of owners.
    fn allow_new(&self, caller: &Caller) -> Result<(), Duration> {
        let now = Instant::now();
        if let Some(owner) = &caller.owner {
            self.new_by_owner.take(now, owner.clone())?;
        }
        match caller.peer {
            None if caller.owner.is_some() => Ok(()),
            peer => self.new_by_peer.take(now, peer),
        }
    }

    /// A conversation that exists, whosever it is.
    pub(super) async fn find(&self, slots: &mut Slots, id: &str) -> Result<Option<Arc<Live>>, ApiError> {
        if let Some(live) = slots.live(id) {
            return Ok(Some(live));
        }
        let Some(stored) = self.store.load(id).await? else {
            return Ok(None);
        };
        let known = |changes| Live::stored(id.to_owned(), stored, changes, self.bounds.log());
        Ok(Some(slots.keep(id, &self.bounds, known)))
    }

    /// Deletes a conversation with all that was said in it. What runs in it ends first.
    pub(crate) async fn delete(self: &Arc<Self>, live: &Arc<Live>) -> Result<(), ApiError> {
        let mut talk = self.talk(live).await?;
        while let Some(run) = talk.run.clone() {
            drop(talk);
            stop(&run).await;
            talk = self.talk(live).await?;
        }
        self.store.delete(&live.id).await?;
        tracing::info!(conversation = %live.name(), "deleted");
        // A request that has waited for it meanwhile finds it gone.
        talk.is_away = true;
        live.end();
        self.forget(&live.id).await;
        Ok(())
    }

    /// Has those come back who watch a conversation in which another server has done something since.
    pub(super) async fn hear_of_others(self: &Arc<Self>) {
        let mut watched = self.slots.lock().await.all();
        watched.retain(|live| !self.held().contains(&live.id));
        if watched.is_empty() {
            return;
        }
        let ids = watched.iter().map(|live| live.id.clone()).collect();
        let told = match self.store.told(ids).await {
            Ok(Some(told)) => told,
            Ok(None) => return,
            Err(error) => {
                tracing::error!(%error, "the store does not say what others have done");
                return;
            }
        };
        for live in watched {
            if told.get(&live.id) == Some(&live.log.told()) {
                continue;
            }
            // What this server itself does meanwhile is no news to it.
            live.talk.lock().await.rest();
            match self.talk(&live).await {
                Ok(mut talk) => talk.rest(),
                // Those who watched it have been told.
                Err(ApiError::UnknownConversation) => {}
                Err(error) => tracing::error!(conversation = %live.name(), ?error, "what others have done is not read"),
            }
        }
    }

    /// Deletes what ended that long ago, where the operator says so.
    pub(super) async fn delete_ended(&self) {
        let Some(by) = self.keep.and_then(|keep| earlier(self.clock.now(), keep)) else {
            return;
        };
        let deleted = self.store.delete_ended(by).await.unwrap_or_else(|error| {
            tracing::error!(%error, "the store does not delete what has ended");
            Vec::new()
        });
        if deleted.is_empty() {
            return;
        }
        tracing::info!(conversations = deleted.len(), "deleted what ended long ago");
        let mut slots = self.slots.lock().await;
        for id in deleted {
            if let Some(live) = slots.live(&id) {
                live.end();
            }
            slots.forget(&id);
        }
    }

    /// The store does not have it any more, or as another's.
    pub(super) async fn forget(&self, id: &str) {
        self.slots.lock().await.forget(id);
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
    use question_agent::Timestamp;
    use std::sync::Arc;

    fn keep(slots: &mut Slots, id: &str, bounds: &Bounds) -> Arc<Live> {
        slots.keep(id, bounds, |changes| Live::new(id.to_owned(), None, Timestamp(0), changes, 0))
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
