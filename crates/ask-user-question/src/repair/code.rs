use serde::{Serialize, Serializer};
use std::fmt::{self, Display};

/// The kinds of repair, by a code that stays what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RepairCode {
    /// The text of the arguments, or a string in them, breaks a rule of JSON.
    AlmostJson,
    /// The arguments, questions or options were given as a JSON string.
    JsonString,
    /// The arguments were given within another object.
    Unwrapped,
    /// One question was given where the list of questions belongs.
    SingleQuestion,
    /// The list of questions was given without the object around it.
    BareQuestions,
    /// The questions were given as one plain text.
    PlainQuestion,
    /// An option, or its label, was given as a plain text, number or flag.
    PlainOption,
    /// The options were given as an object of labels and descriptions.
    OptionMap,
    /// The options were given as lines of one text.
    OptionLines,
    /// A question of the type `yesno` was given without options.
    YesNo,
    /// A field was given under another name, such as `choices` for `options` or `multiple` for `multiSelect`.
    RenamedField,
    /// A flag was given as a text such as "true" or "yes", or as 0 or 1.
    BooleanText,
    /// The model answered its own question.
    AnswersDropped,
    /// The question has markup of the call in it.
    MarkupRemoved,
    /// The model gave an "Other" of its own; the card has one.
    OtherMerged,
    /// White space around a text was removed.
    Trimmed,
    /// An optional field without content (null, or a blank description) was removed.
    EmptyRemoved,
}

impl RepairCode {
    /// Every kind of repair.
    pub const ALL: [Self; 17] = [
        Self::AlmostJson,
        Self::JsonString,
        Self::Unwrapped,
        Self::SingleQuestion,
        Self::BareQuestions,
        Self::PlainQuestion,
        Self::PlainOption,
        Self::OptionMap,
        Self::OptionLines,
        Self::YesNo,
        Self::RenamedField,
        Self::BooleanText,
        Self::AnswersDropped,
        Self::MarkupRemoved,
        Self::OtherMerged,
        Self::Trimmed,
        Self::EmptyRemoved,
    ];

    /// The stable code, in `snake_case`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AlmostJson => "almost_json",
            Self::JsonString => "json_string",
            Self::Unwrapped => "unwrapped",
            Self::SingleQuestion => "single_question",
            Self::BareQuestions => "bare_questions",
            Self::PlainQuestion => "plain_question",
            Self::PlainOption => "plain_option",
            Self::OptionMap => "option_map",
            Self::OptionLines => "option_lines",
            Self::YesNo => "yes_no",
            Self::RenamedField => "renamed_field",
            Self::BooleanText => "boolean_text",
            Self::AnswersDropped => "answers_dropped",
            Self::MarkupRemoved => "markup_removed",
            Self::OtherMerged => "other_merged",
            Self::Trimmed => "trimmed",
            Self::EmptyRemoved => "empty_removed",
        }
    }
}

impl Display for RepairCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for RepairCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
