//! The tap guard: a button acts only once the card has stood still.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::MouseEvent;

/// How long the card must have stood still, in milliseconds: a finger that is already on its way lands within this time.
const STILL: f64 = 300.0;

/// Remembers when the card last changed under the user's finger. Needs no timer: the time of the tap itself is compared.
#[derive(Clone, Copy)]
pub(crate) struct Steady {
    moved_at: StoredValue<f64>,
}

impl Steady {
    pub(crate) fn new() -> Self {
        Self {
            moved_at: StoredValue::new(f64::NEG_INFINITY),
        }
    }

    /// Something moved or changed its meaning just now.
    pub(crate) fn moved(self) {
        if let Some(clock) = window().performance() {
            self.moved_at.try_update_value(|at| *at = clock.now());
        }
    }

    /// Whether this click is meant. A click without a pointer (a key, an assistive technology) always is.
    pub(crate) fn allows(self, click: &MouseEvent) -> bool {
        click.detail() == 0 || click.time_stamp() - self.moved_at.get_value() >= STILL
    }

    /// Takes each change of the element's size for a move.
    pub(crate) fn watch(self, element: &web_sys::Element) {
        let on_resize = Closure::<dyn FnMut()>::new(move || self.moved());
        let Ok(observer) = web_sys::ResizeObserver::new(on_resize.as_ref().unchecked_ref()) else {
            return;
        };
        observer.observe(element);
        let watching = StoredValue::new_local((observer, on_resize));
        on_cleanup(move || {
            watching.try_with_value(|(observer, _)| observer.disconnect());
        });
    }
}
