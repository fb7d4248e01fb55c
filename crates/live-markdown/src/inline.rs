//! The inline parser, for the content of a paragraph or a heading.

use crate::address;
use crate::sink::{Tag, Writer};
use std::borrow::Cow;

/// Reads the text of one block. At most one element of each kind is open at a time: if another of the same kind begins, the earlier one
/// becomes text. This bounds the nesting, and the work to a few times the length of the text.
#[derive(Debug)]
pub(crate) struct Inline {
    open: Vec<Mark>,
    hold: Hold,
    /// The character before the held ones, as in the source; a line break at the beginning.
    previous: char,
    /// The address, or possible address, that is held.
    held: String,
}

/// The mark with which an open element began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Emphasis(char),
    Strong(char),
    /// Code, after this number of backticks and perhaps a space.
    Code {
        length: usize,
        spaced: bool,
    },
    Link,
    /// An image, which becomes a link to it.
    Image,
    Address,
}

/// Characters that are held back, because their meaning depends on what follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Hold {
    #[default]
    Nothing,
    /// A backslash.
    Escape,
    /// An exclamation mark.
    Exclamation,
    /// A run of this many emphasis marks.
    Marks(char, usize),
    /// This number of backticks; in code, perhaps after a space.
    Backticks { length: usize, spaced: bool },
    /// A space in code, which is padding if the code ends here.
    Space,
    /// The closing bracket of a link's text.
    Label,
    /// The parentheses after a link's text; the address so far is held.
    Destination(Destination),
    /// A possible address, which is held.
    Scheme,
    /// An address, which is held. The last `doubtful` characters may belong to the sentence, and are not shown yet.
    Address { parentheses: usize, doubtful: usize },
}

/// The position within a link's parentheses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Destination {
    parentheses: usize,
    /// True if a space has ended the address.
    spaced: bool,
    /// The mark that ends the title.
    quotation: Option<char>,
}

impl Default for Inline {
    fn default() -> Self {
        Self { open: Vec::new(), hold: Hold::Nothing, previous: '\n', held: String::new() }
    }
}

impl Inline {
    /// Takes the next character, which is no line break.
    pub(crate) fn take(&mut self, c: char, out: &mut Writer<'_>) {
        while self.hold != Hold::Nothing {
            if self.goes_with_hold(c, out) {
                return;
            }
            self.release(c, out);
        }
        let in_code = self.code().is_some();
        match c {
            ' ' if in_code && self.previous == '\n' => self.pad_code(),
            ' ' | '\t' if self.previous == '\n' => return,
            '`' => self.hold = Hold::Backticks { length: 1, spaced: false },
            ' ' if in_code => self.hold = Hold::Space,
            c if in_code => out.push(c),
            '\\' => self.hold = Hold::Escape,
            '!' => self.hold = Hold::Exclamation,
            '*' | '_' => self.hold = Hold::Marks(c, 1),
            '[' => self.begin(Mark::Link, Tag::Link, out),
            ']' if self.label().is_some() => {
                self.dissolve_above(self.label(), out);
                self.hold = Hold::Label;
            }
            'h' if !self.previous.is_ascii_alphanumeric() && self.label().is_none() => {
                self.hold = Hold::Scheme;
                self.held.clear();
                self.held.push(c);
            }
            c => out.push(c),
        }
        if self.hold == Hold::Nothing {
            self.previous = c;
        }
    }

    /// Handles the end of a line, which may be the end of the block.
    pub(crate) fn end_line(&mut self, out: &mut Writer<'_>) {
        // The meaning of a backslash depends on the next line.
        while !matches!(self.hold, Hold::Nothing | Hold::Escape) {
            self.release('\n', out);
        }
    }

    /// Continues the block in the next line.
    pub(crate) fn break_line(&mut self, out: &mut Writer<'_>) {
        self.hold = Hold::Nothing;
        if self.code().is_some() {
            self.take(' ', out);
        } else {
            out.push('\n');
            self.previous = '\n';
        }
    }

    /// Ends the block: elements that are still open become text.
    pub(crate) fn end(&mut self, out: &mut Writer<'_>) {
        // What is released may end in a mark, which is held in turn.
        while self.hold != Hold::Nothing {
            self.release('\n', out);
        }
        self.dissolve_above(None, out);
    }

