//! Tap to reply.

use crate::asks::{AskPatch, mixed, ready, service, stream, toppings};
use crate::card_page::{CardPage, Hurry, finger_down, fresh_id, lift, on_pick, tap, text_of};
use crate::faces::{Face, lay_out};
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, Phase};
use question_card::{Word, Words as _};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
async fn one_tap_answers() {
    let card = CardPage::tap_to_reply(service()).await;
    assert_eq!(card.mode(), "on-pick");
    card.tap("Brake service").await;
    assert_eq!(card.only_reply().message(), "Brake service");
    assert_eq!(card.state(), "submitting");
    assert_eq!(card.control("Brake service").get_attribute("aria-busy").as_deref(), Some("true"));
    assert!(card.is_inert("Oil change") && card.is_inert("Inspection"));
}

#[test]
async fn a_second_finger_does_not_make_a_tap_a_move() {
    let card = CardPage::tap_to_reply(service()).await;
    let option = card.control("Brake service");
    finger_down(&option, 100, true);
    finger_down(&option, 300, false);
    lift(&option, 100);
    assert_eq!(card.only_reply().message(), "Brake service");
}

#[test]
async fn an_own_answer_is_one_line_whatever_the_width() {
    let card = CardPage::tap_to_reply(service()).await;
    card.type_other(0, "Brakes").await;
    for (width, face) in [(320, Face::Plain), (320, Face::Wide), (640, Face::Plain), (640, Face::Wide)] {
        lay_out(&card, width, face).await;
        let text = card.text_field(0);
        let send: web_sys::HtmlElement = card.button("Send").expect("Send").unchecked_into();
        let row = card.find(".qc-other").expect("a row");
        assert!(
            row.client_height() < 50,
            "{} px high at {width} px: text {}, send {}",
            row.client_height(),
            text.offset_height(),
            send.offset_height()
        );
        let middle = |element: &web_sys::HtmlElement| element.offset_top() * 2 + element.offset_height();
        assert!((middle(&send) - middle(&text)).abs() <= 6, "{width} px");
        assert!(text.offset_width() > 120, "{} of {width} px for the text", text.offset_width());
    }
}

#[test]
async fn what_failed_is_marked_and_can_be_tried_again() {
    let again = Word::TryAgain.english();
    let marked = |card: &CardPage| {
        let rows = card.all("[data-chosen] .qc-option-button");
        rows.iter().map(text_of).collect::<Vec<_>>()
    };
    let card = CardPage::tap_to_reply(service()).await;
    assert!(card.button(again).is_none(), "nothing was tried");
    card.tap("Brake service").await;
    fails(&card).await;
    assert_eq!(marked(&card), ["Brake service"]);
    assert_eq!(card.reason(again), "Brake service");
    let button = card.button(again).expect("a second try");
    button.focus().expect("it takes the focus");
    card.press_button(again).await;
    card.sees_focus_on(&card.control("Brake service"));
    assert!(card.button(again).is_none(), "it is on its way");
    card.heard(|heard| assert_eq!(heard.replies[0], heard.replies[1]));

    fails(&card).await;
    card.choose("Inspection").await;
    fails(&card).await;
    assert_eq!(marked(&card), ["Inspection"]);
    card.type_other(0, "A new horn").await;
    assert_eq!(marked(&card), [""; 0], "the text is the answer now");
    assert!(card.button(again).is_none(), "and it has not been tried");
}

#[test]
async fn a_cancellation_that_failed_is_no_answer_to_try_again() {
    let card = CardPage::tap_to_reply(service()).await;
    card.press_button(Word::Cancel.english()).await;
    fails(&card).await;
    assert_eq!(card.state(), "failed");
    assert!(card.button(Word::TryAgain.english()).is_none());
}

async fn fails(card: &CardPage) {
    card.host_says(ReplyState::Sending).await;
    card.host_says(ReplyState::Failed("No network.".to_owned())).await;
}

#[test]
async fn a_pointer_that_moved_has_selected_text_and_answers_nothing() {
    let card = CardPage::tap_to_reply(service()).await;
    card.drag("Brake service", 40).await;
    card.has_not_replied();
    card.drag("Brake service", 3).await;
    assert_eq!(card.only_reply().message(), "Brake service");
}

#[test]
async fn a_tap_is_not_taken_as_another_card_becomes_a_receipt() {
    let above = CardPage::waiting(mixed()).await;
    let below = CardPage::tap_to_reply(service()).await;
    let hurry = Hurry::begin();
    above.ends(Phase::Superseded, None).await;
    below.tap("Brake service").await;
    below.has_not_replied();
    drop(hurry);
    below.stands_still().await;
    below.tap("Brake service").await;
    assert_eq!(below.only_reply().message(), "Brake service");
}

