//! What the reader makes of a stream.

use ag_ui_stream::event::EventType;
use ag_ui_stream::reader::End;
use ag_ui_stream::sse::{OutFrame, write_frame};
use ag_ui_stream::warning::Warning;
use ag_ui_stream::{Event, EventReader, Message, Thread};
use serde_json::Value;

pub(crate) struct Run {
    /// What the run was started with.
    pub(crate) history: Vec<Message>,
    pub(crate) events: Vec<Event>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) thread: Thread,
    pub(crate) end: End,
}

impl Run {
    /// Reads events as frames, after the input (null where there is none) that the run was started with.
    pub(crate) fn of_events(input: &Value, events: &[Value]) -> Result<Self, String> {
        let mut text = String::new();
        for event in events {
            let data = event.to_string();
            let frame = OutFrame { data: &data, ..OutFrame::default() };
            write_frame(&mut text, frame).map_err(|error| error.to_string())?;
        }
        Self::of_bytes(input, text.as_bytes())
    }

    /// Reads bytes in one chunk and byte by byte, which must not make a difference.
    pub(crate) fn of_bytes(input: &Value, bytes: &[u8]) -> Result<Self, String> {
        let history = history(input)?;
        let whole = Self::read(history.clone(), input.get("state"), [bytes]);
        let bytes = Self::read(history, input.get("state"), bytes.chunks(1));
        if whole.events != bytes.events || whole.warnings != bytes.warnings || whole.end != bytes.end {
            return Err("byte by byte gives something else".to_owned());
        }
        Ok(whole)
    }

    fn read<'a>(history: Vec<Message>, state: Option<&Value>, chunks: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut reader = EventReader::new();
        let mut events = Vec::new();
        for chunk in chunks {
            reader.feed(chunk);
            while let Some(Ok(event)) = reader.next_event() {
                events.push(event);
            }
        }
        let end = reader.finish();
        while let Some(Ok(event)) = reader.next_event() {
            events.push(event);
        }
        let mut thread = Thread::new(history.clone());
        if let Some(state) = state {
            thread.handle_event(&Event::new(EventType::StateSnapshot, [("snapshot", state.clone().into())]));
        }
        for event in &events {
            thread.handle_event(event);
        }
        let mut warnings: Vec<Warning> = std::iter::from_fn(|| reader.next_warning()).collect();
        warnings.extend(std::iter::from_fn(|| thread.next_warning()));
        Self { history, events, warnings, thread, end }
    }
}

/// The messages of an input. Some clients give no ids to what their users and frontend tools say; those get one.
fn history(input: &Value) -> Result<Vec<Message>, String> {
    let messages = input["messages"].as_array().into_iter().flatten();
    let read = messages.cloned().enumerate().map(|(index, mut message)| {
        if let Some(members) = message.as_object_mut() {
            members.entry("id").or_insert_with(|| format!("input-{index}").into());
        }
        let message = Message::parse(&message.to_string());
        message.map_err(|error| format!("message {index} of its input: {error}"))
    });
    read.map(|read| Ok(read?.0)).collect()
}
