//! The thread that owns the file.

use super::file::{BUSY, FileIdentity};
use crate::store::rows::{ConversationRow, NewRows, StoredRows, signed, unsigned};
use crate::store::{CommitError, DELETED_AT_A_TIME, Due, Lease, Revision, StoreError, StreamPosition, Waiting};
use question_agent::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;
use uuid::Uuid;

/// A job for the thread, in one transaction with the rest of a batch; it gets `None` if the transaction could not start.
pub(super) type Job = Box<dyn FnOnce(Option<&mut Transaction<'_>>) -> Acknowledgement + Send>;

/// Reports the outcome of a job, or the error of its batch.
pub(super) type Acknowledgement = Box<dyn FnOnce(Option<StoreError>)>;

/// The most jobs in one commit, so that none waits long for the others.
const MAX_BATCH: usize = 256;

/// Runs jobs until all senders are gone.
///
/// The log has deleted content until it is truncated: `deleted` is true if a job of the batch has added some.
pub(super) fn work_off(
    mut database: Connection,
    place: &FileIdentity,
    todo: &mpsc::Receiver<Job>,
    deleted: &AtomicBool,
) {
    let mut is_left = false;
    while let Ok(first) = todo.recv() {
        let others = std::iter::from_fn(|| todo.try_recv().ok()).take(MAX_BATCH - 1);
        // Collected first, so that all waiting jobs share the batch.
        let batch: Vec<Job> = std::iter::once(first).chain(others).collect();
        let mut verdicts = Vec::with_capacity(batch.len());
        let failed = commit(&mut database, batch, &mut verdicts).and_then(|()| place.check()).err();
        if failed.is_none() {
            let is_new = deleted.swap(false, Ordering::Relaxed);
            // The deletion alone waits for readers, such as a backup, and not each commit behind it.
            let patience = if is_new { BUSY } else { Duration::ZERO };
            is_left = (is_new || is_left) && !truncate_log(&database, patience);
        }
        for verdict in verdicts {
            verdict(failed.clone());
        }
    }
}

/// Truncates the log. Returns false if another program reads the file for longer than this.
fn truncate_log(database: &Connection, patience: Duration) -> bool {
    let truncate = || {
        database.busy_timeout(patience)?;
        let is_busy = database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get::<_, i64>(0));
        database.busy_timeout(BUSY)?;
        is_busy
    };
    truncate().is_ok_and(|busy| busy == 0)
}

fn commit(database: &mut Connection, batch: Vec<Job>, verdicts: &mut Vec<Acknowledgement>) -> Result<(), StoreError> {
    let mut all = match database.transaction() {
        Ok(all) => all,
        Err(error) => {
            verdicts.extend(batch.into_iter().map(|job| job(None)));
            return Err(error.into());
        }
    };
    verdicts.extend(batch.into_iter().map(|job| job(Some(&mut all))));
    Ok(all.commit()?)
}

pub(super) fn load(database: &Connection, id: &str) -> Result<Option<StoredRows>, StoreError> {
    let mut find = database.prepare_cached(
        "SELECT number, owner, version, state, context, revision, told_since, told, holder, due_at, ended_at, waiting_since
         FROM conversation WHERE id = ?1",
    )?;
    let found = find.query_row([id], |row| {
        let holder: Option<String> = row.get(8)?;
        let time = |index| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(index)?.map(unsigned).map(Timestamp));
        let rows = StoredRows {
            owner: row.get(1)?,
            row: ConversationRow {
                version: row.get(2)?,
                state: row.get(3)?,
                context: row.get(4)?,
                revision: Revision(unsigned(row.get(5)?)),
                position: StreamPosition { since: Revision(unsigned(row.get(6)?)), frames: unsigned(row.get(7)?) },
                holder: holder.and_then(|holder| holder.parse().ok()),
                due_at: time(9)?,
                ended_at: time(10)?,
                waiting_since: time(11)?,
            },
            run: None,
            messages: Vec::new(),
        };
        Ok((row.get::<_, i64>(0)?, rows))
    });
    let Some((number, mut rows)) = found.optional()? else {
        return Ok(None);
    };
    let mut read = database.prepare_cached("SELECT json FROM message WHERE conversation = ?1 ORDER BY sequence")?;
    let messages = read.query_map([number], |row| row.get(0))?;
    rows.messages = messages.collect::<Result<_, _>>()?;
    Ok(Some(rows))
}

