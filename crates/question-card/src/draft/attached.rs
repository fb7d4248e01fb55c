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

    /// The key of the large files in the browser's storage, once there is one.
    pub(crate) fn files_at(&self) -> Option<u64> {
        self.waiting.files_at
    }

    /// Gives the large files this key, if they have none. One that is alone has its own: the key says when it is too old.
    pub(crate) fn store_files_at(&mut self, at: u64) {
        if self.files_at().is_none() || self.large_files().is_some_and(|all| all.len() == 1) {
            self.waiting.files_at = Some(at);
        }
    }

    /// Takes over the key of the large files of another draft: what is stored there is this draft's from now on.
    pub(crate) fn take_files_at(&mut self, other: &Self) {
        self.waiting.files_at = other.files_at().or(self.files_at());
    }

    /// The large files with their questions, which the text of the draft has no room for. `None` while some are still to be read.
    pub(crate) fn large_files(&self) -> Option<Vec<(usize, Attachment)>> {
        let mut large = Vec::new();
        let waiting = self.waiting.questions.iter().map(|kept| (kept.index, &kept.draft));
        for (question, draft) in self.questions.iter().enumerate().chain(waiting) {
            for file in &draft.files {
                match file.state {
                    FileState::Stored => return None,
                    _ if file.is_large() => large.push((question, file.file.clone())),
                    _ => {}
                }
            }
        }
        Some(large)
    }

    /// Takes up the large files that were stored, and removes those that are no longer there. Returns their questions and names.
    pub(crate) fn take_up_files(&mut self, mut found: Vec<(usize, Attachment)>) -> Vec<(usize, String)> {
        self.revision += 1;
        let mut gone = Vec::new();
        let waiting = self.waiting.questions.iter_mut().map(|kept| (kept.index, &mut kept.draft));
        for (question, draft) in self.questions.iter_mut().enumerate().chain(waiting) {
            let before = draft.files.len();
            draft.files.retain_mut(|file| {
                if file.state != FileState::Stored {
                    return true;
                }
                let is_it = |(of, there): &(usize, Attachment)| {
                    *of == question && there.name == file.file.name && there.size == file.file.size
                };
                let place = found.iter().position(is_it);
                match place {
                    Some(place) => (file.file, file.state) = (found.swap_remove(place).1, FileState::There),
                    None => gone.push((question, file.file.name.clone())),
                }
                place.is_some()
            });
            if draft.files.len() < before {
                draft.forget_empty_answer();
            }
        }
        gone
    }

    /// Removes these files. A free text that is blank is then no answer any more.
    pub(crate) fn remove_files(&mut self, question: usize, is_it: impl Fn(&DraftFile) -> bool) {
        if let Some(draft) = self.question_mut(question) {
            draft.files.retain(|file| !is_it(file));
            draft.forget_empty_answer();
        }
    }
}
