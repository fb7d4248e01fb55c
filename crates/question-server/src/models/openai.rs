//! Any endpoint that speaks OpenAI's chat completions, streaming.

pub(crate) mod endpoint;
mod request;
mod secrets;
mod stream;

use crate::limits::MODEL_CALLS;
use crate::models::{Delta, Model, ModelError, Request};
use ask_user_question::Limits;
use axum::body::{Body, BodyDataStream};
use axum::http::{HeaderMap, Response, StatusCode, header};
use endpoint::Endpoint;
use futures_util::stream::{BoxStream, Stream, iter, once, unfold};
use futures_util::{StreamExt as _, TryStreamExt as _};
use std::error::Error;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use stream::Reading;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// The environment variable with the endpoint, up to and without `/chat/completions`.
pub const BASE_URL: &str = "OPENAI_BASE_URL";
/// The environment variable with the key, where the endpoint wants one.
pub const API_KEY: &str = "OPENAI_API_KEY";
/// The environment variable with the model's name.
pub const MODEL: &str = "OPENAI_MODEL";

/// What the model is told that it is, where nothing else is given.
const ROLE: &str = "You are a helpful agent.";

const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";

/// How long an endpoint may be silent, before its answer and in it.
const SILENCE: Duration = Duration::from_secs(120);

/// The pause before the second attempt where the endpoint asks for none; it doubles with each.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// How much of an error is read for the log, in bytes, and how long it is waited for.
const MAX_ERROR_BYTES: usize = 4 << 10;
const ERROR_PATIENCE: Duration = Duration::from_secs(5);

/// A model behind an endpoint. Tool calls stream as they come; arguments that cannot be read are the state machine's to refuse.
#[derive(Clone)]
pub struct OpenAi {
    base_url: String,
    endpoint: Endpoint,
    key: Option<Arc<str>>,
    model: String,
    system_prompt: Arc<str>,
    temperature: Option<f64>,
    places: Arc<Semaphore>,
}

impl OpenAi {
    /// The model of that name behind a base URL such as `https://api.openai.com/v1`.
    ///
    /// # Errors
    /// A sentence where the URL is none, or would send a key over the network in the clear.
    pub fn new(base_url: &str, key: Option<String>, model: String) -> Result<Self, String> {
        let url = format!("{}/chat/completions", base_url.trim_end_matches('/'));
        Ok(Self {
            endpoint: Endpoint::new(&url, key.as_deref())?,
            base_url: base_url.to_owned(),
            key: key.map(Arc::from),
            model,
            system_prompt: Arc::from(ROLE),
            temperature: None,
            places: Arc::new(Semaphore::new(MODEL_CALLS.get())),
        })
    }

