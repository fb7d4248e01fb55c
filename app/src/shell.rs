//! The page's frame, as `index.html` has drawn it: the program takes it over with what is written in it.

use crate::effect::effect;
use crate::words::{Words, words};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, Event};

/// The place for what the program adds to the frame.
#[must_use]
pub fn place() -> web_sys::HtmlElement {
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

/// Keeps an element of the frame as `draw` says, which follows signals.
pub(crate) fn keep(selector: &str, draw: impl Fn(&Element) + 'static) {
    let element: Element = part(selector);
    effect(move || draw(&element));
}

/// Keeps an element's text in the page's language.
pub(crate) fn says(selector: &str, text: fn(&Words) -> &'static str) {
    let words = words();
    keep(selector, move |element| element.set_text_content(Some(text(words.get()))));
}

/// Keeps an element's accessible name in the page's language.
pub(crate) fn is_called(selector: &str, name: fn(&Words) -> &'static str) {
    let words = words();
    keep(selector, move |element| set(element, "aria-label", name(words.get())));
}

/// Sets an attribute.
pub(crate) fn set(element: &Element, name: &str, value: &str) {
    // Fails only for names that are none.
    let _ = element.set_attribute(name, value);
}

/// Hears an element's events until the current owner is cleaned up.
pub(crate) fn hear<E: JsCast>(element: &Element, name: &'static str, act: impl Fn(E) + 'static) {
    let act = Closure::<dyn Fn(Event)>::new(move |event: Event| act(event.unchecked_into()));
    // Neither has a way to fail.
    let _ = element.add_event_listener_with_callback(name, act.as_ref().unchecked_ref());
    let heard = StoredValue::new_local((element.clone(), act));
    on_cleanup(move || {
        heard.with_value(|(element, act)| {
            let _ = element.remove_event_listener_with_callback(name, act.as_ref().unchecked_ref());
        });
    });
}
