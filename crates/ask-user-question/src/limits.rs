//! The limits of a profile of the tool.

use std::error::Error;
use std::fmt;
use std::ops::RangeInclusive;

/// The limits of an ask: its numbers of questions and options, and its headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    tool_name: &'static str,
    questions: (usize, usize),
    options: (usize, usize),
    header_required: bool,
    header_max: Option<usize>,
    previews: bool,
    wording: Wording,
}

/// The words that describe the tool: each profile keeps those of its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wording {
    Runtime,
    Coding,
    Chat,
}

impl Limits {
    /// The agent runtime's profile: 1–4 questions, 2–4 options, header optional and at most 12 characters.
    pub const RUNTIME: Self = Self {
        tool_name: "ask_user_question",
        questions: (1, 4),
        options: (2, 4),
        header_required: false,
        header_max: Some(12),
        previews: false,
        wording: Wording::Runtime,
    };
    /// The coding agent's profile: as [`RUNTIME`](Self::RUNTIME), header required, tool named `AskUserQuestion`.
    pub const CODING: Self =
        Self { tool_name: "AskUserQuestion", header_required: true, wording: Wording::Coding, ..Self::RUNTIME };
    /// The customer chat's profile: exactly one question, 2–6 options, header required without a maximum.
    pub const CHAT: Self = Self {
        questions: (1, 1),
        options: (2, 6),
        header_required: true,
        header_max: None,
        wording: Wording::Chat,
        ..Self::RUNTIME
    };

    /// The profile of that name: `runtime`, `coding` or `chat`, in any case.
    #[must_use]
    pub fn by_name(profile: &str) -> Option<Self> {
        [("runtime", Self::RUNTIME), ("coding", Self::CODING), ("chat", Self::CHAT)]
            .into_iter()
            .find_map(|(name, limits)| profile.eq_ignore_ascii_case(name).then_some(limits))
    }

    /// Limits of your own, starting from these.
    ///
    /// ```
    /// use ask_user_question::Limits;
    /// let limits = Limits::CODING.to_builder().questions(1..=2).header_max(20).build()?;
    /// assert_eq!(limits.questions(), 1..=2);
    /// assert_eq!(limits.options(), Limits::CODING.options());
    /// # Ok::<(), ask_user_question::limits::LimitsError>(())
    /// ```
    pub const fn to_builder(self) -> LimitsBuilder {
        LimitsBuilder { limits: self }
    }

    /// The name under which the model calls the tool.
    #[must_use]
    pub fn tool_name(&self) -> &'static str {
        self.tool_name
    }

    /// The allowed numbers of questions in an ask.
    #[must_use]
    pub fn questions(&self) -> RangeInclusive<usize> {
        self.questions.0..=self.questions.1
    }

    /// The allowed numbers of options in a question.
    #[must_use]
    pub fn options(&self) -> RangeInclusive<usize> {
        self.options.0..=self.options.1
    }

    /// Returns true if every question needs a header.
    #[must_use]
    pub fn header_required(&self) -> bool {
        self.header_required
    }

    /// The longest header, in Unicode scalar values.
    #[must_use]
    pub fn header_max(&self) -> Option<usize> {
        self.header_max
    }

    /// Returns true if options may carry a preview.
    #[must_use]
    pub fn previews(&self) -> bool {
        self.previews
    }

    /// The same limits with `preview` in schema and rules. Without it a preview is a field that no schema asked for: it is not judged, and
    /// shown where it is a text.
    #[must_use]
    pub const fn with_previews(self) -> Self {
        Self { previews: true, ..self }
    }

    pub(crate) fn wording(&self) -> Wording {
        self.wording
    }
}

/// Makes [`Limits`]; from [`Limits::to_builder`].
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `build`"]
pub struct LimitsBuilder {
    limits: Limits,
}

impl LimitsBuilder {
    /// The name under which the model calls the tool.
    pub const fn tool_name(mut self, name: &'static str) -> Self {
        self.limits.tool_name = name;
        self
    }

    /// Sets the allowed numbers of questions in an ask; at least one.
    pub const fn questions(mut self, allowed: RangeInclusive<usize>) -> Self {
        self.limits.questions = (*allowed.start(), *allowed.end());
        self
    }

    /// Sets the allowed numbers of options in a question, without "Other". A question without options takes free text.
    pub const fn options(mut self, allowed: RangeInclusive<usize>) -> Self {
        self.limits.options = (*allowed.start(), *allowed.end());
        self
    }

    /// Every question needs a header.
    pub const fn require_header(mut self) -> Self {
        self.limits.header_required = true;
        self
    }

    /// A question may do without a header.
    pub const fn optional_header(mut self) -> Self {
        self.limits.header_required = false;
        self
    }

    /// The longest header, in Unicode scalar values; at least one.
    pub const fn header_max(mut self, max: usize) -> Self {
        self.limits.header_max = Some(max);
        self
    }

    /// Headers of any length.
    pub const fn header_of_any_length(mut self) -> Self {
        self.limits.header_max = None;
        self
    }

    /// Options may carry a preview.
    pub const fn previews(mut self) -> Self {
        self.limits.previews = true;
        self
    }

    /// The limits.
    ///
    /// # Errors
    /// If no ask could keep the limits.
    pub fn build(self) -> Result<Limits, LimitsError> {
        let Limits { tool_name, questions, options, header_max, .. } = &self.limits;
        if tool_name.trim().is_empty() {
            Err(LimitsError::BlankToolName)
        } else if questions.0 == 0 || questions.0 > questions.1 {
            Err(LimitsError::NoQuestions)
        } else if options.0 > options.1 {
            Err(LimitsError::NoOptions)
        } else if *header_max == Some(0) {
            Err(LimitsError::NoHeader)
        } else {
            Ok(self.limits)
        }
    }
}

/// Why [`LimitsBuilder::build`] refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitsError {
    /// The tool has no name.
    BlankToolName,
    /// The range of questions is empty or allows an ask without any.
    NoQuestions,
    /// The range of options is empty.
    NoOptions,
    /// A header of at most zero characters could say nothing.
    NoHeader,
}

impl fmt::Display for LimitsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BlankToolName => "the tool needs a name",
            Self::NoQuestions => "an ask needs at least one question, and a maximum not under its minimum",
            Self::NoOptions => "the maximum of options is under its minimum",
            Self::NoHeader => "a header needs at least one character",
        })
    }
}

impl Error for LimitsError {}
