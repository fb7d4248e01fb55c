//! Turns additions to the arguments into additions to the card.
//!
//! What is shown is never taken back, although repair may leave things out in the end: options that mean "Other", invisible options and
//! questions, blank descriptions. So each of these is held until it is known to stay.

use super::text::{GrowingText, push_words};
use crate::members::{self, Growth, Kind, MEMBERS, Member, MemberPath, Of, OptionSnapshot, QuestionSnapshot, Row};
use crate::parts::{Change, Grows};
use crate::repair::{Stands, flag_word, is_loose, stands};
use crate::text::{folded, is_blank};
use crate::validate::MAX_ASK_BYTES;
use json_tree::{PartialParser, Token};

/// Reads the arguments in the shape of an ask. Other shapes are skipped: they come with the repaired ask.
#[derive(Clone, Debug, Default)]
pub(super) struct LiveAsk {
    /// The open containers, from the outside in.
    levels: Vec<Level>,
    /// The open string, where it is one to show.
    text: Option<GrowingText>,
    /// The open string, number or flag, where it is the value of a flag.
    flag: Option<String>,
    /// The parser within a string that holds JSON, as some models send lists.
    packed: Option<Box<PartialParser>>,
    /// The number of open containers around that string.
    packed_depth: usize,
    /// Packed text is not unpacked twice: one layer is what models send.
    is_unpacking: bool,
    /// The open question, while it is not known to stay.
    question: Option<QuestionSnapshot>,
    /// For a question without the list around it: true if anything in it is visible. Until the arguments end, a list may come and make its
    /// members stray ones that mean nothing.
    bare: Option<bool>,
    /// The open option, while it is not known to stay.
    option: Option<OptionSnapshot>,
    /// The first part that the present piece made grow.
    pub(super) growth: Option<Growth>,
    /// The number of bytes of text that were shown.
    bytes: usize,
    /// The arguments have a shape that is not streamed, so nothing more is shown before they end.
    is_lost: bool,
    /// Something came in another form than the tool's own, so that the arguments have to be read as a whole.
    is_odd: bool,
}

/// An open container.
#[derive(Clone, Debug)]
struct Level {
    scope: Scope,
    /// The member whose value comes next.
    key: Key,
    /// The members so far that say anything, a bit each. One that comes twice makes the ask malformed; what the first one said stays shown.
    seen: u16,
    /// True if another key may replace a field that is missing in the end: one that is needed, or one that may be absent.
    has_near: bool,
    may_change: bool,
    /// A flag under other names: the value of the name with the lowest rank.
    near: Option<(Member, usize, bool)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
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
    /// A name that stands for a flag, by its rank.
    NearFlag(Member, usize),
    Unknown,
}

impl Scope {
    /// The kind of object; `None` for anything else.
    fn object(self) -> Option<Of> {
        match self {
            Self::Arguments => Some(Of::Arguments),
            Self::Question(_) => Some(Of::Question),
            Self::Option { .. } => Some(Of::Option),
            Self::Questions | Self::Options { .. } | Self::Elsewhere => None,
        }
    }

    /// The path of a member of this question or option.
    fn path(self, member: Member) -> Option<MemberPath> {
        match self {
            Self::Question(question) => Some(MemberPath { member, question, option: 0 }),
            Self::Option { question, option } => Some(MemberPath { member, question, option }),
            _ => None,
        }
    }
}

impl Level {
    fn has(&self, member: Member) -> bool {
        self.seen & 1 << member as u16 != 0
    }

    /// Returns true if it has each member that an object of this kind needs.
    fn is_whole(&self, object: Of) -> bool {
        members::of(object).iter().all(|row| !row.is_needed() || self.has(row.member))
    }

    /// Returns true if repair may find a member under another name that is not streamed.
    fn may_be_repaired(&self, object: Of) -> bool {
        self.may_change || self.has_near && !self.is_whole(object)
    }

    /// Takes a name that no member has.
    fn take_near(&mut self, name: &str) -> Key {
        let object = if let Scope::Option { .. } = self.scope { Of::Option } else { Of::Question };
        match stands(object, name) {
            Some(Stands::Flag(member, rank)) if self.scope != Scope::Arguments => {
                return Key::NearFlag(member, rank);
            }
            Some(Stands::Needed) => self.has_near = true,
            Some(_) => self.may_change = true,
            None => {}
        }
        Key::Unknown
    }
}

/// The questions that are shown.
type Shown<'s> = &'s mut Vec<QuestionSnapshot>;

