use super::size::MAX_REPORTED;
use json_tree::codes;
use serde::Serialize;
use std::fmt;

/// One violated rule in an ask or a reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Violation {
    /// The path, such as `questions[1].options`; empty for the whole input.
    pub path: String,
    /// The violated rule.
    pub code: Code,
    /// An explanation that a model can act on.
    pub message: String,
}

impl Violation {
    /// Creates a violation.
    pub fn new(path: impl Into<String>, code: Code, message: impl Into<String>) -> Self {
        Self { path: path.into(), code, message: message.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { f.write_str(&self.message) } else { write!(f, "{}: {}", self.path, self.message) }
    }
}

codes! {
    /// The rules, with stable codes in `snake_case`: first those of the schema, then other rules for asks, then those for replies.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    Code {
        /// A field has the wrong JSON type.
        WrongType "wrong_type",
        /// A required field is missing.
        MissingField "missing_field",
        /// Fewer questions than the profile requires.
        TooFewQuestions "too_few_questions",
        /// More questions than the profile allows.
        TooManyQuestions "too_many_questions",
        /// Fewer options than the profile requires.
        TooFewOptions "too_few_options",
        /// More options than the profile allows.
        TooManyOptions "too_many_options",
        /// A header longer than the profile's maximum.
        HeaderTooLong "header_too_long",
        /// The arguments are not JSON, or an object in them repeats a key.
        InvalidJson "invalid_json",
        /// A question, header or label without visible text.
        BlankText "blank_text",
        /// Two questions with the same text, so that their answers would share a key.
        DuplicateQuestion "duplicate_question",
        /// Two options of a question with the same label, so that their answers would be equal.
        DuplicateLabel "duplicate_label",
        /// An `input` that no answer can satisfy, or options that do not fit it.
        BadInput "bad_input",
        /// A condition that names no earlier question, or that no option of it can meet.
        BadCondition "bad_condition",
        /// A picture from another server, or a URL that is no picture.
        BadImage "bad_image",
        /// More bytes than [`MAX_ASK_BYTES`](super::MAX_ASK_BYTES) or [`MAX_REPLY_BYTES`](super::MAX_REPLY_BYTES).
        TooLarge "too_large",
        /// A reply names a question that the ask does not have.
        UnknownQuestion "unknown_question",
        /// A reply answers one question twice.
        RepeatedQuestion "repeated_question",
        /// A reply names an option that the question does not have.
        UnknownOption "unknown_option",
        /// A reply names one option twice.
        RepeatedOption "repeated_option",
        /// A reply gives two answers to a single-select question.
        TooManyAnswers "too_many_answers",
        /// "Other" was chosen and nothing typed.
        BlankOther "blank_other",
        /// A typed answer is of the wrong kind or out of bounds.
        WrongValue "wrong_value",
        /// A file in an answer is invalid or not allowed.
        BadAttachment "bad_attachment",
        /// A question was neither answered nor marked skipped.
        Unanswered "unanswered",
        /// A question was answered and marked skipped.
        AnsweredAndSkipped "answered_and_skipped",
        /// A reply's `answers` and `details` say different things.
        Contradiction "contradiction",
    }
}

impl Code {
    /// Returns true if the tool's JSON Schema has the same rule.
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

/// Collects violations. [`Report`] stores their messages; [`AnyViolation`] only notes that there is one, and then a program contains no messages.
pub(crate) trait Refuse: Default {
    /// Adds a violation. `say` returns its path and message.
    fn refuse(&mut self, code: Code, say: impl FnOnce() -> (String, String));

    fn absorb(&mut self, other: Self);

    fn is_empty(&self) -> bool;
}

#[derive(Default)]
pub(crate) struct AnyViolation(bool);

impl Refuse for AnyViolation {
    fn refuse(&mut self, _: Code, _: impl FnOnce() -> (String, String)) {
        self.0 = true;
    }

    fn absorb(&mut self, other: Self) {
        self.0 |= other.0;
    }

    fn is_empty(&self) -> bool {
        !self.0
    }
}

/// Collects violations with messages, up to a limit, so that a small hostile input can't cause a huge report.
#[derive(Default)]
pub(crate) struct Report {
    violations: Vec<Violation>,
    schema_rule: bool,
}

impl Refuse for Report {
    /// Adds a violation unless the report is full. The first violation of a schema rule is always added, since otherwise the verdict would differ
    /// from the schema's.
    fn refuse(&mut self, code: Code, say: impl FnOnce() -> (String, String)) {
        let decides = code.is_schema_rule() && !self.schema_rule;
        if self.violations.len() >= MAX_REPORTED && !decides {
            return;
        }
        self.schema_rule |= code.is_schema_rule();
        let (path, message) = say();
        self.violations.push(Violation { path, code, message });
    }

    fn absorb(&mut self, other: Self) {
        for Violation { path, code, message } in other.violations {
            self.refuse(code, || (path, message));
        }
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
