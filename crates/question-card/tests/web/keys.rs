//! The keyboard. The keys here are synthetic: the browser's own handling of arrows, Space and Tab is checked with trusted keys elsewhere.

use crate::asks::{service, toppings};
use crate::card_page::{CardPage, Setting, dispatch, fresh_id, text_of};
use ask_user_question::{AskSnapshot, Phase};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::Element;

#[test]
async fn key_02_enter_sends_where_all_is_answered() {
    let card = CardPage::waiting(service()).await;
    card.choose("Inspection").await;
    card.control("Inspection").focus().expect("it takes the focus");
    card.press("Enter").await;
    assert_eq!(card.only_reply().message(), "Inspection");
}

#[test]
async fn enter_with_nothing_checked_says_what_to_do() {
    let card = CardPage::waiting(toppings()).await;
    card.control("Basil").focus().expect("it takes the focus");
    card.press("Enter").await;
    card.has_not_replied();
    assert_eq!(card.errors(), ["Choose an option first"]);
    assert!(card.described(&card.fieldset(0)).ends_with("Choose an option first"));
    assert_eq!(card.announced().await, "Choose an option first");
    card.choose("Basil").await;
    assert_eq!(card.errors(), [""; 0]);
}

#[test]
async fn key_05_ctrl_enter_sends_or_goes_to_what_is_missing() {
    let card = CardPage::waiting(service()).await;
    card.text_field(0).focus().expect("it takes the focus");
    card.press_with("Enter", |init| init.set_ctrl_key(true)).await;
    card.has_not_replied();
    card.sees_focus_on(&card.control("Oil change"));
    card.choose("Oil change").await;
    card.press_with("Enter", |init| init.set_meta_key(true)).await;
    assert_eq!(card.only_reply().message(), "Oil change");
}

#[test]
async fn key_10_modified_and_held_digits_are_left_alone() {
    let card = CardPage::waiting(service()).await;
    card.control("Oil change").focus().expect("it takes the focus");
    assert!(!card.press_with("2", |init| init.set_ctrl_key(true)).await);
    assert!(!card.press_with("2", |init| init.set_alt_key(true)).await);
    assert!(!card.press_with("2", |init| init.set_meta_key(true)).await);
    assert!(!card.press_with("2", |init| init.set_repeat(true)).await);
    assert_eq!(card.chosen(), [""; 0]);
}

#[test]
async fn key_11_escape_loses_nothing() {
    let card = CardPage::waiting(service()).await;
    card.type_other(0, "mine").await;
    card.text_field(0).focus().expect("it takes the focus");
    assert!(card.press("Escape").await);
    card.sees_focus_on(&card.control("Other"));
    assert!(!card.press("Escape").await, "the second one is the host's");
    assert_eq!((card.chosen(), card.text_field(0).value()), (vec!["Other".to_owned()], "mine".to_owned()));
    card.heard(|heard| assert_eq!(heard.cancels, 0));
}

#[test]
async fn oth_09_enter_in_text_confirms_and_shift_enter_is_a_line_break() {
    let card = CardPage::waiting(service()).await;
    card.type_other(0, "mine").await;
    card.text_field(0).focus().expect("it takes the focus");
    assert!(!card.press_with("Enter", |init| init.set_shift_key(true)).await);
    card.has_not_replied();
    card.press("Enter").await;
    assert_eq!(card.only_reply().message(), "mine");
}

#[test]
async fn ime_01_keys_between_the_ends_of_a_composition_belong_to_the_input_method() {
    let card = writing("にほ").await;
    let field: Element = card.text_field(0).unchecked_into();
    dispatch(&field, "compositionstart");
    assert!(!card.press("Enter").await);
    assert!(!card.press("Escape").await);
    card.has_not_replied();
    dispatch(&field, "compositionend");
    assert!(card.press("Enter").await);
    assert_eq!(card.only_reply().message(), "にほ");
}

