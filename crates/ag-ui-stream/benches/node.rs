//! The measurements of `cargo xtask bench stream` in Node: the same stages as natively, called as a page calls them.
#![cfg(target_arch = "wasm32")]

mod input;
pub mod ours;

use input::{CHUNK, SIZES};
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
