//! Models behind an endpoint: address and key, concurrency, timeouts, retries, and histories that are too long.

mod ends;
mod refusal;
mod secrets;

use crate::endpoint::{HttpEndpoint, key_header};
use crate::limits::MODEL_CALLS;
use crate::models::{Delta, Model, ModelError, ModelRequest};
use ask_user_question::Limits;
use axum::body::BodyDataStream;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
pub(super) use ends::{AnswerError, Retry, error_in, is_cut, judge, note};
use futures_util::stream::{BoxStream, Stream, iter, once, unfold};
use futures_util::{StreamExt as _, TryStreamExt as _};
use json_tree::parse;
use question_agent::message::{AssistantMessage, Message};
use refusal::EndpointRefusal;
pub(super) use refusal::RefusalKind;
use serde_json::{Value, json};
use std::error::Error;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

/// The system prompt by default.
const ROLE: &str = "You are a helpful agent.";

/// The timeout between two pieces of an answer, and before the first.
const SILENCE: Duration = Duration::from_secs(120);

/// The pause before the second attempt, if the endpoint asks for none; it doubles with each.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The timeout of an answer without new content, and that of an answer in all.
const IDLE: Duration = Duration::from_secs(600);
const LONGEST: Duration = Duration::from_secs(1800);

/// The timeout for what follows the end of an answer, such as its usage.
const AFTERWORD: Duration = Duration::from_secs(5);

/// The address of an endpoint, and the settings of its requests. `Debug` shows neither the key nor the headers, which may have one.
#[derive(Clone, Default)]
pub struct Settings {
    /// The URL, such as `https://api.openai.com/v1`. A query is kept, such as `?api-version=…` of Azure.
    pub base_url: String,
    /// The key, if it needs one.
    pub key: Option<String>,
    /// The header that has the key alone, such as `api-key`; `None` for the endpoint's usual one.
    pub key_header: Option<HeaderName>,
    /// Further headers.
    pub headers: HeaderMap,
    /// The hosts, beside this machine, that get key and headers over plain HTTP.
    pub plain_key_hosts: Vec<String>,
    /// The model's name.
    pub model: String,
    /// The system prompt. The guidance on questions follows it.
    pub system_prompt: Option<String>,
    /// The temperature; `None` for the endpoint's default.
    pub temperature: Option<f64>,
    /// The most tokens of an answer; `None` for the endpoint's limit.
    pub max_tokens: Option<u32>,
    /// The most tokens of thoughts, for endpoints that need a number.
    pub thinking: Option<u32>,
    /// True if the thoughts before calls go back to the endpoint.
    pub sends_reasoning: bool,
    /// The most requests at a time; further ones fail. `None` for [`MODEL_CALLS`].
    pub at_once: Option<NonZeroUsize>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { base_url, model, .. } = self;
        f.debug_struct("Settings").field("base_url", base_url).field("model", model).finish_non_exhaustive()
    }
}

impl Settings {
    /// The same with the model, URL and key of the environment variables of these names. Logs a warning if the vendor's own endpoint, which is
    /// at `own_url`, would get no key.
    ///
    /// # Errors
    /// A sentence with the variable that is missing.
    pub(super) fn in_env(
        self,
        [model, base_url, key_name]: [&str; 3],
        example: &str,
        own_url: &str,
    ) -> Result<Self, String> {
        let read = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let model = read(model).ok_or_else(|| format!("{model} must name the model, such as {example}"))?;
        let base_url = read(base_url).unwrap_or_else(|| own_url.to_owned());
        let key = read(key_name);
        // One of the further headers may have it.
        if key.is_none() && self.headers.is_empty() && host(&base_url) == host(own_url) {
            tracing::warn!("no {key_name}: {own_url} refuses every request without a key");
        }
        Ok(Self { base_url, key, model, ..self })
    }
}

/// A model behind an endpoint.
#[derive(Clone)]
pub(super) struct Remote {
    pub(super) settings: Arc<Settings>,
    endpoint: HttpEndpoint,
    pub(super) key: Option<Arc<str>>,
    /// The endpoint and the model, which alone get their own ids and thoughts back.
    pub(super) origin: Arc<str>,
    places: Arc<Semaphore>,
}

/// The API of an endpoint.
pub(super) trait Dialect: fmt::Debug + Clone + Send + Sync + 'static {
    /// The model with this API.
    fn remote(&self) -> &Remote;

    /// The body of a request, with the messages from the index `from` on.
    fn body(&self, request: &ModelRequest, from: usize) -> String;

    /// A reader for the answer.
    fn reader(&self, request: &ModelRequest) -> Box<dyn AnswerReader>;

    /// Leaves an optional part out of requests after a refusal of this kind. Returns false if there is none.
    fn asks_for_less(&self, kind: RefusalKind) -> bool {
        let _ = kind;
        false
    }
}

