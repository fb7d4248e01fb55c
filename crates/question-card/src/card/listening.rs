//! Turns events of the page into inputs of the card. Each kind has one listener, at the card's root.

use super::machine::{Click, Input, Manner};
use super::shell::{Press, Shell};
use crate::anatomy::part;
use crate::browser::{
    self, each_inside, element, flag, is_of_type, node, number, scroll_to, selection, set_text, text,
};
use crate::dom::Control;
use crate::draft::Field;
use crate::keyboard::{ENTER, ESCAPE, KeyPress, TAB};
use crate::labels::concat;
use std::time::Duration;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, Node};

/// A pointer that moved this far (in CSS pixels) did not tap: it selected text or scrolled.
const STILL_A_TAP: f64 = 8.0;

impl Shell {
    /// Adds one listener for all these events.
    pub(super) fn listen(&self, root: &Element, events: &'static [&'static str]) -> browser::Listening {
        let me = self.me.clone();
        browser::Listening::to(root, events, move |event| {
            if let Some(shell) = me.upgrade() {
                shell.handle_event(&event);
            }
        })
    }

    /// Fits all text fields to their texts after the available width changed.
    pub(super) fn fit_fields(&self) {
        if self.root.get().is_some_and(|root| fixed_style(root).is_some()) {
            // Deferred: a change of size within the observer's callback would be reported as a loop.
            self.later(Duration::ZERO, |shell| shell.each_field(&mut fit));
        }
    }

    fn each_field(&self, act: &mut dyn FnMut(&Element)) {
        if let Some(root) = self.root.get() {
            each_inside(root, ".qc-other-input", act);
        }
    }

    fn handle_event(&self, event: &Event) {
        let Some(target) = node(event, "target").filter(|target| is_of_type(target, Node::ELEMENT_NODE)) else {
            return;
        };
        let target: Element = target.unchecked_into();
        let name = text(event, "type");
        let Ok((ids, is_form)) = self.card.try_borrow().map(|card| (card.ids(), !card.shows_receipt())) else {
            return;
        };
        let control = ids.parse(&text(&target, "id"));
        let prevents = match name.as_str() {
            "click" => self.click(event, &target),
            _ if !is_form => false,
            "submit" => {
                self.read_fields();
                self.take(Input::Submit);
                true
            }
            "keydown" => self.press(event, control),
            "keyup" => {
                self.pointer.input_method.note(event);
                show_field(event, &target);
                false
            }
            // Only the primary finger makes clicks.
            "pointerdown" | "pointerup" if text(event, "pointerType") == "touch" && !flag(event, "isPrimary") => false,
            "pointerup" => self.lift(&target),
            "pointerdown" => {
                if matches!(control, Some(Control::Up { .. } | Control::Down { .. })) {
                    // A touch is captured by the element that it hit first, which would get all its events. Fails only if the pointer is
                    // gone.
                    let _ = target.release_pointer_capture(number(event, "pointerId") as i32);
                }
                let at = number(event, "timeStamp");
                self.pointer.went_down.set(Some(Press { place: place(event), at, hit: hit(&target) }));
                false
            }
            // A preview that gets the focus stays shown.
            "focusin" => text(&target, "className") != part::PREVIEW_TEXT && self.take(Input::Focused(control)),
            "change" => control.is_some_and(|control| self.take(Input::Choose(control))),
            "beforeinput" => {
                let enter = KeyPress { key: ENTER, ..KeyPress::default() };
                self.pointer.input_method.confirms(event) && self.take(Input::Key(enter, control))
            }
            "input" => match control {
                Some(Control::Filter { question }) => self.take(Input::Filtered(question, &text(&target, "value"))),
                control => self.write(&target, control),
            },
            _ => {
                self.pointer.input_method.note(event);
                false
            }
        };
        if prevents {
            event.prevent_default();
        }
    }

    fn click(&self, event: &Event, target: &Element) -> bool {
        // Taken once: the click on a label fires a second one, which no pointer made.
        let down = self.pointer.went_down.take();
        let has_pointer = number(event, "detail") != 0.0;
        let up = place(event);
        let is_near = |(x, y): (f64, f64)| (up.0 - x).powi(2) + (up.1 - y).powi(2) <= STILL_A_TAP * STILL_A_TAP;
        // Firefox counts a label's click as one of a pointer.
        let is_of_label = down.is_none() && text(target, "localName") == "input";
        let is_double = is_near(self.pointer.clicked.replace(up)) && !is_of_label;
        let Some(on) = self.control_around(target) else {
            return false;
        };
        let hit = hit(target);
        let is_tap = down.as_ref().is_none_or(|down| is_near(down.place) && down.hit == hit);
        let down_at = down.map_or(number(event, "timeStamp"), |down| down.at);
        let answers = match on {
            Control::Option { .. } | Control::Row { .. } | Control::Skip { .. } => {
                self.card.try_borrow().is_ok_and(|card| card.manner() == Manner::OnPick)
            }
            Control::Submit | Control::Again | Control::Cancel | Control::SendLate | Control::AskAgain => true,
            _ => false,
        };
        let is_meant =
            is_tap && self.stands_still(&hit, down_at, is_double) && (!answers || Self::was_in_front(down_at));
        if has_pointer && !is_meant {
            return true;
        }
        let click = Click { on, is_bare: is_on_bare_row(target) };
        if on == Control::Submit {
            self.read_fields();
        }
        self.take(Input::Click(click))
    }

    /// Handles a press that ends at another control than it began at: it makes no click, but drags.
    fn lift(&self, target: &Element) -> bool {
        let down = self.pointer.went_down.take();
        let on = down.as_ref().and_then(|down| self.control_around(&down.hit));
        self.pointer.went_down.set(down);
        match (on, self.control_around(target)) {
            (Some(on), Some(over)) if on != over => self.take(Input::Dropped(on, over)),
            _ => false,
        }
    }

    fn press(&self, event: &Event, control: Option<Control>) -> bool {
        let key = text(event, "key");
        if key == ESCAPE {
            // Escape cancels a drag.
            self.pointer.went_down.set(None);
        }
        let is = |property| flag(event, property);
        let press = KeyPress {
            key: &key,
            ctrl_or_meta: is("ctrlKey") || is("metaKey"),
            alt: is("altKey"),
            shift: is("shiftKey"),
            repeat: is("repeat"),
            composing: self.pointer.input_method.takes_key(event),
            prevented: is("defaultPrevented"),
        };
        self.take(Input::Key(press, control))
    }

    /// Takes over texts that were set without an event, as programs that fill forms do.
    fn read_fields(&self) {
        self.each_field(&mut |field| {
            self.write(field, self.control_around(field));
        });
    }

    fn write(&self, target: &Element, control: Option<Control>) -> bool {
        let Some((question, field)) = control.and_then(Field::of) else {
            return false;
        };
        fit(target);
        let text = text(target, "value");
        let is_new = self.card.try_borrow().is_ok_and(|card| card.draft().text(question, field) != text);
        is_new && self.take(Input::Typed(question, field, &text))
    }

    /// The control that an element is, or is inside of.
    fn control_around(&self, target: &Element) -> Option<Control> {
        let ids = self.card().ids();
        let mut around = target.clone();
        loop {
            around = around.closest("[id]").ok()??;
            match ids.parse(&text(&around, "id")) {
                None => around = element(&around, "parentElement")?,
                control => return control,
            }
        }
    }
}

