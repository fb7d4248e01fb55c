//! A card that a server rendered, taken over by the browser. The rendered files are in `tests/rendered`. If the views have changed since,
//! these tests fail, and so does the test `ssr`, which says how to update the files.

use crate::asks::{arriving, mixed, ready};
use crate::card_page::{CardPage, Setting};
use ask_user_question::reply::Selection;
use ask_user_question::{AskSnapshot, Outcome, Phase, Reply};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{Element, HtmlInputElement, HtmlTextAreaElement};

const CARD: &str = include_str!("../rendered/card.html");
const ARRIVING: &str = include_str!("../rendered/arriving.html");
const RECEIPT: &str = include_str!("../rendered/receipt.html");

#[test]
async fn a_card_is_taken_over_as_it_stands() {
    let rendered = page(CARD);
    let (ids, first) = (ids(&rendered), rendered.query_selector("input").expect("a good selector"));
    let card = CardPage::hydrate(rendered, waiting(), Setting::default()).await;
    assert_eq!(card.find("input"), first, "no node was replaced");
    let fresh = CardPage::open(waiting(), Setting::default()).await;
    assert_eq!(crate::hydrating::ids(&fresh.root), ids, "the browser would have made the same ids");
    for label in ["SQLite", "Search", "Fancy"] {
        card.choose(label).await;
    }
    assert_eq!(card.chosen(), ["SQLite", "Search", "Fancy"]);
    card.submit().await;
    assert_eq!(card.only_reply().answers().len(), 3);
    card.ends(Phase::Answered, Some(Outcome::Answered(card.only_reply()))).await;
    assert_eq!(card.answers().len(), 3);
}

#[test]
async fn a_card_that_still_arrives_is_taken_over_and_goes_on() {
    let rendered = page(ARRIVING);
    let hidden =
        |root: &Element| root.query_selector("fieldset:last-of-type .qc-other[hidden]").expect("a good selector");
    let made_early = hidden(&rendered).expect("a row before its time");
    let first = rendered.query_selector("input").expect("a good selector");
    let ids = ids(&rendered);
    let (snapshot, rest) = arriving("call-2", &mixed());
    let card = CardPage::hydrate(rendered, snapshot, Setting::default()).await;
    assert_eq!(card.state(), "streaming");
    assert_eq!(card.find("input"), first, "no node was replaced");
    assert_eq!(hidden(&card.root), Some(made_early.clone()));
    assert_eq!(crate::hydrating::ids(&card.root), ids);
    card.choose("SQLite").await;
    card.receives_slowly(rest).await;
    assert!(!made_early.has_attribute("hidden"), "it is shown now");
    card.receives(ready(&mixed()));
    card.settled().await;
    card.choose("Export").await;
    card.type_other(2, "like a newspaper").await;
    card.submit().await;
    assert_eq!(card.only_reply().message(), "Database: SQLite\nFeatures: Export\nStyle: like a newspaper");
}

#[test]
async fn what_was_chosen_and_typed_before_the_card_is_taken_over_stays() {
    let rendered = page(CARD);
    let all = |selector: &str, at: u32| {
        let found = rendered.query_selector_all(selector).expect("a good selector").item(at);
        found.expect("the server rendered it")
    };
    all("input", 1).unchecked_into::<HtmlInputElement>().set_checked(true);
    all("textarea", 2).unchecked_into::<HtmlTextAreaElement>().set_value("like a newspaper");
    let card = CardPage::hydrate(rendered.clone(), waiting(), Setting::default()).await;
    assert_eq!(card.chosen(), ["SQLite", "Other"]);
    assert_eq!(card.text_field(2).value(), "like a newspaper");
    card.choose("Search").await;
    card.submit().await;
    assert_eq!(card.only_reply().message(), "Database: SQLite\nFeatures: Search\nStyle: like a newspaper");
    card.ends(Phase::Answered, Some(Outcome::Answered(card.only_reply()))).await;
}

#[test]
async fn a_receipt_is_taken_over_as_it_stands() {
    let rendered = page(RECEIPT);
    let before = rendered.text_content();
    let card = CardPage::hydrate(rendered, answered(), Setting::default()).await;
    assert_eq!(card.root.text_content(), before);
    assert_eq!(card.state(), "answered");
}

/// An element with this content, in the page.
fn page(html: &str) -> web_sys::HtmlElement {
    let host = document().create_element("div").expect("a div");
    host.set_inner_html(html);
    document().body().expect("a body").append_child(&host).expect("it is appended");
    host.unchecked_into()
}

fn ids(root: &Element) -> Vec<String> {
    let found = root.query_selector_all("[id]").expect("a good selector");
    let id = |index| Some(found.item(index)?.unchecked_into::<Element>().id());
    (0..found.length()).filter_map(id).collect()
}

fn waiting() -> AskSnapshot {
    AskSnapshot::complete("call-1", mixed(), Phase::Answerable)
}

fn answered() -> AskSnapshot {
    let pick = |question, option| Selection::picked(question, [option]);
    let reply = Reply::check(&mixed(), vec![pick(0, 1), pick(1, 0), pick(2, 0)]).expect("a legal reply");
    waiting().with_outcome(Outcome::Answered(reply)).with_phase(Phase::Answered)
}
