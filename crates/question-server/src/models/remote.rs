//! Models behind an endpoint: the address and its key, requests at a time, silence, tries, and histories that are too long.

mod ends;
mod refusal;
mod secrets;

use crate::endpoint::{Endpoint, key_header};
use crate::limits::MODEL_CALLS;
use crate::models::{Delta, Model, ModelError, Request};
use ask_user_question::Limits;
use axum::body::BodyDataStream;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
pub(super) use ends::{Again, Trouble, error_in, is_cut, judge, note};
use futures_util::stream::{BoxStream, Stream, iter, once, unfold};
use futures_util::{StreamExt as _, TryStreamExt as _};
use question_agent::message::Message;
pub(super) use refusal::Kind;
use refusal::Refusal;
use serde_json::json;
use std::error::Error;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

/// What the model is told that it is, where nothing else is given.
const ROLE: &str = "You are a helpful agent.";

/// The time that an endpoint may be silent, before its answer and in it.
const SILENCE: Duration = Duration::from_secs(120);

/// The pause before the second attempt where the endpoint asks for none; it doubles with each.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The time that an answer may bring nothing of use, and the time that it may take in all.
const IDLE: Duration = Duration::from_secs(600);
const LONGEST: Duration = Duration::from_secs(1800);

/// The time that may pass until what follows the end of an answer, such as its usage.
const AFTERWORD: Duration = Duration::from_secs(5);

/// The address of an endpoint, and the way in which it is asked.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Its URL, such as `https://api.openai.com/v1`. Its query goes along, such as `?api-version=…` of Azure.
    pub base_url: String,
    /// The key, where it wants one.
    pub key: Option<String>,
    /// The header that has the key alone, such as `api-key`; `None` for the endpoint's usual one.
    pub key_header: Option<HeaderName>,
    /// Further headers.
    pub headers: HeaderMap,
    /// The hosts that get key and headers over plain HTTP, beside this machine.
    pub plain_key_hosts: Vec<String>,
    /// The model's name.
    pub model: String,
    /// What the model is told that it is. The guidance on asking well follows it.
    pub system_prompt: Option<String>,
    /// The temperature; `None` for the endpoint's own.
    pub temperature: Option<f64>,
    /// The number of tokens that an answer may have; `None` for the endpoint's own limit.
    pub max_tokens: Option<u32>,
    /// The number of tokens that a model may think with, if its endpoint has to be told.
    pub thinking: Option<u32>,
    /// True if what a model thought before its calls goes back to its endpoint.
    pub sends_reasoning: bool,
    /// The requests at a time; for further ones the model is busy. `None` for [`MODEL_CALLS`].
    pub at_once: Option<NonZeroUsize>,
}

impl Settings {
    /// The same with what the environment says: the model and perhaps the URL and the key, by these names.
    ///
    /// # Errors
    /// A sentence that says which variable is missing.
    pub(super) fn in_env(
        self,
        [model, base_url, key]: [&str; 3],
        example: &str,
        default_url: &str,
    ) -> Result<Self, String> {
        let read = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let model = read(model).ok_or_else(|| format!("{model} must name the model, such as {example}"))?;
        let base_url = read(base_url).unwrap_or_else(|| default_url.to_owned());
        Ok(Self { base_url, key: read(key), model, ..self })
    }
}

/// A model behind an endpoint.
#[derive(Clone)]
pub(super) struct Remote {
    pub(super) settings: Arc<Settings>,
    endpoint: Endpoint,
    key: Option<Arc<str>>,
    /// The endpoint and the model, which alone get back what they said of their calls.
    pub(super) origin: Arc<str>,
    places: Arc<Semaphore>,
}

/// The language of an endpoint.
pub(super) trait Dialect: fmt::Debug + Clone + Send + Sync + 'static {
    /// The model that speaks it.
    fn remote(&self) -> &Remote;

    /// The body of a request with the messages from that one on.
    fn body(&self, request: &Request, from: usize) -> String;

    /// Reads its answer.
    fn reader(&self, request: &Request) -> Box<dyn Reader>;

    /// Asks for less after a refusal of this kind; false if nothing can be left out.
    fn asks_for_less(&self, kind: Kind) -> bool {
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

    fn respond(&self, request: Request) -> BoxStream<'static, Result<Delta, ModelError>> {
        self.remote().respond(self.clone(), request)
    }
}

