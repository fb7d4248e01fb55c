//! The members of an object by their names.

use crate::Json;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher};
use std::ops::{Deref, DerefMut};
use std::{fmt, mem};

/// The members of an object, in their order.
///
/// They read and change as a vector of names with their values. A name may come twice, and then its last value counts.
/// [`find`](Self::find), [`find_mut`](Self::find_mut), [`put`](Self::put) and [`take`](Self::take) cost the same whatever the object holds,
/// once [`unique`](Self::unique) or one of the latter two was called. To change the vector itself costs the next of these a look at all names.
#[derive(Clone, Default)]
pub struct Members<'a> {
    entries: Vec<(Cow<'a, str>, Json<'a>)>,
    /// The positions of the names, once there are many.
    slots: Option<Box<Slots>>,
}

/// Up to this length, looking at each name takes no longer than finding it in the slots.
const FEW: usize = 16;

impl<'a> Members<'a> {
    /// Without entries.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new(), slots: None }
    }

    /// Without entries, and with room for this many.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
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
            None => self.entries.iter().rposition(|(key, _)| is(key.as_bytes(), name.as_bytes())),
        }
    }

    /// The last value with this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Json<'a>> {
        self.position(name).map(|at| &self.entries[at].1)
    }

    /// The last value with this name, if it is a number that `usize` holds.
    #[must_use]
    pub fn find_index(&self, name: &str) -> Option<usize> {
        self.find(name)?.as_index()
    }

    /// As [`find`](Self::find), to be changed.
    #[must_use]
    pub fn find_mut(&mut self, name: &str) -> Option<&mut Json<'a>> {
        self.position(name).map(|at| &mut self.entries[at].1)
    }

    /// Puts a value, and returns the one that it replaced.
    pub fn put(&mut self, name: &str, value: Json<'a>) -> Option<Json<'a>> {
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

    /// Removes the last value with this name, and returns it. If there are many entries, the last one takes its place.
    pub fn take(&mut self, name: &str) -> Option<Json<'a>> {
        self.index();
        let at = self.position(name)?;
        let Some(slots) = &mut self.slots else {
            return Some(self.entries.remove(at).1);
        };
        slots.swap_remove(at, self.entries.len(), &|at| &self.entries[at].0);
        Some(self.entries.swap_remove(at).1)
    }

    /// Keeps each name once, at the place of its first entry and with the value of its last.
    pub fn unique(&mut self) {
        if self.repeated().is_some() {
            for (name, value) in mem::take(self) {
                self.put(&name, value);
            }
        }
        self.index();
    }

    /// A name that occurs twice.
    pub(crate) fn repeated(&self) -> Option<&str> {
        let slots = self.all_slots();
        let mut names = self.entries.iter().map(|(name, _)| &**name).enumerate();
        names.find(|(at, name)| self.position_by(slots.as_deref(), name) != Some(*at)).map(|(_, name)| name)
    }

    /// The values, to be changed.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Json<'a>> {
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

    /// A copy that borrows nothing.
    pub(crate) fn into_static(self) -> Members<'static> {
        let entries = self.entries.into_iter();
        let entries = entries.map(|(name, value)| (name.into_owned().into(), value.into_static())).collect();
        Members { entries, slots: self.slots }
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
        self.slots = None;
        &mut self.entries
    }
}

/// The order of unique names does not count.
impl PartialEq for Members<'_> {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        let mut pairs = self.iter().zip(other.iter());
        if pairs.clone().all(|(one, other)| one.0 == other.0) {
            return pairs.all(|(one, other)| one.1 == other.1);
        }
        let slots = other.all_slots();
        let is_in_other = |(name, value): &(Cow<'_, str>, Json<'_>)| {
            let at = other.position_by(slots.as_deref(), name);
            at.is_some_and(|at| other.entries[at].1 == *value)
        };
        self.repeated().is_none() && self.iter().all(is_in_other)
    }
}

impl fmt::Debug for Members<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries.fmt(f)
    }
}

