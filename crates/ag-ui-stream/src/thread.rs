//! Run state: messages, state and calls, built from the events of one or several runs.

mod apply;
mod calls;
mod keys;
pub(crate) mod records;
#[cfg(feature = "asks")]
mod seen;
mod slots;
mod snapshot;

use crate::history::History;
use crate::message::{Message, Metadata, Role, ToolCall, unique};
use crate::notice::{Notice, NoticeDetail, Notices};
use crate::outcome::Interrupt;
use crate::patch::CopyBudget;
use crate::reader::{End, EndOutcome};
use calls::{CallTable, RestatedCall};
use json_tree::{Ids, Json, Members};
use slots::MessageSlots;
use std::borrow::{Borrow, Cow};
use std::{iter, mem};

pub use calls::CallState;

/// One conversation: its messages, state, tool calls and interrupts, over any number of runs.
///
/// - [`messages`](Self::messages), [`state`](Self::state), [`pending_tool_call_ids`](Self::pending_tool_call_ids),
///   [`open_interrupts`](Self::open_interrupts) and [`call`](Self::call) are the present state,
/// - [`handle_event`](Self::handle_event) applies an event that an [`EventReader`](crate::EventReader) verified and returns the change,
///   [`handle_end`](Self::handle_end) takes the end of a response,
/// - [`push_message`](Self::push_message) takes the client's own messages,
/// - [`next_warning`](Self::next_warning) returns the tolerated faults.
///
/// ```
/// use ag_ui_stream::thread::Change;
/// use ag_ui_stream::{Event, Message, Thread};
/// let mut thread = Thread::new(vec![Message::user("u1", "Hi")]);
/// for event in [Event::run_started("t", "r"), Event::text_message_start("m1")] {
///     thread.handle_event(&event);
/// }
/// let change = thread.handle_event(&Event::text_message_content("m1", "Hello"));
/// assert_eq!(change, Change::TextAppended { message: 1, from: 0 });
/// assert_eq!(thread.messages()[1].text(), "Hello");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Thread {
    messages: Vec<Message>,
    slots: MessageSlots,
    calls: CallTable,
    /// `None` means `{}`: nothing has set it yet.
    state: Option<Json<'static>>,
    /// The size that patches added by copies to the state and the activities.
    copied: CopyBudget,
    run: RunState,
    pending: Vec<String>,
    interrupts: Vec<Interrupt>,
    /// The interrupts from legacy events of the open run. They count only if the end of the run has none in the protocol's form.
    legacy: Vec<Interrupt>,
    /// The interrupts that the open run was started to answer.
    resumed: Vec<Interrupt>,
    /// Caches where the last result was inserted: the position after its call's message, and its own. Results of many calls in one message arrive in
    /// sequence, so the next one goes behind it without a search.
    last_result: Option<(usize, usize)>,
    /// The id of the message that ended last in the open run.
    ended_text: Option<String>,
    /// The ids of the messages in the last snapshot or input, in its order.
    told: Vec<String>,
    /// The duplicate calls that were dropped from the last snapshot of the open run.
    copies: Vec<RestatedCall>,
    warnings: Notices,
}

/// The state of the conversation's last run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunState {
    /// No run has started.
    #[default]
    Idle,
    /// A run is open.
    Running {
        /// The id of the run.
        run_id: String,
    },
    /// The last run ended.
    Ended {
        /// How it ended.
        outcome: EndOutcome,
    },
}

/// The effect of an event on a thread. A page needs to update only what it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The thread did not change.
    Nothing,
    /// A run began. Messages in its input were appended.
    RunStarted {
        /// The number of appended messages.
        added: usize,
    },
    /// The run ended; [`Thread::run`] has the outcome.
    RunEnded,
    /// A message was inserted. Messages at or after `message` moved by one.
    MessageAdded {
        /// The position of the new message.
        message: usize,
    },
    /// A message's text grew.
    TextAppended {
        /// The position of the message.
        message: usize,
        /// The byte at which the new text starts.
        from: usize,
    },
    /// Something else about a message changed: its metadata, its encrypted value, an activity's content.
    MessageChanged {
        /// The position of the message.
        message: usize,
    },
    /// A tool call was added, perhaps with a new last message to hold it.
    ToolCallAdded {
        /// The position of the message that holds it.
        message: usize,
        /// The index of the call in that message.
        call: usize,
    },
    /// A call's arguments grew.
    ArgumentsAppended {
        /// The position of the message that holds it.
        message: usize,
        /// The index of the call in that message.
        call: usize,
        /// The byte at which the new text starts.
        from: usize,
    },
    /// Something else about a call changed: it ended, or its name, metadata or encrypted value did.
    ToolCallChanged {
        /// The position of the message that holds it.
        message: usize,
        /// The index of the call in that message.
        call: usize,
    },
    /// The list of messages was replaced by a snapshot, or reordered.
    MessagesReplaced,
    /// The shared state changed.
    StateChanged,
}

