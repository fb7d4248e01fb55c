//! Storage of drafts while their card is not on the screen.
//!
//! Each call has one record. While a card shows the call, the record is that card's state; it rests here when a list or a route removes the
//! card, and the next card begins with it. [`Persist`] sets a storage beyond the life of the page. A draft is kept from the first change until the ask is over. A part that did not reach the agent is kept until the
//! user dismisses it.

use crate::card::Unsettled;
use crate::dom::Ids;
use crate::draft::StoredDraft;
use std::cell::RefCell;
use std::rc::Weak;
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

    /// The record of this call, from its card, from memory or from the storage.
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

/// The most records in memory without a card; beyond that, those go that were left first.
const MOST_IN_MEMORY: usize = 100;

/// The one record of a call: what the user has given to it, and the agent does not have.
enum Record {
    /// It is the state of this card.
    Shown(Weak<dyn Holder>),
    /// Its card is gone.
    Left(Remembered),
}

/// A card that shows a call.
pub(crate) trait Holder {
    fn remembered(&self) -> Remembered;
}

thread_local! {
    /// The records of this page, by key. Used only in a browser.
    static RECORDS: RefCell<Vec<(String, Record)>> = const { RefCell::new(Vec::new()) };
}

/// Makes the state of a card the record of its call. A card that had it before keeps its own state for itself: agents number their calls, so
/// it may be another question.
pub(crate) fn hold(key: &str, card: Weak<dyn Holder>) {
    put(key, Some(Record::Shown(card)));
}

/// Keeps the last state of a card that is gone, if the record of the call was with it.
pub(crate) fn leave(key: &str, last: Remembered) {
    let is_its = RECORDS.with_borrow(|records| {
        let gone = |record: &Record| matches!(record, Record::Shown(card) if card.strong_count() == 0);
        records.iter().any(|(id, record)| id == key && gone(record))
    });
    if is_its {
        put(key, (last != Remembered::default()).then_some(Record::Left(last)));
    }
}

/// Forgets the record of a call, which has another key from now on.
pub(crate) fn forget(key: &str) {
    put(key, None);
}

fn put(key: &str, record: Option<Record>) {
    RECORDS.with_borrow_mut(|records| {
        records.retain(|(id, _)| id != key);
        records.extend(record.map(|record| (key.to_owned(), record)));
        let is_left = |(_, record): &(String, Record)| matches!(record, Record::Left(_));
        if records.iter().filter(|record| is_left(record)).count() > MOST_IN_MEMORY
            && let Some(first) = records.iter().position(is_left)
        {
            records.remove(first);
        }
    });
}

fn recall(key: &str) -> Remembered {
    RECORDS.with_borrow(|records| match records.iter().find(|(id, _)| id == key) {
        Some((_, Record::Shown(card))) => card.upgrade().map(|card| card.remembered()).unwrap_or_default(),
        Some((_, Record::Left(last))) => last.clone(),
        None => Remembered::default(),
    })
}

/// A key of the card's own, never the call's id, which the agent chooses.
fn storage_key(key: &str) -> String {
    Ids::new(key).draft()
}
