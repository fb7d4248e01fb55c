//! Answers that are typed, ranked, or a yes or no.

use super::{Stage, replies, sent};
use crate::asks::AskPatch;
use ask_user_question::condition::ShowIf;
use ask_user_question::input::{Flaw, Input as Asked, InputKind};
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase, Question};
use json_tree::Json;
use question_card::dom::Control;
use question_card::machine::{Card, Do, Field, Input, KeyPress, Problem};
use question_card::{LANGUAGES, Labels, Layout, Options, SubmitMode, Word, receipt_text};

fn stage(input: Asked, options: &[&str], mode: SubmitMode) -> Stage {
    let question = Question::new("Say", options.iter().copied()).with_input(input);
    Stage::new(AskSnapshot::complete("call", AskUserQuestion::new([question]), Phase::Answerable), mode)
}

#[test]
fn what_is_no_answer_of_its_kind_is_said_and_not_sent() {
    let port = || Asked::new(InputKind::Integer).with_min("1024").with_max("65535");
    for (input, text, flaw) in [
        (port(), "80", Flaw::TooLow),
        (port(), "70000", Flaw::TooHigh),
        (port(), "8080.5", Flaw::Unreadable),
        (Asked::new(InputKind::Number).with_step("0.5"), "1.2", Flaw::OffStep),
        (Asked::new(InputKind::Date), "tomorrow", Flaw::Unreadable),
        (Asked::new(InputKind::DateTime), "2026-11-28", Flaw::Unreadable),
        (Asked::new(InputKind::Email), "ann", Flaw::Unreadable),
        (Asked::new(InputKind::Url), "example.com", Flaw::Unreadable),
        (Asked::new(InputKind::Json), "{\"a\": 1", Flaw::Unreadable),
    ] {
        for mode in [SubmitMode::Explicit, SubmitMode::OnPick] {
            let mut stage = stage(input.clone(), &[], mode);
            stage.take(Input::Typed(0, Field::Other, text));
            let acts = stage.take(Input::Submit);
            assert_eq!(replies(&acts), 0, "{text}");
            assert_eq!(stage.card.error(0), Some(Problem::Flawed(flaw)), "{text}");
            assert_eq!(stage.card.draft().text(0, Field::Other), text, "it stays");
            assert!(acts.contains(&Do::Say(stage.card.error_text(0, Problem::Flawed(flaw)))), "{acts:?}");
        }
    }
}

#[test]
fn an_empty_field_is_asked_for_what_it_takes() {
    for mode in [SubmitMode::Explicit, SubmitMode::OnPick] {
        let mut stage = stage(Asked::new(InputKind::Number), &[], mode);
        // So is that of a browser with "1e" in it.
        let acts = stage.take(Input::Submit);
        let problem = stage.card.error(0).expect("there is no number");
        assert_eq!((replies(&acts), stage.card.error_text(0, problem).as_str()), (0, "Enter a number"));
    }
}

#[test]
fn every_language_has_words_for_every_flaw() {
    let input = Asked::new(InputKind::Integer).with_min("2").with_max("8").with_step("2");
    for (tag, _) in LANGUAGES {
        let labels = Some(Labels::for_lang(tag));
        let stage = stage(input.clone(), &[], SubmitMode::Explicit);
        let card = Card::new(&stage.ask, Options { labels, ..Options::default() });
        for (flaw, limit) in [(Flaw::TooLow, "2"), (Flaw::TooHigh, "8"), (Flaw::OffStep, "2")] {
            let text = card.error_text(0, Problem::Flawed(flaw));
            assert!(text.contains(limit), "{tag}: {text}");
        }
        assert!(!card.error_text(0, Problem::Flawed(Flaw::Unreadable)).is_empty());
    }
}

#[test]
fn a_number_is_sent_by_enter_with_shift_too() {
    for mode in [SubmitMode::Explicit, SubmitMode::OnPick] {
        let mut stage = stage(Asked::new(InputKind::Integer), &[], mode);
        stage.take(Input::Typed(0, Field::Other, "08080"));
        // Its field has one line, so there is none to break.
        let field = Some(Control::OtherText { question: 0 });
        let enter = KeyPress { key: "Enter", alt: true, ..KeyPress::default() };
        assert_eq!(stage.take(Input::Key(enter, field)), [Do::Prevent], "Alt is for other programs");
        let enter = KeyPress { key: "Enter", shift: true, ..KeyPress::default() };
        let acts = stage.take(Input::Key(enter, field));
        let reply = sent(&acts).expect("it is sent");
        assert_eq!(reply.answers()[0].given.value(), Some(8080.into()));
    }
}

