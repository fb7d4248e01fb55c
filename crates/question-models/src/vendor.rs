//! The vendors of models.

use http::HeaderName;
use http::header::AUTHORIZATION;
use rig_core::completion::ReplayTarget as _;
use rig_core::providers::openai::OpenAIConfig;
use rig_core::providers::openai::wire::{self, BodyRewrite, Dialect, OutputCap};
use std::fmt;

/// A vendor of models: its address, the names of its environment variables, and its wire format.
#[derive(PartialEq, Eq)]
pub struct Vendor {
    /// The name on the command line, such as `openai`.
    pub name: &'static str,
    /// The environment variable with the key.
    pub key_variable: &'static str,
    /// The environment variable with the URL of the endpoint, in place of [`url`](Self::url).
    pub url_variable: &'static str,
    /// The environment variable with the model's name, in place of [`model`](Self::model).
    pub model_variable: &'static str,
    /// The vendor's own endpoint; empty if each customer has one.
    pub url: &'static str,
    /// The model by default; empty if each customer names theirs.
    pub model: &'static str,
    /// The most bytes of a picture; 0 if the API takes none. Some vendors count them in base64, which is a third longer.
    pub largest_picture: usize,
    pub(crate) api: Api,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    /// Chat completions in the dialect of this name.
    Chat(&'static str),
    /// Anthropic's messages.
    Messages,
    /// Google's `generateContent`.
    Gemini,
}

/// All vendors.
#[must_use]
pub fn vendors() -> &'static [Vendor] {
    &VENDORS
}

/// The vendors, one a row: its name, the beginning of its variables and the end of that of the URL, and then the fields in their order.
macro_rules! vendors {
    ($($name:literal $prefix:literal $url_suffix:literal: $url:literal, $model:literal, $largest_picture:expr, $api:expr;)*) => {
        [$(Vendor {
            name: $name,
            key_variable: concat!($prefix, "_API_KEY"),
            url_variable: concat!($prefix, $url_suffix),
            model_variable: concat!($prefix, "_MODEL"),
            url: $url,
            model: $model,
            largest_picture: $largest_picture,
            api: $api,
        }),*]
    };
}

static VENDORS: [Vendor; 9] = vendors! {
    "openai" "OPENAI" "_BASE_URL": "https://api.openai.com/v1", "gpt-5.4-mini", 20 << 20, Api::Chat("openai");
    "anthropic" "ANTHROPIC" "_BASE_URL": "https://api.anthropic.com", "claude-sonnet-5-5", (5 << 20) / 4 * 3, Api::Messages;
    "gemini" "GEMINI" "_BASE_URL": "https://generativelanguage.googleapis.com", "gemini-3.8-flash", 14 << 20, Api::Gemini;
    "mistral" "MISTRAL" "_BASE_URL": "https://api.mistral.ai", "mistral-large-latest", 10 << 20, Api::Chat("mistral");
    "deepseek" "DEEPSEEK" "_BASE_URL": "https://api.deepseek.com", "deepseek-flash", 0, Api::Chat("deepseek");
    "groq" "GROQ" "_BASE_URL": "https://api.groq.com/openai/v1", "openai/gpt-oss-120b", 3 << 20, Api::Chat("groq");
    "openrouter" "OPENROUTER" "_BASE_URL": "https://openrouter.ai/api/v1", "openrouter/auto", (5 << 20) / 4 * 3, Api::Chat("openrouter");
    "azure" "AZURE" "_ENDPOINT": "", "", 20 << 20, Api::Chat("azure.openai");
    "ollama" "OLLAMA" "_BASE_URL": "http://localhost:11434/v1", "llama3.2", 20 << 20, Api::Chat("ollama");
};

impl fmt::Debug for Vendor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Vendor {
    /// The vendor of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        VENDORS.iter().find(|vendor| vendor.name == name)
    }

    /// Returns true if the model of this name sees pictures, as far as that is known: of names that the vendors' library does not list, most do.
    #[must_use]
    pub fn sees(&self, model: &str) -> bool {
        // What is behind the colon is a size or a plan, as in `llama3.2:3b`.
        let family = model.split(':').next().unwrap_or_default();
        let sees = |name: &str| match self.api {
            Api::Chat(dialect_name) => {
                let wire = OpenAIConfig::with_key(&dialect(dialect_name), "").chat(name);
                wire.accepts(name).user_images
            }
            Api::Messages | Api::Gemini => true,
        };
        self.largest_picture > 0 && sees(model) && sees(family)
    }

    /// Returns true if a picture of this type and size is taken.
    pub(crate) fn takes(&self, media_type: &str, bytes: usize) -> bool {
        bytes <= self.largest_picture && (self.api != Api::Gemini || media_type != "image/gif")
    }

    /// The header with the key alone; `None` if it is `Authorization: Bearer KEY`.
    pub(crate) fn key_header(&self) -> Option<HeaderName> {
        match self.api {
            Api::Messages => Some(HeaderName::from_static("x-api-key")),
            Api::Gemini => Some(HeaderName::from_static("x-goog-api-key")),
            Api::Chat("azure.openai") => Some(HeaderName::from_static("api-key")),
            Api::Chat(_) => None,
        }
    }

    /// The headers in which keys are sent to endpoints of any format.
    pub(crate) fn key_headers() -> [HeaderName; 4] {
        [
            AUTHORIZATION,
            HeaderName::from_static("x-api-key"),
            HeaderName::from_static("x-goog-api-key"),
            HeaderName::from_static("api-key"),
        ]
    }

    /// Returns true if the endpoint needs no key of its own.
    pub(crate) fn is_local(&self) -> bool {
        self.url.starts_with("http://localhost")
    }
}

/// The dialect of this name, with what compatible endpoints do as well.
pub(crate) fn dialect(name: &str) -> Dialect {
    let mut dialect = *wire::by_name(name).unwrap_or(&wire::OPENAI);
    dialect.quirks.done_without_finish_reason = true;
    dialect.quirks.native_finish_reason = true;
    if name == wire::AZURE.name {
        // Azure serves OpenAI's models.
        dialect.quirks.output_cap = OutputCap::OpenAiReasoningFamilies;
    }
    if dialect.quirks.rewrite == BodyRewrite::None {
        // Text as a string, since not every endpoint reads it in parts.
        dialect.quirks.rewrite = BodyRewrite::Perplexity;
    }
    dialect
}

/// The same dialect for a model that sees pictures although its name says otherwise. It has a name of its own, under which the library knows no
/// models.
pub(crate) fn seeing(mut dialect: Dialect) -> Dialect {
    dialect.name = "seeing";
    if dialect.quirks.rewrite == BodyRewrite::OpenRouter {
        // OpenRouter's rewrite would decide by the names of each vendor's models. Nothing else depends on the rewrite.
        dialect.quirks.rewrite = BodyRewrite::Perplexity;
    }
    dialect
}
