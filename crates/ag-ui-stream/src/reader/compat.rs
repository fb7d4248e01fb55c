//! The compatibility boundary: retired events and forms become what 1.0 has, before anything is enforced.
//!
//! The reference client keeps this boundary until 2027-09-17.

use crate::warning::{Warning, WarningCode};
use serde_json::{Map, Value, json};

/// What is open of the retired `THINKING_*` events, which have no ids of their own.
#[derive(Debug, Default)]
pub(super) struct Retired {
    /// How many ids were made. They are derived from the run and this count, so that the same bytes give the same ids.
    made: u64,
    span: Option<String>,
    message: Option<String>,
}

impl Retired {
    fn make_id(&mut self, run: Option<&str>) -> String {
        self.made += 1;
        format!("{}-thinking-{}", run.unwrap_or("run"), self.made)
    }
}

/// Translates an event in place; what is not retired is untouched.
pub(super) fn translate(
    event: &mut Value,
    retired: &mut Retired,
    run: Option<&str>,
    warnings: &mut Vec<Warning>,
) {
    let Some(event) = event.as_object_mut() else {
        return;
    };
    drop_null(event, "rawEvent");
    let Some(kind) = event.get("type").and_then(Value::as_str).map(str::to_owned) else {
        return;
    };
    match kind.as_str() {
        "TOOL_CALL_START" | "TOOL_CALL_CHUNK" => drop_null(event, "parentMessageId"),
        "RUN_FINISHED" => {
            drop_null(event, "outcome");
            drop_null(event, "result");
        }
        "SUBAGENT_FINISHED" => drop_null(event, "result"),
        "RUN_STARTED" => event.get_mut("input").into_iter().for_each(translate_input),
        "MESSAGES_SNAPSHOT" => each(event, "messages", |message| {
            each(message, "content", translate_part);
        }),
        "TOOL_CALL_RESULT" => each(event, "content", translate_part),
        _ if kind.starts_with("THINKING_") => {
            translate_thinking(event, &kind, retired, run, warnings);
        }
        _ => {}
    }
}

fn translate_thinking(
    event: &mut Map<String, Value>,
    kind: &str,
    retired: &mut Retired,
    run: Option<&str>,
    warnings: &mut Vec<Warning>,
) {
    let (name, id) = match kind {
        "THINKING_START" => {
            if event.remove("title").is_some() {
                let message =
                    "the title of a retired THINKING_START has no place in 1.0 and was dropped";
                warnings.push(Warning::new(WarningCode::Retired, message).at("/title"));
            }
            let id = retired.make_id(run);
            ("REASONING_START", retired.span.insert(id).clone())
        }
        "THINKING_TEXT_MESSAGE_START" => {
            event.insert("role".into(), "reasoning".into());
            let id = retired.make_id(run);
            (
                "REASONING_MESSAGE_START",
                retired.message.insert(id).clone(),
            )
        }
        "THINKING_TEXT_MESSAGE_CONTENT" => (
            "REASONING_MESSAGE_CONTENT",
            retired.message.clone().unwrap_or_default(),
        ),
        "THINKING_TEXT_MESSAGE_END" => (
            "REASONING_MESSAGE_END",
            retired.message.take().unwrap_or_default(),
        ),
        "THINKING_END" => ("REASONING_END", retired.span.take().unwrap_or_default()),
        _ => return,
    };
    event.insert("type".into(), name.into());
    event.insert("messageId".into(), id.into());
}

/// Translates the input of a run in place.
pub(super) fn translate_input(input: &mut Value) {
    let Some(input) = input.as_object_mut() else {
        return;
    };
    drop_null(input, "forwardedProps");
    each(input, "tools", |tool| drop_null(tool, "parameters"));
    each(input, "resume", |entry| drop_null(entry, "payload"));
    each(input, "messages", |message| {
        each(message, "content", translate_part);
    });
}

fn translate_part(part: &mut Map<String, Value>) {
    match part.get("type").and_then(Value::as_str) {
        Some("binary") => translate_binary(part),
        Some("image" | "audio" | "video" | "document") => drop_null(part, "metadata"),
        _ => {}
    }
}

/// Turns a legacy binary part into a media part. One without MIME type or content stays, to be removed as unknown.
fn translate_binary(part: &mut Map<String, Value>) {
    let text = |name: &str| part.get(name).and_then(Value::as_str);
    let Some(mime) = text("mimeType") else {
        return;
    };
    let source = match (text("data"), text("url"), text("id")) {
        (Some(data), _, _) => json!({"type": "data", "value": data, "mimeType": mime}),
        (None, Some(url), _) => json!({"type": "url", "value": url, "mimeType": mime}),
        (None, None, Some(id)) => json!({"type": "file", "value": id, "mimeType": mime}),
        (None, None, None) => return,
    };
    let is_of = |kind: &&str| {
        mime.strip_prefix(kind)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    let kind = ["image", "audio", "video"]
        .into_iter()
        .find(is_of)
        .unwrap_or("document");
    let mut media = json!({"type": kind, "source": source});
    if let Some(filename) = text("filename") {
        media["metadata"] = json!({"filename": filename});
    }
    if let Value::Object(media) = media {
        *part = media;
    }
}

fn each(
    object: &mut Map<String, Value>,
    name: &str,
    mut change: impl FnMut(&mut Map<String, Value>),
) {
    let items = object.get_mut(name).and_then(Value::as_array_mut);
    items
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
        .for_each(&mut change);
}

fn drop_null(object: &mut Map<String, Value>, name: &str) {
    if object.get(name).is_some_and(Value::is_null) {
        object.remove(name);
    }
}
