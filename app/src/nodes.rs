//! Elements of the page as the browser has them. Nothing here is generic beyond a closure that is boxed at once: a view costs the program
//! its calls and no more.

use crate::effect::effect;
use crate::words::{Pick, words};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, Event, EventTarget};

/// A new element of this class, which may be empty.
pub(crate) fn element(tag: &str, class: &str) -> Element {
    let element = document().create_element(tag).expect("the names are those of HTML");
    if !class.is_empty() {
        set(&element, "class", class);
    }
    element
}

/// The same, as the last child of another.
pub(crate) fn add(parent: &Element, tag: &str, class: &str) -> Element {
    let element = element(tag, class);
    // Nothing keeps a new element from being a child.
    let _ = parent.append_child(&element);
    element
}

/// Sets an attribute.
pub(crate) fn set(element: &Element, name: &str, value: &str) {
    // Fails only for names that are none.
    let _ = element.set_attribute(name, value);
}

/// Sets an attribute that is there, and empty, or not there.
pub(crate) fn flag(element: &Element, name: &str, is_on: bool) {
    // Fails only for names that are none.
    let _ = element.toggle_attribute_with_force(name, is_on);
}

/// Makes this the whole text of an element, unless it is already.
pub(crate) fn write(element: &Element, text: &str) {
    if element.text_content().as_deref() != Some(text) {
        element.set_text_content(Some(text));
    }
}

/// Keeps an element as `draw` says, which follows signals.
pub(crate) fn keep(element: &Element, draw: impl Fn(&Element) + 'static) {
    let element = element.clone();
    effect(move || draw(&element));
}

/// Keeps an element's text in the page's language.
pub(crate) fn says(element: &Element, text: Pick) {
    let words = words();
    keep(element, move |element| write(element, text(words.get())));
}

/// Keeps an element's accessible name in the page's language.
pub(crate) fn is_called(element: &Element, name: Pick) {
    let words = words();
    keep(element, move |element| set(element, "aria-label", name(words.get())));
}

/// Hears events until the current owner is cleaned up.
pub(crate) fn hear<E: JsCast>(target: &EventTarget, name: &'static str, act: impl Fn(E) + 'static) {
    hear_any(target, name, Box::new(move |event| act(event.unchecked_into())));
}

fn hear_any(target: &EventTarget, name: &'static str, act: Box<dyn Fn(Event)>) {
    let act = Closure::wrap(act);
    // Neither has a way to fail.
    let _ = target.add_event_listener_with_callback(name, act.as_ref().unchecked_ref());
    let heard = StoredValue::new_local((target.clone(), act));
    on_cleanup(move || {
        heard.with_value(|(target, act)| {
            let _ = target.remove_event_listener_with_callback(name, act.as_ref().unchecked_ref());
        });
    });
}

/// Takes an element out of the page when the current owner is cleaned up.
pub(crate) fn goes_with_owner(element: &Element) {
    let element = StoredValue::new_local(element.clone());
    on_cleanup(move || element.with_value(Element::remove));
}
