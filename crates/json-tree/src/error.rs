//! Errors in JSON texts.

/// The reason why a text is not JSON, or is not complete yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {offset}")]
pub struct Error {
    /// The kind of error.
    pub kind: ErrorKind,
    /// The position of the fault, in bytes from the start of the text.
    pub offset: usize,
}

/// The kinds of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text ends within a value.
    #[error("the text ends within a value")]
    Incomplete,
    /// A character that is not allowed at this position.
    #[error("unexpected character")]
    Unexpected,
    /// Something other than whitespace after the value.
    #[error("unexpected character after the value")]
    Trailing,
    /// A control character within a string.
    #[error("control character within a string")]
    ControlCharacter,
    /// An escape that JSON does not have.
    #[error("invalid escape")]
    Escape,
    /// A surrogate half without its other half.
    #[error("half of a surrogate pair without the other")]
    LoneSurrogate,
    /// A number that no double can hold.
    #[error("number out of range")]
    NumberOutOfRange,
    /// More nested containers than allowed.
    #[error("too many values within each other")]
    TooDeep,
    /// More bytes than allowed.
    #[error("too long")]
    TooLong,
}

impl Error {
    /// Returns true if the text is a valid beginning of JSON.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.kind == ErrorKind::Incomplete
    }
}
