//! Connections to a Postgres database.

use crate::config::limits::{DATABASE_CONNECTIONS, DATABASE_PATIENCE};
use crate::error::WithCauses;
use crate::store::StoreError;
use crate::store::sql::{self, is_missing_one, migrations};
use sqlx::migrate::Migrate as _;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgConnection, PgPool, PgPoolOptions, PgRow, PgSslMode, Postgres};
use sqlx::query::Query;
use sqlx::{ConnectOptions as _, Connection as _};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

/// Changes are decided by their revision, and a stricter isolation would refuse them. The database cancels a statement that its caller no longer
/// waits for.
const SESSION: &str = "SET search_path = question_server; SET default_transaction_isolation = 'read committed';
    SET statement_timeout = '5s'; SET lock_timeout = '5s'";

/// The idle time after which a connection is tested before it is used.
const TESTED_AFTER: Duration = Duration::from_secs(1);

/// The time that a change of the tables may take, here or by another server.
const MIGRATION_PATIENCE: Duration = Duration::from_secs(600);

/// The pause before another try at a database that is starting.
const RETRY_PAUSE: Duration = Duration::from_millis(250);

/// The number of the lock for migrations; the same number marks an SQLite file.
const LOCK: i64 = 0x4173_6b55;

/// The connections to the database.
#[derive(Debug)]
pub(super) struct DatabasePool {
    pool: PgPool,
    /// A permit for each connection that the pool may open, since it takes back a used one only after a test.
    permits: Semaphore,
    lost: Arc<Lost>,
}

impl DatabasePool {
    pub(super) fn new(options: PgConnectOptions) -> Self {
        let lost = Arc::new(Lost::default());
        Self { pool: pool(options, Arc::clone(&lost)), permits: Semaphore::new(most()), lost }
    }

    /// Runs one statement. A connection that is lost or does not answer is given up, and those that were opened before it.
    pub(super) async fn run(&self, statement: Query<'_, Postgres, PgArguments>) -> Result<Vec<PgRow>, StoreError> {
        let mut connection = self.pool.acquire().await.map_err(StoreError::Unreachable)?;
        let _used = self.permits.try_acquire();
        let error = match timeout(DATABASE_PATIENCE, statement.fetch_all(&mut *connection)).await {
            Ok(Ok(found)) => return Ok(found),
            Ok(Err(error)) if !is_lost(&error) => return Err(error.into()),
            Ok(Err(error)) => error.into(),
            Err(_) => StoreError::Timeout,
        };
        self.lost.note();
        drop(connection.detach());
        Err(error)
    }

    /// The options of its connections.
    pub(super) fn options(&self) -> PgConnectOptions {
        PgConnectOptions::clone(&self.pool.connect_options())
    }

    /// The number of connections that run a statement.
    pub(super) fn used(&self) -> usize {
        most() - self.permits.available_permits()
    }
}

/// The most connections.
pub(super) fn most() -> usize {
    usize::try_from(DATABASE_CONNECTIONS).unwrap_or(usize::MAX)
}

/// The time at which a connection was last lost. Older connections are not used again: as a rule the network was down or the database has failed
/// over, and only a new connection finds the new primary.
#[derive(Debug, Default)]
struct Lost(Mutex<Option<Instant>>);

impl Lost {
    fn note(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn is_since(&self, age: Duration) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|at| at.elapsed() <= age)
    }
}

/// Returns true if the connection is of no more use: it is broken, the database ends, or it has become read-only.
fn is_lost(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(error) => {
            error.code().is_some_and(|code| code == "25006" || code == "57P01" || code == "57P02" || code == "57P03")
        }
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::Tls(_) | sqlx::Error::WorkerCrashed => true,
        _ => false,
    }
}

