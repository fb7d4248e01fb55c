//! The one place that fetches: requests with streamed responses, and the page's own transport for runs.

#[cfg(feature = "card")]
mod upload;

use crate::headers::{Headers, is_header_value};
use crate::ids::note_server_time;
use crate::json;
use ag_ui_stream::Message;
use futures_util::{Stream, StreamExt};
use gloo_net::http::{Request, RequestBuilder, Response};
use js_sys::{Promise, Uint8Array};
use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::set_timeout_with_handle;
use std::cell::Cell;
use std::fmt;
use std::mem;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, AbortSignal, ReadableStreamDefaultReader, ReadableStreamReadResult, RequestCredentials,
};

const EVENT_STREAM: &str = "text/event-stream";

/// The header with the event id from which a stream resumes.
const LAST_EVENT_ID: &str = "Last-Event-ID";

/// The timeout for small files of the page's own server.
const OWN_TIMEOUT: Duration = Duration::from_secs(20);

/// A way to an agent that a page brings in place of `fetch`, such as a WebSocket.
///
/// `examples/websocket.rs` has one.
pub trait Transport: Send + Sync {
    /// Sends the request of a run. The response need not end with the run: it is dropped when the run ends or the user stops it. An empty
    /// response counts as a request that was not sent.
    fn run(&self, request: RunRequest) -> RunResponse;
}

/// The request of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunRequest {
    /// The agent's address, as the page gave it.
    pub url: String,
    /// The `RunAgentInput`, as JSON.
    pub input: String,
}

/// The response to a run, part by part.
pub type RunResponse = Pin<Box<dyn Stream<Item = RunPart>>>;

/// A part of the response to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunPart {
    /// The next bytes of an event stream, cut anywhere.
    Bytes(Vec<u8>),
    /// An event, as JSON.
    Event(String),
}

/// A page's own transport. The function is a value, so that a page without one does not carry it.
#[derive(Clone)]
pub(crate) struct OwnTransport(Arc<dyn Fn(RunRequest, AbortSignal) -> Bytes + Send + Sync>);

type Bytes = Pin<Box<dyn Stream<Item = Vec<u8>>>>;

impl fmt::Debug for OwnTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnTransport")
    }
}

impl OwnTransport {
    pub(crate) fn new(transport: impl Transport + 'static) -> Self {
        Self(Arc::new(move |request, signal: AbortSignal| {
            let aborted = Promise::new(&mut |resolve, _| signal.set_onabort(Some(&resolve)));
            let bytes = transport.run(request).map(|part| match part {
                RunPart::Bytes(bytes) => bytes,
                RunPart::Event(event) => ["data: ", &event, "\n\n"].concat().into_bytes(),
            });
            Box::pin(bytes.take_until(JsFuture::from(aborted)))
        }))
    }
}

/// The address of an agent, and the settings of each request to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct AgentEndpoint {
    /// Absolute, or relative to the page.
    pub(crate) url: String,
    pub(crate) headers: Option<Headers>,
    /// The use of cookies; `None` for the browser's default.
    pub(crate) credentials: Option<RequestCredentials>,
    pub(crate) transport: Option<OwnTransport>,
    /// The timeouts of requests; `None` for no limit.
    pub(crate) timeouts: Option<TransportTimeouts>,
}

/// A request to an agent, or to a path beside it.
pub(crate) struct AgentRequest {
    pub(crate) endpoint: AgentEndpoint,
    /// `None` for the agent itself.
    pub(crate) path: Option<String>,
    pub(crate) body: String,
    pub(crate) abort: Abort,
}

/// The time until a response starts, and the longest silence within it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransportTimeouts {
    pub(crate) response: Duration,
    pub(crate) idle: Duration,
}

/// The reason for which a request has no stream, or a stream ended early.
#[derive(Clone, Debug)]
pub(crate) enum TransportError {
    /// The user aborted it.
    Aborted,
    /// The server is unreachable, a timeout passed, or the connection broke. Browsers do not say which.
    Network,
    /// The response has a content type that no agent uses, such as that of a sign-in page.
    NoStream {
        /// The content type, and how the body begins if it was read.
        other: String,
    },
    /// The response has another status than 2xx.
    Status {
        /// The HTTP status.
        status: u16,
        /// The body.
        body: Box<ErrorBody>,
    },
}

