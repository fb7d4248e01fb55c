//! Revisions of a conversation.

use serde::{Deserialize, Serialize};

/// The number of a conversation's state: each commit makes the next. The first is the time at which the conversation began, in
/// milliseconds. So a later conversation of the same name repeats no revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Revision(pub u64);

impl Revision {
    /// The revision after this.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// The revision before this.
    #[must_use]
    pub const fn previous(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}
