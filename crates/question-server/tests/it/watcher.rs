//! Clients that watch a conversation.

use crate::http::{request, with_headers};
use ag_ui_stream::sse::Decoder;
use axum::Router;
use axum::body::{Body, BodyDataStream};
use axum::http::{Method, Request};
use futures_util::StreamExt as _;
use serde_json::Value;
use tower::ServiceExt as _;

/// Waits for a state by the conversation's events.
pub(crate) async fn until_state(server: &Router, id: &str, state: &str) {
    let mut watcher = Watcher::open(server, id, None).await;
    watcher.until(|frame| frame.event.is_some() && frame.data["type"] == *state).await;
}

/// Waits for a question by the conversation's events.
pub(crate) async fn until_waiting(server: &Router, id: &str, question: &str) -> String {
    let mut watcher = Watcher::open(server, id, None).await;
    let asks = |frame: &Frame| frame.data["questions"][0]["question"] == question;
    let seen = watcher.until(asks).await;
    let waiting = seen.last().expect("it asks");
    waiting.data["toolCallId"].as_str().expect("an ask has a call").to_owned()
}

#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) event: Option<String>,
    pub(crate) id: String,
    pub(crate) data: Value,
}

/// A client of `/conversations/{id}/events`.
pub(crate) struct Watcher {
    body: BodyDataStream,
    decoder: Decoder,
}

impl Watcher {
    /// Watches from an event on, or from now on.
    pub(crate) async fn open(server: &Router, id: &str, last_event_id: Option<&str>) -> Self {
        let request = request(Method::GET, &format!("/conversations/{id}/events"), None);
        let last: Vec<_> = last_event_id.map(|last| ("last-event-id", last)).into_iter().collect();
        Self::of(server, with_headers(request, &last)).await
    }

    /// Reads what is told for a request.
    pub(crate) async fn of(server: &Router, request: Request<Body>) -> Self {
        let response = server.clone().oneshot(request).await.expect("it answers");
        assert_eq!(response.status(), 200);
        Self { body: response.into_body().into_data_stream(), decoder: Decoder::default() }
    }

    /// The next frame.
    pub(crate) async fn next(&mut self) -> Frame {
        loop {
            if let Some(frame) = self.decoder.next_frame() {
                let frame = frame.expect("the server writes legal frames");
                return Frame {
                    event: Some(frame.event).filter(|event| event != "message"),
                    id: frame.id,
                    data: serde_json::from_str(&frame.data).expect("data is JSON"),
                };
            }
            let chunk = self.body.next().await.expect("the stream goes on").expect("the stream goes on");
            self.decoder.feed(&chunk);
        }
    }

    /// The end of the stream.
    #[cfg(all(unix, feature = "postgres"))]
    pub(crate) async fn end(mut self) {
        while let Some(chunk) = self.body.next().await {
            chunk.expect("it ends in order");
        }
    }

    /// Everything up to and with a frame.
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
