//! Arguments that a model sent in another form than the tool's own.

use ask_user_question::AskUserQuestion;
use json_tree::Json;
use wasm_bindgen::prelude::wasm_bindgen;

/// The repaired arguments as JSON; empty if nothing in them can be shown.
#[wasm_bindgen]
pub fn repair(arguments: &str) -> String {
    AskUserQuestion::from_arguments(arguments).map(|ask| Json::from(&ask).text()).unwrap_or_default()
}
