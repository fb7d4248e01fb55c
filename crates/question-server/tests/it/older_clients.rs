//! Clients from before AG-UI 1.0, which end a run in an error where they do not know all of what an event says. `tests/clients` has them in person.

use crate::house::server_with;
use crate::http::{Answer, post, request, says, start};
use crate::script::{ASK, Line, Script};
use crate::watcher::{Frame, Watcher};
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

/// The last event, as it is written.
fn end(answer: &Answer) -> Value {
    json!(answer.events().0.last().expect("there are events"))
}

/// The end of a run that says nothing more.
fn bare_end(run_id: &str) -> Value {
    json!({"type": "RUN_FINISHED", "threadId": "t", "runId": run_id})
}

fn pending(finished: &Value) -> &Value {
    &finished["outcome"]["pendingToolCallIds"][0]
}

async fn comes_in(server: &Router, input: Value) -> Value {
    end(&post(server, "/agent", input).await)
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
    let finished = end(&run.await.expect("it ends"));
    assert_eq!(finished, bare_end("run-u"));
    // A watching client gets events of 1.0, whatever the client speaks that started the run.
    let is_end = |frame: &Frame| frame.data["type"] == "RUN_FINISHED";
    let told = watcher.until(is_end).await;
    let seen = &told.last().expect("it waited for it").data;
    assert!(pending(seen).is_string(), "{seen}");

    // The same input again gives what has become of it.
    let hi = says("t", "u", "hi")["messages"].take();
    // As Microsoft's Python client names them.
    let python = json!({"thread_id": "t", "run_id": "run-u", "messages": hi});
    for input in [older(says("t", "u", "hi")), python] {
        assert_eq!(comes_in(&server, input).await, bare_end("run-u"));
    }
    let again = comes_in(&server, says("t", "u", "hi")).await;
    assert!(pending(&again).is_string(), "{again}");
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

    let current = end(&first.await.expect("it ends"));
    assert_eq!(current["outcome"]["type"], "cancelled");
    let older = end(&Answer::of(retry).await);
    assert_eq!(older, bare_end("retry"));
}