impl<D: Dialect> Model for D {
    fn name(&self) -> Option<&str> {
        Some("Assistant")
    }

    fn limits(&self) -> Limits {
        Limits::RUNTIME
    }

    fn respond(&self, request: ModelRequest) -> BoxStream<'static, Result<Delta, ModelError>> {
        self.remote().respond(self.clone(), request)
    }
}

/// An answer, as far as it has arrived.
pub(super) trait AnswerReader: Send {
    /// Reads bytes, and adds their deltas, with those before an error.
    fn feed(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<(), AnswerError>;

    /// Adds the deltas that are left at the end of the answer, or fails if it is none.
    fn finish(&mut self, deltas: &mut Vec<Delta>) -> Result<(), AnswerError>;

    /// Returns true if the endpoint has announced the end.
    fn is_whole(&self) -> bool;

    /// Returns true if no more can follow, though the connection stays open.
    fn is_done(&self) -> bool;

    /// Returns true if the last bytes had content.
    fn comes_on(&self) -> bool;
}

impl Remote {
    /// The model at this path behind its base URL, with its key in this header.
    ///
    /// # Errors
    /// A sentence, if the URL is invalid or would send a key over the network in the clear.
    pub(super) fn new(settings: Settings, path: &str, own_key_header: Option<&HeaderName>) -> Result<Self, String> {
        let (base, query) = settings.base_url.split_once('?').unwrap_or((&settings.base_url, ""));
        let base = base.trim_end_matches('/');
        let query = if query.is_empty() { String::new() } else { format!("?{query}") };
        let mut headers = settings.headers.clone();
        if let Some(key) = &settings.key {
            let (name, value) = key_header(key, settings.key_header.as_ref().or(own_key_header))?;
            headers.insert(name, value);
        }
        let calls = settings.at_once.unwrap_or(MODEL_CALLS).get().min(Semaphore::MAX_PERMITS);
        Ok(Self {
            endpoint: HttpEndpoint::new(&format!("{base}{path}{query}"), headers, &settings.plain_key_hosts)?,
            key: settings.key.as_deref().map(Arc::from),
            origin: format!("{base} {}", settings.model).into(),
            places: Arc::new(Semaphore::new(calls)),
            settings: Arc::new(settings),
        })
    }

    /// The same with a header that is not secret.
    pub(super) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.endpoint = self.endpoint.with_header(name, value);
        self
    }

    /// The system prompt, with guidance and the client's context.
    pub(super) fn system(&self, request: &ModelRequest) -> String {
        let prompt = self.settings.system_prompt.as_deref().map_or(ROLE, str::trim_end);
        let context = request.context.context_words();
        let parts = [prompt].into_iter().chain(request.guidance.as_deref()).chain(context.as_deref());
        parts.collect::<Vec<&str>>().join("\n\n")
    }

    /// The endpoint's own members of a message; `Null` for a message of another endpoint or model.
    pub(super) fn origin_of(&self, message: &AssistantMessage) -> Value {
        let origin = message.origin.as_ref().and_then(|origin| parse(origin.as_str()).ok());
        origin.filter(|origin| origin["from"] == *self.origin).unwrap_or_default()
    }

