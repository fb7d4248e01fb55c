//! Reading replies off the wire.

use super::check::Draft;
use super::encode::flat;
use super::{Reply, Selection};
use crate::text::{is_blank, quoted};
use crate::validate::{Code, MAX_ASK_BYTES, MAX_REPLY_BYTES, Violation, exceeds};
use crate::wire::{AskUserQuestion, Question};
use json_tree::Json;
use serde_json::{Map, Value};

pub(super) fn parse(ask: &AskUserQuestion, json: &Value) -> Result<Reply, Vec<Violation>> {
    // A legal reply repeats the ask's texts in the map and in the details, and adds what was typed twice.
    if exceeds(json, 2 * (MAX_ASK_BYTES + MAX_REPLY_BYTES)) {
        return Err(refused("", Code::TooLarge, "The reply is too large."));
    }
    let answers = match json.get("answers") {
        Some(Value::Object(answers)) => answers,
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
    let mut draft = Draft::new(ask);
    match json.get("details") {
        None | Some(Value::Null) => {}
        Some(Value::Array(details)) => read_details(&mut draft, ask, details),
        Some(_) => draft.report("details", Code::WrongType, "`details` must be an array."),
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
pub(crate) fn lenient_details(ask: &AskUserQuestion, details: &Value) -> Vec<Selection> {
    let details = details.as_array().map_or(&[][..], Vec::as_slice);
    let fitting = |detail: &Value| {
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

impl<'a> Detail<'a> {
    /// Reads an item, or says which field cannot be read and what it must be.
    fn read(detail: &'a Value) -> Result<Self, (String, &'static str)> {
        let index =
            |value: &Value| value.get("index").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
        let text = |key: &str| match detail.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err((format!(".{key}"), "a string")),
        };
        let question = index(detail).ok_or_else(|| (".index".to_owned(), "the index of a question"))?;
        let chosen = match detail.get("selected") {
            None | Some(Value::Null) => &[][..],
            Some(chosen) => chosen.as_array().ok_or_else(|| (".selected".to_owned(), "an array"))?,
        };
        let mut selected = Vec::new();
        let mut labels = Vec::new();
        for (s, option) in chosen.iter().enumerate() {
            let label = option.get("label").and_then(Value::as_str);
            let (index, label) = index(option)
                .zip(label)
                .ok_or_else(|| (format!(".selected[{s}]"), "an object with `index` and `label`"))?;
            selected.push(index);
            labels.push(label);
        }
        let skipped = match detail.get("status").map(Value::as_str) {
            None | Some(Some("answered")) => false,
            Some(Some("skipped")) => true,
            Some(_) => return Err((".status".to_owned(), "\"answered\" or \"skipped\"")),
        };
        let selection = Selection { question, selected, other: text("other")?, note: text("note")?, skipped };
        Ok(Self { selection, labels })
    }
}

fn fits(question: &Question, option: usize, label: &str) -> bool {
    question.options.get(option).is_some_and(|option| option.label == label)
}

fn read_details(draft: &mut Draft<'_>, ask: &AskUserQuestion, details: &[Value]) {
    for (d, detail) in details.iter().enumerate() {
        let path = format!("details[{d}]");
        let Detail { selection, labels } = match Detail::read(detail) {
            Ok(detail) => detail,
            Err((field, must_be)) => {
                draft.report(format_args!("{path}{field}"), Code::WrongType, format_args!("This must be {must_be}."));
                continue;
            }
        };
        if let Some(question) = ask.questions.get(selection.question) {
            for (s, (label, &option)) in labels.iter().zip(&selection.selected).enumerate() {
                // An index out of range is reported with the rest of the selection.
                if option < question.options.len() && !fits(question, option, label) {
                    let message = format!("Option {option} is not {}.", quoted(label));
                    draft.report(format_args!("{path}.selected[{s}].label"), Code::Contradiction, message);
                }
            }
        }
        draft.take(&path, selection);
    }
}

/// Reads the flat map for the questions that no detail spoke of.
fn read_flat(draft: &mut Draft<'_>, ask: &AskUserQuestion, answers: &Map<String, Value>) {
    for (key, value) in answers {
        let path = || format!("answers[{}]", Json::from(key.as_str()));
        let Some(q) = ask.questions.iter().position(|question| question.question == *key) else {
            draft.report(path(), Code::UnknownQuestion, "The ask has no question with this text.");
            continue;
        };
        let Some(text) = value.as_str() else {
            draft.names(q);
            draft.report(path(), Code::WrongType, "An answer must be a string.");
            continue;
        };
        if draft.is_named(q) {
            continue;
        }
        match flat_selection(&ask.questions[q], q, text) {
            Some(selection) => draft.take(&path(), selection),
            None => {
                draft.names(q);
                draft.report(path(), Code::BlankOther, "The answer is blank.");
            }
        }
    }
}

/// What a flat text says: one label, labels joined with commas, or else custom text; `None` where it is blank.
pub(super) fn flat_selection(question: &Question, q: usize, text: &str) -> Option<Selection> {
    let position = |text: &str| question.options.iter().position(|option| option.label == text);
    let one = position(text).or_else(|| position(text.trim())).map(|index| vec![index]);
    let selected = one.or_else(|| question.multi_select.then(|| joined_labels(question, text)).flatten());
    if selected.is_none() && is_blank(text) {
        return None;
    }
    Some(Selection {
        question: q,
        other: selected.is_none().then(|| text.to_owned()),
        selected: selected.unwrap_or_default(),
        ..Selection::default()
    })
}

/// The options whose labels, each once and in any order, make up the text; where several fit, the longest label does.
fn joined_labels(question: &Question, text: &str) -> Option<Vec<usize>> {
    // Every label is tried at every place, which is nothing for the handful of options of a question and too much for a hostile one.
    const MOST_OPTIONS: usize = 1000;
    if question.options.len() > MOST_OPTIONS {
        return None;
    }
    let label_before = |text: &str| -> Option<(usize, usize)> {
        let options = question.options.iter().enumerate();
        let fitting = options.filter_map(|(o, option)| {
            let rest = text.strip_prefix(option.label.as_str())?.trim_start();
            (rest.is_empty() || rest.starts_with(',')).then_some((o, text.len() - rest.len()))
        });
        fitting.max_by_key(|&(o, _)| question.options[o].label.len())
    };
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        let (option, length) = label_before(rest).or_else(|| {
            let trimmed = rest.trim_start();
            let (option, length) = label_before(trimmed)?;
            Some((option, rest.len() - trimmed.len() + length))
        })?;
        if found.contains(&option) {
            return None;
        }
        found.push(option);
        rest = match rest.get(length..)?.strip_prefix(',') {
            Some(next) => next.strip_prefix(' ').unwrap_or(next),
            None => break,
        };
    }
    Some(question.in_order(&found))
}

/// Refuses a reply whose flat map says something else than its details: neither side may be taken for consent then.
fn compare(reply: &Reply, answers: &Map<String, Value>) -> Result<(), Vec<Violation>> {
    let expected = flat(reply.answers());
    let said = |key: &str| answers.get(key).and_then(Value::as_str);
    let differs = expected.iter().filter(|(key, text)| said(key) != Some(text)).map(|(key, _)| *key);
    // A question that the details skip, for the map names no unknown ones any more.
    let skipped =
        answers.keys().map(String::as_str).filter(|key| !expected.iter().any(|(question, _)| question == key));
    let violation = |key: &str| {
        let path = format!("answers[{}]", json_tree::text(&key.into()));
        refused(&path, Code::Contradiction, "`answers` and `details` say different things about this question.")
    };
    let violations: Vec<Violation> = differs.chain(skipped).flat_map(violation).collect();
    if violations.is_empty() { Ok(()) } else { Err(violations) }
}

fn refused(path: &str, code: Code, message: &str) -> Vec<Violation> {
    vec![Violation { path: path.to_owned(), code, message: message.to_owned() }]
}
