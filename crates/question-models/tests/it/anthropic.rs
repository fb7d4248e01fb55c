//! What Anthropic's messages alone have: turns, and thoughts that are signed.

use crate::replayed::{Endpoint, Recorded};
use crate::vendors::{ASK, Read, json_of, read, says, settings};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use question_agent::call::{ToolCall, ToolResult};
use question_agent::message::{AssistantMessage, Message};
use question_models::{RemoteModel, Settings, Vendor};
use serde_json::{Value, json};
use std::iter::once;

/// A message of these blocks that ends for this reason.
fn message(blocks: &[Vec<Value>], reason: &str) -> Recorded {
    let usage = json!({"input_tokens": 9, "output_tokens": 1});
    let begin =
        json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage});
    let end = json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}});
    let begin = json!({"type": "message_start", "message": begin});
    let events = once(begin).chain(blocks.concat()).chain([end, json!({"type": "message_stop"})]);
    let body = events.map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default()));
    Recorded { status: StatusCode::OK, body: body.collect() }
}

/// A block with this beginning, and with these members of its deltas.
fn block(index: u64, begin: &Value, deltas: &[(&str, &str, &str)]) -> Vec<Value> {
    let begin = json!({"type": "content_block_start", "index": index, "content_block": begin});
    let deltas = deltas.iter().map(|(kind, member, value)| {
        json!({"type": "content_block_delta", "index": index, "delta": {"type": kind, *member: value}})
    });
    once(begin).chain(deltas).chain([json!({"type": "content_block_stop", "index": index})]).collect()
}

fn text(index: u64, text: &str) -> Vec<Value> {
    block(index, &json!({"type": "text", "text": ""}), &[("text_delta", "text", text)])
}

fn call(index: u64, arguments: &str) -> Vec<Value> {
    let (half, rest) = arguments.split_at(arguments.len() / 2);
    let begin = json!({"type": "tool_use", "id": "toolu_1", "name": "ask_user_question", "input": {}});
    block(index, &begin, &[("input_json_delta", "partial_json", half), ("input_json_delta", "partial_json", rest)])
}

fn model(endpoint: &Endpoint, more: Settings) -> RemoteModel {
    let Settings { base_url, key, model, sends_reasoning, .. } = settings(endpoint);
    let vendor = Vendor::by_name("anthropic").expect("it is in the list");
    RemoteModel::new(vendor, Settings { base_url, key, model, sends_reasoning, ..more }).expect("loopback may have it")
}

async fn played(recorded: Recorded) -> Read {
    let endpoint = Endpoint::replaying([recorded]).await;
    read(&model(&endpoint, Settings::default()), vec![says("hi")]).await
}

#[tokio::test]
async fn a_turn_is_over_or_not_as_its_reason_says() {
    for (reason, words, may_help, is_cut) in [
        ("end_turn", "", false, false),
        ("max_tokens", "", false, true),
        ("refusal", "withheld", true, false),
        ("pause_turn", "paused", false, false),
    ] {
        let read = played(message(&[text(0, "Let me")], reason)).await;
        let error = read.error.map(|error| (error.reason.contains(words), error.retry_after.is_some()));
        assert_eq!(error, Some((true, may_help)).filter(|_| !words.is_empty()), "{reason}");
        assert_eq!(read.is_cut, is_cut, "{reason}");
    }
}

#[tokio::test]
async fn a_message_that_ends_without_a_reason_is_whole() {
    let Recorded { status, body } = message(&[call(0, ASK)], "tool_use");
    let (before, end) = body.split_once("event: message_delta").expect("it has a reason");
    let (_, stop) = end.split_once("event: message_stop").expect("it has an end");
    for body in [format!("{before}event: message_stop{stop}"), body.replace("\"tool_use\"}", "null}")] {
        let read = played(Recorded { status, body }).await;
        assert_eq!((read.calls.len(), &read.error), (1, &None));
    }
    let read = played(Recorded { status, body: before.to_owned() }).await;
    assert!(read.error.is_some_and(|error| error.reason.contains("broke off")));
}

#[tokio::test]
async fn arguments_that_are_no_json_are_a_call_all_the_same() {
    let read = played(message(&[call(0, &ASK.replace("\"Which size?\"", "Which size?"))], "tool_use")).await;
    assert_eq!((read.calls.len(), &read.error), (1, &None));
}

#[tokio::test]
async fn thoughts_without_an_end_are_given_up() {
    let begin =
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}});
    let piece = "x".repeat(1000);
    // In its block, in one that never began, and without a letter.
    for (index, thinking) in [(0, &*piece), (7, &piece), (0, "")] {
        let delta = json!({"type": "thinking_delta", "thinking": thinking});
        let more = json!({"type": "content_block_delta", "index": index, "delta": delta}).to_string();
        let flood = format!("data: {more}\n\n").repeat((3 << 20) / more.len());
        let recorded = Recorded { status: StatusCode::OK, body: format!("data: {begin}\n\n{flood}") };
        let error = played(recorded).await.error.expect("it has an end");
        assert!(error.reason.contains("does not come to an end"), "{error}");
    }
}

