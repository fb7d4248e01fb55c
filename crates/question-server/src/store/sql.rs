//! The store over SQL. The differences between the two databases are a [`SqlDialect`].

use super::rows::{Columns, SqlValue, revision, stored, text, time, unsigned_number, values};
use super::signals::Signal;
use super::{
    Commit, CommitError, DELETED_AT_A_TIME, Due, DueKind, Entry, FileHead, FilePart, FileRoom, Lease, NewFile,
    NewPushSubscription, PushSubscription, Revision, Store, StoreError, Stored, StoredFile, Waiting, Webhook,
};
use crate::engine::clock::Clock;
use crate::owner::Owner;
use async_trait::async_trait;
use futures_util::stream::BoxStream;
use question_agent::Timestamp;
use sqlx::SqlSafeStr as _;
use sqlx::migrate::{AppliedMigration, Migrate, Migration, MigrationType, Migrator};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// A database, and the statements that it alone understands.
#[async_trait]
pub(super) trait SqlDialect: fmt::Debug + Send + Sync + 'static {
    type Row: Columns + Send;

    /// Inserts a conversation with its messages and returns a row, unless there is one of that name.
    const BEGIN: &'static str;
    /// Changes a conversation of the base revision, adds messages and returns a row.
    const CHANGE: &'static str;
    /// Claims the runs to resume that are due at `$1` until `$2`, and at most `$3`. Returns their ids.
    const DUE_RUNS: &'static str;
    /// Claims the questions that expire, by the same parameters.
    const DUE_QUESTIONS: &'static str;
    /// Claims webhooks, by the same parameters. Returns the webhooks.
    const CLAIM_WEBHOOKS: &'static str;
    /// Deletes at most `$2` conversations that ended by `$1`. Returns their ids.
    const DELETE_ENDED: &'static str;
    const RENEW: &'static str;

    /// Runs one statement, as a whole or not at all.
    async fn run(&self, access: Access, sql: &'static str, values: Vec<SqlValue>)
    -> Result<Vec<Self::Row>, StoreError>;

    /// The time after `after` at which this kind of work is due.
    async fn next_due(&self, kind: DueKind, after: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let sql = match kind {
            DueKind::Resume => "SELECT min(due_at) FROM conversation WHERE due_at > $1 AND waiting_since IS NULL",
            DueKind::Expire => "SELECT min(due_at) FROM conversation WHERE due_at > $1 AND waiting_since IS NOT NULL",
        };
        let found = self.run(Access::Read, sql, vec![after.into()]).await?;
        Ok(found.first().map(|row| time(row, 0)).transpose()?.flatten())
    }

    async fn publish(&self, signals: Vec<Signal>) -> Result<(), StoreError> {
        let _ = signals;
        Ok(())
    }

    fn subscribe(&self) -> Option<BoxStream<'static, Option<Signal>>> {
        None
    }

    fn clock(&self) -> Option<Arc<dyn Clock>> {
        None
    }

    fn pool(&self) -> Option<(usize, usize)> {
        None
    }

    fn bytes(&self) -> usize {
        0
    }
}

/// The statements that are the same in both databases but for the `$lock` on rows that are chosen, so that servers choose different ones, and for
/// the rest of what a commit writes, which the macro `$and_rest` adds.
macro_rules! statements {
    ($lock:literal, $and_rest:ident) => {
        const BEGIN: &'static str = $and_rest!(
            "INSERT INTO conversation
                 (id, owner, version, state, context, revision, holder, due_at, ended_at, run, waiting_since, peer)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $11, $12, $15) ON CONFLICT (id) DO NOTHING"
        );
        const CHANGE: &'static str = $and_rest!(
            "UPDATE conversation SET version = $3, state = $4, context = $5, revision = $6, holder = $7, due_at = $8,
                 ended_at = $9, run = $11, waiting_since = $12
             WHERE id = $1 AND revision = $2"
        );
        const DUE_RUNS: &'static str = statements!(@due $lock, "waiting_since IS NULL");
        const DUE_QUESTIONS: &'static str = statements!(@due $lock, "waiting_since IS NOT NULL");
        const CLAIM_WEBHOOKS: &'static str = concat!(
            "WITH due AS (SELECT conversation, id FROM webhook WHERE next_at <= $1 ORDER BY next_at LIMIT $3",
            $lock,
            ") UPDATE webhook SET next_at = $2 WHERE (conversation, id) IN (SELECT conversation, id FROM due)
             RETURNING conversation, id, url, body, attempts"
        );
        const DELETE_ENDED: &'static str = concat!(
            "WITH ended AS (SELECT number FROM conversation WHERE ended_at <= $1 ORDER BY ended_at LIMIT $2",
            $lock,
            ") DELETE FROM conversation WHERE number IN (SELECT number FROM ended) RETURNING id"
        );
    };
    (@due $lock:literal, $kind:literal) => {
        concat!(
            "WITH due AS (SELECT number FROM conversation WHERE due_at <= $1 AND ",
            $kind,
            " ORDER BY due_at, number LIMIT $3",
            $lock,
            ") UPDATE conversation SET due_at = $2, holder = NULL WHERE number IN (SELECT number FROM due) RETURNING id"
        )
    };
}
pub(super) use statements;

