//! The user's choices and text so far, with every rule of choosing. It knows no browser.

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
    /// The most characters of each typed text.
    max_length: Option<usize>,
    /// The stored parts whose questions are not complete yet.
    waiting: StoredDraft,
    /// The number of changes so far.
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
    /// Sets the most characters (Unicode scalar values) of each typed text. A longer text stays.
    pub(crate) fn limit(&mut self, max_length: Option<usize>) {
        self.max_length = max_length;
    }

    /// Returns true if an option is chosen, by the indexes of question and option.
    #[must_use]
    pub fn is_chosen(&self, question: usize, option: usize) -> bool {
        self.question(question).is_some_and(|draft| draft.choice.picks.place(option).is_some())
    }

    /// The first chosen option of a question.
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

    /// The distance of a field's content from the limit, if there is one.
    #[must_use]
    pub fn room(&self, question: usize, field: Field) -> Option<Remaining> {
        let most = self.max_length?;
        let text = self.text(question, field);
        Some(match over(text, most) {
            Some(over) => Remaining::Over(over),
            None => Remaining::Left(most - text.chars().count()),
        })
    }

    /// The problem that keeps this question from being sent.
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

    /// Returns true if input would be lost with the draft.
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

    /// The answer and the note, as far as they are not in `sent`. The answer has `list` between labels and text.
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
        if own.attachments != sent.attachments {
            parts.extend(own.attachments.iter().map(|file| file.name.as_str()));
        }
        let note_left = !note_sent && !is_blank(&draft.note);
        ((!parts.is_empty()).then(|| joined(&parts, list)), note_left.then(|| draft.note.clone()))
    }

    /// A number that is another one after each change of choices, texts and files.
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

    /// What a question asks for instead of a choice, once it is complete.
    #[must_use]
    pub fn input(&self, question: usize) -> Option<&Input> {
        self.question(question)?.asked.input.as_ref()
    }

    /// The place of an option in a ranking, from 1 on.
    #[must_use]
    pub fn rank(&self, question: usize, option: usize) -> Option<usize> {
        let draft = self.question(question).filter(|draft| draft.kind == Some(ChoiceKind::Ranked))?;
        Some(draft.choice.picks.place(option)? + 1)
    }

    /// The option that stands at this place, from 0 on, of so many: that of the ranking once all of them have one. Nothing moves while they
    /// get it.
    #[must_use]
    pub fn option_at(&self, question: usize, place: usize, count: usize) -> usize {
        let draft = self.question(question).filter(|draft| draft.kind == Some(ChoiceKind::Ranked));
        let picks = draft.map(|draft| &draft.choice.picks).filter(|picks| picks.len() == count);
        picks.and_then(|picks| picks.get(place)).map_or(place, |pick| pick.option)
    }

    /// Takes over the kind of a question. If it changes after a choice, the part that fits the new kind stays.
    pub(crate) fn know(&mut self, question: usize, kind: ChoiceKind) {
        self.grow(question).become_kind(kind);
    }

    /// Takes over the text of a question, once it is complete.
    pub(crate) fn know_text(&mut self, question: usize, text: &str) {
        let asked = &mut self.grow(question).asked;
        if asked.text.is_none() {
            asked.know_text(text);
        }
    }

    /// Takes over the complete ask: a pick follows its label, and is dropped if the label is gone. Returns true if anything changed.
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

    /// Chooses an option, as a radio button does; if several may be chosen, adds or removes it.
    pub(crate) fn toggle(&mut self, question: usize, option: usize, label: &str) {
        if let Some(draft) = self.question_mut(question) {
            draft.toggle(Pick { option, label: label.to_owned() });
        }
    }

    /// Moves an option to another place of a ranking, from 1 on. Returns false if there is no such place.
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

    /// Changes the answer to a question by one of its methods, once its kind is known.
    pub(crate) fn change(&mut self, question: usize, act: fn(&mut QuestionDraft)) {
        if let Some(draft) = self.question_mut(question) {
            act(draft);
        }
    }

    /// Takes over the content of a text field. A text chooses the free-text answer; emptying it undoes that. A note is no answer.
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

    /// Returns true if it holds more than a free text for the first question.
    pub(crate) fn is_more_than_text(&self) -> bool {
        let mut questions = self.questions.iter();
        questions.next().is_some_and(QuestionDraft::is_more_than_text) || questions.any(QuestionDraft::is_dirty)
    }

    pub(crate) fn has_note(&self) -> bool {
        self.questions.iter().any(|draft| !draft.note.is_empty())
    }

    /// Replaces all answers by this one text, for an ask that cannot be answered.
    pub(crate) fn become_message(&mut self, text: &str) {
        self.forget();
        self.grow(0).asked = AskedFor::default();
        self.know(0, ChoiceKind::Single);
        self.type_text(0, Field::Other, text);
    }

    /// Forgets all input of the user.
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

    /// The number of files of all questions.
    pub(crate) fn file_count(&self) -> usize {
        self.questions.iter().map(|draft| draft.files.len()).sum()
    }

    /// Returns true if the file of this key is there.
    pub(crate) fn has_file(&self, key: usize) -> bool {
        self.questions.iter().flat_map(|draft| &draft.files).any(|file| file.key == key)
    }

    /// The key of the next file.
    fn next_file(&self) -> usize {
        self.questions.iter().flat_map(|draft| &draft.files).map(|file| file.key + 1).max().unwrap_or(0)
    }

    /// Adds a file that is on its way, and returns its key. Beside a choice it goes along; alone it is the answer.
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

    /// Removes these files. A free text that is blank is then no answer any more.
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
