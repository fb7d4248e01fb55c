//! The tool's input as it travels: camelCase JSON.

use crate::condition::ShowIf;
use crate::input::{Input, InputKind};
use crate::text::is_blank;
use json_tree::{Json, WireValue, wire_object};
use serde::Deserialize;
use std::borrow::Cow;
use std::mem;

pub use crate::members::{Question, QuestionOption};

wire_object! {
    /// One call of the tool: an *ask*. The default has no questions, as one that could not be read.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
    #[serde(rename_all = "camelCase")]
    #[non_exhaustive]
    pub struct AskUserQuestion {
        /// The questions, in the order in which they are shown.
        pub questions: Vec<Question> = "questions",
        /// The sub-agent, tool or server that asks.
        pub asked_by: Option<String> = "askedBy",
        /// The agent's reason to ask.
        pub why: Option<String> = "why",
        /// False if the agent goes on without the answer.
        pub blocking: Option<bool> = "blocking",
    }
}

impl AskUserQuestion {
    /// Reads what can be shown of a value that may break any rule, without empty questions and options. `None` if no question is left.
    pub(crate) fn shown_of(value: &Json<'_>) -> Option<Self> {
        let mut ask = Self::read(Some(value));
        ask.questions.retain_mut(|question| {
            question.options.retain(QuestionOption::shows_anything);
            question.shows_anything()
        });
        (!ask.questions.is_empty()).then_some(ask)
    }

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
        Self { questions: questions.into_iter().collect(), ..Self::empty() }
    }

    /// The same, for which the agent does not wait.
    #[must_use]
    pub fn in_background(mut self) -> Self {
        self.blocking = Some(false);
        self
    }

    /// Returns true if the agent may go on without the answer. Whether it did, the result of the call says: it is
    /// [`ASKED_TEXT`](crate::outcome::ASKED_TEXT) then.
    #[must_use]
    pub fn is_background(&self) -> bool {
        self.blocking == Some(false)
    }

    /// Returns true if it is the decision on a call of the agent's, which runs with it: such an answer can't be changed.
    #[must_use]
    pub fn is_approval(&self) -> bool {
        let asks_for_it = |input: &Input| input.kind == InputKind::Approval;
        self.questions.iter().any(|question| question.input.as_ref().is_some_and(asks_for_it))
    }

    /// An ask without questions, as one that could not be read.
    #[must_use]
    pub const fn empty() -> Self {
        Self { questions: Vec::new(), asked_by: None, why: None, blocking: None }
    }

    /// The condition of a question, and the earlier question that it is about. `None` if it has none, or one about no earlier question.
    pub(crate) fn condition(&self, question: usize) -> Option<(&ShowIf, usize)> {
        let condition = self.questions.get(question)?.show_if.as_ref()?;
        let name = condition.question.trim();
        let is_it = |asked: &Question| asked.question.trim() == name || asked.header.as_deref() == Some(name);
        Some((condition, self.questions[..question].iter().position(is_it)?))
    }

    /// The earlier question that this one [depends on](Question::show_if), by its index, and the answer that it must have, as people read it.
    #[must_use]
    pub fn depends_on(&self, question: usize) -> Option<(usize, &str)> {
        let (condition, source) = self.condition(question)?;
        let option = self.questions[source].options.iter().find(|option| option.meets(condition));
        Some((source, option.map_or(&condition.is, |option| &option.label)))
    }

    /// The question, if it is the only one.
    #[must_use]
    pub fn only(&self) -> Option<&Question> {
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
        Self { question: question.into(), options, ..Self::default() }
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

    /// The same, asking for this instead of a choice. A yes or no and an approval without options get them.
    #[must_use]
    pub fn with_input(mut self, input: Input) -> Self {
        let own: &[&str] = match input.kind {
            InputKind::YesNo => &["Yes", "No"],
            InputKind::Approval => &["Approve", "Approve with changes", "Reject"],
            _ => &[],
        };
        if self.options.is_empty() {
            self.options.extend(own.iter().copied().map(QuestionOption::from));
        }
        self.input = Some(input);
        self
    }

    /// The same, asked only if an earlier question has this answer.
    #[must_use]
    pub fn with_show_if(mut self, condition: ShowIf) -> Self {
        self.show_if = Some(condition);
        self
    }

    /// Returns true if the answer is an order of all options.
    #[must_use]
    pub fn is_ranking(&self) -> bool {
        self.input.as_ref().is_some_and(|input| input.kind == InputKind::Rank)
    }

    /// What is typed, if the answer is not made of options.
    #[must_use]
    pub fn typed(&self) -> Option<&Input> {
        self.input.as_ref().filter(|input| input.is_typed())
    }

    /// Returns true if an answer may have several options.
    pub(crate) fn takes_several(&self) -> bool {
        self.multi_select || self.is_ranking()
    }

    /// The question text as it is shown: without white space around it, and with line breaks where a model wrote `\n` as two characters.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        let text = self.question.trim();
        if !text.bytes().any(|byte| byte == b'\\') {
            return Cow::Borrowed(text);
        }
        let (shown, is_written) = with_breaks(text);
        if is_written { Cow::Owned(shown.trim().to_owned()) } else { Cow::Borrowed(text) }
    }

    pub(crate) fn labels(&self) -> Vec<&str> {
        self.options.iter().map(|option| option.label.as_str()).collect()
    }

    /// Those of its options that are picked, by their positions: in order, each once. A ranking keeps its own order.
    #[must_use]
    pub fn in_order(&self, picked: &[usize]) -> Vec<usize> {
        let (mut is_picked, mut ranked) = (vec![false; self.options.len()], Vec::new());
        for &option in picked {
            if is_picked.get_mut(option).is_some_and(|is_picked| !mem::replace(is_picked, true)) {
                ranked.push(option);
            }
        }
        if self.is_ranking() { ranked } else { (0..is_picked.len()).filter(|option| is_picked[*option]).collect() }
    }

    pub(crate) fn shows_anything(&self) -> bool {
        !is_blank(self.title()) || !self.options.is_empty()
    }
}

impl QuestionOption {
    /// An option of this label alone.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    pub(crate) fn shows_anything(&self) -> bool {
        !is_blank(&self.label)
    }

    /// Returns true if choosing it meets the condition.
    pub(crate) fn meets(&self, condition: &ShowIf) -> bool {
        self.label == condition.is || self.value.as_ref() == Some(&condition.is)
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

    /// The same with this value for the agent.
    #[must_use]
    pub fn with_value(mut self, value: impl Into<String>) -> Self {
        self.value = Some(value.into());
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

/// Replaces each `\n` of two characters by a line break. Returns true if one of them ends a sentence; otherwise they may be parts of paths.
pub(crate) fn with_breaks(text: &str) -> (String, bool) {
    let (mut shown, mut rest, mut is_written) = (String::new(), text.chars(), false);
    while let Some(c) = rest.next() {
        if c == '\\' && rest.as_str().starts_with('n') {
            rest.next();
            let mut before = shown.chars().rev();
            let [last, before] = [before.next(), before.next()].map(Option::unwrap_or_default);
            is_written |= ends_sentence([before, last]);
            shown.push('\n');
        } else {
            shown.push(c);
        }
    }
    (shown, is_written)
}

/// Returns true if a text with these last characters ends a sentence, after which no path continues.
pub(crate) fn ends_sentence([before, last]: [char; 2]) -> bool {
    let is_word = before.is_ascii_alphanumeric() || !before.is_ascii();
    matches!(last, '?' | '!' | '？' | '！' | '。') || last == '.' && is_word
}
