//! A page that reads events, and nothing more.

use ag_ui_stream::EventReader;
use wasm_bindgen::prelude::*;

/// One response.
#[wasm_bindgen]
#[derive(Default)]
pub struct Page {
    reader: EventReader,
}

#[wasm_bindgen]
impl Page {
    /// A response of which nothing has come.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes, and gives the text that came with them, or why the response is refused.
    pub fn feed(&mut self, bytes: &[u8]) -> String {
        self.reader.feed(bytes);
        let mut text = String::new();
        while let Some(event) = self.reader.next_ref() {
            match event {
                Ok(event) => text.push_str(event.delta()),
                Err(error) => text.push_str(error.code.as_str()),
            }
        }
        text
    }

    /// The text that came last, and how the response ended.
    pub fn finish(&mut self) -> String {
        let rest = self.reader.finish();
        let mut text: String = rest.events.iter().map(|event| event.delta()).collect();
        text.push_str(rest.end.outcome.as_str());
        text
    }
}
