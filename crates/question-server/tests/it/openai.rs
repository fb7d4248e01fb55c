//! A model behind an endpoint of chat completions, which replays what providers really send.

use crate::house::server_with;
use crate::http::{get, messages, post, says, start};
use crate::provider::{Provider, Recorded, model_of};
use crate::socket::{binary, listening, say_hello, until_logged};
use crate::visitor::Visitor;
use ag_ui_stream::reader::EndOutcome;
use axum::Router;
use question_models::Settings;
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

pub(crate) const TEXT: &str = include_str!("openai/text.sse");
pub(crate) const SPLIT_ARGUMENTS: &str = include_str!("openai/split_arguments.sse");
const PARALLEL_CALLS: &str = include_str!("openai/parallel_calls.sse");
const ERROR_MID_STREAM: &str = include_str!("openai/error_mid_stream.sse");
const CUT_OFF: &str = include_str!("openai/cut_off.sse");
const MALFORMED_ARGUMENTS: &str = include_str!("openai/malformed_arguments.sse");

const KEY: &str = "sk-test-0123456789";

async fn replaying(streams: impl IntoIterator<Item = &'static str>) -> (Router, Provider) {
    answering(streams.into_iter().map(Recorded::stream)).await
}

/// A server whose model gives these answers.
pub(crate) async fn answering(answers: impl IntoIterator<Item = Recorded>) -> (Router, Provider) {
    let provider = Provider::replaying(answers).await;
    let settings = Settings {
        base_url: provider.base_url.clone(),
        key: Some(KEY.to_owned()),
        model: "gpt-4o-mini".to_owned(),
        sends_reasoning: true,
        ..Settings::default()
    };
    (server_with(model_of("openai", settings)), provider)
}

/// The end of the first run, with the code and message of its error.
pub(crate) async fn first_run(server: &Router) -> (EndOutcome, String, String) {
    let (_, end) = post(server, "/agent", says("t", "u", "hi")).await.events();
    let error = end.error.map(|error| (error.code().to_owned(), error.to_string())).unwrap_or_default();
    (end.outcome, error.0, error.1)
}

#[tokio::test]
async fn text_streams_through() {
    let (server, provider) = replaying([TEXT]).await;
    let mut visitor = Visitor::new(&server, "v", "t");
    assert_eq!(visitor.says("hi").await, "Grüß Gott, 🚗!");
    let (headers, asked) = provider.asked().remove(0);
    assert_eq!(headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!((&asked["model"], &asked["stream"]), (&json!("gpt-4o-mini"), &json!(true)));
    let system = asked["messages"][0]["content"].as_str().expect("it is text");
    assert!(system.contains("ask_user_question"), "{system}");
    let tool = &asked["tools"][0]["function"];
    assert_eq!(tool["name"], "ask_user_question");
    assert_eq!(tool["parameters"]["properties"]["questions"]["maxItems"], 4);
}

#[tokio::test]
async fn the_operator_says_what_the_model_is_and_how_warm() {
    let provider = Provider::replaying([Recorded::stream(TEXT)]).await;
    let settings = Settings {
        base_url: provider.base_url.clone(),
        model: "gpt-4o-mini".to_owned(),
        system_prompt: Some("You run a garage.\n".to_owned()),
        temperature: Some(0.2),
        ..Settings::default()
    };
    let server = server_with(model_of("openai", settings));
    Visitor::new(&server, "v", "t").says("hi").await;
    let (_, asked) = provider.asked().remove(0);
    assert_eq!(asked["temperature"], json!(0.2));
    let system = asked["messages"][0]["content"].as_str().expect("it is text");
    assert!(system.starts_with("You run a garage.\n\n- Use ask_user_question"), "{system}");
}

#[tokio::test]
async fn an_ask_in_split_arguments_waits_and_its_answer_goes_back() {
    let (server, provider) = replaying([SPLIT_ARGUMENTS, TEXT]).await;
    let mut visitor = Visitor::new(&server, "v", "t");
    visitor.says("hi").await;
    assert!(visitor.is_asked("Which database?"));
    assert_eq!(visitor.picks("SQLite").await, "Grüß Gott, 🚗!");
    let (_, asked) = provider.asked().remove(1);
    let history = asked["messages"].as_array().expect("there is a history");
    let roles: Vec<&str> = history.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "user"]);
    let call = &history[2]["tool_calls"][0];
    assert!(call["function"]["arguments"].as_str().is_some_and(|text| text.contains("Läuft schon 🐘")));
    assert_eq!(history[3]["tool_call_id"], call["id"]);
    assert_eq!(history[3]["content"], r#"{"answers":{"Which database?":"SQLite"}}"#);
}