#[test]
fn a_ranking_is_the_order_in_which_options_are_chosen() {
    let option = |option| Control::Option { question: 0, option };
    // One tap never answers it.
    let mut stage = stage(Asked::new(InputKind::Rank), &["A", "B", "C"], SubmitMode::OnPick);
    for at in [2, 0, 1, 0] {
        stage.take(Input::Choose(option(at)));
    }
    assert_eq!(replies(&stage.take(Input::Submit)), 0);
    assert_eq!(stage.card.error(0), Some(Problem::Unranked));
    stage.is_remade();
    stage.take(Input::Choose(option(0)));
    let acts = stage.take(Input::Submit);
    assert_eq!(sent(&acts).expect("all have a place").message(), "C, B, A");
}

#[test]
fn buttons_move_what_is_ranked() {
    let mut stage = stage(Asked::new(InputKind::Rank), &["A", "B", "C"], SubmitMode::Explicit);
    let up = |option| Control::Up { question: 0, option };
    let down = |option| Control::Down { question: 0, option };
    assert!(stage.card.connect(&stage.ask).control(up(0)).is_none(), "it has no place yet");
    for option in 0..3 {
        stage.take(Input::Choose(Control::Option { question: 0, option }));
    }
    let page = stage.card.connect(&stage.ask);
    let button = |control| page.control(control).expect("a button");
    assert!(button(up(0)).press().is_none() && button(down(2)).press().is_none(), "the ends");
    assert_eq!(button(down(0)).get("aria-label"), Some("Move \u{2068}A\u{2069} down"));
    let moved = |on, text: &str| [Do::Focus(on), Do::Say(text.to_owned())];
    assert_eq!(stage.press(down(0)), moved(down(0), "A, 2 of 3"));
    assert_eq!(stage.press(up(2)), moved(up(2), "C, 2 of 3"));
    assert_eq!(stage.press(up(1)), [], "it is the first");
    // Dropped on another row, either button brings its option to that place.
    for (on, over, text, order) in [
        (up(1), 0, Some("B, 3 of 3"), [2, 0, 1]),
        (down(1), 2, Some("B, 1 of 3"), [1, 2, 0]),
        (down(1), 1, None, [1, 2, 0]),
        (up(1), 9, None, [1, 2, 0]),
    ] {
        let acts = stage.take(Input::Dropped(on, Control::Row { question: 0, option: over }));
        assert_eq!(acts, text.map_or_else(Vec::new, |text| moved(on, text).into()));
        assert_eq!([0, 1, 2].map(|place| stage.card.draft().option_at(0, place, 3)), order);
    }
    let acts = stage.take(Input::Submit);
    assert_eq!(sent(&acts).expect("all have a place").message(), "B, C, A");
    stage.press(down(1));
    stage.take(Input::Dropped(down(1), up(0)));
    assert_eq!(stage.card.draft().rank(0, 1), Some(1), "it was sent");
}

#[test]
fn a_ranking_has_no_field_for_other_words() {
    let stage = stage(Asked::new(InputKind::Rank), &["A", "B"], SubmitMode::Explicit);
    let page = stage.card.connect(&stage.ask);
    assert!(page.control(Control::OtherText { question: 0 }).is_none());
    let first = page.control(Control::Option { question: 0, option: 0 }).expect("an option");
    assert_eq!(first.get("type"), Some("checkbox"));
}

#[test]
fn a_yes_or_no_has_the_words_of_the_card_and_sends_its_own() {
    let question = Question::new("Sure?", [""; 0]).with_input(Asked::new(InputKind::YesNo));
    let ask = AskSnapshot::complete("call", AskUserQuestion::new([question]), Phase::Answerable);
    let mut stage = Stage::new(ask, SubmitMode::OnPick);
    stage.take(Input::Set(Options { labels: Some(Labels::for_lang("de")), ..stage.options.clone() }));
    let no = Control::Option { question: 0, option: 1 };
    let page = stage.card.connect(&stage.ask);
    assert_eq!(page.control(no).map(|button| button.words()).as_deref(), Some("Nein"));
    let acts = stage.press(no);
    let reply = sent(&acts).expect("one tap answers");
    assert_eq!(
        (reply.message().as_str(), reply.answers()[0].given.value().map(|value| value.text()).as_deref()),
        ("No", Some("false"))
    );
}

