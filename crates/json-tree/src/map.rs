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
        match &self.slots {
            Some(slots) => slots.get(name, &|at| &self.entries[at].0),
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
        let (_, value) = match &mut self.slots {
            None => self.entries.remove(at),
            Some(slots) => {
                slots.swap_remove(at, self.entries.len(), &|at| &self.entries[at].0);
                self.entries.swap_remove(at)
            }
        };
        Some(value)
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
        let slots = self.own_slots();
        let is_last = |at: usize, name: &str| match &slots {
            Some(slots) => slots.get(name, &|at| &self.entries[at].0) == Some(at),
            None => self.position(name) == Some(at),
        };
        let mut names = self.entries.iter().map(|(name, _)| &**name).enumerate();
        names.find(|(at, name)| !is_last(*at, name)).map(|(_, name)| name)
    }

    /// The values, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    fn index(&mut self) {
        if self.slots.is_none() {
            self.slots = self.own_slots();
        }
    }

    /// Slots for entries that are many and have none.
    fn own_slots(&self) -> Option<Box<Slots>> {
        let lacks = self.slots.is_none() && self.entries.len() > FEW;
        lacks.then(|| Slots::of(self.entries.len(), &|at| &self.entries[at].0).into())
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
        let slots = other.own_slots();
        let find = |name: &str| match &slots {
            Some(slots) => slots.get(name, &|at| &other.entries[at].0),
            None => other.position(name),
        };
        self.repeated().is_none()
            && self.iter().all(|(name, value)| find(name).is_some_and(|at| other.entries[at].1 == *value))
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

/// Positions of names by their hashes, in the first free slot from there on.
#[derive(Clone)]
struct Slots {
    /// A position and one, or 0. More than half of them are free.
    slots: Vec<u32>,
    seed: u8,
}

/// So far from their hashes are names only if somebody chose them.
const FAR: usize = 256;

impl Slots {
    /// Of the first `length` names.
    fn of(length: usize, name_at: NameAt<'_>) -> Self {
        let mut slots = Self { slots: Vec::new(), seed: 0 };
        slots.fill(length, name_at);
        slots
    }

    fn fill(&mut self, length: usize, name_at: NameAt<'_>) {
        self.slots = vec![0; (4 * length).next_power_of_two()];
        for at in 0..length {
            let (slot, _) = self.find(name_at(at), name_at);
            self.slots[slot] = entry(at);
        }
    }

    /// Adds the last of `length` names, which is new.
    fn push(&mut self, length: usize, name_at: NameAt<'_>) {
        if 2 * length > self.slots.len() {
            return self.fill(length, name_at);
        }
        let (slot, steps) = self.find(name_at(length - 1), name_at);
        self.slots[slot] = entry(length - 1);
        // Names that share a hash under several seeds cannot be found.
        if steps > FAR && self.seed < 4 {
            self.seed += 1;
            self.fill(length, name_at);
        }
    }

    /// Forgets the name at a position, which the last of `length` names takes.
    fn swap_remove(&mut self, at: usize, length: usize, name_at: NameAt<'_>) {
        let (mut free, _) = self.find(name_at(at), name_at);
        let mask = self.slots.len() - 1;
        let mut slot = free;
        loop {
            slot = (slot + 1) & mask;
            let Some(held) = self.at(slot) else {
                break;
            };
            // What is behind its hash by more than behind the free slot would not be found any more.
            let home = self.hash(name_at(held)) & mask;
            if slot.wrapping_sub(home) & mask >= slot.wrapping_sub(free) & mask {
                self.slots[free] = self.slots[slot];
                free = slot;
            }
        }
        self.slots[free] = 0;
        if at + 1 < length {
            let (slot, _) = self.find(name_at(length - 1), name_at);
            self.slots[slot] = entry(at);
        }
    }

    fn get(&self, name: &str, name_at: NameAt<'_>) -> Option<usize> {
        self.at(self.find(name, name_at).0)
    }

    /// The slot of a name, or the free one that it would get, and how far from its hash that is.
    fn find(&self, name: &str, name_at: NameAt<'_>) -> (usize, usize) {
        let mask = self.slots.len() - 1;
        let mut slot = self.hash(name) & mask;
        let mut steps = 0;
        while self.at(slot).is_some_and(|at| name_at(at) != name) {
            slot = (slot + 1) & mask;
            steps += 1;
        }
        (slot, steps)
    }

    fn at(&self, slot: usize) -> Option<usize> {
        (self.slots[slot] as usize).checked_sub(1)
    }

    fn hash(&self, name: &str) -> usize {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(self.seed);
        hasher.write(name.as_bytes());
        hasher.finish() as usize
    }
}

fn entry(at: usize) -> u32 {
    at as u32 + 1
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
        let slots = Slots { slots: Vec::new(), seed: 0 };
        let shares = |name: &String| slots.hash(name) & 0xFFF == 0;
        let mut map = Map::new();
        for name in (0..).map(|number| format!("n{number}")).filter(shares).take(600) {
            map.put(&name, ());
        }
        assert_eq!(map.slots.map(|slots| slots.seed), Some(1));
    }
}
