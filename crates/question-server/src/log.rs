//! The events of one conversation, written once and read by any number of clients, each at its own speed.

use crate::limits::{IDLE_LOG_ENTRIES, MAX_LOG_ENTRIES};
use ag_ui_stream::Event;
use ag_ui_stream::outcome::RunOutcome;
use question_agent::effect::StateChange;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// One thing that happened, encoded once for all who read it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) position: u64,
    pub(crate) kind: Kind,
    /// The JSON of the event or state change.
    pub(crate) data: Arc<str>,
    /// How the run ended, where this entry is its end.
    pub(crate) end: Option<RunEnd>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    AgUi,
    StateChange,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub(crate) enum RunEnd {
    Finished(RunOutcome),
    Failed { code: &'static str, message: String },
}

/// The events of one conversation.
#[derive(Debug)]
pub(crate) struct Log {
    entries: Mutex<Entries>,
    next: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Entries {
    first: u64,
    entries: VecDeque<Entry>,
}

/// What a reader finds at a position.
#[derive(Debug)]
pub(crate) enum Found {
    Entry(Entry),
    /// It has been dropped: the reader was too slow.
    Gone,
}

impl Log {
    pub(crate) fn new() -> Self {
        Self {
            entries: Mutex::default(),
            next: watch::Sender::new(0),
        }
    }

    /// The position of the next entry.
    pub(crate) fn next_position(&self) -> u64 {
        let entries = self.lock();
        entries.first + entries.entries.len() as u64
    }

    pub(crate) fn push_event(&self, event: &Event) {
        let data = serde_json::to_string(event).expect("an event has only strings for keys");
        self.push(Kind::AgUi, data.into(), None);
    }

    pub(crate) fn push_end(&self, event: &Event, end: RunEnd) {
        let data = serde_json::to_string(event).expect("an event has only strings for keys");
        self.push(Kind::AgUi, data.into(), Some(end));
    }

    pub(crate) fn push_state(&self, change: &StateChange) {
        let data = serde_json::to_string(change).expect("a state change has only strings for keys");
        self.push(Kind::StateChange, data.into(), None);
    }

    fn push(&self, kind: Kind, data: Arc<str>, end: Option<RunEnd>) {
        let mut entries = self.lock();
        let position = entries.first + entries.entries.len() as u64;
        entries.entries.push_back(Entry {
            position,
            kind,
            data,
            end,
        });
        entries.keep(MAX_LOG_ENTRIES);
        self.next.send_replace(position + 1);
    }

    /// A reader, which counts as one until it is dropped.
    pub(crate) fn reader(self: &Arc<Self>, position: u64) -> Reader {
        Reader {
            next: self.next.subscribe(),
            log: Arc::clone(self),
            position,
        }
    }

    /// Whether an entry at this position can still be read, or is the next.
    pub(crate) fn reaches(&self, position: u64) -> bool {
        let entries = self.lock();
        (entries.first..=entries.first + entries.entries.len() as u64).contains(&position)
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        // Entries are only pushed and popped, so a panic elsewhere cannot have left them half-written.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn keep(&mut self, most: usize) {
        while self.entries.len() > most {
            self.entries.pop_front();
            self.first += 1;
        }
    }

    fn at(&self, position: u64) -> Option<Found> {
        let Some(index) = position.checked_sub(self.first) else {
            return Some(Found::Gone);
        };
        let entry = self.entries.get(usize::try_from(index).ok()?)?;
        Some(Found::Entry(entry.clone()))
    }
}

/// Reads a log from a position on.
#[derive(Debug)]
pub(crate) struct Reader {
    log: Arc<Log>,
    next: watch::Receiver<u64>,
    position: u64,
}

impl Reader {
    /// The next entry, once there is one.
    pub(crate) async fn next(&mut self) -> Found {
        loop {
            self.next.mark_unchanged();
            let found = self.log.lock().at(self.position);
            match found {
                Some(found) => {
                    self.position += 1;
                    return found;
                }
                // The sender lives in the log that this reader holds.
                None => self
                    .next
                    .changed()
                    .await
                    .expect("the log outlives its readers"),
            }
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // This reader still counts as a receiver.
        if self.log.next.receiver_count() <= 1 {
            self.log.lock().keep(IDLE_LOG_ENTRIES);
        }
    }
}
