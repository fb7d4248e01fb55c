//! The parts of a reply.

use crate::attachment::{self, Attachment};
use crate::input::Typed;
use crate::text::{is_blank, joined};
use crate::wire::{AskUserQuestion, Question, QuestionOption};
use json_tree::Json;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Not;
use std::slice;

/// The user's choice for one question: the unchecked input of [`Reply::check`], which may also be half of an answer or contradict itself.
/// As JSON it is an object of these fields, of which only `question` is required.
///
/// ```
/// use ask_user_question::reply::Selection;
/// let large = Selection::picked(0, [2]).with_note("as a gift");
/// let own = Selection::picked(1, [0, 3]).with_other("Anchovies");
/// let sent = [large, own, Selection::typed(2, "2026-11-28"), Selection::skipped(3)];
/// assert_eq!(sent[1].selected, [0, 3]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Selection {
    /// The question's index.
    pub question: usize,
    /// Chosen options by index, in any order, or in that of a ranking.
    #[serde(default)]
    pub selected: Vec<usize>,
    /// Text typed under "Other", or the answer itself where one is typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// A note beside the choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Pictures and other files, beside a choice or as the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// True if the user skipped the question.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub skipped: bool,
}

impl Selection {
    /// Nothing yet about this question.
    #[must_use]
    pub fn of(question: usize) -> Self {
        Self { question, ..Self::default() }
    }

    /// These options of a question, or its options in this order.
    pub fn picked(question: usize, options: impl Into<Vec<usize>>) -> Self {
        Self { selected: options.into(), ..Self::of(question) }
    }

    /// This text as the answer to a question, or as the user's own words.
    pub fn typed(question: usize, text: impl Into<String>) -> Self {
        Self::of(question).with_other(text)
    }

    /// The question was skipped.
    #[must_use]
    pub fn skipped(question: usize) -> Self {
        Self { skipped: true, ..Self::of(question) }
    }

    /// The same with this text of the user's own.
    #[must_use]
    pub fn with_other(mut self, text: impl Into<String>) -> Self {
        self.other = Some(text.into());
        self
    }

    /// The same with this note.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// The same with these files.
    #[must_use]
    pub fn with_attachments(mut self, attachments: impl Into<Vec<Attachment>>) -> Self {
        self.attachments = attachments.into();
        self
    }

    /// Returns true if it has an option or a text.
    #[must_use]
    pub fn says_something(&self) -> bool {
        !self.selected.is_empty() || self.other.is_some()
    }
}

/// A complete reply to one ask. It exists only checked against its ask.
///
/// Serialized, it is the wire form that [`to_json`](Self::to_json) gives, with the answers in the order of the questions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub(crate) answers: Vec<Answer>,
    /// True if the flat map alone would lose information. This depends on the ask, which is gone when the reply is written.
    pub(super) needs_details: bool,
}

/// The answer to one question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// The question's index.
    pub index: usize,
    /// The question's text, as it was sent.
    pub question: String,
    /// The question's header.
    pub header: Option<String>,
    /// What the answer is.
    pub given: Given,
    /// A note beside it.
    pub note: Option<String>,
    /// Pictures and other files, beside it or [as the answer](Given::Attached).
    pub attachments: Vec<Attachment>,
}

/// What an answer is: the kind says what can stand in it.
///
/// ```
/// use ask_user_question::input::{Input, InputKind, Typed};
/// use ask_user_question::reply::{Given, Selection};
/// use ask_user_question::{AskUserQuestion, Question, Reply};
/// let port = Question::new("Which port?", [""; 0]).with_input(Input::new(InputKind::Integer));
/// let ask = AskUserQuestion::new([Question::new("Which database?", ["SQLite", "Postgres"]), port]);
/// let reply = Reply::check(&ask, vec![Selection::picked(0, [1]), Selection::typed(1, " 08080")]).expect("it is legal");
/// for answer in reply.answers() {
///     match &answer.given {
///         Given::Picked { options, .. } => assert_eq!(options[0].label, "Postgres"),
///         Given::Typed(Typed::Number(port)) => assert_eq!(port.as_u64(), Some(8080)),
///         _ => unreachable!("nothing was skipped"),
///     }
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Given {
    /// The question was skipped, or is [not asked](Question::show_if) after the other answers.
    #[default]
    Skipped,
    /// The files of the answer, and nothing else.
    Attached,
    /// Options of the question, in its order, and own words beside or instead of them.
    Picked {
        /// The options, if any.
        options: Vec<Selected>,
        /// Text typed under "Other", as it was typed.
        other: Option<String>,
    },
    /// All options, the first one first.
    Ranked(Vec<Selected>),
    /// One of the two options of a yes or no.
    YesNo {
        /// True for the yes.
        yes: bool,
        /// The option that says so.
        option: Selected,
    },
    /// The value that the question [asks for](Question::input).
    Typed(Typed),
}

impl Given {
    /// The chosen options: index and label, in the order of the options or of the ranking.
    #[must_use]
    pub fn options(&self) -> &[Selected] {
        match self {
            Self::Picked { options, .. } | Self::Ranked(options) => options,
            Self::YesNo { option, .. } => slice::from_ref(option),
            Self::Skipped | Self::Attached | Self::Typed(_) => &[],
        }
    }

