//! Reads asks from interrupts.

use super::decisions;
use super::edits::{EDITED, EditForm, REASON, Wire};
use super::form::{About, Asked, InterruptPart, ReplyForm, ask_in, asked};
use super::values::OptionValues;
use crate::LEGACY;
use crate::message::ToolCall;
use crate::outcome::{Interrupt, first, unpacked};
use ask_user_question::repairs::Repairs;
use ask_user_question::text::is_blank;
use ask_user_question::{AskUserQuestion, Question, QuestionOption};
use json_tree::{Json, WireValue};
use question_form::{APPROVALS, Form, flag, question_for};
use std::sync::Arc;

/// True if the agent sent a custom value without questions. Such an agent reads plain text as the answer.
pub(super) fn takes_plain_text(interrupt: &Interrupt) -> bool {
    raw(interrupt).is_some_and(|value| unpacked(value).get("questions").is_none())
}

/// The value that a graph of `LangGraph` passed to `interrupt()`, as its adapter stores it in the protocol's form
/// (<https://github.com/ag-ui-protocol/ag-ui/pull/1945>).
fn raw(interrupt: &Interrupt) -> Option<&Json<'static>> {
    interrupt.metadata.as_ref()?.get("langgraph")?.get("raw")
}

/// The parts of an interrupt: one ask, or one for each decision in its list.
pub(super) fn parts_of(interrupt: &Interrupt, about: About<'_>, repairs: &Repairs) -> Vec<InterruptPart> {
    let raw = raw(interrupt).map_or(Json::Null, unpacked);
    let decisions = if LEGACY { decisions::parts(&raw, repairs) } else { Vec::new() };
    if decisions.is_empty() {
        return vec![InterruptPart { asked: ask_of(interrupt, &raw, about, repairs), decision: None }];
    }
    decisions
}

/// As [`parts_of`], but reads only an ask in the tool's own form.
pub(super) fn own_part(interrupt: &Interrupt, _: About<'_>, repairs: &Repairs) -> Vec<InterruptPart> {
    vec![InterruptPart { asked: own_ask(interrupt, raw(interrupt).unwrap_or(&Json::Null), repairs), decision: None }]
}

fn own_ask(interrupt: &Interrupt, raw: &Json<'static>, repairs: &Repairs) -> Option<Asked> {
    let metadata = interrupt.metadata.as_ref().unwrap_or(&Json::Null);
    let own = [metadata.get("ask"), metadata.get("ask_user_question"), Some(metadata)];
    let said = said_by_tool(metadata, raw);
    let mut places = own.into_iter().flatten().chain(&said).chain([raw]);
    places.find_map(|place| ask_in(place, repairs)).map(|ask| (ask, None))
}

/// What the suspended tool or method said, as passed on by the bridges of Strands (<https://github.com/ag-ui-protocol/ag-ui/pull/2286>), `CrewAI`
/// (<https://github.com/ag-ui-protocol/ag-ui/pull/2556>) and `Mastra` (<https://github.com/ag-ui-protocol/ag-ui/pull/2053>).
fn said_by_tool(metadata: &Json<'static>, raw: &Json<'static>) -> Vec<Json<'static>> {
    let output = metadata.get("crewai").and_then(|crewai| crewai.get("output"));
    [metadata.get("reason"), output, suspended(metadata, raw)].into_iter().flatten().map(unpacked).collect()
}

fn suspended<'v>(metadata: &'v Json<'static>, raw: &'v Json<'static>) -> Option<&'v Json<'static>> {
    metadata.get("mastra").unwrap_or(raw).get("suspendPayload")
}

fn ask_of(interrupt: &Interrupt, raw: &Json<'static>, about: About<'_>, repairs: &Repairs) -> Option<Asked> {
    let metadata = interrupt.metadata.as_ref().unwrap_or(&Json::Null);
    if let Some((suspended, schema)) = suspended(metadata, raw).zip(interrupt.response_schema.as_ref())
        && let Some(values) = OptionValues::in_words(suspended, schema)
        && let Some(ask) = ask_in(suspended, repairs).or_else(|| plain_ask(suspended))
    {
        return Some((ask, Some(Arc::new(values))));
    }
    if let Some((ask, _)) = own_ask(interrupt, raw, repairs) {
        let values = OptionValues::of(raw).map(|values| Arc::new(values) as Arc<dyn ReplyForm>);
        return Some((ask, values));
    }
    let said = said_by_tool(metadata, raw);
    let own = interrupt.message.as_deref().filter(|message| !is_blank(message)).map(Json::from).unwrap_or_default();
    let message = [&own].into_iter().chain(&said).find_map(question_in).unwrap_or_default();
    if let Some(schema) = &interrupt.response_schema {
        let edits = if let About::Foreign(Some(call)) = about { edits_of(message, schema, call) } else { None };
        let asked = edits.or_else(|| Form::from_schema(message, schema).map(asked));
        if asked.is_some() {
            return asked;
        }
    }
    // No free text here: the agent would read any text as consent.
    let is_foreign = interrupt.reason == "tool_call" && !matches!(about, About::Ask);
    if is_foreign || matches!(interrupt.reason.as_str(), "confirmation" | "confirm_changes") {
        return Some(asked(Form::approval(message, APPROVALS[0])));
    }
    [raw, &own].into_iter().chain(&said).find_map(plain_ask).map(|ask| (ask, None))
}

/// The approval of a call with editable arguments, if the schema of the answer has a member for them.
fn edits_of(message: &str, schema: &Json<'static>, call: &ToolCall) -> Option<Asked> {
    let described = schema.get("properties")?.get(EDITED)?;
    let flag = APPROVALS.into_iter().find(|name| question_for(schema, schema, name) == Some(flag()))?;
    let required = schema.items("required");
    if required.iter().any(|name| ![Some(flag), Some(EDITED)].contains(&name.as_str())) {
        return None;
    }
    let is_whole = required.contains(&EDITED.into());
    let takes_words = question_for(schema, schema, REASON).is_some()
        || schema.get("additionalProperties") != Some(&Json::Bool(false));
    let question = if is_blank(message) { call.name.as_str() } else { message };
    let arguments = Json::parse(&call.arguments).ok()?.into_unique();
    let wire = Wire::Payload { flag, is_whole };
    let (ask, form) = EditForm::of(question, &arguments, (schema, described), takes_words, wire)?;
    Some((ask, Some(Arc::new(form))))
}

/// An ask from a text, or from an object with a text and optional choices.
fn plain_ask(value: &Json<'static>) -> Option<AskUserQuestion> {
    let question = question_in(value)?.to_owned();
    let choices = first(value, &["options", "choices", "actions", "buttons"]).and_then(Json::as_list);
    let label = |choice: &Json<'_>| String::of(choice.get("label").unwrap_or(choice)).map(QuestionOption::from);
    let options = choices.unwrap_or_default().iter().filter_map(label);
    Some(AskUserQuestion::new([Question::new(question, options)]))
}

/// The value if it is a text, or the text in it.
fn question_in<'v>(value: &'v Json<'static>) -> Option<&'v str> {
    // `LangGraph`'s own tutorials call it `query`, `instruction` and `task`.
    const TEXTS: [&str; 8] = ["question", "message", "prompt", "query", "instruction", "task", "description", "text"];
    first(value, &TEXTS).unwrap_or(value).as_str().filter(|text| !is_blank(text))
}
