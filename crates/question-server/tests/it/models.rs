//! A model behind an endpoint of chat completions, as the server asks it. `question-models` has the streams of each vendor.

use crate::house::{app, parts, server_with};
use crate::http::{Answer, call, get, messages, post, request, says, start, with_headers};
use crate::metrics::check_counted;
use crate::provider::{Provider, Recorded, model_of};
use crate::socket::{binary, listening, say_hello, until_logged};
use crate::visitor::Visitor;
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
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt as _;

const KEY: &str = "sk-test-0123456789";

/// The arguments of a question.
const ASK: &str = r#"{"questions": [{"question": "Which size?", "header": "Size", "multiSelect": false, "options": [{"label": "S"}, {"label": "M", "description": "Läuft schon 🐘"}]}]}"#;

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

fn text(text: &str) -> String {
    answer(&[json!({"content": text})], "stop")
}

pub(crate) fn done() -> Recorded {
    Recorded::stream(text("Done."))
}

/// The beginning of a call that asks.
fn begins() -> Value {
    json!({"index": 0, "id": "theirs-1", "type": "function", "function": {"name": "ask_user_question", "arguments": ""}})
}

/// An answer that asks, in pieces of these arguments.
fn calls(arguments: &str) -> String {
    let letters: Vec<char> = arguments.chars().collect();
    let pieces =
        letters.chunks(9).map(|piece| json!({"index": 0, "function": {"arguments": String::from_iter(piece)}}));
    let deltas = [begins()].into_iter().chain(pieces).map(|piece| json!({"tool_calls": [piece]}));
    answer(&deltas.collect::<Vec<Value>>(), "tool_calls")
}

pub(crate) fn asks() -> Recorded {
    Recorded::stream(calls(ASK))
}

/// A server whose model gives these answers.
async fn answering(answers: impl IntoIterator<Item = Recorded>) -> (Router, Provider) {
    let provider = Provider::replaying(answers).await;
    let settings = Settings {
        base_url: provider.base_url.clone(),
        key: Some(KEY.to_owned()),
        model: "gpt-4o-mini".to_owned(),
        system_prompt: Some("You run a garage.\n".to_owned()),
        temperature: Some(0.2),
        sends_reasoning: true,
        ..Settings::default()
    };
    (server_with(model_of("openai", settings)), provider)
}

/// The end of a run, with the code and message of its error.
async fn run(server: &Router, id: &str) -> (EndOutcome, String, String) {
    let (_, end) = post(server, "/agent", says("t", id, "hi")).await.events();
    let error = end.error.map(|error| (error.code().to_owned(), error.to_string())).unwrap_or_default();
    (end.outcome, error.0, error.1)
}

