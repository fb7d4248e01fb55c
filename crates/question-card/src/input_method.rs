//! The keys that belong to an input method, in a card and in the other fields of its page.

use crate::browser::{flag, match_media, node, number, text};
use crate::keyboard::ENTER;
use std::cell::{Cell, RefCell};
use web_sys::{Event, Node};

/// The `keyCode` that some browsers report while an input method has the key, with or without `isComposing`.
const KEY_CODE_COMPOSING: f64 = 229.0;
const KEY_CODE_ENTER: f64 = 13.0;

/// What an input method does in the text fields of a place, by their events.
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
    /// The field in which it composes.
    composes_in: RefCell<Option<Node>>,
    /// It has an Enter that is still held.
    has_enter: Cell<bool>,
}

impl InputMethod {
    /// Takes note of a `compositionstart`, `compositionend`, `focusout` or `keyup`.
    pub fn note(&self, event: &Event) {
        match text(event, "type").as_str() {
            "keyup" => self.has_enter.set(false),
            "compositionstart" => drop(self.composes_in.replace(node(event, "target"))),
            // Browsers need not report the end of a composition in a field that loses the focus.
            _ => drop(self.composes_in.take()),
        }
    }

    /// Returns true if a `keydown` is its own. A screen keyboard composes all text, but its Enter is a plain one.
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

    /// Returns true if a `beforeinput` is the rest of an Enter with which it ended a word, within one press: that is an Enter of the user's.
    pub fn confirms(&self, event: &Event) -> bool {
        let breaks = ["insertLineBreak", "insertParagraph"].contains(&text(event, "inputType").as_str());
        breaks && self.has_enter.take() && self.composes_in.borrow().is_none() && !flag(event, "isComposing")
    }
}