/// An answer, as far as it has arrived.
pub(super) trait Reader: Send {
    /// Takes bytes and gives what they bring, the deltas before an error too.
    fn feed(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<(), Trouble>;

    /// Gives what is left at the end of the answer, or why it is none.
    fn finish(&mut self, deltas: &mut Vec<Delta>) -> Result<(), Trouble>;

    /// Returns true if the endpoint has said that this is all.
    fn is_whole(&self) -> bool;

    /// Returns true if nothing more can come, though the connection stays.
    fn is_done(&self) -> bool;

    /// Returns true if anything of use came with the last bytes.
    fn comes_on(&self) -> bool;
}

impl Remote {
    /// The model at this path behind its base URL, which gets its key in this header.
    ///
    /// # Errors
    /// A sentence where the URL is none, or would send a key over the network in the clear.
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
            endpoint: Endpoint::new(&format!("{base}{path}{query}"), headers, &settings.plain_key_hosts)?,
            key: settings.key.as_deref().map(Arc::from),
            origin: format!("{base} {}", settings.model).into(),
            places: Arc::new(Semaphore::new(calls)),
            settings: Arc::new(settings),
        })
    }

    /// The same with a header that says nothing secret.
    pub(super) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.endpoint = self.endpoint.with_header(name, value);
        self
    }

    /// What the model is told before the history.
    pub(super) fn system(&self, request: &Request) -> String {
        let prompt = self.settings.system_prompt.as_deref().map_or(ROLE, str::trim_end);
        let context = request.context.context_words();
        let parts = [prompt].into_iter().chain(request.guidance.as_deref()).chain(context.as_deref());
        parts.collect::<Vec<&str>>().join("\n\n")
    }

    /// Goes on from a history.
    pub(super) fn respond(
        &self,
        dialect: impl Dialect,
        request: Request,
    ) -> BoxStream<'static, Result<Delta, ModelError>> {
        let earlier = request.attempt.saturating_sub(1).min(8);
        let pause = FIRST_PAUSE * 2_u32.saturating_pow(earlier);
        let asked = self.clone().ask(dialect, request, pause);
        once(asked).map_ok(Answer::deltas).try_flatten().boxed()
    }

    /// Sends a request and gives the answer once it begins. A history that is too long for the model is cut until it fits.
    async fn ask(self, dialect: impl Dialect, request: Request, pause: Duration) -> Result<Answer, ModelError> {
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
                Ok(Err(error)) => return Err(unreachable(&error, pause)),
                Err(silence) => return Err(unreachable(&silence, pause)),
            };
            if response.status() == StatusCode::OK {
                break response;
            }
            let refusal = Refusal::read(response, self.key.as_deref()).await;
            let shorter = (refusal.kind == Kind::TooLong).then(|| shorter(&request.messages, from)).flatten();
            if let Some(shorter) = shorter {
                tracing::warn!(messages = shorter, "history cut: it is too long for the model");
                from = shorter;
            } else if !dialect.asks_for_less(refusal.kind) {
                let may_help = matches!(refusal.kind, Kind::Passing | Kind::BadCall);
                let retry_after = may_help.then(|| refusal.after.unwrap_or(pause));
                return Err(ModelError { reason: refusal.words(), retry_after });
            }
        };
        Ok(Answer {
            body: response.into_body().into_data_stream(),
            reading: dialect.reader(&request),
            pause,
            is_first: request.attempt <= 1,
            idle_until: Instant::now() + IDLE,
            until: Instant::now() + LONGEST,
            _place: place,
        })
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the key.
        let Settings { base_url, model, .. } = &*self.settings;
        f.debug_struct("Remote").field("base_url", base_url).field("model", model).finish_non_exhaustive()
    }
}

/// An answer that arrives.
struct Answer {
    body: BodyDataStream,
    reading: Box<dyn Reader>,
    pause: Duration,
    is_first: bool,
    /// When it has brought nothing for too long, and when it has taken too long.
    idle_until: Instant,
    until: Instant,
    /// Among those who may ask at once.
    _place: OwnedSemaphorePermit,
}

impl Answer {
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

    /// Reads what comes next, and says whether anything may follow.
    async fn read(&mut self, deltas: &mut Vec<Delta>) -> Result<bool, ModelError> {
        let silence = if self.reading.is_whole() { AFTERWORD } else { SILENCE };
        let until = (Instant::now() + silence).min(self.idle_until).min(self.until);
        let arrived = timeout_at(until, self.body.next()).await;
        if let Ok(Some(Ok(bytes))) = arrived {
            self.reading.feed(&bytes, deltas).map_err(|trouble| self.error(trouble))?;
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
        self.reading.finish(deltas).map_err(|trouble| self.error(trouble))?;
        Ok(false)
    }

    fn error(&self, trouble: Trouble) -> ModelError {
        let may_help = match trouble.again {
            Again::Never => false,
            Again::Once => self.is_first,
            Again::Some => true,
        };
        ModelError { reason: trouble.reason, retry_after: may_help.then_some(self.pause) }
    }
}

fn unreachable(error: &(dyn Error + 'static), pause: Duration) -> ModelError {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    tracing::warn!(error = causes.join(": "), "model endpoint unreachable");
    ModelError { reason: "The model cannot be reached.".to_owned(), retry_after: Some(pause) }
}

/// Where a shorter history begins: at a turn of the user's, with at most half of what there is from `from` on, or with the last turn. `None` if that
/// is all there is.
fn shorter(messages: &[Message], from: usize) -> Option<usize> {
    let length = |messages: &[Message]| messages.iter().map(|message| json!(message).to_string().len()).sum::<usize>();
    let half = length(&messages[from..]) / 2;
    let is_turn = |at: &usize| matches!(&messages[*at], Message::User(user) if user.ask.is_none());
    let turns: Vec<usize> = (from + 1..messages.len()).filter(is_turn).collect();
    turns.iter().find(|turn| length(&messages[**turn..]) <= half).or(turns.last()).copied()
}
