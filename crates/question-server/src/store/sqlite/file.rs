//! Opening, locking and migrating the file.

use crate::store::StoreError;
use crate::store::rows::missing;
use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// Marks a file of this program (`AskU`); other databases are refused.
const APPLICATION_ID: i32 = 0x4173_6b55;

/// The steps from one version of the file to the next; `user_version` counts those that were made.
const MIGRATIONS: [&str; 7] = [
    "CREATE TABLE conversation (
         number INTEGER PRIMARY KEY,
         id TEXT NOT NULL UNIQUE,
         owner TEXT,
         version INTEGER NOT NULL,
         state TEXT NOT NULL,
         context TEXT NOT NULL
     ) STRICT;
     CREATE TABLE message (
         conversation INTEGER NOT NULL REFERENCES conversation (number),
         sequence INTEGER NOT NULL,
         json TEXT NOT NULL,
         PRIMARY KEY (conversation, sequence)
     ) STRICT, WITHOUT ROWID;",
    "ALTER TABLE conversation ADD COLUMN expires_at INTEGER;
     CREATE INDEX deadline ON conversation (expires_at) WHERE expires_at IS NOT NULL;",
    "DROP INDEX deadline;
     ALTER TABLE conversation RENAME COLUMN expires_at TO due_at;
     ALTER TABLE conversation ADD COLUMN holder TEXT;
     ALTER TABLE conversation ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
     ALTER TABLE conversation ADD COLUMN told_since INTEGER NOT NULL DEFAULT 1;
     ALTER TABLE conversation ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
     UPDATE conversation SET due_at = 0
         WHERE CASE WHEN json_valid(state) THEN json_extract(state, '$.type') END
             IN ('llm_requesting', 'tool_executing');
     CREATE INDEX due ON conversation (due_at) WHERE due_at IS NOT NULL;",
    "ALTER TABLE conversation ADD COLUMN ended_at INTEGER;
     CREATE INDEX ended ON conversation (ended_at) WHERE ended_at IS NOT NULL;
     CREATE INDEX owned ON conversation (owner) WHERE owner IS NOT NULL;",
    "CREATE TABLE readiness (one INTEGER PRIMARY KEY, filler BLOB NOT NULL) STRICT;",
    "ALTER TABLE conversation ADD COLUMN waiting_since INTEGER;
     UPDATE conversation SET waiting_since = unixepoch() * 1000
         WHERE CASE WHEN json_valid(state) THEN json_extract(state, '$.type') END = 'awaiting_user_response';
     CREATE INDEX waiting ON conversation (waiting_since) WHERE waiting_since IS NOT NULL;",
    "ALTER TABLE conversation ADD COLUMN peer TEXT NOT NULL DEFAULT '';
     CREATE INDEX peers ON conversation (peer);",
];

/// The time that a commit waits for a program that locks the file.
pub(super) const BUSY: Duration = Duration::from_secs(5);

/// The pause before the next try at a lock.
const NAP: Duration = Duration::from_millis(20);

/// Opens a file. Returns its lock, its identity and its database.
pub(super) fn open(path: &Path, wait: Duration) -> Result<(File, FileIdentity, Connection), StoreError> {
    let said = |error: io::Error| StoreError(error.to_string());
    create(path).map_err(said)?;
    check_links(path)?;
    let lock = lock(&path.canonicalize().map_err(said)?, wait)?;
    let place = FileIdentity::of(path).map_err(said)?;
    let mut database = Connection::open(path)?;
    database.busy_timeout(BUSY)?;
    check(&database)?;
    migrate(&mut database, &MIGRATIONS)?;
    database.pragma_update(None, "journal_mode", "WAL")?;
    database.pragma_update(None, "synchronous", "FULL")?;
    database.pragma_update(None, "foreign_keys", true)?;
    // Overwrites deleted content.
    database.pragma_update(None, "secure_delete", true)?;
    // The holders of leases have ended: no other server has the file.
    database.execute("UPDATE conversation SET holder = NULL, due_at = 0 WHERE holder IS NOT NULL", ())?;
    Ok((lock, place, database))
}

/// Refuses a file with two names, each of which has another log and another lock.
fn check_links(path: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let links = fs::metadata(path).map_or(1, |found| found.nlink());
        if links > 1 {
            let why = "it has further names (hard links), by which another server may have it; remove them, or copy it";
            return Err(StoreError(why.to_owned()));
        }
    }
    let _ = path;
    Ok(())
}

/// The path of an opened file, and its identity on the disk.
#[derive(Debug)]
pub(super) struct FileIdentity {
    path: PathBuf,
    file: Option<(u64, u64)>,
}

impl FileIdentity {
    fn of(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.canonicalize()?, file: identity(&fs::metadata(path)?) })
    }

    /// Fails if the file was deleted or moved: its writes would be lost.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let found = fs::metadata(&self.path).ok().map(|found| identity(&found));
        match found == Some(self.file) {
            true => Ok(()),
            false => {
                Err(StoreError("the database file was moved or deleted while in use".to_owned()).about(&self.path))
            }
        }
    }
}

