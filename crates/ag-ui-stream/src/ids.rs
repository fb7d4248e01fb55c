//! What an id stands for.

use std::collections::BTreeMap;

/// Numbers by ids, such as positions in a vector of records.
///
/// All ids of the crate are looked up in this one type: each other kind of map would add some 8 KB to a page's program, and taking names out of
/// a tree is more code than all the rest of it. It is a tree since strangers choose ids that share a hash.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ids {
    numbers: BTreeMap<String, usize>,
    /// The number of ids that were not removed.
    len: usize,
}

/// The number of an id that was removed. Such ids stay until they are as many as the others.
const REMOVED: usize = usize::MAX;

/// Up to this many ids may stay, however few the others are.
const FEW: usize = 16;

impl Ids {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn find(&self, id: &str) -> Option<usize> {
        self.numbers.get(id).copied().filter(|number| *number != REMOVED)
    }

    pub(crate) fn has(&self, id: &str) -> bool {
        self.find(id).is_some()
    }

    /// Sets the number of an id, and returns the one that it had.
    pub(crate) fn put(&mut self, id: &str, number: usize) -> Option<usize> {
        let before = self.replace(id, number);
        if before.is_none() {
            self.numbers.insert(id.to_owned(), number);
        }
        let before = before.filter(|number| *number != REMOVED);
        self.len += usize::from(before.is_none());
        before
    }

    pub(crate) fn remove(&mut self, id: &str) -> Option<usize> {
        let before = self.replace(id, REMOVED).filter(|number| *number != REMOVED)?;
        self.len -= 1;
        if self.numbers.len() > FEW + 2 * self.len {
            let mut kept = Self::default();
            for (id, number) in self.iter() {
                kept.put(id, number);
            }
            *self = kept;
        }
        Some(before)
    }

    /// The ids, sorted, with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.numbers.iter().map(|(id, number)| (&**id, *number)).filter(|(_, number)| *number != REMOVED)
    }

    fn replace(&mut self, id: &str, number: usize) -> Option<usize> {
        self.numbers.get_mut(id).map(|held| std::mem::replace(held, number))
    }
}

/// Lists of numbers by texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    ids: Ids,
    groups: Vec<Vec<usize>>,
}

impl Groups {
    pub(crate) fn get(&self, text: &str) -> &[usize] {
        self.ids.find(text).map_or(&[], |at| &self.groups[at])
    }

    pub(crate) fn get_mut(&mut self, text: &str) -> Option<&mut Vec<usize>> {
        self.ids.find(text).map(|at| &mut self.groups[at])
    }

    /// Adds a number at the end of a list, unless it is there.
    pub(crate) fn put(&mut self, text: &str, number: usize) {
        let at = self.ids.find(text).unwrap_or_else(|| {
            self.ids.put(text, self.groups.len());
            self.groups.push(Vec::new());
            self.groups.len() - 1
        });
        if !self.groups[at].ends_with(&[number]) {
            self.groups[at].push(number);
        }
    }
}
