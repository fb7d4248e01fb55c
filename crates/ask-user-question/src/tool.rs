//! The tool's definition, as a model or a client is told.

use crate::guidance::{self, Mode};
use crate::limits::{Limits, Wording};
use crate::validate::range_of;
use json_tree::{Json, JsonText};
use serde::Serialize;
use std::ops::RangeInclusive;

/// The names under which models know the tool, whatever the profile.
pub const NAMES: [&str; 2] = ["ask_user_question", "AskUserQuestion"];

/// Name, description, parameters and guidance of the tool.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// The name under which the model calls it.
    pub name: &'static str,
    /// What it is for.
    pub description: String,
    /// The JSON Schema of its input, properties in the order that the card needs.
    pub parameters: JsonText,
    /// How to use it well; goes into the system prompt. [`guidance::VERSION`] says which words these are.
    #[serde(skip)]
    pub guidance: String,
}

/// The definition for these limits.
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
        guidance: guidance::text(limits, Mode::Work),
    }
}

/// What the model is told that the tool is for.
#[must_use]
pub fn description(limits: &Limits) -> String {
    let questions = range_of(&limits.questions(), "question");
    let options = range_of(&limits.options(), "option");
    let each = if *limits.questions().end() == 1 { "" } else { " each" };
    let when = match limits.wording() {
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
    format!(
        "{when}\n\nProvide {questions} with {options}{each}. Keep questions focused\n\
         and options clear. Users can also type custom answers.\n\nNOT available to sub-agents.\n\n{EXAMPLE}"
    )
}

/// Some hosts hand on the description and lose the schema; this is legal in every profile.
const EXAMPLE: &str = r#"Example: {"questions": [{"question": "Which plan?", "header": "Plan", "multiSelect": false, "options": [{"label": "Basic"}, {"label": "Pro", "description": "With support"}]}]}"#;

/// The JSON Schema of the tool's input, properties in the order that the card needs: text first, then everything that decides how
/// options look, then the options. Models write in this order, and the card comes alive in it.
#[must_use]
pub fn parameters(limits: &Limits) -> JsonText {
    let words = Words::of(limits);
    let mut option = vec![
        ("label", node("string", words.label, Vec::new())),
        ("description", node("string", words.option_description, Vec::new())),
    ];
    if limits.previews() {
        option.push(("preview", node("string", PREVIEW, Vec::new())));
    }
    let max_length = limits.header_max().map(|max| ("maxLength", number(max)));
    let question = vec![
        ("question", node("string", words.question, Vec::new())),
        ("header", node("string", words.header, max_length.into_iter().collect())),
        ("multiSelect", node("boolean", MULTI_SELECT, vec![("default", Json::Bool(false))])),
        ("options", list(OPTIONS, &limits.options(), object(option, &["label"]))),
    ];
    let mut required = vec!["question", "header", "options"];
    required.retain(|name| match *name {
        "header" => limits.header_required(),
        "options" => *limits.options().start() > 0,
        _ => true,
    });
    let questions = list(None, &limits.questions(), object(question, &required));
    JsonText::from(&object(vec![("questions", questions)], &["questions"]))
}

const PREVIEW: Option<&str> =
    Some("Code or plain text shown while this option is considered; only in single-select questions.");
const MULTI_SELECT: Option<&str> = Some("Allow multiple answers to be selected.");
const OPTIONS: Option<&str> = Some("The choices; \"Other\" is added for the user, so do not include it.");

/// The descriptions inside the schema.
struct Words {
    question: Option<&'static str>,
    header: Option<&'static str>,
    label: Option<&'static str>,
    option_description: Option<&'static str>,
}

impl Words {
    fn of(limits: &Limits) -> Self {
        const LABEL: Option<&str> = Some("The display text for this option.");
        match limits.wording() {
            Wording::Runtime => Self {
                question: Some("The full question text to display"),
                header: Some("Short label for the question"),
                label: LABEL,
                option_description: Some("Explanation of what this option means."),
            },
            Wording::Coding => Self {
                question: Some("The complete question to ask the user."),
                // The maximum is in the words too; it is written here because most models do not keep to `maxLength` unasked.
                header: match limits.header_max() {
                    Some(12) => Some("Very short label displayed as a chip/tag (max 12 chars)."),
                    _ => Some("Very short label displayed as a chip/tag."),
                },
                label: LABEL,
                option_description: Some("Explanation of what this option means."),
            },
            Wording::Chat => Self {
                question: Some("The question to ask"),
                header: Some("Short label for the question"),
                label: Some("Display text for this option"),
                option_description: Some("Additional context"),
            },
        }
    }
}

/// What an object of the schema holds. A tree keeps the order of its members, which a map would not.
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

fn object(properties: Fields, required: &[&'static str]) -> Json<'static> {
    let required = required.iter().map(|&name| Json::Text(name.into()));
    let rest = vec![("properties", members_of(properties)), ("required", Json::List(required.collect()))];
    node("object", None, rest)
}

fn number(number: usize) -> Json<'static> {
    Json::Number(number.into())
}

fn members_of(fields: Fields) -> Json<'static> {
    let members = fields.into_iter().map(|(name, field)| (name.into(), field));
    Json::Object(members.collect())
}
