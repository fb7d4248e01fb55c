//! Refusals of requests by endpoints.

use http::{HeaderMap, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use httpdate::parse_http_date;
use reqwest::Body;
use serde_json::Value;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::timeout;

/// The part of a refusal that is read, in bytes, and the time that it may take.
const MAX_BYTES: usize = 64 << 10;
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct EndpointRefusal {
    pub(crate) status: StatusCode,
    pub(crate) kind: RefusalKind,
    /// The pause that the endpoint asks for.
    pub(crate) after: Option<Duration>,
    /// The endpoint's own words, which may quote the key.
    pub(crate) said: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefusalKind {
    /// A retry helps.
    Passing,
    /// A retry helps: the model wrote a call that its endpoint could not read.
    BadCall,
    /// A shorter history helps.
    TooLong,
    /// A request without this member helps.
    Without(&'static str),
    /// Nothing helps.
    Lasting,
}

/// Parts of the errors of endpoints whose model takes no history of this length.
const TOO_LONG: [&str; 21] = [
    "request_too_large",
    "context_length_exceeded",
    "context length",
    "context window",
    "context size",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "maximum number of tokens",
    "maximum prompt length",
    "reduce the length",
    "exceed_context_size",
    "reduce your message size",
    "exceeded model token limit",
    "maximum model length",
    "exceed context limit",
    "exceeds the limit of",
    "exceeds max length",
    "range of input length",
    "`inputs` tokens",
    "`inputs` must have less",
];

/// Parts of the errors of endpoints that do not take a member.
const NOT_TAKEN: [&str; 7] =
    ["not support", "unsupported", "unknown", "unrecognized", "not permitted", "unexpected", "deprecated"];

/// Parts of the errors of endpoints that want to be paid first.
const UNPAID: [&str; 4] = ["insufficient_quota", "insufficient balance", "insufficient_balance", "余额不足"];

/// Parts of the errors of endpoints that are asked too often, where no status says so.
const RATE: [&str; 5] = ["rate_limit", "rate limit", "throttl", "too many requests", "please wait"];

/// The statuses, besides server errors, after which a retry helps. 200 is the status of an answer that reports an error, and 498 is Groq's for a
/// lack of capacity.
const PASSING: [u16; 7] = [200, 408, 409, 424, 425, 429, 498];

const BAD_CALL: [&str; 4] = ["tool_use_failed", "failed_generation", "output_parse_failed", "malformed_function_call"];

impl EndpointRefusal {
    pub(crate) async fn read(response: Response<Body>) -> Self {
        let (status, headers) = (response.status(), response.headers().clone());
        let said = beginning(response.into_body()).await;
        let after = wait_in(&headers).or_else(|| wait_said(&said));
        let is_limit = status == StatusCode::TOO_MANY_REQUESTS;
        let after = after.or_else(|| is_limit.then(|| reset_in(&headers)).flatten());
        let kind = match kind(status, &said) {
            RefusalKind::Passing if headers.get("x-should-retry").is_some_and(|value| value == "false") => {
                RefusalKind::Lasting
            }
            kind => kind,
        };
        Self { status, kind, after, said }
    }

    /// The error in a chunk of an answer, whose own status was good.
    pub(crate) fn told(chunk: &Value) -> Self {
        let said = chunk.to_string();
        let codes =
            ["/error/code", "/error/status", "/choices/0/error/code", "/errors/0/code", "/code", "/status_code"];
        let number = |code: &Value| code.as_u64().or_else(|| code.as_str()?.parse().ok());
        let code =
            codes.iter().filter_map(|place| number(chunk.pointer(place)?)).find(|code| (400..600).contains(code));
        let status = code.and_then(|code| StatusCode::from_u16(code.try_into().ok()?).ok());
        let is_rate = RATE.iter().any(|words| said.to_ascii_lowercase().contains(words));
        let named = if is_rate { StatusCode::TOO_MANY_REQUESTS } else { StatusCode::OK };
        let status = status.unwrap_or(named);
        Self { status, kind: kind(status, &said), after: wait_said(&said), said }
    }

    /// The reason for clients. The endpoint's own error is not for them: it may quote the key or other users' words.
    pub(crate) fn words(&self) -> String {
        let code = self.status.as_u16();
        match (self.kind, self.status) {
            (RefusalKind::TooLong, _) => "The conversation has outgrown the model. Start a new one.".to_owned(),
            (RefusalKind::BadCall, _) => {
                "The model made a call that its endpoint could not read. Try again.".to_owned()
            }
            (_, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => "The model's endpoint refuses the key.".to_owned(),
            (RefusalKind::Passing, StatusCode::TOO_MANY_REQUESTS) => "The model is asked too often.".to_owned(),
            (_, StatusCode::OK) => "The model's endpoint refuses.".to_owned(),
            (_, status) if status.is_server_error() => format!("The model's endpoint failed ({code})."),
            _ => format!("The model's endpoint refuses ({code})."),
        }
    }
}

fn kind(status: StatusCode, said: &str) -> RefusalKind {
    let said = said.to_ascii_lowercase();
    let is = |words: &[&str]| words.iter().any(|word| said.contains(word));
    // An error inside an answer, whose status is 200, may be about the request.
    let is_about_request = [200, 400, 413, 422].contains(&status.as_u16());
    match status {
        _ if is_about_request && is(&TOO_LONG) => RefusalKind::TooLong,
        _ if is_about_request && is(&BAD_CALL) => RefusalKind::BadCall,
        _ if is_about_request && is(&["stream_options", "include_usage"]) => RefusalKind::Without("stream_options"),
        _ if is_about_request && is(&NOT_TAKEN) && is(&["temperature"]) => RefusalKind::Without("temperature"),
        _ if is_about_request && is(&NOT_TAKEN) && is(&["max_tokens"]) => RefusalKind::Without("max_tokens"),
        StatusCode::OK | StatusCode::TOO_MANY_REQUESTS if is(&UNPAID) => RefusalKind::Lasting,
        status if status.is_server_error() || PASSING.contains(&status.as_u16()) => RefusalKind::Passing,
        _ => RefusalKind::Lasting,
    }
}

/// The beginning of a body, as far as it arrives in time.
async fn beginning(mut body: Body) -> String {
    let mut read = Vec::new();
    let reading = async {
        while read.len() < MAX_BYTES
            && let Some(Ok(frame)) = body.frame().await
        {
            read.extend_from_slice(frame.data_ref().map(|bytes| &**bytes).unwrap_or_default());
        }
    };
    // The part that has arrived is enough.
    let _ = timeout(PATIENCE, reading).await;
    read.truncate(MAX_BYTES);
    String::from_utf8_lossy(&read).into_owned()
}

fn wait_in(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    let milliseconds = text("retry-after-ms").and_then(|text| text.trim().parse::<f64>().ok());
    let milliseconds = milliseconds.and_then(|number| Duration::try_from_secs_f64(number / 1000.0).ok());
    milliseconds.or_else(|| {
        let text = text(header::RETRY_AFTER.as_str())?.trim();
        let date = || Some(parse_http_date(text).ok()?.duration_since(SystemTime::now()).unwrap_or_default());
        time(text).or_else(date)
    })
}

/// The time until a rate limit resets: the latest among the limits that are used up, or else the earliest of all.
fn reset_in(headers: &HeaderMap) -> Option<Duration> {
    let resets = headers.iter().filter_map(|(name, value)| {
        let name = Some(name.as_str()).filter(|name| name.contains("ratelimit") && name.contains("reset"))?;
        let is_used_up = headers.get(name.replace("reset", "remaining")).is_some_and(|left| left == "0");
        Some((is_used_up, time(value.to_str().ok()?.trim())?))
    });
    let (used_up, others): (Vec<_>, Vec<_>) = resets.partition(|(is_used_up, _)| *is_used_up);
    let (_, reset) = used_up.into_iter().max().or_else(|| others.into_iter().min())?;
    Some(reset)
}

/// The pause that a body asks for, in a member or in a sentence.
fn wait_said(said: &str) -> Option<Duration> {
    const MEMBERS: [&str; 5] =
        ["\"retrydelay\"", "\"retry_after\"", "\"retry_after_seconds\"", "\"estimated_time\"", "\"x-ratelimit-reset\""];
    const SENTENCES: [&str; 4] = ["try again in ", "retry in ", "retry after ", "please wait "];
    let said = said.to_ascii_lowercase();
    let times = MEMBERS.iter().chain(&SENTENCES).filter_map(|words| said.split_once(words));
    times.filter_map(|(_, rest)| time(rest.trim_start_matches([' ', '"', ':']))).next()
}

/// A time such as `7s`, `1m2.5s` or `340ms` at the beginning of a text. A number alone has seconds; if it is large, those since 1970, or
/// milliseconds.
fn time(text: &str) -> Option<Duration> {
    let (mut rest, mut seconds, mut is_any) = (text, 0.0, false);
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let Ok(number) = rest[..digits].trim_end_matches('.').parse::<f64>() else {
            break;
        };
        let unit = rest[digits..].trim_start();
        let (of_it, unit_length) = match unit {
            _ if unit.starts_with("ms") || unit.starts_with("millisecond") => (0.001, 2),
            _ if unit.starts_with('s') => (1.0, 1),
            _ if unit.starts_with('m') => (60.0, 1),
            _ if unit.starts_with('h') => (3600.0, 1),
            _ if !is_any && !unit.starts_with(char::is_alphabetic) => {
                let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
                let number = match number {
                    _ if number > 1e12 => (number / 1000.0 - now()).max(0.0),
                    _ if number > 1e9 => (number - now()).max(0.0),
                    _ => number,
                };
                return Duration::try_from_secs_f64(number).ok();
            }
            _ => break,
        };
        (seconds, is_any) = (seconds + number * of_it, true);
        rest = &unit[unit_length..];
    }
    is_any.then(|| Duration::try_from_secs_f64(seconds).ok()).flatten()
}
