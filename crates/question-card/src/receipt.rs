//! The receipt: an ask that is over.

#[cfg(feature = "leptos")]
pub(crate) mod component;

use crate::anatomy::part;
use crate::dom::Ids;
use crate::labels::{Labels, concat, isolate};
use crate::writer::Writer;
use ask_user_question::reply::{Answer, Selection};
use ask_user_question::snapshot::QuestionSnapshot;
use ask_user_question::text::{is_blank, joined};
use ask_user_question::{AskSnapshot, Outcome, Phase};

/// From how many characters, or lines, on a question is shortened: more than four lines in most places.
const LONG: usize = 320;
const MOST_LINES: usize = 4;

/// A receipt as plain text: each question after "Q:" and its answer after "A:", in the words of `labels`. What was replied in the chat
/// follows as an answer without a question of its own.
#[must_use]
pub fn receipt_text(ask: &AskSnapshot, labels: &Labels) -> String {
    let reply = chat_reply(ask);
    let to_answer = |text: &str| concat(&[labels.copy_answer, " ", text]);
    let texts = rows_of(ask, ask.outcome.as_ref()).into_iter().map(|row| {
        let without = row.without_text(labels).unwrap_or_default();
        let answer = match row.has_answer() {
            false => without.to_owned(),
            true => joined(&row.chosen.into_iter().chain(row.own).collect::<Vec<_>>(), labels.list),
        };
        // The answer to it may be in the chat.
        let is_answered = reply.is_none() || !answer.is_empty();
        let answer = is_answered.then(|| to_answer(&answer));
        let note = row.note.map(|note| (labels.noted)(&note));
        let question = concat(&[labels.copy_question, " ", &row.question]);
        let lines: Vec<String> = [question].into_iter().chain(answer).chain(note).collect();
        joined(&lines, "\n")
    });
    let texts = texts.chain(reply.map(to_answer));
    joined(&texts.collect::<Vec<_>>(), "\n\n")
}

/// What the user replied in the chat.
fn chat_reply(ask: &AskSnapshot) -> Option<&str> {
    match &ask.outcome {
        Some(Outcome::RepliedInChat { text, .. }) => Some(text).filter(|text| !is_blank(text)).map(String::as_str),
        _ => None,
    }
}

/// The record itself, without a root of its own.
pub(crate) fn receipt(w: &mut Writer, ask: &AskSnapshot, phase: Phase, ids: Ids, labels: &'static Labels) {
    let rows = rows(ask, phase);
    let reply = chat_reply(ask);
    if w.open("div", part::RECEIPT, 0) {
        w.set("role", "group");
        // A host's transcript may be a live region itself, and what ended was said.
        w.set("aria-live", "off");
        w.set("tabindex", "-1");
    }
    // How it ended and what was asked; then what was answered.
    w.stamped("aria-labelledby", rows.len() + 1, &|| {
        let questions = (0..rows.len()).map(|index| ids.receipt_question(index));
        joined(&[ids.receipt()].into_iter().chain(questions).collect::<Vec<_>>(), " ")
    });
    let answers = rows.iter().enumerate().filter(|(_, row)| row.says_anything(labels));
    let answers = answers.map(|(index, _)| ids.receipt_answer(index));
    let described: Vec<String> = answers.chain(reply.map(|_| ids.receipt_reply())).collect();
    match described.is_empty() {
        true => w.word("aria-describedby", None),
        false => w.put("aria-describedby", &joined(&described, " ")),
    }
    w.word("data-state", Some(state_name(phase)));
    if w.open("p", part::RECEIPT_STATE, 0) {
        w.set("id", &ids.receipt());
    }
    w.text(state_label(phase, ask, labels));
    w.close();
    for (index, row) in rows.iter().enumerate() {
        write_row(w, (ids, index), row, ask.lang.as_deref(), labels);
    }
    if let Some(text) = reply {
        if w.open("p", part::REPLY, 0) {
            w.set("id", &ids.receipt_reply());
            w.set("dir", "auto");
        }
        w.say(text);
        w.close();
    }
    w.close();
}

