//! Runs that take another course than the desks' do.

use crate::house::server_with;
use crate::http::{Answer, get, messages, post, request, says};
use crate::script::{ASK, Line, Script};
use crate::visitor::Visitor;
use crate::watcher::Watcher;
use ag_ui_stream::reader::EndOutcome;
use ag_ui_stream::{Conversation, Message};
use axum::Router;
use axum::body::Body;
use axum::http::{Method, Response};
use question_server::limits::{CALL_WEIGHT, MAX_ANSWER_BYTES, MAX_ASK_RETRIES, MAX_MODEL_CALLS};
use serde_json::json;
use std::time::Duration;
use tower::ServiceExt as _;

#[tokio::test]
async fn a_model_that_does_not_come_to_an_end_is_stopped() {
    // One cannot ask legally, one calls a tool that is not there, and one calls one that is.
    for (tool, times, why) in [
        ("ask_user_question", 1 + MAX_ASK_RETRIES, ""),
        ("look_it_up", 1 + MAX_ASK_RETRIES, "not there"),
        ("spawn_agents", MAX_MODEL_CALLS, ""),
    ] {
        let again = || vec![Line::Calls(0, tool, "{}")];
        let script = Script::new(std::iter::repeat_with(again).take(100)).with_agents();
        let server = server_with(script.clone());
        let (_, end) = post(&server, "/agent", says("t", "u1", "go")).await.events();
        assert_eq!((end.outcome, script.times_asked()), (EndOutcome::Error, times as usize), "{tool}");
        assert!(end.error.is_some_and(|error| error.to_string().contains(why)), "{tool}");
    }
}

#[tokio::test]
async fn calls_behind_the_question_are_shown_once_they_are_done_with() {
    let calls = || {
        vec![
            Line::Calls(0, "ask_user_question", ASK),
            Line::Calls(1, "unknown_tool", "{}"),
            Line::Calls(2, "ask_user_question", ASK),
        ]
    };
    let server = server_with(Script::new([calls(), vec![Line::Says("Done.")], calls()]));
    let mut visitor = Visitor::new(&server, "v", "t");
    visitor.says("go").await;
    assert_eq!(visitor.conversation.thread().unanswered_tool_call_ids().len(), 1);
    visitor.picks("One").await;
    assert!(visitor.is_asked("Which?"), "the second ask is there, with its questions");
    visitor.picks("Two").await;
    assert!(visitor.is_asked_nothing());

    // Cancelled, each gets its result; a client sees none of them without its call.
    visitor.says("again").await;
    let (call, _) = visitor.waiting();
    let mut watcher = Watcher::open(&server, "t", None).await;
    post(&server, "/conversations/t/cancel", json!({})).await;
    let seen = watcher.until(|frame| frame.data["type"] == "RUN_FINISHED").await;
    let of = |name: &str| {
        let events = seen.iter().filter(|frame| frame.data["type"] == *name);
        events.map(|frame| frame.data["toolCallId"].to_string()).collect::<Vec<_>>()
    };
    let results = of("TOOL_CALL_RESULT");
    assert_eq!(results.len(), 3);
    assert_eq!(results[0], json!(call).to_string());
    assert_eq!(of("TOOL_CALL_START"), results[1..], "the first was seen before");
}

#[tokio::test]
async fn a_model_that_fails_midway_fails_the_run_and_can_be_tried_again() {
    let script = Script::new([
        vec![Line::Says("I was"), Line::Calls(0, "ask_user_question", "{\"que"), Line::Fails(Some(Duration::ZERO))],
        vec![Line::Says("Better.")],
    ]);
    let server = server_with(script);
    let (events, end) = post(&server, "/agent", says("t", "u1", "go")).await.events();
    assert_eq!(end.outcome, EndOutcome::Error);
    assert_eq!(end.error.as_ref().map(|error| error.code()), Some("model_failed"));
    let told = events.iter().any(|event| event.name() == "MESSAGES_SNAPSHOT");
    assert!(told, "clients learn that the half answer is not kept");
    let stored = get(&server, "/conversations/t").await.json();
    assert_eq!(stored["messages"].as_array().map(Vec::len), Some(1));
    // Retry is the same input in a new run.
    let (_, end) = post(&server, "/agent", says("t", "u1", "go")).await.events();
    assert_eq!(end.outcome, EndOutcome::Completed);
}

