//! The clipboard.

use crate::browser::{callback, window};
use js_sys::{Function, Reflect};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};

/// Puts a text into the clipboard, and tells later whether the browser let it.
///
/// By callbacks: a future would bring all that runs futures into a page that has no other.
pub(crate) fn write_to_clipboard(text: &str, told: impl Fn(bool) + 'static) {
    let told = Rc::new(told);
    let tell = |is_done| {
        let told = told.clone();
        callback(move || told(is_done))
    };
    if call(&window().navigator(), text, &tell(true), &tell(false)).is_none() {
        told(false);
    }
}

/// None where there is no clipboard, as on a page that was not loaded securely.
fn call(navigator: &JsValue, text: &str, done: &JsValue, refused: &JsValue) -> Option<()> {
    let clipboard = Reflect::get(navigator, &"clipboard".into()).ok().filter(JsValue::is_object)?;
    let written =
        method(&clipboard, "writeText")?.call3(&clipboard, &text.into(), &JsValue::UNDEFINED, &JsValue::UNDEFINED);
    let written = written.ok()?;
    method(&written, "then")?.call3(&written, done, refused, &JsValue::UNDEFINED).ok().map(drop)
}

fn method(object: &JsValue, name: &str) -> Option<Function> {
    Some(Reflect::get(object, &name.into()).ok()?.unchecked_into())
}
