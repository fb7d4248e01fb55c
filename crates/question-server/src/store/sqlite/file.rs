//! Opening, locking and migrating the file.

use crate::store::StoreError;
use crate::store::sql::{self, is_missing_one, migrations};
use sqlx::ConnectOptions as _;
use sqlx::migrate::Migrate as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Marks a file of this program (`AskU`); other databases are refused.
const APPLICATION_ID: i64 = 0x4173_6b55;

/// The time that a commit waits for a program that locks the file.
pub(super) const BUSY: Duration = Duration::from_secs(5);

/// The pause before the next try at a lock.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Opens a file. Returns its lock, its identity and its database.
pub(super) async fn open(path: &Path, wait: Duration) -> Result<(File, FileIdentity, SqliteConnection), StoreError> {
    create(path)?;
    check_links(path)?;
    let lock = lock(&path.canonicalize()?, wait).await?;
    let place = FileIdentity::of(path)?;
    let database = prepare(path).await?;
    Ok((lock, place, database))
}

pub(super) fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new().filename(path).busy_timeout(BUSY).disable_statement_logging()
}

/// Opens an empty database in memory.
pub(super) async fn in_memory() -> Result<SqliteConnection, StoreError> {
    let options = SqliteConnectOptions::new().in_memory(true).disable_statement_logging();
    let mut database = options.connect().await.map_err(explain)?;
    migrate(&mut database).await?;
    Ok(database)
}

/// Opens the database and brings its tables up to date.
async fn prepare(path: &Path) -> Result<SqliteConnection, StoreError> {
    let mut database = options(path).connect().await.map_err(explain)?;
    let found: String = sqlx::query_scalar("PRAGMA quick_check(1)").fetch_one(&mut database).await.map_err(explain)?;
    // Writing would damage more of it. The check reads a hundred megabytes in a tenth of a second.
    if found != "ok" {
        return Err(StoreError::Damaged(found));
    }
    migrate(&mut database).await?;
    let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;
        -- The holders of leases have ended: no other server has the file.
        UPDATE conversation SET holder = NULL, due_at = 0 WHERE holder IS NOT NULL";
    sqlx::raw_sql(settings).execute(&mut database).await.map_err(explain)?;
    Ok(database)
}

/// Refuses a file with two names, each of which has another log and another lock.
fn check_links(path: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let links = fs::metadata(path).map_or(1, |found| found.nlink());
        if links > 1 {
            let why = "it has further names (hard links), by which another server may have it; remove them, or copy it";
            return Err(StoreError::Unusable(why));
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
            false => Err(StoreError::Unusable("the database file was moved or deleted while in use").about(&self.path)),
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
async fn lock(path: &Path, wait: Duration) -> Result<File, StoreError> {
    let mut name = path.as_os_str().to_owned();
    name.push("-lock");
    create(Path::new(&name))?;
    let lock = File::open(&name)?;
    let until = Instant::now() + wait;
    let mut is_told = false;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::Error(error)) => return Err(error.into()),
            Err(TryLockError::WouldBlock) if Instant::now() >= until => return Err(StoreError::InUse("server")),
            Err(TryLockError::WouldBlock) => {}
        }
        if !is_told {
            is_told = true;
            let file = path.display();
            tracing::warn!(%file, "another server has the file; waiting up to {} s for it to end", wait.as_secs());
        }
        // The blocking lock has no timeout.
        tokio::time::sleep(LOCK_POLL_INTERVAL).await;
    }
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
pub(super) async fn check_application(database: &mut SqliteConnection) -> Result<(), StoreError> {
    let found: i64 = sqlx::query_scalar("PRAGMA application_id").fetch_one(database).await.map_err(explain)?;
    match found == APPLICATION_ID {
        true => Ok(()),
        false => Err(StoreError::Unusable("it is another program's database")),
    }
}

async fn migrate(database: &mut SqliteConnection) -> Result<(), StoreError> {
    let migrator = migrations(&[
        ("tables", include_str!("../../../migrations/sqlite/1_tables.sql")),
        ("webhooks", include_str!("../../../migrations/sqlite/2_webhooks.sql")),
        ("files", include_str!("../../../migrations/sqlite/3_files.sql")),
        ("web_push", include_str!("../../../migrations/sqlite/4_web_push.sql")),
    ]);
    let sql = "SELECT count(*) AS tables, count(*) FILTER (WHERE name = '_sqlx_migrations') FROM sqlite_schema";
    let (tables, made): (i64, i64) = sqlx::query_as(sql).fetch_one(&mut *database).await.map_err(explain)?;
    if tables > 0 {
        check_application(database).await?;
        if made == 0 {
            let why = "it is of a version before the first release; move it away, and a new one is made";
            return Err(StoreError::Unusable(why));
        }
        let made = database.list_applied_migrations(&migrator.table_name).await;
        is_missing_one(&migrator, &made?)?;
    }
    sql::migrate(&migrator, database).await
}

/// The error of a file, in words for the person who named it.
pub(super) fn explain(error: sqlx::Error) -> StoreError {
    let code = error.as_database_error().and_then(|error| error.code()?.parse::<i32>().ok());
    match code.map(|code| code & 0xff) {
        // SQLITE_BUSY and SQLITE_LOCKED.
        Some(5 | 6) => StoreError::InUse("program"),
        // SQLITE_CORRUPT.
        Some(11) => StoreError::Damaged(error.to_string()),
        // SQLITE_NOTADB.
        Some(26) => StoreError::Unusable("it is no database"),
        _ => error.into(),
    }
}
