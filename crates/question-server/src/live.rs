//! The live event log of a conversation: each event is encoded once and read by any number of clients.

pub(crate) mod histories;
pub(crate) mod room;

use crate::config::limits::ENTRY_BYTES;
use crate::store::{Entry, Revision};
use ag_ui_stream::Event;
use ag_ui_stream::event::EventType;
use ag_ui_stream::outcome::RunOutcome;
use question_agent::effect::StateChange;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// A position in a conversation's event log: a commit, and the number of frames after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) revision: Revision,
    pub(crate) frames: u64,
    /// True if the frames are those of the next commit as it was stored. A live client gets more frames, since a message arrives in many deltas.
    pub(crate) is_stored: bool,
}

/// The suffix of an event id within a commit as it was stored.
const STORED_MARK: char = 's';

/// The suffix of an event id for a client that knows the messages alone.
const MESSAGES_MARK: &str = "m";

impl Position {
    /// The position after this commit, which is the same at every server.
    pub(crate) fn behind(revision: Revision) -> Self {
        Self { revision, ..Self::default() }
    }

    fn next(self) -> Self {
        Self { frames: self.frames + 1, ..self }
    }

    /// The id that a client sends as `Last-Event-ID`: `REVISION-COUNT`. Clients count the frames as well, to notice missing events.
    pub(crate) fn event_id(self) -> String {
        let mut id = format!("{:x}-{}", self.revision.0, self.frames);
        id.extend(self.is_stored.then_some(STORED_MARK));
        id
    }

    /// The event id for a client that knows the messages alone, and still needs the events of the run under way.
    pub(crate) fn messages_id(self) -> String {
        self.event_id() + MESSAGES_MARK
    }

    /// Parses an event id. The flag is true if the client knows the messages alone.
    pub(crate) fn read(event_id: &str) -> Option<(Self, bool)> {
        let (revision, frames) = event_id.rsplit_once('-')?;
        let unmarked = frames.strip_suffix(MESSAGES_MARK);
        let count = unmarked.unwrap_or(frames);
        let stored = count.strip_suffix(STORED_MARK);
        let revision = Revision(u64::from_str_radix(revision, 16).ok()?);
        let frames = stored.unwrap_or(count).parse().ok()?;
        Some((Self { revision, frames, is_stored: stored.is_some() }, unmarked.is_some()))
    }
}

/// One entry of the log, encoded once for all readers.
#[derive(Clone, Debug)]
pub(crate) struct LogEntry {
    kind: EntryKind,
    /// The JSON of the event or state change, in one line.
    pub(crate) data: Arc<str>,
}

#[derive(Clone, Debug)]
enum EntryKind {
    State,
    /// An event of AG-UI within a run.
    Event,
    /// The event by which this run begins.
    Begins(Arc<str>),
    /// The history again, since the run begins anew from a changed answer.
    Restarts,
    /// The end of a run, with an outcome unless it failed.
    Ends(Option<RunOutcome>),
}

/// The line that stands for a history in a stored text. A client may restart a run any number of times, so such a commit must not store the whole
/// history each time.
const HISTORY: &str = "history";

impl LogEntry {
    pub(crate) fn event(event: &Event) -> Self {
        Self::new(EntryKind::of(event), event)
    }

    pub(crate) fn state(change: &StateChange) -> Self {
        Self::new(EntryKind::State, change)
    }

