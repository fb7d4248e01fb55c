//! A conversation's events, as its server sends them to every client: each once and in order, from any connection or tab.

use ag_ui_stream::event::EventType;
use ag_ui_stream::sse::Frame;
use ag_ui_stream::{Event, EventReader};
use json_tree::Json;

/// The position in the events of one conversation.
#[derive(Debug, Default)]
pub(crate) struct Feed {
    /// The id of the last event that this tab has.
    position: Option<EventId>,
    reader: EventReader,
    /// The events since a reset, until the history has arrived.
    resetting: Option<Vec<Event>>,
    /// True after a reset, until the first id: every event is new.
    is_unpositioned: bool,
    /// The frames of the current run, for tabs that open in the middle of it.
    recent: Vec<Frame>,
}

/// Events that are new to this tab.
#[derive(Debug, Default)]
pub(crate) struct NewEvents {
    pub(crate) events: Vec<Event>,
    /// True if they replace the whole conversation.
    pub(crate) is_reset: bool,
}

/// An event id of `question-server`: `REVISION-COUNT`, the number of frames since that revision of the conversation. Each commit makes the
/// next revision. An id may have a mark at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct EventId {
    id: String,
    revision_length: usize,
    count: u64,
}

impl EventId {
    fn parse(id: &str) -> Option<Self> {
        let (revision, count) = id.rsplit_once('-')?;
        let count = count.trim_end_matches(|mark: char| !mark.is_ascii_digit());
        Some(Self { revision_length: revision.len(), count: count.parse().ok()?, id: id.to_owned() })
    }

    fn revision(&self) -> &str {
        self.id.get(..self.revision_length).unwrap_or_default()
    }

    /// The number of commits between this and a later event; `None` if they are not of one conversation.
    fn commits_until(&self, later: &Self) -> Option<i64> {
        let number = |id: &Self| i64::from_str_radix(id.revision(), 16).ok();
        match self.revision() == later.revision() {
            true => Some(0),
            false => number(later)?.checked_sub(number(self)?),
        }
    }
}

impl Feed {
    /// The id from which a connection resumes.
    pub(crate) fn last_id(&self) -> Option<&str> {
        Some(&self.position.as_ref()?.id)
    }

    pub(crate) fn recent(&self) -> &[Frame] {
        &self.recent
    }

    /// Resumes after a history. If a run of the conversation was in progress, resumes after its start, and returns that event.
    pub(crate) fn resume_from(&mut self, id: &str, run: Option<(&str, &str)>) -> Option<Event> {
        *self = Self { position: EventId::parse(id), ..Self::default() };
        let (thread_id, run_id) = run?;
        let started = [("type", "RUN_STARTED".into()), ("threadId", thread_id.into()), ("runId", run_id.into())];
        self.reader.feed_json(&Json::object(started).text());
        self.reader.next_event()?.ok()
    }

    /// Applies the next frame, from any source. Returns `None` if there is a gap before it: only the server has the missing events.
    pub(crate) fn take(&mut self, frame: Frame) -> Option<NewEvents> {
        if frame.event == "reset" {
            *self = Self { resetting: Some(Vec::new()), is_unpositioned: true, ..Self::default() };
            return Some(NewEvents::default());
        }
        let is_event = frame.event == "message";
        let at = EventId::parse(&frame.id);
        if self.resetting.is_some() {
            return self.take_reset_frame(frame, at);
        }
        match (&self.position, &at) {
            (Some(known), Some(at)) => match known.commits_until(at) {
                Some(0) if at.count == known.count + 1 => {}
                // The last frame of a commit, or the first one after a commit without any.
                Some(1) if at.count <= 1 => {}
                Some(0) if at.count > known.count => return None,
                Some(..=0) => return Some(NewEvents::default()),
                _ if !is_event => return Some(NewEvents::default()),
                _ => return None,
            },
            (None, _) if self.is_unpositioned => {}
            // Other frames are state changes, which the events contain as well.
            _ if !is_event => return Some(NewEvents::default()),
            _ => return None,
        }
        self.set_position(at);
        let events = match is_event {
            true => self.read(&frame.data),
            false => Some(Vec::new()),
        };
        let starts = |event: &Event| event.kind() == EventType::RunStarted;
        if events.iter().flatten().any(starts) {
            self.recent.clear();
        }
        self.recent.push(frame);
        events.map(|events| NewEvents { events, is_reset: false })
    }

    /// Applies a frame after a reset, up to the history, which arrives as part of a run.
    fn take_reset_frame(&mut self, frame: Frame, at: Option<EventId>) -> Option<NewEvents> {
        self.set_position(at);
        if frame.event != "message" {
            return Some(NewEvents::default());
        }
        let Some(more) = self.read(&frame.data) else {
            self.resetting = None;
            return None;
        };
        let mut events = self.resetting.take().unwrap_or_default();
        events.extend(more);
        let is_history = |event: &Event| event.kind() == EventType::MessagesSnapshot;
        if events.iter().any(is_history) {
            return Some(NewEvents { events, is_reset: true });
        }
        self.resetting = Some(events);
        Some(NewEvents::default())
    }

    fn set_position(&mut self, at: Option<EventId>) {
        self.is_unpositioned &= at.is_none();
        self.position = at;
    }

    /// The events of a frame; `None` if one is invalid.
    fn read(&mut self, data: &str) -> Option<Vec<Event>> {
        self.reader.feed_json(data);
        std::iter::from_fn(|| self.reader.next_event()).collect::<Result<_, _>>().ok()
    }
}
