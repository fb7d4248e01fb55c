//! The files of an unfinished answer.

use super::{AnswerDraft, DraftFile, FileState};
use ask_user_question::attachment::Attachment;

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
