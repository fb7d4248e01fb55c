//! Endpoints with Anthropic's Messages API, streaming.

mod request;
mod stream;

pub use super::remote::Settings;
use super::remote::{AnswerReader, Dialect, Remote};
use crate::models::ModelRequest;
use axum::http::{HeaderName, HeaderValue};
use std::sync::Arc;
use stream::AnthropicReader;

/// The environment variable with the endpoint, up to and without `/v1/messages`.
pub const BASE_URL: &str = "ANTHROPIC_BASE_URL";
/// The environment variable with the key, if the endpoint needs one.
pub const API_KEY: &str = "ANTHROPIC_API_KEY";
/// The environment variable with the model's name.
pub const MODEL: &str = "ANTHROPIC_MODEL";

const DEFAULT_BASE_URL: &str = "https://api.anthropic.com";

const KEY_HEADER: HeaderName = HeaderName::from_static("x-api-key");
const VERSION_HEADER: HeaderName = HeaderName::from_static("anthropic-version");
const VERSION: HeaderValue = HeaderValue::from_static("2023-06-01");

/// A model behind an endpoint. Tool calls stream as they arrive. Its signed thoughts go back to it with its calls.
#[derive(Clone, Debug)]
pub struct Anthropic {
    remote: Remote,
}

impl Anthropic {
    /// A model with these settings.
    ///
    /// # Errors
    /// A sentence, if the URL is invalid or would send a key over the network in the clear.
    pub fn with(settings: Settings) -> Result<Self, String> {
        Ok(Self {
            remote: Remote::new(settings, "/v1/messages", Some(&KEY_HEADER))?.with_header(VERSION_HEADER, VERSION),
        })
    }

    /// The model that the environment names: [`MODEL`], and optionally [`BASE_URL`] and [`API_KEY`]. The rest is taken from the settings.
    ///
    /// # Errors
    /// A sentence with the variable that is missing or wrong.
    pub fn from_env(settings: Settings) -> Result<Self, String> {
        Self::with(settings.in_env([MODEL, BASE_URL, API_KEY], "claude-sonnet-4-5", DEFAULT_BASE_URL)?)
    }
}

impl Dialect for Anthropic {
    fn remote(&self) -> &Remote {
        &self.remote
    }

    fn body(&self, request: &ModelRequest, from: usize) -> String {
        request::body(&self.remote, request, from)
    }

    fn reader(&self, _request: &ModelRequest) -> Box<dyn AnswerReader> {
        Box::new(AnthropicReader::new(self.remote.key.clone(), Arc::clone(&self.remote.origin)))
    }
}
