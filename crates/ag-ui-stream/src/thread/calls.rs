use crate::index::Index;
use crate::message::Message;

/// What is known of a tool call, whatever becomes of the message that holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallState {
    /// The tool.
    pub name: String,
    /// Whether its arguments are complete.
    pub ended: bool,
    /// Whether a tool message in the thread answers it.
    pub answered: bool,
    /// The run in which it began; absent where it comes from a history.
    pub run_id: Option<String>,
    /// The positions of its message and of it there; absent where a snapshot dropped its message.
    pub(super) place: Option<(usize, usize)>,
    /// Whether it is among those that began in the present run.
    begun: bool,
    /// Its arguments where no message holds them.
    pub(super) detached: String,
}

/// All calls by id.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    positions: Index,
    states: Vec<CallState>,
    /// Those that began in the present run, in order.
    begun: Vec<String>,
    /// Those that tool messages answer, known or not.
    answered: Index,
    /// Those that got a result in the present run, whatever became of its message.
    resulted: Index,
}

impl Calls {
    pub(super) fn state(&self, id: &str) -> Option<&CallState> {
        self.states.get(self.positions.get(id)?)
    }

    pub(super) fn state_mut(&mut self, id: &str) -> Option<&mut CallState> {
        self.states.get_mut(self.positions.get(id)?)
    }

    /// The state of a call. One that is new is of a history, so that its arguments are complete.
    fn state_or_new(&mut self, id: &str, name: &str) -> &mut CallState {
        let position = self.positions.get(id).unwrap_or_else(|| {
            self.positions.insert(id, self.states.len());
            let answered = self.answered.contains(id);
            self.states.push(CallState { name: name.to_owned(), ended: true, answered, ..CallState::default() });
            self.states.len() - 1
        });
        &mut self.states[position]
    }

    pub(super) fn start_run(&mut self) {
        self.resulted.clear();
        for id in std::mem::take(&mut self.begun) {
            if let Some(state) = self.state_mut(&id) {
                state.begun = false;
            }
        }
    }

    /// Notes that a call began in the present run.
    pub(super) fn begin(&mut self, id: &str, name: &str, run_id: Option<String>) {
        let state = self.state_or_new(id, name);
        name.clone_into(&mut state.name);
        state.ended = false;
        state.run_id = run_id;
        if !std::mem::replace(&mut state.begun, true) {
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
        self.resulted.insert(id, 0);
    }

    /// Forgets which calls are answered, before their messages get new positions.
    pub(super) fn forget_answers(&mut self) {
        self.answered.clear();
        for state in &mut self.states {
            state.answered = false;
        }
    }

    /// Learns what a message at a position says about calls.
    pub(super) fn place(&mut self, position: usize, message: &Message) {
        if let Some(call) = message.tool_call_id() {
            self.answered.insert(call, 0);
            if let Some(state) = self.state_mut(call) {
                state.answered = true;
            }
        }
        for (index, call) in message.tool_calls().iter().enumerate() {
            self.state_or_new(&call.id, &call.name).place = Some((position, index));
        }
    }

    /// Forgets the positions of the calls of a message that is about to be replaced; their arguments go into the calls' keeping.
    pub(super) fn detach_message(&mut self, position: usize, message: &Message) {
        for call in message.tool_calls() {
            if let Some(state) = self.state_mut(&call.id)
                && state.place.is_some_and(|(message, _)| message == position)
            {
                state.place = None;
                state.detached.clone_from(&call.arguments);
            }
        }
    }

    /// Forgets all positions; the arguments that `take_arguments` finds there go into the calls' keeping.
    pub(super) fn detach(&mut self, mut take_arguments: impl FnMut((usize, usize)) -> Option<String>) {
        for state in &mut self.states {
            if let Some(arguments) = state.place.take().and_then(&mut take_arguments) {
                state.detached = arguments;
            }
        }
    }
}
