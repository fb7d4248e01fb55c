//! Storage of drafts while their card is not on the screen.
//!
//! Each call has one record: the last state of a card that shows it. It stays when a list or a route removes the card, and the next card begins
//! with it. [`Persist`] sets a storage beyond the life of the page. A draft is kept from the first change until the ask is over. A part that did
//! not reach the agent is kept until the user dismisses it.

use crate::card::Unsettled;
use crate::dom::Ids;
use crate::draft::StoredDraft;
use std::cell::RefCell;
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
    /// Stores drafts in the tab's `sessionStorage`, under a key for each call. If the browser refuses, they are only in memory. A stored text is
    /// not trusted: one that is no draft of this call is ignored, and options that the question no longer has are left out. A file has room
    /// there whose address has up to 64 KiB.
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
    // A full storage refuses; the draft stays in memory. One that is too long leaves the one before.
    let _ = match kept.map(|kept| kept.to_text(key)) {
        Some(Some(text)) => set_item(&storage_key(key), &text),
        Some(None) => Ok(()),
        None => remove_item(&storage_key(key)),
    };
}

/// The most records in memory; beyond that, those go that were written first.
const MOST_IN_MEMORY: usize = 100;

thread_local! {
    /// The records of this page, by key: what the user has given to a call, and the agent does not have. Used only in a browser.
    static RECORDS: RefCell<Vec<(String, Remembered)>> = const { RefCell::new(Vec::new()) };
}

/// Keeps the state of a card as the record of its call, and forgets the one before.
pub(crate) fn keep(key: &str, record: Remembered) {
    RECORDS.with_borrow_mut(|records| {
        records.retain(|(id, _)| id != key);
        if record != Remembered::default() {
            records.push((key.to_owned(), record));
        }
        if records.len() > MOST_IN_MEMORY {
            records.remove(0);
        }
    });
}

fn recall(key: &str) -> Remembered {
    RECORDS.with_borrow(|records| {
        let found = records.iter().find(|(id, _)| id == key);
        found.map(|(_, record)| record.clone()).unwrap_or_default()
    })
}

/// A key of the card's own, never the call's id, which the agent chooses.
fn storage_key(key: &str) -> String {
    Ids::new(key).draft()
}