    /// Streams the answer to a request.
    pub(super) fn respond(
        &self,
        dialect: impl Dialect,
        request: ModelRequest,
    ) -> BoxStream<'static, Result<Delta, ModelError>> {
        let earlier = request.attempt.saturating_sub(1).min(8);
        let pause = FIRST_PAUSE * 2_u32.saturating_pow(earlier);
        let asked = self.clone().ask(dialect, request, pause);
        once(asked).map_ok(AnswerStream::deltas).try_flatten().boxed()
    }

    /// Sends a request and returns the answer once it begins. Cuts a history that is too long for the model until it fits.
    async fn ask(
        self,
        dialect: impl Dialect,
        request: ModelRequest,
        pause: Duration,
    ) -> Result<AnswerStream, ModelError> {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            tracing::warn!("model concurrency limit reached (--max-model-calls)");
            return Err(ModelError {
                reason: "The model is busy: too many ask it at once.".to_owned(),
                retry_after: Some(pause),
            });
        };
        let mut from = 0;
        let response = loop {
            let body = dialect.body(&request, from);
            let response = match timeout(SILENCE, self.endpoint.post(body)).await {
                Ok(Ok(response)) => response,
                Ok(Err(error)) => return Err(self.unreachable(&error, pause)),
                Err(silence) => return Err(self.unreachable(&silence, pause)),
            };
            if response.status() == StatusCode::OK {
                break response;
            }
            let refusal = EndpointRefusal::read(response, self.key.as_deref()).await;
            let shorter = (refusal.kind == RefusalKind::TooLong).then(|| shorter(&request.messages, from)).flatten();
            if let Some(shorter) = shorter {
                tracing::warn!(messages = shorter, "history cut: too long for the model");
                from = shorter;
            } else if !dialect.asks_for_less(refusal.kind) {
                let may_help = matches!(refusal.kind, RefusalKind::Passing | RefusalKind::BadCall);
                let retry_after = may_help.then(|| refusal.after.unwrap_or(pause));
                return Err(ModelError { reason: refusal.words(), retry_after });
            }
        };
        Ok(AnswerStream {
            body: response.into_body().into_data_stream(),
            reading: dialect.reader(&request),
            pause,
            is_first: request.attempt <= 1,
            idle_until: Instant::now() + IDLE,
            until: Instant::now() + LONGEST,
            _place: place,
        })
    }

    fn unreachable(&self, error: &(dyn Error + 'static), pause: Duration) -> ModelError {
        let causes = std::iter::successors(Some(error), |&error| error.source());
        let causes: Vec<String> = causes.map(ToString::to_string).collect();
        tracing::warn!(url = self.endpoint.public_url(), error = causes.join(": "), "model endpoint unreachable");
        ModelError { reason: "The model cannot be reached.".to_owned(), retry_after: Some(pause) }
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the key, which may also be in the query.
        let (url, model) = (self.endpoint.public_url(), &self.settings.model);
        f.debug_struct("Remote").field("url", &url).field("model", model).finish_non_exhaustive()
    }
}

/// An answer that arrives.
struct AnswerStream {
    body: BodyDataStream,
    reading: Box<dyn AnswerReader>,
    pause: Duration,
    is_first: bool,
    /// The deadline for new content, and that for the whole answer.
    idle_until: Instant,
    until: Instant,
    /// The permit of the request.
    _place: OwnedSemaphorePermit,
}

impl AnswerStream {
    fn deltas(self) -> impl Stream<Item = Result<Delta, ModelError>> {
        let read = unfold(Some(self), |answer| async move {
            let mut answer = answer?;
            let mut deltas = Vec::new();
            let goes_on = answer.read(&mut deltas).await;
            let error = goes_on.as_ref().err().cloned();
            let arrived = deltas.into_iter().map(Ok).chain(error.map(Err));
            Some((iter(arrived), goes_on.unwrap_or(false).then_some(answer)))
        });
        read.flatten()
    }

    /// Reads the next piece. Returns true if more may follow.
    async fn read(&mut self, deltas: &mut Vec<Delta>) -> Result<bool, ModelError> {
        let silence = if self.reading.is_whole() { AFTERWORD } else { SILENCE };
        let until = (Instant::now() + silence).min(self.idle_until).min(self.until);
        let arrived = timeout_at(until, self.body.next()).await;
        if let Ok(Some(Ok(bytes))) = arrived {
            self.reading.feed(&bytes, deltas).map_err(|error| self.error(error))?;
            if self.reading.comes_on() {
                self.idle_until = Instant::now() + IDLE;
            }
            if !self.reading.is_done() {
                return Ok(true);
            }
        } else if !self.reading.is_whole() {
            let reason = "The model's answer broke off.".to_owned();
            return Err(ModelError { reason, retry_after: Some(self.pause) });
        }
        self.reading.finish(deltas).map_err(|error| self.error(error))?;
        Ok(false)
    }

    fn error(&self, error: AnswerError) -> ModelError {
        let may_help = match error.retry {
            Retry::Never => false,
            Retry::Once => self.is_first,
            Retry::Always => true,
        };
        ModelError { reason: error.reason, retry_after: may_help.then_some(self.pause) }
    }
}

/// The host of a URL, in small letters.
fn host(url: &str) -> Option<String> {
    Some(url.parse::<Uri>().ok()?.host()?.to_ascii_lowercase())
}

/// The start of a shorter history: a message of the user's from which at most half of the bytes behind `from` are left, or else the last one.
/// `None` if there is none behind `from`.
fn shorter(messages: &[Message], from: usize) -> Option<usize> {
    let length = |messages: &[Message]| messages.iter().map(|message| json!(message).to_string().len()).sum::<usize>();
    let half = length(&messages[from..]) / 2;
    let is_turn = |at: &usize| matches!(&messages[*at], Message::User(user) if user.ask.is_none());
    let turns: Vec<usize> = (from + 1..messages.len()).filter(is_turn).collect();
    turns.iter().find(|turn| length(&messages[**turn..]) <= half).or(turns.last()).copied()
}
