//! The members of an object, with lookup by name.

use crate::{Ids, Json};
use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::{fmt, mem};

/// The members of an object, in their order.
///
/// Dereferences to a vector of names and values. A name may occur twice; its last value counts. [`find`](Self::find), [`find_mut`](Self::find_mut),
/// [`put`](Self::put) and [`take`](Self::take) use an index once [`unique`](Self::unique), `put` or `take` was called on a long list. Changing the
/// vector directly drops the index.
#[derive(Default)]
pub struct Members<'a> {
    entries: Vec<(Cow<'a, str>, Json<'a>)>,
    /// The last position of each name, once there are many.
    positions: Option<Box<Ids>>,
}

/// Up to this length, a linear search is as fast as the index.
const FEW: usize = 16;

impl<'a> Members<'a> {
    /// Creates an object without members.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new(), positions: None }
    }

    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Vec::with_capacity(capacity).into()
    }

    /// The position of the last entry with this name.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        match &self.positions {
            Some(positions) => positions.find(name),
            None => self.entries.iter().rposition(|(key, _)| is(key.as_bytes(), name.as_bytes())),
        }
    }

    /// The last value with this name; `None` if there is none.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Json<'a>> {
        self.position(name).map(|at| &self.entries[at].1)
    }

    /// As [`find`](Self::find), for changing the value.
    #[must_use]
    pub fn find_mut(&mut self, name: &str) -> Option<&mut Json<'a>> {
        self.position(name).map(|at| &mut self.entries[at].1)
    }

    /// The last value with this name; `None` if it is no string.
    #[must_use]
    pub fn string(&self, name: &str) -> Option<&str> {
        self.find(name)?.as_str()
    }

    /// The items of the last value with this name; empty if it is no list.
    #[must_use]
    pub fn items(&self, name: &str) -> &[Json<'a>] {
        self.find(name).and_then(Json::as_list).unwrap_or_default()
    }

    /// Sets the last value with this name, or appends a member. Returns the replaced value.
    pub fn put(&mut self, name: &str, value: Json<'a>) -> Option<Json<'a>> {
        self.index();
        if let Some(held) = self.find_mut(name) {
            return Some(mem::replace(held, value));
        }
        if let Some(positions) = &mut self.positions {
            positions.put(name, self.entries.len());
        }
        self.entries.push((name.to_owned().into(), value));
        None
    }

    /// Removes and returns the last value with this name. In long lists, the last member takes its place.
    pub fn take(&mut self, name: &str) -> Option<Json<'a>> {
        self.index();
        let Some(positions) = &mut self.positions else {
            return Some(self.entries.remove(self.position(name)?).1);
        };
        let at = positions.remove(name)?;
        let (_, value) = self.entries.swap_remove(at);
        if let Some((moved, _)) = self.entries.get(at) {
            positions.put(moved, at);
        }
        Some(value)
    }

    /// Removes duplicate names. Each keeps the position of its first entry and the value of its last.
    pub fn unique(&mut self) {
        if self.repeated().is_some() {
            for (name, value) in mem::take(self) {
                self.put(&name, value);
            }
        }
        self.index();
    }

    pub(crate) fn repeated(&self) -> Option<&str> {
        let mut names = self.entries.iter().map(|(name, _)| &**name).enumerate();
        if self.entries.len() <= FEW {
            return names.find(|(at, name)| self.position(name) != Some(*at)).map(|(_, name)| name);
        }
        let mut seen = Ids::default();
        names.find(|(at, name)| seen.put(name, *at).is_some()).map(|(_, name)| name)
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Json<'a>> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    fn index(&mut self) {
        if self.positions.is_none() && self.entries.len() > FEW {
            self.positions = Some(Box::new(self.all_positions()));
        }
    }

    fn all_positions(&self) -> Ids {
        let mut positions = Ids::default();
        for (at, (name, _)) in self.entries.iter().enumerate() {
            positions.put(name, at);
        }
        positions
    }

    pub(crate) fn into_static(self) -> Members<'static> {
        let entries = self.entries.into_iter();
        let entries = entries.map(|(name, value)| (name.into_owned().into(), value.into_static())).collect();
        Members { entries, positions: self.positions }
    }
}

impl Clone for Members<'_> {
    fn clone(&self) -> Self {
        let mut copy = Self::from(self.entries.clone());
        if self.positions.is_some() {
            copy.index();
        }
        copy
    }
}

impl<'a> Deref for Members<'a> {
    type Target = Vec<(Cow<'a, str>, Json<'a>)>;

    fn deref(&self) -> &Self::Target {
        &self.entries
    }
}

impl DerefMut for Members<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.positions = None;
        &mut self.entries
    }
}

/// Objects are equal if they have the same names with equal values, in any order. Only the last value of a name counts.
impl Eq for Members<'_> {}

impl PartialEq for Members<'_> {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        let mut pairs = self.iter().zip(other.iter());
        if pairs.clone().all(|(one, other)| one.0 == other.0) {
            return pairs.all(|(one, other)| one.1 == other.1);
        }
        let mut positions = other.all_positions();
        let is_in_other = |(name, value): &(Cow<'_, str>, Json<'_>)| {
            positions.remove(name).and_then(|at| other.entries.get(at)).is_some_and(|(_, other)| other == value)
        };
        self.iter().all(is_in_other)
    }
}

impl fmt::Debug for Members<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries.fmt(f)
    }
}

impl<'a> From<Vec<(Cow<'a, str>, Json<'a>)>> for Members<'a> {
    fn from(entries: Vec<(Cow<'a, str>, Json<'a>)>) -> Self {
        Self { entries, positions: None }
    }
}

impl<'a> FromIterator<(Cow<'a, str>, Json<'a>)> for Members<'a> {
    fn from_iter<I: IntoIterator<Item = (Cow<'a, str>, Json<'a>)>>(entries: I) -> Self {
        Vec::from_iter(entries).into()
    }
}

impl<'a> IntoIterator for Members<'a> {
    type Item = (Cow<'a, str>, Json<'a>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'m, 'a> IntoIterator for &'m Members<'a> {
    type Item = &'m (Cow<'a, str>, Json<'a>);
    type IntoIter = std::slice::Iter<'m, (Cow<'a, str>, Json<'a>)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

/// Moves the last member called `name` to index `first` and returns it; `None` if it is absent or before `first`. The others keep their order, so
/// that the last member of each name stays the last.
pub fn bring<'m, 'a>(members: &'m mut Members<'a>, name: &str, first: usize) -> Option<&'m mut Json<'a>> {
    let at = members.position(name).filter(|at| *at >= first)?;
    for place in (first..at).rev() {
        members.swap(place, place + 1);
    }
    members.entries.get_mut(first).map(|(_, member)| member)
}

/// Returns true if the two are equal. Names are short, so an inline comparison of eight bytes at a time is faster than calling `memcmp`.
fn is(key: &[u8], name: &[u8]) -> bool {
    let word = |bytes: [u8; 8]| u64::from_le_bytes(bytes);
    match (key.as_chunks(), name.as_chunks()) {
        _ if key.len() != name.len() => false,
        (([], key), (_, name)) => key.iter().eq(name),
        ((words, _), (others, _)) => {
            let is_end = key.last_chunk().copied().map(word) == name.last_chunk().copied().map(word);
            is_end && words.iter().zip(others).all(|(one, other)| word(*one) == word(*other))
        }
    }
}
