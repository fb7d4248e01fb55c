//! The tool's input on the wire: camelCase JSON.

use crate::condition::ShowIf;
use crate::input::{Input, InputKind};
use crate::text::is_blank;
use json_tree::{Json, WireValue, wire_object};
use serde::Deserialize;
use std::borrow::Cow;
use std::mem;

pub use crate::members::{Question, QuestionOption};

wire_object! {
    /// The arguments of one call of the tool: an *ask*. The default has no questions, as an ask that could not be read.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
    #[serde(rename_all = "camelCase")]
    #[non_exhaustive]
    pub struct AskUserQuestion {
        /// The questions, in the order in which they are shown.
        pub questions: Vec<Question> = "questions",
        /// The sub-agent, tool or server that asks.
        pub asked_by: Option<String> = "askedBy",
        /// Why the agent asks, for the user.
        pub why: Option<String> = "why",
        /// False if the agent continues without waiting for the answer.
        pub blocking: Option<bool> = "blocking",
    }
}

impl AskUserQuestion {
    /// Reads what can be shown of a value, whatever rules it violates. Leaves out empty questions and options. `None` if no question is left.
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

    /// Sets that the agent does not wait for the answer.
    #[must_use]
    pub fn in_background(mut self) -> Self {
        self.blocking = Some(false);
        self
    }

    /// Returns true if the agent may continue without the answer. It did so if the result of the call is [`ASKED_TEXT`](crate::outcome::ASKED_TEXT).
    #[must_use]
    pub fn is_background(&self) -> bool {
        self.blocking == Some(false)
    }

    /// Returns true if the ask is a decision on a call of the agent. Such an answer can't be changed, since the call runs with it.
    #[must_use]
    pub fn is_approval(&self) -> bool {
        let asks_for_it = |input: &Input| input.kind == InputKind::Approval;
        self.questions.iter().any(|question| question.input.as_ref().is_some_and(asks_for_it))
    }

    /// An ask without questions, used for one that could not be read.
    #[must_use]
    pub const fn empty() -> Self {
        Self { questions: Vec::new(), asked_by: None, why: None, blocking: None }
    }

    /// The condition of a question and the index of the question it depends on. `None` without a condition, or if no earlier question matches it.
    pub(crate) fn condition(&self, question: usize) -> Option<(&ShowIf, usize)> {
        let condition = self.questions.get(question)?.show_if.as_ref()?;
        let name = condition.question.trim();
        let is_it = |asked: &Question| asked.question.trim() == name || asked.header.as_deref() == Some(name);
        Some((condition, self.questions[..question].iter().position(is_it)?))
    }

    /// The index of the question that this one [depends on](Question::show_if), and the required answer as shown to people.
    #[must_use]
    pub fn depends_on(&self, question: usize) -> Option<(usize, &str)> {
        let (condition, source) = self.condition(question)?;
        let option = self.questions[source].options.iter().find(|option| option.meets(condition));
        Some((source, option.map_or(&condition.is, |option| &option.label)))
    }

    /// The question, if there is exactly one.
    #[must_use]
    pub fn only(&self) -> Option<&Question> {
        match &self.questions[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

impl Question {
    /// A single-select question without a header. Options are texts or [`QuestionOption`]s.
    pub fn new<T: Into<QuestionOption>>(question: impl Into<String>, options: impl IntoIterator<Item = T>) -> Self {
        let options = options.into_iter().map(Into::into).collect();
        Self { question: question.into(), options, ..Self::default() }
    }

    /// Sets the header.
    #[must_use]
    pub fn with_header(mut self, header: impl Into<String>) -> Self {
        self.header = Some(header.into());
        self
    }

    /// Sets whether several options may be chosen.
    #[must_use]
    pub fn with_multi_select(mut self, multi_select: bool) -> Self {
        self.multi_select = multi_select;
        self
    }

    /// Asks for this input instead of a choice. For a yes or no or an approval without options, adds the usual options.
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

    /// Asks the question only if an earlier one has this answer.
    #[must_use]
    pub fn with_show_if(mut self, condition: ShowIf) -> Self {
        self.show_if = Some(condition);
        self
    }

    /// Returns true if the answer is a ranking of all options.
    #[must_use]
    pub fn is_ranking(&self) -> bool {
        self.input.as_ref().is_some_and(|input| input.kind == InputKind::Rank)
    }

    /// The input, if the answer is typed instead of chosen from options.
    #[must_use]
    pub fn typed(&self) -> Option<&Input> {
        self.input.as_ref().filter(|input| input.is_typed())
    }

    pub(crate) fn takes_several(&self) -> bool {
        self.multi_select || self.is_ranking()
    }

    /// The question text to show: trimmed, and with line breaks where a model wrote a literal `\n`.
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

    /// The picked options in canonical order: sorted and without duplicates. A ranking keeps its order.
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
    /// Creates an option with only a label.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    pub(crate) fn shows_anything(&self) -> bool {
        !is_blank(&self.label)
    }

    pub(crate) fn meets(&self, condition: &ShowIf) -> bool {
        self.label == condition.is || self.value.as_ref() == Some(&condition.is)
    }

    /// Sets the description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the preview.
    #[must_use]
    pub fn with_preview(mut self, preview: impl Into<String>) -> Self {
        self.preview = Some(preview.into());
        self
    }

    /// Sets the value that the agent receives.
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

/// Replaces each literal `\n` by a line break. Also returns true if one of them ends a sentence; otherwise they may be parts of paths.
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

/// Returns true if these last two characters end a sentence, so that a following `\n` is not part of a path.
pub(crate) fn ends_sentence([before, last]: [char; 2]) -> bool {
    let is_word = before.is_ascii_alphanumeric() || !before.is_ascii();
    matches!(last, '?' | '!' | '？' | '！' | '。') || last == '.' && is_word
}
