//! Conversations in Postgres, which any number of servers share.
//!
//! Each change is one statement, which is applied as a whole or not at all and names its base revision. No lock lasts between statements: a
//! server that dies leaves its leases alone, which run out.

mod connect;
mod signals;

use super::rows::{Columns as _, SqlValue, unsigned};
use super::signals::Signal;
use super::sql::{Access, SqlDialect, statements};
use super::{DueKind, StoreError};
use crate::engine::clock::{Clock, DatabaseClock};
use async_trait::async_trait;
use connect::DatabasePool;
use futures_util::stream::BoxStream;
use question_agent::Timestamp;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgRow, Postgres};
use sqlx::query::Query;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Keeps conversations in a Postgres database, where other servers find them as well.
#[derive(Debug)]
pub struct PostgresStore {
    pool: DatabasePool,
    clock: Arc<DatabaseClock>,
}

impl PostgresStore {
    /// Opens the database at an address such as `postgres://user:password@host/name`. Its tables are in a schema of their own, `question_server`.
    /// Tables of an older version are migrated; of several servers that start at once one does it.
    ///
    /// Connections to other machines use TLS and a certificate that this machine trusts, unless the address has `sslmode=disable`.
    ///
    /// # Errors
    /// The address is invalid, or the database cannot be reached or refuses. Or a newer version wrote its tables, or a pooler in front of it
    /// shares sessions.
    pub async fn open(address: &str) -> Result<Self, StoreError> {
        Self::open_within(address, Duration::ZERO).await
    }

    /// Like [`open`](Self::open), but tries again for `wait`, since the database may still be starting.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub async fn open_within(address: &str, wait: Duration) -> Result<Self, StoreError> {
        let options: PgConnectOptions = connect::read(address)?;
        connect::prepare(&options, wait).await?;
        let store = Self { pool: DatabasePool::new(options), clock: Arc::new(DatabaseClock::default()) };
        store.next_due(DueKind::Resume, Timestamp(0)).await?;
        Ok(store)
    }
}

/// The next time at which work of a kind is due, and the time of the database.
macro_rules! next {
    ($kind:literal) => {
        concat!(
            "SELECT (SELECT min(due_at) FROM conversation WHERE due_at > $1 AND ",
            $kind,
            "), (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
        )
    };
}

/// Adds the entry `$14`, the messages `$10` and the webhooks `$13` to the conversation that is written, if it is. A statement that waits for
/// another's change of the same row sees the new revision afterwards, and writes nothing.
macro_rules! and_rest {
    ($written:literal) => {
        concat!(
            "WITH written AS (",
            $written,
            " RETURNING number), noted AS (
                INSERT INTO entry (conversation, revision, run, told) SELECT number, $6, $11, $14 FROM written
            ), last AS (
                SELECT coalesce(max(sequence), 0) AS sequence FROM message JOIN written ON conversation = number
            ), said AS (
                INSERT INTO message (conversation, sequence, json)
                SELECT number, last.sequence + place, text
                FROM written, last, unnest($10::text[]) WITH ORDINALITY AS one (text, place)
            ), hooked AS (
                INSERT INTO webhook (conversation, id, url, body, next_at)
                SELECT $1, one.id, url, body, at
                FROM written, json_to_recordset($13::json) AS one (id text, url text, body text, at bigint)
            )
            SELECT number FROM written"
        )
    };
}

#[async_trait]
impl SqlDialect for PostgresStore {
    type Row = PgRow;

    statements!(" FOR UPDATE SKIP LOCKED", and_rest);
    const RENEW: &'static str = "UPDATE conversation SET due_at = $1 WHERE id = ANY ($2) AND holder = $3";

    async fn run(&self, _: Access, sql: &'static str, values: Vec<SqlValue>) -> Result<Vec<PgRow>, StoreError> {
        self.pool.run(statement(sql, &values)).await
    }

    /// Each answer sets the clock.
    async fn next_due(&self, kind: DueKind, after: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let sql = match kind {
            DueKind::Resume => next!("waiting_since IS NULL"),
            DueKind::Expire => next!("waiting_since IS NOT NULL"),
        };
        let asked = Instant::now();
        let found = self.run(Access::Read, sql, vec![after.into()]).await?;
        let Some(row) = found.first() else {
            return Ok(None);
        };
        self.clock.set(Timestamp(unsigned(row.number(1)?.unwrap_or_default())), asked);
        Ok(row.number(0)?.map(unsigned).map(Timestamp))
    }

    async fn publish(&self, signals: Vec<Signal>) -> Result<(), StoreError> {
        signals::publish(&self.pool, signals).await
    }

    fn subscribe(&self) -> Option<BoxStream<'static, Option<Signal>>> {
        Some(signals::subscribe(self.pool.options()))
    }

    /// The clock of the database, which follows this machine's monotonic clock between answers.
    fn clock(&self) -> Option<Arc<dyn Clock>> {
        Some(Arc::<DatabaseClock>::clone(&self.clock))
    }

    fn pool(&self) -> Option<(usize, usize)> {
        Some((self.pool.used(), connect::most()))
    }
}

fn statement(sql: &'static str, values: &[SqlValue]) -> Query<'static, Postgres, PgArguments> {
    values.iter().fold(sqlx::query(sql), |query, value| match value {
        SqlValue::Number(number) => query.bind(*number),
        SqlValue::Text(text) => query.bind(text.clone()),
        SqlValue::List(texts) => query.bind(texts.clone()),
        SqlValue::Bytes(bytes) => query.bind(bytes.clone()),
    })
}
