//! The receipt: an ask that is over.

use crate::anatomy::part;
use crate::chip::chip;
use crate::dom::Ids;
use crate::labels::{Labels, Word, concat, isolate};
use crate::writer::prelude::*;
use ask_user_question::attachment::Attachment;
use ask_user_question::input::InputKind;
use ask_user_question::outcome::Via;
use ask_user_question::reply::Answer;
use ask_user_question::snapshot::QuestionSnapshot;
use ask_user_question::text::{is_blank, joined};
use ask_user_question::{AskSnapshot, Outcome, Phase};

/// A longer text is shortened: 320 characters are more than four lines in most places.
const LONG: usize = 320;
const MOST_LINES: usize = 4;

/// A receipt as plain text: each question after "Q:" and its answer after "A:", in the words of `labels`. A reply in the chat follows as an
/// answer without a question of its own.
#[must_use]
pub fn receipt_text(ask: &AskSnapshot, labels: &Labels) -> String {
    let reply = chat_reply(ask);
    let to_answer = |text: &str| concat(&[labels.text(Word::CopyAnswer), " ", text]);
    let mut parts = Vec::new();
    for row in rows_of(ask) {
        let mut part = concat(&[labels.text(Word::CopyQuestion), " ", row.question]);
        let answer = row.said(labels);
        // The answer to it may be in the chat.
        if reply.is_none() || !answer.is_empty() {
            part += &concat(&["\n", &to_answer(&answer)]);
        }
        if let Some(note) = row.note {
            part += &concat(&["\n", &labels.filled(Word::Noted, &[("note", note)])]);
        }
        parts.push(part);
    }
    if let Some(reply) = reply {
        parts.push(to_answer(reply));
    }
    joined(&parts, "\n\n")
}

/// The user's reply in the chat, or the agent's words about the answer.
fn chat_reply(ask: &AskSnapshot) -> Option<&str> {
    let text = match &ask.outcome {
        Some(Outcome::RepliedInChat { text, .. }) => Some(text),
        _ => ask.result.as_ref(),
    };
    text.filter(|text| !is_blank(text)).map(String::as_str)
}

/// The content of the receipt; the caller writes the element around it.
pub(crate) fn receipt(w: &mut Writer, ask: &AskSnapshot, phase: Phase, ids: Ids, labels: &Labels) {
    let rows = match (&ask.outcome, phase) {
        // A text that still grows is shown once it is complete, and not at each byte.
        (None, Phase::Streaming) => Vec::new(),
        _ => rows_of(ask),
    };
    let reply = chat_reply(ask);
    if w.open("div", part::RECEIPT, 0) {
        w.set("role", "group");
        // A host's transcript may be a live region itself, and the end was announced.
        w.set("aria-live", "off");
        w.set("tabindex", "-1");
    }
    // The name is the state and the questions, the description the answers.
    w.stamped("aria-labelledby", rows.len() + 1, &|| {
        let mut names = vec![ids.receipt()];
        for index in 0..rows.len() {
            names.push(ids.receipt_question(index));
        }
        joined(&names, " ")
    });
    let mut described = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        if row.says_anything(phase.is_over()) {
            described.push(ids.receipt_answer(index));
        }
    }
    if reply.is_some() {
        described.push(ids.receipt_reply());
    }
    match described.is_empty() {
        true => w.word("aria-describedby", None),
        false => w.put("aria-describedby", &joined(&described, " ")),
    }
    w.word("data-state", Some(if phase.is_over() { phase.as_str() } else { "readonly" }));
    w.line(part::RECEIPT_STATE, &|| ids.receipt(), &state(phase, ask, labels));
    let passes = |row: &ReceiptRow<'_>| row.options.iter().any(|(_, is_chosen)| !is_chosen);
    if phase.is_over() && rows.iter().any(passes) {
        w.open("details", part::CHOICE, 0);
        if w.open("summary", "", 0) {
            w.set("id", &ids.choice());
            // A history has several such disclosures.
            w.set("aria-labelledby", &joined(&[ids.choice(), ids.receipt_question(0)], " "));
        }
        w.text(labels.text(Word::ShowOptions));
        w.close();
        w.close();
    }
    for (index, row) in rows.iter().enumerate() {
        write_row(w, (ids, index), row, ask.lang.as_deref(), labels);
    }
    if let Some(text) = reply {
        if !rows.is_empty() && matches!(ask.outcome, Some(Outcome::RepliedInChat { .. })) {
            w.element("p", part::HINT, 0, labels.text(Word::RepliedInChat));
        }
        if w.open("p", part::REPLY, 0) {
            w.set("id", &ids.receipt_reply());
            w.set("dir", "auto");
        }
        w.text(text);
        w.close();
        show_all(w, text, rows.len() * 2, labels);
    }
    w.close();
}

#[derive(Default)]
struct ReceiptRow<'a> {
    header: Option<&'a str>,
    question: &'a str,
    /// The options, as far as they are known, and true for a chosen one.
    options: Vec<(&'a str, bool)>,
    /// The typed text, in any language, with the unit that was asked for.
    own: Option<String>,
    asks_for: Option<InputKind>,
    note: Option<&'a str>,
    files: &'a [Attachment],
    /// The answer that this one replaced.
    before: Option<Box<Self>>,
    /// The word for a missing answer; `None` if there is an answer, or none was expected.
    without: Option<Word>,
}

