//! Events that a card dispatches to the page around it. They bubble.

use crate::browser::set_flag;
use js_sys::Object;
use wasm_bindgen::JsCast;
use web_sys::{CustomEvent, HtmlElement};

/// The card waits for an answer.
pub(super) const WAITING: &str = "qc-waiting";
/// The ask is over. A host that calls `preventDefault` places the focus itself.
pub(super) const RESOLVED: &str = "qc-resolved";

/// Dispatches an event at the card's root. Returns false if its default was prevented.
pub(super) fn dispatch(root: &HtmlElement, name: &str) -> bool {
    let init = Object::new();
    for (property, is_so) in [("bubbles", true), ("composed", true), ("cancelable", name == RESOLVED)] {
        set_flag(&init, property, is_so);
    }
    let event = CustomEvent::new_with_event_init_dict(name, init.unchecked_ref());
    event.map_or(true, |event| root.dispatch_event(&event).unwrap_or(true))
}
