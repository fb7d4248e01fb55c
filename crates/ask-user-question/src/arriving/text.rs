//! Texts of an ask that are still arriving.

use crate::members::{Kind, MemberPath, Row};
use crate::repairs::{Meaning, Repairs, TagKind};
use crate::text::{CharClass, is_blank};
use crate::wire::{ends_sentence, with_breaks};
use std::mem;

/// A text that is being shown. White space is held back until more text follows, since repair removes it from the ends.
#[derive(Clone, Debug)]
pub(super) struct GrowingText {
    repairs: &'static Repairs,
    pub(super) path: MemberPath,
    /// An option that is nothing but this label.
    pub(super) is_plain_option: bool,
    pub(super) is_visible: bool,
    pub(super) begun: bool,
    pub(super) shown: usize,
    /// The number of bytes that came.
    came: usize,
    held: String,
    sent: SentText,
}

/// A text as it is sent. A part is held back until it is known how it will be read: markup of the call is cut off, and in a question each `\n` of two
/// characters is a line break if one of them ends a sentence.
#[derive(Clone, Debug, Default)]
struct SentText {
    held: String,
    /// The length of the part of `held` that was looked at.
    seen: usize,
    /// The last two characters that were looked at.
    last: [char; 2],
    /// What the repairs know of the tags before.
    opened: bool,
    /// The first `\n` in what is held.
    first_break: Option<usize>,
    is_written: bool,
}

impl SentText {
    /// Takes a fragment. Returns what can be shown now, and true if the final text will differ from there on.
    fn take(&mut self, fragment: &str, repairs: &Repairs, row: &Row) -> (String, bool) {
        let is_question = row.kind == Kind::Key;
        self.held.push_str(fragment);
        let mut is_odd = false;
        loop {
            let mut ahead = self.held.get(self.seen..).unwrap_or_default().chars();
            let Some(mut c) = ahead.next() else {
                break;
            };
            let (mut length, behind) = (c.len_utf8(), ahead.as_str());
            match c {
                '<' if is_question || row.trims => match (repairs.tag)(&mut self.opened, row.name, behind) {
                    TagKind::Markup => is_odd = true,
                    TagKind::Undecided => break,
                    TagKind::Text => {}
                },
                '\\' if is_question && behind.is_empty() => break,
                '\\' if is_question && behind.starts_with('n') => {
                    self.first_break.get_or_insert(self.seen);
                    self.is_written |= ends_sentence(self.last);
                    (c, length) = ('\n', 2);
                }
                _ => is_odd = is_control(c),
            }
            if is_odd {
                break;
            }
            self.seen += length;
            self.last = [self.last[1], c];
        }
        (self.known(), is_odd)
    }

    /// Takes out the part whose reading is known.
    fn known(&mut self) -> String {
        let known = self.first_break.filter(|_| !self.is_written).unwrap_or(self.seen);
        let rest = self.held.split_off(known);
        self.seen -= known;
        self.first_break = self.first_break.and_then(|at| at.checked_sub(known));
        let known = mem::replace(&mut self.held, rest);
        if self.is_written { with_breaks(&known).0 } else { known }
    }

    fn rest(&mut self) -> String {
        (self.seen, self.first_break) = (self.held.len(), None);
        self.known()
    }
}

/// The first characters of JSON in a string: an object, or one within a string or a code fence.
const PACKED: CharClass = |c| matches!(c, '{' | '"' | '`' | '\u{FEFF}');

/// Returns true for a character that no author means, such as the form feed that JSON reads in `\frac`.
fn is_control(c: char) -> bool {
    matches!(c, '\u{8}' | '\u{C}')
}

impl GrowingText {
    pub(super) fn new(path: MemberPath, is_plain_option: bool, repairs: &'static Repairs) -> Self {
        Self {
            repairs,
            path,
            is_plain_option,
            is_visible: false,
            begun: false,
            shown: 0,
            came: 0,
            held: String::new(),
            sent: SentText::default(),
        }
    }

    pub(super) fn kind(&self) -> Kind {
        self.path.member.row().kind
    }

    /// Returns true if the held text is known to be shown, whatever follows.
    fn is_certain(&self) -> bool {
        match self.kind() {
            Kind::Key => !self.held.is_empty(),
            Kind::Plain => self.is_visible && (self.repairs.meaning)(&self.held) == Meaning::Own,
            _ => self.is_visible,
        }
    }

    /// Returns true if the question's text, which is complete, was shown otherwise than it was sent.
    pub(super) fn is_otherwise(&self) -> bool {
        self.kind() == Kind::Key && self.came != self.shown
    }

    /// Takes a fragment. Returns what can be shown of it and of what was held, and true if the final text may differ from there on.
    pub(super) fn grow(&mut self, fragment: &str) -> (Option<String>, bool) {
        let is_start = !self.begun && self.held.is_empty() && self.sent.held.is_empty();
        // An option that may be packed into a string.
        if self.is_plain_option && is_start && fragment.trim_start().starts_with(PACKED) {
            return (None, true);
        }
        self.came += fragment.len();
        let (known, is_odd) = self.sent.take(fragment, self.repairs, self.path.member.row());
        (self.show(&known), is_odd)
    }

    fn show(&mut self, fragment: &str) -> Option<String> {
        let is_start = !self.begun && self.held.is_empty();
        let fragment = if is_start && self.trims() { fragment.trim_start() } else { fragment };
        self.is_visible = self.is_visible || !is_blank(fragment);
        let end = self.end_of(fragment);
        if self.begun
            && end > 0
            && let Some((certain, rest)) = fragment.split_at_checked(end)
        {
            let delta = mem::take(&mut self.held) + certain;
            self.held += rest;
            return Some(delta);
        }
        self.held.push_str(fragment);
        // White space alone makes nothing certain, and looking again at all of it for each piece would cost its square.
        if self.begun || end == 0 || !self.is_certain() {
            return None;
        }
        self.begun = true;
        let mut delta = mem::take(&mut self.held);
        self.held = delta.split_off(self.end_of(&delta));
        Some(delta)
    }

    /// The rest to show, now that the text has ended.
    pub(super) fn last(&mut self) -> Option<String> {
        let rest = self.sent.rest();
        let rest = self.show(&rest);
        if self.kind() != Kind::Plain
            || self.begun
            || !self.is_visible
            || (self.repairs.meaning)(&self.held) == Meaning::Other
        {
            return rest;
        }
        self.begun = true;
        let mut delta = mem::take(&mut self.held);
        delta.truncate(self.end_of(&delta));
        Some(delta)
    }

    fn trims(&self) -> bool {
        self.path.member.row().trims || self.kind() == Kind::Key
    }

    /// The length of a text without the white space at its end that is held back.
    fn end_of(&self, text: &str) -> usize {
        // Most pieces end in a letter, and need no search.
        let ends_plainly = text.bytes().next_back().is_some_and(|byte| byte.is_ascii_graphic());
        if ends_plainly || !self.trims() { text.len() } else { text.trim_end().len() }
    }
}
