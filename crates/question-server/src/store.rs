//! Where conversations are kept.

use futures_util::future::BoxFuture;
use question_agent::{Conversation, Effect};
use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where conversations are kept. What it has acknowledged is there after a crash, as far as its medium allows.
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// Reads a conversation; `None` where there is none.
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Conversation>, StoreError>>;

    /// Keeps what an event changed, as one commit: `effects` holds the new messages, results and state, `conversation` is what they led to.
    fn commit<'a>(
        &'a self,
        id: &'a str,
        conversation: &'a Conversation,
        effects: &'a [Effect],
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// How many conversations there are.
    fn count(&self) -> BoxFuture<'_, Result<usize, StoreError>>;
}

/// Why the store did not do it.
#[derive(Debug)]
pub struct StoreError(pub String);

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for StoreError {}

/// Keeps conversations as long as the server runs.
#[derive(Debug, Default)]
pub struct MemoryStore {
    conversations: Mutex<HashMap<String, Conversation>>,
}

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Conversation>> {
        // Each entry is replaced as a whole, so a panic elsewhere cannot have left one half-written.
        self.conversations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Conversation>, StoreError>> {
        Box::pin(async move { Ok(self.lock().get(id).cloned()) })
    }

    fn commit<'a>(
        &'a self,
        id: &'a str,
        conversation: &'a Conversation,
        _effects: &'a [Effect],
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.lock().insert(id.to_owned(), conversation.clone());
            Ok(())
        })
    }

    fn count(&self) -> BoxFuture<'_, Result<usize, StoreError>> {
        Box::pin(async move { Ok(self.lock().len()) })
    }
}
