//! What is said aloud: one live region per card, one queue per document.

use crate::browser::{later, set_text};
use crate::once::Once;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::Duration;
use web_sys::Element;

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
    static ANNOUNCED: Once = const { Once::new() };
}

/// The announcements of all cards of a document, in the order in which they came.
#[derive(Default)]
struct Queue {
    waiting: Vec<(Weak<Announcer>, String)>,
    /// An announcement was made less than [`APART`] ago.
    taken: bool,
}

impl Queue {
    fn next(&mut self) -> Option<(Weak<Announcer>, String)> {
        // There are few.
        (!self.waiting.is_empty()).then(|| self.waiting.remove(0))
    }
}

/// Fills a live region.
#[derive(Default)]
pub(crate) struct Announcer {
    region: RefCell<Option<Element>>,
    /// Counts what was shown, so that only the last one's timer empties the region.
    shown: Cell<u32>,
}

impl Announcer {
    /// The region is there now.
    pub(crate) fn speak_in(&self, region: Option<Element>) {
        self.region.replace(region);
    }

    pub(crate) fn has_region(&self) -> bool {
        self.region.borrow().is_some()
    }

    /// Says a text when the document's queue comes to it.
    pub(crate) fn say(self: &Rc<Self>, text: impl Into<String>) {
        let is_free = QUEUE.with_borrow_mut(|queue| {
            queue.waiting.push((Rc::downgrade(self), text.into()));
            !std::mem::replace(&mut queue.taken, true)
        });
        if is_free {
            say_next();
        }
    }

    /// As [`say`](Self::say), once for each key in the life of the page.
    pub(crate) fn say_once(self: &Rc<Self>, key: &str, text: String) {
        if ANNOUNCED.with(|announced| announced.is_first(key)) {
            self.say(text);
        }
    }

    /// Puts a text into the region. Gives which one it is.
    fn show(&self, text: &str) -> u32 {
        if let Some(region) = &*self.region.borrow() {
            set_text(region, "textContent", text);
        }
        self.shown.set(self.shown.get() + 1);
        self.shown.get()
    }
}

/// Says what has waited longest. A card that is gone is passed over and takes no time from the others.
fn say_next() {
    while let Some((announcer, text)) = QUEUE.with_borrow_mut(Queue::next) {
        let Some(live) = announcer.upgrade() else {
            continue;
        };
        live.show("");
        // One after the other, so that timers which come late do not bring two texts closer together.
        after(LEAD, move || {
            if let Some(live) = announcer.upgrade() {
                let shown = live.show(&text);
                after(STAY, move || {
                    if let Some(live) = announcer.upgrade().filter(|live| live.shown.get() == shown) {
                        live.show("");
                    }
                });
            }
            after(APART - LEAD, say_next);
        });
        return;
    }
    QUEUE.with_borrow_mut(|queue| queue.taken = false);
}

fn after(milliseconds: u64, act: impl FnOnce() + 'static) {
    later(Duration::from_millis(milliseconds), act);
}
