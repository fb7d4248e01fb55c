//! One request to an endpoint and its response, behind the vendors' library.
//!
//! The exchange keeps the endpoint's address, key and headers, all timeouts and the bounds of a body. It also keeps the failures that the
//! library would lose: the reason of a refusal, a web page in place of an answer, a body that broke off. JSON in place of a stream is passed on
//! as events.

use crate::brackets::Brackets;
use crate::ends::{AnswerError, Failure};
use crate::error::SetupError;
use crate::http_client::{keep_secret, key_header, public_url, to_host_of};
use crate::refusal::EndpointRefusal;
use crate::settings::Settings;
use crate::vendor::Vendor;
use bytes::Bytes;
use futures_util::stream::unfold;
use http::uri::PathAndQuery;
use http::{HeaderMap, Request, Response, Uri, header};
use http_body_util::BodyExt as _;
use reqwest::{Body, Client};
use rig_core::http_client::{self, HttpClientExt, LazyBody, MultipartForm, StreamingResponse};
use serde_json::{Deserializer, Value};
use std::error::Error;
use std::fmt;
use std::future::{Future, ready};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// The timeout between two pieces of an answer, and before the first.
const SILENCE: Duration = Duration::from_secs(120);

/// The timeout of an answer without new content, and that of an answer in all.
const IDLE: Duration = Duration::from_secs(600);
const LONGEST: Duration = Duration::from_secs(1800);

/// The timeout for what follows the end of an answer, such as its usage.
const AFTERWORD: Duration = Duration::from_secs(5);

/// The most bytes in a row without content.
const MAX_IDLE_BYTES: usize = 1 << 20;

/// The longest answer that is read in one piece, in bytes.
const MAX_WHOLE_BYTES: usize = 4 << 20;

/// An address to which requests are posted.
#[derive(Clone)]
pub(crate) struct Endpoint {
    url: Uri,
    query: String,
    headers: HeaderMap,
    client: Client,
    pub(crate) key: Option<Arc<str>>,
}

impl Endpoint {
    /// The vendor's endpoint of these settings. Key and headers may be secret: over plain HTTP only private hosts get them.
    pub(crate) fn new(vendor: &Vendor, settings: &Settings) -> Result<Self, SetupError> {
        let (base, query) = settings.base_url.split_once('?').unwrap_or((&settings.base_url, ""));
        let url: Uri = base.parse().map_err(|_| SetupError::Url(base.to_owned()))?;
        let mut headers = settings.headers.clone();
        if let Some(key) = &settings.key {
            let (name, value) = key_header(key, settings.key_header.clone().or_else(|| vendor.key_header()))?;
            headers.insert(name, value);
        }
        keep_secret(&mut headers, &url)?;
        let client = to_host_of(&url)?;
        Ok(Self { url, query: query.to_owned(), headers, client, key: settings.key.as_deref().map(Arc::from) })
    }

    pub(crate) fn public_url(&self) -> String {
        public_url(&self.url)
    }

    /// The address of a request, with the query of the base URL and without a key.
    fn address(&self, url: Uri) -> Result<Uri, http::Error> {
        let name = |part: &str| part.split('=').next().unwrap_or_default().to_owned();
        let is_own = |part: &str| self.query.split('&').any(|own| name(own) == name(part));
        let theirs = url.query().unwrap_or_default().split('&').filter(|part| name(part) != "key" && !is_own(part));
        let all = theirs.chain(self.query.split('&')).filter(|part| !part.is_empty());
        let query = all.collect::<Vec<&str>>().join("&");
        let path = if query.is_empty() { url.path().to_owned() } else { format!("{}?{query}", url.path()) };
        let mut parts = url.into_parts();
        parts.path_and_query = Some(PathAndQuery::try_from(path)?);
        Ok(Uri::from_parts(parts)?)
    }
}

/// One request to an endpoint. Clones are the same request.
#[derive(Clone)]
pub(crate) struct Exchange {
    endpoint: Endpoint,
    /// The headers of this request alone.
    headers: HeaderMap,
    progress: Arc<Mutex<Progress>>,
}

struct Progress {
    failure: Option<Failure>,
    /// True if the response is JSON without events.
    is_whole_json: bool,
    /// True if the endpoint has said why its answer ends. It may leave the connection open behind that.
    is_announced: bool,
    /// The bytes since the last content, and its time.
    idle: usize,
    last_content: Instant,
}

