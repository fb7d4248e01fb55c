//! The files of an unfinished answer.

use super::AnswerDraft;
use ask_user_question::attachment::Attachment;

/// A file that the user added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftFile {
    /// Its number in the draft, which stays.
    pub key: usize,
    /// The file; without an address until it is there.
    pub file: Attachment,
    /// How far it is.
    pub state: FileState,
}

impl DraftFile {
    /// A file that can be sent, before it has a number.
    pub(super) fn there(file: Attachment) -> Self {
        Self { key: 0, file, state: FileState::There }
    }
}

/// The state of a file that the user added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// The host has it, has sent this percentage of it, and has not said what became of it.
    Going(usize),
    /// It can be sent.
    There,
    /// The host could not take it, for this reason.
    Failed(String),
}

impl AnswerDraft {
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
    pub(super) fn next_file(&self) -> usize {
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
}
