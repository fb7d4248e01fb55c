//! The clipboard.

use crate::browser::callback;
use std::rc::Rc;
use wasm_bindgen::JsValue;
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
/// By callbacks: a future would bring all that runs futures into a page that has no other.
pub(crate) fn write_to_clipboard(text: &str, told: impl Fn(bool) + 'static) {
    let told = Rc::new(told);
    let tell = |is_done| {
        let told = told.clone();
        callback(move || told(is_done))
    };
    match write_text(text) {
        Ok(written) => written.then(&tell(true), &tell(false)),
        Err(_) => told(false),
    }
}
