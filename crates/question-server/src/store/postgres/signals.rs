//! Signals between servers over Postgres, by `NOTIFY`. It is never part of a commit, since its lock would make all other commits wait for the
//! disk.

use super::connect::DatabasePool;
use crate::config::limits::{DATABASE_PATIENCE, SWEEP};
use crate::error::WithCauses;
use crate::store::StoreError;
use crate::store::signals::Signal;
use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use std::time::Duration;
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::time::{sleep, timeout};

/// The pause before the next connection.
const RECONNECT_PAUSE: Duration = Duration::from_millis(250);

/// The channel of `NOTIFY`. Postgres keeps the channels of its databases apart.
const CHANNEL: &str = "question_server";

pub(super) async fn publish(pool: &DatabasePool, signals: Vec<Signal>) -> Result<(), StoreError> {
    let signals = signals.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    let sql = "SELECT pg_notify($1, signal) FROM unnest($2::text[]) AS signal";
    pool.run(sqlx::query(sql).bind(CHANNEL).bind(signals)).await.map(drop)
}

/// Listens on a connection of its own.
pub(super) fn subscribe(options: PgConnectOptions) -> BoxStream<'static, Option<Signal>> {
    let (signals, mut received) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        tokio::select! {
            () = signals.closed() => {}
            () = listen(&options, &signals) => {}
        }
    });
    stream::poll_fn(move |context| received.poll_recv(context)).boxed()
}

/// Listens until the subscriber is gone, and reconnects when the connection is lost.
async fn listen(options: &PgConnectOptions, signals: &UnboundedSender<Option<Signal>>) {
    loop {
        if let Err(error) = receive(options, signals).await {
            tracing::warn!(error = %WithCauses(&error), "LISTEN connection lost; reconnecting");
        }
        // Gives a database that has just gone some time.
        sleep(RECONNECT_PAUSE).await;
    }
}

/// Listens until the connection ends.
async fn receive(options: &PgConnectOptions, signals: &UnboundedSender<Option<Signal>>) -> Result<(), StoreError> {
    let pool =
        PgPoolOptions::new().max_connections(1).acquire_timeout(DATABASE_PATIENCE).connect_lazy_with(options.clone());
    let mut listener = PgListener::connect_with(&pool).await?;
    listener.eager_reconnect(false);
    timeout(DATABASE_PATIENCE, listener.listen(CHANNEL)).await.map_err(|_| StoreError::Timeout)??;
    // Signals from before LISTEN are lost.
    let _ = signals.send(None);
    loop {
        match timeout(SWEEP, listener.try_recv()).await {
            Ok(Ok(Some(notification))) => {
                // Another version of the server may send signals that this one cannot read.
                let _ = signals.send(serde_json::from_str(notification.payload()).ok());
            }
            Ok(Ok(None)) => return Ok(()),
            Ok(Err(error)) => return Err(error.into()),
            // Only a statement shows that the connection is dead.
            Err(_) => {
                let alive = timeout(DATABASE_PATIENCE, sqlx::query("SELECT 1").execute(&mut listener)).await;
                alive.map_err(|_| StoreError::Timeout)??;
            }
        }
    }
}