/// One question of the record.
struct Row {
    header: Option<String>,
    question: String,
    /// The labels that were chosen.
    chosen: Vec<String>,
    /// What was typed, in whatever language.
    own: Vec<String>,
    /// What could be chosen, where nothing was.
    offered: Vec<String>,
    note: Option<String>,
    /// What to say where there is no answer; nothing where none could be expected.
    without: Without,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Without {
    Nothing,
    Skipped,
    NoAnswer,
}

impl Row {
    /// What is said where there is no answer.
    fn without_text(&self, labels: &Labels) -> Option<&'static str> {
        match self.without {
            Without::Skipped => Some(labels.skipped),
            Without::NoAnswer if !self.has_answer() => Some(labels.no_answer),
            Without::NoAnswer | Without::Nothing => None,
        }
    }

    /// Whether anything stands in the place of its answer.
    fn says_anything(&self, labels: &Labels) -> bool {
        self.has_answer() || !self.offered.is_empty() || self.without_text(labels).is_some()
    }

    fn has_answer(&self) -> bool {
        !self.chosen.is_empty() || !self.own.is_empty()
    }
}

/// A row; `lang` is the language of what the agent wrote.
fn write_row(w: &mut Writer, (ids, index): (Ids, usize), row: &Row, lang: Option<&str>, labels: &'static Labels) {
    let has_answer = row.has_answer();
    if w.open("p", part::RECEIPT_QUESTION, index) {
        w.set("id", &ids.receipt_question(index));
        speaks(w, lang);
        w.set("dir", "auto");
    }
    if let Some(header) = &row.header {
        if w.open("span", part::CHIP, 0) {
            w.set("dir", "auto");
        }
        w.say(header);
        w.close();
        w.say(&concat(&[" ", &row.question]));
    } else {
        w.say(&row.question);
    }
    w.close();
    // Its style shortens the question as long as this is closed: no listener, and nothing that a reader of screens would miss.
    if is_long(&row.question) {
        w.open("details", part::MORE, index);
        w.open("summary", "", 0);
        w.text(labels.show_all);
        w.close();
        w.close();
    }
    if has_answer {
        if w.open("ul", part::ANSWERS, index) {
            w.set("id", &ids.receipt_answer(index));
        }
        let chosen = row.chosen.iter().map(|label| (label, lang));
        for (at, (text, lang)) in chosen.chain(row.own.iter().map(|text| (text, None))).enumerate() {
            // What the user typed is in whatever language.
            w.open("li", part::ANSWER, at * 2 + usize::from(lang.is_some()));
            w.open("span", part::HIDDEN, 0);
            w.say(&concat(&[labels.selected_prefix, " "]));
            w.close();
            if w.open("span", "", 0) {
                speaks(w, lang);
                w.set("dir", "auto");
            }
            w.say(text);
            w.close();
            w.close();
        }
        w.close();
    }
    if !row.offered.is_empty() {
        if w.open("ul", part::OFFERED, index) {
            w.set("id", &ids.receipt_answer(index));
            speaks(w, lang);
        }
        for (at, label) in row.offered.iter().enumerate() {
            if w.open("li", "", at) {
                w.set("dir", "auto");
            }
            w.say(label);
            w.close();
        }
        w.close();
    }
    if let Some(text) = row.without_text(labels) {
        w.open("p", part::NO_ANSWER, index);
        w.stamped("id", (!has_answer).into(), &|| ids.receipt_answer(index));
        w.text(text);
        w.close();
    }
    if let Some(note) = &row.note {
        w.open("p", part::OPTION_DESC, index);
        w.say(&(labels.noted)(&isolate(note)));
        w.close();
    }
}

/// Whether a question would fill the receipt.
fn is_long(question: &str) -> bool {
    question.chars().count() > LONG || question.lines().count() > MOST_LINES
}

