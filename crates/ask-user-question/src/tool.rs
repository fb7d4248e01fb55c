//! The tool's definition, as a model or a client is told.

use crate::guidance::{self, Mode};
use crate::json::JsonText;
use crate::limits::{Limits, Wording};
use crate::validate::range_of;
use serde::Serialize;

/// The names under which models know the tool, whatever the profile.
pub const NAMES: [&str; 2] = ["ask_user_question", "AskUserQuestion"];

/// Name, description, parameters and guidance of the tool.
#[derive(Clone, Debug, Serialize)]
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
        parameters: JsonText::of(&schema(limits))
            .expect("a schema of texts, numbers and lists always serializes"),
        guidance: guidance::text(limits, Mode::Work),
    }
}

fn description(limits: &Limits) -> String {
    let questions = range_of(&limits.questions(), "question");
    let options = range_of(&limits.options(), "option");
    let each = if *limits.questions().end() == 1 {
        ""
    } else {
        " each"
    };
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
         and options clear. Users can also type custom answers.\n\nNOT available to sub-agents."
    )
}

fn schema(limits: &Limits) -> Node<Arguments> {
    let words = Words::of(limits);
    let text = |description| Node::<()>::text(description, None);
    let option = OptionFields {
        label: text(words.label),
        description: text(words.option_description),
        preview: limits.previews().then(|| text(Some("Code or plain text shown while this option is considered; only in single-select questions."))),
    };
    let question = QuestionFields {
        question: text(words.question),
        header: Node::text(words.header, limits.header_max()),
        multi_select: Node {
            default: Some(false),
            ..Node::new("boolean", words.multi_select)
        },
        options: Node::list(
            words.options,
            limits.options(),
            Node::object(option, vec!["label"]),
        ),
    };
    let required = if limits.header_required() {
        vec!["question", "header", "options"]
    } else {
        vec!["question", "options"]
    };
    let questions = Node::list(None, limits.questions(), Node::object(question, required));
    Node::object(Arguments { questions }, vec!["questions"])
}

/// The descriptions inside the schema.
struct Words {
    question: Option<&'static str>,
    header: Option<&'static str>,
    multi_select: Option<&'static str>,
    options: Option<&'static str>,
    label: Option<&'static str>,
    option_description: Option<&'static str>,
}

impl Words {
    fn of(limits: &Limits) -> Self {
        const MULTI_SELECT: Option<&str> = Some("Allow multiple answers to be selected.");
        const OPTIONS: Option<&str> =
            Some("The choices; \"Other\" is added for the user, so do not include it.");
        const LABEL: Option<&str> = Some("The display text for this option.");
        match limits.wording() {
            Wording::Runtime => Self {
                question: Some("The full question text to display"),
                header: Some("Short label for the question"),
                multi_select: MULTI_SELECT,
                options: OPTIONS,
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
                multi_select: MULTI_SELECT,
                options: OPTIONS,
                label: LABEL,
                option_description: Some("Explanation of what this option means."),
            },
            Wording::Chat => Self {
                question: Some("The question to ask"),
                header: Some("Short label for the question"),
                multi_select: MULTI_SELECT,
                options: OPTIONS,
                label: Some("Display text for this option"),
                option_description: Some("Additional context"),
            },
        }
    }
}

/// One node of the schema. Fields are written in the order of their declaration, which a map would not keep.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Node<Properties, Items = ()> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_length: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_items: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_items: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Items>,
    #[serde(skip_serializing_if = "Option::is_none")]
    properties: Option<Properties>,
    #[serde(skip_serializing_if = "Option::is_none")]
    required: Option<Vec<&'static str>>,
}

#[derive(Serialize)]
struct Arguments {
    questions: Node<(), Node<QuestionFields>>,
}

/// Text first, then everything that decides how options look, then the options: models write in this order, and the card comes
/// alive in it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct QuestionFields {
    question: Node<()>,
    header: Node<()>,
    multi_select: Node<()>,
    options: Node<(), Node<OptionFields>>,
}

#[derive(Serialize)]
struct OptionFields {
    label: Node<()>,
    description: Node<()>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Node<()>>,
}

impl<Properties, Items> Node<Properties, Items> {
    fn new(kind: &'static str, description: Option<&'static str>) -> Self {
        Self {
            kind,
            description,
            max_length: None,
            default: None,
            min_items: None,
            max_items: None,
            items: None,
            properties: None,
            required: None,
        }
    }

    fn text(description: Option<&'static str>, max_length: Option<usize>) -> Self {
        Self {
            max_length,
            ..Self::new("string", description)
        }
    }

    fn list(
        description: Option<&'static str>,
        allowed: std::ops::RangeInclusive<usize>,
        items: Items,
    ) -> Self {
        Self {
            min_items: Some(*allowed.start()),
            max_items: Some(*allowed.end()),
            items: Some(items),
            ..Self::new("array", description)
        }
    }

    fn object(properties: Properties, required: Vec<&'static str>) -> Self {
        Self {
            properties: Some(properties),
            required: Some(required),
            ..Self::new("object", None)
        }
    }
}