    /// The model that the environment names: [`MODEL`], and perhaps [`BASE_URL`] and [`API_KEY`].
    ///
    /// # Errors
    /// A sentence that says which variable is missing or wrong.
    pub fn from_env() -> Result<Self, String> {
        let read = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let model = read(MODEL).ok_or_else(|| format!("{MODEL} must name the model, such as gpt-4o-mini"))?;
        let base_url = read(BASE_URL);
        Self::new(base_url.as_deref().unwrap_or(DEFAULT_BASE_URL), read(API_KEY), model)
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

    /// Sends a request and gives the answer once it begins.
    async fn ask(self, body: String, pause: Duration) -> Result<Answer, ModelError> {
        let Ok(place) = self.places.try_acquire_owned() else {
            tracing::warn!("as many ask the model as may");
            return Err(ModelError {
                reason: "The model is busy: too many ask it at once.".to_owned(),
                retry_after: Some(pause),
            });
        };
        let response = match timeout(SILENCE, self.endpoint.post(body)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(unreachable(&error, pause)),
            Err(silence) => return Err(unreachable(&silence, pause)),
        };
        if response.status() != StatusCode::OK {
            return Err(refusal(response, self.key.as_deref(), pause).await);
        }
        Ok(Answer {
            body: response.into_body().into_data_stream(),
            reading: Reading::new(self.key),
            pause,
            _place: place,
        })
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the key.
        f.debug_struct("OpenAi").field("base_url", &self.base_url).field("model", &self.model).finish_non_exhaustive()
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
        let body = request::body(self, &request);
        let earlier = request.attempt.saturating_sub(1).min(8);
        let pause = FIRST_PAUSE * 2_u32.saturating_pow(earlier);
        let asked = self.clone().ask(body, pause);
        once(asked).map_ok(Answer::deltas).try_flatten().boxed()
    }
}

/// An answer that arrives.
struct Answer {
    body: BodyDataStream,
    reading: Reading,
    pause: Duration,
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
        let retry_after = Some(self.pause);
        match timeout(SILENCE, self.body.next()).await {
            Ok(Some(Ok(bytes))) => {
                let fed = self.reading.feed(&bytes, deltas);
                fed.map(|()| true).map_err(|reason| ModelError { reason, retry_after })
            }
            Ok(None | Some(Err(_))) | Err(_) if self.reading.is_whole() => Ok(false),
            Ok(None | Some(Err(_))) | Err(_) => {
                Err(ModelError { reason: "The model's answer broke off.".to_owned(), retry_after })
            }
        }
    }
}

fn unreachable(error: &(dyn Error + 'static), pause: Duration) -> ModelError {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    tracing::warn!(error = causes.join(": "), "the model cannot be reached");
    ModelError { reason: "The model cannot be reached.".to_owned(), retry_after: Some(pause) }
}

/// What clients are told of a refusal. What the endpoint says of why is not theirs to read: it may quote the key or what others have written.
async fn refusal(response: Response<Body>, key: Option<&str>, pause: Duration) -> ModelError {
    let status = response.status();
    let asked = wait_in(response.headers());
    tracing::warn!(status = status.as_u16(), "the model's endpoint refused");
    if tracing::enabled!(tracing::Level::DEBUG) {
        let why = secrets::left_out(&beginning(response.into_body()).await, key);
        tracing::debug!(?why, "the model's endpoint says");
    }
    let may_help =
        matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT) || status.is_server_error();
    let code = status.as_u16();
    let reason = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "The model's endpoint refuses the key.".to_owned(),
        StatusCode::TOO_MANY_REQUESTS => "The model is asked too often.".to_owned(),
        _ if status.is_server_error() => format!("The model's endpoint failed ({code})."),
        _ => format!("The model's endpoint refuses ({code})."),
    };
    ModelError { reason, retry_after: may_help.then(|| asked.unwrap_or(pause)) }
}

/// The beginning of a body, as far as it comes soon.
async fn beginning(body: Body) -> String {
    let mut body = body.into_data_stream();
    let mut read = Vec::new();
    let reading = async {
        while read.len() < MAX_ERROR_BYTES
            && let Some(Ok(bytes)) = body.next().await
        {
            read.extend_from_slice(&bytes);
        }
    };
    // What has come by then will do.
    let _ = timeout(ERROR_PATIENCE, reading).await;
    read.truncate(MAX_ERROR_BYTES);
    String::from_utf8_lossy(&read).into_owned()
}

/// The seconds of `Retry-After`; a date there is left to the ordinary pause.
fn wait_in(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::{OpenAi, wait_in};
    use axum::http::{HeaderMap, HeaderValue, header};
    use std::time::Duration;

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
    }

    #[test]
    fn the_endpoint_says_how_long_to_wait() {
        let wait = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(value));
            wait_in(&headers)
        };
        assert_eq!(wait("7"), Some(Duration::from_secs(7)));
        assert_eq!(wait("Wed, 21 Oct 2026 07:28:00 GMT"), None);
        assert_eq!(wait("-1"), None);
        assert_eq!(wait_in(&HeaderMap::new()), None);
    }
}
