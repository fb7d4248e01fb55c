//! The event log of a conversation: events are written once and read by any number of clients, each at its own speed.

use crate::limits::ENTRY_BYTES;
use crate::store::{Revision, StreamPosition};
use ag_ui_stream::Event;
use ag_ui_stream::event::EventType;
use ag_ui_stream::outcome::RunOutcome;
use question_agent::effect::StateChange;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// One entry of the log, encoded once for all readers.
#[derive(Clone, Debug)]
pub(crate) struct LogEntry {
    pub(crate) kind: EntryKind,
    /// The JSON of the event or state change, in one line.
    pub(crate) data: Arc<str>,
    /// Its role in its run.
    mark: RunMark,
}

/// The subject of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// An event of AG-UI.
    AgUi,
    /// The state of the conversation.
    StateChange,
}

#[derive(Clone, Debug)]
enum RunMark {
    Nothing,
    /// The beginning of this run.
    Begins(Arc<str>),
    /// The end, with an outcome unless the run failed.
    Ends(Option<RunOutcome>),
}

impl LogEntry {
    pub(crate) fn event(event: &Event) -> Self {
        Self::new(EntryKind::AgUi, event, RunMark::of(event))
    }

    pub(crate) fn state(change: &StateChange) -> Self {
        Self::new(EntryKind::StateChange, change, RunMark::Nothing)
    }

    fn new(kind: EntryKind, data: &impl Serialize, mark: RunMark) -> Self {
        let data = serde_json::to_string(data).expect("events and state changes have only strings for keys");
        Self { kind, data: data.into(), mark }
    }

    /// Its size in memory, roughly.
    fn bytes(&self) -> usize {
        self.data.len() + ENTRY_BYTES
    }

    /// True if a run ends with it.
    pub(crate) fn is_end(&self) -> bool {
        matches!(self.mark, RunMark::Ends(_))
    }

    /// The outcome, if it ends a run that did not fail.
    pub(crate) fn outcome(&self) -> Option<&RunOutcome> {
        match &self.mark {
            RunMark::Ends(outcome) => outcome.as_ref(),
            RunMark::Nothing | RunMark::Begins(_) => None,
        }
    }
}

impl RunMark {
    fn of(event: &Event) -> Self {
        match event.kind() {
            EventType::RunStarted => Self::Begins(event.run_id().into()),
            EventType::RunFinished => Self::Ends(event.outcome()),
            EventType::RunError => Self::Ends(None),
            _ => Self::Nothing,
        }
    }
}

/// The events of one conversation.
#[derive(Debug)]
pub(crate) struct Log {
    /// The most bytes of buffered entries.
    most_bytes: usize,
    entries: Mutex<Entries>,
    changed: watch::Sender<()>,
}

#[derive(Debug)]
struct Entries {
    /// The revision from which positions are counted.
    since: Revision,
    /// The number of frames since.
    end: u64,
    /// The index of the first buffered entry, and the position before it.
    first: u64,
    before_first: Option<u64>,
    /// Each with the position behind it. Entries within another server's commit have none, since frames differ between servers.
    entries: VecDeque<(LogEntry, Option<u64>)>,
    /// Their size in memory, roughly.
    bytes: usize,
    /// The runs whose entries are buffered.
    runs: VecDeque<Span>,
    /// The number of readers at the end of the log.
    waiting: usize,
    /// The last entry for readers of a former revision.
    farewell: Option<(Revision, LogEntry)>,
}

/// The positions of a run.
#[derive(Debug)]
struct Span {
    run_id: Arc<str>,
    first: u64,
    /// The position of its end. Until then the conversation's messages lack some of it.
    last: Option<u64>,
}

/// The result of a read.
#[derive(Debug)]
pub(crate) enum Found {
    /// An entry, with the position behind it; the default if no client can resume there.
    Entry(LogEntry, StreamPosition),
    /// The last entry before a shutdown. The next server resumes the run.
    Farewell(LogEntry),
    /// The entry is not buffered: the reader was too slow, or another server took over.
    Gone,
}

impl Log {
    /// A log that continues at this position, and buffers at most `most_bytes` for slow readers.
    pub(crate) fn new(position: StreamPosition, most_bytes: usize) -> Self {
        let entries = Entries {
            since: position.since,
            end: position.frames,
            first: 0,
            before_first: Some(position.frames),
            entries: VecDeque::new(),
            bytes: 0,
            runs: VecDeque::new(),
            waiting: 0,
            farewell: None,
        };
        Self { most_bytes, entries: Mutex::new(entries), changed: watch::Sender::new(()) }
    }

