//! The sessions in memory: only those at work or watched, since a question may wait for days.

use crate::session::ActiveSession;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// The sessions in memory, by conversation.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    by_id: HashMap<Box<str>, Weak<ActiveSession>>,
    /// The number of entries at which those that are over go.
    prune_at: usize,
}

/// The number of entries below which none go.
const FEW: usize = 64;

impl Sessions {
    pub(super) fn session(&self, id: &str) -> Option<Arc<ActiveSession>> {
        self.by_id.get(id)?.upgrade()
    }

    /// The number of sessions in memory, with those that are being made.
    pub(super) fn begun(&self) -> usize {
        self.by_id.values().filter(|session| session.strong_count() > 0).count()
    }

    /// The session of this name in memory. Makes it if there is none.
    pub(super) fn get_or_make(&mut self, id: &str, make: impl FnOnce() -> ActiveSession) -> Arc<ActiveSession> {
        if let Some(session) = self.session(id) {
            return session;
        }
        if self.by_id.len() >= self.prune_at {
            self.by_id.retain(|_, session| session.strong_count() > 0);
            self.by_id.shrink_to(2 * self.by_id.len());
            self.prune_at = FEW.max(2 * self.by_id.len());
        }
        let session = Arc::new(make());
        self.by_id.insert(id.into(), Arc::downgrade(&session));
        session
    }

    /// The sessions in memory.
    pub(super) fn all(&self) -> Vec<Arc<ActiveSession>> {
        self.by_id.values().filter_map(Weak::upgrade).collect()
    }

    /// Forgets a session, so that the next request loads the conversation from the store.
    pub(super) fn forget(&mut self, id: &str) {
        self.by_id.remove(id);
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, Sessions};
    use crate::rate::{PerMinute, RateLimits};
    use crate::session::ActiveSession;
    use std::sync::Arc;

    fn keep(sessions: &mut Sessions, id: &str) -> Arc<ActiveSession> {
        let changes = Arc::new(RateLimits::new(PerMinute::new(2)));
        sessions.get_or_make(id, || ActiveSession::new(id.to_owned(), changes, 0))
    }

    #[test]
    fn conversations_that_nobody_needs_are_forgotten() {
        let mut sessions = Sessions::default();
        let watched = keep(&mut sessions, "watched");
        for number in 0..20 * FEW {
            keep(&mut sessions, &format!("over-{number}"));
            assert!(sessions.by_id.len() <= 2 * FEW, "after {number}");
        }
        assert!(sessions.session("watched").is_some());
        drop(watched);
        assert_eq!(sessions.begun(), 0);
    }
}