#[test]
async fn the_row_around_the_button_answers_too() {
    let card = CardPage::tap_to_reply(service()).await;
    let row = card.control("Inspection").parent_element().expect("a button stands in a row");
    tap(&row);
    card.settled().await;
    assert_eq!(card.only_reply().message(), "Inspection");
}

#[test]
async fn a_tap_that_lands_as_the_run_ends_answers() {
    let snapshot = AskSnapshot::complete(fresh_id(), service(), Phase::Ready);
    let card = CardPage::open(snapshot, on_pick()).await;
    card.stands_still().await;
    card.receives([AskPatch::Phase(Phase::Answerable)]);
    card.settled().await;
    card.tap("Brake service").await;
    assert_eq!(card.only_reply().message(), "Brake service");
}

#[test]
async fn a_tap_that_lands_as_the_card_appears_does_nothing() {
    let hurry = Hurry::begin();
    let card = CardPage::open(AskSnapshot::new(fresh_id()), on_pick()).await;
    card.receives(stream(&service()));
    card.receives(ready(&service()));
    card.settled().await;
    card.tap("Brake service").await;
    card.has_not_replied();
    drop(hurry);
    card.stands_still().await;
    card.tap("Brake service").await;
    assert_eq!(card.only_reply().message(), "Brake service");
}

#[test]
async fn rows_are_text_until_the_question_is_known_to_be_alone() {
    let card = CardPage::open(AskSnapshot::new(fresh_id()), on_pick()).await;
    card.receives(stream(&service()));
    card.settled().await;
    assert_eq!(card.mode(), "undecided");
    assert!(card.controls("Oil change").is_empty());
    assert!(card.row_text("Oil change").is_some());
    card.receives(ready(&service()));
    card.settled().await;
    assert_eq!(card.controls("Oil change").len(), 1);
    assert!(!card.is_inert("Oil change"));
}

/// The visible kind of an option's row.
fn kind_of(card: &CardPage, label: &str) -> Option<String> {
    match card.controls(label).first() {
        Some(control) => Some(control.get_attribute("type").unwrap_or_default()),
        None => card.row_text(label).map(|_| "text".to_owned()),
    }
}

#[test]
async fn a_kind_that_is_shown_does_not_change() {
    for ask in [service(), toppings(), mixed()] {
        let labels = || ask.questions[0].options.iter().map(|option| &*option.label);
        let card = CardPage::open(AskSnapshot::new(fresh_id()), on_pick()).await;
        let mut seen: Vec<Vec<String>> = labels().map(|_| Vec::new()).collect();
        for patch in stream(&ask).into_iter().chain(ready(&ask)) {
            card.receives_slowly([patch]).await;
            for (seen, label) in seen.iter_mut().zip(labels()) {
                seen.extend(kind_of(&card, label).filter(|kind| seen.last() != Some(kind)));
            }
        }
        for seen in seen {
            let [text, kind] = &*seen else {
                panic!("it became what it is once: {seen:?}");
            };
            assert_eq!(text, "text");
            assert_ne!(kind, "text");
        }
    }
}

#[test]
async fn several_questions_or_several_answers_are_explicit() {
    for ask in [mixed(), toppings()] {
        let card = CardPage::open(AskSnapshot::complete(fresh_id(), ask, Phase::Answerable), on_pick()).await;
        assert_eq!(card.mode(), "explicit");
        assert!(card.find(".qc-submit").is_some());
    }
}

#[test]
async fn a_text_has_its_own_send() {
    let card = CardPage::tap_to_reply(service()).await;
    card.tap_button("Send").await;
    card.has_not_replied();
    assert_eq!(card.errors(), ["Enter your answer"]);
    assert_eq!(card.described(&card.text_field(0)), "Enter your answer");
    let at_field = card.text_field(0).parent_element();
    let error = card.find(".qc-error").and_then(|error| error.parent_element());
    assert_eq!(error, at_field, "it stands beside what it is about");
    card.sees_focus_on(&card.text_field(0));
    card.type_other(0, "A new horn").await;
    assert_eq!(card.errors(), [""; 0]);
    card.stands_still().await;
    card.tap_button("Send").await;
    assert_eq!(card.only_reply().answers()[0].given.typed().as_deref(), Some("A new horn"));
}
