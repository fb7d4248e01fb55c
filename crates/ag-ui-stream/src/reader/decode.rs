//! From the text of one frame to one event.

use super::compat::{self, Retired};
use super::enforce::{enforce, enforce_shape};
use super::error::{ErrorCode, StreamError};
use crate::event::Event;
use crate::input::{PROTOCOL_VERSION, RunAgentInput};
use crate::warning::{Warning, WarningCode};
use crate::wire::Described;
use ask_user_question::json::JsonText;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Decodes an event; `None` where it was dropped. An event without anything to strip or translate never becomes a [`Value`].
pub(super) fn from_text(
    text: &str,
    retired: &mut Retired,
    run: Option<&str>,
    warnings: &mut Vec<Warning>,
) -> Result<Option<Event>, StreamError> {
    if let Ok(event) = serde_json::from_str::<Event>(text) {
        warn_of_version(&event, warnings);
        return Ok(Some(event));
    }
    from_value(parse(text)?, retired, run, warnings)
}

/// Decodes an event through compatibility and enforcement; `None` where it was dropped.
pub(super) fn from_value(
    mut value: Value,
    retired: &mut Retired,
    run: Option<&str>,
    warnings: &mut Vec<Warning>,
) -> Result<Option<Event>, StreamError> {
    compat::translate(&mut value, retired, run, warnings);
    if !enforce(&mut value, warnings)? {
        return Ok(None);
    }
    let event = Event::deserialize(value)
        .map_err(|error| StreamError::new(ErrorCode::Malformed, error.to_string()))?;
    warn_of_version(&event, warnings);
    Ok(Some(event))
}

/// Decodes the input of a run through compatibility and enforcement.
pub(crate) fn input(text: &str) -> Result<(RunAgentInput, Vec<Warning>), StreamError> {
    if let Ok(input) = serde_json::from_str(text) {
        return Ok((input, Vec::new()));
    }
    let mut value = parse(text)?;
    let mut warnings = Vec::new();
    compat::translate_input(&mut value);
    enforce_shape(&mut value, RunAgentInput::SHAPE, &mut warnings)?;
    let mut input = RunAgentInput::deserialize(value)
        .map_err(|error| StreamError::new(ErrorCode::Malformed, error.to_string()))?;
    // A value sorts its members, so the schemas are read a second time. No tool is stripped, so each has its place.
    let schemas = schemas(text).unwrap_or_default();
    for (tool, schema) in input.tools.iter_mut().flatten().zip(schemas) {
        tool.parameters = tool.parameters.take().and(schema);
    }
    Ok((input, warnings))
}

/// The parameters of each tool in an input, with their members in order.
fn schemas(input: &str) -> serde_json::Result<Vec<Option<JsonText>>> {
    type Members = BTreeMap<String, JsonText>;
    let input: Members = serde_json::from_str(input)?;
    let tools = input.get("tools").map_or("[]", JsonText::as_str);
    let tools: Vec<Members> = serde_json::from_str(tools)?;
    Ok(tools
        .into_iter()
        .map(|mut tool| tool.remove("parameters"))
        .collect())
}

fn parse(text: &str) -> Result<Value, StreamError> {
    ask_user_question::json::parse(text).map_err(|error| {
        StreamError::new(ErrorCode::InvalidJson, format!("this is not JSON: {error}"))
    })
}

fn warn_of_version(event: &Event, warnings: &mut Vec<Warning>) {
    if let Event::RunStarted(started) = event
        && let Some(version) = started.protocol_version.as_deref()
        && !is_served(version)
    {
        let message =
            format!("the producer speaks version {version}, this client {PROTOCOL_VERSION}");
        warnings.push(Warning::new(WarningCode::NewerVersion, message).at("/protocolVersion"));
    }
}

/// Whether a version is no newer than this client's.
fn is_served(version: &str) -> bool {
    let parts = version.split_once('.');
    let numbers = parts.and_then(|(major, minor)| number(major).zip(number(minor)));
    numbers.is_some_and(|numbers| numbers <= (1, 0))
}

fn number(digits: &str) -> Option<u64> {
    digits
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| digits.parse().ok())?
}
