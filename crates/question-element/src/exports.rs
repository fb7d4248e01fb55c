//! The agent's side, as JavaScript calls it.

use crate::agent;
use wasm_bindgen::prelude::wasm_bindgen;

/// As [`agent::tool_definition`]; throws where it gives an error, as all of these do.
#[wasm_bindgen(js_name = toolDefinition)]
pub fn tool_definition(profile: &str) -> Result<String, String> {
    agent::tool_definition(profile)
}

/// As [`agent::check`].
#[wasm_bindgen]
pub fn check(profile: &str, arguments: &str) -> Result<String, String> {
    agent::check(profile, arguments)
}

/// As [`agent::parse_reply`].
#[wasm_bindgen(js_name = parseReply)]
pub fn parse_reply(ask: &str, reply: &str) -> Result<String, String> {
    agent::parse_reply(ask, reply)
}

/// As [`agent::match_message`].
#[wasm_bindgen(js_name = matchMessage)]
pub fn match_message(ask: &str, text: &str, partial: &str) -> Result<String, String> {
    agent::match_message(ask, text, partial)
}
