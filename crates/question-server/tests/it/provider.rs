//! An endpoint of chat completions on loopback that replays recorded streams.

use crate::script::take;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response, header};
use axum::routing::post;
use futures_util::{StreamExt as _, stream};
use question_models::{RemoteModel, Settings, Vendor};
use serde_json::Value;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// One recorded answer.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<String>,
    pub(crate) body: String,
    /// True if the answer neither ends there nor continues.
    pub(crate) is_silent: bool,
}

impl Recorded {
    pub(crate) fn stream(body: impl Into<String>) -> Self {
        Self { status: 200, retry_after: None, body: body.into(), is_silent: false }
    }

    /// Starts an answer and then stays silent.
    pub(crate) fn silent(body: &'static str) -> Self {
        Self { is_silent: true, ..Self::stream(body) }
    }
}

/// A model of this vendor.
pub(crate) fn model_of(vendor: &str, settings: Settings) -> RemoteModel {
    let vendor = Vendor::by_name(vendor).expect("it is in the list");
    RemoteModel::new(vendor, settings).expect("loopback may have the key")
}

/// A body of this length comes in longer pieces.
const MANY: usize = 64 << 10;

/// A request: its headers and body.
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
    /// A permit for each request that has come.
    arrived: Semaphore,
    /// A permit for each answer that was silent and that nobody waits for any more.
    left: Arc<Semaphore>,
}

impl Provider {
    pub(crate) async fn replaying(answers: impl IntoIterator<Item = Recorded>) -> Self {
        let tape = Arc::new(Tape {
            answers: Mutex::new(answers.into_iter().collect()),
            asked: Mutex::default(),
            arrived: Semaphore::new(0),
            left: Arc::new(Semaphore::new(0)),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let router = Router::new().route("/v1/chat/completions", post(answer)).with_state(Arc::clone(&tape));
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.expect("it serves") });
        let base_url = format!("http://{address}/v1");
        Self { base_url, tape, serving }
    }

    /// Until it is asked again.
    pub(crate) async fn is_asked(&self) {
        take(&self.tape.arrived).await;
    }

    /// Until the connection of a silent answer has been closed.
    pub(crate) async fn is_left(&self) {
        timeout(Duration::from_secs(20), take(&self.tape.left)).await.expect("nobody holds the connection");
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.tape.asked.lock().expect("no test panics with it").clone()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn answer(State(tape): State<Arc<Tape>>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let asked = serde_json::from_slice(&body).expect("a request is JSON");
    tape.asked.lock().expect("no test panics with it").push((headers, asked));
    tape.arrived.add_permits(1);
    let next = tape.answers.lock().expect("no test panics with it").pop_front();
    let recorded = next.expect("the model is not asked more often than the test says");
    let body = Bytes::from(recorded.body);
    let at_once = if body.len() < MANY { 11 } else { MANY };
    let pieces: Vec<_> = body.chunks(at_once).map(|piece| Ok::<_, Infallible>(body.slice_ref(piece))).collect();
    let mut response = Response::builder().status(recorded.status).header(header::CONTENT_TYPE, "text/event-stream");
    if let Some(seconds) = recorded.retry_after {
        response = response.header(header::RETRY_AFTER, seconds);
    }
    let left = recorded.is_silent.then(|| Left(Arc::clone(&tape.left)));
    let silence = stream::once(async move {
        if left.is_some() {
            std::future::pending::<()>().await;
        }
        drop(left);
        Ok(Bytes::new())
    });
    response.body(Body::from_stream(stream::iter(pieces).chain(silence))).expect("the answer is well formed")
}

/// Dropped with the connection of a silent answer.
struct Left(Arc<Semaphore>);

impl Drop for Left {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}