    /// What was typed: own words, or a value in the spelling of its kind.
    #[must_use]
    pub fn typed(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Picked { other, .. } => other.as_deref().map(Cow::Borrowed),
            Self::Typed(typed) => Some(typed.text()),
            Self::Skipped | Self::Attached | Self::Ranked(_) | Self::YesNo { .. } => None,
        }
    }

    /// The value with its JSON type, if the question [asks for one](Question::input): of what was typed, the labels of a ranking, true or
    /// false.
    #[must_use]
    pub fn value(&self) -> Option<Json<'static>> {
        match self {
            Self::Ranked(options) => {
                Some(Json::List(options.iter().map(|option| option.label.as_str().into()).collect()))
            }
            Self::YesNo { yes, .. } => Some(Json::Bool(*yes)),
            Self::Typed(typed) => Some(typed.to_json()),
            Self::Skipped | Self::Attached | Self::Picked { .. } => None,
        }
    }

    /// Returns true if the question was skipped.
    #[must_use]
    pub fn is_skipped(&self) -> bool {
        *self == Self::Skipped
    }

    /// Returns true if it has an option or a text.
    #[must_use]
    pub fn says_something(&self) -> bool {
        !matches!(self, Self::Skipped | Self::Attached)
    }
}

/// A chosen option.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selected {
    /// The option's index.
    pub index: usize,
    /// The option's label.
    pub label: String,
    /// What the agent has [behind the label](QuestionOption::value).
    pub value: Option<String>,
}

impl Selected {
    pub(crate) fn of(index: usize, option: &QuestionOption) -> Self {
        Self { index, label: option.label.clone(), value: option.value.clone() }
    }
}

impl Reply {
    /// The answers, one per question, in order.
    #[must_use]
    pub fn answers(&self) -> &[Answer] {
        &self.answers
    }

    /// The selections from which [`check`](Self::check) would build this reply.
    #[must_use]
    pub fn selections(&self) -> Vec<Selection> {
        self.answers.iter().map(Answer::selection).collect()
    }
}

impl AskUserQuestion {
    /// For each question, true if it is not to be asked after these answers: its [condition](Question::show_if) does not hold, or is about
    /// one that is not asked. A condition about no earlier question always holds.
    #[must_use]
    pub fn hidden(&self, answers: &[Selection]) -> Vec<bool> {
        let mut hidden = Vec::new();
        for question in 0..self.questions.len() {
            let is_hidden = self.condition(question).is_some_and(|(condition, source)| {
                let asked = &self.questions[source];
                let meets = |option: &usize| asked.options.get(*option).is_some_and(|option| option.meets(condition));
                // A number may be typed in other digits, as "01" is.
                let value = |text: &str| asked.typed()?.read(text);
                let says_it = |said: &String| {
                    *said == condition.is || value(said).is_some_and(|said| Some(said) == value(&condition.is))
                };
                let holds = |answer: &Selection| {
                    answer.question == source
                        && (answer.selected.iter().any(meets) || answer.other.as_ref().is_some_and(says_it))
                };
                hidden[source] || !answers.iter().any(holds)
            });
            hidden.push(is_hidden);
        }
        hidden
    }
}

impl Answer {
    /// An answer for each question, as if all were skipped.
    pub(crate) fn blank(ask: &AskUserQuestion) -> Vec<Self> {
        let blank = |(index, Question { question, header, .. }): (usize, &Question)| {
            let (question, header) = (question.clone(), header.clone());
            Self { index, question, header, ..Self::default() }
        };
        ask.questions.iter().enumerate().map(blank).collect()
    }

    /// The answer as one text: labels, then custom text, joined with `", "`, or else the names of its files; `None` where the question was
    /// skipped.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        (!self.given.is_skipped()).then(|| self.joined())
    }

    /// The header, or the question without white space around it where the header says nothing.
    #[must_use]
    pub fn title(&self) -> &str {
        title(self.header.as_deref(), &self.question)
    }

    /// The selection from which [`Reply::check`] would build this answer.
    #[must_use]
    pub fn selection(&self) -> Selection {
        Selection {
            question: self.index,
            selected: self.given.options().iter().map(|selected| selected.index).collect(),
            other: self.given.typed().map(Cow::into_owned),
            note: self.note.clone(),
            attachments: self.attachments.clone(),
            skipped: self.given.is_skipped(),
        }
    }

    pub(super) fn joined(&self) -> String {
        let mut texts: Vec<&str> = self.given.options().iter().map(|selected| &*selected.label).collect();
        let typed = self.given.typed();
        texts.extend(typed.as_deref());
        if texts.is_empty() { attachment::sentence(&self.attachments) } else { joined(&texts, ", ") }
    }
}

impl Question {
    /// The title of this question's answer in the next user message: the header, or the question if it has none.
    #[must_use]
    pub fn title(&self) -> &str {
        title(self.header.as_deref(), &self.question)
    }
}

fn title<'a>(header: Option<&'a str>, question: &'a str) -> &'a str {
    header.filter(|header| !is_blank(header)).unwrap_or(question.trim())
}
