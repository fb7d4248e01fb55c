//! A map from ids to numbers.

use std::collections::BTreeMap;
use std::mem;

/// Maps ids or names to numbers, such as positions in a vector of records.
///
/// It is a tree, since untrusted parties choose the ids and could make hashes collide. All crates share this type, since every other kind of map
/// adds some 8 KB to a page's program. Removing from a tree would be most of its code, so removed ids stay as marked entries until they are as many
/// as the others.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    numbers: BTreeMap<String, usize>,
    /// The number of ids without the removed ones.
    len: usize,
}

/// Marks an id that was removed.
const REMOVED: usize = usize::MAX;

/// Up to this many removed ids stay, so that small tables are never rebuilt.
const FEW: usize = 16;

impl Ids {
    /// The number of ids.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if no id has a number.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of an id; `None` if it has none.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<usize> {
        self.numbers.get(id).copied().filter(|number| *number != REMOVED)
    }

    /// Returns true if the id has a number.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.find(id).is_some()
    }

    /// Sets the number of an id. Returns the previous number.
    pub fn put(&mut self, id: &str, number: usize) -> Option<usize> {
        let before = self.numbers.insert(id.to_owned(), number).filter(|number| *number != REMOVED);
        self.len += usize::from(before.is_none());
        before
    }

    /// Removes an id. Returns its number.
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

    /// The ids with their numbers, sorted by id.
    pub fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.numbers.iter().map(|(id, number)| (&**id, *number)).filter(|(_, number)| *number != REMOVED)
    }
}
