//! The tool's input as it travels: camelCase JSON.

use crate::text::is_blank;
use json_tree::{Json, Members};
use serde::{Deserialize, Serialize};
use std::mem;

/// One call of the tool: an *ask*. The default has no questions, as one that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// options without a label are left out. `None` where no question is left. Takes the texts out of the value: they may be long.
    pub(crate) fn read(mut value: Json<'_>) -> Option<Self> {
        let questions: Vec<Question> = list(&mut value, "questions").into_iter().filter_map(Question::read).collect();
        (!questions.is_empty()).then_some(Self { questions })
    }
}

impl Question {
    pub(crate) fn labels(&self) -> Vec<&str> {
        self.options.iter().map(|option| option.label.as_str()).collect()
    }

    /// Those of its options that are picked, by their positions: in order, each once.
    pub(crate) fn in_order(&self, picked: &[usize]) -> Vec<usize> {
        let mut is_picked = vec![false; self.options.len()];
        for &option in picked {
            if let Some(is_picked) = is_picked.get_mut(option) {
                *is_picked = true;
            }
        }
        (0..is_picked.len()).filter(|&option| is_picked[option]).collect()
    }

    fn read(mut value: Json<'_>) -> Option<Self> {
        let question = Self {
            question: text(&mut value, "question").unwrap_or_default(),
            header: text(&mut value, "header"),
            multi_select: value.get("multiSelect").and_then(Json::as_bool).unwrap_or(false),
            options: list(&mut value, "options").into_iter().filter_map(QuestionOption::read).collect(),
        };
        let shows_nothing = is_blank(&question.question)
            && question.header.as_deref().is_none_or(is_blank)
            && question.options.is_empty();
        (!shows_nothing).then_some(question)
    }
}

impl QuestionOption {
    fn read(mut value: Json<'_>) -> Option<Self> {
        let label = text(&mut value, "label").filter(|label| !is_blank(label))?;
        Some(Self { label, description: text(&mut value, "description"), preview: text(&mut value, "preview") })
    }
}

fn text(object: &mut Json<'_>, key: &str) -> Option<String> {
    match take(object, key) {
        Json::Text(text) => Some(text.into_owned()),
        _ => None,
    }
}

fn list<'a>(object: &mut Json<'a>, key: &str) -> Vec<Json<'a>> {
    match take(object, key) {
        Json::List(items) => items,
        _ => Vec::new(),
    }
}

/// The value of a member, which is null from then on.
fn take<'a>(object: &mut Json<'a>, key: &str) -> Json<'a> {
    let member = match object {
        Json::Object(members) => member_mut(members, key),
        _ => None,
    };
    member.map_or(Json::Null, |member| mem::replace(member, Json::Null))
}

/// The last member of a name, which is the one that counts.
pub(crate) fn member_mut<'m, 'a>(members: &'m mut Members<'a>, key: &str) -> Option<&'m mut Json<'a>> {
    members.iter_mut().rfind(|(name, _)| name == key).map(|(_, member)| member)
}
