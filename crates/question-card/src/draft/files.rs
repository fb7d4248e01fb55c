//! A file of an unfinished answer.

use ask_user_question::attachment::Attachment;

/// A file that the user added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftFile {
    /// Its number in the draft, which stays.
    pub key: usize,
    /// The file; without an address until it is there.
    pub file: Attachment,
    /// How far it is.
    pub state: FileState,
}

impl DraftFile {
    /// A file that can be sent, before it has a number.
    pub(super) fn there(file: Attachment) -> Self {
        Self { key: 0, file, state: FileState::There }
    }
}

/// The state of a file that the user added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// The host has it, has sent this percentage of it, and has not said what became of it.
    Going(usize),
    /// It can be sent.
    There,
    /// The host could not take it, for this reason.
    Failed(String),
}
