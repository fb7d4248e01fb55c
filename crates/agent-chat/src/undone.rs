//! What changed answers have undone, as an agent that begins anew from them tells it in its history.

use crate::entry::EntryKey;

/// The entries that an agent knows no more of, because it began anew from a changed answer. They stay in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Undone {
    pub(crate) entries: Vec<EntryKey>,
    /// The changes that undid them, each with the tools that were called since the first answer.
    pub(crate) changes: Vec<(EntryKey, Vec<String>)>,
}

impl Undone {
    /// Returns true if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns true if the entry is one of them.
    #[must_use]
    pub fn has(&self, entry: &EntryKey) -> bool {
        self.entries.contains(entry)
    }

    /// The tools whose work may stay done although the user's message of this entry undid their calls; `None` if it undid nothing.
    #[must_use]
    pub fn tools(&self, change: &EntryKey) -> Option<&[String]> {
        let (_, tools) = self.changes.iter().find(|(key, _)| key == change)?;
        Some(tools)
    }
}
