//! The rules, in the order in which an ask is read.

use super::{Code, MAX_ASK_BYTES, Report, Violation, exceeds};
use crate::limits::Limits;
use crate::text::{counted, is_blank, quoted};
use serde_json::Value;
use serde_json::map::{Entry, Map};
use std::fmt::Display;
use std::ops::RangeInclusive;

type Object = Map<String, Value>;

pub(super) fn violations(limits: &Limits, ask: &Value) -> Vec<Violation> {
    let mut rules = Rules { limits, report: Report::default() };
    if exceeds(ask, MAX_ASK_BYTES) {
        let Violation { path, code, message } = too_large();
        rules.report.add(path, code, message);
    }
    rules.ask(ask);
    rules.report.into_violations()
}

pub(super) fn too_large() -> Violation {
    Violation {
        path: String::new(),
        code: Code::TooLarge,
        message: format!("The whole ask must stay under {MAX_ASK_BYTES} bytes; ask less, or with shorter texts."),
    }
}

struct Rules<'a> {
    limits: &'a Limits,
    report: Report,
}

impl Rules<'_> {
    fn ask(&mut self, ask: &Value) {
        let Some(ask) = ask.as_object() else {
            return self.wrong_type("", "The arguments", "an object with `questions`");
        };
        let Some(questions) = self.array(ask, "questions", "questions") else {
            return;
        };
        self.question_count(questions.len());
        let mut seen = Seen::default();
        for (q, question) in questions.iter().enumerate() {
            let path = format!("questions[{q}]");
            let Some(question) = question.as_object() else {
                self.wrong_type(&path, "A question", "an object with `question` and `options`");
                continue;
            };
            self.question(&path, q, question, &mut seen);
        }
    }

    fn question(&mut self, path: &str, q: usize, question: &Object, seen: &mut Seen) {
        if let Some(text) = self.required_text(question, path, "question")
            && let Some(first) = seen.repeated(text, q)
        {
            let message = format!(
                "Question {} repeats questions[{first}]; answers are keyed by the question text, so ask each only once.",
                quoted(text)
            );
            self.report.add(format_args!("{path}.question"), Code::DuplicateQuestion, message);
        }
        self.header(path, question);
        let multi_select = self.flag(question, path, "multiSelect");
        self.options(path, question, multi_select);
    }

    fn header(&mut self, path: &str, question: &Object) {
        let header = if self.limits.header_required() {
            self.required_text(question, path, "header")
        } else {
            self.optional_text(question, path, "header").inspect(|text| self.not_blank(text, path, "header"))
        };
        if let Some((header, max)) = header.zip(self.limits.header_max()) {
            let length = header.chars().count();
            if length > max {
                let message = format!(
                    "Header {} has {}; at most {max} are allowed.",
                    quoted(header),
                    counted(length, "character")
                );
                self.report.add(format_args!("{path}.header"), Code::HeaderTooLong, message);
            }
        }
    }

    fn options(&mut self, path: &str, question: &Object, multi_select: bool) {
        let list = format!("{path}.options");
        let Some(options) = self.array(question, "options", &list) else {
            return;
        };
        self.option_count(&list, question, options.len());
        let mut seen = Seen::default();
        for (o, option) in options.iter().enumerate() {
            let path = format!("{list}[{o}]");
            let Some(option) = option.as_object() else {
                self.wrong_type(&path, "An option", "an object with `label`");
                continue;
            };
            if let Some(label) = self.required_text(option, &path, "label")
                && let Some(first) = seen.repeated(label, o)
            {
                let message = format!(
                    "Label {} repeats options[{first}] of its question; give each option a label of its own.",
                    quoted(label)
                );
                self.report.add(format_args!("{path}.label"), Code::DuplicateLabel, message);
            }
            self.optional_text(option, &path, "description");
            if self.limits.previews() && self.optional_text(option, &path, "preview").is_some() && multi_select {
                let message =
                    "Previews are for single-select questions: leave `preview` out or set `multiSelect` to false.";
                self.report.add(format_args!("{path}.preview"), Code::PreviewInMultiSelect, message);
            }
        }
    }

    fn question_count(&mut self, count: usize) {
        let allowed = self.limits.questions();
        let Some(code) = outside(&allowed, count, Code::TooFewQuestions, Code::TooManyQuestions) else {
            return;
        };
        let message = format!("Must have {}; this ask has {count}.", range_of(&allowed, "question"));
        self.report.add("questions", code, message);
    }

    fn option_count(&mut self, path: &str, question: &Object, count: usize) {
        let allowed = self.limits.options();
        let Some(code) = outside(&allowed, count, Code::TooFewOptions, Code::TooManyOptions) else {
            return;
        };
        let name = question.get("question").and_then(Value::as_str).map(quoted).unwrap_or_default();
        let space = if name.is_empty() { "" } else { " " };
        let hint = if count < *allowed.start() { " Do not count \"Other\": the card adds it." } else { "" };
        let message =
            format!("Question{space}{name} must have {}; it has {count}.{hint}", range_of(&allowed, "option"));
        self.report.add(path, code, message);
    }

    fn array<'a>(&mut self, object: &'a Object, key: &str, path: &str) -> Option<&'a Vec<Value>> {
        let Some(value) = object.get(key) else {
            self.missing(path, key);
            return None;
        };
        if !value.is_array() {
            self.wrong_type(path, format_args!("`{key}`"), "an array");
        }
        value.as_array()
    }

    /// A text that must be there and be visible; `None` (and reported) where it is not a text.
    fn required_text<'a>(&mut self, object: &'a Object, path: &str, key: &str) -> Option<&'a str> {
        if !object.contains_key(key) {
            self.missing(format_args!("{path}.{key}"), key);
            return None;
        }
        let text = self.optional_text(object, path, key)?;
        self.not_blank(text, path, key);
        Some(text)
    }

    fn optional_text<'a>(&mut self, object: &'a Object, path: &str, key: &str) -> Option<&'a str> {
        let value = object.get(key)?;
        if !value.is_string() {
            self.wrong_type(format_args!("{path}.{key}"), format_args!("`{key}`"), "a string");
        }
        value.as_str()
    }

    fn flag(&mut self, object: &Object, path: &str, key: &str) -> bool {
        let Some(value) = object.get(key) else {
            return false;
        };
        if !value.is_boolean() {
            self.wrong_type(format_args!("{path}.{key}"), format_args!("`{key}`"), "true or false");
        }
        value.as_bool().unwrap_or(false)
    }

    fn not_blank(&mut self, text: &str, path: &str, key: &str) {
        if is_blank(text) {
            let message = format_args!("`{key}` is blank; write a text that the user can see.");
            self.report.add(format_args!("{path}.{key}"), Code::BlankText, message);
        }
    }

    fn missing(&mut self, path: impl Display, key: &str) {
        self.report.add(path, Code::MissingField, format_args!("`{key}` is missing."));
    }

    fn wrong_type(&mut self, path: impl Display, what: impl Display, must_be: &str) {
        self.report.add(path, Code::WrongType, format_args!("{what} must be {must_be}."));
    }
}

fn outside(allowed: &RangeInclusive<usize>, count: usize, too_few: Code, too_many: Code) -> Option<Code> {
    if count < *allowed.start() {
        Some(too_few)
    } else if count > *allowed.end() {
        Some(too_many)
    } else {
        None
    }
}

/// "1-4 questions" or "exactly 1 question", as the tool's description says it too.
pub(crate) fn range_of(allowed: &RangeInclusive<usize>, noun: &str) -> String {
    let (min, max) = (allowed.start(), allowed.end());
    if min == max { format!("exactly {}", counted(*min, noun)) } else { format!("{min}-{max} {noun}s") }
}

/// The texts so far, each with where it came first. A JSON object, because each kind of map is code of its own.
#[derive(Default)]
struct Seen(Object);

impl Seen {
    fn repeated(&mut self, text: &str, index: usize) -> Option<u64> {
        match self.0.entry(text) {
            Entry::Occupied(first) => first.get().as_u64(),
            Entry::Vacant(place) => {
                place.insert(index.into());
                None
            }
        }
    }
}
