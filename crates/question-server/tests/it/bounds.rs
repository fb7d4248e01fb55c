//! What is too much: every bound of `Bounds`, reached.

use crate::house::server_of;
use crate::http::{Answer, get, post, says};
use axum::Router;
use axum::http::header;
use question_server::Config;
use question_server::limits::{Bounds, MAX_ID_BYTES};
use question_server::rate::PerMinute;
use serde_json::{Value, json};

/// A server with everything else as it is by default.
fn server(change: impl Fn(&mut Bounds)) -> Router {
    let mut config = Config::default();
    change(&mut config.bounds);
    server_of(&config)
}

async fn hello(server: &Router, thread: &str) -> Answer {
    post(server, "/agent", says(thread, "u", "hi")).await
}

#[track_caller]
fn check_refused(refused: &Answer) {
    assert_eq!(refused.refusal(), (429, "too_many_requests".to_owned()));
    let wait: u64 = refused.headers[header::RETRY_AFTER]
        .to_str()
        .expect("it is text")
        .parse()
        .expect("it is seconds");
    assert!((1..=61).contains(&wait), "{wait}");
}

#[tokio::test]
async fn changes_of_a_conversation_are_counted_for_it_alone() {
    let server = server(|bounds| bounds.changes = PerMinute::new(2));
    assert_eq!(hello(&server, "one").await.status, 200);
    assert_eq!(hello(&server, "one").await.status, 200);
    check_refused(&hello(&server, "one").await);
    check_refused(&post(&server, "/conversations/one/cancel", json!({})).await);
    assert_eq!(hello(&server, "another").await.status, 200);
}

#[tokio::test]
async fn new_conversations_are_counted_all_together() {
    let server = server(|bounds| bounds.new = PerMinute::new(1));
    assert_eq!(hello(&server, "one").await.status, 200);
    check_refused(&hello(&server, "another").await);
    assert_eq!(hello(&server, "one").await.status, 200);
}

#[tokio::test]
async fn conversations_are_so_many_and_no_more() {
    let server = server(|bounds| bounds.conversations = 2);
    assert_eq!(hello(&server, "one").await.status, 200);
    // One that is refused before anything of it is kept takes no place.
    let nothing = says("none", "u", &"x".repeat(65_537));
    let refused = post(&server, "/agent", nothing).await.refusal();
    assert_eq!(refused, (400, "bad_request".to_owned()));
    assert_eq!(hello(&server, "two").await.status, 200);
    let full = hello(&server, "three").await.refusal();
    assert_eq!(full, (503, "too_many_conversations".to_owned()));
    assert_eq!(hello(&server, "one").await.status, 200);
}

#[tokio::test]
async fn messages_of_a_conversation_are_so_many_and_no_more() {
    let server = server(|bounds| bounds.messages = 3);
    assert_eq!(hello(&server, "t").await.status, 200);
    // Two of them by now: what was said and the question.
    let answer = post(&server, "/agent", says("t", "u2", "Brake service")).await;
    assert_eq!(answer.status, 200);
    let full = post(&server, "/agent", says("t", "u3", "rush")).await;
    assert_eq!(full.refusal(), (409, "conversation_full".to_owned()));
    let described = get(&server, "/conversations/t").await.json();
    assert_eq!(described["state"]["type"], "awaiting_user_response");
}

#[tokio::test]
async fn a_body_is_so_long_and_no_longer() {
    let input = hello_of(200);
    let length = input.to_string().len();
    let fits = server(|bounds| bounds.body = length);
    assert_eq!(post(&fits, "/agent", input.clone()).await.status, 200);
    let tight = server(|bounds| bounds.body = length - 1);
    for path in [
        "/agent",
        "/conversations/t/respond",
        "/conversations/t/cancel",
    ] {
        let refused = post(&tight, path, input.clone()).await.refusal();
        assert_eq!(refused, (413, "too_large".to_owned()), "{path}");
    }
}

fn hello_of(bytes: usize) -> Value {
    says("t", "u", &"x".repeat(bytes))
}

#[tokio::test]
async fn what_a_user_says_at_a_time_is_so_long_and_no_longer() {
    let server = server(|bounds| bounds.message = 40);
    let refused = post(&server, "/agent", hello_of(41)).await.refusal();
    assert_eq!(refused, (400, "bad_request".to_owned()));
    assert_eq!(post(&server, "/agent", hello_of(40)).await.status, 200);

    // An answer is no way around it, whichever way it comes. The question's own words are not the user's.
    let described = get(&server, "/conversations/t").await.json();
    let call = described["pending"][0]["toolCallId"].clone();
    let answers = |text: &str| json!({"Which service do you need?": text});
    let long = "A rattle, left front, since last Tuesday.";
    let by_rest = json!({"answers": answers(long)});
    let content = json!({"answers": answers(long)}).to_string();
    let tool = json!({"id": "tool", "role": "tool", "toolCallId": call, "content": content});
    let by_tool = json!({"threadId": "t", "runId": "r", "messages": [tool]});
    let resume =
        json!([{"interruptId": call, "status": "resolved", "payload": {"answers": answers(long)}}]);
    let by_resume = json!({"threadId": "t", "runId": "r", "messages": [], "resume": resume});
    for (path, body) in [
        ("/conversations/t/respond", by_rest),
        ("/agent", by_tool),
        ("/agent", by_resume),
        ("/agent", says("t", "u2", long)),
    ] {
        let refused = post(&server, path, body.clone()).await.refusal();
        assert_eq!(refused, (400, "bad_request".to_owned()), "{body}");
    }
    let picked = json!({"answers": answers("Brake service")});
    let taken = post(&server, "/conversations/t/respond", picked).await;
    assert_eq!(taken.status, 200);
}

#[tokio::test]
async fn ids_are_so_long_and_no_longer() {
    let server = server(|_| ());
    let longest = "t".repeat(MAX_ID_BYTES);
    assert_eq!(hello(&server, &longest).await.status, 200);
    let refused = hello(&server, &format!("{longest}t")).await.refusal();
    assert_eq!(refused, (400, "bad_request".to_owned()));
}