#[tokio::test]
async fn an_answer_that_is_too_long_fails_the_run_and_says_so() {
    let chunk: &'static str = Box::leak("x".repeat(64 << 10).into_boxed_str());
    let enough = MAX_ANSWER_BYTES / chunk.len();
    let unknown = |call| Line::Calls(call, "unknown_tool", "{}");
    for endless in [
        vec![Line::Says(chunk); 2 * enough],
        vec![Line::Calls(0, "unknown_tool", chunk); 2 * enough],
        (0..2 * MAX_ANSWER_BYTES / CALL_WEIGHT).map(unknown).collect(),
    ] {
        let script = Script::new([endless, vec![Line::Says(chunk); enough]]);
        let server = server_with(script.clone());
        let (_, end) = post(&server, "/agent", says("t", "u1", "go")).await.events();
        let error = end.error.expect("it ends in an error");
        assert_eq!(error.code(), "model_failed");
        assert!(error.to_string().contains("longer than"), "{error}");
        assert_eq!(messages(&server, "t").await.len(), 1, "nothing of it is kept");
        let (_, end) = post(&server, "/agent", says("t", "u1", "go")).await.events();
        let completed = (EndOutcome::Completed, 2);
        assert_eq!((end.outcome, script.times_asked()), completed);
    }
}

/// A model that is in the middle of its answer.
fn thinks(more: impl IntoIterator<Item = Line>) -> Script {
    let begins = vec![Line::Says("Let me think")];
    let answer = begins.into_iter().chain(more).chain([Line::Waits, Line::Hangs]);
    Script::new([answer.collect(), vec![Line::Says("Yes.")]])
}

/// A run whose client reads nothing yet, once the model is in the middle of its answer.
async fn begun(server: &Router, script: &Script) -> Response<Body> {
    let run = request(Method::POST, "/agent", Some(says("t", "u1", "go")));
    let run = server.clone().oneshot(run).await.expect("it answers");
    script.waits().await;
    script.go_on();
    run
}

#[tokio::test]
async fn a_run_whose_client_has_gone_gives_way_to_what_comes_next() {
    let script = thinks([]);
    let server = server_with(script.clone());
    let run = begun(&server, &script).await;
    let busy = post(&server, "/agent", says("t", "u2", "are you there")).await;
    assert_eq!(busy.refusal(), (409, "busy".to_owned()), "its client still reads");
    // The next request may be here before the end of the connection is noticed.
    let next = post(&server, "/agent", says("t", "u2", "are you there"));
    let goes = async {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        drop(run);
    };
    let (next, ()) = tokio::join!(next, goes);
    assert_eq!(next.events().1.outcome, EndOutcome::Completed);
    let stored = messages(&server, "t").await;
    let texts: Vec<&str> = stored.iter().filter_map(|message| message["content"].as_str()).collect();
    assert_eq!(texts, ["go", "Let me think", "are you there", "Yes."]);
}

#[tokio::test]
async fn cancelling_stops_a_run_and_keeps_what_was_said() {
    let script = thinks([Line::Calls(0, "ask_user_question", "{\"que")]);
    let server = server_with(script.clone());
    let run = begun(&server, &script).await;
    assert_eq!(get(&server, "/conversations/t").await.json()["runId"], "run-u1");
    for (run_id, state) in [("run-u0", "llm_requesting"), ("run-u1", "idle")] {
        let cancelled = post(&server, "/conversations/t/cancel", json!({"runId": run_id})).await;
        assert_eq!(cancelled.json()["state"]["type"], state);
    }
    assert_eq!(Answer::of(run).await.events().1.outcome, EndOutcome::Cancelled);
    let kept = messages(&server, "t").await.remove(1);
    assert_eq!((kept["content"].as_str(), kept.get("toolCalls")), (Some("Let me think"), None));
}

#[tokio::test]
async fn a_retry_during_the_run_gets_the_rest_of_it() {
    let script = thinks([]);
    let server = server_with(script.clone());
    drop(begun(&server, &script).await);
    let mut retry = says("t", "u1", "go");
    retry["runId"] = "retry".into();
    let retry = server.clone().oneshot(request(Method::POST, "/agent", Some(retry))).await.expect("it answers");
    post(&server, "/conversations/t/cancel", json!({})).await;
    let mut conversation = Conversation::default();
    let (_, end) = Answer::of(retry).await.events_in(&mut conversation);
    let texts: Vec<_> = conversation.thread().messages().iter().map(Message::text).collect();
    assert_eq!((end.outcome, &*texts), (EndOutcome::Cancelled, &["go".into(), "Let me think".into()][..]));
    assert_eq!(script.times_asked(), 1);
}