    /// Handles a character that continues the hold. Returns false if it does not.
    fn goes_with_hold(&mut self, c: char, out: &mut Writer<'_>) -> bool {
        match &mut self.hold {
            Hold::Escape if c.is_ascii_punctuation() => {
                out.push(c);
                self.let_go(c);
            }
            Hold::Exclamation if c == '[' => {
                self.begin(Mark::Image, Tag::Link, out);
                self.let_go(c);
            }
            Hold::Marks(mark, length) if c == *mark => *length += 1,
            Hold::Backticks { length, .. } if c == '`' => *length += 1,
            Hold::Space if c == '`' => self.hold = Hold::Backticks { length: 1, spaced: true },
            Hold::Label if c == '(' => {
                self.hold = Hold::Destination(Destination::default());
                self.held.clear();
            }
            Hold::Destination(destination) => {
                let ends = c == ')' && destination.parentheses == 0 && destination.quotation.is_none();
                if ends {
                    return self.follow(out);
                }
                if self.held.len() > address::LONGEST || !destination.takes(c) {
                    return false;
                }
                self.held.push(c);
            }
            Hold::Scheme => {
                self.held.push(c);
                if address::has_begun(&self.held) {
                    self.begin(Mark::Address, Tag::Address, out);
                    out.push_str(&self.held);
                    self.hold = Hold::Address { parentheses: 0, doubtful: 0 };
                } else if !address::may_begin(&self.held) {
                    self.held.pop();
                    return false;
                }
            }
            Hold::Address { parentheses, doubtful } => {
                if !address::belongs(c) || (c == ')' && *parentheses == 0) || self.held.len() > address::LONGEST {
                    return false;
                }
                self.held.push(c);
                *doubtful += 1;
                if !address::may_end_the_sentence(c) {
                    match c {
                        '(' => *parentheses += 1,
                        ')' => *parentheses -= 1,
                        _ => {}
                    }
                    let beyond_doubt = self.held.len() - std::mem::take(doubtful);
                    out.push_str(self.held.get(beyond_doubt..).unwrap_or_default());
                }
            }
            _ => return false,
        }
        true
    }

    /// Decides the meaning of the hold before `next`, which is not part of it.
    fn release(&mut self, next: char, out: &mut Writer<'_>) {
        match std::mem::take(&mut self.hold) {
            Hold::Nothing => {}
            Hold::Escape => self.push('\\', out),
            Hold::Exclamation => self.push('!', out),
            Hold::Space => self.push(' ', out),
            Hold::Marks(mark, length) => {
                self.emphasize(mark, length, next, out);
                self.previous = mark;
            }
            Hold::Backticks { length, spaced } => self.backticks(length, spaced, out),
            Hold::Label => {
                self.dissolve_above(self.before_label(), out);
                self.push(']', out);
            }
            Hold::Destination(_) => {
                self.dissolve_above(self.before_label(), out);
                out.push_str("](");
                out.push_str(&self.held);
                self.previous = self.held.chars().next_back().unwrap_or('(');
            }
            Hold::Scheme => {
                out.push_str(&self.held);
                self.previous = self.held.chars().next_back().unwrap_or(self.previous);
            }
            Hold::Address { doubtful, .. } => {
                let doubtful = self.held.split_off(self.held.len() - doubtful);
                self.end_address(out);
                for c in doubtful.chars() {
                    self.take(c, out);
                }
            }
        }
    }

    fn let_go(&mut self, last: char) {
        self.hold = Hold::Nothing;
        self.previous = last;
    }

    fn push(&mut self, c: char, out: &mut Writer<'_>) {
        out.push(c);
        self.previous = c;
    }

    fn emphasize(&mut self, mark: char, length: usize, next: char, out: &mut Writer<'_>) {
        let (opens, closes) = sides(mark, length, self.previous, next);
        let mut left = length;
        if closes {
            while let Some(index) = self.ended_by(mark, left) {
                self.dissolve_above(Some(index), out);
                left -= match self.open.pop() {
                    Some(Mark::Strong(_)) => 2,
                    _ => 1,
                };
                out.close();
            }
        }
        match left {
            1..=3 if opens => {
                if left != 2 {
                    self.begin(Mark::Emphasis(mark), Tag::Emphasis, out);
                }
                if left != 1 {
                    self.begin(Mark::Strong(mark), Tag::Strong, out);
                }
            }
            left => out.repeat(mark, left),
        }
    }

    /// The innermost element that this number of marks of emphasis may end.
    fn ended_by(&self, mark: char, length: usize) -> Option<usize> {
        // An element that began outside a link's text does not end in it.
        let from = self.label().map_or(0, |label| label + 1);
        let ends = |open: &Mark| match open {
            Mark::Strong(opening) => *opening == mark && length >= 2,
            Mark::Emphasis(opening) => *opening == mark && length >= 1,
            _ => false,
        };
        Some(from + self.open[from..].iter().rposition(ends)?)
    }

