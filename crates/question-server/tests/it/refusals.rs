//! Refused requests and their responses.

use crate::house::server;
use crate::http::{call, get, post, request, says, with_headers};
use axum::body::Body;
use axum::http::Method;
use question_server::limits::MAX_ID_BYTES;
use serde_json::json;

#[tokio::test]
async fn only_json_is_taken() {
    let server = server();
    for content_type in ["text/plain", "application/x-www-form-urlencoded", ""] {
        let hello = request(Method::POST, "/agent", Some(says("t", "u", "hi")));
        let answer = call(&server, with_headers(hello, &[("content-type", content_type)])).await;
        assert_eq!(answer.refusal(), (415, "unsupported_media_type".to_owned()), "{content_type}");
    }
}

#[tokio::test]
async fn what_is_no_input_is_refused_with_a_sentence() {
    let server = server();
    for body in [
        json!(null),
        json!([]),
        json!({}),
        json!({"threadId": 1, "runId": "r"}),
        json!({"threadId": "", "runId": "r"}),
        json!({"threadId": "t".repeat(MAX_ID_BYTES + 1), "runId": "r"}),
        json!({"threadId": "t\n", "runId": "r"}),
        json!({"threadId": "t", "runId": "r", "messages": [{"role": "user", "content": "no id"}]}),
    ] {
        let refused = post(&server, "/agent", body.clone()).await;
        assert_eq!(refused.refusal(), (400, "bad_request".to_owned()), "{body}");
        assert!(refused.json()["message"].as_str().is_some_and(|message| !message.is_empty()));
    }
    let mut broken = request(Method::POST, "/agent", Some(says("t", "u", "hi")));
    *broken.body_mut() = Body::from("{\"threadId\":");
    assert_eq!(call(&server, broken).await.refusal(), (400, "bad_request".to_owned()));
}

#[tokio::test]
async fn other_paths_and_methods() {
    let server = server();
    assert_eq!(get(&server, "/").await.refusal(), (404, "not_found".to_owned()));
    let long = format!("/conversations/{}", "x".repeat(300));
    for path in
        ["%ff", "%ff/events", "a%2Fb", "%00", "%0A"].map(|id| format!("/conversations/{id}")).iter().chain([&long])
    {
        let refused = get(&server, path).await.refusal();
        assert_eq!(refused, (404, "not_found".to_owned()), "{path}");
    }
    assert_eq!(get(&server, "/agent").await.refusal(), (405, "method_not_allowed".to_owned()));
    assert_eq!(get(&server, "/healthz").await.json(), json!({"status": "ok"}));
}
