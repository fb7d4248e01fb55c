//! The interceptor: watches events for asks and gives patches to their growing snapshots.

mod approvals;
mod followed;
mod form;
mod history;
mod interrupts;
pub mod reply;
mod time;

use crate::event::{Event, EventRef, EventType};
use crate::index::Index;
use crate::outcome::{Interrupt, RunOutcome};
use crate::reader::{End, EndOutcome};
use approvals::OpenCall;
use ask_user_question::snapshot::AskPatch;
use ask_user_question::{AskSnapshot, Phase};
use followed::{Followed, Source};
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
///   Unix epoch,
/// - [`poll_timeout`](Self::poll_timeout) says when `handle_timeout` is due.
///
/// Phases follow from the stream and the messages alone, so a replayed history gives the phases that the live stream gave.
#[derive(Clone, Debug)]
pub struct Asks {
    names: Vec<String>,
    followed: Vec<Followed>,
    positions: Index,
    /// How many runs began; 0 is the time before, of which there is only a history.
    run: u64,
    run_id: String,
    run_is_open: bool,
    /// Results in this run of calls whose arguments are not complete, or that have not started: each says how an ask ended, once that is known.
    early: Vec<Event>,
    /// The legacy interrupts of this run.
    legacy: Vec<Legacy>,
    /// The agent's own tools whose open calls wait for a yes or no.
    approvals: Vec<String>,
    /// Their calls in this run that have no result.
    open_calls: Vec<OpenCall>,
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
            run_id: String::new(),
            run_is_open: false,
            early: Vec::new(),
            legacy: Vec::new(),
            approvals: Vec::new(),
            open_calls: Vec::new(),
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
        self.find(tool_call_id).and_then(|followed| followed.interrupt.as_ref())
    }

    /// Whether the agent closed the call with an acknowledgement, so that only a user message can carry the answer.
    #[must_use]
    pub fn is_acknowledged(&self, tool_call_id: &str) -> bool {
        self.find(tool_call_id).is_some_and(|followed| followed.acknowledged)
    }

    /// What an event changes.
    pub fn handle_event(&mut self, now: u64, event: &EventRef<'_>) -> Vec<AskChange> {
        let mut changes = Vec::new();
        self.take_event(now, event, &mut changes);
        changes
    }

    /// Takes an event, and puts what it changes into a list that is there already.
    pub(crate) fn take_event(&mut self, now: u64, event: &EventRef<'_>, changes: &mut Vec<AskChange>) {
        let call = event.tool_call_id();
        match event.kind() {
            EventType::ToolCallArgs => {
                if let Some(position) = self.positions.get(call) {
                    self.followed[position].feed(event.delta(), changes);
                } else if let Some(open) = self.open_call(call) {
                    open.arguments.push_str(event.delta());
                }
            }
            EventType::ToolCallStart if self.positions.contains(call) => {}
            EventType::ToolCallStart if self.is_ask(event.tool_call_name()) => {
                self.open(call, Source::Call, changes).take_lang(event.get("metadata"), changes);
            }
            EventType::ToolCallStart => self.note_call(call, event.tool_call_name()),
            EventType::ToolCallEnd => {
                if let Some(position) = self.positions.get(call) {
                    self.followed[position].end_arguments(changes);
                    for result in mem::take(&mut self.early) {
                        if result.tool_call_id() == call {
                            self.take_result(&result, changes);
                        } else {
                            self.early.push(result);
                        }
                    }
                } else if let Some(open) = self.open_call(call) {
                    open.ended = true;
                }
            }
            EventType::ToolCallResult => {
                self.take_open_call(call);
                self.take_result(event, changes);
            }
            EventType::MessagesSnapshot => self.take_history(&event.messages(), changes),
            EventType::RunStarted => {
                self.run += 1;
                event.run_id().clone_into(&mut self.run_id);
                self.run_is_open = true;
                self.early.clear();
                self.legacy.clear();
                self.open_calls.clear();
                if let Some(input) = event.get("input") {
                    self.take_resume(&Answers::of(input), changes);
                    self.take_history(&event.messages(), changes);
                }
                self.settle_interrupts(changes);
            }
            EventType::Custom if event.text("name") == ON_INTERRUPT => self.note_legacy(event),
            EventType::RunFinished => {
                self.close_run(changes);
                match event.outcome() {
                    Some(RunOutcome::Interrupt { interrupts }) => {
                        for interrupt in interrupts {
                            self.take_interrupt(interrupt, changes);
                        }
                    }
                    Some(RunOutcome::Cancelled) => self.take_legacy(changes),
                    // What is open beside a legacy interrupt, the agent still has in hand.
                    _ if self.legacy.is_empty() => self.ask_approvals(changes),
                    _ => self.take_legacy(changes),
                }
                self.expire(now, changes);
            }
            EventType::RunError => self.close_run(changes),
            _ => {}
        }
    }

    fn take_result(&mut self, result: &EventRef<'_>, changes: &mut Vec<AskChange>) {
        let position = self.positions.get(result.tool_call_id());
        let followed = position.map(|position| &mut self.followed[position]);
        if followed.as_ref().is_none_or(|it| it.snapshot.phase == Phase::Streaming) {
            self.early.push(result.clone().into_owned());
        }
        if let Some(followed) = followed {
            followed.has_result = true;
            let same_run = followed.run == self.run;
            followed.take_result(&result.content().text(), result.get("metadata"), same_run, changes);
        }
    }

    /// What the end of a response changes: where it broke off or was refused, no ask streams any more.
    pub fn handle_end(&mut self, now: u64, end: &End) -> Vec<AskChange> {
        let mut changes = Vec::new();
        if matches!(end.outcome, EndOutcome::Truncated | EndOutcome::Rejected | EndOutcome::Error) {
            self.close_run(&mut changes);
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
        let position = self.followed.len();
        self.positions.insert(id, position);
        self.followed.push(Followed::new(id, source, self.run));
        let followed = &mut self.followed[position];
        changes.push(AskChange::Opened { tool_call_id: Arc::clone(&followed.id) });
        followed
    }

    /// No run is open any more: what is complete waits for its answer, what is not never will be.
    fn close_run(&mut self, changes: &mut Vec<AskChange>) {
        self.run_is_open = false;
        for followed in &mut self.followed {
            match followed.snapshot.phase {
                Phase::Streaming => followed.patch(AskPatch::Phase(Phase::Interrupted), changes),
                Phase::Ready => followed.patch(AskPatch::Phase(Phase::Answerable), changes),
                _ => {}
            }
        }
    }
}
