//! What clients are told of a conversation, as it happens: events are encoded once and read by any number of clients.

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
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

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
    /// The history again, since the run begins anew from a changed answer.
    Restarts,
    /// The end, with an outcome unless the run failed.
    Ends(Option<RunOutcome>),
}

/// The line in place of a history in a stored text. A client may begin anew as often as it likes, and no such commit is to be as long as all
/// that came before it.
const HISTORY: &str = "history";

impl LogEntry {
    pub(crate) fn event(event: &Event) -> Self {
        Self::new(EntryKind::AgUi, event, RunMark::of(event))
    }

    pub(crate) fn state(change: &StateChange) -> Self {
        Self::new(EntryKind::StateChange, change, RunMark::Nothing)
    }

    /// The text of entries for the store.
    pub(crate) fn to_stored(entries: &[Self]) -> String {
        let lines = entries.iter().map(|entry| match (entry.kind, &entry.mark) {
            (_, RunMark::Restarts) => HISTORY.to_owned(),
            (EntryKind::AgUi, _) => format!("event {}", entry.data),
            (EntryKind::StateChange, _) => format!("state {}", entry.data),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// True if such a text lacks a history: its readers need that of the conversation.
    pub(crate) fn lacks_history(told: &str) -> bool {
        told.lines().any(|line| line == HISTORY)
    }

    /// The entries of such a text, without the history that it lacks.
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
            RunMark::Nothing | RunMark::Begins(_) | RunMark::Restarts => None,
        }
    }
}

impl RunMark {
    fn of(event: &Event) -> Self {
        match event.kind() {
            EventType::RunStarted => Self::Begins(event.run_id().into()),
            EventType::MessagesSnapshot => Self::Restarts,
            EventType::RunFinished => Self::Ends(event.outcome()),
            EventType::RunError => Self::Ends(None),
            _ => Self::Nothing,
        }
    }
}

/// An entry with the position behind it.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) entry: LogEntry,
    pub(crate) behind: Position,
}

impl Told {
    /// The entries of a commit, of which the last has its place.
    fn of_commit(mut at: Position, revision: Revision, new: Vec<LogEntry>) -> impl Iterator<Item = Self> {
        let last = new.len().saturating_sub(1);
        new.into_iter().enumerate().map(move |(index, entry)| {
            at = if index == last { Position::behind(revision) } else { at.next() };
            Self { entry, behind: at }
        })
    }

    /// The entries of a commit as they were stored, for readers behind the commit before it. A run that its server lost may have ended for them
    /// already.
    pub(crate) fn of_stored(before: Revision, has_run: bool, stored: &Entry) -> impl Iterator<Item = Self> + use<> {
        let mut new = LogEntry::from_stored(&stored.told);
        let has_ended = !has_run && new.first().is_some_and(LogEntry::is_end);
        new.drain(..usize::from(has_ended));
        let at = Position { revision: before, frames: has_ended.into(), is_stored: true };
        Self::of_commit(at, stored.revision, new)
    }
}

/// The clients of one conversation at this server: they get each entry as it is told. The hub alone keeps entries, until all have read the run. Who
/// is too slow for that has to reconnect, and gets the entries that are stored.
#[derive(Debug)]
pub(crate) struct Hub {
    /// The most bytes of entries that are kept.
    most_bytes: usize,
    live: Mutex<Live>,
}

#[derive(Debug)]
struct Live {
    end: Position,
    /// The last run.
    run: Option<Span>,
    /// The entries that are kept, and the position before them.
    told: VecDeque<Arc<Told>>,
    before_first: Position,
    /// Their size in memory, roughly.
    bytes: usize,
    clients: broadcast::Sender<Weak<Told>>,
    /// The entries for clients that have to reconnect after them.
    parting: VecDeque<Arc<Told>>,
}

/// The positions of a run.
#[derive(Debug)]
struct Span {
    run_id: Arc<str>,
    first: Position,
    /// The position before its end. Until then the conversation's messages lack some of it.
    last: Option<Position>,
}