impl<'a> ReceiptRow<'a> {
    /// Returns true if a text stands in the place of the answer.
    fn says_anything(&self, is_over: bool) -> bool {
        self.has_answer() || (!is_over && !self.options.is_empty()) || self.without.is_some()
    }

    fn has_answer(&self) -> bool {
        self.own.is_some() || !self.files.is_empty() || self.options.iter().any(|(_, is_chosen)| *is_chosen)
    }

    fn label<'l>(&self, label: &'l str, labels: &'l Labels) -> &'l str {
        labels.own(self.asks_for, label).unwrap_or(label)
    }

    /// The whole answer, or the word for none.
    fn said(&self, labels: &Labels) -> String {
        match self.has_answer() {
            false => self.without.map_or("", |word| labels.text(word)).to_owned(),
            true => joined(&self.answers(labels), labels.text(Word::List)),
        }
    }

    /// The chosen options and the typed text.
    fn answers<'l>(&'l self, labels: &'l Labels) -> Vec<&'l str> {
        let mut answers = Vec::new();
        for (label, is_chosen) in &self.options {
            if *is_chosen {
                answers.push(self.label(label, labels));
            }
        }
        answers.extend(self.own.as_deref());
        answers.extend(self.files.iter().map(|file| file.name.as_str()));
        answers
    }
}

/// Writes a row; `lang` is the language of the agent's texts.
fn write_row(w: &mut Writer, (ids, index): (Ids, usize), row: &ReceiptRow<'_>, lang: Option<&str>, labels: &Labels) {
    let has_answer = row.has_answer();
    if w.open("p", part::RECEIPT_QUESTION, index) {
        w.set("id", &ids.receipt_question(index));
        w.speak(lang);
        w.set("dir", "auto");
    }
    if let Some(header) = row.header {
        if w.open("span", part::CHIP, 0) {
            w.set("dir", "auto");
        }
        w.marked(header);
        w.close();
        w.marked(&concat(&[" ", row.question]));
    } else {
        w.marked(row.question);
    }
    w.close();
    show_all(w, row.question, index * 2, labels);
    let before = row.before.as_ref().map(|before| before.said(labels)).filter(|before| *before != row.said(labels));
    if has_answer || before.is_some() || !row.options.is_empty() {
        let says_it = has_answer || row.without.is_none();
        w.open("ul", part::ANSWERS, index);
        w.stamped("id", says_it.into(), &|| ids.receipt_answer(index));
        if let Some(before) = before {
            w.open("li", part::REPLACED, 0);
            w.element("span", part::HIDDEN, 0, &concat(&[labels.text(Word::ChangedFrom), " "]));
            if w.open("s", "", 0) {
                w.set("dir", "auto");
            }
            w.text(&before);
            w.close();
            w.close();
        }
        for (at, (label, is_chosen)) in row.options.iter().enumerate() {
            let label = row.label(labels.without_badge(label).unwrap_or(label).trim_end(), labels);
            list_item(w, at, *is_chosen, lang, labels, &|w| w.marked(label));
        }
        if let Some(own) = &row.own {
            // The user's text may be in any language.
            list_item(w, row.options.len(), true, None, labels, &|w| w.text(own));
        }
        for (at, file) in row.files.iter().enumerate() {
            list_item(w, row.options.len() + 1 + at, true, None, labels, &|w| chip(w, file));
        }
        w.close();
        show_all(w, row.own.as_deref().unwrap_or_default(), index * 2 + 1, labels);
    }
    if let Some(word) = row.without {
        w.open("p", part::NO_ANSWER, index);
        w.stamped("id", (!has_answer).into(), &|| ids.receipt_answer(index));
        w.text(labels.text(word));
        w.close();
    }
    if let Some(note) = row.note {
        w.element("p", part::OPTION_DESC, index, &labels.filled(Word::Noted, &[("note", &isolate(note))]));
    }
}

/// An answer, or an option that was not chosen.
fn list_item(
    w: &mut Writer,
    at: usize,
    is_chosen: bool,
    lang: Option<&str>,
    labels: &Labels,
    text: &dyn Fn(&mut Writer),
) {
    w.open("li", if is_chosen { part::ANSWER } else { part::OFFERED }, at);
    if is_chosen {
        w.element("span", part::HIDDEN, 0, &concat(&[labels.text(Word::SelectedPrefix), " "]));
    }
    if w.open("span", "", usize::from(lang.is_some())) {
        w.speak(lang);
        w.set("dir", "auto");
    }
    text(w);
    w.close();
    w.close();
}

/// A disclosure for the rest of a long text, which the style sheet shortens as long as this is closed. It needs no listener, and screen
/// readers get the whole text.
fn show_all(w: &mut Writer, text: &str, key: usize, labels: &Labels) {
    if text.chars().count() > LONG || text.lines().count() > MOST_LINES {
        w.open("details", part::MORE, key);
        w.element("summary", "", 0, labels.text(Word::ShowAll));
        w.close();
    }
}

