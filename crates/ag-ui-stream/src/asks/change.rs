use ask_user_question::snapshot::{Growth, MemberPath};
use std::collections::VecDeque;

/// One change to the asks. It names the ask; the new value is in its [snapshot](super::Asks::at).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AskDelta {
    /// The index of the ask, for [`Asks::at`](super::Asks::at).
    pub slot: usize,
    /// True if the ask is new or replaced one with the same id: discard everything known about the old one.
    pub begins: bool,
    /// The first text or flag that grew. Later members of the arguments may have grown, too. `None` if anything else changed, such as the phase.
    pub member: Option<MemberPath>,
    /// The byte at which the new text of the member starts.
    pub from: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Changes(VecDeque<AskDelta>);

impl Changes {
    pub(super) fn next(&mut self) -> Option<AskDelta> {
        self.0.pop_front()
    }

    /// Removes and returns the pending change, if it is the only one and just the growth of a text or flag.
    pub(super) fn only_growth(&mut self) -> Option<AskDelta> {
        let only = self.0.front().filter(|delta| delta.member.is_some() && self.0.len() == 1).copied();
        only.inspect(|_| self.0.clear())
    }

    pub(super) fn begin(&mut self, slot: usize) {
        self.0.push_back(AskDelta { slot, begins: true, member: None, from: 0 });
    }

    pub(super) fn grow(&mut self, slot: usize, Growth { member, from, .. }: Growth) {
        self.0.push_back(AskDelta { slot, begins: false, member: Some(member), from });
    }

    /// Records any change except the growth of a text. Consecutive changes of one ask are merged.
    pub(super) fn alter(&mut self, slot: usize) {
        let delta = AskDelta { slot, begins: false, member: None, from: 0 };
        if self.0.back() != Some(&delta) {
            self.0.push_back(delta);
        }
    }
}
