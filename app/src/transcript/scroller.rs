//! The scrolled element of the transcript, and the way to its end.

use leptos::prelude::{document, window};
use std::cell::{Cell, RefCell};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// The distance from the end, in CSS pixels, at which a reader still counts as being there.
const NEAR_THE_END: i32 = 48;

/// The divisor of the visible height that stays above a question, because the lines before it say what it is about.
const BEFORE: i32 = 4;

/// The reader of a list in its frame.
pub(super) struct Reader {
    frame: HtmlElement,
    list: HtmlElement,
    /// The [position](Scroller::position) that the page last scrolled to or has taken note of, in CSS pixels.
    led_to: Cell<(i32, bool)>,
    /// The question that the reader has already started to read.
    read: RefCell<Option<HtmlElement>>,
}

impl Reader {
    pub(super) fn of(frame: HtmlElement, list: HtmlElement) -> Self {
        Self { frame, list, led_to: Cell::default(), read: RefCell::default() }
    }

    pub(super) fn frame(&self) -> &Element {
        &self.frame
    }

    pub(super) fn list(&self) -> &Element {
        &self.list
    }

    /// Scrolls down to the end or, if the beginning of an unread question is above the reader's position, up to it. It gets there when a card
    /// above it becomes a receipt, which is lower, after the question has come.
    pub(super) fn go_to_end(&self) {
        let scroller = self.scroller();
        let (place, end) = (scroller.place(), scroller.end_of(&self.list));
        let unread = question_in(&self.list).filter(|question| self.read.borrow().as_ref() != Some(question));
        let above = unread.map(|question| scroller.begin_of(&question)).filter(|&begin| begin < place);
        let to = above.unwrap_or(end.max(place));
        if to != place {
            scroller.element.set_scroll_top(to);
        }
        self.led_to.set(scroller.position());
        // After a scroll up, the scroll event changes the height: a change now would be observed once more in this frame.
        if above.is_none() {
            self.follow_height(&scroller);
        }
    }

    /// True if the reader has scrolled to the end, false if elsewhere, `None` if the page did.
    pub(super) fn has_scrolled(&self) -> Option<bool> {
        let scroller = self.scroller();
        self.follow_height(&scroller);
        let (led_to, was_page) = self.led_to.get();
        // In a window of another size, another element may scroll. It begins at its top, where the reader did not go.
        if scroller.is_page != was_page {
            self.led_to.set(scroller.position());
            return None;
        }
        // A list that gets lower moves the reader up, so only a move down is the reader's own.
        if scroller.place() > led_to {
            self.read.replace(question_in(&self.list));
        }
        (scroller.place() != led_to).then(|| scroller.is_at_end(&self.list))
    }

    /// Treats the position as already reported, and keeps it whatever a press changes.
    pub(super) fn is_here(&self) {
        let scroller = self.scroller();
        self.led_to.set(scroller.position());
        self.read.replace(question_in(&self.list));
        self.keep_height(&scroller);
    }

    /// Lets list and page be as high as their content is.
    pub(super) fn drop_height(&self) {
        for kept in [Some(self.list.clone()), document().body()] {
            set_height(kept, "");
        }
    }

    /// Keeps the height that the new position needs. If the page itself scrolls, only a press does so: the button to the end appears and
    /// disappears with the position, so that height and position would change each other again and again.
    fn follow_height(&self, scroller: &Scroller) {
        if !scroller.is_page {
            self.keep_height(scroller);
        }
    }

    /// Keeps the list, or the page, as high as the reader's position needs. When it gets lower, the browser would scroll up: a card that becomes a receipt
    /// would move what is read, and WebKit lays out a card once without its new children.
    fn keep_height(&self, scroller: &Scroller) {
        if scroller.is_page {
            let height = scroller.place() + scroller.element.client_height();
            return set_height(document().body(), &format!("{height}px"));
        }
        let beyond = scroller.last() - scroller.place();
        // It is rounded down to whole pixels: a list that grew by a fraction would call this again.
        let height = self.list.get_bounding_client_rect().height() as i32;
        set_height(Some(self.list.clone()), &format!("{}px", (height - beyond.max(0)).max(0)));
    }

    fn scroller(&self) -> Scroller {
        Scroller::of(&self.frame)
    }
}

fn set_height(of: Option<HtmlElement>, height: &str) {
    if let Some(of) = of {
        // A valid property.
        let _ = of.style().set_property("min-block-size", height);
    }
}

/// The scrolled element: the transcript's frame or, if the style sheet lets the frame grow with its list, the page as a whole.
struct Scroller {
    element: Element,
    /// The offset of the frame in it.
    begin: i32,
    is_page: bool,
}

impl Scroller {
    fn of(frame: &HtmlElement) -> Self {
        let style = window().get_computed_style(frame).ok().flatten();
        let overflow = style.and_then(|style| style.get_property_value("overflow-y").ok());
        match document().scrolling_element() {
            Some(page) if overflow.is_some_and(|overflow| overflow == "visible") => {
                Self { element: page, begin: frame.offset_top(), is_page: true }
            }
            Some(_) | None => Self { element: frame.clone().into(), begin: 0, is_page: false },
        }
    }

    /// The reader's position.
    fn place(&self) -> i32 {
        self.element.scroll_top()
    }

    /// The reader's position, and whether it is that of the page as a whole.
    fn position(&self) -> (i32, bool) {
        (self.place(), self.is_page)
    }

    /// The last position that there is.
    fn last(&self) -> i32 {
        self.element.scroll_height() - self.element.client_height()
    }

    /// Returns true if the reader is at the end of this list.
    fn is_at_end(&self, list: &HtmlElement) -> bool {
        self.place() >= self.end_of(list) - NEAR_THE_END
    }

    /// The position of the end. A question is read from its beginning: if it is higher than the visible part, its beginning is the end.
    fn end_of(&self, list: &HtmlElement) -> i32 {
        match question_in(list) {
            Some(question) => self.last().min(self.begin_of(&question) - self.element.client_height() / BEFORE),
            None => self.last(),
        }
    }

    fn begin_of(&self, question: &HtmlElement) -> i32 {
        self.begin + question.offset_top()
    }
}

/// The last item of this list, if it asks.
fn question_in(list: &HtmlElement) -> Option<HtmlElement> {
    let last = list.last_element_child()?;
    last.query_selector("form").ok()??;
    last.dyn_into().ok()
}
