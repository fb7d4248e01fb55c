//! The limits of asks, by profile.

use crate::attachment::FileLimits;
use crate::members::{MEMBERS, Member, Row, WORDS, Wording};
use std::ops::RangeInclusive;

pub use crate::members::ExtraMember;

/// The limits of an ask: numbers of questions and options, headers, optional members and files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    tool_name: &'static str,
    questions: (usize, usize),
    options: (usize, usize),
    header_required: bool,
    pub(crate) header_max: Option<usize>,
    /// One bit per [`ExtraMember`].
    extras: u16,
    attachments: Option<FileLimits>,
    pub(crate) wording: Wording,
}

impl ExtraMember {
    /// The member with this name, ignoring case, such as `input` or `blocking`.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        MEMBERS.iter().find_map(|row| row.extra.filter(|_| row.name.eq_ignore_ascii_case(name)))
    }
}

impl Limits {
    /// The profile of the agent runtime: 1–4 questions, 2–4 options, header optional and at most 12 characters.
    pub const RUNTIME: Self = Self {
        tool_name: "ask_user_question",
        questions: (1, 4),
        options: (2, 4),
        header_required: false,
        header_max: Some(12),
        extras: 0,
        attachments: None,
        wording: Wording::Runtime,
    };
    /// The profile of the coding agent: as [`RUNTIME`](Self::RUNTIME), but headers are required and the tool is named `AskUserQuestion`.
    pub const CODING: Self =
        Self { tool_name: "AskUserQuestion", header_required: true, wording: Wording::Coding, ..Self::RUNTIME };
    /// The profile of the customer chat: exactly one question, 2–6 options, header required and of any length.
    pub const CHAT: Self = Self {
        questions: (1, 1),
        options: (2, 6),
        header_required: true,
        header_max: None,
        wording: Wording::Chat,
        ..Self::RUNTIME
    };

    /// The profile with this name, ignoring case: `runtime`, `coding` or `chat`. Extra members may follow, each after a `+`, and also `pictures` or
    /// `files` to allow attachments. `None` if any part is unknown.
    ///
    /// ```
    /// use ask_user_question::{Limits, limits::ExtraMember};
    /// assert_eq!(Limits::by_name("chat+input"), Some(Limits::CHAT.with(ExtraMember::Input)));
    /// assert!(Limits::by_name("chat+pictures").is_some_and(|limits| limits.attachments().is_some()));
    /// assert_eq!(Limits::by_name("chat+music"), None);
    /// ```
    #[must_use]
    pub fn by_name(profile: &str) -> Option<Self> {
        let mut names = profile.split('+');
        let profile = names.next()?;
        let mut limits = [("runtime", Self::RUNTIME), ("coding", Self::CODING), ("chat", Self::CHAT)]
            .into_iter()
            .find_map(|(name, limits)| profile.eq_ignore_ascii_case(name).then_some(limits))?;
        for name in names {
            if let Some((_, files)) = FileLimits::BY_NAME.into_iter().find(|(kind, _)| name.eq_ignore_ascii_case(kind))
            {
                limits = limits.with_attachments(files);
                continue;
            }
            limits = limits.with(ExtraMember::by_name(name)?);
        }
        Some(limits)
    }

    /// Sets the name by which the model calls the tool.
    ///
    /// Limits of your own start from a profile:
    ///
    /// ```
    /// use ask_user_question::Limits;
    /// const LIMITS: Limits = Limits::CODING.with_tool_name("ask").with_questions(1..=2).with_header_max(Some(20));
    /// assert_eq!(LIMITS.questions(), 1..=2);
    /// assert_eq!(LIMITS.options(), Limits::CODING.options());
    /// ```
    ///
    /// # Panics
    /// If the name is empty.
    #[must_use]
    pub const fn with_tool_name(mut self, name: &'static str) -> Self {
        assert!(!name.trim_ascii().is_empty(), "the tool needs a name");
        self.tool_name = name;
        self
    }

    /// Sets how many questions an ask may have.
    ///
    /// # Panics
    /// If the range is empty or has 0.
    #[must_use]
    pub const fn with_questions(mut self, allowed: RangeInclusive<usize>) -> Self {
        self.questions = (*allowed.start(), *allowed.end());
        assert!(0 < self.questions.0 && self.questions.0 <= self.questions.1, "an ask needs at least one question");
        self
    }

