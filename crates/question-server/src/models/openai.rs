//! Any endpoint that speaks OpenAI's chat completions, streaming.

mod request;
mod stream;

use crate::models::{Delta, Model, ModelError, Request};
use ask_user_question::Limits;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use std::fmt;
use std::io::Read as _;
use std::time::Duration;
use stream::Reading;
use tokio::sync::mpsc;
use ureq::http::{HeaderMap, Response, StatusCode, Uri, header};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body};

/// The environment variable with the endpoint, up to and without `/chat/completions`.
pub const BASE_URL: &str = "OPENAI_BASE_URL";
/// The environment variable with the key, where the endpoint wants one.
pub const API_KEY: &str = "OPENAI_API_KEY";
/// The environment variable with the model's name.
pub const MODEL: &str = "OPENAI_MODEL";

const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";

/// How long an endpoint may be silent, before its answer and in it.
const SILENCE: Duration = Duration::from_secs(120);

/// The pause before the second attempt where the endpoint asks for none; it doubles with each.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The longest error that is read and told, in bytes.
const MAX_ERROR_BYTES: u64 = 4 << 10;

/// How many deltas may wait for the server.
const DELTAS_AHEAD: usize = 64;

/// A model behind an endpoint. Tool calls stream as they come; arguments that cannot be read are the state machine's to refuse.
#[derive(Clone)]
pub struct OpenAi {
    url: String,
    key: Option<String>,
    model: String,
    agent: Agent,
}

impl OpenAi {
    /// The model of that name behind a base URL such as `https://api.openai.com/v1`.
    ///
    /// # Errors
    /// A sentence where the URL is none, or would send a key over the network in the clear.
    pub fn new(base_url: &str, key: Option<String>, model: String) -> Result<Self, String> {
        let url = format!("{}/chat/completions", base_url.trim_end_matches('/'));
        let uri: Uri = url.parse().map_err(|_| format!("{base_url} is no URL"))?;
        let is_local = matches!(uri.host(), Some("localhost" | "127.0.0.1" | "[::1]"));
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if is_local || key.is_none() => {}
            Some("http") => {
                return Err(format!(
                    "{base_url} would get the key in the clear; use https"
                ));
            }
            Some(_) | None => return Err(format!("{base_url} is no http or https URL")),
        }
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would take the conversation to where nobody sent it.
            .max_redirects(0)
            .tls_config(TlsConfig::builder().root_certs(roots()).build())
            .timeout_connect(Some(SILENCE))
            .timeout_recv_response(Some(SILENCE))
            .timeout_per_read(Some(SILENCE));
        let config = if is_local { config.proxy(None) } else { config };
        let agent = config.build().new_agent();
        Ok(Self {
            url,
            key,
            model,
            agent,
        })
    }

    /// The model that the environment names: [`MODEL`], and perhaps [`BASE_URL`] and [`API_KEY`].
    ///
    /// # Errors
    /// A sentence that says which variable is missing or wrong.
    pub fn from_env() -> Result<Self, String> {
        let read = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let model = read(MODEL)
            .ok_or_else(|| format!("{MODEL} must name the model, such as gpt-4o-mini"))?;
        let base_url = read(BASE_URL);
        Self::new(
            base_url.as_deref().unwrap_or(DEFAULT_BASE_URL),
            read(API_KEY),
            model,
        )
    }

    fn post(&self, body: String) -> Result<Response<Body>, ureq::Error> {
        let mut post = self
            .agent
            .post(&self.url)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "text/event-stream");
        if let Some(key) = &self.key {
            post = post.header(header::AUTHORIZATION, format!("Bearer {key}"));
        }
        post.send(body)
    }

    /// Reads an answer to its end, or until nobody listens any more.
    fn answer(&self, attempt: u32, body: String, deltas: &mpsc::Sender<Result<Delta, ModelError>>) {
        let pause = FIRST_PAUSE * 2_u32.saturating_pow(attempt.saturating_sub(1).min(8));
        let read = match self.post(body) {
            Ok(response) if response.status() == StatusCode::OK => read(response, pause, |delta| {
                deltas.blocking_send(Ok(delta)).is_ok()
            }),
            Ok(response) => Err(refusal(response, pause)),
            Err(error) => Err(unreachable(&error, pause)),
        };
        if let Err(error) = read
            && deltas.blocking_send(Err(error)).is_err()
        {
            tracing::debug!("nobody waits for the model any more");
        }
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the key.
        f.debug_struct("OpenAi")
            .field("url", &self.url)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

impl Model for OpenAi {
    fn limits(&self) -> Limits {
        Limits::RUNTIME
    }

    fn respond(&self, request: Request) -> BoxStream<'static, Result<Delta, ModelError>> {
        let body = request::body(&self.model, &request);
        let (deltas, received) = mpsc::channel(DELTAS_AHEAD);
        let model = self.clone();
        let reading =
            tokio::task::spawn_blocking(move || model.answer(request.attempt, body, &deltas));
        let state = Some((received, reading));
        let answer = futures_util::stream::unfold(state, |state| async move {
            let (mut received, reading) = state?;
            match received.recv().await {
                Some(delta) => Some((delta, Some((received, reading)))),
                // What ends without a word is whole, unless reading it broke off.
                None => reading.await.err().map(|error| {
                    tracing::error!(%error, "reading the model's answer broke off");
                    (Err(broken_off(None)), None)
                }),
            }
        });
        answer.boxed()
    }
}

