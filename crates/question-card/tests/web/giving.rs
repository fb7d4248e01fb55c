//! Files that a user gives to an element. The tests of hook and page have this module, too.

use js_sys::{Array, Object, Reflect, Uint8Array};
use wasm_bindgen::JsValue;
use web_sys::{Element, Event, EventInit, File, FilePropertyBag};

pub(crate) fn file(name: &str, media_type: &str, bytes: &[u8]) -> File {
    let about = FilePropertyBag::new();
    about.set_type(media_type);
    let parts = Array::of1(&Uint8Array::from(bytes));
    File::new_with_u8_array_sequence_and_options(&parts, name, &about).expect("a file")
}

/// Gives files by `paste` or `drop`. Returns true if they are left to the browser.
pub(crate) fn give(by: &str, into: &Element, files: &[File]) -> bool {
    let init = EventInit::new();
    init.set_bubbles(true);
    init.set_cancelable(true);
    let event = Event::new_with_event_init_dict(by, &init).expect("an event");
    let data = Object::new();
    let list: Array = files.iter().collect();
    let put = |of: &JsValue, name: &str, value: &JsValue| Reflect::set(of, &name.into(), value).expect("it is set");
    put(&data, "files", &list);
    put(&data, "types", &Array::of1(&"Files".into()));
    put(&event, if by == "paste" { "clipboardData" } else { "dataTransfer" }, &data);
    into.dispatch_event(&event).expect("it is dispatched")
}
