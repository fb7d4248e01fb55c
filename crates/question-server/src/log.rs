//! The events of one conversation, written once and read by any number of clients, each at its own speed.

use crate::limits::MAX_LOG_ENTRIES;
use crate::store::{Revision, Told};
use ag_ui_stream::Event;
use ag_ui_stream::outcome::RunOutcome;
use question_agent::effect::StateChange;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// One thing that happened, encoded once for all who read it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    /// The JSON of the event or state change.
    pub(crate) data: Arc<str>,
    /// How the run ended, where this entry is its end.
    pub(crate) end: Option<RunEnd>,
}

impl Entry {
    pub(crate) fn event(event: &Event) -> Self {
        Self::new(Kind::AgUi, event, None)
    }

    pub(crate) fn state(change: &StateChange) -> Self {
        Self::new(Kind::StateChange, change, None)
    }

    pub(crate) fn end(event: &Event, end: RunEnd) -> Self {
        Self::new(Kind::AgUi, event, Some(end))
    }

    fn new(kind: Kind, data: &impl Serialize, end: Option<RunEnd>) -> Self {
        let data = serde_json::to_string(data).expect("events and state changes have only strings for keys");
        Self { kind, data: data.into(), end }
    }
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

#[derive(Debug)]
struct Entries {
    /// From which revision on positions are counted.
    since: Revision,
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
    /// It is not here any more, or has happened elsewhere: the reader was too slow, or another server went on.
    Gone,
}

impl Log {
    /// A log that continues after what has been told, and keeps at most `most_bytes` for slow readers.
    pub(crate) fn new(told: Told, most_bytes: usize) -> Self {
        let entries = Entries {
            since: told.since,
            first: told.frames,
            entries: VecDeque::new(),
            bytes: 0,
            runs: VecDeque::new(),
            waiting: 0,
        };
        Self { most_bytes, entries: Mutex::new(entries), next: watch::Sender::new(told.frames) }
    }

    /// How much has been told.
    pub(crate) fn told(&self) -> Told {
        let entries = self.lock();
        Told { since: entries.since, frames: entries.next_position() }
    }

    /// Continues after what has been told elsewhere: a reader that missed that must come back.
    pub(crate) fn go_on_from(&self, told: Told) {
        let mut entries = self.lock();
        if (entries.since, entries.next_position()) == (told.since, told.frames) {
            return;
        }
        entries.keep(0, 0);
        entries.runs.clear();
        entries.waiting = 0;
        (entries.since, entries.first) = (told.since, told.frames);
        self.next.send_replace(told.frames);
    }

    pub(crate) fn push_event(&self, event: &Event) {
        self.push([Entry::event(event)]);
    }

    /// A run begins, whose events are kept until it has ended.
    pub(crate) fn begin_run(&self, run_id: &str) {
        let mut entries = self.lock();
        let first = entries.next_position();
        entries.runs.push_back(Span { run_id: run_id.into(), first, last: None });
    }

    /// The run that has started before this position and goes on there.
    pub(crate) fn run_at(&self, position: u64) -> Option<Arc<str>> {
        let entries = self.lock();
        let goes_on = |run: &&Span| run.first < position && run.last.is_none_or(|last| position <= last);
        let run = entries.runs.iter().find(goes_on)?;
        Some(Arc::clone(&run.run_id))
    }

    pub(crate) fn push(&self, new: impl IntoIterator<Item = Entry>) {
        let mut entries = self.lock();
        for entry in new {
            let position = entries.next_position();
            if let (Some(_), Some(run)) = (&entry.end, entries.runs.back_mut()) {
                run.last = Some(position);
            }
            entries.waiting = 0;
            entries.bytes += entry.data.len();
            entries.entries.push_back(entry);
            entries.keep(MAX_LOG_ENTRIES, self.most_bytes);
        }
        self.next.send_replace(entries.next_position());
    }

    /// A reader, which counts as one until it is dropped.
    pub(crate) fn reader(self: &Arc<Self>, position: u64) -> Reader {
        let since = self.lock().since;
        Reader { next: self.next.subscribe(), log: Arc::clone(self), since, position }
    }

    /// What is at a reader's position; where nothing is yet, the reader counts as waiting. Both under one lock, so that nothing it has not read can
    /// come and go in between.
    fn find_or_wait(&self, since: Revision, position: u64) -> Option<Found> {
        let mut entries = self.lock();
        if entries.since != since {
            return Some(Found::Gone);
        }
        let found = entries.at(position);
        if found.is_none() {
            entries.wait(self.next.receiver_count());
        }
        found
    }

