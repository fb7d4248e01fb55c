//! Ids and what they stand for.

use serde_json::{Map, Value};

/// Numbers by id, such as positions in a list.
///
/// A JSON object beneath, because each kind of map is code of its own, and every page has that of JSON objects already.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index(Map<String, Value>);

impl Index {
    pub(crate) fn get(&self, id: &str) -> Option<usize> {
        usize::try_from(self.0.get(id)?.as_u64()?).ok()
    }

    pub(crate) fn contains(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    /// True where the id was not there before.
    pub(crate) fn insert(&mut self, id: &str, number: usize) -> bool {
        self.0.insert(id.to_owned(), number.into()).is_none()
    }

    /// True where the id was there.
    pub(crate) fn remove(&mut self, id: &str) -> bool {
        self.0.remove(id).is_some()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// The ids, in an order that depends on what was done here alone.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