/// The effect of a statement on the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    /// Deletes content of which no copy may remain, not even in SQLite's log.
    Erase,
}

/// The steps from one version of the tables to the next. Each file is final once it is released.
pub(super) fn migrations(steps: &[(&'static str, &'static str)]) -> Migrator {
    let migrations = (1..).zip(steps).map(|(version, (name, sql))| {
        Migration::new(version, (*name).into(), MigrationType::Simple, sql.into_sql_str(), false)
    });
    Migrator::with_migrations(migrations.collect())
}

/// Makes the missing steps.
pub(super) async fn migrate(migrator: &Migrator, database: &mut impl Migrate) -> Result<(), StoreError> {
    // The same as `run`, whose future is not `Send` for each connection.
    Ok(migrator.run_direct(None, database, false).await?)
}

/// Returns true if a step is missing. Fails if a newer version of this program made one that this one doesn't know.
pub(super) fn is_missing_one(migrator: &Migrator, made: &[AppliedMigration]) -> Result<bool, StoreError> {
    let newest = made.iter().map(|step| step.version).max().unwrap_or_default();
    let known = migrator.iter().map(|step| step.version).max().unwrap_or_default();
    if newest > known {
        return Err(StoreError::Newer { found: newest, known });
    }
    Ok(newest < known)
}

#[async_trait]
impl<D: SqlDialect> Store for D {
    async fn load(&self, id: &str) -> Result<Option<Stored>, StoreError> {
        let found = self.run(Access::Read, LOAD, vec![id.into()]).await?;
        found.first().map(stored).transpose()
    }

    async fn owner(&self, id: &str) -> Result<Option<Option<Owner>>, StoreError> {
        let sql = "SELECT owner FROM conversation WHERE id = $1";
        let found = self.run(Access::Read, sql, vec![id.into()]).await?;
        found.first().map(|row| Ok(row.text(0)?.map(Owner::stored))).transpose()
    }

    async fn commit(&self, id: &str, base: Option<Revision>, change: Commit<'_>) -> Result<(), CommitError> {
        let sql = if base.is_some() { D::CHANGE } else { D::BEGIN };
        match self.run(Access::Write, sql, values(id, base, change)?).await {
            Ok(changed) => (!changed.is_empty()).then_some(()).ok_or(CommitError::Conflict),
            Err(error) if is_conflict(&error) => Err(CommitError::Conflict),
            Err(error) => Err(error.into()),
        }
    }

    async fn due(&self, kind: DueKind, now: Timestamp, most: usize) -> Result<Due<String>, StoreError> {
        let sql = match kind {
            DueKind::Resume => D::DUE_RUNS,
            DueKind::Expire => D::DUE_QUESTIONS,
        };
        let claimed_until = crate::engine::clock::later(now, crate::config::limits::CLAIM);
        let found = self.run(Access::Write, sql, vec![now.into(), claimed_until.into(), most.into()]).await?;
        let claimed = found.iter().map(|row| text(row, 0)).collect::<Result<Vec<_>, _>>()?;
        let next = self.next_due(kind, now).await?;
        // More may be due behind a full claim. If there were fewer, other servers are claiming the rest.
        let next = if claimed.len() == most { Some(now) } else { next };
        Ok(Due { claimed, next })
    }

    async fn renew(&self, ids: Vec<String>, lease: Lease) -> Result<(), StoreError> {
        let values = vec![lease.until.into(), SqlValue::List(ids), lease.holder.to_string().as_str().into()];
        self.run(Access::Write, D::RENEW, values).await.map(drop)
    }

