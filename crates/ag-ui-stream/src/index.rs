//! Numbers by id.

use json_tree::Members;

/// Positions in a list by id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Positions {
    /// The indexes in `list`.
    index: Index,
    list: Vec<u32>,
}

impl Positions {
    pub(crate) fn get(&self, id: &str) -> Option<usize> {
        self.index.get(id).map(|at| self.list[at] as usize)
    }

    pub(crate) fn contains(&self, id: &str) -> bool {
        self.index.contains(id)
    }

    pub(crate) fn insert(&mut self, id: &str, position: usize) {
        match self.index.get(id) {
            Some(at) => self.list[at] = position as u32,
            None => {
                self.index.insert(id, self.list.len());
                self.list.push(position as u32);
            }
        }
    }

    pub(crate) fn remove(&mut self, id: &str) {
        self.index.remove(id);
    }

    /// Something new is at a position, and what was there and behind it is one further.
    pub(crate) fn shift(&mut self, from: usize) {
        let from = from as u32;
        for position in &mut self.list {
            *position += u32::from(*position >= from);
        }
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Numbers by id, such as positions in a list. They are members of an object, since one type for all lookups is the least code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index(Members<'static>);

impl Index {
    pub(crate) fn get(&self, id: &str) -> Option<usize> {
        self.0.find_index(id)
    }

    pub(crate) fn contains(&self, id: &str) -> bool {
        self.0.position(id).is_some()
    }

    /// Returns true if the id was not there before.
    pub(crate) fn insert(&mut self, id: &str, number: usize) -> bool {
        self.0.put(id, number.into()).is_none()
    }

    /// Returns true if the id was there.
    pub(crate) fn remove(&mut self, id: &str) -> bool {
        self.0.take(id).is_some()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The ids with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().filter_map(|(id, number)| Some((&**id, number.as_index()?)))
    }
}
