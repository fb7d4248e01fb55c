//! What the card says aloud: one live region per card, one queue per document.

use crate::anatomy::part;
use leptos::leptos_dom::helpers::set_timeout;
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::time::Duration;

/// Between two announcements of a document, so that none cuts off the one before.
const APART: f64 = 500.0;
/// A live region must have been there for a moment before it is filled.
const LEAD: f64 = 100.0;
/// After this the region is emptied, so that nobody comes across it while reading the page.
const STAY: Duration = Duration::from_secs(5);

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
    /// Counts announcements, so that only the last one's timer empties the region.
    turn: StoredValue<u64>,
}

impl Announcer {
    pub(crate) fn new() -> Self {
        Self {
            text: RwSignal::new(String::new()),
            turn: StoredValue::new(0),
        }
    }

    /// Says a text when the document's queue comes to it. The region is emptied first: the same text twice is spoken twice.
    pub(crate) fn say(self, text: impl Into<String>) {
        let text = text.into();
        let now = window().performance().map_or(0.0, |clock| clock.now());
        let at = FREE_AT.get().max(now + LEAD);
        FREE_AT.set(at + APART);
        self.text.set(String::new());
        let turn = self.turn.try_update_value(|turn| {
            *turn += 1;
            *turn
        });
        let still_mine = move || turn.is_some() && self.turn.try_get_value() == turn;
        let show = move || {
            if still_mine() {
                self.text.set(text);
                let clear = move || {
                    if still_mine() {
                        self.text.set(String::new());
                    }
                };
                set_timeout(clear, STAY);
            }
        };
        set_timeout(show, Duration::from_secs_f64((at - now) / 1000.0));
    }

    /// As [`say`](Self::say), once for each call in the life of the page.
    pub(crate) fn say_once(self, tool_call_id: &str, text: impl FnOnce() -> String) {
        if ANNOUNCED.with_borrow_mut(|announced| announced.insert(tool_call_id.to_owned())) {
            self.say(text());
        }
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
