use super::slots::MessageSlots;
use crate::event::{Event, EventRef};
use crate::message::Message;
use json_tree::Ids;
use json_tree::pieces::Pieces;
use std::borrow::Cow;
use std::mem;

/// The state of a tool call. It is kept even if a snapshot drops the call's message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallState {
    /// The name of the tool.
    pub name: String,
    /// True if its arguments are complete.
    pub ended: bool,
    /// The run in which the call began; `None` if it comes from a history.
    pub run_id: Option<String>,
    key: String,
    /// The call has begun or is in a message. If false, only a result of it has arrived.
    is_there: bool,
    /// The number of calls to which the agent gave `key` as their id, and the slot of the newest.
    uses: usize,
    newest: usize,
    /// The slots of the tool messages that answer the call, in message order.
    results: Vec<usize>,
    /// The call got a result in the current run, even if the result's message is gone.
    is_resulted: bool,
    /// The slot of the message with the call; `None` if a snapshot dropped it.
    pub(super) owner: Option<usize>,
    pub(super) index: usize,
    begun: bool,
    /// The call began in an earlier run and is repeated in the current one.
    is_told: bool,
    /// The arguments, while no message holds them.
    pub(super) detached: String,
    pub(super) pieces: Pieces,
    /// The arguments in a snapshot that came while they were still streaming.
    pub(super) told: Option<String>,
    pub(super) again: Option<RestatedCall>,
}

impl CallState {
    /// True if the thread has a tool message that answers the call.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        !self.results.is_empty()
    }

    /// Returns true if the call began in the current run and has no answer.
    pub(super) fn is_new(&self) -> bool {
        self.begun && !self.is_told && !self.is_answered()
    }
}

/// A call that begins under the id of an ended one. It is the same call if its arguments are the same JSON, else another one. The adapter of
/// `LangGraph` repeats a call when its run is resumed, with the arguments as Python writes them
/// (<https://github.com/ag-ui-protocol/ag-ui/issues/2515>).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RestatedCall {
    pub(super) start: Event,
    /// The arguments so far.
    pub(super) said: String,
    /// The lengths of the earlier call's arguments and of `said` that [agree](json_tree::pieces::follow).
    pub(super) agreed: (usize, usize),
    pub(super) ended: bool,
}

impl RestatedCall {
    pub(super) fn of(start: &EventRef<'_>) -> Self {
        Self { start: start.clone().into_owned(), said: String::new(), agreed: (0, 0), ended: false }
    }
}

/// The calls by dense slots: one lookup per event finds everything about its call.
#[derive(Clone, Debug, Default)]
pub(super) struct CallTable {
    slots: Ids,
    records: Vec<CallState>,
    /// The slots of the calls that began in the current run.
    begun: Vec<usize>,
    /// The slots of the calls that got a result in the current run.
    resulted: Vec<usize>,
}

impl CallTable {
    fn record(&self, key: &str) -> Option<&CallState> {
        self.slots.find(key).map(|slot| &self.records[slot])
    }

    pub(super) fn slot(&mut self, key: &str) -> usize {
        self.slots.find(key).unwrap_or_else(|| self.add(key))
    }

    fn add(&mut self, key: &str) -> usize {
        let newest = self.records.len();
        self.slots.put(key, newest);
        self.records.push(CallState { key: key.to_owned(), uses: 1, newest, ..CallState::default() });
        newest
    }

    /// The slot of the newest call to which the agent gave this id.
    pub(super) fn newest(&self, id: &str) -> Option<usize> {
        self.record(id).map(|record| record.newest)
    }

    /// As [`newest`](Self::newest), but adds a slot if there is none.
    pub(super) fn newest_or_new(&mut self, id: &str) -> usize {
        self.newest(id).unwrap_or_else(|| self.add(id))
    }

    pub(super) fn key_at(&self, slot: usize) -> &str {
        &self.records[slot].key
    }