#[test]
async fn ime_02_an_enter_that_the_input_method_takes_sends_nothing() {
    let card = writing("にほ").await;
    let taken = card.press_with("Enter", |init| init.set_key_code(229));
    assert!(!taken.await, "as some browsers report it");
    let composing = card.press_with("Enter", |init| init.set_is_composing(true));
    assert!(!composing.await, "and as others do");
    card.has_not_replied();
}

#[test]
async fn k7_enter_in_a_blank_text_sends_nothing() {
    let card = CardPage::waiting(service()).await;
    card.choose("Oil change").await;
    card.text_field(0).focus().expect("it takes the focus");
    assert!(card.press("Enter").await);
    card.has_not_replied();
    assert_eq!(card.errors(), ["Enter your answer"]);
    assert!(card.described(&card.fieldset(0)).ends_with("Enter your answer"));
    assert_eq!(card.announced().await, "Enter your answer");
    assert_eq!(card.chosen(), ["Oil change"]);
    card.type_other(0, "mine").await;
    assert_eq!(card.errors(), [""; 0]);
}

#[test]
async fn k4_digits_choose_from_a_button_of_the_question_too() {
    let card = CardPage::waiting(service()).await;
    card.choose("Oil change").await;
    let button = card.button("Add a note").expect("a button, once there is an answer");
    button.focus().expect("it takes the focus");
    assert!(card.press("2").await);
    assert_eq!(card.chosen(), ["Brake service"]);
    card.button("Submit").expect("Submit").focus().expect("it takes the focus");
    assert!(!card.press("1").await, "Submit belongs to no question");
    assert_eq!(card.chosen(), ["Brake service"]);
}

#[test]
async fn an_enter_that_is_held_presses_no_button_again() {
    let card = CardPage::open(
        AskSnapshot::complete(fresh_id(), service(), Phase::Answerable),
        Setting { allow_skip: true, ..Setting::default() },
    )
    .await;
    card.choose("Oil change").await;
    let held = async || card.press_with("Enter", |init| init.set_repeat(true)).await;
    for name in ["Don’t answer", "Submit", "Skip", "Add a note"] {
        card.button(name).expect("a button").focus().expect("it takes the focus");
        assert!(!card.press("Enter").await, "the browser presses {name:?}");
        assert!(held().await, "the browser would press {name:?} again");
    }
    // The focus goes on from one button to another, and the key with it.
    card.press_button("Don’t answer").await;
    card.press_button("Keep answering").await;
    assert!(card.has_focus_on("Don’t answer"));
    assert!(held().await, "the browser would press Cancel");
    let tapped = CardPage::tap_to_reply(service()).await;
    tapped.control("Oil change").focus().expect("it takes it");
    let again = tapped.press_with("Enter", |init| init.set_repeat(true));
    assert!(again.await, "the browser would pick");
}

#[test]
async fn the_text_says_which_digit_leads_to_it() {
    let card = CardPage::tap_to_reply(service()).await;
    says_its_digit(&card, 0, "4");
    let mut many = service();
    many.questions[0].options = vec![many.questions[0].options[0].clone(); 9];
    let card = CardPage::waiting(many).await;
    let row = card.text_field(0).parent_element().expect("a row");
    assert_eq!(row.query_selector("kbd").expect("a good selector"), None);
    assert_eq!(card.text_field(0).get_attribute("aria-keyshortcuts"), None);
}

#[track_caller]
fn says_its_digit(card: &CardPage, question: usize, digit: &str) {
    let field = card.text_field(question);
    let said = field.get_attribute("aria-keyshortcuts");
    assert_eq!(said.as_deref(), Some(digit));
    let row = field.parent_element().expect("a field stands in a row");
    let hint = row.query_selector("kbd").expect("a good selector");
    assert_eq!(hint.map(|hint| text_of(&hint)).as_deref(), Some(digit));
}

/// A card with this text in its field, and the caret there.
async fn writing(text: &str) -> CardPage {
    let card = CardPage::waiting(service()).await;
    card.type_other(0, text).await;
    card.text_field(0).focus().expect("it takes the focus");
    card
}