/// The entries that wait in the channel of a client. Who is further behind looks for them in the hub.
const LAG: usize = 128;

impl Hub {
    /// A hub that keeps at most `most_bytes` of a run under way.
    pub(crate) fn new(most_bytes: usize) -> Self {
        Self { most_bytes, live: Mutex::new(Live::new(Position::default(), None)) }
    }

    /// The position of the last entry.
    pub(crate) fn position(&self) -> Position {
        self.lock().end
    }

    /// True if somebody follows it.
    pub(crate) fn is_read(&self) -> bool {
        self.lock().clients.receiver_count() > 0
    }

    /// Starts again behind a commit, in whose state this run is under way. Its clients have to reconnect.
    pub(crate) fn restart(&self, revision: Revision, run: Option<&str>) {
        *self.lock() = Live::new(Position::behind(revision), run);
    }

    /// Appends a commit of another server, as it was stored, or restarts behind it if it lacks a history.
    pub(crate) fn catch_up(&self, stored: &Entry) {
        if LogEntry::lacks_history(&stored.told) {
            return self.restart(stored.revision, stored.run.as_deref());
        }
        let mut live = self.lock();
        let told = Told::of_stored(live.end.revision, live.has_run(), stored);
        told.for_each(|told| live.append(told, self.most_bytes));
        live.end = Position::behind(stored.revision);
    }

    /// Ends with an entry that no other server tells: its clients have to reconnect, and get the history.
    pub(crate) fn break_off(&self, entry: LogEntry) {
        let mut live = self.lock();
        live.append(Told { entry, behind: Position::default() }, self.most_bytes);
        let parting = std::mem::take(&mut live.told);
        *live = Live { parting, ..Live::new(Position::default(), None) };
    }

    /// The run that is under way at this position.
    pub(crate) fn run_at(&self, position: Position) -> Option<Arc<str>> {
        let live = self.lock();
        let goes_on = |run: &&Span| run.first < position && run.last.is_none_or(|last| position <= last);
        live.run.as_ref().filter(goes_on).map(|run| Arc::clone(&run.run_id))
    }

    /// True if a run is under way.
    pub(crate) fn has_run(&self) -> bool {
        self.lock().has_run()
    }

    /// Appends entries that are not part of a commit.
    pub(crate) fn push(&self, new: impl IntoIterator<Item = LogEntry>) {
        let mut live = self.lock();
        for entry in new {
            let behind = live.end.next();
            live.append(Told { entry, behind }, self.most_bytes);
        }
    }

    /// Appends the last entries of the commit that makes this revision.
    pub(crate) fn commit(&self, revision: Revision, new: Vec<LogEntry>) {
        let mut live = self.lock();
        Told::of_commit(live.end, revision, new).for_each(|told| live.append(told, self.most_bytes));
        live.end = Position::behind(revision);
    }

    /// Follows what is told from this position on; ends at once if it does not [reach](Self::reaches) it.
    pub(crate) fn tail(self: &Arc<Self>, position: Position) -> Tail {
        let live = self.lock();
        let (missed, clients) = match live.index_of(position) {
            Some(index) => (live.told.range(index..).map(Arc::downgrade).collect(), live.clients.subscribe()),
            None => (VecDeque::new(), broadcast::channel(1).1),
        };
        Tail { hub: Arc::clone(self), at: position, missed, clients }
    }

    /// Follows what is told from now on.
    pub(crate) fn tail_from_now(self: &Arc<Self>) -> Tail {
        self.tail(self.position())
    }

    /// True if a client can continue at this position.
    pub(crate) fn reaches(&self, position: Position) -> bool {
        self.lock().index_of(position).is_some()
    }

