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
    /// Its position in the table.
    number: usize,
    /// Its position in its message.
    index: usize,
    /// It began in the present run.
    begun: bool,
    /// It began before, and the present run repeats it.
    is_told: bool,
    /// Its arguments, if no message holds them.
    pub(super) detached: String,
    /// The pieces in which its arguments came.
    pub(super) pieces: Pieces,
    /// It begins once more.
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

/// All calls by id.
#[derive(Clone, Debug, Default)]
pub(super) struct CallTable {
    positions: BTreeMap<String, usize>,
    states: Vec<CallState>,
    /// The position of the message of each, and one; 0 if a snapshot dropped the message. They are apart since an insertion before
    /// them moves them all.
    owners: Vec<u32>,
    /// The number of calls under one id, if it is more than one.
    uses: BTreeMap<String, usize>,
    /// Those that began in the present run, in order.
    begun: Vec<String>,
    /// Those that tool messages answer, known or not, with the position of the first, or one before
    /// it: insertions only move results back.
    answered: BTreeMap<String, usize>,
    /// Those that several tool messages answer.
    several: BTreeSet<String>,
    /// Those that got a result in the present run, whatever became of its message.
    resulted: BTreeSet<String>,
}

impl CallTable {
    /// The key of the newest call to which the agent gave this id. A key is its own.
    pub(super) fn key<'i>(&self, id: &'i str) -> Cow<'i, str> {
        self.uses.get(id).map_or(Cow::Borrowed(id), |uses| key(id, *uses).into())
    }

    /// The number of calls under an id.
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

    /// The position of the first result of a call, which may be unknown, or a position before it.
    #[cfg(feature = "asks")]
    pub(super) fn first_result(&self, id: &str) -> Option<usize> {
        self.answered.get(id).copied()
    }

    #[cfg(feature = "asks")]
    pub(super) fn has_several_results(&self, id: &str) -> bool {
        self.several.contains(id)
    }

    /// Stores the position of a result.
    fn place_result(&mut self, id: &str, position: usize) {
        match self.answered.get_mut(id) {
            Some(first) => {
                self.several.insert(id.to_owned());
                *first = position.min(*first);
            }
            None => drop(self.answered.insert(id.to_owned(), position)),
        }
        if let Some(state) = self.state_mut(id) {
            state.answered = true;
        }
    }

    pub(super) fn state(&self, id: &str) -> Option<&CallState> {
        self.states.get(*self.positions.get(id)?)
    }

    pub(super) fn state_mut(&mut self, id: &str) -> Option<&mut CallState> {
        self.states.get_mut(*self.positions.get(id)?)
    }

    /// The position of a call's message, and its position there; absent if a snapshot dropped the message.
    pub(super) fn place_of(&self, call: &CallState) -> Option<(usize, usize)> {
        Some(((self.owners[call.number] as usize).checked_sub(1)?, call.index))
    }

    /// The state of a call, and its place as [`place_of`](Self::place_of) has it.
    pub(super) fn placed_mut(&mut self, id: &str) -> Option<(Option<(usize, usize)>, &mut CallState)> {
        let at = *self.positions.get(id)?;
        let place = self.place_of(&self.states[at]);
        Some((place, &mut self.states[at]))
    }

    /// The state of a call. One that is new is of a history, so that its arguments are complete.
    fn state_or_new(&mut self, id: &str, name: &str) -> &mut CallState {
        let number = self.positions.get(id).copied().unwrap_or_else(|| {
            let number = self.states.len();
            self.positions.insert(id.to_owned(), number);
            let answered = self.answered.contains_key(id);
            self.states.push(CallState {
                name: name.to_owned(),
                ended: true,
                answered,
                number,
                ..CallState::default()
            });
            self.owners.push(0);
            number
        });
        &mut self.states[number]
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
    pub(super) fn asked_again(&mut self, last_user: impl Fn() -> Option<usize>) -> Vec<RestatedCall> {
        let mut asked = Vec::new();
        for id in self.begun.clone() {
            let is_open = !self.resulted.contains(&id);
            if let Some(&at) = self.positions.get(&id).filter(|_| is_open) {
                let (state, owner) = (&mut self.states[at], self.owners[at] as usize);
                if state.answered || state.is_told && owner.checked_sub(1) < last_user() {
                    asked.extend(state.again.take().filter(|again| again.ended));
                    state.begun = false;
                }
            }
        }
        let states = (&self.positions, &self.states);
        self.begun.retain(|id| states.0.get(id).is_some_and(|at| states.1[*at].begun));
        asked
    }

    /// Notes that a call comes again in the present run.
    pub(super) fn tell_again(&mut self, id: &str, again: RestatedCall) {
        if let Some(state) = self.state_mut(id) {
            state.again = Some(again);
            if !mem::replace(&mut state.begun, true) {
                state.is_told = true;
                self.begun.push(id.to_owned());
            }
        }
    }

    /// Notes that a call began in the present run.
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
        let mut unanswered = Vec::new();
        for id in &self.begun {
            if !self.resulted.contains(id) && self.state(id).is_some_and(|call| !call.answered) {
                unanswered.push(id.clone());
            }
        }
        unanswered
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

    /// Forgets which calls are answered, before their messages get new positions.
    pub(super) fn forget_answers(&mut self) {
        self.answered.clear();
        self.several.clear();
        for state in &mut self.states {
            state.answered = false;
        }
    }

    /// Indexes the calls and the result of a message at a position.
    pub(super) fn place_message(&mut self, position: usize, message: &Message) {
        if let Some(call) = message.tool_call_id() {
            self.place_result(call, position);
        }
        for (index, call) in message.tool_calls().iter().enumerate() {
            self.place(position, index, call);
        }
    }

    /// A new message is at a position, and those that were there and behind it are one further.
    pub(super) fn shift(&mut self, from: usize) {
        let from = from as u32;
        for owner in &mut self.owners {
            *owner += u32::from(*owner > from);
        }
    }

    /// Stores the position of a call.
    pub(super) fn place(&mut self, position: usize, index: usize, call: &ToolCall) {
        let state = self.state_or_new(&call.id, &call.name);
        (state.index, state.detached) = (index, String::new());
        let number = state.number;
        self.owners[number] = position as u32 + 1;
    }

    /// Forgets the positions of the calls of a message that is about to be replaced; their arguments move into `detached`.
    pub(super) fn detach_message(&mut self, position: usize, message: &Message) {
        for call in message.tool_calls() {
            if let Some(&at) = self.positions.get(&call.id)
                && self.owners[at] as usize == position + 1
            {
                self.owners[at] = 0;
                self.states[at].detached.clone_from(&call.arguments);
            }
        }
    }

    /// Forgets all positions; the arguments that `take_arguments` finds there move into `detached`.
    pub(super) fn detach(&mut self, mut take_arguments: impl FnMut((usize, usize)) -> Option<String>) {
        for (state, owner) in self.states.iter_mut().zip(&mut self.owners) {
            let message = (mem::take(owner) as usize).checked_sub(1);
            if let Some(arguments) = message.and_then(|message| take_arguments((message, state.index))) {
                state.detached = arguments;
            }
        }
    }
}

/// The key of the call that is the nth under its id.
pub(super) fn key(id: &str, nth: usize) -> String {
    if nth > 1 { id.to_owned() + "#" + &nth.to_string() } else { id.to_owned() }
}
