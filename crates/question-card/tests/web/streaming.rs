//! The card while arguments arrive.

use crate::asks::{AskPatch, before, has_begun, mixed, ready, service, stream, stream_of};
use crate::card_page::{CardPage, Hurry, Setting, fresh_id, on_pick, stepped, tap, text_of};
use crate::wire::{Wire, arguments, body, pieces};
use ask_user_question::snapshot::QuestionSnapshot;
use ask_user_question::{AskSnapshot, Phase};
use question_card::{Word, Words as _};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::Element;

#[test]
async fn it_says_that_a_question_is_coming() {
    let card = CardPage::composing().await;
    assert_eq!(card.state(), "composing");
    assert!(card.text().contains("Preparing a question\u{2026}"));
    card.receives(stream(&service()).into_iter().take(8));
    card.settled().await;
    assert_eq!(card.state(), "streaming");
    assert!(!card.text().contains("Preparing"));
    assert!(card.text().contains("What"), "{:?}", card.text());
}

#[test]
async fn str_01_arrival_moves_no_focus() {
    let composer: web_sys::HtmlElement =
        leptos::prelude::document().create_element("textarea").expect("a field").unchecked_into();
    let card = CardPage::composing().await;
    card.root.append_child(&composer).expect("it is appended");
    composer.focus().expect("it takes the focus");
    card.receives_slowly(stream(&service())).await;
    card.receives(ready(&service()));
    card.settled().await;
    card.sees_focus_on(&composer);
}

#[test]
async fn str_02_only_the_complete_question_is_announced_and_once() {
    let asked = arguments("chat-service");
    for size in [1, 7, 50, asked.len()] {
        let id = fresh_id();
        let card = CardPage::open(AskSnapshot::new(id.clone()), Setting::default()).await;
        let spoken = card.listen();
        let mut wire = Wire::default();
        for event in body(&id, pieces(&asked, size)).split_inclusive(|byte| *byte == b'\n') {
            card.receives(wire.takes(event));
            card.settled().await;
            assert_eq!(card.announcement(), "");
        }
        card.announced().await;
        card.ends(Phase::Superseded, None).await;
        let question = "The agent asks 1 question. \u{2068}Service\u{2069}: \u{2068}Which service do you need?\u{2069} (4 options)";
        let over = "You went on without it";
        spoken.hears([question, "", over]).await;
    }
}

#[test]
async fn str_03_nodes_keep_their_identity_while_more_arrives() {
    let card = CardPage::composing().await;
    let (first, rest) = before(stream(&mixed()), has_begun(2));
    card.receives(first);
    card.settled().await;
    let input = card.control("SQLite");
    card.choose("SQLite").await;
    input.focus().expect("it takes the focus");
    let legend_text = card
        .fieldset(0)
        .query_selector(".qc-question-text")
        .expect("a good selector")
        .and_then(|span| span.first_child());
    card.receives_slowly(rest).await;
    card.receives(ready(&mixed()));
    card.settled().await;
    card.sees_focus_on(&input);
    assert_eq!(card.chosen(), ["SQLite"]);
    let now = card
        .fieldset(0)
        .query_selector(".qc-question-text")
        .expect("a good selector")
        .and_then(|span| span.first_child());
    assert!(legend_text.is_some() && legend_text == now, "the text node is the same");
}

#[test]
async fn texts_are_appended_to_one_node() {
    let card = CardPage::composing().await;
    let long = |times: usize| {
        let mut asked = QuestionSnapshot::default();
        asked.question.text = "long ".repeat(times);
        AskPatch::Grow(vec![asked])
    };
    card.receives([long(1000)]);
    card.settled().await;
    let span = card.find(".qc-question-text").expect("the question");
    let node: web_sys::Text = span.first_child().expect("a text").unchecked_into();
    // A selection in the text survives an append and not a replacement.
    let selection = web_sys::window().and_then(|window| window.get_selection().ok().flatten()).expect("a selection");
    selection.set_base_and_extent(&node, 5, &node, 9).expect("it is selected");
    card.receives([long(2000)]);
    card.settled().await;
    assert_eq!((span.child_nodes().length(), node.data().len()), (1, 10_000));
    assert_eq!((selection.anchor_offset(), selection.focus_offset()), (5, 9));
    selection.remove_all_ranges().expect("it is cleared");
}

#[test]
async fn str_04_an_option_can_be_chosen_once_it_is_closed() {
    let card = CardPage::composing().await;
    let closes = |asked: &[QuestionSnapshot]| asked.iter().any(|it| it.options.get(1).is_some_and(|it| it.closed));
    let (arrived, rest) = before(stream(&service()), closes);
    card.receives(arrived);
    card.settled().await;
    assert_eq!(card.inputs("radio").len(), 1);
    assert!(card.row_text("Brake service").is_some(), "its text is there");
    let label = card.row_text("Brake service").expect("its text is there");
    card.receives([rest[0].clone()]);
    card.settled().await;
    assert_eq!(card.inputs("radio").len(), 2);
    assert_eq!(card.row_text("Brake service"), Some(label), "the label keeps its node");
    card.choose("Brake service").await;
    assert_eq!(card.chosen(), ["Brake service"]);
}

