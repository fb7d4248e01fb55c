//! The tool's input as it travels: camelCase JSON.

use crate::text::is_blank;
use json_tree::Json;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::mem;

/// One call of the tool: an *ask*. The default has no questions, as one that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AskUserQuestion {
    /// The questions, in the order in which they are shown.
    pub questions: Vec<Question>,
}

/// One question of an ask.
// Fields are written in this order because models write in schema order and the card comes alive in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Question {
    /// The full question text, as the agent sent it, since it is the key of the answer. [`text`](Self::text) is what is shown.
    pub question: String,
    /// A short label, shown as a chip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// Whether several options may be chosen.
    #[serde(default)]
    pub multi_select: bool,
    /// The options, in the agent's order. "Other" is not among them: every card adds it. A question without any is an open one.
    #[serde(default)]
    pub options: Vec<QuestionOption>,
}

/// One option of a question. A text alone is one with that label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct QuestionOption {
    /// The text to choose.
    pub label: String,
    /// What choosing it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Plain text or code shown while the option has focus or is chosen (single-select only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

impl AskUserQuestion {
    /// Reads what can be shown of a (repaired) value that may violate any rule: questions with neither text, header nor options and
    /// options without a label are left out. `None` where no question is left. Takes the texts out of the value: they may be long.
    pub(crate) fn read(mut value: Json<'_>) -> Option<Self> {
        let mut questions = Vec::new();
        for value in list(&mut value, "questions") {
            let question = Question::read(value);
            if question.shows_anything() {
                questions.push(question);
            }
        }
        (!questions.is_empty()).then_some(Self { questions })
    }
}

impl AskUserQuestion {
    /// An ask of these questions.
    ///
    /// ```
    /// use ask_user_question::{AskUserQuestion, Question, QuestionOption};
    /// let large = QuestionOption::new("Large").with_description("Fits most");
    /// let question = Question::new("Which size?", ["Small".into(), large]).with_header("Size");
    /// let ask = AskUserQuestion::new([question]);
    /// assert_eq!(ask.questions[0].options.len(), 2);
    /// ```
    pub fn new(questions: impl IntoIterator<Item = Question>) -> Self {
        Self { questions: questions.into_iter().collect() }
    }

    /// An ask without questions, as one that could not be read.
    #[must_use]
    pub const fn empty() -> Self {
        Self { questions: Vec::new() }
    }

    /// The question, if it is the only one.
    pub(crate) fn only(&self) -> Option<&Question> {
        match &self.questions[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

impl Question {
    /// A question of one choice, without a header. Options are texts or [`QuestionOption`]s.
    pub fn new<T: Into<QuestionOption>>(question: impl Into<String>, options: impl IntoIterator<Item = T>) -> Self {
        let options = options.into_iter().map(Into::into).collect();
        Self { question: question.into(), header: None, multi_select: false, options }
    }

    /// The same with this header.
    #[must_use]
    pub fn with_header(mut self, header: impl Into<String>) -> Self {
        self.header = Some(header.into());
        self
    }

    /// The same where several options may be chosen, or only one.
    #[must_use]
    pub fn with_multi_select(mut self, multi_select: bool) -> Self {
        self.multi_select = multi_select;
        self
    }

    /// The question text as it is shown: without white space around it, and with line breaks where a model wrote `\n` as two characters.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        let text = self.question.trim();
        if !text.bytes().any(|byte| byte == b'\\') {
            return Cow::Borrowed(text);
        }
        let (mut shown, mut rest, mut is_written) = (String::new(), text.chars(), false);
        while let Some(c) = rest.next() {
            if c == '\\' && rest.as_str().starts_with('n') {
                rest.next();
                is_written |= ends_sentence(&shown);
                shown.push('\n');
            } else {
                shown.push(c);
            }
        }
        if is_written { Cow::Owned(shown.trim_end().to_owned()) } else { Cow::Borrowed(text) }
    }

    pub(crate) fn labels(&self) -> Vec<&str> {
        self.options.iter().map(|option| option.label.as_str()).collect()
    }

    /// Those of its options that are picked, by their positions: in order, each once.
    pub(crate) fn in_order(&self, picked: &[usize]) -> Vec<usize> {
        let mut is_picked = vec![false; self.options.len()];
        for &option in picked {
            if let Some(is_picked) = is_picked.get_mut(option) {
                *is_picked = true;
            }
        }
        let mut in_order = Vec::new();
        for (option, is_picked) in is_picked.into_iter().enumerate() {
            if is_picked {
                in_order.push(option);
            }
        }
        in_order
    }

    fn read(value: &mut Json<'_>) -> Self {
        let mut options = Vec::new();
        for option in list(value, "options") {
            let label = text(option, "label").unwrap_or_default();
            if !is_blank(&label) {
                let (description, preview) = (text(option, "description"), text(option, "preview"));
                options.push(QuestionOption { label, description, preview });
            }
        }
        Self {
            question: text(value, "question").unwrap_or_default(),
            header: text(value, "header"),
            multi_select: matches!(member_mut(value, "multiSelect"), Some(Json::Bool(true))),
            options,
        }
    }

    fn shows_anything(&self) -> bool {
        !is_blank(self.title()) || !self.options.is_empty()
    }
}

impl QuestionOption {
    /// An option of this label alone.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), description: None, preview: None }
    }

    /// The same with this description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The same with this preview.
    #[must_use]
    pub fn with_preview(mut self, preview: impl Into<String>) -> Self {
        self.preview = Some(preview.into());
        self
    }
}

impl From<&str> for QuestionOption {
    fn from(label: &str) -> Self {
        Self::new(label)
    }
}

impl From<String> for QuestionOption {
    fn from(label: String) -> Self {
        Self::new(label)
    }
}

/// Whether a text ends a sentence, behind which no path goes on.
fn ends_sentence(text: &str) -> bool {
    text.ends_with(['?', '!', '？', '！', '。'])
        || text
            .strip_suffix('.')
            .is_some_and(|before| before.ends_with(|c: char| c.is_ascii_alphanumeric() || !c.is_ascii()))
}

/// A member that is a text, which is taken out.
fn text(object: &mut Json<'_>, key: &str) -> Option<String> {
    match member_mut(object, key) {
        Some(Json::Text(text)) => Some(mem::take(text).into_owned()),
        _ => None,
    }
}

/// The items of a member that is a list.
fn list<'m, 'a>(object: &'m mut Json<'a>, key: &str) -> &'m mut [Json<'a>] {
    match member_mut(object, key) {
        Some(Json::List(items)) => items,
        _ => &mut [],
    }
}

/// The last member of a name, which is the one that counts.
pub(crate) fn member_mut<'m, 'a>(object: &'m mut Json<'a>, key: &str) -> Option<&'m mut Json<'a>> {
    match object {
        Json::Object(members) => members.find_mut(key),
        _ => None,
    }
}
