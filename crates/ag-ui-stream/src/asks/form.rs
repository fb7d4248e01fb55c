//! Asks made from the JSON Schema of an interrupt's answer, and the payload made from the reply.

use ask_user_question::outcome::Outcome;
use ask_user_question::reply::{Answer, Reply, Selection};
use ask_user_question::{AskUserQuestion, Question, QuestionOption};
use json_tree::{Json, Members, Number, sorted};

/// What agents call the member that says whether something is approved, the protocol's own name first.
pub(super) const APPROVALS: [&str; 4] = ["approved", "accepted", "confirmed", "approve"];

/// The members of the answer, in the order of the questions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Form {
    members: Vec<Member>,
}

#[derive(Clone, Debug, PartialEq)]
struct Member {
    name: String,
    kind: Kind,
    required: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// Yes or no.
    Flag,
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

impl Form {
    /// The ask for an object that the schema describes. What is optional and can't be asked for is left out, and an approval is asked alone:
    /// the members beside it are for changing what is approved. `None` where something required can't be asked for, or nothing can.
    pub(super) fn of(message: &str, schema: &Json<'static>) -> Option<(AskUserQuestion, Self)> {
        let properties = schema.get("properties")?.as_object()?;
        let required = required(schema);
        let is_approval = |name: &&str| {
            let is_flag = sorted::get(properties, name).and_then(Kind::of) == Some(Kind::Flag);
            is_flag && required.iter().all(|required| required == name)
        };
        let approval = APPROVALS.into_iter().find(is_approval);
        let is_asked = |name: &str| approval.is_none_or(|approval| approval == name);
        let mut members = Vec::new();
        for (name, property) in properties.iter().filter(|(name, _)| is_asked(name)) {
            let required = required.contains(&&**name);
            match Kind::of(property) {
                Some(kind) => members.push((property, Member { name: name.clone().into_owned(), kind, required })),
                None if required => return None,
                None => {}
            }
        }
        let is_alone = members.len() == 1;
        let question = |(property, member): &(&Json<'static>, Member)| {
            let text = |key: &str| property.get(key).and_then(Json::as_str).filter(|text| !text.trim().is_empty());
            let own = text("description").or_else(|| text("title")).unwrap_or(&member.name);
            let title = || text("title").unwrap_or(&member.name).to_owned();
            Question {
                question: if is_alone && !message.trim().is_empty() { message } else { own }.to_owned(),
                header: (!is_alone).then(title),
                multi_select: matches!(member.kind, Kind::Choice { several: true, .. }),
                options: member.kind.labels().into_iter().map(option).collect(),
            }
        };
        let questions: Vec<Question> = members.iter().map(question).collect();
        let members = members.into_iter().map(|(_, member)| member).collect();
        (!questions.is_empty()).then_some((AskUserQuestion { questions }, Self { members }))
    }

    /// The ask for a yes or no that no schema describes, and that the agent reads from this member.
    pub(super) fn approval(message: &str, member: &str) -> (AskUserQuestion, Self) {
        let message = Some(message).filter(|message| !message.trim().is_empty());
        let kind = Kind::Flag;
        let question = Question {
            question: message.unwrap_or("Go ahead?").to_owned(),
            header: None,
            multi_select: false,
            options: kind.labels().into_iter().map(option).collect(),
        };
        let member = Member { name: member.to_owned(), kind, required: true };
        let ask = AskUserQuestion { questions: vec![question] };
        (ask, Self { members: vec![member] })
    }

    /// The payload that a reply stands for, or the sentence that says why it is none.
    pub(super) fn payload(&self, reply: &Reply) -> Result<Json<'static>, String> {
        let mut payload = Members::new();
        for (member, answer) in self.members.iter().zip(reply.answers()) {
            if !answer.skipped {
                sorted::insert(&mut payload, &member.name, member.kind.value(answer)?);
            } else if member.required {
                return Err(about(&answer.question, " must be answered"));
            }
        }
        Ok(Json::Object(payload))
    }

    /// The outcome that a payload stands for.
    pub(super) fn read(&self, ask: &AskUserQuestion, payload: &Json<'static>) -> Option<Outcome> {
        let selection = |(question, member): (usize, &Member)| match payload.get(&member.name) {
            Some(value) => member.kind.selection(question, value),
            None => Selection { question, skipped: true, ..Selection::default() },
        };
        let selections = self.members.iter().enumerate().map(selection).collect();
        Reply::of(ask, selections).map(Outcome::Answered)
    }
}

