//! The tap guard: a button acts only once the card has stood still.

use crate::effect::effect;
use leptos::prelude::*;
use std::cell::Cell;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::MouseEvent;

/// How long the card must have stood still, in milliseconds: a finger that is already on its way lands within this time.
const STILL: f64 = 300.0;

thread_local! {
    /// When a card of this document last took the form of a receipt, or its own again: everything below it moved.
    static PAGE_MOVED_AT: Cell<f64> = const { Cell::new(f64::NEG_INFINITY) };
}

/// Remembers when the card last changed under the user's finger. Needs no timer: the time of the tap itself is compared.
#[derive(Clone, Copy)]
pub(crate) struct Steady {
    moved_at: StoredValue<f64>,
}

impl Steady {
    pub(crate) fn new() -> Self {
        Self { moved_at: StoredValue::new(f64::NEG_INFINITY) }
    }

    /// Something moved or changed its meaning just now.
    pub(crate) fn moved(self) {
        if let Some(now) = now() {
            self.moved_at.try_set_value(now);
        }
    }

    /// As [`moved`](Self::moved), for what came up under the user's finger: each time that `is_up` becomes true. At first it is only looked
    /// at, where all `was_up` before the user was there.
    pub(crate) fn follow_up(self, was_up: bool, is_up: impl Fn() -> bool + 'static) {
        let mut was_up = was_up;
        effect(move || {
            let is_up = is_up();
            if is_up && !was_up {
                self.moved();
            }
            was_up = is_up;
        });
    }

    /// Whether this click is meant. A click without a pointer (a key, an assistive technology) always is.
    pub(crate) fn allows(self, click: &MouseEvent) -> bool {
        let moved_at = self.moved_at.get_value().max(PAGE_MOVED_AT.get());
        click.detail() == 0 || click.time_stamp() - moved_at >= STILL
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

/// The place of all cards in the document changed just now.
pub(crate) fn page_moved() {
    if let Some(now) = now() {
        PAGE_MOVED_AT.set(now);
    }
}

fn now() -> Option<f64> {
    window().performance().map(|clock| clock.now())
}