    async fn claim_webhooks(&self, now: Timestamp, until: Timestamp, most: usize) -> Result<Due<Webhook>, StoreError> {
        let found = self.run(Access::Read, "SELECT min(next_at) FROM webhook", Vec::new()).await?;
        let next = found.first().map(|row| time(row, 0)).transpose()?.flatten();
        if next.is_none_or(|next| now < next) {
            return Ok(Due { claimed: Vec::new(), next });
        }
        let values = vec![now.into(), until.into(), most.into()];
        let found = self.run(Access::Write, D::CLAIM_WEBHOOKS, values).await?;
        let claimed = found.iter().map(webhook).collect::<Result<Vec<_>, _>>()?;
        // If there was none to claim, other servers are claiming those that are due.
        let next = (!claimed.is_empty()).then_some(now);
        Ok(Due { claimed, next })
    }

    async fn reschedule_webhook(&self, webhook: &Webhook, next_at: Option<Timestamp>) -> Result<(), StoreError> {
        let mut values: Vec<SqlValue> = vec![webhook.conversation.as_str().into(), webhook.id.as_str().into()];
        let sql = match next_at {
            Some(next_at) => {
                values.extend([next_at.into(), i64::from(webhook.attempts).into()]);
                "UPDATE webhook SET next_at = $3, attempts = $4 WHERE conversation = $1 AND id = $2"
            }
            None => "DELETE FROM webhook WHERE conversation = $1 AND id = $2",
        };
        self.run(Access::Write, sql, values).await.map(drop)
    }

    async fn delete(&self, id: &str, revision: Revision) -> Result<bool, StoreError> {
        let sql = "DELETE FROM conversation WHERE id = $1 AND revision = $2 RETURNING id";
        Ok(!self.run(Access::Erase, sql, vec![id.into(), revision.into()]).await?.is_empty())
    }

    async fn delete_ended(&self, by: Timestamp) -> Result<Vec<String>, StoreError> {
        let values = vec![by.into(), DELETED_AT_A_TIME.into()];
        let deleted = self.run(Access::Erase, D::DELETE_ENDED, values).await?;
        deleted.iter().map(|row| text(row, 0)).collect()
    }

    async fn check(&self) -> Result<(), StoreError> {
        let sql = "INSERT INTO readiness VALUES (1, $1) ON CONFLICT (one) DO UPDATE SET filler = excluded.filler";
        // As long as a message, so that the check fails if there is no room for one.
        let filler = ".".repeat(8192);
        self.run(Access::Write, sql, vec![filler.as_str().into()]).await.map(drop)
    }

    async fn count(&self) -> Result<usize, StoreError> {
        count(self, "SELECT count(*) FROM conversation", Vec::new()).await
    }

    async fn entries(&self, id: &str, after: Revision, most: usize) -> Result<Vec<Entry>, StoreError> {
        let sql = "SELECT entry.revision, entry.run, told FROM entry JOIN conversation ON number = conversation
            WHERE id = $1 AND entry.revision > $2 AND (
                SELECT coalesce(sum(octet_length(told)), 0) FROM entry JOIN conversation ON number = conversation
                WHERE id = $1 AND entry.revision > $2) <= $3
            ORDER BY entry.revision";
        let found = self.run(Access::Read, sql, vec![id.into(), after.into(), most.into()]).await?;
        let entry = |row: &D::Row| Ok(Entry { revision: revision(row, 0)?, run: row.text(1)?, told: text(row, 2)? });
        found.iter().map(entry).collect()
    }

    async fn revisions(&self, ids: Vec<String>) -> Result<Option<HashMap<String, Revision>>, StoreError> {
        if SqlDialect::clock(self).is_none() {
            return Ok(None);
        }
        let sql = "SELECT id, revision FROM conversation WHERE id = ANY ($1)";
        let found = self.run(Access::Read, sql, vec![SqlValue::List(ids)]).await?;
        let revisions = found.iter().map(|row| Ok((text(row, 0)?, revision(row, 1)?)));
        revisions.collect::<Result<_, StoreError>>().map(Some)
    }

    async fn publish(&self, signals: Vec<Signal>) -> Result<(), StoreError> {
        SqlDialect::publish(self, signals).await
    }

