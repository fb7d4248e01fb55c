//! Announcements: one live region per card, one queue per document.

use crate::browser::{later, set_text};
use crate::dom::fnv1a;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::Duration;
use web_sys::Element;

/// The time between two announcements of a document, so that none cuts off the one before.
const APART: Duration = Duration::from_millis(500);
/// How long a region is empty before it is filled. It must have existed for a moment, and the same text is only spoken twice if the region
/// was empty in between.
const LEAD: Duration = Duration::from_millis(100);
/// The time after which the region is emptied, so that a user who reads the page does not come across it.
const STAY: Duration = Duration::from_secs(5);

thread_local! {
    static QUEUE: RefCell<AnnouncementQueue> = RefCell::new(AnnouncementQueue::default());
    /// Hashes of what was announced once since the page was loaded. They are few, and a list weighs less in a page than a set does.
    static ANNOUNCED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

#[derive(Default)]
struct AnnouncementQueue {
    waiting: Vec<(Weak<Announcer>, String)>,
    /// An announcement was made less than [`APART`] ago.
    taken: bool,
}

/// Fills the live region of a card.
#[derive(Default)]
pub(crate) struct Announcer {
    region: RefCell<Option<Element>>,
    /// The number of texts shown so far: only the timer of the last one empties the region.
    shown: Cell<u32>,
}

impl Announcer {
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
        let key = fnv1a(key);
        if !ANNOUNCED.with_borrow(|announced| announced.contains(&key)) {
            ANNOUNCED.with_borrow_mut(|announced| announced.push(key));
            self.say(text);
        }
    }

    /// Puts a text into the region. Returns the number of the text.
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
    // The queue is short, so `remove(0)` is cheap.
    let next = |queue: &mut AnnouncementQueue| (!queue.waiting.is_empty()).then(|| queue.waiting.remove(0));
    while let Some((announcer, text)) = QUEUE.with_borrow_mut(next) {
        let Some(live) = announcer.upgrade() else {
            continue;
        };
        live.show("");
        // Chained, so that late timers do not bring two announcements closer together.
        later(LEAD, move || {
            if let Some(live) = announcer.upgrade() {
                let shown = live.show(&text);
                later(STAY, move || {
                    if let Some(live) = announcer.upgrade().filter(|live| live.shown.get() == shown) {
                        live.show("");
                    }
                });
            }
            later(APART.saturating_sub(LEAD), say_next);
        });
        return;
    }
    QUEUE.with_borrow_mut(|queue| queue.taken = false);
}
