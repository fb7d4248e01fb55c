//! The interceptor: watches events for asks and gives patches to their growing snapshots.

mod approvals;
mod decisions;
mod followed;
mod form;
mod history;
mod interrupts;
pub mod reply;
mod time;

use crate::event::{EventRef, EventType};
use crate::index::Index;
use crate::message::{Message, Role};
use crate::outcome::{Interrupt, RunOutcome};
use crate::reader::{End, EndOutcome};
use crate::thread::{Change, RunState, Thread};
use ask_user_question::snapshot::AskPatch;
use ask_user_question::text::is_blank;
use ask_user_question::{AskSnapshot, Phase};
use followed::{Followed, Source, about};
use history::Answers;
use interrupts::{Legacy, ON_INTERRUPT};
use std::mem;
use std::sync::Arc;

/// The names under which models call the tool, unless others are given.
pub const TOOL_NAMES: [&str; 2] = ["ask_user_question", "AskUserQuestion"];

/// All asks of one conversation, in the order in which they began.
///
/// - [`asks`](Self::asks) and [`ask`](Self::ask) give the snapshots,
/// - [`handle_event`](Self::handle_event), [`handle_end`](Self::handle_end), [`handle_message`](Self::handle_message),
///   [`handle_history`](Self::handle_history) and [`handle_timeout`](Self::handle_timeout) return what changed; `now` is in milliseconds since the
///   Unix epoch, and the [`Thread`] is the one that has taken the same event or history,
/// - [`poll_timeout`](Self::poll_timeout) says when `handle_timeout` is due.
///
/// Phases follow from the stream and the messages alone, so a replayed history gives the phases that the live stream gave.
#[derive(Clone, Debug)]
pub struct Asks {
    names: Vec<String>,
    followed: Vec<Followed>,
    /// Positions by the keys of calls, or by ids of interrupts. Two calls of one ask have one.
    positions: Index,
    /// How many runs began; 0 is the time before, of which there is only a history.
    run: u64,
    /// Positions of those that may wait for the user.
    open: Vec<usize>,
    /// Positions of those that have a result which is no answer, while the agent has not spoken on.
    standing: Vec<usize>,
    /// A call that may be one more of an ask that waits.
    repeated: Option<Repeated>,
    /// The legacy interrupts of this run.
    legacy: Vec<Legacy>,
    /// The agent's own tools whose open calls wait for a yes or no.
    approvals: Vec<String>,
}

/// A call whose arguments are, as far as they came, those of an ask that waits. Some frameworks send one question under two ids.
#[derive(Clone, Debug)]
struct Repeated {
    key: String,
    /// The ask's position.
    ask: usize,
    /// How much of its arguments came again, in bytes.
    told: usize,
}

/// One change to the asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskChange {
    /// An ask began; its snapshot is empty so far and `Streaming`.
    Opened {
        /// The call, or the interrupt where there is no call.
        tool_call_id: Arc<str>,
    },
    /// An ask changed. The patch was applied to the snapshot here and fits any copy of it.
    Patched {
        /// The call, or the interrupt where there is no call.
        tool_call_id: Arc<str>,
        /// What changed, no longer than the delta that changed it.
        patch: AskPatch,
    },
}

impl AskChange {
    /// Which ask it is about.
    #[must_use]
    pub fn tool_call_id(&self) -> &str {
        match self {
            Self::Opened { tool_call_id } | Self::Patched { tool_call_id, .. } => tool_call_id,
        }
    }
}

impl Default for Asks {
    fn default() -> Self {
        Self::with_names(TOOL_NAMES)
    }
}

