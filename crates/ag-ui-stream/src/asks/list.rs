//! The asks of a conversation, and the indexes to find them.

use super::change::{AskDelta, Changes};
use super::form::{About, InterruptPart};
use super::tracked::{AskSource, TrackedAsk};
use crate::outcome::Interrupt;
use ask_user_question::AskSnapshot;
use ask_user_question::outcome::Readers;
use ask_user_question::repairs::Repairs;
use json_tree::Ids;

/// All asks of one conversation, in the order in which they began.
///
/// [`asks`](Self::asks) and [`ask`](Self::ask) return the snapshots. A [`Conversation`](crate::Conversation) reports their changes.
///
/// A phase is derived from the call, its results, the messages after it, and the run. A [`History`](crate::History) has a record of each ask, so a
/// restored conversation has the same asks. Messages without records are processed like those of a stream.
#[derive(Clone, Debug)]
pub struct Asks {
    pub(super) names: Vec<String>,
    pub(super) tracked: Vec<TrackedAsk>,
    /// Indexes into `tracked`, by key of the call or id of the interrupt. Several calls may map to one ask.
    pub(super) positions: Ids,
    /// The number of runs that began. Asks of run 0 come from a history.
    pub(super) run: u64,
    /// Set if an ask may have a result that is no answer and the agent has not spoken since. The agent's next words end that ask.
    pub(super) stands: bool,
    /// The agent's own tools whose open calls wait for approval.
    pub(super) approvals: Vec<String>,
    /// The positions of the asks that began since the last run ended.
    pub(super) begun: Vec<usize>,
    /// The positions of the asks with an interrupt that waits, or that the open run was started to answer.
    pub(super) suspended: Vec<usize>,
    /// The positions of the asks that have had a deadline.
    pub(super) timed: Vec<usize>,
    /// Positions by question text, and by interrupt id. Entries may be stale, so readers check them.
    pub(super) by_question: Groups,
    pub(super) by_interrupt: Groups,
    /// The keys of calls that may repeat an ask that still streams.
    pub(super) held: Vec<String>,
    /// Reads the parts of an interrupt. A function pointer, so that a page contains only the reader that it chose.
    pub(super) parts: fn(&Interrupt, About<'_>, &Repairs) -> Vec<InterruptPart>,
    pub(super) readers: Readers,
    pub(super) changes: Changes,
}

/// Lists of numbers by text. Reuses [`Ids`], since a map of lists would add another tree type to each page's code.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    ids: Ids,
    groups: Vec<Vec<usize>>,
}

impl Groups {
    pub(super) fn get(&self, text: &str) -> &[usize] {
        self.ids.find(text).map_or(&[], |at| &self.groups[at])
    }

    pub(super) fn get_mut(&mut self, text: &str) -> Option<&mut Vec<usize>> {
        self.ids.find(text).map(|at| &mut self.groups[at])
    }

    /// Appends a number to a list, unless it is the last one already.
    pub(super) fn put(&mut self, text: &str, number: usize) {
        let at = self.ids.find(text).unwrap_or_else(|| {
            self.ids.put(text, self.groups.len());
            self.groups.push(Vec::new());
            self.groups.len() - 1
        });
        if !self.groups[at].ends_with(&[number]) {
            self.groups[at].push(number);
        }
    }
}

impl Asks {
    /// The snapshots, in the order in which the asks began.
    pub fn asks(&self) -> impl DoubleEndedIterator<Item = &AskSnapshot> + ExactSizeIterator {
        self.tracked.iter().map(|tracked| &tracked.snapshot)
    }

    /// The snapshot at this position, which is the `slot` of an [`AskDelta`].
    #[must_use]
    pub fn at(&self, slot: usize) -> Option<&AskSnapshot> {
        self.tracked.get(slot).map(|tracked| &tracked.snapshot)
    }

    /// The snapshot of the ask of a call (by key) or of an interrupt (by id).
    #[must_use]
    pub fn ask(&self, tool_call_id: &str) -> Option<&AskSnapshot> {
        self.find(tool_call_id).map(|tracked| &tracked.snapshot)
    }

    pub(crate) fn next_change(&mut self) -> Option<AskDelta> {
        self.changes.next()
    }

    pub(crate) fn only_growth(&mut self) -> Option<AskDelta> {
        self.changes.only_growth()
    }

    pub(super) fn is_ask(&self, tool_name: &str) -> bool {
        let name = bare(tool_name);
        self.names.iter().any(|own| own == tool_name || own == name)
    }

    /// The position of the ask of a call (by key) or of an interrupt (by id).
    pub(super) fn position(&self, id: &str) -> Option<usize> {
        self.positions.find(id)
    }

    pub(super) fn find(&self, tool_call_id: &str) -> Option<&TrackedAsk> {
        self.position(tool_call_id).map(|position| &self.tracked[position])
    }

    pub(super) fn open(&mut self, id: &str, source: AskSource) -> usize {
        self.open_at(self.position(id), id, source)
    }

    pub(super) fn set_time(&mut self, position: usize, deadline: Option<u64>) {
        let tracked = &mut self.tracked[position];
        if deadline.is_some() && tracked.snapshot.expires_at.is_none() {
            self.timed.push(position);
        }
        if tracked.snapshot.expires_at != deadline {
            tracked.snapshot.expires_at = deadline;
            self.changes.alter(position);
        }
    }

    /// Opens an ask at the end, or in place of an existing one. Returns its position.
    pub(super) fn open_at(&mut self, place: Option<usize>, id: &str, source: AskSource) -> usize {
        let slot = place.unwrap_or(self.tracked.len());
        let mut opened = TrackedAsk::new(id, slot, source, self.run, self.readers);
        self.changes.begin(slot);
        if let Some(position) = place {
            // The agent may still wait for the interrupt of a call that restarts.
            opened.wait = self.tracked[position].wait.take();
            self.tracked[position] = opened;
            self.begun.push(position);
            return position;
        }
        self.positions.put(id, self.tracked.len());
        self.begun.push(self.tracked.len());
        self.tracked.push(opened);
        self.tracked.len() - 1
    }
}

/// The tool's name without the namespace and the number that Kimi models add to it: `functions.NAME:0`
/// (<https://github.com/sgl-project/sglang/issues/9575>).
fn bare(name: &str) -> &str {
    let bare = name.strip_prefix("functions.").unwrap_or(name);
    match bare.rsplit_once(':') {
        Some((bare, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => bare,
        _ => bare,
    }
}
