//! Turns additions to the arguments into additions to the card.
//!
//! A patch is never taken back, although repair may leave things out in the end: options that mean "Other", invisible options and
//! questions, blank descriptions. So each of these is held until it is known to stay.

use super::text::{GrowingText, odd_in, push_words};
use crate::members::{MEMBERS, Member, Of};
use crate::repair::{Stands, flag_word, stands};
use crate::snapshot::{AskPatch, TextPath};
use crate::text::{folded, is_blank};
use crate::validate::MAX_ASK_BYTES;
use json_tree::{PartialParser, Token};

/// Follows the arguments through the shape of an ask. Other shapes are skipped: they come with the repaired ask.
#[derive(Clone, Debug, Default)]
pub(super) struct Growth {
    /// The open containers, from the outside in.
    frames: Vec<Frame>,
    /// The open string, where it is one to show.
    text: Option<GrowingText>,
    /// The parser within a string that holds JSON, as some models send lists.
    packed: Option<Box<PartialParser>>,
    /// The number of open containers around that string.
    packed_depth: usize,
    /// Packed text is not unpacked twice: one layer is what models send.
    is_unpacking: bool,
    /// The number of questions that stay.
    questions: usize,
    /// True if the open question is not known to stay.
    question_is_open: bool,
    /// The open question, if it is without the list around it.
    bare: Option<Bare>,
    /// The index in `held` at which the open option begins, while that is not known to stay.
    option_from: Option<usize>,
    /// The patches to emit once they are.
    held: Vec<AskPatch>,
    flags: Flags,
    /// The number of bytes of text that were shown.
    bytes: usize,
    /// The arguments have a shape that is not streamed, so nothing more is shown before they end.
    is_lost: bool,
}

#[derive(Clone, Debug)]
struct Frame {
    place: Place,
    /// The member whose value comes next.
    key: Key,
    /// The keys so far that mean anything here, a bit each. One that comes twice makes the ask malformed; what the first one said stays shown.
    seen: u16,
    /// True if another key may replace a field that is missing in the end: one of those in [`NEEDED`], or one that may be absent.
    has_near: bool,
    may_change: bool,
}

/// A question without the list around it. Until the arguments end, a list may come and make its members stray ones that mean nothing.
#[derive(Clone, Copy, Debug)]
struct Bare {
    /// True if anything in it is visible.
    is_visible: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Arguments,
    Questions,
    Question(usize),
    Options { question: usize, next: usize },
    Option { question: usize, option: usize },
    Elsewhere,
}

/// The name of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Is(Member),
    /// A name that stands for `multiSelect`, by its rank.
    NearFlag(usize),
    Other,
}

/// The open question's statements about several choices.
#[derive(Clone, Debug, Default)]
struct Flags {
    /// `multiSelect` is there.
    is_named: bool,
    /// The value of the name with the lowest rank among its substitutes.
    near: Option<(usize, bool)>,
    /// The open text.
    text: Option<String>,
}

/// The bits of members in [`Frame::seen`].
const fn bits(members: &[Member]) -> u16 {
    match members {
        [first, rest @ ..] => 1 << *first as u16 | bits(rest),
        [] => 0,
    }
}

/// The members of a question.
const QUESTION: u16 = bits(&[Member::Label]) - bits(&[Member::Question]);
/// The members that a question needs, unless repair finds them under other names.
const NEEDED: u16 = bits(&[Member::Question, Member::Options]);

type Tell<'a> = &'a mut dyn FnMut(AskPatch);

