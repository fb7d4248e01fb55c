//! Repairs of arguments, as a value that the host chooses.

use crate::validate::size::{MAX_ARGUMENTS_BYTES, MAX_ASK_BYTES, exceeds};
use crate::wire::AskUserQuestion;
use json_tree::Json;

pub use crate::members::{Kind, Member, Of, Row};

/// What a reader of asks accepts in addition to the tool's own form; nothing by default. The crate `question-compat` handles what models really
/// send.
#[derive(Debug)]
pub struct Repairs {
    /// Parses and repairs the whole text of arguments.
    pub read_text: fn(&str) -> Option<AskUserQuestion>,
    /// Repairs arguments that are already JSON.
    pub read_value: fn(Json<'_>) -> Option<AskUserQuestion>,
    /// Whether a label, which may still grow, means "Other".
    pub meaning: fn(&str) -> Meaning,
    /// Which member of a question or option another name may stand for.
    pub stands: fn(Of, &str) -> Option<Stands>,
    /// Classifies the text after a `<` in the text of a member; more may follow. Arguments: a flag for state about earlier tags of the same text,
    /// the member's name, and the text after `<`.
    pub tag: fn(&mut bool, &str, &str) -> TagKind,
}

/// What a label, or the beginning of one, means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The label has a meaning of its own, whatever follows.
    Own,
    /// The label is still empty, or may become "Other" or something of its own.
    Open,
    /// The label means only "something else": "Other", "Other (please specify)", "Something else…". More text may still give it a meaning of its
    /// own.
    Other,
}

/// The kind of member that another name may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    /// A member that its object needs, such as a label or the list of options.
    Needed,
    /// An optional member.
    Optional,
}

/// What a `<` in a text starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagKind {
    /// Markup of the call, which does not belong to the text.
    Markup,
    /// Not known until more text arrives.
    Undecided,
    /// Part of the text.
    Text,
}

static NONE: Repairs = Repairs {
    read_text: AskUserQuestion::from_arguments,
    read_value: |value| AskUserQuestion::from_json(value),
    meaning: |_| Meaning::Own,
    stands: |_, _| None,
    tag: |_, _, _| TagKind::Text,
};

impl Default for &Repairs {
    fn default() -> Self {
        &NONE
    }
}

impl Repairs {
    /// Repairs and reads arguments that are already JSON.
    #[must_use]
    pub fn read<'a>(&self, arguments: impl Into<Json<'a>>) -> Option<AskUserQuestion> {
        (self.read_value)(arguments.into())
    }
}

impl AskUserQuestion {
    /// Reads arguments in the tool's own form as a card shows them, even if they violate [rules](crate::validate). Returns `None` for other text, if
    /// there is nothing to show, or if the ask is [too large](MAX_ASK_BYTES). `question-compat` also reads other forms.
    #[must_use]
    pub fn from_arguments(arguments: &str) -> Option<Self> {
        match arguments.len() {
            ..=MAX_ARGUMENTS_BYTES => Self::from_json(json_tree::parse_unique(arguments).ok()?),
            _ => None,
        }
    }

    /// As [`from_arguments`](Self::from_arguments), for parsed arguments.
    #[must_use]
    pub fn from_json<'a>(arguments: impl Into<Json<'a>>) -> Option<Self> {
        let arguments = arguments.into();
        if exceeds(&arguments, MAX_ASK_BYTES) { None } else { Self::shown_of(&arguments) }
    }
}