/// The approval of a call with two arguments.
fn approval() -> AskUserQuestion {
    let decision = Question::new("Send it?", [""; 0]).with_input(Asked::new(InputKind::Approval));
    let changes = || ShowIf::new("Send it?", "Approve with changes");
    let format =
        Question::new("format", ["html", "text"]).with_input(Asked::new(InputKind::Choice).with_default("text"));
    let tags = Question::new("tags", [""; 0]).with_input(Asked::new(InputKind::Json).with_default("[]"));
    AskUserQuestion::new([decision, format.with_show_if(changes()), tags.with_show_if(changes())])
}

#[test]
fn an_approval_has_the_words_of_the_card_in_every_language_and_sends_its_own() {
    for (tag, _) in LANGUAGES {
        let labels = Labels::for_lang(tag);
        let ask = AskSnapshot::complete("call", approval(), Phase::Answerable);
        let mut stage = Stage::new(ask, SubmitMode::Explicit);
        stage.take(Input::Set(Options { labels: Some(labels.clone()), ..stage.options.clone() }));
        let words = stage.card.connect(&stage.ask).words();
        for word in [Word::Approve, Word::ApproveEdited, Word::Reject, Word::RejectWith] {
            assert!(words.contains(labels.text(word)), "{tag}: {words}");
        }
        stage.take(Input::Choose(Control::Option { question: 0, option: 2 }));
        let reply = sent(&stage.take(Input::Submit)).expect("it is sent");
        assert_eq!(reply.answers()[0].text().as_deref(), Some("Reject"));
        let over = stage.ask.with_phase(Phase::Answered).with_outcome(Outcome::Answered(reply));
        assert!(receipt_text(&over, &labels).contains(labels.text(Word::Reject)), "{tag}");
    }
}

#[test]
fn words_of_an_agent_that_are_those_of_an_approval_stay() {
    let ask = AskSnapshot::complete(
        "call",
        AskUserQuestion::new([Question::new("So?", ["Approve", "Reject"])]),
        Phase::Answerable,
    );
    let mut stage = Stage::new(ask, SubmitMode::Explicit);
    stage.take(Input::Set(Options { labels: Some(Labels::for_lang("de")), ..stage.options.clone() }));
    let words = stage.card.connect(&stage.ask).words();
    assert!(words.contains("Approve") && words.contains("Reject") && words.contains("Sonstiges"), "{words}");
}

#[test]
fn an_argument_of_a_call_has_its_value_from_the_start() {
    let ask = AskSnapshot::complete("call", approval(), Phase::Answerable);
    let mut stage = Stage::new(ask, SubmitMode::Explicit);
    stage.take(Input::Set(Options { layout: Layout::Stepped, ..stage.options.clone() }));
    assert_eq!(stage.card.step(&stage.ask), None, "they are seen together");
    assert_eq!((stage.card.draft().chosen(1), stage.card.draft().text(2, Field::Other)), (Some(1), "[]"));
    assert!(!stage.card.is_dirty(), "only what the user did can be lost");
    stage.take(Input::Choose(Control::Option { question: 0, option: 1 }));
    let page = stage.card.connect(&stage.ask);
    assert!(page.control(Control::OtherText { question: 0 }).is_some(), "for a reason");
    assert!(page.control(Control::OtherText { question: 1 }).is_none(), "no other words");
    let reply = sent(&stage.take(Input::Submit)).expect("all have their answer");
    assert_eq!(reply.message().lines().last(), Some("tags: []"));
    // What the user chose instead comes back with a card that is built again.
    let mut again = Stage::new(AskSnapshot::complete("call", approval(), Phase::Answerable), SubmitMode::Explicit);
    again.take(Input::Choose(Control::Option { question: 1, option: 0 }));
    assert!(again.card.is_dirty());
    again.is_remade();
    assert_eq!(again.card.draft().chosen(1), Some(0));
}

