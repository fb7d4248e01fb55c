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

/// The user's choice for one question: the unchecked input of [`Reply::check`], which may be incomplete or contradictory. Its JSON form is an object
/// of these fields, of which only `question` is required.
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
    /// The index of the question.
    pub question: usize,
    /// The indexes of the chosen options, in any order; for a ranking, in the user's order.
    #[serde(default)]
    pub selected: Vec<usize>,
    /// Text typed under "Other", or the typed answer of a question with an input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// A note in addition to the choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Pictures and other files, in addition to a choice or as the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// True if the user skipped the question.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub skipped: bool,
}

impl Selection {
    /// Creates an empty selection for a question.
    #[must_use]
    pub fn of(question: usize) -> Self {
        Self { question, ..Self::default() }
    }

    /// Selects options by index; for a ranking, all options in order.
    pub fn picked(question: usize, options: impl Into<Vec<usize>>) -> Self {
        Self { selected: options.into(), ..Self::of(question) }
    }

    /// Answers a question by typed text, or by own words.
    pub fn typed(question: usize, text: impl Into<String>) -> Self {
        Self::of(question).with_other(text)
    }

    /// Skips a question.
    #[must_use]
    pub fn skipped(question: usize) -> Self {
        Self { skipped: true, ..Self::of(question) }
    }

    /// Sets the user's own text.
    #[must_use]
    pub fn with_other(mut self, text: impl Into<String>) -> Self {
        self.other = Some(text.into());
        self
    }

    /// Sets the note.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Sets the files.
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

/// A complete, checked reply to one ask.
///
/// It is serialized in the wire form of [`to_json`](Self::to_json), with the answers in the order of the questions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub(crate) answers: Vec<Answer>,
    /// True if the flat map alone would lose information. Computed early, since the ask is not known when the reply is written.
    pub(super) needs_details: bool,
}

/// The answer to one question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// The index of the question.
    pub index: usize,
    /// The text of the question exactly as it was sent.
    pub question: String,
    /// The header of the question, if it has one.
    pub header: Option<String>,
    /// The answer itself.
    pub given: Given,
    /// A note in addition to the answer.
    pub note: Option<String>,
    /// Pictures and other files, in addition to the answer or [as the answer](Given::Attached).
    pub attachments: Vec<Attachment>,
}

/// The content of an answer, by kind.
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
    /// The question was skipped, or is [not asked](Question::show_if) because of the other answers.
    #[default]
    Skipped,
    /// Only files, without options or text.
    Attached,
    /// Options of the question in its order, own words, or both.
    Picked {
        /// The options, if any.
        options: Vec<Selected>,
        /// Text typed under "Other", unchanged.
        other: Option<String>,
    },
    /// All options as ranked, the first one first.
    Ranked(Vec<Selected>),
    /// One of the two options of a yes or no question.
    YesNo {
        /// True for the first option, which means yes.
        yes: bool,
        /// The chosen option.
        option: Selected,
    },
    /// The value that the question's [input](Question::input) requires.
    Typed(Typed),
}

impl Given {
    /// The chosen options, in the order of the question or of the ranking; empty if the answer has none.
    #[must_use]
    pub fn options(&self) -> &[Selected] {
        match self {
            Self::Picked { options, .. } | Self::Ranked(options) => options,
            Self::YesNo { option, .. } => slice::from_ref(option),
            Self::Skipped | Self::Attached | Self::Typed(_) => &[],
        }
    }

    /// What was typed: own words, or a value in its canonical spelling. `None` if nothing was.
    #[must_use]
    pub fn typed(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Picked { other, .. } => other.as_deref().map(Cow::Borrowed),
            Self::Typed(typed) => Some(typed.text()),
            Self::Skipped | Self::Attached | Self::Ranked(_) | Self::YesNo { .. } => None,
        }
    }

    /// The JSON value, if the question [requires one](Question::input): the typed value, the labels of a ranking, or a boolean.
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

    /// Returns true if there is an option or a text.
    #[must_use]
    pub fn says_something(&self) -> bool {
        !matches!(self, Self::Skipped | Self::Attached)
    }
}

/// A chosen option.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selected {
    /// The index of the option.
    pub index: usize,
    /// The label of the option.
    pub label: String,
    /// The value that the agent gave the [option](QuestionOption::value), if any.
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

    /// The selections from which [`check`](Self::check) builds an equal reply.
    #[must_use]
    pub fn selections(&self) -> Vec<Selection> {
        self.answers.iter().map(Answer::selection).collect()
    }
}

impl AskUserQuestion {
    /// For each question, true if it is not asked given these answers: its [condition](Question::show_if) is not met, or depends on a question that
    /// is not asked. A condition that names no earlier question is always met.
    #[must_use]
    pub fn hidden(&self, answers: &[Selection]) -> Vec<bool> {
        let mut hidden = Vec::new();
        for question in 0..self.questions.len() {
            let is_hidden = self.condition(question).is_some_and(|(condition, source)| {
                let asked = &self.questions[source];
                let meets = |option: &usize| asked.options.get(*option).is_some_and(|option| option.meets(condition));
                // A number may be typed differently, such as "01".
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
    pub(crate) fn blank(ask: &AskUserQuestion) -> Vec<Self> {
        let blank = |(index, Question { question, header, .. }): (usize, &Question)| {
            let (question, header) = (question.clone(), header.clone());
            Self { index, question, header, ..Self::default() }
        };
        ask.questions.iter().enumerate().map(blank).collect()
    }

    /// The answer as text: the labels, then own words, joined by `", "`; without these, the names of the files. `None` if the question was skipped.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        (!self.given.is_skipped()).then(|| self.joined())
    }

    /// The header, or the trimmed question if the header is missing or blank.
    #[must_use]
    pub fn title(&self) -> &str {
        title(self.header.as_deref(), &self.question)
    }

    /// The selection from which [`Reply::check`] builds an equal answer.
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
    /// The title of this question in a user message: the header, or the question if there is none.
    #[must_use]
    pub fn title(&self) -> &str {
        title(self.header.as_deref(), &self.question)
    }
}

fn title<'a>(header: Option<&'a str>, question: &'a str) -> &'a str {
    header.filter(|header| !is_blank(header)).unwrap_or(question.trim())
}
