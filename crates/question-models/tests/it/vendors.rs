//! The streams of each vendor. They are written after the vendors' documentation; none is recorded.

use crate::replayed::{Endpoint, Recorded};
use axum::http::StatusCode;
use futures_util::StreamExt as _;
use json_tree::JsonText;
use question_agent::call::{ToolCall, ToolResult};
use question_agent::message::{AssistantMessage, Message, UserMessage};
use question_agent::registry::{ToolContext, ToolSpec};
use question_models::{Delta, Model as _, ModelError, ModelRequest, RemoteModel, Settings, Vendor, vendors};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

const KEY: &str = "sk-test-0123456789";
const ASK: &str = r#"{"questions":[{"question":"Which size?","options":[{"label":"S"},{"label":"M"}]}]}"#;

/// The streams of a vendor by what they are.
fn streams(vendor: &Vendor) -> BTreeMap<String, Vec<Value>> {
    let text = match vendor.name {
        "openai" => include_str!("streams/openai.json"),
        "anthropic" => include_str!("streams/anthropic.json"),
        "gemini" => include_str!("streams/gemini.json"),
        "mistral" => include_str!("streams/mistral.json"),
        "deepseek" => include_str!("streams/deepseek.json"),
        "groq" => include_str!("streams/groq.json"),
        "openrouter" => include_str!("streams/openrouter.json"),
        "azure" => include_str!("streams/azure.json"),
        "ollama" => include_str!("streams/ollama.json"),
        other => panic!("{other} has no streams"),
    };
    serde_json::from_str(text).expect("the streams are legal")
}

fn recorded(vendor: &Vendor, kind: &str) -> Recorded {
    let streams = streams(vendor);
    let written = streams[kind].iter().map(|piece| match piece {
        Value::String(text) => text.clone(),
        event => match event["type"].as_str() {
            Some(kind) => format!("event: {kind}\ndata: {event}\n\n"),
            None => format!("data: {event}\n\n"),
        },
    });
    Recorded { status: StatusCode::OK, body: written.collect() }
}

fn model(vendor: &'static Vendor, endpoint: &Endpoint) -> RemoteModel {
    let settings = Settings {
        base_url: endpoint.url.clone(),
        key: Some(KEY.to_owned()),
        model: "a-model".to_owned(),
        sends_reasoning: true,
        ..Settings::default()
    };
    RemoteModel::new(vendor, settings).expect("loopback may have the key")
}

fn request(messages: Vec<Message>) -> ModelRequest {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let tools = ["ask_user_question", "get_weather"].map(|name| ToolSpec::new(name, "A tool.", &schema));
    ModelRequest {
        messages,
        tools: tools.into(),
        attempt: 1,
        context: ToolContext::default(),
        guidance: None,
        headers: Default::default(),
    }
}

fn says(text: &str) -> Message {
    Message::User(UserMessage { id: "u".to_owned(), text: text.to_owned(), ask: None })
}

/// An answer as its reader has it in the end.
#[derive(Debug, Default)]
struct Read {
    text: String,
    calls: Vec<(String, String)>,
    usage: (u64, u64),
    /// The data that goes back to the vendor.
    origin: Option<JsonText>,
    pieces: usize,
    error: Option<ModelError>,
}

async fn read(model: &RemoteModel, messages: Vec<Message>) -> Read {
    let mut read = Read::default();
    let mut deltas = model.respond(request(messages));
    while let Some(delta) = deltas.next().await {
        match delta {
            Ok(Delta::Text(text)) => read.text += &text,
            Ok(Delta::CallStart { name, .. }) => read.calls.push((name, String::new())),
            Ok(Delta::CallArgs { call, delta }) => {
                read.pieces += 1;
                read.calls[call].1 += &delta;
            }
            Ok(Delta::CallArgsAre { call, arguments }) => read.calls[call].1 = arguments,
            Ok(Delta::Usage { input, output }) => read.usage = (input, output),
            Ok(Delta::Origin(origin)) => read.origin = Some(origin),
            Ok(Delta::CallEnd { .. } | Delta::Cut) => {}
            Err(error) => read.error = Some(error),
        }
    }
    read
}

