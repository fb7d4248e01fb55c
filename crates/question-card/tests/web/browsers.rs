//! The card under browsers, keyboards and programs beside the page.

use crate::asks::{mixed, ready, service, stream};
use crate::card_page::{CardPage, EventsHeard, Hurry, Setting, computed, dispatch, fresh_id, on_pick, stepped};
use crate::faces::{Face, lay_out};
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, Phase};
use leptos::prelude::Signal;
use question_card::{Word, Words as _};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
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
async fn so_does_the_press_after_a_question_came_while_the_window_was_behind() {
    let window = web_sys::window().expect("a window");
    goes_behind(&window);
    let card = CardPage::tap_to_reply(service()).await;
    is_as_it_is(&window);
    window.dispatch_event(&Event::new("focus").expect("an event")).expect("it is dispatched");
    press(&card.control("Brake service"));
    card.tap("Brake service").await;
    card.has_not_replied();
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
async fn the_focus_that_comes_back_out_of_a_frame_is_no_return_to_the_page() {
    let card = CardPage::tap_to_reply(service()).await;
    let document = web_sys::window().expect("a window").document().expect("a document");
    let frame: HtmlElement = document.create_element("iframe").expect("a frame").unchecked_into();
    document.body().expect("a body").append_child(&frame).expect("it is appended");
    frame.focus().expect("it takes the focus");
    let window = web_sys::window().expect("a window");
    window.dispatch_event(&Event::new("blur").expect("an event")).expect("it is dispatched");
    card.timers_passed().await;
    window.dispatch_event(&Event::new("focus").expect("an event")).expect("it is dispatched");
    press(&card.control("Brake service"));
    card.tap("Brake service").await;
    assert_eq!(card.only_reply().message(), "Brake service");
    frame.remove();
}

#[test]
async fn the_press_that_brings_the_window_forward_may_choose() {
    let card = CardPage::waiting(service()).await;
    card.stands_still().await;
    comes_forward();
    press(&card.control("Brake service"));
    card.tap("Brake service").await;
    assert_eq!(card.chosen(), ["Brake service"]);
    let hurry = Hurry::begin();
    comes_forward();
    for name in ["Submit", "Don’t answer"] {
        card.tap_button(name).await;
        card.heard(|heard| assert_eq!((heard.replies.len(), heard.cancels), (0, 0), "{name}"));
        assert!(card.button(name).is_some(), "it asks nothing, either");
    }
    drop(hurry);
    card.stands_still().await;
    card.tap_button("Submit").await;
    assert_eq!(card.only_reply().message(), "Brake service");
}

#[test]
async fn a_frame_that_allows_no_forms_sends_all_the_same() {
    for setting in [stepped(), on_pick()] {
        let card = CardPage::open(AskSnapshot::complete(fresh_id(), service(), Phase::Answerable), setting).await;
        card.stands_still().await;
        card.type_other(0, "A new horn").await;
        let submit: HtmlElement = card.find(".qc-submit").expect("a button").unchecked_into();
        // As in such a frame, no listener hears of a submission.
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
async fn enter_of_a_screen_keyboard_that_composes_sends() {
    let coarse = js_sys::Function::new_with_args("query", "return { matches: query === '(pointer: coarse)' }");
    let window = web_sys::window().expect("a window");
    for (is_coarse, code, replies) in [(true, 13, 1), (true, 229, 0), (false, 13, 0)] {
        let card = CardPage::tap_to_reply(service()).await;
        card.type_other(0, "later").await;
        let field = card.text_field(0);
        field.focus().expect("it takes the focus");
        dispatch(&field, "compositionstart");
        if is_coarse {
            js_sys::Reflect::set(&window, &"matchMedia".into(), &coarse).expect("it can be replaced");
        }
        let composes = |init: &web_sys::KeyboardEventInit| {
            init.set_key_code(code);
            init.set_is_composing(true);
        };
        card.press_with("Enter", composes).await;
        js_sys::Reflect::delete_property(&window, &"matchMedia".into()).expect("the browser speaks for itself again");
        card.heard(|heard| assert_eq!(heard.replies.len(), replies, "coarse: {is_coarse}, code {code}"));
    }
}

#[test]
async fn a_screen_keyboard_names_what_its_enter_does() {
    let hints = |card: &CardPage| -> Vec<_> {
        let fields = card.all("textarea").into_iter();
        fields.map(|field| field.get_attribute("enterkeyhint").unwrap_or_default()).collect()
    };
    let one = CardPage::tap_to_reply(service()).await;
    one.add_note(0, "a note").await;
    assert_eq!(hints(&one), ["send", "enter"]);
    let explicit = CardPage::waiting(service()).await;
    assert_eq!(hints(&explicit), ["send"]);
    let several = CardPage::waiting(mixed()).await;
    assert_eq!(hints(&several), ["next"; 3]);
    let arriving = CardPage::composing().await;
    arriving.receives_slowly(stream(&mixed())).await;
    arriving.receives_slowly(ready(&mixed())).await;
    assert_eq!(hints(&arriving), ["next"; 3]);
}

#[test]
async fn two_taps_do_not_zoom_into_a_card() {
    let card = CardPage::tap_to_reply(service()).await;
    lay_out(&card, 320, Face::Plain).await;
    assert_eq!(computed(&card.card(), "touch-action"), "manipulation");
    for element in card.all("*") {
        // A prohibition of an ancestor holds, unless something scrolls in between.
        let own = computed(&element, "touch-action");
        assert!(own == "auto" || own == "manipulation", "{own}: {}", element.outer_html());
    }
}

#[test]
async fn no_error_is_told_to_the_page_while_a_card_grows() {
    let errors = EventsHeard::errors();
    for setting in [on_pick(), stepped()] {
        let card = CardPage::open(AskSnapshot::new(fresh_id()), setting).await;
        lay_out(&card, 704, Face::Plain).await;
        for patch in stream(&service()).into_iter().chain(ready(&service())) {
            card.receives_slowly([patch]).await;
        }
        for width in [320, 704, 500] {
            card.type_other(0, &"A line\n".repeat(width as usize / 100)).await;
            lay_out(&card, width, Face::Plain).await;
            card.stands_still().await;
        }
    }
    assert_eq!(errors.so_far(), [""; 0]);
}

#[test]
async fn copying_by_hand_brings_no_hidden_header_along() {
    let card = CardPage::open(AskSnapshot::complete(fresh_id(), mixed(), Phase::Answerable), stepped()).await;
    lay_out(&card, 704, Face::Plain).await;
    let header = card.find(".qc-chip").expect("a header");
    let selects = ["user-select", "-webkit-user-select"].map(|property| computed(&header, property));
    assert!(selects.contains(&"none".to_owned()), "{selects:?}");
}

#[test]
async fn a_waiting_card_prints_all_its_questions_and_no_controls() {
    for setting in [Setting::default(), stepped()] {
        let layout = setting.layout;
        let setting = Setting { expires_at: Signal::stored(Some(4_102_444_800_000)), ..setting };
        let card = CardPage::open(AskSnapshot::complete(fresh_id(), mixed(), Phase::Answerable), setting).await;
        lay_out(&card, 704, Face::Plain).await;
        card.submit().await;
        print_styles(&card.root);
        let is_seen = |element: &Element| {
            let element: &HtmlElement = element.unchecked_ref();
            element.offset_height() > 0 && computed(element, "visibility") == "visible"
        };
        let seen = |selector: &str| {
            let found = card.root.query_selector_all(selector).expect("a good selector");
            let all = (0..found.length()).filter_map(|index| found.item(index)).map(JsCast::unchecked_into::<Element>);
            all.filter(is_seen).collect::<Vec<_>>()
        };
        assert_eq!(seen(".qc-question-text").len(), 3, "{layout:?}");
        let headers: Vec<_> = seen(".qc-chip").iter().map(|header| computed(header, "opacity")).collect();
        assert_eq!(headers, ["1"; 3], "{layout:?}");
        assert_eq!(seen(".qc-option-label").len(), 6, "{layout:?}: what is offered");
        assert!(seen("button, textarea").is_empty(), "{layout:?}");
        let tops: Vec<_> =
            seen(".qc-question").iter().map(|question| question.get_bounding_client_rect().top()).collect();
        assert!(tops.is_sorted() && tops[0] < tops[1] && tops[1] < tops[2], "below each other: {tops:?}");
    }
}

#[test]
async fn a_row_can_be_taken_as_soon_as_one_has_turned_to_it() {
    let card = CardPage::open(AskSnapshot::complete(fresh_id(), mixed(), Phase::Answerable), stepped()).await;
    card.stands_still().await;
    card.tap_button(Word::Onward.english()).await;
    card.drag("Search", 0).await;
    assert_eq!(card.chosen(), ["Search"], "it is not where Next was");
}

#[test]
async fn submit_answers_right_after_typing() {
    let card = CardPage::waiting(service()).await;
    card.stands_still().await;
    card.type_other(0, "One line\nand another\nand a third").await;
    card.tap_button("Submit").await;
    assert_eq!(card.only_reply().message(), "One line\nand another\nand a third");
}

#[test]
async fn ctrl_enter_gives_a_reply_that_failed_once_more() {
    let card = CardPage::tap_to_reply(service()).await;
    card.tap("Brake service").await;
    card.host_says(ReplyState::Sending).await;
    card.host_says(ReplyState::Failed("No network.".to_owned())).await;
    card.button(Word::TryAgain.english()).expect("a second try").focus().expect("it takes the focus");
    card.press_with("Enter", |init| init.set_ctrl_key(true)).await;
    card.heard(|heard| assert_eq!(heard.replies[0], heard.replies[1]));
}

#[test]
async fn the_focus_never_falls_to_the_page() {
    let card = CardPage::waiting(service()).await;
    card.choose("Brake service").await;
    card.press_button(Word::Cancel.english()).await;
    card.button(Word::KeepAnswering.english()).expect("a way back").focus().expect("it takes the focus");
    card.press_with("Enter", |init| init.set_ctrl_key(true)).await;
    let focused = crate::card_page::focused().expect("something has the focus");
    assert!(card.card().contains(Some(&focused)), "{}", focused.outer_html());
}

#[wasm_bindgen(module = "/tests/web/page.js")]
extern "C" {
    /// Applies the styles for paper to an element.
    fn print_styles(root: &Element);
    /// The window has been used, and is behind others.
    fn goes_behind(window: &web_sys::Window);
    /// The window is again as the browser has it.
    fn is_as_it_is(window: &web_sys::Window);
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

/// The browser is about to break the line. Returns true if the card prevents that.
fn breaks_line(field: &Element) -> bool {
    let init = InputEventInit::new();
    init.set_bubbles(true);
    init.set_cancelable(true);
    init.set_input_type("insertLineBreak");
    let event = InputEvent::new_with_event_init_dict("beforeinput", &init).expect("an event");
    !field.dispatch_event(&event).expect("it is dispatched")
}
