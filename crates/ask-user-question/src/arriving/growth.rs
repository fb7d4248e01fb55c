//! Turns additions to the arguments into additions to the card, as far as they have the tool's own form. What comes otherwise is shown with
//! the repaired ask, once the arguments have ended.
//!
//! What is shown is never taken back, although repair may leave things out in the end: options that mean "Other", invisible options and
//! questions, blank descriptions. So each of these is held until it is known to stay.

use super::text::GrowingText;
use crate::members::{Growth, Kind, Member, MemberPath, Of, OptionSnapshot, QuestionSnapshot, Row};
use crate::parts::{Change, Grows};
use crate::repairs::{Repairs, Stands};
use crate::text::folded;
use crate::validate::MAX_ASK_BYTES;
use json_tree::Token;

/// Lets the questions that are shown grow by tokens. A part that repair may leave out is kept here until it is known to stay.
#[derive(Clone, Debug, Default)]
pub(super) struct LiveAsk {
    /// The repairs that will read the arguments as a whole.
    pub(super) repairs: &'static Repairs,
    /// The open containers, from the outside in.
    levels: Vec<Level>,
    /// The open string, if it is to be shown.
    text: Option<GrowingText>,
    /// The open question, until it is known to stay.
    question: Option<QuestionSnapshot>,
    /// The open option, until it is known to stay.
    option: Option<OptionSnapshot>,
    /// The first part that the present piece made grow.
    pub(super) growth: Option<Growth>,
    /// The number of bytes of text that were shown.
    bytes: usize,
    /// The arguments have a shape that is not streamed, so nothing more is shown before they end.
    pub(super) is_lost: bool,
    /// Something was not in the tool's own form, so the arguments must be read as a whole in the end.
    pub(super) is_odd: bool,
}

#[derive(Clone, Debug)]
struct Level {
    scope: Scope,
    /// The member whose value comes next, if its name is one of the tool's.
    key: Option<Member>,
    /// The members so far, a bit each. A repeated one makes the ask malformed; the first value stays shown.
    seen: u32,
    /// A key with another name came that repair may read as a member, if the object lacks it at its end: as a needed one (`has_near`), or as an
    /// optional one (`may_change`).
    has_near: bool,
    may_change: bool,
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
        object.members().iter().all(|row| !row.is_needed() || self.has(row.member))
    }

    /// Takes a name that no member has: repair may know it.
    fn take_near(&mut self, name: &str, repairs: &Repairs) {
        match self.scope.object().and_then(|object| (repairs.stands)(object, name)) {
            Some(Stands::Needed) => self.has_near = true,
            Some(Stands::Optional) => self.may_change = true,
            None => {}
        }
    }
}

type Shown<'s> = &'s mut Vec<QuestionSnapshot>;

