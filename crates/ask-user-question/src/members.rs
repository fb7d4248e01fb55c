//! What an ask consists of, on one screen: the members of its arguments, of a question and of an option. Growth, repair and schema walk these
//! rows.

use crate::limits::{Limits, Wording};

/// One member, in the order in which models are told to write them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Member {
    Questions,
    Question,
    Header,
    MultiSelect,
    Options,
    Label,
    Description,
    Preview,
}

/// The object that a member is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    Arguments,
    Question,
    Option,
}

/// What a member holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// A text for which a number or a flag may stand.
    Plain,
    Flag,
    List(Of),
}

/// All that is to be known of a member.
pub(crate) struct Row {
    pub(crate) member: Member,
    pub(crate) name: &'static str,
    /// Its name in any spelling, and then the names that stand for it if it is missing. A name with a star needs only be in the key.
    pub(crate) near: &'static str,
    pub(crate) kind: Kind,
    /// Without it there is no question or option to show, or none that streams.
    pub(crate) is_needed: bool,
    /// White space around it is removed. The question keeps its own, since it is the key of the answer, and a preview its indentation.
    pub(crate) trims: bool,
}

use Kind::{Flag, List, Plain, Text};
use Member::{Description, Header, Label, MultiSelect, Options, Preview, Question, Questions};

#[rustfmt::skip]
pub(crate) static MEMBERS: [Row; 8] = [
    Row { member: Questions, name: "questions", kind: List(Of::Question), is_needed: true, trims: false, near: "questions" },
    Row { member: Question, name: "question", kind: Text, is_needed: true, trims: false,
        near: "question|prompt|text|title|message|query|questiontext" },
    Row { member: Header, name: "header", kind: Text, is_needed: false, trims: true, near: "header" },
    Row { member: MultiSelect, name: "multiSelect", kind: Flag, is_needed: false, trims: false,
        near: "multiselect|*multiple|*multiselect|*multichoice|*multianswer|multi|ismulti|allowmulti|many|selectmany|allowmany|pickmany|choosemany|\
            checkbox|checkboxes" },
    Row { member: Options, name: "options", kind: List(Of::Option), is_needed: true, trims: false,
        near: "options|choices|items|suggestions|followup|followups|alternatives|answeroptions|possibleanswers|suggestedanswers" },
    Row { member: Label, name: "label", kind: Plain, is_needed: true, trims: true,
        near: "label|text|title|name|value|option|choice|answer|content|key|id" },
    Row { member: Description, name: "description", kind: Text, is_needed: false, trims: true,
        near: "description|*desc|*detail|*explan|*subtitle|*summary|*hint|*caption|*tooltip|*subtext" },
    Row { member: Preview, name: "preview", kind: Text, is_needed: false, trims: false, near: "preview" },
];

/// The members of an object, which stand together.
pub(crate) fn of(object: Of) -> &'static [Row] {
    match object {
        Of::Arguments => &MEMBERS[..Question as usize],
        Of::Question => &MEMBERS[Question as usize..Label as usize],
        Of::Option => &MEMBERS[Label as usize..],
    }
}

impl Member {
    pub(crate) fn row(self) -> &'static Row {
        &MEMBERS[self as usize]
    }
}

impl Row {
    /// Returns true if repair takes the member out where it is null or blank.
    pub(crate) fn may_be_absent(&self) -> bool {
        !self.is_needed || matches!(self.kind, List(_))
    }

    /// Returns true if a model is told of the member under these limits.
    pub(crate) fn is_offered(&self, limits: &Limits) -> bool {
        self.member != Preview || limits.previews()
    }

    /// Returns true if an ask under these limits must have the member.
    pub(crate) fn is_required(&self, limits: &Limits) -> bool {
        match self.member {
            Header => limits.header_required(),
            Options => *limits.options().start() > 0,
            _ => self.is_needed,
        }
    }

    /// What the schema says of it, in the words of the profile's origin. They are no column, because a page that reads asks has no schema.
    pub(crate) fn words(&self, limits: &Limits) -> Option<&'static str> {
        let words = |runtime, coding, chat| match limits.wording() {
            Wording::Runtime => Some(runtime),
            Wording::Coding => Some(coding),
            Wording::Chat => Some(chat),
        };
        let same = |text| words(text, text, text);
        match self.member {
            Questions => None,
            Question => words(
                "The full question text to display",
                "The complete question to ask the user.",
                "The question to ask",
            ),
            Header => {
                // The maximum is in the words too, because most models do not keep to `maxLength` unasked.
                let short = match limits.header_max() {
                    Some(12) => "Very short label displayed as a chip/tag (max 12 chars).",
                    _ => "Very short label displayed as a chip/tag.",
                };
                words("Short label for the question", short, "Short label for the question")
            }
            MultiSelect => same("Allow multiple answers to be selected."),
            Options => same("The choices; \"Other\" is added for the user, so do not include it."),
            Label => words(
                "The display text for this option.",
                "The display text for this option.",
                "Display text for this option",
            ),
            Description => {
                let explanation = "Explanation of what this option means.";
                words(explanation, explanation, "Additional context")
            }
            Preview => {
                same("Code or plain text shown while this option is considered; only in single-select questions.")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MEMBERS;

    #[test]
    fn each_member_has_its_row() {
        assert!(MEMBERS.iter().enumerate().all(|(at, row)| row.member as usize == at));
    }
}
