//! The buttons that copy a message or a block of code.

use crate::nodes::{add, hear, hear_event, set};
use leptos::prelude::*;
use question_card::write_to_clipboard;
use std::time::Duration;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event};

/// The ids of the elements of `index.html` that label the buttons.
pub(crate) const COPY: &str = "say-copy";
pub(crate) const COPIED: &str = "say-copied";
pub(crate) const AGAIN: &str = "say-again";

/// The time for which a button shows that it has copied.
const TOLD: Duration = Duration::from_secs(2);

/// Adds an icon button that is labelled by the element with the id `name`.
pub(crate) fn add_act(parent: &Element, name: &str) -> Element {
    let button = add(parent, "button", "act");
    set(&button, "type", "button");
    set(&button, "aria-labelledby", name);
    button
}

/// Copies a text, and confirms it on the button.
pub(crate) fn copy(button: Element, text: &str) {
    write_to_clipboard(text, move |is_copied| {
        if is_copied {
            set(&button, "aria-labelledby", COPIED);
            let button = button.clone();
            set_timeout(move || set(&button, "aria-labelledby", COPY), TOLD);
        }
    });
}

/// Lets the buttons in blocks of code copy them, until the current owner is cleaned up.
pub(crate) fn copy_code_in(list: &Element) {
    hear_event(list, "click", |event: Event| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let button = target.and_then(|target| target.closest("pre > .act").ok().flatten());
        let Some(button) = button else { return };
        let code = button.next_element_sibling().and_then(|code| code.text_content());
        copy(button, &code.unwrap_or_default());
    });
}

/// Adds a button that copies a message.
pub(crate) fn add_copy(parent: &Element, text: ArcReadSignal<String>) {
    let button = add_act(parent, COPY);
    let it = button.clone();
    hear(&button, "click", move || text.with_untracked(|text| copy(it.clone(), text)));
}
