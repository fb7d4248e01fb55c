//! The clipboard.

use crate::browser::callback;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    type ClipboardPromise;

    /// Throws if there is no clipboard, as on an insecure page.
    #[wasm_bindgen(js_namespace = ["navigator", "clipboard"], js_name = writeText, catch)]
    fn write_text(text: &str) -> Result<ClipboardPromise, JsValue>;

    #[wasm_bindgen(method)]
    fn then(this: &ClipboardPromise, done: &JsValue, refused: &JsValue);
}

/// Writes a text to the clipboard, and calls back with true if the browser allowed it.
///
/// A callback, because a future would add an executor to a page that has no other use for one.
pub fn write_to_clipboard(text: &str, told: impl Fn(bool) + 'static) {
    match write_text(text) {
        Ok(written) => {
            let settled = callback(move |reason| told(reason.is_undefined()));
            written.then(&settled, &settled);
        }
        Err(_) => told(false),
    }
}
