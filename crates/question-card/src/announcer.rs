//! Announcements: one live region per card, one queue per document.

use crate::browser::{later, set_text};
use crate::once::Once;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::Duration;
use web_sys::Element;

/// Milliseconds between two announcements of a document, so that none cuts off the one before.
const APART: u64 = 500;
/// Milliseconds for which a region is empty before it is filled: it must have existed for a moment, and the same text is spoken twice only
/// if the region was empty in between.
const LEAD: u64 = 100;
/// Milliseconds after which the region is emptied, so that a user who reads the page does not come across it.
const STAY: u64 = 5000;

thread_local! {
    /// The announcements that are still to be made in this document.
    static QUEUE: RefCell<AnnouncementQueue> = RefCell::new(AnnouncementQueue::default());
    /// The keys of the calls whose question was announced since the page was loaded.
    static ANNOUNCED: Once = const { Once::new() };
}

/// The announcements of all cards of a document, in the order in which they came.
#[derive(Default)]
struct AnnouncementQueue {
    waiting: Vec<(Weak<Announcer>, String)>,
    /// An announcement was made less than [`APART`] ago.
    taken: bool,
}

impl AnnouncementQueue {
    fn next(&mut self) -> Option<(Weak<Announcer>, String)> {
        // The queue is short.
        (!self.waiting.is_empty()).then(|| self.waiting.remove(0))
    }
}

/// Fills a live region.
#[derive(Default)]
pub(crate) struct Announcer {
    region: RefCell<Option<Element>>,
    /// The number of texts shown, by which only the last one's timer empties the region.
    shown: Cell<u32>,
}

impl Announcer {
    /// Sets the region.
    pub(crate) fn speak_in(&self, region: Option<Element>) {
        self.region.replace(region);
    }

    pub(crate) fn has_region(&self) -> bool {
        self.region.borrow().is_some()
    }

    /// Announces a text when its turn in the document's queue comes.
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
        if ANNOUNCED.with(|announced| announced.insert(key)) {
            self.say(text);
        }
    }

    /// Puts a text into the region. Returns its number.
    fn show(&self, text: &str) -> u32 {
        if let Some(region) = &*self.region.borrow() {
            set_text(region, "textContent", text);
        }
        self.shown.set(self.shown.get() + 1);
        self.shown.get()
    }
}

/// Announces the text that has waited longest. A card that is gone is skipped, and costs the others no time.
fn say_next() {
    while let Some((announcer, text)) = QUEUE.with_borrow_mut(AnnouncementQueue::next) {
        let Some(live) = announcer.upgrade() else {
            continue;
        };
        live.show("");
        // In a chain, so that late timers do not bring two texts closer together.
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
