//! The interceptor: watches events for asks and gives patches to their growing snapshots.

mod approvals;
mod calls;
mod decisions;
mod followed;
mod form;
mod interrupts;
pub mod reply;
mod time;
mod verdict;

use crate::event::{EventRef, EventType};
use crate::index::Index;
use crate::message::ToolCall;
use crate::outcome::{Interrupt, RunOutcome};
use crate::queue::Queue;
use crate::reader::{End, EndOutcome};
use crate::thread::{Change, RunState, Thread};
use ask_user_question::snapshot::AskPatch;
use ask_user_question::text::is_blank;
use ask_user_question::tool::NAMES;
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase};
use decisions::Part;
use followed::{Followed, Source};
use form::Asked;
use interrupts::{Answers, ON_INTERRUPT};
use json_tree::Json;
use std::mem;
use std::sync::Arc;
use verdict::MessageIndex;

/// All asks of one conversation, in the order in which they began.
///
/// [`asks`](Self::asks) and [`ask`](Self::ask) give the snapshots. A [`Conversation`](crate::Conversation) tells what changes of them.
///
/// A phase follows from the call, its results, what was said after it, and the run. So a replayed history gives the phases of the live stream.
/// A history lacks answers to interrupts, times, and calls that a broken run left unfinished, since no message has them.
#[derive(Clone, Debug)]
pub struct Asks {
    names: Vec<String>,
    followed: Vec<Followed>,
    /// Positions by the keys of calls, or by ids of interrupts. Two calls of one ask have one.
    positions: Index,
    /// How many runs began; 0 is the time before, of which there is only a history.
    run: u64,
    /// There may be one that has a result which is no answer, while the agent has not spoken on.
    stands: bool,
    /// The legacy interrupts of this run: their ids, where the adapter's own events tell them, or else names, and the values as they came.
    legacy: Vec<(String, Json<'static>)>,
    /// The agent's own tools whose open calls wait for a yes or no.
    approvals: Vec<String>,
    readers: Readers,
    changes: Changes,
}

/// Changes, until the caller takes them.
type Changes = Queue<AskChange>;

/// Reads how an ask ended in a result, or in what the user typed.
type ReadResult = fn(&AskUserQuestion, &str) -> Option<Outcome>;

/// The readers of questions and answers beside the tool's own form. A page carries only the code of the readers that it names.
#[derive(Clone, Copy, Debug)]
struct Readers {
    parts: fn(&Interrupt, bool) -> Vec<Part>,
    legacy: Option<fn(&str, &Json<'static>) -> Interrupt>,
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
            stands: false,
            legacy: Vec::new(),
            approvals: Vec::new(),
            readers: Readers {
                parts: interrupts::own_part,
                legacy: None,
                approval: None,
                result: |_, _| None,
                typed: |_, _| None,
            },
            changes: Changes::default(),
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
        self.readers.typed = verdict::picked;
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

    /// The next change.
    pub(crate) fn next_change(&mut self) -> Option<AskChange> {
        self.changes.take()
    }

    /// Takes an event; `change` is its effect on the thread. `now` is in milliseconds since the Unix epoch.
    pub(crate) fn handle_event(&mut self, now: u64, event: &EventRef<'_>, change: Change, thread: &Thread) {
        match event.kind() {
            EventType::TextMessageContent => {
                if let Change::TextAppended { message, .. } = change
                    && !is_blank(event.delta())
                {
                    self.hear_agent(message, thread);
                }
            }
            EventType::ToolCallStart | EventType::ToolCallArgs | EventType::ToolCallEnd => {
                self.take_call_event(event, change, thread);
            }
            EventType::ToolCallResult => {
                let key = thread.key(event.tool_call_id());
                self.take_result(&key, thread);
                self.part_twins(&key, thread);
            }
            EventType::MessagesSnapshot => self.take_history(MessageIndex::of(thread.told(), thread), thread),
            EventType::RunStarted => {
                self.run += 1;
                self.legacy.clear();
                if let Some(input) = event.get("input") {
                    self.take_resume(&Answers::of(input));
                    self.take_history(MessageIndex::of(thread.told(), thread), thread);
                }
                self.release_interrupts(thread);
            }
            EventType::Custom if event.text("name") == ON_INTERRUPT => self.note_legacy(event, thread),
            EventType::RunFinished => {
                self.close_run();
                match event.outcome() {
                    Some(RunOutcome::Interrupt { .. }) => self.take_interrupts(thread),
                    Some(RunOutcome::Cancelled) => self.take_legacy(thread),
                    // What is open beside a legacy interrupt, the agent still has in hand.
                    _ if self.legacy.is_empty() => self.ask_approvals(thread),
                    _ => self.take_legacy(thread),
                }
                self.take_pending(thread);
                self.forget_interrupts();
                self.handle_timeout(now);
            }
            EventType::RunError => self.break_run(thread),
            _ => {}
        }
    }

    /// Takes the end of a response: where it broke off or was refused, no ask streams any more.
    pub(crate) fn handle_end(&mut self, now: u64, end: &End, thread: &Thread) {
        if matches!(end.outcome, EndOutcome::Truncated | EndOutcome::Rejected | EndOutcome::Error) {
            self.break_run(thread);
        }
        self.handle_timeout(now);
    }

    /// What the time changes.
    pub(crate) fn handle_timeout(&mut self, now: u64) {
        for followed in &mut self.followed {
            let is_due = followed.snapshot.expires_at.is_some_and(|deadline| deadline <= now);
            if is_due && followed.snapshot.phase == Phase::Answerable {
                followed.patch(AskPatch::Phase(Phase::Expired), &mut self.changes);
            }
        }
    }

    /// Sets the deadline of an ask (RFC 3339, as an interrupt's `expiresAt`) that events do not carry, such as one from a server's
    /// description. A deadline that can't be read, or of an ask that is over, changes nothing.
    pub fn set_deadline(&mut self, tool_call_id: &str, deadline: &str) {
        let position = self.positions.get(tool_call_id);
        if let (Some(position), Some(deadline)) = (position, time::parse_deadline(deadline)) {
            let followed = &mut self.followed[position];
            if followed.is_open() && followed.snapshot.expires_at != Some(deadline) {
                followed.patch(AskPatch::ExpiresAt(Some(deadline)), &mut self.changes);
            }
        }
    }

    /// When the next ask expires, if one does: [`handle_timeout`](crate::Conversation::handle_timeout) is due then.
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

    fn open(&mut self, id: &str, source: Source) -> usize {
        self.open_at(self.positions.get(id), id, source)
    }

    /// Opens an ask behind the others, or in the place of one that makes way. Returns its position.
    fn open_at(&mut self, place: Option<usize>, id: &str, source: Source) -> usize {
        let mut opened = Followed::new(id, source, self.run);
        self.changes.push(AskChange::Opened { tool_call_id: Arc::clone(&opened.id) });
        if let Some(position) = place {
            // The agent may still wait by the interrupt of the call that begins again.
            opened.wait = self.followed[position].wait.take();
            self.followed[position] = opened;
            return position;
        }
        self.positions.insert(id, self.followed.len());
        self.followed.push(opened);
        self.followed.len() - 1
    }

    /// No run is open any more: what is complete waits for its answer, what is not never will be.
    fn close_run(&mut self) {
        for followed in &mut self.followed {
            match followed.snapshot.phase {
                Phase::Streaming => followed.patch(AskPatch::Phase(Phase::Interrupted), &mut self.changes),
                Phase::Ready => followed.patch(AskPatch::Phase(Phase::Answerable), &mut self.changes),
                _ => {}
            }
        }
    }

    /// The run failed. The answers that it was started with may have been lost with it, so their asks wait again.
    fn break_run(&mut self, thread: &Thread) {
        self.close_run();
        for followed in &mut self.followed {
            let was_released = followed.wait.as_mut().is_some_and(|wait| mem::take(&mut wait.is_released));
            if was_released && !followed.can_be_ended() {
                let outcome = followed.snapshot.outcome.clone();
                followed.ask_again(thread, &mut self.changes);
                if let Some(outcome) = outcome {
                    followed.patch(AskPatch::Outcome(outcome), &mut self.changes);
                }
            }
        }
    }
}

fn is_running(thread: &Thread) -> bool {
    matches!(thread.run(), RunState::Running { .. })
}
