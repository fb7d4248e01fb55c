//! Conversations in an SQLite file, or in SQLite's memory.
//!
//! One connection writes, and others read beside it. It takes all waiting changes as one transaction, so that they share the wait for the disk.
//! It acknowledges the changes after the commit. Only one server may open the file, since servers exchange no signals over it. A backup may read it
//! meanwhile. In memory there is no disk to wait for: the one connection runs each statement at once.

mod backup;
mod file;
mod writer;

use super::StoreError;
use super::rows::SqlValue;
use super::sql::{Access, SqlDialect, statements};
use crate::config::limits::TAKEOVER;
use async_trait::async_trait;
use futures_executor::block_on;
use sqlx::Row as _;
use sqlx::sqlite::{SqliteConnection, SqlitePool, SqlitePoolOptions, SqliteRow};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use writer::{Job, Writer, statement, transact};

/// Keeps conversations in an SQLite file in write-ahead mode, where each commit is on the disk before it is acknowledged (`synchronous=FULL`).
/// Or it keeps them in memory, for as long as the server runs.
#[derive(Debug)]
pub struct SqliteStore(Medium);

#[derive(Debug)]
enum Medium {
    File { jobs: mpsc::UnboundedSender<Job>, readers: SqlitePool },
    Memory(Mutex<SqliteConnection>),
}

/// The most statements that read at the same time.
const READERS: u32 = 4;

impl SqliteStore {
    /// Opens a file, or creates it with its folders for this user alone. A file of an older version is migrated.
    ///
    /// # Errors
    /// Another server has the file, it is no database of this program, a newer version wrote it, or the disk refuses.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_within(path, TAKEOVER).await
    }

    /// Like [`open`](Self::open), but waits for `wait`, since a stopping server may still have the file.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub async fn open_within(path: &Path, wait: Duration) -> Result<Self, StoreError> {
        let (lock, place, database) = file::open(path, wait).await.map_err(|why| why.about(path))?;
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .test_before_acquire(false)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_lazy_with(file::options(path).read_only(true));
        let (jobs, todo) = mpsc::unbounded_channel();
        let writer = Writer { database, place, readers: readers.clone(), _lock: lock };
        tokio::spawn(writer.work_off(todo));
        Ok(Self(Medium::File { jobs, readers }))
    }

    /// An empty database in memory, which ends with the store.
    ///
    /// # Panics
    /// If there is no memory for it, or no thread.
    #[must_use]
    pub fn in_memory() -> Self {
        Self(Medium::Memory(Mutex::new(block_on(file::in_memory()).expect("an empty database needs nothing else"))))
    }

    /// Copies the present content of a file into a new one. A server may use the file meanwhile.
    ///
    /// # Errors
    /// There is no such file, the copy exists already, or the disk refuses.
    pub async fn back_up(path: &Path, to: &Path) -> Result<(), StoreError> {
        backup::back_up(path, to).await
    }
}

/// Adds the entry `$14`, the messages `$10` and the webhooks `$13` to the conversation that the statement before has written, if it has. Webhooks
/// look for the entry of their own commit, which may have no messages.
macro_rules! and_rest {
    ($sql:literal) => {
        concat!(
            $sql,
            " RETURNING number;
            INSERT INTO entry (conversation, revision, run, told)
            SELECT number, $6, $11, $14 FROM conversation WHERE conversation.id = $1 AND changes() = 1;
            INSERT INTO message (conversation, sequence, json)
            SELECT number, one.key + coalesce((SELECT max(sequence) + 1 FROM message WHERE conversation = number), 0), one.value
            FROM conversation, json_each($10) AS one WHERE conversation.id = $1 AND changes() = 1;
            INSERT INTO webhook (conversation, id, url, body, next_at)
            SELECT $1, one.value ->> 'id', one.value ->> 'url', one.value ->> 'body', one.value ->> 'at'
            FROM json_each($13) AS one WHERE EXISTS (
                SELECT 1 FROM entry JOIN conversation AS written ON written.number = entry.conversation
                WHERE written.id = $1 AND entry.revision = $6 AND entry.told = $14
            )"
        )
    };
}

#[async_trait]
impl SqlDialect for SqliteStore {
    type Row = SqliteRow;

    statements!("", and_rest);
    const RENEW: &'static str =
        "UPDATE conversation SET due_at = $1 WHERE id IN (SELECT value FROM json_each($2)) AND holder = $3";

    async fn run(
        &self,
        access: Access,
        sql: &'static str,
        values: Vec<SqlValue>,
    ) -> Result<Vec<SqliteRow>, StoreError> {
        let (jobs, readers) = match &self.0 {
            Medium::File { jobs, readers } => (jobs, readers),
            Medium::Memory(database) => {
                // Each statement or transaction ends before the next begins, so a panic leaves nothing half-done.
                let database = &mut *database.lock().unwrap_or_else(PoisonError::into_inner);
                let done = match access {
                    Access::Read => block_on(statement(sql, &values).fetch_all(database)),
                    Access::Write | Access::Erase => block_on(transact(database, &[(sql, &*values)]))
                        .map(|done| done.into_iter().flatten().collect()),
                };
                return done.map_err(file::explain);
            }
        };
        if access == Access::Read {
            return statement(sql, &values).fetch_all(readers).await.map_err(file::explain);
        }
        let (reply, answer) = oneshot::channel();
        jobs.send(Job { access, sql, values, reply }).map_err(|_| StoreError::Stopped)?;
        answer.await.map_err(|_| StoreError::Stopped)?
    }

    fn bytes(&self) -> usize {
        let Medium::Memory(database) = &self.0 else {
            return 0;
        };
        let database = &mut *database.lock().unwrap_or_else(PoisonError::into_inner);
        let found = block_on(sqlx::query(BYTES).fetch_one(database)).and_then(|row| row.try_get::<i64, _>(0));
        found.ok().and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or_default()
    }
}

/// The size of the pages in use, in bytes.
const BYTES: &str = "SELECT (page_count - freelist_count) * page_size
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
