//! A model behind an endpoint of Anthropic's messages, which replays what is really sent.

use crate::house::server_with;
use crate::http::{messages, post, says};
use crate::metrics::check_counted;
use crate::openai::first_run;
use crate::provider::{Provider, Recorded, model_of};
use crate::visitor::Visitor;
use ag_ui_stream::event::EventType;
use ag_ui_stream::reader::EndOutcome;
use axum::Router;
use axum::http::{HeaderMap, HeaderValue};
use question_models::Settings;
use serde_json::{Value, json};

const TEXT: &str = include_str!("anthropic/text.sse");
const THINKING_THEN_ASK: &str = include_str!("anthropic/thinking_then_ask.sse");
const TWO_CALLS: &str = include_str!("anthropic/two_calls.sse");
const NO_ROOM: &str = include_str!("anthropic/no_room.sse");
const REFUSAL_AFTER_TEXT: &str = include_str!("anthropic/refusal_after_text.sse");
const PAUSE_TURN: &str = include_str!("anthropic/pause_turn.sse");
const VALUE_WITHOUT_QUOTES: &str = include_str!("anthropic/value_without_quotes.sse");

const KEY: &str = "sk-ant-0123456789";

async fn answering(settings: Settings, answers: impl IntoIterator<Item = Recorded>) -> (Router, Provider) {
    let provider = Provider::replaying(answers).await;
    let settings = Settings {
        base_url: provider.root(),
        key: Some(KEY.to_owned()),
        model: "claude-sonnet-4-5".to_owned(),
        sends_reasoning: true,
        ..settings
    };
    (server_with(model_of("anthropic", settings)), provider)
}

async fn replaying(streams: impl IntoIterator<Item = &'static str>) -> (Router, Provider) {
    answering(Settings::default(), streams.into_iter().map(Recorded::stream)).await
}

fn thinking() -> Settings {
    Settings { thinking: Some(2048), temperature: Some(0.2), ..Settings::default() }
}

#[tokio::test]
async fn a_turn_that_is_not_over_is_no_answer() {
    let (server, _provider) = replaying([REFUSAL_AFTER_TEXT]).await;
    let (outcome, _, message) = first_run(&server).await;
    assert_eq!(outcome, EndOutcome::Error);
    assert!(message.contains("withheld"), "{message}");
    let (server, provider) = replaying([PAUSE_TURN]).await;
    let (outcome, _, message) = first_run(&server).await;
    assert_eq!((outcome, provider.asked().len()), (EndOutcome::Error, 1));
    assert!(message.contains("paused"), "{message}");
}

#[tokio::test]
async fn arguments_that_are_no_json_do_not_end_the_run() {
    let (server, _provider) = replaying([VALUE_WITHOUT_QUOTES, TEXT]).await;
    assert_eq!(first_run(&server).await.0, EndOutcome::Completed);
}

#[tokio::test]
async fn thoughts_without_an_end_are_given_up() {
    let piece = "x".repeat(1000);
    let block =
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}});
    let thought = |index: u64, text: &str| json!({"type": "content_block_delta", "index": index, "delta": {"type": "thinking_delta", "thinking": text}});
    // In its block, in one that never began, and without a letter.
    for more in [thought(0, &piece), thought(7, &piece), thought(0, "")] {
        let flood = format!("data: {more}\n\n").repeat((3 << 20) / more.to_string().len());
        let (server, _provider) =
            answering(Settings::default(), [Recorded::stream(format!("data: {block}\n\n{flood}"))]).await;
        let (_, _, message) = first_run(&server).await;
        assert!(message.contains("does not come to an end"), "{message}");
    }
}

#[test]
fn settings_do_not_show_their_key() {
    let mut headers = HeaderMap::new();
    headers.insert("x-tenant-key", HeaderValue::from_static("tenant-secret"));
    let settings = Settings { key: Some(KEY.to_owned()), headers, model: "m".to_owned(), ..Settings::default() };
    let shown = format!("{settings:?} {settings:#?}");
    assert!(shown.contains("\"m\"") && !shown.contains(KEY) && !shown.contains("tenant-secret"), "{shown}");
}

