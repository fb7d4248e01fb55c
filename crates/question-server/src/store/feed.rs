//! The feed by which servers that share a store hear of one another.

use super::{StoreError, StreamPosition};
use async_trait::async_trait;
use futures_util::stream::BoxStream;
use std::fmt;
use std::sync::Arc;
use uuid::Uuid;

/// Tells servers that share a store what happens at one another, at once and during a model's answer.
///
/// It may lose what it is given. A revision and its [`StreamPosition`] in the store say what has happened; the feed has what clients are told of it.
/// [`Store::commit`](super::Store::commit) keeps the frames of a change here as well, so no server knows of a revision whose frames are not there.
#[async_trait]
pub trait Feed: fmt::Debug + Send + Sync + 'static {
    /// Keeps these frames for a while, and sends these signals to all servers that listen, the sender included.
    async fn publish(&self, pieces: Vec<Piece>, signals: Vec<Signal>) -> Result<(), StoreError>;

    /// What servers send from now on.
    fn subscribe(&self) -> BoxStream<'static, Heard>;

    /// The frames behind each of these places that are kept, in their order; some may come twice.
    async fn read(&self, places: Vec<(String, StreamPosition)>) -> Result<Vec<Piece>, StoreError>;

    /// Lets go of frames that no client comes back for any more.
    async fn prune(&self) -> Result<(), StoreError>;
}

/// Frames that the clients of a conversation are told, one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The conversation.
    pub id: String,
    /// What had been told before.
    pub behind: StreamPosition,
    /// What is told then.
    pub frames: Vec<Frame>,
}

impl Piece {
    /// What has been told with it.
    #[must_use]
    pub fn told(&self) -> StreamPosition {
        StreamPosition { frames: self.behind.frames + self.frames.len() as u64, ..self.behind }
    }
}

/// One thing that clients are told, encoded once for all who read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What it is about.
    pub kind: Kind,
    /// The JSON of the event or state change, in one line.
    pub data: Arc<str>,
}

/// What a frame is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An event of AG-UI.
    AgUi,
    /// Where the conversation stands.
    StateChange,
}

/// What one server has for others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Whose it is.
    pub by: Uuid,
    /// The conversation.
    pub id: String,
    /// What it says of it.
    pub news: Notification,
}

/// What a signal says of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notification {
    /// Its clients have been told so much.
    Told(StreamPosition),
    /// It was deleted.
    Gone,
    /// The server that worked on it stops, and has released its lease.
    Released,
    /// The server that works on this run is to stop it.
    Stop {
        /// The run.
        run: String,
        /// Whose wish that is.
        wish: StopCause,
    },
}

/// Why a run is to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopCause {
    /// Somebody said so.
    Said,
    /// Somebody has something else to say: it goes on where its own client still reads it.
    IfAbandoned,
}

/// What a server hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A signal, perhaps its own.
    Signal(Signal),
    /// It may have missed some.
    Missed,
}
