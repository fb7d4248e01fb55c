//! The headers that this browser stores for the origin of an agent, such as a key. They are sent to that origin and to no other.

use super::browser::stored;
use leptos::prelude::window;
use web_sys::{Headers, Url};

/// The headers that are stored for the origin of an agent's address.
#[must_use]
pub fn stored_headers(agent: &str) -> Vec<(String, String)> {
    let lines = key(agent).and_then(|key| stored()?.get_item(&key).ok()?).unwrap_or_default();
    let header = |line: &str| line.split_once(':').map(|(name, value)| (name.to_owned(), value.to_owned()));
    lines.lines().filter_map(header).collect()
}

/// Stores headers for the origin of an agent's address, in the place of earlier ones. Returns false, and changes nothing, if one of them is not legal or
/// the browser stores nothing.
pub fn store_headers(agent: &str, headers: &[(String, String)]) -> bool {
    let (Some(key), Some(storage), Ok(legal)) = (key(agent), stored(), Headers::new()) else { return false };
    if !headers.iter().all(|(name, value)| legal.append(name, value).is_ok()) {
        return false;
    }
    let lines: Vec<_> = headers.iter().map(|(name, value)| [name, ":", value].concat()).collect();
    match lines.is_empty() {
        true => storage.remove_item(&key),
        false => storage.set_item(&key, &lines.join("\n")),
    }
    .is_ok()
}

/// `None` for an address that has no origin to send to.
fn key(agent: &str) -> Option<String> {
    let url = Url::new_with_base(agent, &window().location().href().ok()?).ok()?;
    let origin = url.origin();
    (origin != "null").then(|| ["chat-page headers ", &origin].concat())
}
