//! The measured stages, each from the bytes of an [`Input`](crate::input::Input) to its own result.

use crate::input::CALL;
use ag_ui_stream::event::EventType;
use ag_ui_stream::sse::Decoder;
use ag_ui_stream::{Asks, Conversation, EventReader, Message};
use ask_user_question::AskSnapshot;
use ask_user_question::tool::NAMES;
use question_compat::READERS;
use std::hint::black_box;

/// Frames alone.
#[derive(Default)]
pub(crate) struct Frames {
    decoder: Decoder,
    /// The bytes of all data so far.
    pub(crate) length: usize,
}

impl Frames {
    pub(crate) fn feed(&mut self, chunk: &[u8]) {
        self.decoder.feed(chunk);
        while let Some(Ok(frame)) = self.decoder.next_ref() {
            self.length += black_box(frame).data.len();
        }
    }
}

/// Typed events, verified.
#[derive(Default)]
pub(crate) struct Events {
    reader: EventReader,
    /// The bytes of all deltas so far.
    pub(crate) length: usize,
}

impl Events {
    pub(crate) fn feed(&mut self, chunk: &[u8]) {
        self.reader.feed(chunk);
        while let Some(Ok(event)) = self.reader.next_ref() {
            let event = black_box(event);
            if event.kind() == EventType::ToolCallArgs {
                self.length += event.delta().len();
            }
        }
    }
}

/// A page's handling of a response: verified events, applied to messages and state, and growing asks.
pub(crate) struct Whole(Conversation);

impl Whole {
    pub(crate) fn after(history: Vec<Message>) -> Self {
        Self(Conversation::new(Asks::new(NAMES, READERS).with_forms(), history))
    }

    pub(crate) fn feed(&mut self, now: u64, chunk: &[u8]) {
        self.0.feed(chunk);
        while let Some(update) = self.0.next_update(now) {
            black_box(update);
        }
    }

    /// The ask, with its questions complete once all was fed.
    pub(crate) fn ask(&self) -> Option<&AskSnapshot> {
        self.0.asks().ask(CALL)
    }

    /// The arguments as the messages hold them.
    pub(crate) fn arguments(&self) -> Option<&str> {
        let call = self.0.thread().messages().last()?.tool_calls().last()?;
        Some(&call.arguments)
    }
}