    /// Whether a reader that has been told this much can still read what follows.
    pub(crate) fn reaches(&self, told: Told) -> bool {
        let entries = self.lock();
        entries.since == told.since && (entries.first..=entries.next_position()).contains(&told.frames)
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

    /// One more of `readers` has read everything. What all have read is dropped: a client that comes back finds it in the messages.
    fn wait(&mut self, readers: usize) {
        self.waiting += 1;
        let is_running = self.runs.back().is_some_and(|run| run.last.is_none());
        if !is_running && self.waiting == readers {
            self.keep(0, 0);
            self.entries.shrink_to_fit();
            self.runs.shrink_to_fit();
        }
    }

    /// Drops the oldest until number and bytes are within their bounds. The last one stays, even if it is longer.
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
    since: Revision,
    position: u64,
}

impl Reader {
    /// What a reader at this position has been told.
    pub(crate) fn told(&self) -> Told {
        Told { since: self.since, frames: self.position }
    }

    /// The next entry, once there is one.
    pub(crate) async fn next(&mut self) -> Found {
        loop {
            self.next.mark_unchanged();
            if let Some(found) = self.log.find_or_wait(self.since, self.position) {
                self.position += 1;
                return found;
            }
            let waiting = Waiting { log: &self.log, told: self.told() };
            // The sender lives in the log that this reader holds.
            self.next.changed().await.expect("the log outlives its readers");
            drop(waiting);
        }
    }
}

/// A reader that is counted as waiting, until something is pushed or it is dropped.
struct Waiting<'a> {
    log: &'a Log,
    told: Told,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut entries = self.log.lock();
        // Where something was pushed meanwhile, nobody is counted any more.
        if (entries.since, entries.next_position()) == (self.told.since, self.told.frames) {
            entries.waiting -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, Found, Log, RunEnd};
    use crate::input::Edition;
    use crate::store::{Revision, Told};
    use crate::wire;
    use ag_ui_stream::outcome::RunOutcome;
    use futures_util::FutureExt as _;
    use std::sync::Arc;

    fn is_entry(found: Option<Found>) -> bool {
        matches!(found, Some(Found::Entry(_)))
    }

    #[test]
    fn events_are_kept_until_the_run_is_over_and_every_reader_has_them() {
        let told = |frames| Told { since: Revision(7), frames };
        let log = Arc::new(Log::new(told(0), usize::MAX));
        let (mut one, mut other) = (log.reader(0), log.reader(0));
        log.begin_run("r");
        log.push_event(&wire::run_started("t", "r", Vec::new()));
        for reader in [&mut one, &mut other] {
            assert!(is_entry(reader.next().now_or_never()));
            assert!(reader.next().now_or_never().is_none());
        }
        assert!(log.reaches(told(0)), "the run goes on");
        assert_eq!(log.run_at(0), None, "it has not started there");
        assert_eq!(log.run_at(1).as_deref(), Some("r"));

        let mut waiting = Box::pin(other.next());
        assert!((&mut waiting).now_or_never().is_none());
        let outcome = RunOutcome::Success { pending_tool_call_ids: Vec::new() };
        let event = wire::run_finished(Edition::Current, "t", "r", outcome.clone());
        log.push([Entry::end(&event, RunEnd::Finished(outcome))]);
        assert!(is_entry(one.next().now_or_never()));
        assert!(one.next().now_or_never().is_none());
        assert!(log.reaches(told(0)), "the other was woken but has not read");
        assert_eq!(log.run_at(1).as_deref(), Some("r"), "its end is to come");
        assert_eq!(log.run_at(2), None);
        assert!(is_entry(waiting.now_or_never()));

        // Both wait for more: a reader that comes now reads the messages.
        let (mut first, mut second) = (Box::pin(one.next()), Box::pin(other.next()));
        assert!((&mut first).now_or_never().is_none());
        assert!((&mut second).now_or_never().is_none());
        assert!(!log.reaches(told(0)) && log.reaches(told(2)));
        log.begin_run("r2");
        log.push_event(&wire::run_started("t", "r2", Vec::new()));
        assert!(is_entry(first.now_or_never()) && is_entry(second.now_or_never()));
    }

    #[test]
    fn a_reader_that_missed_what_was_told_elsewhere_comes_back() {
        let told = |since, frames| Told { since: Revision(since), frames };
        let log = Arc::new(Log::new(told(7, 3), usize::MAX));
        let mut reader = log.reader(3);
        assert!(reader.next().now_or_never().is_none());
        log.go_on_from(told(7, 3));
        assert!(reader.next().now_or_never().is_none(), "nothing was");
        log.go_on_from(told(7, 5));
        assert!(matches!(reader.next().now_or_never(), Some(Found::Gone)));
        let mut reader = log.reader(5);
        log.go_on_from(told(9, 5));
        assert!(matches!(reader.next().now_or_never(), Some(Found::Gone)));
        assert!(log.reaches(told(9, 5)) && !log.reaches(told(7, 5)));
    }
}
