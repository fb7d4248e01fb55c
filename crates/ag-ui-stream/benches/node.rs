//! The measurements of `cargo xtask bench stream` in Node: the same as natively, called as a page calls them, by a `Uint8Array` a chunk.
#![cfg(target_arch = "wasm32")]

mod input;
mod ours;

use input::{CHUNK, SIZES};
use js_sys::{Date, Uint8Array};
use wasm_bindgen::prelude::*;

/// The names of the sizes, smallest first.
#[wasm_bindgen]
pub fn sizes() -> Vec<String> {
    SIZES.map(|(name, _)| name.to_owned()).into()
}

/// As many bytes as a network gives at once.
#[wasm_bindgen]
pub fn chunk() -> usize {
    CHUNK
}

/// A run that asks one question.
#[wasm_bindgen]
pub struct Input(input::Input);

#[wasm_bindgen]
impl Input {
    /// The input of one of the [`sizes`], by its index.
    #[wasm_bindgen(constructor)]
    pub fn new(size: usize) -> Self {
        Self(input::Input::of(SIZES[size].1))
    }

    /// The stream. Each event is one frame, ended by a blank line.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.bytes.clone()
    }

    /// The number of its events.
    pub fn events(&self) -> usize {
        self.0.events
    }

    /// The JSON that the deltas add up to.
    pub fn arguments(&self) -> String {
        self.0.arguments.clone()
    }
}

/// This number of earlier messages, as JSON.
#[wasm_bindgen]
pub fn history(length: usize) -> String {
    serde_json::to_string(&input::history(length)).expect("messages are JSON")
}

/// Frames alone.
#[wasm_bindgen]
#[derive(Default)]
pub struct Frames(ours::Frames);

#[wasm_bindgen]
impl Frames {
    /// At the start of a response.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a chunk of it.
    pub fn feed(&mut self, chunk: &Uint8Array) {
        self.0.feed(&chunk.to_vec());
    }

    /// The bytes of all data.
    pub fn length(&self) -> usize {
        self.0.length
    }
}

/// Typed events, verified.
#[wasm_bindgen]
#[derive(Default)]
pub struct Events(ours::Events);

#[wasm_bindgen]
impl Events {
    /// At the start of a response.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a chunk of it.
    pub fn feed(&mut self, chunk: &Uint8Array) {
        self.0.feed(&chunk.to_vec());
    }

    /// The bytes of all deltas.
    pub fn length(&self) -> usize {
        self.0.length
    }
}

/// Verified events, applied to messages and state, and growing asks.
#[wasm_bindgen]
pub struct Whole(ours::Whole);

#[wasm_bindgen]
impl Whole {
    /// At the start of a response, after this number of messages.
    #[wasm_bindgen(constructor)]
    pub fn new(earlier: usize) -> Self {
        Self(ours::Whole::after(input::history(earlier)))
    }

    /// Takes a chunk of it.
    pub fn feed(&mut self, chunk: &Uint8Array) {
        self.0.feed(Date::now() as u64, &chunk.to_vec());
    }

    /// The arguments as the messages hold them.
    pub fn arguments(&self) -> Option<String> {
        self.0.arguments().map(str::to_owned)
    }

    /// The ask as JSON, once it is complete.
    pub fn ask(&self) -> Option<String> {
        let ask = self.0.ask()?.ask.as_ref()?;
        Some(serde_json::to_string(&**ask).expect("an ask is JSON"))
    }
}
