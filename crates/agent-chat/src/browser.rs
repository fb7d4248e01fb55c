//! What the browser says of itself, and waiting.

use js_sys::{Function, Promise};
use leptos::prelude::{document, window};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen_futures::JsFuture;

/// Whether anybody can see the page.
pub(crate) fn is_visible() -> bool {
    !document().hidden()
}

/// Whether the machine has a network, as far as the browser knows.
pub(crate) fn is_online() -> bool {
    window().navigator().on_line()
}

/// A rest that can be cut short.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rest(Rc<RefCell<Option<Function>>>);

impl Rest {
    /// Rests until it is woken, or so long at most.
    pub(crate) async fn take(&self, most: Option<Duration>) {
        let promise = Promise::new(&mut |wake, _| {
            if let Some(most) = most {
                let millis = i32::try_from(most.as_millis()).unwrap_or(i32::MAX);
                // It fails only where it is no function.
                let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&wake, millis);
            }
            self.0.replace(Some(wake));
        });
        // It is never rejected.
        let _ = JsFuture::from(promise).await;
    }

    /// Ends a rest that is being taken.
    pub(crate) fn wake(&self) {
        if let Some(wake) = self.0.take() {
            let _ = wake.call0(&wasm_bindgen::JsValue::UNDEFINED);
        }
    }
}