impl Exchange {
    pub(crate) fn new(endpoint: Endpoint, headers: HeaderMap) -> Self {
        let progress = Progress {
            failure: None,
            is_whole_json: false,
            is_announced: false,
            idle: 0,
            last_content: Instant::now(),
        };
        Self { endpoint, headers, progress: Arc::new(Mutex::new(progress)) }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the answer has new content.
    pub(crate) fn has_content(&self) {
        let mut progress = self.progress();
        progress.idle = 0;
        progress.last_content = Instant::now();
    }

    /// Notes that the endpoint has said why its answer ends.
    pub(crate) fn has_end(&self) {
        self.progress().is_announced = true;
    }

    pub(crate) fn is_announced(&self) -> bool {
        self.progress().is_announced
    }

    pub(crate) fn take_failure(&self) -> Option<Failure> {
        self.progress().failure.take()
    }

    pub(crate) fn is_whole_json(&self) -> bool {
        self.progress().is_whole_json
    }

    /// Keeps the first failure, and returns an error that stands for it.
    pub(crate) fn fail(&self, failure: Failure) -> http_client::Error {
        self.progress().failure.get_or_insert(failure);
        http_client::Error::instance(KeptElsewhere)
    }

    async fn post(self, request: Request<Bytes>) -> Result<Response<Body>, http_client::Error> {
        let (mut parts, body) = request.into_parts();
        parts.uri = self.endpoint.address(parts.uri)?;
        for name in Vendor::key_headers() {
            parts.headers.remove(name);
        }
        let own = self.endpoint.headers.iter().chain(&self.headers);
        own.for_each(|(name, value)| drop(parts.headers.insert(name.clone(), value.clone())));
        let send = async {
            let request = reqwest::Request::try_from(Request::from_parts(parts, body))?;
            self.endpoint.client.execute(request).await
        };
        let response: Response<Body> = match timeout(SILENCE, send).await {
            Ok(Ok(response)) => response.into(),
            Ok(Err(error)) => return Err(self.fail(Failure::Unreachable(causes(&error.without_url())))),
            Err(silence) => return Err(self.fail(Failure::Unreachable(causes(&silence)))),
        };
        if !response.status().is_success() {
            return Err(self.fail(Failure::Refused(EndpointRefusal::read(response).await)));
        }
        Ok(response)
    }
}

impl HttpClientExt for Exchange {
    /// Never called: answers are streamed.
    fn send<T, U>(
        &self,
        _: Request<T>,
    ) -> impl Future<Output = http_client::Result<Response<LazyBody<U>>>> + Send + 'static
    where
        T: Into<Bytes> + Send,
        U: From<Bytes> + Send + 'static,
    {
        ready(Err(http_client::Error::instance(KeptElsewhere)))
    }

    /// Never called: no file is sent.
    fn send_multipart<U>(
        &self,
        _: Request<MultipartForm>,
    ) -> impl Future<Output = http_client::Result<Response<LazyBody<U>>>> + Send + 'static
    where
        U: From<Bytes> + Send + 'static,
    {
        ready(Err(http_client::Error::instance(KeptElsewhere)))
    }

