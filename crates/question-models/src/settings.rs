//! The settings of a model.

use crate::Vendor;
use crate::error::SetupError;
use http::{HeaderMap, HeaderName, Uri};
use std::fmt;
use std::num::NonZeroUsize;

/// The address of an endpoint, and the settings of its requests. `Debug` shows neither the key nor the headers, which may have one.
#[derive(Clone, Default)]
pub struct Settings {
    /// The URL, such as `https://api.openai.com/v1`; empty for the vendor's own. A query is kept, such as `?api-version=…` of Azure.
    pub base_url: String,
    /// The key, if it needs one.
    pub key: Option<String>,
    /// The header that has the key alone, such as `api-key`; `None` for the vendor's usual one.
    pub key_header: Option<HeaderName>,
    /// Further headers.
    pub headers: HeaderMap,
    /// The model's name; empty for the vendor's default.
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
    /// Whether the model sees pictures; `None` if [its name says](Vendor::sees) so.
    pub sees: Option<bool>,
    /// The most requests at a time; further ones fail. `None` for [`MODEL_CALLS`](crate::MODEL_CALLS).
    pub at_once: Option<NonZeroUsize>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { base_url, model, .. } = self;
        let base_url = base_url.split_once('?').map_or(base_url.as_str(), |(url, _)| url);
        f.debug_struct("Settings").field("base_url", &base_url).field("model", model).finish_non_exhaustive()
    }
}

impl Settings {
    /// The same with URL and key from the vendor's environment variables, and the model as well unless it is set. Logs a warning if the vendor's
    /// own endpoint would get no key.
    ///
    /// # Errors
    /// The variable that is missing.
    pub fn in_env(mut self, vendor: &Vendor) -> Result<Self, SetupError> {
        let read = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        if self.model.is_empty() {
            self.model = read(vendor.model_variable).unwrap_or_else(|| vendor.model.to_owned());
        }
        if self.model.is_empty() {
            return Err(SetupError::NoModel(vendor.model_variable));
        }
        self.base_url = read(vendor.url_variable).unwrap_or_else(|| vendor.url.to_owned());
        if self.base_url.is_empty() {
            return Err(SetupError::NoUrl(vendor.url_variable));
        }
        self.key = read(vendor.key_variable);
        // One of the other headers may have the key.
        let is_own = host(&self.base_url) == host(vendor.url) && !vendor.is_local();
        if self.key.is_none() && self.headers.is_empty() && is_own {
            tracing::warn!("no {}: {} refuses every request without a key", vendor.key_variable, vendor.url);
        }
        Ok(self)
    }
}

/// The host of a URL, in small letters.
fn host(url: &str) -> Option<String> {
    Some(url.parse::<Uri>().ok()?.host()?.to_ascii_lowercase())
}
