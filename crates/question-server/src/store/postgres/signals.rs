//! Signals between servers over Postgres, by `NOTIFY`. It is never part of a commit, since its lock would make all other commits wait for the
//! disk.

use super::database::{DatabasePool, silent};
use super::tls::Tls;
use crate::limits::{DATABASE_PATIENCE, SWEEP};
use crate::store::signals::{Notification, ReceivedSignal, Signal, Signals, StopCause};
use crate::store::{Revision, StoreError, StreamPosition};
use async_trait::async_trait;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::time::{sleep, timeout};
use tokio_postgres::{AsyncMessage, Config};

/// Servers that share a Postgres.
pub(super) struct PostgresSignals {
    database: DatabasePool,
    /// For the connection on which it listens.
    config: Config,
}

/// The connections would show the password.
impl fmt::Debug for PostgresSignals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresSignals").finish_non_exhaustive()
    }
}

impl PostgresSignals {
    pub(super) fn new(database: DatabasePool, mut config: Config) -> Self {
        // A broken network gives no error.
        config.keepalives_idle(KEEPALIVE);
        Self { database, config }
    }
}

/// The idle time after which a connection is probed.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// The pause before the next connection.
const PAUSE: Duration = Duration::from_millis(250);

/// Every database has signals of its own.
const CHANNEL: &str = "question_server";

#[async_trait]
impl Signals for PostgresSignals {
    async fn publish(&self, signals: Vec<Signal>) -> Result<(), StoreError> {
        let signals = signals.into_iter().map(|signal| payload(signal.into())).collect::<Result<Vec<_>, _>>()?;
        let sql = "SELECT pg_notify($1, signal) FROM unnest($2::text[]) AS signal";
        self.database.query(sql, &[&CHANNEL, &signals]).await?;
        Ok(())
    }

    fn subscribe(&self) -> BoxStream<'static, ReceivedSignal> {
        let (signals, mut received) = mpsc::unbounded_channel();
        let config = self.config.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = signals.closed() => {}
                () = listen(&config, &signals) => {}
            }
        });
        stream::poll_fn(move |context| received.poll_recv(context)).boxed()
    }
}

/// Listens until the subscriber is gone, and reconnects when the connection is lost.
async fn listen(config: &Config, signals: &UnboundedSender<ReceivedSignal>) {
    loop {
        if let Err(error) = receive(config, signals).await {
            tracing::warn!(%error, "LISTEN connection lost; reconnecting");
        }
        // Spares a database that has just gone.
        sleep(PAUSE).await;
    }
}

/// Listens until the connection ends.
async fn receive(config: &Config, signals: &UnboundedSender<ReceivedSignal>) -> Result<(), StoreError> {
    let connected = timeout(DATABASE_PATIENCE, config.connect(Tls::new())).await;
    let (client, mut connection) = connected.map_err(|_| silent())??;
    let mut messages = stream::poll_fn(|context| connection.poll_message(context));
    let receiving = async {
        while let Some(message) = messages.next().await {
            if let AsyncMessage::Notification(notification) = message? {
                let signal = serde_json::from_str::<NotifyPayload>(notification.payload()).ok();
                // Another version of the server may send signals that this one cannot read.
                let signal = signal.and_then(|payload| payload.try_into().ok());
                let _ = signals.send(signal.map_or(ReceivedSignal::Missed, ReceivedSignal::Signal));
            }
        }
        Ok::<(), StoreError>(())
    };
    let mut receiving = pin!(receiving);
    tokio::select! {
        listening = timeout(DATABASE_PATIENCE, client.batch_execute("LISTEN question_server")) => {
            listening.map_err(|_| silent())??;
        }
        ended = &mut receiving => return ended,
    }
    // Signals from before LISTEN are lost.
    let _ = signals.send(ReceivedSignal::Missed);
    let checked = async {
        loop {
            // A dead subscription shows only by a query.
            sleep(SWEEP).await;
            let alive = timeout(DATABASE_PATIENCE, client.batch_execute("")).await;
            alive.map_err(|_| silent())??;
        }
    };
    tokio::select! {
        ended = receiving => ended,
        broken = checked => broken,
    }
}

/// A signal as it travels: a notification has 8,000 bytes at most.
#[derive(Debug, Serialize, Deserialize)]
struct NotifyPayload {
    by: String,
    id: String,
    #[serde(flatten)]
    kind: NotifyKind,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "news", rename_all = "snake_case")]
enum NotifyKind {
    Committed { since: u64, frames: u64 },
    Gone,
    Released,
    Stop { run: String, if_abandoned: bool },
}

impl From<Signal> for NotifyPayload {
    fn from(signal: Signal) -> Self {
        let kind = match signal.notification {
            Notification::Committed(StreamPosition { since, frames }) => {
                NotifyKind::Committed { since: since.0, frames }
            }
            Notification::Gone => NotifyKind::Gone,
            Notification::Released => NotifyKind::Released,
            Notification::Stop { run, cause } => {
                NotifyKind::Stop { run, if_abandoned: cause == StopCause::IfAbandoned }
            }
        };
        Self { by: signal.by.to_string(), id: signal.id, kind }
    }
}

impl TryFrom<NotifyPayload> for Signal {
    type Error = uuid::Error;

    fn try_from(payload: NotifyPayload) -> Result<Self, uuid::Error> {
        let kind = match payload.kind {
            NotifyKind::Committed { since, frames } => {
                Notification::Committed(StreamPosition { since: Revision(since), frames })
            }
            NotifyKind::Gone => Notification::Gone,
            NotifyKind::Released => Notification::Released,
            NotifyKind::Stop { run, if_abandoned } => {
                let cause = if if_abandoned { StopCause::IfAbandoned } else { StopCause::Requested };
                Notification::Stop { run, cause }
            }
        };
        Ok(Self { by: payload.by.parse()?, id: payload.id, notification: kind })
    }
}

fn payload(payload: NotifyPayload) -> Result<String, StoreError> {
    serde_json::to_string(&payload).map_err(|error| StoreError(error.to_string()))
}
