//! Models: they stream the text and the tool calls of an agent.

pub mod anthropic;
pub mod openai;
mod remote;
pub mod scripted;

use crate::limits::MAX_RETRY_PAUSE;
use crate::tools::Tool;
use ask_user_question::Limits;
use futures_util::stream::BoxStream;
use question_agent::Conversation;
use question_agent::ag_ui::AnswerTooLong;
pub use question_agent::ag_ui::Delta;
use question_agent::message::Message;
use question_agent::registry::{ToolContext, ToolRegistry, ToolSpec};
use question_agent::transition::MAX_LLM_ATTEMPTS;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A model, or a stand-in such as a script.
pub trait Model: fmt::Debug + Send + Sync + 'static {
    /// The name of the agent on the page; `None` for the front desk, whose name is in the user's language.
    fn name(&self) -> Option<&str> {
        None
    }

    /// The limits for its questions.
    fn limits(&self) -> Limits;

    /// Its own tools, as a script has some. They are offered beside the server's; of two with one name, the server's counts.
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        Vec::new()
    }

    /// Continues a history. The stream is dropped if the user stops the run.
    fn respond(&self, request: ModelRequest) -> BoxStream<'static, Result<Delta, ModelError>>;
}

/// A request for a model.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The history, oldest message first.
    pub messages: Vec<Message>,
    /// The tools it may call.
    pub tools: Vec<ToolSpec>,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The context of the agent: tools, permissions, facts from the client.
    pub context: ToolContext,
    /// Guidance for the asking tool; `None` if it is not offered.
    pub guidance: Option<String>,
}

impl ModelRequest {
    pub(crate) fn new(registry: &ToolRegistry, conversation: &Conversation, attempt: u32) -> Self {
        Self {
            messages: conversation.messages().to_vec(),
            tools: registry.specs(),
            attempt,
            context: registry.context().clone(),
            guidance: registry.guidance(),
        }
    }
}

/// The failure of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    /// The reason, in words for the user.
    pub reason: String,
    /// The pause before a retry; `None` if a retry would not help.
    pub retry_after: Option<Duration>,
}

impl ModelError {
    /// The pause before the next attempt; `None` after the last one, or if a retry would not help.
    pub(crate) fn pause_after(&self, attempt: u32) -> Option<Duration> {
        let pause = self.retry_after?.min(MAX_RETRY_PAUSE);
        (attempt < MAX_LLM_ATTEMPTS).then_some(pause)
    }
}

impl From<AnswerTooLong> for ModelError {
    fn from(error: AnswerTooLong) -> Self {
        Self { reason: error.to_string(), retry_after: None }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl Error for ModelError {}