impl<'a> From<Vec<(Cow<'a, str>, Json<'a>)>> for Members<'a> {
    fn from(entries: Vec<(Cow<'a, str>, Json<'a>)>) -> Self {
        Self { entries, slots: None }
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

/// The last value with this name, if it is a string.
#[must_use]
pub fn text<'m>(members: &'m Members<'_>, name: &str) -> Option<&'m str> {
    match members.find(name) {
        Some(Json::Text(text)) => Some(text),
        _ => None,
    }
}

/// The same; empty if there is no such string.
#[must_use]
pub fn text_or_empty<'m>(members: &'m Members<'_>, name: &str) -> &'m str {
    text(members, name).unwrap_or_default()
}

/// Moves the last member called `name` to the index `first`, and returns it, if it was at that index or behind it. The members before it
/// keep their order, so that the last of each name stays its last.
pub fn bring<'m, 'a>(members: &'m mut Members<'a>, name: &str, first: usize) -> Option<&'m mut Json<'a>> {
    let at = members.position(name).filter(|at| *at >= first)?;
    for place in (first..at).rev() {
        members.swap(place, place + 1);
    }
    members.entries.get_mut(first).map(|(_, member)| member)
}

/// Returns true if a key is this name. Names are short: a call for each comparison would take longer than to compare eight bytes at a time.
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

/// The name at a position.
type NameAt<'n> = &'n dyn Fn(usize) -> &'n str;

/// Positions of names by their hashes, each in the first free slot from there on.
#[derive(Clone)]
struct Slots {
    /// A position and one, or [`FREE`]. At least half of them are free.
    slots: Vec<u32>,
    /// The number of slots that are not free.
    used: usize,
    seed: u8,
}

const FREE: u32 = 0;
/// The name was removed. The slot gets no other, so that those behind it are found.
const TAKEN: u32 = u32::MAX;

/// Names are this far from their hashes only if someone chose them so.
const FAR: usize = 256;
/// Names that share a hash under this many seeds cannot be found.
const LAST_SEED: u8 = 4;

impl Slots {
    /// The slots of the first `length` names.
    fn of(length: usize, name_at: NameAt<'_>) -> Self {
        let mut slots = Self { slots: Vec::new(), used: 0, seed: 0 };
        slots.fill(length, name_at);
        slots
    }

    /// Sets the positions of the first `length` names, under a seed that spreads them.
    #[inline(never)]
    fn fill(&mut self, length: usize, name_at: NameAt<'_>) {
        self.used = length;
        loop {
            self.slots = vec![FREE; (4 * length).next_power_of_two()];
            let is_spread = (0..length).all(|at| self.set(at, at, name_at) <= FAR || self.seed == LAST_SEED);
            if is_spread {
                return;
            }
            self.seed += 1;
        }
    }

    /// Sets the position of the name that is now at `at`. Returns how far from its hash it is.
    #[inline(never)]
    fn set(&mut self, at: usize, position: usize, name_at: NameAt<'_>) -> usize {
        let (slot, steps) = self.find(name_at(at), name_at);
        self.slots[slot] = position as u32 + 1;
        steps
    }

    /// Adds the last of `length` names, which is new.
    #[inline(never)]
    fn push(&mut self, length: usize, name_at: NameAt<'_>) {
        self.used += 1;
        if 2 * self.used > self.slots.len() {
            self.fill(length, name_at);
        } else if self.set(length - 1, length - 1, name_at) > FAR && self.seed < LAST_SEED {
            self.seed += 1;
            self.fill(length, name_at);
        }
    }

    /// Removes the name at a position, which the last of `length` names takes.
    #[inline(never)]
    fn swap_remove(&mut self, at: usize, length: usize, name_at: NameAt<'_>) {
        let (slot, _) = self.find(name_at(at), name_at);
        self.slots[slot] = TAKEN;
        if at + 1 < length {
            self.set(length - 1, at, name_at);
        }
    }

    /// The slot of a name, or the free one that it would get, and how far from its hash that is.
    #[inline(never)]
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
        fn members_find_what_a_tree_finds(steps in prop::collection::vec((0..3_u8, 0..60_usize), 0..600)) {
            let (mut members, mut tree) = (Members::new(), BTreeMap::<String, Json<'_>>::new());
            for (step, number) in steps {
                let name = format!("m{number}");
                match step {
                    0 => prop_assert_eq!(members.take(&name), tree.remove(&name)),
                    _ => prop_assert_eq!(members.put(&name, number.into()), tree.insert(name.clone(), number.into())),
                }
                prop_assert_eq!(members.find(&name), tree.get(&name));
                prop_assert_eq!(members.len(), tree.len());
            }
            for number in 0..60 {
                let name = format!("m{number}");
                prop_assert_eq!(members.find(&name), tree.get(&name));
            }
            let sorted: Members<'_> = tree.into_iter().map(|(name, number)| (name.into(), number)).collect();
            prop_assert_eq!(members, sorted);
        }

        #[test]
        fn a_name_that_comes_twice_keeps_its_last_value(names in prop::collection::vec(0..40_usize, 0..60)) {
            let named = |(at, name): (usize, &usize)| (format!("m{name}").into(), at.into());
            let mut members: Members<'_> = names.iter().enumerate().map(named).collect();
            let last: BTreeMap<Cow<'_, str>, Json<'_>> = members.iter().cloned().collect();
            prop_assert_eq!(members.repeated().is_some(), last.len() < members.len());
            members.unique();
            prop_assert_eq!(members.repeated(), None);
            prop_assert!(members.len() == last.len() && last.iter().all(|(name, at)| members.find(name) == Some(at)));
        }
    }

    #[test]
    fn names_that_were_chosen_to_share_a_slot_are_told_apart_by_another_seed() {
        let slots = Slots { slots: vec![FREE; 4096], used: 0, seed: 0 };
        let shares = |name: &String| slots.find(name, &|_| "").0 == 0;
        let mut members = Members::new();
        for name in (0..).map(|number| format!("n{number}")).filter(shares).take(600) {
            members.put(&name, Json::Null);
        }
        let mut at_once: Members<'_> = members.iter().cloned().collect();
        at_once.unique();
        assert_eq!(members.slots.map(|slots| slots.seed), Some(1));
        assert_eq!(at_once.slots.map(|slots| slots.seed), Some(1), "also if they all come at once");
    }
}
