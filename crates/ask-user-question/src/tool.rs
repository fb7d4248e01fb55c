//! The definition of the tool for a model or client.

use crate::guidance::{self, Mode};
use crate::input::{self, InputKind};
use crate::limits::Limits;
use crate::members::{Kind, Member, Of, Wording};
use crate::validate::range_of;
use json_tree::Json;
use serde::Serialize;
use std::ops::RangeInclusive;

/// The tool's names in all profiles.
pub const NAMES: [&str; 2] = ["ask_user_question", "AskUserQuestion"];

/// The tool's name, description, parameters and guidance.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// The name under which the model calls it.
    pub name: &'static str,
    /// What the tool does, for the model.
    pub description: String,
    /// The JSON Schema of the input. Its properties are in the order in which a card can show them.
    pub parameters: Json<'static>,
    /// Instructions for the system prompt.
    #[serde(skip)]
    pub guidance: String,
}

/// The definition of the tool under these limits.
///
/// ```
/// use ask_user_question::{Limits, tool::tool_definition};
/// let tool = tool_definition(&Limits::CODING);
/// assert_eq!(tool.name, "AskUserQuestion");
/// let json = serde_json::to_string(&tool)?; // `{"name": …, "description": …, "parameters": …}`
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn tool_definition(limits: &Limits) -> ToolDefinition {
    ToolDefinition {
        name: limits.tool_name(),
        description: description(limits),
        parameters: parameters(limits),
        guidance: guidance::text(limits, Mode::Any),
    }
}

/// The description of the tool for the model, with the limits in words.
#[must_use]
pub fn description(limits: &Limits) -> String {
    let questions = range_of(&limits.questions(), "question");
    let options = range_of(&limits.options(), "option");
    let each = if *limits.questions().end() == 1 { "" } else { " each" };
    let when = match limits.wording {
        Wording::Runtime => {
            "Ask the user clarifying questions when you need input to proceed.\n\
             Use when there are multiple valid approaches and user preference matters."
        }
        Wording::Coding => {
            "Asks the user multiple choice questions to gather information, clarify ambiguity, understand preferences, make decisions or offer them choices."
        }
        Wording::Chat => {
            "Ask the user a question with clickable choices when you need structured input, such as a selection or a confirmation.\n\
             The user taps a choice instead of typing an answer."
        }
    };
    let files = if limits.attachments().is_some() { " and attach files" } else { "" };
    format!(
        "{when}\n\nProvide {questions} with {options}{each}. Keep questions focused\n\
         and options clear. Users can also type custom answers{files}.\n\nNOT available to sub-agents.\n\n{EXAMPLE}"
    )
}

/// For hosts that pass on the description without the schema. It is valid in every profile.
const EXAMPLE: &str = r#"Example: {"questions": [{"question": "Which plan?", "header": "Plan", "multiSelect": false, "options": [{"label": "Basic"}, {"label": "Pro", "description": "With support"}]}]}"#;

/// The JSON Schema of the tool's input. Models write members in schema order, so text comes first, then what determines how options look, then the
/// options: the card can show each part as it streams.
#[must_use]
pub fn parameters(limits: &Limits) -> Json<'static> {
    schema_of(Of::Arguments, limits)
}

fn schema_of(object: Of, limits: &Limits) -> Json<'static> {
    let (mut properties, mut required) = (Vec::new(), Vec::new());
    for row in object.members().iter().filter(|row| limits.tell_of(row)) {
        let words = limits.words_for(row);
        let property = match row.kind {
            Kind::Key | Kind::Plain | Kind::Text => {
                let mut rest = Vec::new();
                if let Some(max) = limits.header_max.filter(|_| row.member == Member::Header) {
                    rest.push(("maxLength", number(max)));
                }
                node("string", words, rest)
            }
            Kind::Flag => node("boolean", words, vec![("default", Json::Bool(row.member == Member::Blocking))]),
            Kind::Input => input_schema(words),
            Kind::Condition => condition_schema(words),
            Kind::List(of) => {
                let allowed = if row.member == Member::Questions { limits.questions() } else { limits.options() };
                list(words, &allowed, schema_of(of, limits))
            }
        };
        properties.push((row.name, property));
        if limits.require(row) {
            required.push(Json::Text(row.name.into()));
        }
    }
    let rest = vec![("properties", members_of(properties)), ("required", Json::List(required))];
    node("object", None, rest)
}

fn input_schema(words: Option<&'static str>) -> Json<'static> {
    let kinds = InputKind::offered().into_iter().map(Json::from).collect();
    let types = ["number", "string"].map(Json::from).to_vec();
    let bound = || Json::object([("type", Json::List(types.clone()))]);
    let mut properties = vec![("type", node("string", None, vec![("enum", Json::List(kinds))]))];
    properties.extend(input::BOUNDS.map(|name| (name, bound())));
    properties.push(("unit", node("string", None, Vec::new())));
    properties.push(("default", Json::object([("description", "What the user finds typed already.".into())])));
    let required = Json::List(vec!["type".into()]);
    node("object", words, vec![("properties", members_of(properties)), ("required", required)])
}

fn condition_schema(words: Option<&'static str>) -> Json<'static> {
    let names = ["question", "is"];
    let words_of =
        ["The text or header of a question before this one.", "The label of the option that must be chosen."];
    let properties =
        names.into_iter().zip(words_of).map(|(name, words)| (name, node("string", Some(words), Vec::new())));
    let required = Json::List(names.map(Json::from).into());
    node("object", words, vec![("properties", members_of(properties.collect())), ("required", required)])
}

/// The members of a schema object, in order.
type Fields = Vec<(&'static str, Json<'static>)>;

fn node(kind: &'static str, description: Option<&'static str>, rest: Fields) -> Json<'static> {
    let description = description.map(|text| ("description", Json::Text(text.into())));
    let members = [("type", Json::Text(kind.into()))];
    members_of(members.into_iter().chain(description).chain(rest).collect())
}

fn list(description: Option<&'static str>, allowed: &RangeInclusive<usize>, items: Json<'static>) -> Json<'static> {
    let rest = vec![("minItems", number(*allowed.start())), ("maxItems", number(*allowed.end())), ("items", items)];
    node("array", description, rest)
}

fn number(number: usize) -> Json<'static> {
    Json::Number(number.into())
}

fn members_of(fields: Fields) -> Json<'static> {
    let members = fields.into_iter().map(|(name, field)| (name.into(), field));
    Json::Object(members.collect())
}
