//! Turns tokens of the arguments into growth of the shown questions, as far as they are in the tool's own form. Other parts are shown with the
//! repaired ask, once the arguments have ended.
//!
//! What was shown is never taken back. Since repair may remove options that mean "Other", invisible options and questions, and blank descriptions,
//! each of these is held until it is certain to stay.

use super::text::GrowingText;
use crate::members::{Growth, Kind, Member, MemberPath, Of, OptionSnapshot, QuestionSnapshot, Row};
use crate::parts::{Change, Grows};
use crate::repairs::{Repairs, Stands};
use crate::text::folded;
use crate::validate::MAX_ASK_BYTES;
use json_tree::Token;

/// Grows the shown questions by tokens. Holds a part that repair may remove until it is certain to stay.
#[derive(Clone, Debug, Default)]
pub(super) struct LiveAsk {
    /// The repairs that will be applied to the whole arguments.
    pub(super) repairs: &'static Repairs,
    /// The open containers, the outermost first.
    levels: Vec<Level>,
    /// The open string, if it is shown.
    text: Option<GrowingText>,
    /// The open question, while it is not certain to stay.
    question: Option<QuestionSnapshot>,
    /// The open option, while it is not certain to stay.
    option: Option<OptionSnapshot>,
    /// The first growth by the current piece.
    pub(super) growth: Option<Growth>,
    bytes: usize,
    /// The arguments have a shape that can't stream, so nothing more is shown before they end.
    pub(super) is_lost: bool,
    /// Part of the arguments is not in the tool's own form, so they must be read as a whole at the end.
    pub(super) is_odd: bool,
}

#[derive(Clone, Debug)]
struct Level {
    scope: Scope,
    /// The member whose value comes next; `None` if the key is unknown.
    key: Option<Member>,
    /// One bit per member that arrived. A repeated member makes the ask malformed; its first value stays shown.
    seen: u32,
    /// An unknown key arrived that repair may read as a missing member of this object: a needed one (`has_near`) or an optional one (`may_change`).
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
    fn object(self) -> Option<Of> {
        match self {
            Self::Arguments => Some(Of::Arguments),
            Self::Question(_) => Some(Of::Question),
            Self::Option { .. } => Some(Of::Option),
            Self::Questions | Self::Options { .. } | Self::Elsewhere => None,
        }
    }

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

    /// Records an unknown key that repair may read as a member.
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

    /// The value of the member is null or blank, so that another key may provide it.
    fn forget_member(&mut self) {
        self.is_odd = true;
        if let Some(level) = self.levels.last_mut()
            && let Some(member) = level.key
        {
            level.seen &= !(1 << member as u16);
        }
    }

    /// Handles a value of the wrong type. If repair may use its text as the value, nothing more is shown before the end.
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

    /// The innermost container and the member in it whose value comes next.
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
            // Options given as an object.
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
            // The arguments are only the list of questions.
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
            // Repair may find a member under another name, which can't stream.
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
            // Closed only now, since another key could have replaced a blank text.
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
        // Members of the whole ask do not stream.
        let streams = |row: &&Row| object != Of::Arguments || matches!(row.kind, Kind::List(_));
        let row = object.members().iter().filter(streams).find(|row| row.name == name);
        level.key = row.map(|row| row.member).filter(|member| !level.has(*member));
        match row {
            Some(row) => {
                level.seen |= 1 << row.member as u16;
                // If there is no label, the value becomes the label.
                if row.member == Member::Value {
                    level.take_near(name, self.repairs);
                }
            }
            None => level.take_near(name, self.repairs),
        }
        // Unknown and repeated keys are left to the final read.
        self.is_odd |= level.key.is_none();
        // The list of questions may be under another key. A condition or an input does not stream.
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
            // Questions or options packed in a string, or a flag given as a word.
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
            // An ask of this size would not be shown in the end, since laying it out would freeze the page.
            self.is_lost = true;
            return;
        }
        self.change(path, begin, Change::Append(delta), shown);
        if path.member == Member::Label || path.is_of_question() && is_visible && self.question.is_some() {
            // The open question and option are now certain to stay.
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
