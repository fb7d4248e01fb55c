//! Errors of stores.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The reason why a commit was refused.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CommitError {
    /// The conversation has another revision: load it and decide again.
    #[error("another change was first")]
    Conflict,
    /// The store failed. The change may or may not be stored.
    #[error(transparent)]
    Failed(#[from] StoreError),
}

/// The reason why a store failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The database did not answer in time.
    #[error("it does not answer")]
    Timeout,
    /// There is no connection to the database.
    #[error("it cannot be reached")]
    Unreachable(#[source] sqlx::Error),
    /// The database refused a statement, or the connection broke meanwhile.
    #[error(transparent)]
    Database(sqlx::Error),
    /// The settings of a connection are invalid.
    #[error("it is no address of a database")]
    Address(#[source] sqlx::Error),
    /// The tables cannot be brought up to date.
    #[error(transparent)]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// Another program or server is using the file.
    #[error("another {0} is using it")]
    InUse(&'static str),
    /// The file is damaged; the database says how.
    #[error("it is damaged ({0}); put a backup in its place, or what `sqlite3 FILE .recover` saves of it")]
    Damaged(String),
    /// A newer version of the program wrote it.
    #[error("a newer version of this program wrote it (version {found}, this one knows {known})")]
    Newer {
        /// The version of its tables.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// The store cannot be used as it is; the text has advice for the operator.
    #[error("{0}")]
    Unusable(&'static str),
    /// The system refused access to the file.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A value that is no JSON of this program's.
    #[error("it cannot be read or written as JSON")]
    Json(#[from] serde_json::Error),
    /// The store of this process has stopped.
    #[error("the store has stopped")]
    Stopped,
    /// A failure with the file that it concerns.
    #[error("{}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The failure.
        source: Box<Self>,
    },
    /// The failure of a store of your own.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

impl StoreError {
    /// Adds the file that the failure concerns.
    pub(super) fn about(self, path: &Path) -> Self {
        Self::File { path: path.to_owned(), source: Box::new(self) }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}
