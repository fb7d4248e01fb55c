//! From the text of one frame to one event.

use super::compat::Retired;
use super::enforce::{enforce, enforce_kind};
use super::error::{ErrorCode, StreamError, Verdict};
use crate::event::Event;
use crate::input::PROTOCOL_VERSION;
use crate::warning::{Warning, WarningCode, Warnings};
use crate::wire::{Wire, text};
use json_tree::{Halves, Json, Members};

/// Decodes an event; `None` where it was dropped. (What is given is as large as an event, and as it is in the end: copying it around would
/// cost more than decoding it.)
pub(super) fn event(
    tree: Json<'_>,
    retired: &mut Retired,
    run: Option<&str>,
    warnings: &mut Warnings,
) -> Option<Result<Event, StreamError>> {
    let Json::Object(mut members) = tree else {
        return Some(Err(*no_event()));
    };
    match described(&mut members, retired, run, warnings) {
        Ok(Some(kind)) => Some(Ok(Event::build_kind(kind, members))),
        Ok(None) => None,
        Err(error) => Some(Err(*error)),
    }
}

/// Strips an event of what 1.0 does not describe, and gives its kind; `None` where nothing is left of it.
fn described(
    members: &mut Members<'_>,
    retired: &mut Retired,
    run: Option<&str>,
    warnings: &mut Warnings,
) -> Verdict<Option<usize>> {
    let mut kind = Event::UNION.kind(members);
    if kind.is_none() {
        retired.translate(members, run, warnings);
        kind = Event::UNION.kind(members);
    }
    let Some(kind) = kind else {
        let kind = text(members, Event::UNION.tag).ok_or_else(no_event)?;
        let message = format!("an event of the unknown type {kind} was dropped");
        warnings.push(Warning::new(WarningCode::UnknownEvent, message).at("/type"));
        return Ok(None);
    };
    let kept = enforce_kind(members, Event::UNION, kind, warnings)?;
    if Event::UNION.kinds[kind].0 == "RUN_STARTED" {
        warn_of_version(members, warnings);
    }
    Ok(kept.then_some(kind))
}

fn no_event() -> Box<StreamError> {
    let message = "the frame is no object with a string `type`";
    StreamError::new(ErrorCode::NotAnEvent, message)
}

/// Decodes something that stands alone through compatibility and enforcement.
pub(crate) fn alone<T: Wire>(text: &str) -> Verdict<(T, Vec<Warning>)> {
    let mut warnings = Warnings::default();
    let (mut tree, _) = parse(text)?;
    if enforce(&mut tree, T::SHAPE, &mut warnings)? {
        return Ok((T::build(tree), warnings.into_vec()));
    }
    let warning = warnings.into_vec().pop();
    let message = warning.map_or_else(String::new, |warning| warning.message);
    Err(StreamError::new(ErrorCode::Malformed, message))
}

/// Reads the text of one frame, and the halves of characters at the ends of its `delta`.
pub(super) fn parse(text: &str) -> Verdict<(Json<'_>, Halves)> {
    Json::parse_with_halves(text, "delta")
        .map_err(|error| StreamError::new(ErrorCode::InvalidJson, format!("this is not JSON: {error}")))
}

/// Whether the text of a frame would be JSON if it went on.
pub(super) fn is_cut(text: &str) -> bool {
    Json::parse_with_halves(text, "").is_err_and(|error| error.is_incomplete())
}

fn warn_of_version(run_started: &Members<'_>, warnings: &mut Warnings) {
    if let Some(version) = text(run_started, "protocolVersion")
        && !is_served(version)
    {
        let message = format!("the producer speaks version {version}, this client {PROTOCOL_VERSION}");
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
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}
