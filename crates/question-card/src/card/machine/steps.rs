//! Several questions: below each other, or one at a time. Which one is shown then, and what turns to another.
//!
//! Only the user does: by a step, by Back and Next, by Enter on an answer, or by trying to send with one missing.

use super::{Card, Do};
use crate::card::Layout;
use crate::dom::Control;
use ask_user_question::{AskSnapshot, Phase};

impl Card {
    /// How the questions are laid out, where there are several to be answered.
    #[must_use]
    pub fn layout(&self, ask: &AskSnapshot) -> Option<Layout> {
        let are_several = ask.questions.len() > 1 && self.phase != Phase::Malformed;
        are_several.then_some(self.options.layout)
    }

    /// The question that is shown, where that is one at a time.
    #[must_use]
    pub fn step(&self, ask: &AskSnapshot) -> Option<usize> {
        let is_stepped = self.layout(ask) == Some(Layout::Stepped);
        // The end of the arguments may drop questions.
        is_stepped.then(|| self.step.min(ask.questions.len() - 1))
    }

    /// How many questions have their answer.
    #[must_use]
    pub fn answered(&self, ask: &AskSnapshot) -> usize {
        ask.questions.len() - self.problems(ask).len()
    }

    /// Begins where the user left, should answers have been kept.
    pub(super) fn begin_at_step(&mut self, ask: &AskSnapshot) {
        if self.phase.takes_answer()
            && let Some((open, _)) = self.problems(ask).first()
        {
            self.step = *open;
        }
    }

    /// Shows a question, where that is one at a time.
    pub(super) fn show_step(&mut self, ask: &AskSnapshot, question: usize) {
        let is_other = self.step(ask).is_some_and(|step| step != question);
        if is_other && question < ask.questions.len() {
            self.step = question;
            // A tap that lands now was meant for what was there.
            self.turned_at = self.now.clock;
            self.moved();
        }
    }

    /// Shows a question, with the focus on the first of these controls that is there.
    pub(super) fn enter(&mut self, ask: &AskSnapshot, question: usize, ways: Vec<Control>) {
        self.show_step(ask, question);
        self.plan(Do::Enter(question, ways));
    }

    /// Shows a question, with the focus on its answer, or where one begins.
    pub(super) fn turn_to(&mut self, ask: &AskSnapshot, question: usize) {
        if question < ask.questions.len() {
            self.enter(ask, question, self.ways_into(ask, question));
        }
    }

    /// Goes this number of questions forward, or back; at either end it stays.
    pub(super) fn turn(&mut self, ask: &AskSnapshot, by: isize) {
        if let Some(next) = self.step(ask).and_then(|step| step.checked_add_signed(by)) {
            self.turn_to(ask, next);
        }
    }
}
