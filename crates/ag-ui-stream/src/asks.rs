//! The interceptor: finds asks in the events and keeps a snapshot of each up to date.

mod answer;
mod approvals;
mod calls;
mod change;
mod decisions;
mod edits;
mod files;
mod form;
mod interrupts;
mod list;
mod parts;
mod phase;
mod record;
pub mod reply;
mod time;
mod tracked;
mod values;
mod verdict;

use crate::event::{EventRef, EventType};
use crate::reader::{End, EndOutcome};
use crate::thread::{Change, RunState, Thread};
use ask_user_question::Phase;
use ask_user_question::outcome::Readers;
use ask_user_question::text::is_blank;
use ask_user_question::tool::NAMES;
use change::Changes;
use json_tree::Ids;
use list::Groups;
use phase::{EndedBy, Facts};
use record::RecordedWaits;
use std::mem;

pub use change::AskDelta;
pub use list::Asks;

impl Default for Asks {
    /// Watches for calls of the tool's own [`NAMES`] and for all interrupts. Reads only the tool's own form of arguments and answers.
    fn default() -> Self {
        Self::new(NAMES, Readers::default()).with_forms()
    }
}

impl Asks {
    /// Watches for calls of the tools with these names, and for interrupts that carry an ask in the tool's form. `readers` read arguments in other
    /// forms and answers in other words; the crate `question-compat` has readers for what models, agents and people write. Without readers, a call
    /// in another form is [`Malformed`](Phase::Malformed), a result in other words is shown as it is, and a message that names no ask supersedes the
    /// asks before it.
    ///
    /// Forms and readers are opt-in so that a page's program contains only the code that it uses.
    #[must_use]
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>, readers: Readers) -> Self {
        Self {
            names: names.into_iter().map(Into::into).collect(),
            tracked: Vec::new(),
            positions: Ids::default(),
            run: 0,
            stands: false,
            approvals: Vec::new(),
            begun: Vec::new(),
            suspended: Vec::new(),
            timed: Vec::new(),
            by_question: Groups::default(),
            by_interrupt: Groups::default(),
            held: Vec::new(),
            parts: parts::own_part,
            readers,
            changes: Changes::default(),
        }
    }

    /// Also makes asks of interrupts in other forms: from their schema, their decisions or their message.
    #[must_use]
    pub fn with_forms(mut self) -> Self {
        self.parts = parts::parts_of;
        self
    }

    /// `change` is the effect of the event on the thread. `now` is in milliseconds since the Unix epoch.
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
                self.handle_message(change, thread);
                self.part_twins(&thread.key(event.tool_call_id()), thread);
            }
            EventType::MessagesSnapshot => self.take_history(0, thread.told(), thread),
            EventType::RunStarted => {
                self.run += 1;
                if let Some(input) = event.get("input") {
                    self.take_resume(&self.answers_in(input));
                    self.take_history(0, thread.told(), thread);
                }
                self.release_interrupts(thread);
            }
            EventType::RunFinished => {
                self.close_run(thread);
                self.take_pending(change, thread);
                if let RunState::Ended { outcome: EndOutcome::Completed } = thread.run() {
                    self.ask_approvals(thread);
                }
                self.take_interrupts(&RecordedWaits::default(), thread);
                self.forget_interrupts();
                self.handle_timeout(now);
            }
            EventType::RunError => self.break_run(thread),
            // These do not affect asks: a text counts once it has content, and the reader has expanded the chunks.
            EventType::StepStarted
            | EventType::StepFinished
            | EventType::TextMessageStart
            | EventType::TextMessageEnd
            | EventType::TextMessageChunk
            | EventType::ToolCallChunk
            | EventType::StateSnapshot
            | EventType::StateDelta
            | EventType::ActivitySnapshot
            | EventType::ActivityDelta
            | EventType::ReasoningStart
            | EventType::ReasoningMessageStart
            | EventType::ReasoningMessageContent
            | EventType::ReasoningMessageEnd
            | EventType::ReasoningMessageChunk
            | EventType::ReasoningEnd
            | EventType::ReasoningEncryptedValue
            | EventType::SubagentStarted
            | EventType::SubagentFinished
            | EventType::SubagentError
            | EventType::Raw
            | EventType::Custom => {}
        }
    }

    /// If the response broke off, failed or was refused, no ask streams any more.
    pub(crate) fn handle_end(&mut self, now: u64, end: &End, thread: &Thread) {
        if matches!(end.outcome, EndOutcome::Truncated | EndOutcome::Rejected | EndOutcome::Error) {
            self.break_run(thread);
        }
        self.handle_timeout(now);
    }

    pub(crate) fn handle_timeout(&mut self, now: u64) {
        for &position in &self.timed {
            let tracked = &mut self.tracked[position];
            let is_due = tracked.snapshot.expires_at.is_some_and(|deadline| deadline <= now);
            if is_due && tracked.snapshot.phase == Phase::Answerable {
                let facts = Facts { end: Some(EndedBy::Deadline), ..tracked.facts };
                tracked.set(facts, &mut self.changes);
            }
        }
        self.timed.retain(|position| self.tracked[*position].snapshot.expires_at.is_some());
    }

    pub(crate) fn set_deadline(&mut self, tool_call_id: &str, deadline: &str) {
        let position = self.position(tool_call_id);
        if let (Some(position), Some(deadline)) = (position, time::parse_deadline(deadline))
            && self.tracked[position].is_open()
        {
            self.set_time(position, Some(deadline));
        }
    }

    /// The time at which the next ask expires and [`handle_timeout`](crate::Conversation::handle_timeout) is due; `None` if no waiting ask has a
    /// deadline.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<u64> {
        let timed = self.timed.iter().map(|position| &self.tracked[*position].snapshot);
        let waiting = timed.filter(|ask| ask.phase == Phase::Answerable);
        waiting.filter_map(|ask| ask.expires_at).min()
    }

    /// No run is open any more, so complete asks become answerable and incomplete ones stay incomplete.
    fn close_run(&mut self, thread: &Thread) {
        for position in mem::take(&mut self.begun) {
            let tracked = &mut self.tracked[position];
            let was_partial = tracked.snapshot.phase == Phase::Streaming;
            tracked.end_run(&mut self.changes);
            if was_partial {
                let id = tracked.id().to_owned();
                self.take_results(&id, thread);
            }
        }
        self.take_held(thread);
    }

    /// The run failed, and the answers that it was started with may be lost. Their asks wait again.
    fn break_run(&mut self, thread: &Thread) {
        self.close_run(thread);
        for &position in &self.suspended {
            let tracked = &mut self.tracked[position];
            let was_released = tracked.wait.as_mut().is_some_and(|wait| mem::take(&mut wait.is_released));
            if was_released && tracked.snapshot.phase.is_over() {
                let outcome = tracked.snapshot.outcome.clone();
                tracked.ask_again(thread, &mut self.changes);
                if let Some(outcome) = outcome {
                    tracked.alter(&mut self.changes).outcome = Some(outcome);
                }
            }
        }
    }
}
