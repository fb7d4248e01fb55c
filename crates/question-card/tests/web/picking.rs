//! Tap to reply.

use crate::asks::{before, mixed, ready, service, stream, toppings};
use crate::card_page::Setting;
use crate::card_page::{CardPage, fresh_id, on_pick, tap};
use ask_user_question::snapshot::AskPatch;
use ask_user_question::{AskSnapshot, Limits, Phase};
use question_card::STYLESHEET;
use question_card::Sending;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
async fn one_tap_answers() {
    let card = CardPage::tap_to_reply(service()).await;
    assert_eq!(card.mode(), "on-pick");
    card.tap("Brake service").await;
    assert_eq!(card.only_reply().message(), "Brake service");
    assert_eq!(card.state(), "submitting");
    assert_eq!(
        card.control("Brake service")
            .get_attribute("aria-busy")
            .as_deref(),
        Some("true")
    );
    assert!(card.is_inert("Oil change") && card.is_inert("Inspection"));
}

#[test]
async fn in_a_narrow_card_send_stands_below_its_text() {
    let card = CardPage::tap_to_reply(service()).await;
    let style = leptos::prelude::document()
        .create_element("style")
        .expect("a style");
    style.set_text_content(Some(STYLESHEET));
    card.root.append_child(&style).expect("it is appended");
    for (width, is_below) in [(320, true), (640, false)] {
        card.root
            .set_attribute("style", &format!("inline-size: {width}px"))
            .expect("a width");
        let text = card.text_field(0);
        let send: web_sys::HtmlElement = card.button("Send").expect("Send").unchecked_into();
        assert_eq!(
            send.offset_top() >= text.offset_top() + text.offset_height(),
            is_below,
            "{width} px"
        );
        assert_eq!(
            send.offset_width() == text.offset_width(),
            is_below,
            "{width} px"
        );
        assert!(
            text.offset_width() > 200,
            "{} of {width} px for the text",
            text.offset_width()
        );
    }
}

#[test]
async fn a_second_tap_sends_nothing() {
    let card = CardPage::tap_to_reply(service()).await;
    card.tap("Brake service").await;
    card.stands_still().await;
    card.tap("Oil change").await;
    card.tap("Brake service").await;
    card.choose("Inspection").await;
    assert_eq!(card.only_reply().message(), "Brake service");
}

#[test]
async fn a_failure_opens_the_card_again() {
    let card = CardPage::tap_to_reply(service()).await;
    card.tap("Brake service").await;
    card.host_says(Sending::Pending).await;
    card.host_says(Sending::Failed("The server said no.".to_owned()))
        .await;
    assert_eq!(
        card.alerts(),
        ["Your answer was not sent. \u{2068}The server said no.\u{2069}"]
    );
    assert_eq!(card.state(), "failed");
    card.stands_still().await;
    card.tap("Oil change").await;
    card.heard(|heard| assert_eq!(heard.replies.len(), 2));
    assert_eq!(card.alerts(), [""; 0]);
}

#[test]
async fn a_tap_is_not_taken_as_another_card_becomes_a_receipt() {
    let above = CardPage::waiting(mixed()).await;
    let below = CardPage::tap_to_reply(service()).await;
    above.ends(Phase::Superseded, None).await;
    below.tap("Brake service").await;
    below.has_not_replied();
    below.stands_still().await;
    below.tap("Brake service").await;
    assert_eq!(below.only_reply().message(), "Brake service");
}

#[test]
async fn the_row_around_the_button_answers_too() {
    let card = CardPage::tap_to_reply(service()).await;
    let row = card
        .control("Inspection")
        .parent_element()
        .expect("a button stands in a row");
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
    let card = CardPage::open(AskSnapshot::new(fresh_id()), on_pick()).await;
    card.receives(stream(&service()));
    card.receives(ready(&service()));
    card.settled().await;
    card.tap("Brake service").await;
    card.has_not_replied();
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

#[test]
async fn limits_of_one_question_bring_the_buttons_early_and_inert() {
    let setting = Setting {
        limits: Some(Limits::CHAT),
        ..on_pick()
    };
    let card = CardPage::open(AskSnapshot::new(fresh_id()), setting).await;
    let second_closes = AskPatch::CloseOption {
        question: 0,
        option: 1,
    };
    let (arrived, rest) = before(stream(&service()), &second_closes);
    card.receives_slowly(arrived).await;
    assert!(card.is_inert("Oil change"));
    assert!(
        card.reason("Oil change")
            .contains("The question is still arriving")
    );
    card.stands_still().await;
    card.tap("Oil change").await;
    card.has_not_replied();
    let button = card.control("Oil change");
    button.focus().expect("it takes the focus");
    card.receives_slowly(rest).await;
    card.receives(ready(&service()));
    card.settled().await;
    card.sees_focus_on(&button);
    card.press_button("Oil change").await;
    assert_eq!(card.only_reply().message(), "Oil change");
}

#[test]
async fn several_questions_or_several_answers_are_explicit() {
    for ask in [mixed(), toppings()] {
        let card = CardPage::open(
            AskSnapshot::complete(fresh_id(), ask, Phase::Answerable),
            on_pick(),
        )
        .await;
        assert_eq!(card.mode(), "explicit");
        assert!(card.button("Submit answers").is_some());
    }
}

#[test]
async fn a_second_question_makes_the_card_explicit_after_all() {
    let setting = Setting {
        limits: Some(Limits::CHAT),
        ..on_pick()
    };
    let card = CardPage::open(AskSnapshot::new(fresh_id()), setting).await;
    card.receives_slowly(stream(&mixed())).await;
    card.receives(ready(&mixed()));
    card.settled().await;
    assert_eq!(card.mode(), "explicit");
    card.choose("SQLite").await;
    assert_eq!(card.chosen(), ["SQLite"]);
}

#[test]
async fn a_digit_focuses_and_never_answers() {
    let card = CardPage::tap_to_reply(service()).await;
    card.control("Oil change")
        .focus()
        .expect("it takes the focus");
    assert!(card.press("3").await);
    card.sees_focus_on(&card.control("Inspection"));
    card.has_not_replied();
    assert!(card.press("4").await);
    card.sees_focus_on(&card.text_field(0));
}

#[test]
async fn a_text_has_its_own_send() {
    let card = CardPage::tap_to_reply(service()).await;
    card.tap_button("Send").await;
    card.has_not_replied();
    assert_eq!(card.errors(), ["Enter your answer"]);
    card.sees_focus_on(&card.text_field(0));
    card.type_other(0, "A new horn").await;
    assert_eq!(card.errors(), [""; 0]);
    card.stands_still().await;
    card.tap_button("Send").await;
    assert_eq!(
        card.only_reply().answers()[0].other.as_deref(),
        Some("A new horn")
    );
}

#[test]
async fn enter_in_the_text_sends_it() {
    let card = CardPage::tap_to_reply(service()).await;
    card.type_other(0, "A new horn").await;
    card.text_field(0).focus().expect("it takes the focus");
    card.press("Enter").await;
    assert_eq!(card.only_reply().message(), "A new horn");
}
