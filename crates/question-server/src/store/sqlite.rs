//! Conversations in an SQLite file.
//!
//! One thread owns the file. It takes all waiting changes as one transaction, so that they share the wait for the disk, and acknowledges them
//! after the commit. Only one server may open the file, since servers exchange no signals over it. A backup may read it meanwhile.

mod backup;
mod file;
mod writer;

use super::rows::{NewRows, StoredRows};
use super::{Commit, CommitError, Due, Lease, Revision, Store, StoreError, Stored, Waiting};
use crate::limits::TAKEOVER;
use crate::owner::Owner;
use async_trait::async_trait;
use question_agent::Timestamp;
use rusqlite::Transaction;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::sync::oneshot;
use writer::{Job, work_off};

/// Keeps conversations in an SQLite file in write-ahead mode. Each commit is on the disk before it is acknowledged (`synchronous=FULL`).
#[derive(Debug)]
pub struct SqliteStore {
    /// `None` while the store is dropped.
    jobs: Option<mpsc::Sender<Job>>,
    writer: Option<JoinHandle<()>>,
    /// True if the log still has deleted conversations.
    deleted: Arc<AtomicBool>,
    /// Held until the writer has ended.
    _lock: File,
}

impl SqliteStore {
    /// Opens a file, or creates it with its folders for this user alone. A file of an older version is migrated.
    ///
    /// # Errors
    /// Another server has the file, it is no database of this program, a newer version wrote it, or the disk refuses.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_within(path, TAKEOVER)
    }

    /// The same for a file that a stopping server may still have: waits for `wait`.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub fn open_within(path: &Path, wait: Duration) -> Result<Self, StoreError> {
        let (lock, place, database) = file::open(path, wait).map_err(|why| why.about(path))?;
        let (jobs, todo) = mpsc::channel();
        let deleted = Arc::new(AtomicBool::new(false));
        let notify = Arc::clone(&deleted);
        let writer = thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || work_off(database, &place, &todo, &notify))
            .map_err(|error| StoreError(format!("no thread for the store: {error}")))?;
        Ok(Self { jobs: Some(jobs), writer: Some(writer), deleted, _lock: lock })
    }

    /// Copies the present content of a file into a new one. A server may use the file meanwhile.
    ///
    /// # Errors
    /// There is no such file, the copy exists already, or the disk refuses.
    pub fn back_up(path: &Path, to: &Path) -> Result<(), StoreError> {
        backup::back_up(path, to)
    }

    /// Runs a job on the thread and waits for the commit of its batch.
    async fn ask<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let stopped = || E::from(StoreError("the store has stopped".to_owned()));
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |all| {
            let done = match all {
                Some(all) => work(all),
                None => Err(StoreError("the transaction could not be started".to_owned()).into()),
            };
            Box::new(move |failed| {
                let outcome = failed.map_or(done, |error| Err(error.into()));
                if reply.send(outcome).is_err() {
                    tracing::debug!("store job done; its caller is gone");
                }
            })
        });
        let jobs = self.jobs.as_ref().ok_or_else(stopped)?;
        jobs.send(job).map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn load(&self, id: &str) -> Result<Option<Stored>, StoreError> {
        let id = id.to_owned();
        let rows = self.ask(move |all| writer::load(all, &id)).await?;
        rows.map(StoredRows::read).transpose()
    }

    async fn commit(&self, id: &str, base: Option<Revision>, change: Commit<'_>) -> Result<(), CommitError> {
        let rows = NewRows::new(id, base, change)?;
        self.ask(move |all| writer::write(all, &rows)).await
    }

    async fn due(&self, now: Timestamp) -> Result<Due, StoreError> {
        self.ask(move |all| writer::due(all, now)).await
    }

    async fn renew(&self, ids: Vec<String>, lease: Lease) -> Result<(), StoreError> {
        self.ask(move |all| writer::renew(all, &ids, lease)).await
    }

    async fn delete(&self, id: &str, revision: Revision) -> Result<bool, StoreError> {
        let (id, deleted) = (id.to_owned(), Arc::clone(&self.deleted));
        let work = move |all: &mut Transaction<'_>| {
            deleted.store(true, Ordering::Relaxed);
            writer::delete(all, &id, Some(revision))
        };
        self.ask(work).await
    }

    async fn delete_ended(&self, by: Timestamp) -> Result<Vec<String>, StoreError> {
        let deleted = Arc::clone(&self.deleted);
        let work = move |all: &mut Transaction<'_>| {
            let ids = writer::delete_ended(all, by)?;
            deleted.fetch_or(!ids.is_empty(), Ordering::Relaxed);
            Ok::<_, StoreError>(ids)
        };
        self.ask(work).await
    }

    async fn check(&self) -> Result<(), StoreError> {
        self.ask(|all| writer::check(all)).await
    }

    async fn count(&self) -> Result<usize, StoreError> {
        self.ask(|all| writer::count(all)).await
    }

    async fn waiting(&self) -> Result<Waiting, StoreError> {
        self.ask(|all| writer::waiting(all)).await
    }

    async fn count_of(&self, owner: &Owner) -> Result<usize, StoreError> {
        let owner = owner.as_str().to_owned();
        self.ask(move |all| writer::count_of(all, &owner)).await
    }

    async fn of_owner(&self, owner: &Owner, most: usize) -> Result<Vec<String>, StoreError> {
        let owner = owner.as_str().to_owned();
        self.ask(move |all| writer::of_owner(all, &owner, most)).await
    }

    async fn waiting_of(&self, peer: &str) -> Result<usize, StoreError> {
        let peer = peer.to_owned();
        self.ask(move |all| writer::waiting_of(all, &peer)).await
    }

    async fn surplus(&self, over: usize, most: usize) -> Result<Vec<(String, Revision)>, StoreError> {
        self.ask(move |all| writer::surplus(all, over, most)).await
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        // Without a sender the thread ends, which closes the file and empties its log.
        self.jobs = None;
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            tracing::error!("the store's thread panicked");
        }
    }
}