async fn first_run(server: &Router) -> (EndOutcome, String, String) {
    run(server, "u").await
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

/// An error that quotes what nobody else should read.
fn refused(status: u16) -> Recorded {
    let error = json!({"error": {"message": format!("boom: Incorrect API key provided: {KEY}.")}});
    refused_with(status, &error)
}

fn refused_with(status: u16, body: &Value) -> Recorded {
    Recorded { status, retry_after: Some("0".to_owned()), ..Recorded::stream(body.to_string()) }
}

#[tokio::test]
async fn a_question_in_pieces_waits_and_its_answer_goes_back() {
    let (server, provider) = answering([asks(), done()]).await;
    let mut visitor = Visitor::new(&server, "v", "t");
    visitor.says("hi").await;
    assert!(visitor.is_asked("Which size?"));
    assert_eq!(visitor.picks("M").await, "Done.");
    let (headers, asked) = provider.asked().remove(1);
    assert_eq!(headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(
        [&asked["model"], &asked["stream"], &asked["temperature"]],
        [&json!("gpt-4o-mini"), &json!(true), &json!(0.2)]
    );
    let tool = &asked["tools"][0]["function"];
    assert_eq!(
        (&tool["name"], &tool["parameters"]["properties"]["questions"]["maxItems"]),
        (&json!("ask_user_question"), &json!(4))
    );
    let history = asked["messages"].as_array().expect("there is a history");
    let roles: Vec<&str> = history.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "user"]);
    let system = history[0]["content"].as_str().expect("it is text");
    assert!(system.starts_with("You run a garage.\n\n- Use ask_user_question"), "{system}");
    let call = &history[2]["tool_calls"][0];
    assert!(call["function"]["arguments"].as_str().is_some_and(|text| text.contains("Läuft schon 🐘")));
    assert_eq!(history[3]["tool_call_id"], call["id"]);
    assert_eq!(history[3]["content"], r#"{"answers":{"Which size?":"M"}}"#);
}

#[tokio::test]
async fn what_an_endpoint_says_of_its_calls_goes_back_to_it_and_to_no_other() {
    let mut signed = begins();
    signed["id"] = "functions.ask_user_question:0".into();
    signed["extra_content"] = json!({"google": {"thought_signature": "U0lH"}});
    signed["function"]["arguments"] = ASK.into();
    let detail = |text: &str| json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": text}]});
    let deltas = [
        json!({"reasoning_content": "The size "}),
        json!({"reasoning_content": "is missing."}),
        detail("So "),
        detail("I ask."),
        json!({"tool_calls": [signed]}),
    ];
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory());
    let first = Provider::replaying([Recorded::stream(answer(&deltas, "tool_calls")), done()]).await;
    let other = Provider::replaying([done()]).await;
    let [here, elsewhere] = [&first, &other].map(|provider| {
        let settings = Settings {
            base_url: provider.base_url.clone(),
            model: "m".to_owned(),
            sends_reasoning: true,
            ..Settings::default()
        };
        app(&Config::default(), parts(model_of("openai", settings)).store(Arc::clone(&store)))
    });
    let run = post(&here, "/agent", says("t", "u", "A shirt, please")).await;
    assert!(!told(&run).contains("missing"), "thoughts are not shown");
    answers(&here).await;
    let sent = history(&first);
    let (said, result) = (&sent[2], &sent[3]);
    assert_eq!(said["reasoning_content"], "The size is missing.");
    assert_eq!(said["reasoning_details"][0]["text"], "So I ask.");
    let call = &said["tool_calls"][0];
    assert_eq!(call["extra_content"], json!({"google": {"thought_signature": "U0lH"}}));
    assert_eq!((&call["id"], &result["tool_call_id"]), (&json!("functions.ask_user_question:0"), &call["id"]));
    assert!(!messages(&here, "t").await[1].to_string().contains("missing"), "nor kept where clients see it");
    post(&elsewhere, "/agent", says("t", "u2", "And now?")).await.events();
    let sent = json!(history(&other)).to_string();
    assert!(sent.contains("Which size?"), "{sent}");
    for own in ["reasoning_", "functions.ask", "U0lH"] {
        assert!(!sent.contains(own), "{own}: {sent}");
    }
}

#[tokio::test]
async fn what_may_get_better_is_tried_again_and_nothing_else() {
    let busy = |status| refused_with(status, &json!({"error": {"message": "slow down"}}));
    let unread =
        || refused_with(400, &json!({"error": {"code": "tool_use_failed", "failed_generation": "<function=x>"}}));
    let too_long = json!({"error": {"code": "context_length_exceeded", "message": "Maximum context length is 10."}});
    let half = chunk(&json!({"content": "One mo"}));
    let breaks = Recorded::stream(half.clone() + "data: {\"error\": {\"message\": \"An error.\"}}\n\n");
    for (answers, expected) in [
        (vec![busy(429), busy(503), done()], ""),
        (vec![unread(), done()], ""),
        (vec![busy(429), busy(429), busy(429)], "The model is asked too often."),
        (vec![unread(), unread(), unread()], "could not read"),
        (vec![refused(500), refused(500), refused(500)], "The model's endpoint failed (500)."),
        (vec![refused(401)], "The model's endpoint refuses the key."),
        (vec![refused(400)], "The model's endpoint refuses (400)."),
        (vec![refused(307)], "The model's endpoint refuses (307)."),
        // There is nothing to cut.
        (vec![refused_with(400, &too_long)], "outgrown"),
        // Half an answer is not tried again behind the user's back.
        (vec![breaks], "The model broke off."),
        (vec![Recorded::stream(half)], "The model's answer broke off."),
    ] {
        let times = answers.len();
        let (server, provider) = answering(answers.into_iter().chain([done()])).await;
        let (outcome, code, message) = first_run(&server).await;
        assert_eq!(provider.asked().len(), times, "{expected} {message}");
        if expected.is_empty() {
            assert_eq!(outcome, EndOutcome::Completed, "{message}");
            continue;
        }
        assert_eq!((outcome, &*code), (EndOutcome::Error, "model_failed"), "{expected}");
        assert!(message.contains(expected) && !message.contains("boom"), "{message}");
        let described = get(&server, "/conversations/t").await.json();
        assert_eq!((&described["state"]["type"], &described["state"]["reason"]), (&json!("failed"), &json!(message)));
        assert_eq!(described["messages"].as_array().map(Vec::len), Some(1), "the user's own message");
        assert_eq!(first_run(&server).await.0, EndOutcome::Completed, "the user can try again");
    }
}