#[test]
async fn a_tap_that_lands_as_a_row_appears_chooses_nothing() {
    let card = CardPage::composing().await;
    let (first, _) = before(stream(&mixed()), has_begun(2));
    let hurry = Hurry::begin();
    card.receives_slowly(first).await;
    card.tap("Postgres").await;
    let row = card.row_text("SQLite").expect("the row is there");
    tap(&row);
    card.tap("Other").await;
    card.settled().await;
    assert!(card.chosen().is_empty(), "{:?}", card.chosen());
    drop(hurry);
    card.stands_still().await;
    card.tap("Postgres").await;
    assert_eq!(card.chosen(), ["Postgres"]);
    assert_eq!(card.state(), "streaming");
}

#[test]
async fn a_row_that_has_stood_still_is_chosen_while_the_next_question_comes() {
    let card = CardPage::composing().await;
    let (first, rest) = before(stream(&mixed()), has_begun(2));
    card.receives(first);
    card.stands_still().await;
    for (patch, label) in rest.into_iter().zip(["Postgres", "SQLite"].into_iter().cycle()).take(12) {
        card.receives([patch]);
        card.settled().await;
        card.tap(label).await;
        assert_eq!(card.chosen(), [label]);
    }
}

#[test]
async fn a_tap_that_lands_as_rows_come_with_the_end_chooses_nothing() {
    let card = CardPage::composing().await;
    card.stands_still().await;
    card.receives(stream(&mixed()));
    card.receives(ready(&mixed()));
    card.settled().await;
    takes_no_tap_yet(&card).await;
}

#[test]
async fn a_tap_that_lands_as_a_whole_ask_comes_chooses_nothing() {
    let fresh = Setting { fresh: true, ..Setting::default() };
    let snapshot = AskSnapshot::complete(fresh_id(), mixed(), Phase::Ready);
    takes_no_tap_yet(&CardPage::open(snapshot, fresh).await).await;
}

async fn takes_no_tap_yet(card: &CardPage) {
    // At once, because rows that have stood still for a while do take a tap.
    for label in ["Postgres", "Other"] {
        tap(&card.control(label));
        tap(&card.row_text(label).expect("the row is there"));
    }
    card.settled().await;
    assert!(card.chosen().is_empty(), "{:?}", card.chosen());
    card.stands_still().await;
    card.tap("Postgres").await;
    assert_eq!(card.chosen(), ["Postgres"]);
}

#[test]
async fn str_05_however_the_bytes_are_cut_the_end_is_the_same() {
    let id = fresh_id();
    for example in ["emoji", "arabic-multi-select", "coding-four-questions"] {
        let asked = arguments(example);
        let expected = drawn_at_once(&id, &asked).await;
        let events = body(&id, pieces(&asked, 3));
        let drawn = drawn_by(&id, events.split_inclusive(|byte| *byte == b'\n')).await;
        assert_eq!(drawn, expected, "{example} by events");
        // Through the middle of characters and of events.
        let bytes = body(&id, pieces(&asked, 7));
        let drawn = drawn_by(&id, bytes.chunks(5)).await;
        assert_eq!(drawn, expected, "{example} in bytes");
    }
}

/// The nodes of a card of the complete ask.
async fn drawn_at_once(id: &str, asked: &str) -> String {
    let mut wire = Wire::default();
    wire.takes(&body(id, [asked]));
    let snapshot = wire.ask();
    assert_eq!(snapshot.phase, Phase::Ready);
    let card = CardPage::open(snapshot, Setting::default()).await;
    outline(&card.card())
}

/// The nodes of a card that was there while these bytes came, each part in a task of its own.
async fn drawn_by(id: &str, parts: impl Iterator<Item = &[u8]>) -> String {
    let card = CardPage::open(AskSnapshot::new(id), Setting::default()).await;
    let mut wire = Wire::default();
    for part in parts {
        let patches = wire.takes(part);
        if !patches.is_empty() {
            card.receives(patches);
            card.settled().await;
        }
    }
    outline(&card.card())
}

#[test]
async fn str_06_submit_waits_for_the_end_and_says_so() {
    let card = CardPage::composing().await;
    card.receives(stream(&service()));
    card.settled().await;
    card.choose("Oil change").await;
    assert!(card.is_inert("Submit"));
    assert_eq!(card.reason("Submit"), "Waiting for the rest of the question");
    let to_chat = "Reply in chat instead";
    assert!(card.is_inert(to_chat));
    assert_eq!(card.reason(to_chat), "Waiting for the rest of the question");
    card.submit().await;
    card.control("Oil change").focus().expect("it takes the focus");
    card.press("Enter").await;
    card.has_not_replied();
    card.receives(ready(&service()));
    card.settled().await;
    card.sees_focus_on(&card.control("Oil change"));
    card.submit().await;
    assert_eq!(card.only_reply().message(), "Oil change");
}

