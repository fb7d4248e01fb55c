//! The field of the composer, and its text.

use crate::shell::part;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, EventInit, FocusOptions, HtmlTextAreaElement, NodeList};

const FIELD: &str = ".composer textarea";

/// The key of the unsent text in the tab's storage.
const UNSENT: &str = "chat-page unsent";

/// Stores the unsent text, if the browser allows it.
pub(crate) fn keep_unsent(text: &str) {
    if let Ok(Some(storage)) = window().session_storage() {
        let _ = match text {
            "" => storage.remove_item(UNSENT),
            text => storage.set_item(UNSENT, text),
        };
    }
}

/// Moves the focus to the field, after the control that had it went away. If the page scrolls as a whole, the reader's position stays.
pub(crate) fn focus_composer() {
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    // Focusing can't fail.
    let _ = field().focus_with_options(&options);
}

/// Moves the focus to the field if it is in this part of the page, whose controls are about to go.
pub(crate) fn take_focus_of(part: &str) {
    let active = document().active_element();
    if active.is_some_and(|active| active.closest(part).is_ok_and(|part| part.is_some())) {
        focus_composer();
    }
}

/// Takes over text that was typed into an item of the transcript that is about to go, below what is being written, and the focus.
pub(crate) fn keep_typed(item: &Element) {
    // The search field of a long list is not part of the answer.
    let fields = item.query_selector_all(".qc-other-input:not([type=search])");
    let mut texts = vec![field().value()];
    for at in 0..fields.as_ref().map_or(0, NodeList::length) {
        let typed = fields.as_ref().ok().and_then(|fields| fields.item(at));
        texts.extend(typed.map(|typed| typed.unchecked_into::<HtmlTextAreaElement>().value()));
    }
    write_in(&join(&texts));
    if item.contains(document().active_element().as_deref()) {
        focus_composer();
    }
}

/// Writes a text below what is being written.
pub(crate) fn write_below(text: &str) {
    write_in(&join(&[field().value(), text.to_owned()]));
}

/// The texts below each other, without empty ones.
pub(crate) fn join(texts: &[String]) -> String {
    let texts: Vec<_> = texts.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).collect();
    texts.join("\n")
}

/// Writes a text into the field, as the user would.
pub(crate) fn write_in(text: &str) {
    let (field, init) = (field(), EventInit::new());
    if field.value() == text {
        return;
    }
    field.set_value(text);
    init.set_bubbles(true);
    // Dispatching can't fail.
    let _ = Event::new_with_event_init_dict("input", &init).map(|event| field.dispatch_event(&event));
}

pub(crate) fn field() -> HtmlTextAreaElement {
    part(FIELD)
}
