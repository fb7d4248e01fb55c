//! Errors of stores.

use std::error::Error;
use std::fmt;
use std::path::Path;

/// Why a commit was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitError {
    /// The conversation has another revision by now: decide again, from that one.
    Conflict,
    /// It is not known to be kept.
    Failed(StoreError),
}

impl From<StoreError> for CommitError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

/// Why the store did not do it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError(pub String);

impl StoreError {
    /// The same with the name of the file that it is about.
    pub(super) fn about(self, path: &Path) -> Self {
        Self(format!("{}: {}", path.display(), self.0))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for StoreError {}
