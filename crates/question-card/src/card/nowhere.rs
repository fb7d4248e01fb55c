//! Stand-ins for a server, where no element has the focus.

/// Lets a card take the focus when its question has arrived, in a browser.
#[derive(Clone, Copy, Debug)]
pub struct ClaimFocus;

impl ClaimFocus {
    /// Claims if the user is idle. A server has no user.
    #[must_use]
    pub fn if_idle() -> Self {
        Self
    }
}

pub(crate) struct Shell;

impl Shell {
    pub(crate) fn focus_next(&self) -> bool {
        false
    }

    pub(crate) fn enter_question(&self, _question: usize) -> bool {
        false
    }
}
