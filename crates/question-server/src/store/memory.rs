//! Conversations that last as long as the server runs.

use super::{Change, Deadlines, Store, StoreError, Stored};
use futures_util::future::BoxFuture;
use question_agent::Timestamp;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Keeps conversations as long as the server runs.
#[derive(Debug, Default)]
pub struct MemoryStore {
    conversations: Mutex<HashMap<String, Stored>>,
}

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Stored>> {
        // Each entry is replaced as a whole, so a panic elsewhere cannot have left one half-written.
        self.conversations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Stored>, StoreError>> {
        Box::pin(async move { Ok(self.lock().get(id).cloned()) })
    }

    fn commit<'a>(
        &'a self,
        id: &'a str,
        change: Change<'a>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let stored = Stored {
                conversation: change.conversation.clone(),
                context: change.context.clone(),
                owner: change.owner.cloned(),
            };
            self.lock().insert(id.to_owned(), stored);
            Ok(())
        })
    }

    fn count(&self) -> BoxFuture<'_, Result<usize, StoreError>> {
        Box::pin(async move { Ok(self.lock().len()) })
    }

    fn deadlines(&self, now: Timestamp) -> BoxFuture<'_, Result<Deadlines, StoreError>> {
        Box::pin(async move {
            let conversations = self.lock();
            let waiting = conversations.iter().filter_map(|(id, stored)| {
                let deadline = stored.conversation.waiting()?.expires_at?;
                Some((deadline, id))
            });
            let (mut over, to_come): (Vec<_>, Vec<_>) =
                waiting.partition(|(deadline, _)| *deadline <= now);
            over.sort_unstable();
            Ok(Deadlines {
                over: over.into_iter().map(|(_, id)| id.clone()).collect(),
                next: to_come.into_iter().map(|(deadline, _)| deadline).min(),
            })
        })
    }
}
