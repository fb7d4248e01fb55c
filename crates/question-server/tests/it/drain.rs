//! The end of a server, as its balancer and its clients see it.

use crate::house::{app, front_desk, parts};
use crate::http::{get, post, says, start};
use crate::script::{ASK, Line, Script};
use crate::watcher::until_state;
use axum::Router;
use question_server::{Config, Drain};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::task::yield_now;

const GRACE: Duration = Duration::from_secs(20);

async fn readiness(server: &Router) -> (u16, Value) {
    let answer = get(server, "/readyz").await;
    (answer.status.as_u16(), answer.json()["status"].clone())
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stops_is_not_ready_begins_nothing_and_cuts_off_what_runs() {
    let script = Script::new([
        vec![Line::Waits, Line::Hangs],
        vec![Line::Says("Still here.")],
        vec![Line::Calls(0, "ask_user_question", ASK)],
    ]);
    let (parts, drain) = (parts(script.clone()), Drain::default());
    let server = app(&Config::default(), parts.drain(drain.clone()));
    assert_eq!(readiness(&server).await, (200, json!("ready")));
    let hanging = start(&server, "/agent", says("hangs", "u", "go"));
    script.waits().await;
    script.go_on();
    for thread in ["t", "asks"] {
        post(&server, "/agent", says(thread, "u", "go")).await.events();
    }

    let draining = tokio::spawn(async move { drain.run(GRACE).await });
    yield_now().await;
    assert_eq!(readiness(&server).await, (503, json!("draining")));
    assert_eq!(get(&server, "/healthz").await.status, 200, "it is well all the same");
    watchers_are_hung_up_on(&server).await;
    let reply = json!({"answers": {"Which?": "One"}});
    for (path, body) in [("/agent", says("t", "u2", "on")), ("/conversations/asks/respond", reply)] {
        let refused = post(&server, path, body).await;
        assert_eq!(refused.refusal(), (503, "server_stopping".to_owned()));
        assert!(refused.headers.contains_key("retry-after"));
    }
    let waiting = get(&server, "/conversations/asks").await.json();
    assert_eq!(waiting["state"]["type"], "awaiting_user_response", "nothing is lost");
    assert!(!draining.is_finished());

    let (_, end) = hanging.await.expect("it is told").events();
    assert_eq!(end.error.as_ref().map(|error| error.code()), Some("server_stopped"));
    draining.await.expect("it comes to its end");
}

/// Watchers are hung up on, so that they come back to another server.
async fn watchers_are_hung_up_on(server: &Router) {
    let request = crate::http::request(axum::http::Method::GET, "/conversations/t/events", None);
    let answer = crate::http::call(server, request).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn where_nothing_runs_the_end_comes_at_once() {
    let (parts, drain) = (parts(front_desk()), Drain::default());
    let server = app(&Config::default(), parts.drain(drain.clone()));
    post(&server, "/agent", says("t", "u", "hi")).await.events();
    until_state(&server, "t", "awaiting_user_response").await;
    drain.run(Duration::from_secs(3600)).await;
}