#[tokio::test]
async fn parallel_calls_get_their_results_each() {
    let (server, provider) = replaying([PARALLEL_CALLS, TEXT]).await;
    let mut visitor = Visitor::new(&server, "v", "t");
    visitor.says("hi").await;
    let shown = messages(&server, "t").await;
    assert_eq!(
        shown[1]["toolCalls"].as_array().map(Vec::len),
        Some(1),
        "what is not the user's to answer is held back"
    );
    visitor.picks("PostgreSQL").await;
    let (_, asked) = provider.asked().remove(1);
    let calls = asked["messages"][2]["tool_calls"].as_array().expect("there are two");
    assert_eq!(calls[1]["function"], json!({"name": "weather", "arguments": "{\"city\":\"Graz\"}"}));
    for (index, call) in calls.iter().enumerate() {
        assert_eq!(asked["messages"][3 + index]["tool_call_id"], call["id"]);
    }
    assert_eq!(asked["messages"][4]["content"], "There is no tool named weather.");
}

#[tokio::test]
async fn an_error_in_the_middle_fails_the_run_and_leaves_nothing_half() {
    for (stream, why) in [(ERROR_MID_STREAM, "The model broke off."), (CUT_OFF, "The model's answer broke off.")] {
        let (server, provider) = replaying([stream, TEXT]).await;
        let (outcome, code, message) = first_run(&server).await;
        assert_eq!((outcome, code.as_str()), (EndOutcome::Error, "model_failed"));
        assert_eq!(message, why);
        assert_eq!(messages(&server, "t").await.len(), 1, "the user's own message");
        assert_eq!(provider.asked().len(), 1, "half an answer is not tried again behind the user's back");
        assert_eq!(first_run(&server).await.0, EndOutcome::Completed, "the user can try again");
    }
}

