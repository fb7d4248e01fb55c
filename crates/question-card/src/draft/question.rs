//! The unfinished answer to one question.

use super::files::{DraftFile, FileState};
use super::picks::{Pick, Picks};
use crate::dom::{Control, fnv1a};
use ask_user_question::Question;
use ask_user_question::attachment::Attachment;
use ask_user_question::input::{Flaw, Input, InputKind};
use ask_user_question::reply::Selection;
use ask_user_question::text::is_blank;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct QuestionDraft {
    pub(super) kind: Option<ChoiceKind>,
    pub(super) asked: AskedFor,
    pub(super) choice: Choice,
    /// The content of the free-text field, whether or not it is part of the answer.
    pub(super) other: String,
    pub(super) note: String,
    pub(super) files: Vec<DraftFile>,
    /// The choice before the question was skipped; it comes back when the skip is undone.
    pub(super) skipped: Option<Choice>,
}

/// What the draft has to know of the complete question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AskedFor {
    /// A hash of the question's text, which tells questions apart: agents that number their calls use the same id for many questions.
    pub(super) text: Option<u64>,
    pub(super) input: Option<Input>,
    /// The number of options to rank.
    pub(super) to_rank: usize,
    /// The option that is preselected.
    pub(super) pick: Option<Pick>,
}

impl AskedFor {
    pub(super) fn of(question: &Question) -> Self {
        let to_rank = if question.is_ranking() { question.options.len() } else { 0 };
        let default =
            question.input.as_ref().filter(|input| !input.is_typed()).and_then(|input| input.default.as_ref());
        let option = question.options.iter().position(|option| Some(&option.label) == default);
        let pick = option.zip(default).map(|(option, label)| Pick { option, label: label.clone() });
        let mut asked = Self { text: None, input: question.input.clone(), to_rank, pick };
        asked.know_text(&question.question);
        asked
    }

    pub(super) fn know_text(&mut self, text: &str) {
        // The repair of arguments may trim the text.
        self.text = Some(fnv1a(text.trim()));
    }

    /// The problem of a typed text.
    fn flaw(&self, text: &str) -> Option<Problem> {
        let input = self.input.as_ref().filter(|input| input.is_typed())?;
        input.value(text).err().map(Problem::Flawed)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    /// In the order of the options; in a ranking, by rank.
    pub(super) picks: Picks,
    pub(super) other: bool,
    /// The option that a typed text replaced; it is restored when the text is cleared.
    pub(super) before_other: Option<Pick>,
}

impl QuestionDraft {
    /// The problem that keeps the question from being sent; `max_length` limits each typed text.
    pub(super) fn problem(&self, max_length: Option<usize>) -> Option<Problem> {
        let over = |text: &str| max_length.and_then(|most| over(text, most));
        let answer = match (self.choice.other, self.sent_other()) {
            (_, None) if self.has_files() && self.asked.to_rank == 0 => None,
            (true, None) => Some(Problem::OtherBlank),
            (true, Some(text)) => match over(text) {
                Some(over) => Some(Problem::OtherTooLong { over }),
                None => self.asked.flaw(text),
            },
            (false, _) if self.skipped.is_none() && (1..self.asked.to_rank).contains(&self.choice.picks.len()) => {
                Some(Problem::Unranked)
            }
            (false, _) if self.skipped.is_some() || !self.choice.picks.is_empty() => None,
            (false, _) => Some(Problem::Unanswered),
        };
        let is_missing = self.skipped.is_none() && self.files.iter().any(|file| file.state != FileState::There);
        answer
            .or_else(|| is_missing.then_some(Problem::FilesMissing))
            .or_else(|| over(self.sent_note()?).map(|over| Problem::NoteTooLong { over }))
    }

    /// Returns true if the user has changed anything.
    pub(super) fn is_touched(&self) -> bool {
        let mut untouched = Self { kind: self.kind, asked: self.asked.clone(), ..Self::default() };
        untouched.type_default();
        *self != untouched
    }

    /// Applies the default of the question.
    pub(super) fn type_default(&mut self) {
        if let Some(pick) = self.asked.pick.clone() {
            self.choose(pick);
        }
        if let Some(default) = self.default_text().map(str::to_owned) {
            self.type_other(&default);
        }
    }

    fn default_text(&self) -> Option<&str> {
        self.asked.input.as_ref().filter(|input| input.is_typed())?.default.as_deref()
    }

