//! The signals by which servers that share a store learn of one another's commits.

use super::error::StoreError;
use super::position::StreamPosition;
use async_trait::async_trait;
use futures_util::stream::BoxStream;
use std::fmt;
use uuid::Uuid;

/// Notifies the servers that share a store.
///
/// A signal may get lost: a conversation's [`StreamPosition`] in the store says what was committed, and servers compare it now and then.
#[async_trait]
pub trait Signals: fmt::Debug + Send + Sync + 'static {
    /// Sends these to all servers that listen, the sender included.
    async fn publish(&self, signals: Vec<Signal>) -> Result<(), StoreError>;

    /// The signals that servers send from now on.
    fn subscribe(&self) -> BoxStream<'static, Heard>;
}

/// A signal from one server to the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Whose it is.
    pub by: Uuid,
    /// The conversation.
    pub id: String,
    /// The change.
    pub news: Notification,
}

/// The change of a conversation that a signal is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notification {
    /// It was changed, and its clients have been told so much with that.
    Committed(StreamPosition),
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

/// The signals that a server receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A signal, perhaps its own.
    Signal(Signal),
    /// It may have missed some.
    Missed,
}
