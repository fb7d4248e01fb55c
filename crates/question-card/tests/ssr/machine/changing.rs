//! Changing an answer that the agent has.

use super::{SMALL, Stage, one, question};
use crate::asks::{AskPatch, picks};
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase};
use question_card::dom::Control;
use question_card::machine::{Card, Do, Field, Input};
use question_card::{CardEvent, Labels, Options, SubmitMode, Word, Words as _, receipt_text};

const LARGE: Control = Control::Option { question: 0, option: 1 };

/// A receipt from a history: the first option was picked.
fn answered(ask: AskUserQuestion, mode: SubmitMode) -> Stage {
    let outcome = Outcome::Answered(picks(&ask, 0));
    Stage::new(AskSnapshot::complete("call", ask, Phase::Answered).with_outcome(outcome), mode)
}

fn opened() -> Stage {
    let mut stage = answered(one(), SubmitMode::OnPick);
    stage.press(Control::Change);
    stage
}

fn updates(acts: &[Do]) -> Vec<String> {
    let update = |act: &Do| match act {
        Do::Emit(CardEvent::Update(reply)) => Some(reply.message()),
        _ => None,
    };
    acts.iter().filter_map(update).collect()
}

fn shown(stage: &Stage) -> String {
    stage.card.connect(&stage.ask).words()
}

#[test]
fn the_card_opens_with_the_old_choice_and_the_focus_on_it() {
    let ask = AskUserQuestion::new([question("Size", false, &["S", "L"]), question("Colour", true, &["Red", "Blue"])]);
    for (ask, mode) in [(one(), SubmitMode::OnPick), (ask, SubmitMode::Explicit)] {
        let mut stage = answered(ask, mode);
        let acts = stage.press(Control::Change);
        assert!(matches!(&acts[..], [.., Do::Enter(0, ways)] if ways[0] == SMALL), "{acts:?}");
        assert!(!acts.contains(&Do::Waiting), "nobody waits for it");
        assert!(stage.card.is_changing() && !stage.card.shows_receipt());
        for question in 0..stage.ask.questions.len() {
            assert!(stage.card.draft().is_chosen(question, 0));
        }
        let words = shown(&stage);
        assert!(words.contains(Word::Update.english()) && words.contains(Word::KeepAnswer.english()), "{words}");
        assert!(!words.contains(Word::Cancel.english()) && !words.contains(Word::ReplyInChat.english()), "{words}");
    }
}

#[test]
fn update_gives_the_new_answer_once_and_the_old_one_stays_struck() {
    let mut stage = opened();
    assert_eq!(stage.take(Input::Choose(LARGE)), []);
    assert_eq!(updates(&stage.press(Control::Submit)), ["Large"]);
    assert_eq!(updates(&stage.press(Control::Submit)), [""; 0]);
    stage.take(Input::Taken(true));
    stage.reports(ReplyState::Sending);
    assert!(!stage.card.shows_receipt(), "it is on its way");
    let acts = stage.receive([AskPatch::Replaced(picks(&one(), 1)), AskPatch::Reply(ReplyState::None)]);
    assert!(acts.contains(&Do::Say(Word::Sent.english().to_owned())), "{acts:?}");
    assert!(acts.contains(&Do::Resolve { is_known: true, had_focus: false }), "{acts:?}");
    assert!(stage.card.shows_receipt() && stage.card.late().is_empty());
    let card = stage.card.connect(&stage.ask);
    let of = |part| card.all(part).iter().map(|part| part.words()).collect::<Vec<_>>();
    assert_eq!(of("qc-replaced"), ["Changed from: Small"]);
    assert_eq!(of("qc-answer"), ["Selected: Large"]);
    assert_eq!(receipt_text(&stage.ask, &Labels::default()), "Q: Size?\nA: Large");
    // Once more, and back to the first one.
    stage.press(Control::Change);
    assert!(stage.card.draft().is_chosen(0, 1));
    stage.take(Input::Choose(SMALL));
    assert_eq!(updates(&stage.press(Control::Submit)), ["Small"]);
    stage.receive([AskPatch::Replaced(picks(&one(), 0))]);
    assert!(stage.card.shows_receipt());
    assert!(stage.card.connect(&stage.ask).all("qc-replaced").is_empty(), "it is the same as before");
}

