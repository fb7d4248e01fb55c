//! The conversations in memory: only those that somebody does something with or watches. A question may wait for days.

use super::Runtime;
use crate::error::ApiError;
use crate::limits::Bounds;
use crate::live::{Left, Life, Live, Talk, messages_at_rest};
use crate::owner::Caller;
use crate::rate::Allowance;
use crate::store::Stored;
use question_agent::Conversation;
use question_agent::registry::ToolContext;
use std::collections::HashMap;
use std::hash::BuildHasher as _;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Instant;
use tokio::sync::MutexGuard;
use uuid::Uuid;

/// The conversations in memory, and of those that are not, until that is forgotten, how often they may be changed and how they were left.
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
    /// How it was left when it was in memory last.
    left: Arc<Mutex<Option<Left>>>,
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

    fn keep(&mut self, id: &str, stored: Stored, bounds: &Bounds) -> Arc<Live> {
        let now = Instant::now();
        if self.slots.len() >= self.prune_at {
            self.prune(now);
        }
        let life = self.life(id, &stored.conversation);
        let (changes, left) = match self.slots.get(id) {
            Some(slot) => (Arc::clone(&slot.changes), Arc::clone(&slot.left)),
            None => (Arc::new(Allowance::new(now, bounds.changes)), Arc::default()),
        };
        let live =
            Arc::new(Live::new(id.to_owned(), stored, Arc::clone(&changes), Arc::clone(&left), life, bounds.log()));
        let slot = Slot { live: Arc::downgrade(&live), changes, left };
        self.slots.insert(id.to_owned(), slot);
        live
    }

    /// The life of a conversation that comes into memory: the one that it was left in, if nothing has happened since. Where that is forgotten, one that
    /// is the same for as long as nothing happens, however often the conversation comes and goes. Where something is under way that died, a new one.
    fn life(&self, id: &str, conversation: &Conversation) -> Life {
        let Some(messages) = messages_at_rest(conversation) else {
            return Life { epoch: Uuid::new_v4().as_fields().0, position: 0 };
        };
        let slot = self.slots.get(id);
        let left = slot.and_then(|slot| *slot.left.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(left) = left.filter(|left| left.messages == messages) {
            return left.life;
        }
        // Its keys are this process's own, and so the lives of another are others.
        let hash = self.slots.hasher().hash_one((id, messages));
        Life { epoch: (hash >> 32) as u32, position: 0 }
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
        if talk.is_away {
            let stored = self.store.load(&live.id).await?;
            let (conversation, context) =
                stored.map(|stored| (stored.conversation, stored.context)).unwrap_or_default();
            talk.conversation = conversation;
            talk.context = context;
            talk.is_away = false;
            talk.messages_left = None;
        }
        self.expire(live, &mut talk).await?;
        Ok(talk)
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
        self.new.take(Instant::now()).map_err(ApiError::TooManyRequests)?;
        let new =
            Stored { conversation: Conversation::new(), context: ToolContext::default(), owner: caller.0.clone() };
        Ok(slots.keep(id, new, &self.bounds))
    }

    /// A conversation that exists, whosever it is.
    pub(super) async fn find(&self, slots: &mut Slots, id: &str) -> Result<Option<Arc<Live>>, ApiError> {
        if let Some(live) = slots.live(id) {
            return Ok(Some(live));
        }
        let Some(stored) = self.store.load(id).await? else {
            return Ok(None);
        };
        Ok(Some(slots.keep(id, stored, &self.bounds)))
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, Slots};
    use crate::limits::Bounds;
    use crate::rate::PerMinute;
    use crate::store::Stored;
    use question_agent::Conversation;
    use question_agent::registry::ToolContext;

    fn new() -> Stored {
        Stored { conversation: Conversation::new(), context: ToolContext::default(), owner: None }
    }

    #[test]
    fn conversations_that_nobody_needs_are_forgotten() {
        let mut slots = Slots::default();
        let bounds = Bounds { changes: PerMinute::new(2), ..Bounds::default() };
        let used = slots.keep("used", new(), &bounds);
        used.allow_change().expect("there are two");
        drop(used);
        let watched = slots.keep("watched", new(), &bounds);
        for number in 0..20 * FEW {
            slots.keep(&format!("over-{number}"), new(), &bounds);
            assert!(slots.slots.len() <= 2 * FEW, "after {number}");
        }
        assert!(slots.live("watched").is_some());
        assert!(slots.slots.contains_key("used"), "or its rate would be no bound");
        drop(watched);
        assert_eq!(slots.begun(), 0);
    }
}
