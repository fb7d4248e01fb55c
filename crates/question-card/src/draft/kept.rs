//! Stored drafts: the parts that wait for their questions to be complete, and the format of the storage.
//!
//! A stored draft is a sequence of fields, each its length in bytes, a colon and its content. No field needs an escape, and a page that
//! reads no JSON needs no JSON parser for drafts.

use super::picks::{Pick, Picks};
use super::question::{AskedFor, Choice, QuestionDraft};
use super::{AnswerDraft, DraftFile, FileState};
use crate::labels::concat;
use ask_user_question::attachment::Attachment;
use ask_user_question::snapshot::QuestionSnapshot;
use ask_user_question::{AskSnapshot, Reply};
use json_tree::natural;

/// The first field: the version of the format.
const VERSION: &str = "2";
/// The most bytes of a text that is written or read: enough for the largest reply.
const MOST: usize = 2 << 20;
/// The longest URL of a file that is written, in bytes.
const LONGEST_URL: usize = 64 << 10;

/// The input of the user to an ask, question by question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoredDraft(Vec<StoredQuestion>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct StoredQuestion {
    index: usize,
    draft: QuestionDraft,
}

impl StoredDraft {
    /// The text to write under this key of a call; `None` if it would be too long.
    pub(crate) fn to_text(&self, key: &str) -> Option<String> {
        let mut text = String::new();
        put(&mut text, VERSION);
        put(&mut text, key);
        for StoredQuestion { index, draft } in &self.0 {
            put_number(&mut text, *index as u64);
            put(&mut text, &draft.asked.text.map(|asked| asked.to_string()).unwrap_or_default());
            put(&mut text, &draft.other);
            put(&mut text, &draft.note);
            put_choice(&mut text, &draft.choice);
            // A file whose bytes are in its URL is too large for the storage.
            let files = || draft.files.iter().filter(|file| file.file.url.len() <= LONGEST_URL);
            put_number(&mut text, files().count() as u64);
            for DraftFile { file, .. } in files() {
                for field in [&file.url, &file.name, &file.media_type] {
                    put(&mut text, field);
                }
                put_number(&mut text, file.size as u64);
            }
            put_number(&mut text, draft.skipped.is_some().into());
            if let Some(before) = &draft.skipped {
                put_choice(&mut text, before);
            }
        }
        (text.len() <= MOST).then_some(text)
    }

    /// Reads a text that was written under this key; `None` for any other text.
    pub(crate) fn from_text(key: &str, text: &str) -> Option<Self> {
        let mut fields = Fields(text);
        if text.len() > MOST || fields.next()? != VERSION || fields.next()? != key {
            return None;
        }
        let mut kept = Vec::new();
        while !fields.0.is_empty() {
            kept.push(fields.question()?);
        }
        Some(Self(kept))
    }
}

impl From<&Reply> for StoredDraft {
    fn from(reply: &Reply) -> Self {
        let mut questions = Vec::new();
        for answer in reply.answers() {
            let typed = answer.given.typed();
            let mut draft = QuestionDraft {
                other: typed.as_deref().unwrap_or_default().to_owned(),
                note: answer.note.clone().unwrap_or_default(),
                skipped: answer.given.is_skipped().then(Choice::default),
                ..QuestionDraft::default()
            };
            draft.choice.other = typed.is_some();
            for selected in answer.given.options() {
                draft.choice.picks.push(Pick { option: selected.index, label: selected.label.clone() });
            }
            for file in &answer.attachments {
                draft.files.push(DraftFile::there(file.clone()));
            }
            questions.push(StoredQuestion { index: answer.index, draft });
        }
        Self(questions)
    }
}

impl AnswerDraft {
    /// The draft to store; `None` if the user has not changed anything.
    pub(crate) fn kept(&self) -> Option<StoredDraft> {
        let mut all = Vec::new();
        for (index, draft) in self.questions.iter().enumerate() {
            if draft.is_touched() {
                all.push(StoredQuestion {
                    index,
                    draft: QuestionDraft {
                        kind: None,
                        asked: AskedFor { text: draft.asked.text, ..AskedFor::default() },
                        // Only uploaded files are stored: the browser does not keep the bytes of the others.
                        files: draft.files.iter().filter(|file| file.state == FileState::There).cloned().collect(),
                        ..draft.clone()
                    },
                });
            }
        }
        all.extend_from_slice(&self.waiting.0);
        (!all.is_empty()).then_some(StoredDraft(all))
    }

    /// Restores a stored draft. Each part waits for its question to be complete, because only then can it be checked.
    pub(crate) fn restore(&mut self, kept: StoredDraft) {
        self.waiting.0.extend(kept.0);
    }

