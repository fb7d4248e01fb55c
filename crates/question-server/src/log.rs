//! The events of one conversation, written once and read by any number of clients, each at its own speed.

use crate::limits::MAX_LOG_ENTRIES;
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
    /// How long the entries that are kept may be in all.
    most_bytes: usize,
    entries: Mutex<Entries>,
    next: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Entries {
    first: u64,
    entries: VecDeque<Entry>,
    /// How long their data is in all.
    bytes: usize,
    /// The runs that are told here, as far as their entries are kept.
    runs: VecDeque<Span>,
    /// How many readers have come to the present end and wait for more.
    waiting: usize,
}

/// Where a run is told.
#[derive(Debug)]
struct Span {
    run_id: Arc<str>,
    first: u64,
    /// The position of its end; until then what it tells is not all in the conversation's messages.
    last: Option<u64>,
}

/// What a reader finds at a position.
#[derive(Debug)]
pub(crate) enum Found {
    Entry(Entry),
    /// It has been dropped: the reader was too slow.
    Gone,
}

impl Log {
    /// A log that begins at a position and keeps at most so many bytes for those who read slowly.
    pub(crate) fn new(first: u64, most_bytes: usize) -> Self {
        let entries = Entries { first, ..Entries::default() };
        Self { most_bytes, entries: Mutex::new(entries), next: watch::Sender::new(first) }
    }

    /// The position of the next entry.
    pub(crate) fn next_position(&self) -> u64 {
        self.lock().next_position()
    }

    pub(crate) fn push_event(&self, event: &Event) {
        let data = serde_json::to_string(event).expect("an event has only strings for keys");
        self.push(Kind::AgUi, data.into(), None);
    }

    /// A run begins, whose events are kept until it has ended.
    pub(crate) fn begin_run(&self, run_id: &str) {
        let mut entries = self.lock();
        let first = entries.next_position();
        entries.runs.push_back(Span { run_id: run_id.into(), first, last: None });
    }

    /// The run that has begun before this position and goes on there.
    pub(crate) fn run_at(&self, position: u64) -> Option<Arc<str>> {
        let entries = self.lock();
        let goes_on = |run: &&Span| run.first < position && run.last.is_none_or(|last| position <= last);
        let run = entries.runs.iter().find(goes_on)?;
        Some(Arc::clone(&run.run_id))
    }

    pub(crate) fn push_end(&self, event: &Event, end: RunEnd) {
        {
            let mut entries = self.lock();
            let last = entries.next_position();
            if let Some(run) = entries.runs.back_mut() {
                run.last = Some(last);
            }
        }
        let data = serde_json::to_string(event).expect("an event has only strings for keys");
        self.push(Kind::AgUi, data.into(), Some(end));
    }

    pub(crate) fn push_state(&self, change: &StateChange) {
        let data = serde_json::to_string(change).expect("a state change has only strings for keys");
        self.push(Kind::StateChange, data.into(), None);
    }

    fn push(&self, kind: Kind, data: Arc<str>, end: Option<RunEnd>) {
        let mut entries = self.lock();
        let position = entries.next_position();
        entries.waiting = 0;
        entries.bytes += data.len();
        entries.entries.push_back(Entry { position, kind, data, end });
        entries.keep(MAX_LOG_ENTRIES, self.most_bytes);
        self.next.send_replace(position + 1);
    }

    /// A reader, which counts as one until it is dropped.
    pub(crate) fn reader(self: &Arc<Self>, position: u64) -> Reader {
        Reader { next: self.next.subscribe(), log: Arc::clone(self), position }
    }

    /// What is at a reader's position; where nothing is yet, the reader counts as waiting. Both under one lock, so that nothing it has not read can
    /// come and go in between.
    fn find_or_wait(&self, position: u64) -> Option<Found> {
        let mut entries = self.lock();
        let found = entries.at(position);
        if found.is_none() {
            entries.wait(self.next.receiver_count());
        }
        found
    }