/// Distinguishes a file from another of the same name. Windows keeps the name of an open file.
fn identity(file: &fs::Metadata) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        Some((file.dev(), file.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        None
    }
}

/// Takes the lock within `wait`, since a stopping server may still have it. It is a file of its own: systems differ on locked databases.
fn lock(path: &Path, wait: Duration) -> Result<File, StoreError> {
    let mut name = path.as_os_str().to_owned();
    name.push("-lock");
    create(Path::new(&name)).map_err(|error| StoreError(error.to_string()))?;
    let lock = File::open(&name).map_err(|error| StoreError(error.to_string()))?;
    let until = Instant::now() + wait;
    let mut is_told = false;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::Error(error)) => return Err(StoreError(format!("it cannot be locked: {error}"))),
            Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                return Err(StoreError("another server is using it".to_owned()));
            }
            Err(TryLockError::WouldBlock) => {}
        }
        if !is_told {
            is_told = true;
            let file = path.display();
            tracing::warn!(%file, "another server has the file; waiting up to {} s for it to end", wait.as_secs());
        }
        // The blocking lock has no timeout.
        thread::sleep(NAP);
    }
}

/// Refuses a damaged file, since writing would damage more of it. The check reads a hundred megabytes in a tenth of a second.
fn check(database: &Connection) -> Result<(), StoreError> {
    let found = database.query_row("PRAGMA quick_check(1)", (), |row| row.get::<_, String>(0))?;
    if found == "ok" {
        return Ok(());
    }
    Err(damaged(&found))
}

fn damaged(what: &str) -> StoreError {
    StoreError(format!(
        "it is damaged ({what}); put a backup in its place, or what `sqlite3 FILE .recover` saves of it"
    ))
}

/// Creates a file, if there is none, that only this user can read. SQLite gives its log the same permissions.
pub(super) fn create(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

/// Refuses another program's database.
pub(super) fn check_application(database: &Connection) -> Result<(), StoreError> {
    match number(database, "PRAGMA application_id")? == i64::from(APPLICATION_ID) {
        true => Ok(()),
        false => Err(StoreError("it is another program's database".to_owned())),
    }
}

fn number(database: &Connection, sql: &str) -> rusqlite::Result<i64> {
    database.query_row(sql, (), |row| row.get(0))
}

fn migrate(database: &mut Connection, migrations: &[&str]) -> Result<(), StoreError> {
    let work = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if number(&work, "SELECT count(*) FROM sqlite_schema")? > 0 {
        check_application(&work)?;
    }
    let version = number(&work, "PRAGMA user_version")?;
    for migration in missing(migrations, version)? {
        work.execute_batch(migration)?;
    }
    work.pragma_update(None, "application_id", APPLICATION_ID)?;
    let all = i64::try_from(migrations.len()).expect("there are a few");
    work.pragma_update(None, "user_version", all)?;
    Ok(work.commit()?)
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self("another program is using it".to_owned()),
            Some(ErrorCode::DatabaseCorrupt) => damaged(&error.to_string()),
            Some(ErrorCode::NotADatabase) => Self("it is no database".to_owned()),
            Some(_) | None => Self(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MIGRATIONS, migrate};
    use rusqlite::Connection;

    fn memory() -> Connection {
        Connection::open_in_memory().expect("there is memory")
    }

    #[test]
    fn an_older_file_is_brought_up_to_date_once() {
        let mut database = memory();
        migrate(&mut database, &MIGRATIONS).expect("it is new");
        let later = [&MIGRATIONS[..], &["ALTER TABLE conversation ADD COLUMN title TEXT"]].concat();
        migrate(&mut database, &later).expect("one is missing");
        migrate(&mut database, &later).expect("none is missing");
        let sql = "INSERT INTO conversation (id, version, state, context, title) VALUES ('t', 1, '', '', 'x')";
        database.execute(sql, ()).expect("the column is there");
        let error = migrate(&mut database, &MIGRATIONS).expect_err("it is newer");
        assert!(error.to_string().contains("newer version"), "{error}");
    }

    #[test]
    fn a_migration_that_fails_leaves_the_file_as_it_was() {
        let mut database = memory();
        let broken = ["CREATE TABLE one (x)", "CREATE TABLE one (x)"];
        migrate(&mut database, &broken).expect_err("the second fails");
        migrate(&mut database, &MIGRATIONS).expect("the first left no table");
    }

    #[test]
    fn another_programs_database_is_left_alone() {
        let mut database = memory();
        database.execute_batch("CREATE TABLE theirs (x)").expect("it is empty");
        let error = migrate(&mut database, &MIGRATIONS).expect_err("another program made it");
        assert!(error.to_string().contains("another program"), "{error}");
    }
}
