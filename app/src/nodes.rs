//! Plain nodes, of which everything but the cards is made. Only closures are generic, and they are boxed at once, so that each use adds only its
//! calls to the program.

use crate::effect::at_cleanup;
use leptos::prelude::document;
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
    // A new element can be a child.
    let _ = parent.append_child(&element);
    element
}

pub(crate) fn set(element: &Element, name: &str, value: &str) {
    // Fails only for invalid names.
    let _ = element.set_attribute(name, value);
}

/// Makes this the whole text of an element, unless it is already.
pub(crate) fn write(element: &Element, text: &str) {
    if element.text_content().as_deref() != Some(text) {
        element.set_text_content(Some(text));
    }
}

/// Listens until the current owner is cleaned up.
pub(crate) fn hear(target: &EventTarget, name: &'static str, act: impl Fn() + 'static) {
    hear_event(target, name, move |_: Event| act());
}

/// The same, with the events.
pub(crate) fn hear_event<E: JsCast>(target: &EventTarget, name: &'static str, act: impl Fn(E) + 'static) {
    listen(target, name, false, Closure::new(move |event: Event| act(event.unchecked_into())));
}

/// Listens, before what is inside the target does, until the current owner is cleaned up.
pub(crate) fn hear_first(target: &EventTarget, name: &'static str, act: impl Fn() + 'static) {
    listen(target, name, true, Closure::new(move |_| act()));
}

fn listen(target: &EventTarget, name: &'static str, capture: bool, act: Closure<dyn Fn(Event)>) {
    // Adding and removing a listener can't fail.
    let _ = target.add_event_listener_with_callback_and_bool(name, act.as_ref().unchecked_ref(), capture);
    let target = target.clone();
    at_cleanup(move || {
        let _ = target.remove_event_listener_with_callback_and_bool(name, act.as_ref().unchecked_ref(), capture);
    });
}

/// A new button with the act of a press. The listener lives as long as the current owner.
pub(crate) fn button(class: &str, act: impl Fn() + 'static) -> Element {
    let button = element("button", class);
    set(&button, "type", "button");
    hear(&button, "click", act);
    button
}

/// The same, as the last child of another element.
pub(crate) fn add_button(parent: &Element, class: &str, act: impl Fn() + 'static) -> Element {
    let button = button(class, act);
    // A new element can be a child.
    let _ = parent.append_child(&button);
    button
}

pub(crate) fn shows(element: &Element, is_shown: bool) {
    toggle(element, "hidden", !is_shown);
}

/// Sets an attribute without a value, or removes it.
pub(crate) fn toggle(element: &Element, name: &str, is_set: bool) {
    // Fails only for invalid names.
    let _ = element.toggle_attribute_with_force(name, is_set);
}

/// Puts children into an element that has no others, or takes them out.
pub(crate) fn fill(parent: &Element, children: &[&Element], is_full: bool) {
    if !is_full {
        parent.set_text_content(None);
    } else if !parent.has_child_nodes() {
        // Appending an element can't fail here.
        children.iter().for_each(|child| drop(parent.append_child(child)));
    }
}

/// Removes an element from the page when the current owner is cleaned up.
pub(crate) fn goes_with_owner(element: &Element) {
    let element = element.clone();
    at_cleanup(move || element.remove());
}
