//! The vendors of models.

use http::HeaderName;
use http::header::AUTHORIZATION;
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
    pub(crate) api: Api,
}

/// A wire format.
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

static VENDORS: [Vendor; 9] = [
    Vendor {
        name: "openai",
        key_variable: "OPENAI_API_KEY",
        url_variable: "OPENAI_BASE_URL",
        model_variable: "OPENAI_MODEL",
        url: "https://api.openai.com/v1",
        model: "gpt-5.4-mini",
        api: Api::Chat("openai"),
    },
    Vendor {
        name: "anthropic",
        key_variable: "ANTHROPIC_API_KEY",
        url_variable: "ANTHROPIC_BASE_URL",
        model_variable: "ANTHROPIC_MODEL",
        url: "https://api.anthropic.com",
        model: "claude-sonnet-5-5",
        api: Api::Messages,
    },
    Vendor {
        name: "gemini",
        key_variable: "GEMINI_API_KEY",
        url_variable: "GEMINI_BASE_URL",
        model_variable: "GEMINI_MODEL",
        url: "https://generativelanguage.googleapis.com",
        model: "gemini-3.8-flash",
        api: Api::Gemini,
    },
    Vendor {
        name: "mistral",
        key_variable: "MISTRAL_API_KEY",
        url_variable: "MISTRAL_BASE_URL",
        model_variable: "MISTRAL_MODEL",
        url: "https://api.mistral.ai",
        model: "mistral-large-latest",
        api: Api::Chat("mistral"),
    },
    Vendor {
        name: "deepseek",
        key_variable: "DEEPSEEK_API_KEY",
        url_variable: "DEEPSEEK_BASE_URL",
        model_variable: "DEEPSEEK_MODEL",
        url: "https://api.deepseek.com",
        model: "deepseek-flash",
        api: Api::Chat("deepseek"),
    },
    Vendor {
        name: "groq",
        key_variable: "GROQ_API_KEY",
        url_variable: "GROQ_BASE_URL",
        model_variable: "GROQ_MODEL",
        url: "https://api.groq.com/openai/v1",
        model: "openai/gpt-oss-120b",
        api: Api::Chat("groq"),
    },
    Vendor {
        name: "openrouter",
        key_variable: "OPENROUTER_API_KEY",
        url_variable: "OPENROUTER_BASE_URL",
        model_variable: "OPENROUTER_MODEL",
        url: "https://openrouter.ai/api/v1",
        model: "openrouter/auto",
        api: Api::Chat("openrouter"),
    },
    Vendor {
        name: "azure",
        key_variable: "AZURE_API_KEY",
        url_variable: "AZURE_ENDPOINT",
        model_variable: "AZURE_MODEL",
        url: "",
        model: "",
        api: Api::Chat("azure.openai"),
    },
    Vendor {
        name: "ollama",
        key_variable: "OLLAMA_API_KEY",
        url_variable: "OLLAMA_BASE_URL",
        model_variable: "OLLAMA_MODEL",
        url: "http://localhost:11434/v1",
        model: "llama3.2",
        api: Api::Chat("ollama"),
    },
];

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
pub(crate) fn dialect(name: &str, with_usage: bool) -> Dialect {
    let mut dialect = *wire::by_name(name).unwrap_or(&wire::OPENAI);
    dialect.quirks.done_without_finish_reason = true;
    dialect.quirks.native_finish_reason = true;
    dialect.quirks.stream_include_usage &= with_usage;
    if name == wire::AZURE.name {
        // It serves OpenAI's models.
        dialect.quirks.output_cap = OutputCap::OpenAiReasoningFamilies;
    }
    if dialect.quirks.rewrite == BodyRewrite::None {
        // Text as a string, since not every endpoint reads it in parts.
        dialect.quirks.rewrite = BodyRewrite::Perplexity;
    }
    dialect
}
