//! Notifications of waiting questions for the program of `--notify-url`, such as a bot that passes them on.

use crate::auth::guard::Origin;
use crate::auth::secret::hide_in_debug;
use axum::http::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};
use question_agent::state::AwaitingUserResponse;
use serde_json::{Value, json};
use std::str::FromStr;

/// The URL of a program that is told of questions. It may have a secret, so neither `Debug` nor an error shows it.
#[derive(Clone)]
pub struct NotifyUrl(pub(crate) Uri);

impl FromStr for NotifyUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url: Option<Uri> = text.parse().ok();
        let is_one = |url: &Uri| matches!(url.scheme_str(), Some("http" | "https")) && url.authority().is_some();
        url.filter(is_one).map(Self).ok_or("a URL to notify looks like https://bot.example/waiting")
    }
}

hide_in_debug!(NotifyUrl);

/// The members of a question that a bot shows; the rest may be long.
const SHORT: [&str; 5] = ["question", "header", "multiSelect", "input", "showIf"];

/// The body of a call: what waits, in short, and where a person answers it.
pub(crate) fn body(conversation: &str, waiting: &AwaitingUserResponse, origin: Option<&Origin>) -> Value {
    let questions = serde_json::to_value(&waiting.questions.questions).unwrap_or_default();
    let short = |from: &Value, names: &[&str]| -> Value {
        names.iter().filter_map(|name| Some(((*name).to_owned(), from.get(name)?.clone()))).collect()
    };
    let question = |question: &Value| {
        let mut told = short(question, &SHORT);
        let options = question["options"].as_array().into_iter().flatten();
        told["options"] = options.map(|option| short(option, &["label", "description"])).collect();
        told
    };
    let questions: Vec<Value> = questions.as_array().into_iter().flatten().map(question).collect();
    let mut body = json!({
        "type": "question.waiting",
        "conversationId": conversation,
        "toolCallId": waiting.tool_use_id,
        "questions": questions,
    });
    if waiting.questions.is_background() {
        body["blocking"] = false.into();
    }
    if let Some(origin) = origin {
        body["url"] = page_address(&origin.to_string(), conversation).into();
    }
    if let Some(time) = waiting.expires_at {
        body["expiresAt"] = time.to_string().into();
    }
    body
}

/// The address at which the page shows a conversation. Its empty `agent` is the server's own, whichever one the person has chosen before, or
/// `--agent` names.
pub(crate) fn page_address(origin: &str, conversation: &str) -> String {
    format!("{origin}/?agent=#c={}", urlencoded(conversation))
}

pub(crate) fn urlencoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, RESERVED).to_string()
}

/// All but the characters that RFC 3986 calls unreserved.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
