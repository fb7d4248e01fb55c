//! "Don't answer", which can be undone for a while.
//!
//! Until the time to undo is up, nothing is sent and the draft is kept, so a page that closes loses neither. Then one [`CardEvent::Cancel`]
//! is emitted.

use super::{Card, CardEvent, Do, Sent, Settled, Submission};
use crate::dom::Control;
use crate::labels::Word;
use ask_user_question::Phase;

/// The milliseconds for which a decline can be undone, unless the host sets another time.
const UNDO_WITHIN: u64 = 5000;

impl Card {
    /// Returns true if the user declined, and can still undo that: nothing was sent.
    #[must_use]
    pub fn is_declining(&self) -> bool {
        matches!(self.submission, Submission::Declining { .. })
    }

    /// Returns true if the receipt is shown: the ask is over, or the user declined and sees no form that opens again to be sent.
    #[must_use]
    pub fn shows_receipt(&self) -> bool {
        let is_sent = self.can_undo() && self.sent == Some(Sent::Cancel) && self.is_latched() && !self.is_held();
        self.is_over() || self.is_declining() || is_sent
    }

    /// Returns true if the host gives the user time to undo a decline.
    pub(super) fn can_undo(&self) -> bool {
        self.undo_within() > 0
    }

    fn undo_within(&self) -> u64 {
        self.options.undo_within.unwrap_or(UNDO_WITHIN)
    }

    /// Declines: at once, or when the time to undo it is up.
    pub(super) fn decline(&mut self) {
        if !self.can_undo() {
            return self.give_decline();
        }
        self.submission = Submission::Declining { until: self.now.date + self.undo_within() };
        self.confirming = false;
        self.validating = false;
        self.say_word(Word::Cancelled);
        if self.now.has_focus {
            self.plan(Do::Focus(Control::Undo));
        }
    }

    /// Gives the decline to the host.
    fn give_decline(&mut self) {
        if self.phase == Phase::Malformed {
            self.settle(Settled::Cancelled);
        } else {
            self.sent = Some(Sent::Cancel);
            self.latch();
        }
        self.emit(CardEvent::Cancel);
    }

    /// Opens the form again, as it was.
    pub(super) fn undo(&mut self) {
        if self.is_declining() {
            self.submission = Submission::Open;
            self.plan(Do::Focus(Control::Cancel));
        }
    }

    /// Gives a pending decline to the host at once.
    pub(super) fn leave(&mut self) {
        match self.is_declining() {
            true => self.give_decline(),
            false => self.looks_same = true,
        }
    }

    /// Drops a pending decline, because the ask ended without it.
    pub(super) fn end_decline(&mut self) {
        if self.is_declining() {
            self.submission = Submission::Open;
        }
    }

    /// Gives the decline to the host once its time is up. Returns the milliseconds until then.
    pub(super) fn look_at_decline(&mut self) -> Option<u64> {
        let Submission::Declining { until } = self.submission else {
            return None;
        };
        // A clock that was set back must not prolong the wait.
        let wait = until.saturating_sub(self.now.date).min(self.undo_within());
        if wait > 0 {
            self.submission = Submission::Declining { until: self.now.date + wait };
            return Some(wait);
        }
        self.looks_same = false;
        self.give_decline();
        None
    }
}