    /// The position of the end of the log.
    pub(crate) fn position(&self) -> StreamPosition {
        let entries = self.lock();
        StreamPosition { since: entries.since, frames: entries.end }
    }

    /// Continues at the position of another server. A reader that missed events must reconnect.
    pub(crate) fn go_on_from(&self, position: StreamPosition) {
        let mut entries = self.lock();
        if (entries.since, entries.end) == (position.since, position.frames) {
            return;
        }
        entries.restart(position);
        self.changed.send_replace(());
    }

    /// Appends the entries of another server's commit, which ends at this position.
    pub(crate) fn catch_up(&self, frames: u64, new: Vec<LogEntry>) {
        let mut entries = self.lock();
        let last = new.len().saturating_sub(1);
        for (index, entry) in new.into_iter().enumerate() {
            entries.append(entry, (index == last).then_some(frames), self.most_bytes);
        }
        self.changed.send_replace(());
    }

    /// Ends the log with an entry that no other server sends: its readers have to reconnect.
    pub(crate) fn break_off(&self, entry: LogEntry) {
        let mut entries = self.lock();
        let since = entries.since;
        entries.restart(StreamPosition::default());
        entries.farewell = Some((since, entry));
        self.changed.send_replace(());
    }

    /// Notes a run that another server started.
    pub(crate) fn goes_on(&self, run_id: &str) {
        let mut entries = self.lock();
        if !entries.runs.iter().any(|run| *run.run_id == *run_id) {
            entries.runs.push_back(Span { run_id: run_id.into(), first: 0, last: None });
        }
    }

    /// The run that is under way at this position.
    pub(crate) fn run_at(&self, position: u64) -> Option<Arc<str>> {
        let entries = self.lock();
        let goes_on = |run: &&Span| run.first < position && run.last.is_none_or(|last| position <= last);
        let run = entries.runs.iter().find(goes_on)?;
        Some(Arc::clone(&run.run_id))
    }

    /// The run that has not ended.
    pub(crate) fn open_run(&self) -> Option<Arc<str>> {
        self.lock().open_run().cloned()
    }

    pub(crate) fn push(&self, new: impl IntoIterator<Item = LogEntry>) {
        let mut entries = self.lock();
        for entry in new {
            let behind = entries.end + 1;
            entries.append(entry, Some(behind), self.most_bytes);
        }
        self.changed.send_replace(());
    }

    /// A reader from this position on. It is counted until it is dropped.
    pub(crate) fn reader(self: &Arc<Self>, position: u64) -> LogReader {
        let entries = self.lock();
        let (since, index) = (entries.since, entries.index_of(position));
        drop(entries);
        LogReader { changed: self.changed.subscribe(), log: Arc::clone(self), since, index }
    }

    /// Reads the entry at this index. If there is none yet, the reader counts as waiting. Both happen under one lock, so that no entry can be
    /// appended and dropped in between.
    fn find_or_wait(&self, since: Revision, index: u64) -> Option<Found> {
        let mut entries = self.lock();
        if entries.since != since {
            let farewell = entries.farewell.as_ref().filter(|(read, _)| *read == since);
            return Some(farewell.map_or(Found::Gone, |(_, entry)| Found::Farewell(entry.clone())));
        }
        let found = entries.at(index);
        if found.is_none() {
            entries.wait(self.changed.receiver_count());
        }
        found
    }

