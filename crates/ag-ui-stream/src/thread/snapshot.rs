//! `MESSAGES_SNAPSHOT`: reconciled by id, in place.

use super::{Change, Thread};
use crate::event::MessagesSnapshot;
use crate::message::Message;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

impl Thread {
    pub(super) fn reconcile(&mut self, event: &MessagesSnapshot) -> Change {
        let keep = Keep::of(event);
        let mut given: HashMap<&str, &Message> = event
            .messages
            .iter()
            .map(|message| (message.id(), message))
            .collect();
        let held = std::mem::take(&mut self.messages);
        self.calls
            .detach(|(message, call)| arguments(&held, message, call));
        for message in held {
            match given.remove(message.id()) {
                Some(replacement) => self.messages.push(replacement.clone()),
                None if keep.keeps(&message) => self.messages.push(message),
                None => {}
            }
        }
        for message in &event.messages {
            // Removing makes an id that the snapshot has twice count once.
            if given.remove(message.id()).is_some() {
                self.messages.push(message.clone());
            }
        }
        self.positions.clear();
        self.reindex(0);
        Change::MessagesReplaced
    }
}

/// A copy of a call's arguments, kept in case that the snapshot drops the call while it is being written.
fn arguments(held: &[Message], message: usize, call: usize) -> Option<String> {
    let calls = held.get(message)?.tool_calls();
    calls.get(call).map(|call| call.function.arguments.clone())
}

/// Which messages a snapshot spares although it omits them: those that many agents never put into their history.
struct Keep<'a> {
    reasoning: bool,
    activities: bool,
    /// Kinds of activity for which the snapshot speaks nevertheless.
    authoritative: HashSet<&'a str>,
}

impl<'a> Keep<'a> {
    fn of(event: &'a MessagesSnapshot) -> Self {
        let own = event
            .metadata
            .as_ref()
            .and_then(|metadata| metadata.get("@ag-ui/client"));
        let types = own
            .and_then(|own| own.get("authoritativeActivityTypes"))
            .and_then(Value::as_array);
        Self {
            reasoning: !event
                .messages
                .iter()
                .any(|message| matches!(message, Message::Reasoning(_))),
            activities: !event
                .messages
                .iter()
                .any(|message| matches!(message, Message::Activity(_))),
            authoritative: types
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect(),
        }
    }

    fn keeps(&self, message: &Message) -> bool {
        match message {
            Message::Reasoning(_) => self.reasoning,
            Message::Activity(activity) => {
                self.activities && !self.authoritative.contains(activity.activity_type.as_str())
            }
            _ => false,
        }
    }
}
