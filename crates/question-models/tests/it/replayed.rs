//! An endpoint on loopback that replays streams.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response, StatusCode, Uri, header};
use futures_util::stream;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// One response.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) status: StatusCode,
    pub(crate) body: String,
}

/// A request: its address, headers and body.
pub(crate) type Asked = (Uri, HeaderMap, String);

#[derive(Debug, Default)]
struct Tape {
    answers: Mutex<VecDeque<Recorded>>,
    asked: Mutex<Vec<Asked>>,
}

/// The endpoint. It gives one answer after the other, in pieces of a few bytes, and says that one should come back in seven seconds.
pub(crate) struct Endpoint {
    pub(crate) url: String,
    tape: Arc<Tape>,
    serving: JoinHandle<()>,
}

impl Endpoint {
    pub(crate) async fn replaying(answers: impl IntoIterator<Item = Recorded>) -> Self {
        let tape = Arc::new(Tape { answers: Mutex::new(answers.into_iter().collect()), asked: Mutex::default() });
        let mut endpoint = Self::serving(Router::new().fallback(answer).with_state(Arc::clone(&tape))).await;
        endpoint.tape = tape;
        endpoint
    }

    /// An endpoint that answers in its own way.
    pub(crate) async fn serving(router: Router) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("it is bound"));
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.expect("it serves") });
        Self { url, tape: Arc::default(), serving }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.tape.asked.lock().expect("no test panics with it").clone()
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// A body of this length comes in longer pieces.
const MANY: usize = 64 << 10;

async fn answer(State(tape): State<Arc<Tape>>, uri: Uri, headers: HeaderMap, body: String) -> Response<Body> {
    tape.asked.lock().expect("no test panics with it").push((uri, headers, body));
    let next = tape.answers.lock().expect("no test panics with it").pop_front();
    let recorded = next.expect("the model is not asked more often than the test says");
    let body = Bytes::from(recorded.body);
    let length = if body.len() < MANY { 11 } else { MANY };
    let pieces: Vec<_> = body.chunks(length).map(|piece| Ok::<_, Infallible>(body.slice_ref(piece))).collect();
    let response = Response::builder().status(recorded.status).header(header::RETRY_AFTER, "7");
    let response = response.header(header::CONTENT_TYPE, "text/event-stream");
    response.body(Body::from_stream(stream::iter(pieces))).expect("the answer is well formed")
}
