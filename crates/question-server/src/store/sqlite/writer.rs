//! The thread that owns the file.

use crate::store::rows::{NewRows, StoredRows};
use crate::store::{Deadlines, StoreError};
use question_agent::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};
use std::sync::mpsc;
use tokio::sync::oneshot;

type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// What the thread is asked to do.
#[derive(Debug)]
pub(super) enum Job {
    Load { id: String, reply: Reply<Option<StoredRows>> },
    Commit { rows: NewRows, reply: Reply<()> },
    Count { reply: Reply<usize> },
    Deadlines { now: Timestamp, reply: Reply<Deadlines> },
    AtWork { reply: Reply<Vec<String>> },
}

/// Tells what came of a job, unless the commit that it was part of failed.
type Verdict = Box<dyn FnOnce(Option<StoreError>)>;

/// How many jobs share one commit at most, so that none waits long for the others.
const MAX_BATCH: usize = 256;

/// Does what comes, until nobody can ask for anything more.
pub(super) fn work_off(mut database: Connection, todo: &mpsc::Receiver<Job>) {
    while let Ok(first) = todo.recv() {
        let others = std::iter::from_fn(|| todo.try_recv().ok()).take(MAX_BATCH - 1);
        // Before anything is done, so that all that waited go together.
        let batch: Vec<Job> = std::iter::once(first).chain(others).collect();
        let mut verdicts = Vec::with_capacity(batch.len());
        let failed = commit(&mut database, batch, &mut verdicts).err();
        for verdict in verdicts {
            verdict(failed.clone());
        }
    }
}

fn commit(database: &mut Connection, batch: Vec<Job>, verdicts: &mut Vec<Verdict>) -> Result<(), StoreError> {
    let mut all = match database.transaction() {
        Ok(all) => all,
        Err(error) => {
            verdicts.extend(batch.into_iter().map(Job::refuse));
            return Err(error.into());
        }
    };
    for job in batch {
        verdicts.push(match job {
            Job::Load { id, reply } => verdict(reply, load(&all, &id)),
            Job::Count { reply } => verdict(reply, count(&all)),
            Job::Deadlines { now, reply } => verdict(reply, deadlines(&all, now)),
            Job::AtWork { reply } => verdict(reply, at_work(&all)),
            Job::Commit { rows, reply } => {
                // Of its own, so that one that fails takes no other with it.
                let done = all.savepoint().map_err(StoreError::from).and_then(|one| {
                    write(&one, &rows)?;
                    Ok(one.commit()?)
                });
                verdict(reply, done)
            }
        });
    }
    Ok(all.commit()?)
}

fn verdict<T: 'static>(reply: Reply<T>, done: Result<T, StoreError>) -> Verdict {
    Box::new(move |failed| {
        let outcome = failed.map_or(done, Err);
        if reply.send(outcome).is_err() {
            tracing::debug!("nobody waits for the store any more");
        }
    })
}

impl Job {
    /// The verdict of a job that could not even be begun.
    fn refuse(self) -> Verdict {
        let why = || StoreError("the transaction could not be begun".to_owned());
        match self {
            Self::Load { reply, .. } => verdict(reply, Err(why())),
            Self::Commit { reply, .. } => verdict(reply, Err(why())),
            Self::Count { reply } => verdict(reply, Err(why())),
            Self::Deadlines { reply, .. } => verdict(reply, Err(why())),
            Self::AtWork { reply } => verdict(reply, Err(why())),
        }
    }
}

fn load(database: &Connection, id: &str) -> Result<Option<StoredRows>, StoreError> {
    let mut find =
        database.prepare_cached("SELECT number, owner, version, state, context FROM conversation WHERE id = ?1")?;
    let found = find.query_row([id], |row| {
        let rows = StoredRows {
            owner: row.get(1)?,
            version: row.get(2)?,
            state: row.get(3)?,
            context: row.get(4)?,
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

fn count(database: &Connection) -> Result<usize, StoreError> {
    let count: i64 = database.prepare_cached("SELECT count(*) FROM conversation")?.query_row((), |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or_default())
}

fn deadlines(database: &Connection, now: Timestamp) -> Result<Deadlines, StoreError> {
    let now = milliseconds(now);
    let mut over =
        database.prepare_cached("SELECT id FROM conversation WHERE expires_at <= ?1 ORDER BY expires_at, number")?;
    let mut next = database.prepare_cached("SELECT min(expires_at) FROM conversation WHERE expires_at > ?1")?;
    let next: Option<i64> = next.query_row([now], |row| row.get(0))?;
    let over = over.query_map([now], |row| row.get(0))?;
    Ok(Deadlines {
        over: over.collect::<Result<_, _>>()?,
        next: next.and_then(|next| u64::try_from(next).ok()).map(Timestamp),
    })
}

/// Looks at every state, since it is asked for once. One that cannot be read hides no other.
fn at_work(database: &Connection) -> Result<Vec<String>, StoreError> {
    let mut find = database.prepare_cached(
        "SELECT id FROM conversation
         WHERE CASE WHEN json_valid(state) THEN json_extract(state, '$.type') END
             IN ('llm_requesting', 'tool_executing')
         ORDER BY number",
    )?;
    let ids = find.query_map((), |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

fn write(database: &Connection, rows: &NewRows) -> Result<(), StoreError> {
    let NewRows { id, owner, version, state, context, expires_at, messages } = rows;
    let expires_at = expires_at.map(milliseconds);
    let number: i64 = database
        .prepare_cached(
            "INSERT INTO conversation (id, owner, version, state, context, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (id) DO UPDATE SET version = excluded.version, state = excluded.state,
                 context = excluded.context, expires_at = excluded.expires_at
             RETURNING number",
        )?
        .query_row(params![id, owner, version, state, context, expires_at], |row| row.get(0))?;
    let mut append = database.prepare_cached(
        "INSERT INTO message (conversation, sequence, json)
         SELECT ?1, coalesce(max(sequence) + 1, 0), ?2 FROM message WHERE conversation = ?1",
    )?;
    for message in messages {
        append.execute(params![number, message])?;
    }
    Ok(())
}

/// As SQLite counts.
fn milliseconds(time: Timestamp) -> i64 {
    i64::try_from(time.0).unwrap_or(i64::MAX)
}
