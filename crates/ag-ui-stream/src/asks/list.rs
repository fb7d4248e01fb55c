//! The asks of a conversation, and what finds and opens one.

use super::change::{AskChange, Changes};
use super::form::{Asked, InterruptPart};
use super::tracked::{AskSource, TrackedAsk};
use crate::index::Index;
use crate::message::ToolCall;
use crate::outcome::Interrupt;
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome};
use json_tree::Json;
use std::sync::Arc;

/// All asks of one conversation, in the order in which they began.
///
/// [`asks`](Self::asks) and [`ask`](Self::ask) give the snapshots. A [`Conversation`](crate::Conversation) tells what changes of them.
///
/// A phase follows from the call, its results, what was said after it, and the run. So a replayed history gives the phases of the live stream.
/// A history lacks answers to interrupts, times, and calls that a broken run left unfinished, since no message has them.
#[derive(Clone, Debug)]
pub struct Asks {
    pub(super) names: Vec<String>,
    pub(super) tracked: Vec<TrackedAsk>,
    /// Positions by the keys of calls, or by ids of interrupts. Two calls of one ask have one.
    pub(super) positions: Index,
    /// How many runs began; 0 is the time before, of which there is only a history.
    pub(super) run: u64,
    /// There may be one that has a result which is no answer, while the agent has not spoken on.
    pub(super) stands: bool,
    /// The legacy interrupts of this run: their ids, where the adapter's own events tell them, or else names, and the values as they came.
    pub(super) legacy: Vec<(String, Json<'static>)>,
    /// The agent's own tools whose open calls wait for a yes or no.
    pub(super) approvals: Vec<String>,
    pub(super) readers: Readers,
    pub(super) changes: Changes,
}

/// Reads how an ask ended in a result, or in what the user typed.
pub(super) type ReadResult = fn(&AskUserQuestion, &str) -> Option<Outcome>;

/// The readers of questions and answers beside the tool's own form. A page carries only the code of the readers that it names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Readers {
    pub(super) parts: fn(&Interrupt, bool) -> Vec<InterruptPart>,
    pub(super) legacy: Option<fn(&str, &Json<'static>) -> Interrupt>,
    pub(super) approval: Option<fn(&ToolCall) -> Option<Asked>>,
    pub(super) result: ReadResult,
    pub(super) typed: ReadResult,
}

impl Asks {
    /// The snapshots, in the order in which the asks began.
    pub fn asks(&self) -> impl DoubleEndedIterator<Item = &AskSnapshot> + ExactSizeIterator {
        self.tracked.iter().map(|tracked| &tracked.snapshot)
    }

    /// The snapshot of one ask.
    #[must_use]
    pub fn ask(&self, tool_call_id: &str) -> Option<&AskSnapshot> {
        self.find(tool_call_id).map(|tracked| &tracked.snapshot)
    }

    /// The next change.
    pub(crate) fn next_change(&mut self) -> Option<AskChange> {
        self.changes.take()
    }

    pub(super) fn is_ask(&self, tool_name: &str) -> bool {
        self.names.iter().any(|name| name == tool_name)
    }

    pub(super) fn find(&self, tool_call_id: &str) -> Option<&TrackedAsk> {
        self.positions.get(tool_call_id).map(|position| &self.tracked[position])
    }

    pub(super) fn open(&mut self, id: &str, source: AskSource) -> usize {
        self.open_at(self.positions.get(id), id, source)
    }

    /// Opens an ask behind the others, or in the place of one that makes way. Returns its position.
    pub(super) fn open_at(&mut self, place: Option<usize>, id: &str, source: AskSource) -> usize {
        let mut opened = TrackedAsk::new(id, source, self.run);
        self.changes.push(AskChange::Opened { tool_call_id: Arc::clone(&opened.id) });
        if let Some(position) = place {
            // The agent may still wait by the interrupt of the call that begins again.
            opened.wait = self.tracked[position].wait.take();
            self.tracked[position] = opened;
            return position;
        }
        self.positions.insert(id, self.tracked.len());
        self.tracked.push(opened);
        self.tracked.len() - 1
    }
}
