//! The one place that fetches: requests whose responses are read while they arrive.

use crate::headers::{Headers, is_header_value};
use crate::json;
use ag_ui_stream::Message;
use gloo_net::http::{Request, RequestBuilder, Response};
use js_sys::{Uint8Array, encode_uri_component};
use leptos::prelude::set_timeout_with_handle;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, AbortSignal, ReadableStreamDefaultReader, ReadableStreamReadResult};

/// The type of a stream of events.
const EVENT_STREAM: &str = "text/event-stream";

/// The header that says from where a stream is to go on.
const LAST_EVENT_ID: &str = "Last-Event-ID";

/// How long the page's own server may take for a small file.
const OWN_PATIENCE: Duration = Duration::from_secs(20);

/// Where an agent is, and what it is told with each request.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    /// Absolute, or relative to the page.
    pub(crate) url: String,
    pub(crate) headers: Option<Headers>,
    /// How long the server may take to start its response, and how long it may be silent during it; `None` is without a limit.
    pub(crate) patience: Option<Patience>,
}

/// How long a server is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    pub(crate) answer: Duration,
    pub(crate) silence: Duration,
}

/// Why a request did not become a stream, or a stream ended early.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TransportError {
    /// The user stopped it.
    Aborted,
    /// The server could not be reached, took too long, or the connection broke. Browsers don't tell scripts more than that.
    Network,
    /// Somebody answered with something of this type, which is not what an agent answers, such as a page to sign in.
    NoStream {
        /// The content type.
        other: String,
    },
    /// The server answered with another status than 2xx.
    Status {
        /// The HTTP status.
        status: u16,
        /// What the body says.
        body: Box<ErrorBody>,
    },
}

impl TransportError {
    /// Whether it may or may not have arrived: nobody answered, or only a proxy did.
    pub(crate) fn is_lost(&self) -> bool {
        match self {
            Self::Aborted | Self::NoStream { .. } => false,
            Self::Network => true,
            Self::Status { status, body } => matches!(status, 502..=504) && body.message.is_none(),
        }
    }

    /// Whether the server has the conversation in another state than this page.
    pub(crate) fn is_conflict(&self) -> bool {
        matches!(self, Self::Status { status: 404 | 409, .. })
    }
}

/// The parts of an error's body.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ErrorBody {
    /// A sentence.
    pub(crate) message: Option<String>,
    /// The first 500 characters of a body without a sentence.
    pub(crate) start: String,
    /// The answer that was there first.
    pub(crate) winner: Option<Message>,
}

impl ErrorBody {
    /// What can be read of a text that may be anything.
    fn read(text: &str) -> Self {
        let body = json::parse(text);
        // Read as leniently as a stream is: the client that answered first may speak a newer version.
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
    /// What the server calls it, where that is no stream of events.
    other_type: Option<String>,
    reader: Option<ReadableStreamDefaultReader>,
    silence: Option<Duration>,
}

/// Ends a request at will, or when dropped by its owner's cleanup.
#[derive(Clone, Debug)]
pub(crate) struct Abort {
    controller: AbortController,
    /// It was not the user who ended it.
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

    /// Waits for something of the request's; after this long the request is given up.
    async fn within<T, E>(
        &self,
        most: Option<Duration>,
        something: impl Future<Output = Result<T, E>>,
    ) -> Result<T, TransportError> {
        let expire = {
            let abort = self.clone();
            move || {
                abort.expired.set(true);
                abort.abort();
            }
        };
        let timer = most.and_then(|most| set_timeout_with_handle(expire, most).ok());
        let done = something.await;
        if let Some(timer) = timer {
            timer.clear();
        }
        done.map_err(|_| self.error())
    }
}

impl Endpoint {
    /// Posts JSON to the agent.
    ///
    /// # Errors
    /// Where the server can't be reached, answers with an error status, or the request is aborted.
    pub(crate) async fn post(
        &self,
        path: Option<&str>,
        body: String,
        abort: &Abort,
    ) -> Result<ByteStream, TransportError> {
        let url = path.map_or_else(|| self.url.clone(), |path| self.beside(path));
        let request = self.request(Request::post(&url), EVENT_STREAM, abort).await;
        self.stream(request.header("Content-Type", "application/json").body(body), abort).await
    }

    /// Gets what stands at a path beside the agent, as text.
    ///
    /// # Errors
    /// As [`post`](Self::post).
    pub(crate) async fn text(&self, path: &str, abort: &Abort) -> Result<String, TransportError> {
        let request = self.request(Request::get(&self.beside(path)), "application/json", abort).await;
        let response = respond(request.build(), self.answer(), abort).await?;
        abort.within(self.answer(), response.text()).await
    }

    /// Gets the stream of events at a path beside the agent, from an event id on.
    ///
    /// # Errors
    /// As [`post`](Self::post).
    pub(crate) async fn events(
        &self,
        path: &str,
        last_id: Option<&str>,
        abort: &Abort,
    ) -> Result<ByteStream, TransportError> {
        let mut request = self.request(Request::get(&self.beside(path)), EVENT_STREAM, abort).await;
        if let Some(last_id) = last_id.filter(|id| is_header_value(id)) {
            request = request.header(LAST_EVENT_ID, last_id);
        }
        self.stream(request.build(), abort).await
    }

