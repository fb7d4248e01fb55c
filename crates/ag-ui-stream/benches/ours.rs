//! The measured stages, each from the bytes of an [`Input`](crate::input::Input) to its own result. Node calls them as a page does, by a
//! `Uint8Array` a chunk.

use crate::input::{CALL, history};
use ag_ui_stream::event::EventType;
use ag_ui_stream::sse::Decoder;
use ag_ui_stream::{Asks, Conversation, EventReader};
use ask_user_question::tool::NAMES;
use question_compat::READERS;
use std::hint::black_box;
use wasm_bindgen::prelude::*;

/// Frames alone.
#[wasm_bindgen]
#[derive(Default)]
pub struct Frames {
    decoder: Decoder,
    /// The bytes of all data so far.
    #[wasm_bindgen(readonly)]
    pub length: usize,
}

#[wasm_bindgen]
impl Frames {
    /// At the start of a response.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a chunk of it.
    pub fn feed(&mut self, chunk: &[u8]) {
        self.decoder.feed(chunk);
        while let Some(Ok(frame)) = self.decoder.next_frame() {
            self.length += black_box(frame).data.len();
        }
    }
}

/// Events, verified.
#[wasm_bindgen]
#[derive(Default)]
pub struct Events {
    reader: EventReader,
    /// The bytes of all deltas so far.
    #[wasm_bindgen(readonly)]
    pub length: usize,
}

#[wasm_bindgen]
impl Events {
    /// At the start of a response.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a chunk of it.
    pub fn feed(&mut self, chunk: &[u8]) {
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
#[wasm_bindgen]
pub struct Whole(Conversation);

#[wasm_bindgen]
impl Whole {
    /// At the start of a response, after this number of messages.
    #[wasm_bindgen(constructor)]
    pub fn after(earlier: usize) -> Self {
        Self(Conversation::new(Asks::new(NAMES, READERS).with_forms(), history(earlier)))
    }

    /// Takes a chunk of it. Nothing in it has a deadline.
    pub fn feed(&mut self, chunk: &[u8]) {
        self.0.feed(chunk);
        while let Some(update) = self.0.next_update(0) {
            black_box(update);
        }
    }

    /// The arguments as the messages hold them.
    pub fn arguments(&self) -> Option<String> {
        let call = self.0.thread().messages().last()?.tool_calls().last()?;
        Some(call.arguments.clone())
    }

    /// The ask as JSON, once it is complete.
    pub fn ask(&self) -> Option<String> {
        let ask = self.0.asks().ask(CALL)?.ask.as_ref()?;
        Some(serde_json::to_string(&**ask).expect("an ask is JSON"))
    }
}
