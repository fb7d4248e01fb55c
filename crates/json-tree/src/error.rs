//! Errors of JSON texts.

use std::fmt;

/// The reason why a text is not JSON, or not yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of error.
    pub kind: ErrorKind,
    /// The place, in bytes from the start.
    pub offset: usize,
}

/// A kind of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// It ends within a value.
    Incomplete,
    /// A character that cannot be there.
    Unexpected,
    /// Something other than white space after the value.
    Trailing,
    /// A control character within a string.
    ControlCharacter,
    /// An escape that JSON does not have.
    Escape,
    /// Half of a surrogate pair without the other.
    LoneSurrogate,
    /// A number that no double can hold.
    NumberOutOfRange,
    /// More containers within each other than allowed.
    TooDeep,
    /// More bytes than allowed.
    TooLong,
}

impl Error {
    /// Returns true if the text was valid as far as it went.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.kind == ErrorKind::Incomplete
    }
}

impl ErrorKind {
    /// The kind in words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Incomplete => "the text ends within a value",
            Self::Unexpected => "unexpected character",
            Self::Trailing => "unexpected character after the value",
            Self::ControlCharacter => "control character within a string",
            Self::Escape => "invalid escape",
            Self::LoneSurrogate => "half of a surrogate pair without the other",
            Self::NumberOutOfRange => "number out of range",
            Self::TooDeep => "too many values within each other",
            Self::TooLong => "too long",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind, self.offset)
    }
}

impl std::error::Error for Error {}
