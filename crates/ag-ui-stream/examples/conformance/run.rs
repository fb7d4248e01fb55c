//! The reader's results for a stream.

use ag_ui_stream::conversation::Update;
use ag_ui_stream::event::EventType;
use ag_ui_stream::notice::Notice;
use ag_ui_stream::reader::End;
use ag_ui_stream::sse::{OutFrame, write_frame};
use ag_ui_stream::{Asks, Conversation, Event, Message, Thread};
use ask_user_question::tool::NAMES;
use question_compat::READERS;
use serde_json::Value;

pub(crate) struct Run {
    /// The messages that the run was started with.
    pub(crate) history: Vec<Message>,
    pub(crate) events: Vec<Event>,
    pub(crate) warnings: Vec<Notice>,
    pub(crate) end: End,
    conversation: Conversation,
}

impl Run {
    pub(crate) fn thread(&self) -> &Thread {
        self.conversation.thread()
    }

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
        let whole = Self::read(history.clone(), input.get("state"), [bytes])?;
        let bytes = Self::read(history, input.get("state"), bytes.chunks(1))?;
        if whole.events != bytes.events || whole.warnings != bytes.warnings || whole.end != bytes.end {
            return Err("byte by byte gives something else".to_owned());
        }
        Ok(whole)
    }

    fn read<'a>(
        history: Vec<Message>,
        state: Option<&Value>,
        chunks: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<Self, String> {
        let mut conversation = Conversation::new(Asks::new(NAMES, READERS).with_forms(), history.clone());
        if let Some(state) = state {
            conversation.handle_event(0, Event::new(EventType::StateSnapshot, [("snapshot", state.clone().into())]));
            // The input is no event of the run.
            while conversation.next_update(0).is_some() {}
        }
        let (mut events, mut warnings, mut end) = (Vec::new(), Vec::new(), None);
        let mut take_all = |conversation: &mut Conversation| {
            while let Some(update) = conversation.next_update(0) {
                match update {
                    Update::Event { event, .. } => events.push(event.into_owned()),
                    Update::Warning(warning) => warnings.push(warning),
                    Update::End(told) => end = Some(told),
                    // The end tells a refusal once more.
                    _ => {}
                }
            }
        };
        for chunk in chunks {
            conversation.feed(chunk);
            take_all(&mut conversation);
        }
        conversation.finish();
        take_all(&mut conversation);
        let end = end.ok_or("its end is not told")?;
        Ok(Self { history, events, warnings, end, conversation })
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