    /// True if a reader can continue at this position.
    pub(crate) fn reaches(&self, position: StreamPosition) -> bool {
        let entries = self.lock();
        entries.since == position.since && entries.index_of(position.frames).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        // Entries are only pushed and popped, so a panic elsewhere cannot have left them half-written.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn next_index(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    /// The index of the entry behind a position; `None` if that is not kept, or is none.
    fn index_of(&self, position: u64) -> Option<u64> {
        if position == self.end {
            return Some(self.next_index());
        }
        if self.before_first == Some(position) {
            return Some(self.first);
        }
        let before = self.entries.iter().position(|(_, behind)| *behind == Some(position))?;
        Some(self.first + before as u64 + 1)
    }

    fn restart(&mut self, position: StreamPosition) {
        self.clear();
        self.runs.clear();
        self.waiting = 0;
        // No former reader is at this index.
        self.first += 1;
        (self.since, self.end, self.before_first) = (position.since, position.frames, Some(position.frames));
    }

    fn append(&mut self, entry: LogEntry, behind: Option<u64>, most_bytes: usize) {
        match &entry.mark {
            RunMark::Nothing => {}
            RunMark::Begins(run_id) => {
                let run_id = Arc::clone(run_id);
                self.runs.push_back(Span { run_id, first: self.end, last: None });
            }
            RunMark::Ends(_) => {
                if let Some(run) = self.runs.back_mut() {
                    run.last = Some(self.end);
                }
            }
        }
        self.waiting = 0;
        self.bytes += entry.bytes();
        self.end = behind.unwrap_or(self.end);
        self.entries.push_back((entry, behind));
        self.keep(most_bytes);
    }

    fn open_run(&self) -> Option<&Arc<str>> {
        self.runs.back().filter(|run| run.last.is_none()).map(|run| &run.run_id)
    }

    /// Counts one more of `readers` at the end. Entries that all have read are dropped: a client that reconnects finds them in the messages.
    fn wait(&mut self, readers: usize) {
        self.waiting += 1;
        if self.open_run().is_none() && self.waiting == readers {
            self.clear();
            self.entries.shrink_to_fit();
            self.runs.shrink_to_fit();
        }
    }

    fn clear(&mut self) {
        (self.first, self.before_first) = (self.next_index(), Some(self.end));
        self.entries.clear();
        self.bytes = 0;
        self.runs.retain(|run| run.last.is_none());
    }

    /// Drops the oldest entries until the rest fits. The last one stays, even if it is longer.
    fn keep(&mut self, most_bytes: usize) {
        while self.bytes > most_bytes
            && self.entries.len() > 1
            && let Some((oldest, behind)) = self.entries.pop_front()
        {
            self.bytes -= oldest.bytes();
            (self.first, self.before_first) = (self.first + 1, behind);
        }
        if let Some(first) = self.before_first {
            self.runs.retain(|run| run.last.is_none_or(|last| first <= last));
        }
    }

    fn at(&self, index: u64) -> Option<Found> {
        let Some(index) = index.checked_sub(self.first) else {
            return Some(Found::Gone);
        };
        let (entry, behind) = self.entries.get(usize::try_from(index).ok()?)?;
        let position = behind.map(|frames| StreamPosition { since: self.since, frames });
        Some(Found::Entry(entry.clone(), position.unwrap_or_default()))
    }
}

/// Reads a log from a position on.
#[derive(Debug)]
pub(crate) struct LogReader {
    log: Arc<Log>,
    changed: watch::Receiver<()>,
    since: Revision,
    /// The index of the next entry; `None` after the end.
    index: Option<u64>,
}

impl LogReader {
    /// Waits until the conversation's state has changed, or may have.
    pub(crate) async fn next_change(&mut self) {
        while let Found::Entry(entry, _) = self.next().await {
            if entry.kind == EntryKind::StateChange {
                return;
            }
        }
    }

    /// Waits for the next entry.
    pub(crate) async fn next(&mut self) -> Found {
        loop {
            let Some(index) = self.index else {
                return Found::Gone;
            };
            self.changed.mark_unchanged();
            if let Some(found) = self.log.find_or_wait(self.since, index) {
                self.index = matches!(found, Found::Entry(..)).then_some(index + 1);
                return found;
            }
            let waiting = WaitingReader { log: &self.log, since: self.since, index };
            self.changed.changed().await.expect("the log outlives its readers");
            drop(waiting);
        }
    }
}

/// A reader that is counted as waiting, until an entry is pushed or it is dropped.
struct WaitingReader<'a> {
    log: &'a Log,
    since: Revision,
    index: u64,
}