/// Scrolls a text field that got the focus by Tab to its `scroll-margin`. Browsers only scroll to the caret, and may leave the field behind
/// anything that sticks to the edge of the window.
fn show_field(event: &Event, target: &Element) {
    if text(target, "localName") == "textarea" && text(event, "key") == TAB {
        scroll_to(target);
    }
}

/// The style of a text field, if this browser does not size fields by their content.
fn fixed_style(field: &Element) -> Option<Node> {
    node(field, "style").filter(|style| node(style, "fieldSizing").is_none())
}

fn fit(field: &Element) {
    if let Some(style) = fixed_style(field) {
        set_text(&style, "height", "auto");
        let [text, inner, outer] =
            ["scrollHeight", "clientHeight", "offsetHeight"].map(|size| number(field, size) as usize);
        set_text(&style, "height", &concat(&[&(text + outer - inner).to_string(), "px"]));
    }
}

/// Returns true if a click hit a row outside its controls, and did not end a selection of text.
fn is_on_bare_row(target: &Element) -> bool {
    let is_on_control = !matches!(target.closest("label, input, textarea, button"), Ok(None));
    let selects_text = selection().is_some_and(|selection| !flag(&selection, "isCollapsed"));
    !is_on_control && !selects_text
}

/// The row or button at this place, which is what a finger means.
fn hit(target: &Element) -> Element {
    target.closest(".qc-option, button").ok().flatten().unwrap_or_else(|| target.clone())
}

fn place(event: &Event) -> (f64, f64) {
    (number(event, "clientX"), number(event, "clientY"))
}
