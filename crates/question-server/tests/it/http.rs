//! Requests to a server that is driven by hand, and what comes back.

use ag_ui_stream::conversation::Update;
use ag_ui_stream::event::EventType;
use ag_ui_stream::outcome::RunOutcome;
use ag_ui_stream::reader::End;
use ag_ui_stream::{Asks, Conversation, Event, Message};
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tower::ServiceExt as _;

/// The response to a request.
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

    /// The value of a header; empty if there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("it is text"))
    }

    /// Status and code of an error.
    pub(crate) fn refusal(&self) -> (u16, String) {
        let code = self.json()["code"].as_str().expect("errors have a code").to_owned();
        (self.status.as_u16(), code)
    }

    /// The events of the stream, each of them legal where it stands.
    pub(crate) fn events(&self) -> (Vec<Event>, End) {
        self.events_in(&mut Conversation::default())
    }

    /// Those of one kind.
    pub(crate) fn of_kind(&self, kind: EventType) -> Vec<Event> {
        self.events().0.into_iter().filter(|event| event.kind() == kind).collect()
    }

    /// The calls that the client is to answer, at the end of a run that went well.
    pub(crate) fn pending(&self) -> Vec<String> {
        match self.of_kind(EventType::RunFinished).pop().and_then(|end| end.outcome()) {
            Some(RunOutcome::Success { pending_tool_call_ids }) => pending_tool_call_ids,
            other => panic!("{other:?} is no success"),
        }
    }

    /// The same, as the next of a conversation.
    pub(crate) fn events_in(&self, conversation: &mut Conversation) -> (Vec<Event>, End) {
        assert_eq!(self.status, StatusCode::OK, "{:?}", self.body);
        assert_eq!(self.headers[header::CONTENT_TYPE], "text/event-stream");
        for chunk in self.body.chunks(7) {
            conversation.feed(chunk);
        }
        told(conversation)
    }
}

/// The events that a conversation was fed, each of them legal where it stands, and how they end.
#[track_caller]
pub(crate) fn told(conversation: &mut Conversation) -> (Vec<Event>, End) {
    conversation.finish();
    let mut events = Vec::new();
    while let Some(update) = conversation.next_update(0) {
        match update {
            Update::Event { event, .. } => events.push(event.into_owned()),
            Update::End(end) => return (events, end),
            Update::Thread(_) | Update::Ask(_) => {}
            odd => panic!("the server breaks the protocol: {odd:?}"),
        }
    }
    panic!("a response ends")
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

/// The same request with these headers.
pub(crate) fn with_headers(mut request: Request<Body>, headers: &[(&'static str, &str)]) -> Request<Body> {
    for (name, value) in headers {
        request.headers_mut().insert(*name, HeaderValue::from_str(value).expect("a header value"));
    }
    request
}

/// The same request with this bearer token.
pub(crate) fn by(token: &str, request: Request<Body>) -> Request<Body> {
    with_headers(request, &[("authorization", &format!("Bearer {token}"))])
}

pub(crate) async fn get_with(server: &Router, path: &str, headers: &[(&'static str, &str)]) -> Answer {
    call(server, with_headers(request(Method::GET, path, None), headers)).await
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

/// A conversation as a page has it that loads its messages.
pub(crate) fn loaded(messages: &Value) -> Conversation {
    let messages: Vec<Message> = serde_json::from_value(messages.clone()).expect("messages are AG-UI's");
    Conversation::new(Asks::default(), messages)
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