/// Reads an address. Connections to this machine need no TLS; those to another one show a certificate.
pub(super) fn read(address: &str) -> Result<PgConnectOptions, StoreError> {
    // For a socket, libpq reads an address without a host after the user as well.
    let address = address.replacen("@/", "@localhost/", 1);
    let options: PgConnectOptions = address.parse().map_err(StoreError::Address)?;
    let is_here = is_this_machine(&options);
    let mode = match options.get_ssl_mode() {
        PgSslMode::Prefer | PgSslMode::Allow if is_here => PgSslMode::Disable,
        PgSslMode::Prefer | PgSslMode::Allow | PgSslMode::Require => PgSslMode::VerifyFull,
        mode => mode,
    };
    let name = options.get_application_name().unwrap_or("question-server").to_owned();
    // A pooler need not know the parameter, and no number here has a fraction.
    Ok(options.ssl_mode(mode).application_name(&name).extra_float_digits(None).disable_statement_logging())
}

fn is_this_machine(options: &PgConnectOptions) -> bool {
    let host = options.get_host();
    let is_loopback = host.trim_matches(['[', ']']).parse().is_ok_and(|address: IpAddr| address.is_loopback());
    options.get_socket().is_some() || host.starts_with('/') || host == "localhost" || is_loopback
}

/// A pool that tests its connections.
fn pool(options: PgConnectOptions, lost: Arc<Lost>) -> PgPool {
    PgPoolOptions::new()
        .max_connections(DATABASE_CONNECTIONS)
        .acquire_timeout(DATABASE_PATIENCE)
        .test_before_acquire(false)
        .after_connect(|connection, _| {
            Box::pin(async move { sqlx::raw_sql(SESSION).execute(connection).await.map(drop) })
        })
        .before_acquire(move |connection, met| {
            let lost = Arc::clone(&lost);
            Box::pin(async move {
                if lost.is_since(met.age) {
                    return Ok(false);
                }
                let is_fresh = met.idle_for < TESTED_AFTER;
                Ok(is_fresh || matches!(timeout(TESTED_AFTER, connection.ping()).await, Ok(Ok(()))))
            })
        })
        .connect_lazy_with(options)
}

/// Waits for a database that may be starting, and brings its tables up to date.
pub(super) async fn prepare(options: &PgConnectOptions, wait: Duration) -> Result<(), StoreError> {
    let one = comes_up_within(options, wait).await?;
    let other = timeout(DATABASE_PATIENCE, options.connect())
        .await
        .map_err(|_| StoreError::Timeout)?
        .map_err(StoreError::Unreachable)?;
    let mut one = check_sessions(one, other).await?;
    timeout(MIGRATION_PATIENCE, migrate(&mut one)).await.map_err(|_| StoreError::Timeout)??;
    // The lock ends with the session.
    Ok(one.close().await?)
}

async fn comes_up_within(options: &PgConnectOptions, wait: Duration) -> Result<PgConnection, StoreError> {
    let until = Instant::now() + wait;
    let mut is_told = false;
    loop {
        let error = match timeout(DATABASE_PATIENCE, options.connect()).await {
            Ok(Ok(connection)) => return Ok(connection),
            Ok(Err(error)) if !may_come_up(&error) => return Err(StoreError::Unreachable(error)),
            Ok(Err(error)) => StoreError::Unreachable(error),
            Err(_) => StoreError::Timeout,
        };
        if Instant::now() >= until {
            return Err(error);
        }
        if !std::mem::replace(&mut is_told, true) {
            tracing::warn!(error = %WithCauses(&error), "waiting up to {} s for the database", wait.as_secs());
        }
        // No event announces that a database is ready.
        sleep(RETRY_PAUSE).await;
    }
}

/// Returns true if a database that refused may take connections soon. A balancer whose database is away closes the connection.
fn may_come_up(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(error) => {
            error.code().is_some_and(|code| ["57P01", "57P02", "57P03", "53300"].contains(&&*code))
        }
        sqlx::Error::Io(_) => true,
        _ => false,
    }
}

/// Refuses a pooler that gives each transaction another session: notifications and prepared statements live in one. Returns the first connection.
async fn check_sessions(mut one: PgConnection, mut other: PgConnection) -> Result<PgConnection, StoreError> {
    let before = session(&mut one).await?;
    sqlx::raw_sql("BEGIN").execute(&mut other).await?;
    // A pooler gives it the free session, or gives the first connection another one meanwhile.
    let is_shared = before == session(&mut other).await? || before != session(&mut one).await?;
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await?;
    if is_shared {
        let why =
            "a pooler in front of it shares sessions between transactions; connect directly or set it to session mode";
        return Err(StoreError::Unusable(why));
    }
    other.close().await?;
    Ok(one)
}

