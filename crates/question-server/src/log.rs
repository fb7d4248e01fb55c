//! The events of one conversation, written once and read by any number of clients, each at its own speed.

use crate::limits::ENTRY_BYTES;
use crate::store::feed::{Frame, Kind, Piece};
use crate::store::{Revision, StreamPosition};
use ag_ui_stream::Event;
use ag_ui_stream::event::EventType;
use ag_ui_stream::outcome::RunOutcome;
use question_agent::effect::StateChange;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::sync::{mpsc, watch};

/// One thing that happened, encoded once for all who read it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) frame: Frame,
    /// What it is in its run.
    mark: Mark,
}

#[derive(Clone, Debug)]
enum Mark {
    Nothing,
    /// The beginning of this run.
    Begins(Arc<str>),
    /// The end, which has an outcome where the run did not fail.
    Ends(Option<RunOutcome>),
}

impl Entry {
    pub(crate) fn event(event: &Event) -> Self {
        Self::new(Kind::AgUi, event, Mark::of(event))
    }

    pub(crate) fn state(change: &StateChange) -> Self {
        Self::new(Kind::StateChange, change, Mark::Nothing)
    }

    fn new(kind: Kind, data: &impl Serialize, mark: Mark) -> Self {
        let data = serde_json::to_string(data).expect("events and state changes have only strings for keys");
        Self { frame: Frame { kind, data: data.into() }, mark }
    }

    /// What another server has told.
    fn heard(frame: Frame) -> Self {
        // Only such events are read, of which a run has two: the rest goes on to clients as it is.
        let is_of_a_run = frame.kind == Kind::AgUi && frame.data.starts_with(r#"{"type":"RUN_"#);
        let event = is_of_a_run.then(|| serde_json::from_str(&frame.data).ok()).flatten();
        let mark = event.as_ref().map_or(Mark::Nothing, Mark::of);
        Self { frame, mark }
    }

    /// What it takes in memory, near enough.
    fn bytes(&self) -> usize {
        self.frame.data.len() + ENTRY_BYTES
    }

    /// Returns true if a run ends with it.
    pub(crate) fn is_end(&self) -> bool {
        matches!(self.mark, Mark::Ends(_))
    }

    /// The outcome of a run that ends with it and does not fail.
    pub(crate) fn outcome(&self) -> Option<&RunOutcome> {
        match &self.mark {
            Mark::Ends(outcome) => outcome.as_ref(),
            Mark::Nothing | Mark::Begins(_) => None,
        }
    }
}

impl Mark {
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
    /// What the entries that are kept may take in all.
    most_bytes: usize,
    entries: Mutex<Entries>,
    next: watch::Sender<u64>,
    outlet: Option<Outlet>,
}

/// Where it goes what other servers are to hear.
#[derive(Debug)]
struct Outlet {
    id: String,
    log: Weak<Log>,
    outbox: Outbox,
}

/// The logs that have something for other servers.
pub(crate) type Outbox = mpsc::UnboundedSender<Arc<Log>>;

#[derive(Debug)]
struct Entries {
    /// From which revision on positions are counted.
    since: Revision,
    first: u64,
    entries: VecDeque<Entry>,
    /// What they take in memory, near enough.
    bytes: usize,
    /// The runs that are told here, as far as their entries are kept.
    runs: VecDeque<Span>,
    /// The number of readers that have come to the present end and wait for more.
    waiting: usize,
    /// The position up to which other servers can know it.
    published: u64,
    /// True if it is on its way to them already.
    is_in_outbox: bool,
    /// What those are told last who have read since another revision.
    farewell: Option<(Revision, Entry)>,
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
    /// The break, behind which nothing comes any more. The next server tells what became of it.
    Farewell(Entry),
    /// It is not here any more, or has happened elsewhere: the reader was too slow, or another server went on.
    Gone,
}

impl Log {
    /// A log that continues after what has been told, and keeps at most `most_bytes` for slow readers.
    pub(crate) fn new(told: StreamPosition, most_bytes: usize) -> Self {
        let entries = Entries {
            since: told.since,
            first: told.frames,
            entries: VecDeque::new(),
            bytes: 0,
            runs: VecDeque::new(),
            waiting: 0,
            published: told.frames,
            is_in_outbox: false,
            farewell: None,
        };
        Self { most_bytes, entries: Mutex::new(entries), next: watch::Sender::new(told.frames), outlet: None }
    }

    /// The same of a conversation of which other servers hear.
    pub(crate) fn published(id: String, told: StreamPosition, most_bytes: usize, outbox: Outbox) -> Arc<Self> {
        Arc::new_cyclic(|log| {
            let outlet = Some(Outlet { id, log: Weak::clone(log), outbox });
            Self { outlet, ..Self::new(told, most_bytes) }
        })
    }

