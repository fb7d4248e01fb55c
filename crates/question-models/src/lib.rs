#![doc = include_str!("../README.md")]

mod answer;
mod brackets;
mod calls;
mod chunks;
mod ends;
mod error;
mod exchange;
mod history;
pub mod http_client;
mod pictures;
mod refusal;
mod remote;
mod secrets;
mod settings;
mod thoughts;
mod vendor;
mod written;

use ask_user_question::Limits;
pub use error::SetupError;
use futures_util::stream::BoxStream;
use http::HeaderMap;
pub use pictures::{Picture, Pictures, is_visible};
use question_agent::ag_ui::AnswerTooLong;
pub use question_agent::ag_ui::Delta;
use question_agent::message::Message;
use question_agent::registry::{ToolContext, ToolSpec};
use question_agent::transition::MAX_LLM_ATTEMPTS;
pub use remote::RemoteModel;
pub use settings::Settings;
use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;
pub use vendor::{Vendor, vendors};

/// The default limit of concurrent requests to a model's endpoint.
pub const MODEL_CALLS: NonZeroUsize = NonZeroUsize::new(256).expect("it is not zero");

/// The longest `Retry-After` of a model's endpoint that is honoured.
pub const MAX_RETRY_PAUSE: Duration = Duration::from_secs(30);

/// A model, or a stand-in such as a script.
pub trait Model: fmt::Debug + Send + Sync + 'static {
    /// The name of the agent on the page; `None` for the front desk, whose name is in the user's language.
    fn name(&self) -> Option<&str> {
        None
    }

    /// The limits for its questions.
    fn limits(&self) -> Limits;

    /// Returns true if it sees pictures. Otherwise its requests have none.
    fn sees(&self) -> bool {
        false
    }

    /// Continues a history. The stream is dropped if the user stops the run.
    fn respond(&self, request: ModelRequest) -> BoxStream<'static, Result<Delta, ModelError>>;
}

/// A request for a model.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The history, oldest message first.
    pub messages: Vec<Message>,
    /// The pictures that the messages [name](Message::attachments).
    pub pictures: Pictures,
    /// The tools it may call.
    pub tools: Vec<ToolSpec>,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The context of the agent: tools, permissions, facts from the client.
    pub context: ToolContext,
    /// Guidance for the asking tool; `None` if it is not offered.
    pub guidance: Option<String>,
    /// Headers for the model's endpoint, such as those of a trace.
    pub headers: HeaderMap,
}

/// The failure of a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct ModelError {
    /// The reason, in words for the user.
    pub reason: String,
    /// The pause before a retry; `None` if a retry would not help.
    pub retry_after: Option<Duration>,
}

impl ModelError {
    /// The pause before the next attempt; `None` after the last one, or if a retry would not help.
    #[must_use]
    pub fn pause_after(&self, attempt: u32) -> Option<Duration> {
        let pause = self.retry_after?.min(MAX_RETRY_PAUSE);
        (attempt < MAX_LLM_ATTEMPTS).then_some(pause)
    }
}

impl From<AnswerTooLong> for ModelError {
    fn from(error: AnswerTooLong) -> Self {
        Self { reason: error.to_string(), retry_after: None }
    }
}