    fn subscribe(&self) -> Option<BoxStream<'static, Option<Signal>>> {
        SqlDialect::subscribe(self)
    }

    fn clock(&self) -> Option<Arc<dyn Clock>> {
        SqlDialect::clock(self)
    }

    async fn waiting(&self) -> Result<Waiting, StoreError> {
        let sql = "SELECT count(*), min(waiting_since) FROM conversation WHERE waiting_since IS NOT NULL";
        let found = self.run(Access::Read, sql, Vec::new()).await?;
        let Some(row) = found.first() else {
            return Ok(Waiting::default());
        };
        let count = usize::try_from(unsigned_number(row, 0)?).unwrap_or(usize::MAX);
        Ok(Waiting { count, since: time(row, 1)? })
    }

    fn pool(&self) -> Option<(usize, usize)> {
        SqlDialect::pool(self)
    }

    async fn put_file(&self, file: NewFile, room: FileRoom) -> Result<bool, StoreError> {
        let NewFile { conversation, hash, owner, head, bytes, at } = file;
        let values = vec![
            conversation.as_str().into(),
            hash.as_str().into(),
            owner.map(|owner| owner.as_str().to_owned()).into(),
            head.name.as_str().into(),
            head.media_type.as_str().into(),
            head.size.into(),
            at.into(),
            SqlValue::Bytes(bytes),
            room.of_each.into(),
            room.of_conversation.into(),
            room.of_owner.into(),
            room.of_all.into(),
        ];
        Ok(!self.run(Access::Write, PUT_FILE, values).await?.is_empty())
    }

    async fn file(&self, conversation: &str, hash: &str, with: FilePart) -> Result<Option<StoredFile>, StoreError> {
        let sql = match with {
            FilePart::Head => "SELECT owner, name, type, size FROM file WHERE conversation = $1 AND hash = $2",
            FilePart::Whole => "SELECT owner, name, type, size, bytes FROM file WHERE conversation = $1 AND hash = $2",
        };
        let found = self.run(Access::Read, sql, vec![conversation.into(), hash.into()]).await?;
        let read = |row: &D::Row| {
            let size = usize::try_from(unsigned_number(row, 3)?).unwrap_or(usize::MAX);
            let head = FileHead { name: text(row, 1)?, media_type: text(row, 2)?, size };
            let bytes = if with == FilePart::Whole { row.bytes(4)?.unwrap_or_default() } else { Vec::new() };
            Ok(StoredFile { owner: row.text(0)?.map(Owner::stored), head, bytes })
        };
        found.first().map(read).transpose()
    }

    async fn delete_lost_files(&self, by: Timestamp) -> Result<usize, StoreError> {
        // The time is checked again, since the file may be uploaded again meanwhile.
        let sql = "DELETE FROM file WHERE created <= $1 AND (conversation, hash) IN (
                SELECT conversation, hash FROM file WHERE created <= $1
                AND NOT EXISTS (SELECT 1 FROM conversation WHERE conversation.id = file.conversation)
                ORDER BY created LIMIT $2)
            RETURNING hash";
        Ok(self.run(Access::Erase, sql, vec![by.into(), DELETED_AT_A_TIME.into()]).await?.len())
    }

    async fn secret(&self, name: &str, fresh: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        let sql = "INSERT INTO secret (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
        self.run(Access::Write, sql, vec![name.into(), SqlValue::Bytes(fresh)]).await?;
        let found = self.run(Access::Read, "SELECT value FROM secret WHERE name = $1", vec![name.into()]).await?;
        let value = found.first().map(|row| row.bytes(0)).transpose()?;
        Ok(value.flatten().unwrap_or_default())
    }

    async fn put_push_subscription(&self, new: NewPushSubscription) -> Result<(), StoreError> {
        let NewPushSubscription { subscription: PushSubscription { endpoint, p256dh, auth }, owner, at, most } = new;
        let sql = "INSERT INTO push_subscription (endpoint, owner, p256dh, auth, created) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (endpoint) DO UPDATE SET owner = excluded.owner, p256dh = excluded.p256dh, auth = excluded.auth,
                created = excluded.created";
        let owner = owner.as_str();
        let values = vec![(&*endpoint).into(), owner.into(), (&*p256dh).into(), (&*auth).into(), at.into()];
        self.run(Access::Write, sql, values).await?;
        let sql = "DELETE FROM push_subscription WHERE owner = $1 AND endpoint NOT IN (
                SELECT endpoint FROM push_subscription WHERE owner = $1 ORDER BY created DESC, endpoint LIMIT $2)";
        self.run(Access::Write, sql, vec![owner.into(), most.into()]).await.map(drop)
    }

    async fn count_push_subscriptions(&self) -> Result<usize, StoreError> {
        count(self, "SELECT count(*) FROM push_subscription", Vec::new()).await
    }

    async fn push_subscriptions(&self, owner: &Owner) -> Result<Vec<PushSubscription>, StoreError> {
        let sql = "SELECT endpoint, p256dh, auth FROM push_subscription WHERE owner = $1 ORDER BY created, endpoint";
        let found = self.run(Access::Read, sql, vec![owner.as_str().into()]).await?;
        found.iter().map(push_subscription).collect()
    }

    async fn push_subscription(&self, endpoint: &str) -> Result<Option<PushSubscription>, StoreError> {
        let sql = "SELECT endpoint, p256dh, auth FROM push_subscription WHERE endpoint = $1";
        let found = self.run(Access::Read, sql, vec![endpoint.into()]).await?;
        found.first().map(push_subscription).transpose()
    }

    async fn delete_push_subscription(&self, endpoint: &str, owner: Option<&Owner>) -> Result<(), StoreError> {
        let mut values = vec![endpoint.into()];
        let sql = match owner {
            Some(owner) => {
                values.push(owner.as_str().into());
                "DELETE FROM push_subscription WHERE endpoint = $1 AND owner = $2"
            }
            None => "DELETE FROM push_subscription WHERE endpoint = $1",
        };
        self.run(Access::Write, sql, values).await.map(drop)
    }

    fn bytes(&self) -> usize {
        SqlDialect::bytes(self)
    }

    async fn count_of(&self, owner: &Owner) -> Result<usize, StoreError> {
        count(self, "SELECT count(*) FROM conversation WHERE owner = $1", vec![owner.as_str().into()]).await
    }

    async fn of_owner(&self, owner: &Owner, most: usize) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT id FROM conversation WHERE owner = $1 ORDER BY number DESC LIMIT $2";
        let found = self.run(Access::Read, sql, vec![owner.as_str().into(), most.into()]).await?;
        found.iter().map(|row| text(row, 0)).collect()
    }

    async fn count_of_peer(&self, peer: &str) -> Result<usize, StoreError> {
        count(self, "SELECT count(*) FROM conversation WHERE peer = $1", vec![peer.into()]).await
    }
}

