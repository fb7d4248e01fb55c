//! Texts of an ask that are still arriving.

use crate::members::{Kind, MemberPath};
use crate::repair::{Meaning, meaning, unpack};
use crate::text::{CharClass, is_blank};

/// A text that is being shown. White space at its ends is repaired away in the end, so it is not shown before it is known to be inside.
#[derive(Clone, Debug)]
pub(super) struct GrowingText {
    pub(super) path: MemberPath,
    /// An option that is nothing but this label.
    pub(super) is_plain_option: bool,
    /// True if anything in it is visible.
    pub(super) is_visible: bool,
    pub(super) begun: bool,
    held: String,
}

/// The first characters of JSON in a string: an object, or one within a string or a code fence.
const PACKED: CharClass = |c| matches!(c, '{' | '"' | '`' | '\u{FEFF}');

/// The place of a character that no author means, such as the form feed that JSON reads in `\frac`.
pub(super) fn control_in(text: &str) -> Option<usize> {
    text.bytes().position(|byte| matches!(byte, 0x8 | 0xC))
}

/// The place at which markup of the call may begin, a line break written as two characters, or what [`control_in`] finds.
pub(super) fn odd_in(text: &str) -> Option<usize> {
    let byte = |at: usize| text.as_bytes().get(at);
    let begins = |at: usize| byte(at + 1).is_none_or(|next| *next == b'/' || next.is_ascii_alphabetic());
    (0..text.len()).find(|at| match byte(*at) {
        Some(b'<') => begins(*at),
        found => matches!(found, Some(b'\\' | 0x8 | 0xC)),
    })
}

/// Appends to a text of which only matters whether it is a flag: white space counts once, and what is longer than any flag is long enough.
pub(super) fn push_words(text: &mut String, fragment: &str) {
    const LONG_ENOUGH: usize = 50;
    for character in fragment.chars() {
        if text.len() > LONG_ENOUGH {
            return;
        }
        if !character.is_whitespace() {
            text.push(character);
        } else if !text.is_empty() && !text.ends_with(' ') {
            text.push(' ');
        }
    }
}

impl GrowingText {
    pub(super) fn new(path: MemberPath, is_plain_option: bool) -> Self {
        Self { path, is_plain_option, is_visible: false, begun: false, held: String::new() }
    }

    pub(super) fn kind(&self) -> Kind {
        self.path.member.row().kind
    }

    /// Returns true if the held text is known to be shown, whatever follows.
    fn is_certain(&self) -> bool {
        match self.kind() {
            Kind::Key => !self.held.is_empty(),
            Kind::Plain => {
                self.is_visible
                    && !(self.is_plain_option && self.held.starts_with(PACKED))
                    && meaning(&self.held) == Meaning::Own
            }
            _ => self.is_visible,
        }
    }

    /// Returns true if it is an option packed into a string, which is too rare to be streamed.
    pub(super) fn is_packed_option(&self) -> bool {
        self.is_plain_option && !self.begun && unpack(&self.held).is_some_and(|value| value.as_object().is_some())
    }

    /// Takes a fragment and gives what is to be shown of it, and of what was held before.
    pub(super) fn grow(&mut self, fragment: &str) -> Option<String> {
        let is_start = !self.begun && self.held.is_empty();
        let fragment = if is_start && self.trims() { fragment.trim_start() } else { fragment };
        self.is_visible = self.is_visible || !is_blank(fragment);
        let end = self.end_of(fragment);
        if self.begun
            && end > 0
            && let Some((certain, rest)) = fragment.split_at_checked(end)
        {
            let delta = std::mem::take(&mut self.held) + certain;
            self.held += rest;
            return Some(delta);
        }
        self.held.push_str(fragment);
        // White space alone makes nothing certain, and looking again at all of it for each piece would cost its square.
        if self.begun || end == 0 || !self.is_certain() {
            return None;
        }
        self.begun = true;
        let mut delta = std::mem::take(&mut self.held);
        self.held = delta.split_off(self.end_of(&delta));
        Some(delta)
    }

    /// The part of the held text to show, now that it has ended.
    pub(super) fn last(&mut self) -> Option<String> {
        if self.kind() != Kind::Plain || self.begun || !self.is_visible || meaning(&self.held) == Meaning::Other {
            return None;
        }
        self.begun = true;
        let mut delta = std::mem::take(&mut self.held);
        delta.truncate(self.end_of(&delta));
        Some(delta)
    }

    fn trims(&self) -> bool {
        self.path.member.row().trims || self.kind() == Kind::Key
    }

    /// The start of the white space at a text's end, if that is held back.
    fn end_of(&self, text: &str) -> usize {
        // Most pieces end in a letter, and need no search.
        let ends_plainly = text.bytes().next_back().is_some_and(|byte| byte.is_ascii_graphic());
        if ends_plainly || !self.trims() { text.len() } else { text.trim_end().len() }
    }
}
