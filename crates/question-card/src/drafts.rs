//! Storage of drafts while their card is not on the screen.
//!
//! A draft is kept in memory in any case: a card that a list or a route removes has it again when it comes back. [`Persist`] sets a storage
//! beyond the life of the page. A draft is kept from the first change until the ask is over. A part that did not reach the agent is kept until the
//! user dismisses it.

use crate::card::Unsettled;
use crate::dom::Ids;
use crate::draft::StoredDraft;
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// The storage of drafts beyond the life of the page. By default nothing is written. A page that uses neither of the two storages does not
/// carry the code that writes and reads drafts.
#[derive(Clone, Default)]
pub struct Persist(Option<Arc<dyn DraftStorage>>);

/// A host's own storage of drafts.
///
/// A draft is an opaque text, which holds what the user typed. The result of [`load`](Self::load) is not trusted: a text that is no draft
/// of this call is ignored, and options that the question no longer has are left out. All methods are called in the browser, never on a
/// server.
///
/// ```
/// use question_card::{DraftStore, Persist};
/// use std::collections::HashMap;
/// use std::sync::{Arc, Mutex};
///
/// /// Loaded when the page begins; a task of the host's carries changes to where they belong.
/// #[derive(Default)]
/// struct Synced(Mutex<HashMap<String, String>>);
///
/// impl DraftStore for Synced {
///     fn load(&self, key: &str) -> Option<String> {
///         self.0.lock().ok()?.get(key).cloned()
///     }
///     fn save(&self, key: &str, draft: &str) {
///         if let Ok(mut all) = self.0.lock() {
///             all.insert(key.to_owned(), draft.to_owned());
///         }
///     }
///     fn remove(&self, key: &str) {
///         if let Ok(mut all) = self.0.lock() {
///             all.remove(key);
///         }
///     }
/// }
///
/// let persist = Persist::own(Arc::new(Synced::default()));
/// # let _ = persist;
/// ```
pub trait DraftStore: Send + Sync {
    /// The text that was saved last under this key and not removed. The key is the call's id; for a card with a scope, scope and id
    /// together.
    fn load(&self, key: &str) -> Option<String>;

    /// Saves this draft, and replaces an earlier one of the same key. Called a quarter of a second after a change, or earlier when the page
    /// or the card goes away.
    fn save(&self, key: &str, draft: &str);

    /// Removes the draft of this key.
    fn remove(&self, key: &str);
}

impl fmt::Debug for Persist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Persist").field(&self.is_written()).finish()
    }
}

impl Persist {
    /// Stores drafts in the tab's `sessionStorage`, under a key for each call. If the browser refuses, they are only in memory.
    #[must_use]
    pub fn session() -> Self {
        Self::own(Arc::new(Session))
    }

    /// Stores drafts at the host.
    #[must_use]
    pub fn own(store: Arc<dyn DraftStore>) -> Self {
        Self(Some(Arc::new(store)))
    }

    /// Returns true if drafts are written at all.
    pub(crate) fn is_written(&self) -> bool {
        self.0.is_some()
    }

    /// The stored state of this call, from memory or the storage.
    pub(crate) fn load(&self, key: &str) -> Remembered {
        let mut found = recall(key);
        if found.draft.is_none() {
            found.draft = self.0.as_ref().and_then(|written| written.load(key));
        }
        found
    }

    /// Writes the draft in memory to the storage.
    pub(crate) fn write(&self, key: &str) {
        if let Some(written) = &self.0 {
            written.write(key, recall(key).draft);
        }
    }
}

/// The stored state of a call whose card may be gone: the draft, and a submission that is not settled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remembered {
    pub(crate) draft: Option<StoredDraft>,
    pub(crate) given: Option<Unsettled>,
}

/// A storage of drafts that encodes them.
trait DraftStorage: Send + Sync {
    fn load(&self, key: &str) -> Option<StoredDraft>;
    fn write(&self, key: &str, kept: Option<StoredDraft>);
}

impl DraftStorage for Arc<dyn DraftStore> {
    fn load(&self, key: &str) -> Option<StoredDraft> {
        StoredDraft::from_text(key, &self.as_ref().load(key)?)
    }

    fn write(&self, key: &str, kept: Option<StoredDraft>) {
        match kept.map(|kept| kept.to_text(key)) {
            Some(Some(text)) => self.save(key, &text),
            // Too long to be written. The text written before is better than none.
            Some(None) => {}
            None => self.remove(key),
        }
    }
}

/// The tab's `sessionStorage`, which a browser may refuse.
struct Session;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = sessionStorage, js_name = getItem, catch)]
    fn get_item(key: &str) -> Result<Option<String>, JsValue>;

    #[wasm_bindgen(js_namespace = sessionStorage, js_name = setItem, catch)]
    fn set_item(key: &str, text: &str) -> Result<(), JsValue>;

    #[wasm_bindgen(js_namespace = sessionStorage, js_name = removeItem, catch)]
    fn remove_item(key: &str) -> Result<(), JsValue>;
}

impl DraftStore for Session {
    fn load(&self, key: &str) -> Option<String> {
        get_item(&storage_key(key)).ok()?
    }

    fn save(&self, key: &str, draft: &str) {
        // A full storage refuses; the draft stays in memory.
        let _ = set_item(&storage_key(key), draft);
    }

    fn remove(&self, key: &str) {
        // Refused only if nothing could be written either.
        let _ = remove_item(&storage_key(key));
    }
}

/// The most calls in memory; beyond that, those go that did not change for the longest time.
const MOST_IN_MEMORY: usize = 100;

thread_local! {
    /// The calls of this page, the last changed last. Used only in a browser.
    static MEMORY: RefCell<Vec<(String, Remembered)>> = const { RefCell::new(Vec::new()) };
}

/// Stores the state of a call in memory. Returns true if that changed its draft.
pub(crate) fn remember(key: &str, now: Remembered) -> bool {
    MEMORY.with_borrow_mut(|memory| {
        let at = memory.iter().position(|(id, _)| id == key);
        let before = at.map(|at| memory.remove(at).1).unwrap_or_default();
        let has_changed = before.draft != now.draft;
        if now != Remembered::default() {
            memory.push((key.to_owned(), now));
        }
        if memory.len() > MOST_IN_MEMORY {
            memory.remove(0);
        }
        has_changed
    })
}

pub(crate) fn recall(key: &str) -> Remembered {
    MEMORY.with_borrow(|memory| {
        let found = memory.iter().find(|(id, _)| id == key);
        found.map(|(_, remembered)| remembered.clone()).unwrap_or_default()
    })
}

/// A key of the card's own, never the call's id, which the agent chooses.
fn storage_key(key: &str) -> String {
    Ids::new(key).draft()
}