impl Kind {
    fn of(schema: &Json<'static>) -> Option<Self> {
        if let Some(values) = choices(schema) {
            return Some(Self::Choice { values, several: false });
        }
        // A value that may be null is one that may be left out.
        for alternatives in ["anyOf", "oneOf", "allOf"] {
            let listed = schema.get(alternatives).and_then(Json::as_list);
            let mut kinds = listed.into_iter().flatten().filter(|one| !is_null(one));
            if let (Some(only), None) = (kinds.next(), kinds.next()) {
                return Self::of(only);
            }
        }
        let types = match schema.get("type") {
            Some(Json::List(types)) => types.as_slice(),
            Some(one) => std::slice::from_ref(one),
            None => &[],
        };
        let mut types = types.iter().filter(|it| it.as_str() != Some("null"));
        let (Some(only), None) = (types.next(), types.next()) else {
            return None;
        };
        match only.as_str() {
            Some("boolean") => Some(Self::Flag),
            Some("string") => Some(Self::Text),
            Some("number") => Some(Self::Number { integer: false }),
            Some("integer") => Some(Self::Number { integer: true }),
            Some("array") => schema.get("items").and_then(choices).map(|values| Self::Choice { values, several: true }),
            _ => None,
        }
    }

    fn labels(&self) -> Vec<String> {
        match self {
            Self::Flag => vec!["Yes".to_owned(), "No".to_owned()],
            Self::Text | Self::Number { .. } => Vec::new(),
            Self::Choice { values, .. } => values.iter().map(plain).collect(),
        }
    }

    fn value(&self, answer: &Answer) -> Result<Json<'static>, String> {
        let typed = answer.other.as_deref().map(str::trim);
        let first = answer.selected.first().map(|selected| selected.index);
        match (self, first, typed) {
            (Self::Flag, Some(index), None) => Ok(Json::Bool(index == 0)),
            (Self::Choice { values, several: false }, Some(index), None) => {
                Ok(values.get(index).cloned().unwrap_or(Json::Null))
            }
            (Self::Choice { values, several: true }, _, None) => {
                let picked = answer.selected.iter().filter_map(|selected| values.get(selected.index).cloned());
                Ok(Json::List(picked.collect()))
            }
            (Self::Text, _, Some(text)) => Ok(text.into()),
            (Self::Number { integer }, _, Some(text)) => {
                let is_whole = |it: &Number<'_>| it.as_i64().is_some() || it.as_u64().is_some();
                match Json::parse(text) {
                    Ok(Json::Number(number)) if !integer || is_whole(&number) => Ok(Json::Number(number).into_static()),
                    _ => Err(about(text, " is not a number that ") + &about(&answer.question, " can have")),
                }
            }
            _ => Err(about(&answer.question, " takes one of its options")),
        }
    }

    fn selection(&self, question: usize, value: &Json<'static>) -> Selection {
        let at = |value: &Json<'static>| match self {
            Self::Flag => value.as_bool().map(|yes| usize::from(!yes)),
            Self::Choice { values, .. } => values.iter().position(|choice| choice == value),
            Self::Text | Self::Number { .. } => None,
        };
        let selected: Vec<usize> = match value {
            Json::List(items) => items.iter().filter_map(at).collect(),
            value => at(value).into_iter().collect(),
        };
        let other = selected.is_empty().then(|| plain(value));
        Selection { question, selected, other, ..Selection::default() }
    }
}

fn is_null(schema: &Json<'static>) -> bool {
    schema.get("type").is_some_and(|it| it.as_str() == Some("null"))
}

/// The members that must be there. Where one of several must, as with aliases, the first of them.
fn required<'s>(schema: &'s Json<'static>) -> Vec<&'s str> {
    let alternative = ["anyOf", "oneOf"].iter().find_map(|name| schema.get(name)?.as_list()?.first()?.get("required"));
    let named = schema.get("required").into_iter().chain(alternative);
    let names = named.filter_map(Json::as_list).flatten();
    names.filter_map(Json::as_str).collect()
}

/// The values of an `enum`, or of a `oneOf` of constants.
fn choices(schema: &Json<'static>) -> Option<Vec<Json<'static>>> {
    let listed = schema.get("enum").and_then(Json::as_list).map(<[_]>::to_vec);
    let constants = || schema.get("oneOf")?.as_list()?.iter().map(|one| one.get("const").cloned()).collect();
    listed.or_else(constants).filter(|values| !values.is_empty())
}

fn plain(value: &Json<'static>) -> String {
    value.as_str().map_or_else(|| value.text(), str::to_owned)
}

/// What is said about a text, which stands in quotation marks.
pub(super) fn about(text: &str, what: &str) -> String {
    String::from("\"") + text + "\"" + what
}

pub(super) fn option(label: impl Into<String>) -> QuestionOption {
    QuestionOption { label: label.into(), description: None, preview: None }
}
