//! Conversations in Postgres, which any number of servers share.
//!
//! Each change is one statement, which is applied as a whole or not at all and names its base revision. No lock lasts between statements: a
//! server that dies leaves its leases alone, which run out.

mod connect;
mod signals;

use self::signals::PostgresSignals;
use super::rows::{Columns as _, SqlValue, unsigned};
use super::signals::Signals;
use super::sql::{Access, SqlDialect};
use super::{CommitError, DueKind, StoreError};
use crate::engine::clock::{Clock, DatabaseClock};
use async_trait::async_trait;
use connect::DatabasePool;
use question_agent::Timestamp;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgRow, Postgres};
use sqlx::query::Query;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Keeps conversations in a Postgres database, where other servers find them as well.
#[derive(Debug)]
pub struct PostgresStore {
    pool: Arc<DatabasePool>,
    signals: Arc<PostgresSignals>,
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

    /// The same for a database that may still be starting: tries again for `wait`.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub async fn open_within(address: &str, wait: Duration) -> Result<Self, StoreError> {
        let options: PgConnectOptions = connect::read(address)?;
        connect::prepare(&options, wait).await?;
        let pool = Arc::new(DatabasePool::new(options.clone()));
        let signals = Arc::new(PostgresSignals::new(Arc::clone(&pool), options));
        let store = Self { pool, signals, clock: Arc::new(DatabaseClock::default()) };
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

/// One server claims each conversation. The server that held it before loses its lease.
macro_rules! due {
    ($kind:literal) => {
        concat!(
            "WITH due AS (
                SELECT number, due_at FROM conversation WHERE due_at <= $1 AND ",
            $kind,
            " ORDER BY due_at, number LIMIT $3 FOR UPDATE SKIP LOCKED
            ), claimed AS (
                UPDATE conversation AS one SET due_at = $2, holder = NULL
                FROM due WHERE one.number = due.number RETURNING one.id, one.number, due.due_at
            )
            SELECT id FROM claimed ORDER BY due_at, number"
        )
    };
}

#[async_trait]
impl SqlDialect for PostgresStore {
    type Row = PgRow;

    const BEGIN: &'static str = "
        WITH begun AS (
            INSERT INTO conversation
                (id, owner, version, state, context, revision, holder, due_at, ended_at, run, waiting_since, peer)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $11, $12, $15) ON CONFLICT (id) DO NOTHING RETURNING number
        ), noted AS (
            INSERT INTO entry (conversation, revision, run, told) SELECT number, $6, $11, $14 FROM begun
        ), said AS (
            INSERT INTO message (conversation, sequence, json)
            SELECT number, place, text FROM begun, unnest($10::text[]) WITH ORDINALITY AS one (text, place)
        ), hooked AS (
            INSERT INTO webhook (conversation, id, url, body, next_at)
            SELECT $1, one.id, url, body, at
            FROM begun, json_to_recordset($13::json) AS one (id text, url text, body text, at bigint)
        )
        SELECT number FROM begun";

    /// A statement that waits for another's change of the same row sees the new revision afterwards, and changes no row.
    const CHANGE: &'static str = "
        WITH changed AS (
            UPDATE conversation SET version = $3, state = $4, context = $5, revision = $6, holder = $7, due_at = $8,
                ended_at = $9, run = $11, waiting_since = $12
            WHERE id = $1 AND revision = $2 RETURNING number
        ), noted AS (
            INSERT INTO entry (conversation, revision, run, told) SELECT number, $6, $11, $14 FROM changed
        ), last AS (
            SELECT coalesce(max(sequence), 0) AS sequence FROM message JOIN changed ON conversation = number
        ), said AS (
            INSERT INTO message (conversation, sequence, json)
            SELECT number, last.sequence + place, text
            FROM changed, last, unnest($10::text[]) WITH ORDINALITY AS one (text, place)
        ), hooked AS (
            INSERT INTO webhook (conversation, id, url, body, next_at)
            SELECT $1, one.id, url, body, at
            FROM changed, json_to_recordset($13::json) AS one (id text, url text, body text, at bigint)
        )
        SELECT number FROM changed";

    const DUE_RUNS: &'static str = due!("waiting_since IS NULL");
    const DUE_QUESTIONS: &'static str = due!("waiting_since IS NOT NULL");

    const RENEW: &'static str = "UPDATE conversation SET due_at = $1 WHERE id = ANY ($2) AND holder = $3";

    const DELETE_ENDED: &'static str = "
        DELETE FROM conversation
        WHERE number IN (
            SELECT number FROM conversation WHERE ended_at <= $1 ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED
        )
        RETURNING id";

    const CLAIM_WEBHOOKS: &'static str = "
        UPDATE webhook SET next_at = $2
        WHERE (conversation, id) IN (
            SELECT conversation, id FROM webhook WHERE next_at <= $1 ORDER BY next_at LIMIT $3 FOR UPDATE SKIP LOCKED
        )
        RETURNING conversation, id, url, body, attempts";
    const PUT_FILE: &'static str = "
        INSERT INTO file (conversation, hash, owner, name, type, size, created, bytes)
        SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::bigint, $7::bigint, $8::bytea
        WHERE EXISTS (SELECT 1 FROM file WHERE conversation = $1 AND hash = $2)
          OR (SELECT coalesce(sum(size), 0) FROM file WHERE conversation = $1) + $6 <= $9::bigint
          AND (SELECT coalesce(sum(size), 0) FROM file WHERE owner = $3) + $6 <= $10::bigint
          AND (SELECT coalesce(sum(size), 0) FROM file) + $6 <= $11::bigint
        ON CONFLICT (conversation, hash)
        DO UPDATE SET name = excluded.name, type = excluded.type, created = excluded.created RETURNING hash";

    async fn run(&self, _: Access, sql: &'static str, values: Vec<SqlValue>) -> Result<Vec<PgRow>, CommitError> {
        self.pool.run(statement(sql, &values)).await
    }

    /// Each answer sets the clock.
    async fn next_due(&self, kind: DueKind, after: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let sql = match kind {
            DueKind::Resume => next!("waiting_since IS NULL"),
            DueKind::Expire => next!("waiting_since IS NOT NULL"),
        };
        let asked = Instant::now();
        let found = super::sql::rows(self.run(Access::Read, sql, vec![after.into()]).await)?;
        let Some(row) = found.first() else {
            return Ok(None);
        };
        self.clock.set(Timestamp(unsigned(row.number(1)?.unwrap_or_default())), asked);
        Ok(row.number(0)?.map(unsigned).map(Timestamp))
    }

    fn signals(&self) -> Option<Arc<dyn Signals>> {
        Some(Arc::<PostgresSignals>::clone(&self.signals))
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
