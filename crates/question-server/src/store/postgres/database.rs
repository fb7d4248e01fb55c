//! Connections to a Postgres database.

use super::schema;
use super::tls::Tls;
use crate::limits::{DATABASE_CONNECTIONS, DATABASE_PATIENCE};
use crate::store::error::StoreError;
use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime, Status, Timeouts,
};
use std::error::Error as _;
use std::net::IpAddr;
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, Row};

/// Connections to a database. Clones are of the same.
#[derive(Clone)]
pub(super) struct DatabasePool {
    pool: Pool,
}

/// Changes are decided by their revision, and a stricter isolation would refuse them. No statement outlives its caller by long.
const SESSION: &str =
    "SET default_transaction_isolation = 'read committed'; SET statement_timeout = '10s'; SET lock_timeout = '5s'";

/// The time that a change of the tables may take, here or by another server.
const MIGRATION_PATIENCE: Duration = Duration::from_secs(600);

/// The pause before another try at a database that is starting.
const NAP: Duration = Duration::from_millis(250);

pub(super) fn silent() -> StoreError {
    StoreError("it does not answer".to_owned())
}

impl DatabasePool {
    /// Connects to the database at an address and brings its tables up to date. A database that is starting is tried again for `wait`.
    pub(super) async fn open_within(address: &str, wait: Duration) -> Result<(Self, Config), StoreError> {
        let config = read(address)?;
        let manager = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let pool = Pool::builder(Manager::from_config(config.clone(), Tls::new(), manager))
            .max_size(DATABASE_CONNECTIONS)
            .timeouts(Timeouts {
                wait: Some(DATABASE_PATIENCE),
                create: Some(DATABASE_PATIENCE),
                recycle: Some(DATABASE_PATIENCE),
            })
            .post_create(Hook::async_fn(|client, _| {
                Box::pin(async move {
                    let set = timeout(DATABASE_PATIENCE, client.batch_execute(SESSION)).await;
                    set.map_err(|_| HookError::message("it does not answer"))?.map_err(HookError::Backend)
                })
            }))
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| StoreError(error.to_string()))?;
        let database = Self { pool };
        database.comes_up_within(wait).await?;
        schema::check_sessions([database.connection().await?, database.connection().await?]).await?;
        let mut connection = database.connection().await?;
        let migrated = timeout(MIGRATION_PATIENCE, schema::migrate(&mut connection, &schema::MIGRATIONS)).await;
        migrated.map_err(|_| silent())??;
        Ok((database, config))
    }

    /// The connections of the pool.
    pub(super) fn status(&self) -> Status {
        self.pool.status()
    }

    async fn connection(&self) -> Result<Object, StoreError> {
        Ok(self.pool.get().await?)
    }

    pub(super) async fn query(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, StoreError> {
        self.try_query(sql, values).await?.map_err(StoreError::from)
    }

    /// The same, with the error of a database that refuses. A connection without an answer is closed with all idle ones: as a rule the network is
    /// down. So is one to a server that has become read-only: after a fail-over, a new connection finds the new primary.
    pub(super) async fn try_query(
        &self,
        sql: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Result<Vec<Row>, tokio_postgres::Error>, StoreError> {
        let connection = self.connection().await?;
        let asked = timeout(DATABASE_PATIENCE, async {
            let statement = connection.prepare_cached(sql).await?;
            connection.query(&statement, values).await
        })
        .await;
        let is_read_only = |error: &tokio_postgres::Error| error.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION);
        let is_lost = match &asked {
            Err(_) => true,
            Ok(answer) => answer.as_ref().is_err_and(is_read_only),
        };
        if is_lost {
            drop(Object::take(connection));
            self.pool.retain(|_, _| false);
        }
        asked.map_err(|_| silent())
    }

    /// Waits for a database that is just starting.
    async fn comes_up_within(&self, wait: Duration) -> Result<(), StoreError> {
        let until = Instant::now() + wait;
        let mut is_told = false;
        loop {
            let Err(error) = self.pool.get().await else {
                return Ok(());
            };
            if !may_come_up(&error) || Instant::now() >= until {
                return Err(error.into());
            }
            if !std::mem::replace(&mut is_told, true) {
                let error = StoreError::from(error);
                tracing::warn!(%error, "waiting up to {} s for the database", wait.as_secs());
            }
            // No event announces that a database is ready.
            sleep(NAP).await;
        }
    }

    /// The first row.
    pub(super) async fn first(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Option<Row>, StoreError> {
        Ok(self.query(sql, values).await?.into_iter().next())
    }

    pub(super) async fn count_by(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<usize, StoreError> {
        let found = self.first(sql, values).await?;
        let count: i64 = found.map(|row| row.try_get(0)).transpose()?.unwrap_or_default();
        Ok(usize::try_from(count).unwrap_or_default())
    }
}

/// Reads an address. Connections to this machine need no TLS.
fn read(address: &str) -> Result<Config, StoreError> {
    let mut config: Config = address.parse().map_err(|error: tokio_postgres::Error| {
        // The address may contain a password.
        StoreError(format!("it is no address of a database: {}", cause(&error)))
    })?;
    if config.get_ssl_mode() == SslMode::Prefer {
        let is_here = config.get_hosts().iter().all(is_this_machine) && !config.get_hosts().is_empty();
        config.ssl_mode(if is_here { SslMode::Disable } else { SslMode::Require });
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(DATABASE_PATIENCE);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(DATABASE_PATIENCE);
    }
    if config.get_application_name().is_none() {
        config.application_name("question-server");
    }
    Ok(config)
}

fn is_this_machine(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback()),
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

/// Returns true if a database that refused may take connections soon.
fn may_come_up(error: &PoolError) -> bool {
    match error {
        PoolError::Timeout(_) => true,
        PoolError::Backend(error) => match error.code() {
            Some(code) => [
                SqlState::CANNOT_CONNECT_NOW,
                SqlState::TOO_MANY_CONNECTIONS,
                SqlState::ADMIN_SHUTDOWN,
                SqlState::CRASH_SHUTDOWN,
            ]
            .contains(code),
            // The address, certificates and names are settled before.
            // A balancer whose database is away closes the connection.
            None => error.is_closed() || error.source().is_some_and(|source| source.is::<std::io::Error>()),
        },
        _ => false,
    }
}

/// The message of a database error, without the words in front of it.
fn cause(error: &tokio_postgres::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

impl From<tokio_postgres::Error> for StoreError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self(cause(&error))
    }
}

impl From<PoolError> for StoreError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Backend(error) => Self(format!("it cannot be reached: {}", cause(&error))),
            other => Self(format!("it cannot be reached: {other}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use tokio_postgres::config::SslMode;

    #[test]
    fn what_goes_to_another_machine_goes_over_tls() {
        for (address, mode) in [
            ("postgres://me@db.example/chat", SslMode::Require),
            ("postgres://me@db.example,localhost/chat", SslMode::Require),
            ("postgres://me@db.example/chat?sslmode=disable", SslMode::Disable),
            ("postgres://me@localhost/chat", SslMode::Disable),
            ("postgres://me@127.0.0.1:5433/chat", SslMode::Disable),
            ("postgres://me@localhost/chat?sslmode=require", SslMode::Require),
            ("postgres:///chat?host=/var/run/postgresql", SslMode::Disable),
        ] {
            assert_eq!(read(address).expect(address).get_ssl_mode(), mode, "{address}");
        }
    }

    #[test]
    fn an_address_that_is_none_is_told_without_its_password() {
        let error = read("postgres://me:secret@host:port/chat").expect_err("the port is no number").to_string();
        assert!(error.contains("no address") && !error.contains("secret"), "{error}");
    }
}
