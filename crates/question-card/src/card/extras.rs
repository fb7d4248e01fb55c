//! Optional features of a card. Each is a value that holds its code, so that a page without it does not carry the code.

use super::view::{QuestionView, note, skip};
use crate::writer::NodeWriter;
use crate::writer::prelude::*;

/// The value of [`Options::notes`](super::Options::notes).
#[derive(Clone, Copy, Debug)]
pub struct Notes(pub(crate) fn(&mut Writer, QuestionView<'_>));

impl Notes {
    /// "Add a note", and the field that it opens.
    #[must_use]
    pub fn field() -> Self {
        Self(note)
    }
}

/// The value of [`Options::skip`](super::Options::skip).
#[derive(Clone, Copy, Debug)]
pub struct Skip(pub(crate) fn(&mut Writer, QuestionView<'_>));

impl Skip {
    /// A button that answers if one tap answers, and is a toggle otherwise.
    #[must_use]
    pub fn button() -> Self {
        Self(skip)
    }
}

/// Names each element as a part: its class without the `qc-`, and its states, as in `option chosen`. In a shadow tree, a page can only
/// style parts.
#[derive(Clone, Copy, Debug)]
pub struct Parts(pub(crate) fn(&mut NodeWriter, &'static str));

impl Parts {
    /// Names the elements by their classes and states.
    #[must_use]
    pub fn named() -> Self {
        Self(NodeWriter::name_parts)
    }
}
