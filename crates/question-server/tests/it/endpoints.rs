//! Answers of real model endpoints, kind by kind: each is played as the first, and "Done." to every further request.

use crate::house::{Parts, app, parts, server_with};
use crate::http::{Answer, call, get, messages, post, request, says, start, with_headers};
use crate::metrics::check_counted;
use crate::openai::answering;
use crate::provider::{Provider, Recorded, model_of};
use crate::watcher::until_state;
use ag_ui_stream::reader::EndOutcome;
use axum::Router;
use axum::http::{HeaderName, HeaderValue, Method};
use futures_util::StreamExt as _;
use question_models::Settings;
use question_server::Config;
use question_server::store::{SqliteStore, Store};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use tower::ServiceExt as _;

/// The arguments of a question, in pieces of these lengths.
const ASK: &str = r#"{"questions": [{"question": "Which size?", "header": "Size", "multiSelect": false, "options": [{"label": "S"}, {"label": "M"}]}]}"#;

fn chunk(delta: &Value) -> String {
    chunk_with(delta, None)
}

fn chunk_with(delta: &Value, finish_reason: Option<&str>) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish_reason});
    format!("data: {}\n\n", json!({"id": "c1", "choices": [choice]}))
}

/// An answer of these deltas that ends for this reason.
fn answer(deltas: &[Value], finish_reason: &str) -> String {
    let chunks: String = deltas.iter().map(chunk).collect();
    format!("{chunks}{}data: [DONE]\n\n", chunk_with(&json!({}), Some(finish_reason)))
}

fn texts(pieces: &[&str]) -> String {
    let deltas: Vec<Value> = pieces.iter().map(|piece| json!({"content": piece})).collect();
    answer(&deltas, "stop")
}

fn done() -> Recorded {
    Recorded::stream(texts(&["Done."]))
}

/// A call that asks.
fn asks() -> Value {
    json!({"index": 0, "id": "theirs-1", "type": "function", "function": {"name": "ask_user_question", "arguments": ASK}})
}

/// Plays an answer: the first run's response, and what was asked in all when its question has been answered, if it asks.
async fn play(first: String) -> (Answer, Router, Provider) {
    let (server, provider) = answering([Recorded::stream(first), done(), done()]).await;
    let run = post(&server, "/agent", says("t", "u", "A shirt, please")).await;
    (run, server, provider)
}

async fn answers(server: &Router) {
    let reply = json!({"answers": {"Which size?": "M"}});
    assert_eq!(post(server, "/conversations/t/respond", reply).await.status, 200);
    until_state(server, "t", "idle").await;
}

/// The text that a run told.
fn told(run: &Answer) -> String {
    let (events, _) = run.events();
    events.iter().filter_map(|event| event.get("delta")?.as_str().map(str::to_owned)).collect()
}

/// The history that the model was sent last.
fn history(provider: &Provider) -> Vec<Value> {
    let (_, asked) = provider.asked().pop().expect("it was asked");
    asked["messages"].as_array().cloned().unwrap_or_default()
}

#[tokio::test]
async fn what_an_endpoint_says_of_its_calls_goes_back_to_it() {
    let mut signed = asks();
    signed["id"] = "functions.ask_user_question:0".into();
    signed["extra_content"] = json!({"google": {"thought_signature": "U0lH"}});
    let thoughts = [json!({"reasoning_content": "The size "}), json!({"reasoning_content": "is missing."})];
    let detail = |text: &str| json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": text}]});
    let details = [detail("So "), detail("I ask.")];
    let deltas = [&thoughts[..], &details, &[json!({"tool_calls": [signed]})]].concat();
    let (run, server, provider) = play(answer(&deltas, "tool_calls")).await;
    assert!(!told(&run).contains("missing"), "thoughts are not shown");
    answers(&server).await;
    let history = history(&provider);
    let (said, result) = (&history[2], &history[3]);
    assert_eq!(said["reasoning_content"], "The size is missing.");
    assert_eq!(said["reasoning_details"][0]["text"], "So I ask.");
    let call = &said["tool_calls"][0];
    assert_eq!(call["extra_content"], json!({"google": {"thought_signature": "U0lH"}}));
    assert_eq!((&call["id"], &result["tool_call_id"]), (&json!("functions.ask_user_question:0"), &call["id"]));
    assert!(!messages(&server, "t").await[1].to_string().contains("missing"), "nor kept where clients see it");
}

