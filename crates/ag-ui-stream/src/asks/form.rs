//! Asks made from the JSON Schema of an interrupt's answer, and the payload made from the reply.

use ask_user_question::outcome::Outcome;
use ask_user_question::reply::{Answer, Reply, Selection};
use ask_user_question::text::is_blank;
use ask_user_question::{AskUserQuestion, Question, QuestionOption};
use json_tree::{Json, Members};
use std::fmt;
use std::slice;
use std::sync::Arc;

/// What agents call the member that says whether something is approved, the protocol's own name first.
pub(super) const APPROVALS: [&str; 4] = ["approved", "accepted", "confirmed", "approve"];

/// A conversion of the reply into the form that the agent expects. A page without forms carries no code for it.
pub(super) trait Payload: Send + Sync {
    /// The payload that a reply stands for, or the sentence that says why it is none.
    fn payload(&self, reply: &Reply) -> Result<Json<'static>, String>;
    /// The outcome that a payload stands for.
    fn read(&self, ask: &AskUserQuestion, payload: &Json<'static>) -> Option<Outcome>;
}

/// By a word: what each form holds would be code that every page with forms carries.
impl fmt::Debug for dyn Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Payload")
    }
}

/// An ask, and how its reply becomes a payload, if not in the tool's own form.
pub(super) type Asked = (AskUserQuestion, Option<Arc<dyn Payload>>);

/// The members of the answer, in the order of the questions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Form {
    members: Vec<Member>,
    /// The answer is the value of the only member, no object.
    is_bare: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Member {
    name: String,
    kind: Kind,
    required: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Text,
    Number {
        integer: bool,
    },
    /// One of these values, or several.
    Choice {
        values: Vec<Json<'static>>,
        several: bool,
    },
}

/// What is asked where nothing says it.
const GO_AHEAD: &str = "Go ahead?";

/// The values of a yes or no.
const FLAGS: [Json<'static>; 2] = [Json::Bool(true), Json::Bool(false)];

impl Form {
    /// The ask for an object that the schema describes. What is optional and can't be asked for is left out, and an approval is asked alone:
    /// the members beside it are for changing what is approved. `None` where something required can't be asked for, or nothing can.
    pub(super) fn of(message: &str, schema: &Json<'static>) -> Option<Asked> {
        let Some(properties) = schema.get("properties").and_then(Json::as_object) else {
            return Self::of_value(message, schema);
        };
        let required = required(schema);
        let approval = APPROVALS.into_iter().find(|name| {
            let kind = properties.find(name).and_then(Kind::of);
            kind.is_some_and(|kind| kind.is_flag()) && required.iter().all(|required| required == name)
        });
        let (mut questions, mut members) = (Vec::new(), Vec::new());
        for (name, property) in properties {
            if approval.is_some_and(|approval| approval != name) {
                continue;
            }
            let required = required.contains(&&**name);
            let Some(kind) = Kind::of(property) else {
                if required {
                    return None;
                }
                continue;
            };
            let title = text(property, "title").unwrap_or(name);
            let mut question = kind.question(text(property, "description").unwrap_or(title));
            question.header = Some(title.to_owned());
            questions.push(question);
            members.push(Member { name: name.clone().into_owned(), kind, required });
        }
        match &mut questions[..] {
            [] => return None,
            [only] => {
                only.header = None;
                if !is_blank(message) {
                    message.clone_into(&mut only.question);
                }
            }
            // What all questions are about stands before the first.
            [first, ..] if !is_blank(message) => first.question = message.to_owned() + "\n" + &first.question,
            _ => {}
        }
        Some(Self { members, is_bare: false }.with(questions))
    }

    /// The ask for a value that is no object.
    fn of_value(message: &str, schema: &Json<'static>) -> Option<Asked> {
        let kind = Kind::of(schema)?;
        let described = || text(schema, "description").or_else(|| text(schema, "title"));
        let question = if is_blank(message) { described().unwrap_or(GO_AHEAD) } else { message };
        let questions = vec![kind.question(question)];
        let members = vec![Member { name: String::new(), kind, required: true }];
        Some(Self { members, is_bare: true }.with(questions))
    }

    /// The ask for a yes or no that no schema describes, and that the agent reads from this member.
    pub(super) fn approval(message: &str, member: &str) -> Asked {
        let kind = Kind::flag();
        let question = kind.question(if is_blank(message) { GO_AHEAD } else { message });
        let member = Member { name: member.to_owned(), kind, required: true };
        Self { members: vec![member], is_bare: false }.with(vec![question])
    }

    fn with(self, questions: Vec<Question>) -> Asked {
        (AskUserQuestion::new(questions), Some(Arc::new(self)))
    }
}

impl Payload for Form {
    fn payload(&self, reply: &Reply) -> Result<Json<'static>, String> {
        let mut payload = Members::new();
        for (member, answer) in self.members.iter().zip(reply.answers()) {
            if !answer.skipped {
                payload.push((member.name.clone().into(), member.kind.value(answer)?));
            } else if member.required {
                return Err(about(&answer.question, " must be answered"));
            }
        }
        Ok(match payload.pop() {
            Some((_, value)) if self.is_bare => value,
            last => {
                payload.extend(last);
                Json::Object(payload)
            }
        })
    }

    fn read(&self, ask: &AskUserQuestion, payload: &Json<'static>) -> Option<Outcome> {
        let mut selections = Vec::new();
        for (question, member) in self.members.iter().enumerate() {
            let mut selection = Selection { question, ..Selection::default() };
            let value = if self.is_bare { Some(payload) } else { payload.get(&member.name) };
            match value {
                Some(value) => member.kind.select(value, &mut selection),
                None => selection.skipped = true,
            }
            selections.push(selection);
        }
        Reply::of(ask, selections).map(Outcome::Answered)
    }
}

