//! Draws a part of the page: each walk describes all of it, and only the differences are written.
//!
//! A view calls [`open`](Writer::open), sets attributes and content, and calls [`close`](Writer::close). The result is compared with that
//! of the walk before: an element keeps its node as long as each walk visits it, and only differences are written. Constant attributes are
//! set once, if `open` returns that the element is new. No code here is generic, so each call of a view costs a few bytes.

use live_markdown::marks;

mod growth;
mod nodes;

pub(crate) use self::nodes::{Change, NodeTree, NodeWriter};

pub(crate) mod prelude {
    #[cfg(not(feature = "headless"))]
    pub(crate) use super::Sink as _;
    pub(crate) use super::Writer;
}

/// The page's nodes, or plain data.
#[cfg(feature = "headless")]
pub(crate) type Writer = dyn Sink;
/// The page's nodes. A table of functions instead of this one type would cost a page a kilobyte.
#[cfg(not(feature = "headless"))]
pub(crate) type Writer = NodeWriter;

pub(crate) trait Sink {
    /// Returns true if texts are shown as they were written, without marks.
    fn is_plain(&self) -> bool;

    /// Opens an element of this class; siblings of one tag and class differ by their key. Returns true if it is new.
    fn open(&mut self, tag: &'static str, class: &'static str, key: usize) -> bool;

    /// Closes the element.
    fn close(&mut self);

    /// Skips the next element if it was written before and nothing in this question, or in this option of it, has changed. Returns false if
    /// it is to be written.
    fn reuse(&mut self, _at: (usize, Option<usize>), _tag: &'static str, _class: &'static str, _key: usize) -> bool {
        false
    }

    /// Sets an attribute of a new element, which never changes.
    fn set(&mut self, name: &'static str, value: &str);

    /// Sets an attribute that has only a few values, or removes it.
    fn word(&mut self, name: &'static str, value: Option<&'static str>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }

    /// Sets an attribute of any value.
    fn put(&mut self, name: &'static str, value: &str) {
        self.set(name, value);
    }

    /// Sets an attribute if its stamp differs from that of the last walk, and removes it if the stamp is 0.
    fn stamped(&mut self, name: &'static str, stamp: usize, make: &dyn Fn() -> String) {
        if stamp > 0 {
            self.set(name, &make());
        }
    }

    /// Checks a radio button or check box, or clears it.
    fn checked(&mut self, is_on: bool);

    /// Sets the content of a new text field, which belongs to the user from then on.
    fn value(&mut self, text: &str);

    /// Writes a text, if it changed.
    fn text(&mut self, text: &str);

    /// Writes a text that may still grow.
    fn grow(&mut self, text: &str) {
        self.text(text);
    }
}

impl Writer {
    /// Sets or removes an empty attribute.
    pub(crate) fn flag(&mut self, name: &'static str, is_on: bool) {
        self.word(name, is_on.then_some(""));
    }

    /// Sets an attribute to `true`, or removes it.
    pub(crate) fn truth(&mut self, name: &'static str, is_on: bool) {
        self.word(name, is_on.then_some("true"));
    }

    /// Sets the language of a new element's text, if it is known.
    pub(crate) fn speak(&mut self, lang: Option<&str>) {
        if let Some(lang) = lang {
            self.set("lang", lang);
        }
    }

    /// A text that may still grow, with its marks as elements.
    pub(crate) fn marked(&mut self, text: &str) {
        if self.is_plain() || !marks::may_have(text) {
            return self.grow(text);
        }
        for (key, (element, words)) in marks::pieces(text).iter().enumerate() {
            match *element {
                "" => self.text(words),
                element => self.element(element, "", key, words),
            }
        }
    }

    /// An element with one text.
    pub(crate) fn element(&mut self, tag: &'static str, class: &'static str, key: usize, text: &str) {
        self.open(tag, class, key);
        self.text(text);
        self.close();
    }

    /// A line of text with an id, by which other elements refer to it.
    pub(crate) fn line(&mut self, class: &'static str, id: &dyn Fn() -> String, text: &str) {
        if self.open("p", class, 0) {
            self.set("id", &id());
        }
        self.text(text);
        self.close();
    }
}
