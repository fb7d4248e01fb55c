//! `MESSAGES_SNAPSHOT`: reconciled by id, in place.

use super::{Change, Thread, result_id};
use crate::event::MessagesSnapshot;
use crate::index::Index;
use crate::message::Message;
use serde_json::Value;

impl Thread {
    pub(super) fn reconcile(&mut self, event: &MessagesSnapshot) -> Change {
        let keep = Keep::of(event);
        let mut given = Index::default();
        let told = with_own_ids(&event.messages);
        for (position, message) in told.iter().enumerate() {
            given.insert(message.id(), position);
        }
        let held = std::mem::take(&mut self.messages);
        self.calls.detach(|(message, call)| arguments(&held, message, call));
        for message in held {
            match given.get(message.id()) {
                // A result that has the id of its call's message is another message.
                Some(replacement)
                    if message.tool_calls().is_empty() || !matches!(told[replacement], Message::Tool(_)) =>
                {
                    given.remove(message.id());
                    self.messages.push(told[replacement].clone());
                }
                Some(_) => {}
                None if keep.keeps(&message) => self.messages.push(message),
                None => {}
            }
        }
        for message in told {
            // Removing makes an id that the snapshot has twice count once.
            if given.remove(message.id()) {
                self.messages.push(message);
            }
        }
        self.positions.clear();
        self.calls.forget_answers();
        self.reindex(0);
        Change::MessagesReplaced
    }
}

/// The messages, where no result has the id of a message that is none.
pub(super) fn with_own_ids(messages: &[Message]) -> Vec<Message> {
    let mut taken = Index::default();
    for message in messages {
        if !matches!(message, Message::Tool(_)) {
            taken.insert(message.id(), 0);
        }
    }
    let mut messages = messages.to_vec();
    for message in &mut messages {
        if let Message::Tool(tool) = message {
            tool.id = result_id(tool, |id| !taken.contains(id));
        }
    }
    messages
}

/// A copy of a call's arguments, kept in case that the snapshot drops the call while it is being written.
fn arguments(held: &[Message], message: usize, call: usize) -> Option<String> {
    let calls = held.get(message)?.tool_calls();
    calls.get(call).map(|call| call.function.arguments.clone())
}

/// Which messages a snapshot spares although it omits them: those that many agents never put into their history.
struct Keep {
    reasoning: bool,
    activities: bool,
    /// Kinds of activity for which the snapshot speaks nevertheless.
    authoritative: Index,
}

impl Keep {
    fn of(event: &MessagesSnapshot) -> Self {
        let own = event.metadata.as_ref().and_then(|metadata| metadata.get("@ag-ui/client"));
        let types = own.and_then(|own| own.get("authoritativeActivityTypes")).and_then(Value::as_array);
        let mut authoritative = Index::default();
        for name in types.into_iter().flatten().filter_map(Value::as_str) {
            authoritative.insert(name, 0);
        }
        let is_any = |role| event.messages.iter().any(|message| message.role() == role);
        Self { reasoning: !is_any("reasoning"), activities: !is_any("activity"), authoritative }
    }

    fn keeps(&self, message: &Message) -> bool {
        match message {
            Message::Reasoning(_) => self.reasoning,
            Message::Activity(activity) => self.activities && !self.authoritative.contains(&activity.activity_type),
            _ => false,
        }
    }
}
