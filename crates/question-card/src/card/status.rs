//! What the card says aloud: one live region per card, one queue per document.

use crate::anatomy::part;
use leptos::leptos_dom::helpers::set_timeout;
use leptos::prelude::*;
use std::cell::RefCell;
use std::collections::{HashSet, VecDeque};
use std::time::Duration;

/// Milliseconds between two announcements of a document, so that none cuts off the one before.
const APART: u64 = 500;
/// For as long a region is empty before it is filled: it must have been there for a moment, and the same text twice is only spoken twice
/// where the region was empty in between.
const LEAD: u64 = 100;
/// After this the region is emptied, so that nobody comes across it while reading the page.
const STAY: u64 = 5000;

thread_local! {
    /// What is still to be said in this document.
    static QUEUE: RefCell<Queue> = RefCell::new(Queue::default());
    /// The calls whose question was announced in the life of this page, each by its key.
    static ANNOUNCED: RefCell<HashSet<String>> = RefCell::new(HashSet::new());
}

/// The announcements of all cards of a document, in the order in which they came.
#[derive(Default)]
struct Queue {
    waiting: VecDeque<(Announcer, String)>,
    /// An announcement was made less than [`APART`] ago.
    taken: bool,
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
        Self { text: RwSignal::new(String::new()), shown: StoredValue::new(0) }
    }

    /// Says a text when the document's queue comes to it.
    pub(crate) fn say(self, text: impl Into<String>) {
        let is_free = QUEUE.with_borrow_mut(|queue| {
            queue.waiting.push_back((self, text.into()));
            !std::mem::replace(&mut queue.taken, true)
        });
        if is_free {
            say_next();
        }
    }

    /// As [`say`](Self::say), once for each call in the life of the page.
    pub(crate) fn say_once(self, key: &str, text: impl FnOnce() -> String) {
        if ANNOUNCED.with_borrow_mut(|announced| announced.insert(key.to_owned())) {
            self.say(text());
        }
    }

    /// Fills the region for a while.
    fn speak(self, text: String) {
        let shown = self.show(text);
        after(STAY, move || {
            if self.shown.try_get_value() == shown {
                self.show(String::new());
            }
        });
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

/// Says what has waited longest. A card that is gone is passed over and takes no time from the others.
fn say_next() {
    while let Some((announcer, text)) = QUEUE.with_borrow_mut(|queue| queue.waiting.pop_front()) {
        if announcer.show(String::new()).is_none() {
            continue;
        }
        // One after the other, so that timers which come late do not bring two texts closer together.
        after(LEAD, move || {
            announcer.speak(text);
            after(APART - LEAD, say_next);
        });
        return;
    }
    QUEUE.with_borrow_mut(|queue| queue.taken = false);
}

fn after(milliseconds: u64, act: impl FnOnce() + 'static) {
    set_timeout(act, Duration::from_millis(milliseconds));
}
