//! The gallery: every example ask in every state of the card, each at an address of its own (`?gallery`).
//!
//! A program of its own, so that the chat page carries neither the examples nor this code; `boot.js` starts one or the other.

mod acts;
mod address;
mod bench;
mod card;
mod index;
mod live;
mod pages;
mod stage;
mod state;
mod stream;
mod toolbar;
mod words;

use address::{AUTO, Address};
use leptos::prelude::*;
use question_card::Labels;
use web_sys::{CssStyleSheet, HtmlElement};

fn main() {
    let query = window().location().search().unwrap_or_default();
    let address = Address::parse(&query);
    dress(&address);
    if let Some(shell) = document().get_element_by_id("shell") {
        shell.remove();
    }
    mount_to_body(move || pages::page(address));
}

/// Sets the title, language, direction, colours and styles of the document.
fn dress(address: &Address) {
    document().set_title(&format!("{} \u{2013} Card gallery", address.title()));
    if let Some(root) = document().document_element() {
        let language = address.get("lang");
        let direction = match address.get("dir") {
            AUTO => Labels::for_lang(language).dir().as_str(),
            direction => direction,
        };
        // These attributes and this property have no way to fail.
        let _ = root.set_attribute("lang", language);
        let _ = root.set_attribute("dir", direction);
        let scheme = address.get("scheme");
        if scheme != AUTO {
            let root: HtmlElement = wasm_bindgen::JsCast::unchecked_into(root);
            let _ = root.style().set_property("color-scheme", scheme);
        }
    }
    if let Ok(sheet) = CssStyleSheet::new() {
        // The page's policy allows a constructed sheet, and no other part of the page needs this one.
        let _ = sheet.replace_sync(include_str!("gallery.css"));
        document().adopted_style_sheets().push(&sheet);
    }
}