    async fn stream(
        &self,
        request: Result<Request, gloo_net::Error>,
        abort: &Abort,
    ) -> Result<ByteStream, TransportError> {
        let response = respond(request, self.answer(), abort).await?;
        let is_other = |it: &String| !it.to_ascii_lowercase().starts_with(EVENT_STREAM);
        Ok(ByteStream {
            other_type: response.headers().get("content-type").filter(is_other),
            reader: response.body().map(|body| body.get_reader().unchecked_into()),
            silence: self.patience.map(|patience| patience.silence),
        })
    }

    /// A request with what goes with each to this agent, for an answer of this type.
    async fn request(&self, request: RequestBuilder, accept: &str, abort: &Abort) -> RequestBuilder {
        let request = match &self.headers {
            Some(headers) => headers.put(request).await,
            None => request,
        };
        request.header("Accept", accept).abort_signal(Some(&abort.signal()))
    }

    fn answer(&self) -> Option<Duration> {
        self.patience.map(|patience| patience.answer)
    }

    /// The address of something in the agent's own folder.
    fn beside(&self, path: &str) -> String {
        let agent = self.url.split(['?', '#']).next().unwrap_or_default();
        let folder = agent.rfind('/').and_then(|end| agent.get(..=end)).unwrap_or_default();
        // The host of an address without a path is no file.
        let is_root = folder == "//" || folder.ends_with("://");
        [if is_root { agent } else { folder }, if is_root { "/" } else { "" }, path].concat()
    }
}

/// What comes back for a request, within this time.
async fn respond(
    request: Result<Request, gloo_net::Error>,
    patience: Option<Duration>,
    abort: &Abort,
) -> Result<Response, TransportError> {
    let response = abort.within(patience, async { request?.send().await }).await?;
    if response.ok() {
        return Ok(response);
    }
    let body = abort.within(patience, response.text()).await;
    Err(TransportError::Status {
        status: response.status(),
        body: Box::new(ErrorBody::read(&body.unwrap_or_default())),
    })
}

/// The text at an address of the page's own origin.
///
/// # Errors
/// Where its server can't be reached, or answers with an error status.
pub(crate) async fn own_text(url: &str) -> Result<String, TransportError> {
    let abort = Abort::new();
    let request = Request::get(url).abort_signal(Some(&abort.signal())).build();
    let response = respond(request, Some(OWN_PATIENCE), &abort).await?;
    abort.within(Some(OWN_PATIENCE), response.text()).await
}

/// The text at an address of the page's own origin, such as its words in a language. `None` if it can't be had just now. It is here since no other
/// crate fetches.
pub async fn text_beside_page(path: &str) -> Option<String> {
    own_text(path).await.ok()
}

/// The path of a conversation beside its agent, and of what belongs to it.
pub(crate) fn conversation_path(id: &str, rest: &str) -> String {
    let id = String::from(encode_uri_component(id));
    ["conversations/", &id, rest].concat()
}

impl ByteStream {
    /// Takes the response for an agent's. Where it is not called a stream of events, its first bytes have to be those of one; they come back.
    ///
    /// # Errors
    /// Where they are not, and as [`next_chunk`](Self::next_chunk).
    pub(crate) async fn check_events(&mut self, abort: &Abort) -> Result<Option<Vec<u8>>, TransportError> {
        let Some(other) = self.other_type.take() else {
            return Ok(None);
        };
        match self.next_chunk(abort).await? {
            Some(bytes) if begins_events(&bytes) => Ok(Some(bytes)),
            Some(_) | None => Err(TransportError::NoStream { other }),
        }
    }

    /// Takes the response for that of an endpoint.
    ///
    /// # Errors
    /// Where it is no JSON.
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
    /// Where the connection breaks, is silent for too long, or is aborted.
    pub(crate) async fn next_chunk(&mut self, abort: &Abort) -> Result<Option<Vec<u8>>, TransportError> {
        let Some(reader) = &self.reader else {
            return Ok(None);
        };
        let part = abort.within(self.silence, JsFuture::from(reader.read())).await?;
        let part: ReadableStreamReadResult = part.unchecked_into();
        let is_done = part.get_done().unwrap_or_default();
        Ok((!is_done).then(|| part.get_value().unchecked_into::<Uint8Array>().to_vec()))
    }
}

/// Whether a response that begins so is a stream of events, whatever it is called.
fn begins_events(bytes: &[u8]) -> bool {
    let begin = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    [&b"data:"[..], b"event:", b"id:", b"retry:", b":"]
        .iter()
        .any(|field| begin.starts_with(field) || field.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::Endpoint;

    #[test]
    fn what_is_beside_an_agent_is_at_its_own_host() {
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
            let endpoint = Endpoint { url: url.to_owned(), headers: None, patience: None };
            assert_eq!(endpoint.beside("x"), beside, "{url}");
        }
    }
}
