//! A page that keeps messages and state.

use ag_ui_stream::{EventReader, Thread};
use wasm_bindgen::prelude::*;

/// One conversation.
#[wasm_bindgen]
#[derive(Default)]
pub struct Page {
    reader: EventReader,
    thread: Thread,
}

#[wasm_bindgen]
impl Page {
    /// A conversation in which nothing was said.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes, and gives why the response is refused, if it is.
    pub fn feed(&mut self, bytes: &[u8]) -> Option<String> {
        self.reader.feed(bytes);
        while let Some(event) = self.reader.next_ref() {
            match event {
                Ok(event) => drop(self.thread.handle_event(&event)),
                Err(error) => return Some(error.code.as_str().to_owned()),
            }
        }
        None
    }

    /// Ends the response. Returns the way it ended.
    pub fn finish(&mut self) -> String {
        let rest = self.reader.finish();
        for event in &rest.events {
            self.thread.handle_event(event);
        }
        self.thread.handle_end(&rest.end);
        rest.end.outcome.as_str().to_owned()
    }

    /// All that was said.
    #[must_use]
    pub fn text(&self) -> String {
        self.thread.messages().iter().map(|message| message.text().into_owned()).collect()
    }

    /// The agent's state, as JSON.
    #[must_use]
    pub fn state(&self) -> String {
        self.thread.state().to_string()
    }
}
