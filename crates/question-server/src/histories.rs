//! Texts with the history of a conversation, on their way to clients. Slow readers of many histories may take so much memory together and no more.

use crate::caller::Client;
use crate::limits::Bounds;
use crate::live::Live;
use crate::metrics::Metrics;
use crate::room::{Room, Share};
use axum::body::Bytes;
use futures_util::stream::{self, Stream};
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The part of a history that a connection has of its own, in bytes.
const PIECE: usize = 16 << 10;

/// The memory that histories share.
#[derive(Debug)]
pub(crate) struct Histories {
    /// As long as one may be, near enough.
    longest: usize,
    room: Arc<Room>,
    metrics: Arc<Metrics>,
}

impl Histories {
    pub(crate) fn new(bounds: &Bounds, metrics: &Arc<Metrics>) -> Self {
        let room = Room::new(bounds.histories.max(bounds.history));
        Self { longest: bounds.history, room: Arc::new(room), metrics: Arc::clone(metrics) }
    }

    /// Room for one more, for as long as it is not known how long that is. Where there is none, the slowest of the client that has most is given up.
    pub(crate) async fn room(&self, client: Client) -> Share {
        let mut share = self.room.enter(client);
        share.grow(self.longest).await;
        share
    }

    /// A history in its room.
    pub(crate) fn keep(&self, text: String, share: Share, live: &Arc<Live>) -> Arc<History> {
        share.set(text.len());
        let (given_up, metrics) = (share.token(), Arc::clone(&self.metrics));
        let text = Mutex::new(Some(text.into_boxed_str()));
        let history = Arc::new(History { text, _share: share, _live: Arc::clone(live) });
        let given = Arc::downgrade(&history);
        tokio::spawn(async move {
            // At the latest when nobody reads it any more.
            given_up.cancelled().await;
            if let Some(history) = given.upgrade() {
                *history.lock() = None;
                metrics.refused("--max-histories");
                tracing::warn!(limit = "--max-histories", "history given up for others: it is read too slowly");
            }
        });
        history
    }
}

/// A history for all who read it at this moment.
#[derive(Debug)]
pub(crate) struct History {
    /// `None` once it was given up.
    text: Mutex<Option<Box<str>>>,
    _share: Share,
    /// Lets the next client find the same text.
    _live: Arc<Live>,
}

impl History {
    /// Its length in bytes; `None` once it was given up.
    pub(crate) fn len(&self) -> Option<usize> {
        self.lock().as_ref().map(|text| text.len())
    }

    /// A copy of what follows, so that a client that takes nothing holds no more than that.
    fn piece(&self, from: usize) -> io::Result<Bytes> {
        let text = self.lock();
        // An end would look whole.
        let bytes = text.as_ref().ok_or(io::ErrorKind::ConnectionAborted)?.as_bytes();
        let end = bytes.len().min(from + PIECE);
        Ok(Bytes::copy_from_slice(&bytes[from.min(end)..end]))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<str>>> {
        // It is only ever replaced as a whole.
        self.text.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a client is sent before what happens.
#[derive(Debug, Default)]
pub(crate) struct Parts(VecDeque<Part>);

#[derive(Debug)]
enum Part {
    Text(Bytes),
    /// From this byte on.
    History(Arc<History>, usize),
}

impl Parts {
    pub(crate) fn text(mut self, text: String) -> Self {
        self.0.push_back(Part::Text(text.into()));
        self
    }

    pub(crate) fn history(mut self, history: Arc<History>) -> Self {
        self.0.push_back(Part::History(history, 0));
        self
    }

    /// What comes next; an error if a history was given up.
    pub(crate) fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            match self.0.pop_front()? {
                Part::Text(text) => return Some(Ok(text)),
                Part::History(history, from) => match history.piece(from) {
                    Ok(piece) if piece.is_empty() => {}
                    Ok(piece) => {
                        self.0.push_front(Part::History(history, from + piece.len()));
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
