#![doc = include_str!("../README.md")]
#![warn(clippy::unwrap_used)]

use ask_user_question::input::{Input, InputKind, Typed};
use ask_user_question::reply::{Answer, Given, Selection};
use ask_user_question::text::is_blank;
use ask_user_question::{AskUserQuestion, Question, QuestionOption, Reply};
use json_tree::{Json, Members, Number, WireValue};
use std::slice;

/// The member names by which agents ask for approval; the protocol's own comes first.
pub const APPROVALS: [&str; 4] = ["approved", "accepted", "confirmed", "approve"];

/// How answers map to an object: its members, in the order of the questions.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    members: Vec<Member>,
    /// The answer is the bare value of the only member instead of an object.
    is_bare: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Member {
    name: String,
    /// The values of the options, in order; empty if the answer is typed.
    values: Vec<Json<'static>>,
    /// The value is a list of several options.
    several: bool,
    required: bool,
    /// Own words have a separate member.
    has_custom: bool,
}

/// A question without its text, and the values of its options.
pub type Asked = (Question, Vec<Json<'static>>);

/// The question for a schema without a text.
const GO_AHEAD: &str = "Go ahead?";

const FLAGS: [Json<'static>; 2] = [Json::Bool(true), Json::Bool(false)];

/// The maximum number of references and alternatives that are followed, since a schema may refer to itself.
const MAX_STEPS: u8 = 8;

impl Form {
    /// The form of an ask: one member per question (`question_1` and so on) with a constant per option, and a member `question_1_custom` for own
    /// words. A question without options is a text.
    #[must_use]
    pub fn of(ask: &AskUserQuestion) -> Self {
        let mut members = Vec::new();
        for (at, question) in ask.questions.iter().enumerate() {
            let mut values: Vec<Json<'static>> = Vec::new();
            for option in &question.options {
                let mut value = option.label.clone();
                while values.iter().any(|other| other.as_str() == Some(&value)) {
                    value.push('+');
                }
                values.push(value.into());
            }
            let name = String::from("question_") + &(at + 1).to_string();
            let has_custom = !values.is_empty() && !question.is_ranking();
            let several = !values.is_empty() && (question.multi_select || question.is_ranking());
            members.push(Member { name, values, several, required: false, has_custom });
        }
        Self { members, is_bare: false }
    }

    /// The JSON Schema of this form. A header becomes the title of a member, and a question its description. An only question needs no description,
    /// since it is the message of the elicitation. A form can't hide members, so the description says [when](only_if) a question counts.
    #[must_use]
    pub fn schema(&self, ask: &AskUserQuestion) -> Json<'static> {
        let mut properties = Members::new();
        for (at, (member, question)) in self.members.iter().zip(&ask.questions).enumerate() {
            let text = |text: &str| Some(Json::from(text));
            let description = || match only_if(ask, at) {
                Some(condition) => text(&[&*question.text(), &condition].join(" ")),
                None if ask.questions.len() == 1 => None,
                None => text(&question.text()),
            };
            let (values, several) = (member.constants(question), member.several);
            let (choices, items) = match values {
                Some(values) if several => (None, Some(Json::object([("anyOf", values)]))),
                values => (values, None),
            };
            // Options are strings, whatever else the question asks for.
            let typed = question.typed().filter(|_| member.values.is_empty());
            let (kind, format) = typed.map_or(("string", None), |input| input.kind.schema());
            // Clients parse integers as 64 bits. The reply is checked against the question's own limits anyway.
            let number = |number: Number<'_>| match kind {
                "integer" => number.as_whole().map(|whole| Json::Number(whole.into())),
                _ => Some(Json::Number(number.into_static())),
            };
            let bound = |bound: fn(&Input) -> &Option<String>| match Json::parse(bound(typed?).as_deref()?) {
                Ok(Json::Number(bound)) if kind != "string" => number(bound),
                _ => None,
            };
            let default = || match typed.and_then(|input| input.value(input.default.as_deref()?).ok())? {
                Typed::Number(default) => number(default),
                default => Some(default.text().into_owned().into()),
            };
            let title = match typed.and_then(|input| input.unit.as_deref()) {
                Some(unit) => [question.title(), " (", unit, ")"].concat(),
                None => question.title().to_owned(),
            };
            let property = Json::object_of(&mut [
                ("type", text(if several { "array" } else { kind })),
                ("title", Some(title.as_str().into())),
                ("description", description()),
                ("format", format.map(Json::from)),
                ("minimum", bound(|input| &input.min)),
                ("maximum", bound(|input| &input.max)),
                ("default", default()),
                ("oneOf", choices),
                ("items", items),
            ]);
            properties.push((member.name.clone().into(), property));
            if member.has_custom {
                let custom = Json::object([("type", "string".into()), ("title", "Other".into())]);
                properties.push((member.custom().into(), custom));
            }
        }
        Json::object([("type", "object".into()), ("properties", Json::Object(properties))])
    }

    /// Creates an ask for a value that the schema describes, usually an object. An optional member that can't be asked for is left out. An approval
    /// is asked alone, since other members would change what is approved. Returns `None` if a required member, or every member, can't be asked for.
    #[must_use]
    pub fn from_schema(message: &str, schema: &Json<'static>) -> Option<(AskUserQuestion, Self)> {
        let Some(properties) = schema.get("properties").and_then(Json::as_object) else {
            return Self::of_value(message, schema);
        };
        let required = required(schema);
        let approval = APPROVALS.into_iter().find(|name| {
            let asked = properties.find(name).and_then(|property| asked_for(schema, property));
            asked.is_some_and(|(question, _)| is_flag(&question)) && required.iter().all(|required| required == name)
        });
        let (mut questions, mut members) = (Vec::new(), Vec::new());
        for (name, property) in properties {
            if approval.is_some_and(|approval| approval != name) {
                continue;
            }
            let required = required.contains(&&**name);
            let Some((mut question, values)) = asked_for(schema, property) else {
                if required {
                    return None;
                }
                continue;
            };
            let title = text(property, "title").unwrap_or(name);
            text(property, "description").unwrap_or(title).clone_into(&mut question.question);
            question.header = Some(title.to_owned());
            members.push(Member::new(name, &question, values, required));
            questions.push(question);
        }
        match &mut questions[..] {
            [] => return None,
            [only] => {
                only.header = None;
                if !is_blank(message) {
                    message.clone_into(&mut only.question);
                }
            }
            // The message is about all questions, so it precedes the first one.
            [first, ..] if !is_blank(message) => first.question = message.to_owned() + "\n" + &first.question,
            _ => {}
        }
        Some((AskUserQuestion::new(questions), Self { members, is_bare: false }))
    }

    /// Creates an ask for a value that is not an object.
    fn of_value(message: &str, schema: &Json<'static>) -> Option<(AskUserQuestion, Self)> {
        let (mut asked, values) = asked_for(schema, schema)?;
        let described = || text(schema, "description").or_else(|| text(schema, "title"));
        let question = if is_blank(message) { described().unwrap_or(GO_AHEAD) } else { message };
        question.clone_into(&mut asked.question);
        let members = vec![Member::new("", &asked, values, true)];
        Some((AskUserQuestion::new([asked]), Self { members, is_bare: true }))
    }

    /// Creates a yes or no ask that no schema describes. The agent reads the answer from `member`.
    #[must_use]
    pub fn approval(message: &str, member: &str) -> (AskUserQuestion, Self) {
        let (mut asked, values) = flag();
        (if is_blank(message) { GO_AHEAD } else { message }).clone_into(&mut asked.question);
        let members = vec![Member::new(member, &asked, values, true)];
        (AskUserQuestion::new([asked]), Self { members, is_bare: false })
    }

    /// Converts a reply to the value that the agent expects. Notes and files have no member and are left out, and files alone are no answer: a host
    /// that accepts files must check [`Reply::attachments`] first.
    ///
    /// # Errors
    /// A sentence for the user, if a required answer is missing or an answer is of the wrong kind.
    pub fn payload(&self, reply: &Reply) -> Result<Json<'static>, String> {
        let mut payload = Members::new();
        for (member, answer) in self.members.iter().zip(reply.answers()) {
            if member.has_custom {
                if let Some(custom) = answer.given.typed() {
                    payload.push((member.custom().into(), custom.into_owned().into()));
                }
                if !answer.given.options().is_empty() {
                    payload.push((member.name.clone().into(), member.picked(answer)));
                }
            } else if answer.given.says_something() {
                payload.push((member.name.clone().into(), member.value(answer)?));
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

    /// Converts a value to a reply. A question without a value is skipped. In a single-select, own words replace the choice.
    #[must_use]
    pub fn read(&self, ask: &AskUserQuestion, payload: &Json<'_>) -> Option<Reply> {
        Reply::of(ask, self.selections(payload))
    }

    /// The selections for a value, in order and unchecked. [`read`](Self::read) builds the reply from them.
    #[must_use]
    pub fn selections(&self, payload: &Json<'_>) -> Vec<Selection> {
        let mut selections = Vec::new();
        for (question, member) in self.members.iter().enumerate() {
            let mut selection = Selection::of(question);
            let value = if self.is_bare { Some(payload) } else { payload.get(&member.name) };
            if let Some(value) = value.filter(|value| member.required || says_something(value)) {
                member.select(value, &mut selection);
            }
            if member.has_custom
                && let Some(custom) = payload.get(&member.custom()).filter(|custom| says_something(custom))
            {
                if !member.several {
                    selection.selected.clear();
                }
                selection.other = Some(custom.plain_text());
            }
            selection.skipped = !selection.says_something();
            selections.push(selection);
        }
        selections
    }
}

/// A sentence for a question with a condition, since a form has no other way to express it. `None` without a condition.
#[must_use]
pub fn only_if(ask: &AskUserQuestion, question: usize) -> Option<String> {
    let (source, answer) = ask.depends_on(question)?;
    Some(["Only if \"", ask.questions[source].title(), "\" is \"", answer, "\"."].concat())
}

impl Member {
    fn new(name: &str, question: &Question, values: Vec<Json<'static>>, required: bool) -> Self {
        Self { name: name.to_owned(), values, several: question.multi_select, required, has_custom: false }
    }

    fn custom(&self) -> String {
        self.name.clone() + "_custom"
    }

    /// The options of a question as constants; `None` if it has no options.
    fn constants(&self, question: &Question) -> Option<Json<'static>> {
        let mut constants = Vec::new();
        for (value, option) in self.values.iter().zip(&question.options) {
            constants.push(Json::object_of(&mut [
                ("const", Some(value.clone())),
                ("title", Some(option.label.as_str().into())),
                ("description", option.description.as_deref().map(Json::from)),
            ]));
        }
        (!constants.is_empty()).then_some(Json::List(constants))
    }

    fn value(&self, answer: &Answer) -> Result<Json<'static>, String> {
        match &answer.given {
            Given::Picked { other: Some(text), .. } if self.values.is_empty() => Ok(text.trim().into()),
            Given::Picked { other: Some(_), .. } => Err(about(&answer.question, " takes one of its options")),
            // Forms have no type for JSON, so it is sent as text.
            Given::Typed(json @ Typed::Json(_)) => Ok(json.text().into_owned().into()),
            given => Ok(given.value().unwrap_or_else(|| self.picked(answer))),
        }
    }

    fn picked(&self, answer: &Answer) -> Json<'static> {
        let mut picked = Vec::new();
        for selected in answer.given.options() {
            picked.extend(self.values.get(selected.index).cloned());
        }
        if self.several { Json::List(picked) } else { picked.pop().unwrap_or_default() }
    }

    /// Adds what a value means to the selection.
    fn select(&self, value: &Json<'_>, selection: &mut Selection) {
        if self.values.is_empty() {
            selection.other = Some(value.plain_text());
            return;
        }
        let mut own = Vec::new();
        for value in value.as_list().unwrap_or(slice::from_ref(value)) {
            let text = value.plain_text();
            let exact = self.values.iter().position(|choice| choice == value);
            // A client that shows no list of choices sends typed text, possibly as a number.
            let typed = || self.values.iter().position(|choice| choice.as_str() == Some(text.trim()));
            let one = exact.or_else(|| typed().filter(|_| says_something(value))).map(|option| vec![option]);
            match one.or_else(|| listed(&self.values, value.as_str().filter(|_| self.several)?)) {
                Some(options) => {
                    for option in options {
                        if !selection.selected.contains(&option) {
                            selection.selected.push(option);
                        }
                    }
                }
                None if says_something(value) => own.push(text),
                None => {}
            }
        }
        // In a single-select, other text beside an option is dropped.
        if !own.is_empty() && (self.several || selection.selected.is_empty()) {
            selection.other = Some(own.join(", "));
        }
    }
}

