//! The actions of a user that bring a card into a state.

use crate::words;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, EventInit, HtmlElement, HtmlFormElement, HtmlTextAreaElement};

/// Submits the form in this element, as its button does.
pub(crate) fn submit(frame: &Element) {
    let form = frame.query_selector("form").ok().flatten();
    if let Some(form) = form.and_then(|form| form.dyn_into::<HtmlFormElement>().ok()) {
        // No script or frame keeps a form of this page from being submitted.
        let _ = form.request_submit();
    }
}

/// Chooses the first option of each question, and types a free text at the last.
pub(crate) fn fill(frame: &Element) {
    for question in all(frame, "fieldset") {
        let first = question.query_selector("input").ok().flatten();
        if let Some(first) = first.and_then(|first| first.dyn_into::<HtmlElement>().ok()) {
            first.click();
        }
    }
    for (kind, text) in [("number", "2048"), ("date", "2026-12-24"), ("datetime-local", "2026-12-24T18:30")] {
        for field in all(frame, &format!(".qc-other-input[type={kind}]")) {
            write(field.unchecked_ref(), text);
        }
    }
    let last = all(frame, "textarea").pop();
    if let Some(field) = last.and_then(|field| field.dyn_into::<HtmlTextAreaElement>().ok()) {
        write(&field, words::OWN_ANSWER);
    }
}

fn write(field: &HtmlTextAreaElement, text: &str) {
    field.set_value(text);
    let bubbling = EventInit::new();
    bubbling.set_bubbles(true);
    if let Ok(input) = Event::new_with_event_init_dict("input", &bubbling) {
        // Dispatching can't fail; it returns whether a listener prevented the default, and there is none.
        let _ = field.dispatch_event(&input);
    }
}

fn all(frame: &Element, selector: &str) -> Vec<Element> {
    let Ok(found) = frame.query_selector_all(selector) else {
        return Vec::new();
    };
    (0..found.length()).filter_map(|index| found.item(index)?.dyn_into().ok()).collect()
}
