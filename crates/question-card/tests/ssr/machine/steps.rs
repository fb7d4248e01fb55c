//! One question at a time.

use super::{Stage, question, replies};
use crate::asks::{AskPatch, stream};
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, AskUserQuestion, Phase};
use question_card::dom::Control;
use question_card::machine::{Do, Field, Input, KeyPress};
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
fn several_questions_come_one_at_a_time_and_a_single_one_as_ever() {
    assert_eq!(waiting().shown(), Some(0));
    let one = AskUserQuestion::new([question("Size", false, &["Small", "Large"])]);
    for (asked, layout) in [(one, Layout::Stepped), (three(), Layout::Stacked)] {
        let ask = AskSnapshot::complete("call", asked, Phase::Answerable);
        assert_eq!(Stage::laid_out(ask, SubmitMode::Explicit, layout).shown(), None, "{layout:?}");
    }
}

#[test]
fn back_next_and_steps_turn_and_take_the_focus_along() {
    let mut stage = waiting();
    let turns = [
        (Control::Back, 0),
        (Control::Onward, 1),
        (Control::Onward, 2),
        (Control::Onward, 2),
        (Control::Back, 1),
        (Control::Step { question: 0 }, 0),
        (Control::Step { question: 2 }, 2),
        (Control::Step { question: 3 }, 2),
    ];
    for (control, shown) in turns {
        let before = stage.shown();
        let acts = stage.press(control);
        assert_eq!(stage.shown(), Some(shown), "after {control:?}");
        let enters = acts.iter().any(|act| matches!(act, Do::Enter(question, _) if *question == shown));
        assert!(enters || before == Some(shown), "{acts:?}");
    }
}

#[test]
fn the_focus_goes_to_the_answer_that_is_there() {
    let mut stage = waiting();
    stage.choose(2);
    stage.take(Input::Choose(Control::Option { question: 2, option: 1 }));
    let acts = stage.press(Control::Step { question: 2 });
    let Some(Do::Enter(2, ways)) = acts.first() else { panic!("{acts:?}") };
    assert_eq!(ways.first(), Some(&Control::Option { question: 2, option: 1 }));
}

#[test]
fn a_pick_a_text_and_a_skip_never_turn_the_page() {
    let mut stage = waiting();
    stage.choose(0);
    stage.take(Input::Typed(0, Field::Other, "in between"));
    stage.take(Input::Typed(0, Field::Note, "or so"));
    stage.press(Control::Skip { question: 0 });
    stage.take(Input::Focused(Some(first(0))));
    assert_eq!(stage.shown(), Some(0));
}

#[test]
fn enter_on_an_answered_question_turns_the_page_and_on_the_last_one_sends() {
    let mut stage = waiting();
    // Chosen, then confirmed.
    for question in 0..3 {
        assert_eq!(stage.shown(), Some(question));
        assert_eq!(replies(&stage.presses_enter(Control::Option { question, option: 1 })), 0);
        stage.choose(question);
        if question < 2 {
            assert_eq!(replies(&stage.presses_enter(first(question))), 0);
        }
    }
    assert_eq!(replies(&stage.presses_enter(first(2))), 1);
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
fn submit_is_in_reach_from_the_first_step_and_goes_to_what_is_missing() {
    let mut stage = waiting();
    stage.choose(0);
    stage.choose(2);
    let acts = stage.take(Input::Submit);
    assert_eq!((replies(&acts), stage.shown()), (0, Some(1)));
    assert!(stage.card.error(1).is_some());
    stage.choose(1);
    stage.press(Control::Step { question: 0 });
    assert_eq!(replies(&stage.take(Input::Submit)), 1);
}

#[test]
fn a_question_is_a_step_when_it_begins_and_nobody_is_moved() {
    let mut stage = Stage::laid_out(AskSnapshot::new("call"), SubmitMode::OnPick, Layout::Stepped);
    let mut most = 0;
    for patch in stream(&three()) {
        let begins = matches!(patch, AskPatch::OpenQuestion { .. });
        stage.receive([patch]);
        most += usize::from(begins);
        assert_eq!(stage.shown(), (most > 1).then_some(0));
    }
    stage.press(Control::Onward);
    stage.receive([AskPatch::Complete(Box::new(three())), AskPatch::Phase(Phase::Ready)]);
    assert_eq!(stage.shown(), Some(1));
    stage.receive([AskPatch::Phase(Phase::Answerable)]);
    stage.reports(ReplyState::Sending);
    stage.reports(ReplyState::Failed("No network.".to_owned()));
    assert_eq!(stage.shown(), Some(1));
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