/// How a list of messages relates to those of the thread.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    /// The list is the initial history: the thread has no messages yet.
    History,
    /// The list replaces the thread's messages.
    Snapshot,
    /// The list is appended to the thread's messages.
    Later,
}

static NO_STATE: Json<'static> = Json::Object(Members::new());

impl Thread {
    /// Creates a thread from a history. Calls in it without a tool message are pending.
    #[must_use]
    pub fn new(history: impl Into<History>) -> Self {
        Self::restored(history.into()).0
    }

    /// As [`new`](Self::new), and returns the records of the history.
    pub(crate) fn restored(history: History) -> (Self, Vec<Json<'static>>) {
        let History { mut messages, state, ended, interrupts, records } = history;
        let run = ended.map_or(RunState::Idle, |outcome| RunState::Ended { outcome });
        let mut thread = Self { state, run, interrupts, ..Self::default() };
        thread.set_keys(&mut messages, List::History);
        thread.restore_keys(&mut messages, &records);
        thread.messages = messages;
        thread.reindex();
        thread.restore_calls(&records);
        thread.pending = thread.unanswered_tool_call_ids();
        (thread, records)
    }

    /// A value from which [`new`](Self::new) restores the thread.
    #[must_use]
    pub fn history(&self) -> History {
        History {
            messages: self.in_told_order().into_iter().cloned().collect(),
            state: self.state.as_ref().filter(|state| **state != NO_STATE).cloned(),
            ended: match self.run {
                RunState::Idle => None,
                RunState::Running { .. } => Some(EndOutcome::Truncated),
                RunState::Ended { outcome } => Some(outcome),
            },
            interrupts: self.interrupts.clone(),
            records: self.records(),
        }
    }

    /// The messages, in order.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The message with this id.
    #[must_use]
    pub fn message(&self, id: &str) -> Option<&Message> {
        self.position_of(id).map(|position| &self.messages[position])
    }

    pub(crate) fn position_of(&self, id: &str) -> Option<usize> {
        Some(self.slots.position(self.slots.find(id)?))
    }

