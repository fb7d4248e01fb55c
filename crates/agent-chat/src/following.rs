//! How this tab stands to the conversation that the server has.

use crate::feed::{Feed, Told};
use ag_ui_stream::Event;
use ag_ui_stream::event::EventType;
use ag_ui_stream::sse::Frame;

/// Keeps what a tab reads as the response to its own request apart from what the server tells everybody.
#[derive(Debug)]
pub(crate) struct Following {
    pub(crate) feed: Feed,
    place: Place,
    /// The run that is under way as the server tells it.
    told: Option<Run>,
    /// Runs that this tab has asked for. It reads their events there, and skips them here.
    own: Vec<String>,
}

/// What this tab has of the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The server does not have it yet.
    New,
    /// The server may have it, though every request that could have started it seems to be lost.
    Unsure,
    /// Something happened that this tab has not seen: the server is to be asked for the history.
    Behind,
    /// Everything.
    InStep {
        /// Whether the run that the history ends in died with its server: it goes on when somebody asks for that.
        died: bool,
    },
}

#[derive(Debug)]
struct Run {
    id: String,
    is_own: bool,
}

/// What is new to this tab.
#[derive(Debug)]
pub(crate) struct News {
    pub(crate) events: Vec<Event>,
    /// Whether everything starts again with them.
    pub(crate) is_anew: bool,
}

impl Following {
    /// Of a conversation that the server does not have yet.
    pub(crate) fn of_new() -> Self {
        Self { feed: Feed::default(), place: Place::New, told: None, own: Vec::new() }
    }

    /// Of a conversation that the server has, unless it is gone.
    pub(crate) fn of_known() -> Self {
        Self { place: Place::Behind, ..Self::of_new() }
    }

    /// Whether there is something to follow.
    pub(crate) fn has_begun(&self) -> bool {
        self.place != Place::New
    }

    /// Whether it is not known if the server has the conversation.
    pub(crate) fn is_unsure(&self) -> bool {
        self.place == Place::Unsure
    }

    /// Whether the server is to be asked for the history.
    pub(crate) fn has_missed(&self) -> bool {
        matches!(self.place, Place::Unsure | Place::Behind)
    }

    /// Whether the run that the history ends in died with its server.
    pub(crate) fn has_died(&self) -> bool {
        self.place == Place::InStep { died: true }
    }

    /// Whether a run is under way that this tab did not ask for.
    pub(crate) fn is_others_turn(&self) -> bool {
        self.told.as_ref().is_some_and(|run| !run.is_own)
    }

    /// The run that is under way, as the server calls it.
    pub(crate) fn run_id(&self) -> Option<&str> {
        Some(&self.told.as_ref()?.id)
    }

    /// This tab asks for a run.
    pub(crate) fn start_run(&mut self, run_id: &str) {
        self.own.push(run_id.to_owned());
        self.set_died(false);
    }

    /// The server has taken something that this tab has sent.
    pub(crate) fn begin(&mut self) {
        // From its first run on, the events go on behind a history.
        if matches!(self.place, Place::New | Place::Unsure) {
            self.place = Place::Behind;
        }
    }

    /// It is not known any more what became of what this tab has sent. If it was the first, not even whether there is a conversation.
    pub(crate) fn lose_runs(&mut self) {
        self.own.clear();
        self.place = match self.place {
            Place::New | Place::Unsure => Place::Unsure,
            Place::Behind | Place::InStep { .. } => Place::Behind,
        };
    }

    /// Something happened that this tab has not seen.
    pub(crate) fn fall_behind(&mut self) {
        if matches!(self.place, Place::InStep { .. }) {
            self.place = Place::Behind;
        }
    }

    /// Learns whether the run that the history ends in died with its server.
    pub(crate) fn set_died(&mut self, died: bool) {
        if let Place::InStep { died: known } = &mut self.place {
            *known = died;
        }
    }

    /// Takes over that the history is known up to an event id, and which run was under way then, whose beginning is given.
    pub(crate) fn catch_up(&mut self, last_id: &str, run: Option<(&str, &str)>) -> Option<Event> {
        self.begin_anew();
        self.told = run.map(|(_, id)| Run { id: id.to_owned(), is_own: false });
        self.feed.go_on_from(last_id, run)
    }

    /// Takes a frame of the conversation's events. While this tab reads the response to its own request, nothing else is let in between.
    pub(crate) fn take(&mut self, frame: Frame, is_reading: bool) -> News {
        let (mut events, is_anew) = match self.feed.take(frame) {
            Told::Events(events) => (events, false),
            Told::Anew(events) => (events, true),
            Told::Gap => {
                self.fall_behind();
                (Vec::new(), false)
            }
        };
        if is_anew && !is_reading {
            self.begin_anew();
        }
        events.retain(|event| self.is_new(event, is_reading));
        News { events, is_anew: is_anew && !is_reading }
    }

    fn begin_anew(&mut self) {
        self.place = Place::InStep { died: false };
        self.own.clear();
        self.told = None;
    }

    fn is_new(&mut self, event: &Event, is_reading: bool) -> bool {
        if event.kind() == EventType::RunStarted {
            let id = event.run_id().to_owned();
            self.told = Some(Run { is_own: self.own.contains(&id), id });
            self.set_died(false);
        }
        let is_others = self.is_others_turn();
        if matches!(event.kind(), EventType::RunFinished | EventType::RunError)
            && let Some(run) = self.told.take()
        {
            self.own.retain(|own| *own != run.id);
        }
        if is_others && is_reading {
            self.fall_behind();
        }
        is_others && !is_reading
    }
}