fn speaks(w: &mut Writer, lang: Option<&str>) {
    if let Some(lang) = lang {
        w.set("lang", lang);
    }
}

fn rows(ask: &AskSnapshot, phase: Phase) -> Vec<Row> {
    match (&ask.outcome, phase) {
        // A text that still grows is shown once it is whole, not at each byte.
        (None, Phase::Streaming) => Vec::new(),
        (None, Phase::Ready | Phase::Answerable | Phase::Malformed) => {
            let rows = asked(ask).zip(&ask.questions);
            rows.map(|(row, question)| Row { offered: labels_of(question), ..row }).collect()
        }
        (outcome, _) => rows_of(ask, outcome.as_ref()),
    }
}

fn labels_of(question: &QuestionSnapshot) -> Vec<String> {
    let options = question.options.iter();
    options.map(|option| option.label.text.clone()).collect()
}

fn rows_of(ask: &AskSnapshot, outcome: Option<&Outcome>) -> Vec<Row> {
    match outcome {
        Some(Outcome::Answered(reply)) => reply.answers().iter().map(answered).collect(),
        Some(Outcome::RepliedInChat { partial, .. }) => {
            asked(ask).enumerate().map(|(index, row)| with_partial(ask, index, row, partial)).collect()
        }
        Some(Outcome::Declined | Outcome::Expired | Outcome::Superseded | Outcome::Cancelled) | None => {
            asked(ask).collect()
        }
    }
}

fn answered(answer: &Answer) -> Row {
    let labels = answer.selected.iter().map(|selected| selected.label.clone());
    Row {
        header: answer.header.clone(),
        question: answer.question.clone(),
        chosen: labels.collect(),
        own: answer.other.iter().cloned().collect(),
        offered: Vec::new(),
        note: answer.note.clone(),
        without: match answer.skipped {
            true => Without::Skipped,
            false => Without::NoAnswer,
        },
    }
}

fn asked(ask: &AskSnapshot) -> impl Iterator<Item = Row> {
    ask.questions.iter().map(|question| Row {
        header: question.header.as_ref().map(|header| header.text.clone()),
        question: question.question.text.clone(),
        chosen: Vec::new(),
        own: Vec::new(),
        offered: Vec::new(),
        note: None,
        without: Without::Nothing,
    })
}

fn with_partial(ask: &AskSnapshot, index: usize, row: Row, partial: &[Selection]) -> Row {
    let Some(selection) = partial.iter().find(|selection| selection.question == index) else {
        return row;
    };
    let label = |option: &usize| Some(ask.questions.get(index)?.options.get(*option)?.label.text.clone());
    let labels = selection.selected.iter().filter_map(label);
    Row {
        chosen: labels.collect(),
        own: selection.other.iter().cloned().collect(),
        note: selection.note.clone(),
        ..row
    }
}

fn state_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Answered => "answered",
        Phase::Declined => "declined",
        Phase::Superseded => "superseded",
        Phase::Expired => "expired",
        Phase::Interrupted => "interrupted",
        Phase::Streaming | Phase::Ready | Phase::Malformed | Phase::Answerable => "readonly",
    }
}

/// How an ask ended, in a few words.
pub(crate) fn state_label(phase: Phase, ask: &AskSnapshot, labels: &'static Labels) -> &'static str {
    match (phase, &ask.outcome) {
        (_, Some(Outcome::RepliedInChat { .. })) => labels.replied_in_chat,
        (Phase::Answered, _) => labels.answered,
        (Phase::Declined, _) => labels.cancelled,
        (Phase::Superseded, _) => labels.superseded,
        (Phase::Expired, _) => labels.expired,
        (Phase::Interrupted, _) => labels.interrupted,
        (Phase::Streaming, _) => labels.composing,
        (Phase::Malformed, _) => labels.malformed,
        (Phase::Ready | Phase::Answerable, _) => labels.not_answered,
    }
}