    /// The shared state; `{}` until something sets it.
    #[must_use]
    pub fn state(&self) -> &Json<'static> {
        self.state.as_ref().unwrap_or(&NO_STATE)
    }

    /// The state of the last run, or [`RunState::Idle`].
    #[must_use]
    pub fn run(&self) -> &RunState {
        &self.run
    }

    /// The key of the newest call to which the agent gave this id. A key is returned as it is.
    #[must_use]
    pub fn key<'i>(&self, id: &'i str) -> Cow<'i, str> {
        self.calls.key(id)
    }

    /// The id that the agent gave the call with this key.
    #[must_use]
    pub fn wire_id<'i>(&'i self, key: &'i str) -> &'i str {
        self.tool_call(key).map_or(key, ToolCall::wire_id)
    }

    /// The state of a call by its key, even if a snapshot dropped its message.
    #[must_use]
    pub fn call(&self, tool_call_id: &str) -> Option<&CallState> {
        self.calls.state(tool_call_id)
    }

    /// The raw arguments received so far; `None` if there is no such call.
    #[must_use]
    pub fn arguments(&self, tool_call_id: &str) -> Option<&str> {
        self.call(tool_call_id).map(|call| self.arguments_of(call))
    }

    pub(crate) fn arguments_of<'t>(&'t self, call: &'t CallState) -> &'t str {
        self.held(call).map_or(&call.detached, |call| &call.arguments)
    }

    fn note_told(&mut self, told: &[Message]) {
        self.told = told.iter().map(|message| message.id.clone()).collect();
    }

    pub(crate) fn tool_call(&self, key: &str) -> Option<&ToolCall> {
        self.held(self.call(key)?)
    }

    /// The position of a call's message, and its position there; `None` if a snapshot dropped the message.
    pub(crate) fn place(&self, key: &str) -> Option<(usize, usize)> {
        self.place_of(self.call(key)?)
    }

    #[cfg(feature = "asks")]
    pub(crate) fn owner(&self, key: &str) -> Option<usize> {
        Some(self.place(key)?.0)
    }

    fn place_of(&self, call: &CallState) -> Option<(usize, usize)> {
        Some((self.slots.position(call.owner?), call.index))
    }

    pub(crate) fn held(&self, call: &CallState) -> Option<&ToolCall> {
        let (message, call) = self.place_of(call)?;
        self.messages.get(message)?.tool_calls.get(call)
    }

    /// The keys of the calls that wait for the client: those that the last finished run named or, if it named none, those that began in it and have
    /// no result. A later result removes its call from the list.
    #[must_use]
    pub fn pending_tool_call_ids(&self) -> &[String] {
        &self.pending
    }

    /// The keys of all calls without a tool message, in order. Model providers refuse a history that has any.
    #[must_use]
    pub fn unanswered_tool_call_ids(&self) -> Vec<String> {
        let calls = self.messages.iter().flat_map(Message::tool_calls);
        let is_open = |call: &&ToolCall| self.calls.state(&call.id).is_some_and(|call| !call.is_answered());
        calls.filter(is_open).map(|call| call.id.clone()).collect()
    }

    /// The interrupts that the last run waits for, including legacy `on_interrupt` events. The next run must answer all of them.
    #[must_use]
    pub fn open_interrupts(&self) -> &[Interrupt] {
        &self.interrupts
    }

    /// The next tolerated fault. While [`Notice::MAX_WAITING`] faults wait, later ones are dropped.
    pub fn next_warning(&mut self) -> Option<Notice> {
        self.warnings.take()
    }

    /// Adds a message of the client. A tool message goes behind the message that made the call, any other message to the end. A message with a known
    /// id replaces the existing one. A tool message replaces only a result of the same call; otherwise it gets a new id.
    pub fn push_message(&mut self, mut message: Message) -> Change {
        self.set_keys(std::slice::from_mut(&mut message), List::Later);
        self.put_own(message)
    }

    fn put_own(&mut self, message: Message) -> Change {
        if message.role == Role::Tool { self.insert_result(message) } else { self.put(message) }
    }

    /// Adds several messages of the client. All results are moved behind their calls in one pass, since inserting them one by one would be
    /// quadratic.
    #[cfg(feature = "asks")]
    pub(crate) fn push_messages(&mut self, mut messages: Vec<Message>) {
        self.set_keys(&mut messages, List::Later);
        let (results, others): (Vec<_>, Vec<_>) = messages.into_iter().partition(|message| {
            let owner = message.tool_call_id().and_then(|call| self.place(call));
            owner.is_some() && self.slots.find(message.id()).is_none()
        });
        self.messages = in_place(mem::take(&mut self.messages), results);
        self.reindex();
        self.drop_answered();
        for message in others {
            self.put_own(message);
        }
    }

    fn drop_answered(&mut self) {
        for id in mem::take(&mut self.pending) {
            if self.calls.state(&id).is_none_or(|call| !call.is_answered()) {
                self.pending.push(id);
            }
        }
    }

    /// Adds an interrupt, as if the last run had ended with it.
    #[cfg(feature = "asks")]
    pub(crate) fn interrupt(&mut self, interrupt: Interrupt) {
        self.interrupts.retain(|open| open.id != interrupt.id);
        self.interrupts.push(interrupt);
        self.run = RunState::Ended { outcome: EndOutcome::Interrupt };
    }

    /// Takes the end of a response. If the response broke off or was refused, its run is over; the events that arrived stay applied.
    pub fn handle_end(&mut self, end: &End) -> Change {
        if end.outcome == EndOutcome::Truncated || end.outcome == EndOutcome::Rejected {
            return self.break_run(end.outcome);
        }
        Change::Nothing
    }

    /// Ends the run as failed. The interrupts that it was started to answer wait again.
    fn break_run(&mut self, outcome: EndOutcome) -> Change {
        if let RunState::Running { .. } = self.run {
            self.interrupts = mem::take(&mut self.resumed);
        }
        self.run = RunState::Ended { outcome };
        Change::RunEnded
    }

    fn put(&mut self, message: Message) -> Change {
        let Some(slot) = self.slots.find(message.id()) else {
            return self.insert(self.messages.len(), message);
        };
        let position = self.slots.position(slot);
        let before = mem::replace(&mut self.messages[position], message);
        self.calls.detach_message(slot, &before);
        let held = &self.messages[position];
        match before.tool_call_id() {
            None => self.calls.place_message(slot, held, &self.slots),
            same if same == held.tool_call_id() => {}
            // The replaced result no longer answers its call; another result may.
            Some(_) => self.reindex(),
        }
        Change::MessageChanged { message: position }
    }

    fn insert(&mut self, position: usize, message: Message) -> Change {
        // The insertion would make the cached positions wrong.
        self.last_result.take_if(|(_, last)| position < *last);
        let slot = self.slots.add(position);
        self.slots.name(slot, message.id());
        self.calls.place_message(slot, &message, &self.slots);
        self.messages.insert(position, message);
        Change::MessageAdded { message: position }
    }

    /// Inserts a tool message behind the message that made the call and behind the results that are already there.
    fn insert_result(&mut self, mut tool: Message) -> Change {
        for id in mem::take(&mut self.pending) {
            if id != tool.tool_call_id {
                self.pending.push(id);
            }
        }
        tool.id = result_id(&tool, |id| match self.message(id) {
            None => true,
            Some(held) => held.tool_call_id() == tool.tool_call_id(),
        });
        if self.slots.find(&tool.id).is_some() {
            return self.put(tool);
        }
        let owner = self.place(&tool.tool_call_id);
        let behind = owner.map_or(self.messages.len(), |(owner, _)| owner + 1);
        let mut position = match self.last_result {
            Some((same, last)) if same == behind && last < self.messages.len() => last,
            _ => behind,
        };
        while self.messages.get(position).is_some_and(|message| message.role == Role::Tool) {
            position += 1;
        }
        self.last_result = Some((behind, position));
        self.insert(position, tool)
    }

    fn reindex(&mut self) {
        self.last_result = None;
        self.calls.forget_answers();
        self.slots = MessageSlots::default();
        for (position, message) in self.messages.iter().enumerate() {
            let slot = self.slots.add(position);
            self.slots.name(slot, message.id());
            self.calls.place_message(slot, message, &self.slots);
        }
    }

    fn warn(&mut self, detail: NoticeDetail, names: &[&str]) {
        self.warnings.push(detail, names, None);
    }
}

