//! Writes a part of the page by one walk over its whole description.
//!
//! A view calls [`open`](Writer::open), sets attributes and content, and calls [`close`](Writer::close). The result is compared with that
//! of the walk before: an element keeps its node as long as each walk visits it, and only differences are written. Constant attributes are
//! set once, if `open` returns that the element is new. No code here is generic, so each call of a view costs a few bytes.

use crate::marks;

#[cfg(feature = "ssr")]
mod html;
#[cfg(not(feature = "ssr"))]
mod nodes;

#[cfg(feature = "ssr")]
pub(crate) use self::html::Writer;
#[cfg(not(feature = "ssr"))]
pub(crate) use self::nodes::{NodeTree, Writer};

/// Methods that need no more than those of the two writers.
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
        if self.plain || !marks::may_have(text) {
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
