//! The report of repairs.

use ask_user_question::validate::MAX_REPORTED;
use json_tree::codes;
use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::fmt::{self, Display};

/// One change by [`repair`](super::repair()). `Display` describes it in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repair {
    /// The path in the original arguments, such as `questions[0].options`; empty for the whole input.
    pub path: String,
    /// The kind of repair. `Display` and `as_str` give its code in JSON.
    pub code: RepairCode,
}

/// Declares the kinds of repair, each with its code and a sentence that describes the change.
macro_rules! repairs {
    ($( $kind:ident $code:literal $sentence:literal, )*) => {
        codes! {
            /// The kinds of repair, with stable codes in `snake_case`.
            #[derive(PartialOrd, Ord)]
            #[non_exhaustive]
            RepairCode {
                $( #[doc = $sentence] $kind $code, )*
            }
        }

        impl Display for Repair {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self.code {
                    $( RepairCode::$kind => $sentence, )*
                })
            }
        }
    };
}

repairs! {
    AlmostJson "almost_json" "The text is not quite JSON, but has only one reading.",
    JsonString "json_string" "The JSON in this string was read as if it stood there itself.",
    Unwrapped "unwrapped" "The object around the arguments was removed.",
    SingleQuestion "single_question" "One question was wrapped into a list of questions.",
    NumberedList "numbered_list" "The object was read as the list of its values.",
    BareQuestions "bare_questions" "The list of questions was wrapped into an object.",
    PlainQuestion "plain_question" "The plain text was read as one question without options.",
    PlainOption "plain_option" "The plain value was read as the option's label.",
    OptionMap "option_map" "The names in this object were read as labels, their texts as descriptions.",
    OptionLines "option_lines" "Each line of this text was read as an option.",
    YesNo "yes_no" "The options \"Yes\" and \"No\" were added to this question.",
    RenamedField "renamed_field" "This name was read as that of the field that was missing.",
    BooleanText "boolean_text" "The value was read as the flag that it names.",
    AnswersDropped "answers_dropped" "This was left out: only the user answers.",
    MarkupRemoved "markup_removed" "The markup of the call was removed from this text; parameters in it were read.",
    OtherMerged "other_merged" "This option was left out: every question already has \"Other\".",
    Trimmed "trimmed" "The white space around this text was removed.",
    EmptyRemoved "empty_removed" "The null or blank text was removed.",
}

impl Serialize for Repair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut repair = serializer.serialize_struct("Repair", 3)?;
        repair.serialize_field("path", &self.path)?;
        repair.serialize_field("code", &self.code)?;
        repair.serialize_field("message", &self.to_string())?;
        repair.end()
    }
}

/// Receives repairs. A trait, so that a program that ignores them has no code for their messages.
pub(super) trait Reporter {
    fn report(&mut self, place: RepairPlace<'_>, code: RepairCode);
}

impl Reporter for Vec<Repair> {
    fn report(&mut self, place: RepairPlace<'_>, code: RepairCode) {
        if self.len() < MAX_REPORTED {
            self.push(Repair { path: place.to_string(), code });
        }
    }
}

pub(super) struct NoReport;

impl Reporter for NoReport {
    fn report(&mut self, _: RepairPlace<'_>, _: RepairCode) {}
}

#[derive(Clone, Copy)]
pub(super) enum RepairPlace<'k> {
    Arguments(&'k str),
    Question(usize, &'k str),
    Option(usize, usize, &'k str),
}

impl Display for RepairPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = match self {
            Self::Arguments(key) => return f.write_str(key),
            Self::Question(q, key) => {
                write!(f, "questions[{q}]")?;
                key
            }
            Self::Option(q, o, key) => {
                write!(f, "questions[{q}].options[{o}]")?;
                key
            }
        };
        if key.is_empty() { Ok(()) } else { write!(f, ".{key}") }
    }
}

impl RepairPlace<'_> {
    pub(super) fn key(self, key: &str) -> RepairPlace<'_> {
        match self {
            Self::Question(q, _) => RepairPlace::Question(q, key),
            Self::Option(q, o, _) => RepairPlace::Option(q, o, key),
            Self::Arguments(_) => RepairPlace::Arguments(key),
        }
    }
}

/// Brings arguments into the tool's form; each method repairs one part.
pub(super) struct Repairer<'r, R>(pub(super) &'r mut R);
