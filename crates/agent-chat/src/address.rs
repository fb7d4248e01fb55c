//! The conversation's id in the page's address, behind the `#`. A reload, a bookmark and a second tab open the same conversation, and no
//! server logs the id.

use leptos::prelude::window;
use wasm_bindgen::JsValue;

/// The prefix of the id in the fragment.
const MARK: &str = "#c=";

/// The maximum length of an id in an address, in bytes.
const LONGEST_ID: usize = 100;

/// Returns the id in the address, if it has a valid one.
pub(crate) fn conversation() -> Option<String> {
    let fragment = window().location().hash().ok()?;
    let id = fragment.strip_prefix(MARK)?;
    let is_id =
        (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_id.then(|| id.to_owned())
}

/// Replaces the fragment of the address by this id, without a new entry in the browser's history.
pub(crate) fn name_conversation(id: &str) {
    let history = window().history();
    if let Ok(history) = history {
        let state = history.state().unwrap_or(JsValue::NULL);
        // A document without an address, such as `about:blank`, rejects this.
        let _ = history.replace_state_with_url(&state, "", Some(&format!("{MARK}{id}")));
    }
}
