//! Models that name a time to come back, under a clock that runs ahead where nothing else is to do.

use crate::house::{server, server_with};
use crate::http::{post, request, says, start};
use crate::script::{Line, Script};
use ag_ui_stream::reader::EndOutcome;
use axum::http::Method;
use futures_util::StreamExt as _;
use question_server::limits::{HEARTBEAT, MAX_RETRY_PAUSE};
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;
use tower::ServiceExt as _;

const DAY: Duration = Duration::from_secs(24 * 3600);
const A_MOMENT: Duration = Duration::from_secs(1);

/// Has one sub-agent do something.
fn spawns() -> Vec<Line> {
    vec![Line::Calls(0, "spawn_agents", r#"{"tasks":["look"]}"#)]
}

#[tokio::test(start_paused = true)]
async fn a_model_is_waited_for_no_longer_than_the_bound_and_nor_is_a_sub_agents() {
    let fails = || vec![Line::Fails(Some(DAY))];
    let done = || vec![Line::Says("Here I am.")];
    // Behind a sub-agent's third attempt there is nothing to wait for.
    for (answers, pauses) in [(vec![fails(), done()], 1), (vec![spawns(), fails(), fails(), fails(), done()], 2)] {
        let (times, script) = (answers.len(), Script::new(answers).with_agents());
        let begun = Instant::now();
        let answer = post(&server_with(script.clone()), "/agent", says("t", "u", "go")).await;
        assert_eq!((answer.events().1.outcome, script.times_asked()), (EndOutcome::Completed, times));
        let (waited, bound) = (begun.elapsed(), pauses * MAX_RETRY_PAUSE);
        assert!((bound..bound + A_MOMENT).contains(&waited), "{waited:?}");
        // Meanwhile the client knows that the server lives.
        let alive = String::from_utf8_lossy(&answer.body).matches(": alive").count();
        assert!(alive >= 1, "at {HEARTBEAT:?} of {MAX_RETRY_PAUSE:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn stopping_the_run_ends_the_pause_of_a_model_and_of_a_sub_agent() {
    let pausing = || vec![Line::Waits, Line::Fails(Some(DAY))];
    for answers in [vec![pausing()], vec![spawns(), pausing()]] {
        let script = Script::new(answers).with_agents();
        let server = server_with(script.clone());
        let run = start(&server, "/agent", says("t", "u", "go"));
        script.waits().await;
        script.go_on();
        let begun = Instant::now();
        let stopped = post(&server, "/conversations/t/cancel", json!({})).await;
        assert_eq!(stopped.json()["state"]["type"], "idle");
        let (_, end) = run.await.expect("it ends").events();
        assert_eq!(end.outcome, EndOutcome::Cancelled);
        assert!(begun.elapsed() < A_MOMENT, "{:?}", begun.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_conversation_in_which_nothing_happens_is_heard_to_live() {
    let server = server();
    post(&server, "/agent", says("t", "u", "hi")).await.events();
    let events = request(Method::GET, "/conversations/t/events", None);
    let response = server.oneshot(events).await.expect("it answers");
    let mut body = response.into_body().into_data_stream();
    let mut next = async || {
        let chunk = body.next().await.expect("it goes on").expect("it goes on");
        String::from_utf8_lossy(&chunk).into_owned()
    };
    assert!(next().await.starts_with("event: state_change"));
    for _ in 0..3 {
        let begun = Instant::now();
        assert_eq!(next().await, ": alive\n\n");
        assert!((HEARTBEAT..HEARTBEAT + A_MOMENT).contains(&begun.elapsed()));
    }
}
