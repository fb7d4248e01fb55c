//! Changing the answer that the agent has: the receipt opens as a form with that answer in it.
//!
//! "Cancel" restores the draft from before. The form closes once the host writes a new [`AskSnapshot::replaced`].

use super::{Card, Changing, Do, Life, Submission};
use crate::dom::Control;
use ask_user_question::{AskSnapshot, Outcome, Phase};

impl Card {
    /// Returns true if the receipt offers to change the answer. Never for an approval, whose call has been made.
    #[must_use]
    pub fn can_change(&self, ask: &AskSnapshot) -> bool {
        let is_answered = self.phase == Phase::Answered && matches!(ask.outcome, Some(Outcome::Answered(_)));
        is_answered
            && self.options.offers.update
            && !self.options.readonly
            && ask.ask.as_ref().is_some_and(|ask| !ask.is_approval())
            && !self.reply.is_pending()
    }

    /// Returns true if the form is open to change the answer that the agent has.
    #[must_use]
    pub fn is_changing(&self) -> bool {
        self.changing.is_some()
    }

    /// Ends the change once the ask has another answer, or waits for one.
    pub(super) fn end_change(&mut self, ask: &AskSnapshot) {
        self.changing.take_if(|changing| changing.replaced != ask.replaced || ask.phase != Phase::Answered);
    }

    /// Opens the form with the answer that the agent has. Choices and text that were not sent stay in it.
    pub(super) fn change(&mut self, ask: &AskSnapshot) {
        let Some(answer) = ask.answer().filter(|_| self.can_change(ask)) else {
            return;
        };
        self.changing = Some(Changing { before: self.draft.clone(), replaced: ask.replaced.clone() });
        if self.late.is_empty() {
            self.draft.forget();
        }
        self.draft.restore(answer.into());
        self.submission = Submission::Open;
        // A receipt from a history becomes live, but the page is not told that it waits.
        self.life = Life::Over;
        self.phase = self.phase_of(ask);
        self.manner = self.manner_of(ask);
        self.take_up(ask);
        self.know_hidden(ask);
        self.turn_to(ask, 0);
    }

    /// Closes the form: the answer stays as it is.
    pub(super) fn keep_answer(&mut self) {
        if self.is_open()
            && let Some(changing) = self.changing.take()
        {
            self.draft = changing.before;
            self.phase = Phase::Answered;
            self.validating = false;
            self.settle_change();
            self.plan(Do::Focus(Control::Change));
        }
    }
}
