//! Texts with the history of a conversation, on their way to clients, within a bound of memory for all readers.

use crate::live::room::Share;
use axum::body::Bytes;
use futures_util::stream::{self, Stream};
use std::any::Any;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

/// The part of a history that is copied for a connection, in bytes.
const PIECE: usize = 16 << 10;

/// A history that several clients read at the same time.
#[derive(Debug)]
pub(crate) struct SharedHistory {
    text: Box<str>,
    _share: Share,
    /// Keeps the session in memory, which shares this text with its next client.
    _owner: Arc<dyn Any + Send + Sync>,
}

impl SharedHistory {
    /// A history that takes its share of the memory. It keeps its `owner` alive.
    pub(crate) fn new<T: Any + Send + Sync>(text: String, mut share: Share, owner: &Arc<T>) -> Arc<Self> {
        share.set(text.len());
        Arc::new(Self { text: text.into_boxed_str(), _share: share, _owner: owner.clone() })
    }

    /// A copy of the next piece, so that a client that reads nothing takes no more memory than that.
    fn piece(&self, from: usize) -> Bytes {
        let bytes = self.text.as_bytes();
        let end = bytes.len().min(from + PIECE);
        Bytes::copy_from_slice(&bytes[from.min(end)..end])
    }
}

/// The bytes that a client gets before the events.
#[derive(Debug, Default)]
pub(crate) struct Preamble(VecDeque<PreamblePart>);

#[derive(Debug)]
enum PreamblePart {
    Text(Bytes),
    /// A history from this byte on.
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

    /// Adds a text, with the history in place of its first `[]`.
    pub(crate) fn text_with(self, text: &str, history: Arc<SharedHistory>) -> Self {
        let (before, after) = text.split_once("[]").unwrap_or((text, ""));
        self.text(before.to_owned()).history(history).text(after.to_owned())
    }

    /// The length in bytes.
    pub(crate) fn len(&self) -> usize {
        let length = |part: &PreamblePart| match part {
            PreamblePart::Text(text) => text.len(),
            PreamblePart::History(history, from) => history.text.len() - from,
        };
        self.0.iter().map(length).sum()
    }

    pub(crate) fn next(&mut self) -> Option<Bytes> {
        loop {
            match self.0.pop_front()? {
                PreamblePart::Text(text) => return Some(text),
                PreamblePart::History(history, from) => {
                    let piece = history.piece(from);
                    if !piece.is_empty() {
                        self.0.push_front(PreamblePart::History(history, from + piece.len()));
                        return Some(piece);
                    }
                }
            }
        }
    }

    pub(crate) fn into_stream(mut self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        stream::iter(std::iter::from_fn(move || self.next().map(Ok)))
    }
}
