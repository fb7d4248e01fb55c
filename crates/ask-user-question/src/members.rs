//! The members of questions and options in one table. Reading, writing, streaming, validation, the schema and the repair in `question-compat` use
//! its rows.

use crate::condition::ShowIf;
use crate::input::Input;
use crate::parts::{Change, Grows, TextSnapshot};
use json_tree::wire_object;
use serde::Deserialize;

/// The object that a member belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The arguments as a whole.
    Arguments,
    /// A question.
    Question,
    /// An option.
    Option,
}

/// The type of a member's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A required text whose shown form differs from the sent one; see `text`.
    Key,
    /// A required text; a number or flag is also accepted.
    Plain,
    /// An optional text.
    Text,
    /// True or false.
    Flag,
    /// An [`Input`].
    Input,
    /// A [`ShowIf`].
    Condition,
    /// A list of objects of this kind.
    List(Of),
}

/// The properties of a member.
#[derive(Debug)]
#[non_exhaustive]
pub struct Row {
    /// The member.
    pub member: Member,
    /// Its name on the wire.
    pub name: &'static str,
    /// The kind of its value.
    pub kind: Kind,
    /// Whether surrounding whitespace is removed. A question keeps it because its text is the key of the answer, and a preview keeps it for
    /// indentation.
    pub trims: bool,
    /// The name under which limits offer the member; `None` if it is always offered.
    pub(crate) extra: Option<ExtraMember>,
}

/// The wordings of the tool's description; each profile has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wording {
    Runtime,
    Coding,
    Chat,
}

