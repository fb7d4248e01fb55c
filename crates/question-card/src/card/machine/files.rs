//! Files that the user adds to an answer.

use super::{Card, Do};
use crate::draft::FileState;
use crate::labels::{Word, isolate};
use ask_user_question::attachment::{Attachment, FileFlaw, FileLimits};
use ask_user_question::input::InputKind;
use ask_user_question::snapshot::QuestionSnapshot;
use ask_user_question::text::joined;

/// What happened to the files of an answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FileInput {
    /// The user added these files to a question. They are not uploaded yet.
    Added(usize, Vec<Attachment>),
    /// This percentage of the file with this key is uploaded.
    Progress(usize, usize),
    /// The upload of the file with this key has ended, with the attachment or the reason of the failure.
    Uploaded(usize, Result<Attachment, String>),
    /// The user removes the file of a question.
    Removed(usize, usize),
    /// The user retries the upload of the file with this key.
    Again(usize),
    /// The host asks for the files of this question, to send them itself. If one is not uploaded, the card shows a [flaw](Card::file_flaw).
    Wanted(usize),
    /// The host has sent the files of this question.
    Sent(usize),
}

/// Returns true if files can answer a question: it asks for no number, date or order.
#[must_use]
pub fn takes_files(asked: &QuestionSnapshot) -> bool {
    asked.input.as_ref().is_none_or(|input| matches!(input.kind, InputKind::Text | InputKind::Lines))
}

/// Handles an input about files, for [`Card::take`]. A page without files does not carry this code.
pub fn take_file(card: &mut Card, limits: &FileLimits, input: FileInput) {
    match input {
        FileInput::Uploaded(key, result) => return uploaded(card, key, result),
        FileInput::Progress(key, percent) => {
            if let Some((_, file)) = card.draft.file_mut(key)
                && let FileState::Going(sent) = &mut file.state
            {
                *sent = percent;
            }
            return;
        }
        _ => {}
    }
    if !card.takes_changes() {
        return;
    }
    card.file_flaw = None;
    match input {
        FileInput::Added(question, files) => {
            for (nth, file) in files.into_iter().enumerate() {
                match limits.check(card.draft.file_count(), &file.media_type, file.size) {
                    Err(flaw) => {
                        let text = flaw_text(card, limits, flaw, &file.name);
                        card.set_file_flaw(question, text);
                    }
                    Ok(()) => {
                        if let Some(key) = card.draft.add_file(question, file) {
                            card.plan(Do::Upload(key, Some(nth)));
                        }
                    }
                }
            }
        }
        FileInput::Removed(question, key) => card.draft.remove_files(question, |file| file.key == key),
        FileInput::Again(key) => {
            if let Some((_, file)) = card.draft.file_mut(key) {
                file.state = FileState::Going(0);
                card.plan(Do::Upload(key, None));
            }
        }
        FileInput::Wanted(question) => {
            if card.draft.files(question).iter().any(|file| file.state != FileState::There) {
                card.set_file_flaw(question, card.files_missing(question));
            }
        }
        FileInput::Sent(question) => card.draft.remove_files(question, |_| true),
        FileInput::Progress(..) | FileInput::Uploaded(..) => {}
    }
    card.settle_change();
}

fn uploaded(card: &mut Card, key: usize, result: Result<Attachment, String>) {
    let was_wanted = card.file_flaw.as_ref().is_some_and(|(of, flaw)| *flaw == card.files_missing(*of));
    let Some((_, file)) = card.draft.file_mut(key) else { return };
    let (word, reason) = match result {
        Ok(there) => {
            (file.file, file.state) = (there, FileState::There);
            (Word::FileAdded, String::new())
        }
        Err(reason) => {
            file.state = FileState::Failed(reason.clone());
            (Word::FileFailed, reason)
        }
    };
    let name = isolate(&file.file.name);
    card.file_flaw.take_if(|_| was_wanted);
    card.say(card.labels.filled(word, &[("name", &name), ("reason", &reason)]));
}

fn flaw_text(card: &Card, limits: &FileLimits, flaw: FileFlaw, name: &str) -> String {
    let labels = &card.labels;
    let name = isolate(name);
    match flaw {
        FileFlaw::TooMany => labels.plural(Word::FilesTooMany, limits.count, &[]),
        FileFlaw::Empty => labels.filled(Word::FileEmpty, &[("name", &name)]),
        FileFlaw::TooLarge => {
            labels.filled(Word::FileTooLarge, &[("name", &name), ("size", &labels.size(limits.bytes))])
        }
        _ => labels.filled(Word::FileWrongType, &[("name", &name), ("types", &types_text(card, limits))]),
    }
}

fn types_text(card: &Card, limits: &FileLimits) -> String {
    let names: Vec<_> = limits.type_names().iter().map(|name| isolate(name)).collect();
    joined(&names, card.labels.text(Word::List))
}

impl Card {
    /// The limits in words, which are said before a file is chosen.
    #[must_use]
    pub fn limits_text(&self, limits: &FileLimits) -> String {
        let (size, types) = (self.labels.size(limits.bytes), types_text(self, limits));
        self.labels.plural(Word::FileLimits, limits.count, &[("size", &size), ("types", &types)])
    }

    /// The reason why the file that was last added to this question was not accepted.
    #[must_use]
    pub fn file_flaw(&self, question: usize) -> Option<&str> {
        self.file_flaw.as_ref().filter(|(of, _)| *of == question).map(|(_, text)| text.as_str())
    }

    fn set_file_flaw(&mut self, question: usize, text: String) {
        self.say(text.clone());
        self.file_flaw = Some((question, text));
    }

    pub(super) fn files_missing(&self, question: usize) -> String {
        let has_failed = self.draft.files(question).iter().any(|file| matches!(file.state, FileState::Failed(_)));
        self.labels.text(if has_failed { Word::ErrorFiles } else { Word::FilesGoing }).to_owned()
    }
}
