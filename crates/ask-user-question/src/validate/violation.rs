use serde::{Serialize, Serializer};
use std::fmt;

/// One thing that is wrong with an ask or a reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Violation {
    /// Where, such as `questions[1].options`; empty for the whole input.
    pub path: String,
    /// What rule; a stable code.
    pub code: Code,
    /// A sentence the model can act on.
    pub message: String,
}

impl Violation {
    /// What is wrong at a path.
    pub fn new(path: impl Into<String>, code: Code, message: impl Into<String>) -> Self {
        Self { path: path.into(), code, message: message.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { f.write_str(&self.message) } else { write!(f, "{}: {}", self.path, self.message) }
    }
}

/// The rules, by a code that stays what it is: `Display`, [`as_str`](Self::as_str) and JSON give it in `snake_case`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Code {
    /// A field has another JSON type than it must have.
    WrongType,
    /// A required field is missing.
    MissingField,
    /// Fewer questions than the profile asks for.
    TooFewQuestions,
    /// More questions than the profile allows.
    TooManyQuestions,
    /// Fewer options than the profile asks for.
    TooFewOptions,
    /// More options than the profile allows.
    TooManyOptions,
    /// A header over the profile's maximum.
    HeaderTooLong,

    /// The arguments are no JSON at all, or an object in them has a key twice.
    InvalidJson,
    /// A question, header or label in which nobody would see anything.
    BlankText,
    /// Two questions with the same text: their answers would share a key.
    DuplicateQuestion,
    /// Two options of a question with the same label: their answers would be the same.
    DuplicateLabel,
    /// A preview in a question that allows several choices.
    PreviewInMultiSelect,
    /// More bytes than [`MAX_ASK_BYTES`](super::MAX_ASK_BYTES) or [`MAX_REPLY_BYTES`](super::MAX_REPLY_BYTES).
    TooLarge,

    /// A reply names a question that the ask does not have.
    UnknownQuestion,
    /// A reply answers one question twice.
    RepeatedQuestion,
    /// A reply names an option that the question does not have.
    UnknownOption,
    /// A reply names one option twice.
    RepeatedOption,
    /// A reply gives two answers to a single-select question.
    TooManyAnswers,
    /// "Other" was chosen and nothing typed.
    BlankOther,
    /// A question was neither answered nor marked skipped.
    Unanswered,
    /// A question was answered and marked skipped.
    AnsweredAndSkipped,
    /// A reply's `answers` and `details` say different things.
    Contradiction,
}

impl Code {
    /// Every code: those of the schema, of asks beyond it, of replies.
    pub const ALL: [Self; 22] = [
        Self::WrongType,
        Self::MissingField,
        Self::TooFewQuestions,
        Self::TooManyQuestions,
        Self::TooFewOptions,
        Self::TooManyOptions,
        Self::HeaderTooLong,
        Self::InvalidJson,
        Self::BlankText,
        Self::DuplicateQuestion,
        Self::DuplicateLabel,
        Self::PreviewInMultiSelect,
        Self::TooLarge,
        Self::UnknownQuestion,
        Self::RepeatedQuestion,
        Self::UnknownOption,
        Self::RepeatedOption,
        Self::TooManyAnswers,
        Self::BlankOther,
        Self::Unanswered,
        Self::AnsweredAndSkipped,
        Self::Contradiction,
    ];

    /// The stable code.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WrongType => "wrong_type",
            Self::MissingField => "missing_field",
            Self::TooFewQuestions => "too_few_questions",
            Self::TooManyQuestions => "too_many_questions",
            Self::TooFewOptions => "too_few_options",
            Self::TooManyOptions => "too_many_options",
            Self::HeaderTooLong => "header_too_long",
            Self::InvalidJson => "invalid_json",
            Self::BlankText => "blank_text",
            Self::DuplicateQuestion => "duplicate_question",
            Self::DuplicateLabel => "duplicate_label",
            Self::PreviewInMultiSelect => "preview_in_multi_select",
            Self::TooLarge => "too_large",
            Self::UnknownQuestion => "unknown_question",
            Self::RepeatedQuestion => "repeated_question",
            Self::UnknownOption => "unknown_option",
            Self::RepeatedOption => "repeated_option",
            Self::TooManyAnswers => "too_many_answers",
            Self::BlankOther => "blank_other",
            Self::Unanswered => "unanswered",
            Self::AnsweredAndSkipped => "answered_and_skipped",
            Self::Contradiction => "contradiction",
        }
    }

    /// Whether the JSON Schema of the tool says the same rule; all others are this crate's own.
    #[must_use]
    pub fn is_schema_rule(self) -> bool {
        matches!(
            self,
            Self::WrongType
                | Self::MissingField
                | Self::TooFewQuestions
                | Self::TooManyQuestions
                | Self::TooFewOptions
                | Self::TooManyOptions
                | Self::HeaderTooLong
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl PartialEq<str> for Code {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Code {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

/// What hears of violations: [`Report`] in words, [`Refusal`] that there are any. A program in which nobody asks for the words has none.
pub(crate) trait Refuse: Default {
    /// Hears of one: `say` gives its path and its message.
    fn refuse(&mut self, code: Code, say: impl FnOnce() -> (String, String));

    fn is_empty(&self) -> bool;
}

/// Whether anything was wrong.
#[derive(Default)]
pub(crate) struct Refusal(bool);

impl Refuse for Refusal {
    fn refuse(&mut self, _: Code, _: impl FnOnce() -> (String, String)) {
        self.0 = true;
    }

    fn is_empty(&self) -> bool {
        !self.0
    }
}

/// Collects violations. What it holds is bounded, so that a small hostile input cannot make a huge report.
#[derive(Default)]
pub(crate) struct Report {
    violations: Vec<Violation>,
    schema_rule: bool,
}

impl Refuse for Report {
    /// Adds one, unless the report is full. The first violation of a schema rule always finds room: without it the verdict
    /// would differ from the schema's.
    fn refuse(&mut self, code: Code, say: impl FnOnce() -> (String, String)) {
        let decides = code.is_schema_rule() && !self.schema_rule;
        if self.violations.len() >= super::MAX_REPORTED && !decides {
            return;
        }
        self.schema_rule |= code.is_schema_rule();
        let (path, message) = say();
        self.violations.push(Violation { path, code, message });
    }

    fn is_empty(&self) -> bool {
        self.violations.is_empty()
    }
}

impl Report {
    pub(crate) fn add(&mut self, path: impl fmt::Display, code: Code, message: impl fmt::Display) {
        self.refuse(code, || (path.to_string(), message.to_string()));
    }

    pub(crate) fn into_violations(self) -> Vec<Violation> {
        self.violations
    }
}
