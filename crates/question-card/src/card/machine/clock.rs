//! The deadline: the time left, one warning, and the end.

use super::{Card, Do, Life};
use crate::labels::{TimeLeft, concat};
use ask_user_question::{AskSnapshot, Phase};

/// The longest timeout of browsers, in milliseconds; a later change is looked at again then.
const LONGEST_TIMEOUT: u64 = 2_147_483_647;

impl Card {
    /// The phase that is shown: an ask whose time is up takes no answer, even if the host has not said so yet.
    pub(super) fn phase_of(&self, ask: &AskSnapshot) -> Phase {
        match self.deadline.passed && ask.phase.takes_answer() {
            true => Phase::Expired,
            false => ask.phase,
        }
    }

    /// Takes over the deadline of the host or of the ask.
    pub(super) fn know_deadline(&mut self, ask: &AskSnapshot) {
        self.deadline.at = self.options.expires_at.or(ask.expires_at);
    }

    /// Updates the time left, announces it if due, and sets a timer for the next look.
    pub(super) fn look_at_clock(&mut self, ask: &AskSnapshot) {
        // A card from a history has no time left to show.
        if !self.begun || self.life == Life::Record {
            return;
        }
        // The agent judges a reply that is on its way.
        let waits = ask.phase.takes_answer() && self.submission.is_open();
        let left = self.deadline.at.filter(|_| waits).map(|at| (at, at.saturating_sub(self.now.date)));
        let passed = matches!(left, Some((_, 0)));
        if self.deadline.passed != passed {
            self.deadline.passed = passed;
            self.follow(ask);
        }
        let left = left.filter(|(_, left)| *left > 0);
        self.left = left.map(|(_, left)| TimeLeft::of(left));
        if let (Some((at, _)), Some(said)) = (left, self.left) {
            self.announce_time(at, said);
        }
        let wakes = left.map(|(_, left)| TimeLeft::changes_in(left).min(LONGEST_TIMEOUT));
        if self.deadline.wakes || wakes.is_some() {
            self.plan(Do::Wake(wakes));
        }
        self.deadline.wakes = wakes.is_some();
        self.deadline.looked = true;
    }

    /// Warns once when time runs short, and announces a deadline that the user does not know yet.
    fn announce_time(&mut self, at: u64, left: TimeLeft) {
        let is_urgent = left.is_urgent();
        let is_news = match self.deadline.told {
            None => is_urgent,
            Some((told, was_urgent)) => told != at || (is_urgent && !was_urgent),
        };
        if is_news {
            self.deadline.told = Some((at, is_urgent));
            // A list that mounts its cards anew as it scrolls warns of a deadline once.
            let deadline = concat(&[" until ", &at.to_string(), if is_urgent { " soon" } else { "" }]);
            self.plan(Do::SayOnce(deadline, self.labels.time_left(left)));
        }
    }
}
