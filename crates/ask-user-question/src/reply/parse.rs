//! Reads the wire form of replies.

use super::answer::{Answer, Reply, Selection};
use super::check::{AnswerPlace, ReplyBuilder};
use super::encode;
use super::flat::flat_selection;
use crate::attachment::{Attachment, MAX_URL_BYTES};
use crate::input::InputKind;
use crate::text::quoted;
use crate::validate::{AnyViolation, Code, MAX_ASK_BYTES, MAX_REPLY_BYTES, Refuse, Report, Violation, exceeds};
use crate::wire::{AskUserQuestion, Question};
use json_tree::{Json, Members};
use std::fmt::Display;

impl Reply {
    /// Reads `{"answers": …, "details"?: …}`, as written by [`to_json`](Self::to_json) or by a client that knows only the flat map. A flat text is a
    /// label, labels joined by commas, or otherwise own words.
    ///
    /// # Errors
    /// All violations, each with a path such as `answers["Which?"]` or `details[0].other`.
    pub fn parse<'a, J>(ask: &AskUserQuestion, json: &'a J) -> Result<Self, Vec<Violation>>
    where
        &'a J: Into<Json<'a>>,
    {
        read(ask, &json.into()).map_err(Report::into_violations)
    }

    /// As [`parse`](Self::parse), without messages for violations.
    pub(crate) fn read(ask: &AskUserQuestion, json: &Json<'_>) -> Option<Self> {
        read::<AnyViolation>(ask, json).ok()
    }
}

fn read<R: Refuse>(ask: &AskUserQuestion, json: &Json<'_>) -> Result<Reply, R> {
    // A valid reply repeats the ask's texts in both the map and the details, and typed texts twice.
    if exceeds(json, 2 * (MAX_ASK_BYTES + MAX_REPLY_BYTES) + url_bytes(json).min(MAX_URL_BYTES)) {
        return Err(refused("", Code::TooLarge, "The reply is too large."));
    }
    let answers = match json.get("answers") {
        Some(Json::Object(answers)) => answers,
        Some(_) => {
            let message = "`answers` must be an object that maps question texts to answers.";
            return Err(refused("answers", Code::WrongType, message));
        }
        None => return Err(refused("answers", Code::MissingField, "`answers` is missing.")),
    };
    let mut draft = ReplyBuilder::<R>::new(ask);
    match json.get("details") {
        None | Some(Json::Null) => {}
        Some(Json::List(details)) => read_details(&mut draft, ask, details, answers),
        Some(_) => say(&mut draft.report, "details", Code::WrongType, "`details` must be an array."),
    }
    let has_details = draft.named.contains(&true);
    read_flat(&mut draft, ask, answers);
    let reply = draft.finish()?;
    if has_details {
        compare(ask, &reply, answers)?;
    }
    Ok(reply)
}

/// The selections in the details of a partial reply. Leaves out what does not fit the ask.
pub(crate) fn lenient_details(ask: &AskUserQuestion, details: &Json<'_>) -> Vec<Selection> {
    let mut selections = Vec::new();
    for item in details.as_list().unwrap_or_default() {
        let mut detail = Detail::default();
        if detail.read(item).is_ok() && matches!(detail.typed(ask, item, &Members::new()), Ok(true)) && detail.fits(ask)
        {
            selections.push(detail.selection);
        }
    }
    selections
}

#[derive(Default)]
struct Detail<'a> {
    selection: Selection,
    /// The labels that were sent with the indexes. They reveal clients with another order of the options.
    labels: Vec<&'a str>,
}

/// A field that can't be read; if it is a list, with the index of the item.
struct Unread(&'static str, Option<usize>);

impl Unread {
    fn must_be(&self) -> &'static str {
        match self {
            Self("index", _) => "the index of a question",
            Self("selected", None) => "an array",
            Self("selected", Some(_)) => "an object with `index` and `label`",
            Self("value", _) => "a string or a number",
            Self("attachments", None) => "an array",
            Self("attachments", Some(_)) => "an object with `url`, `name`, `type` and `size`",
            Self("status", _) => "\"answered\" or \"skipped\"",
            Self(..) => "a string",
        }
    }
}

