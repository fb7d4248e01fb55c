//! Storage of drafts while their card is not on the screen.
//!
//! Each call has one record: the last state of a card that shows it. The record stays when a list or a route removes the card, and the next
//! card begins with it. [`Persist`] sets a storage beyond the life of the page. A draft is kept from the first change until the ask is
//! over; a part that did not reach the agent, until the user dismisses it.

use crate::card::Unsettled;
use crate::dom::Ids;
use crate::draft::StoredDraft;
use std::cell::{Cell, RefCell};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// The storage of drafts beyond the life of the page. By default nothing is written. A page that uses no storage does not carry the code that
/// writes and reads drafts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Persist(Option<&'static Storage>);

/// Reads and writes the draft under a key. The functions are values, so that the linker drops them.
#[derive(Debug)]
struct Storage {
    load: fn(&str) -> Option<StoredDraft>,
    write: fn(&str, Option<StoredDraft>),
}

impl Persist {
    /// Stores drafts in the tab's `sessionStorage`, under a key for each call. If the browser refuses, they are only in memory. A stored
    /// text is not trusted: one that is no draft of this call is ignored, and options that the question no longer has are left out. A file
    /// is only stored if its URL has at most 64 KiB.
    #[must_use]
    pub fn session() -> Self {
        Self(Some(&SESSION))
    }

    /// Returns true if drafts are written at all.
    pub(crate) fn is_written(&self) -> bool {
        self.0.is_some()
    }

    /// The record of this call, from memory or from the storage.
    pub(crate) fn load(&self, key: &str) -> Remembered {
        let mut found = recall(key);
        found.draft = found.draft.or_else(|| self.stored(key));
        found
    }

    /// The stored draft of this call.
    pub(crate) fn stored(&self, key: &str) -> Option<StoredDraft> {
        self.0.and_then(|storage| (storage.load)(key))
    }

    /// Writes the draft of this call to the storage.
    pub(crate) fn write(&self, key: &str) {
        if let Some(storage) = self.0 {
            (storage.write)(key, recall(key).draft);
        }
    }
}

/// The stored state of a call whose card may be gone: the draft, and a submission that is not settled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remembered {
    pub(crate) draft: Option<StoredDraft>,
    pub(crate) given: Option<Unsettled>,
}

/// The tab's `sessionStorage`, which a browser may refuse.
static SESSION: Storage = Storage { load, write };

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = sessionStorage, js_name = getItem, catch)]
    fn get_item(key: &str) -> Result<Option<String>, JsValue>;

    #[wasm_bindgen(js_namespace = sessionStorage, js_name = setItem, catch)]
    fn set_item(key: &str, text: &str) -> Result<(), JsValue>;

    #[wasm_bindgen(js_namespace = sessionStorage, js_name = removeItem, catch)]
    fn remove_item(key: &str) -> Result<(), JsValue>;
}

fn load(key: &str) -> Option<StoredDraft> {
    StoredDraft::from_text(key, &get_item(&storage_key(key)).ok()??)
}

fn write(key: &str, kept: Option<StoredDraft>) {
    // If the storage is full, the draft is only in memory. A draft that is too long leaves the one stored before.
    let _ = match kept.map(|kept| kept.to_text(key)) {
        Some(Some(text)) => set_item(&storage_key(key), &text),
        Some(None) => Ok(()),
        None => remove_item(&storage_key(key)),
    };
}

/// The most records in memory; the oldest ones are dropped first.
const MOST_IN_MEMORY: usize = 100;

/// The record of a call: what the user has given, and the agent does not have.
struct Record {
    key: String,
    /// The number of the card that writes it.
    holder: usize,
    state: Remembered,
}

thread_local! {
    /// The records of this page. Used only in a browser.
    static RECORDS: RefCell<Vec<Record>> = const { RefCell::new(Vec::new()) };
    static HOLDERS: Cell<usize> = const { Cell::new(0) };
}

/// A number for a card that begins to write records, higher than any before.
pub(crate) fn hold() -> usize {
    HOLDERS.set(HOLDERS.get() + 1);
    HOLDERS.get()
}

/// Stores the state of a card as the record of its call, unless a later card holds the record: agents number their calls, so the later card
/// may show another question.
pub(crate) fn keep(key: &str, holder: usize, state: Remembered) {
    RECORDS.with_borrow_mut(|records| {
        if records.iter().any(|record| record.key == key && record.holder > holder) {
            return;
        }
        records.retain(|record| record.key != key);
        if state != Remembered::default() {
            records.push(Record { key: key.to_owned(), holder, state });
        }
        if records.len() > MOST_IN_MEMORY {
            records.remove(0);
        }
    });
}

fn recall(key: &str) -> Remembered {
    RECORDS.with_borrow(|records| {
        let found = records.iter().find(|record| record.key == key);
        found.map(|record| record.state.clone()).unwrap_or_default()
    })
}

/// A key of the card's own, never the call's id, which the agent chooses.
fn storage_key(key: &str) -> String {
    Ids::new(key).draft()
}
