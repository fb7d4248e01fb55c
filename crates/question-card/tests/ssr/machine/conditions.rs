//! Questions that are asked only after a certain answer.

use super::{Stage, question, sent};
use ask_user_question::condition::ShowIf;
use ask_user_question::input::{Input as Asked, InputKind};
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase};
use question_card::dom::Control;
use question_card::machine::{Do, Field, Input};
use question_card::{CardEvent, Labels, Layout, SubmitMode, receipt_text};

fn stage(layout: Layout) -> Stage {
    let address = question("Address", false, &[]).with_input(Asked::new(InputKind::Email));
    let ask = AskUserQuestion::new([
        question("Notice", false, &["By e-mail", "By phone"]),
        address.with_show_if(ShowIf::new("Notice", "By e-mail")),
        question("Others", true, &["Workshop", "Billing"]),
    ]);
    Stage::laid_out(AskSnapshot::complete("call", ask, Phase::Answerable), SubmitMode::Explicit, layout)
}

fn option(question: usize, option: usize) -> Control {
    Control::Option { question, option }
}

/// The questions that are shown, and what is said of the number of answers.
fn shown(stage: &Stage) -> (Vec<usize>, String) {
    let all = [0, 1, 2].into_iter().filter(|question| !stage.card.is_hidden(*question)).collect();
    (all, stage.card.labels().progress(stage.card.answered(&stage.ask), stage.card.count(&stage.ask)))
}

#[test]
fn a_question_comes_with_the_answer_that_it_is_asked_after() {
    for layout in [Layout::Stacked, Layout::Stepped] {
        let mut stage = stage(layout);
        assert_eq!(shown(&stage), (vec![0, 2], "0 of 2 answered".to_owned()));
        stage.take(Input::Choose(option(0, 0)));
        assert_eq!(shown(&stage), (vec![0, 1, 2], "1 of 3 answered".to_owned()));
        stage.take(Input::Typed(1, Field::Other, "ann@example.com"));
        stage.take(Input::Choose(option(0, 1)));
        assert_eq!(shown(&stage), (vec![0, 2], "1 of 2 answered".to_owned()));
        // What was typed is there again if the answer is.
        stage.take(Input::Choose(option(0, 0)));
        assert_eq!(shown(&stage), (vec![0, 1, 2], "2 of 3 answered".to_owned()));
        assert_eq!(stage.card.draft().text(1, Field::Other), "ann@example.com");
    }
}

#[test]
fn what_is_not_asked_is_neither_missed_nor_sent() {
    let mut stage = stage(Layout::Stacked);
    stage.take(Input::Choose(option(0, 0)));
    // No answer of its kind, but nobody is asked for one any more.
    stage.take(Input::Typed(1, Field::Other, "ann"));
    stage.take(Input::Choose(option(0, 1)));
    stage.take(Input::Choose(option(2, 0)));
    let in_chat = stage.press(Control::InChat);
    assert!(matches!(&in_chat[..], [Do::Emit(CardEvent::ReplyInChat(picks))] if picks.len() == 2), "{in_chat:?}");
    let reply = sent(&stage.take(Input::Submit)).expect("all that is asked is answered");
    assert_eq!(reply.message(), "Notice: By phone\nAddress: (skipped)\nOthers: Workshop");
    let over = stage.ask.clone().with_phase(Phase::Answered).with_outcome(Outcome::Answered(reply));
    assert!(receipt_text(&over, &Labels::ENGLISH).contains("Q: Address?\nA: Skipped"));
}

#[test]
fn a_number_meets_its_condition_in_each_spelling_and_is_sent_with_what_it_asks_for() {
    for (is, said) in [("1", "1"), ("1", "01"), ("1", "1.0"), ("01", "1"), ("01", "01")] {
        let ask = AskUserQuestion::new([
            question("Seats", false, &[]).with_input(Asked::new(InputKind::Integer)),
            question("Row", false, &["Front", "Back"]).with_show_if(ShowIf::new("Seats", is)),
        ]);
        let mut stage = Stage::new(AskSnapshot::complete("call", ask, Phase::Answerable), SubmitMode::Explicit);
        stage.take(Input::Typed(0, Field::Other, said));
        assert!(!stage.card.is_hidden(1), "{said} is {is}");
        assert!(sent(&stage.take(Input::Submit)).is_none(), "{said} is {is}: the row is missing");
        stage.take(Input::Choose(option(1, 1)));
        let reply = sent(&stage.take(Input::Submit)).expect("all is answered");
        assert_eq!(reply.message(), "Seats: 1\nRow: Back", "{said} is {is}");
    }
}

#[test]
fn steps_lead_past_what_is_not_asked() {
    let mut stage = stage(Layout::Stepped);
    let steps = |stage: &Stage| {
        let page = stage.card.connect(&stage.ask);
        (0..3).filter(|at| page.control(Control::Step { question: *at }).is_some()).collect::<Vec<_>>()
    };
    assert_eq!(steps(&stage), [0, 2]);
    stage.press(Control::Onward);
    assert_eq!(stage.card.step(&stage.ask), Some(2));
    assert!(stage.card.connect(&stage.ask).control(Control::Onward).is_none(), "it is the last");
    stage.press(Control::Back);
    assert_eq!(stage.card.step(&stage.ask), Some(0));
    stage.take(Input::Choose(option(0, 0)));
    assert_eq!(steps(&stage), [0, 1, 2]);
    stage.press(Control::Onward);
    assert_eq!(stage.card.step(&stage.ask), Some(1));
}

#[test]
fn a_card_that_is_built_again_asks_the_same_questions() {
    let mut stage = stage(Layout::Stepped);
    stage.take(Input::Choose(option(0, 0)));
    stage.is_remade();
    assert_eq!(stage.card.step(&stage.ask), Some(1), "where the user left");
    assert_eq!(stage.card.count(&stage.ask), 3);
}