impl<'a> Detail<'a> {
    /// Reads an item. The error names the field that can't be read.
    fn read(&mut self, item: &'a Json<'a>) -> Result<(), Unread> {
        let Self { selection, labels } = self;
        selection.question = index(item).ok_or(Unread("index", None))?;
        for (s, option) in list(item, "selected")?.iter().enumerate() {
            let (Some(index), Some(Json::Text(label))) = (index(option), option.get("label")) else {
                return Err(Unread("selected", Some(s)));
            };
            selection.selected.push(index);
            labels.push(label);
        }
        for (a, attachment) in list(item, "attachments")?.iter().enumerate() {
            let read = attachment.as_object().and_then(|_| Attachment::read(attachment));
            selection.attachments.push(read.ok_or(Unread("attachments", Some(a)))?);
        }
        match item.get("status") {
            None => {}
            Some(Json::Text(status)) if status == "answered" => {}
            Some(Json::Text(status)) if status == "skipped" => selection.skipped = true,
            Some(_) => return Err(Unread("status", None)),
        }
        for (field, text) in [("other", &mut selection.other), ("note", &mut selection.note)] {
            match item.get(field) {
                None | Some(Json::Null) => {}
                Some(Json::Text(said)) => *text = Some(String::from(&**said)),
                Some(_) => return Err(Unread(field, None)),
            }
        }
        Ok(())
    }

    /// Uses `value` as the typed text of a question with an input, in the spelling of the flat map, since other programs format numbers differently.
    /// Returns false if `other` has a different text.
    fn typed(&mut self, ask: &AskUserQuestion, item: &Json<'_>, answers: &Members<'_>) -> Result<bool, Unread> {
        let question = ask.questions.get(self.selection.question);
        let (Some(input), Some(value)) = (question.and_then(Question::typed), item.get("value")) else {
            return Ok(true);
        };
        match value {
            Json::Null => Ok(true),
            _ if input.kind == InputKind::Json || matches!(value, Json::Text(_) | Json::Number(_)) => {
                let value = input.spelled(value);
                let says_it = |text: &str| input.value(text) == input.value(&value);
                let flat = question.and_then(|question| answers.find(&question.question)).map(Json::plain_text);
                let spelled = flat.filter(|flat| says_it(flat)).unwrap_or_else(|| value.clone());
                Ok(says_it(self.selection.other.get_or_insert(spelled)))
            }
            _ => Err(Unread("value", None)),
        }
    }

    fn fits(&self, ask: &AskUserQuestion) -> bool {
        let Some(question) = ask.questions.get(self.selection.question) else {
            return false;
        };
        let mut chosen = self.labels.iter().zip(&self.selection.selected);
        chosen.all(|(label, &option)| fits(question, option, label))
    }
}

fn list<'a>(item: &'a Json<'a>, field: &'static str) -> Result<&'a [Json<'a>], Unread> {
    match item.get(field) {
        None | Some(Json::Null) => Ok(&[]),
        Some(Json::List(items)) => Ok(items),
        Some(_) => Err(Unread(field, None)),
    }
}

fn url_bytes(reply: &Json<'_>) -> usize {
    let mut bytes = 0_usize;
    for detail in reply.items("details") {
        for attachment in detail.items("attachments") {
            bytes += attachment.string("url").map_or(0, str::len);
        }
    }
    bytes
}

fn index(item: &Json<'_>) -> Option<usize> {
    item.get("index")?.as_index()
}

fn fits(question: &Question, option: usize, label: &str) -> bool {
    question.options.get(option).is_some_and(|option| option.label == label)
}