/// The database process of a connection, asked without a prepared statement, which a pooler may lose.
async fn session(connection: &mut PgConnection) -> Result<i32, StoreError> {
    use sqlx::Row as _;
    let row = sqlx::raw_sql("SELECT pg_backend_pid()").fetch_one(connection).await?;
    Ok(row.try_get(0)?)
}

/// Brings the tables up to date; of several servers at once, one does it.
async fn migrate(database: &mut PgConnection) -> Result<(), StoreError> {
    let mut migrator = migrations(&[
        ("tables", include_str!("../../../migrations/postgres/1_tables.sql")),
        ("webhooks", include_str!("../../../migrations/postgres/2_webhooks.sql")),
        ("files", include_str!("../../../migrations/postgres/3_files.sql")),
        ("web_push", include_str!("../../../migrations/postgres/4_web_push.sql")),
    ]);
    migrator.set_locking(false);
    sqlx::query("SELECT pg_advisory_lock($1)").bind(LOCK).execute(&mut *database).await?;
    let found =
        "SELECT to_regnamespace('question_server') IS NOT NULL, to_regclass('question_server.migration') IS NOT NULL,
        to_regclass('question_server._sqlx_migrations') IS NOT NULL";
    let (has_schema, is_old, has_steps): (bool, bool, bool) = sqlx::query_as(found).fetch_one(&mut *database).await?;
    if is_old {
        let why = "its schema `question_server` is of a version before the first release; rename it or drop it, and a new one is made";
        return Err(StoreError::Unusable(why));
    }
    // Not `IF NOT EXISTS`, which needs the right to create even an existing schema.
    if !has_schema {
        sqlx::raw_sql("CREATE SCHEMA question_server").execute(&mut *database).await?;
    }
    sqlx::raw_sql("SET search_path = question_server").execute(&mut *database).await?;
    // Likewise, sqlx would run `CREATE TABLE IF NOT EXISTS` for its table of steps each time.
    let is_missing = !has_steps || {
        let made = database.list_applied_migrations(&migrator.table_name).await;
        is_missing_one(&migrator, &made?)?
    };
    if is_missing {
        sql::migrate(&migrator, database).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{DatabasePool, PgSslMode, read};
    use crate::error::WithCauses;

    #[test]
    fn what_goes_to_another_machine_goes_over_tls() {
        for (address, is_on) in [
            ("postgres://me@db.example/chat", true),
            ("postgres://me@db.example/chat?sslmode=require", true),
            ("postgres://me@db.example/chat?sslmode=disable", false),
            ("postgres://me@localhost/chat", false),
            ("postgres://me@127.0.0.1:5433/chat", false),
            ("postgres://me@[::1]/chat", false),
            ("postgres://me@localhost/chat?sslmode=require", true),
            ("postgres:///chat?host=/var/run/postgresql", false),
            ("postgres://me@/chat?host=/var/run/postgresql", false),
        ] {
            let mode = read(address).expect(address).get_ssl_mode();
            let expected = if is_on { PgSslMode::VerifyFull } else { PgSslMode::Disable };
            assert_eq!(format!("{mode:?}"), format!("{expected:?}"), "{address}");
        }
    }

    #[tokio::test]
    async fn no_debug_output_has_the_password() {
        let options = read("postgres://me:secret@db.example/chat").expect("it is one");
        let shown = format!("{:?}", DatabasePool::new(options));
        assert!(!shown.contains("secret"), "{shown}");
    }

    #[test]
    fn an_address_that_is_none_is_told_without_its_password() {
        let error = read("postgres://me:secret@host:port/chat").expect_err("the port is no number");
        let error = WithCauses(&error).to_string();
        assert!(error.contains("no address") && !error.contains("secret"), "{error}");
    }
}
