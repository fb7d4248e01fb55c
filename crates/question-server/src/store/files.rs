//! The files of conversations, as a store has them.

use crate::owner::Owner;
use question_agent::Timestamp;

/// A file for a conversation, which may begin later.
#[derive(Clone, Debug)]
pub struct NewFile {
    /// The conversation.
    pub conversation: String,
    /// The digest of the bytes.
    pub hash: String,
    /// The owner who sent it.
    pub owner: Option<Owner>,
    /// Its name and type.
    pub head: FileHead,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The time at which it came.
    pub at: Timestamp,
}

/// A file without its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHead {
    /// The name.
    pub name: String,
    /// The media type.
    pub media_type: String,
    /// The number of bytes.
    pub size: usize,
}

/// The part of a file that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilePart {
    /// All but its bytes.
    Head,
    /// The file with its bytes.
    Whole,
}

/// A file of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// The owner who sent it.
    pub owner: Option<Owner>,
    /// Its name and type.
    pub head: FileHead,
    /// The bytes; empty if they were not asked for.
    pub bytes: Vec<u8>,
}

/// The bytes that files may take.
#[derive(Clone, Copy, Debug)]
pub struct FileRoom {
    /// The bytes that each file counts beside its own, which also bounds the number of files.
    pub of_each: usize,
    /// The most bytes of one conversation's files.
    pub of_conversation: usize,
    /// The most bytes of one owner's files.
    pub of_owner: usize,
    /// The most bytes of all files together.
    pub of_all: usize,
}
