//! Reading replies off the wire.

use super::check::{Draft, Place};
use super::flat::flat_selection;
use super::{Reply, Selection, encode};
use crate::text::quoted;
use crate::validate::{Code, MAX_ASK_BYTES, MAX_REPLY_BYTES, Refuse, exceeds};
use crate::wire::{AskUserQuestion, Question};
use json_tree::{Json, Members};
use std::fmt::Display;

pub(super) fn parse<R: Refuse>(ask: &AskUserQuestion, json: &Json<'_>) -> Result<Reply, R> {
    let mut draft = Draft::<R>::new(ask);
    // A legal reply repeats the ask's texts in the map and in the details, and adds what was typed twice.
    if exceeds(json, 2 * (MAX_ASK_BYTES + MAX_REPLY_BYTES)) {
        return Err(refused("", Code::TooLarge, "The reply is too large."));
    }
    let answers = match json.get("answers") {
        Some(Json::Object(answers)) => answers,
        Some(_) => {
            return Err(refused(
                "answers",
                Code::WrongType,
                "`answers` must be an object that maps question texts to answers.",
            ));
        }
        None => {
            return Err(refused("answers", Code::MissingField, "`answers` is missing."));
        }
    };
    match json.get("details") {
        None | Some(Json::Null) => {}
        Some(Json::List(details)) => read_details(&mut draft, ask, details),
        Some(_) => say(&mut draft.report, "details", Code::WrongType, "`details` must be an array."),
    }
    let has_details = (0..ask.questions.len()).any(|q| draft.is_named(q));
    read_flat(&mut draft, ask, answers);
    let reply = draft.finish()?;
    if has_details {
        compare(&reply, answers)?;
    }
    Ok(reply)
}

/// The selections in the details of a partial reply; what does not fit the ask is left out.
pub(crate) fn lenient_details(ask: &AskUserQuestion, details: &Json<'_>) -> Vec<Selection> {
    let details = details.as_list().unwrap_or_default();
    let fitting = |detail: &Json<'_>| {
        let detail = Detail::read(detail).ok()?;
        let question = ask.questions.get(detail.selection.question)?;
        let fits =
            detail.labels.iter().zip(&detail.selection.selected).all(|(label, &option)| fits(question, option, label));
        fits.then_some(detail.selection)
    };
    details.iter().filter_map(fitting).collect()
}

/// One item of `details`.
struct Detail<'a> {
    selection: Selection,
    /// The labels beside the chosen indexes: clients that disagree about the order of the options must not be misread.
    labels: Vec<&'a str>,
}

/// A field of an item that cannot be read, and what it must be.
struct Unread {
    field: &'static str,
    item: Option<usize>,
    must_be: &'static str,
}

impl<'a> Detail<'a> {
    /// Reads an item, or says which field cannot be read.
    fn read(detail: &'a Json<'a>) -> Result<Self, Unread> {
        let index = |value: &Json<'_>| value.get("index").and_then(Json::as_index);
        let text = |key: &'static str| match detail.get(key) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::Text(text)) => Ok(Some(text.clone().into_owned())),
            Some(_) => Err(Unread { field: key, item: None, must_be: "a string" }),
        };
        let wrong = |field, must_be| Unread { field, item: None, must_be };
        let question = index(detail).ok_or(wrong("index", "the index of a question"))?;
        let chosen = match detail.get("selected") {
            None | Some(Json::Null) => &[][..],
            Some(chosen) => chosen.as_list().ok_or(wrong("selected", "an array"))?,
        };
        let mut selected = Vec::new();
        let mut labels = Vec::new();
        for (s, option) in chosen.iter().enumerate() {
            let label = option.get("label").and_then(Json::as_str);
            let must_be = "an object with `index` and `label`";
            let (index, label) =
                index(option).zip(label).ok_or(Unread { field: "selected", item: Some(s), must_be })?;
            selected.push(index);
            labels.push(label);
        }
        let skipped = match detail.get("status").map(Json::as_str) {
            None | Some(Some("answered")) => false,
            Some(Some("skipped")) => true,
            Some(_) => return Err(wrong("status", "\"answered\" or \"skipped\"")),
        };
        let selection = Selection { question, selected, other: text("other")?, note: text("note")?, skipped };
        Ok(Self { selection, labels })
    }
}

