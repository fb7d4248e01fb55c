//! Lenient reading of what models really send.
//!
//! Repair knows no profile: it brings arguments into the plain shape and reports each change as data. Whether the result is
//! legal is for [`validate`](crate::validate::validate) to say, so a merged "Other" may leave too few options.

mod other;

pub use other::{Meaning, meaning};

use crate::text::is_blank;
use crate::validate::MAX_REPORTED;
use json_tree::object;
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::{Map, Value};
use std::fmt::{self, Display};
use std::mem::take;

/// One thing that [`repair`] changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// Where, such as `questions[0].options`, in the arguments as they came; empty for the whole input.
    pub path: String,
    /// What kind of repair; its `Display`/`as_str` form is the code in JSON.
    pub code: RepairCode,
}

/// A sentence that says what was done.
impl Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.code {
            RepairCode::JsonString => "The JSON in this string was read as if it stood there itself.",
            RepairCode::SingleQuestion => "One question was wrapped into a list of questions.",
            RepairCode::BareQuestions => "The list of questions was wrapped into an object.",
            RepairCode::PlainQuestion => "The plain text was read as one question without options.",
            RepairCode::PlainOption => "The plain text was read as the option's label.",
            RepairCode::RenamedField => "This was read as `multiSelect`.",
            RepairCode::BooleanText => "The text was read as the flag that it names.",
            RepairCode::OtherMerged => "This option was left out: every question already has \"Other\".",
            RepairCode::Trimmed => "The white space around this text was removed.",
            RepairCode::EmptyRemoved => "The null or blank text was removed.",
        })
    }
}

impl Serialize for Repair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut repair = serializer.serialize_struct("Repair", 3)?;
        repair.serialize_field("path", &self.path)?;
        repair.serialize_field("code", &self.code)?;
        repair.serialize_field("message", &self.to_string())?;
        repair.end()
    }
}

/// The kinds of repair, by a code that stays what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RepairCode {
    /// The arguments, questions or options were given as a JSON string.
    JsonString,
    /// One question was given where the list of questions belongs.
    SingleQuestion,
    /// The list of questions was given without the object around it.
    BareQuestions,
    /// The questions were given as one plain text.
    PlainQuestion,
    /// An option was given as a plain text (or number) instead of an object.
    PlainOption,
    /// `multiple` or `multi_select` was given for `multiSelect`.
    RenamedField,
    /// A flag was given as the text "true" or "false".
    BooleanText,
    /// The model gave an "Other" of its own; the card has one.
    OtherMerged,
    /// White space around a text was removed.
    Trimmed,
    /// An optional field without content (null, or a blank description) was removed.
    EmptyRemoved,
}

impl RepairCode {
    /// Every kind of repair.
    pub const ALL: [Self; 10] = [
        Self::JsonString,
        Self::SingleQuestion,
        Self::BareQuestions,
        Self::PlainQuestion,
        Self::PlainOption,
        Self::RenamedField,
        Self::BooleanText,
        Self::OtherMerged,
        Self::Trimmed,
        Self::EmptyRemoved,
    ];

    /// The stable code, in `snake_case`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::JsonString => "json_string",
            Self::SingleQuestion => "single_question",
            Self::BareQuestions => "bare_questions",
            Self::PlainQuestion => "plain_question",
            Self::PlainOption => "plain_option",
            Self::RenamedField => "renamed_field",
            Self::BooleanText => "boolean_text",
            Self::OtherMerged => "other_merged",
            Self::Trimmed => "trimmed",
            Self::EmptyRemoved => "empty_removed",
        }
    }
}