/// The rows of an ask: questions, options and answers.
fn rows_of(ask: &AskSnapshot) -> Vec<ReceiptRow<'_>> {
    let mut rows = Vec::new();
    if let Some(reply) = ask.answer() {
        let before = match &ask.outcome {
            Some(Outcome::Answered(before)) if ask.replaced.is_some() => before.answers(),
            _ => &[],
        };
        for answer in reply.answers() {
            let asked = ask.questions.get(answer.index);
            let mut row = answered(answer, asked);
            let before = before.iter().find(|before| before.index == answer.index);
            row.before = before.map(|before| Box::new(answered(before, asked)));
            rows.push(row);
        }
        return rows;
    }
    for (index, asked) in ask.questions.iter().enumerate() {
        let header = asked.header.as_ref().map(|header| header.text.as_str());
        let asks_for = asked.input.as_ref().map(|input| input.kind);
        let mut row = ReceiptRow { header, question: &asked.question.text, asks_for, ..ReceiptRow::default() };
        let picks = match &ask.outcome {
            Some(Outcome::RepliedInChat { partial, .. }) => partial.iter().find(|pick| pick.question == index),
            _ => None,
        };
        for (at, option) in asked.options.iter().enumerate() {
            let is_chosen = picks.is_some_and(|picks| picks.selected.contains(&at));
            row.options.push((&option.label.text, is_chosen));
        }
        if let Some(picks) = picks {
            row.own = with_unit(picks.other.as_deref(), Some(asked));
            row.note = picks.note.as_deref();
            row.files = &picks.attachments;
        }
        rows.push(row);
    }
    rows
}

/// The row of an answer, with the options of its question if the ask is known.
fn answered<'a>(answer: &'a Answer, asked: Option<&'a QuestionSnapshot>) -> ReceiptRow<'a> {
    let mut row = ReceiptRow {
        header: answer.header.as_deref(),
        question: &answer.question,
        own: with_unit(answer.given.typed().as_deref(), asked),
        note: answer.note.as_deref(),
        files: &answer.attachments,
        ..ReceiptRow::default()
    };
    row.asks_for = asked.and_then(|asked| Some(asked.input.as_ref()?.kind));
    // A ranking is shown in its own order, not in that of the ask.
    let offered = asked.filter(|asked| !asked.asks_for(InputKind::Rank)).map_or(&[][..], |asked| &asked.options);
    let mut selected = answer.given.options().iter().peekable();
    for (at, option) in offered.iter().enumerate() {
        let chosen = selected.next_if(|selected| selected.index == at);
        row.options.push((chosen.map_or(&option.label.text, |chosen| &chosen.label), chosen.is_some()));
    }
    for selected in selected {
        row.options.push((&selected.label, true));
    }
    row.without = match (answer.given.is_skipped(), row.has_answer()) {
        (true, _) => Some(Word::Skipped),
        (false, false) => Some(Word::NoAnswer),
        (false, true) => None,
    };
    row
}

/// A typed text, with the unit that the question asks for.
fn with_unit(typed: Option<&str>, asked: Option<&QuestionSnapshot>) -> Option<String> {
    let unit = asked.and_then(|asked| asked.input.as_ref()?.unit.as_deref());
    typed.map(|typed| match unit {
        Some(unit) => concat(&[typed, " ", unit]),
        None => typed.to_owned(),
    })
}

/// The state in which an ask ended, with who answered elsewhere, and by which way.
fn state(phase: Phase, ask: &AskSnapshot, labels: &Labels) -> String {
    let mut state = labels.text(state_word(phase, ask)).to_owned();
    let via = ask.via.as_ref().filter(|_| phase == Phase::Answered);
    if let Some(person) = via.and_then(|via| via.answered_by.as_ref()) {
        state = labels.filled(Word::AnsweredBy, &[("person", &isolate(person))]);
    }
    // `Via::REST` and `Via::MCP` mean nothing to a person.
    if let Some(via) = via.filter(|via| via.name != Via::REST && via.name != Via::MCP) {
        state = labels.filled(Word::AnsweredThrough, &[("answered", &state), ("way", &isolate(&via.name))]);
    }
    state
}

/// The state in which an ask ended, in a few words.
pub(crate) fn state_word(phase: Phase, ask: &AskSnapshot) -> Word {
    match (phase, &ask.outcome) {
        (_, Some(Outcome::RepliedInChat { .. })) => Word::RepliedInChat,
        (_, Some(Outcome::Withdrawn)) => Word::Withdrawn,
        (Phase::Answered, _) => Word::Answered,
        (Phase::Declined, _) => Word::Cancelled,
        (Phase::Superseded, _) => Word::Superseded,
        (Phase::Expired, _) => Word::Expired,
        (Phase::Interrupted, _) => Word::Interrupted,
        (Phase::Settled, _) => Word::Settled,
        (Phase::Streaming, _) => Word::Composing,
        (Phase::Malformed, _) => Word::Malformed,
        (Phase::Ready | Phase::Answerable, _) => Word::NotAnswered,
    }
}