impl Kind {
    fn flag() -> Self {
        Self::Choice { values: FLAGS.into(), several: false }
    }

    fn is_flag(&self) -> bool {
        matches!(self, Self::Choice { values, .. } if *values == FLAGS)
    }

    fn of(schema: &Json<'static>) -> Option<Self> {
        if let Some(values) = choices(schema) {
            return Some(Self::Choice { values, several: false });
        }
        // A value that may be null is one that may be left out.
        for alternatives in ["anyOf", "oneOf", "allOf"] {
            let is_null = |one: &Json<'static>| one.get("type").is_some_and(is_null);
            let listed = schema.get(alternatives).and_then(Json::as_list).unwrap_or_default();
            if let Some(only) = only(listed, is_null) {
                return Self::of(only);
            }
        }
        let types = schema.get("type")?;
        let only = only(types.as_list().unwrap_or(slice::from_ref(types)), is_null)?;
        match only.as_str()? {
            "boolean" => Some(Self::flag()),
            "string" => Some(Self::Text),
            "number" => Some(Self::Number { integer: false }),
            "integer" => Some(Self::Number { integer: true }),
            "array" => Some(Self::Choice { values: choices(schema.get("items")?)?, several: true }),
            _ => None,
        }
    }

    /// The question for such a member.
    fn question(&self, text: &str) -> Question {
        let mut question = Question::new(text, [""; 0]);
        if let Self::Choice { values, several } = self {
            question.multi_select = *several;
            for value in values {
                question.options.push(option(match value {
                    Json::Bool(true) => "Yes".to_owned(),
                    Json::Bool(false) => "No".to_owned(),
                    value => plain(value),
                }));
            }
        }
        question
    }

    fn value(&self, answer: &Answer) -> Result<Json<'static>, String> {
        let typed = answer.other.as_deref().map(str::trim);
        match (self, typed) {
            (Self::Choice { values, several }, None) => {
                let mut picked = Vec::new();
                for selected in &answer.selected {
                    picked.extend(values.get(selected.index).cloned());
                }
                Ok(if *several { Json::List(picked) } else { picked.pop().unwrap_or_default() })
            }
            (Self::Text, Some(text)) => Ok(text.into()),
            (Self::Number { integer }, Some(text)) => match Json::parse(text) {
                Ok(Json::Number(number)) if !integer => Ok(Json::Number(number).into_static()),
                Ok(Json::Number(number)) if number.as_u64().is_some() => Ok(Json::Number(number).into_static()),
                Ok(Json::Number(number)) if let Some(whole) = number.as_whole() => Ok(Json::Number(whole.into())),
                _ => Err(about(text, " is not a number that ") + &about(&answer.question, " can have")),
            },
            _ => Err(about(&answer.question, " takes one of its options")),
        }
    }

    /// Selects what a value stands for.
    fn select(&self, value: &Json<'static>, selection: &mut Selection) {
        if let Self::Choice { values, .. } = self {
            for value in value.as_list().unwrap_or(slice::from_ref(value)) {
                selection.selected.extend(values.iter().position(|choice| choice == value));
            }
        }
        if selection.selected.is_empty() {
            selection.other = Some(plain(value));
        }
    }
}

/// A text of a schema that says something.
fn text<'s>(schema: &'s Json<'static>, name: &str) -> Option<&'s str> {
    schema.get(name).and_then(Json::as_str).filter(|text| !is_blank(text))
}

/// The only item that is not null in a way of its own.
fn only<'s>(items: &'s [Json<'static>], is_null: fn(&Json<'static>) -> bool) -> Option<&'s Json<'static>> {
    let mut others = items.iter().filter(|item| !is_null(item));
    let only = others.next()?;
    others.next().is_none().then_some(only)
}

fn is_null(name: &Json<'static>) -> bool {
    name.as_str() == Some("null")
}

/// The members that must be there. Where one of several must, as with aliases, the first of them.
fn required<'s>(schema: &'s Json<'static>) -> Vec<&'s str> {
    let alternative = ["anyOf", "oneOf"].iter().find_map(|name| schema.get(name)?.as_list()?.first()?.get("required"));
    let mut names = Vec::new();
    for required in [schema.get("required"), alternative] {
        for name in required.and_then(Json::as_list).unwrap_or_default() {
            names.extend(name.as_str());
        }
    }
    names
}

/// The values of an `enum`, or of a `oneOf` of constants.
fn choices(schema: &Json<'static>) -> Option<Vec<Json<'static>>> {
    let mut values = Vec::new();
    match schema.get("enum").and_then(Json::as_list) {
        Some(listed) => values.extend_from_slice(listed),
        None => {
            for one in schema.get("oneOf")?.as_list()? {
                values.push(one.get("const")?.clone());
            }
        }
    }
    (!values.is_empty()).then_some(values)
}

fn plain(value: &Json<'static>) -> String {
    value.as_str().map_or_else(|| value.text(), str::to_owned)
}

/// What is said about a text, which stands in quotation marks.
pub(super) fn about(text: &str, what: &str) -> String {
    String::from("\"") + text + "\"" + what
}

pub(super) fn option(label: String) -> QuestionOption {
    QuestionOption::new(label)
}
