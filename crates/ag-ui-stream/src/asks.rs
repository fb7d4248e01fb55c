//! The interceptor: watches events for asks and gives patches to their growing snapshots.

mod approvals;
mod calls;
mod decisions;
mod followed;
mod form;
mod history;
mod interrupts;
pub mod reply;
mod time;

use crate::event::{EventRef, EventType};
use crate::index::Index;
use crate::message::ToolCall;
use crate::outcome::{Interrupt, RunOutcome};
use crate::reader::{End, EndOutcome};
use crate::thread::{Change, RunState, Thread};
use ask_user_question::snapshot::AskPatch;
use ask_user_question::text::is_blank;
use ask_user_question::tool::NAMES;
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase};
use calls::Repeated;
use decisions::Part;
use followed::{Followed, Source};
use form::Asked;
use history::Answers;
use interrupts::{Legacy, ON_INTERRUPT};
use std::mem;
use std::sync::Arc;

/// All asks of one conversation, in the order in which they began.
///
/// - [`asks`](Self::asks) and [`ask`](Self::ask) give the snapshots,
/// - [`handle_event`](Self::handle_event), [`handle_end`](Self::handle_end), [`handle_message`](Self::handle_message),
///   [`handle_history`](Self::handle_history) and [`handle_timeout`](Self::handle_timeout) return what changed. `now` is in milliseconds since the
///   Unix epoch. The [`Thread`] has taken the same event or history before,
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
    readers: Readers,
}

/// Reads how an ask ended in a result, or in what the user typed.
type ReadResult = fn(&AskUserQuestion, &str) -> Option<Outcome>;

/// The readers of questions and answers beside the tool's own form. A page carries only the code of the readers that it names.
#[derive(Clone, Copy, Debug)]
struct Readers {
    parts: fn(&Interrupt, bool) -> Vec<Part>,
    legacy: Option<fn(&Legacy) -> Interrupt>,
    approval: Option<fn(&ToolCall) -> Option<Asked>>,
    result: ReadResult,
    typed: ReadResult,
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
        Self::with_names(NAMES)
    }
}

impl Asks {
    /// Watches for [`NAMES`], and has everything but [approvals](Self::with_approvals).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// As [`new`](Self::new), for calls of the tools so named.
    #[must_use]
    pub fn with_names<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::plain(names).with_forms().with_legacy_interrupts().with_foreign_results().with_typed_answers()
    }

    /// Watches for calls of the tools so named, and for interrupts that carry an ask in the tool's form. For a small page: it has the code of
    /// what it adds, and nothing else.
    #[must_use]
    pub fn plain<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
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
            readers: Readers {
                parts: interrupts::own_part,
                legacy: None,
                approval: None,
                result: |_, _| None,
                typed: |_, _| None,
            },
        }
    }

    /// The same, making asks of any interrupt: of its schema, its decisions or its message.
    #[must_use]
    pub fn with_forms(mut self) -> Self {
        self.readers.parts = interrupts::parts_of;
        self
    }

    /// The same, making asks of `on_interrupt` events, which older adapters send.
    #[must_use]
    pub fn with_legacy_interrupts(mut self) -> Self {
        self.readers.legacy = Some(interrupts::standard);
        self
    }

    /// The same, reading results in the words of other agents. Without this they are shown as they are.
    #[must_use]
    pub fn with_foreign_results(mut self) -> Self {
        self.readers.result = Outcome::parse_foreign;
        self
    }

    /// The same, reading a user message that names labels alone as an answer. Without this any message supersedes the asks before it.
    #[must_use]
    pub fn with_typed_answers(mut self) -> Self {
        self.readers.typed = history::picked;
        self
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

    /// Takes an event and returns the changes it makes; `change` is its effect on the thread.
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
                    Some(RunOutcome::Interrupt { .. }) => self.take_interrupts(thread, changes),
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
            // The agent may still wait by the interrupt of the call that begins again.
            opened.wait = before.wait.take();
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
            let was_released = followed.wait.as_mut().is_some_and(|wait| mem::take(&mut wait.is_released));
            if was_released && !followed.can_be_ended() {
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

fn is_running(thread: &Thread) -> bool {
    matches!(thread.run(), RunState::Running { .. })
}