/// The requests for an answer, for what comes behind its calls, and behind one more message.
async fn asked(first: Recorded) -> [Value; 3] {
    let done = || message(&[text(0, "Done.")], "end_turn");
    let endpoint = Endpoint::replaying([first, done(), done()]).await;
    let thinks = Settings { thinking: Some(2048), temperature: Some(0.2), ..Settings::default() };
    let model = model(&endpoint, thinks);
    let first = read(&model, vec![says("hi")]).await;
    assert_eq!((first.error.as_ref(), json_of(&first.calls[0].1)), (None, json_of(ASK)));
    let mut history = first.history("S");
    let second = read(&model, history.clone()).await;
    let answer =
        AssistantMessage { id: "b".to_owned(), text: second.text, tool_calls: Vec::new(), origin: second.origin };
    history.extend([Message::Assistant(answer), says("And now?")]);
    read(&model, history).await;
    let asked = endpoint.asked();
    [0, 1, 2].map(|index: usize| json_of(&asked[index].2))
}

#[tokio::test]
async fn thoughts_go_back_signed() {
    let thoughts = [
        ("thinking_delta", "thinking", "They want a shirt."),
        ("thinking_delta", "thinking", " I ask."),
        ("signature_delta", "signature", "EqQBCgIYAhIM"),
    ];
    let asked = asked(message(
        &[
            block(0, &json!({"type": "thinking", "thinking": "", "signature": ""}), &thoughts),
            block(1, &json!({"type": "redacted_thinking", "data": "EmwKAhgB"}), &[]),
            text(2, "One thing first."),
            call(3, ASK),
        ],
        "tool_use",
    ))
    .await;
    for asked in &asked {
        assert_eq!(asked["thinking"], json!({"type": "enabled", "budget_tokens": 2048}));
        assert_eq!((&asked["max_tokens"], asked.get("temperature")), (&json!(8192 + 2048), None));
    }
    let [hi, said, results] = [0, 1, 2].map(|index: usize| &asked[1]["messages"][index]);
    assert_eq!([hi, said, results].map(|message| &message["role"]), ["user", "assistant", "user"]);
    let thinking = json!({"type": "thinking", "thinking": "They want a shirt. I ask.", "signature": "EqQBCgIYAhIM"});
    let said = &said["content"];
    assert_eq!((&said[0], &said[1]), (&thinking, &json!({"type": "redacted_thinking", "data": "EmwKAhgB"})));
    assert_eq!((&said[2]["text"], &said[3]["id"]), (&json!("One thing first."), &json!("toolu_1")));
    assert_eq!(results["content"][0]["tool_use_id"], said[3]["id"]);
}

#[tokio::test]
async fn a_turn_that_began_without_thoughts_goes_on_without() {
    let [first, second, third] = asked(message(&[call(0, ASK)], "tool_use")).await;
    assert_eq!((second.get("thinking"), &second["temperature"]), (None, &json!(0.2)));
    // With its user's next word it may think.
    assert_eq!([first, third].map(|asked| asked["thinking"]["type"].clone()), ["enabled"; 2]);
}

#[tokio::test]
async fn what_a_program_asked_first_is_told_as_the_agents_own() {
    let endpoint = Endpoint::replaying([message(&[text(0, "Done.")], "end_turn")]).await;
    let tool_calls = vec![ToolCall::new("the size", "ask_user_question", ASK)];
    let asked = AssistantMessage { id: "a".to_owned(), text: String::new(), tool_calls, origin: None };
    let history =
        vec![Message::Assistant(asked), Message::Tool(ToolResult::success("the size", "M")), says("And now?")];
    read(&model(&endpoint, Settings::default()), history).await;
    let sent = json_of(&endpoint.asked().remove(0).2)["messages"].take();
    let roles: Vec<&Value> = sent.as_array().into_iter().flatten().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user"], "{sent}");
    assert_eq!(
        (&sent[1]["content"][0]["id"], &sent[2]["content"][0]["tool_use_id"]),
        (&json!("the_size"), &json!("the_size"))
    );
    assert_eq!(sent[2]["content"][1]["text"], "And now?");
}

#[test]
fn settings_do_not_show_their_key() {
    let headers =
        HeaderMap::from_iter([("x-tenant-key".parse().expect("legal"), HeaderValue::from_static("tenant-secret"))]);
    let settings = Settings { key: Some("the-key".to_owned()), headers, model: "m".to_owned(), ..Settings::default() };
    let shown = format!("{settings:?} {settings:#?}");
    assert!(shown.contains("\"m\"") && !shown.contains("the-key") && !shown.contains("tenant-secret"), "{shown}");
}
