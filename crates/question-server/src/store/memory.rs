//! Conversations that last as long as the server runs.

use super::rows::{NewRows, StoredRows};
use super::{Change, Deadlines, Store, StoreError, Stored};
use futures_util::future::BoxFuture;
use question_agent::Timestamp;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Keeps conversations as long as the server runs.
#[derive(Debug, Default)]
pub struct MemoryStore {
    conversations: Mutex<HashMap<Box<str>, Kept>>,
}

/// A conversation as text, which takes less memory than the values that it is read into: it may wait for days.
#[derive(Debug)]
struct Kept {
    owner: Option<Box<str>>,
    version: u32,
    state: Box<str>,
    context: Box<str>,
    expires_at: Option<Timestamp>,
    messages: Vec<Box<str>>,
}

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Kept>> {
        // Each conversation is changed without a panic in between, so one elsewhere cannot have left it half-written.
        self.conversations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Each text is copied to its size: cut down from the longer one that it was written into, it would leave a gap behind it.
    fn new(rows: &NewRows) -> Self {
        let text = |text: &String| text.as_str().into();
        Self {
            owner: rows.owner.as_ref().map(text),
            version: rows.version,
            state: text(&rows.state),
            context: text(&rows.context),
            expires_at: rows.expires_at,
            messages: rows.messages.iter().map(text).collect(),
        }
    }

    /// Takes what a later change brings.
    fn change(&mut self, rows: &NewRows) {
        let new = Self::new(rows);
        let mut messages = std::mem::take(&mut self.messages);
        messages.extend(new.messages);
        messages.shrink_to_fit();
        *self = Self { owner: self.owner.take(), messages, ..new };
    }

    fn rows(&self) -> StoredRows {
        StoredRows {
            owner: self.owner.as_deref().map(str::to_owned),
            version: self.version,
            state: self.state.to_string(),
            context: self.context.to_string(),
            messages: self.messages.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Store for MemoryStore {
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Stored>, StoreError>> {
        Box::pin(async move {
            let rows = self.lock().get(id).map(Kept::rows);
            rows.map(StoredRows::read).transpose()
        })
    }

    fn commit<'a>(&'a self, id: &'a str, change: Change<'a>) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let rows = NewRows::new(id, change)?;
            let mut conversations = self.lock();
            match conversations.get_mut(id) {
                Some(kept) => kept.change(&rows),
                None => {
                    conversations.insert(id.into(), Kept::new(&rows));
                }
            }
            Ok(())
        })
    }

    fn count(&self) -> BoxFuture<'_, Result<usize, StoreError>> {
        Box::pin(async move { Ok(self.lock().len()) })
    }

    fn deadlines(&self, now: Timestamp) -> BoxFuture<'_, Result<Deadlines, StoreError>> {
        Box::pin(async move {
            let conversations = self.lock();
            let waiting = conversations.iter().filter_map(|(id, kept)| Some((kept.expires_at?, id)));
            let (mut over, to_come): (Vec<_>, Vec<_>) = waiting.partition(|(deadline, _)| *deadline <= now);
            over.sort_unstable();
            Ok(Deadlines {
                over: over.into_iter().map(|(_, id)| id.to_string()).collect(),
                next: to_come.into_iter().map(|(deadline, _)| deadline).min(),
            })
        })
    }

    fn at_work(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        Box::pin(async move {
            let conversations = self.lock();
            let all = conversations.iter().map(|(id, kept)| {
                let stored = kept.rows().read()?;
                let is_at_work = stored.conversation.state().is_at_work();
                Ok(is_at_work.then(|| id.to_string()))
            });
            all.filter_map(Result::transpose).collect()
        })
    }
}
