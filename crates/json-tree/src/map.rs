//! Values by name, in their order.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher};
use std::ops::{Deref, DerefMut};
use std::{fmt, mem};

/// Values by name, in their order: what a JSON object holds, or an index of ids.
///
/// It reads and changes as a vector of names with their values. A name may come twice, and then its last value counts.
/// [`find`](Self::find), [`find_mut`](Self::find_mut), [`put`](Self::put) and [`take`](Self::take) cost the same whatever the map holds,
/// once [`unique`](Self::unique) or one of the latter two was called. To change the vector itself costs the next of these a look at all names.
#[derive(Clone)]
pub struct Map<'a, T> {
    entries: Vec<(Cow<'a, str>, T)>,
    /// Where the names are, once there are many.
    slots: Option<Box<Slots>>,
}

/// Up to this length, looking at each name takes no longer than finding it in the slots.
const FEW: usize = 16;

impl<'a, T> Map<'a, T> {
    /// Without entries.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new(), slots: None }
    }

    /// Without entries, and with room for this many.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Vec::with_capacity(capacity).into()
    }

    /// The position of the last entry with this name.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.position_by(self.slots.as_deref(), name)
    }

    fn position_by(&self, slots: Option<&Slots>, name: &str) -> Option<usize> {
        match slots {
            Some(slots) => slots.at(slots.find(name, &|at| &self.entries[at].0).0),
            // Names are short: a call for each comparison would take longer than comparing.
            None => self.entries.iter().rposition(|(key, _)| key.len() == name.len() && key.bytes().eq(name.bytes())),
        }
    }

    /// The last value with this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&T> {
        self.position(name).map(|at| &self.entries[at].1)
    }

    /// As [`find`](Self::find), to be changed.
    #[must_use]
    pub fn find_mut(&mut self, name: &str) -> Option<&mut T> {
        self.position(name).map(|at| &mut self.entries[at].1)
    }

    /// Puts a value, and returns the one that it replaced.
    pub fn put(&mut self, name: &str, value: T) -> Option<T> {
        self.index();
        if let Some(held) = self.find_mut(name) {
            return Some(mem::replace(held, value));
        }
        self.entries.push((name.to_owned().into(), value));
        if let Some(slots) = &mut self.slots {
            slots.push(self.entries.len(), &|at| &self.entries[at].0);
        }
        None
    }

    /// Takes the last value with this name out. Among many entries, the last one takes its place.
    pub fn take(&mut self, name: &str) -> Option<T> {
        self.index();
        let at = self.position(name)?;
        let Some(slots) = &mut self.slots else {
            return Some(self.entries.remove(at).1);
        };
        slots.swap_remove(at, self.entries.len(), &|at| &self.entries[at].0);
        Some(self.entries.swap_remove(at).1)
    }

    /// Lets each name be there once, at the place of its first entry and with the value of its last.
    pub fn unique(&mut self) {
        if self.repeated().is_some() {
            for (name, value) in mem::take(self) {
                self.put(&name, value);
            }
        }
        self.index();
    }

    /// A name that comes twice.
    #[must_use]
    pub fn repeated(&self) -> Option<&str> {
        let slots = self.all_slots();
        let mut names = self.entries.iter().map(|(name, _)| &**name).enumerate();
        names.find(|(at, name)| self.position_by(slots.as_deref(), name) != Some(*at)).map(|(_, name)| name)
    }

    /// The values, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    fn index(&mut self) {
        if self.slots.is_none()
            && let Some(slots) = self.all_slots()
        {
            self.slots = Some(Box::new(slots.into_owned()));
        }
    }

    /// The slots, made now if the entries are many and have none.
    fn all_slots(&self) -> Option<Cow<'_, Slots>> {
        match &self.slots {
            Some(slots) => Some(Cow::Borrowed(slots)),
            None => {
                let is_long = self.entries.len() > FEW;
                is_long.then(|| Cow::Owned(Slots::of(self.entries.len(), &|at| &self.entries[at].0)))
            }
        }
    }

    /// The map with other names or values at the same places.
    pub(crate) fn map<'b, U>(self, each: impl FnMut((Cow<'a, str>, T)) -> (Cow<'b, str>, U)) -> Map<'b, U> {
        Map { entries: self.entries.into_iter().map(each).collect(), slots: self.slots }
    }
}

impl<'a, T> Deref for Map<'a, T> {
    type Target = Vec<(Cow<'a, str>, T)>;

    fn deref(&self) -> &Self::Target {
        &self.entries
    }
}

impl<T> DerefMut for Map<'_, T> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.slots = None;
        &mut self.entries
    }
}

/// The order of unique names is nothing.
impl<T: PartialEq> PartialEq for Map<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        let mut pairs = self.iter().zip(other.iter());
        if pairs.clone().all(|(one, other)| one.0 == other.0) {
            return pairs.all(|(one, other)| one.1 == other.1);
        }
        let slots = other.all_slots();
        let is_in_other = |(name, value): &(Cow<'_, str>, T)| {
            let at = other.position_by(slots.as_deref(), name);
            at.is_some_and(|at| other.entries[at].1 == *value)
        };
        self.repeated().is_none() && self.iter().all(is_in_other)
    }
}

impl<T> Default for Map<'_, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for Map<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries.fmt(f)
    }
}

impl<'a, T> From<Vec<(Cow<'a, str>, T)>> for Map<'a, T> {
    fn from(entries: Vec<(Cow<'a, str>, T)>) -> Self {
        Self { entries, slots: None }
    }
}