/// The certificates that this machine trusts, so that a company's own endpoint is reached too; Mozilla's where it names none.
fn roots() -> RootCerts {
    let found = rustls_native_certs::load_native_certs().certs;
    if found.is_empty() {
        return RootCerts::WebPki;
    }
    let certificates = found
        .iter()
        .map(|der| Certificate::from_der(der).to_owned());
    RootCerts::from(certificates)
}

/// Feeds what arrives to `take`, which says whether there is any use in going on.
fn read(
    response: Response<Body>,
    pause: Duration,
    mut take: impl FnMut(Delta) -> bool,
) -> Result<(), ModelError> {
    let mut body = response.into_body().into_reader();
    let mut reading = Reading::default();
    let mut chunk = [0; 8 << 10];
    loop {
        let length = match body.read(&mut chunk) {
            Ok(0) => {
                return if reading.is_whole() {
                    Ok(())
                } else {
                    Err(broken_off(Some(pause)))
                };
            }
            Ok(length) => length,
            Err(_) if reading.is_whole() => return Ok(()),
            Err(_) => return Err(broken_off(Some(pause))),
        };
        let mut deltas = Vec::new();
        let fed = reading.feed(&chunk[..length], &mut deltas);
        if !deltas.into_iter().all(&mut take) {
            return Ok(());
        }
        fed.map_err(|reason| ModelError {
            reason,
            retry_after: Some(pause),
        })?;
    }
}

fn broken_off(retry_after: Option<Duration>) -> ModelError {
    ModelError {
        reason: "The model's answer broke off.".to_owned(),
        retry_after,
    }
}

fn unreachable(error: &ureq::Error, pause: Duration) -> ModelError {
    tracing::warn!(%error, "the model cannot be reached");
    ModelError {
        reason: "The model cannot be reached.".to_owned(),
        retry_after: Some(pause),
    }
}

fn refusal(response: Response<Body>, pause: Duration) -> ModelError {
    let status = response.status();
    let asked = wait_in(response.headers());
    let mut text = String::new();
    let mut body = response.into_body().into_reader().take(MAX_ERROR_BYTES);
    if body.read_to_string(&mut text).is_err() {
        text.clear();
    }
    tracing::warn!(status = status.as_u16(), "the model's endpoint refused");
    let may_help = matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT
    ) || status.is_server_error();
    let reason = match status {
        // Endpoints quote parts of the key here.
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            "The model's endpoint refuses the key.".to_owned()
        }
        StatusCode::TOO_MANY_REQUESTS => "The model is asked too often.".to_owned(),
        _ => match stream::error_in(&text) {
            Some(why) => format!("The model's endpoint refuses ({}): {why}", status.as_u16()),
            None => format!("The model's endpoint refuses ({}).", status.as_u16()),
        },
    };
    ModelError {
        reason,
        retry_after: may_help.then(|| asked.unwrap_or(pause)),
    }
}

/// The seconds of `Retry-After`; a date there is left to the ordinary pause.
fn wait_in(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers
        .get(header::RETRY_AFTER)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()?;
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::{OpenAi, wait_in};
    use std::time::Duration;
    use ureq::http::{HeaderMap, HeaderValue, header};

    #[test]
    fn a_key_goes_only_where_nobody_listens_in() {
        let new = |url: &str| OpenAi::new(url, Some("sk-secret".to_owned()), "m".to_owned());
        for url in [
            "https://api.example/v1",
            "http://localhost:11434/v1/",
            "http://[::1]:1/v1",
        ] {
            let model = new(url).unwrap_or_else(|why| panic!("{url}: {why}"));
            assert!(!format!("{model:?}").contains("secret"));
        }
        for url in [
            "http://api.example/v1",
            "ftp://localhost",
            "api.example",
            "",
        ] {
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