#[tokio::test]
async fn too_many_requests_are_tried_again_when_the_endpoint_says() {
    let busy = |status| Recorded {
        status,
        retry_after: Some("0".to_owned()),
        ..Recorded::stream(r#"{"error":{"message":"slow down"}}"#)
    };
    let (server, provider) = answering([busy(429), busy(503), Recorded::stream(TEXT)]).await;
    assert_eq!(first_run(&server).await.0, EndOutcome::Completed);
    assert_eq!(provider.asked().len(), 3);

    let (server, provider) = answering([busy(429), busy(429), busy(429)]).await;
    let (outcome, _, message) = first_run(&server).await;
    assert_eq!((outcome, message.as_str()), (EndOutcome::Error, "The model is asked too often."));
    assert_eq!(provider.asked().len(), 3);
}

#[tokio::test]
async fn what_cannot_get_better_is_not_tried_again() {
    for (status, says) in [
        (401, "The model's endpoint refuses the key."),
        (400, "The model's endpoint refuses (400)."),
        (307, "The model's endpoint refuses (307)."),
    ] {
        let (server, provider) = answering([refused(status)]).await;
        let (outcome, _, message) = first_run(&server).await;
        assert_eq!((outcome, message.as_str()), (EndOutcome::Error, says));
        assert_eq!(provider.asked().len(), 1);
    }
}

/// An error that quotes what nobody else should read.
fn refused(status: u16) -> Recorded {
    Recorded {
        status,
        retry_after: Some("0".to_owned()),
        ..Recorded::stream(r#"{"error":{"message":"boom: Incorrect API key provided: sk-test-0123456789."}}"#)
    }
}

#[tokio::test]
async fn what_an_endpoint_says_of_its_failure_is_not_told() {
    let (server, _provider) = answering([refused(500), refused(500), refused(500)]).await;
    let (_, _, message) = first_run(&server).await;
    assert_eq!(message, "The model's endpoint failed (500).");
    let described = get(&server, "/conversations/t").await.json();
    assert_eq!(described["state"]["reason"], message, "{described}");
}

#[tokio::test]
async fn the_log_has_what_an_endpoint_says_and_never_the_key() {
    let provider = Provider::replaying([refused(400)]).await;
    let mut command = binary(&["--port", "0", "--model", "openai", "--log", "trace"]);
    command
        .env("OPENAI_BASE_URL", &provider.base_url)
        .env("OPENAI_API_KEY", KEY)
        .env("OPENAI_MODEL", "m")
        .stderr(Stdio::piped());
    let (mut server, address) = listening(command).await;
    say_hello(address).await;
    // Said once the run has ended, and so behind all that was said of the endpoint.
    let log = until_logged(&mut server, "state=\"failed\"").await;
    assert!(log.contains("boom: Incorrect API key"), "{log}");
    assert!(!log.contains(KEY), "{log}");
}

#[tokio::test]
async fn stop_ends_what_the_endpoint_is_asked() {
    let begins = "data: {\"choices\":[{\"delta\":{\"content\":\"Let me\"}}]}\n\n";
    for silent in ["", begins] {
        let (server, provider) = answering([Recorded::silent(silent)]).await;
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
async fn a_model_that_too_many_ask_is_busy_and_says_so() {
    let provider = Provider::replaying([Recorded::silent(""), Recorded::stream(TEXT)]).await;
    let at_once = Some(NonZeroUsize::MIN);
    let settings = Settings { base_url: provider.base_url.clone(), at_once, ..Settings::default() };
    let server = server_with(model_of("openai", settings));
    let silent = start(&server, "/agent", says("silent", "u", "hi"));
    provider.is_asked().await;
    let (outcome, code, message) = first_run(&server).await;
    assert_eq!(
        (outcome, code.as_str(), message.as_str()),
        (EndOutcome::Error, "model_failed", "The model is busy: too many ask it at once.")
    );
    assert_eq!(provider.asked().len(), 1);
    post(&server, "/conversations/silent/cancel", json!({})).await;
    silent.await.expect("it ends");
    assert_eq!(first_run(&server).await.0, EndOutcome::Completed);
}

#[tokio::test]
async fn malformed_arguments_become_a_result_and_another_try() {
    let (server, provider) = replaying([MALFORMED_ARGUMENTS, SPLIT_ARGUMENTS]).await;
    assert_eq!(first_run(&server).await.0, EndOutcome::Completed);
    let (_, asked) = provider.asked().remove(1);
    let call = &asked["messages"][2]["tool_calls"][0]["function"];
    let arguments = call["arguments"].as_str().expect("they are text");
    let read: Value =
        serde_json::from_str(arguments).expect("endpoints refuse a history with arguments that are no JSON");
    assert!(read.is_object(), "{read}");
    let result = asked["messages"][3]["content"].as_str().expect("it is text");
    assert!(result.starts_with("Invalid input:"), "{result}");
    let described = get(&server, "/conversations/t").await.json();
    assert_eq!(described["state"]["type"], "awaiting_user_response");
}

#[tokio::test]
async fn the_proxy_of_the_environment_is_for_other_machines() {
    let proxy = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let proxied = |base_url: &str| {
        let mut command = binary(&["--port", "0", "--model", "openai", "--log", "off"]);
        let address = proxy.local_addr().expect("it is bound");
        command
            .env("OPENAI_BASE_URL", base_url)
            .env("OPENAI_MODEL", "m")
            .env("HTTP_PROXY", format!("http://{address}"));
        listening(command)
    };
    let provider = Provider::replaying([Recorded::stream(TEXT)]).await;
    let (_server, address) = proxied(&provider.base_url).await;
    assert!(say_hello(address).await.contains("RUN_FINISHED"));

    let (_server, address) = proxied("http://model.example/v1").await;
    let run = tokio::spawn(say_hello(address));
    let (stream, _) = proxy.accept().await.expect("it is asked");
    let mut stream = BufReader::new(stream);
    assert_eq!(head(&mut stream).await, "POST http://model.example/v1/chat/completions HTTP/1.1");
    let length = TEXT.len();
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{TEXT}");
    let answered = stream.write_all(answer.as_bytes()).await;
    answered.expect("it reads");
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

#[tokio::test]
async fn an_endpoint_that_is_not_there_fails_the_run_in_words() {
    // Bound, so that no other test gets the port, but not listening.
    let socket = tokio::net::TcpSocket::new_v4().expect("there are sockets");
    let any = "127.0.0.1:0".parse().expect("it is an address");
    socket.bind(any).expect("there is a free port");
    let address = socket.local_addr().expect("it is bound");
    let model = model_of("openai", Settings { base_url: format!("http://{address}/v1"), ..Settings::default() });
    let (outcome, code, message) = first_run(&server_with(model)).await;
    assert_eq!((outcome, code.as_str()), (EndOutcome::Error, "model_failed"));
    assert_eq!(message, "The model cannot be reached.");

    let url = format!("http://{address}/v1");
    let mut command = binary(&["--port", "0", "--model", "openai"]);
    command.env("OPENAI_BASE_URL", format!("{url}?key={KEY}")).env("OPENAI_MODEL", "m").stderr(Stdio::piped());
    let (mut server, server_address) = listening(command).await;
    say_hello(server_address).await;
    let log = until_logged(&mut server, "state=\"failed\"").await;
    assert!(log.contains(&url), "the log names the address: {log}");
    assert!(!log.contains(KEY), "{log}");
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
        let mut command = binary(&["--port", "0", "--model", "openai"]);
        command
            .env("OPENAI_BASE_URL", base_url)
            .env("OPENAI_API_KEY", key)
            .env("OPENAI_MODEL", "m")
            .stderr(Stdio::piped());
        let (mut server, _) = listening(command).await;
        let log = until_logged(&mut server, "server started").await;
        assert_eq!(log.contains(WARNING) && log.contains("OPENAI_API_KEY"), warns, "{base_url}: {log}");
    }
}
