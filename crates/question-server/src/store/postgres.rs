//! Conversations in Postgres, which any number of servers share.
//!
//! Each change is one statement, which is applied as a whole or not at all and names its base revision. No lock lasts between statements: a
//! server that dies leaves its leases alone, which run out.

mod database;
mod schema;
mod signals;
mod tls;

use self::signals::PostgresSignals;
use super::rows::{ConversationRow, NewRows, StoredRows, signed, unsigned};
use super::signals::Signals;
use super::{
    Commit, CommitError, DELETED_AT_A_TIME, Due, Lease, Revision, Store, StoreError, Stored, StreamPosition, Waiting,
};
use crate::clock::{Clock, DatabaseClock};
use crate::limits::{CLAIM, DUE_AT_A_TIME};
use crate::owner::Owner;
use async_trait::async_trait;
use database::DatabasePool;
use question_agent::Timestamp;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_postgres::Row as Found;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;

/// Keeps conversations in a Postgres database, where other servers find them as well.
pub struct PostgresStore {
    database: DatabasePool,
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
        let (database, config) = DatabasePool::open_within(address, wait).await?;
        let clock = Arc::new(DatabaseClock::default());
        let signals = Arc::new(PostgresSignals::new(database.clone(), config));
        let store = Self { database, signals, clock };
        store.next_due(i64::MIN).await?;
        Ok(store)
    }

    /// The time after `after` at which a conversation is due. Each answer sets the clock.
    async fn next_due(&self, after: i64) -> Result<Option<Timestamp>, StoreError> {
        let sql = "SELECT (SELECT min(due_at) FROM question_server.conversation WHERE due_at > $1),
            (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
        let asked = Instant::now();
        let Some(found) = self.database.first(sql, &[&after]).await? else {
            return Ok(None);
        };
        self.clock.set(Timestamp(unsigned(found.try_get(1)?)), asked);
        Ok(found.try_get::<_, Option<i64>>(0)?.map(unsigned).map(Timestamp))
    }
}

