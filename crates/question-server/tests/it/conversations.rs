//! `/conversations/{id}` and what belongs to it.

use crate::house::server;
use crate::http::{get, post};
use crate::visitor::Visitor;
use axum::body::Body;
use axum::http::{Method, Request, header};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

#[tokio::test]
async fn a_waiting_conversation_is_described() {
    let server = server();
    let mut visitor = Visitor::new(&server, "v", "car");
    visitor.says("I need my car looked at").await;
    let described = get(&server, "/conversations/car").await.json();
    let (call, ask) = visitor.waiting();
    assert_eq!(described["state"]["type"], "awaiting_user_response");
    assert_eq!(described["state"]["toolCallId"], call);
    assert_eq!(
        described["pending"],
        json!([{"toolCallId": call, "questions": ask.questions}])
    );
    assert_eq!(described["messages"].as_array().map(Vec::len), Some(2));
    assert_eq!(described.get("runId"), None);
    assert!(
        described["lastEventId"]
            .as_str()
            .is_some_and(|id| id.contains('-'))
    );
    assert_eq!(
        get(&server, "/conversations/other").await.refusal(),
        (404, "not_found".to_owned())
    );
}

#[tokio::test]
async fn a_reply_by_rest_goes_the_same_way() {
    let server = server();
    let mut visitor = Visitor::new(&server, "v", "car");
    visitor.says("I need my car looked at").await;
    let (call, _) = visitor.waiting();
    let answers = json!({"Which service do you need?": "Brake service"});

    let wrong = post(
        &server,
        "/conversations/car/respond",
        json!({"answers": {"No such question?": "x"}}),
    )
    .await;
    assert_eq!(wrong.refusal(), (400, "invalid_reply".to_owned()));

    let body = json!({"answers": answers, "toolCallId": call, "replyId": "one"});
    assert_eq!(
        post(&server, "/conversations/car/respond", body.clone())
            .await
            .status,
        200
    );
    // Again: it has been taken. Another: it comes too late.
    assert_eq!(
        post(&server, "/conversations/car/respond", body)
            .await
            .status,
        200
    );
    let other = json!({"answers": answers, "toolCallId": call, "replyId": "two"});
    let late = post(&server, "/conversations/car/respond", other).await;
    assert_eq!(late.refusal(), (409, "already_answered".to_owned()));
    assert!(
        late.json()["winner"]["content"]
            .as_str()
            .is_some_and(|content| content.contains("Brake service"))
    );

    let next = until_waiting(&server, "car", "Standard or rush scheduling?").await;
    assert_ne!(next, call);
    assert_eq!(
        post(
            &server,
            "/conversations/car/respond",
            json!({"answers": {"Standard or rush scheduling?": "Rush"}})
        )
        .await
        .status,
        200
    );
    until_waiting(&server, "car", "Proceed with this estimate?").await;
}

#[tokio::test]
async fn cancelling_by_rest_ends_the_question_without_a_dangling_call() {
    let server = server();
    let mut visitor = Visitor::new(&server, "v", "car");
    visitor.says("I need my car looked at").await;
    let over = json!({"runId": "a run that is over"});
    let late = post(&server, "/conversations/car/cancel", over).await;
    assert_eq!(late.json()["state"]["type"], "awaiting_user_response");
    let cancelled = post(&server, "/conversations/car/cancel", json!({})).await;
    assert_eq!(cancelled.json(), json!({"state": {"type": "idle"}}));
    let described = get(&server, "/conversations/car").await.json();
    assert_eq!(described["pending"], json!([]));
    assert_eq!(
        described["messages"][2]["error"],
        "User cancelled the question"
    );
    assert_eq!(
        post(&server, "/conversations/car/cancel", json!({}))
            .await
            .refusal(),
        (409, "nothing_to_cancel".to_owned())
    );
    let late = post(
        &server,
        "/conversations/car/respond",
        json!({"answers": {"Which service do you need?": "Oil change"}}),
    )
    .await;
    assert_eq!(late.refusal(), (409, "not_waiting".to_owned()));
}

#[tokio::test]
async fn cancelling_with_proceed_lets_the_desk_go_on() {
    let server = server();
    let mut visitor = Visitor::new(&server, "v", "car");
    visitor.says("An oil change, please").await;
    post(
        &server,
        "/conversations/car/cancel",
        json!({"proceed": true}),
    )
    .await;
    until_waiting(&server, "car", "Proceed with this estimate?").await;
}

