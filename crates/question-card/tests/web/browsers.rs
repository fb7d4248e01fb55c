//! What browsers, keyboards and programs beside the page do to a card.

use crate::asks::{mixed, service};
use crate::card_page::{CardPage, dispatch, fresh_id, on_pick, stepped};
use ask_user_question::snapshot::Sending;
use ask_user_question::{AskSnapshot, Phase};
use question_card::Labels;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{Element, Event, HtmlElement, InputEvent, InputEventInit, PointerEvent, PointerEventInit};

#[test]
async fn the_press_that_brings_the_window_forward_answers_nothing() {
    let card = CardPage::tap_to_reply(service()).await;
    comes_forward();
    press(&card.control("Brake service"));
    card.tap("Brake service").await;
    card.has_not_replied();
    card.stands_still().await;
    press(&card.control("Brake service"));
    card.tap("Brake service").await;
    assert_eq!(card.only_reply().message(), "Brake service");
}

#[test]
async fn the_first_focus_of_a_page_is_no_return_to_it() {
    let card = CardPage::tap_to_reply(service()).await;
    let window = web_sys::window().expect("a window");
    window.dispatch_event(&Event::new("focus").expect("an event")).expect("it is dispatched");
    press(&card.control("Brake service"));
    card.tap("Brake service").await;
    assert_eq!(card.only_reply().message(), "Brake service");
}

#[test]
async fn the_press_that_brings_the_window_forward_may_choose() {
    let card = CardPage::waiting(service()).await;
    card.stands_still().await;
    comes_forward();
    press(&card.control("Brake service"));
    card.tap("Brake service").await;
    assert_eq!(card.chosen(), ["Brake service"]);
}

#[test]
async fn a_frame_that_allows_no_forms_sends_all_the_same() {
    for setting in [stepped(), on_pick()] {
        let card = CardPage::open(AskSnapshot::complete(fresh_id(), service(), Phase::Answerable), setting).await;
        card.stands_still().await;
        card.type_other(0, "A new horn").await;
        let submit: HtmlElement = card.find(".qc-submit").expect("a button").unchecked_into();
        // As in such a frame, nobody hears of a submission.
        let stop = Closure::<dyn Fn(Event)>::new(|event: Event| event.stop_immediate_propagation());
        let window = web_sys::window().expect("a window");
        let listener = stop.as_ref().unchecked_ref();
        window.add_event_listener_with_callback_and_bool("submit", listener, true).expect("it listens");
        submit.click();
        card.settled().await;
        assert_eq!(card.only_reply().message(), "A new horn");
        window.remove_event_listener_with_callback_and_bool("submit", listener, true).expect("it was there");
    }
}

#[test]
async fn a_field_that_was_filled_without_an_event_is_sent() {
    for setting in [stepped(), on_pick()] {
        let card = CardPage::open(AskSnapshot::complete(fresh_id(), service(), Phase::Answerable), setting).await;
        card.text_field(0).set_value("A new horn");
        card.stands_still().await;
        let submit: HtmlElement = card.find(".qc-submit").expect("a button").unchecked_into();
        submit.click();
        card.settled().await;
        assert_eq!(card.only_reply().message(), "A new horn");
    }
}

#[test]
async fn one_enter_ends_a_syllable_and_answers() {
    let card = CardPage::tap_to_reply(service()).await;
    let field = card.text_field(0);
    field.focus().expect("it takes the focus");
    card.type_other(0, "나중에").await;
    dispatch(&field, "compositionstart");
    let composed = |init: &web_sys::KeyboardEventInit| {
        init.set_key_code(229);
        init.set_is_composing(true);
    };
    assert!(!card.press_with("Enter", composed).await, "it is the input method's");
    assert!(!breaks_line(&field), "it ends a candidate");
    dispatch(&field, "compositionend");
    assert!(!breaks_line(&field), "each press is asked once");
    card.has_not_replied();
    dispatch(&field, "compositionstart");
    card.press_with("Enter", composed).await;
    dispatch(&field, "compositionend");
    assert!(breaks_line(&field), "the line break is the answer's");
    card.settled().await;
    assert_eq!(card.only_reply().message(), "나중에");
}

#[test]
async fn a_line_break_without_an_input_method_stays_one() {
    let card = CardPage::tap_to_reply(service()).await;
    card.type_other(0, "One").await;
    assert!(!breaks_line(&card.text_field(0)));
    card.has_not_replied();
}

#[test]
async fn a_row_can_be_taken_as_soon_as_one_has_turned_to_it() {
    let card = CardPage::open(AskSnapshot::complete(fresh_id(), mixed(), Phase::Answerable), stepped()).await;
    card.stands_still().await;
    card.tap_button(Labels::ENGLISH.onward).await;
    card.drag("Search", 0).await;
    assert_eq!(card.chosen(), ["Search"], "it is not where Next was");
}

#[test]
async fn submit_answers_right_after_typing() {
    let card = CardPage::waiting(service()).await;
    card.stands_still().await;
    card.type_other(0, "One line\nand another\nand a third").await;
    card.tap_button("Submit answers").await;
    assert_eq!(card.only_reply().message(), "One line\nand another\nand a third");
}

#[test]
async fn ctrl_enter_gives_a_reply_that_failed_once_more() {
    let card = CardPage::tap_to_reply(service()).await;
    card.tap("Brake service").await;
    card.host_says(Sending::Pending).await;
    card.host_says(Sending::Failed("No network.".to_owned())).await;
    card.button(Labels::ENGLISH.try_again).expect("a second try").focus().expect("it takes the focus");
    card.press_with("Enter", |init| init.set_ctrl_key(true)).await;
    card.heard(|heard| assert_eq!(heard.replies[0], heard.replies[1]));
}

#[test]
async fn the_focus_never_falls_to_the_page() {
    let card = CardPage::waiting(service()).await;
    card.choose("Brake service").await;
    card.press_button(Labels::ENGLISH.cancel).await;
    card.button(Labels::ENGLISH.keep_answering).expect("a way back").focus().expect("it takes the focus");
    card.press_with("Enter", |init| init.set_ctrl_key(true)).await;
    let focused = crate::card_page::focused().expect("something has the focus");
    assert!(card.card().contains(Some(&focused)), "{}", focused.outer_html());
}

/// The window was behind others, and comes to the front.
fn comes_forward() {
    let window = web_sys::window().expect("a window");
    for event in ["blur", "focus"] {
        window.dispatch_event(&Event::new(event).expect("an event")).expect("it is dispatched");
    }
}

/// The pointer goes down.
fn press(element: &Element) {
    let init = PointerEventInit::new();
    init.set_bubbles(true);
    let down = PointerEvent::new_with_event_init_dict("pointerdown", &init).expect("an event");
    element.dispatch_event(&down).expect("it is dispatched");
}

/// The browser is about to break the line. Says whether it is kept from that.
fn breaks_line(field: &Element) -> bool {
    let init = InputEventInit::new();
    init.set_bubbles(true);
    init.set_cancelable(true);
    init.set_input_type("insertLineBreak");
    let event = InputEvent::new_with_event_init_dict("beforeinput", &init).expect("an event");
    !field.dispatch_event(&event).expect("it is dispatched")
}
