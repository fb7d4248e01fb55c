//! What the card says aloud: one live region per card, one queue per document.

use crate::anatomy::part;
use leptos::leptos_dom::helpers::set_timeout;
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::time::Duration;

/// Milliseconds between two announcements of a document, so that none cuts off the one before.
const APART: f64 = 500.0;
/// For as long a region is empty before it is filled: it must have been there for a moment, and the same text twice is only spoken twice
/// where the region was empty in between.
const LEAD: f64 = 100.0;
/// After this the region is emptied, so that nobody comes across it while reading the page.
const STAY: f64 = 5000.0;

thread_local! {
    /// When the queue of this document is free again.
    static FREE_AT: Cell<f64> = const { Cell::new(0.0) };
    /// The calls whose question was announced in the life of this page.
    static ANNOUNCED: RefCell<HashSet<String>> = RefCell::new(HashSet::new());
}

/// Fills the card's live region.
#[derive(Clone, Copy)]
pub(crate) struct Announcer {
    text: RwSignal<String>,
    /// Counts what was shown, so that only the last one's timer empties the region.
    shown: StoredValue<u32>,
}

impl Announcer {
    pub(crate) fn new() -> Self {
        Self {
            text: RwSignal::new(String::new()),
            shown: StoredValue::new(0),
        }
    }

    /// Says a text when the document's queue comes to it.
    pub(crate) fn say(self, text: impl Into<String>) {
        let text = text.into();
        let now = window().performance().map_or(0.0, |clock| clock.now());
        let at = FREE_AT.get().max(now + LEAD);
        FREE_AT.set(at + APART);
        after(at - LEAD - now, move || {
            self.show(String::new());
        });
        after(at - now, move || {
            let shown = self.show(text);
            after(STAY, move || {
                if self.shown.try_get_value() == shown {
                    self.show(String::new());
                }
            });
        });
    }

    /// As [`say`](Self::say), once for each call in the life of the page.
    pub(crate) fn say_once(self, tool_call_id: &str, text: impl FnOnce() -> String) {
        if ANNOUNCED.with_borrow_mut(|announced| announced.insert(tool_call_id.to_owned())) {
            self.say(text());
        }
    }

    /// Puts a text into the region, unless the card is gone. Gives which one it is.
    fn show(self, text: String) -> Option<u32> {
        self.text.try_set(text);
        self.shown.try_update_value(|shown| {
            *shown += 1;
            *shown
        })
    }

    /// The region. It stays mounted and stands outside the form, which is busy at times.
    pub(crate) fn view(self) -> impl IntoView {
        view! {
            <div class=format!("{} {}", part::STATUS, part::HIDDEN) role="status" aria-live="polite" aria-atomic="true">
                {move || self.text.get()}
            </div>
        }
    }
}

fn after(milliseconds: f64, act: impl FnOnce() + 'static) {
    set_timeout(act, Duration::from_secs_f64(milliseconds.max(0.0) / 1000.0));
}
