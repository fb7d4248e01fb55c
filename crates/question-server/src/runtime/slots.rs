//! The sessions in memory: only those at work or watched, since a question may wait for days.

use crate::limits::Bounds;
use crate::rate::TokenBucket;
use crate::session::ActiveSession;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Instant;

/// The sessions in memory, and the rates of changes of conversations that have left it.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    slots: HashMap<Box<str>, SessionSlot>,
    /// The number of slots at which the next pruning is due.
    prune_at: usize,
}

#[derive(Debug)]
struct SessionSlot {
    session: Weak<ActiveSession>,
    changes: Arc<TokenBucket>,
}

/// The number of slots below which none are pruned.
const FEW: usize = 64;

impl Sessions {
    pub(super) fn session(&self, id: &str) -> Option<Arc<ActiveSession>> {
        self.slots.get(id)?.session.upgrade()
    }

    /// The number of sessions in memory, with those that are being made.
    pub(super) fn begun(&self) -> usize {
        let in_memory = |slot: &&SessionSlot| slot.session.strong_count() > 0;
        self.slots.values().filter(in_memory).count()
    }

    /// The session of this name in memory. If there is none, makes it with its rate of changes.
    pub(super) fn get_or_make(
        &mut self,
        id: &str,
        bounds: &Bounds,
        make: impl FnOnce(Arc<TokenBucket>) -> ActiveSession,
    ) -> Arc<ActiveSession> {
        if let Some(session) = self.session(id) {
            return session;
        }
        let now = Instant::now();
        if self.slots.len() >= self.prune_at {
            self.prune(now);
        }
        let changes = match self.slots.get(id) {
            Some(slot) => Arc::clone(&slot.changes),
            None => Arc::new(TokenBucket::new(now, bounds.changes)),
        };
        let session = Arc::new(make(Arc::clone(&changes)));
        let slot = SessionSlot { session: Arc::downgrade(&session), changes };
        self.slots.insert(id.into(), slot);
        session
    }

    /// The sessions in memory.
    pub(super) fn all(&self) -> Vec<Arc<ActiveSession>> {
        self.slots.values().filter_map(|slot| slot.session.upgrade()).collect()
    }

    /// Forgets a session, so that the next request loads the conversation from the store.
    pub(super) fn forget(&mut self, id: &str) {
        if let Some(slot) = self.slots.get_mut(id) {
            slot.session = Weak::new();
        }
    }

    /// Drops slots without a session and with a full rate. The time between two prunings grows with the number of slots.
    fn prune(&mut self, now: Instant) {
        self.slots.retain(|_, slot| slot.session.strong_count() > 0 || !slot.changes.is_whole(now));
        self.slots.shrink_to(2 * self.slots.len());
        self.prune_at = FEW.max(2 * self.slots.len());
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, Sessions};
    use crate::limits::Bounds;
    use crate::rate::PerMinute;
    use crate::session::ActiveSession;
    use std::sync::Arc;

    fn keep(slots: &mut Sessions, id: &str, bounds: &Bounds) -> Arc<ActiveSession> {
        slots.get_or_make(id, bounds, |changes| ActiveSession::new(id.to_owned(), changes, 0))
    }

    #[test]
    fn conversations_that_nobody_needs_are_forgotten() {
        let mut slots = Sessions::default();
        let bounds = Bounds { changes: PerMinute::new(2), ..Bounds::default() };
        let used = keep(&mut slots, "used", &bounds);
        used.allow_change().expect("there are two");
        drop(used);
        let watched = keep(&mut slots, "watched", &bounds);
        for number in 0..20 * FEW {
            keep(&mut slots, &format!("over-{number}"), &bounds);
            assert!(slots.slots.len() <= 2 * FEW, "after {number}");
        }
        assert!(slots.session("watched").is_some());
        assert!(slots.slots.contains_key("used"), "or its rate would be no bound");
        drop(watched);
        assert_eq!(slots.begun(), 0);
    }
}