#[tokio::test]
async fn an_answer_that_is_none_is_no_success() {
    let nothing = |reason: &str| answer(&[json!({"role": "assistant", "content": ""})], reason);
    let half = |reason: &str| answer(&[json!({"content": "Let me "})], reason);
    // Without any content, the request is tried once more, and then reported.
    for reason in ["stop", "content_filter", "length", "SAFETY", "RECITATION", "tool_calls", "eos"] {
        for (second, outcome) in
            [(done(), EndOutcome::Completed), (Recorded::stream(nothing(reason)), EndOutcome::Error)]
        {
            let (server, provider) = answering([Recorded::stream(nothing(reason)), second]).await;
            assert_eq!((first_run(&server).await.0, provider.asked().len()), (outcome, 2), "{reason}");
        }
    }
    // Half was said, which stands: it is told that it is half.
    for (reason, outcome) in [
        ("network_error", EndOutcome::Error),
        ("MALFORMED_FUNCTION_CALL", EndOutcome::Error),
        ("insufficient_system_resource", EndOutcome::Error),
        ("abort", EndOutcome::Error),
        ("content_filter", EndOutcome::Error),
        ("stop", EndOutcome::Completed),
        ("end_turn", EndOutcome::Completed),
    ] {
        let (server, provider) = answering([Recorded::stream(half(reason))]).await;
        let run = post(&server, "/agent", says("t", "u", "hi")).await;
        assert_eq!((run.events().1.outcome, provider.asked().len()), (outcome, 1), "{reason}");
        assert_eq!(told(&run), "Let me ", "{reason}");
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_says_so_and_can_be_gone_on_with() {
    for reason in ["length", "MAX_TOKENS", "model_length"] {
        let half = answer(&[json!({"content": "The first of three"})], reason);
        let (server, provider) = answering([Recorded::stream(half), done()]).await;
        let (_, code, message) = first_run(&server).await;
        assert_eq!((&*code, provider.asked().len()), ("answer_cut", 1), "{reason}");
        assert!(message.contains("cut off"), "{message}");
        assert_eq!(messages(&server, "t").await[1]["content"], "The first of three", "what was said stands");
        // Its user lets it go on.
        assert_eq!(run(&server, "u2").await.0, EndOutcome::Completed, "{reason}");
        assert_eq!(history(&provider)[2]["content"], "The first of three");
    }
}

#[tokio::test]
async fn an_answer_ends_when_it_says_so_and_not_for_an_empty_reason() {
    let silent = |body: String| [Recorded { is_silent: true, ..Recorded::stream(body) }];
    let (server, _provider) = answering(silent(text("Hello."))).await;
    assert_eq!(first_run(&server).await.0, EndOutcome::Completed, "though the connection stays");
    let (server, _provider) = answering(silent(chunk_with(&json!({"content": "Hello."}), Some("")))).await;
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
async fn a_model_that_too_many_ask_is_busy_and_says_so() {
    let provider = Provider::replaying([Recorded::silent(""), done()]).await;
    let at_once = Some(NonZeroUsize::MIN);
    let settings = Settings { base_url: provider.base_url.clone(), at_once, ..Settings::default() };
    let server = server_with(model_of("openai", settings));
    let silent = start(&server, "/agent", says("silent", "u", "hi"));
    provider.is_asked().await;
    let (_, code, message) = first_run(&server).await;
    assert_eq!((&*code, &*message), ("model_failed", "The model is busy: too many ask it at once."));
    assert_eq!(provider.asked().len(), 1);
    post(&server, "/conversations/silent/cancel", json!({})).await;
    silent.await.expect("it ends");
    assert_eq!(first_run(&server).await.0, EndOutcome::Completed);
}

#[tokio::test]
async fn stop_ends_what_the_endpoint_is_asked() {
    for silent in [String::new(), chunk(&json!({"content": "Let me"}))] {
        let (server, provider) = answering([Recorded { is_silent: true, ..Recorded::stream(silent) }]).await;
        let run = start(&server, "/agent", says("t", "u", "hi"));
        provider.is_asked().await;
        let cancelled = post(&server, "/conversations/t/cancel", json!({})).await;
        assert_eq!(cancelled.json()["state"]["type"], "idle");
        let (_, end) = run.await.expect("it ends").events();
        assert_eq!(end.outcome, EndOutcome::Cancelled);
        provider.is_left().await;
    }
}

#[tokio::test]
async fn malformed_arguments_become_a_result_and_another_try() {
    let (server, provider) = answering([Recorded::stream(calls(&ASK[..40])), asks()]).await;
    assert_eq!(first_run(&server).await.0, EndOutcome::Completed);
    let sent = history(&provider);
    let arguments = sent[2]["tool_calls"][0]["function"]["arguments"].as_str().expect("they are text");
    let read: Value =
        serde_json::from_str(arguments).expect("endpoints refuse a history with arguments that are no JSON");
    assert!(read.is_object(), "{read}");
    let result = sent[3]["content"].as_str().expect("it is text");
    assert!(result.starts_with("Invalid input:"), "{result}");
    let described = get(&server, "/conversations/t").await.json();
    assert_eq!(described["state"]["type"], "awaiting_user_response");
}

#[tokio::test]
async fn a_history_that_is_too_long_for_the_model_is_cut_at_whole_turns() {
    let too_long = || refused_with(400, &json!({"error": {"code": "context_length_exceeded"}}));
    let (server, provider) = answering([done(), done(), done(), too_long(), too_long(), done()]).await;
    for number in 0..4 {
        let said = says("t", &format!("u{number}"), &format!("turn {number}"));
        let (_, end) = post(&server, "/agent", said).await.events();
        assert_eq!(end.outcome, EndOutcome::Completed, "{number}");
    }
    let sent = history(&provider);
    assert_eq!((sent[0]["role"].as_str(), sent[1]["content"].as_str()), (Some("system"), Some("turn 3")), "{sent:?}");
    assert_eq!(provider.asked().len(), 6);
    assert_eq!(messages(&server, "t").await.len(), 8, "the conversation has all of it");
}

#[tokio::test]
async fn the_usage_is_counted_and_not_asked_for_where_that_is_refused() {
    let usage = format!("data: {}\n\n", json!({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}}));
    let stream = text("Done.").replace("data: [DONE]", &format!("{usage}data: [DONE]"));
    let no = json!({"error": {"message": "Unrecognized request argument: stream_options"}});
    let (server, provider) = answering([refused_with(400, &no), Recorded::stream(stream), done()]).await;
    for id in ["u", "u2"] {
        run(&server, id).await;
    }
    let asked: Vec<bool> = provider.asked().iter().map(|(_, asked)| asked["stream_options"].is_object()).collect();
    assert_eq!(asked, [true, false, false]);
    for (of, tokens) in [("input", 11), ("output", 7)] {
        check_counted(&server, &format!("question_server_tokens_total{{of=\"{of}\"}}"), tokens).await;
    }
}

#[tokio::test]
async fn an_endpoint_of_ones_own_is_asked_as_it_wants() {
    let provider = Provider::replaying([done()]).await;
    let settings = Settings {
        base_url: format!("{}?api-version=2025-01-01", provider.base_url),
        key: Some("secret".to_owned()),
        key_header: Some(HeaderName::from_static("api-key")),
        headers: [(HeaderName::from_static("x-team"), HeaderValue::from_static("desk"))].into_iter().collect(),
        model: "m".to_owned(),
        max_tokens: Some(500),
        ..Settings::default()
    };
    let server = server_with(model_of("openai", settings));
    let mut input = says("t", "u", "hi");
    input["context"] = json!([{"description": "The page", "value": "Shirts"}, {"value": {"cart": 2}}]);
    post(&server, "/agent", input).await.events();
    let (headers, asked) = provider.asked().remove(0);
    assert_eq!(
        (&headers["api-key"], &headers["x-team"]),
        (&"secret".parse().expect("legal"), &"desk".parse().expect("legal"))
    );
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
        let goes_on = passed.is_some_and(|passed| passed.contains(ID) && passed != parent);
        assert_eq!(goes_on, is_one, "{parent}: {passed:?}");
        if number == 0 {
            assert!(passed.is_some_and(|passed| passed.ends_with("-01")) && headers["tracestate"] == "vendor=1");
        }
    }
    run(&server, "last").await;
    assert!(!provider.asked()[9].0.contains_key("traceparent"), "the next request has none");
}

/// The program with a model at this address, which it gets beside this key.
fn program(args: &[&str], base_url: &str, key: &str) -> tokio::process::Command {
    let mut command = binary(&[&["--port", "0", "--model", "openai"], args].concat());
    command.env("OPENAI_BASE_URL", base_url).env("OPENAI_API_KEY", key).env("OPENAI_MODEL", "m").stderr(Stdio::piped());
    command
}

#[tokio::test]
async fn the_log_has_what_an_endpoint_says_and_never_the_key() {
    let provider = Provider::replaying([refused(400)]).await;
    // Bound, so that no other test gets the port, but not listening.
    let socket = tokio::net::TcpSocket::new_v4().expect("there are sockets");
    socket.bind("127.0.0.1:0".parse().expect("it is an address")).expect("there is a free port");
    let nobody = format!("http://{}/v1", socket.local_addr().expect("it is bound"));
    let model = model_of("openai", Settings { base_url: nobody.clone(), ..Settings::default() });
    let (_, code, message) = first_run(&server_with(model)).await;
    assert_eq!((&*code, &*message), ("model_failed", "The model cannot be reached."));
    for (url, level, logged) in [
        (provider.base_url.clone(), "trace", "boom: Incorrect API key"),
        (format!("{nobody}?key={KEY}"), "info", nobody.as_str()),
    ] {
        let (mut server, address) = listening(program(&["--log", level], &url, KEY)).await;
        say_hello(address).await;
        // Said once the run has ended, and so behind all that was said of the endpoint.
        let log = until_logged(&mut server, "state=\"failed\"").await;
        assert!(log.contains(logged) && !log.contains(KEY), "{log}");
    }
}

#[tokio::test]
async fn the_start_warns_of_a_vendor_that_gets_no_key() {
    const WARNING: &str = "refuses every request without a key";
    for (base_url, key, warns) in [
        ("", "", true),
        ("https://API.openai.com/v1/", "", true),
        ("", KEY, false),
        ("http://localhost:11434/v1", "", false),
    ] {
        let (mut server, _) = listening(program(&[], base_url, key)).await;
        let log = until_logged(&mut server, "server started").await;
        assert_eq!(log.contains(WARNING) && log.contains("OPENAI_API_KEY"), warns, "{base_url}: {log}");
    }
}

#[tokio::test]
async fn the_proxy_of_the_environment_is_for_other_machines() {
    let proxy = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let proxied = |base_url: &str| {
        let mut command = program(&["--log", "off"], base_url, "");
        command.env("HTTP_PROXY", format!("http://{}", proxy.local_addr().expect("it is bound")));
        listening(command)
    };
    let provider = Provider::replaying([done()]).await;
    let (_server, address) = proxied(&provider.base_url).await;
    assert!(say_hello(address).await.contains("RUN_FINISHED"));

    let (_server, address) = proxied("http://model.example/v1").await;
    let run = tokio::spawn(say_hello(address));
    let (stream, _) = proxy.accept().await.expect("it is asked");
    let mut stream = BufReader::new(stream);
    assert_eq!(head(&mut stream).await, "POST http://model.example/v1/chat/completions HTTP/1.1");
    let body = text("Done.");
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(answer.as_bytes()).await.expect("it reads");
    let seen = run.await.expect("it ends");
    assert!(seen.contains("RUN_FINISHED"), "{seen}");
}

/// Reads the head of a request and gives its first line.
async fn head(stream: &mut BufReader<TcpStream>) -> String {
    let mut lines = stream.lines();
    let first = lines.next_line().await.expect("it is text");
    while lines.next_line().await.expect("it is text").is_some_and(|line| !line.is_empty()) {}
    first.expect("there is a request")
}
