//! The clipboard.

use wasm_bindgen::JsValue;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    type Written;

    /// Fails where there is no clipboard, as on a page that was not loaded securely.
    #[wasm_bindgen(js_namespace = ["navigator", "clipboard"], js_name = writeText, catch)]
    fn write_text(text: &str) -> Result<Written, JsValue>;

    #[wasm_bindgen(method)]
    fn then(this: &Written, done: &JsValue, refused: &JsValue);
}

/// Puts a text into the clipboard, and tells later whether the browser let it.
///
/// By a callback: a future would bring all that runs futures into a page that has no other.
pub(crate) fn write_to_clipboard(text: &str, told: impl FnOnce(bool) + 'static) {
    match write_text(text) {
        Ok(written) => {
            // One for both ends, of which one comes: a callback is freed when it is called.
            let settled = Closure::once_into_js(move |reason: JsValue| told(reason.is_undefined()));
            written.then(&settled, &settled);
        }
        Err(_) => told(false),
    }
}
