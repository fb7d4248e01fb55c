//! The feed by which servers hear of one another over Postgres.
//!
//! Frames are rows of a table without a log of its own, which costs no wait for a disk; a database that dies forgets them. Signals go by `NOTIFY`. That is
//! never part of a commit that waits for the disk, since it would have all others wait, too.

use super::tls::Tls;
use super::{Database, signed, unsigned};
use crate::limits::{DATABASE_PATIENCE, RECALLED_AT_WORK_FOR, RECALLED_FOR, SWEEP};
use crate::store::feed::{Feed, Frame, Heard, Kind, Notification, Piece, Signal, StopCause};
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
pub(super) struct PostgresFeed {
    database: Database,
    /// For a connection of its own, on which it listens.
    config: Config,
}

/// The connections would show the password.
impl fmt::Debug for PostgresFeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresFeed").finish_non_exhaustive()
    }
}

impl PostgresFeed {
    pub(super) fn new(database: Database, mut config: Config) -> Self {
        // A network that lets nothing through any more says nothing either.
        config.keepalives_idle(KEEPALIVE);
        Self { database, config }
    }
}

/// The time that a connection on which nothing is heard is taken for whole.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// The time until the database is tried again.
const PAUSE: Duration = Duration::from_millis(250);

/// Every database has signals of its own.
const CHANNEL: &str = "question_server";

#[async_trait]
impl Feed for PostgresFeed {
    async fn publish(&self, pieces: Vec<Piece>, signals: Vec<Signal>) -> Result<(), StoreError> {
        let ids: Vec<&str> = pieces.iter().map(|piece| piece.id.as_str()).collect();
        let of = |number: fn(&Piece) -> u64| pieces.iter().map(number).map(signed).collect::<Vec<i64>>();
        let (since, first) = (of(|piece| piece.behind.since.0), of(|piece| piece.behind.frames));
        let told = of(|piece| piece.told().frames);
        let frames: Vec<String> = pieces.iter().map(|piece| written(&piece.frames)).collect();
        let signals = signals.into_iter().map(|signal| payload(signal.into())).collect::<Result<Vec<_>, _>>()?;
        self.database.query(PUBLISH, &[&ids, &since, &first, &told, &frames, &CHANNEL, &signals]).await?;
        Ok(())
    }

    fn subscribe(&self) -> BoxStream<'static, Heard> {
        let (heard, mut hears) = mpsc::unbounded_channel();
        let config = self.config.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = heard.closed() => {}
                () = listen(&config, &heard) => {}
            }
        });
        stream::poll_fn(move |context| hears.poll_recv(context)).boxed()
    }

    async fn read(&self, places: Vec<(String, StreamPosition)>) -> Result<Vec<Piece>, StoreError> {
        let ids: Vec<&str> = places.iter().map(|(id, _)| id.as_str()).collect();
        let since: Vec<i64> = places.iter().map(|(_, told)| signed(told.since.0)).collect();
        let behind: Vec<i64> = places.iter().map(|(_, told)| signed(told.frames)).collect();
        let found = self.database.query(READ, &[&ids, &since, &behind]).await?;
        let piece = |row: &super::Found| {
            let [since, first] = [row.try_get(1)?, row.try_get(2)?].map(unsigned);
            let behind = StreamPosition { since: Revision(since), frames: first };
            Ok(Piece { id: row.try_get(0)?, behind, frames: read(row.try_get(3)?) })
        };
        found.iter().map(piece).collect()
    }

    async fn prune(&self) -> Result<(), StoreError> {
        let [at_rest, at_work] = [RECALLED_FOR, RECALLED_AT_WORK_FOR].map(|time| time.as_secs_f64());
        self.database.query(PRUNE, &[&at_rest, &at_work]).await?;
        Ok(())
    }
}

/// One statement, and so one notification of all who listen.
const PUBLISH: &str = "
    WITH heard AS (
        INSERT INTO question_server.feed (id, since, first, told, frames)
        SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[])
    )
    SELECT pg_notify($6, signal) FROM unnest($7::text[]) AS signal";

const READ: &str = "
    SELECT feed.id, feed.since, feed.first, feed.frames
    FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS place (id, since, told)
    JOIN question_server.feed ON feed.id = place.id AND feed.since = place.since AND feed.told > place.told
    ORDER BY feed.first, feed.told";

/// What is not among the messages yet stays longer.
const PRUNE: &str = "
    DELETE FROM question_server.feed
    WHERE at < now() - $1 * interval '1 second' AND (
        at < now() - $2 * interval '1 second' OR NOT EXISTS (
            SELECT FROM question_server.conversation AS one
            WHERE one.id = feed.id AND one.holder IS NOT NULL AND one.told_since = feed.since AND one.told < feed.told
        )
    )";

