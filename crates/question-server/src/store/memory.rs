//! Conversations that last as long as the server runs.

use super::rows::{NewRows, Row, StoredRows};
use super::{Change, CommitError, DELETED_AT_A_TIME, Due, Lease, Revision, Store, StoreError, Stored, Waiting};
use crate::owner::Owner;
use async_trait::async_trait;
use question_agent::Timestamp;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Keeps conversations as long as the server runs.
#[derive(Debug, Default)]
pub struct MemoryStore {
    conversations: Mutex<HashMap<Box<str>, Box<Kept>>>,
}

/// The context of most conversations, of which none keeps a copy.
const ORDINARY: &str = "{}";

/// A conversation as text, which takes less memory than the values that it is read into: it may wait for days.
#[derive(Debug)]
struct Kept {
    owner: Option<Box<str>>,
    row: Row,
    messages: Vec<Box<str>>,
}

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Box<Kept>>> {
        // Each conversation is changed without a panic in between, so one elsewhere cannot have left it half-written.
        self.conversations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, rows: NewRows) -> Result<(), CommitError> {
        let NewRows { id, base, owner, mut row, messages } = rows;
        if *row.context == *ORDINARY {
            row.context = Box::default();
        }
        let mut conversations = self.lock();
        let known = conversations.get_mut(id.as_str());
        if known.as_ref().map(|kept| kept.row.revision) != base {
            return Err(CommitError::Conflict);
        }
        // Each copied to its size: cut down from the longer text that it was written into, it would leave a gap behind it.
        let messages = messages.iter().map(|text| text.as_str().into());
        match known {
            Some(kept) => {
                kept.row = row;
                kept.messages.extend(messages);
                kept.messages.shrink_to_fit();
            }
            None => {
                let owner = owner.map(String::into_boxed_str);
                conversations.insert(id.as_str().into(), Box::new(Kept { owner, row, messages: messages.collect() }));
            }
        }
        Ok(())
    }
}

impl Kept {
    fn rows(&self) -> StoredRows {
        let mut row = self.row.clone();
        if row.context.is_empty() {
            row.context = ORDINARY.into();
        }
        StoredRows {
            owner: self.owner.as_deref().map(str::to_owned),
            row,
            run: None,
            messages: self.messages.iter().map(ToString::to_string).collect(),
        }
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn load(&self, id: &str) -> Result<Option<Stored>, StoreError> {
        let rows = self.lock().get(id).map(|kept| kept.rows());
        rows.map(StoredRows::read).transpose()
    }

    async fn commit(&self, id: &str, base: Option<Revision>, change: Change<'_>) -> Result<(), CommitError> {
        self.write(NewRows::new(id, base, change)?)
    }

    async fn due(&self, now: Timestamp) -> Result<Due, StoreError> {
        let conversations = self.lock();
        let times = conversations.iter().filter_map(|(id, kept)| Some((kept.row.due_at?, id)));
        let (mut due, to_come): (Vec<_>, Vec<_>) = times.partition(|(time, _)| *time <= now);
        due.sort_unstable();
        Ok(Due {
            now: due.into_iter().map(|(_, id)| id.to_string()).collect(),
            next: to_come.into_iter().map(|(time, _)| time).min(),
        })
    }

    async fn renew(&self, ids: Vec<String>, lease: Lease) -> Result<(), StoreError> {
        let mut conversations = self.lock();
        for id in ids {
            let kept = conversations.get_mut(id.as_str());
            if let Some(kept) = kept.filter(|kept| kept.row.holder == Some(lease.holder)) {
                kept.row.due_at = Some(lease.until);
            }
        }
        Ok(())
    }

    async fn delete(&self, id: &str, revision: Revision) -> Result<bool, StoreError> {
        let mut conversations = self.lock();
        let is_it = conversations.get(id).is_some_and(|kept| kept.row.revision == revision);
        Ok(is_it && conversations.remove(id).is_some())
    }

    async fn delete_ended(&self, by: Timestamp) -> Result<Vec<String>, StoreError> {
        let mut conversations = self.lock();
        let old = conversations.extract_if(|_, kept| kept.row.ended_at.is_some_and(|ended| ended <= by));
        let old = old.take(DELETED_AT_A_TIME);
        Ok(old.map(|(id, _)| id.into()).collect())
    }

    async fn check(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn count(&self) -> Result<usize, StoreError> {
        Ok(self.lock().len())
    }

    async fn waiting(&self) -> Result<Waiting, StoreError> {
        let conversations = self.lock();
        let waiting = conversations.values().filter_map(|kept| kept.row.waiting_since);
        Ok(Waiting { count: waiting.clone().count(), since: waiting.min() })
    }

    async fn count_of(&self, owner: &Owner) -> Result<usize, StoreError> {
        let conversations = self.lock();
        let theirs = conversations.values().filter(|kept| kept.owner.as_deref() == Some(owner.as_str()));
        Ok(theirs.count())
    }
}
