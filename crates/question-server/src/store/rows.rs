//! A conversation as rows of text. A commit writes new messages alone.

use crate::owner::Owner;
use crate::store::{Commit, Lease, Revision, StoreError, Stored};
use question_agent::registry::ToolContext;
use question_agent::{Conversation, Timestamp, stored};
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

/// The rows of a commit.
#[derive(Debug)]
pub(super) struct NewRows {
    pub(super) id: String,
    pub(super) base: Option<Revision>,
    pub(super) owner: Option<String>,
    pub(super) peer: String,
    pub(super) row: ConversationRow,
    /// In the order of the effects.
    pub(super) messages: Vec<String>,
    /// A JSON array.
    pub(super) webhooks: String,
}

/// The row of a conversation, without its owner; each commit writes it whole.
#[derive(Debug)]
pub(super) struct ConversationRow {
    pub(super) version: u32,
    pub(super) state: String,
    pub(super) context: String,
    pub(super) revision: Revision,
    pub(super) holder: Option<Uuid>,
    pub(super) due_at: Option<Timestamp>,
    pub(super) ended_at: Option<Timestamp>,
    pub(super) waiting_since: Option<Timestamp>,
}

/// The rows from which a conversation is read.
#[derive(Debug)]
pub(super) struct StoredRows {
    pub(super) owner: Option<String>,
    pub(super) row: ConversationRow,
    pub(super) run: Option<String>,
    /// A JSON array.
    pub(super) messages: String,
}

impl NewRows {
    pub(super) fn new(id: &str, base: Option<Revision>, change: Commit<'_>) -> Result<Self, StoreError> {
        let messages: Result<_, StoreError> = change.messages.iter().map(text).collect();
        Ok(Self {
            id: id.to_owned(),
            base,
            owner: change.owner.map(|owner| owner.as_str().to_owned()),
            peer: change.peer.to_owned(),
            row: ConversationRow {
                version: stored::VERSION,
                state: text(change.state)?,
                context: match change.context {
                    // An absent member is read as its default.
                    context if *context == ToolContext::default() => "{}".to_owned(),
                    context => text(context)?,
                },
                revision: change.revision,
                holder: change.lease.map(|lease| lease.holder),
                due_at: change.due_at(),
                ended_at: change.ended_at(),
                waiting_since: change.waiting_since(),
            },
            messages: messages?,
            webhooks: text(&change.webhooks)?,
        })
    }
}

impl ConversationRow {
    fn lease(&self) -> Option<Lease> {
        Some(Lease { holder: self.holder?, until: self.due_at? })
    }
}

impl StoredRows {
    pub(super) fn read(self) -> Result<Stored, StoreError> {
        let row = self.row;
        let conversation = Conversation::from_parts(row.version, json(&row.state)?, json(&self.messages)?);
        Ok(Stored {
            conversation: conversation.map_err(|error| StoreError::Other(error.into()))?,
            context: json(&row.context)?,
            owner: self.owner.map(Owner::stored),
            revision: row.revision,
            waiting_since: row.waiting_since,
            ended_at: row.ended_at,
            lease: row.lease(),
            run: self.run,
        })
    }
}

/// A number for a database, which has no unsigned ones.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

fn text(value: &impl Serialize) -> Result<String, StoreError> {
    Ok(serde_json::to_string(value)?)
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    Ok(serde_json::from_str(text)?)
}