#[tokio::test]
async fn every_client_sees_the_state_and_what_happens_and_can_come_back() {
    let server = server();
    let mut visitor = Visitor::new(&server, "v", "car");
    visitor.says("I need my car looked at").await;
    let mut other = Watcher::open(&server, "car", None).await;
    let present = other.next().await;
    assert_eq!(present.event.as_deref(), Some("state_change"));
    assert_eq!(present.data["type"], "awaiting_user_response");
    assert_eq!(
        present.data["questions"][0]["question"],
        "Which service do you need?"
    );

    visitor.picks("Brake service").await;
    let seen = other
        .until(|frame| frame.data["type"] == "RUN_FINISHED")
        .await;
    let kinds: Vec<&str> = seen
        .iter()
        .filter_map(|frame| frame.data["type"].as_str())
        .collect();
    assert_eq!(kinds[..2], ["RUN_STARTED", "llm_requesting"]);
    assert_eq!(
        seen[0].data["input"]["messages"][1]["content"], "Brake service",
        "it learns what the other client said"
    );
    let waiting = seen
        .iter()
        .rfind(|frame| frame.event.is_some())
        .expect("states change");
    assert_eq!(
        waiting.data["questions"][0]["question"],
        "Standard or rush scheduling?"
    );

    // It comes back after the first frame and misses nothing.
    let mut back = Watcher::open(&server, "car", Some(&seen[0].id)).await;
    back.next().await;
    for frame in &seen[1..] {
        assert_eq!(back.next().await.id, frame.id);
    }
}

/// Waits for a state by the conversation's events.
pub(crate) async fn until_state(server: &axum::Router, id: &str, state: &str) {
    let mut watcher = Watcher::open(server, id, None).await;
    watcher
        .until(|frame| frame.event.is_some() && frame.data["type"] == *state)
        .await;
}

/// Waits for a question by the conversation's events.
async fn until_waiting(server: &axum::Router, id: &str, question: &str) -> String {
    let mut watcher = Watcher::open(server, id, None).await;
    let asks = |frame: &Frame| frame.data["questions"][0]["question"] == question;
    let seen = watcher.until(asks).await;
    let waiting = seen.last().expect("it asks");
    waiting.data["toolCallId"]
        .as_str()
        .expect("an ask has a call")
        .to_owned()
}

#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) event: Option<String>,
    pub(crate) id: String,
    pub(crate) data: Value,
}

/// A client of `/conversations/{id}/events`.
pub(crate) struct Watcher {
    body: axum::body::BodyDataStream,
    decoder: ag_ui_stream::sse::Decoder,
}

impl Watcher {
    pub(crate) async fn open(server: &axum::Router, id: &str, last_event_id: Option<&str>) -> Self {
        let mut request = Request::builder()
            .method(Method::GET)
            .uri(format!("/conversations/{id}/events"))
            .header(header::HOST, "localhost");
        if let Some(last) = last_event_id {
            request = request.header("last-event-id", last);
        }
        let request = request
            .body(Body::empty())
            .expect("the request is well formed");
        let response = server.clone().oneshot(request).await.expect("it answers");
        assert_eq!(response.status(), 200);
        Self {
            body: response.into_body().into_data_stream(),
            decoder: ag_ui_stream::sse::Decoder::default(),
        }
    }

    async fn next(&mut self) -> Frame {
        loop {
            if let Some(frame) = self.decoder.next_frame() {
                let frame = frame.expect("the server writes legal frames");
                return Frame {
                    event: Some(frame.event).filter(|event| event != "message"),
                    id: frame.id,
                    data: serde_json::from_str(&frame.data).expect("data is JSON"),
                };
            }
            let chunk = self
                .body
                .next()
                .await
                .expect("the stream goes on")
                .expect("the stream goes on");
            self.decoder.feed(&chunk);
        }
    }

    pub(crate) async fn until(&mut self, last: impl Fn(&Frame) -> bool) -> Vec<Frame> {
        let mut seen = Vec::new();
        loop {
            seen.push(self.next().await);
            if seen.last().is_some_and(&last) {
                return seen;
            }
        }
    }
}

#[tokio::test]
async fn a_client_that_has_missed_what_is_not_kept_gets_the_history() {
    let server = server();
    Visitor::new(&server, "alice", "car").says("hi").await;
    let seen = Watcher::open(&server, "car", None).await.next().await;
    let mut watcher = Watcher::open(&server, "car", Some("0123abcd-5")).await;
    assert_eq!(watcher.next().await.data["type"], "awaiting_user_response");
    let history = watcher.next().await;
    assert_eq!(history.data["type"], "MESSAGES_SNAPSHOT");
    assert_eq!(history.data["messages"].as_array().map(Vec::len), Some(2));
    assert!(!history.id.is_empty() && history.id != seen.id);
}