    fn send_streaming<T>(
        &self,
        request: Request<T>,
    ) -> impl Future<Output = http_client::Result<StreamingResponse>> + Send
    where
        T: Into<Bytes> + Send,
    {
        let (exchange, request) = (self.clone(), request.map(Into::into));
        async move {
            let response = exchange.clone().post(request).await?;
            let arriving = ResponseBody {
                exchange,
                body: response.into_body(),
                kind: BodyKind::NotYetKnown,
                until: Instant::now() + LONGEST,
                last: None,
            };
            let pieces = unfold(Some(arriving), |arriving| async move {
                let mut arriving = arriving?;
                match arriving.next().await {
                    Ok(Some(bytes)) => Some((Ok(bytes), Some(arriving))),
                    Ok(None) => None,
                    Err(error) => Some((Err(arriving.exchange.fail(Failure::Answer(error))), None)),
                }
            });
            // Not every endpoint names the type of its stream.
            let response = Response::builder().header(header::CONTENT_TYPE, "text/event-stream");
            Ok(response.body(Box::pin(pieces) as _)?)
        }
    }
}

/// The kind of body, known by its first character.
enum BodyKind {
    NotYetKnown,
    /// The stream that was asked for.
    Stream,
    /// JSON, of which this has no end yet: some endpoints do not stream answers with tools, and some write no events but lines or a list.
    Whole(Vec<u8>, Brackets),
}

/// A body that arrives.
struct ResponseBody {
    exchange: Exchange,
    body: Body,
    kind: BodyKind,
    until: Instant,
    /// The last byte that is no white space.
    last: Option<u8>,
}

impl ResponseBody {
    /// The next piece; `None` at the end.
    async fn next(&mut self) -> Result<Option<Bytes>, AnswerError> {
        loop {
            let bytes = match self.piece().await {
                Some(bytes) => bytes,
                None if matches!(&self.kind, BodyKind::Whole(rest, _) if !rest.trim_ascii().is_empty()) => {
                    return Err(AnswerError::cut());
                }
                // The last event may lack the empty line that ends it.
                None if matches!(self.last.take(), Some(b'}' | b']')) => {
                    return Ok(Some(Bytes::from_static(b"\n\n")));
                }
                None => return Ok(None),
            };
            if let BodyKind::NotYetKnown = self.kind {
                match bytes.trim_ascii_start().first() {
                    None => continue,
                    Some(b'{' | b'[') => {
                        self.kind = BodyKind::Whole(Vec::new(), Brackets::default());
                        self.exchange.progress().is_whole_json = true;
                    }
                    Some(b'<') => {
                        let why = "The model's endpoint answers with a web page. Its address may be wrong.";
                        return Err(AnswerError::lasting(why));
                    }
                    Some(_) => self.kind = BodyKind::Stream,
                }
            }
            let BodyKind::Whole(whole, brackets) = &mut self.kind else {
                self.last = bytes.trim_ascii_end().last().copied().or(self.last);
                return Ok(Some(bytes));
            };
            whole.extend_from_slice(&bytes);
            brackets.feed(&bytes);
            if brackets.are_closed {
                let (events, end) = as_events(whole).ok_or_else(AnswerError::unreadable)?;
                whole.drain(..end);
                *brackets = Brackets::default();
                brackets.feed(whole);
                return Ok(Some(events));
            }
            if whole.len() > MAX_WHOLE_BYTES {
                return Err(AnswerError::unreadable());
            }
        }
    }

    /// The next bytes; `None` at the end of the body, after a failure or a timeout, or if too many bytes had no content.
    async fn piece(&mut self) -> Option<Bytes> {
        if self.exchange.progress().idle > MAX_IDLE_BYTES {
            self.exchange.fail(Failure::Answer(AnswerError::endless()));
            return None;
        }
        let (silence, last_content) = {
            let progress = self.exchange.progress();
            (if progress.is_announced { AFTERWORD } else { SILENCE }, progress.last_content)
        };
        let until = (Instant::now() + silence).min(last_content + IDLE).min(self.until);
        loop {
            let frame = timeout_at(until, self.body.frame()).await.ok()??.ok()?;
            if let Ok(bytes) = frame.into_data() {
                self.exchange.progress().idle += bytes.len();
                return Some(bytes);
            }
        }
    }
}

/// The complete JSON values in these bytes as events of a stream, and the offset behind them. The values are written without line breaks, which
/// would end their events.
fn as_events(bytes: &[u8]) -> Option<(Bytes, usize)> {
    let mut whole = Deserializer::from_slice(bytes).into_iter::<Value>();
    let mut events = String::new();
    for json in whole.by_ref().map_while(Result::ok) {
        let listed = if let Value::Array(listed) = json { listed } else { vec![json] };
        events.extend(listed.iter().map(|event| format!("data: {event}\n\n")));
    }
    (!events.is_empty()).then(|| (events.into(), whole.byte_offset()))
}

/// An error with its causes.
fn causes(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.map(ToString::to_string).collect::<Vec<String>>().join(": ")
}

/// Stands for a failure that the exchange keeps, so that nothing of it is logged elsewhere.
#[derive(Debug, thiserror::Error)]
#[error("the exchange failed")]
struct KeptElsewhere;

/// The address and its headers may have a key.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("url", &self.public_url()).finish_non_exhaustive()
    }
}
