//! A file of an unfinished answer.

use ask_user_question::attachment::Attachment;

/// The longest address of a file, in bytes, that is part of a draft's text. A `data:` URL may be longer.
const MOST_IN_TEXT: usize = 64 << 10;

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

    /// Returns true if it can be sent, and is too large for the text of a draft.
    pub(crate) fn is_large(&self) -> bool {
        self.state == FileState::There && self.file.url.len() > MOST_IN_TEXT
    }
}

/// The state of a file that the user added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// The host has it, has sent this percentage of it, and has not said what became of it.
    Going(usize),
    /// The browser's storage has its bytes, and the card is about to read them.
    Stored,
    /// It can be sent.
    There,
    /// The host could not take it, for this reason.
    Failed(String),
}
