use crate::event::{Event, EventRef};
use crate::message::{Message, ToolCall};
use json_tree::pieces::Pieces;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::mem;

/// The state of a tool call, even if a snapshot drops its message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallState {
    /// The tool.
    pub name: String,
    /// True if its arguments are complete.
    pub ended: bool,
    /// True if a tool message in the thread answers it.
    pub answered: bool,
    /// The run in which it began; absent if it comes from a history.
    pub run_id: Option<String>,
    /// The slot of the message that holds it; `None` if a snapshot dropped that.
    pub(super) owner: Option<usize>,
    pub(super) index: usize,
    begun: bool,
    /// It began before, and the present run repeats it.
    is_told: bool,
    /// Its arguments, if no message holds them.
    pub(super) detached: String,
    pub(super) pieces: Pieces,
    pub(super) again: Option<RestatedCall>,
}

/// A call under the id of one that has ended. It is the same call if it comes word for word, else another one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RestatedCall {
    pub(super) start: Event,
    /// The length of the repeated arguments, in bytes.
    pub(super) told: usize,
    pub(super) ended: bool,
}

impl RestatedCall {
    pub(super) fn of(start: &EventRef<'_>) -> Self {
        Self { start: start.clone().into_owned(), told: 0, ended: false }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct CallTable {
    states: BTreeMap<String, CallState>,
    /// The number of calls under one id, if it is more than one.
    uses: BTreeMap<String, usize>,
    begun: Vec<String>,
    /// The slots of the tool messages that answer a call, known or not.
    results: BTreeMap<String, Vec<usize>>,
    /// Those that got a result in the present run, whatever became of its message.
    resulted: BTreeSet<String>,
}

impl CallTable {
    /// The key of the newest call to which the agent gave this id. A key is its own.
    pub(super) fn key<'i>(&self, id: &'i str) -> Cow<'i, str> {
        self.uses.get(id).map_or(Cow::Borrowed(id), |uses| key(id, *uses).into())
    }

    pub(super) fn uses(&self, id: &str) -> usize {
        self.uses.get(id).copied().unwrap_or(1)
    }

    /// Notes that one more call has the id, and returns its key.
    pub(super) fn use_again(&mut self, id: &str, uses: usize) -> String {
        if uses > self.uses(id) {
            self.uses.insert(id.to_owned(), uses);
        }
        key(id, uses)
    }

    pub(super) fn results(&self, id: &str) -> &[usize] {
        self.results.get(id).map_or(&[], Vec::as_slice)
    }

    pub(super) fn state(&self, id: &str) -> Option<&CallState> {
        self.states.get(id)
    }

    pub(super) fn state_mut(&mut self, id: &str) -> Option<&mut CallState> {
        self.states.get_mut(id)
    }

    /// The state of a call. One that is new is of a history, so that its arguments are complete.
    fn state_or_new(&mut self, id: &str, name: &str) -> &mut CallState {
        self.states.entry(id.to_owned()).or_insert_with(|| CallState {
            name: name.to_owned(),
            ended: true,
            answered: self.results.contains_key(id),
            ..CallState::default()
        })
    }

    /// Restores a call that no message has.
    pub(super) fn restore(&mut self, id: &str, name: &str, arguments: &str) {
        arguments.clone_into(&mut self.state_or_new(id, name).detached);
    }

    pub(super) fn start_run(&mut self) {
        self.resulted.clear();
        for id in mem::take(&mut self.begun) {
            if let Some(state) = self.state_mut(&id) {
                (state.begun, state.is_told, state.again) = (false, false, None);
            }
        }
    }

    /// The calls that came again in the present run, got no result in it, and were over before: the agent asks the same again. A call
    /// is over if it is answered or the user spoke after it.
    pub(super) fn asked_again(&mut self, is_passed: impl Fn(&CallState) -> bool) -> Vec<RestatedCall> {
        let mut asked = Vec::new();
        for id in mem::take(&mut self.begun) {
            let is_open = !self.resulted.contains(&id);
            if let Some(state) = self.states.get_mut(&id) {
                if is_open && (state.answered || state.is_told && is_passed(state)) {
                    asked.extend(state.again.take().filter(|again| again.ended));
                    state.begun = false;
                } else {
                    self.begun.push(id);
                }
            }
        }
        asked
    }

    /// Notes that a call comes again in the present run.
    pub(super) fn tell_again(&mut self, id: &str, again: RestatedCall) {
        if let Some(state) = self.states.get_mut(id) {
            state.again = Some(again);
            if !mem::replace(&mut state.begun, true) {
                state.is_told = true;
                self.begun.push(id.to_owned());
            }
        }
    }

    pub(super) fn begin(&mut self, id: &str, name: &str, run_id: Option<String>) {
        let state = self.state_or_new(id, name);
        name.clone_into(&mut state.name);
        (state.ended, state.run_id, state.pieces) = (false, run_id, Pieces::default());
        if !mem::replace(&mut state.begun, true) {
            self.begun.push(id.to_owned());
        }
    }

    /// The calls that began in the present run, got no result in it and are not answered.
    pub(super) fn unanswered(&self) -> Vec<String> {
        let is_open = |id: &&String| !self.resulted.contains(*id) && self.state(id).is_some_and(|call| !call.answered);
        self.begun.iter().filter(is_open).cloned().collect()
    }

    /// Notes that a call, which may begin only later, got its result in the present run.
    pub(super) fn take_result(&mut self, id: &str) {
        self.resulted.insert(id.to_owned());
    }

    /// Takes a call from a snapshot. One that did not begin in the present run is complete.
    pub(super) fn take_whole(&mut self, id: &str) {
        if let Some(state) = self.state_mut(id).filter(|state| !state.begun) {
            state.ended = true;
        }
    }

    /// Forgets which calls are answered, before their messages get new slots.
    pub(super) fn forget_answers(&mut self) {
        self.results.clear();
        self.states.values_mut().for_each(|state| state.answered = false);
    }

    /// Indexes the calls and the result of the message in a slot.
    pub(super) fn place_message(&mut self, slot: usize, message: &Message) {
        if let Some(call) = message.tool_call_id() {
            self.results.entry(call.to_owned()).or_default().push(slot);
            if let Some(state) = self.states.get_mut(call) {
                state.answered = true;
            }
        }
        for (index, call) in message.tool_calls().iter().enumerate() {
            self.place(slot, index, call);
        }
    }

    pub(super) fn place(&mut self, slot: usize, index: usize, call: &ToolCall) {
        let state = self.state_or_new(&call.id, &call.name);
        (state.owner, state.index, state.detached) = (Some(slot), index, String::new());
    }

    /// Forgets all slots; the arguments that `take_arguments` finds there move into `detached`.
    pub(super) fn detach(&mut self, mut take_arguments: impl FnMut(usize, usize) -> Option<String>) {
        for state in self.states.values_mut() {
            if let Some(arguments) = state.owner.take().and_then(|slot| take_arguments(slot, state.index)) {
                state.detached = arguments;
            }
        }
    }

    /// Forgets the slot of the calls of a message that is about to be replaced; their arguments move into `detached`.
    pub(super) fn detach_message(&mut self, slot: usize, message: &Message) {
        for call in message.tool_calls() {
            if let Some(state) = self.states.get_mut(&call.id).filter(|state| state.owner == Some(slot)) {
                state.owner = None;
                state.detached.clone_from(&call.arguments);
            }
        }
    }
}

/// The key of the call that is the nth under its id.
pub(super) fn key(id: &str, nth: usize) -> String {
    if nth > 1 { id.to_owned() + "#" + &nth.to_string() } else { id.to_owned() }
}