#[test]
async fn str_09_rows_wait_until_it_is_known_how_they_are_chosen() {
    let card = CardPage::composing().await;
    let last =
        r#"{"questions":[{"question":"Which?","options":[{"label":"Basil"},{"label":"Olives"}],"multiSelect":true}]}"#;
    let (open, known) = before(stream_of(last), |asked| asked.iter().any(|it| it.multi_select.is_some()));
    card.receives(open);
    card.settled().await;
    assert!(card.row_text("Olives").is_some() && card.all("input").is_empty(), "no option can be chosen yet");
    card.receives(known.into_iter().take(1));
    card.settled().await;
    assert_eq!((card.inputs("radio").len(), card.inputs("checkbox").len()), (0, 2));
}

#[test]
async fn a_break_leaves_a_receipt_that_claims_nothing() {
    let card = CardPage::composing().await;
    card.receives(stream(&service()).into_iter().take(30));
    card.receives([AskPatch::Phase(Phase::Interrupted)]);
    card.settled().await;
    assert_eq!(card.state(), "interrupted");
    assert!(card.text().contains("Interrupted") && !card.text().contains("Answered"));
}

#[test]
async fn a_repair_at_the_end_is_shown() {
    let card = CardPage::composing().await;
    let mut spaced = service();
    spaced.questions[0].question = "  What does your car need?  ".to_owned();
    card.receives(stream(&spaced));
    card.settled().await;
    card.receives(ready(&service()));
    card.settled().await;
    let text = card.find(".qc-question-text").expect("the question");
    assert_eq!(text_of(&text), "What does your car need?");
}

/// Elements, attributes and texts, without the comment nodes of a renderer.
fn outline(element: &Element) -> String {
    let names = element.get_attribute_names();
    let mut attributes: Vec<String> = names.iter().filter_map(|name| name.as_string()).collect();
    attributes.sort();
    let attributes: Vec<_> =
        attributes.iter().map(|name| format!("{name}={:?}", element.get_attribute(name))).collect();
    let nodes = element.child_nodes();
    let children = (0..nodes.length()).filter_map(|index| nodes.item(index));
    let inner: String = children
        .map(|node| match node.dyn_into::<Element>() {
            Ok(element) => outline(&element),
            Err(node) if node.node_type() == web_sys::Node::TEXT_NODE => node.text_content().unwrap_or_default(),
            Err(_) => String::new(),
        })
        .collect();
    format!("<{} {}>{inner}</>\n", element.tag_name(), attributes.join(" "))
}

/// Replaces all texts by elements of the browser's own, as translating browsers do.
fn translate(element: &Element) {
    let create = || leptos::prelude::document().create_element("font").expect("an element");
    let children = element.child_nodes();
    for child in (0..children.length()).filter_map(|at| children.item(at)).collect::<Vec<_>>() {
        let text = child.text_content().unwrap_or_default();
        if let Some(element) = child.dyn_ref::<Element>() {
            translate(element);
        } else if !text.trim().is_empty() {
            let (outer, inner) = (create(), create());
            inner.set_text_content(Some(&text.to_uppercase()));
            outer.append_child(&inner).expect("it is appended");
            element.replace_child(&outer, &child).expect("it is replaced");
        }
    }
}

#[test]
async fn a_page_that_is_translated_loses_no_text() {
    for setting in [Setting::default(), on_pick(), stepped()] {
        let card = CardPage::open(AskSnapshot::new(fresh_id()), setting).await;
        for (at, patch) in stream(&service()).into_iter().enumerate() {
            card.receives_slowly([patch]).await;
            if at % 7 == 0 {
                translate(&card.card());
            }
        }
        translate(&card.card());
        card.receives_slowly(ready(&service())).await;
        let shown = card.text().to_uppercase();
        let asked = &service().questions[0];
        for text in [&asked.question, asked.options[2].description.as_ref().expect("one")] {
            assert_eq!(shown.matches(&text.to_uppercase()).count(), 1, "{text:?} is there once: {shown}");
        }
        assert!(!shown.contains("WAITING FOR THE REST"), "{shown}");
        card.type_other(0, "My own").await;
        translate(&card.card());
        card.press_button(&Word::Cancel.english().to_uppercase()).await;
        assert!(card.button("Discard your answer?").is_some(), "it asks once more, in words that say so");
    }
}

#[test]
async fn a_page_that_is_translated_has_a_text_with_marks_once() {
    let mut asked = service();
    "**Delete** the `main` branch, or *later*?".clone_into(&mut asked.questions[0].question);
    for every in [1, 3, 8] {
        let card = CardPage::composing().await;
        for (at, patch) in stream(&asked).into_iter().enumerate() {
            card.receives_slowly([patch]).await;
            if at % every == 0 {
                translate(&card.card());
            }
        }
        card.receives_slowly(ready(&asked)).await;
        let text = card.find(".qc-question-text").expect("the question");
        assert_eq!(text_of(&text).to_uppercase(), "DELETE THE MAIN BRANCH, OR LATER?", "every {every}");
    }
}