async fn played(vendor: &'static Vendor, kind: &str) -> Read {
    let endpoint = Endpoint::replaying([recorded(vendor, kind)]).await;
    read(&model(vendor, &endpoint), vec![says("hi")]).await
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[tokio::test]
async fn text_streams_and_its_tokens_are_counted() {
    for vendor in vendors() {
        let read = played(vendor, "text").await;
        assert_eq!((read.text.as_str(), &read.error), ("Grüß Gott!", &None), "{}", vendor.name);
        assert_eq!(read.usage, (9, 5), "{}", vendor.name);
    }
}

#[tokio::test]
async fn a_question_arrives_in_the_pieces_in_which_it_is_sent() {
    for vendor in vendors() {
        let read = played(vendor, "ask").await;
        assert_eq!(read.error, None, "{}", vendor.name);
        let [(name, arguments)] = &read.calls[..] else { panic!("{}: {read:?}", vendor.name) };
        assert_eq!((name.as_str(), json_of(arguments)), ("ask_user_question", json_of(ASK)), "{}", vendor.name);
        // These three send a call at once.
        let is_whole = ["gemini", "groq", "ollama"].contains(&vendor.name);
        assert_eq!(read.pieces > 1, !is_whole, "{}: {}", vendor.name, read.pieces);
    }
}

#[tokio::test]
async fn two_calls_stay_two() {
    for vendor in vendors() {
        let read = played(vendor, "two").await;
        assert_eq!(read.error, None, "{}", vendor.name);
        let calls: Vec<(&str, Value)> = read.calls.iter().map(|(name, of)| (name.as_str(), json_of(of))).collect();
        let expected = ["Graz", "Linz"].map(|city| ("get_weather", json!({"city": city})));
        assert_eq!(calls, expected, "{}", vendor.name);
    }
}

#[tokio::test]
async fn what_is_no_answer_is_an_error_and_never_an_end() {
    for vendor in vendors() {
        for (kind, said, text) in
            [("refusal", "withheld", ""), ("error", "broke off", "Let me"), ("cut", "broke off", "Let me")]
        {
            let read = played(vendor, kind).await;
            let error = read.error.unwrap_or_else(|| panic!("{}: {kind} is no error", vendor.name));
            assert!(error.reason.contains(said), "{}: {kind}: {error}", vendor.name);
            assert!(error.retry_after.is_some(), "{}: {kind} may be tried again", vendor.name);
            assert_eq!(read.text, text, "{}: {kind}", vendor.name);
        }
    }
}

#[tokio::test]
async fn an_overloaded_endpoint_says_when_to_come_back() {
    for vendor in vendors() {
        for status in [429, 503, 529] {
            let status = StatusCode::from_u16(status).expect("it is one");
            let busy =
                Recorded { status, body: json!({"error": {"message": format!("Overloaded: {KEY}")}}).to_string() };
            let endpoint = Endpoint::replaying([busy]).await;
            let error = read(&model(vendor, &endpoint), vec![says("hi")]).await.error.expect("it is busy");
            assert_eq!(error.retry_after, Some(Duration::from_secs(7)), "{}: {status}", vendor.name);
            assert!(!format!("{error} {error:?}").contains(KEY), "{error:?}");
        }
    }
}

#[tokio::test]
async fn thoughts_are_not_shown() {
    for vendor in vendors() {
        let read = played(vendor, "thinking").await;
        assert_eq!((read.text.as_str(), &read.error), ("Grüß Gott!", &None), "{}", vendor.name);
    }
}

#[tokio::test]
async fn the_key_is_in_its_header_alone() {
    for vendor in vendors() {
        let endpoint = Endpoint::replaying([recorded(vendor, "text")]).await;
        let model = model(vendor, &endpoint);
        read(&model, vec![says("hi")]).await;
        let (address, headers, body) = endpoint.asked().remove(0);
        let (header, value, path) = match vendor.name {
            "anthropic" => ("x-api-key", KEY.to_owned(), "/v1/messages"),
            "gemini" => ("x-goog-api-key", KEY.to_owned(), "/v1beta/models/a-model:streamGenerateContent"),
            "azure" => ("api-key", KEY.to_owned(), "/openai/deployments/a-model/chat/completions"),
            "mistral" => ("authorization", format!("Bearer {KEY}"), "/v1/chat/completions"),
            _ => ("authorization", format!("Bearer {KEY}"), "/chat/completions"),
        };
        assert_eq!((headers[header].to_str().ok(), address.path()), (Some(value.as_str()), path), "{}", vendor.name);
        let with_it = headers.values().filter(|value| value.to_str().is_ok_and(|value| value.contains(KEY))).count();
        assert_eq!(with_it, 1, "{}", vendor.name);
        assert!(!address.to_string().contains(KEY) && !body.contains(KEY), "{}", vendor.name);
        assert!(!format!("{model:?}").contains(KEY), "{model:?}");
    }
}

#[tokio::test]
async fn a_call_and_its_result_go_back_to_the_vendor() {
    for vendor in vendors() {
        let endpoint = Endpoint::replaying([recorded(vendor, "two"), recorded(vendor, "text")]).await;
        let model = model(vendor, &endpoint);
        let first = read(&model, vec![says("hi")]).await;
        let calls: Vec<ToolCall> = first
            .calls
            .iter()
            .enumerate()
            .map(|(id, (name, of))| ToolCall::new(format!("our{id}"), name, of))
            .collect();
        let results = calls.iter().map(|call| Message::Tool(ToolResult::success(call.id.clone(), "Sunny.")));
        let results: Vec<Message> = results.collect();
        let answer = AssistantMessage { id: "a".to_owned(), text: first.text, tool_calls: calls, origin: first.origin };
        let history = [vec![says("hi"), Message::Assistant(answer)], results].concat();
        let second = read(&model, history).await;
        assert_eq!((second.text.as_str(), &second.error), ("Grüß Gott!", &None), "{}", vendor.name);
        let (_, _, body) = endpoint.asked().remove(1);
        for part in ["Graz", "Linz", "Sunny."] {
            assert!(body.contains(part), "{}: {body}", vendor.name);
        }
        // The vendor's own ids, and what it signed.
        assert!(!body.contains("our0"), "{}: {body}", vendor.name);
        assert!(vendor.name != "gemini" || body.contains("U0lH"), "{body}");
    }
}