impl<'a, T> FromIterator<(Cow<'a, str>, T)> for Map<'a, T> {
    fn from_iter<I: IntoIterator<Item = (Cow<'a, str>, T)>>(entries: I) -> Self {
        Vec::from_iter(entries).into()
    }
}

impl<'a, T> IntoIterator for Map<'a, T> {
    type Item = (Cow<'a, str>, T);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'m, 'a, T> IntoIterator for &'m Map<'a, T> {
    type Item = &'m (Cow<'a, str>, T);
    type IntoIter = std::slice::Iter<'m, (Cow<'a, str>, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

/// The name at a position.
type NameAt<'n> = &'n dyn Fn(usize) -> &'n str;

/// Positions of names by their hashes, each in the first free slot from there on.
#[derive(Clone)]
struct Slots {
    /// A position and one, or [`FREE`]. At least half of them are free.
    slots: Vec<u32>,
    /// How many are not free.
    used: usize,
    seed: u8,
}

const FREE: u32 = 0;
/// A name was taken out. The slot gets no other, so that those behind it are found.
const TAKEN: u32 = u32::MAX;

/// So far from their hashes are names only if somebody chose them.
const FAR: usize = 256;

impl Slots {
    /// Of the first `length` names.
    fn of(length: usize, name_at: NameAt<'_>) -> Self {
        let mut slots = Self { slots: Vec::new(), used: 0, seed: 0 };
        slots.fill(length, name_at);
        slots
    }

    fn fill(&mut self, length: usize, name_at: NameAt<'_>) {
        self.slots = vec![FREE; (4 * length).next_power_of_two()];
        self.used = length;
        for at in 0..length {
            self.set(at, at, name_at);
        }
    }

    /// Sets the position of the name that is now at `at`. Returns how far from its hash it is.
    fn set(&mut self, at: usize, position: usize, name_at: NameAt<'_>) -> usize {
        let (slot, steps) = self.find(name_at(at), name_at);
        self.slots[slot] = position as u32 + 1;
        steps
    }

    /// Adds the last of `length` names, which is new.
    fn push(&mut self, length: usize, name_at: NameAt<'_>) {
        self.used += 1;
        if 2 * self.used > self.slots.len() {
            self.fill(length, name_at);
        } else if self.set(length - 1, length - 1, name_at) > FAR && self.seed < 4 {
            // Names that share a hash under several seeds cannot be found.
            self.seed += 1;
            self.fill(length, name_at);
        }
    }

    /// Forgets the name at a position, which the last of `length` names takes.
    fn swap_remove(&mut self, at: usize, length: usize, name_at: NameAt<'_>) {
        let (slot, _) = self.find(name_at(at), name_at);
        self.slots[slot] = TAKEN;
        if at + 1 < length {
            self.set(length - 1, at, name_at);
        }
    }

    /// The slot of a name, or the free one that it would get, and how far from its hash that is.
    fn find(&self, name: &str, name_at: NameAt<'_>) -> (usize, usize) {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(self.seed);
        hasher.write(name.as_bytes());
        let (mask, mut slot) = (self.slots.len() - 1, hasher.finish() as usize);
        for steps in 0.. {
            slot &= mask;
            match self.slots[slot] {
                TAKEN => {}
                FREE => return (slot, steps),
                held if name_at(held as usize - 1) == name => return (slot, steps),
                _ => {}
            }
            slot += 1;
        }
        (0, 0)
    }

    fn at(&self, slot: usize) -> Option<usize> {
        (self.slots[slot] as usize).checked_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn a_map_finds_what_a_tree_finds(steps in prop::collection::vec((0..3_u8, 0..60_usize), 0..600)) {
            let (mut map, mut tree) = (Map::new(), BTreeMap::new());
            for (step, number) in steps {
                let name = format!("m{number}");
                match step {
                    0 => prop_assert_eq!(map.take(&name), tree.remove(&name)),
                    _ => prop_assert_eq!(map.put(&name, number), tree.insert(name.clone(), number)),
                }
                prop_assert_eq!(map.find(&name), tree.get(&name));
                prop_assert_eq!(map.len(), tree.len());
            }
            for number in 0..60 {
                let name = format!("m{number}");
                prop_assert_eq!(map.find(&name), tree.get(&name));
            }
            let sorted: Map<'_, usize> = tree.into_iter().map(|(name, number)| (name.into(), number)).collect();
            prop_assert_eq!(map, sorted);
        }

        #[test]
        fn a_name_that_comes_twice_keeps_its_last_value(names in prop::collection::vec(0..40_usize, 0..60)) {
            let entries: Vec<_> = names.iter().enumerate().map(|(at, name)| (format!("m{name}").into(), at)).collect();
            let last: BTreeMap<Cow<'_, str>, usize> = entries.iter().cloned().collect();
            let mut map = Map::from(entries);
            prop_assert_eq!(map.repeated().is_some(), last.len() < map.len());
            map.unique();
            prop_assert_eq!(map.repeated(), None);
            prop_assert!(map.len() == last.len() && last.iter().all(|(name, at)| map.find(name) == Some(at)));
        }
    }

    #[test]
    fn names_that_were_chosen_to_share_a_slot_are_told_apart_by_another_seed() {
        let slots = Slots { slots: vec![FREE; 4096], used: 0, seed: 0 };
        let shares = |name: &String| slots.find(name, &|_| "").0 == 0;
        let mut map = Map::new();
        for name in (0..).map(|number| format!("n{number}")).filter(shares).take(600) {
            map.put(&name, ());
        }
        assert_eq!(map.slots.map(|slots| slots.seed), Some(1));
    }
}