fn fits(question: &Question, option: usize, label: &str) -> bool {
    question.options.get(option).is_some_and(|option| option.label == label)
}

fn read_details<R: Refuse>(draft: &mut Draft<'_, R>, ask: &AskUserQuestion, details: &[Json<'_>]) {
    for (d, detail) in details.iter().enumerate() {
        let place = Place::Detail(d);
        let Detail { selection, labels } = match Detail::read(detail) {
            Ok(detail) => detail,
            Err(Unread { field, item, must_be }) => {
                draft.report.refuse(Code::WrongType, || {
                    let item = item.map(|item| format!("[{item}]")).unwrap_or_default();
                    (format!("{place}.{field}{item}"), format!("This must be {must_be}."))
                });
                continue;
            }
        };
        if let Some(question) = ask.questions.get(selection.question) {
            for (s, (label, &option)) in labels.iter().zip(&selection.selected).enumerate() {
                // An index out of range is reported with the rest of the selection.
                if option < question.options.len() && !fits(question, option, label) {
                    draft.report.refuse(Code::Contradiction, || {
                        let message = format!("Option {option} is not {}.", quoted(label));
                        (format!("{place}.selected[{s}].label"), message)
                    });
                }
            }
        }
        draft.take(place, selection);
    }
}

/// Reads the flat map for the questions that no detail spoke of. Of a key that comes twice the last answer counts.
fn read_flat<R: Refuse>(draft: &mut Draft<'_, R>, ask: &AskUserQuestion, answers: &Members<'_>) {
    let asked = |key: &str| ask.questions.iter().position(|question| question.question == key);
    let mut last = vec![0; ask.questions.len()];
    for (at, (key, _)) in answers.iter().enumerate() {
        if let Some(q) = asked(key) {
            last[q] = at;
        }
    }
    for (at, (key, value)) in answers.iter().enumerate() {
        let place = Place::Answer(key);
        let Some(q) = asked(key) else {
            say(&mut draft.report, place, Code::UnknownQuestion, "The ask has no question with this text.");
            continue;
        };
        if last[q] != at {
            continue;
        }
        let Some(text) = value.as_str() else {
            draft.names(q);
            say(&mut draft.report, place, Code::WrongType, "An answer must be a string.");
            continue;
        };
        if draft.is_named(q) {
            continue;
        }
        match flat_selection(&ask.questions[q], q, text) {
            Some(selection) => draft.take(place, selection),
            None => {
                draft.names(q);
                say(&mut draft.report, place, Code::BlankOther, "The answer is blank.");
            }
        }
    }
}

/// Refuses a reply whose flat map says something else than its details: neither side may be taken for consent then.
fn compare<R: Refuse>(reply: &Reply, answers: &Members<'_>) -> Result<(), R> {
    let expected = encode::flat(reply.answers());
    let said = |key: &str| answers.iter().rfind(|(name, _)| name == key).and_then(|(_, text)| text.as_str());
    let mut report = R::default();
    let mut contradicts = |key: &str| {
        let message = "`answers` and `details` say different things about this question.";
        say(&mut report, Place::Answer(key), Code::Contradiction, message);
    };
    for (key, text) in &expected {
        if said(key) != Some(text) {
            contradicts(key);
        }
    }
    // A question that the details skip, for the map names no unknown ones any more.
    for (key, _) in answers {
        if !expected.iter().any(|(question, _)| question == key) {
            contradicts(key);
        }
    }
    if report.is_empty() { Ok(()) } else { Err(report) }
}

fn say<R: Refuse>(report: &mut R, path: impl Display, code: Code, message: &str) {
    report.refuse(code, || (path.to_string(), message.to_owned()));
}

fn refused<R: Refuse>(path: &str, code: Code, message: &str) -> R {
    let mut report = R::default();
    say(&mut report, path, code, message);
    report
}
