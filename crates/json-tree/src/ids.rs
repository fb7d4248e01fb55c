//! What an id stands for.

use std::collections::BTreeMap;
use std::mem;

/// Numbers by ids or names, such as positions in a vector of records.
///
/// It is a tree, since strangers choose ids that share a hash. All crates look ids up in this one type: each other kind of map adds some 8 KB to a
/// page's program, and taking ids out of a tree is more code than all the rest of it. So they stay until they are as many as the others.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    numbers: BTreeMap<String, usize>,
    /// The number of ids that were not removed.
    len: usize,
}

/// The number of an id that was removed.
const REMOVED: usize = usize::MAX;

/// Up to this many removed ids stay, so that a small table is never rebuilt.
const FEW: usize = 16;

impl Ids {
    /// The number of ids.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of an id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<usize> {
        self.numbers.get(id).copied().filter(|number| *number != REMOVED)
    }

    /// Returns true if the id has a number.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.find(id).is_some()
    }

    /// Sets the number of an id, and returns the one that it had.
    pub fn put(&mut self, id: &str, number: usize) -> Option<usize> {
        let before = self.numbers.insert(id.to_owned(), number).filter(|number| *number != REMOVED);
        self.len += usize::from(before.is_none());
        before
    }

    /// Removes an id, and returns its number.
    pub fn remove(&mut self, id: &str) -> Option<usize> {
        let number = self.numbers.get_mut(id).map(|number| mem::replace(number, REMOVED))?;
        if number == REMOVED {
            return None;
        }
        self.len -= 1;
        if self.numbers.len() > FEW + 2 * self.len {
            let all = mem::take(self);
            for (id, number) in all.iter() {
                self.put(id, number);
            }
        }
        Some(number)
    }

    /// The ids, sorted, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.numbers.iter().map(|(id, number)| (&**id, *number)).filter(|(_, number)| *number != REMOVED)
    }
}
