//! What is due at a time: the deadline with its warning, the announcement that a reply is still on its way, the number of rows that a
//! filter shows, and the end of "Copied".

use super::{Card, Do, Life};
use crate::labels::{TimeLeft, Word, concat};
use ask_user_question::{AskSnapshot, Phase};

/// The longest timeout of browsers, in milliseconds: 2^31 − 1. For a later time, the card looks at the clock again by then.
const LONGEST_TIMEOUT: u64 = 2_147_483_647;
/// Milliseconds until a pending reply is announced.
pub(super) const SENDING_AFTER: f64 = 1000.0;
/// Milliseconds for which a button shows that it copied.
pub(super) const COPIED_FOR: f64 = 3000.0;

impl Card {
    /// The phase to show: expired once the deadline has passed, even if the host has not said so; answerable while the user changes an
    /// answer.
    pub(super) fn phase_of(&self, ask: &AskSnapshot) -> Phase {
        match self.deadline.passed && ask.phase.takes_answer() {
            _ if self.changing.is_some() => Phase::Answerable,
            true => Phase::Expired,
            false => ask.phase,
        }
    }

    pub(super) fn know_deadline(&mut self, ask: &AskSnapshot) {
        self.deadline.at = self.options.expires_at.or(ask.expires_at);
    }

    /// Does what is due, and sets a timer for the next look.
    pub(super) fn look_at_clock(&mut self, ask: &AskSnapshot) {
        let clock = self.now.clock;
        if self.sending_at.take_if(|at| *at <= clock).is_some() && self.is_latched() && !self.phase.is_over() {
            self.say_word(if self.is_held() { Word::Held } else { Word::Sending });
        }
        if self.copied_until.take_if(|at| *at <= clock).is_some() {
            self.copied = None;
            self.looks_same = false;
        }
        self.say_matches(ask);
        let mut wakes = self.look_at_deadline(ask);
        if let Some(wait) = self.look_at_decline() {
            wakes = Some(wakes.unwrap_or(LONGEST_TIMEOUT).min(wait));
        }
        for at in [self.sending_at, self.copied_until, self.count_at.map(|(at, _)| at)].into_iter().flatten() {
            wakes = Some(wakes.unwrap_or(LONGEST_TIMEOUT).min((at - clock).ceil() as u64));
        }
        if self.wakes || wakes.is_some() {
            self.plan(Do::Wake(wakes));
        }
        self.wakes = wakes.is_some();
    }

    /// Updates the time left, and announces it if due. Returns the milliseconds until it changes.
    fn look_at_deadline(&mut self, ask: &AskSnapshot) -> Option<u64> {
        // A card from a history has no time left to show.
        if !self.begun || self.life == Life::Record {
            return None;
        }
        // Whether a reply on its way is late is for the agent to judge.
        let waits = ask.phase.takes_answer() && self.submission.is_open();
        let left = self.deadline.at.filter(|_| waits).map(|at| (at, at.saturating_sub(self.now.date)));
        let passed = matches!(left, Some((_, 0)));
        if self.deadline.passed != passed {
            self.deadline.passed = passed;
            self.looks_same = false;
            self.follow(ask);
        }
        let left = left.filter(|(_, left)| *left > 0);
        let shown = left.map(|(_, left)| TimeLeft::of(left));
        self.looks_same &= std::mem::replace(&mut self.left, shown) == shown;
        if let (Some((at, _)), Some(said)) = (left, shown) {
            self.announce_time(at, said);
        }
        self.deadline.looked = true;
        left.map(|(_, left)| TimeLeft::changes_in(left).min(LONGEST_TIMEOUT))
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
            // Once per deadline: a virtual list mounts its cards again as it scrolls.
            let deadline = concat(&[" until ", &at.to_string(), if is_urgent { " soon" } else { "" }]);
            self.plan(Do::SayOnce(deadline, self.labels.time_left(left)));
        }
    }
}
