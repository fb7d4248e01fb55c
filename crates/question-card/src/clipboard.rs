//! The clipboard.

use crate::browser::window;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

/// Puts a text into the clipboard. Says whether the browser let it.
pub(crate) async fn write_to_clipboard(text: &str) -> bool {
    // A page that was not loaded securely has no clipboard.
    let clipboard = js_sys::Reflect::get(&window().navigator(), &"clipboard".into())
        .ok()
        .filter(wasm_bindgen::JsValue::is_object)
        .map(JsCast::unchecked_into::<web_sys::Clipboard>);
    match clipboard {
        Some(clipboard) => JsFuture::from(clipboard.write_text(text)).await.is_ok(),
        None => false,
    }
}
