//! The conversation's id in the page's address, behind the `#`. A reload, a bookmark and a second tab open the same conversation, and no
//! server logs the id.

use crate::storage::Shelf;
use js_sys::{decode_uri_component, encode_uri_component};
use leptos::prelude::window;
use wasm_bindgen::JsValue;

/// The prefix of the id in the fragment.
const MARK: &str = "#c=";

/// The key in the tab's storage for the agent and the id of a conversation that has uploaded files but no message yet.
const NEW: &str = "agent-chat new";

/// The maximum length of an id in an address, in bytes: `question_agent::ag_ui::MAX_ID_BYTES`.
const LONGEST_ID: usize = 200;

/// Returns the id in the address, if it has one that `question-server` takes.
pub(crate) fn conversation() -> Option<String> {
    let fragment = window().location().hash().ok()?;
    let id = String::from(decode_uri_component(fragment.strip_prefix(MARK)?).ok()?);
    let is_id = (1..=LONGEST_ID).contains(&id.len()) && !id.contains(char::is_control);
    // Browsers resolve `.` and `..` in a path, even percent-encoded.
    (is_id && id != "." && id != "..").then_some(id)
}

/// Replaces the fragment of the address by this id, without a new entry in the browser's history.
pub(crate) fn name_conversation(id: &str) {
    Shelf::Tab.remove(NEW);
    let history = window().history();
    if let Ok(history) = history {
        let state = history.state().unwrap_or(JsValue::NULL);
        let id = String::from(encode_uri_component(id));
        // A document without an address, such as `about:blank`, rejects this.
        let _ = history.replace_state_with_url(&state, "", Some(&[MARK, &id].concat()));
    }
}

/// Returns the id that [`keep_new`] stored for a conversation with this agent.
pub(crate) fn new_conversation(agent: &str) -> Option<String> {
    let kept = Shelf::Tab.read(NEW)?;
    Some(kept.strip_prefix(agent)?.strip_prefix(' ')?.to_owned())
}

/// Stores the id of a conversation that has no message yet, since the server keeps its files under that id.
pub(crate) fn keep_new(agent: &str, id: &str) {
    if conversation().is_none() {
        // If the storage is full, a reload starts another conversation.
        Shelf::Tab.write(NEW, &[agent, " ", id].concat());
    }
}
