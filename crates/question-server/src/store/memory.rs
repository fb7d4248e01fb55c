//! Conversations that last as long as the server runs.

use super::rows::{ConversationRow, NewRows, StoredRows};
use super::{
    Commit, CommitError, DELETED_AT_A_TIME, Due, Lease, NewWebhook, Revision, Store, StoreError, Stored, Waiting,
    Webhook, Webhooks,
};
use crate::owner::Owner;
use async_trait::async_trait;
use question_agent::Timestamp;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Keeps conversations as long as the server runs.
#[derive(Debug, Default)]
pub struct MemoryStore {
    conversations: Mutex<Conversations>,
}

#[derive(Debug, Default)]
struct Conversations {
    all: HashMap<Box<str>, Box<StoredConversation>>,
    /// Their memory, in bytes.
    bytes: usize,
    /// The number of conversations ever started.
    begun: u64,
    webhooks: Vec<(Timestamp, Webhook)>,
}

/// The context of most conversations, which is not stored with each.
const ORDINARY: &str = "{}";

/// A conversation as text, which takes less memory than its values: it may wait for days.
#[derive(Debug)]
struct StoredConversation {
    /// Counts in the order of their starts.
    number: u64,
    owner: Option<Box<str>>,
    peer: Box<str>,
    row: ConversationRow,
    messages: Vec<Box<str>>,
    bytes: usize,
}

/// The memory of a conversation beside its text, and of a message, in bytes.
const CONVERSATION_BYTES: usize = 512;
const MESSAGE_BYTES: usize = 32;

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, Conversations> {
        // No change of a conversation panics halfway.
        self.conversations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, rows: NewRows) -> Result<(), CommitError> {
        let NewRows { id, base, owner, peer, mut row, messages, webhooks: _ } = rows;
        if *row.context == *ORDINARY {
            row.context = Box::default();
        }
        let mut conversations = self.lock();
        let Conversations { all, bytes, begun, webhooks: _ } = &mut *conversations;
        if all.get(id.as_str()).map(|kept| kept.row.revision) != base {
            return Err(CommitError::Conflict);
        }
        let kept = all.entry(id.as_str().into()).or_insert_with(|| {
            *begun += 1;
            let (owner, peer) = (owner.map(String::into_boxed_str), peer.into_boxed_str());
            Box::new(StoredConversation {
                number: *begun,
                owner,
                peer,
                row: row.clone(),
                messages: Vec::new(),
                bytes: 0,
            })
        });
        kept.row = row;
        // A copy has the exact size; a shrunk text would leave a gap behind it.
        kept.messages.extend(messages.iter().map(|text| Box::<str>::from(text.as_str())));
        kept.messages.shrink_to_fit();
        *bytes -= kept.bytes;
        kept.bytes = kept.size();
        *bytes += kept.bytes;
        Ok(())
    }
}

impl Conversations {
    fn remove(&mut self, id: &str) -> bool {
        let gone = self.all.remove(id);
        self.webhooks.retain(|(_, webhook)| webhook.conversation != id);
        self.bytes -= gone.as_ref().map_or(0, |kept| kept.bytes);
        gone.is_some()
    }
}

impl StoredConversation {
    fn size(&self) -> usize {
        let messages = self.messages.iter().map(|text| text.len() + MESSAGE_BYTES).sum::<usize>();
        CONVERSATION_BYTES + self.row.state.len() + self.row.context.len() + messages
    }