    /// Whether an entry at this position can still be read, or is the next.
    pub(crate) fn reaches(&self, position: u64) -> bool {
        let entries = self.lock();
        (entries.first..=entries.next_position()).contains(&position)
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        // Entries are only pushed and popped, so a panic elsewhere cannot have left them half-written.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn next_position(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    /// One reader more of so many has read everything. Nobody needs what all have read, and a client that comes back finds it in the messages.
    fn wait(&mut self, readers: usize) {
        self.waiting += 1;
        let is_running = self.runs.back().is_some_and(|run| run.last.is_none());
        if !is_running && self.waiting == readers {
            self.keep(0, 0);
            self.entries.shrink_to_fit();
            self.runs.shrink_to_fit();
        }
    }

    /// Lets go of the oldest until there are no more than so many, of so many bytes. The last may be longer by itself.
    fn keep(&mut self, most: usize, most_bytes: usize) {
        while self.entries.len() > most || (self.entries.len() > 1 && self.bytes > most_bytes) {
            let Some(oldest) = self.entries.pop_front() else {
                break;
            };
            self.bytes -= oldest.data.len();
            self.first += 1;
        }
        let first = self.first;
        self.runs.retain(|run| run.last.is_none_or(|last| first <= last));
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
            if let Some(found) = self.log.find_or_wait(self.position) {
                self.position += 1;
                return found;
            }
            let waiting = Waiting { log: &self.log, position: self.position };
            // The sender lives in the log that this reader holds.
            self.next.changed().await.expect("the log outlives its readers");
            drop(waiting);
        }
    }
}

/// A reader that is counted as waiting, until something is pushed or it is dropped.
struct Waiting<'a> {
    log: &'a Log,
    position: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut entries = self.log.lock();
        // Where something was pushed meanwhile, nobody is counted any more.
        if entries.next_position() == self.position {
            entries.waiting -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Found, Log, RunEnd};
    use crate::input::Edition;
    use crate::wire;
    use ag_ui_stream::outcome::{RunOutcome, SuccessOutcome};
    use futures_util::FutureExt as _;
    use std::sync::Arc;

    fn is_entry(found: Option<Found>) -> bool {
        matches!(found, Some(Found::Entry(_)))
    }

    #[test]
    fn events_are_kept_until_the_run_is_over_and_every_reader_has_them() {
        let log = Arc::new(Log::new(0, usize::MAX));
        let (mut one, mut other) = (log.reader(0), log.reader(0));
        log.begin_run("r");
        log.push_event(&wire::run_started("t", "r", Vec::new()));
        for reader in [&mut one, &mut other] {
            assert!(is_entry(reader.next().now_or_never()));
            assert!(reader.next().now_or_never().is_none());
        }
        assert!(log.reaches(0), "the run goes on");
        assert_eq!(log.run_at(0), None, "it has not begun there");
        assert_eq!(log.run_at(1).as_deref(), Some("r"));

        let mut waiting = Box::pin(other.next());
        assert!((&mut waiting).now_or_never().is_none());
        let outcome = RunOutcome::Success(SuccessOutcome::new());
        let event = wire::run_finished(Edition::Current, "t", "r", outcome.clone());
        log.push_end(&event, RunEnd::Finished(outcome));
        assert!(is_entry(one.next().now_or_never()));
        assert!(one.next().now_or_never().is_none());
        assert!(log.reaches(0), "the other was woken but has not read");
        assert_eq!(log.run_at(1).as_deref(), Some("r"), "its end is to come");
        assert_eq!(log.run_at(2), None);
        assert!(is_entry(waiting.now_or_never()));

        // Both wait for more: whoever comes now reads the messages.
        let (mut first, mut second) = (Box::pin(one.next()), Box::pin(other.next()));
        assert!((&mut first).now_or_never().is_none());
        assert!((&mut second).now_or_never().is_none());
        assert!(!log.reaches(0) && log.reaches(2));
        log.begin_run("r2");
        log.push_event(&wire::run_started("t", "r2", Vec::new()));
        assert!(is_entry(first.now_or_never()) && is_entry(second.now_or_never()));
    }
}