/// The pool would show the password.
impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn load(&self, id: &str) -> Result<Option<Stored>, StoreError> {
        // One statement, which sees one moment.
        let found = self.database.first(LOAD, &[&id]).await?;
        found.map(|row| rows(&row)?.read()).transpose()
    }

    async fn commit(&self, id: &str, base: Option<Revision>, change: Commit<'_>) -> Result<(), CommitError> {
        let run = change.run.map(str::to_owned);
        let NewRows { id, base, owner, peer, row, messages } = NewRows::new(id, base, change)?;
        let ConversationRow { version, state, context, revision, position, holder, due_at, ended_at, waiting_since } =
            row;
        let version = i32::try_from(version).unwrap_or(i32::MAX);
        let [revision, since, frames] = [revision.0, position.since.0, position.frames].map(signed);
        let (state, context) = (&*state, &*context);
        let holder = holder.map(|holder| holder.to_string());
        let times = [due_at, ended_at, waiting_since];
        let [due_at, ended_at, waiting] = times.map(|time| time.map(|time| signed(time.0)));
        let base = base.map(|base| signed(base.0));
        let (sql, whose): (_, &(dyn ToSql + Sync)) = match &base {
            Some(base) => (CHANGE, base),
            None => (BEGIN, &owner),
        };
        let values: [&(dyn ToSql + Sync); 15] = [
            &id, whose, &version, &state, &context, &revision, &since, &frames, &holder, &due_at, &ended_at, &messages,
            &run, &waiting, &peer,
        ];
        // A change does not set the peer.
        let values = &values[..if base.is_some() { 14 } else { 15 }];
        match self.database.try_query(sql, values).await? {
            Ok(found) if !found.is_empty() => Ok(()),
            Ok(_) => Err(CommitError::Conflict),
            Err(error) if error.code().is_some_and(is_conflict) => Err(CommitError::Conflict),
            Err(error) => Err(StoreError::from(error).into()),
        }
    }

    async fn due(&self, now: Timestamp) -> Result<Due, StoreError> {
        let claimed_until = crate::clock::later(now, CLAIM);
        let most = i64::try_from(DUE_AT_A_TIME).unwrap_or(i64::MAX);
        let claimed = self.database.query(CLAIM_DUE, &[&signed(now.0), &signed(claimed_until.0), &most]).await?;
        let claimed: Result<Vec<String>, _> = claimed.iter().map(|row| row.try_get(0)).collect();
        let claimed = claimed?;
        // If there was none to claim, other servers are claiming those that are due.
        let after = if claimed.is_empty() { signed(now.0) } else { i64::MIN };
        Ok(Due { now: claimed, next: self.next_due(after).await? })
    }

    async fn renew(&self, ids: Vec<String>, lease: Lease) -> Result<(), StoreError> {
        let sql = "UPDATE question_server.conversation SET due_at = $1 WHERE id = ANY ($2) AND holder = $3";
        self.database.query(sql, &[&signed(lease.until.0), &ids, &lease.holder.to_string()]).await?;
        Ok(())
    }

    async fn delete(&self, id: &str, revision: Revision) -> Result<bool, StoreError> {
        Ok(self.database.first(DELETE, &[&id, &signed(revision.0)]).await?.is_some())
    }

    async fn delete_ended(&self, by: Timestamp) -> Result<Vec<String>, StoreError> {
        let most = i64::try_from(DELETED_AT_A_TIME).unwrap_or(i64::MAX);
        let deleted = self.database.query(DELETE_ENDED, &[&signed(by.0), &most]).await?;
        let ids: Result<_, _> = deleted.iter().map(|row| row.try_get(0)).collect();
        Ok(ids?)
    }

    async fn check(&self) -> Result<(), StoreError> {
        // As long as a message, so that it finds room as one would.
        let sql = "INSERT INTO question_server.readiness (filler) VALUES (repeat('.', 8192))
            ON CONFLICT (one) DO UPDATE SET filler = excluded.filler";
        self.database.query(sql, &[]).await?;
        Ok(())
    }

    async fn positions(&self, ids: Vec<String>) -> Result<Option<HashMap<String, StreamPosition>>, StoreError> {
        let sql = "SELECT id, told_since, told FROM question_server.conversation WHERE id = ANY ($1)";
        let found = self.database.query(sql, &[&ids]).await?;
        let positions = found.iter().map(|row| {
            let [since, frames] = [row.try_get(1)?, row.try_get(2)?].map(unsigned);
            Ok((row.try_get(0)?, StreamPosition { since: Revision(since), frames }))
        });
        positions.collect::<Result<_, StoreError>>().map(Some)
    }

    /// The clock of the database, which follows this machine's monotonic clock between answers.
    fn clock(&self) -> Option<Arc<dyn Clock>> {
        Some(Arc::<DatabaseClock>::clone(&self.clock))
    }

    fn signals(&self) -> Option<Arc<dyn Signals>> {
        Some(Arc::<PostgresSignals>::clone(&self.signals))
    }

    async fn count(&self) -> Result<usize, StoreError> {
        self.database.count_by("SELECT count(*) FROM question_server.conversation", &[]).await
    }

    async fn waiting(&self) -> Result<Waiting, StoreError> {
        let sql =
            "SELECT count(*), min(waiting_since) FROM question_server.conversation WHERE waiting_since IS NOT NULL";
        let Some(found) = self.database.first(sql, &[]).await? else {
            return Ok(Waiting::default());
        };
        let count = usize::try_from(found.try_get::<_, i64>(0)?).unwrap_or_default();
        Ok(Waiting { count, since: found.try_get::<_, Option<i64>>(1)?.map(unsigned).map(Timestamp) })
    }

    fn pool(&self) -> Option<(usize, usize)> {
        let status = self.database.status();
        Some((status.size - status.available.min(status.size), status.max_size))
    }

    async fn count_of(&self, owner: &Owner) -> Result<usize, StoreError> {
        let sql = "SELECT count(*) FROM question_server.conversation WHERE owner = $1";
        self.database.count_by(sql, &[&owner.as_str()]).await
    }

    async fn of_owner(&self, owner: &Owner, most: usize) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT id FROM question_server.conversation WHERE owner = $1 ORDER BY number DESC LIMIT $2";
        let found = self.database.query(sql, &[&owner.as_str(), &signed(most as u64)]).await?;
        found.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    async fn waiting_of(&self, peer: &str) -> Result<usize, StoreError> {
        let sql = "SELECT count(*) FROM question_server.conversation WHERE peer = $1 AND waiting_since IS NOT NULL";
        self.database.count_by(sql, &[&peer]).await
    }

    async fn surplus(&self, over: usize, most: usize) -> Result<Vec<(String, Revision)>, StoreError> {
        let [over, most] = [over, most].map(|number| signed(number as u64));
        let found = self.database.query(SURPLUS, &[&over, &most]).await?;
        found.iter().map(|row| Ok((row.try_get(0)?, Revision(unsigned(row.try_get(1)?))))).collect()
    }
}

