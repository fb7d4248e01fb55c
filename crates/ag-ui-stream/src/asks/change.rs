use ask_user_question::snapshot::{Growth, MemberPath};
use std::collections::VecDeque;

/// One change to the asks. It says which ask changed; what it became is in its [snapshot](super::Asks::at).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AskDelta {
    /// The position of the ask.
    pub slot: usize,
    /// True if the ask began, perhaps in the place of another one with its id: nothing that was known of that holds.
    pub begins: bool,
    /// The first text or flag that grew. What came after it in the arguments may have grown, too. `None` if anything else has changed, such as
    /// the phase.
    pub member: Option<MemberPath>,
    /// The byte from which on the member's text is new.
    pub from: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Changes(VecDeque<AskDelta>);

impl Changes {
    pub(super) fn next(&mut self) -> Option<AskDelta> {
        self.0.pop_front()
    }

    /// Removes the pending change and returns it, if there is only one and it is the growth of a text or flag.
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

    /// Records a change of anything but a growing text. Several in a row count as one.
    pub(super) fn alter(&mut self, slot: usize) {
        let delta = AskDelta { slot, begins: false, member: None, from: 0 };
        if self.0.back() != Some(&delta) {
            self.0.push_back(delta);
        }
    }
}