impl TransportError {
    /// Returns true if the request may or may not have arrived: there is no response, or only a proxy's.
    pub(crate) fn is_lost(&self) -> bool {
        match self {
            Self::Aborted | Self::NoStream { .. } => false,
            Self::Network => true,
            Self::Status { status, body } => matches!(status, 502..=504) && body.message.is_none(),
        }
    }

    /// Returns true if an equal request will be refused as well, unless something changes for the user, such as a sign-in.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, Self::Status { status: 400..=499, .. })
            && !matches!(self, Self::Status { status: 404 | 408 | 425 | 429, .. })
    }

    /// Returns true if the server has the conversation in another state than this page.
    pub(crate) fn is_conflict(&self) -> bool {
        matches!(self, Self::Status { status: 404 | 409, .. })
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ErrorBody {
    /// A sentence for the user.
    pub(crate) message: Option<String>,
    /// The first 500 characters of a body without a sentence.
    pub(crate) start: String,
    /// The answer that came first.
    pub(crate) winner: Option<Message>,
}

impl ErrorBody {
    fn read(text: &str) -> Self {
        let body = json::parse(text);
        // Read as leniently as a stream: the client that answered first may use a newer version.
        let winner = body.get("winner").map(ToString::to_string);
        let message = json::text(&body, "message").map(str::to_owned);
        Self {
            start: if message.is_none() { text.chars().take(500).collect() } else { String::new() },
            message,
            winner: winner.and_then(|winner| Some(Message::parse(&winner).ok()?.0)),
        }
    }
}

/// A response that is arriving.
pub(crate) struct ByteStream {
    /// The content type, unless it is that of an event stream.
    other_type: Option<String>,
    reader: Option<ReadableStreamDefaultReader>,
    /// The response of the page's own transport.
    own: Option<Bytes>,
    idle_timeout: Option<Duration>,
    abort: Abort,
}

#[derive(Clone, Debug)]
pub(crate) struct Abort {
    controller: AbortController,
    /// True if a timeout aborted it, and not the user.
    expired: Rc<Cell<bool>>,
}

impl Abort {
    pub(crate) fn new() -> Self {
        let controller = AbortController::new();
        Self {
            controller: controller.expect("every browser that runs WebAssembly has AbortController"),
            expired: Rc::default(),
        }
    }

    pub(crate) fn abort(&self) {
        self.controller.abort();
    }

    fn signal(&self) -> AbortSignal {
        self.controller.signal()
    }

    fn error(&self) -> TransportError {
        if self.signal().aborted() && !self.expired.get() { TransportError::Aborted } else { TransportError::Network }
    }

    /// Aborts the request after this time, unless the timer is dropped before.
    fn after(&self, most: Option<Duration>) -> AbortTimer {
        let abort = self.clone();
        let expire = move || {
            abort.expired.set(true);
            abort.abort();
        };
        AbortTimer(most.and_then(|most| set_timeout_with_handle(expire, most).ok()))
    }
}

struct AbortTimer(Option<TimeoutHandle>);

impl Drop for AbortTimer {
    fn drop(&mut self) {
        if let Some(timer) = self.0 {
            timer.clear();
        }
    }
}

impl AgentRequest {
    /// Posts the body as JSON.
    ///
    /// # Errors
    /// If the server is unreachable, if it responds with an error status, or if the request is aborted.
    pub(crate) async fn post(mut self) -> Result<ByteStream, TransportError> {
        let body = mem::take(&mut self.body);
        let request = self.build(Request::post(&self.url()), EVENT_STREAM).await;
        self.stream(request.header("Content-Type", "application/json").body(body)).await
    }

    /// The same, by the page's own transport if it has one.
    ///
    /// # Errors
    /// Those of [`post`](Self::post).
    pub(crate) async fn run(self) -> Result<ByteStream, TransportError> {
        let Some(OwnTransport(run)) = self.endpoint.transport.clone() else { return self.post().await };
        let own = run(RunRequest { url: self.endpoint.url, input: self.body }, self.abort.signal());
        Ok(ByteStream { other_type: None, reader: None, own: Some(own), idle_timeout: None, abort: self.abort })
    }

    /// Gets a text.
    ///
    /// # Errors
    /// Those of [`post`](Self::post).
    pub(crate) async fn text(self) -> Result<String, TransportError> {
        let request = self.build(Request::get(&self.url()), "application/json").await;
        let response = respond(request.build(), self.response_timeout(), &self.abort).await?;
        note_time(&response);
        read_text(&response, self.response_timeout(), &self.abort).await
    }

    /// Gets an event stream, from an event id on.
    ///
    /// # Errors
    /// Those of [`post`](Self::post).
    pub(crate) async fn events(self, last_id: Option<&str>) -> Result<ByteStream, TransportError> {
        let mut request = self.build(Request::get(&self.url()), EVENT_STREAM).await;
        if let Some(last_id) = last_id.filter(|id| is_header_value(id)) {
            request = request.header(LAST_EVENT_ID, last_id);
        }
        self.stream(request.build()).await
    }

    async fn stream(self, request: Result<Request, gloo_net::Error>) -> Result<ByteStream, TransportError> {
        let response = respond(request, self.response_timeout(), &self.abort).await?;
        note_time(&response);
        let is_other = |it: &String| !it.to_ascii_lowercase().starts_with(EVENT_STREAM);
        Ok(ByteStream {
            other_type: response.headers().get("content-type").filter(is_other),
            reader: response.body().map(|body| body.get_reader().unchecked_into()),
            own: None,
            idle_timeout: self.endpoint.timeouts.map(|timeouts| timeouts.idle),
            abort: self.abort,
        })
    }

    /// Adds the headers, the credentials and the abort signal. `accept` is the content type of the response.
    async fn build(&self, request: RequestBuilder, accept: &str) -> RequestBuilder {
        let request = match &self.endpoint.headers {
            Some(headers) => headers.put(request).await,
            None => request,
        };
        let request = match self.endpoint.credentials {
            Some(credentials) => request.credentials(credentials),
            None => request,
        };
        request.header("Accept", accept).abort_signal(Some(&self.abort.signal()))
    }

    fn response_timeout(&self) -> Option<Duration> {
        self.endpoint.timeouts.map(|timeouts| timeouts.response)
    }

    fn url(&self) -> String {
        self.path.as_deref().map_or_else(|| self.endpoint.url.clone(), |path| self.endpoint.beside(path))
    }
}

impl AgentEndpoint {
    /// The address of a path in the agent's own folder.
    fn beside(&self, path: &str) -> String {
        let agent = self.url.split(['?', '#']).next().unwrap_or_default();
        let folder = agent.rfind('/').and_then(|end| agent.get(..=end)).unwrap_or_default();
        // In a URL without a path, the last slash is the one before the host.
        let is_root = folder == "//" || folder.ends_with("://");
        [if is_root { agent } else { folder }, if is_root { "/" } else { "" }, path].concat()
    }
}

/// Sends a request and returns its response, within this time for head and body each.
async fn respond(
    request: Result<Request, gloo_net::Error>,
    timeout: Option<Duration>,
    abort: &Abort,
) -> Result<Response, TransportError> {
    let request = request.map_err(|_| abort.error())?;
    let timer = abort.after(timeout);
    let response = request.send().await.map_err(|_| abort.error())?;
    drop(timer);
    if response.ok() {
        return Ok(response);
    }
    let body = read_text(&response, timeout, abort).await;
    Err(TransportError::Status {
        status: response.status(),
        body: Box::new(ErrorBody::read(&body.unwrap_or_default())),
    })
}

/// Reads the text of a response, within this time.
async fn read_text(response: &Response, timeout: Option<Duration>, abort: &Abort) -> Result<String, TransportError> {
    let _timer = abort.after(timeout);
    response.text().await.map_err(|_| abort.error())
}

/// Updates the server's clock from a response. Files beside the page do not count, since a cache may serve them with an old `Date`.
fn note_time(response: &Response) {
    if let Some(date) = response.headers().get("date") {
        note_server_time(&date);
    }
}

/// Gets the text at an address of the page's own origin.
///
/// # Errors
/// If its server is unreachable, or responds with an error status.
pub(crate) async fn own_text(url: &str) -> Result<String, TransportError> {
    let abort = Abort::new();
    let request = Request::get(url).abort_signal(Some(&abort.signal())).build();
    let response = respond(request, Some(OWN_TIMEOUT), &abort).await?;
    read_text(&response, Some(OWN_TIMEOUT), &abort).await
}

/// Gets the text at an address of the page's own origin, such as the card's words in a language. Returns `None` if it can't be loaded now.
/// It is public because no other crate fetches.
pub async fn text_beside_page(path: &str) -> Option<String> {
    own_text(path).await.ok()
}

impl ByteStream {
    /// Returns true for the response of the page's own transport.
    pub(crate) fn is_own(&self) -> bool {
        self.own.is_some()
    }

    /// Checks that the response is an event stream. Without that content type, its first bytes have to be those of one, and are returned.
    ///
    /// # Errors
    /// If they are not, and those of [`next_chunk`](Self::next_chunk).
    pub(crate) async fn check_events(&mut self) -> Result<Option<Vec<u8>>, TransportError> {
        if self.own.is_some() {
            // Without an answer, nothing is known to have arrived.
            return self.next_chunk().await?.map_or(Err(TransportError::Network), |first| Ok(Some(first)));
        }
        let Some(other) = self.other_type.take() else {
            return Ok(None);
        };
        match self.next_chunk().await? {
            Some(bytes) if is_event_stream(&bytes) => Ok(Some(bytes)),
            Some(bytes) => Err(TransportError::NoStream { other: format!("{other} ({})", first_line(&bytes)) }),
            None => Err(TransportError::NoStream { other }),
        }
    }

    /// Checks that the response is an endpoint's.
    ///
    /// # Errors
    /// If it is no JSON.
    pub(crate) fn check_json(self) -> Result<(), TransportError> {
        match self.other_type {
            Some(other) if !other.to_ascii_lowercase().starts_with("application/json") => {
                Err(TransportError::NoStream { other })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The next chunk; `None` at the end.
    ///
    /// # Errors
    /// If the connection breaks, is silent for too long, or is aborted.
    pub(crate) async fn next_chunk(&mut self) -> Result<Option<Vec<u8>>, TransportError> {
        let abort = &self.abort;
        if let Some(own) = &mut self.own {
            return match own.next().await {
                None if abort.signal().aborted() => Err(TransportError::Aborted),
                next => Ok(next),
            };
        }
        let Some(reader) = &self.reader else {
            return Ok(None);
        };
        let _timer = abort.after(self.idle_timeout);
        let part = JsFuture::from(reader.read()).await.map_err(|_| abort.error())?;
        let part: ReadableStreamReadResult = part.unchecked_into();
        let is_done = part.get_done().unwrap_or_default();
        Ok((!is_done).then(|| part.get_value().unchecked_into::<Uint8Array>().to_vec()))
    }
}

/// The first line of a text, or its beginning.
pub(crate) fn first_line(bytes: &[u8]) -> String {
    const MOST: usize = 200;
    let start = String::from_utf8_lossy(bytes.get(..MOST).unwrap_or(bytes));
    start.trim_start().lines().next().unwrap_or_default().to_owned()
}

/// Returns true if a response with this beginning is an event stream, even with another content type.
fn is_event_stream(bytes: &[u8]) -> bool {
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    [&b"data:"[..], b"event:", b"id:", b"retry:", b":"]
        .iter()
        .any(|field| start.starts_with(field) || field.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::AgentEndpoint;

    #[test]
    fn a_path_beside_an_agent_is_at_its_own_host() {
        for (url, beside) in [
            ("/agent", "/x"),
            ("agent", "x"),
            ("/api/agent?key=a/b#c/d", "/api/x"),
            ("https://agent.example", "https://agent.example/x"),
            ("https://agent.example?key=a/b", "https://agent.example/x"),
            ("https://agent.example/", "https://agent.example/x"),
            ("https://agent.example/api/run", "https://agent.example/api/x"),
            ("//agent.example", "//agent.example/x"),
        ] {
            let endpoint = AgentEndpoint { url: url.to_owned(), ..AgentEndpoint::default() };
            assert_eq!(endpoint.beside("x"), beside, "{url}");
        }
    }
}
