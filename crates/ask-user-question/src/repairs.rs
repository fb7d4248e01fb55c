//! The repair of arguments, as a value that a host chooses.

use crate::validate::size::{MAX_ARGUMENTS_BYTES, MAX_ASK_BYTES, exceeds};
use crate::wire::AskUserQuestion;
use json_tree::Json;

pub use crate::members::{Kind, Member, Of, Row};

/// What a reader of asks takes beside the tool's own form; by default nothing. The crate `question-compat` has what models really send.
#[derive(Debug)]
pub struct Repairs {
    /// Reads the text of arguments as a whole.
    pub read_text: fn(&str) -> Option<AskUserQuestion>,
    /// Reads arguments that are JSON already.
    pub read_value: fn(Json<'_>) -> Option<AskUserQuestion>,
    /// The meaning of a label, which may still grow.
    pub meaning: fn(&str) -> Meaning,
    /// The member of a question or an option that another name may stand for.
    pub stands: fn(Of, &str) -> Option<Stands>,
    /// Looks at the text of the member with this name behind a `<`, of which more may follow. The flag is its own, for what the same text had before.
    pub tag: fn(&mut bool, &str, &str) -> TagKind,
}

/// The meaning of a label, or of its beginning, as "Other".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// It says something of its own, whatever follows.
    Own,
    /// It says nothing yet, or may become "Other" or something of its own.
    Open,
    /// It says nothing but "something else": "Other", "Other (please specify)", "Something else…". More text may give it a meaning of its
    /// own.
    Other,
}

/// The field that a member with another name may replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    /// A field without which a question or an option is none, or a question has no options.
    Needed,
    /// A field that may be absent.
    Optional,
}

/// What a `<` in a text begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagKind {
    /// Markup of the call, which does not belong to the text.
    Markup,
    /// It depends on what follows.
    Undecided,
    /// A part of the text.
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
    /// Reads arguments that are JSON already.
    #[must_use]
    pub fn read<'a>(&self, arguments: impl Into<Json<'a>>) -> Option<AskUserQuestion> {
        (self.read_value)(arguments.into())
    }
}

impl AskUserQuestion {
    /// The ask in arguments of the tool's own form, as a card shows it, even if it breaks [rules](crate::validate). Returns `None` for other
    /// text, if there is nothing to show, or if the ask is [too large](MAX_ASK_BYTES). `question-compat` reads other forms as well.
    #[must_use]
    pub fn from_arguments(arguments: &str) -> Option<Self> {
        match arguments.len() {
            ..=MAX_ARGUMENTS_BYTES => Self::from_json(json_tree::parse_unique(arguments).ok()?),
            _ => None,
        }
    }

    /// As [`from_arguments`](Self::from_arguments), from arguments that were read.
    #[must_use]
    pub fn from_json<'a>(arguments: impl Into<Json<'a>>) -> Option<Self> {
        let arguments = arguments.into();
        if exceeds(&arguments, MAX_ASK_BYTES) { None } else { Self::shown_of(&arguments) }
    }
}