    /// The key of the newest call to which the agent gave this id. A key is returned as it is.
    pub(super) fn key<'i>(&self, id: &'i str) -> Cow<'i, str> {
        match self.uses(id) {
            1 => id.into(),
            uses => key(id, uses).into(),
        }
    }

    pub(super) fn uses(&self, id: &str) -> usize {
        self.record(id).map_or(1, |record| record.uses)
    }

    /// The ordinal of the next call with this id. Skips ordinals whose key another call has as its id.
    pub(super) fn next_use(&self, id: &str) -> usize {
        let mut nth = self.uses(id) + 1;
        while self.slots.has(&key(id, nth)) {
            nth += 1;
        }
        nth
    }

    /// Records that `uses` calls have the id, and returns the key of the last one.
    pub(super) fn use_again(&mut self, id: &str, uses: usize) -> String {
        let key = key(id, uses);
        if uses > self.uses(id) {
            let (slot, newest) = (self.slot(id), self.slot(&key));
            (self.records[slot].uses, self.records[slot].newest) = (uses, newest);
        }
        key
    }

    pub(super) fn results(&self, key: &str) -> &[usize] {
        self.record(key).map_or(&[], |record| &record.results)
    }

    pub(super) fn state(&self, key: &str) -> Option<&CallState> {
        self.record(key).filter(|call| call.is_there)
    }

    pub(super) fn state_mut(&mut self, key: &str) -> Option<&mut CallState> {
        self.state_at_mut(self.slots.find(key)?)
    }

    pub(super) fn state_at(&self, slot: usize) -> Option<&CallState> {
        Some(&self.records[slot]).filter(|call| call.is_there)
    }

    pub(super) fn state_at_mut(&mut self, slot: usize) -> Option<&mut CallState> {
        Some(&mut self.records[slot]).filter(|call| call.is_there)
    }

    /// The state of a call. A new state counts as complete, since it comes from a history.
    fn state_or_new(&mut self, slot: usize, name: &str) -> &mut CallState {
        let state = &mut self.records[slot];
        if !mem::replace(&mut state.is_there, true) {
            (state.name, state.ended) = (name.to_owned(), true);
        }
        state
    }

    pub(super) fn restore(&mut self, key: &str, name: &str, arguments: &str) {
        let slot = self.slot(key);
        arguments.clone_into(&mut self.state_or_new(slot, name).detached);
    }

    pub(super) fn start_run(&mut self) {
        for slot in mem::take(&mut self.resulted) {
            self.records[slot].is_resulted = false;
        }
        for slot in mem::take(&mut self.begun) {
            let state = &mut self.records[slot];
            (state.begun, state.is_told, state.again) = (false, false, None);
        }
    }

    /// The calls that were repeated in the current run, got no result in it, and were over before (answered, or the user spoke after them): the
    /// agent asks them again.
    pub(super) fn asked_again(&mut self, is_passed: impl Fn(&CallState) -> bool) -> Vec<RestatedCall> {
        let mut asked = Vec::new();
        for slot in mem::take(&mut self.begun) {
            let state = &mut self.records[slot];
            if !state.is_resulted && (state.is_answered() || state.is_told && is_passed(state)) {
                asked.extend(state.again.take().filter(|again| again.ended));
                state.begun = false;
            } else {
                self.begun.push(slot);
            }
        }
        asked
    }

    pub(super) fn tell_again(&mut self, slot: usize, again: RestatedCall) {
        let state = &mut self.records[slot];
        state.again = Some(again);
        if !mem::replace(&mut state.begun, true) {
            state.is_told = true;
            self.begun.push(slot);
        }
    }

    pub(super) fn begin(&mut self, slot: usize, name: &str, run_id: Option<String>) {
        let state = self.state_or_new(slot, name);
        name.clone_into(&mut state.name);
        (state.ended, state.run_id, state.pieces) = (false, run_id, Pieces::default());
        if !mem::replace(&mut state.begun, true) {
            self.begun.push(slot);
        }
    }

    /// The keys of the calls that began in the current run and have no result.
    pub(super) fn unanswered(&self) -> Vec<String> {
        let begun = self.begun.iter().map(|slot| &self.records[*slot]);
        let is_open = |it: &&CallState| !it.is_resulted && !it.is_answered();
        begun.filter(is_open).map(|it| it.key.clone()).collect()
    }

    /// Records that a call got its result in the current run. The call itself may begin later.
    pub(super) fn take_result(&mut self, slot: usize) {
        if !mem::replace(&mut self.records[slot].is_resulted, true) {
            self.resulted.push(slot);
        }
    }

    pub(super) fn arriving(&self) -> Vec<usize> {
        self.begun.iter().copied().filter(|slot| !self.records[*slot].ended).collect()
    }

    /// Applies a call from a snapshot. It is complete unless it began in the current run.
    pub(super) fn take_whole(&mut self, key: &str) {
        if let Some(state) = self.state_mut(key).filter(|state| !state.begun) {
            state.ended = true;
        }
    }

    /// Forgets all results, before messages get new slots.
    pub(super) fn forget_answers(&mut self) {
        self.records.iter_mut().for_each(|call| call.results.clear());
    }

    /// Indexes the calls or the result of the message in a slot.
    pub(super) fn place_message(&mut self, slot: usize, message: &Message, slots: &MessageSlots) {
        if let Some(call) = message.tool_call_id() {
            let call = self.slot(call);
            let record = &mut self.records[call];
            let position = slots.position(slot);
            let at = record.results.partition_point(|other| slots.position(*other) < position);
            record.results.insert(at, slot);
        }
        for (index, call) in message.tool_calls().iter().enumerate() {
            let at = self.slot(&call.id);
            self.place(at, slot, index, &call.name);
        }
    }

    pub(super) fn place(&mut self, call: usize, message: usize, index: usize, name: &str) {
        let state = self.state_or_new(call, name);
        (state.owner, state.index, state.detached) = (Some(message), index, String::new());
    }

    /// Forgets all message slots. The arguments that `take_arguments` returns move into `detached`.
    pub(super) fn detach(&mut self, mut take_arguments: impl FnMut(usize, usize) -> Option<String>) {
        for state in &mut self.records {
            if let Some(arguments) = state.owner.take().and_then(|slot| take_arguments(slot, state.index)) {
                state.detached = arguments;
            }
        }
    }

    /// Forgets the slot of a message that is about to be replaced. The arguments of its calls move into `detached`.
    pub(super) fn detach_message(&mut self, slot: usize, message: &Message) {
        for call in message.tool_calls() {
            if let Some(state) = self.state_mut(&call.id).filter(|state| state.owner == Some(slot)) {
                state.owner = None;
                state.detached.clone_from(&call.arguments);
            }
        }
    }
}

pub(super) fn key(id: &str, nth: usize) -> String {
    if nth > 1 { id.to_owned() + "#" + &nth.to_string() } else { id.to_owned() }
}