const LOAD: &str = "
    SELECT owner, version, state, context, revision, told_since, told, holder, due_at, ended_at,
           run, waiting_since, ARRAY (SELECT json FROM question_server.message WHERE conversation = number ORDER BY sequence)
    FROM question_server.conversation WHERE id = $1";

const BEGIN: &str = "
    WITH begun AS (
        INSERT INTO question_server.conversation
            (id, owner, version, state, context, revision, told_since, told, holder, due_at, ended_at, run,
             waiting_since, peer)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $13, $14, $15) ON CONFLICT (id) DO NOTHING RETURNING number
    ), said AS (
        INSERT INTO question_server.message (conversation, sequence, json)
        SELECT number, place, text FROM begun, unnest($12::text[]) WITH ORDINALITY AS one (text, place)
    )
    SELECT number FROM begun";

/// A statement that waits for another's change of the same row sees the new revision afterwards, and changes no row.
const CHANGE: &str = "
    WITH changed AS (
        UPDATE question_server.conversation SET version = $3, state = $4, context = $5, revision = $6, told_since = $7,
            told = $8, holder = $9, due_at = $10, ended_at = $11, run = $13, waiting_since = $14
        WHERE id = $1 AND revision = $2 RETURNING number
    ), last AS (
        SELECT coalesce(max(sequence), 0) AS sequence FROM question_server.message JOIN changed ON conversation = number
    ), said AS (
        INSERT INTO question_server.message (conversation, sequence, json)
        SELECT number, last.sequence + place, text
        FROM changed, last, unnest($12::text[]) WITH ORDINALITY AS one (text, place)
    )
    SELECT number FROM changed";

/// One server claims each conversation and has [`CLAIM`] to resume it. The server that held it before loses its lease.
const CLAIM_DUE: &str = "
    WITH due AS (
        SELECT number, due_at FROM question_server.conversation WHERE due_at <= $1
        ORDER BY due_at, number LIMIT $3 FOR UPDATE SKIP LOCKED
    ), claimed AS (
        UPDATE question_server.conversation AS one SET due_at = $2, holder = NULL
        FROM due WHERE one.number = due.number RETURNING one.id, one.number, due.due_at
    )
    SELECT id FROM claimed ORDER BY due_at, number";

const DELETE: &str = "DELETE FROM question_server.conversation WHERE id = $1 AND revision = $2 RETURNING id";

const SURPLUS: &str = "
    WITH biggest AS (
        SELECT peer, count(*) AS of_it FROM question_server.conversation GROUP BY peer ORDER BY of_it DESC LIMIT 1
    ), theirs AS (
        SELECT one.*, of_it, row_number() OVER (ORDER BY number DESC) AS newest
        FROM question_server.conversation AS one JOIN biggest USING (peer) WHERE of_it > $1
    )
    SELECT id, revision FROM theirs
    WHERE 4 * newest > of_it + 3 AND holder IS NULL AND waiting_since IS NULL AND due_at IS NULL
        AND coalesce(owner, '') NOT LIKE 'mcp:%'
    ORDER BY (SELECT count(*) FROM question_server.message WHERE conversation = number), newest
    LIMIT $2";

const DELETE_ENDED: &str = "
    DELETE FROM question_server.conversation
    WHERE number IN (
        SELECT number FROM question_server.conversation WHERE ended_at <= $1
        ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    RETURNING id";

fn rows(found: &Found) -> Result<StoredRows, StoreError> {
    let number = |column| found.try_get::<_, i64>(column).map(unsigned);
    let time = |column| Ok::<_, StoreError>(found.try_get::<_, Option<i64>>(column)?.map(unsigned).map(Timestamp));
    let holder: Option<String> = found.try_get(7)?;
    Ok(StoredRows {
        owner: found.try_get(0)?,
        row: ConversationRow {
            version: u32::try_from(found.try_get::<_, i32>(1)?).unwrap_or_default(),
            state: found.try_get::<_, &str>(2)?.into(),
            context: found.try_get::<_, &str>(3)?.into(),
            revision: Revision(number(4)?),
            position: StreamPosition { since: Revision(number(5)?), frames: number(6)? },
            holder: holder.and_then(|holder| holder.parse().ok()),
            due_at: time(8)?,
            ended_at: time(9)?,
            waiting_since: time(11)?,
        },
        run: found.try_get(10)?,
        messages: found.try_get(12)?,
    })
}

/// Returns true if the database refused a change since another was first.
fn is_conflict(code: &SqlState) -> bool {
    [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED].contains(code)
}
