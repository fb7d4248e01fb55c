//! Answers that are typed into the browser's own fields, and rankings.

use crate::card_page::{CardPage, finger_down, finger_up, text_of};
use ask_user_question::input::{Input, InputKind};
use ask_user_question::{AskUserQuestion, Question};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{Element, HtmlElement};

fn asks(questions: impl IntoIterator<Item = (&'static str, Input)>) -> AskUserQuestion {
    let question = |(text, input)| Question::new(text, [""; 0]).with_input(input);
    AskUserQuestion::new(questions.into_iter().map(question))
}

#[test]
async fn numbers_and_dates_are_checked_by_the_card_and_sent_as_such() {
    let card = CardPage::waiting(asks([
        ("Which port?", Input::new(InputKind::Integer).with_min("1024").with_max("65535")),
        ("When?", Input::new(InputKind::Date).with_min("2026-12-01")),
        ("At what time?", Input::new(InputKind::DateTime)),
    ]))
    .await;
    for (question, text) in [(0, "80"), (1, "2026-11-30"), (2, "2026-12-01T09:30")] {
        card.type_other(question, text).await;
        assert_eq!(card.text_field(question).value(), text, "the browser takes it");
    }
    card.submit().await;
    card.has_not_replied();
    assert_eq!(card.errors(), ["Allowed from \u{2068}1024\u{2069}", "Allowed from \u{2068}2026-12-01\u{2069}"]);
    card.sees_focus_on(&card.text_field(0));
    card.type_other(0, "8080").await;
    card.type_other(1, "2026-12-24").await;
    card.submit().await;
    let reply = card.only_reply();
    let values = reply.answers().iter().map(|answer| answer.given.value().map(|value| value.text()));
    let expected = ["8080", "\"2026-12-24\"", "\"2026-12-01T09:30\""];
    assert!(values.eq(expected.map(|value| Some(value.to_owned()))), "{}", reply.message());
}

fn button(card: &CardPage, label: &str, way: &str) -> HtmlElement {
    let name = Some(format!("Move \u{2068}{label}\u{2069} {way}"));
    let mut buttons = card.all("button").into_iter();
    buttons.find(|button| button.get_attribute("aria-label") == name).expect("it has a place").unchecked_into()
}

/// The row of an option, whose label may end in its place.
fn row(card: &CardPage, label: &str) -> Element {
    card.all(".qc-option").into_iter().find(|row| text_of(row).starts_with(label)).expect("a row")
}

/// Presses the button that moves an option, and lets go at another place of the page.
async fn drag(card: &CardPage, from: &Element, to: &Element) {
    finger_down(from, 0, true);
    finger_up(to);
    card.settled().await;
}

#[test]
async fn a_ranked_row_moves_by_its_buttons_and_by_dragging_them() {
    let question = Question::new("Which order?", ["Speed", "Cost", "Uptime"]).with_input(Input::new(InputKind::Rank));
    let card = CardPage::waiting(AskUserQuestion::new([question])).await;
    for label in ["Speed", "Cost", "Uptime"] {
        card.choose(label).await;
    }
    let rows = || -> Vec<String> { card.all(".qc-option-label").iter().map(text_of).collect() };
    let row = |label| row(&card, label);
    let button = |label, way| button(&card, label, way);

    // By keys, which go on where the row is now.
    for (label, way, expected) in [
        ("Speed", "down", ["Cost 1", "Speed 2", "Uptime 3"]),
        ("Speed", "down", ["Cost 1", "Uptime 2", "Speed 3"]),
        ("Speed", "up", ["Cost 1", "Speed 2", "Uptime 3"]),
        ("Uptime", "up", ["Cost 1", "Uptime 2", "Speed 3"]),
    ] {
        button(label, way).focus().expect("it takes the focus");
        button(label, way).click();
        card.settled().await;
        assert_eq!(rows(), expected);
        card.sees_focus_on(&button(label, way));
    }

    // By a pointer, over several rows at once and to both sides.
    button("Cost", "up").focus().expect("it takes the focus");
    drag(&card, &button("Cost", "up"), &row("Speed")).await;
    assert_eq!(rows(), ["Uptime 1", "Speed 2", "Cost 3"]);
    card.sees_focus_on(&button("Cost", "up"));
    drag(&card, &button("Cost", "down"), &row("Uptime")).await;
    assert_eq!(rows(), ["Cost 1", "Uptime 2", "Speed 3"]);

    // Let go at its own row, beside the list or after Escape, it stays.
    let down = button("Cost", "down");
    drag(&card, &down, &row("Cost")).await;
    drag(&card, &down, &card.root).await;
    finger_down(&down, 0, true);
    down.focus().expect("it takes the focus");
    card.press("Escape").await;
    finger_up(&row("Speed"));
    card.settled().await;
    // What is no button is no handle: a finger that scrolls, or text that is selected.
    drag(&card, &row("Cost"), &row("Speed")).await;
    assert_eq!(rows(), ["Cost 1", "Uptime 2", "Speed 3"]);

    card.submit().await;
    assert_eq!(card.only_reply().message(), "Cost, Uptime, Speed");
}

#[test]
async fn an_option_is_dropped_only_in_its_own_ranking() {
    let question = |text: &str, labels: [&str; 2]| Question::new(text, labels).with_input(Input::new(InputKind::Rank));
    let card =
        CardPage::waiting(AskUserQuestion::new([question("First?", ["A", "B"]), question("Then?", ["C", "D"])])).await;
    for label in ["A", "B", "C", "D"] {
        card.choose(label).await;
    }
    drag(&card, &button(&card, "A", "down"), &row(&card, "D")).await;
    drag(&card, &button(&card, "C", "down"), &row(&card, "D")).await;
    card.submit().await;
    let reply = card.only_reply();
    assert_eq!(reply.answers().iter().filter_map(|answer| answer.text()).collect::<Vec<_>>(), ["A, B", "D, C"]);
}
