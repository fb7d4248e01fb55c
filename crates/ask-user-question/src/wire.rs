//! The tool's input as it travels: camelCase JSON.

use crate::text::is_blank;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One call of the tool: an *ask*.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskUserQuestion {
    /// The questions, in the order in which they are shown.
    pub questions: Vec<Question>,
}

/// One question of an ask.
// Fields are written in this order because models write in schema order and the card comes alive in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// The full question text; also the key of its answer.
    pub question: String,
    /// A short label, shown as a chip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// Whether several options may be chosen.
    #[serde(default)]
    pub multi_select: bool,
    /// The options, in the agent's order. "Other" is not among them: every card adds it.
    pub options: Vec<QuestionOption>,
}

/// One option of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionOption {
    /// The text to choose.
    pub label: String,
    /// What choosing it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Plain text or code shown while the option has focus or is chosen (single-select only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

impl AskUserQuestion {
    /// Reads what can be shown of a (repaired) value that may violate any rule: questions with neither text, header nor options and
    /// options without a label are left out. `None` where no question is left.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        let questions: Vec<Question> = value
            .get("questions")?
            .as_array()?
            .iter()
            .filter_map(Question::read)
            .collect();
        (!questions.is_empty()).then_some(Self { questions })
    }
}

impl Question {
    fn read(value: &Value) -> Option<Self> {
        let options = value
            .get("options")
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let question = Self {
            question: text(value, "question").unwrap_or_default(),
            header: text(value, "header"),
            multi_select: value
                .get("multiSelect")
                .and_then(Value::as_bool)
                .unwrap_or(false),
            options: options.iter().filter_map(QuestionOption::read).collect(),
        };
        let shows_nothing = is_blank(&question.question)
            && question.header.as_deref().is_none_or(is_blank)
            && question.options.is_empty();
        (!shows_nothing).then_some(question)
    }
}

impl QuestionOption {
    fn read(value: &Value) -> Option<Self> {
        let label = text(value, "label").filter(|label| !is_blank(label))?;
        Some(Self {
            label,
            description: text(value, "description"),
            preview: text(value, "preview"),
        })
    }
}

fn text(object: &Value, key: &str) -> Option<String> {
    object.get(key)?.as_str().map(str::to_owned)
}
