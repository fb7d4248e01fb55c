//! Errors of stores.

use std::error::Error;
use std::fmt;
use std::path::Path;

/// The reason why a commit was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitError {
    /// The conversation has another revision: load it and decide again.
    Conflict,
    /// It is not known to be stored.
    Failed(StoreError),
}

impl From<StoreError> for CommitError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

/// The reason why the store failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError(pub String);

impl StoreError {
    /// The same with the name of the file in front.
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
