//! The browser's state, and pauses.

use js_sys::{Function, Promise};
use leptos::prelude::{document, window};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen_futures::JsFuture;

pub(crate) fn is_visible() -> bool {
    !document().hidden()
}

/// Returns true if the machine has a network, as far as the browser knows.
pub(crate) fn is_online() -> bool {
    window().navigator().on_line()
}

/// A pause that can be ended early.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pause(Rc<Waking>);

#[derive(Debug, Default)]
struct Waking {
    wake: RefCell<Option<Function>>,
    /// True if it was woken while no task was waiting.
    is_over: Cell<bool>,
}

impl Pause {
    /// Waits until it is woken, for at most this time. Returns at once if it was woken since the last pause.
    pub(crate) async fn take(&self, most: Option<Duration>) {
        if self.0.is_over.take() {
            return;
        }
        let promise = Promise::new(&mut |wake, _| {
            if let Some(most) = most {
                let millis = i32::try_from(most.as_millis()).unwrap_or(i32::MAX);
                // `setTimeout` fails only if the handler is no function.
                let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&wake, millis);
            }
            self.0.wake.replace(Some(wake));
        });
        // The promise is never rejected.
        let _ = JsFuture::from(promise).await;
        self.0.wake.take();
    }

    /// Ends the current pause, or the next one if none is taken.
    pub(crate) fn wake(&self) {
        match self.0.wake.take() {
            Some(wake) => {
                let _ = wake.call0(&wasm_bindgen::JsValue::UNDEFINED);
            }
            None => self.0.is_over.set(true),
        }
    }
}
