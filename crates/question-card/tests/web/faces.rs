//! Cards laid out in fonts of the tests, so that no pixel depends on the fonts of the machine.

use crate::card_page::CardPage;
use question_card::STYLESHEET;
use wasm_bindgen::prelude::wasm_bindgen;

/// A font with every character, in every weight.
#[derive(Debug, Clone, Copy)]
pub enum Face {
    /// As wide as Arial.
    Plain,
    /// As wide as Verdana.
    Wide,
}

pub const FACES: [Face; 2] = [Face::Plain, Face::Wide];

/// Styles a card that is this number of pixels wide.
pub async fn lay_out(card: &CardPage, width: u32, face: Face) {
    lay_out_with(card, width, face, STYLESHEET).await;
}

/// The same, by a sheet of the test's own.
pub async fn lay_out_with(card: &CardPage, width: u32, face: Face, sheet: &str) {
    let (family, bytes): (_, &[u8]) = match face {
        Face::Plain => ("plain", include_bytes!("../faces/plain.ttf")),
        Face::Wide => ("wide", include_bytes!("../faces/wide.ttf")),
    };
    load(family, bytes).await;
    let style = leptos::prelude::document().create_element("style").expect("a style");
    style.set_text_content(Some(sheet));
    card.root.append_child(&style).expect("it is appended");
    let font = format!("--qc-font: {family}; --qc-font-mono: {family}");
    let room = format!("inline-size: {width}px; --qc-max-inline: 100%; {font}; --qc-motion: 0ms");
    card.root.set_attribute("style", &room).expect("room");
}

#[wasm_bindgen(module = "/tests/web/page.js")]
extern "C" {
    async fn load(family: &str, bytes: &[u8]);
}
