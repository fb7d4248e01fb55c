//! Stored drafts: the parts that wait for their questions to be complete, and their JSON in the storage.

use super::picks::{Pick, Picks};
use super::question::{AskedFor, Choice, QuestionDraft};
use super::{AnswerDraft, DraftFile, FileState};
use ask_user_question::attachment::Attachment;
use ask_user_question::snapshot::QuestionSnapshot;
use ask_user_question::{AskSnapshot, Reply};
use json_tree::Json;

/// The version of the text's format; other versions are not read.
const VERSION: usize = 1;
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
        let mut questions = Vec::new();
        for question in &self.0 {
            questions.push(write_question(question));
        }
        let kept = Json::object([("v", VERSION.into()), ("call", key.into()), ("questions", Json::List(questions))]);
        let mut text = String::new();
        kept.write(&mut text);
        (text.len() <= MOST).then_some(text)
    }

    /// Reads a text that was written under this key; `None` for any other text.
    pub(crate) fn from_text(key: &str, text: &str) -> Option<Self> {
        if text.len() > MOST {
            return None;
        }
        let value = Json::parse(text).ok()?;
        let is_ours = value.get("v")?.as_index()? == VERSION && value.get("call")?.as_str()? == key;
        let questions = value.get("questions").filter(|_| is_ours)?.as_list()?;
        let mut kept = Vec::new();
        for question in questions {
            kept.push(read_question(question)?);
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

fn write_question(kept: &StoredQuestion) -> Json<'_> {
    let StoredQuestion { index, draft } = kept;
    let mut question = write_choice(&draft.choice);
    question.push(("index", (*index).into()));
    question.push(("asked", draft.asked.text.map_or(Json::Null, |asked| Json::Number(asked.into()))));
    question.push(("other", text(&draft.other)));
    question.push(("note", text(&draft.note)));
    if draft.has_files() {
        // A file whose bytes are in its URL is too large for the storage.
        let files = draft.files.iter().filter(|file| file.file.url.len() <= LONGEST_URL);
        question.push(("files", Json::List(files.map(|file| file.file.to_json()).collect())));
    }
    let skipped = draft.skipped.as_ref().map(|before| Json::object(write_choice(before)));
    question.push(("skipped", skipped.unwrap_or(Json::Null)));
    Json::object(question)
}

fn write_choice(choice: &Choice) -> Vec<(&'static str, Json<'_>)> {
    let mut picks = Vec::new();
    for pick in choice.picks.iter() {
        picks.push(write_pick(pick));
    }
    let before = choice.before_other.as_ref().map_or(Json::Null, write_pick);
    vec![("picks", Json::List(picks)), ("chosen", choice.other.into()), ("before", before)]
}

fn write_pick(pick: &Pick) -> Json<'_> {
    Json::List(vec![pick.option.into(), pick.label.as_str().into()])
}

fn text(text: &str) -> Json<'_> {
    Json::Text(text.into())
}

fn read_question(value: &Json<'_>) -> Option<StoredQuestion> {
    let text = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
    let skipped = match value.get("skipped")? {
        Json::Null => None,
        before => Some(read_choice(before)?),
    };
    let choice = match &skipped {
        Some(_) => Choice::default(),
        None => read_choice(value)?,
    };
    let text_asked = match value.get("asked")? {
        Json::Number(asked) => asked.as_u64(),
        _ => None,
    };
    let files = value.get("files").and_then(Json::as_list).unwrap_or_default().iter().filter_map(Attachment::read);
    let draft = QuestionDraft {
        asked: AskedFor { text: text_asked, ..AskedFor::default() },
        choice,
        other: text("other")?,
        note: text("note")?,
        files: files.filter(|file| !file.url.is_empty()).map(DraftFile::there).collect(),
        skipped,
        ..QuestionDraft::default()
    };
    Some(StoredQuestion { index: value.get("index")?.as_index()?, draft })
}

fn read_choice(value: &Json<'_>) -> Option<Choice> {
    let mut picks = Picks::default();
    for pick in value.get("picks")?.as_list()? {
        picks.push(read_pick(pick)?);
    }
    Some(Choice {
        picks,
        other: value.get("chosen")?.as_bool()?,
        before_other: match value.get("before")? {
            Json::Null => None,
            before => Some(read_pick(before)?),
        },
    })
}

fn read_pick(value: &Json<'_>) -> Option<Pick> {
    let [option, label] = value.as_list()? else {
        return None;
    };
    Some(Pick { option: option.as_index()?, label: label.as_str()?.to_owned() })
}
