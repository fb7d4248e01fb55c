//! Calls of the tool as their events come: which ask each belongs to, and what their results and the agent's next words make of it.

use super::followed::{Followed, Source, about};
use super::{AskChange, Asks};
use crate::event::{EventRef, EventType};
use crate::message::{Message, Role};
use crate::thread::{Change, Thread};
use ask_user_question::Phase;
use ask_user_question::text::is_blank;
use std::mem;

/// A call whose arguments are, as far as they came, those of an ask that waits. Some frameworks send one question under two ids.
#[derive(Clone, Debug)]
pub(super) struct Repeated {
    key: String,
    /// The ask's position.
    ask: usize,
    /// How much of its arguments came again, in bytes.
    told: usize,
}

impl Asks {
    pub(super) fn take_call_event(
        &mut self,
        event: &EventRef<'_>,
        change: Change,
        thread: &Thread,
        changes: &mut Vec<AskChange>,
    ) {
        let key = thread.key(event.tool_call_id());
        let Some(call) = thread.call(&key) else {
            return;
        };
        if let Change::ToolCallAdded { .. } | Change::MessagesReplaced = change
            && let Some(message) = call.position()
        {
            self.hear_message(message, thread, changes);
        }
        if call.is_told_again() || !self.is_ask(&call.name) {
            return;
        }
        let arguments = thread.arguments_of(call);
        let metadata = thread.held(call).and_then(|call| call.metadata.as_ref());
        let position = self.positions.get(&key);
        let begins = event.kind() == EventType::ToolCallStart && matches!(change, Change::ToolCallChanged { .. });
        match position {
            Some(position) if begins || self.followed[position].makes_way() => {
                let followed = self.open_at(position, &key, Source::Call, changes);
                followed.take_lang(metadata, changes);
                followed.feed(arguments, changes);
            }
            Some(position) if event.kind() == EventType::ToolCallArgs => {
                self.followed[position].feed(event.delta(), changes);
            }
            Some(_) => {}
            None if self.repeats(&key, arguments, event, thread) => {}
            None => {
                let followed = self.open(&key, Source::Call, changes);
                followed.take_lang(metadata, changes);
                followed.feed(arguments, changes);
            }
        }
        if call.ended {
            self.end_call(&key, arguments, thread, changes);
        }
    }

    /// Returns true if the arguments of a call that is no ask yet are so far those of one that waits.
    fn repeats(&mut self, key: &str, arguments: &str, event: &EventRef<'_>, thread: &Thread) -> bool {
        let known = |it: &Followed| thread.arguments(&it.id).unwrap_or_default();
        let repeated = self.repeated.take_if(|repeated| repeated.key == key);
        let ask = match &repeated {
            Some(it)
                if known(&self.followed[it.ask]).get(it.told..).is_some_and(|rest| rest.starts_with(event.delta())) =>
            {
                Some(it.ask)
            }
            _ => self.last_call(|it| it.is_waiting() && known(it).starts_with(arguments)),
        };
        let Some(ask) = ask.filter(|ask| self.followed[*ask].is_waiting()) else {
            return false;
        };
        if event.kind() != EventType::ToolCallEnd {
            self.repeated = Some(Repeated { key: key.to_owned(), ask, told: arguments.len() });
            return true;
        }
        let is_same = known(&self.followed[ask]) == arguments;
        if is_same {
            self.positions.insert(key, ask);
            self.followed[ask].twins.push(key.to_owned());
        }
        is_same
    }

    /// The last call that is meant, among those that began last.
    pub(super) fn last_call(&self, is_meant: impl Fn(&Followed) -> bool) -> Option<usize> {
        const LAST: usize = 8;
        let is_it = |position: &usize| {
            let it = &self.followed[*position];
            it.source == Source::Call && is_meant(it)
        };
        (0..self.followed.len()).rev().take(LAST).find(is_it)
    }

    fn end_call(&mut self, key: &str, arguments: &str, thread: &Thread, changes: &mut Vec<AskChange>) {
        if let Some(position) = self.positions.get(key) {
            self.followed[position].end_arguments(arguments, changes);
            if thread.call(key).is_some_and(|call| call.answered) {
                self.take_result(key, thread, changes);
            }
        }
    }

