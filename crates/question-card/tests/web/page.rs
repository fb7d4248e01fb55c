//! The card and the page around it.

use crate::asks::{before, mixed, ready, service, stream};
use crate::card_page::{CardPage, Setting, computed, fresh_id, on_pick, stepped};
use ask_user_question::{AskSnapshot, Outcome, Phase};
use question_card::anatomy::{STATES, part};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
async fn a_card_that_is_taken_away_leaves_nothing_behind() {
    for setting in [Setting::default(), on_pick()] {
        let card = CardPage::open(AskSnapshot::new(fresh_id()), setting).await;
        card.receives_slowly(stream(&mixed())).await;
        let listener = card.listener();
        assert!(!listener.lock().expect("no holder panics").cleaned_up);
        drop(card);
        assert!(listener.lock().expect("no holder panics").cleaned_up);
    }
}

#[test]
async fn the_page_hears_when_an_answer_is_waited_for_and_when_it_is_over() {
    let card = CardPage::composing().await;
    let events = card.hear_events();
    card.receives(stream(&service()));
    card.settled().await;
    assert_eq!(events.so_far(), [""; 0]);
    card.receives(ready(&service()));
    card.settled().await;
    assert_eq!(events.so_far(), ["qc-waiting"]);
    card.ends(Phase::Declined, Some(Outcome::Declined)).await;
    assert_eq!(events.so_far(), ["qc-waiting", "qc-resolved"]);
}

#[test]
async fn a_host_that_prevents_it_keeps_the_focus_for_itself() {
    let card = CardPage::waiting(service()).await;
    let prevent = Closure::<dyn Fn(web_sys::Event)>::new(|event: web_sys::Event| event.prevent_default());
    card.root.add_event_listener_with_callback("qc-resolved", prevent.as_ref().unchecked_ref()).expect("it listens");
    card.control("Oil change").focus().expect("it takes the focus");
    card.ends(Phase::Declined, Some(Outcome::Declined)).await;
    let receipt = card.receipt().expect("a receipt");
    assert_ne!(leptos::prelude::document().active_element(), Some(receipt));
}

#[test]
async fn everything_rendered_is_declared() {
    let explicit = CardPage::waiting(mixed()).await;
    explicit.submit().await;
    let tapped = CardPage::tap_to_reply(service()).await;
    tapped.tap("Oil change").await;
    let composing = CardPage::composing().await;
    let second = CardPage::open(AskSnapshot::complete(fresh_id(), mixed(), Phase::Answerable), stepped()).await;
    second.press_button("Next").await;
    for card in [explicit, tapped, composing, second] {
        for element in card.all("*") {
            for class in element.get_attribute("class").unwrap_or_default().split_whitespace() {
                assert!(part::ALL.contains(&class), "{class:?} is no declared part");
            }
            for name in element.get_attribute_names().iter().filter_map(|name| name.as_string()) {
                // The height of a field is set as a property, which a strict policy allows.
                assert!(name != "style" || element.local_name() == "textarea", "a strict policy would refuse it");
                assert_ne!(name, "disabled", "it would drop the focus");
                let is_state = name.starts_with("data-") && name != "data-tool-call-id";
                assert!(!is_state || STATES.iter().any(|state| state.attribute == name), "{name} is no declared state");
            }
        }
    }
}

#[test]
async fn the_styles_can_be_adopted_and_the_page_wins_over_them() {
    question_card::adopt_styles().expect("this browser has constructed style sheets");
    question_card::adopt_styles().expect("and again");
    let sheets = leptos::prelude::document().adopted_style_sheets();
    assert_eq!(sheets.length(), 1);
    let card = CardPage::waiting(service()).await;
    assert_eq!(computed(&card.card(), "border-top-style"), "solid");
    sheets.set_length(0);
}

#[test]
async fn a_page_sets_colours_and_sizes_anywhere_above() {
    question_card::adopt_styles().expect("this browser has constructed style sheets");
    let above = leptos::prelude::document().document_element().expect("a root");
    let above: web_sys::HtmlElement = above.unchecked_into();
    for (token, value) in [("--qc-bg", "rgb(1, 2, 3)"), ("--qc-max-inline", "123px")] {
        above.style().set_property(token, value).expect("it is set");
    }
    let light = CardPage::waiting(service()).await;
    let shadow = CardPage::open_in_shadow(AskSnapshot::new(fresh_id()), Setting::default()).await;
    for card in [&light, &shadow] {
        let values = ["background-color", "max-inline-size"].map(|property| computed(&card.card(), property));
        assert_eq!(values, ["rgb(1, 2, 3)", "123px"]);
    }
    above.remove_attribute("style").expect("it is taken back");
    leptos::prelude::document().adopted_style_sheets().set_length(0);
}

#[test]
async fn no_rule_of_the_page_shows_a_row_before_its_time() {
    let sheets = leptos::prelude::document().adopted_style_sheets();
    let of_page = ".qc-option, .qc-extras { display: flex }";
    for text in [question_card::STYLESHEET, of_page] {
        let sheet = web_sys::CssStyleSheet::new().expect("a style sheet");
        sheet.replace_sync(text).expect("good rules");
        sheets.push(&sheet);
    }
    let card = CardPage::composing().await;
    let (open, last) = before(stream(&service()), |asked| asked.iter().any(|it| it.closed));
    card.receives(open);
    card.settled().await;
    let height = |part: &str| {
        let found = card.find(&format!(".{part}")).expect("it is made");
        found.client_height()
    };
    assert_eq!((height(part::OTHER), height(part::EXTRAS)), (0, 0));
    card.receives(last);
    card.settled().await;
    assert!(height(part::OTHER) > 0 && height(part::EXTRAS) > 0);
    sheets.set_length(0);
}