impl LiveAsk {
    /// Returns true if the questions that are shown are those of the whole arguments, if these end here.
    pub(super) fn is_plain(&self) -> bool {
        !self.is_odd && !self.is_lost && self.bare.is_none() && self.question.is_none()
    }

    pub(super) fn take(&mut self, event: Token<'_>, shown: Shown<'_>) {
        if self.is_lost {
            return;
        }
        match event {
            Token::ObjectStart => self.open_object(shown),
            Token::ArrayStart => self.open_array(),
            Token::ObjectEnd | Token::ArrayEnd => {
                if let Some(level) = self.levels.pop() {
                    self.close(&level, shown);
                }
            }
            Token::Key(key) => self.take_key(key, shown),
            Token::StringStart => {
                self.is_odd |= self.expects_flag();
                self.open_text();
            }
            Token::Text(fragment) => self.grow(fragment, shown),
            Token::StringEnd => self.close_text(shown),
            Token::Bool(value) => {
                self.is_odd |= !self.expects_flag();
                self.plain(if value { "true" } else { "false" }, shown);
            }
            Token::Number(number) => {
                self.is_odd = true;
                self.plain(&number.text(), shown);
            }
            Token::Null => self.forget_member(),
        }
    }

    /// The member that was named is null or blank, so another one may replace it.
    fn forget_member(&mut self) {
        self.is_odd = true;
        if let Some(level) = self.levels.last_mut()
            && let Key::Is(member) = level.key
            && member.row().may_be_absent()
        {
            level.seen &= !(1 << member as u16);
        }
    }

    /// Takes a number or a flag, which counts as its text if it says anything.
    fn plain(&mut self, text: &str, shown: Shown<'_>) {
        let (scope, key) = self.slot();
        let is_text = match key {
            _ if matches!(scope, Scope::Options { .. }) => true,
            Key::Is(member) => {
                matches!(scope, Scope::Question(_) | Scope::Option { .. })
                    && matches!(member.row().kind, Kind::Plain | Kind::Flag)
            }
            Key::NearFlag(..) => true,
            Key::Unknown => false,
        };
        if is_text {
            self.open_text();
            self.grow(text, shown);
            self.close_text(shown);
        }
    }

    /// Changes a text or flag of the open question or option.
    fn change(&mut self, path: MemberPath, from: usize, change: Change<'_>, shown: Shown<'_>) {
        let Some(question) = self.question.as_mut().or(shown.last_mut()) else {
            return;
        };
        if path.is_of_question() {
            question.change(path.member, change);
        } else if let Some(option) = self.option.as_mut().or(question.options.last_mut()) {
            option.change(path.member, change);
        }
        self.note(path, from);
    }

    fn note(&mut self, member: MemberPath, from: usize) {
        if self.question.is_none() && self.option.is_none() {
            self.growth.get_or_insert(Growth { member, from });
        }
    }

    /// The open question, and the open option if there is one, are known to stay.
    fn keep(&mut self, path: MemberPath, shown: Shown<'_>) {
        if let Some(option) = self.option.take()
            && let Some(question) = self.question.as_mut().or(shown.last_mut())
        {
            question.options.push(option);
        }
        match &mut self.bare {
            Some(is_visible) => *is_visible = true,
            None => {
                shown.extend(self.question.take());
                self.note(path, 0);
            }
        }
    }

    /// The place of the next value: the innermost container and the member there.
    fn slot(&self) -> (Scope, Key) {
        self.levels.last().map_or((Scope::Elsewhere, Key::Unknown), |level| (level.scope, level.key))
    }

    fn expects_flag(&self) -> bool {
        matches!(self.slot().1, Key::Is(member) if member.row().kind == Kind::Flag)
    }

    fn push(&mut self, scope: Scope) {
        let (has_near, may_change) = (false, false);
        self.levels.push(Level { scope, key: Key::Unknown, seen: 0, has_near, may_change, near: None });
    }

    fn open_object(&mut self, shown: Shown<'_>) {
        let scope = match self.slot() {
            _ if self.levels.is_empty() => Scope::Arguments,
            (Scope::Arguments, Key::Is(Member::Questions)) => {
                self.is_odd = true;
                self.open_question(shown)
            }
            (Scope::Questions, _) => self.open_question(shown),
            (Scope::Options { question, next }, _) => self.open_option(question, next),
            // A map of options.
            (Scope::Question(_), Key::Is(Member::Options)) => {
                self.is_lost = true;
                Scope::Elsewhere
            }
            _ => self.elsewhere(),
        };
        self.push(scope);
    }

    fn elsewhere(&mut self) -> Scope {
        self.is_odd = true;
        Scope::Elsewhere
    }