/// Writes as many bytes as a message has, so that it fails if a message would.
pub(super) fn check(database: &Connection) -> Result<(), StoreError> {
    let mut write = database.prepare_cached("INSERT OR REPLACE INTO readiness VALUES (1, randomblob(8192))")?;
    write.execute(())?;
    Ok(())
}

pub(super) fn count(database: &Connection) -> Result<usize, StoreError> {
    let count: i64 = database.prepare_cached("SELECT count(*) FROM conversation")?.query_row((), |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or_default())
}

pub(super) fn waiting(database: &Connection) -> Result<Waiting, StoreError> {
    let sql = "SELECT count(*), min(waiting_since) FROM conversation WHERE waiting_since IS NOT NULL";
    let mut find = database.prepare_cached(sql)?;
    let (count, since): (i64, Option<i64>) = find.query_row((), |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(Waiting { count: usize::try_from(count).unwrap_or_default(), since: since.map(unsigned).map(Timestamp) })
}

pub(super) fn count_of(database: &Connection, owner: &str) -> Result<usize, StoreError> {
    let mut count = database.prepare_cached("SELECT count(*) FROM conversation WHERE owner = ?1")?;
    let count: i64 = count.query_row([owner], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or_default())
}

pub(super) fn of_owner(database: &Connection, owner: &str, most: usize) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT id FROM conversation WHERE owner = ?1 ORDER BY number DESC LIMIT ?2";
    let mut find = database.prepare_cached(sql)?;
    let found = find.query_map(params![owner, signed(most as u64)], |row| row.get(0))?;
    Ok(found.collect::<Result<_, _>>()?)
}

pub(super) fn waiting_of(database: &Connection, peer: &str) -> Result<usize, StoreError> {
    let sql = "SELECT count(*) FROM conversation WHERE peer = ?1 AND waiting_since IS NOT NULL";
    let count: i64 = database.prepare_cached(sql)?.query_row([peer], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or_default())
}

pub(super) fn surplus(database: &Connection, over: usize, most: usize) -> Result<Vec<(String, Revision)>, StoreError> {
    let mut find = database.prepare_cached(
        "WITH biggest AS (SELECT peer, count(*) AS of_it FROM conversation GROUP BY peer ORDER BY of_it DESC LIMIT 1),
         theirs AS (
             SELECT *, row_number() OVER (ORDER BY number DESC) AS newest FROM conversation JOIN biggest USING (peer)
             WHERE of_it > ?1
         )
         SELECT id, revision FROM theirs
         WHERE 4 * newest > of_it + 3 AND holder IS NULL AND waiting_since IS NULL AND due_at IS NULL
             AND coalesce(owner, '') NOT LIKE 'mcp:%'
         ORDER BY (SELECT count(*) FROM message WHERE conversation = number), newest
         LIMIT ?2",
    )?;
    let [over, most] = [over, most].map(|number| signed(number as u64));
    let found = find.query_map([over, most], |row| Ok((row.get(0)?, Revision(unsigned(row.get(1)?)))))?;
    Ok(found.collect::<Result<_, _>>()?)
}

pub(super) fn due(database: &Connection, now: Timestamp) -> Result<Due, StoreError> {
    let now = milliseconds(now);
    let mut over = database.prepare_cached("SELECT id FROM conversation WHERE due_at <= ?1 ORDER BY due_at, number")?;
    let mut next = database.prepare_cached("SELECT min(due_at) FROM conversation WHERE due_at > ?1")?;
    let next: Option<i64> = next.query_row([now], |row| row.get(0))?;
    let over = over.query_map([now], |row| row.get(0))?;
    Ok(Due { now: over.collect::<Result<_, _>>()?, next: next.map(unsigned).map(Timestamp) })
}

pub(super) fn renew(database: &Connection, ids: &[String], lease: Lease) -> Result<(), StoreError> {
    let mut renew = database.prepare_cached("UPDATE conversation SET due_at = ?1 WHERE id = ?2 AND holder = ?3")?;
    for id in ids {
        renew.execute(params![milliseconds(lease.until), id, text(lease.holder)])?;
    }
    Ok(())
}

