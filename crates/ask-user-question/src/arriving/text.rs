//! Texts of an ask that are still streaming.

use crate::members::{Kind, MemberPath, Row};
use crate::repairs::{Meaning, Repairs, TagKind};
use crate::text::{CharClass, is_blank};
use crate::wire::{ends_sentence, with_breaks};
use std::mem;

/// A text that is being shown. Trailing whitespace is held until more text follows, since repair trims texts.
#[derive(Clone, Debug)]
pub(super) struct GrowingText {
    repairs: &'static Repairs,
    pub(super) path: MemberPath,
    /// The text is an option given as a string, its label.
    pub(super) is_plain_option: bool,
    pub(super) is_visible: bool,
    pub(super) begun: bool,
    pub(super) shown: usize,
    came: usize,
    held: String,
    sent: SentText,
}

/// A text as it is sent. Holds a part until it is certain how it will be read: markup of the call is cut off, and in a question a literal `\n` is
/// a line break if one of them ends a sentence.
#[derive(Clone, Debug, Default)]
struct SentText {
    held: String,
    /// The length of the part of `held` that was scanned.
    seen: usize,
    /// The last two scanned characters.
    last: [char; 2],
    /// State of the repairs about earlier tags in this text.
    opened: bool,
    /// The position of the first literal `\n` in `held`.
    first_break: Option<usize>,
    is_written: bool,
}

impl SentText {
    /// Processes a fragment. Returns what can be shown now, and true if the final text will differ from here on.
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

    /// Removes and returns the part of `held` whose reading is certain.
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

/// First characters of JSON packed in a string: an object, possibly within another string or a code fence.
const PACKED: CharClass = |c| matches!(c, '{' | '"' | '`' | '\u{FEFF}');

/// Returns true for control characters that no author intends, such as the form feed that JSON reads in `\frac`.
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

    /// Returns true if the held text will be shown, whatever follows.
    fn is_certain(&self) -> bool {
        match self.kind() {
            Kind::Key => !self.held.is_empty(),
            Kind::Plain => self.is_visible && (self.repairs.meaning)(&self.held) == Meaning::Own,
            _ => self.is_visible,
        }
    }

    /// Returns true if a complete question was shown differently from how it was sent.
    pub(super) fn is_otherwise(&self) -> bool {
        self.kind() == Kind::Key && self.came != self.shown
    }

    /// Processes a fragment. Returns what can be shown of it and of the held text, and true if the final text may differ from here on.
    pub(super) fn grow(&mut self, fragment: &str) -> (Option<String>, bool) {
        let is_start = !self.begun && self.held.is_empty() && self.sent.held.is_empty();
        // May be an option object packed in a string.
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
        // Whitespace alone is never certain, and rescanning all of it for each piece would be quadratic.
        if self.begun || end == 0 || !self.is_certain() {
            return None;
        }
        self.begun = true;
        let mut delta = mem::take(&mut self.held);
        self.held = delta.split_off(self.end_of(&delta));
        Some(delta)
    }

    /// The rest to show at the end of the text.
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

    /// The length of a text without trailing whitespace, which is held.
    fn end_of(&self, text: &str) -> usize {
        // Fast path: most pieces end in a letter.
        let ends_plainly = text.bytes().next_back().is_some_and(|byte| byte.is_ascii_graphic());
        if ends_plainly || !self.trims() { text.len() } else { text.trim_end().len() }
    }
}
