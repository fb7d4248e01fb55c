//! The parts of a reply.

use crate::attachment::{self, Attachment};
use crate::text::{is_blank, joined};
use crate::wire::{AskUserQuestion, Question, QuestionOption};
use json_tree::Json;
use serde::{Deserialize, Serialize};

/// The user's choice for one question: the unchecked input of [`Reply::check`]. As JSON it is an object of these fields, of which only
/// `question` is required.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    #[serde(default, skip_serializing_if = "is_false")]
    pub skipped: bool,
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
    /// Chosen options: index and label, in the order of the options or of the ranking.
    pub selected: Vec<Selected>,
    /// Text typed under "Other", as it was typed.
    pub other: Option<String>,
    /// A note beside the choice.
    pub note: Option<String>,
    /// Pictures and other files, beside a choice or as the answer.
    pub attachments: Vec<Attachment>,
    /// True if the question was skipped.
    pub skipped: bool,
    /// The value with its JSON type, if the question [asks for one](Question::input): of what was typed, which is the `other` text; the
    /// labels of a ranking; true or false.
    pub value: Option<Json<'static>>,
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
                let options = &self.questions[source].options;
                let meets = |option: &usize| options.get(*option).is_some_and(|option| option.meets(condition));
                let holds = |answer: &Selection| {
                    answer.question == source
                        && (answer.selected.iter().any(meets) || answer.other.as_ref() == Some(&condition.is))
                };
                hidden[source] || !answers.iter().any(holds)
            });
            hidden.push(is_hidden);
        }
        hidden
    }
}

impl Answer {
    /// An empty answer for each question.
    pub(crate) fn blank(ask: &AskUserQuestion) -> Vec<Self> {
        let mut answers = Vec::new();
        for (index, Question { question, header, .. }) in ask.questions.iter().enumerate() {
            let (question, header) = (question.clone(), header.clone());
            answers.push(Self { index, question, header, ..Self::default() });
        }
        answers
    }

    /// The answer as one text: labels, then custom text, joined with `", "`, or else the names of its files; `None` where the question was
    /// skipped.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        (!self.skipped).then(|| self.joined())
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
            selected: self.selected.iter().map(|selected| selected.index).collect(),
            other: self.other.clone(),
            note: self.note.clone(),
            attachments: self.attachments.clone(),
            skipped: self.skipped,
        }
    }

    pub(super) fn joined(&self) -> String {
        let mut texts: Vec<&str> = Vec::new();
        for selected in &self.selected {
            texts.push(&selected.label);
        }
        if let Some(other) = &self.other {
            texts.push(other);
        }
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

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}
