//! The rules, checked in the order in which an ask is read.

use super::size::{MAX_ASK_BYTES, exceeds};
use super::violation::{Code, Report, Violation};
use crate::input::{self, Input, InputKind};
use crate::limits::{ExtraMember, Limits};
use crate::members::{Kind, Member, Of};
use crate::picture;
use crate::text::{counted, is_blank, joined, quoted};
use crate::wire::AskUserQuestion;
use json_tree::{Ids, Json, WireValue};
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

/// The violation for an ask larger than [`MAX_ASK_BYTES`].
#[must_use]
pub fn too_large() -> Violation {
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
        let (count, allowed) = (questions.len(), self.limits.questions());
        if let Some(code) = outside(&allowed, count, Code::TooFewQuestions, Code::TooManyQuestions) {
            let message = format_args!("Must have {}; this ask has {count}.", range_of(&allowed, "question"));
            self.report.add("questions", code, message);
        }
        self.items(Of::Question, "questions", questions, "A question", "an object with `question` and `options`");
        if self.limits.offers(ExtraMember::ShowIf) {
            self.conditions(ask);
        }
        for row in Of::Arguments.members() {
            if !self.limits.tell_of(row) || ask.get(row.name).is_none() {
                continue;
            }
            match row.kind {
                Kind::Text => drop(self.text(ask, row.name, row.name)),
                Kind::Flag => self.flag(ask, row.name, row.name),
                _ => {}
            }
        }
    }

    /// Checks the members of a question or an option. `seen` are texts that must be unique.
    fn members(&mut self, of: Of, path: &str, index: usize, object: &Json<'_>, seen: &mut Seen) {
        for row in of.members() {
            let (path, is_described) =
                (format!("{path}.{}", row.name), row.member == Member::Alt && object.get("image").is_some());
            let is_required = is_described || self.limits.require(row);
            if !self.limits.tell_of(row) || !is_required && object.get(row.name).is_none() {
                continue;
            }
            match row.kind {
                Kind::Key | Kind::Plain | Kind::Text => {
                    let Some(text) = self.text(object, row.name, &path) else { continue };
                    if is_blank(text) && (is_required || row.member == Member::Header) {
                        let message = format_args!("`{}` is blank; write a text that the user can see.", row.name);
                        self.report.add(&path, Code::BlankText, message);
                    }
                    self.text_rule(row.member, text, &path, index, seen);
                }
                Kind::Input => self.input(object, &path),
                Kind::Condition => self.condition(object, &path),
                Kind::Flag => self.flag(object, row.name, &path),
                Kind::List(_) => self.options(object, &path),
            }
        }
        if of == Of::Question && self.limits.offers(ExtraMember::Input) {
            self.beside(object, path);
        }
    }

    fn input(&mut self, question: &Json<'_>, path: &str) {
        let Some(sent) = question.get("input") else { return };
        let Json::Object(_) = sent else {
            return self.wrong_type(path, "`input`", "an object with `type`");
        };
        let at = |name: &str| format!("{path}.{name}");
        let word = match sent.get("type") {
            None => return self.missing(at("type"), "type"),
            Some(word) => word.as_str(),
        };
        for name in input::BOUNDS {
            if !matches!(sent.get(name), None | Some(Json::Number(_) | Json::Text(_))) {
                self.wrong_type(at(name), format_args!("`{name}`"), "a number or a string");
            }
        }
        if !matches!(sent.get("unit"), None | Some(Json::Text(_))) {
            self.wrong_type(at("unit"), "`unit`", "a string");
        }
        let words = InputKind::offered();
        if word.is_none_or(|word| !words.contains(&word)) {
            return self.wrong_type(at("type"), "`type`", &format!("one of {}", joined(&words, ", ")));
        }
        let Some(input) = Input::of(sent) else { return };
        for (name, message) in input.faults() {
            self.report.add(at(name), Code::BadInput, message);
        }
    }

    fn condition(&mut self, question: &Json<'_>, path: &str) {
        let Some(sent) = question.get("showIf") else { return };
        let Json::Object(_) = sent else {
            return self.wrong_type(path, "`showIf`", "an object with `question` and `is`");
        };
        for name in ["question", "is"] {
            self.text(sent, name, &format!("{path}.{name}"));
        }
    }

    /// Checks that each condition is about an earlier question, which also excludes cycles.
    fn conditions(&mut self, ask: &Json<'_>) {
        let ask = AskUserQuestion::read(Some(ask));
        for (at, question) in ask.questions.iter().enumerate() {
            let Some(condition) = &question.show_if else { continue };
            let (name, message) = match ask.condition(at).map(|(_, source)| &ask.questions[source].options) {
                None => ("question", "must be the text or the header of a question before this one."),
                Some(options) if !options.is_empty() && !options.iter().any(|option| option.meets(condition)) => {
                    ("is", "must be the label of an option of that question.")
                }
                Some(_) => continue,
            };
            let path = format_args!("questions[{at}].showIf.{name}");
            self.report.add(path, Code::BadCondition, format_args!("`{name}` {message}"));
        }
    }

    /// Checks the options of a question that has an input.
    fn beside(&mut self, question: &Json<'_>, path: &str) {
        let (input, options) = (question.get("input"), question.get("options"));
        let kind = input.and_then(Input::of).map(|input| (input.kind, input.is_typed()));
        let count = options.and_then(Json::as_list).map(<[_]>::len);
        let message = match kind {
            None if input.is_none() && options.is_none() && *self.limits.options().start() > 0 => {
                "Give `options` to choose from, or an `input`."
            }
            Some((_, true)) if count.is_some_and(|count| count > 0) => "Leave `options` out: the answer is typed.",
            Some((InputKind::Rank, _)) if count.is_none_or(|count| count < 2) => {
                "Give the `options` that are to be ranked."
            }
            Some((InputKind::YesNo, _)) if count.is_some_and(|count| count != 2) => {
                "A yes or no has two `options`, the yes first, or none."
            }
            _ => return,
        };
        self.report.add(format_args!("{path}.options"), Code::BadInput, message);
    }

    /// Checks the rule for this member's text, in addition to those for all texts.
    fn text_rule(&mut self, member: Member, text: &str, path: &str, index: usize, seen: &mut Seen) {
        let (code, message) = match member {
            Member::Question if let Some(first) = seen.repeated(text.trim(), index) => (
                Code::DuplicateQuestion,
                format!(
                    "Question {} repeats questions[{first}]; answers are keyed by the question text, so ask each only once.",
                    quoted(text)
                ),
            ),
            Member::Label if let Some(first) = seen.repeated(text, index) => (
                Code::DuplicateLabel,
                format!(
                    "Label {} repeats options[{first}] of its question; give each option a label of its own.",
                    quoted(text)
                ),
            ),
            Member::Image if !picture::is_legal(text) => {
                (Code::BadImage, format!("{} must be {}.", quoted(text), picture::MUST_BE))
            }
            Member::Header if let Some(max) = self.limits.header_max.filter(|max| text.chars().count() > *max) => (
                Code::HeaderTooLong,
                format!(
                    "Header {} has {}; at most {max} are allowed.",
                    quoted(text),
                    counted(text.chars().count(), "character")
                ),
            ),
            _ => return,
        };
        self.report.add(path, code, message);
    }

    fn options(&mut self, question: &Json<'_>, path: &str) {
        let Some(options) = self.array(question, "options", path) else {
            return;
        };
        self.option_count(path, question, options.len());
        self.items(Of::Option, path, options, "An option", "an object with `label`");
    }

    fn items(&mut self, of: Of, path: &str, items: &[Json<'_>], what: &str, must_be: &str) {
        let mut seen = Seen::default();
        for (index, item) in items.iter().enumerate() {
            let path = format!("{path}[{index}]");
            match item {
                Json::Object(_) => self.members(of, &path, index, item, &mut seen),
                _ => self.wrong_type(&path, what, must_be),
            }
        }
    }

    fn option_count(&mut self, path: &str, question: &Json<'_>, count: usize) {
        let allowed = self.limits.options();
        let Some(code) = outside(&allowed, count, Code::TooFewOptions, Code::TooManyOptions) else {
            return;
        };
        let name = question.string("question").map(quoted).unwrap_or_default();
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
            // The model may have meant the string to be JSON.
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

    /// Returns a text. If it is missing or of another type, reports that and returns `None`.
    fn text<'a>(&mut self, object: &'a Json<'a>, key: &str, path: &str) -> Option<&'a str> {
        let Some(value) = object.get(key) else {
            self.missing(path, key);
            return None;
        };
        if value.as_str().is_none() {
            self.wrong_type(path, format_args!("`{key}`"), "a string");
        }
        value.as_str()
    }

    fn flag(&mut self, object: &Json<'_>, key: &str, path: &str) {
        if object.get(key).is_some_and(|value| value.as_bool().is_none()) {
            self.wrong_type(path, format_args!("`{key}`"), "true or false");
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

/// A range in words, such as "1-4 questions" or "exactly 1 question".
pub(crate) fn range_of(allowed: &RangeInclusive<usize>, noun: &str) -> String {
    let (min, max) = (allowed.start(), allowed.end());
    if min == max { format!("exactly {}", counted(*min, noun)) } else { format!("{min}-{max} {noun}s") }
}

#[derive(Default)]
struct Seen(Ids);

impl Seen {
    fn repeated(&mut self, text: &str, index: usize) -> Option<usize> {
        let first = self.0.find(text);
        if first.is_none() {
            self.0.put(text, index);
        }
        first.filter(|first| *first != index)
    }
}
