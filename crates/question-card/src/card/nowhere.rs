//! A card on a server, where nothing has the focus.

/// Lets a card take the focus when its question has arrived, where there is one.
#[derive(Clone, Copy, Debug)]
pub struct ClaimFocus;

impl ClaimFocus {
    /// Where the user is idle. On a server nobody is there.
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
