//! `MESSAGES_SNAPSHOT`: reconciled by id, in place.

use super::{Change, List, Thread, result_id};
use crate::event::EventRef;
use crate::index::Index;
use crate::message::{Message, Role};
use json_tree::Json;
use std::mem;

impl Thread {
    pub(super) fn reconcile(&mut self, event: &EventRef<'_>) -> Change {
        let mut told = with_own_ids(event.messages());
        self.set_keys(&mut told, List::Whole);
        for call in told.iter().flat_map(Message::tool_calls) {
            self.calls.take_whole(&call.id);
        }
        self.note_told(&told);
        let keep = Retention::of(event, &told);
        let mut given = Index::default();
        for (position, message) in told.iter().enumerate() {
            given.insert(message.id(), position);
        }
        let mut told: Vec<Option<Message>> = told.into_iter().map(Some).collect();
        let mut held = mem::take(&mut self.messages);
        self.calls.detach(|(message, call)| {
            let call = held.get_mut(message)?.tool_calls.get_mut(call)?;
            Some(mem::take(&mut call.arguments))
        });
        for message in held {
            let place = given.get(message.id()).and_then(|place| told.get_mut(place));
            match place {
                // A result that has the id of its call's message is another message.
                Some(told)
                    if message.tool_calls().is_empty() || told.as_ref().is_some_and(|told| told.role != Role::Tool) =>
                {
                    given.remove(message.id());
                    self.messages.extend(told.take());
                }
                Some(_) => {}
                None if keep.keeps(&message) => self.messages.push(message),
                None => {}
            }
        }
        for message in told.into_iter().flatten() {
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

/// The messages, with other ids for results that have the id of another message.
pub(super) fn with_own_ids(mut messages: Vec<Message>) -> Vec<Message> {
    let mut taken = Index::default();
    for message in &messages {
        if message.role != Role::Tool {
            taken.insert(message.id(), 0);
        }
    }
    for message in &mut messages {
        if message.role == Role::Tool {
            message.id = result_id(message, |id| !taken.contains(id));
        }
    }
    messages
}

/// The messages that stay although a snapshot omits them: those that many agents never put into their history.
struct Retention {
    reasoning: bool,
    activities: bool,
    /// The kinds of activity that the snapshot replaces all the same.
    authoritative: Index,
}

impl Retention {
    fn of(event: &EventRef<'_>, told: &[Message]) -> Self {
        let own = event.get("metadata").and_then(|metadata| metadata.get("@ag-ui/client"));
        let types = own.and_then(|own| own.get("authoritativeActivityTypes")?.as_list());
        let mut authoritative = Index::default();
        for name in types.unwrap_or_default().iter().filter_map(Json::as_str) {
            authoritative.insert(name, 0);
        }
        let is_any = |role| told.iter().any(|message| message.role == role);
        Self { reasoning: !is_any(Role::Reasoning), activities: !is_any(Role::Activity), authoritative }
    }

    fn keeps(&self, message: &Message) -> bool {
        match message.role {
            Role::Reasoning => self.reasoning,
            Role::Activity => self.activities && !self.authoritative.contains(&message.activity_type),
            _ => false,
        }
    }
}