    fn rows(&self) -> StoredRows {
        let mut row = self.row.clone();
        if row.context.is_empty() {
            row.context = ORDINARY.into();
        }
        StoredRows {
            owner: self.owner.as_deref().map(str::to_owned),
            row,
            run: None,
            messages: format!("[{}]", self.messages.join(",")),
        }
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn load(&self, id: &str) -> Result<Option<Stored>, StoreError> {
        let rows = self.lock().all.get(id).map(|kept| kept.rows());
        rows.map(StoredRows::read).transpose()
    }

    async fn commit(&self, id: &str, base: Option<Revision>, change: Commit<'_>) -> Result<(), CommitError> {
        self.write(NewRows::new(id, base, change)?)?;
        let webhooks = change.webhooks.iter().cloned().map(|NewWebhook { id: ask, url, body, at }| {
            (at, Webhook { conversation: id.to_owned(), id: ask, url, body, attempts: 0 })
        });
        self.lock().webhooks.extend(webhooks);
        Ok(())
    }

    async fn claim_webhooks(&self, now: Timestamp, until: Timestamp, most: usize) -> Result<Webhooks, StoreError> {
        let mut conversations = self.lock();
        let webhooks = &mut conversations.webhooks;
        let due = webhooks.iter_mut().filter(|(next_at, _)| *next_at <= now).take(most);
        let claimed = due.map(|(next_at, webhook)| {
            *next_at = until;
            webhook.clone()
        });
        let claimed = claimed.collect();
        Ok(Webhooks { claimed, next: webhooks.iter().map(|(next_at, _)| *next_at).min() })
    }

    async fn reschedule_webhook(&self, webhook: &Webhook, next_at: Option<Timestamp>) -> Result<(), StoreError> {
        let webhooks = &mut self.lock().webhooks;
        let is_it = |kept: &Webhook| kept.conversation == webhook.conversation && kept.id == webhook.id;
        let known = webhooks.iter().position(|(_, kept)| is_it(kept));
        match (known, next_at) {
            (Some(known), Some(next_at)) => webhooks[known] = (next_at, webhook.clone()),
            (Some(known), None) => drop(webhooks.remove(known)),
            (None, _) => {}
        }
        Ok(())
    }

    async fn due(&self, now: Timestamp) -> Result<Due, StoreError> {
        let conversations = self.lock();
        let times = conversations.all.iter().filter_map(|(id, kept)| Some((kept.row.due_at?, id)));
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
            let kept = conversations.all.get_mut(id.as_str());
            if let Some(kept) = kept.filter(|kept| kept.row.holder == Some(lease.holder)) {
                kept.row.due_at = Some(lease.until);
            }
        }
        Ok(())
    }

    async fn delete(&self, id: &str, revision: Revision) -> Result<bool, StoreError> {
        let mut conversations = self.lock();
        let is_it = conversations.all.get(id).is_some_and(|kept| kept.row.revision == revision);
        Ok(is_it && conversations.remove(id))
    }

    async fn delete_ended(&self, by: Timestamp) -> Result<Vec<String>, StoreError> {
        let mut conversations = self.lock();
        let old = conversations.all.iter().filter(|(_, kept)| kept.row.ended_at.is_some_and(|ended| ended <= by));
        let old: Vec<String> = old.map(|(id, _)| id.to_string()).take(DELETED_AT_A_TIME).collect();
        for id in &old {
            conversations.remove(id);
        }
        Ok(old)
    }

    async fn check(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn count(&self) -> Result<usize, StoreError> {
        Ok(self.lock().all.len())
    }

    async fn waiting(&self) -> Result<Waiting, StoreError> {
        let conversations = self.lock();
        let waiting = conversations.all.values().filter_map(|kept| kept.row.waiting_since);
        Ok(Waiting { count: waiting.clone().count(), since: waiting.min() })
    }

    async fn count_of(&self, owner: &Owner) -> Result<usize, StoreError> {
        let conversations = self.lock();
        let theirs = conversations.all.values().filter(|kept| kept.owner.as_deref() == Some(owner.as_str()));
        Ok(theirs.count())
    }

    async fn of_owner(&self, owner: &Owner, most: usize) -> Result<Vec<String>, StoreError> {
        let conversations = self.lock();
        let theirs = conversations.all.iter().filter(|(_, kept)| kept.owner.as_deref() == Some(owner.as_str()));
        let mut theirs: Vec<(u64, &str)> = theirs.map(|(id, kept)| (kept.number, &**id)).collect();
        theirs.sort_unstable_by_key(|(number, _)| Reverse(*number));
        Ok(theirs.into_iter().take(most).map(|(_, id)| id.to_owned()).collect())
    }

    async fn count_of_peer(&self, peer: &str) -> Result<usize, StoreError> {
        Ok(self.lock().all.values().filter(|kept| *kept.peer == *peer).count())
    }

    fn bytes(&self) -> usize {
        self.lock().bytes
    }
}
