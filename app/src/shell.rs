//! The page's frame, as `index.html` has drawn it. The user may be writing in it already, so the program hydrates it.

use leptos::prelude::*;
use leptos::tachys::view::Position;
use std::any::Any;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement};

/// The place for the program's own parts of the frame.
///
/// # Panics
/// If the document is not `index.html`.
#[must_use]
pub fn place() -> HtmlElement {
    part(".talk")
}

/// Shows a view at the end of the [place] until the current owner is cleaned up.
///
/// # Panics
/// If the document is not `index.html`.
pub(crate) fn show(view: impl IntoView<State: 'static>) {
    let mut shown = view.into_view().build();
    shown.mount(&place(), None);
    let shown: StoredValue<Box<dyn Mountable>, _> = StoredValue::new_local(Box::new(shown));
    on_cleanup(move || {
        shown.try_update_value(|shown| shown.unmount());
    });
}

/// Lets a view take over the element of the frame that the selector finds: text, selection and focus stay. The view ends with the
/// current owner, and the element waits for the next one.
///
/// # Panics
/// If the document is not `index.html`, or the view has other elements.
#[track_caller]
pub fn adopt<V: IntoView<State: 'static>>(selector: &str, view: V) {
    let element: Element = part(selector);
    remove_blanks(&element);
    // Not as from a server: each text and attribute is written again, since `boot.js` may know another language.
    let state: Box<dyn Any> = Box::new(view.hydrate_from_position::<false>(&element, Position::Current));
    StoredValue::new_local(state);
}

/// Notifies `boot.js`, which has kept the user's input until now.
///
/// # Panics
/// If the document is not `index.html`.
pub(crate) fn has_adopted(selector: &str) {
    let element: Element = part(selector);
    // Making and dispatching an event can't fail.
    let _ = Event::new("adopted").map(|event| element.dispatch_event(&event));
}

/// Removes the blanks between elements, which a view does not have.
fn remove_blanks(element: &Element) {
    let children = element.child_nodes();
    if children.length() > 1 {
        // From the end, since the list is live.
        for child in (0..children.length()).rev().filter_map(|at| children.get(at)) {
            match child.dyn_into::<Element>() {
                Ok(child) => remove_blanks(&child),
                // Its parent is known.
                Err(blank) => drop(element.remove_child(&blank)),
            }
        }
    }
}

/// The frame's element that the selector finds.
///
/// # Panics
/// If the document is not `index.html`.
#[track_caller]
pub(crate) fn part<T: JsCast>(selector: &str) -> T {
    let found = document().query_selector(selector).expect("a valid selector");
    found.and_then(|element| element.dyn_into().ok()).expect("index.html has it")
}