#[test]
fn json_is_checked_while_it_is_typed() {
    let mut stage = stage(Asked::new(InputKind::Json).with_default("[]"), &[], SubmitMode::Explicit);
    assert_eq!(stage.card.error(0), None);
    for (text, error) in [
        ("[1", Some(Problem::Flawed(Flaw::Unreadable))),
        ("[1]", None),
        ("", None),
        ("{", Some(Problem::Flawed(Flaw::Unreadable))),
    ] {
        stage.take(Input::Typed(0, Field::Other, text));
        assert_eq!(stage.card.error(0), error, "{text}");
    }
    assert_eq!(replies(&stage.take(Input::Submit)), 0);
    assert_eq!(stage.card.draft().text(0, Field::Other), "{", "it stays");
    let schema =
        Json::parse(r#"{"type": "object", "properties": {"n": {"enum": [1, 2]}}, "required": ["n"]}"#).unwrap();
    let mut stage = self::stage(Asked::new(InputKind::Json).with_schema(schema), &[], SubmitMode::Explicit);
    for (text, error) in
        [("{}", Some(Flaw::Misfit)), (r#"{"n": 3}"#, Some(Flaw::Misfit)), (r#"{"n": 2, "m": []}"#, None)]
    {
        stage.take(Input::Typed(0, Field::Other, text));
        assert_eq!(stage.card.error(0), error.map(Problem::Flawed), "{text}");
    }
}

#[test]
fn the_browser_has_a_field_for_each_kind() {
    for (input, expected) in [
        (Asked::new(InputKind::Integer).with_min("1").with_unit("GB"), "input number 1 - 1 numeric"),
        (Asked::new(InputKind::Number).with_min("-1"), "input number -1 - any -"),
        (Asked::new(InputKind::Date).with_max("2026-12-24"), "input date - 2026-12-24 - -"),
        (Asked::new(InputKind::DateTime), "input datetime-local - - - -"),
        (Asked::new(InputKind::Email), "input email - - - -"),
        (Asked::new(InputKind::Url), "input url - - - -"),
        (Asked::new(InputKind::Lines), "textarea - - - - -"),
        (Asked::new(InputKind::Json), "textarea - - - - -"),
    ] {
        let stage = stage(input.clone(), &[], SubmitMode::Explicit);
        let page = stage.card.connect(&stage.ask);
        let field = page.control(Control::OtherText { question: 0 }).expect("a field");
        let attributes = ["type", "min", "max", "step", "inputmode"].map(|name| field.get(name).unwrap_or("-"));
        assert_eq!(format!("{} {}", field.tag, attributes.join(" ")), expected);
        assert!(field.press().is_none() || field.tag == "textarea", "a press of it chooses nothing");
    }
}

#[test]
fn a_receipt_has_the_unit_of_a_number() {
    let mut stage = stage(Asked::new(InputKind::Number).with_unit("GB"), &[], SubmitMode::Explicit);
    stage.take(Input::Typed(0, Field::Other, "8"));
    assert!(stage.card.connect(&stage.ask).words().contains("GB"), "beside the field");
    let reply = sent(&stage.take(Input::Submit)).expect("it is sent");
    assert_eq!(reply.message(), "8", "the agent asked for a number");
    let over = stage.ask.with_phase(Phase::Answered).with_outcome(Outcome::Answered(reply));
    assert_eq!(receipt_text(&over, &Labels::ENGLISH), "Q: Say\nA: 8 GB");
}

#[test]
fn a_text_that_is_there_from_the_start_is_sent_unless_it_is_changed() {
    let port = Asked::new(InputKind::Integer).with_default("8080");
    for (typed, is_dirty, message) in [(None, false, "8080"), (Some("9000"), true, "9000")] {
        let mut stage = stage(port.clone(), &[], SubmitMode::Explicit);
        assert_eq!(stage.card.draft().text(0, Field::Other), "8080");
        if let Some(text) = typed {
            stage.take(Input::Typed(0, Field::Other, text));
        }
        assert_eq!(stage.card.is_dirty(), is_dirty, "only what the user did can be lost");
        // A card that is built again has what the user typed.
        stage.is_remade();
        assert_eq!(sent(&stage.take(Input::Submit)).expect("it is sent").message(), message);
    }
    let mut stage = stage(port, &[], SubmitMode::Explicit);
    stage.receive([AskPatch::Phase(Phase::Expired)]);
    assert_eq!(stage.card.late(), "");
}

/// So many that work in proportion to their square would not end in reasonable time.
#[test]
fn very_many_options_are_chosen_and_left_in_proportion_to_their_number() {
    const MANY: usize = 200_000;
    let question = Question::new("Which?", (0..MANY).map(|option| option.to_string())).with_multi_select(true);
    let ask = AskSnapshot::complete("call", AskUserQuestion::new([question]), Phase::Answerable);
    let mut stage = Stage::new(ask, SubmitMode::Explicit);
    let chosen = |stage: &Stage| (0..MANY).filter(|option| stage.card.draft().is_chosen(0, *option)).count();
    stage.press(Control::All { question: 0 });
    assert_eq!(chosen(&stage), MANY);
    stage.press(Control::Clear { question: 0 });
    assert_eq!(chosen(&stage), 0);
}
