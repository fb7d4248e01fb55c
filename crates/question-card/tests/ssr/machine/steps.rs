//! One question at a time.

use super::{Stage, question, replies};
use crate::asks::AskPatch;
use ask_user_question::{AskSnapshot, AskUserQuestion, Phase};
use question_card::dom::Control;
use question_card::machine::{Do, Input, KeyPress};
use question_card::{Layout, SubmitMode};

fn three() -> AskUserQuestion {
    AskUserQuestion::new([
        question("Size", false, &["Small", "Large"]),
        question("Colour", true, &["Red", "Blue"]),
        question("Style", false, &["Plain", "Fancy"]),
    ])
}

fn waiting() -> Stage {
    let ask = AskSnapshot::complete("call", three(), Phase::Answerable);
    Stage::laid_out(ask, SubmitMode::OnPick, Layout::Stepped)
}

fn first(question: usize) -> Control {
    Control::Option { question, option: 0 }
}

impl Stage {
    fn shown(&self) -> Option<usize> {
        self.card.step(&self.ask)
    }

    fn choose(&mut self, question: usize) {
        self.take(Input::Choose(first(question)));
    }

    fn presses_enter(&mut self, on: Control) -> Vec<Do> {
        self.take(Input::Key(KeyPress { key: "Enter", ..KeyPress::default() }, Some(on)))
    }
}

#[test]
fn enter_goes_on_to_what_is_open_and_sends_nothing_that_is_not_seen() {
    let mut stage = waiting();
    for question in [0, 1] {
        stage.choose(question);
    }
    stage.presses_enter(first(0));
    assert_eq!(stage.shown(), Some(2), "the second one has its answer");
    stage.choose(2);
    stage.press(Control::Step { question: 0 });
    for (question, next) in [(0, 1), (1, 2)] {
        assert_eq!(replies(&stage.presses_enter(first(question))), 0);
        assert_eq!(stage.shown(), Some(next));
    }
    assert_eq!(replies(&stage.presses_enter(first(2))), 1);
}

#[test]
fn enter_on_an_open_question_stays() {
    let mut stage = waiting();
    stage.press(Control::Step { question: 1 });
    stage.presses_enter(first(1));
    assert_eq!(stage.shown(), Some(1));
    assert!(stage.card.nudge(1).is_some());
}

#[test]
fn what_cannot_be_read_has_no_steps() {
    let mut stage = waiting();
    stage.press(Control::Onward);
    stage.receive([AskPatch::Phase(Phase::Malformed)]);
    assert_eq!(stage.shown(), None);
}

#[test]
fn who_comes_back_is_where_the_answers_end() {
    let mut before = waiting();
    before.choose(0);
    before.choose(1);
    let mut after = waiting();
    after.card.restore(&before.ask, before.card.to_remember());
    after.take(Input::Begin);
    assert_eq!(after.shown(), Some(2));
}