impl Growth {
    pub(super) fn take(&mut self, event: Token<'_>, tell: Tell<'_>) {
        if self.is_lost {
            return;
        }
        match event {
            Token::ObjectStart => self.open_object(),
            Token::ArrayStart => self.open_array(),
            Token::ObjectEnd | Token::ArrayEnd => {
                if let Some(frame) = self.frames.pop() {
                    self.close(&frame, tell);
                }
            }
            Token::Key(key) => self.take_key(key),
            Token::StringStart => self.open_text(),
            Token::Text(fragment) => self.grow(fragment, tell),
            Token::StringEnd => self.close_text(tell),
            Token::Bool(value) => self.plain(if value { "true" } else { "false" }, tell),
            Token::Number(number) => self.plain(&number.text(), tell),
            // A null member is missing, so another one may replace it.
            Token::Null => match self.frames.last_mut() {
                Some(frame @ Frame { key: Key::Is(Member::Options), .. }) => frame.seen &= !bits(&[Member::Options]),
                Some(Frame { key: Key::Is(Member::MultiSelect), .. }) => self.flags.is_named = false,
                _ => {}
            },
        }
    }

    /// Takes a number or a flag, which counts as its text if it says anything.
    fn plain(&mut self, text: &str, tell: Tell<'_>) {
        match self.slot() {
            (Place::Options { .. }, _)
            | (Place::Option { .. }, Key::Is(Member::Label))
            | (Place::Question(_), Key::Is(Member::MultiSelect) | Key::NearFlag(_)) => {
                self.open_text();
                self.grow(text, tell);
                self.close_text(tell);
            }
            _ => {}
        }
    }

    /// Emits a patch, or holds it while its question or option may not stay.
    fn tell(&mut self, patch: AskPatch, tell: Tell<'_>) {
        if self.question_is_open || self.option_from.is_some() {
            self.held.push(patch);
        } else {
            tell(patch);
        }
    }

    /// The open question, and the open option if there is one, are known to stay.
    fn keep(&mut self, tell: Tell<'_>) {
        self.option_from = None;
        match &mut self.bare {
            Some(bare) => bare.is_visible = true,
            None => {
                self.question_is_open = false;
                std::mem::take(&mut self.held).into_iter().for_each(tell);
            }
        }
    }

    /// The place of the next value: the innermost container and the member there.
    fn slot(&self) -> (Place, Key) {
        self.frames.last().map_or((Place::Elsewhere, Key::Other), |frame| (frame.place, frame.key))
    }

    fn push(&mut self, place: Place) {
        self.frames.push(Frame { place, key: Key::Other, seen: 0, has_near: false, may_change: false });
    }

    fn open_object(&mut self) {
        let place = match self.slot() {
            _ if self.frames.is_empty() => Place::Arguments,
            (Place::Arguments, Key::Is(Member::Questions)) | (Place::Questions, _) => self.open_question(),
            (Place::Options { question, next }, _) => self.open_option(question, next),
            // A map of options.
            (Place::Question(_), Key::Is(Member::Options)) => {
                self.is_lost = true;
                Place::Elsewhere
            }
            _ => Place::Elsewhere,
        };
        self.push(place);
    }

    fn open_array(&mut self) {
        let place = match self.slot() {
            _ if self.frames.is_empty() => Place::Questions,
            (Place::Arguments, Key::Is(Member::Questions)) => Place::Questions,
            (Place::Question(question), Key::Is(Member::Options)) => Place::Options { question, next: 0 },
            _ => Place::Elsewhere,
        };
        self.push(place);
    }

    fn open_question(&mut self) -> Place {
        let question = self.questions;
        self.flags = Flags::default();
        self.question_is_open = true;
        self.held.push(AskPatch::OpenQuestion { question });
        Place::Question(question)
    }

    fn open_option(&mut self, question: usize, option: usize) -> Place {
        self.option_from = Some(self.held.len());
        self.held.push(AskPatch::OpenOption { question, option });
        Place::Option { question, option }
    }

    fn close(&mut self, frame: &Frame, tell: Tell<'_>) {
        let lacks = |bits| frame.may_change || frame.has_near && frame.seen & bits != bits;
        match frame.place {
            Place::Question(_) if lacks(NEEDED) => self.is_lost = true,
            Place::Option { .. } if lacks(bits(&[Member::Label])) => self.is_lost = true,
            Place::Question(question) => {
                if self.bare.take().is_some_and(|bare| bare.is_visible) {
                    self.keep(tell);
                }
                self.close_question(question, tell);
            }
            Place::Option { question, option } => self.close_option(question, option, tell),
            Place::Arguments | Place::Questions | Place::Options { .. } | Place::Elsewhere => {}
        }
    }

