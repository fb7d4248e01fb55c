//! Tells which keys belong to an input method, in a card and in other fields of its page.

use crate::browser::{flag, match_media, node, number, text};
use crate::keyboard::ENTER;
use std::cell::{Cell, RefCell};
use web_sys::{Event, Node};

/// The `keyCode` that some browsers report while an input method has the key, with or without `isComposing`.
const KEY_CODE_COMPOSING: f64 = 229.0;
const KEY_CODE_ENTER: f64 = 13.0;

/// Tracks the input method in a group of text fields, by their events.
///
/// ```
/// use question_card::InputMethod;
///
/// fn on_key_down(event: &web_sys::KeyboardEvent, input_method: &InputMethod) {
///     if !input_method.takes_key(event) && event.key() == "Enter" {
///         event.prevent_default();
///         // Send the text.
///     }
/// }
///
/// fn on_before_input(event: &web_sys::InputEvent, input_method: &InputMethod) {
///     if input_method.confirms(event) {
///         event.prevent_default();
///         // Send the text.
///     }
/// }
/// ```
#[derive(Debug, Default)]
pub struct InputMethod {
    /// The field with a composition.
    composes_in: RefCell<Option<Node>>,
    /// The input method took an Enter whose key is still down.
    has_enter: Cell<bool>,
}

impl InputMethod {
    /// Call this for each `compositionstart`, `compositionend`, `focusout` and `keyup`.
    pub fn note(&self, event: &Event) {
        match text(event, "type").as_str() {
            "keyup" => self.has_enter.set(false),
            "compositionstart" => drop(self.composes_in.replace(node(event, "target"))),
            // Browsers need not report the end of a composition in a field that loses the focus.
            _ => drop(self.composes_in.take()),
        }
    }

    /// Returns true if a `keydown` belongs to the input method. A screen keyboard composes all text, but its Enter does not.
    pub fn takes_key(&self, event: &Event) -> bool {
        let code = number(event, "keyCode");
        let composes = flag(event, "isComposing") || {
            let field = self.composes_in.borrow();
            field.is_some() && *field == node(event, "target")
        };
        let is_screens = || code == KEY_CODE_ENTER && flag(&match_media("(pointer: coarse)"), "matches");
        let takes = code == KEY_CODE_COMPOSING || (composes && !is_screens());
        self.has_enter.set(takes && text(event, "key") == ENTER && !flag(event, "shiftKey"));
        takes
    }

    /// Returns true if a `beforeinput` is a line break from the same press of Enter that ended a composition: the user meant this Enter.
    pub fn confirms(&self, event: &Event) -> bool {
        let breaks = ["insertLineBreak", "insertParagraph"].contains(&text(event, "inputType").as_str());
        breaks && self.has_enter.take() && self.composes_in.borrow().is_none() && !flag(event, "isComposing")
    }
}