    /// The position up to which clients have been told.
    pub(crate) fn told(&self) -> StreamPosition {
        let entries = self.lock();
        StreamPosition { since: entries.since, frames: entries.next_position() }
    }

    /// Continues after what has been told elsewhere: a reader that missed that must come back.
    pub(crate) fn go_on_from(&self, told: StreamPosition) {
        let mut entries = self.lock();
        if (entries.since, entries.next_position()) == (told.since, told.frames) {
            return;
        }
        entries.begin_anew(told);
        self.next.send_replace(told.frames);
    }

    /// Ends with an entry that no other server will ever have told: its readers have to come back.
    pub(crate) fn break_off(&self, entry: Entry) {
        let mut entries = self.lock();
        let since = entries.since;
        entries.begin_anew(StreamPosition::default());
        entries.farewell = Some((since, entry));
        self.next.send_replace(0);
    }

    /// A run is told here that began elsewhere, and earlier.
    pub(crate) fn goes_on(&self, run_id: &str) {
        let mut entries = self.lock();
        if !entries.runs.iter().any(|run| *run.run_id == *run_id) {
            entries.runs.push_back(Span { run_id: run_id.into(), first: 0, last: None });
        }
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
        self.append(&mut entries, new);
        self.has_news(&mut entries);
    }

    /// The same of what the store has, and so every server.
    pub(crate) fn push_stored(&self, new: impl IntoIterator<Item = Entry>) {
        let mut entries = self.lock();
        self.append(&mut entries, new);
        entries.published = entries.next_position();
        self.has_news(&mut entries);
    }

    fn append(&self, entries: &mut Entries, new: impl IntoIterator<Item = Entry>) {
        for entry in new {
            let position = entries.next_position();
            match &entry.mark {
                Mark::Nothing => {}
                Mark::Begins(run_id) => {
                    let run_id = Arc::clone(run_id);
                    entries.runs.push_back(Span { run_id, first: position, last: None });
                }
                Mark::Ends(_) => {
                    if let Some(run) = entries.runs.back_mut() {
                        run.last = Some(position);
                    }
                }
            }
            entries.waiting = 0;
            entries.bytes += entry.bytes();
            entries.entries.push_back(entry);
            entries.keep(self.most_bytes);
        }
        self.next.send_replace(entries.next_position());
    }

    /// Takes in what another server has told; false where something is missing in front of it.
    pub(crate) fn hear(&self, piece: Piece) -> bool {
        let mut entries = self.lock();
        let StreamPosition { since, frames: begin } = piece.behind;
        let (first, next) = (entries.first, entries.next_position());
        let end = begin + piece.frames.len() as u64;
        if since != entries.since || begin > next {
            return false;
        }
        if begin < first && end >= first {
            // What clients come back for that were told it elsewhere.
            let missed = piece.frames.iter().take((first - begin) as usize);
            for frame in missed.rev() {
                let entry = Entry { frame: frame.clone(), mark: Mark::Nothing };
                entries.bytes += entry.bytes();
                entries.entries.push_front(entry);
            }
            entries.first = begin;
        }
        if end > next {
            let new = piece.frames.into_iter().skip((next - begin) as usize);
            self.append(&mut entries, new.map(Entry::heard));
            // Which is not for this server to publish.
            entries.published = entries.next_position();
        }
        true
    }

    /// What other servers may not know yet.
    pub(crate) fn unpublished(&self) -> Vec<Frame> {
        self.lock().unpublished()
    }

    fn has_news(&self, entries: &mut Entries) {
        let Some(Outlet { log, outbox, .. }) = &self.outlet else {
            return;
        };
        if let Some(log) = log.upgrade().filter(|_| !entries.is_in_outbox) {
            // Where nobody takes it any more, the server is about to end.
            entries.is_in_outbox = outbox.send(log).is_ok();
        }
    }

    /// What goes to other servers out of the outbox.
    pub(crate) fn take_out(&self) -> Piece {
        let mut entries = self.lock();
        entries.is_in_outbox = false;
        let frames = entries.unpublished();
        let behind = StreamPosition { since: entries.since, frames: entries.next_position() - frames.len() as u64 };
        let id = self.outlet.as_ref().map(|outlet| outlet.id.clone()).unwrap_or_default();
        Piece { id, behind, frames }
    }

    /// Other servers can know so much.
    pub(crate) fn is_published(&self, told: StreamPosition) {
        let mut entries = self.lock();
        if entries.since == told.since {
            entries.published = entries.published.max(told.frames);
        }
    }

    /// A reader, which counts as one until it is dropped.
    pub(crate) fn reader(self: &Arc<Self>, position: u64) -> Reader {
        let since = self.lock().since;
        Reader { next: self.next.subscribe(), log: Arc::clone(self), since, position, is_over: false }
    }