    /// Drops the entries of a run that is over and that all clients have read: who reconnects finds them in the messages.
    fn drop_read(&self) {
        let mut live = self.lock();
        // A client that has one still to read has its pointer, in the channel or in hand.
        let are_read = |live: &Live| live.told.iter().all(|told| Arc::weak_count(told) == 0);
        if !live.has_run() && are_read(&live) {
            (live.told, live.before_first, live.bytes) = (VecDeque::new(), live.end, 0);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Live> {
        // Entries are only pushed and popped, so a panic elsewhere cannot have left them half-written.
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Live {
    fn new(end: Position, run: Option<&str>) -> Self {
        Self {
            end,
            run: run.map(|run| Span { run_id: run.into(), first: Position::default(), last: None }),
            told: VecDeque::new(),
            before_first: end,
            bytes: 0,
            clients: broadcast::Sender::new(LAG),
            parting: VecDeque::new(),
        }
    }

    fn has_run(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.last.is_none())
    }

    /// The index of the entry behind a position; `None` if that is not kept, or is none.
    fn index_of(&self, position: Position) -> Option<usize> {
        if position == self.end {
            return Some(self.told.len());
        }
        if position == self.before_first {
            return Some(0);
        }
        self.told.iter().position(|told| told.behind == position).map(|before| before + 1)
    }

    fn append(&mut self, told: Told, most_bytes: usize) {
        let told = Arc::new(told);
        match &told.entry.mark {
            RunMark::Nothing | RunMark::Restarts => {}
            RunMark::Begins(run_id) => {
                self.run = Some(Span { run_id: Arc::clone(run_id), first: self.end, last: None });
            }
            RunMark::Ends(_) => {
                if let Some(run) = &mut self.run {
                    run.last = Some(self.end);
                }
            }
        }
        self.parting.clear();
        self.end = told.behind;
        self.bytes += told.entry.bytes();
        // It fails if nobody follows.
        let _ = self.clients.send(Arc::downgrade(&told));
        self.told.push_back(told);
        // The last one stays, even if it is longer.
        while self.bytes > most_bytes
            && self.told.len() > 1
            && let Some(oldest) = self.told.pop_front()
        {
            self.bytes -= oldest.entry.bytes();
            self.before_first = oldest.behind;
        }
    }
}

/// Follows what a conversation's clients are told.
#[derive(Debug)]
pub(crate) struct Tail {
    hub: Arc<Hub>,
    at: Position,
    /// The entries before those of the channel.
    missed: VecDeque<Weak<Told>>,
    clients: broadcast::Receiver<Weak<Told>>,
}

impl Tail {
    /// Waits until the conversation's state has changed, or may have.
    pub(crate) async fn next_change(&mut self) {
        while let Some(told) = self.next().await {
            if told.entry.kind == EntryKind::StateChange {
                return;
            }
        }
    }

    /// Waits for the next entry; `None` if the client was too slow, or another server took over.
    pub(crate) async fn next(&mut self) -> Option<Arc<Told>> {
        loop {
            let told = match self.missed.pop_front() {
                Some(missed) => Ok(missed),
                None => {
                    if self.clients.is_empty() {
                        self.hub.drop_read();
                    }
                    self.clients.recv().await
                }
            };
            match told {
                Ok(told) => {
                    let told = told.upgrade()?;
                    self.at = told.behind;
                    return Some(told);
                }
                Err(RecvError::Lagged(_)) => *self = self.hub.tail(self.at),
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Hub, LAG, LogEntry, Position, Tail};
    use crate::store::{Entry, Revision};
    use ag_ui_stream::outcome::RunOutcome;
    use futures_util::FutureExt as _;
    use question_agent::ag_ui::{Edition, wire};
    use std::sync::Arc;

    fn next(tail: &mut Tail) -> Option<Position> {
        let told = tail.next().now_or_never()?;
        Some(told.expect("it goes on").behind)
    }

    fn ended(run: &str) -> LogEntry {
        let outcome = RunOutcome::Success { pending_tool_call_ids: Vec::new() };
        LogEntry::event(&wire::run_finished(Edition::Current, "t", run, outcome))
    }

    fn started(run: &str) -> LogEntry {
        LogEntry::event(&wire::run_started("t", run, Vec::new()))
    }

    #[test]
    fn events_are_kept_until_the_run_is_over_and_every_client_has_them() {
        let at = |frames| Position { frames, ..Position::default() };
        let hub = Arc::new(Hub::new(usize::MAX));
        let mut early = hub.tail_from_now();
        hub.push([started("r")]);
        assert!(hub.reaches(at(0)), "the run goes on");
        assert_eq!(hub.run_at(at(0)), None, "it has not started there");
        assert_eq!(hub.run_at(at(1)).as_deref(), Some("r"));
        let mut late = hub.tail(at(0));
        assert_eq!(next(&mut late), Some(at(1)));
        hub.push([ended("r")]);
        assert_eq!([(); 3].map(|()| next(&mut early)), [Some(at(1)), Some(at(2)), None]);
        assert!(hub.reaches(at(0)), "the other has not read");
        assert_eq!(hub.run_at(at(1)).as_deref(), Some("r"), "its end is to come");
        assert_eq!([(); 2].map(|()| next(&mut late)), [Some(at(2)), None]);
        assert!(!hub.reaches(at(0)) && hub.reaches(at(2)), "a client that comes now reads the messages");
        assert_eq!(hub.run_at(at(2)), None);
    }

    #[test]
    fn a_client_that_lags_behind_gets_all_that_is_kept_and_has_to_reconnect_for_more() {
        for (most_bytes, is_kept) in [(usize::MAX, true), (1000, false)] {
            let hub = Arc::new(Hub::new(most_bytes));
            let mut slow = hub.tail_from_now();
            hub.push((0..2 * LAG).map(|_| started("r")));
            hub.push([ended("r")]);
            if is_kept {
                for frames in 1..=2 * LAG as u64 + 1 {
                    assert_eq!(next(&mut slow), Some(Position { frames, ..Position::default() }));
                }
                assert_eq!(next(&mut slow), None);
            } else {
                assert!(slow.next().now_or_never().expect("it ends").is_none());
            }
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn what_one_client_is_about_to_read_is_not_dropped_by_another_that_has_read() {
        const RUNS: usize = 5_000;
        let hub = Arc::new(Hub::new(usize::MAX));
        let follow = || {
            let mut tail = hub.tail_from_now();
            tokio::spawn(async move {
                let mut read = 0;
                while tail.next().await.is_some() {
                    read += 1;
                }
                read
            })
        };
        let clients = [follow(), follow(), follow()];
        for _ in 0..RUNS {
            let before = hub.position();
            hub.push([started("r"), ended("r")]);
            while hub.reaches(before) {
                tokio::task::yield_now().await;
            }
        }
        hub.restart(Revision(1), None);
        for client in clients {
            assert_eq!(client.await.expect("it ends"), 2 * RUNS);
        }
    }

    #[test]
    fn a_commit_from_elsewhere_has_the_same_end_everywhere() {
        let [before, after] = [7, 8].map(|revision| Position::behind(Revision(revision)));
        let hub = Arc::new(Hub::new(usize::MAX));
        let mut missed = hub.tail_from_now();
        hub.restart(before.revision, None);
        assert!(missed.next().now_or_never().expect("it ends").is_none());
        let mut tail = hub.tail(before);
        let told = LogEntry::to_stored(&[started("r"), ended("r")]);
        hub.catch_up(&Entry { revision: after.revision, run: None, told });
        let within = Position { frames: 1, is_stored: true, ..before };
        assert_eq!([(); 2].map(|()| next(&mut tail)), [Some(within), Some(after)]);
        assert!(hub.reaches(after));
        let live = Position { is_stored: false, ..within };
        assert!(!hub.reaches(live) && hub.tail(live).next().now_or_never().expect("it ends").is_none());
        hub.push([started("r2")]);
        let live = Position { frames: 1, ..after };
        assert_eq!(next(&mut tail), Some(live));
        assert_eq!((hub.run_at(after), hub.run_at(live).as_deref()), (None, Some("r2")));
    }
}
