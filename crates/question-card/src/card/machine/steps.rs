//! Several questions, stacked or one at a time: the question that is shown, and the turns to another.
//!
//! Only the user turns to another question: by a step, by Back and Next, by Enter on an answer, or by trying to send with one missing.

use super::{Card, Do};
use crate::card::Layout;
use crate::dom::Control;
use ask_user_question::input::InputKind;
use ask_user_question::{AskSnapshot, Phase};

impl Card {
    /// The layout, if there are several questions to answer. An approval is always stacked: the arguments of a call are seen together.
    #[must_use]
    pub fn layout(&self, ask: &AskSnapshot) -> Option<Layout> {
        let are_several = ask.questions.len() > 1 && self.phase != Phase::Malformed;
        let is_approval = ask.questions.first().is_some_and(|first| first.asks_for(InputKind::Approval));
        are_several.then_some(if is_approval { Layout::Stacked } else { self.options.layout })
    }

    /// The question that is shown, if one is shown at a time.
    #[must_use]
    pub fn step(&self, ask: &AskSnapshot) -> Option<usize> {
        let is_stepped = self.layout(ask) == Some(Layout::Stepped);
        // The end of the arguments may drop questions, and another answer may hide one.
        let is_asked = |step: &usize| *step < ask.questions.len() && !self.is_hidden(*step);
        is_stepped.then(|| (0..=self.step).rev().find(is_asked).unwrap_or_default())
    }

    /// Updates which questions are not asked after the answers so far.
    pub(super) fn know_hidden(&mut self, ask: &AskSnapshot) {
        let complete = ask.ask.as_ref().filter(|ask| ask.questions.iter().any(|asked| asked.show_if.is_some()));
        self.hidden = complete.map_or_else(Vec::new, |ask| ask.hidden(&self.draft.selections()));
    }

    /// Returns true if a question is not asked after the answers so far.
    #[must_use]
    pub fn is_hidden(&self, question: usize) -> bool {
        self.hidden.get(question) == Some(&true)
    }

    /// The number of questions that are asked.
    #[must_use]
    pub fn count(&self, ask: &AskSnapshot) -> usize {
        ask.questions.len() - self.hidden.iter().filter(|is_hidden| **is_hidden).count()
    }

    /// The number of questions that have their answer.
    #[must_use]
    pub fn answered(&self, ask: &AskSnapshot) -> usize {
        self.count(ask) - self.problems(ask).len()
    }

    /// The next question that is asked after this one.
    #[must_use]
    pub fn next(&self, ask: &AskSnapshot, question: usize) -> Option<usize> {
        (question + 1..ask.questions.len()).find(|next| !self.is_hidden(*next))
    }

    /// Begins at the first question with a problem, if answers were stored.
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
        // The filter may hide all of these controls.
        ways.push(Control::Filter { question });
        self.plan(Do::Enter(question, ways));
    }

    /// Shows a question, with the focus on its answer or its first control.
    pub(super) fn turn_to(&mut self, ask: &AskSnapshot, question: usize) {
        if question < ask.questions.len() {
            self.enter(ask, question, self.ways_into(ask, question));
        }
    }

    /// Turns to the next question or the one before, but not beyond either end.
    pub(super) fn turn(&mut self, ask: &AskSnapshot, is_back: bool) {
        let Some(step) = self.step(ask) else { return };
        let before = || (0..step).rev().find(|before| !self.is_hidden(*before));
        if let Some(next) = if is_back { before() } else { self.next(ask, step) } {
            self.turn_to(ask, next);
        }
    }
}
