//! The task that writes into the file.

use super::file::{self, BUSY, FileIdentity};
use crate::store::StoreError;
use crate::store::rows::SqlValue;
use crate::store::sql::Access;
use sqlx::query::Query;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqliteConnection, SqlitePool, SqliteRow};
use sqlx::{AssertSqlSafe, Connection as _, Row as _};
use std::fs::File;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// A statement for the task, in one transaction with the rest of a batch.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) access: Access,
    pub(super) sql: &'static str,
    pub(super) values: Vec<SqlValue>,
    /// Gets the outcome after the commit.
    pub(super) reply: oneshot::Sender<Result<Vec<SqliteRow>, StoreError>>,
}

/// The most jobs in one commit, so that none waits long for the others.
const MAX_BATCH: usize = 256;

/// The one connection that writes.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) database: SqliteConnection,
    pub(super) place: FileIdentity,
    /// Closed before the file.
    pub(super) readers: SqlitePool,
    /// Held until the file is closed.
    pub(super) _lock: File,
}

impl Writer {
    /// Runs jobs until all senders are gone.
    pub(super) async fn work_off(mut self, mut todo: mpsc::UnboundedReceiver<Job>) {
        // True if the log still has deleted content.
        let mut is_left = false;
        let mut batch = Vec::new();
        while todo.recv_many(&mut batch, MAX_BATCH).await > 0 {
            let mut outcomes = vec![self.commit(&batch).await];
            if let Err(StoreError::InUse(by)) = outcomes[0] {
                // The file is locked: run alone, each job would wait as long again.
                outcomes = batch.iter().map(|_| Err(StoreError::InUse(by))).collect();
            } else if outcomes[0].is_err() && batch.len() > 1 {
                // A single job may be at fault, so each gets its own transaction.
                outcomes.clear();
                for job in batch.chunks(1) {
                    outcomes.push(self.commit(job).await);
                }
            }
            let erased = |job: &Job, rows: &Vec<SqliteRow>| job.access == Access::Erase && !rows.is_empty();
            let found = outcomes.into_iter().flat_map(|outcome| match outcome {
                Ok(rows) => rows.into_iter().map(Ok).collect::<Vec<_>>(),
                Err(error) => vec![Err(error)],
            });
            let done: Vec<_> = batch.drain(..).zip(found).collect();
            let is_new = done.iter().any(|(job, rows)| rows.as_ref().is_ok_and(|rows| erased(job, rows)));
            if is_new || is_left {
                // Only a new deletion waits for readers, such as a backup, not each commit after it.
                let patience = if is_new { BUSY } else { Duration::ZERO };
                is_left = !self.truncate_log(patience).await.unwrap_or_default();
            }
            for (job, rows) in done {
                if job.reply.send(rows).is_err() {
                    tracing::debug!("store job done; its caller is gone");
                }
            }
        }
        self.readers.close().await;
        if let Err(error) = self.database.close().await {
            tracing::warn!(%error, "could not close the database file");
        }
    }

    /// Runs jobs in one transaction, as a whole or not at all. Returns the rows of each.
    async fn commit(&mut self, batch: &[Job]) -> Result<Vec<Vec<SqliteRow>>, StoreError> {
        let statements: Vec<_> = batch.iter().map(|job| (job.sql, &*job.values)).collect();
        let found = transact(&mut self.database, &statements).await.map_err(file::explain)?;
        self.place.check()?;
        Ok(found)
    }

    /// Truncates the log. Returns false if another program reads the file for longer than this.
    async fn truncate_log(&mut self, patience: Duration) -> Result<bool, sqlx::Error> {
        let wait = |time: Duration| AssertSqlSafe(format!("PRAGMA busy_timeout = {}", time.as_millis()));
        sqlx::raw_sql(wait(patience)).execute(&mut self.database).await?;
        let is_busy = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut self.database).await;
        sqlx::raw_sql(wait(BUSY)).execute(&mut self.database).await?;
        Ok(is_busy?.try_get::<i64, _>(0)? == 0)
    }
}

/// Runs statements in one transaction, as a whole or not at all. Returns the rows of each.
///
/// SQLite itself rolls back when the disk is full or fails. sqlx's `Transaction` would then count as open for ever, and refuse every later one.
pub(super) async fn transact(
    database: &mut SqliteConnection,
    statements: &[(&'static str, &[SqlValue])],
) -> Result<Vec<Vec<SqliteRow>>, sqlx::Error> {
    let done = try_transact(database, statements).await;
    if done.is_err() {
        // Fails if there is no transaction any more.
        let _ = sqlx::query("ROLLBACK").execute(database).await;
    }
    done
}

async fn try_transact(
    database: &mut SqliteConnection,
    statements: &[(&'static str, &[SqlValue])],
) -> Result<Vec<Vec<SqliteRow>>, sqlx::Error> {
    let mut found = Vec::with_capacity(statements.len());
    sqlx::query("BEGIN IMMEDIATE").execute(&mut *database).await?;
    for (sql, values) in statements {
        found.push(statement(sql, values).fetch_all(&mut *database).await?);
    }
    sqlx::query("COMMIT").execute(database).await?;
    Ok(found)
}

pub(super) fn statement(sql: &'static str, values: &[SqlValue]) -> Query<'static, Sqlite, SqliteArguments> {
    values.iter().fold(sqlx::query(sql), |query, value| match value {
        SqlValue::Number(number) => query.bind(*number),
        SqlValue::Text(text) => query.bind(text.clone()),
        SqlValue::List(texts) => query.bind(serde_json::Value::from(texts.as_slice()).to_string()),
        SqlValue::Bytes(bytes) => query.bind(bytes.clone()),
    })
}
