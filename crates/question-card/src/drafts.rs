//! Where unfinished answers are kept while their card is not on the screen.
//!
//! A draft is kept in memory in any case: a card that a list or a route takes away has it again when it comes back. [`Persist`] says what
//! is kept beyond the life of the page. It is kept from the first change until the ask is over; what then did not reach the agent, until the
//! user puts it away.

use crate::browser::window;
use crate::dom::Ids;
use crate::draft::Kept;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

/// Whether drafts outlive the page.
#[derive(Clone, Default)]
pub enum Persist {
    /// They do not: nothing is written.
    #[default]
    None,
    /// They do as long as the tab: in its `sessionStorage`, under a key for each call. Where the browser refuses, they do not.
    Session,
    /// The host keeps them.
    Own(Arc<dyn DraftStore>),
}

/// A host's own place for drafts.
///
/// A draft is a text that only the card understands; it holds what the user typed. What [`load`](Self::load) gives is not trusted: a text
/// that is no draft of this call is ignored, and options that the question no longer has are left out. Everything is called where the
/// browser runs, never on a server.
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
/// let persist = Persist::Own(Arc::new(Synced::default()));
/// # let _ = persist;
/// ```
pub trait DraftStore: Send + Sync {
    /// What was saved last under this key and not removed. The key is the call's id; of a card with a scope, scope and id together.
    fn load(&self, key: &str) -> Option<String>;

    /// Keeps this draft in the place of an earlier one of the same key. Called a quarter of a second after a change, or earlier when the page or
    /// the card goes away.
    fn save(&self, key: &str, draft: &str);

    /// Keeps no draft under this key any more.
    fn remove(&self, key: &str);
}

impl fmt::Debug for Persist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Session => "Session",
            Self::Own(_) => "Own",
        })
    }
}

impl Persist {
    /// Whether anything is written at all.
    pub(crate) fn is_written(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// What is kept of this call, in memory or beyond.
    pub(crate) fn load(&self, key: &str) -> Option<Kept> {
        let written = || match self {
            Self::None => None,
            Self::Session => session()?.get_item(&storage_key(key)).ok()?,
            Self::Own(store) => store.load(key),
        };
        recall(key).or_else(|| Kept::from_text(key, &written()?))
    }

    /// Brings what is written up to what is in memory.
    pub(crate) fn write(&self, key: &str) {
        let text = recall(key).map(|kept| kept.to_text(key));
        match text {
            Some(Some(text)) => self.save(key, &text),
            // Too much to be written. What was written before is better than nothing.
            Some(None) => {}
            None => self.remove(key),
        }
    }

    fn save(&self, key: &str, text: &str) {
        match self {
            Self::None => {}
            Self::Session => {
                if let Some(session) = session() {
                    // A full storage refuses; the draft is in memory all the same.
                    let _ = session.set_item(&storage_key(key), text);
                }
            }
            Self::Own(store) => store.save(key, text),
        }
    }

    fn remove(&self, key: &str) {
        match self {
            Self::None => {}
            Self::Session => {
                if let Some(session) = session() {
                    // Refused only where nothing could be written either.
                    let _ = session.remove_item(&storage_key(key));
                }
            }
            Self::Own(store) => store.remove(key),
        }
    }
}

/// How many drafts are in memory at most; beyond that, those go that did not change for the longest time.
const MOST_IN_MEMORY: usize = 100;

thread_local! {
    /// The drafts of this page, the last changed last. Only ever touched in a browser.
    static MEMORY: RefCell<VecDeque<(String, Kept)>> = const { RefCell::new(VecDeque::new()) };
}

/// Keeps a draft in memory, or keeps none any more. Says whether that changed anything.
pub(crate) fn remember(key: &str, kept: Option<Kept>) -> bool {
    MEMORY.with_borrow_mut(|memory| {
        let at = memory.iter().position(|(id, _)| id == key);
        let before = at.and_then(|at| memory.remove(at)).map(|(_, kept)| kept);
        let changed = before != kept;
        if let Some(kept) = kept {
            memory.push_back((key.to_owned(), kept));
        }
        if memory.len() > MOST_IN_MEMORY {
            memory.pop_front();
        }
        changed
    })
}

fn recall(key: &str) -> Option<Kept> {
    MEMORY.with_borrow(|memory| {
        let (_, kept) = memory.iter().find(|(id, _)| id == key)?;
        Some(kept.clone())
    })
}

/// Never the call's own id: where something is stored is not the agent's to choose.
fn storage_key(key: &str) -> String {
    format!("{}-draft", Ids::new(key))
}

fn session() -> Option<web_sys::Storage> {
    window().session_storage().ok()?
}
