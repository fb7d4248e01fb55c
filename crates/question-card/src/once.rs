//! Events that happen once in the life of a page.

use crate::dom::fnv1a;
use std::cell::RefCell;

/// The keys that were inserted. They are few, and a list weighs less in a page than a set does.
pub(crate) struct Once(RefCell<Vec<u64>>);

impl Once {
    pub(crate) const fn new() -> Self {
        Self(RefCell::new(Vec::new()))
    }

    /// Inserts a key. Returns true if it was not there before.
    pub(crate) fn insert(&self, key: &str) -> bool {
        let (mut known, key) = (self.0.borrow_mut(), fnv1a(key));
        let is_new = !known.contains(&key);
        if is_new {
            known.push(key);
        }
        is_new
    }
}
