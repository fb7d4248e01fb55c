//! A file of an unfinished answer.

use ask_user_question::attachment::Attachment;

/// A file that the user added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftFile {
    /// Identifies the file as long as it is in the draft.
    pub key: usize,
    /// The file. It has no URL until it is uploaded.
    pub file: Attachment,
    /// The state of the upload.
    pub state: FileState,
}

impl DraftFile {
    /// An uploaded file, before it has a key.
    pub(super) fn there(file: Attachment) -> Self {
        Self { key: 0, file, state: FileState::There }
    }
}

/// The state of a file that the user added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// The upload is at this percentage.
    Going(usize),
    /// The file is uploaded and can be sent.
    There,
    /// The file could not be uploaded, for this reason.
    Failed(String),
}
