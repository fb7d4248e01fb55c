//! The agent's work in detail: arguments and results of its calls, and its reasoning.

use crate::scripted_agent::Call;
use crate::server::{Server, hello};
use crate::visitor::{SIZE, Visitor};
use agent_chat::{ChatOptions, Item, Status};
use leptos::prelude::*;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A visitor who sees all details, and the run that answers.
async fn greeting(options: ChatOptions) -> (Visitor, Call) {
    Visitor::greeting_with(options.detailed()).await
}

fn begins(call: &Call, id: &str, name: &str) {
    call.event(&format!(r#"{{"type":"TOOL_CALL_START","toolCallId":"{id}","toolCallName":"{name}"}}"#));
}

fn continues(call: &Call, id: &str, arguments: &str) {
    call.event(&format!(r#"{{"type":"TOOL_CALL_ARGS","toolCallId":"{id}","delta":{arguments:?}}}"#));
}

fn results(call: &Call, id: &str, content: &str) {
    let message = format!(r#""messageId":"r-{id}","toolCallId":"{id}","content":{content:?}"#);
    call.event(&format!(r#"{{"type":"TOOL_CALL_RESULT",{message}}}"#));
}

fn thinks(call: &Call, id: &str, delta: &str) {
    call.event(&format!(r#"{{"type":"REASONING_MESSAGE_CHUNK","messageId":"{id}","delta":{delta:?}}}"#));
}

#[test]
async fn arguments_grow_while_they_arrive_and_the_result_follows() {
    let (visitor, call) = greeting(ChatOptions::new("/agent")).await;
    begins(&call, "c1", "search");
    visitor.sees_lines(&["user: Hello", "tool: search "]).await;
    for (delta, shown) in [(r#"{"words"#, r#"{"words"#), (r#"":"é"#, r#"{"words":"é"#), (r#""}"#, r#"{"words":"é"}"#)]
    {
        continues(&call, "c1", delta);
        visitor.sees_last_line(&format!("tool: search {shown}")).await;
    }
    call.event(r#"{"type":"TOOL_CALL_END","toolCallId":"c1"}"#);
    results(&call, "c1", "3 cars");
    visitor.sees_last_line(r#"tool: search, done {"words":"é"} -> 3 cars"#).await;
    // Deltas of one chunk, and two calls that take turns.
    begins(&call, "c2", "look");
    begins(&call, "c3", "list");
    for (id, delta) in [("c2", "{"), ("c3", "["), ("c2", "}"), ("c3", "]")] {
        continues(&call, id, delta);
    }
    visitor
        .sees_lines(&["user: Hello", r#"tool: search, done {"words":"é"} -> 3 cars"#, "tool: look {}", "tool: list []"])
        .await;
    call.finishes();
}

#[test]
async fn a_question_has_a_card_and_no_details() {
    let (visitor, call) = greeting(ChatOptions::new("/agent")).await;
    call.asks("c1", SIZE);
    call.finishes();
    visitor.sees_lines(&["user: Hello", "ask: answerable"]).await;
}

#[test]
async fn reasoning_comes_in_parts_before_the_text() {
    let (visitor, call) = greeting(ChatOptions::new("/agent")).await;
    thinks(&call, "m0", "The user");
    visitor.sees_lines(&["user: Hello", "reasoning: The user"]).await;
    let keys = visitor.keys();
    thinks(&call, "m0", " greets me.");
    visitor.sees_last_line("reasoning: The user greets me.").await;
    assert_eq!(visitor.keys(), keys, "it grows in place");
    thinks(&call, "m1", "So I do.");
    call.says("m2", "Hello!");
    call.finishes();
    visitor.sees_status(Status::Idle).await;
    visitor
        .sees_lines(&["user: Hello", "reasoning: The user greets me.", "reasoning: So I do.", "agent: Hello!"])
        .await;
}

#[test]
async fn a_page_without_details_shows_neither_reasoning_nor_arguments() {
    let (visitor, call) = Visitor::greeting().await;
    thinks(&call, "m0", "The user greets me.");
    call.calls("c1", "search", "{}");
    results(&call, "c1", "3 cars");
    call.says("m2", "Hello!");
    call.finishes();
    visitor.sees_lines(&["user: Hello", "tool: search, done", "agent: Hello!"]).await;
}

#[test]
async fn details_come_back_with_a_history_and_a_failed_call_is_known() {
    let server = Server::new();
    let visitor = Visitor::first(server.options().detailed());
    let function = json!({"name": "search", "arguments": r#"{"words":"cars"}"#});
    let calls = json!([{"id": "c1", "type": "function", "function": function}]);
    let history = |result: serde_json::Value| {
        json!({
            "messages": [
                hello(),
                {"id": "m0", "role": "reasoning", "content": "I search."},
                {"id": "a1", "role": "assistant", "toolCalls": calls},
                result,
                {"id": "m1", "role": "assistant", "content": "Nothing works."},
            ],
            "pending": [],
            "lastEventId": "life-4",
        })
    };
    let failed =
        json!({"id": "t1", "role": "tool", "toolCallId": "c1", "content": "no network", "error": "no network"});
    server.describes(history(failed)).await;
    let tool = r#"tool: search, done {"words":"cars"} failed: no network"#;
    visitor.sees_lines(&["user: Hello", "reasoning: I search.", tool, "agent: Nothing works."]).await;
}

#[test]
async fn details_are_kept_by_a_browser() {
    let options = || ChatOptions::new("/agent").resume("details-kept");
    let (visitor, call) = greeting(options()).await;
    thinks(&call, "m0", "I search.");
    call.calls("c1", "search", r#"{"a":1}"#);
    results(&call, "c1", "3 cars");
    call.finishes();
    visitor.sees_status(Status::Idle).await;
    drop(visitor);
    let visitor = Visitor::beside(options().detailed());
    visitor.sees_lines(&["user: Hello", "reasoning: I search.", r#"tool: search, done {"a":1} -> 3 cars"#]).await;
}

#[test]
async fn a_delta_notifies_its_own_signal_alone() {
    let (visitor, call) = greeting(ChatOptions::new("/agent")).await;
    begins(&call, "c1", "search");
    begins(&call, "c2", "look");
    visitor.sees_lines(&["user: Hello", "tool: search ", "tool: look "]).await;
    let signals = visitor.chat.entries.with_untracked(|entries| {
        let signal = |item: &Item| match item {
            Item::Tool { details: Some(details), .. } => Some(details.arguments.clone()),
            _ => None,
        };
        entries.iter().filter_map(|entry| signal(&entry.item)).collect::<Vec<_>>()
    });
    let counts: Vec<_> = signals
        .into_iter()
        .map(|signal| {
            let count = RwSignal::new(0);
            Effect::new(move || {
                signal.track();
                count.update_untracked(|count| *count += 1);
            });
            count
        })
        .collect();
    crate::scripted_agent::tick().await;
    continues(&call, "c2", "{}");
    visitor.sees_last_line("tool: look {}").await;
    crate::scripted_agent::tick().await;
    assert_eq!(counts.iter().map(GetUntracked::get_untracked).collect::<Vec<_>>(), [1, 2]);
    call.finishes();
}
