//! Writes a part of the page by one walk over all that it is to be.
//!
//! A view calls [`open`](Writer::open), says attributes and content, and calls [`close`](Writer::close). What was written by an earlier walk
//! is compared with and kept: an element keeps its node as long as each walk comes by it, and only what differs is written. What never
//! changes is said once, where `open` tells that the element is new. Nothing here is generic, so each call of a view costs a few bytes.

#[cfg(feature = "ssr")]
mod html;
#[cfg(not(feature = "ssr"))]
mod nodes;

#[cfg(feature = "ssr")]
pub(crate) use self::html::Writer;
#[cfg(not(feature = "ssr"))]
pub(crate) use self::nodes::{Tree, Writer};

/// What follows from the two of them, whatever they write to.
impl Writer {
    /// An attribute that is there, and empty, or not there.
    pub(crate) fn flag(&mut self, name: &'static str, is_on: bool) {
        self.word(name, is_on.then_some(""));
    }

    /// An attribute that is `true` or not there.
    pub(crate) fn truth(&mut self, name: &'static str, is_on: bool) {
        self.word(name, is_on.then_some("true"));
    }
}