/// Deletes a conversation, if it has this revision; `None` stands for any revision.
pub(super) fn delete(database: &Connection, id: &str, revision: Option<Revision>) -> Result<bool, StoreError> {
    let find = "SELECT number FROM conversation WHERE id = ?1 AND revision = coalesce(?2, revision)";
    let revision = revision.map(|revision| signed(revision.0));
    let number = database.prepare_cached(find)?.query_row(params![id, revision], |row| row.get::<_, i64>(0));
    let Some(number) = number.optional()? else {
        return Ok(false);
    };
    database.prepare_cached("DELETE FROM message WHERE conversation = ?1")?.execute([number])?;
    database.prepare_cached("DELETE FROM conversation WHERE number = ?1")?.execute([number])?;
    Ok(true)
}

pub(super) fn delete_ended(database: &Connection, by: Timestamp) -> Result<Vec<String>, StoreError> {
    let mut find =
        database.prepare_cached("SELECT id FROM conversation WHERE ended_at <= ?1 ORDER BY ended_at LIMIT ?2")?;
    let found = find.query_map(params![milliseconds(by), DELETED_AT_A_TIME as i64], |row| row.get(0))?;
    let ids: Vec<String> = found.collect::<Result<_, _>>()?;
    for id in &ids {
        delete(database, id, None)?;
    }
    Ok(ids)
}

/// Writes a change in a savepoint of its own, so that a failed one leaves the others of the batch alone.
pub(super) fn write(all: &mut Transaction<'_>, rows: &NewRows) -> Result<(), CommitError> {
    let one = all.savepoint().map_err(StoreError::from)?;
    write_rows(&one, rows)?;
    Ok(one.commit().map_err(StoreError::from)?)
}

fn write_rows(database: &Connection, rows: &NewRows) -> Result<(), CommitError> {
    let NewRows { id, base, owner, peer, row, messages } = rows;
    let number = write_row(database, id, *base, (owner.as_deref(), peer), row).map_err(StoreError::from)?;
    let number = number.ok_or(CommitError::Conflict)?;
    append(database, number, messages).map_err(StoreError::from)?;
    Ok(())
}

/// Returns the number of the conversation, if it still has the base revision of the change.
fn write_row(
    database: &Connection,
    id: &str,
    base: Option<Revision>,
    (owner, peer): (Option<&str>, &str),
    row: &ConversationRow,
) -> rusqlite::Result<Option<i64>> {
    let ConversationRow { version, state, context, revision, position, holder, due_at, ended_at, waiting_since } = row;
    let holder = holder.map(text);
    let [due_at, ended_at, waiting] = [due_at, ended_at, waiting_since].map(|time| time.map(milliseconds));
    let [revision, since, frames] = [revision.0, position.since.0, position.frames].map(signed);
    let found = match base {
        Some(base) => database
            .prepare_cached(
                "UPDATE conversation SET version = ?3, state = ?4, context = ?5, revision = ?6, told_since = ?7,
                     told = ?8, holder = ?9, due_at = ?10, ended_at = ?11, waiting_since = ?12
                 WHERE id = ?1 AND revision = ?2 RETURNING number",
            )?
            .query_row(
                params![
                    id,
                    signed(base.0),
                    version,
                    state,
                    context,
                    revision,
                    since,
                    frames,
                    holder,
                    due_at,
                    ended_at,
                    waiting
                ],
                |row| row.get(0),
            ),
        None => database
            .prepare_cached(
                "INSERT INTO conversation
                     (id, owner, version, state, context, revision, told_since, told, holder, due_at, ended_at,
                      waiting_since, peer)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) ON CONFLICT (id) DO NOTHING RETURNING number",
            )?
            .query_row(
                params![
                    id, owner, version, state, context, revision, since, frames, holder, due_at, ended_at, waiting, peer
                ],
                |row| row.get(0),
            ),
    };
    found.optional()
}

fn append(database: &Connection, number: i64, messages: &[String]) -> rusqlite::Result<()> {
    let mut append = database.prepare_cached(
        "INSERT INTO message (conversation, sequence, json)
         SELECT ?1, coalesce(max(sequence) + 1, 0), ?2 FROM message WHERE conversation = ?1",
    )?;
    for message in messages {
        append.execute(params![number, message])?;
    }
    Ok(())
}

fn text(holder: Uuid) -> String {
    holder.to_string()
}

fn milliseconds(time: Timestamp) -> i64 {
    signed(time.0)
}
