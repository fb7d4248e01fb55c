//! Any endpoint that speaks OpenAI's chat completions, streaming.

mod refusal;
mod request;
mod secrets;
mod stream;

use crate::endpoint::{Endpoint, key_header};
use crate::limits::MODEL_CALLS;
use crate::models::{Delta, Model, ModelError, Request};
use ask_user_question::Limits;
use axum::body::BodyDataStream;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use futures_util::stream::{BoxStream, Stream, iter, once, unfold};
use futures_util::{StreamExt as _, TryStreamExt as _};
use refusal::{Kind, Refusal};
use std::error::Error;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use stream::{Again, Reading, Setting, Trouble};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

/// The environment variable with the endpoint, up to and without `/chat/completions`.
pub const BASE_URL: &str = "OPENAI_BASE_URL";
/// The environment variable with the key, where the endpoint wants one.
pub const API_KEY: &str = "OPENAI_API_KEY";
/// The environment variable with the model's name.
pub const MODEL: &str = "OPENAI_MODEL";

/// What the model is told that it is, where nothing else is given.
const ROLE: &str = "You are a helpful agent.";

const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";

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
    /// The header that has the key alone, such as `api-key`; `None` for `Authorization: Bearer KEY`.
    pub key_header: Option<HeaderName>,
    /// Further headers.
    pub headers: HeaderMap,
    /// The hosts that get key and headers over plain HTTP, beside this machine.
    pub plain_key_hosts: Vec<String>,
    /// The model's name.
    pub model: String,
    /// The number of tokens that an answer may have; `None` for the endpoint's own limit.
    pub max_tokens: Option<u32>,
    /// True if what a model thought before its calls goes back to its endpoint.
    pub sends_reasoning: bool,
}

/// A model behind an endpoint. Tool calls stream as they come; arguments that cannot be read are the state machine's to refuse.
#[derive(Clone)]
pub struct OpenAi {
    settings: Arc<Settings>,
    endpoint: Endpoint,
    key: Option<Arc<str>>,
    /// The endpoint and the model, which alone get back what they said of their calls.
    origin: Arc<str>,
    system_prompt: Arc<str>,
    temperature: Option<f64>,
    /// True if the endpoint is asked for its usage, which some refuse.
    usage: Arc<AtomicBool>,
    places: Arc<Semaphore>,
}

impl OpenAi {
    /// The model of that name behind a base URL such as `https://api.openai.com/v1`.
    ///
    /// # Errors
    /// A sentence where the URL is none, or would send a key over the network in the clear.
    pub fn new(base_url: &str, key: Option<String>, model: String) -> Result<Self, String> {
        Self::with(Settings { base_url: base_url.to_owned(), key, model, sends_reasoning: true, ..Settings::default() })
    }

