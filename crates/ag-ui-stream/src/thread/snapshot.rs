//! `MESSAGES_SNAPSHOT`: reconciled by id, in place (`events/state`).

use super::calls::RestatedCall;
#[cfg(feature = "asks")]
use super::seen::keep_ask;
use super::{Change, List, Thread, result_id};
use crate::LEGACY;
use crate::event::{Event, EventRef, EventType};
use crate::message::{Message, Role, ToolCall};
use json_tree::{Ids, Json};
use std::mem;

impl Thread {
    pub(super) fn reconcile(&mut self, event: &EventRef<'_>) -> Change {
        let mut told = with_own_ids(event.messages());
        self.drop_copies(&mut told);
        self.set_keys(&mut told, List::Whole);
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
                // A result that has the id of its call's message is another message.
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
            // Removing makes an id that the snapshot has twice count once.
            if given.remove(message.id()).is_some() {
                self.messages.push(message);
            }
        }
        self.reindex();
        // What still arrives goes on from where it was. The adapter of `LangGraph` tells whole messages while their calls stream.
        for (slot, arguments) in arriving {
            let told = self.call_mut(slot).map(|(_, call)| mem::replace(&mut call.arguments, arguments));
            if let Some(state) = self.calls.state_at_mut(slot) {
                state.told = told;
            }
        }
        Change::MessagesReplaced
    }
}

struct ToldCall<'m> {
    call: &'m ToolCall,
    /// The position of the user's last message before it.
    after: Option<usize>,
    is_answered: bool,
}

impl Thread {
    /// Drops the calls of turns that a snapshot tells twice: agents tell an answered turn again under other message ids, as Microsoft's
    /// Agent Framework does (<https://github.com/microsoft/agent-framework/issues/6266>).
    ///
    /// A copy has the name and arguments of another call of its id, follows the same text of the user, and had no event; one of the two is
    /// answered. It is another call only if the end of the run names it as pending.
    fn drop_copies(&mut self, told: &mut Vec<Message>) {
        self.copies.clear();
        if !LEGACY {
            return;
        }
        let copies = self.copies_in(told);
        let mut is_empty = vec![false; told.len()];
        for &(message, call) in copies.iter().rev() {
            let held = &mut told[message];
            let call = held.tool_calls.remove(call);
            let members = [
                ("toolCallId", call.wire_id().into()),
                ("toolCallName", call.name.as_str().into()),
                ("parentMessageId", held.id().into()),
            ];
            let start = Event::new(EventType::ToolCallStart, members);
            self.copies.push(RestatedCall { start, told: call.arguments.len(), ended: true });
            is_empty[message] = held.tool_calls.is_empty() && held.text().is_empty();
        }
        let mut is_empty = is_empty.into_iter();
        told.retain(|_| is_empty.next() != Some(true));
    }

    fn copies_in(&self, told: &[Message]) -> Vec<(usize, usize)> {
        let (mut known, mut by_id, mut last_result) = (Vec::<ToldCall<'_>>::new(), Ids::default(), Ids::default());
        for (at, message) in told.iter().enumerate().filter(|(_, message)| message.role == Role::Tool) {
            last_result.put(message.wire_call_id(), at);
        }
        let (mut copies, mut said) = (Vec::new(), None);
        let words = |at: Option<usize>| at.map(|at| told[at].text());
        for (at, message) in told.iter().enumerate() {
            match message.role {
                Role::User => said = Some(at),
                Role::Tool => {
                    if let Some(call) = by_id.find(message.wire_call_id()) {
                        known[call].is_answered = true;
                    }
                }
                Role::Developer | Role::System | Role::Assistant | Role::Activity | Role::Reasoning => {}
            }
            for (index, call) in message.tool_calls().iter().enumerate() {
                let id = call.wire_id();
                let is_answered = last_result.find(id) > Some(at);
                let before = by_id.find(id).map(|call| &known[call]).filter(|before| {
                    before.is_answered != is_answered
                        && words(before.after) == words(said)
                        && (&before.call.name, &before.call.arguments) == (&call.name, &call.arguments)
                });
                let is_known = self.calls.uses(id) > 1 || self.slots.find(message.id()).is_some();
                if before.is_some() && !is_known {
                    copies.push((at, index));
                    continue;
                }
                by_id.put(id, known.len());
                known.push(ToldCall { call, after: said, is_answered: false });
            }
        }
        copies
    }

    /// The messages in the order of the last snapshot, in which the agent expects them. The thread has the new ones of a snapshot behind the
    /// others, as the protocol requires.
    pub(crate) fn in_told_order(&self) -> Vec<&Message> {
        let mut told = Vec::new();
        let mut is_told = vec![false; self.messages.len()];
        // A result stays behind its call.
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

/// The messages, with other ids for results that have the id of another message.
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
            // One result may be told twice.
            let is_free = |id: &str| taken.find(id).is_none_or(|held| messages[held].tool_call_id() == call);
            let id = result_id(&messages[at], is_free);
            taken.put(&id, at);
            messages[at].id = id;
        }
    }
    messages
}

/// Which messages stay although a snapshot omits them. Agents do not keep reasoning and activities in their history, so a snapshot that has none
/// of a kind says nothing about it. The reference client has the same rule (`apply/default.ts`).
struct Retention {
    reasoning: bool,
    activities: bool,
    /// The types of activity for which the snapshot is the whole truth.
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