impl Asks {
    /// Watches for [`TOOL_NAMES`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Watches for calls of the tools so named.
    #[must_use]
    pub fn with_names<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self {
            names: names.into_iter().map(Into::into).collect(),
            followed: Vec::new(),
            positions: Index::default(),
            run: 0,
            open: Vec::new(),
            standing: Vec::new(),
            repeated: None,
            legacy: Vec::new(),
            approvals: Vec::new(),
        }
    }

    /// The snapshots, in the order in which the asks began.
    pub fn asks(&self) -> impl DoubleEndedIterator<Item = &AskSnapshot> + ExactSizeIterator {
        self.followed.iter().map(|followed| &followed.snapshot)
    }

    /// The snapshot of one ask.
    #[must_use]
    pub fn ask(&self, tool_call_id: &str) -> Option<&AskSnapshot> {
        self.find(tool_call_id).map(|followed| &followed.snapshot)
    }

    /// The interrupt by which an ask is to be answered, if it is to be answered by one.
    #[must_use]
    pub fn interrupt(&self, tool_call_id: &str) -> Option<&Interrupt> {
        self.find(tool_call_id).and_then(Followed::interrupt)
    }

    /// Whether the agent closed the call with an acknowledgement, so that only a user message can carry the answer.
    #[must_use]
    pub fn is_acknowledged(&self, tool_call_id: &str) -> bool {
        self.find(tool_call_id).is_some_and(|followed| followed.acknowledged)
    }

    /// What an event changes, `change` being what it changed of the thread.
    pub fn handle_event(&mut self, now: u64, event: &EventRef<'_>, change: Change, thread: &Thread) -> Vec<AskChange> {
        let mut changes = Vec::new();
        self.take_event(now, event, change, thread, &mut changes);
        changes
    }

    /// Takes an event, and puts what it changes into a list that is there already.
    pub(crate) fn take_event(
        &mut self,
        now: u64,
        event: &EventRef<'_>,
        change: Change,
        thread: &Thread,
        changes: &mut Vec<AskChange>,
    ) {
        match event.kind() {
            EventType::TextMessageContent => {
                if let Change::TextAppended { message, .. } = change
                    && !is_blank(event.delta())
                {
                    self.hear_message(message, thread, changes);
                }
            }
            EventType::ToolCallStart | EventType::ToolCallArgs | EventType::ToolCallEnd => {
                self.take_call_event(event, change, thread, changes);
            }
            EventType::ToolCallResult => {
                let key = thread.key(event.tool_call_id());
                if let Some(position) = self.positions.get(&key) {
                    self.followed[position].has_result = true;
                }
                self.take_result(&key, thread, changes);
                self.part_twins(&key, thread, changes);
            }
            EventType::MessagesSnapshot => self.take_history(&thread.told(), thread, changes),
            EventType::RunStarted => {
                self.run += 1;
                self.legacy.clear();
                if let Some(input) = event.get("input") {
                    self.take_resume(&Answers::of(input), changes);
                    self.take_history(&thread.told(), thread, changes);
                }
                self.release_interrupts(thread, changes);
            }
            EventType::Custom if event.text("name") == ON_INTERRUPT => self.note_legacy(event, thread),
            EventType::RunFinished => {
                self.close_run(changes);
                match event.outcome() {
                    Some(RunOutcome::Interrupt { .. }) => {
                        for interrupt in thread.open_interrupts() {
                            self.take_interrupt(interrupt, thread, changes);
                        }
                    }
                    Some(RunOutcome::Cancelled) => self.take_legacy(thread, changes),
                    // What is open beside a legacy interrupt, the agent still has in hand.
                    _ if self.legacy.is_empty() => self.ask_approvals(thread, changes),
                    _ => self.take_legacy(thread, changes),
                }
                self.take_pending(thread, changes);
                self.forget_interrupts();
                self.expire(now, changes);
            }
            EventType::RunError => self.break_run(changes),
            _ => {}
        }
    }

    fn take_call_event(&mut self, event: &EventRef<'_>, change: Change, thread: &Thread, changes: &mut Vec<AskChange>) {
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
        let arguments = thread.arguments(&key).unwrap_or_default();
        let metadata = thread.tool_call(&key).and_then(|call| call.metadata.as_ref());
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

    /// Whether the arguments of a call that is no ask yet are so far those of one that waits.
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
    fn last_call(&self, is_meant: impl Fn(&Followed) -> bool) -> Option<usize> {
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

    /// Takes what the results of a call say, once its arguments are complete.
    fn take_result(&mut self, key: &str, thread: &Thread, changes: &mut Vec<AskChange>) {
        let Some(position) = self.positions.get(key) else {
            return;
        };
        if self.followed[position].snapshot.phase == Phase::Streaming {
            return;
        }
        for result in thread.results(key) {
            if self.followed[position].take_result(result, self.run, changes) {
                self.standing.push(position);
            }
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
            self.followed[position].settle_as_told(self.run, thread, changes);
        }
        if !self.followed[position].is_open() {
            self.standing.pop();
        }
    }

    /// The agent settled one call of an ask alone. Those of the same ask in later messages are asked by themselves.
    fn part_twins(&mut self, key: &str, thread: &Thread, changes: &mut Vec<AskChange>) {
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
    fn hear_message(&mut self, message: usize, thread: &Thread, changes: &mut Vec<AskChange>) {
        let is_before = |call: &str| thread.call(call).and_then(|call| call.position()) < Some(message);
        self.hear_agent(&is_before, thread, changes);
    }

    /// The agent speaks. The asks before that have a result are over.
    fn hear_agent(&mut self, is_before: &dyn Fn(&str) -> bool, thread: &Thread, changes: &mut Vec<AskChange>) {
        for position in mem::take(&mut self.standing) {
            let followed = &mut self.followed[position];
            if followed.is_open() && is_before(&followed.id) {
                followed.settle_as_told(self.run, thread, changes);
            } else if followed.is_open() {
                self.standing.push(position);
            }
        }
    }

    /// The agent says what it waits for: asks that are over wait again, and a call that came unnoticed is asked.
    fn take_pending(&mut self, thread: &Thread, changes: &mut Vec<AskChange>) {
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

    /// What the end of a response changes: where it broke off or was refused, no ask streams any more.
    pub fn handle_end(&mut self, now: u64, end: &End) -> Vec<AskChange> {
        let mut changes = Vec::new();
        if matches!(end.outcome, EndOutcome::Truncated | EndOutcome::Rejected | EndOutcome::Error) {
            self.break_run(&mut changes);
        }
        self.expire(now, &mut changes);
        changes
    }

    /// What the time changes.
    pub fn handle_timeout(&mut self, now: u64) -> Vec<AskChange> {
        let mut changes = Vec::new();
        self.expire(now, &mut changes);
        changes
    }

    fn expire(&mut self, now: u64, changes: &mut Vec<AskChange>) {
        for followed in &mut self.followed {
            let is_due = followed.snapshot.expires_at.is_some_and(|deadline| deadline <= now);
            if is_due && followed.snapshot.phase == Phase::Answerable {
                followed.patch(AskPatch::Phase(Phase::Expired), changes);
            }
        }
    }

    /// Sets the deadline of an ask (RFC 3339, as an interrupt's `expiresAt`) that events do not carry, such as one from a server's
    /// description. A deadline that can't be read, or of an ask that is over, changes nothing.
    pub fn set_deadline(&mut self, tool_call_id: &str, deadline: &str) -> Vec<AskChange> {
        let mut changes = Vec::new();
        let position = self.positions.get(tool_call_id);
        if let (Some(position), Some(deadline)) = (position, time::parse_deadline(deadline)) {
            let followed = &mut self.followed[position];
            if followed.is_open() && followed.snapshot.expires_at != Some(deadline) {
                followed.patch(AskPatch::ExpiresAt(Some(deadline)), &mut changes);
            }
        }
        changes
    }

    /// When [`handle_timeout`](Self::handle_timeout) is due, if it is.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<u64> {
        let waiting = self.asks().filter(|ask| ask.phase == Phase::Answerable);
        waiting.filter_map(|ask| ask.expires_at).min()
    }

    fn is_ask(&self, tool_name: &str) -> bool {
        self.names.iter().any(|name| name == tool_name)
    }

    fn find(&self, tool_call_id: &str) -> Option<&Followed> {
        self.positions.get(tool_call_id).map(|position| &self.followed[position])
    }

    fn open(&mut self, id: &str, source: Source, changes: &mut Vec<AskChange>) -> &mut Followed {
        let position = self.positions.get(id).unwrap_or(self.followed.len());
        self.open_at(position, id, source, changes)
    }

    /// Opens an ask behind the others, or in the place of one that makes way.
    fn open_at(&mut self, position: usize, id: &str, source: Source, changes: &mut Vec<AskChange>) -> &mut Followed {
        let mut opened = Followed::new(id, source, self.run);
        changes.push(AskChange::Opened { tool_call_id: Arc::clone(&opened.id) });
        if let Some(before) = self.followed.get_mut(position) {
            // The agent may still wait by the interrupt of the call that begins anew.
            opened.take_interrupts(before);
            *before = opened;
        } else {
            self.positions.insert(id, position);
            self.followed.push(opened);
        }
        self.open.push(position);
        &mut self.followed[position]
    }

    /// No run is open any more: what is complete waits for its answer, what is not never will be.
    fn close_run(&mut self, changes: &mut Vec<AskChange>) {
        for followed in &mut self.followed {
            match followed.snapshot.phase {
                Phase::Streaming => followed.patch(AskPatch::Phase(Phase::Interrupted), changes),
                Phase::Ready => followed.patch(AskPatch::Phase(Phase::Answerable), changes),
                _ => {}
            }
        }
    }

    /// The run failed. The answers that it was started with may have been lost with it, so their asks wait again.
    fn break_run(&mut self, changes: &mut Vec<AskChange>) {
        self.close_run(changes);
        for (position, followed) in self.followed.iter_mut().enumerate() {
            if mem::take(&mut followed.is_released) && !followed.can_be_ended() {
                let outcome = followed.snapshot.outcome.clone();
                followed.ask_again(changes);
                self.open.push(position);
                if let Some(outcome) = outcome {
                    followed.patch(AskPatch::Outcome(outcome), changes);
                }
            }
        }
    }
}

/// Whether the agent speaks in a message.
fn speaks(message: &Message) -> bool {
    message.role == Role::Assistant && (!message.tool_calls().is_empty() || !is_blank(&message.text()))
}

fn is_running(thread: &Thread) -> bool {
    matches!(thread.run(), RunState::Running { .. })
}
