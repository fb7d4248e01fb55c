//! Errors of JSON texts.

/// The reason why a text is not JSON, or not yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {offset}")]
pub struct Error {
    /// The kind of error.
    pub kind: ErrorKind,
    /// The place, in bytes from the start.
    pub offset: usize,
}

/// A kind of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// It ends within a value.
    #[error("the text ends within a value")]
    Incomplete,
    /// A character that cannot be there.
    #[error("unexpected character")]
    Unexpected,
    /// Something other than white space after the value.
    #[error("unexpected character after the value")]
    Trailing,
    /// A control character within a string.
    #[error("control character within a string")]
    ControlCharacter,
    /// An escape that JSON does not have.
    #[error("invalid escape")]
    Escape,
    /// Half of a surrogate pair without the other.
    #[error("half of a surrogate pair without the other")]
    LoneSurrogate,
    /// A number that no double can hold.
    #[error("number out of range")]
    NumberOutOfRange,
    /// More containers within each other than allowed.
    #[error("too many values within each other")]
    TooDeep,
    /// More bytes than allowed.
    #[error("too long")]
    TooLong,
}

impl Error {
    /// Returns true if the text was valid as far as it went.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.kind == ErrorKind::Incomplete
    }
}
