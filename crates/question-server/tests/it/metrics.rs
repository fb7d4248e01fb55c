//! Metrics and health of a server.

use crate::clock::HandClock;
use crate::house::{app, front_desk, over_each_store, parts, server, server_of};
use crate::http::{by, call, get, post, request, says, with_headers};
use crate::socket::{say_hello, start, until_logged};
use crate::watcher::{Watcher, until_state};
use axum::Router;
use axum::http::Method;
use question_server::Config;
use question_server::store::Store;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The number that a metric has; 0 if there is none.
pub(crate) async fn metric(server: &Router, name: &str) -> f64 {
    let answer = get(server, "/metrics").await;
    assert_eq!(answer.status, 200);
    let text = std::str::from_utf8(&answer.body).expect("it is text");
    let found = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    found.map_or(0.0, |number| number.parse().unwrap_or_else(|_| panic!("{number} is no number")))
}

/// Checks that a metric counts this many.
pub(crate) async fn check_counted(server: &Router, name: &str, expected: u64) {
    let counted = metric(server, name).await;
    assert!((counted - expected as f64).abs() < 0.5, "{name} is {counted}");
}

#[tokio::test]
async fn what_happens_is_counted() {
    let server = server();
    post(&server, "/agent", says("t", "u", "hi")).await.events();
    check_counted(&server, "question_server_conversations", 1).await;
    let watcher = Watcher::open(&server, "t", None).await;
    check_counted(&server, "question_server_watchers", 1).await;
    drop(watcher);
    check_counted(&server, "question_server_watchers", 0).await;
    let reply = json!({"answers": {"Which service do you need?": "Brake service"}});
    assert_eq!(post(&server, "/conversations/t/respond", reply).await.status, 200);
    until_state(&server, "t", "awaiting_user_response").await;
    for (name, least) in [
        (r#"question_server_requests_total{method="POST",route="/agent",status="200"}"#, 1.0),
        (r#"question_server_request_seconds_count{route="/conversations/{id}/respond"}"#, 1.0),
        (r#"question_server_events_total{event="ask_user_question_pending"}"#, 1.0),
        (r#"question_server_events_total{event="user_question_response"}"#, 1.0),
        (r#"question_server_commit_seconds_count{outcome="stored"}"#, 4.0),
        (r#"question_server_model_seconds_count{outcome="answered"}"#, 1.0),
        ("question_server_answer_seconds_count", 1.0),
        ("question_server_waiting_questions", 1.0),
    ] {
        let found = metric(&server, name).await;
        assert!(found >= least, "{name} is {found}");
    }
}

#[tokio::test]
async fn what_clients_make_up_is_not_counted_by() {
    let server = server();
    let before = get(&server, "/metrics").await.body.len();
    for number in 0..200 {
        let method = Method::from_bytes(format!("M{number}").as_bytes()).expect("it is one");
        call(&server, request(method, &format!("/{number}"), None)).await;
        get(&server, &format!("/conversations/{number}")).await;
    }
    let after = get(&server, "/metrics").await.body.len();
    assert!(after < before + 10_000, "{before} {after}");
}

#[tokio::test]
async fn it_is_for_those_who_have_the_token_under_any_name() {
    const TOKEN: &str = "correct-horse-battery-staple";
    let server = server_of(&Config { tokens: vec![TOKEN.parse().expect("it is long enough")], ..Config::default() });
    assert_eq!(get(&server, "/metrics").await.status, 401);
    let scrape = by(TOKEN, request(Method::GET, "/metrics", None));
    assert_eq!(call(&server, with_headers(scrape, &[("host", "10.0.0.7:8787")])).await.status, 200);
}

#[tokio::test]
async fn each_line_of_the_log_may_be_an_object() {
    let args = ["--port", "0", "--pace", "0", "--log-format", "json"];
    let (mut child, address) = start(&args).await;
    say_hello(address).await;
    let log = until_logged(&mut child, "ask_user_question_pending").await;
    // Without its line ends, as it is read there.
    let lines: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(&log).into_iter().collect();
    let lines = lines.unwrap_or_else(|error| panic!("{error}: {log}"));
    assert!(lines.iter().any(|line| line["event"] == "user_message"), "{log}");
    assert!(lines.iter().any(|line| line["span"]["id"].is_string()), "{log}");
}

async fn tells_what_waits(store: Arc<dyn Store>) {
    let clock = HandClock::new();
    let parts = parts(front_desk()).store(store).clock(Arc::new(clock.clone()));
    let server = app(&Config::default(), parts);
    for thread in ["one", "two"] {
        post(&server, "/agent", says(thread, "u", "hi")).await.events();
        clock.advance(Duration::from_secs(100));
    }
    let told = async || {
        [
            metric(&server, "question_server_waiting_questions").await,
            metric(&server, "question_server_oldest_waiting_question_seconds").await,
        ]
    };
    assert_eq!(told().await.map(|number| number.round() as i64), [2, 200]);
    let reply = json!({"answers": {"Which service do you need?": "Brake service"}});
    post(&server, "/conversations/one/respond", reply).await;
    until_state(&server, "one", "awaiting_user_response").await;
    assert_eq!(told().await.map(|number| number.round() as i64), [2, 100]);
    assert!((metric(&server, "question_server_answer_seconds_sum").await - 200.0).abs() < 1.0);
}

over_each_store!(what_waits_is_told_with_its_age: tells_what_waits);

#[cfg(all(unix, feature = "postgres"))]
#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn connections_to_the_database_are_counted_while_they_are_used() {
    let database = crate::postgres::Database::new().await;
    let server = app(&Config::default(), parts(front_desk()).store(database.open().await));
    post(&server, "/agent", says("t", "u", "hi")).await.events();
    let in_use = "question_server_database_connections_in_use";
    // The end of the run may still have one when its answer has come.
    while metric(&server, in_use).await > 0.5 {
        tokio::task::yield_now().await;
    }
    check_counted(&server, "question_server_database_connections_max", 16).await;
    // Messages can't be read for as long as this goes on.
    let mut client = database.client().await;
    let lock = "BEGIN; LOCK TABLE question_server.message IN ACCESS EXCLUSIVE MODE";
    crate::postgres::run(&mut client, lock).await;
    let reading = tokio::spawn({
        let server = server.clone();
        async move { get(&server, "/conversations/t").await }
    });
    while metric(&server, in_use).await < 0.5 {
        tokio::task::yield_now().await;
    }
    drop(client);
    assert_eq!(reading.await.expect("it answers").status, 200);
}
