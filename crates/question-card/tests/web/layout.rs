//! Where the parts of a card are: nothing covers another, and nothing is cut.

use crate::asks::service;
use crate::card_page::{CardPage, fresh_id, on_pick, stepped};
use crate::faces::{Face, lay_out};
use ask_user_question::{AskSnapshot, Phase};
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{DomRect, Element};

const WIDTHS: [u32; 2] = [320, 704];

#[test]
async fn header_hint_and_question_do_not_cover_each_other() {
    for setting in [on_pick(), stepped()] {
        let card = CardPage::open(AskSnapshot::complete(fresh_id(), service(), Phase::Answerable), setting).await;
        for width in WIDTHS {
            lay_out(&card, width, Face::Wide).await;
            let parts = [".qc-chip", ".qc-hint", ".qc-question-text", ".qc-options"].map(|part| card.find(part));
            let [chip, hint, text, options] = parts.map(|part| rect(&part.expect("it is shown")));
            assert!(chip.right() <= hint.left(), "the hint is beside the chip, {width} px");
            assert!(chip.bottom().max(hint.bottom()) <= text.top(), "{} then {}", chip.bottom(), text.top());
            assert!(text.bottom() <= options.top(), "the text ends before the options begin, {width} px");
            assert!(text.width() > 200.0, "the question has the whole line: {} of {width} px", text.width());
        }
    }
}

#[test]
async fn a_chip_is_no_higher_than_its_word() {
    let card = CardPage::tap_to_reply(service()).await;
    lay_out(&card, 320, Face::Plain).await;
    let height = || rect(&card.find(".qc-chip").expect("a header")).height();
    let before = height();
    card.find(".qc-hint").expect("a hint").set_text_content(Some(&"A long hint in another language. ".repeat(4)));
    assert_eq!(height(), before);
}

#[test]
async fn a_text_field_grows_with_its_text() {
    for setting in [on_pick(), stepped()] {
        let card = CardPage::open(AskSnapshot::complete(fresh_id(), service(), Phase::Answerable), setting).await;
        lay_out(&card, 320, Face::Plain).await;
        let field = card.text_field(0);
        let before = field.offset_height();
        card.type_other(0, "One line\nand another\nand a third one").await;
        assert!(field.offset_height() >= before + 30, "{before} px before, {} after", field.offset_height());
        assert!(field.scroll_height() <= field.client_height() + 1, "{} px are cut", field.scroll_height());
        card.type_other(0, "").await;
        assert_eq!(field.offset_height(), before, "and shrinks again");
        card.type_other(0, &"line\n".repeat(60)).await;
        assert!(field.offset_height() <= 200, "{} px", field.offset_height());
    }
}

#[test]
async fn a_text_that_comes_back_is_not_cut() {
    let id = fresh_id();
    let open = async || {
        let card = CardPage::open(AskSnapshot::complete(&*id, service(), Phase::Answerable), on_pick()).await;
        lay_out(&card, 320, Face::Plain).await;
        card
    };
    let card = open().await;
    card.type_other(0, "One line\nand another\nand a third one").await;
    drop(card);
    let card = open().await;
    card.stands_still().await;
    let field = card.text_field(0);
    assert!(field.scroll_height() <= field.client_height() + 1, "{} px are cut", field.scroll_height());
}

fn rect(element: &Element) -> DomRect {
    element.get_bounding_client_rect()
}
