//! A conversation as rows of text: only what is new is written, whatever the length of the history.

use crate::owner::Owner;
use crate::store::{Change, StoreError, Stored};
use question_agent::message::Message;
use question_agent::registry::ToolContext;
use question_agent::snapshot::{SNAPSHOT_VERSION, Snapshot};
use question_agent::{ConvState, Effect, Timestamp};
use serde::Serialize;
use serde_json::Value;

/// What a commit writes.
#[derive(Debug)]
pub(super) struct NewRows {
    pub(super) id: String,
    pub(super) owner: Option<String>,
    pub(super) version: u32,
    pub(super) state: String,
    pub(super) context: String,
    pub(super) expires_at: Option<Timestamp>,
    /// In the order in which the effects brought them.
    pub(super) messages: Vec<String>,
}

/// What a conversation is read from.
#[derive(Debug)]
pub(super) struct StoredRows {
    pub(super) owner: Option<String>,
    pub(super) version: u32,
    pub(super) state: String,
    pub(super) context: String,
    pub(super) messages: Vec<String>,
}

impl NewRows {
    pub(super) fn new(id: &str, change: Change<'_>) -> Result<Self, StoreError> {
        let state: &ConvState = change.conversation.state();
        let mut messages = Vec::new();
        for effect in change.effects {
            match effect {
                Effect::PersistMessage(message) => messages.push(text(message)?),
                Effect::PersistToolResults { results } => {
                    for result in results {
                        messages.push(text(&Message::Tool(result.clone()))?);
                    }
                }
                Effect::PersistState
                | Effect::NotifyStateChange(_)
                | Effect::NotifyLlmRequesting { .. }
                | Effect::NotifyAgentDone
                | Effect::RequestLlm
                | Effect::ExecuteTool(_) => {}
            }
        }
        Ok(Self {
            id: id.to_owned(),
            owner: change.owner.map(|owner| owner.as_str().to_owned()),
            version: SNAPSHOT_VERSION,
            state: text(state)?,
            context: match change.context {
                // What is absent is read as its default.
                context if *context == ToolContext::default() => "{}".to_owned(),
                context => text(context)?,
            },
            expires_at: state.waiting().and_then(|waiting| waiting.expires_at),
            messages,
        })
    }
}

impl StoredRows {
    pub(super) fn read(self) -> Result<Stored, StoreError> {
        let messages: Result<Vec<Value>, StoreError> = self.messages.iter().map(|text| json(text)).collect();
        let snapshot = Snapshot::from_parts(self.version, json(&self.state)?, messages?)
            .map_err(|error| StoreError(error.to_string()))?;
        Ok(Stored {
            conversation: snapshot.into_conversation(),
            context: serde_json::from_str(&self.context)
                .map_err(|error| StoreError(format!("it cannot be read: {error}")))?,
            owner: self.owner.map(Owner::stored),
        })
    }
}

fn text(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError(format!("it cannot be written: {error}")))
}

fn json(text: &str) -> Result<Value, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError(format!("it cannot be read: {error}")))
}
