//! The agent's side of the tool: JSON text in, JSON text out.

use ask_user_question::reply::Selection;
use ask_user_question::validate::describe;
use ask_user_question::{AskUserQuestion, Limits, Outcome, Reply, tool};
use json_tree::Json;
use question_compat::{check_text, from_arguments};
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

/// The definition of the tool under a profile (`runtime`, `coding`, `chat`): `name`, `description`, `parameters` (the JSON Schema of the
/// input, properties in the order that the card needs) and `guidance` for the system prompt.
///
/// # Errors
/// There is no such profile.
#[wasm_bindgen(js_name = toolDefinition)]
pub fn tool_definition(profile: &str) -> Result<String, String> {
    let tool = tool::tool_definition(&limits(profile)?);
    let text = |text: &str| Value::from(text).to_string();
    // Member by member, because a `Value` would sort the properties of the schema.
    let members = [
        ("name", text(tool.name)),
        ("description", text(&tool.description)),
        ("parameters", tool.parameters.text()),
        ("guidance", text(&tool.guidance)),
    ];
    let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    Ok(format!("{{{}}}", members.join(",")))
}

/// Checks a call's arguments under a profile: `valid`, the repaired `ask` (or null), the `repairs` and `violations` with path and code, and
/// a `message` for the model if the arguments are not valid.
///
/// # Errors
/// There is no such profile.
#[wasm_bindgen]
pub fn check(profile: &str, arguments: &str) -> Result<String, String> {
    let checked = check_text(&limits(profile)?, arguments);
    let repairs = checked.repairs.iter().map(|repair| json!({"path": repair.path, "code": repair.code.as_str()}));
    let verdict = json!({
        "valid": checked.is_valid(),
        "ask": checked.ask,
        "repairs": repairs.collect::<Vec<_>>(),
        "violations": checked.violations,
        "message": (!checked.is_valid()).then(|| describe(&checked.violations)),
    });
    Ok(verdict.to_string())
}

/// Reads the reply to an ask: `{outcome: "answered", answers, details?, message}`, where `message` is the reply as a line for each
/// question; or `{outcome: "declined"}` and its like; or `{outcome: null, violations}` where it is neither.
///
/// # Errors
/// The ask can't be read.
#[wasm_bindgen(js_name = parseReply)]
pub fn parse_reply(ask: &str, reply: &str) -> Result<String, String> {
    let ask = read_ask(ask)?;
    let outcome = match Outcome::parse(&ask, reply) {
        Some(outcome) => outcome_json(&outcome),
        None => {
            let violations = match Json::parse(reply) {
                Ok(reply) => Reply::parse(&ask, &reply).err().unwrap_or_default(),
                Err(_) => Vec::new(),
            };
            json!({"outcome": null, "violations": violations})
        }
    };
    Ok(outcome.to_string())
}

/// The answers in a typed chat message, as [`parse_reply`] returns them, with `replied_in_chat` if the text does not answer every question.
/// `partial` are the picks so far, as in the element's `draft` event.
///
/// # Errors
/// The ask or the picks can't be read.
#[wasm_bindgen(js_name = matchMessage)]
pub fn match_message(ask: &str, text: &str, partial: &str) -> Result<String, String> {
    let ask = read_ask(ask)?;
    let partial: Vec<Selection> = match partial {
        "" => Vec::new(),
        _ => serde_json::from_str(partial).map_err(|problem| format!("the picks can't be read: {problem}"))?,
    };
    Ok(outcome_json(&question_compat::match_message(&ask, text, partial)).to_string())
}

fn limits(profile: &str) -> Result<Limits, String> {
    Limits::by_name(profile).ok_or_else(|| format!("there is no profile {profile:?}: it is runtime, coding or chat"))
}

fn read_ask(ask: &str) -> Result<AskUserQuestion, String> {
    from_arguments(ask).ok_or_else(|| "the ask can't be read".to_owned())
}

fn outcome_json(outcome: &Outcome) -> Value {
    let kind = outcome.kind().as_str();
    match outcome {
        Outcome::Answered(reply) => {
            let mut json = reply.to_json().into_value();
            json["outcome"] = kind.into();
            // Replaces the sentence for the model that a reply with a typed or skipped part has under this name.
            json["message"] = reply.message().into();
            json
        }
        Outcome::RepliedInChat { text, partial } => json!({"outcome": kind, "text": text, "picks": partial}),
        _ => json!({"outcome": kind}),
    }
}
