//! What is scrolled to come to the end of the conversation, and where that is.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// How far from the end, in CSS pixels, a reader still counts as being there.
const NEAR_THE_END: i32 = 48;

/// What stays visible above a question, in CSS pixels.
const MARGIN: i32 = 16;

/// What the reader scrolls: the transcript's frame or, where the style sheet lets that grow with its list, the page as a whole.
pub(super) struct Scroller {
    element: Element,
    /// How far down the frame begins in it.
    begin: i32,
}

impl Scroller {
    pub(super) fn of(frame: &HtmlElement) -> Self {
        let style = window().get_computed_style(frame).ok().flatten();
        let overflow = style.and_then(|style| style.get_property_value("overflow-y").ok());
        match document().scrolling_element() {
            Some(page) if overflow.is_some_and(|overflow| overflow == "visible") => {
                Self { element: page, begin: frame.offset_top() }
            }
            Some(_) | None => Self { element: frame.clone().into(), begin: 0 },
        }
    }

    /// How far down the reader is.
    pub(super) fn place(&self) -> i32 {
        self.element.scroll_top()
    }

    /// Whether the reader is at the end of this list.
    pub(super) fn is_at_end(&self, list: &HtmlElement) -> bool {
        self.place() >= self.end_of(list) - NEAR_THE_END
    }

    /// Leads the reader down to the end of this list, if it is further down, and says where that is.
    pub(super) fn go_to_end(&self, list: &HtmlElement) -> i32 {
        let end = self.end_of(list);
        if self.place() < end {
            self.element.set_scroll_top(end);
        }
        self.place()
    }

    /// How far down the end is. A question is read from its beginning: where it is higher than what can be seen, that is the end.
    fn end_of(&self, list: &HtmlElement) -> i32 {
        let end = self.element.scroll_height() - self.element.client_height();
        let last = list.last_element_child();
        let asks = |last: &Element| last.query_selector("form").is_ok_and(|form| form.is_some());
        match last.filter(asks).and_then(|last| last.dyn_into::<HtmlElement>().ok()) {
            Some(question) => end.min(self.begin + question.offset_top() - MARGIN),
            None => end,
        }
    }
}
