//! Texts with the history of a conversation, on their way to clients, within a bound of memory for all readers.

use crate::caller::Client;
use crate::error::ApiError;
use crate::limits::Bounds;
use crate::metrics::Metrics;
use crate::room::{Room, Share};
use axum::body::Bytes;
use futures_util::stream::{self, Stream};
use std::any::Any;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The part of a history that is copied for a connection, in bytes.
const PIECE: usize = 16 << 10;

/// The memory that histories share.
#[derive(Debug)]
pub(crate) struct Histories {
    /// The most bytes that are reserved for one history.
    longest: usize,
    room: Arc<Room>,
    metrics: Arc<Metrics>,
}

impl Histories {
    pub(crate) fn new(bounds: &Bounds, metrics: &Arc<Metrics>) -> Self {
        let room = Room::new(bounds.histories.max(bounds.history));
        Self { longest: bounds.history, room: Arc::new(room), metrics: Arc::clone(metrics) }
    }

    /// A share of the memory for a history of this client's, without bytes yet.
    pub(crate) fn enter(&self, client: Client) -> Share {
        self.room.enter(client)
    }

    /// Reserves the memory for a history of about this length, if it is free.
    pub(crate) fn try_reserve(&self, share: &Share, bytes: usize) -> bool {
        match self.missing(share, bytes) {
            0 => true,
            missing => share.try_grow(missing),
        }
    }

    /// The same, as soon as it is free: the slowest history of the client with the most is dropped for it.
    ///
    /// # Errors
    /// If this one is dropped itself.
    pub(crate) async fn reserve(&self, share: &mut Share, bytes: usize) -> Result<(), ApiError> {
        let is_there = share.grow(self.missing(share, bytes)).await;
        // Until it is sent, its pace is the store's.
        share.waits();
        is_there.then_some(()).ok_or(ApiError::HistoryGivenUp)
    }

    fn missing(&self, share: &Share, bytes: usize) -> usize {
        bytes.min(self.longest).saturating_sub(share.bytes().unwrap_or_default())
    }

    /// A history that takes its share of the memory. It keeps its `owner` alive.
    pub(crate) fn keep<T: Any + Send + Sync>(&self, text: String, share: Share, owner: &Arc<T>) -> Arc<SharedHistory> {
        share.set(text.len());
        let (given_up, metrics) = (share.token(), Arc::clone(&self.metrics));
        let text = Mutex::new(Some(text.into_boxed_str()));
        let history = Arc::new(SharedHistory { text, _share: share, _owner: owner.clone() });
        let given = Arc::downgrade(&history);
        tokio::spawn(async move {
            // Cancelled at the latest with the last reader.
            given_up.cancelled().await;
            if let Some(history) = given.upgrade() {
                *history.lock() = None;
                metrics.refused("--max-histories");
                tracing::warn!(limit = "--max-histories", "history dropped: its clients read too slowly");
            }
        });
        history
    }
}

/// A history that several clients read at the same time.
#[derive(Debug)]
pub(crate) struct SharedHistory {
    /// `None` once it was dropped.
    text: Mutex<Option<Box<str>>>,
    _share: Share,
    /// The session, which has this text for its next client.
    _owner: Arc<dyn Any + Send + Sync>,
}

impl SharedHistory {
    /// The length in bytes; `None` once it was dropped.
    pub(crate) fn len(&self) -> Option<usize> {
        self.lock().as_ref().map(|text| text.len())
    }

    /// A copy of the next piece, so that a client that reads nothing takes no more memory than that.
    fn piece(&self, from: usize) -> io::Result<Bytes> {
        let text = self.lock();
        // An end without an error would look whole.
        let bytes = text.as_ref().ok_or(io::ErrorKind::ConnectionAborted)?.as_bytes();
        let end = bytes.len().min(from + PIECE);
        Ok(Bytes::copy_from_slice(&bytes[from.min(end)..end]))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<str>>> {
        // It is only ever replaced as a whole.
        self.text.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The frames that a client gets before the events.
#[derive(Debug, Default)]
pub(crate) struct Preamble(VecDeque<PreamblePart>);

#[derive(Debug)]
enum PreamblePart {
    Text(Bytes),
    /// From this byte on.
    History(Arc<SharedHistory>, usize),
}

impl Preamble {
    pub(crate) fn text(mut self, text: String) -> Self {
        self.0.push_back(PreamblePart::Text(text.into()));
        self
    }

    pub(crate) fn history(mut self, history: Arc<SharedHistory>) -> Self {
        self.0.push_back(PreamblePart::History(history, 0));
        self
    }

    /// The next bytes; an error if a history was dropped.
    pub(crate) fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            match self.0.pop_front()? {
                PreamblePart::Text(text) => return Some(Ok(text)),
                PreamblePart::History(history, from) => match history.piece(from) {
                    Ok(piece) if piece.is_empty() => {}
                    Ok(piece) => {
                        self.0.push_front(PreamblePart::History(history, from + piece.len()));
                        return Some(Ok(piece));
                    }
                    Err(error) => return Some(Err(error)),
                },
            }
        }
    }

    pub(crate) fn into_stream(self) -> impl Stream<Item = io::Result<Bytes>> {
        stream::unfold(self, |mut parts| async move { Some((parts.next()?, parts)) })
    }
}