/// Returns false for values by which clients fill untouched fields.
fn says_something(value: &Json<'_>) -> bool {
    match value {
        Json::Null => false,
        Json::Text(text) => !is_blank(text),
        Json::List(items) => !items.is_empty(),
        _ => true,
    }
}

/// A yes or no question without its text, and the values of its options.
#[must_use]
pub fn flag() -> Asked {
    (Question::new("", [""; 0]).with_input(Input::new(InputKind::YesNo)), FLAGS.into())
}

fn is_flag(question: &Question) -> bool {
    question.input.as_ref().is_some_and(|input| input.kind == InputKind::YesNo)
}

/// A question (without its text) for a member of an object, where `object` is a part of the schema `root`, and the values of its options. Lists and
/// objects are typed as JSON. Returns `None` if the schema does not describe the member well enough.
#[must_use]
pub fn question_for(root: &Json<'static>, object: &Json<'static>, name: &str) -> Option<Asked> {
    let mut object = object;
    for _ in 0..MAX_STEPS {
        if let Some(properties) = object.get("properties") {
            let mut part = properties.get(name)?;
            let asked = asked_for(root, part).filter(|(question, _)| !question.multi_select);
            return asked.or_else(|| {
                for _ in 0..MAX_STEPS {
                    part = meant(root, part).unwrap_or(part);
                }
                let input = Input::new(InputKind::Json).with_schema(part.clone());
                Some((Question::new("", [""; 0]).with_input(input), Vec::new()))
            });
        }
        object = meant(root, object)?;
    }
    None
}

