//! Requests to a server that is driven by hand, and what comes back.

use ag_ui_stream::Event;
use ag_ui_stream::reader::{End, EventReader};
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Method, Request, Response, StatusCode, header};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tower::ServiceExt as _;

/// What came back for a request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    /// A response with all of its body.
    pub(crate) async fn of(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        Self {
            status: parts.status,
            headers: parts.headers,
            body: to_bytes(body, usize::MAX).await.expect("the body ends"),
        }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }

    /// Status and code of an error.
    pub(crate) fn refusal(&self) -> (u16, String) {
        let code = self.json()["code"].as_str().expect("errors have a code").to_owned();
        (self.status.as_u16(), code)
    }

    /// The events of the stream, each of them legal where it stands.
    pub(crate) fn events(&self) -> (Vec<Event>, End) {
        assert_eq!(self.status, StatusCode::OK, "{:?}", self.body);
        assert_eq!(self.headers[header::CONTENT_TYPE], "text/event-stream");
        let mut reader = EventReader::new();
        let mut events = Vec::new();
        let mut take = |reader: &mut EventReader| {
            while let Some(event) = reader.next_event() {
                events.push(event.expect("the server keeps to the protocol"));
            }
        };
        for chunk in self.body.chunks(7) {
            reader.feed(chunk);
            take(&mut reader);
        }
        let end = reader.finish();
        take(&mut reader);
        assert!(reader.next_warning().is_none(), "the server keeps to the protocol");
        (events, end)
    }
}

pub(crate) async fn call(server: &Router, request: Request<Body>) -> Answer {
    let response = server.clone().oneshot(request).await.expect("the router answers everything");
    Answer::of(response).await
}

pub(crate) fn request(method: Method, path: &str, body: Option<Value>) -> Request<Body> {
    let request = Request::builder().method(method).uri(path).header(header::HOST, "127.0.0.1:8787");
    match body {
        Some(body) => request.header(header::CONTENT_TYPE, "application/json").body(body.to_string().into()),
        None => request.body(Body::empty()),
    }
    .expect("the request is well formed")
}

pub(crate) async fn get(server: &Router, path: &str) -> Answer {
    call(server, request(Method::GET, path, None)).await
}

pub(crate) async fn post(server: &Router, path: &str, body: Value) -> Answer {
    call(server, request(Method::POST, path, Some(body))).await
}

/// The same, to be waited for later.
pub(crate) fn start(server: &Router, path: &'static str, body: Value) -> JoinHandle<Answer> {
    let server = server.clone();
    tokio::spawn(async move { post(&server, path, body).await })
}

/// The messages of a conversation.
pub(crate) async fn messages(server: &Router, thread_id: &str) -> Vec<Value> {
    let described = get(server, &format!("/conversations/{thread_id}")).await;
    match described.json()["messages"].take() {
        Value::Array(messages) => messages,
        other => panic!("{other} are no messages"),
    }
}

/// The input of a run in which the user says this; the run is named after the message.
pub(crate) fn says(thread_id: &str, id: &str, text: &str) -> Value {
    run_with(thread_id, id, &json!({"id": id, "role": "user", "content": text}))
}

/// The input of a run with one message.
pub(crate) fn run_with(thread_id: &str, id: &str, message: &Value) -> Value {
    json!({"threadId": thread_id, "runId": format!("run-{id}"), "protocolVersion": "1.0", "messages": [message]})
}
