//! The card's bindings to the browser: globals, properties by name, timers and listeners.
//!
//! Each imported function costs code on both sides, so properties are read by name, through one function per type.

use std::cell::Cell;
use std::time::Duration;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, EventTarget, HtmlElement, Node};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = document, js_name = createElement, catch)]
    pub(crate) fn create_element(tag: &str) -> Result<Node, JsValue>;

    #[wasm_bindgen(js_namespace = document, js_name = createTextNode)]
    pub(crate) fn create_text(text: &str) -> Node;

    /// Milliseconds since the page was opened.
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    pub(crate) fn clock() -> f64;

    #[wasm_bindgen(js_name = matchMedia)]
    pub(crate) fn match_media(query: &str) -> JsValue;

    #[wasm_bindgen(js_name = getSelection)]
    pub(crate) fn selection() -> Option<Node>;

    #[wasm_bindgen(js_name = queueMicrotask)]
    fn queue_microtask(act: &JsValue);

    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(act: &JsValue, milliseconds: i32) -> i32;

    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(id: i32);

    /// A property that is a text.
    #[wasm_bindgen(js_namespace = Reflect, js_name = get)]
    pub(crate) fn text(of: &JsValue, name: &str) -> String;

    /// A property that is true or false; false if it is missing.
    #[wasm_bindgen(js_namespace = Reflect, js_name = get)]
    pub(crate) fn flag(of: &JsValue, name: &str) -> bool;

    /// A property that is a number.
    #[wasm_bindgen(js_namespace = Reflect, js_name = get)]
    pub(crate) fn number(of: &JsValue, name: &str) -> f64;

    /// A property that is a node, or the window.
    #[wasm_bindgen(js_namespace = Reflect, js_name = get)]
    pub(crate) fn node(of: &JsValue, name: &str) -> Option<Node>;

    /// A property that is an element.
    #[wasm_bindgen(js_namespace = Reflect, js_name = get)]
    pub(crate) fn element(of: &JsValue, name: &str) -> Option<Element>;

    #[wasm_bindgen(js_namespace = Reflect, js_name = set)]
    pub(crate) fn set_text(of: &JsValue, name: &str, value: &str);

    #[wasm_bindgen(js_namespace = Reflect, js_name = set)]
    pub(crate) fn set_flag(of: &JsValue, name: &str, value: bool);
}

/// Returns true if a node is of this type, such as [`Node::ELEMENT_NODE`].
pub(crate) fn is_of_type(node: &Node, of: u16) -> bool {
    number(node, "nodeType") == f64::from(of)
}

/// Runs `act` for each descendant that matches a selector, or for none if the browser does not know the selector.
pub(crate) fn each_inside(around: &Element, selector: &str, act: &mut dyn FnMut(&Element)) {
    let Ok(found) = around.query_selector_all(selector) else {
        return;
    };
    let mut at = 0;
    while let Some(element) = found.item(at) {
        act(element.unchecked_ref());
        at += 1;
    }
}

/// Focuses an element and lets the browser scroll to it.
pub(crate) fn focus_on(element: &HtmlElement) {
    focus_with(element, false);
}

/// Focuses an element without scrolling.
pub(crate) fn focus_quietly(element: &HtmlElement) {
    focus_with(element, true);
}

fn focus_with(element: &HtmlElement, prevents_scroll: bool) {
    let options = js_sys::Object::new();
    set_flag(&options, "preventScroll", prevents_scroll);
    // Focusing is best effort.
    let _ = element.focus_with_options(options.unchecked_ref());
}

/// Scrolls an element into view, as far as that is needed.
pub(crate) fn scroll_to(element: &Element) {
    let options = js_sys::Object::new();
    set_text(&options, "block", "nearest");
    element.scroll_into_view_with_scroll_into_view_options(options.unchecked_ref());
}

/// A function that the browser calls, with or without an argument. One type for all, because each type would add code.
pub(crate) type PageFunction = Closure<dyn Fn(JsValue)>;

/// A function that is freed once nothing in the browser refers to it.
pub(crate) fn callback(act: impl Fn(JsValue) + 'static) -> JsValue {
    PageFunction::new(act).into_js_value()
}

/// A function that acts once.
fn once(act: Box<dyn FnOnce()>) -> PageFunction {
    let act = Cell::new(Some(act));
    PageFunction::new(move |_| {
        if let Some(act) = act.take() {
            act();
        }
    })
}

/// Runs `act` later; it can't be cancelled.
pub(crate) fn later(after: Duration, act: impl FnOnce() + 'static) {
    set_timeout(&once(Box::new(act)).into_js_value(), milliseconds(after));
}

/// Runs `act` as soon as the current task is over.
pub(crate) fn soon(act: impl FnOnce() + 'static) {
    queue_microtask(&once(Box::new(act)).into_js_value());
}

/// Runs a function later, unless it is dropped before.
pub(crate) struct Timer {
    id: i32,
    _act: PageFunction,
}

impl Timer {
    pub(crate) fn new(after: Duration, act: impl FnOnce() + 'static) -> Self {
        let act = once(Box::new(act));
        Self { id: set_timeout(act.as_ref(), milliseconds(after)), _act: act }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        clear_timeout(self.id);
    }
}

/// Listens to events until it is dropped. No `FnMut`, because handling an event may fire other events.
pub(crate) struct Listening {
    target: EventTarget,
    events: &'static [&'static str],
    act: PageFunction,
}

impl Listening {
    /// Listens to these events of a target and its descendants.
    pub(crate) fn to(target: &EventTarget, events: &'static [&'static str], act: impl Fn(Event) + 'static) -> Self {
        Self::new(target, events, Box::new(move |event| act(event.unchecked_into())))
    }

    fn new(target: &EventTarget, events: &'static [&'static str], act: Box<dyn Fn(JsValue)>) -> Self {
        let act = Closure::wrap(act);
        let listener = act.as_ref().unchecked_ref();
        for name in events {
            // Throws only if the argument is not a listener.
            let _ = target.add_event_listener_with_callback(name, listener);
        }
        Self { target: target.clone(), events, act }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let listener = self.act.as_ref().unchecked_ref();
        for name in self.events {
            let _ = self.target.remove_event_listener_with_callback(name, listener);
        }
    }
}

fn milliseconds(after: Duration) -> i32 {
    i32::try_from(after.as_millis()).unwrap_or(i32::MAX)
}
