//! Reading replies off the wire.

use super::check::Draft;
use super::encode::flat;
use super::{Reply, Selection};
use crate::text::{is_blank, quoted};
use crate::validate::{Code, MAX_ASK_BYTES, MAX_REPLY_BYTES, Violation, exceeds};
use crate::wire::{AskUserQuestion, Question};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

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
            return Err(refused(
                "answers",
                Code::MissingField,
                "`answers` is missing.",
            ));
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
        let detail = Detail::deserialize(detail).ok()?;
        let question = ask.questions.get(detail.index)?;
        let fits = detail.selected.iter().all(|chosen| chosen.fits(question));
        fits.then(|| detail.into_selection())
    };
    details.iter().filter_map(fitting).collect()
}

#[derive(Deserialize)]
struct Detail {
    index: usize,
    #[serde(default)]
    selected: Vec<Chosen>,
    #[serde(default)]
    other: Option<String>,
    #[serde(default)]
    note: Option<String>,
    #[serde(default)]
    status: Status,
}

#[derive(Deserialize)]
struct Chosen {
    index: usize,
    /// Beside the index to be compared with it: clients that disagree about the order of the options must not be misread.
    label: String,
}

#[derive(Default, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Status {
    #[default]
    Answered,
    Skipped,
}

impl Chosen {
    fn fits(&self, question: &Question) -> bool {
        question
            .options
            .get(self.index)
            .is_some_and(|option| option.label == self.label)
    }
}

impl Detail {
    fn into_selection(self) -> Selection {
        Selection {
            question: self.index,
            selected: self.selected.iter().map(|chosen| chosen.index).collect(),
            other: self.other,
            note: self.note,
            skipped: self.status == Status::Skipped,
        }
    }
}

fn read_details(draft: &mut Draft<'_>, ask: &AskUserQuestion, details: &[Value]) {
    for (d, detail) in details.iter().enumerate() {
        let path = format!("details[{d}]");
        let detail = match Detail::deserialize(detail) {
            Ok(detail) => detail,
            Err(error) => {
                draft.report(
                    path,
                    Code::WrongType,
                    format_args!("This detail cannot be read: {error}."),
                );
                continue;
            }
        };
        if let Some(question) = ask.questions.get(detail.index) {
            for (s, chosen) in detail.selected.iter().enumerate() {
                // An index out of range is reported with the rest of the selection.
                if chosen.index < question.options.len() && !chosen.fits(question) {
                    let message =
                        format!("Option {} is not {}.", chosen.index, quoted(&chosen.label));
                    draft.report(
                        format_args!("{path}.selected[{s}].label"),
                        Code::Contradiction,
                        message,
                    );
                }
            }
        }
        draft.take(&path, detail.into_selection());
    }
}

/// Reads the flat map for the questions that no detail spoke of.
fn read_flat(draft: &mut Draft<'_>, ask: &AskUserQuestion, answers: &Map<String, Value>) {
    let mut positions: HashMap<&str, usize> = HashMap::new();
    for (q, question) in ask.questions.iter().enumerate() {
        positions.entry(&question.question).or_insert(q);
    }
    for (key, value) in answers {
        let path = || format!("answers[{}]", Value::String(key.clone()));
        let Some(&q) = positions.get(key.as_str()) else {
            draft.report(
                path(),
                Code::UnknownQuestion,
                "The ask has no question with this text.",
            );
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
    let position = |text: &str| {
        question
            .options
            .iter()
            .position(|option| option.label == text)
    };
    let one = position(text)
        .or_else(|| position(text.trim()))
        .map(|index| vec![index]);
    let selected = one.or_else(|| {
        question
            .multi_select
            .then(|| joined_labels(question, text))
            .flatten()
    });
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
    let mut longest_first: Vec<usize> = (0..question.options.len()).collect();
    longest_first.sort_by_key(|&o| std::cmp::Reverse(question.options[o].label.len()));
    let label_before = |text: &str| -> Option<(usize, usize)> {
        longest_first.iter().find_map(|&o| {
            let label = &question.options[o].label;
            let rest = text.strip_prefix(label.as_str())?.trim_start();
            (rest.is_empty() || rest.starts_with(',')).then_some((o, text.len() - rest.len()))
        })
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
        rest = match rest[length..].strip_prefix(',') {
            Some(next) => next.strip_prefix(' ').unwrap_or(next),
            None => break,
        };
    }
    found.sort_unstable();
    Some(found)
}

/// Refuses a reply whose flat map says something else than its details: neither side may be taken for consent then.
fn compare(reply: &Reply, answers: &Map<String, Value>) -> Result<(), Vec<Violation>> {
    let expected: HashMap<&str, String> = flat(reply.answers()).into_iter().collect();
    let keys: HashSet<&str> = expected
        .keys()
        .copied()
        .chain(answers.keys().map(String::as_str))
        .collect();
    let mut differing: Vec<&str> = keys
        .into_iter()
        .filter(|key| {
            expected.get(key).map(String::as_str) != answers.get(*key).and_then(Value::as_str)
        })
        .collect();
    if differing.is_empty() {
        return Ok(());
    }
    differing.sort_unstable();
    let violation = |key: &&str| {
        let path = format!("answers[{}]", Value::String((*key).to_owned()));
        refused(
            &path,
            Code::Contradiction,
            "`answers` and `details` say different things about this question.",
        )
    };
    Err(differing.iter().flat_map(violation).collect())
}

fn refused(path: &str, code: Code, message: &str) -> Vec<Violation> {
    vec![Violation {
        path: path.to_owned(),
        code,
        message: message.to_owned(),
    }]
}