#[tokio::test]
async fn what_an_endpoint_says_of_its_calls_goes_to_no_other() {
    let thinking = json!({"reasoning_content": "Hm."});
    let call = json!({"tool_calls": [asks()]});
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory());
    let server = |provider: &Provider, model: &str, sends_reasoning| {
        let settings = Settings {
            base_url: provider.base_url.clone(),
            model: model.to_owned(),
            sends_reasoning,
            ..Settings::default()
        };
        let parts = parts(model_of("openai", settings));
        app(&Config::default(), Parts { store: Arc::clone(&store), ..parts })
    };
    let first = Provider::replaying([Recorded::stream(answer(&[thinking, call], "tool_calls"))]).await;
    post(&server(&first, "m", true), "/agent", says("t", "u", "hi")).await.events();
    let other = Provider::replaying([done()]).await;
    let elsewhere = server(&other, "m", true);
    answers(&elsewhere).await;
    let sent = json!(history(&other)).to_string();
    assert!(!sent.contains("reasoning_content") && !sent.contains("theirs-1"), "{sent}");
}

#[tokio::test]
async fn an_answer_that_is_none_is_no_success() {
    let nothing = |reason: &str| answer(&[json!({"role": "assistant", "content": ""})], reason);
    let half = |reason: &str| answer(&[json!({"content": "Let me "})], reason);
    // Without any content, the request is tried once more, and then reported.
    for reason in ["stop", "content_filter", "length", "SAFETY", "RECITATION", "tool_calls", "eos"] {
        let (server, provider) = answering([Recorded::stream(nothing(reason)), done()]).await;
        let (_, end) = post(&server, "/agent", says("t", "u", "hi")).await.events();
        assert_eq!((end.outcome, provider.asked().len()), (EndOutcome::Completed, 2), "{reason}");
        let (server, provider) = answering([(); 2].map(|()| Recorded::stream(nothing(reason)))).await;
        let (_, end) = post(&server, "/agent", says("t", "u", "hi")).await.events();
        assert_eq!((end.outcome, provider.asked().len()), (EndOutcome::Error, 2), "{reason}");
        let state = get(&server, "/conversations/t").await.json()["state"].clone();
        assert_eq!(state["type"], "failed", "which can be tried again");
    }
    // Half was said, which stands: it is told that it is half.
    for reason in
        ["error", "network_error", "MALFORMED_FUNCTION_CALL", "insufficient_system_resource", "abort", "content_filter"]
    {
        let (server, provider) = answering([Recorded::stream(half(reason))]).await;
        let (events, end) = post(&server, "/agent", says("t", "u", "hi")).await.events();
        assert_eq!((end.outcome, provider.asked().len()), (EndOutcome::Error, 1), "{reason}");
        assert!(events.iter().any(|event| event.get("delta").is_some_and(|delta| delta.as_str() == Some("Let me "))));
    }
    for reason in ["stop", "end_turn"] {
        let (server, _provider) = answering([Recorded::stream(half(reason))]).await;
        let (_, end) = post(&server, "/agent", says("t", "u", "hi")).await.events();
        assert_eq!(end.outcome, EndOutcome::Completed, "{reason}");
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_says_so_and_can_be_gone_on_with() {
    for reason in ["length", "MAX_TOKENS", "model_length"] {
        let half = answer(&[json!({"content": "The first of three"})], reason);
        let (server, provider) = answering([Recorded::stream(half), done()]).await;
        let (_, end) = post(&server, "/agent", says("t", "u", "hi")).await.events();
        let error = end.error.as_ref().expect("it is no success");
        assert_eq!((error.code(), provider.asked().len()), ("answer_cut", 1), "{reason}");
        assert!(error.to_string().contains("cut off"), "{error}");
        assert_eq!(messages(&server, "t").await[1]["content"], "The first of three", "what was said stands");
        // Its user lets it go on.
        let (_, end) = post(&server, "/agent", says("t", "u2", "Go on")).await.events();
        assert_eq!(end.outcome, EndOutcome::Completed, "{reason}");
        assert_eq!(history(&provider)[2]["content"], "The first of three");
    }
}

#[tokio::test]
async fn an_answer_ends_when_it_says_so() {
    let (server, _provider) = answering([Recorded { is_silent: true, ..Recorded::stream(texts(&["Hello."])) }]).await;
    let (_, end) = post(&server, "/agent", says("t", "u", "hi")).await.events();
    assert_eq!(end.outcome, EndOutcome::Completed, "though the connection stays: {end:?}");
}

#[tokio::test]
async fn an_empty_reason_announces_no_end() {
    let begins = chunk_with(&json!({"content": "Hello."}), Some(""));
    let (server, _provider) = answering([Recorded { is_silent: true, ..Recorded::stream(begins) }]).await;
    let run = server.oneshot(request(Method::POST, "/agent", Some(says("t", "u", "hi")))).await.expect("it answers");
    let mut told = run.into_body().into_data_stream();
    let mut next =
        async || told.next().await.map(|piece| String::from_utf8_lossy(&piece.expect("it goes on")).into_owned());
    while !next().await.expect("it begins").contains("Hello.") {}
    // From here on, time passes as soon as nothing else happens.
    tokio::time::pause();
    let begun = tokio::time::Instant::now();
    while next().await.is_some() {}
    assert!(begun.elapsed() > Duration::from_secs(60), "it may go on: {:?}", begun.elapsed());
}

fn refused(status: u16, body: &Value) -> Recorded {
    Recorded { status, ..Recorded::stream(body.to_string()) }
}

#[tokio::test]
async fn a_call_that_the_endpoint_could_not_read_is_tried_again() {
    let failed = json!({"error": {"message": "Failed to call a function.", "code": "tool_use_failed", "failed_generation": "<function=x>"}});
    let (server, provider) = answering([refused(400, &failed), done()]).await;
    let (_, end) = post(&server, "/agent", says("t", "u", "hi")).await.events();
    assert_eq!((end.outcome, provider.asked().len()), (EndOutcome::Completed, 2));
    let (server, provider) = answering([(); 3].map(|()| refused(400, &failed))).await;
    let (_, end) = post(&server, "/agent", says("t", "u", "hi")).await.events();
    let why = end.error.expect("it failed").to_string();
    assert!(why.contains("could not read") && provider.asked().len() == 3, "{why}");
}

#[tokio::test]
async fn an_endpoint_without_an_end_keeps_nobody_from_an_answer() {
    let thought = chunk(&json!({"reasoning_content": "Hm. ".repeat(1_000)}));
    for nothing in [": alive\n\n", "\n", &chunk(&json!({})), &thought] {
        let flood = Recorded { is_silent: true, ..Recorded::stream(nothing.repeat((2 << 20) / nothing.len())) };
        let provider = Provider::replaying([flood, done(), done(), done()]).await;
        let settings = Settings { base_url: provider.base_url.clone(), at_once: Some(TWO), ..Settings::default() };
        let server = server_with(model_of("openai", settings));
        let attack = start(&server, "/agent", says("attack", "u", "think for ever"));
        provider.is_asked().await;
        let (_, end) = post(&server, "/agent", says("innocent", "u", "hi")).await.events();
        assert_eq!(end.outcome, EndOutcome::Completed, "{nothing:?}: {end:?}");
        let (_, end) = attack.await.expect("it ends").events();
        let why = end.error.expect("it has an end").to_string();
        assert!(why.contains("does not come to an end"), "{nothing:?}: {why}");
        // The place is free.
        for thread in ["one", "two"] {
            let (_, end) = post(&server, "/agent", says(thread, "u", "hi")).await.events();
            assert_eq!(end.outcome, EndOutcome::Completed, "{nothing:?}: {end:?}");
        }
    }
}

const TWO: NonZeroUsize = NonZeroUsize::new(2).expect("it is not zero");

#[tokio::test]
async fn a_history_that_is_too_long_for_the_model_is_cut_at_whole_turns() {
    let too_long = json!({"error": {"code": "context_length_exceeded", "message": "Maximum context length is 10."}});
    let turn = || Recorded::stream(texts(&["I see."]));
    let answers = [turn(), turn(), turn(), refused(400, &too_long), refused(400, &too_long), turn()];
    let (server, provider) = answering(answers).await;
    for number in 0..4 {
        let (_, end) =
            post(&server, "/agent", says("t", &format!("u{number}"), &format!("turn {number}"))).await.events();
        assert_eq!(end.outcome, EndOutcome::Completed, "{number}");
    }
    let sent = history(&provider);
    assert_eq!((sent[0]["role"].as_str(), sent[1]["content"].as_str()), (Some("system"), Some("turn 3")), "{sent:?}");
    assert_eq!(provider.asked().len(), 6);
    assert_eq!(messages(&server, "t").await.len(), 8, "the conversation has all of it");

    let (server, _provider) = answering([refused(400, &too_long)]).await;
    let (_, end) = post(&server, "/agent", says("t", "u", "one long turn")).await.events();
    let why = end.error.expect("there is nothing to cut").to_string();
    assert!(why.contains("outgrown"), "{why}");
}

#[tokio::test]
async fn the_usage_is_counted_and_not_asked_for_where_that_is_refused() {
    let usage = format!("data: {}\n\n", json!({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}}));
    let stream = texts(&["Done."]).replace("data: [DONE]", &format!("{usage}data: [DONE]"));
    let no = json!({"error": {"message": "Unrecognized request argument: stream_options"}});
    let (server, provider) = answering([refused(400, &no), Recorded::stream(stream), done()]).await;
    post(&server, "/agent", says("t", "u", "hi")).await.events();
    post(&server, "/agent", says("t", "u2", "on")).await.events();
    let asked: Vec<bool> = provider.asked().iter().map(|(_, asked)| asked["stream_options"].is_object()).collect();
    assert_eq!(asked, [true, false, false]);
    for (of, tokens) in [("input", 11), ("output", 7)] {
        check_counted(&server, &format!("question_server_tokens_total{{of=\"{of}\"}}"), tokens).await;
    }
}

#[tokio::test]
async fn an_endpoint_of_ones_own_is_asked_as_it_wants() {
    let provider = Provider::replaying([done()]).await;
    let header = |text: &'static str| HeaderValue::from_static(text);
    let settings = Settings {
        base_url: format!("{}?api-version=2025-01-01", provider.base_url),
        key: Some("secret".to_owned()),
        key_header: Some(HeaderName::from_static("api-key")),
        headers: [(HeaderName::from_static("x-team"), header("desk"))].into_iter().collect(),
        model: "m".to_owned(),
        max_tokens: Some(500),
        ..Settings::default()
    };
    let server = server_with(model_of("openai", settings));
    let mut input = says("t", "u", "hi");
    input["context"] = json!([{"description": "The page", "value": "Shirts"}, {"value": {"cart": 2}}]);
    post(&server, "/agent", input).await.events();
    let (headers, asked) = provider.asked().remove(0);
    assert_eq!((&headers["api-key"], &headers["x-team"]), (&header("secret"), &header("desk")));
    assert!(!headers.contains_key("authorization"));
    assert_eq!(asked["max_tokens"], 500);
    let system = asked["messages"][0]["content"].as_str().expect("it is text");
    assert!(system.contains("The page: Shirts") && system.contains(r#"{"cart":2}"#), "{system}");
}

#[tokio::test]
async fn a_trace_goes_on_at_the_models_endpoint() {
    const ID: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    let (server, provider) = answering((0..10).map(|_| done())).await;
    for (number, (parent, is_one)) in [
        (format!("00-{ID}-00f067aa0ba902b7-01"), true),
        (format!("01-{ID}-00f067aa0ba902b7-00-more"), true),
        (String::new(), false),
        (format!("ff-{ID}-00f067aa0ba902b7-01"), false),
        (format!("00-{ID}-00f067aa0ba902b7-01-more"), false),
        (format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)), false),
        (format!("00-{ID}-0000000000000000-01"), false),
        (format!("00-{}-00f067aa0ba902b7-01", ID.to_uppercase()), false),
        (format!("00-{ID}-00f067aa0ba902b7"), false),
    ]
    .into_iter()
    .enumerate()
    {
        let request = request(Method::POST, "/agent", Some(says("t", &format!("u{number}"), "hi")));
        call(&server, with_headers(request, &[("traceparent", &parent), ("tracestate", "vendor=1")])).await.events();
        let (headers, _) = provider.asked().pop().expect("it was asked");
        let passed = headers.get("traceparent").map(|passed| passed.to_str().expect("it is text"));
        assert_eq!(
            passed.is_some_and(|passed| passed.contains(ID) && passed != parent),
            is_one,
            "{parent}: {passed:?}"
        );
        if number == 0 {
            assert!(passed.is_some_and(|passed| passed.ends_with("-01")) && headers["tracestate"] == "vendor=1");
        }
    }
    post(&server, "/agent", says("t", "last", "on")).await.events();
    assert!(!provider.asked()[9].0.contains_key("traceparent"), "the next request has none");
}