/// Merges results into messages: each goes behind the message of its call and behind earlier results. Model providers refuse any other order, and a
/// snapshot may have another one.
pub(crate) fn in_place<M: Borrow<Message>>(messages: Vec<M>, results: Vec<M>) -> Vec<M> {
    let mut owners = Ids::default();
    for (at, message) in messages.iter().enumerate() {
        for call in message.borrow().tool_calls() {
            if !owners.has(&call.id) {
                owners.put(&call.id, at);
            }
        }
    }
    let mut behind: Vec<Vec<M>> = messages.iter().map(|_| Vec::new()).collect();
    let mut alone = Vec::new();
    for (at, message) in messages.into_iter().enumerate().chain(iter::repeat(usize::MAX).zip(results)) {
        match message.borrow().tool_call_id().and_then(|call| owners.find(call)) {
            Some(owner) => behind[owner].push(message),
            None => match behind.get_mut(at) {
                Some(place) => place.insert(0, message),
                None => alone.push(message),
            },
        }
    }
    behind.into_iter().flatten().chain(alone).collect()
}

/// The id for a tool message in the thread: its own, unless another message has it. A result whose id is that of its call collides with the call's
/// message, which has the same id if no parent was named. Microsoft's Agent Framework and `AgentScope` gave several results one id
/// (<https://github.com/microsoft/agent-framework/issues/3962>, <https://github.com/agentscope-ai/agentscope-java/issues/2907>).
fn result_id(tool: &Message, is_free: impl Fn(&str) -> bool) -> String {
    let mut id = tool.id.clone();
    if !is_free(&id) {
        id = tool.tool_call_id.clone() + "-result";
    }
    while !is_free(&id) {
        id.push('+');
    }
    id
}

/// Merges key by key. A later value wins, and nested objects are replaced (`basic/metadata`).
fn merge(target: &mut Option<Metadata>, metadata: Option<&Members<'_>>) {
    if let Some(metadata) = metadata {
        let target = target.get_or_insert_with(|| Json::Object(Members::new()));
        for (key, value) in metadata {
            if let Json::Object(target) = target {
                target.put(key, unique(value));
            }
        }
    }
}
