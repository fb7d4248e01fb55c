//! The user's choices and text so far, with the rules of choosing. Independent of the browser.

mod files;
mod kept;
mod picks;
mod question;

pub use self::files::{DraftFile, FileState};
pub(crate) use self::kept::StoredDraft;
use self::picks::Pick;
pub(crate) use self::question::QuestionDraft;
use self::question::{AskedFor, over};
pub use self::question::{ChoiceKind, Field, Problem};
use ask_user_question::AskUserQuestion;
use ask_user_question::attachment::Attachment;
use ask_user_question::input::Input;
use ask_user_question::reply::Selection;
use ask_user_question::text::{is_blank, joined};

/// The unfinished answer to one ask.
///
/// The card's machine writes it, from the stream, from storage and from the user; a view reads it.
///
/// A question whose [`ChoiceKind`] is not known yet cannot be answered: input of the user changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerDraft {
    questions: Vec<QuestionDraft>,
    /// The limit of each typed text, in characters (Unicode scalar values).
    max_length: Option<usize>,
    /// Parts of a stored draft that wait for their questions to be complete.
    waiting: StoredDraft,
    revision: usize,
}

/// The distance of a typed text from the limit, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Remaining {
    /// This number of characters may still be typed.
    Left(usize),
    /// The text is this number of characters too long.
    Over(usize),
}

impl AnswerDraft {
    /// Sets the limit of each typed text, in characters (Unicode scalar values). A text that is already longer is kept.
    pub(crate) fn limit(&mut self, max_length: Option<usize>) {
        self.max_length = max_length;
    }

    /// Returns true if an option is chosen, by the indexes of question and option.
    #[must_use]
    pub fn is_chosen(&self, question: usize, option: usize) -> bool {
        self.question(question).is_some_and(|draft| draft.choice.picks.place(option).is_some())
    }

    /// The first chosen option of a question; `None` if no option is chosen.
    #[must_use]
    pub fn chosen(&self, question: usize) -> Option<usize> {
        Some(self.question(question)?.choice.picks.first()?.option)
    }

    /// The number of chosen options of a question.
    #[must_use]
    pub fn chosen_count(&self, question: usize) -> usize {
        self.question(question).map_or(0, |draft| draft.choice.picks.len())
    }

    /// Returns true if the free-text answer of a question is chosen.
    #[must_use]
    pub fn is_other_chosen(&self, question: usize) -> bool {
        self.question(question).is_some_and(|draft| draft.choice.other)
    }

    /// Returns true if the free-text field holds a text that is not part of the answer.
    #[must_use]
    pub fn is_other_unsent(&self, question: usize) -> bool {
        self.question(question).is_some_and(|draft| !draft.choice.other && !is_blank(&draft.other))
    }

    /// The content of a text field, as typed.
    #[must_use]
    pub fn text(&self, question: usize, field: Field) -> &str {
        self.question(question).map_or("", |draft| match field {
            Field::Other => &draft.other,
            Field::Note => &draft.note,
        })
    }

    /// Returns true if a question is skipped.
    #[must_use]
    pub fn is_skipped(&self, question: usize) -> bool {
        self.question(question).is_some_and(|draft| draft.skipped.is_some())
    }