    fn close_question(&mut self, question: usize, tell: Tell<'_>) {
        if std::mem::take(&mut self.question_is_open) {
            return self.held.clear();
        }
        if let (false, Some((_, value))) = (self.flags.is_named, self.flags.near) {
            tell(AskPatch::MultiSelect { question, value });
        }
        tell(AskPatch::CloseQuestion { question });
        self.questions += 1;
    }

    fn close_option(&mut self, question: usize, option: usize, tell: Tell<'_>) {
        if let Some(from) = self.option_from.take() {
            return self.held.truncate(from);
        }
        self.tell(AskPatch::CloseOption { question, option }, tell);
        if let Some(Frame { place: Place::Options { next, .. }, .. }) = self.frames.last_mut() {
            *next += 1;
        }
    }

    fn take_key(&mut self, name: &str) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let member = MEMBERS.iter().find(|row| row.name == name).map(|row| row.member);
        let (bit, mut key) = member.map_or((0, Key::Other), |member| (bits(&[member]), Key::Is(member)));
        match (frame.place, key) {
            // A question without the list around it is a question nevertheless.
            (Place::Arguments, Key::Is(member))
                if bits(&[member]) & QUESTION != 0 && frame.seen & bits(&[Member::Questions]) == 0 =>
            {
                self.bare = Some(Bare { is_visible: false });
                let place = self.open_question();
                self.replace(place);
            }
            (Place::Question(_), Key::Is(Member::Questions)) if self.bare.take().is_some() => {
                self.question_is_open = false;
                self.held.clear();
                self.replace(Place::Arguments);
            }
            // The list that was meant is within another one.
            (Place::Question(_), Key::Is(Member::Questions)) => self.is_lost = true,
            _ => {}
        }
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        if frame.seen & bit != 0 {
            key = Key::Other;
        }
        frame.key = key;
        frame.seen |= bit;
        self.flags.is_named |= matches!((frame.place, key), (Place::Question(_), Key::Is(Member::MultiSelect)));
        if bit == 0 {
            let may_hold = matches!(frame.place, Place::Arguments | Place::Question(_));
            self.is_lost |= may_hold && folded(name) == "questions";
            let stands = match frame.place {
                Place::Arguments | Place::Question(_) => stands(Of::Question, name),
                Place::Option { .. } => stands(Of::Option, name),
                _ => None,
            };
            match (stands, frame.place) {
                (Some(Stands::Needed), _) => frame.has_near = true,
                (Some(Stands::Flag(rank)), Place::Question(_)) => frame.key = Key::NearFlag(rank),
                // A flag of an option comes with the whole ask.
                (Some(Stands::Flag(_)), Place::Option { .. }) => {}
                (Some(_), _) => frame.may_change = true,
                (None, _) => {}
            }
        }
    }

    /// The innermost container turns out to be something else.
    fn replace(&mut self, place: Place) {
        if let Some(frame) = self.frames.last_mut() {
            frame.place = place;
        }
    }

    fn open_text(&mut self) {
        let path = match self.slot() {
            _ if self.frames.is_empty() && !self.is_unpacking => return self.unpack(),
            (Place::Arguments, Key::Is(Member::Questions)) | (Place::Question(_), Key::Is(Member::Options))
                if !self.is_unpacking =>
            {
                return self.unpack();
            }
            // A question may be packed on its own, or twice, which happens too rarely to be followed.
            (Place::Questions, _) | (Place::Question(_), Key::Is(Member::Options)) => {
                self.is_lost = true;
                return;
            }
            (Place::Question(_), Key::Is(Member::MultiSelect) | Key::NearFlag(_)) => {
                self.flags.text = Some(String::new());
                return;
            }
            (Place::Options { question, next }, _) => {
                self.open_option(question, next);
                let mut text = GrowingText::new(TextPath::Label(question, next));
                text.is_plain_option = true;
                self.text = Some(text);
                return;
            }
            (Place::Question(question), Key::Is(Member::Question)) => TextPath::Question(question),
            (Place::Question(question), Key::Is(Member::Header)) => TextPath::Header(question),
            (Place::Option { question, option }, Key::Is(Member::Label)) => TextPath::Label(question, option),
            (Place::Option { question, option }, Key::Is(Member::Description)) => {
                TextPath::Description(question, option)
            }
            (Place::Option { question, option }, Key::Is(Member::Preview)) => TextPath::Preview(question, option),
            _ => return,
        };
        self.text = Some(GrowingText::new(path));
    }

    fn unpack(&mut self) {
        self.packed = Some(Box::default());
        self.packed_depth = self.frames.len();
    }

    /// Takes a fragment of the open string. While a packed string is read, its parser is taken out of
    /// its place, and the fragments are those of the strings inside.
    fn grow(&mut self, fragment: &str, tell: Tell<'_>) {
        if let Some(mut parser) = self.packed.take() {
            self.is_unpacking = true;
            let fed = parser.feed(fragment, |event| self.take(event, tell));
            self.is_unpacking = false;
            self.is_lost |= fed.is_err();
            self.packed = Some(parser);
        } else if let Some(text) = &mut self.text {
            // From there on, the final text may be a different one.
            let odd = if let TextPath::Question(_) = text.path { odd_in(fragment) } else { None };
            let fragment = fragment.get(..odd.unwrap_or(fragment.len())).unwrap_or_default();
            if let Some(delta) = text.grow(fragment) {
                let (path, is_visible) = (text.path, text.is_visible);
                self.append(path, is_visible, delta, tell);
            }
            self.is_lost |= odd.is_some();
        } else if let Some(text) = &mut self.flags.text {
            push_words(text, fragment);
        }
    }

    fn append(&mut self, text: TextPath, is_visible: bool, delta: String, tell: Tell<'_>) {
        self.bytes += delta.len();
        if self.bytes > MAX_ASK_BYTES {
            // Such an ask is not shown in the end, since laying it out would freeze the page.
            self.is_lost = true;
            return;
        }
        self.tell(AskPatch::Append { text, delta }, tell);
        match text {
            TextPath::Label(..) => self.keep(tell),
            TextPath::Question(_) | TextPath::Header(_) if is_visible && self.question_is_open => {
                self.keep(tell);
            }
            _ => {}
        }
    }

    fn close_text(&mut self, tell: Tell<'_>) {
        if let Some(mut parser) = self.packed.take() {
            self.is_lost |= parser.finish(|_| {}).is_err();
            self.frames.truncate(self.packed_depth);
            self.text = None;
        } else if let Some(mut text) = self.text.take() {
            if text.is_packed_option() {
                self.is_lost = true;
                return;
            }
            if let Some(delta) = text.last() {
                self.append(text.path, text.is_visible, delta, tell);
            }
            if text.begun || text.is_required() {
                self.tell(AskPatch::CloseText { text: text.path }, tell);
            }
            if let (true, TextPath::Label(question, option)) = (text.is_plain_option, text.path) {
                self.close_option(question, option, tell);
            }
        } else if let Some(text) = self.flags.text.take() {
            match (self.slot(), flag_word(&text)) {
                ((Place::Question(question), Key::Is(Member::MultiSelect)), Some(value)) => {
                    self.tell(AskPatch::MultiSelect { question, value }, tell);
                }
                ((_, Key::Is(Member::MultiSelect)), None) if is_blank(&text) => self.flags.is_named = false,
                ((_, Key::NearFlag(rank)), value)
                    if !is_blank(&text) && self.flags.near.is_none_or(|(near, _)| rank < near) =>
                {
                    self.flags.near = Some((rank, value.unwrap_or_default()));
                }
                _ => {}
            }
        }
    }
}