    fn backticks(&mut self, length: usize, spaced: bool, out: &mut Writer<'_>) {
        match self.code() {
            Some(opening) if opening == length => {
                self.open.pop();
                out.close();
                self.previous = '`';
            }
            Some(_) => {
                if spaced {
                    out.push(' ');
                }
                out.repeat('`', length);
                self.previous = '`';
            }
            None => {
                let mark = Mark::Code { length, spaced: false };
                self.begin(mark, Tag::Code, out);
                // A space is padding, as at the beginning of a line.
                self.previous = '\n';
            }
        }
    }

    /// Ends a link after its address. Returns false if the address may not be followed.
    fn follow(&mut self, out: &mut Writer<'_>) -> bool {
        let Some(address) = address::followable(&self.held) else {
            return false;
        };
        out.lead(address);
        out.close();
        self.open.pop();
        self.let_go(')');
        true
    }

    fn end_address(&mut self, out: &mut Writer<'_>) {
        if address::followable(&self.held).is_some() {
            out.lead(&self.held);
            out.close();
            self.open.pop();
        } else {
            self.dissolve(self.open.len() - 1, out);
        }
        self.previous = self.held.chars().next_back().unwrap_or(self.previous);
    }

    fn begin(&mut self, mark: Mark, tag: Tag<'_>, out: &mut Writer<'_>) {
        if let Some(index) = self.open.iter().position(|open| open.is_like(mark)) {
            self.dissolve(index, out);
        }
        out.open(tag);
        self.open.push(mark);
    }

    fn dissolve(&mut self, index: usize, out: &mut Writer<'_>) {
        let mark = self.open.remove(index);
        out.dissolve(self.open.len() - index, &mark.literal());
    }

    /// Turns the elements that were opened after this one, or all, back into text.
    fn dissolve_above(&mut self, index: Option<usize>, out: &mut Writer<'_>) {
        let kept = index.map_or(0, |index| index + 1);
        while self.open.len() > kept {
            self.dissolve(self.open.len() - 1, out);
        }
    }

    /// The number of backticks with which the open code began.
    fn code(&self) -> Option<usize> {
        match self.open.last() {
            Some(Mark::Code { length, .. }) => Some(*length),
            _ => None,
        }
    }

    fn pad_code(&mut self) {
        if let Some(Mark::Code { spaced, .. }) = self.open.last_mut() {
            *spaced = true;
        }
    }

    /// The open link whose text this is.
    fn label(&self) -> Option<usize> {
        self.open.iter().position(|open| open.is_like(Mark::Link))
    }

    fn before_label(&self) -> Option<usize> {
        self.label()?.checked_sub(1)
    }
}

impl Mark {
    fn is_like(self, other: Self) -> bool {
        self == other || (matches!(self, Self::Link | Self::Image) && matches!(other, Self::Link | Self::Image))
    }

    fn literal(self) -> Cow<'static, str> {
        match self {
            Self::Emphasis(mark) => mark.to_string().into(),
            Self::Strong(mark) => [mark, mark].iter().collect::<String>().into(),
            Self::Code { length, spaced } => {
                let padding = if spaced { " " } else { "" };
                ("`".repeat(length) + padding).into()
            }
            Self::Link => "[".into(),
            Self::Image => "![".into(),
            Self::Address => "".into(),
        }
    }
}

impl Destination {
    /// Returns true if a character is allowed at this position.
    fn takes(&mut self, c: char) -> bool {
        match (self.quotation, c) {
            (Some(quotation), c) => {
                if c == quotation {
                    self.quotation = None;
                }
            }
            (None, ' ' | '\t') => self.spaced = true,
            (None, '"' | '\'') if self.spaced => self.quotation = Some(c),
            (None, _) if self.spaced => return false,
            (None, '(') => self.parentheses += 1,
            (None, ')') => self.parentheses -= 1,
            (None, _) => {}
        }
        true
    }
}

/// Returns whether emphasis marks between two characters may open an element, and whether they may close one.
fn sides(mark: char, length: usize, before: char, after: char) -> (bool, bool) {
    let [left, right] = [(before, after), (after, before)].map(|(outside, inside)| {
        let apart = outside.is_whitespace() || is_punctuation(outside);
        !inside.is_whitespace() && (!is_punctuation(inside) || apart)
    });
    match mark {
        '_' => (left && (!right || is_punctuation(before)), right && (!left || is_punctuation(after))),
        _ => {
            let within_a_word = before.is_ascii_alphanumeric() && after.is_ascii_alphanumeric();
            (left && !(length == 1 && within_a_word), right)
        }
    }
}

/// Returns true for punctuation that is set apart from words by spaces. That of other scripts is not, so it counts as a letter.
fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || matches!(c, '\u{a1}'..='\u{bf}' | '\u{2010}'..='\u{205e}')
}