impl Drop for WaitingReader<'_> {
    fn drop(&mut self) {
        let mut entries = self.log.lock();
        // A push resets the count.
        if (entries.since, entries.next_index()) == (self.since, self.index) {
            entries.waiting -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Found, Log, LogEntry};
    use crate::store::{Revision, StreamPosition};
    use ag_ui_stream::outcome::RunOutcome;
    use futures_util::FutureExt as _;
    use question_agent::ag_ui::{Edition, wire};
    use std::sync::Arc;

    fn is_entry(found: Option<Found>) -> bool {
        matches!(found, Some(Found::Entry(..)))
    }

    #[test]
    fn events_are_kept_until_the_run_is_over_and_every_reader_has_them() {
        let at = |frames| StreamPosition { since: Revision(7), frames };
        let log = Arc::new(Log::new(at(0), usize::MAX));
        let (mut one, mut other) = (log.reader(0), log.reader(0));
        log.push([LogEntry::event(&wire::run_started("t", "r", Vec::new()))]);
        for reader in [&mut one, &mut other] {
            assert!(is_entry(reader.next().now_or_never()));
            assert!(reader.next().now_or_never().is_none());
        }
        assert!(log.reaches(at(0)), "the run goes on");
        assert_eq!(log.run_at(0), None, "it has not started there");
        assert_eq!(log.run_at(1).as_deref(), Some("r"));

        let mut waiting = Box::pin(other.next());
        assert!((&mut waiting).now_or_never().is_none());
        let outcome = RunOutcome::Success { pending_tool_call_ids: Vec::new() };
        let event = wire::run_finished(Edition::Current, "t", "r", outcome);
        log.push([LogEntry::event(&event)]);
        assert!(is_entry(one.next().now_or_never()));
        assert!(one.next().now_or_never().is_none());
        assert!(log.reaches(at(0)), "the other was woken but has not read");
        assert_eq!(log.run_at(1).as_deref(), Some("r"), "its end is to come");
        assert_eq!(log.run_at(2), None);
        assert!(is_entry(waiting.now_or_never()));

        // Both wait for more: a reader that comes now reads the messages.
        let (mut first, mut second) = (Box::pin(one.next()), Box::pin(other.next()));
        assert!((&mut first).now_or_never().is_none());
        assert!((&mut second).now_or_never().is_none());
        assert!(!log.reaches(at(0)) && log.reaches(at(2)));
        log.push([LogEntry::event(&wire::run_started("t", "r2", Vec::new()))]);
        assert!(is_entry(first.now_or_never()) && is_entry(second.now_or_never()));
    }

    #[test]
    fn a_reader_that_missed_what_was_told_elsewhere_comes_back() {
        let at = |since, frames| StreamPosition { since: Revision(since), frames };
        let log = Arc::new(Log::new(at(7, 3), usize::MAX));
        let mut reader = log.reader(3);
        assert!(reader.next().now_or_never().is_none());
        log.go_on_from(at(7, 3));
        assert!(reader.next().now_or_never().is_none(), "nothing was");
        log.go_on_from(at(7, 5));
        assert!(matches!(reader.next().now_or_never(), Some(Found::Gone)));
        let mut reader = log.reader(5);
        log.go_on_from(at(9, 5));
        assert!(matches!(reader.next().now_or_never(), Some(Found::Gone)));
        assert!(log.reaches(at(9, 5)) && !log.reaches(at(7, 5)));
    }

    #[test]
    fn a_commit_from_elsewhere_has_no_place_within() {
        let at = |frames| StreamPosition { since: Revision(7), frames };
        let log = Arc::new(Log::new(at(3), usize::MAX));
        let mut reader = log.reader(3);
        assert!(reader.next().now_or_never().is_none());
        let outcome = RunOutcome::Success { pending_tool_call_ids: Vec::new() };
        let run = [wire::run_started("t", "r", Vec::new()), wire::run_finished(Edition::Current, "t", "r", outcome)];
        log.catch_up(20, run.iter().map(LogEntry::event).collect());
        let places = [(); 2].map(|()| match reader.next().now_or_never() {
            Some(Found::Entry(_, position)) => position,
            found => panic!("{found:?}"),
        });
        assert_eq!(places, [StreamPosition::default(), at(20)]);
        assert!(log.reaches(at(3)) && log.reaches(at(20)) && !log.reaches(at(4)));
        assert!(matches!(log.reader(4).next().now_or_never(), Some(Found::Gone)));
        log.push([LogEntry::event(&wire::run_started("t", "r2", Vec::new()))]);
        assert!(matches!(reader.next().now_or_never(), Some(Found::Entry(_, place)) if place == at(21)));
        assert_eq!((log.run_at(20), log.run_at(21).as_deref()), (None, Some("r2")));
    }
}
