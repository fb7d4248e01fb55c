//! Arguments that a model sent in another form than the tool's own.

use json_tree::Json;
use wasm_bindgen::prelude::wasm_bindgen;

/// The repaired arguments as JSON; empty if nothing in them can be shown.
#[wasm_bindgen]
pub fn repair(arguments: &str) -> String {
    question_compat::from_arguments(arguments).map(|ask| Json::from(&ask).text()).unwrap_or_default()
}