impl Display for RepairCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for RepairCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Turns the JSON value of the arguments into the plain shape, reporting each change (the first
/// [`MAX_REPORTED`]). Never fails: what is beyond repair stays for [`validate`](crate::validate::validate).
#[must_use]
pub fn repair(input: Value) -> (Value, Vec<Repair>) {
    let mut log = Log::default();
    let value = log.arguments(input);
    (value, log.0)
}

/// What was repaired so far; its methods repair one part each.
#[derive(Default)]
struct Log(Vec<Repair>);

impl Log {
    fn arguments(&mut self, input: Value) -> Value {
        let mut arguments = match self.unpacked(input, "") {
            Value::Object(fields) if is_question(&fields) => {
                self.add("", RepairCode::SingleQuestion);
                object([("questions", Value::Array(vec![Value::Object(fields)]))])
            }
            Value::Object(fields) => fields,
            Value::Array(questions) => {
                self.add("", RepairCode::BareQuestions);
                object([("questions", Value::Array(questions))])
            }
            other => return other,
        };
        if let Some(questions) = arguments.get_mut("questions") {
            *questions = self.questions(take(questions));
        }
        Value::Object(arguments)
    }

    fn questions(&mut self, questions: Value) -> Value {
        let mut questions = match self.unpacked(questions, "questions") {
            Value::Array(questions) => questions,
            Value::Object(question) => {
                self.add("questions", RepairCode::SingleQuestion);
                vec![Value::Object(question)]
            }
            Value::String(text) if is_plain(&text) => {
                self.add("questions", RepairCode::PlainQuestion);
                let options = Value::Array(Vec::new());
                let question = object([("question", Value::String(text)), ("options", options)]);
                vec![Value::Object(question)]
            }
            other => return other,
        };
        for (q, question) in questions.iter_mut().enumerate() {
            let path = format!("questions[{q}]");
            *question = self.unpacked_object(take(question), &path);
            if let Value::Object(fields) = question {
                self.question(fields, &path);
            }
        }
        Value::Array(questions)
    }

    fn question(&mut self, question: &mut Map<String, Value>, path: &str) {
        self.trim(question, path, "question");
        self.remove_null(question, path, "header");
        self.trim(question, path, "header");
        self.multi_select(question, path);
        if let Some(options) = question.get_mut("options") {
            let path = format!("{path}.options");
            *options = self.unpacked(take(options), &path);
            if let Value::Array(options) = options {
                self.options(options, &path);
            }
        }
    }

    fn multi_select(&mut self, question: &mut Map<String, Value>, path: &str) {
        self.remove_null(question, path, "multiSelect");
        for alias in ["multiple", "multi_select"] {
            if question.contains_key("multiSelect") {
                break;
            }
            if let Some(value) = question.remove(alias) {
                self.add(format_args!("{path}.{alias}"), RepairCode::RenamedField);
                question.insert("multiSelect".to_owned(), value);
                self.remove_null(question, path, "multiSelect");
            }
        }
        let Some(flag) = question.get_mut("multiSelect") else {
            return;
        };
        let meant = match flag.as_str().map(str::trim) {
            Some(text) if text.eq_ignore_ascii_case("true") => true,
            Some(text) if text.eq_ignore_ascii_case("false") => false,
            _ => return,
        };
        *flag = Value::Bool(meant);
        self.add(format_args!("{path}.multiSelect"), RepairCode::BooleanText);
    }

    fn options(&mut self, options: &mut Vec<Value>, path: &str) {
        for (o, option) in options.iter_mut().enumerate() {
            self.option(option, &format!("{path}[{o}]"));
        }
        let mut o = 0;
        options.retain(|option| {
            let is_other =
                option.get("label").and_then(Value::as_str).is_some_and(|label| meaning(label) == Meaning::Other);
            if is_other {
                self.add(format_args!("{path}[{o}]"), RepairCode::OtherMerged);
            }
            o += 1;
            !is_other
        });
    }

    fn option(&mut self, option: &mut Value, path: &str) {
        *option = self.unpacked_object(take(option), path);
        let plain = match &*option {
            Value::String(label) => Some(label.clone()),
            Value::Number(label) => Some(label.to_string()),
            Value::Bool(_) | Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        if let Some(label) = plain {
            self.add(path, RepairCode::PlainOption);
            *option = Value::Object(object([("label", Value::String(label))]));
        }
        let Value::Object(option) = option else {
            return;
        };
        self.trim(option, path, "label");
        // A preview keeps its indentation.
        self.trim(option, path, "description");
        for key in ["description", "preview"] {
            self.remove_null(option, path, key);
            self.remove_blank(option, path, key);
        }
    }

    /// What a JSON string says, where it says an object or a list; other values as they are.
    fn unpacked(&mut self, value: Value, path: &str) -> Value {
        let inner = value.as_str().and_then(unpack);
        self.unpacked_or(inner, value, path)
    }

    /// As [`unpacked`](Self::unpacked) where only an object makes sense, so that a label such as `[x]` stays a label.
    fn unpacked_object(&mut self, value: Value, path: &str) -> Value {
        let inner = value.as_str().and_then(unpack).filter(Value::is_object);
        self.unpacked_or(inner, value, path)
    }

    fn unpacked_or(&mut self, inner: Option<Value>, value: Value, path: &str) -> Value {
        let Some(inner) = inner else {
            return value;
        };
        self.add(path, RepairCode::JsonString);
        inner
    }

    fn trim(&mut self, object: &mut Map<String, Value>, path: &str, key: &str) {
        let Some(Value::String(text)) = object.get_mut(key) else {
            return;
        };
        let trimmed = text.trim();
        if trimmed.len() != text.len() {
            *text = trimmed.to_owned();
            self.add(format_args!("{path}.{key}"), RepairCode::Trimmed);
        }
    }

    fn remove_null(&mut self, object: &mut Map<String, Value>, path: &str, key: &str) {
        if object.get(key).is_some_and(Value::is_null) {
            object.remove(key);
            self.add(format_args!("{path}.{key}"), RepairCode::EmptyRemoved);
        }
    }

    fn remove_blank(&mut self, object: &mut Map<String, Value>, path: &str, key: &str) {
        if object.get(key).and_then(Value::as_str).is_some_and(is_blank) {
            object.remove(key);
            self.add(format_args!("{path}.{key}"), RepairCode::EmptyRemoved);
        }
    }

    fn add(&mut self, path: impl Display, code: RepairCode) {
        if self.0.len() < MAX_REPORTED {
            self.0.push(Repair { path: path.to_string(), code });
        }
    }
}

fn is_question(fields: &Map<String, Value>) -> bool {
    !fields.contains_key("questions") && fields.contains_key("question") && fields.contains_key("options")
}

/// Whether a text is one for people, and not JSON that can't be read.
fn is_plain(text: &str) -> bool {
    !is_blank(text) && !text.trim_start().starts_with(['{', '[', '"'])
}

/// The object or list in a JSON text, which may have been packed more than once: what [`repair`] puts into the place of such a string where
/// one belongs.
#[must_use]
pub fn unpack(text: &str) -> Option<Value> {
    const MOST_LAYERS: usize = 3;
    let mut layer = text.trim().to_owned();
    for _ in 0..MOST_LAYERS {
        if !layer.starts_with(['{', '[', '"']) {
            return None;
        }
        match json_tree::parse_unique(&layer) {
            Ok(Value::String(inner)) => layer = inner.trim().to_owned(),
            Ok(value) => return Some(value),
            Err(_) => return None,
        }
    }
    None
}