    fn open_array(&mut self) {
        let scope = match self.slot() {
            _ if self.levels.is_empty() => {
                self.is_odd = true;
                Scope::Questions
            }
            (Scope::Arguments, Key::Is(Member::Questions)) => Scope::Questions,
            (Scope::Question(question), Key::Is(Member::Options)) => Scope::Options { question, next: 0 },
            _ => self.elsewhere(),
        };
        self.push(scope);
    }

    fn open_question(&mut self, shown: Shown<'_>) -> Scope {
        self.question = Some(QuestionSnapshot::default());
        Scope::Question(shown.len())
    }

    fn open_option(&mut self, question: usize, option: usize) -> Scope {
        self.option = Some(OptionSnapshot::default());
        Scope::Option { question, option }
    }

    fn close(&mut self, level: &Level, shown: Shown<'_>) {
        let scope = level.scope;
        if let Some(object) = scope.object() {
            self.is_odd |= !level.is_whole(object);
            if object != Of::Arguments && level.may_be_repaired(object) {
                self.is_lost = true;
                return;
            }
        }
        if let Some((member, _, value)) = level.near.filter(|(member, ..)| !level.has(*member)) {
            self.set_flag(scope, member, value, shown);
        }
        match scope {
            Scope::Question(question) => {
                let path = MemberPath::question(question);
                if self.bare.take() == Some(true) {
                    self.keep(path, shown);
                }
                self.close_question(path, shown);
            }
            Scope::Option { question, option } => self.close_option(MemberPath::label(question, option), shown),
            Scope::Arguments | Scope::Questions | Scope::Options { .. } | Scope::Elsewhere => {}
        }
    }

    fn set_flag(&mut self, scope: Scope, member: Member, value: bool, shown: Shown<'_>) {
        if let Some(flag) = scope.path(member) {
            self.change(flag, 0, Change::Set(value), shown);
        }
    }

    fn close_question(&mut self, path: MemberPath, shown: Shown<'_>) {
        if self.question.take().is_some() {
            self.is_odd = true;
        } else if let Some(question) = shown.last_mut() {
            question.end();
            let length = question.question.text.len();
            self.note(path, length);
        }
    }

    fn close_option(&mut self, path: MemberPath, shown: Shown<'_>) {
        if self.option.take().is_some() {
            self.is_odd = true;
            return;
        }
        let question = self.question.as_mut().or(shown.last_mut());
        if let Some(option) = question.and_then(|question| question.options.last_mut()) {
            option.end();
            let length = option.label.text.len();
            self.note(path, length);
        }
        if let Some(Level { scope: Scope::Options { next, .. }, .. }) = self.levels.last_mut() {
            *next += 1;
        }
    }

    fn take_key(&mut self, name: &str, shown: Shown<'_>) {
        let Some(level) = self.levels.last() else {
            return;
        };
        let rows = match level.scope.object() {
            Some(Of::Option) => members::of(Of::Option),
            // One question may come without the list around it.
            Some(_) => &MEMBERS[..Member::Label as usize],
            None => return,
        };
        let is_about_all = |row: &Row| matches!(row.member, Member::AskedBy | Member::Why);
        let row = rows.iter().find(|row| row.name == name && !is_about_all(row));
        match (level.scope, row.map(|row| row.member)) {
            (Scope::Question(_), Some(Member::Questions)) if self.bare.take().is_some() => {
                (self.question, self.option, self.is_odd) = (None, None, true);
                self.replace(Scope::Arguments);
            }
            // The list that was meant is within another one.
            (Scope::Question(_), Some(Member::Questions)) => self.is_lost = true,
            // A question without the list around it is a question nevertheless.
            (Scope::Arguments, Some(member)) if member != Member::Questions && !level.has(Member::Questions) => {
                (self.bare, self.is_odd) = (Some(false), true);
                let scope = self.open_question(shown);
                self.replace(scope);
            }
            (Scope::Arguments | Scope::Question(_), None) => self.is_lost |= folded(name) == "questions",
            _ => {}
        }
        if let Some(level) = self.levels.last_mut() {
            // Members with other names, or with the same one, are for the reader of the whole.
            self.is_odd |= row.is_none_or(|row| level.has(row.member));
            level.key = match row {
                Some(row) if level.has(row.member) => Key::Unknown,
                Some(row) => {
                    // What is asked for instead of a choice comes with the whole ask.
                    self.is_lost |= row.kind == Kind::Input;
                    level.seen |= 1 << row.member as u16;
                    Key::Is(row.member)
                }
                None => level.take_near(name),
            };
        }
    }

    /// The innermost container turns out to be something else.
    fn replace(&mut self, scope: Scope) {
        if let Some(level) = self.levels.last_mut() {
            level.scope = scope;
        }
    }

