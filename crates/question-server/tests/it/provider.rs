//! An endpoint of chat completions on loopback that replays recorded streams.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response, header};
use axum::routing::post;
use futures_util::stream;
use serde_json::Value;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// One recorded answer.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<&'static str>,
    pub(crate) body: &'static str,
}

impl Recorded {
    pub(crate) fn stream(body: &'static str) -> Self {
        Self {
            status: 200,
            retry_after: None,
            body,
        }
    }
}

/// What was asked: the headers and the body.
pub(crate) type Asked = (HeaderMap, Value);

/// The endpoint. It gives one answer after the other, in pieces of a few bytes.
pub(crate) struct Provider {
    pub(crate) base_url: String,
    tape: Arc<Tape>,
    serving: JoinHandle<()>,
}

#[derive(Debug)]
struct Tape {
    answers: Mutex<VecDeque<Recorded>>,
    asked: Mutex<Vec<Asked>>,
}

impl Provider {
    pub(crate) async fn replaying(answers: impl IntoIterator<Item = Recorded>) -> Self {
        let tape = Arc::new(Tape {
            answers: Mutex::new(answers.into_iter().collect()),
            asked: Mutex::default(),
        });
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let router = Router::new()
            .route("/v1/chat/completions", post(answer))
            .with_state(Arc::clone(&tape));
        let serving =
            tokio::spawn(async move { axum::serve(listener, router).await.expect("it serves") });
        let base_url = format!("http://{address}/v1");
        Self {
            base_url,
            tape,
            serving,
        }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.tape
            .asked
            .lock()
            .expect("no test panics with it")
            .clone()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn answer(State(tape): State<Arc<Tape>>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let asked = serde_json::from_slice(&body).expect("a request is JSON");
    tape.asked
        .lock()
        .expect("no test panics with it")
        .push((headers, asked));
    let next = tape
        .answers
        .lock()
        .expect("no test panics with it")
        .pop_front();
    let recorded = next.expect("the model is not asked more often than the test says");
    let pieces = recorded
        .body
        .as_bytes()
        .chunks(11)
        .map(|piece| Ok::<_, Infallible>(Bytes::from_static(piece)));
    let mut response = Response::builder()
        .status(recorded.status)
        .header(header::CONTENT_TYPE, "text/event-stream");
    if let Some(seconds) = recorded.retry_after {
        response = response.header(header::RETRY_AFTER, seconds);
    }
    response
        .body(Body::from_stream(stream::iter(pieces)))
        .expect("the answer is well formed")
}
