//! What changed answers have undone, read from the agent's history.

use crate::entry::EntryKey;

/// The entries that the agent no longer knows, because it started over from a changed answer. They stay in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Undone {
    pub(crate) entries: Vec<EntryKey>,
    /// The changes that undid them, each with the tools that were called since the first answer.
    pub(crate) changes: Vec<(EntryKey, Vec<String>)>,
}

impl Undone {
    /// Returns true if no entry is undone.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns true if this entry is undone.
    #[must_use]
    pub fn has(&self, entry: &EntryKey) -> bool {
        self.entries.contains(entry)
    }

    /// The tools whose effects may remain although this entry, a message of the user, undid their calls; `None` if it undid nothing.
    #[must_use]
    pub fn tools(&self, change: &EntryKey) -> Option<&[String]> {
        let (_, tools) = self.changes.iter().find(|(key, _)| key == change)?;
        Some(tools)
    }
}