    /// What is at a reader's position; where nothing is yet, the reader counts as waiting. Both under one lock, so that nothing it has not read can
    /// come and go in between.
    fn find_or_wait(&self, since: Revision, position: u64) -> Option<Found> {
        let mut entries = self.lock();
        if entries.since != since {
            let farewell = entries.farewell.as_ref().filter(|(read, _)| *read == since);
            return Some(farewell.map_or(Found::Gone, |(_, entry)| Found::Farewell(entry.clone())));
        }
        let found = entries.at(position);
        if found.is_none() {
            entries.wait(self.next.receiver_count());
        }
        found
    }

    /// Returns true if a run is told here that has not ended.
    pub(crate) fn is_under_way(&self) -> bool {
        self.lock().is_under_way()
    }

    /// Returns true if a reader that has been told this much can still read what follows.
    pub(crate) fn reaches(&self, told: StreamPosition) -> bool {
        let entries = self.lock();
        entries.since == told.since && (entries.first..=entries.next_position()).contains(&told.frames)
    }

    /// Until so much has been told, or something else altogether.
    pub(crate) async fn comes_to(&self, told: StreamPosition) {
        let mut next = self.next.subscribe();
        let is_there = |_: &u64| {
            let here = self.told();
            here.since != told.since || here.frames >= told.frames
        };
        // The sender lives in this log.
        let _ = next.wait_for(is_there).await;
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

    fn begin_anew(&mut self, told: StreamPosition) {
        self.clear();
        self.runs.clear();
        self.waiting = 0;
        (self.since, self.first, self.published) = (told.since, told.frames, told.frames);
    }

    fn unpublished(&self) -> Vec<Frame> {
        let known = self.published.saturating_sub(self.first);
        let entries = self.entries.iter().skip(usize::try_from(known).unwrap_or(usize::MAX));
        entries.map(|entry| entry.frame.clone()).collect()
    }

    fn is_under_way(&self) -> bool {
        self.runs.back().is_some_and(|run| run.last.is_none())
    }

    /// One more of `readers` has read everything. What all have read is dropped: a client that comes back finds it in the messages.
    fn wait(&mut self, readers: usize) {
        self.waiting += 1;
        if !self.is_under_way() && self.waiting == readers {
            self.clear();
            self.entries.shrink_to_fit();
            self.runs.shrink_to_fit();
        }
    }

    fn clear(&mut self) {
        self.first = self.next_position();
        self.entries.clear();
        self.bytes = 0;
        self.runs.retain(|run| run.last.is_none());
    }

    /// Drops the oldest until the rest is no longer than that. The last one stays, even if it is longer.
    fn keep(&mut self, most_bytes: usize) {
        while self.bytes > most_bytes
            && self.entries.len() > 1
            && let Some(oldest) = self.entries.pop_front()
        {
            self.bytes -= oldest.bytes();
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
    /// True if it has been told how all this broke off.
    is_over: bool,
}

impl Reader {
    /// What a reader at this position has been told.
    pub(crate) fn told(&self) -> StreamPosition {
        StreamPosition { since: self.since, frames: self.position }
    }

    /// Until the conversation's state has changed, or may have.
    pub(crate) async fn next_change(&mut self) {
        while let Found::Entry(entry) = self.next().await {
            if entry.frame.kind == Kind::StateChange {
                return;
            }
        }
    }

    /// The next entry, once there is one.
    pub(crate) async fn next(&mut self) -> Found {
        if self.is_over {
            return Found::Gone;
        }
        loop {
            self.next.mark_unchanged();
            if let Some(found) = self.log.find_or_wait(self.since, self.position) {
                self.position += 1;
                self.is_over = matches!(found, Found::Farewell(_));
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
    told: StreamPosition,
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
    use super::{Entry, Found, Log};
    use crate::store::{Revision, StreamPosition};
    use ag_ui_stream::outcome::RunOutcome;
    use futures_util::FutureExt as _;
    use question_agent::ag_ui::{Edition, wire};
    use std::sync::Arc;

    fn is_entry(found: Option<Found>) -> bool {
        matches!(found, Some(Found::Entry(_)))
    }

    #[test]
    fn events_are_kept_until_the_run_is_over_and_every_reader_has_them() {
        let told = |frames| StreamPosition { since: Revision(7), frames };
        let log = Arc::new(Log::new(told(0), usize::MAX));
        let (mut one, mut other) = (log.reader(0), log.reader(0));
        log.push([Entry::event(&wire::run_started("t", "r", Vec::new()))]);
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
        let event = wire::run_finished(Edition::Current, "t", "r", outcome);
        log.push([Entry::event(&event)]);
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
        log.push([Entry::event(&wire::run_started("t", "r2", Vec::new()))]);
        assert!(is_entry(first.now_or_never()) && is_entry(second.now_or_never()));
    }

    #[test]
    fn a_reader_that_missed_what_was_told_elsewhere_comes_back() {
        let told = |since, frames| StreamPosition { since: Revision(since), frames };
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