    /// Returns true if the length of typed texts is limited.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.max_length.is_some()
    }

    /// The distance of a field's content from the limit; `None` without a limit.
    #[must_use]
    pub fn room(&self, question: usize, field: Field) -> Option<Remaining> {
        let most = self.max_length?;
        let text = self.text(question, field);
        Some(match over(text, most) {
            Some(over) => Remaining::Over(over),
            None => Remaining::Left(most - text.chars().count()),
        })
    }

    /// The problem that keeps this question from being sent; `None` if it can be sent.
    #[must_use]
    pub fn problem(&self, question: usize) -> Option<Problem> {
        self.question(question).map_or(Some(Problem::Unanswered), |draft| draft.problem(self.max_length))
    }

    /// The problems that keep the first `count` questions from being sent, in order.
    #[must_use]
    pub fn problems(&self, count: usize) -> Vec<(usize, Problem)> {
        let mut problems = Vec::new();
        for question in 0..count {
            if let Some(problem) = self.problem(question) {
                problems.push((question, problem));
            }
        }
        problems
    }

    /// Returns true if discarding the draft would lose input of the user.
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        self.questions.iter().any(QuestionDraft::is_dirty)
    }

    /// The selections of the reply: one for each question with any input.
    #[must_use]
    pub fn selections(&self) -> Vec<Selection> {
        let mut selections = Vec::new();
        for question in 0..self.questions.len() {
            selections.extend(self.selection(question));
        }
        selections
    }

    /// The parts of the answer and of the note that are not in `sent`. `list` separates labels and text in the answer.
    pub(crate) fn left_over(
        &self,
        question: usize,
        sent: Option<&Selection>,
        list: &str,
    ) -> (Option<String>, Option<String>) {
        let (Some(draft), own) = (self.question(question), self.selection(question)) else {
            return (None, None);
        };
        let nothing = Selection::default();
        let (own, sent) = (own.unwrap_or_default(), sent.unwrap_or(&nothing));
        let answer_sent = own.selected == sent.selected && own.other == sent.other && own.skipped == sent.skipped;
        let note_sent = own.note == sent.note;
        let text_sent = answer_sent && draft.choice.other;
        let mut parts = Vec::new();
        if !answer_sent {
            parts.extend(draft.own_picks().map(|pick| pick.label.as_str()));
        }
        if !text_sent && draft.has_own_text() {
            parts.push(&draft.other);
        }
        // Those too that were still being uploaded.
        let files = draft.files.iter().map(|file| &file.file).filter(|file| !sent.attachments.contains(file));
        parts.extend(files.map(|file| file.name.as_str()));
        let note_left = !note_sent && !is_blank(&draft.note);
        ((!parts.is_empty()).then(|| joined(&parts, list)), note_left.then(|| draft.note.clone()))
    }

    /// Changes whenever choices, texts or files change.
    pub(crate) fn revision(&self) -> usize {
        self.revision
    }

    pub(crate) fn known(&self) -> usize {
        self.questions.len()
    }

    /// The kind of a question, once known.
    #[must_use]
    pub fn kind(&self, question: usize) -> Option<ChoiceKind> {
        self.question(question)?.kind
    }

    /// What a question asks for instead of a choice; `None` for a choice, or until the ask is complete.
    #[must_use]
    pub fn input(&self, question: usize) -> Option<&Input> {
        self.question(question)?.asked.input.as_ref()
    }

    /// The rank of an option, from 1 on; `None` without a rank, or if the question is no ranking.
    #[must_use]
    pub fn rank(&self, question: usize, option: usize) -> Option<usize> {
        let draft = self.question(question).filter(|draft| draft.kind == Some(ChoiceKind::Ranked))?;
        Some(draft.choice.picks.place(option)? + 1)
    }

    /// The option to show at a place (from 0 on) among `count` options: in the order of the ranking once every option has a rank. Until
    /// then it is the order of the ask, so that no row moves while the user ranks.
    #[must_use]
    pub fn option_at(&self, question: usize, place: usize, count: usize) -> usize {
        let draft = self.question(question).filter(|draft| draft.kind == Some(ChoiceKind::Ranked));
        let picks = draft.map(|draft| &draft.choice.picks).filter(|picks| picks.len() == count);
        picks.and_then(|picks| picks.get(place)).map_or(place, |pick| pick.option)
    }

    /// Sets the kind of a question. If it changes after a choice, only what fits the new kind is kept.
    pub(crate) fn know(&mut self, question: usize, kind: ChoiceKind) {
        self.grow(question).become_kind(kind);
    }

    /// Records the complete text of a question.
    pub(crate) fn know_text(&mut self, question: usize, text: &str) {
        let asked = &mut self.grow(question).asked;
        if asked.text.is_none() {
            asked.know_text(text);
        }
    }

    /// Updates the draft to the complete ask: a pick follows its label, and is dropped if no option has the label. Returns true if the
    /// draft changed.
    pub(crate) fn reconcile(&mut self, ask: &AskUserQuestion) -> bool {
        let before = self.questions.clone();
        self.questions.truncate(ask.questions.len());
        for (index, question) in ask.questions.iter().enumerate() {
            let draft = self.grow(index);
            let labels: Vec<&str> = question.options.iter().map(|option| option.label.as_str()).collect();
            let is_touched = draft.is_touched();
            draft.asked = AskedFor::of(question);
            draft.become_kind(ChoiceKind::of(question.multi_select, question.input.as_ref()));
            draft.follow_labels(&labels);
            if !is_touched {
                draft.type_default();
            }
        }
        let is_changed = self.questions != before;
        self.revision += usize::from(is_changed);
        is_changed
    }

    /// Chooses an option instead of another one; if several may be chosen, adds or removes it.
    pub(crate) fn toggle(&mut self, question: usize, option: usize, label: &str) {
        if let Some(draft) = self.question_mut(question) {
            draft.toggle(Pick { option, label: label.to_owned() });
        }
    }

    /// Moves an option to another rank, from 1 on. Returns false if there is no such rank, or the option has it already.
    pub(crate) fn shift(&mut self, question: usize, option: usize, to: usize) -> bool {
        let Some(place) = self.rank(question, option).filter(|place| *place != to) else {
            return false;
        };
        let picks = &mut self.questions[question].choice.picks;
        let is_there = (1..=picks.len()).contains(&to);
        if is_there {
            self.revision += 1;
            picks.shift(place - 1, to - 1);
        }
        is_there
    }

    /// Changes the draft of a question by one of its methods. Does nothing until the kind of the question is known.
    pub(crate) fn change(&mut self, question: usize, act: fn(&mut QuestionDraft)) {
        if let Some(draft) = self.question_mut(question) {
            act(draft);
        }
    }

    /// Stores the content of a text field. In the free-text field, a text chooses the free-text answer, and clearing it undoes that. A note
    /// is no answer.
    pub(crate) fn type_text(&mut self, question: usize, field: Field, text: &str) {
        if let Some(draft) = self.question_mut(question) {
            match field {
                Field::Other => draft.type_other(text),
                Field::Note => text.clone_into(&mut draft.note),
            }
        }
    }

    /// Undoes a skip, and restores the earlier choice.
    pub(crate) fn unskip(&mut self, question: usize) {
        if self.is_skipped(question) {
            self.change(question, QuestionDraft::toggle_skip);
        }
    }

    /// Returns true if there is any input besides a free text for the first question.
    pub(crate) fn is_more_than_text(&self) -> bool {
        let mut questions = self.questions.iter();
        questions.next().is_some_and(QuestionDraft::is_more_than_text) || questions.any(QuestionDraft::is_dirty)
    }

    pub(crate) fn has_note(&self) -> bool {
        self.questions.iter().any(|draft| !draft.note.is_empty())
    }

    /// Replaces all answers by one free text: the message about an ask that cannot be read.
    pub(crate) fn become_message(&mut self, text: &str) {
        self.forget();
        self.grow(0).asked = AskedFor::default();
        self.know(0, ChoiceKind::Single);
        self.type_text(0, Field::Other, text);
    }

    /// Discards all input of the user, and keeps what is known of the questions.
    pub(crate) fn forget(&mut self) {
        self.revision += 1;
        self.waiting = StoredDraft::default();
        for draft in &mut self.questions {
            *draft =
                QuestionDraft { kind: draft.kind, asked: std::mem::take(&mut draft.asked), ..QuestionDraft::default() };
        }
    }

    /// The files of a question, in the order in which they were added.
    #[must_use]
    pub fn files(&self, question: usize) -> &[DraftFile] {
        self.question(question).map_or(&[], |draft| &draft.files)
    }

    pub(crate) fn file_count(&self) -> usize {
        self.questions.iter().map(|draft| draft.files.len()).sum()
    }

    pub(crate) fn has_file(&self, key: usize) -> bool {
        self.questions.iter().flat_map(|draft| &draft.files).any(|file| file.key == key)
    }

    /// A key that no file of the draft has. The key of a removed file may be given again.
    fn next_file(&self) -> usize {
        self.questions.iter().flat_map(|draft| &draft.files).map(|file| file.key + 1).max().unwrap_or(0)
    }

    /// Adds a file that is being uploaded, and returns its key. Beside a choice, it is sent along; alone, it is the answer.
    pub(crate) fn add_file(&mut self, question: usize, file: Attachment) -> Option<usize> {
        let key = self.next_file();
        let draft = self.question_mut(question)?;
        if draft.choice.picks.is_empty() {
            draft.choose_other();
        }
        draft.files.push(DraftFile { key, file, state: FileState::Going(0) });
        Some(key)
    }

    /// The file of this key, with its question.
    pub(crate) fn file_mut(&mut self, key: usize) -> Option<(usize, &mut DraftFile)> {
        self.revision += 1;
        let files = self.questions.iter_mut().enumerate();
        files
            .flat_map(|(at, draft)| draft.files.iter_mut().map(move |file| (at, file)))
            .find(|(_, file)| file.key == key)
    }

    /// Removes the files for which `is_it` returns true. A blank free text is then no answer any more.
    pub(crate) fn remove_files(&mut self, question: usize, is_it: impl Fn(&DraftFile) -> bool) {
        if let Some(draft) = self.question_mut(question) {
            draft.files.retain(|file| !is_it(file));
            draft.forget_empty_answer();
        }
    }

    fn selection(&self, question: usize) -> Option<Selection> {
        let selection = self.question(question)?.selection(question);
        let says_something = selection.says_something()
            || selection.note.is_some()
            || !selection.attachments.is_empty()
            || selection.skipped;
        says_something.then_some(selection)
    }

    fn question(&self, index: usize) -> Option<&QuestionDraft> {
        self.questions.get(index)
    }

    fn question_mut(&mut self, index: usize) -> Option<&mut QuestionDraft> {
        let question = self.questions.get_mut(index).filter(|draft| draft.kind.is_some())?;
        self.revision += 1;
        Some(question)
    }

    fn grow(&mut self, index: usize) -> &mut QuestionDraft {
        if self.questions.len() <= index {
            self.questions.resize_with(index + 1, QuestionDraft::default);
        }
        &mut self.questions[index]
    }
}

#[cfg(test)]
mod tests;
