//! The rules, in the order in which an ask is read.

use super::{Code, MAX_ASK_BYTES, Report, Violation, exceeds};
use crate::limits::Limits;
use crate::text::{counted, is_blank, quoted};
use json_tree::Json;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::RangeInclusive;

pub(super) fn violations(limits: &Limits, ask: &Json<'_>) -> Vec<Violation> {
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
    fn ask(&mut self, ask: &Json<'_>) {
        let Json::Object(_) = ask else {
            return self.wrong_type("", "The arguments", "an object with `questions`");
        };
        let Some(questions) = self.array(ask, "questions", "questions") else {
            return;
        };
        self.question_count(questions.len());
        let mut seen = Seen::default();
        for (q, question) in questions.iter().enumerate() {
            let path = format!("questions[{q}]");
            let Json::Object(_) = question else {
                self.wrong_type(&path, "A question", "an object with `question` and `options`");
                continue;
            };
            self.question(&path, q, question, &mut seen);
        }
    }

    fn question<'a>(&mut self, path: &str, q: usize, question: &'a Json<'a>, seen: &mut Seen<'a>) {
        if let Some(text) = self.required_text(question, path, "question")
            && let Some(first) = seen.repeated(text.trim(), q)
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

    fn header(&mut self, path: &str, question: &Json<'_>) {
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

    fn options(&mut self, path: &str, question: &Json<'_>, multi_select: bool) {
        let list = format!("{path}.options");
        if *self.limits.options().start() == 0 && question.get("options").is_none() {
            return;
        }
        let Some(options) = self.array(question, "options", &list) else {
            return;
        };
        self.option_count(&list, question, options.len());
        let mut seen = Seen::default();
        for (o, option) in options.iter().enumerate() {
            let path = format!("{list}[{o}]");
            let Json::Object(_) = option else {
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

    fn option_count(&mut self, path: &str, question: &Json<'_>, count: usize) {
        let allowed = self.limits.options();
        let Some(code) = outside(&allowed, count, Code::TooFewOptions, Code::TooManyOptions) else {
            return;
        };
        let name = question.get("question").and_then(Json::as_str).map(quoted).unwrap_or_default();
        let space = if name.is_empty() { "" } else { " " };
        let hint = if code == Code::TooFewOptions { " Do not count \"Other\": the card adds it." } else { "" };
        let message =
            format!("Question{space}{name} must have {}; it has {count}.{hint}", range_of(&allowed, "option"));
        self.report.add(path, code, message);
    }

    fn array<'a>(&mut self, object: &'a Json<'a>, key: &str, path: &str) -> Option<&'a [Json<'a>]> {
        let Some(value) = object.get(key) else {
            self.missing(path, key);
            return None;
        };
        match value {
            Json::List(_) => {}
            // The model may have meant the text to be JSON.
            Json::Text(text) => match Json::parse(text) {
                Err(error) if text.trim_start().starts_with(['[', '{', '<']) => {
                    let near =
                        text.get(text.floor_char_boundary(error.offset.saturating_sub(20))..).unwrap_or_default();
                    let must_be = format!(
                        "an array; as text it must at least be JSON, and near {} there is: {error}",
                        quoted(near)
                    );
                    self.wrong_type(path, format_args!("`{key}`"), &must_be);
                }
                _ => self.wrong_type(path, format_args!("`{key}`"), "an array"),
            },
            _ => self.wrong_type(path, format_args!("`{key}`"), "an array"),
        }
        value.as_list()
    }

    /// A text that must be there and be visible; `None` (and reported) where it is not a text.
    fn required_text<'a>(&mut self, object: &'a Json<'a>, path: &str, key: &str) -> Option<&'a str> {
        if object.get(key).is_none() {
            self.missing(format_args!("{path}.{key}"), key);
            return None;
        }
        let text = self.optional_text(object, path, key)?;
        self.not_blank(text, path, key);
        Some(text)
    }

    fn optional_text<'a>(&mut self, object: &'a Json<'a>, path: &str, key: &str) -> Option<&'a str> {
        let value = object.get(key)?;
        if value.as_str().is_none() {
            self.wrong_type(format_args!("{path}.{key}"), format_args!("`{key}`"), "a string");
        }
        value.as_str()
    }

    fn flag(&mut self, object: &Json<'_>, path: &str, key: &str) -> bool {
        let Some(value) = object.get(key) else {
            return false;
        };
        if value.as_bool().is_none() {
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

/// The texts so far, each with where it came first.
#[derive(Default)]
struct Seen<'a>(BTreeMap<&'a str, usize>);

impl<'a> Seen<'a> {
    fn repeated(&mut self, text: &'a str, index: usize) -> Option<usize> {
        let first = *self.0.entry(text).or_insert(index);
        (first != index).then_some(first)
    }
}