    /// Takes what a message says about the ask of a call.
    pub(super) fn note_result(&mut self, key: &str, result: &Message, changes: &mut Vec<AskChange>) {
        if let Some(position) = self.positions.get(key)
            && self.followed[position].take_result(result, self.run, changes)
        {
            self.standing.push(position);
        }
    }

    /// Takes what the results of a call say, once its arguments are complete.
    pub(super) fn take_result(&mut self, key: &str, thread: &Thread, changes: &mut Vec<AskChange>) {
        let Some(position) = self.positions.get(key) else {
            return;
        };
        if self.followed[position].snapshot.phase == Phase::Streaming {
            return;
        }
        for result in thread.results(key) {
            self.note_result(key, result, changes);
        }
        if self.standing.last() != Some(&position) {
            return;
        }
        // The agent or the user may have spoken before the result came.
        let behind = thread.call(key).and_then(|call| call.position()).map_or(0, |message| message + 1);
        let mut later = thread.messages()[behind..].iter();
        let goes_on = |message: &&Message| message.role == Role::User && about(message.metadata()).is_none();
        let next = later.find(|message| speaks(message) || goes_on(message));
        if next.is_some_and(speaks) {
            self.followed[position].settle_as_told(self.readers.result, self.run, thread, changes);
        }
        if !self.followed[position].is_open() {
            self.standing.pop();
        }
    }

    /// The agent settled one call of an ask alone. Those of the same ask in later messages are asked by themselves.
    pub(super) fn part_twins(&mut self, key: &str, thread: &Thread, changes: &mut Vec<AskChange>) {
        let Some(followed) = self.positions.get(key).map(|position| &mut self.followed[position]) else {
            return;
        };
        if followed.is_open() || followed.twins.is_empty() {
            return;
        }
        let position = |key: &str| thread.call(key).and_then(|call| call.position());
        let is_open = |key: &str| thread.call(key).is_some_and(|call| !call.answered);
        let mut parted = mem::take(&mut followed.twins);
        for twin in &parted {
            if position(twin) <= position(key) || !is_open(twin) {
                followed.twins.push(twin.clone());
            }
        }
        parted.retain(|twin| position(twin) > position(key) && is_open(twin));
        for twin in parted {
            self.positions.remove(&twin);
            self.take_call(&twin, thread, changes);
        }
    }

    /// The agent speaks in a message.
    pub(super) fn hear_message(&mut self, message: usize, thread: &Thread, changes: &mut Vec<AskChange>) {
        let is_before = |call: &str| thread.call(call).and_then(|call| call.position()) < Some(message);
        self.hear_agent(&is_before, thread, changes);
    }

    /// The agent speaks. The asks before that have a result are over.
    pub(super) fn hear_agent(
        &mut self,
        is_before: &dyn Fn(&str) -> bool,
        thread: &Thread,
        changes: &mut Vec<AskChange>,
    ) {
        for position in mem::take(&mut self.standing) {
            let followed = &mut self.followed[position];
            if followed.is_open() && is_before(&followed.id) {
                followed.settle_as_told(self.readers.result, self.run, thread, changes);
            } else if followed.is_open() {
                self.standing.push(position);
            }
        }
    }

    /// The agent says what it waits for: asks that are over wait again, and a call that came unnoticed is asked.
    pub(super) fn take_pending(&mut self, thread: &Thread, changes: &mut Vec<AskChange>) {
        for key in thread.pending_tool_call_ids() {
            let is_answered = thread.call(key).is_none_or(|call| call.answered);
            match self.positions.get(key) {
                Some(position) => {
                    let followed = &mut self.followed[position];
                    let is_over = match followed.snapshot.phase {
                        Phase::Settled => true,
                        Phase::Answered | Phase::Declined | Phase::Superseded | Phase::Expired => {
                            !is_answered && followed.over_since < self.run
                        }
                        _ => false,
                    };
                    if is_over {
                        followed.ask_again(changes);
                        self.open.push(position);
                    }
                }
                None => {
                    if let Some(message) = thread.call(key).and_then(|call| call.position()) {
                        self.hear_message(message, thread, changes);
                    }
                    self.take_call(key, thread, changes);
                }
            }
        }
    }
}

/// Returns true if the agent speaks in a message.
pub(super) fn speaks(message: &Message) -> bool {
    message.role == Role::Assistant && (!message.tool_calls().is_empty() || !is_blank(&message.text()))
}
