//! The lines' members, in the order in which they are printed.

use ag_ui_stream::message::Message;
use ag_ui_stream::outcome::Interrupt;
use ag_ui_stream::reader::EndError;
use ask_user_question::snapshot::{OptionSnapshot, QuestionSnapshot};
use ask_user_question::{AskSnapshot, Phase};
use json_tree::Json;
use serde::Serialize;
use serde_json::value::RawValue;

#[derive(Serialize)]
pub(crate) struct WarningLine<'a> {
    pub(crate) code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<&'a str>,
    pub(crate) message: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EndLine<'a> {
    pub(crate) outcome: &'static str,
    pub(crate) messages: &'a [Message],
    /// As text, so that numbers keep their digits.
    pub(crate) state: Box<RawValue>,
    pub(crate) pending_tool_call_ids: Vec<&'a str>,
    pub(crate) interrupts: &'a [Interrupt],
    pub(crate) error: Option<ErrorLine<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ErrorLine<'a> {
    code: &'a str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    event_index: Option<u64>,
}

impl<'a> ErrorLine<'a> {
    pub(crate) fn of(error: &'a EndError) -> Self {
        Self { code: error.code(), message: error.to_string(), event_index: error.event_index() }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AskLine<'a> {
    tool_call_id: &'a str,
    phase: Phase,
    questions: Vec<QuestionLine<'a>>,
    /// The outcome as the agent reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Json<'static>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct QuestionLine<'a> {
    question: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<&'a str>,
    multi_select: bool,
    options: Vec<OptionLine<'a>>,
    closed: bool,
}

#[derive(Serialize)]
struct OptionLine<'a> {
    label: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    closed: bool,
}

impl<'a> AskLine<'a> {
    pub(crate) fn of(ask: &'a AskSnapshot) -> Self {
        let questions = ask.questions.iter().map(QuestionLine::of).collect();
        let outcome = ask.ask.as_ref().and_then(|it| Some(ask.outcome.as_ref()?.to_json(it)));
        Self { tool_call_id: &ask.tool_call_id, phase: ask.phase, questions, outcome, result: ask.result.as_deref() }
    }
}

impl<'a> QuestionLine<'a> {
    fn of(question: &'a QuestionSnapshot) -> Self {
        Self {
            question: &question.question.text,
            header: question.header.as_ref().map(|header| header.text.as_str()),
            multi_select: question.multi_select.unwrap_or_default(),
            options: question.options.iter().map(OptionLine::of).collect(),
            closed: question.closed,
        }
    }
}

impl<'a> OptionLine<'a> {
    fn of(option: &'a OptionSnapshot) -> Self {
        let description = option.description.as_ref().map(|description| description.text.as_str());
        Self { label: &option.label.text, description, closed: option.closed }
    }
}
