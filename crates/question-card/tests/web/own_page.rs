//! The example of an own page, used as a user does.

use crate::wait::until;
use example::{Call, Page};
use leptos::mount::mount_to;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{Element, HtmlElement};

#[path = "../../examples/own_page.rs"]
#[allow(dead_code, reason = "the page is mounted here instead of by its own `main`")]
mod example;

#[wasm_bindgen(module = "/tests/web/page.js")]
extern "C" {
    fn answer_with(first: u16, second: u16, third: u16);
    fn take_posted() -> Vec<String>;
    fn give_back();
}

const SIZE: &str = r#"{"questions":[{"question":"Which size?","header":"Size","options":[{"label":"Small"},{"label":"Large"}]},
    {"question":"Any extras?","header":"Extras","options":[{"label":"Cheese"},{"label":"None"}]}]}"#;

#[test]
async fn its_cards_stream_fail_and_post_their_answers_in_order() {
    answer_with(503, 200, 200);
    let host: HtmlElement = document().create_element("div").expect("a div").unchecked_into();
    document().body().expect("a body").append_child(&host).expect("it is appended");
    let mut calls = ["own-1", "own-2"].map(Call::new);
    let asks = calls.each_ref().map(|call| call.ask);
    let page = mount_to(host.clone(), move || view! { <Page asks /> });
    let cards = || {
        let found = host.query_selector_all(".qc").expect("a selector");
        [0, 1].map(|nth| found.get(nth).expect("a card").unchecked_into::<Element>())
    };
    let is = async |nth: usize, state: &str| {
        until(state, || cards()[nth].get_attribute("data-state").as_deref() == Some(state)).await;
    };
    for at in 0..SIZE.len() {
        calls.iter_mut().for_each(|call| call.feed(&SIZE[at..=at]));
        if at == SIZE.len() / 2 {
            is(0, "streaming").await;
        }
    }
    calls.into_iter().for_each(Call::end);
    is(0, "awaiting").await;
    is(1, "awaiting").await;
    let press = |nth: usize, part: &str| {
        let found = cards()[nth].query_selector_all(part).expect("a selector");
        (0..found.length()).for_each(|at| found.get(at).expect("it is there").unchecked_into::<HtmlElement>().click());
    };
    let words = |nth: usize| {
        let button = cards()[nth].query_selector(".qc-submit").expect("a selector").expect("a button");
        button.text_content().unwrap_or_default()
    };
    assert_eq!(words(0), "Send it");
    assert_ne!(words(1), words(0), "the second card is in German");

    for nth in [0, 1] {
        press(nth, ".qc-option:first-child .qc-option-input");
    }
    press(0, ".qc-submit");
    is(0, "failed").await;
    let said = cards()[0].text_content().unwrap_or_default();
    assert!(said.contains("The server said 503."), "{said}");
    press(0, ".qc-submit");
    is(0, "answered").await;
    press(1, ".qc-submit");
    is(1, "answered").await;
    assert_eq!(take_posted(), [r#"{"answers":{"Which size?":"Small","Any extras?":"Cheese"}}"#; 3]);
    give_back();
    drop(page);
}
