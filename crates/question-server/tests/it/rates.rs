//! What comes too often is told when to come back.

use crate::house::server_of;
use crate::http::{Answer, post};
use axum::Router;
use axum::http::header;
use question_server::Config;
use question_server::rate::PerMinute;
use serde_json::json;

fn server(max_changes: u32, max_new: u32) -> Router {
    server_of(&Config {
        max_changes: PerMinute::new(max_changes),
        max_new: PerMinute::new(max_new),
        ..Config::default()
    })
}

async fn hello(server: &Router, thread: &str) -> Answer {
    let message = json!({"id": "u", "role": "user", "content": "hi"});
    let input = json!({"threadId": thread, "runId": "r", "messages": [message]});
    post(server, "/agent", input).await
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
    let server = server(2, 0);
    assert_eq!(hello(&server, "one").await.status, 200);
    assert_eq!(hello(&server, "one").await.status, 200);
    check_refused(&hello(&server, "one").await);
    check_refused(&post(&server, "/conversations/one/cancel", json!({})).await);
    assert_eq!(hello(&server, "another").await.status, 200);
}

#[tokio::test]
async fn new_conversations_are_counted_all_together() {
    let server = server(0, 1);
    assert_eq!(hello(&server, "one").await.status, 200);
    check_refused(&hello(&server, "another").await);
    assert_eq!(hello(&server, "one").await.status, 200);
}
