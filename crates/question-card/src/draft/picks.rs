//! Chosen options in an order, with an index by option: the card asks for each of its options whether it is chosen.

use std::ops::Deref;

/// Limits the index by option. No ask has as many options, but a stored draft may contain any number.
const MOST: usize = 1 << 20;

/// A chosen option. Its label finds it again if a later snapshot moves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pick {
    pub(super) option: usize,
    pub(super) label: String,
}

impl Pick {
    /// Moves the pick to the option with its label. Returns false if there is none.
    pub(super) fn follow(&mut self, labels: &[&str]) -> bool {
        if labels.get(self.option) == Some(&self.label.as_str()) {
            return true;
        }
        let place = labels.iter().position(|&label| label == self.label);
        self.option = place.unwrap_or(self.option);
        place.is_some()
    }
}

/// Picks of different options.
#[derive(Clone, Debug, Default)]
pub(super) struct Picks {
    list: Vec<Pick>,
    /// For each option its place in the list, from 1 on; 0 for an option that is not picked.
    places: Vec<usize>,
}

impl Picks {
    pub(super) fn of(pick: Pick) -> Self {
        let mut picks = Self::default();
        picks.push(pick);
        picks
    }

    /// The place of an option, from 0 on.
    pub(super) fn place(&self, option: usize) -> Option<usize> {
        self.places.get(option)?.checked_sub(1)
    }

    /// Adds a pick behind the others, unless its option is picked already.
    pub(super) fn push(&mut self, pick: Pick) {
        self.add(self.list.len(), pick);
    }

    /// Adds a pick in the order of the options, unless its option is picked already.
    pub(super) fn insert(&mut self, pick: Pick) {
        self.add(self.list.partition_point(|other| other.option < pick.option), pick);
    }

    fn add(&mut self, place: usize, pick: Pick) {
        if pick.option < MOST && self.place(pick.option).is_none() {
            if self.places.len() <= pick.option {
                self.places.resize(pick.option + 1, 0);
            }
            self.list.insert(place, pick);
            self.count_from(place);
        }
    }

    pub(super) fn remove(&mut self, place: usize) -> Pick {
        let pick = self.list.remove(place);
        self.places[pick.option] = 0;
        self.count_from(place);
        pick
    }

    pub(super) fn pop(&mut self) -> Option<Pick> {
        self.list.len().checked_sub(1).map(|last| self.remove(last))
    }

    pub(super) fn shift(&mut self, from: usize, to: usize) {
        let pick = self.list.remove(from);
        self.list.insert(to, pick);
        self.count_from(from.min(to));
    }

    pub(super) fn into_vec(self) -> Vec<Pick> {
        self.list
    }

    fn count_from(&mut self, first: usize) {
        for (place, pick) in self.list.iter().enumerate().skip(first) {
            self.places[pick.option] = place + 1;
        }
    }
}

impl Deref for Picks {
    type Target = [Pick];

    fn deref(&self) -> &[Pick] {
        &self.list
    }
}

impl PartialEq for Picks {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

impl Eq for Picks {}