/// Declares the objects of an ask: for each, the sent form, the snapshot that a card shows while it streams, and the rows of the table.
macro_rules! table {
    ($(
        $(#[$of_wire:meta])*
        $wire:ident, $(#[$of_shown:meta])* $shown:ident $indexes:tt {
            $(
                $(#[$of_field:meta])*
                $field:ident: $sent:ty, $grows:ty = $member:ident $kind:ident $(($of:ident))? $name:literal $trims:ident $(extra $extra:ident)? $(also $also:ident)?,
                    $words:expr;
            )*
        }
    )*) => {
        /// One member of an ask, in the order in which models are told to write them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Member {
            /// `questions` of the arguments.
            Questions,
            /// `askedBy` of the arguments.
            AskedBy,
            /// `why` of the arguments.
            Why,
            /// `blocking` of the arguments.
            Blocking,
            $($(
                #[doc = concat!("`", $name, "` of its object.")]
                $member,
            )*)*
        }

        /// The path of a member within an ask.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct MemberPath {
            pub(crate) member: Member,
            pub(crate) question: usize,
            /// The index of the option; 0 for a member of the question.
            pub(crate) option: usize,
        }

        impl MemberPath {
            $($( path!($indexes $field $member $name); )*)*

            pub(crate) fn is_of_question(self) -> bool {
                (self.member as usize) < Member::Label as usize
            }
        }

        /// A member that limits offer only if it is [added](crate::Limits::with).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum ExtraMember {
            /// The member `askedBy` of the ask.
            AskedBy,
            /// The member `why` of the ask.
            Why,
            /// The member `blocking` of the ask.
            Blocking,
            $($($(
                #[doc = concat!("The member `", $name, "`.")]
                $extra,
            )?)*)*
        }

        const COUNT: usize = 4 + [$($( $name, )*)*].len();

        pub(crate) static MEMBERS: [Row; COUNT] = [
            Row { member: Member::Questions, name: "questions", kind: Kind::List(Of::Question), trims: false, extra: None },
            about(Member::AskedBy, "askedBy", Kind::Text, ExtraMember::AskedBy),
            about(Member::Why, "why", Kind::Text, ExtraMember::Why),
            about(Member::Blocking, "blocking", Kind::Flag, ExtraMember::Blocking),
            $($( Row {
                member: Member::$member,
                name: $name,
                kind: Kind::$kind $((Of::$of))?,
                trims: $trims,
                extra: extra!($($extra)? $($also)?),
            }, )*)*
        ];

        /// The descriptions of the members in the schema, by [`Wording`]. They are not in the rows because a page that only reads asks needs no
        /// schema.
        pub(crate) static WORDS: [[&str; 3]; COUNT] = [[""; 3], [ASKED_BY; 3], [WHY; 3], [BLOCKING; 3], $($( $words, )*)*];

        $(
            wire_object! {
                $(#[$of_wire])*
                #[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
                #[serde(rename_all = "camelCase")]
                #[non_exhaustive]
                pub struct $wire {
                    $( $(#[$of_field])* pub $field: $sent = $name, )*
                }
            }

            $(#[$of_shown])*
            #[derive(Clone, Debug, Default, PartialEq, Eq)]
            #[non_exhaustive]
            pub struct $shown {
                $(
                    #[doc = concat!("The present `", $name, "`.")]
                    pub $field: $grows,
                )*
                /// True if the object is complete.
                pub closed: bool,
            }

            impl $shown {
                pub(crate) fn change(&mut self, member: Member, change: Change<'_>) {
                    match member {
                        $( Member::$member => self.$field.change(change), )*
                        _ => {}
                    }
                }
            }

            impl Grows<$wire> for $shown {
                fn sent(&self) -> $wire {
                    $wire { $( $field: self.$field.sent(), )* }
                }

                fn shown(sent: &$wire) -> Self {
                    Self { $( $field: Grows::shown(shown!(sent.$field $kind)), )* closed: true }
                }

                fn follow(&mut self, of: &Self) {
                    $( self.$field.follow(&of.$field); )*
                    self.closed = of.closed;
                }

                fn end(&mut self) {
                    $( self.$field.end(); )*
                    self.closed = true;
                }
            }
        )*
    };
}

/// The type of a member in a snapshot.
macro_rules! shown {
    ($sent:ident.$field:ident Key) => {
        &*$sent.text()
    };
    ($sent:ident.$field:ident Plain) => {
        &*$sent.$field
    };
    ($sent:ident.$field:ident $kind:ident) => {
        &$sent.$field
    };
}

/// The path of a member from its indexes.
macro_rules! path {
    ((usize) $field:ident $member:ident $name:literal) => {
        #[doc = concat!("The `", $name, "` of the question at this index.")]
        #[must_use]
        pub const fn $field(question: usize) -> Self {
            Self { member: Member::$member, question, option: 0 }
        }
    };
    ((usize, usize) $field:ident $member:ident $name:literal) => {
        #[doc = concat!("The `", $name, "` of the option at the second index, of the question at the first.")]
        #[must_use]
        pub const fn $field(question: usize, option: usize) -> Self {
            Self { member: Member::$member, question, option }
        }
    };
}

macro_rules! extra {
    () => {
        None
    };
    ($extra:ident) => {
        Some(ExtraMember::$extra)
    };
}

/// A row for a member of the whole ask. Such members do not stream.
const fn about(member: Member, name: &'static str, kind: Kind, extra: ExtraMember) -> Row {
    Row { member, name, kind, trims: true, extra: Some(extra) }
}

const ASKED_BY: &str = "The name of the sub-agent, tool or server that needs the answer, if it is not you.";
const WHY: &str = "Why you ask: one or two sentences that the user can unfold.";
const BLOCKING: &str = "False if you go on without the answer, which then comes as a later message of the user.";
const EXPLANATION: &str = "Explanation of what this option means.";

table! {
    /// One question of an ask.
    // In schema order, since models write members in this order and the card shows them as they arrive.
    Question,
    /// One question while it streams.
    QuestionSnapshot (usize) {
        /// The condition under which the question is asked. It precedes the text, so that a shown text need not be taken back.
        show_if: Option<ShowIf>, Option<ShowIf> = ShowIf Condition "showIf" false extra ShowIf,
            ["Ask this only if an earlier question of the same call has this answer."; 3];
        /// The question text exactly as sent, since it is the key of the answer. [`text`](Self::text) is the form to show.
        question: String, TextSnapshot = Question Key "question" false,
            ["The full question text to display", "The complete question to ask the user.", "The question to ask"];
        /// A short label, shown as a chip.
        header: Option<String>, Option<TextSnapshot> = Header Text "header" true,
            ["Short label for the question", "Very short label displayed as a chip/tag.", "Short label for the question"];
        /// True if several options may be chosen. In a snapshot, `None` until the member arrived or the question is closed.
        #[serde(default)]
        multi_select: bool, Option<bool> = MultiSelect Flag "multiSelect" false,
            ["Allow multiple answers to be selected."; 3];
        /// The typed or restricted answer that is asked for instead of a choice.
        input: Option<Input>, Option<Input> = Input Input "input" false extra Input,
            ["What the user types or ranks instead of choosing."; 3];
        /// The options, in the agent's order, without "Other", which every card adds. Empty for an open question.
        #[serde(default)]
        options: Vec<QuestionOption>, Vec<OptionSnapshot> = Options List(Option) "options" false,
            ["The choices; \"Other\" is added for the user, so do not include it."; 3];
    }

    /// One option of a question. In JSON, a string is an option with this label.
    QuestionOption,
    /// One option while it streams. Only a closed option can be chosen.
    OptionSnapshot (usize, usize) {
        /// The text to choose.
        label: String, TextSnapshot = Label Plain "label" true,
            ["The display text for this option.", "The display text for this option.", "Display text for this option"];
        /// What choosing the option means.
        description: Option<String>, Option<TextSnapshot> = Description Text "description" true,
            [EXPLANATION, EXPLANATION, "Additional context"];
        /// Plain text or code that is shown while the option is focused or chosen.
        preview: Option<String>, Option<TextSnapshot> = Preview Text "preview" false extra Preview,
            ["Code or plain text shown while this option is considered."; 3];
        /// What the agent receives in addition to the label, such as an id.
        value: Option<String>, Option<TextSnapshot> = Value Text "value" true extra Value,
            ["What you get for this option beside its label, such as an id."; 3];
        /// A picture: a path on the page's own server or a `data:` URL. In a snapshot, use [`picture`](OptionSnapshot::picture) to show it.
        image: Option<String>, Option<TextSnapshot> = Image Text "image" true extra Image,
            ["A picture of this option: a path that starts with a slash, or a data URL of an image."; 3];
        /// What the picture shows, for users who can't see it. Required with `image`.
        alt: Option<String>, Option<TextSnapshot> = Alt Text "alt" true also Image,
            ["What the picture shows. Required beside `image`."; 3];
    }
}

/// The first text or flag that a piece of the arguments made grow. Later members may have grown, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Growth {
    /// The member that grew.
    pub member: MemberPath,
    /// The byte at which the new text of the member starts.
    pub from: usize,
}

impl Of {
    /// The members of such an object, in the order in which models are told to write them.
    #[must_use]
    pub fn members(self) -> &'static [Row] {
        match self {
            Self::Arguments => &MEMBERS[..Member::ShowIf as usize],
            Self::Question => &MEMBERS[Member::ShowIf as usize..Member::Label as usize],
            Self::Option => &MEMBERS[Member::Label as usize..],
        }
    }
}

impl Member {
    /// The properties of this member.
    #[must_use]
    pub fn row(self) -> &'static Row {
        &MEMBERS[self as usize]
    }
}

impl Row {
    /// Returns true if an object without this member is invalid, or does not stream.
    #[must_use]
    pub fn is_needed(&self) -> bool {
        !matches!(self.kind, Kind::Text | Kind::Flag | Kind::Input | Kind::Condition)
    }

    /// Returns true if repair removes the member when it is null or blank.
    #[must_use]
    pub fn may_be_absent(&self) -> bool {
        !matches!(self.kind, Kind::Key | Kind::Plain)
    }
}