    /// Returns true if a stored part still waits for its question.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.waiting.0.is_empty()
    }

    /// Restores the parts whose questions are complete; all parts if no more arrives. Returns the indexes of the questions.
    ///
    /// Choices that the user made since are kept, and the stored texts join them. A part is dropped if its question is another one or its
    /// options are gone.
    pub(crate) fn take_up(&mut self, ask: &AskSnapshot, no_more: bool) -> Vec<usize> {
        // A text could be typed even if no question could be read.
        let count = ask.questions.len().max(1);
        let mut taken = Vec::new();
        for mut kept in std::mem::take(&mut self.waiting.0) {
            let asked = ask.questions.get(kept.index);
            if !no_more && !asked.is_some_and(|asked| asked.closed) {
                self.waiting.0.push(kept);
                continue;
            }
            let first_key = self.next_file();
            kept.draft.files.iter_mut().zip(first_key..).for_each(|(file, key)| file.key = key);
            let current = (kept.index < count).then(|| self.grow(kept.index));
            let Some(current) = current.filter(|current| is_same(kept.draft.asked.text, current.asked.text)) else {
                continue;
            };
            if current.is_touched() {
                for (text, before) in [(&mut current.other, kept.draft.other), (&mut current.note, kept.draft.note)] {
                    if text.is_empty() {
                        *text = before;
                    }
                }
                if current.files.is_empty() {
                    current.files = kept.draft.files;
                }
            } else {
                let kind = current.kind;
                *current = QuestionDraft { kind, asked: std::mem::take(&mut current.asked), ..kept.draft };
                current.follow_labels(&labels(asked));
                if let Some(kind) = kind {
                    current.become_kind(kind);
                }
            }
            taken.push(kept.index);
        }
        self.revision += taken.len();
        taken
    }
}

/// Returns true if two questions may be the same, by hash. An incomplete question has no hash, and may be any.
fn is_same(one: Option<u64>, other: Option<u64>) -> bool {
    one.is_none() || other.is_none() || one == other
}

fn labels(asked: Option<&QuestionSnapshot>) -> Vec<&str> {
    let mut labels = Vec::new();
    for option in asked.map_or(&[][..], |asked| &asked.options) {
        labels.push(option.label.text.as_str());
    }
    labels
}

fn put_choice(text: &mut String, choice: &Choice) {
    put_number(text, choice.other.into());
    let before = choice.before_other.as_slice();
    for picks in [&choice.picks, before] {
        put_number(text, picks.len() as u64);
        for pick in picks {
            put_number(text, pick.option as u64);
            put(text, &pick.label);
        }
    }
}

fn put_number(text: &mut String, number: u64) {
    put(text, &number.to_string());
}

fn put(text: &mut String, field: &str) {
    *text += &concat(&[&field.len().to_string(), ":", field]);
}

/// The fields of a text that are not read yet.
struct Fields<'a>(&'a str);

impl<'a> Fields<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let colon = self.0.bytes().position(|byte| byte == b':')?;
        let (length, rest) = self.0.split_at_checked(colon)?;
        let (field, rest) = rest.get(1..)?.split_at_checked(natural(length)?.try_into().ok()?)?;
        self.0 = rest;
        Some(field)
    }

    fn text(&mut self) -> Option<String> {
        self.next().map(str::to_owned)
    }

    fn number(&mut self) -> Option<usize> {
        natural(self.next()?)?.try_into().ok()
    }

    fn flag(&mut self) -> Option<bool> {
        self.number().map(|flag| flag == 1)
    }

    fn question(&mut self) -> Option<StoredQuestion> {
        let index = self.number()?;
        let mut draft = QuestionDraft {
            asked: AskedFor { text: natural(self.next()?), ..AskedFor::default() },
            other: self.text()?,
            note: self.text()?,
            choice: self.choice()?,
            ..QuestionDraft::default()
        };
        for _ in 0..self.number()? {
            let (url, name, media_type) = (self.text()?, self.text()?, self.text()?);
            draft.files.push(DraftFile::there(Attachment { url, name, media_type, size: self.number()? }));
        }
        if self.flag()? {
            draft.skipped = Some(self.choice()?);
            draft.choice = Choice::default();
        }
        Some(StoredQuestion { index, draft })
    }

    fn choice(&mut self) -> Option<Choice> {
        Some(Choice { other: self.flag()?, picks: self.picks()?, before_other: self.picks()?.pop() })
    }

    fn picks(&mut self) -> Option<Picks> {
        let mut picks = Picks::default();
        for _ in 0..self.number()? {
            picks.push(Pick { option: self.number()?, label: self.text()? });
        }
        Some(picks)
    }
}
