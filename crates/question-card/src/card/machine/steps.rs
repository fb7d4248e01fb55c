//! Several questions, stacked or one at a time: the question that is shown, and the turns to another.
//!
//! Only the user turns: by a step, by Back and Next, by Enter on an answer, or by trying to send with one missing.

use super::{Card, Do};
use crate::card::Layout;
use crate::dom::Control;
use ask_user_question::{AskSnapshot, Phase};

impl Card {
    /// The layout, if there are several questions to answer.
    #[must_use]
    pub fn layout(&self, ask: &AskSnapshot) -> Option<Layout> {
        let are_several = ask.questions.len() > 1 && self.phase != Phase::Malformed;
        are_several.then_some(self.options.layout)
    }

    /// The question that is shown, if one is shown at a time.
    #[must_use]
    pub fn step(&self, ask: &AskSnapshot) -> Option<usize> {
        let is_stepped = self.layout(ask) == Some(Layout::Stepped);
        // The end of the arguments may drop questions.
        is_stepped.then(|| self.step.min(ask.questions.len() - 1))
    }

    /// The number of questions that have their answer.
    #[must_use]
    pub fn answered(&self, ask: &AskSnapshot) -> usize {
        ask.questions.len() - self.problems(ask).len()
    }

    /// Begins where the user left, if answers were stored.
    pub(super) fn begin_at_step(&mut self, ask: &AskSnapshot) {
        if self.phase.takes_answer()
            && let Some((open, _)) = self.problems(ask).first()
        {
            self.step = *open;
        }
    }

    /// Shows a question, if one is shown at a time.
    pub(super) fn show_step(&mut self, ask: &AskSnapshot, question: usize) {
        let is_other = self.step(ask).is_some_and(|step| step != question);
        if is_other && question < ask.questions.len() {
            self.step = question;
        }
    }

    /// Shows a question, and focuses the first of these controls that is there.
    pub(super) fn enter(&mut self, ask: &AskSnapshot, question: usize, mut ways: Vec<Control>) {
        self.show_step(ask, question);
        // It may hide all of them.
        ways.push(Control::Filter { question });
        self.plan(Do::Enter(question, ways));
    }

    /// Shows a question, with the focus on its answer or its first control.
    pub(super) fn turn_to(&mut self, ask: &AskSnapshot, question: usize) {
        if question < ask.questions.len() {
            self.enter(ask, question, self.ways_into(ask, question));
        }
    }

    /// Turns this number of questions forward or back, but not beyond either end.
    pub(super) fn turn(&mut self, ask: &AskSnapshot, by: isize) {
        if let Some(next) = self.step(ask).and_then(|step| step.checked_add_signed(by)) {
            self.turn_to(ask, next);
        }
    }
}