#[tokio::test]
async fn text_streams_through() {
    let (server, provider) = replaying([TEXT]).await;
    assert_eq!(Visitor::new(&server, "v", "t").says("hi").await, "Grüß Gott, 🚗!");
    let (headers, asked) = provider.asked().remove(0);
    assert_eq!(headers["x-api-key"], KEY);
    assert_eq!(headers["anthropic-version"], "2023-06-01");
    assert!(!headers.contains_key("authorization"));
    assert_eq!(
        (&asked["model"], &asked["stream"], &asked["max_tokens"]),
        (&json!("claude-sonnet-4-5"), &json!(true), &json!(8192))
    );
    let system = asked["system"][0]["text"].as_str().expect("it is text");
    assert!(system.contains("ask_user_question"), "{system}");
    assert_eq!(asked["messages"], json!([{"role": "user", "content": [{"type": "text", "text": "hi"}]}]));
    assert_eq!(asked["tools"][0]["input_schema"]["properties"]["questions"]["maxItems"], 4);
    assert_eq!(asked.get("thinking"), None);
    check_counted(&server, r#"question_server_tokens_total{of="input"}"#, 25).await;
}

#[tokio::test]
async fn arguments_stream_and_thoughts_go_back_signed() {
    let (server, provider) = answering(thinking(), [THINKING_THEN_ASK, TEXT].map(Recorded::stream)).await;
    let (events, _) = post(&server, "/agent", says("w", "u", "hi")).await.events();
    let pieces = events.iter().filter(|event| event.kind() == EventType::ToolCallArgs).count();
    assert!(pieces > 3, "{pieces}");
    let shown = messages(&server, "w").await;
    assert!(!json!(shown).to_string().contains("I do not know which"), "thoughts are the model's own: {shown:?}");
    let reply = json!({"answers": {"Which database?": "SQLite"}});
    assert_eq!(post(&server, "/conversations/w/respond", reply).await.status, 200);
    crate::watcher::until_state(&server, "w", "idle").await;
    let asked: Vec<Value> = provider.asked().into_iter().map(|(_, asked)| asked).collect();
    for asked in &asked {
        assert_eq!(asked["thinking"], json!({"type": "enabled", "budget_tokens": 2048}));
        assert_eq!((&asked["max_tokens"], asked.get("temperature")), (&json!(8192 + 2048), None));
    }
    let history = asked[1]["messages"].as_array().expect("there is a history");
    let roles: Vec<&Value> = history.iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    let said = &history[1]["content"];
    assert_eq!(
        said[0],
        json!({
            "type": "thinking",
            "thinking": "The user wants a store. I do not know which.",
            "signature": "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds",
        })
    );
    assert_eq!(said[1], json!({"type": "redacted_thinking", "data": "EmwKAhgBEgy3va3pzix"}));
    assert_eq!(said[2]["text"], "One thing first.");
    assert_eq!(said[3]["id"], "toolu_01T1x1fJ34qAmk2tNTrN7Up6");
    assert_eq!(said[3]["input"]["questions"][0]["options"][0]["description"], "Läuft schon 🐘");
    let result = &history[2]["content"][0];
    assert_eq!((&result["type"], &result["tool_use_id"]), (&json!("tool_result"), &said[3]["id"]));
    assert_eq!(result["content"][0]["text"], r#"{"answers":{"Which database?":"SQLite"}}"#);
}

#[tokio::test]
async fn a_turn_that_began_without_thoughts_goes_on_without() {
    let (server, provider) = answering(thinking(), [TWO_CALLS, TEXT, TEXT].map(Recorded::stream)).await;
    let mut visitor = Visitor::new(&server, "v", "t");
    visitor.says("hi").await;
    visitor.picks("PostgreSQL").await;
    let (_, asked) = provider.asked().remove(1);
    assert_eq!((asked.get("thinking"), &asked["temperature"]), (None, &json!(0.2)));
    let calls = asked["messages"][1]["content"].as_array().expect("there are two");
    assert_eq!(calls[1], json!({"type": "tool_use", "id": "toolu_02", "name": "weather", "input": {}}));
    let results = asked["messages"][2]["content"].as_array().expect("there are results");
    assert_eq!(results[1]["tool_use_id"], "toolu_02");
    assert_eq!(
        (&results[1]["content"][0]["text"], &results[1]["is_error"]),
        (&json!("There is no tool named weather."), &json!(true))
    );
    // With its user's next word it may think.
    visitor.says("And now?").await;
    assert_eq!(provider.asked()[2].1["thinking"]["type"], "enabled");
}

#[tokio::test]
async fn an_answer_that_has_no_room_is_cut() {
    let (server, _provider) = replaying([NO_ROOM]).await;
    assert_eq!(first_run(&server).await.1, "answer_cut");
    assert_eq!(messages(&server, "t").await[1]["content"], "A long");
}

#[tokio::test]
async fn a_history_that_is_too_long_is_cut_and_begins_with_its_user() {
    let long = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 215018 tokens > 200000 maximum"}}"#;
    let refused = Recorded { status: 400, ..Recorded::stream(long) };
    let (server, provider) =
        answering(Settings::default(), [Recorded::stream(TEXT), refused, Recorded::stream(TEXT)]).await;
    let mut visitor = Visitor::new(&server, "v", "t");
    visitor.says("A long story").await;
    visitor.says("And now?").await;
    let asked = provider.asked();
    assert_eq!(asked[1].1["messages"].as_array().map(Vec::len), Some(3));
    assert_eq!(asked[2].1["messages"], json!([{"role": "user", "content": [{"type": "text", "text": "And now?"}]}]));
}

#[tokio::test]
async fn what_a_program_asked_first_is_told_as_the_agents_own() {
    let (server, provider) = replaying([TEXT]).await;
    let questions = json!([{"question": "Which size?", "options": [{"label": "S"}, {"label": "M"}]}]);
    post(&server, "/conversations/t/asks", json!({"id": "the size", "questions": questions})).await;
    post(&server, "/conversations/t/respond", json!({"answers": {"Which size?": "M"}})).await;
    post(&server, "/agent", says("t", "u", "And now?")).await.events();
    let history = provider.asked().remove(0).1["messages"].clone();
    let roles: Vec<&Value> = history.as_array().into_iter().flatten().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user"], "{history}");
    assert_eq!(history[1]["content"][0]["id"], "the_size");
    assert_eq!(history[2]["content"][0]["tool_use_id"], "the_size");
    assert_eq!(history[2]["content"][1]["text"], "And now?");
}