    pub(crate) fn to_stored(entries: &[Self]) -> String {
        let lines = entries.iter().map(|entry| match entry.kind {
            EntryKind::Restarts => HISTORY.to_owned(),
            EntryKind::State => format!("state {}", entry.data),
            EntryKind::Event | EntryKind::Begins(_) | EntryKind::Ends(_) => format!("event {}", entry.data),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// True if a stored text has a `HISTORY` line: its readers need the conversation's history.
    pub(crate) fn lacks_history(told: &str) -> bool {
        told.lines().any(|line| line == HISTORY)
    }

    /// Parses a stored text, leaving out its `HISTORY` lines.
    pub(crate) fn from_stored(told: &str) -> Vec<Self> {
        let read = |line: &str| {
            let (kind, data) = line.split_once(' ')?;
            let kind = match kind {
                "event" => EntryKind::of(&serde_json::from_str(data).ok()?),
                _ => EntryKind::State,
            };
            Some(Self { kind, data: data.into() })
        };
        told.lines().filter_map(read).collect()
    }

    fn new(kind: EntryKind, data: &impl Serialize) -> Self {
        let data = serde_json::to_string(data).expect("events and state changes have only strings for keys");
        Self { kind, data: data.into() }
    }

    /// Its size in memory, roughly.
    fn bytes(&self) -> usize {
        self.data.len() + ENTRY_BYTES
    }

    /// True if it is the state of the conversation, for which AG-UI has no event.
    pub(crate) fn is_state(&self) -> bool {
        matches!(self.kind, EntryKind::State)
    }

    pub(crate) fn is_end(&self) -> bool {
        matches!(self.kind, EntryKind::Ends(_))
    }

    /// The outcome, if it ends a run that did not fail.
    pub(crate) fn outcome(&self) -> Option<&RunOutcome> {
        if let EntryKind::Ends(outcome) = &self.kind { outcome.as_ref() } else { None }
    }

    /// Updates `run`, the run under way, by this entry.
    fn update(&self, run: &mut Option<Arc<str>>) {
        match &self.kind {
            EntryKind::State | EntryKind::Event | EntryKind::Restarts => {}
            EntryKind::Begins(id) => *run = Some(Arc::clone(id)),
            EntryKind::Ends(_) => *run = None,
        }
    }
}

impl EntryKind {
    fn of(event: &Event) -> Self {
        match event.kind() {
            EventType::RunStarted => Self::Begins(event.run_id().into()),
            EventType::MessagesSnapshot => Self::Restarts,
            EventType::RunFinished => Self::Ends(event.outcome()),
            EventType::RunError => Self::Ends(None),
            _ => Self::Event,
        }
    }
}

/// An entry with the position after it.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) entry: LogEntry,
    pub(crate) behind: Position,
}

impl Told {
    /// The entries of a commit. The last one is at the position after the commit.
    fn of_commit(mut at: Position, revision: Revision, new: Vec<LogEntry>) -> impl Iterator<Item = Self> {
        let last = new.len().saturating_sub(1);
        new.into_iter().enumerate().map(move |(index, entry)| {
            at = if index == last { Position::behind(revision) } else { at.next() };
            Self { entry, behind: at }
        })
    }

    /// The entries of a commit as they were stored, for readers at the commit before it. The end of a run whose server died is left out if these
    /// readers have had it already.
    pub(crate) fn of_stored(before: Revision, has_run: bool, stored: &Entry) -> impl Iterator<Item = Self> + use<> {
        let mut new = LogEntry::from_stored(&stored.told);
        let has_ended = !has_run && new.first().is_some_and(LogEntry::is_end);
        new.drain(..usize::from(has_ended));
        let at = Position { revision: before, frames: has_ended.into(), is_stored: true };
        Self::of_commit(at, stored.revision, new)
    }
}

/// The event log of a conversation for its clients at this server. Entries are kept until all clients have read the run. A client that is too slow
/// has to reconnect, and gets the stored entries.
#[derive(Debug)]
pub(crate) struct Hub {
    /// The most bytes of entries that are kept.
    most_bytes: usize,
    log: Mutex<Arc<Log>>,
}

/// The log from one restart to the next. Its clients read it to its end and have to reconnect.
#[derive(Debug)]
struct Log {
    live: Mutex<Live>,
    changed: Notify,
}

#[derive(Debug)]
struct Live {
    end: Position,
    /// The run that is under way at the end. Until it is over, the conversation's messages lack some of it.
    run: Option<Arc<str>>,
    told: VecDeque<Arc<Told>>,
    /// The approximate size of `told` in memory.
    bytes: usize,
    /// The position of the first kept entry, the run under way there, and the number of entries dropped before it.
    start: Position,
    start_run: Option<Arc<str>>,
    dropped: usize,
    clients: usize,
    /// The number of clients that have not read to the end.
    behind: usize,
    is_closed: bool,
}

impl Hub {
    /// A hub that keeps at most `most_bytes` of a run under way.
    pub(crate) fn new(most_bytes: usize) -> Self {
        Self { most_bytes, log: Mutex::new(Log::new(Position::default(), None)) }
    }

    /// The position of the last entry.
    pub(crate) fn position(&self) -> Position {
        self.log().lock().end
    }

    /// True if the log has clients.
    pub(crate) fn is_read(&self) -> bool {
        self.log().lock().clients > 0
    }

    pub(crate) fn has_run(&self) -> bool {
        self.log().lock().run.is_some()
    }

    /// Replaces the log by an empty one that starts after this commit, with `run` under way. The clients of the old log have to reconnect.
    pub(crate) fn restart(&self, revision: Revision, run: Option<&str>) {
        let new = Log::new(Position::behind(revision), run);
        let old = std::mem::replace(&mut *self.log.lock().unwrap_or_else(PoisonError::into_inner), new);
        old.lock().is_closed = true;
        old.changed.notify_waiters();
    }

    /// Drops the kept entries, even those that clients have not read.
    pub(crate) fn clear(&self) {
        let log = self.log();
        let mut live = log.lock();
        while !live.told.is_empty() {
            live.drop_oldest();
        }
    }

    /// Appends a stored commit of another server. If its text lacks a history, restarts after it.
    pub(crate) fn catch_up(&self, stored: &Entry) {
        if LogEntry::lacks_history(&stored.told) {
            return self.restart(stored.revision, stored.run.as_deref());
        }
        self.append(Some(stored.revision), |live| {
            Told::of_stored(live.end.revision, live.run.is_some(), stored).collect()
        });
    }

    /// Appends entries that are not part of a commit.
    pub(crate) fn push(&self, new: impl IntoIterator<Item = LogEntry>) {
        self.append(None, |live| {
            let positions = std::iter::successors(Some(live.end.next()), |position| Some(position.next()));
            new.into_iter().zip(positions).map(|(entry, behind)| Told { entry, behind }).collect()
        });
    }

    /// Appends the last entries of the commit that makes this revision.
    pub(crate) fn commit(&self, revision: Revision, new: Vec<LogEntry>) {
        self.append(Some(revision), |live| Told::of_commit(live.end, revision, new).collect());
    }

    fn append(&self, commit: Option<Revision>, new: impl FnOnce(&Live) -> Vec<Told>) {
        let log = self.log();
        let mut live = log.lock();
        new(&live).into_iter().for_each(|told| live.append(told, self.most_bytes));
        if let Some(revision) = commit {
            live.end = Position::behind(revision);
        }
        drop(live);
        log.changed.notify_waiters();
    }

    /// Follows the log from this position on; `None` if the entries after it are not kept, or the log has no such position.
    pub(crate) fn tail(&self, position: Position) -> Option<Tail> {
        let log = self.log();
        let mut live = log.lock();
        let next = live.number_of(position)?;
        Some(live.join(&log, next))
    }

    /// Follows the log from its end.
    pub(crate) fn tail_from_now(&self) -> Tail {
        let log = self.log();
        let mut live = log.lock();
        let next = live.end_number();
        live.join(&log, next)
    }

    fn log(&self) -> Arc<Log> {
        Arc::clone(&self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Log {
    fn new(end: Position, run: Option<&str>) -> Arc<Self> {
        let run: Option<Arc<str>> = run.map(Arc::from);
        let live = Live {
            end,
            run: run.clone(),
            told: VecDeque::new(),
            bytes: 0,
            start: end,
            start_run: run,
            dropped: 0,
            clients: 0,
            behind: 0,
            is_closed: false,
        };
        Arc::new(Self { live: Mutex::new(live), changed: Notify::new() })
    }

    fn lock(&self) -> MutexGuard<'_, Live> {
        // Entries are only pushed and popped, so a panic elsewhere cannot have left them half-written.
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Live {
    /// The number of the next entry.
    fn end_number(&self) -> usize {
        self.dropped + self.told.len()
    }

    /// The number of the entry after a position; `None` if it is not kept, or the log has no such position.
    fn number_of(&self, position: Position) -> Option<usize> {
        if position == self.end {
            return Some(self.end_number());
        }
        if position == self.start {
            return Some(self.dropped);
        }
        let before = self.told.iter().position(|told| told.behind == position)?;
        Some(self.dropped + before + 1)
    }

    /// Adds a client that begins with the entry of this number.
    fn join(&mut self, log: &Arc<Log>, next: usize) -> Tail {
        self.clients += 1;
        self.behind += 1;
        let mut run = self.start_run.clone();
        self.told.range(..next - self.dropped).for_each(|told| told.entry.update(&mut run));
        Tail { log: Arc::clone(log), next, read_to: None, run }
    }

    fn append(&mut self, told: Told, most_bytes: usize) {
        told.entry.update(&mut self.run);
        self.end = told.behind;
        self.bytes += told.entry.bytes();
        self.told.push_back(Arc::new(told));
        self.behind = self.clients;
        // The last entry stays, even if it alone exceeds the bound.
        while self.bytes > most_bytes && self.told.len() > 1 {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if let Some(oldest) = self.told.pop_front() {
            oldest.entry.update(&mut self.start_run);
            self.start = oldest.behind;
            self.bytes -= oldest.entry.bytes();
            self.dropped += 1;
        }
    }

    /// Notes that a client has read to the end. Once all have, the entries of a run that is over are dropped: a client that reconnects finds them in
    /// the messages.
    fn is_read_by_one(&mut self) {
        self.behind -= 1;
        if self.behind == 0 && self.run.is_none() {
            self.dropped = self.end_number();
            (self.told, self.bytes) = (VecDeque::new(), 0);
            (self.start, self.start_run) = (self.end, None);
        }
    }
}

/// A reader of a conversation's event log.
#[derive(Debug)]
pub(crate) struct Tail {
    log: Arc<Log>,
    /// The number of the next entry.
    next: usize,
    /// The entry number up to which this reader has been counted as having read the log.
    read_to: Option<usize>,
    /// The run that was under way where it begins.
    pub(crate) run: Option<Arc<str>>,
}

impl Tail {
    /// Waits until the conversation's state has changed, or the log has ended.
    pub(crate) async fn next_change(&mut self) {
        while let Some(told) = self.next().await {
            if told.entry.is_state() {
                return;
            }
        }
    }

    /// Waits for the next entry; `None` if the client was too slow, or the log was closed by a restart.
    pub(crate) async fn next(&mut self) -> Option<Arc<Told>> {
        let log = Arc::clone(&self.log);
        loop {
            // Created before the log is checked, so that no notification is missed.
            let changed = log.changed.notified();
            {
                let mut live = log.lock();
                let index = self.next.checked_sub(live.dropped)?;
                if let Some(told) = live.told.get(index) {
                    self.next += 1;
                    return Some(Arc::clone(told));
                }
                if live.is_closed {
                    return None;
                }
                if self.read_to.replace(self.next) != Some(self.next) {
                    live.is_read_by_one();
                }
            }
            changed.await;
        }
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        let mut live = self.log.lock();
        live.clients -= 1;
        if self.read_to != Some(live.end_number()) {
            live.is_read_by_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Hub, LogEntry, Position, Tail};
    use crate::store::Revision;
    use ag_ui_stream::outcome::RunOutcome;
    use futures_util::FutureExt as _;
    use question_agent::ag_ui::{Edition, wire};

    fn next(tail: &mut Tail) -> Option<u64> {
        let told = tail.next().now_or_never()?;
        Some(told.expect("it goes on").behind.frames)
    }

    #[test]
    fn events_are_kept_until_the_run_is_over_and_every_client_has_them() {
        let at = |frames| Position { frames, ..Position::default() };
        let run_at = |hub: &Hub, position| hub.tail(position).expect("it is kept").run.clone();
        let started = || LogEntry::event(&wire::run_started("t", "r", Vec::new()));
        let outcome = RunOutcome::Success { pending_tool_call_ids: Vec::new() };
        let ended = LogEntry::event(&wire::run_finished(Edition::Current, "t", "r", outcome));
        let hub = Hub::new(usize::MAX);
        let mut early = hub.tail_from_now();
        hub.push([started()]);
        assert_eq!(run_at(&hub, at(0)), None, "it has not started there");
        assert_eq!(run_at(&hub, at(1)).as_deref(), Some("r"));
        let mut late = hub.tail(at(0)).expect("the run goes on");
        assert_eq!(next(&mut late), Some(1));
        hub.push([ended]);
        assert_eq!([(); 3].map(|()| next(&mut early)), [Some(1), Some(2), None]);
        assert_eq!(run_at(&hub, at(1)).as_deref(), Some("r"), "the other has not read, and its end is to come");
        assert_eq!([(); 2].map(|()| next(&mut late)), [Some(2), None]);
        assert!(hub.tail(at(0)).is_none(), "a client that comes now reads the messages");
        assert_eq!(run_at(&hub, at(2)), None);
        let gone = hub.tail_from_now();
        hub.push([started(), started()]);
        drop((early, gone));
        hub.restart(Revision(1), None);
        assert_eq!([(); 2].map(|()| next(&mut late)), [Some(3), Some(4)], "what was told before");
        assert!(late.next().now_or_never().expect("it ends").is_none());
    }
}
