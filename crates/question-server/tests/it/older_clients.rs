//! Clients from before AG-UI 1.0, which end a run in an error where they do not know all of what an event says. `tests/clients` has them in person.

use crate::house::{server, server_with};
use crate::http::{Answer, post, request, says, start};
use crate::script::{ASK, Line, Script};
use crate::watcher::{Frame, Watcher};
use ag_ui_stream::event::EventType;
use axum::Router;
use axum::http::Method;
use serde_json::{Value, json};
use tower::ServiceExt as _;

/// The input of a client before 1.0, which does not name its version.
fn older(mut input: Value) -> Value {
    let input = input.as_object_mut().expect("an input is an object");
    input.remove("protocolVersion").expect("others have one");
    json!(input)
}

/// The first and the last event, as they are written.
fn ends(answer: &Answer) -> (Value, Value) {
    let (events, _) = answer.events();
    let written = |event| serde_json::to_value(event).expect("an event is JSON");
    (written(events.first().expect("there are events")), written(events.last().expect("there are events")))
}

/// The end of a run that says nothing more.
fn bare_end(run_id: &str) -> Value {
    json!({"type": "RUN_FINISHED", "threadId": "t", "runId": run_id})
}

fn pending(finished: &Value) -> &Value {
    &finished["outcome"]["pendingToolCallIds"][0]
}

async fn comes_in(server: &Router, input: Value) -> (Value, Value) {
    ends(&post(server, "/agent", input).await)
}

#[tokio::test]
async fn the_echoed_input_is_whole() {
    for input in [says("t", "u", "hi"), older(says("t", "u", "hi"))] {
        let (started, _) = comes_in(&server(), input).await;
        let whole = json!({
            "threadId": "t",
            "runId": "run-u",
            "state": {},
            "messages": [{"id": "u", "role": "user", "content": "hi"}],
            "tools": [],
            "context": [],
            "forwardedProps": {},
        });
        assert_eq!(started["input"], whole);
    }
}

#[tokio::test]
async fn a_text_says_whose_it_is() {
    let (events, _) = post(&server(), "/agent", says("t", "u", "hi")).await.events();
    let mut starts = events.iter().filter(|event| event.kind() == EventType::TextMessageStart);
    assert_eq!(starts.next().map(|start| start.text("role")), Some("assistant"));
}

#[tokio::test]
async fn an_outcome_goes_to_who_knows_it() {
    let lines = vec![Line::Waits, Line::Calls(0, "ask_user_question", ASK)];
    let script = Script::new([lines]);
    let server = server_with(script.clone());
    let run = start(&server, "/agent", older(says("t", "u", "hi")));
    script.waits().await;
    let mut watcher = Watcher::open(&server, "t", None).await;
    script.go_on();
    let (_, finished) = ends(&run.await.expect("it ends"));
    assert_eq!(finished, bare_end("run-u"));
    // A watching client gets events of 1.0, whatever the client speaks that started the run.
    let is_end = |frame: &Frame| frame.data["type"] == "RUN_FINISHED";
    let told = watcher.until(is_end).await;
    let seen = &told.last().expect("it waited for it").data;
    assert!(pending(seen).is_string(), "{seen}");

    // The same input again gives what has become of it.
    let (_, again) = comes_in(&server, older(says("t", "u", "hi"))).await;
    assert_eq!(again, bare_end("run-u"));
    let (_, again) = comes_in(&server, says("t", "u", "hi")).await;
    assert!(pending(&again).is_string(), "{again}");
}

#[tokio::test]
async fn an_interrupt_goes_to_who_asks_for_it() {
    let mut input = older(says("t", "u", "hi"));
    input["forwardedProps"] = json!({"interrupts": true});
    let (_, finished) = comes_in(&server(), input).await;
    assert_eq!(finished["outcome"]["type"], "interrupt");
}

#[tokio::test]
async fn a_cancelled_run_just_ends_for_who_knows_no_better() {
    let script = Script::new([vec![Line::Says("Let me think"), Line::Waits]]);
    let server = server_with(script.clone());
    let first = start(&server, "/agent", says("t", "u", "go"));
    script.waits().await;
    // The rest of a run that another began, as its own.
    let mut retry = older(says("t", "u", "go"));
    retry["runId"] = "retry".into();
    let retry = request(Method::POST, "/agent", Some(retry));
    let retry = server.clone().oneshot(retry).await.expect("it answers");
    let cancel = json!({"runId": "run-u"});
    let cancelled = post(&server, "/conversations/t/cancel", cancel).await;
    assert_eq!(cancelled.status, 200);

    let (_, current) = ends(&first.await.expect("it ends"));
    assert_eq!(current["outcome"]["type"], "cancelled");
    let (_, older) = ends(&Answer::of(retry).await);
    assert_eq!(older, bare_end("retry"));
}
