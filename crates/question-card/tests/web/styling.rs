//! The effects of a page's colours and sizes.

use crate::asks::service;
use crate::card_page::{CardPage, Setting, computed, fresh_id};
use ask_user_question::{AskSnapshot, Phase};
use leptos::prelude::document;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::HtmlElement;

/// The places of the accent: the part, and its property.
const ACCENTED: [(&str, &str); 6] = [
    (".qc-submit", "background-color"),
    (".qc-submit", "color"),
    (".qc-badge", "background-color"),
    (".qc-badge", "color"),
    (".qc-option[data-chosen]", "background-color"),
    (".qc-option[data-chosen]", "border-top-color"),
];

/// The parts with corners.
const ROUND: [&str; 5] = [".qc", ".qc-option", ".qc-badge", ".qc-button", ".qc-other-input"];

async fn chosen() -> CardPage {
    let mut asked = service();
    asked.questions[0].options[0].label = "Oil change (Recommended)".to_owned();
    let card = CardPage::open(AskSnapshot::complete(fresh_id(), asked, Phase::Answerable), Setting::default()).await;
    // Its badge is outside of the chosen row, in which it has the ground of the card.
    card.choose("Brake service").await;
    card
}

fn looks(card: &CardPage) -> Vec<String> {
    let find = |part: &str| if part == ".qc" { card.card() } else { card.find(part).expect("it is shown") };
    ACCENTED.iter().map(|(part, property)| computed(&find(part), property)).collect()
}

fn corners(card: &CardPage) -> Vec<String> {
    let find = |part: &str| if part == ".qc" { card.card() } else { card.find(part).expect("it is shown") };
    ROUND.iter().map(|part| computed(&find(part), "border-top-left-radius")).collect()
}

#[test]
async fn an_accent_and_a_radius_change_all_that_follows_them() {
    question_card::adopt_styles().expect("this browser has constructed style sheets");
    let root: HtmlElement = document().document_element().expect("a root").unchecked_into();
    let set = |tokens: &str| root.set_attribute("style", tokens).expect("it is set");
    let card = chosen().await;
    set("--qc-motion: 0ms");
    let (plain, round) = (looks(&card), corners(&card));
    assert!(!round.contains(&"0px".to_owned()), "{round:?}");

    set("--qc-motion: 0ms; --qc-accent: gold; --qc-radius: 0");
    let gold = looks(&card);
    for (place, (before, after)) in plain.iter().zip(&gold).enumerate() {
        assert_ne!(before, after, "{:?}", ACCENTED[place]);
    }
    assert_eq!(corners(&card), ["0px"; ROUND.len()]);

    // Each can be set by itself.
    set(
        "--qc-motion: 0ms; --qc-accent: gold; --qc-chip-fg: rgb(1, 2, 3); --qc-on-accent: rgb(4, 5, 6); --qc-row-radius: 7px",
    );
    let own = looks(&card);
    assert_eq!([own[1].as_str(), own[3].as_str()], ["rgb(4, 5, 6)", "rgb(1, 2, 3)"]);
    assert_eq!([own[0].as_str(), own[2].as_str()], [gold[0].as_str(), gold[2].as_str()]);
    assert_eq!(corners(&card)[1], "7px");
    assert_eq!(corners(&card)[0], round[0]);

    // Text on an accent is dark on a light one and light on a dark one.
    let legible = |accent: &str| {
        set(&["--qc-motion: 0ms; --qc-accent: ", accent].concat());
        looks(&card)[1].clone()
    };
    assert_eq!(legible("gold"), legible("white"));
    assert_eq!(legible("navy"), legible("teal"));
    assert_ne!(legible("gold"), legible("navy"));

    root.remove_attribute("style").expect("it is taken back");
    document().adopted_style_sheets().set_length(0);
}

#[test]
async fn a_field_is_never_so_small_that_a_phone_zooms_in() {
    question_card::adopt_styles().expect("this browser has constructed style sheets");
    let root: HtmlElement = document().document_element().expect("a root").unchecked_into();
    for (size, expected) in [("14px; --qc-font-size: 12px", "16px"), ("20px", "20px")] {
        root.set_attribute("style", &format!("font-size: {size}")).expect("it is set");
        let card = chosen().await;
        let field = card.find(".qc-other-input").expect("it is shown");
        assert_eq!(computed(&field, "font-size"), expected, "{size}");
    }
    root.remove_attribute("style").expect("it goes");
    document().adopted_style_sheets().set_length(0);
}

#[test]
async fn a_page_that_spaces_or_shrinks_its_text_leaves_the_cards_as_it_is() {
    question_card::adopt_styles().expect("this browser has constructed style sheets");
    let root: HtmlElement = document().document_element().expect("a root").unchecked_into();
    let odd =
        "letter-spacing: 3px; text-indent: 2em; text-transform: uppercase; white-space: nowrap; word-spacing: 1em";
    root.set_attribute("style", &["font-size: 10px; ", odd].concat()).expect("it is set");
    let card = chosen().await;
    for part in [".qc-option-label", ".qc-hint", ".qc-submit"] {
        let part = card.find(part).expect("it is shown");
        let own = ["letter-spacing", "text-indent", "text-transform", "word-spacing"].map(|name| computed(&part, name));
        assert_eq!(own, ["normal", "0px", "none", "0px"], "{}", part.outer_html());
    }
    assert_eq!(computed(&card.find(".qc-hint").expect("it is shown"), "white-space"), "normal");
    assert_eq!(computed(&card.card(), "font-size"), "14px");
    let row = card.find(".qc-option").expect("it is shown").get_bounding_client_rect();
    assert!(row.height() >= 38.0, "{}", row.height());
    root.remove_attribute("style").expect("it goes");
    document().adopted_style_sheets().set_length(0);
}
