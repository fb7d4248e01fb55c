//! What the card asks of the browser: its window and document, timers, listeners.

use std::time::Duration;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Document, Event, EventTarget, Window};

/// The window that the card is in.
pub(crate) fn window() -> Window {
    web_sys::window().expect("a card is drawn in a window")
}

/// The document that the card is in.
pub(crate) fn document() -> Document {
    window().document().expect("a window has a document")
}

/// What the browser calls, once.
pub(crate) fn callback(act: impl FnOnce() + 'static) -> JsValue {
    Closure::once_into_js(boxed(act))
}

/// Does something later, whatever happens until then.
pub(crate) fn later(after: Duration, act: impl FnOnce() + 'static) {
    let act = callback(act);
    // The browser refuses only what is no function.
    let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(act.unchecked_ref(), milliseconds(after));
}

/// Does something as soon as what is being done is over.
pub(crate) fn soon(act: impl FnOnce() + 'static) {
    window().queue_microtask(callback(act).unchecked_ref());
}

/// Something that will be done, unless this is dropped before.
pub(crate) struct Timer {
    id: i32,
    _act: Closure<dyn FnMut()>,
}

impl Timer {
    /// Does something later.
    pub(crate) fn new(after: Duration, act: impl FnOnce() + 'static) -> Self {
        let act = Closure::once(boxed(act));
        let ring = act.as_ref().unchecked_ref();
        let id = window().set_timeout_with_callback_and_timeout_and_arguments_0(ring, milliseconds(after));
        // The browser refuses only what is no function.
        Self { id: id.unwrap_or_default(), _act: act }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        window().clear_timeout_with_handle(self.id);
    }
}

/// Listens to events until it is dropped. It takes no `FnMut`: what is done about an event may make events of its own.
pub(crate) struct Listening {
    target: EventTarget,
    events: &'static [&'static str],
    captures: bool,
    act: Closure<dyn Fn(Event)>,
}

impl Listening {
    /// Listens to these events of a target and of what is inside it.
    pub(crate) fn to(target: &EventTarget, events: &'static [&'static str], act: impl Fn(Event) + 'static) -> Self {
        Self::new(target, events, false, Box::new(act))
    }

    /// As [`to`](Self::to), before anybody inside hears of them and can hide them.
    pub(crate) fn before_all(
        target: &EventTarget,
        events: &'static [&'static str],
        act: impl Fn(Event) + 'static,
    ) -> Self {
        Self::new(target, events, true, Box::new(act))
    }

    fn new(target: &EventTarget, events: &'static [&'static str], captures: bool, act: Box<dyn Fn(Event)>) -> Self {
        let act = Closure::wrap(act);
        let listener = act.as_ref().unchecked_ref();
        for name in events {
            // The browser refuses only what is no listener.
            let _ = target.add_event_listener_with_callback_and_bool(name, listener, captures);
        }
        Self { target: target.clone(), events, captures, act }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let listener = self.act.as_ref().unchecked_ref();
        for name in self.events {
            let _ = self.target.remove_event_listener_with_callback_and_bool(name, listener, self.captures);
        }
    }
}

/// For the compiler all that is done later is one.
fn boxed(act: impl FnOnce() + 'static) -> Box<dyn FnOnce()> {
    Box::new(act)
}

fn milliseconds(after: Duration) -> i32 {
    i32::try_from(after.as_millis()).unwrap_or(i32::MAX)
}
