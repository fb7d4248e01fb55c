//! Revisions of a conversation, and positions in its event stream.

/// The number of a conversation's state: each commit makes the next. The first is the time at which the conversation began, in
/// milliseconds. So a later conversation of the same name repeats no revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision(pub u64);

impl Revision {
    /// The revision after this.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// A position in the event stream of a conversation: the number of frames since the revision at which a server took it up. The default belongs
/// to no conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamPosition {
    /// The revision that was being made at that time.
    pub since: Revision,
    /// The frames since.
    pub frames: u64,
}
