//! How long there is to answer: warned of once, and kept.

use super::{Card, Do, Life};
use crate::labels::{TimeLeft, Unit};
use ask_user_question::{AskSnapshot, Phase};

/// The longest time, in milliseconds, that browsers wait for; a later change is looked at again then.
const LONGEST_TIMEOUT: u64 = 2_147_483_647;

/// The deadline of a card.
#[derive(Default)]
pub(super) struct Deadline {
    /// The one that holds: the host's own, or that of the ask.
    at: Option<u64>,
    passed: bool,
    /// What the user last heard: of which deadline, and whether it was urgent.
    told: Option<(u64, bool)>,
    /// The card has looked at the clock before. What had passed by then is no news.
    looked: bool,
    /// When the card wants to look again.
    wakes: bool,
}

impl Deadline {
    /// Whether the user is there to hear of the end.
    pub(super) fn is_news(&self) -> bool {
        self.looked
    }
}

impl Card {
    /// The phase that the card shows: an ask whose time is up takes no answer, whether or not the host has said so.
    pub(super) fn phase_of(&self, ask: &AskSnapshot) -> Phase {
        match self.deadline.passed && ask.phase.takes_answer() {
            true => Phase::Expired,
            false => ask.phase,
        }
    }

    /// Takes over the deadline, where the ask has one or the host its own.
    pub(super) fn know_deadline(&mut self, ask: &AskSnapshot) {
        self.deadline.at = self.options.expires_at.or(ask.expires_at);
    }

    /// Keeps the deadline, and says what is to be heard of it.
    pub(super) fn look_at_clock(&mut self, ask: &AskSnapshot) {
        // Nobody waits for a card that comes from a history.
        if !self.begun || self.life == Life::Record {
            return;
        }
        // A reply on its way is the agent's to judge.
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
            self.tell(at, said);
        }
        let wakes = left.map(|(_, left)| TimeLeft::changes_in(left).min(LONGEST_TIMEOUT));
        if self.deadline.wakes || wakes.is_some() {
            self.plan(Do::Wake(wakes));
        }
        self.deadline.wakes = wakes.is_some();
        self.deadline.looked = true;
    }

    /// Warns once when time runs out, and says what there is when there is another deadline than the user knows.
    fn tell(&mut self, at: u64, left: TimeLeft) {
        let is_urgent = left.unit == Unit::Seconds;
        let is_news = match self.deadline.told {
            None => is_urgent,
            Some((told, was_urgent)) => told != at || (is_urgent && !was_urgent),
        };
        if is_news {
            self.deadline.told = Some((at, is_urgent));
            self.say(self.labels.time_left(left));
        }
    }
}
