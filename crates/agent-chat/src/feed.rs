//! A conversation's events as its server tells them to every client: each once and in order, from whichever connection or tab they come.

use ag_ui_stream::event::EventType;
use ag_ui_stream::sse::Frame;
use ag_ui_stream::{Event, EventReader};
use json_tree::Json;

/// Follows the events of one conversation.
#[derive(Debug, Default)]
pub(crate) struct Feed {
    /// Up to where this tab has them.
    place: Option<Place>,
    reader: EventReader,
    /// What the server has told since it started again, until the history has come.
    anew: Option<Vec<Event>>,
    /// It started again, and no id has come since: everything is new.
    unplaced: bool,
    /// The frames of the present run, for tabs that came in its middle.
    recent: Vec<Frame>,
}

/// What a frame says.
#[derive(Debug)]
pub(crate) enum Told {
    /// These happened; perhaps none.
    Events(Vec<Event>),
    /// Everything starts again, with these.
    Anew(Vec<Event>),
    /// It does not follow what this tab has: only the server knows what is missing.
    Gap,
}

/// An event id of `question-server`: `REVISION-COUNT`, the number of frames since that revision of the conversation. The revision is another where an agent was
/// broken off and goes on: that is another life of the stream. An id that stands for a history alone has a mark behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    id: String,
    life: usize,
    count: u64,
}

impl Place {
    fn of(id: &str) -> Option<Self> {
        let (life, count) = id.rsplit_once('-')?;
        let count = count.trim_end_matches(|mark: char| !mark.is_ascii_digit());
        Some(Self { life: life.len(), count: count.parse().ok()?, id: id.to_owned() })
    }

    fn life(&self) -> &str {
        self.id.get(..self.life).unwrap_or_default()
    }
}

impl Feed {
    /// From where a connection is to go on.
    pub(crate) fn last_id(&self) -> Option<&str> {
        Some(&self.place.as_ref()?.id)
    }

    /// The frames of the present run so far.
    pub(crate) fn recent(&self) -> &[Frame] {
        &self.recent
    }

    /// Goes on behind a history, and, where a run of this conversation was under way then, behind its beginning, which is given.
    pub(crate) fn go_on_from(&mut self, id: &str, run: Option<(&str, &str)>) -> Option<Event> {
        *self = Self { place: Place::of(id), ..Self::default() };
        let (thread_id, run_id) = run?;
        let started = [("type", "RUN_STARTED".into()), ("threadId", thread_id.into()), ("runId", run_id.into())];
        self.reader.feed_json(&Json::object(started).text());
        self.reader.next_event()?.ok()
    }

    /// Takes the next frame, wherever it comes from.
    pub(crate) fn take(&mut self, frame: Frame) -> Told {
        if frame.event == "reset" {
            *self = Self { anew: Some(Vec::new()), unplaced: true, ..Self::default() };
            return Told::Events(Vec::new());
        }
        let is_event = frame.event == "message";
        let at = Place::of(&frame.id);
        if self.anew.is_some() {
            return self.take_anew(frame, at);
        }
        match (&self.place, &at) {
            (Some(known), Some(at)) if known.life() == at.life() => {
                if at.count <= known.count {
                    return Told::Events(Vec::new());
                }
                if at.count > known.count + 1 {
                    return Told::Gap;
                }
            }
            (None, _) if self.unplaced => {}
            // Where it stands now, which the events say as well.
            _ if !is_event => return Told::Events(Vec::new()),
            _ => return Told::Gap,
        }
        self.put(at);
        let events = match is_event {
            true => self.read(&frame.data),
            false => Some(Vec::new()),
        };
        let starts = |event: &Event| event.kind() == EventType::RunStarted;
        if events.iter().flatten().any(starts) {
            self.recent.clear();
        }
        self.recent.push(frame);
        events.map_or(Told::Gap, Told::Events)
    }

    /// Takes a frame on the way to the history, which is part of a run.
    fn take_anew(&mut self, frame: Frame, at: Option<Place>) -> Told {
        self.put(at);
        if frame.event != "message" {
            return Told::Events(Vec::new());
        }
        let Some(events) = self.read(&frame.data) else {
            self.anew = None;
            return Told::Gap;
        };
        let mut told = self.anew.take().unwrap_or_default();
        told.extend(events);
        let is_history = |event: &Event| event.kind() == EventType::MessagesSnapshot;
        if told.iter().any(is_history) {
            return Told::Anew(told);
        }
        self.anew = Some(told);
        Told::Events(Vec::new())
    }

    fn put(&mut self, at: Option<Place>) {
        self.unplaced &= at.is_none();
        self.place = at;
    }

    /// What an event frame holds; `None` where that is no event that can come here.
    fn read(&mut self, data: &str) -> Option<Vec<Event>> {
        self.reader.feed_json(data);
        std::iter::from_fn(|| self.reader.next_event()).collect::<Result<_, _>>().ok()
    }
}
