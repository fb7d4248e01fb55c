//! The page's frame, as `index.html` has drawn it: the program takes it over with what is written in it.

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// The place for what the program adds to the frame.
///
/// # Panics
/// Where the document is not `index.html`.
#[must_use]
pub fn place() -> HtmlElement {
    part(".talk")
}

/// The frame's element that the selector finds.
///
/// # Panics
/// Where the document is not `index.html`.
#[track_caller]
pub(crate) fn part<T: JsCast>(selector: &str) -> T {
    let found = document().query_selector(selector).expect("a valid selector");
    found.and_then(|element| element.dyn_into().ok()).expect("index.html has it")
}