    /// Sets how many options a question may have, not counting "Other". A question without options takes free text.
    ///
    /// # Panics
    /// If the range is empty.
    #[must_use]
    pub const fn with_options(mut self, allowed: RangeInclusive<usize>) -> Self {
        self.options = (*allowed.start(), *allowed.end());
        assert!(self.options.0 <= self.options.1, "the maximum of options is under its minimum");
        self
    }

    /// Sets whether every question must have a header.
    #[must_use]
    pub const fn with_header_required(mut self, required: bool) -> Self {
        self.header_required = required;
        self
    }

    /// Sets the maximum length of headers, in Unicode scalar values; `None` for any length.
    ///
    /// # Panics
    /// If the length is 0.
    #[must_use]
    pub const fn with_header_max(mut self, max: Option<usize>) -> Self {
        assert!(!matches!(max, Some(0)), "a header needs at least one character");
        self.header_max = max;
        self
    }

    /// The name under which the model calls the tool.
    #[must_use]
    pub fn tool_name(&self) -> &'static str {
        self.tool_name
    }

    /// The allowed number of questions in an ask.
    #[must_use]
    pub fn questions(&self) -> RangeInclusive<usize> {
        self.questions.0..=self.questions.1
    }

    /// The allowed number of options in a question.
    #[must_use]
    pub fn options(&self) -> RangeInclusive<usize> {
        self.options.0..=self.options.1
    }

    /// Returns true if the member is in the schema and validated. A member that is not offered is not validated, but shown if it has the right type.
    #[must_use]
    pub const fn offers(&self, extra: ExtraMember) -> bool {
        self.extras & 1 << extra as u16 != 0
    }

    /// The names of the extra members that these limits offer, as [`by_name`](Self::by_name) reads them.
    pub fn extra_names(&self) -> impl Iterator<Item = &'static str> {
        MEMBERS.iter().filter(|row| row.extra.is_some_and(|extra| self.offers(extra))).map(|row| row.name)
    }

    /// Offers an extra member.
    ///
    /// ```
    /// use ask_user_question::{Limits, limits::ExtraMember};
    /// assert_eq!(Limits::CHAT.with(ExtraMember::Blocking).extra_names().collect::<Vec<_>>(), ["blocking"]);
    /// ```
    #[must_use]
    pub const fn with(self, extra: ExtraMember) -> Self {
        Self { extras: self.extras | 1 << extra as u16, ..self }
    }

    /// Allows the user to attach files to an answer.
    ///
    /// ```
    /// use ask_user_question::{Limits, attachment::FileLimits};
    /// const LIMITS: Limits = Limits::CHAT.with_attachments(FileLimits::PICTURES);
    /// assert!(LIMITS.attachments().is_some_and(|files| files.accepts("image/png")));
    /// ```
    #[must_use]
    pub const fn with_attachments(self, files: FileLimits) -> Self {
        Self { attachments: Some(files), ..self }
    }

    /// The limits for attached files; `None` if files are not allowed.
    #[must_use]
    pub const fn attachments(&self) -> Option<&FileLimits> {
        self.attachments.as_ref()
    }

    pub(crate) fn tell_of(&self, row: &Row) -> bool {
        row.extra.is_none_or(|extra| self.offers(extra))
    }

    pub(crate) fn require(&self, row: &Row) -> bool {
        match row.member {
            Member::Header => self.header_required,
            Member::Options => self.options.0 > 0 && !self.offers(ExtraMember::Input),
            _ => row.is_needed(),
        }
    }

    /// The description of the member in the schema, in the words of the profile.
    pub(crate) fn words_for(&self, row: &Row) -> Option<&'static str> {
        let words = match self.wording {
            // The description repeats the maximum, since most models ignore `maxLength`.
            Wording::Coding if row.member == Member::Header && self.header_max == Some(12) => {
                "Very short label displayed as a chip/tag (max 12 chars)."
            }
            wording => WORDS[row.member as usize][wording as usize],
        };
        (!words.is_empty()).then_some(words)
    }
}
