//! What is measured, from the bytes of an [`Input`](crate::input::Input) to as far as each stage reads.

use crate::input::CALL;
use ag_ui_stream::event::EventType;
use ag_ui_stream::sse::Decoder;
use ag_ui_stream::{Asks, EventReader, Message, Thread};
use ask_user_question::AskSnapshot;
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
        while let Some(Ok(event)) = self.reader.next_event() {
            let event = black_box(event);
            if event.kind() == EventType::ToolCallArgs {
                self.length += event.delta().len();
            }
        }
    }
}

/// What a page does with a response: verified events, applied to messages and state, and growing asks.
pub(crate) struct Whole {
    reader: EventReader,
    thread: Thread,
    asks: Asks,
}

impl Whole {
    pub(crate) fn after(history: Vec<Message>) -> Self {
        Self { reader: EventReader::new(), thread: Thread::new(history), asks: Asks::new() }
    }

    pub(crate) fn feed(&mut self, now: u64, chunk: &[u8]) {
        self.reader.feed(chunk);
        while let Some(Ok(event)) = self.reader.next_event() {
            black_box(self.thread.handle_event(&event));
            black_box(self.asks.handle_event(now, &event));
        }
    }

    /// The ask, with its questions complete once all was fed.
    pub(crate) fn ask(&self) -> Option<&AskSnapshot> {
        self.asks.ask(CALL)
    }

    /// The arguments as the messages hold them.
    pub(crate) fn arguments(&self) -> Option<&str> {
        let call = self.thread.messages().last()?.tool_calls().last()?;
        Some(&call.arguments)
    }
}
