//! Backups of a file that a server may be using.

use super::file;
use crate::store::StoreError;
use sqlx::{ConnectOptions as _, Connection as _};
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;
use uuid::Uuid;

/// The time to wait for a commit.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) async fn back_up(path: &Path, to: &Path) -> Result<(), StoreError> {
    if to.exists() {
        return Err(taken().about(to));
    }
    // A name of its own, so that half a copy is not taken for a whole one and no other backup writes into it.
    let mut part = to.as_os_str().to_owned();
    part.push(format!(".{}.part", Uuid::new_v4().simple()));
    let part = Path::new(&part);
    let copied = copy(path, part).await.map_err(|why| why.about(path)).and_then(|()| finish(part, to));
    if copied.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(part);
    }
    copied
}

async fn copy(path: &Path, part: &Path) -> Result<(), StoreError> {
    let mut database = file::options(path).busy_timeout(BUSY_TIMEOUT).connect().await.map_err(file::explain)?;
    file::check_application(&mut database).await?;
    // SQLite fills an empty file and keeps its permissions.
    file::create(part).and_then(|()| File::options().write(true).open(part)?.set_len(0))?;
    let name = part.to_str().ok_or(StoreError::Unusable("the copy's name is no text"))?;
    sqlx::query("VACUUM INTO $1").bind(name).execute(&mut database).await.map_err(file::explain)?;
    database.close().await.map_err(file::explain)
}

fn finish(part: &Path, to: &Path) -> Result<(), StoreError> {
    let finished = || {
        File::open(part)?.sync_all()?;
        // Renaming replaces what has the name, so an empty file takes it first. Not each file system has hard links.
        File::create_new(to)?;
        fs::rename(part, to).inspect_err(|_| drop(fs::remove_file(to)))
    };
    finished().map_err(|error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => taken().about(to),
        _ => StoreError::from(error).about(to),
    })
}

fn taken() -> StoreError {
    StoreError::Unusable("it exists already")
}
