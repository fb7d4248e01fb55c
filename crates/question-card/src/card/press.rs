//! What a tap is: a pointer that moved between down and up has selected text or scrolled.

use super::state::CardState;
use leptos::prelude::*;
use web_sys::{MouseEvent, PointerEvent};

/// How far a pointer may move, in CSS pixels, until that is no tap any more.
const STILL_A_TAP: f64 = 8.0;

impl CardState {
    /// Remembers where the pointer went down.
    pub(crate) fn press(self, down: &PointerEvent) {
        self.pressed.set_value(Some(place(down)));
    }

    /// Whether a click in the form is meant: a tap, on what has stood still.
    pub(crate) fn is_meant(self, click: &MouseEvent) -> bool {
        self.is_tap(click) && self.steady.allows(click)
    }

    /// Whether the pointer, where there was one, went up where it had gone down. Asked once of each click: a label makes a second one, which
    /// nobody pressed.
    pub(crate) fn is_tap(self, click: &MouseEvent) -> bool {
        let down = self.pressed.try_update_value(Option::take).flatten();
        let moved = |(x, y): (f64, f64)| {
            let (up_x, up_y) = place(click);
            (up_x - x).hypot(up_y - y)
        };
        click.detail() == 0 || down.is_none_or(|down| moved(down) <= STILL_A_TAP)
    }
}

fn place(event: &MouseEvent) -> (f64, f64) {
    (f64::from(event.client_x()), f64::from(event.client_y()))
}
