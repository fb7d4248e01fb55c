//! The subscription of this tab to a conversation on its server.

use crate::feed::{Feed, NewEvents};
use ag_ui_stream::Event;
use ag_ui_stream::event::EventType;
use ag_ui_stream::sse::Frame;

/// The state of the subscription. It separates the responses to this tab's own requests from the events for all clients.
#[derive(Debug)]
pub(crate) struct Subscription {
    pub(crate) feed: Feed,
    state: SyncState,
    /// The current run on the server.
    run: Option<Run>,
    /// Runs that this tab has requested. Their events arrive in its response, and are skipped in the feed.
    own: Vec<String>,
}

/// This tab's state of the conversation, relative to the server's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SyncState {
    /// The server does not have it yet.
    New,
    /// The server may have it, although every request that could have started it seems lost.
    Unconfirmed,
    /// This tab has missed an event: it has to fetch the history.
    Stale,
    /// This tab has everything.
    Synced {
        /// True if the last run in the history died with its server. It is resumed on request.
        died: bool,
    },
}

#[derive(Debug)]
struct Run {
    id: String,
    is_own: bool,
}

impl Subscription {
    /// A subscription to a conversation that the server does not have yet.
    pub(crate) fn new() -> Self {
        Self { feed: Feed::default(), state: SyncState::New, run: None, own: Vec::new() }
    }

    /// A subscription to a conversation that the server has, unless it is gone.
    pub(crate) fn to_existing() -> Self {
        Self { state: SyncState::Stale, ..Self::new() }
    }

    /// Returns true if there is a conversation on the server to follow.
    pub(crate) fn is_active(&self) -> bool {
        self.state != SyncState::New
    }

    /// Returns true if it is not known if the server has the conversation.
    pub(crate) fn is_unconfirmed(&self) -> bool {
        self.state == SyncState::Unconfirmed
    }

    pub(crate) fn is_stale(&self) -> bool {
        matches!(self.state, SyncState::Unconfirmed | SyncState::Stale)
    }

    pub(crate) fn has_dead_run(&self) -> bool {
        self.state == SyncState::Synced { died: true }
    }

    /// Returns true if a run is open that this tab did not request.
    pub(crate) fn is_others_run(&self) -> bool {
        self.run.as_ref().is_some_and(|run| !run.is_own)
    }

    /// The server's id of the current run.
    pub(crate) fn run_id(&self) -> Option<&str> {
        Some(&self.run.as_ref()?.id)
    }

    /// Notes a run that this tab requests.
    pub(crate) fn start_own_run(&mut self, run_id: &str) {
        self.own.push(run_id.to_owned());
        self.set_dead_run(false);
    }

    /// Notes that the server has accepted a request of this tab.
    pub(crate) fn confirm(&mut self) {
        // The event stream continues a history, so that the history has to be fetched first.
        if matches!(self.state, SyncState::New | SyncState::Unconfirmed) {
            self.state = SyncState::Stale;
        }
    }

    /// Forgets the runs of this tab, whose result is not known any more. After the first one, it is not even known if there is a
    /// conversation.
    pub(crate) fn forget_own_runs(&mut self) {
        self.own.clear();
        self.state = match self.state {
            SyncState::New | SyncState::Unconfirmed => SyncState::Unconfirmed,
            SyncState::Stale | SyncState::Synced { .. } => SyncState::Stale,
        };
    }

    /// Notes that this tab has missed an event.
    pub(crate) fn invalidate(&mut self) {
        if matches!(self.state, SyncState::Synced { .. }) {
            self.state = SyncState::Stale;
        }
    }

    pub(crate) fn set_dead_run(&mut self, died: bool) {
        if let SyncState::Synced { died: current } = &mut self.state {
            *current = died;
        }
    }

    /// Notes that the history is known up to an event id, and the run that was open then. Returns the start event of that run.
    pub(crate) fn catch_up(&mut self, last_id: &str, run: Option<(&str, &str)>) -> Option<Event> {
        self.reset();
        self.run = run.map(|(_, id)| Run { id: id.to_owned(), is_own: false });
        self.feed.resume_from(last_id, run)
    }

    /// Applies a frame of the conversation's events. While this tab reads a response of its own, all other events are left out.
    pub(crate) fn take(&mut self, frame: Frame, is_reading: bool) -> NewEvents {
        let Some(mut new) = self.feed.take(frame) else {
            self.invalidate();
            return NewEvents::default();
        };
        new.is_reset &= !is_reading;
        if new.is_reset {
            self.reset();
        }
        new.events.retain(|event| self.is_new(event, is_reading));
        new
    }

    fn reset(&mut self) {
        self.state = SyncState::Synced { died: false };
        self.own.clear();
        self.run = None;
    }

    fn is_new(&mut self, event: &Event, is_reading: bool) -> bool {
        if event.kind() == EventType::RunStarted {
            let id = event.run_id().to_owned();
            self.run = Some(Run { is_own: self.own.contains(&id), id });
            self.set_dead_run(false);
        }
        let is_others = self.is_others_run();
        if matches!(event.kind(), EventType::RunFinished | EventType::RunError)
            && let Some(run) = self.run.take()
        {
            self.own.retain(|own| *own != run.id);
        }
        if is_others && is_reading {
            self.invalidate();
        }
        is_others && !is_reading
    }
}
