//! The event log of a conversation: events are written once and read by any number of clients, each at its own speed.

use crate::limits::ENTRY_BYTES;
use crate::store::Revision;
use ag_ui_stream::Event;
use ag_ui_stream::event::EventType;
use ag_ui_stream::outcome::RunOutcome;
use question_agent::effect::StateChange;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// A position in what is told of a conversation: everything up to a commit, and the number of frames since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) revision: Revision,
    pub(crate) frames: u64,
    /// True if these are frames of the next commit as it was stored. Live ones are more: a message grows in many.
    pub(crate) is_stored: bool,
}

impl Position {
    /// The position after this commit, which is the same at every server.
    pub(crate) fn behind(revision: Revision) -> Self {
        Self { revision, ..Self::default() }
    }

    fn next(self) -> Self {
        Self { frames: self.frames + 1, ..self }
    }
}

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

    /// The text of entries for the store.
    pub(crate) fn to_stored(entries: &[Self]) -> String {
        let lines = entries.iter().map(|entry| match entry.kind {
            EntryKind::AgUi => format!("event {}", entry.data),
            EntryKind::StateChange => format!("state {}", entry.data),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The entries of such a text.
    pub(crate) fn from_stored(told: &str) -> Vec<Self> {
        let read = |line: &str| {
            let (kind, data) = line.split_once(' ')?;
            let (kind, mark) = match kind {
                "event" => (EntryKind::AgUi, RunMark::of(&serde_json::from_str(data).ok()?)),
                _ => (EntryKind::StateChange, RunMark::Nothing),
            };
            Some(Self { kind, data: data.into(), mark })
        };
        told.lines().filter_map(read).collect()
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
    /// The number of restarts: no reader of an earlier log finds its next entry here.
    restarts: u64,
    end: Position,
    /// The index of the first buffered entry, and the position before it.
    first: u64,
    before_first: Position,
    /// Each with the position behind it.
    entries: VecDeque<(LogEntry, Position)>,
    /// Their size in memory, roughly.
    bytes: usize,
    /// The runs whose entries are buffered.
    runs: VecDeque<Span>,
    /// The number of readers at the end of the log.
    waiting: usize,
    /// The last entry for readers of before the last restart.
    farewell: Option<LogEntry>,
}

/// The positions of a run.
#[derive(Debug)]
struct Span {
    run_id: Arc<str>,
    first: Position,
    /// The position of its end. Until then the conversation's messages lack some of it.
    last: Option<Position>,
}

/// The result of a read.
#[derive(Debug)]
pub(crate) enum Found {
    /// An entry, with the position behind it.
    Entry(LogEntry, Position),
    /// The last entry before a shutdown. The next server resumes the run.
    Farewell(LogEntry),
    /// The entry is not buffered: the reader was too slow, or another server took over.
    Gone,
}

impl Log {
    /// A log that buffers at most `most_bytes` for slow readers.
    pub(crate) fn new(most_bytes: usize) -> Self {
        let entries = Entries {
            restarts: 0,
            end: Position::default(),
            first: 0,
            before_first: Position::default(),
            entries: VecDeque::new(),
            bytes: 0,
            runs: VecDeque::new(),
            waiting: 0,
            farewell: None,
        };
        Self { most_bytes, entries: Mutex::new(entries), changed: watch::Sender::new(()) }
    }

    /// The position of the end of the log.
    pub(crate) fn position(&self) -> Position {
        self.lock().end
    }

    /// True if somebody reads it.
    pub(crate) fn is_read(&self) -> bool {
        self.changed.receiver_count() > 0
    }

    /// Starts again behind a commit, in whose state this run is under way. Its readers have to reconnect.
    pub(crate) fn restart(&self, revision: Revision, run: Option<&str>) {
        let mut entries = self.lock();
        entries.restart(Position::behind(revision));
        let first = Position::default();
        entries.runs.extend(run.map(|run| Span { run_id: run.into(), first, last: None }));
        self.changed.send_replace(());
    }

    /// Appends a commit of another server, as it was stored.
    pub(crate) fn catch_up(&self, revision: Revision, mut new: Vec<LogEntry>) {
        let mut entries = self.lock();
        // A run that its server lost may have ended here before.
        let has_ended = entries.open_run().is_none() && new.first().is_some_and(LogEntry::is_end);
        new.drain(..usize::from(has_ended));
        entries.end = Position { revision: entries.end.revision, frames: has_ended.into(), is_stored: true };
        entries.commit(revision, new, self.most_bytes);
        self.changed.send_replace(());
    }

    /// Ends the log with an entry that no other server sends: its readers have to reconnect.
    pub(crate) fn break_off(&self, entry: LogEntry) {
        let mut entries = self.lock();
        entries.restart(Position::default());
        entries.farewell = Some(entry);
        self.changed.send_replace(());
    }

    /// The run that is under way at this position.
    pub(crate) fn run_at(&self, position: Position) -> Option<Arc<str>> {
        let entries = self.lock();
        let goes_on = |run: &&Span| run.first < position && run.last.is_none_or(|last| position <= last);
        let run = entries.runs.iter().find(goes_on)?;
        Some(Arc::clone(&run.run_id))
    }

    /// The run that has not ended.
    pub(crate) fn open_run(&self) -> Option<Arc<str>> {
        self.lock().open_run().cloned()
    }

    /// Appends entries that are not part of a commit.
    pub(crate) fn push(&self, new: impl IntoIterator<Item = LogEntry>) {
        let mut entries = self.lock();
        for entry in new {
            let behind = entries.end.next();
            entries.append(entry, behind, self.most_bytes);
        }
        self.changed.send_replace(());
    }

    /// Appends the last entries of the commit that makes this revision.
    pub(crate) fn commit(&self, revision: Revision, new: Vec<LogEntry>) {
        self.lock().commit(revision, new, self.most_bytes);
        self.changed.send_replace(());
    }

    /// A reader from this position on. It is counted until it is dropped.
    pub(crate) fn reader(self: &Arc<Self>, position: Position) -> LogReader {
        let entries = self.lock();
        let (restarts, index) = (entries.restarts, entries.index_of(position));
        drop(entries);
        LogReader { changed: self.changed.subscribe(), log: Arc::clone(self), restarts, index }
    }

    /// A reader of what is told from now on.
    pub(crate) fn reader_at_end(self: &Arc<Self>) -> LogReader {
        self.reader(self.position())
    }

    /// Reads the entry at this index. If there is none yet, the reader counts as waiting. Both happen under one lock, so that no entry can be
    /// appended and dropped in between.
    fn find_or_wait(&self, restarts: u64, index: u64) -> Option<Found> {
        let mut entries = self.lock();
        if entries.restarts != restarts {
            let farewell = entries.farewell.as_ref().filter(|_| entries.restarts == restarts + 1);
            return Some(farewell.map_or(Found::Gone, |entry| Found::Farewell(entry.clone())));
        }
        let found = entries.at(index);
        if found.is_none() {
            entries.wait(self.changed.receiver_count());
        }
        found
    }

    /// True if a reader can continue at this position.
    pub(crate) fn reaches(&self, position: Position) -> bool {
        self.lock().index_of(position).is_some()
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
    fn index_of(&self, position: Position) -> Option<u64> {
        if position == self.end {
            return Some(self.next_index());
        }
        if self.before_first == position {
            return Some(self.first);
        }
        let before = self.entries.iter().position(|(_, behind)| *behind == position)?;
        Some(self.first + before as u64 + 1)
    }

    fn restart(&mut self, position: Position) {
        self.clear();
        self.runs.clear();
        self.waiting = 0;
        self.farewell = None;
        self.restarts += 1;
        (self.end, self.before_first) = (position, position);
    }

    /// Appends the entries of a commit, of which the last has its place.
    fn commit(&mut self, revision: Revision, new: Vec<LogEntry>, most_bytes: usize) {
        let last = new.len().saturating_sub(1);
        for (index, entry) in new.into_iter().enumerate() {
            let behind = if index == last { Position::behind(revision) } else { self.end.next() };
            self.append(entry, behind, most_bytes);
        }
        self.end = Position::behind(revision);
    }

    fn append(&mut self, entry: LogEntry, behind: Position, most_bytes: usize) {
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
        self.end = behind;
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
        (self.first, self.before_first) = (self.next_index(), self.end);
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
        let first = self.before_first;
        self.runs.retain(|run| run.last.is_none_or(|last| first <= last));
    }

    fn at(&self, index: u64) -> Option<Found> {
        let Some(index) = index.checked_sub(self.first) else {
            return Some(Found::Gone);
        };
        let (entry, behind) = self.entries.get(usize::try_from(index).ok()?)?;
        Some(Found::Entry(entry.clone(), *behind))
    }
}

/// Reads a log from a position on.
#[derive(Debug)]
pub(crate) struct LogReader {
    log: Arc<Log>,
    changed: watch::Receiver<()>,
    restarts: u64,
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
            if let Some(found) = self.log.find_or_wait(self.restarts, index) {
                self.index = matches!(found, Found::Entry(..)).then_some(index + 1);
                return found;
            }
            let waiting = WaitingReader { log: &self.log, restarts: self.restarts, index };
            self.changed.changed().await.expect("the log outlives its readers");
            drop(waiting);
        }
    }
}

/// A reader that is counted as waiting, until an entry is pushed or it is dropped.
struct WaitingReader<'a> {
    log: &'a Log,
    restarts: u64,
    index: u64,
}

impl Drop for WaitingReader<'_> {
    fn drop(&mut self) {
        let mut entries = self.log.lock();
        // A push resets the count.
        if (entries.restarts, entries.next_index()) == (self.restarts, self.index) {
            entries.waiting -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Found, Log, LogEntry, Position};
    use crate::store::Revision;
    use ag_ui_stream::outcome::RunOutcome;
    use futures_util::FutureExt as _;
    use question_agent::ag_ui::{Edition, wire};
    use std::sync::Arc;

    fn is_entry(found: Option<Found>) -> bool {
        matches!(found, Some(Found::Entry(..)))
    }

    #[test]
    fn events_are_kept_until_the_run_is_over_and_every_reader_has_them() {
        let at = |frames| Position { frames, ..Position::default() };
        let log = Arc::new(Log::new(usize::MAX));
        let (mut one, mut other) = (log.reader_at_end(), log.reader_at_end());
        log.push([LogEntry::event(&wire::run_started("t", "r", Vec::new()))]);
        for reader in [&mut one, &mut other] {
            assert!(is_entry(reader.next().now_or_never()));
            assert!(reader.next().now_or_never().is_none());
        }
        assert!(log.reaches(at(0)), "the run goes on");
        assert_eq!(log.run_at(at(0)), None, "it has not started there");
        assert_eq!(log.run_at(at(1)).as_deref(), Some("r"));

        let mut waiting = Box::pin(other.next());
        assert!((&mut waiting).now_or_never().is_none());
        let outcome = RunOutcome::Success { pending_tool_call_ids: Vec::new() };
        let event = wire::run_finished(Edition::Current, "t", "r", outcome);
        log.push([LogEntry::event(&event)]);
        assert!(is_entry(one.next().now_or_never()));
        assert!(one.next().now_or_never().is_none());
        assert!(log.reaches(at(0)), "the other was woken but has not read");
        assert_eq!(log.run_at(at(1)).as_deref(), Some("r"), "its end is to come");
        assert_eq!(log.run_at(at(2)), None);
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
    fn a_commit_from_elsewhere_has_the_same_end_everywhere() {
        let [before, after] = [7, 8].map(|revision| Position::behind(Revision(revision)));
        let log = Arc::new(Log::new(usize::MAX));
        let mut missed = log.reader_at_end();
        log.restart(before.revision, None);
        assert!(matches!(missed.next().now_or_never(), Some(Found::Gone)));
        let mut reader = log.reader(before);
        let outcome = RunOutcome::Success { pending_tool_call_ids: Vec::new() };
        let run = [wire::run_started("t", "r", Vec::new()), wire::run_finished(Edition::Current, "t", "r", outcome)];
        let stored = LogEntry::to_stored(&run.each_ref().map(LogEntry::event));
        log.catch_up(after.revision, LogEntry::from_stored(&stored));
        let places = [(); 2].map(|()| match reader.next().now_or_never() {
            Some(Found::Entry(_, position)) => position,
            found => panic!("{found:?}"),
        });
        let within = Position { frames: 1, is_stored: true, ..before };
        assert_eq!(places, [within, after]);
        assert!([before, within, after].into_iter().all(|place| log.reaches(place)));
        let live = Position { is_stored: false, ..within };
        assert!(!log.reaches(live) && matches!(log.reader(live).next().now_or_never(), Some(Found::Gone)));
        log.push([LogEntry::event(&wire::run_started("t", "r2", Vec::new()))]);
        let live = Position { frames: 1, ..after };
        assert!(matches!(reader.next().now_or_never(), Some(Found::Entry(_, place)) if place == live));
        assert_eq!((log.run_at(after), log.run_at(live).as_deref()), (None, Some("r2")));
    }
}
