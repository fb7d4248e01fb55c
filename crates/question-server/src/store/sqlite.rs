//! Conversations in an SQLite file, where they survive the server.
//!
//! One thread owns the file. It takes all changes that wait as one transaction, so that they share the wait for the disk, and acknowledges them
//! after the commit. The file is locked for as long as it is open: two servers over one file would each answer from a memory of its own.

mod file;
mod writer;

use super::rows::{NewRows, StoredRows};
use super::{Change, Deadlines, Store, StoreError, Stored};
use futures_util::future::BoxFuture;
use question_agent::Timestamp;
use std::path::Path;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use tokio::sync::oneshot;
use writer::{Job, work_off};

/// Keeps conversations in an SQLite file: in write-ahead mode, with every commit on the disk before it is acknowledged (`synchronous=FULL`).
#[derive(Debug)]
pub struct SqliteStore {
    /// `None` only while the store is dropped.
    jobs: Option<mpsc::Sender<Job>>,
    writer: Option<JoinHandle<()>>,
}

impl SqliteStore {
    /// Opens a file, or makes one that only this user can read, with the folders on the way to it. An older version's file is brought up to date.
    ///
    /// # Errors
    /// Why it cannot be used: another server has it, it is no database of this program, a newer version wrote it, or the disk refuses.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let database = file::open(path).map_err(|StoreError(why)| StoreError(format!("{}: {why}", path.display())))?;
        let (jobs, todo) = mpsc::channel();
        let writer = thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || work_off(database, &todo))
            .map_err(|error| StoreError(format!("no thread for the store: {error}")))?;
        Ok(Self { jobs: Some(jobs), writer: Some(writer) })
    }

    async fn ask<T>(&self, job: impl FnOnce(oneshot::Sender<Result<T, StoreError>>) -> Job) -> Result<T, StoreError> {
        let stopped = || StoreError("the store has stopped".to_owned());
        let (reply, answer) = oneshot::channel();
        let jobs = self.jobs.as_ref().ok_or_else(stopped)?;
        jobs.send(job(reply)).map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }
}

impl Store for SqliteStore {
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Stored>, StoreError>> {
        Box::pin(async move {
            let id = id.to_owned();
            let rows = self.ask(|reply| Job::Load { id, reply }).await?;
            rows.map(StoredRows::read).transpose()
        })
    }

    fn commit<'a>(&'a self, id: &'a str, change: Change<'a>) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let rows = NewRows::new(id, change)?;
            self.ask(|reply| Job::Commit { rows, reply }).await
        })
    }

    fn count(&self) -> BoxFuture<'_, Result<usize, StoreError>> {
        Box::pin(self.ask(|reply| Job::Count { reply }))
    }

    fn deadlines(&self, now: Timestamp) -> BoxFuture<'_, Result<Deadlines, StoreError>> {
        Box::pin(self.ask(move |reply| Job::Deadlines { now, reply }))
    }

    fn at_work(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        Box::pin(self.ask(|reply| Job::AtWork { reply }))
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        // Without a sender the thread ends, and with it the file is closed and its log folded in.
        self.jobs = None;
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            tracing::error!("the store's thread broke off");
        }
    }
}