    fn open_text(&mut self) {
        match self.slot() {
            _ if self.levels.is_empty() && !self.is_unpacking => self.unpack(),
            (Scope::Arguments, Key::Is(Member::Questions)) | (Scope::Question(_), Key::Is(Member::Options))
                if !self.is_unpacking =>
            {
                self.unpack();
            }
            // A question may be packed on its own, or twice, which happens too rarely to be followed.
            (Scope::Questions, _) | (Scope::Question(_), Key::Is(Member::Options)) => self.is_lost = true,
            (Scope::Options { question, next }, _) => {
                self.is_odd = true;
                self.open_option(question, next);
                self.text = Some(GrowingText::new(MemberPath::label(question, next), true));
            }
            (_, Key::NearFlag(..)) => self.flag = Some(String::new()),
            (Scope::Question(_) | Scope::Option { .. }, Key::Is(member)) if member.row().kind == Kind::Flag => {
                self.flag = Some(String::new());
            }
            (scope, Key::Is(member)) => self.text = scope.path(member).map(|path| GrowingText::new(path, false)),
            _ => self.is_odd = true,
        }
    }

    fn unpack(&mut self) {
        self.is_odd = true;
        self.packed = Some(Box::default());
        self.packed_depth = self.levels.len();
    }

    /// Takes a fragment of the open string. While a packed string is read, its parser is taken out of
    /// its place, and the fragments are those of the strings inside.
    fn grow(&mut self, fragment: &str, shown: Shown<'_>) {
        if let Some(mut parser) = self.packed.take() {
            self.is_unpacking = true;
            let fed = parser.feed(fragment, |event| self.take(event, shown));
            self.is_unpacking = false;
            self.is_lost |= fed.is_err();
            self.packed = Some(parser);
        } else if let Some(text) = &mut self.text {
            let (delta, is_odd) = text.grow(fragment);
            if let Some(delta) = delta {
                self.append(&delta, shown);
            }
            self.is_lost |= is_odd;
        } else if let Some(text) = &mut self.flag {
            push_words(text, fragment);
        }
    }

    /// Shows more of the open text.
    fn append(&mut self, delta: &str, shown: Shown<'_>) {
        let Some(GrowingText { path, is_visible, shown: from, .. }) = &mut self.text else {
            return;
        };
        let (path, is_visible, begin) = (*path, *is_visible, *from);
        *from += delta.len();
        self.bytes += delta.len();
        if self.bytes > MAX_ASK_BYTES {
            // Such an ask is not shown in the end, since laying it out would freeze the page.
            self.is_lost = true;
            return;
        }
        self.change(path, begin, Change::Append(delta), shown);
        if path.member == Member::Label || path.is_of_question() && is_visible && self.question.is_some() {
            self.keep(path, shown);
        }
    }

    fn close_text(&mut self, shown: Shown<'_>) {
        if let Some(mut parser) = self.packed.take() {
            self.is_lost |= parser.finish(|_| {}).is_err();
            self.levels.truncate(self.packed_depth);
            self.text = None;
        } else if let Some(text) = &mut self.text {
            if text.is_packed_option() {
                self.text = None;
                self.is_lost = true;
                return;
            }
            if let Some(delta) = text.last() {
                self.append(&delta, shown);
            }
            let Some(text) = self.text.take() else {
                return;
            };
            self.is_odd |= text.is_otherwise();
            if text.begun || text.path.member.row().is_needed() {
                self.change(text.path, text.shown, Change::Close, shown);
            }
            if text.is_plain_option {
                self.close_option(text.path, shown);
            }
        } else if let Some(text) = self.flag.take() {
            self.close_flag(&text, shown);
        }
    }

    fn close_flag(&mut self, text: &str, shown: Shown<'_>) {
        let ((scope, key), value) = (self.slot(), flag_word(text));
        match (key, value) {
            (Key::Is(member), Some(value)) => self.set_flag(scope, member, value, shown),
            _ if is_blank(text) => self.forget_member(),
            // It is about the flag, and does not say it.
            (Key::NearFlag(member, rank), None) if is_loose(member, rank) => {}
            (Key::NearFlag(member, rank), value) => {
                if let Some(level) = self.levels.last_mut() {
                    // Two flags under other names come with the whole ask.
                    self.is_lost |= level.near.is_some_and(|(other, ..)| other != member);
                    if level.near.is_none_or(|(_, near, _)| rank < near) {
                        level.near = Some((member, rank, value.unwrap_or_default()));
                    }
                }
            }
            _ => {}
        }
    }
}
