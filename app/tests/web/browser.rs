//! The browser, controlled by a test.

use js_sys::Array;
use leptos::prelude::window;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(module = "/tests/web/browser.js")]
extern "C" {
    /// Hides or shows the page.
    pub(crate) fn hide(is_hidden: bool);
    /// Sets the user's future answer when the page asks for permission to notify, and the permission until then. `never` is a browser whose
    /// pages can't notify.
    pub(crate) fn let_notify(will_answer: &str, permission: &str);
    fn notifications() -> Array;
    /// Lets this number of milliseconds pass.
    pub(crate) fn turn_clock(milliseconds: u32);
    /// Clicks the last notification.
    pub(crate) fn click_notification();
    /// Lets the browser do what it has to do by now.
    pub(crate) async fn next_task();
    /// Another tab, or a script of this page, stores this.
    pub(crate) fn is_stored(key: &str, value: Option<&str>);
    fn lay_beside_page(path: &str, text: &str);
    /// Takes a file beside the page away.
    pub(crate) fn remove_beside_page(path: &str);
}

/// The notifications: true if open, the title, the text.
pub(crate) fn notified() -> Vec<String> {
    notifications().iter().filter_map(|notification| notification.as_string()).collect()
}

/// The stored value of the setting with this name.
pub(crate) fn kept(setting: &str) -> Option<String> {
    let storage = window().local_storage().expect("there is a storage");
    let key = format!("chat-page {setting}");
    storage?.get_item(&key).expect("it can be read")
}

/// The sheet of a language that is not English, if there is one.
pub(crate) fn sheet(language: &str) -> Option<&'static str> {
    SHEETS.into_iter().find_map(|(tag, sheet)| (tag == language).then_some(sheet))
}

const SHEETS: [(&str, &str); 4] = [
    ("de", include_str!("../../../crates/question-card/languages/de.json")),
    ("ar", include_str!("../../../crates/question-card/languages/ar.json")),
    ("ja", include_str!("../../../crates/question-card/languages/ja.json")),
    ("es", include_str!("../../../crates/question-card/languages/es.json")),
];

/// Clears the storage, shows the page, and goes to an address with this query.
pub(crate) fn begin_anew(query: &str) {
    hide(false);
    for (tag, sheet) in SHEETS {
        lay_beside_page(&format!("languages/{tag}.json"), sheet);
    }
    let storage = window().local_storage().expect("there is a storage");
    storage.expect("there is a storage").clear().expect("it forgets");
    let history = window().history().expect("there is a history");
    let path = window().location().pathname().expect("there is an address");
    history.replace_state_with_url(&JsValue::NULL, "", Some(&(path + query))).expect("it goes there");
}

/// The query of the page's address.
pub(crate) fn query() -> String {
    window().location().search().expect("there is an address")
}
