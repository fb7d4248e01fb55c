//! Applies `MESSAGES_SNAPSHOT`: messages are reconciled by id, in place (`events/state`).

use super::calls::RestatedCall;
#[cfg(feature = "asks")]
use super::seen::keep_ask;
use super::{Change, List, Thread, result_id};
use crate::event::{Event, EventRef, EventType};
use crate::message::{Message, Role};
use json_tree::{Ids, Json};
use std::mem;

impl Thread {
    pub(super) fn reconcile(&mut self, event: &EventRef<'_>) -> Change {
        let mut told = with_own_ids(event.messages());
        let copies = self.set_keys(&mut told, List::Snapshot);
        self.drop_copies(&mut told, copies);
        for call in told.iter().flat_map(Message::tool_calls) {
            self.calls.take_whole(&call.id);
        }
        self.note_told(&told);
        let keep = Retention::of(event, &told);
        let mut given = Ids::default();
        for (position, message) in told.iter().enumerate() {
            given.put(message.id(), position);
        }
        let mut told: Vec<Option<Message>> = told.into_iter().map(Some).collect();
        let arriving = self.calls.arriving().into_iter();
        let arriving: Vec<_> =
            arriving.filter_map(|slot| Some((slot, self.call_mut(slot)?.1.arguments.clone()))).collect();
        let mut held = mem::take(&mut self.messages);
        self.calls.detach(|slot, call| {
            let call = held.get_mut(self.slots.position(slot))?.tool_calls.get_mut(call)?;
            Some(mem::take(&mut call.arguments))
        });
        for message in held {
            let place = given.find(message.id()).and_then(|place| told.get_mut(place));
            match place {
                // A result with the id of its call's message is a different message.
                Some(told)
                    if message.tool_calls().is_empty() || told.as_ref().is_some_and(|told| told.role != Role::Tool) =>
                {
                    given.remove(message.id());
                    #[cfg(feature = "asks")]
                    keep_ask(told.as_mut(), &message);
                    self.messages.extend(told.take());
                }
                Some(_) => {}
                None if keep.keeps(&message) => self.messages.push(message),
                None => {}
            }
        }
        for message in told.into_iter().flatten() {
            // Removing the id makes it count once if the snapshot has it twice.
            if given.remove(message.id()).is_some() {
                self.messages.push(message);
            }
        }
        self.reindex();
        // Arguments that still stream continue from before the snapshot. The adapter of `LangGraph` sends whole messages while their calls stream.
        for (slot, arguments) in arriving {
            let told = self.call_mut(slot).map(|(_, call)| mem::replace(&mut call.arguments, arguments));
            if let Some(state) = self.calls.state_at_mut(slot) {
                state.told = told;
            }
        }
        Change::MessagesReplaced
    }
}

impl Thread {
    /// Drops the duplicate calls that [`set_keys`](Self::set_keys) found, and messages that become empty. Later events of such a call are ignored,
    /// unless the end of the run names it as pending, which shows that it is another call.
    fn drop_copies(&mut self, told: &mut Vec<Message>, copies: Vec<(usize, usize)>) {
        self.copies.clear();
        let mut is_empty = vec![false; told.len()];
        for (message, call) in copies.into_iter().rev() {
            let held = &mut told[message];
            let call = held.tool_calls.remove(call);
            let members = [
                ("toolCallId", call.wire_id().into()),
                ("toolCallName", call.name.as_str().into()),
                ("parentMessageId", held.id().into()),
            ];
            let start = Event::new(EventType::ToolCallStart, members);
            self.copies.push(RestatedCall { start, said: call.arguments, agreed: (0, 0), ended: true });
            is_empty[message] = held.tool_calls.is_empty() && held.text().is_empty();
        }
        let mut is_empty = is_empty.into_iter();
        told.retain(|_| is_empty.next() != Some(true));
    }

    /// The messages in the order of the last snapshot, which the agent expects. In the thread, new messages of a snapshot come last, as the protocol
    /// requires.
    pub(crate) fn in_told_order(&self) -> Vec<&Message> {
        let mut told = Vec::new();
        let mut is_told = vec![false; self.messages.len()];
        // Results stay behind their calls.
        let is_result = |position: &usize| self.messages[*position].role == Role::Tool;
        for position in self.told.iter().filter_map(|id| self.position_of(id)).filter(|it| !is_result(it)) {
            if !mem::replace(&mut is_told[position], true) {
                told.push(&self.messages[position]);
            }
        }
        let mut told = told.into_iter();
        let in_order = |(message, is_told)| if is_told { told.next().unwrap_or(message) } else { message };
        self.messages.iter().zip(is_told).map(in_order).collect()
    }
}

/// Gives each result a new id that has the id of another message.
pub(super) fn with_own_ids(mut messages: Vec<Message>) -> Vec<Message> {
    let mut taken = Ids::default();
    for (at, message) in messages.iter().enumerate() {
        if message.role != Role::Tool {
            taken.put(message.id(), at);
        }
    }
    for at in 0..messages.len() {
        let call = messages[at].tool_call_id();
        if call.is_some() {
            // The same result may occur twice.
            let is_free = |id: &str| taken.find(id).is_none_or(|held| messages[held].tool_call_id() == call);
            let id = result_id(&messages[at], is_free);
            taken.put(&id, at);
            messages[at].id = id;
        }
    }
    messages
}

/// Which messages stay although a snapshot omits them. Agents do not keep reasoning and activities in their history, so a snapshot without any of a
/// kind says nothing about that kind. The reference client has the same rule (`apply/default.ts`).
struct Retention {
    reasoning: bool,
    activities: bool,
    /// The types of activity for which the snapshot is complete.
    authoritative: Ids,
}

impl Retention {
    fn of(event: &EventRef<'_>, told: &[Message]) -> Self {
        let own = event.get("metadata").and_then(|metadata| metadata.get("@ag-ui/client"));
        let types = own.and_then(|own| own.get("authoritativeActivityTypes")?.as_list());
        let mut authoritative = Ids::default();
        for kind in types.unwrap_or_default().iter().filter_map(Json::as_str) {
            authoritative.put(kind, 0);
        }
        let is_any = |role| told.iter().any(|message| message.role == role);
        Self { reasoning: !is_any(Role::Reasoning), activities: !is_any(Role::Activity), authoritative }
    }

    fn keeps(&self, message: &Message) -> bool {
        match message.role {
            Role::Reasoning => self.reasoning,
            Role::Activity => self.activities && !self.authoritative.has(&message.activity_type),
            Role::Developer | Role::System | Role::Assistant | Role::User | Role::Tool => false,
        }
    }
}