    /// Returns true if discarding it would lose input.
    pub(super) fn is_dirty(&self) -> bool {
        let has_text = self.has_own_text() || !is_blank(&self.note);
        has_text || self.has_files() || self.skipped.is_some() || self.own_picks().next().is_some()
    }

    /// The chosen options, without the preselected one.
    pub(super) fn own_picks(&self) -> impl Iterator<Item = &Pick> {
        self.choice.picks.iter().filter(|pick| Some(*pick) != self.asked.pick.as_ref())
    }

    /// Returns true if the text was typed, and is not the default.
    pub(super) fn has_own_text(&self) -> bool {
        !is_blank(&self.other) && self.default_text() != Some(self.other.as_str())
    }

    /// Returns true if there is any input besides the free text.
    pub(super) fn is_more_than_text(&self) -> bool {
        !self.choice.picks.is_empty() || self.skipped.is_some() || self.has_files() || !is_blank(&self.note)
    }

    pub(super) fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    fn sent_files(&self) -> Vec<Attachment> {
        let is_sent = |file: &&DraftFile| self.skipped.is_none() && file.state == FileState::There;
        self.files.iter().filter(is_sent).map(|file| file.file.clone()).collect()
    }

    /// Unchooses a free-text answer that has neither text nor files.
    pub(super) fn forget_empty_answer(&mut self) {
        if self.choice.other && is_blank(&self.other) && !self.has_files() {
            self.choice.give_back();
        }
    }

    /// The selection for the reply.
    pub(super) fn selection(&self, question: usize) -> Selection {
        let mut selection = Selection::picked(question, self.choice.options().collect::<Vec<_>>());
        selection.other = self.sent_other().map(str::to_owned);
        selection.note = self.sent_note().map(str::to_owned);
        selection.attachments = self.sent_files();
        selection.skipped = self.skipped.is_some();
        selection
    }

    pub(super) fn choose(&mut self, pick: Pick) {
        self.skipped = None;
        let choice = &mut self.choice;
        match self.kind {
            Some(ChoiceKind::Multi) => choice.picks.insert(pick),
            Some(ChoiceKind::Ranked) => choice.picks.push(pick),
            Some(ChoiceKind::Single) | None => {
                *choice = Choice { picks: Picks::of(pick), ..Choice::default() };
            }
        }
    }

    pub(super) fn toggle(&mut self, pick: Pick) {
        match (self.kind, self.choice.picks.place(pick.option)) {
            (Some(ChoiceKind::Multi | ChoiceKind::Ranked), Some(position)) => drop(self.choice.picks.remove(position)),
            _ => self.choose(pick),
        }
    }

    /// Chooses the free-text answer; in a single choice it replaces the option.
    pub(crate) fn choose_other(&mut self) {
        self.skipped = None;
        if self.kind == Some(ChoiceKind::Single) && !self.choice.other {
            self.choice.before_other = self.choice.picks.pop();
        }
        self.choice.other = true;
    }

    /// Chooses the free-text answer, or removes it if several may be chosen; its text stays.
    pub(crate) fn toggle_other(&mut self) {
        match self.kind {
            Some(ChoiceKind::Multi) if self.choice.other => self.choice.other = false,
            _ => self.choose_other(),
        }
    }

    pub(super) fn type_other(&mut self, text: &str) {
        let had_text = !is_blank(&self.other);
        text.clone_into(&mut self.other);
        match is_blank(text) {
            false => self.choose_other(),
            true if had_text => self.forget_empty_answer(),
            true => {}
        }
    }

    pub(crate) fn skip(&mut self) {
        if self.skipped.is_none() {
            self.skipped = Some(std::mem::take(&mut self.choice));
        }
    }

    /// Skips the question, or undoes that and restores the earlier choice. Choosing or typing an answer undoes it too.
    pub(crate) fn toggle_skip(&mut self) {
        match self.skipped.take() {
            Some(before) => self.choice = before,
            None => self.skip(),
        }
    }

    pub(super) fn become_kind(&mut self, kind: ChoiceKind) {
        self.kind = Some(kind);
        self.choice.become_kind(kind);
        if let Some(choice) = &mut self.skipped {
            choice.become_kind(kind);
        }
    }

    pub(super) fn follow_labels(&mut self, labels: &[&str]) {
        let is_ranked = self.kind == Some(ChoiceKind::Ranked);
        self.choice.follow_labels(labels, is_ranked);
        if let Some(choice) = &mut self.skipped {
            choice.follow_labels(labels, is_ranked);
        }
    }