#[test]
fn an_answer_that_stays_the_same_is_not_sent() {
    let mut stage = opened();
    let acts = stage.press(Control::Submit);
    assert_eq!(acts, [Do::Prevent, Do::Focus(Control::Change)]);
    assert!(stage.card.shows_receipt());
}

#[test]
fn cancel_and_escape_leave_the_answer_as_it_is() {
    use question_card::machine::KeyPress;
    let mut stage = opened();
    stage.take(Input::Choose(LARGE));
    assert_eq!(stage.press(Control::Cancel), [Do::Focus(Control::Change)]);
    assert!(stage.card.shows_receipt() && stage.card.late().is_empty());
    for on in [LARGE, Control::Submit, Control::Note { question: 0 }] {
        stage.press(Control::Change);
        stage.take(Input::Choose(LARGE));
        let escape = KeyPress { key: "Escape", ..KeyPress::default() };
        let composing = KeyPress { composing: true, ..escape };
        assert_eq!(stage.take(Input::Key(composing, Some(on))), []);
        assert_eq!(stage.take(Input::Key(escape, Some(on))), [Do::Prevent, Do::Focus(Control::Change)]);
        assert!(stage.card.shows_receipt(), "at {on:?}");
        assert_eq!(stage.take(Input::Key(escape, Some(on))), [], "a receipt has no use for it");
    }
}

#[test]
fn it_closes_when_it_was_changed_elsewhere_and_keeps_what_was_typed() {
    let mut stage = opened();
    stage.take(Input::Typed(0, Field::Other, "Medium"));
    let acts = stage.receive([AskPatch::Replaced(picks(&one(), 1))]);
    assert!(acts.contains(&Do::Say(Word::AnsweredElsewhere.english().to_owned())), "{acts:?}");
    assert_eq!((stage.card.shows_receipt(), stage.card.late()), (true, "Medium"));
    stage.press(Control::Change);
    assert_eq!(stage.card.draft().text(0, Field::Other), "Medium", "it comes along");
}

#[test]
fn it_is_offered_where_an_answer_can_be_changed() {
    let mut stage = answered(one(), SubmitMode::Explicit);
    assert!(shown(&stage).contains(Word::Change.english()));
    stage.reports(ReplyState::Sending);
    assert!(!stage.card.can_change(&stage.ask), "one is under way");
    stage.reports(ReplyState::None);
    assert!(stage.card.can_change(&stage.ask));
    let no_offer = Options { offers: Default::default(), ..stage.options.clone() };
    let readonly = Options { readonly: true, ..stage.options.clone() };
    for options in [no_offer, readonly] {
        stage.take(Input::Set(options));
        assert!(!stage.card.can_change(&stage.ask) && !shown(&stage).contains(Word::Change.english()));
        stage.press(Control::Change);
        assert!(stage.card.shows_receipt());
    }
    for outcome in [None, Some(Outcome::Declined), Some(Outcome::RepliedInChat { text: "Hm".into(), partial: vec![] })]
    {
        let mut ask = AskSnapshot::complete("call", one(), Phase::Answered);
        ask.outcome = outcome;
        assert!(!Card::new(&ask, stage.options.clone()).can_change(&ask), "{:?}", ask.outcome);
    }
}

#[test]
fn a_decision_on_a_call_is_not_changed_whatever_the_host_offers() {
    use ask_user_question::input::{Input as Asked, InputKind};
    let decision = question("Send it", false, &[]).with_input(Asked::new(InputKind::Approval));
    for (asked, is_final) in [(decision, true), (question("Size", false, &["Approve", "Reject"]), false)] {
        let mut stage = answered(AskUserQuestion::new([asked]), SubmitMode::Explicit);
        assert_eq!(shown(&stage).contains(Word::Change.english()), !is_final);
        stage.press(Control::Change);
        assert_eq!(stage.card.shows_receipt(), is_final);
    }
}
