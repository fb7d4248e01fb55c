//! Endpoints with OpenAI's Chat Completions API, streaming.

mod request;
mod stream;

pub use super::remote::Settings;
use super::remote::{AnswerReader, Dialect, RefusalKind, Remote};
use crate::models::ModelRequest;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use stream::{OpenAiReader, ReaderContext};

/// The environment variable with the endpoint, up to and without `/chat/completions`.
pub const BASE_URL: &str = "OPENAI_BASE_URL";
/// The environment variable with the key, if the endpoint needs one.
pub const API_KEY: &str = "OPENAI_API_KEY";
/// The environment variable with the model's name.
pub const MODEL: &str = "OPENAI_MODEL";

const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";

/// A model behind an endpoint. Tool calls stream as they arrive; the state machine refuses arguments that cannot be read.
#[derive(Clone, Debug)]
pub struct OpenAi {
    remote: Remote,
    /// True if the endpoint is asked for its usage, which some refuse.
    asks_for_usage: Arc<AtomicBool>,
}

impl OpenAi {
    /// The model of that name behind a base URL such as `https://api.openai.com/v1`.
    ///
    /// # Errors
    /// A sentence, if the URL is invalid or would send a key over the network in the clear.
    pub fn new(base_url: &str, key: Option<String>, model: String) -> Result<Self, String> {
        Self::with(Settings { base_url: base_url.to_owned(), key, model, sends_reasoning: true, ..Settings::default() })
    }

    /// A model with these settings.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn with(settings: Settings) -> Result<Self, String> {
        let remote = Remote::new(settings, "/chat/completions", None)?;
        Ok(Self { remote, asks_for_usage: Arc::new(AtomicBool::new(true)) })
    }

    /// The model that the environment names: [`MODEL`], and optionally [`BASE_URL`] and [`API_KEY`]. The rest is taken from the settings.
    ///
    /// # Errors
    /// A sentence with the variable that is missing or wrong.
    pub fn from_env(settings: Settings) -> Result<Self, String> {
        Self::with(settings.in_env([MODEL, BASE_URL, API_KEY], "gpt-4o-mini", DEFAULT_BASE_URL)?)
    }
}

impl Dialect for OpenAi {
    fn remote(&self) -> &Remote {
        &self.remote
    }

    fn body(&self, request: &ModelRequest, from: usize) -> String {
        request::body(&self.remote, self.asks_for_usage.load(Ordering::Relaxed), request, from)
    }

    fn reader(&self, request: &ModelRequest) -> Box<dyn AnswerReader> {
        let tools = request.tools.iter().map(|tool| tool.name.clone()).collect();
        let Remote { key, origin, .. } = &self.remote;
        Box::new(OpenAiReader::new(ReaderContext { key: key.clone(), tools, origin: Arc::clone(origin) }))
    }

    fn asks_for_less(&self, kind: RefusalKind) -> bool {
        kind == RefusalKind::NoUsage && self.asks_for_usage.swap(false, Ordering::Relaxed)
    }
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
        let why = new("http://litellm:4000").expect_err("the operator named no host");
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