/// Listens until nobody hears it any more. Where the database is away it comes back.
async fn listen(config: &Config, heard: &UnboundedSender<Heard>) {
    loop {
        if let Err(error) = hear(config, heard).await {
            tracing::warn!(%error, "LISTEN connection lost; reconnecting");
        }
        // A database that has just gone is not asked at once.
        sleep(PAUSE).await;
    }
}

/// Listens until the connection ends.
async fn hear(config: &Config, heard: &UnboundedSender<Heard>) -> Result<(), StoreError> {
    let connected = timeout(DATABASE_PATIENCE, config.connect(Tls::new())).await;
    let (client, mut connection) = connected.map_err(|_| super::silent())??;
    let mut messages = stream::poll_fn(|context| connection.poll_message(context));
    let hearing = async {
        while let Some(message) = messages.next().await {
            if let AsyncMessage::Notification(told) = message? {
                let signal = serde_json::from_str::<Payload>(told.payload()).ok();
                // What a newer server says this one may not understand.
                let signal = signal.and_then(|payload| payload.try_into().ok());
                let _ = heard.send(signal.map_or(Heard::Missed, Heard::Signal));
            }
        }
        Ok::<(), StoreError>(())
    };
    let mut hearing = pin!(hearing);
    tokio::select! {
        listening = timeout(DATABASE_PATIENCE, client.batch_execute("LISTEN question_server")) => {
            listening.map_err(|_| super::silent())??;
        }
        ended = &mut hearing => return ended,
    }
    // Before it listened.
    let _ = heard.send(Heard::Missed);
    let checked = async {
        loop {
            // A subscription that has fallen silent shows only when it is asked.
            sleep(SWEEP).await;
            let alive = timeout(DATABASE_PATIENCE, client.batch_execute("")).await;
            alive.map_err(|_| super::silent())??;
        }
    };
    tokio::select! {
        ended = hearing => ended,
        broken = checked => broken,
    }
}

/// Frames as a row has them: each in a line, behind a letter for its kind.
pub(super) fn written(frames: &[Frame]) -> String {
    let mut text = String::with_capacity(frames.iter().map(|frame| frame.data.len() + 2).sum());
    for frame in frames {
        text.push(match frame.kind {
            Kind::AgUi => 'e',
            Kind::StateChange => 's',
        });
        text.push_str(&frame.data);
        text.push('\n');
    }
    text
}

fn read(text: &str) -> Vec<Frame> {
    let frame = |line: &str| {
        let kind = if line.starts_with('s') { Kind::StateChange } else { Kind::AgUi };
        Frame { kind, data: line.get(1..).unwrap_or_default().into() }
    };
    text.lines().map(frame).collect()
}

/// A signal as it travels: a notification has 8,000 bytes at most.
#[derive(Debug, Serialize, Deserialize)]
struct Payload {
    by: String,
    id: String,
    #[serde(flatten)]
    news: PayloadNews,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "news", rename_all = "snake_case")]
enum PayloadNews {
    Told { since: u64, frames: u64 },
    Gone,
    Released,
    Stop { run: String, if_abandoned: bool },
}

impl From<Signal> for Payload {
    fn from(signal: Signal) -> Self {
        let news = match signal.news {
            Notification::Told(StreamPosition { since, frames }) => PayloadNews::Told { since: since.0, frames },
            Notification::Gone => PayloadNews::Gone,
            Notification::Released => PayloadNews::Released,
            Notification::Stop { run, wish } => PayloadNews::Stop { run, if_abandoned: wish == StopCause::IfAbandoned },
        };
        Self { by: signal.by.to_string(), id: signal.id, news }
    }
}

impl TryFrom<Payload> for Signal {
    type Error = uuid::Error;

    fn try_from(payload: Payload) -> Result<Self, uuid::Error> {
        let news = match payload.news {
            PayloadNews::Told { since, frames } => {
                Notification::Told(StreamPosition { since: Revision(since), frames })
            }
            PayloadNews::Gone => Notification::Gone,
            PayloadNews::Released => Notification::Released,
            PayloadNews::Stop { run, if_abandoned } => {
                let wish = if if_abandoned { StopCause::IfAbandoned } else { StopCause::Said };
                Notification::Stop { run, wish }
            }
        };
        Ok(Self { by: payload.by.parse()?, id: payload.id, news })
    }
}

fn payload(payload: Payload) -> Result<String, StoreError> {
    serde_json::to_string(&payload).map_err(|error| StoreError(error.to_string()))
}
