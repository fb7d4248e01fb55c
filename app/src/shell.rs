//! The page's frame, as `index.html` has drawn it. The user may be writing in it already, so the program takes it over as it stands.

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement};

/// The place for the program's own parts of the frame.
///
/// # Panics
/// If the document is not `index.html`.
#[must_use]
pub fn place() -> HtmlElement {
    part(".talk")
}

/// Notifies `boot.js`, which has kept the user's input until now.
///
/// # Panics
/// If the document is not `index.html`.
pub(crate) fn has_adopted(selector: &str) {
    let element: Element = part(selector);
    // Making and dispatching an event can't fail.
    let _ = Event::new("adopted").map(|event| element.dispatch_event(&event));
}

/// The frame's element that the selector finds.
///
/// # Panics
/// If the document is not `index.html`.
#[track_caller]
pub(crate) fn part<T: JsCast>(selector: &str) -> T {
    let found = document().query_selector(selector).expect("a valid selector");
    found.and_then(|element| element.dyn_into().ok()).expect("index.html has it")
}

/// The line below a field of the settings, by the field's name.
///
/// # Panics
/// If the document is not `index.html`.
pub(crate) fn hint(field: &str) -> Element {
    part(&["#", field, "-hint"].concat())
}

/// All elements of the document that the selector finds.
pub(crate) fn parts(selector: &str) -> Vec<Element> {
    let found = document().query_selector_all(selector).expect("a valid selector");
    (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
}