impl LiveAsk {
    pub(super) fn new(repairs: &'static Repairs) -> Self {
        Self { repairs, ..Self::default() }
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
            Token::Key(key) => self.take_key(key),
            Token::StringStart => self.open_text(),
            Token::Text(fragment) => self.grow(fragment, shown),
            Token::StringEnd => self.close_text(shown),
            Token::Bool(value) => match self.slot() {
                (scope, Some(member)) if member.row().kind == Kind::Flag => {
                    scope.path(member).into_iter().for_each(|flag| self.change(flag, 0, Change::Set(value), shown));
                }
                _ => self.take_odd(),
            },
            Token::Number(_) => self.take_odd(),
            Token::Null => self.forget_member(),
        }
    }

    /// The named member is null or blank, so another key may give it.
    fn forget_member(&mut self) {
        self.is_odd = true;
        if let Some(level) = self.levels.last_mut()
            && let Some(member) = level.key
        {
            level.seen &= !(1 << member as u16);
        }
    }

    /// Takes a value of another type than the tool's. If repair takes its text as the value, nothing more is shown before the end.
    fn take_odd(&mut self) {
        self.is_odd = true;
        let (scope, member) = self.slot();
        let counts = |member: Member| matches!(member.row().kind, Kind::Plain | Kind::Flag);
        self.is_lost |= matches!(scope, Scope::Options { .. }) || member.is_some_and(counts);
    }

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

    /// The place of the next value: the innermost container and the member there.
    fn slot(&self) -> (Scope, Option<Member>) {
        self.levels.last().map_or((Scope::Elsewhere, None), |level| (level.scope, level.key))
    }

    fn push(&mut self, scope: Scope) {
        self.is_odd |= scope == Scope::Elsewhere;
        self.levels.push(Level { scope, key: None, seen: 0, has_near: false, may_change: false });
    }

    fn open_object(&mut self, shown: Shown<'_>) {
        let scope = match self.slot() {
            _ if self.levels.is_empty() => Scope::Arguments,
            (Scope::Questions, _) => {
                self.question = Some(QuestionSnapshot::default());
                Scope::Question(shown.len())
            }
            (Scope::Options { question, next }, _) => {
                self.option = Some(OptionSnapshot::default());
                Scope::Option { question, option: next }
            }
            // A map of options.
            (Scope::Question(_), Some(Member::Options)) => {
                self.is_lost = true;
                Scope::Elsewhere
            }
            _ => Scope::Elsewhere,
        };
        self.push(scope);
    }

    fn open_array(&mut self) {
        let scope = match self.slot() {
            // The list alone.
            _ if self.levels.is_empty() => {
                self.is_odd = true;
                Scope::Questions
            }
            (Scope::Arguments, Some(Member::Questions)) => Scope::Questions,
            (Scope::Question(question), Some(Member::Options)) => Scope::Options { question, next: 0 },
            _ => Scope::Elsewhere,
        };
        self.push(scope);
    }

    fn close(&mut self, level: &Level, shown: Shown<'_>) {
        let scope = level.scope;
        if let Some(object) = scope.object() {
            let is_whole = level.is_whole(object);
            self.is_odd |= !is_whole;
            // Repair may find a member under another name, which is not streamed.
            if object != Of::Arguments && (level.may_change || level.has_near && !is_whole) {
                self.is_lost = true;
                return;
            }
        }
        match scope {
            Scope::Question(question) => self.close_question(MemberPath::question(question), shown),
            Scope::Option { question, option } => self.close_option(MemberPath::label(question, option), shown),
            Scope::Arguments | Scope::Questions | Scope::Options { .. } | Scope::Elsewhere => {}
        }
    }

    fn close_question(&mut self, path: MemberPath, shown: Shown<'_>) {
        if self.question.take().is_some() {
            self.is_odd = true;
        } else if let Some(question) = shown.last_mut() {
            question.end();
            // Another text might have come for a blank one.
            question.question.closed = true;
            let length = question.question.text.len();
            self.note(path, length);
        }
    }

    fn close_option(&mut self, path: MemberPath, shown: Shown<'_>) {
        if self.option.take().is_some() {
            self.is_odd = true;
            return;
        }
        if let Some(option) = shown.last_mut().and_then(|question| question.options.last_mut()) {
            option.end();
            let length = option.label.text.len();
            self.note(path, length);
        }
        if let Some(Level { scope: Scope::Options { next, .. }, .. }) = self.levels.last_mut() {
            *next += 1;
        }
    }

    fn take_key(&mut self, name: &str) {
        let Some(level) = self.levels.last_mut() else {
            return;
        };
        let Some(object) = level.scope.object() else {
            return;
        };
        // What is said of the ask as a whole comes with the whole.
        let streams = |row: &&Row| object != Of::Arguments || matches!(row.kind, Kind::List(_));
        let row = object.members().iter().filter(streams).find(|row| row.name == name);
        level.key = row.map(|row| row.member).filter(|member| !level.has(*member));
        match row {
            Some(row) => {
                level.seen |= 1 << row.member as u16;
                // Without a label it is one.
                if row.member == Member::Value {
                    level.take_near(name, self.repairs);
                }
            }
            None => level.take_near(name, self.repairs),
        }
        // Members with other names, or with the same one, are for the reader of the whole.
        self.is_odd |= level.key.is_none();
        // The list that was meant may be another one. A condition, and what is asked for instead of a choice, come with the whole ask.
        self.is_lost |= row.is_none() && object != Of::Option && folded(name) == "questions"
            || row.is_some_and(|row| matches!(row.kind, Kind::Input | Kind::Condition));
    }

    fn open_text(&mut self) {
        match self.slot() {
            (Scope::Options { question, next }, _) => {
                self.is_odd = true;
                self.option = Some(OptionSnapshot::default());
                self.text = Some(GrowingText::new(MemberPath::label(question, next), true, self.repairs));
            }
            (scope @ (Scope::Question(_) | Scope::Option { .. }), Some(member))
                if matches!(member.row().kind, Kind::Key | Kind::Plain | Kind::Text) =>
            {
                self.text = scope.path(member).map(|path| GrowingText::new(path, false, self.repairs));
            }
            // Questions or options in a string, or a word for a flag.
            (Scope::Questions, _) | (_, Some(_)) => self.is_lost = true,
            _ => self.is_odd = true,
        }
    }

    fn grow(&mut self, fragment: &str, shown: Shown<'_>) {
        if let Some(text) = &mut self.text {
            let (delta, is_odd) = text.grow(fragment);
            if let Some(delta) = delta {
                self.append(&delta, shown);
            }
            self.is_lost |= is_odd;
        }
    }

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
            // The open question and option are known to stay.
            shown.extend(self.question.take());
            if let Some(question) = shown.last_mut() {
                question.options.extend(self.option.take());
            }
            self.note(path, 0);
        }
    }

    fn close_text(&mut self, shown: Shown<'_>) {
        let Some(text) = &mut self.text else {
            return;
        };
        if let Some(delta) = text.last() {
            self.append(&delta, shown);
        }
        let Some(text) = self.text.take() else {
            return;
        };
        self.is_odd |= text.is_otherwise();
        if text.begun || text.is_visible && text.path.member.row().is_needed() {
            self.change(text.path, text.shown, Change::Close, shown);
        } else if text.path.member.row().is_needed() {
            self.forget_member();
        }
        if text.is_plain_option {
            self.close_option(text.path, shown);
        }
    }
}