fn read_details<R: Refuse>(
    draft: &mut ReplyBuilder<'_, R>,
    ask: &AskUserQuestion,
    details: &[Json<'_>],
    answers: &Members<'_>,
) {
    for (d, detail) in details.iter().enumerate() {
        let place = AnswerPlace::Detail(d);
        let mut read = Detail::default();
        let agrees = read.read(detail).and_then(|()| read.typed(ask, detail, answers));
        let report = draft.report_on(read.selection.question);
        if let Ok(false) = agrees {
            let message = "`value` and `other` say different things.";
            say(report, format_args!("{place}.value"), Code::Contradiction, message);
        }
        if let Err(unread) = agrees {
            report.refuse(Code::WrongType, || {
                let Unread(field, item) = unread;
                let item = item.map(|item| format!("[{item}]")).unwrap_or_default();
                (format!("{place}.{field}{item}"), format!("This must be {}.", unread.must_be()))
            });
            continue;
        }
        let Detail { selection, labels } = read;
        if let Some(question) = ask.questions.get(selection.question) {
            for (s, (label, &option)) in labels.iter().zip(&selection.selected).enumerate() {
                // An index that is out of range is reported by the check of the selection.
                if option < question.options.len() && !fits(question, option, label) {
                    report.refuse(Code::Contradiction, || {
                        let message = format!("Option {option} is not {}.", quoted(label));
                        (format!("{place}.selected[{s}].label"), message)
                    });
                }
            }
        }
        draft.take(place, selection);
    }
}

/// Reads the flat map for questions without a detail. If a key is repeated, its last answer counts.
fn read_flat<R: Refuse>(draft: &mut ReplyBuilder<'_, R>, ask: &AskUserQuestion, answers: &Members<'_>) {
    let asked = |key: &str| {
        let position = |is: &dyn Fn(&Question) -> bool| ask.questions.iter().position(is);
        position(&|question| question.question == key)
            .or_else(|| position(&|question| question.question.trim() == key.trim()))
    };
    let mut said = vec![None; ask.questions.len()];
    for (key, value) in answers {
        if let Some(q) = asked(key) {
            said[q] = Some(value);
        }
    }
    for (q, (question, said)) in ask.questions.iter().zip(said).enumerate() {
        let place = AnswerPlace::Answer(&question.question);
        match said {
            None => {}
            Some(Json::Text(_)) if draft.named[q] => {}
            Some(Json::Text(text)) => match flat_selection(question, q, text) {
                Some(selection) => draft.take(place, selection),
                None => {
                    draft.names(q);
                    say(draft.report_on(q), place, Code::BlankOther, "The answer is blank.");
                }
            },
            Some(Json::Number(_)) if draft.named[q] => {}
            Some(number @ Json::Number(_)) if question.typed().is_some() => {
                draft.take(place, Selection::typed(q, number.plain_text()));
            }
            Some(_) => {
                draft.names(q);
                say(draft.report_on(q), place, Code::WrongType, "An answer must be a string.");
            }
        }
    }
    for (key, _) in answers {
        if asked(key).is_none() {
            let message = "The ask has no question with this text.";
            say(&mut draft.report, AnswerPlace::Answer(key), Code::UnknownQuestion, message);
        }
    }
}

/// Fails if the flat map and the details differ, since neither can then be taken for consent.
fn compare<R: Refuse>(ask: &AskUserQuestion, reply: &Reply, answers: &Members<'_>) -> Result<(), R> {
    let expected = encode::flat(reply.answers());
    let mut report = R::default();
    let mut contradicts = |key: &str| {
        let message = "`answers` and `details` say different things about this question.";
        say(&mut report, AnswerPlace::Answer(key), Code::Contradiction, message);
    };
    for (key, text) in &expected {
        let (said, text) = (answers.find(key).map(Json::plain_text), text.plain_text());
        let typed = ask.questions.iter().find(|question| question.question == **key).and_then(Question::typed);
        let is_same = |said: &String| {
            *said == text
                || typed.is_some_and(|input| input.value(said).is_ok_and(|said| input.value(&text) == Ok(said)))
        };
        if !said.as_ref().is_some_and(is_same) {
            contradicts(key);
        }
    }
    // The map has an answer that the details lack (unknown questions were rejected before). Answers to hidden questions are ignored.
    let selections: Vec<_> = reply.answers().iter().map(Answer::selection).collect();
    let hidden = ask.hidden(&selections);
    let is_asked = |key: &str| {
        ask.questions.iter().zip(&hidden).any(|(question, hidden)| !hidden && question.question.trim() == key.trim())
    };
    for (key, _) in answers {
        if expected.position(key).is_none() && is_asked(key) {
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