    /// The free text as it is sent: without trailing line breaks.
    fn sent_other(&self) -> Option<&str> {
        let is_sent = self.choice.other && !is_blank(&self.other);
        is_sent.then(|| without_last_breaks(&self.other))
    }

    fn sent_note(&self) -> Option<&str> {
        (!is_blank(&self.note)).then(|| without_last_breaks(&self.note))
    }
}

impl Choice {
    /// The indexes of the chosen options, in their order.
    pub(super) fn options(&self) -> impl Iterator<Item = usize> + '_ {
        self.picks.iter().map(|pick| pick.option)
    }

    fn give_back(&mut self) {
        self.other = false;
        if let Some(pick) = self.before_other.take() {
            self.picks = Picks::of(pick);
        }
    }

    fn become_kind(&mut self, kind: ChoiceKind) {
        match kind {
            ChoiceKind::Single => {
                // None of several picks is the only one; choosing among them would put words into the user's mouth.
                if self.picks.len() > 1 {
                    self.picks = Picks::default();
                }
                if !self.picks.is_empty() {
                    self.other = false;
                }
            }
            ChoiceKind::Multi => self.before_other = None,
            ChoiceKind::Ranked => (self.before_other, self.other) = (None, false),
        }
    }

    fn follow_labels(&mut self, labels: &[&str], is_ranked: bool) {
        for mut pick in std::mem::take(&mut self.picks).into_vec() {
            if pick.follow(labels) {
                match is_ranked {
                    true => self.picks.push(pick),
                    false => self.picks.insert(pick),
                }
            }
        }
        if let Some(pick) = &mut self.before_other
            && !pick.follow(labels)
        {
            self.before_other = None;
        }
    }
}

/// The number of characters (Unicode scalar values) above the limit; `None` if the text fits.
pub(super) fn over(text: &str, most: usize) -> Option<usize> {
    // A text has at least as many bytes as characters, so a short one need not be counted.
    if text.len() <= most {
        return None;
    }
    let begins = |byte: &u8| *byte & 0xc0 != 0x80;
    text.bytes().filter(begins).count().checked_sub(most).filter(|over| *over > 0)
}

fn without_last_breaks(text: &str) -> &str {
    text.trim_end_matches(['\n', '\r'])
}

/// How many options of a question may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChoiceKind {
    /// Exactly one, or a free text.
    Single,
    /// Any number, and a free text beside them.
    Multi,
    /// All, in the order in which they are chosen.
    Ranked,
}

impl ChoiceKind {
    /// The kind of a question by its `multiSelect`, unless it asks for something else than a choice.
    #[must_use]
    pub fn of(multi_select: bool, input: Option<&Input>) -> Self {
        match multi_select {
            _ if input.is_some_and(|input| input.kind == InputKind::Rank) => Self::Ranked,
            true => Self::Multi,
            false => Self::Single,
        }
    }
}

/// The reason why a question cannot be sent as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Problem {
    /// No answer is chosen.
    Unanswered,
    /// "Other" is chosen and its text is blank.
    OtherBlank,
    /// Not all options are ranked.
    Unranked,
    /// The typed text is not of the kind that the question asks for.
    Flawed(Flaw),
    /// The free text is too long.
    OtherTooLong {
        /// The number of characters beyond the limit.
        over: usize,
    },
    /// A file is still being uploaded, or its upload failed.
    FilesMissing,
    /// The note is too long.
    NoteTooLong {
        /// The number of characters beyond the limit.
        over: usize,
    },
}

impl Problem {
    /// Returns true if there is no answer yet, rather than one that is too long.
    #[must_use]
    pub fn is_missing(self) -> bool {
        matches!(self, Self::Unanswered | Self::Unranked | Self::OtherBlank)
    }

    /// The field in which the problem can be solved: a free text answers a choice, too.
    #[must_use]
    pub fn field(self) -> Field {
        match self {
            Self::NoteTooLong { .. } => Field::Note,
            _ => Field::Other,
        }
    }
}

/// A field for typed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// The free-text answer.
    Other,
    /// The note.
    Note,
}

impl Field {
    /// The control of this field in a question.
    #[must_use]
    pub fn control(self, question: usize) -> Control {
        match self {
            Self::Other => Control::OtherText { question },
            Self::Note => Control::Note { question },
        }
    }

    /// The question and the field of a control; `None` if it is no text field of a question.
    #[must_use]
    pub fn of(control: Control) -> Option<(usize, Self)> {
        match control {
            Control::OtherText { question } => Some((question, Self::Other)),
            Control::Note { question } => Some((question, Self::Note)),
            _ => None,
        }
    }
}
