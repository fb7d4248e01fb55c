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
        largest_picture: 20 << 20,
        api: Api::Chat("openai"),
    },
    Vendor {
        name: "anthropic",
        key_variable: "ANTHROPIC_API_KEY",
        url_variable: "ANTHROPIC_BASE_URL",
        model_variable: "ANTHROPIC_MODEL",
        url: "https://api.anthropic.com",
        model: "claude-sonnet-5-5",
        largest_picture: (5 << 20) / 4 * 3,
        api: Api::Messages,
    },
    Vendor {
        name: "gemini",
        key_variable: "GEMINI_API_KEY",
        url_variable: "GEMINI_BASE_URL",
        model_variable: "GEMINI_MODEL",
        url: "https://generativelanguage.googleapis.com",
        model: "gemini-3.8-flash",
        largest_picture: 14 << 20,
        api: Api::Gemini,
    },
    Vendor {
        name: "mistral",
        key_variable: "MISTRAL_API_KEY",
        url_variable: "MISTRAL_BASE_URL",
        model_variable: "MISTRAL_MODEL",
        url: "https://api.mistral.ai",
        model: "mistral-large-latest",
        largest_picture: 10 << 20,
        api: Api::Chat("mistral"),
    },
    Vendor {
        name: "deepseek",
        key_variable: "DEEPSEEK_API_KEY",
        url_variable: "DEEPSEEK_BASE_URL",
        model_variable: "DEEPSEEK_MODEL",
        url: "https://api.deepseek.com",
        model: "deepseek-flash",
        largest_picture: 0,
        api: Api::Chat("deepseek"),
    },
    Vendor {
        name: "groq",
        key_variable: "GROQ_API_KEY",
        url_variable: "GROQ_BASE_URL",
        model_variable: "GROQ_MODEL",
        url: "https://api.groq.com/openai/v1",
        model: "openai/gpt-oss-120b",
        largest_picture: 3 << 20,
        api: Api::Chat("groq"),
    },
    Vendor {
        name: "openrouter",
        key_variable: "OPENROUTER_API_KEY",
        url_variable: "OPENROUTER_BASE_URL",
        model_variable: "OPENROUTER_MODEL",
        url: "https://openrouter.ai/api/v1",
        model: "openrouter/auto",
        largest_picture: (5 << 20) / 4 * 3,
        api: Api::Chat("openrouter"),
    },
    Vendor {
        name: "azure",
        key_variable: "AZURE_API_KEY",
        url_variable: "AZURE_ENDPOINT",
        model_variable: "AZURE_MODEL",
        url: "",
        model: "",
        largest_picture: 20 << 20,
        api: Api::Chat("azure.openai"),
    },
    Vendor {
        name: "ollama",
        key_variable: "OLLAMA_API_KEY",
        url_variable: "OLLAMA_BASE_URL",
        model_variable: "OLLAMA_MODEL",
        url: "http://localhost:11434/v1",
        model: "llama3.2",
        largest_picture: 20 << 20,
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
        // It serves OpenAI's models.
        dialect.quirks.output_cap = OutputCap::OpenAiReasoningFamilies;
    }
    if dialect.quirks.rewrite == BodyRewrite::None {
        // Text as a string, since not every endpoint reads it in parts.
        dialect.quirks.rewrite = BodyRewrite::Perplexity;
    }
    dialect
}

/// The same for a model that sees pictures, although its name says otherwise: the library knows no names of models in this one.
pub(crate) fn seeing(mut dialect: Dialect) -> Dialect {
    dialect.name = "seeing";
    if dialect.quirks.rewrite == BodyRewrite::OpenRouter {
        // It would go by the names of each vendor behind it; nothing else depends on this.
        dialect.quirks.rewrite = BodyRewrite::Perplexity;
    }
    dialect
}
