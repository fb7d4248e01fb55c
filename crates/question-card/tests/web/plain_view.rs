//! The example that draws the card with plain elements, used as a user does.

use crate::asks::{AskPatch, Scripted as _, mixed};
use crate::wait::until;
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, Phase};
use example::PlainView;
use leptos::mount::mount_to;
use leptos::prelude::*;
use question_card::CardEvent;
use std::sync::{Arc, Mutex};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{Event, EventInit, HtmlElement, HtmlTextAreaElement};

#[path = "../../examples/plain_view.rs"]
#[allow(dead_code, reason = "the card is mounted here instead of by its own `main`")]
mod example;

#[test]
async fn its_card_answers_fails_shows_the_time_left_and_asks_again() {
    let host: HtmlElement = document().create_element("div").expect("a div").unchecked_into();
    document().body().expect("a body").append_child(&host).expect("it is appended");
    let ask = RwSignal::new(AskSnapshot::complete("plain-1", mixed(), Phase::Answerable));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hears = heard.clone();
    let on_event = move |event: &CardEvent| {
        hears.lock().expect("no holder panics").push(match event {
            CardEvent::Reply(reply) => reply.message(),
            CardEvent::Message(text) => text.clone(),
            event => format!("{event:?}"),
        });
        true
    };
    let page = mount_to(host.clone(), move || view! { <PlainView ask on_event /> });
    let shows = async |text: &str| {
        until(text, || host.text_content().unwrap_or_default().contains(text)).await;
    };
    let find = |selector: &str, nth: u32| -> HtmlElement {
        let found = host.query_selector_all(selector).expect("a selector");
        found.get(nth).unwrap_or_else(|| panic!("{selector} in {}", host.inner_html())).unchecked_into()
    };
    let press = |name: &str| {
        let buttons = host.query_selector_all("button").expect("a selector");
        let named = |at| buttons.get(at).filter(|it| it.text_content().as_deref() == Some(name));
        let found = (0..buttons.length()).find_map(named).unwrap_or_else(|| panic!("no {name}"));
        found.unchecked_into::<HtmlElement>().click();
    };

    shows("Which database?").await;
    find("input[type=radio]", 1).click();
    find("input[type=checkbox]", 0).click();
    press("Submit answers");
    shows("1 of 3 questions still needs an answer").await;
    let field: HtmlTextAreaElement = find("textarea", 2).unchecked_into();
    field.set_value("like a newspaper");
    let bubbles = EventInit::new();
    bubbles.set_bubbles(true);
    let typed = Event::new_with_event_init_dict("input", &bubbles).expect("an event");
    field.dispatch_event(&typed).expect("it is dispatched");
    press("Submit answers");
    let reply = "Database: SQLite\nFeatures: Search\nStyle: like a newspaper";
    assert_eq!(heard.lock().expect("no holder panics").drain(..).collect::<Vec<_>>(), [reply]);

    ask.update(|ask| ask.apply(AskPatch::Reply(ReplyState::Sending)));
    ask.update(|ask| ask.apply(AskPatch::Reply(ReplyState::Failed("No network.".into()))));
    shows("No network.").await;
    let soon = js_sys::Date::now() as u64 + 3_600_000;
    ask.update(|ask| ask.apply(AskPatch::ExpiresAt(Some(soon))));
    shows("minutes left").await;
    press("More time");
    ask.update(|ask| ask.apply(AskPatch::ExpiresAt(Some(1))));
    shows("Time ran out").await;
    shows("SQLite").await;
    press("Ask again");
    press("Send as a message");
    let heard = heard.lock().expect("no holder panics").clone();
    assert_eq!(heard[0], "Extend");
    assert!(heard[1].contains("Which database?") && heard[2].contains("like a newspaper"), "{heard:?}");
    drop(page);
    host.remove();
}