fn asked_for(root: &Json<'static>, part: &Json<'static>) -> Option<Asked> {
    asked_within(root, part, MAX_STEPS)
}

/// As [`asked_for`], following at most `steps` references and alternatives.
fn asked_within(root: &Json<'static>, part: &Json<'static>, steps: u8) -> Option<Asked> {
    let steps = steps.checked_sub(1)?;
    if let Some((values, options)) = choices(part) {
        let mut question = Question::new("", options);
        if values == FLAGS {
            question = question.with_input(Input::new(InputKind::YesNo));
        }
        return Some((question, values));
    }
    if let Some(meant) = meant(root, part) {
        return asked_within(root, meant, steps);
    }
    let types = part.get("type")?;
    let kind = only(types.as_list().unwrap_or(slice::from_ref(types)), is_null)?;
    match kind.as_str()? {
        "boolean" => Some(flag()),
        "string" | "number" | "integer" => {
            let mut described = part.as_object()?.clone();
            described.put("type", kind.clone());
            let mut question = Question::new("", [""; 0]);
            question.input = Input::of(&Json::Object(described)).map(|input| match worded(part) {
                Some(words) => input.with_schema(words),
                None => input,
            });
            // An unrestricted text is an open question.
            question.input.take_if(|input| input.kind == InputKind::Text && input.schema.is_none());
            Some((question, Vec::new()))
        }
        "array" => match asked_within(root, part.get("items")?, steps)? {
            (question, values) if !values.is_empty() && !question.multi_select && !is_flag(&question) => {
                Some((question.with_multi_select(true), values))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The keywords of a schema that restrict a text, if any.
fn worded(part: &Json<'static>) -> Option<Json<'static>> {
    let mut words = vec![("type", "string".into())];
    for name in ["minLength", "maxLength"] {
        words.extend(part.get(name).map(|said| (name, said.clone())));
    }
    (words.len() > 1).then(|| Json::object(words))
}

/// The options in a comma-separated text, which clients send for several choices if their forms have no lists. An option may contain a comma, so the
/// longest match wins. Returns `None` if any part is no option.
fn listed(values: &[Json<'static>], text: &str) -> Option<Vec<usize>> {
    let mut options = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let after = |choice: &Json<'static>| {
            let after = rest.strip_prefix(choice.as_str().filter(|choice| !choice.is_empty())?)?.trim_start();
            if after.is_empty() { Some(after) } else { after.strip_prefix(',').map(str::trim_start) }
        };
        let fitting = values.iter().enumerate().filter_map(|(option, choice)| Some((option, after(choice)?)));
        let (option, after) = fitting.min_by_key(|(_, after)| after.len())?;
        options.push(option);
        rest = after;
    }
    (!options.is_empty()).then_some(options)
}

fn text<'s>(schema: &'s Json<'static>, name: &str) -> Option<&'s str> {
    schema.get(name).and_then(Json::as_str).filter(|text| !is_blank(text))
}

/// The only item that is not null, by the given test.
fn only<'s>(items: &'s [Json<'static>], is_null: fn(&Json<'static>) -> bool) -> Option<&'s Json<'static>> {
    let mut others = items.iter().filter(|item| !is_null(item));
    let only = others.next()?;
    others.next().is_none().then_some(only)
}

fn is_null(name: &Json<'static>) -> bool {
    name.as_str() == Some("null")
}

fn may_only_be_null(schema: &Json<'static>) -> bool {
    schema.get("type").is_some_and(is_null) || schema.get("const") == Some(&Json::Null)
}

/// The required members. If the schema requires one of several, such as aliases, only the first of them.
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

/// Resolves a part of a schema: follows a reference, or the only alternative beside null. A nullable value counts as optional.
fn meant<'s>(root: &'s Json<'static>, part: &'s Json<'static>) -> Option<&'s Json<'static>> {
    if let Some(reference) = part.get("$ref") {
        return named(root, reference.as_str()?);
    }
    ["anyOf", "oneOf", "allOf"]
        .iter()
        .find_map(|alternatives| only(part.get(alternatives)?.as_list()?, may_only_be_null))
}

/// The part of a schema that a reference such as `#/$defs/Size` names.
fn named<'s>(root: &'s Json<'static>, reference: &str) -> Option<&'s Json<'static>> {
    reference.strip_prefix("#/")?.split('/').try_fold(root, |part, name| part.get(name))
}

/// The values of an `enum`, or of a `oneOf` or `anyOf` of constants, with the texts for the user. Excludes `null`, as [`meant`] does.
fn choices(schema: &Json<'static>) -> Option<(Vec<Json<'static>>, Vec<QuestionOption>)> {
    let (mut values, mut options) = (Vec::new(), Vec::new());
    if let Some(listed) = schema.get("enum").and_then(Json::as_list) {
        let titles = schema.get("enumNames").and_then(Json::as_list).filter(|titles| titles.len() == listed.len());
        for (value, title) in listed.iter().zip(titles.unwrap_or(listed)).filter(|(value, _)| **value != Json::Null) {
            values.push(value.clone());
            options.push(QuestionOption::from(label(title)));
        }
    } else {
        let alternatives = schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_list()?;
        for one in alternatives.iter().filter(|one| !may_only_be_null(one)) {
            let value = one.get("const")?;
            let mut option = QuestionOption::from(text(one, "title").map_or_else(|| label(value), str::to_owned));
            option.description = text(one, "description").map(str::to_owned);
            values.push(value.clone());
            options.push(option);
        }
    }
    (!values.is_empty()).then_some((values, options))
}

fn label(value: &Json<'static>) -> String {
    match value {
        Json::Bool(true) => "Yes".to_owned(),
        Json::Bool(false) => "No".to_owned(),
        value => value.plain_text(),
    }
}

fn about(text: &str, what: &str) -> String {
    String::from("\"") + text + "\"" + what
}