/// Returns true if another change was first: Postgres ended this one after a serialization failure or a deadlock.
fn is_conflict(error: &StoreError) -> bool {
    let StoreError::Database(error) = error else { return false };
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| code == "40001" || code == "40P01")
}

async fn count<D: SqlDialect>(database: &D, sql: &'static str, values: Vec<SqlValue>) -> Result<usize, StoreError> {
    let found = database.run(Access::Read, sql, values).await?;
    let count = found.first().map(|row| unsigned_number(row, 0)).transpose()?;
    Ok(usize::try_from(count.unwrap_or_default()).unwrap_or(usize::MAX))
}

/// Inserts a file and returns a row, if it is there already or leaves at most `$10` bytes in its conversation, `$11` of its owner and `$12` in all.
/// Each file counts as `$9` more than its bytes.
const PUT_FILE: &str = "
    INSERT INTO file (conversation, hash, owner, name, type, size, created, bytes)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8
    WHERE EXISTS (SELECT 1 FROM file WHERE conversation = $1 AND hash = $2)
       OR (SELECT coalesce(sum(size + $9), 0) FROM file WHERE conversation = $1) + $6 + $9 <= $10
      AND (SELECT coalesce(sum(size + $9), 0) FROM file WHERE owner = $3) + $6 + $9 <= $11
      AND (SELECT coalesce(sum(size + $9), 0) FROM file) + $6 + $9 <= $12
    ON CONFLICT (conversation, hash)
    DO UPDATE SET name = excluded.name, type = excluded.type, created = excluded.created RETURNING hash";

/// A single statement, so that it reads one snapshot. The messages are one JSON array.
const LOAD: &str = "
    SELECT owner, version, state, context, revision, holder, due_at, ended_at, run, waiting_since,
           (SELECT '[' || string_agg(json, ',' ORDER BY sequence) || ']' FROM message WHERE conversation = number)
    FROM conversation WHERE id = $1";

fn push_subscription(row: &impl Columns) -> Result<PushSubscription, StoreError> {
    Ok(PushSubscription { endpoint: text(row, 0)?, p256dh: text(row, 1)?, auth: text(row, 2)? })
}

fn webhook(row: &impl Columns) -> Result<Webhook, StoreError> {
    Ok(Webhook {
        conversation: text(row, 0)?,
        id: text(row, 1)?,
        url: text(row, 2)?,
        body: text(row, 3)?,
        attempts: u32::try_from(unsigned_number(row, 4)?).unwrap_or(u32::MAX),
    })
}