    /// A model with all that can be said of it.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn with(settings: Settings) -> Result<Self, String> {
        let (base, query) = settings.base_url.split_once('?').unwrap_or((&settings.base_url, ""));
        let base = base.trim_end_matches('/');
        let query = if query.is_empty() { String::new() } else { format!("?{query}") };
        let mut headers = settings.headers.clone();
        if let Some(key) = &settings.key {
            let (name, value) = key_header(key, settings.key_header.as_ref())?;
            headers.insert(name, value);
        }
        let url = format!("{base}/chat/completions{query}");
        Ok(Self {
            endpoint: Endpoint::new(&url, headers, &settings.plain_key_hosts)?,
            key: settings.key.as_deref().map(Arc::from),
            origin: format!("{base} {}", settings.model).into(),
            system_prompt: Arc::from(ROLE),
            temperature: None,
            usage: Arc::new(AtomicBool::new(true)),
            places: Arc::new(Semaphore::new(MODEL_CALLS.get())),
            settings: Arc::new(settings),
        })
    }

    /// The model that the environment names: [`MODEL`], and perhaps [`BASE_URL`] and [`API_KEY`]. The rest is as these settings say.
    ///
    /// # Errors
    /// A sentence that says which variable is missing or wrong.
    pub fn from_env(settings: Settings) -> Result<Self, String> {
        let read = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let model = read(MODEL).ok_or_else(|| format!("{MODEL} must name the model, such as gpt-4o-mini"))?;
        let base_url = read(BASE_URL).unwrap_or_else(|| DEFAULT_BASE_URL.to_owned());
        Self::with(Settings { base_url, key: read(API_KEY), model, ..settings })
    }

    /// The same with a limit of requests at a time; for further ones it is busy.
    #[must_use]
    pub fn at_once(self, calls: NonZeroUsize) -> Self {
        Self { places: Arc::new(Semaphore::new(calls.get().min(Semaphore::MAX_PERMITS))), ..self }
    }

    /// The same, told what it is by this text. The guidance on asking well follows it.
    #[must_use]
    pub fn with_system_prompt(self, text: &str) -> Self {
        Self { system_prompt: Arc::from(text.trim_end()), ..self }
    }

    /// The same, at this temperature instead of the endpoint's own.
    #[must_use]
    pub fn at_temperature(self, temperature: f64) -> Self {
        Self { temperature: Some(temperature), ..self }
    }

    fn wants_usage(&self) -> bool {
        self.usage.load(Ordering::Relaxed)
    }

    /// OpenAI's own endpoints want the number of tokens under another name.
    fn takes_completion_tokens(&self) -> bool {
        [".openai.com/", ".azure.com/"].iter().any(|host| self.settings.base_url.contains(host))
    }

    /// Sends a request and gives the answer once it begins. A history that is too long for the model is cut until it fits.
    async fn ask(self, request: Request, pause: Duration) -> Result<Answer, ModelError> {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            tracing::warn!("model concurrency limit reached (--max-model-calls)");
            return Err(ModelError {
                reason: "The model is busy: too many ask it at once.".to_owned(),
                retry_after: Some(pause),
            });
        };
        let mut from = 0;
        let response = loop {
            let body = request::body(&self, &request, from);
            let response = match timeout(SILENCE, self.endpoint.post(body)).await {
                Ok(Ok(response)) => response,
                Ok(Err(error)) => return Err(unreachable(&error, pause)),
                Err(silence) => return Err(unreachable(&silence, pause)),
            };
            if response.status() == StatusCode::OK {
                break response;
            }
            let refusal = Refusal::read(response, self.key.as_deref()).await;
            let shorter = (refusal.kind == Kind::TooLong).then(|| request::shorter(&request.messages, from)).flatten();
            if let Some(shorter) = shorter {
                tracing::warn!(messages = shorter, "history cut: it is too long for the model");
                from = shorter;
            } else if refusal.kind != Kind::NoUsage || !self.usage.swap(false, Ordering::Relaxed) {
                let may_help = matches!(refusal.kind, Kind::Passing | Kind::BadCall);
                let retry_after = may_help.then(|| refusal.after.unwrap_or(pause));
                return Err(ModelError { reason: refusal.words(), retry_after });
            }
        };
        let tools = request.tools.iter().map(|tool| tool.name.clone()).collect();
        let setting = Setting { key: self.key, tools, origin: self.origin };
        Ok(Answer {
            body: response.into_body().into_data_stream(),
            reading: Reading::new(setting),
            pause,
            is_first: request.attempt <= 1,
            idle_until: Instant::now() + IDLE,
            until: Instant::now() + LONGEST,
            _place: place,
        })
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the key.
        let Settings { base_url, model, .. } = &*self.settings;
        f.debug_struct("OpenAi").field("base_url", base_url).field("model", model).finish_non_exhaustive()
    }
}

impl Model for OpenAi {
    fn name(&self) -> Option<&str> {
        Some("Assistant")
    }

    fn limits(&self) -> Limits {
        Limits::RUNTIME
    }

    fn respond(&self, request: Request) -> BoxStream<'static, Result<Delta, ModelError>> {
        let earlier = request.attempt.saturating_sub(1).min(8);
        let pause = FIRST_PAUSE * 2_u32.saturating_pow(earlier);
        let asked = self.clone().ask(request, pause);
        once(asked).map_ok(Answer::deltas).try_flatten().boxed()
    }
}

/// An answer that arrives.
struct Answer {
    body: BodyDataStream,
    reading: Reading,
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

#[cfg(test)]
mod tests {
    use super::{OpenAi, Settings};

    #[test]
    fn a_key_goes_only_where_nobody_listens_in() {
        let new = |url: &str| OpenAi::new(url, Some("sk-secret".to_owned()), "m".to_owned());
        for url in ["https://api.example/v1", "http://localhost:11434/v1/", "http://[::1]:1/v1"] {
            let model = new(url).unwrap_or_else(|why| panic!("{url}: {why}"));
            assert!(!format!("{model:?}").contains("secret"));
        }
        for url in ["http://api.example/v1", "ftp://localhost", "api.example", ""] {
            assert!(new(url).is_err(), "{url}");
        }
        let why = new("http://litellm:4000").expect_err("it is named to nobody");
        assert!(why.contains("--allow-plain-key litellm"), "{why}");
        let named = |url: &str| {
            let plain_key_hosts = vec!["litellm".to_owned()];
            OpenAi::with(Settings {
                base_url: url.to_owned(),
                key: Some("sk-secret".to_owned()),
                plain_key_hosts,
                ..Settings::default()
            })
        };
        named("http://litellm:4000").expect("the operator named it");
        named("http://litellm.example:4000").expect_err("that is another");
    }
}
