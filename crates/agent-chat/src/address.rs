//! The conversation's id in the page's address, behind the `#`: a reload, a bookmark and a second tab come back to it, and no server's log gets it.

use leptos::prelude::window;
use wasm_bindgen::JsValue;

/// What stands before the id.
const MARK: &str = "#c=";

/// The longest id that is taken from an address.
const LONGEST_ID: usize = 100;

/// The id that the address names.
pub(crate) fn conversation() -> Option<String> {
    let fragment = window().location().hash().ok()?;
    let id = fragment.strip_prefix(MARK)?;
    let is_id =
        (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_id.then(|| id.to_owned())
}

/// Makes the address name this id, in the place of what it was.
pub(crate) fn name_conversation(id: &str) {
    let history = window().history();
    if let Ok(history) = history {
        let state = history.state().unwrap_or(JsValue::NULL);
        // A document without an address of its own refuses.
        let _ = history.replace_state_with_url(&state, "", Some(&format!("{MARK}{id}")));
    }
}
