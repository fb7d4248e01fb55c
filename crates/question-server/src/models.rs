//! What speaks for the agent: a model streams text and tool calls.

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

/// A model, or what stands in for one.
pub trait Model: fmt::Debug + Send + Sync + 'static {
    /// What the page calls such an agent; `None` for the front desk, which the page calls so in its user's language.
    fn name(&self) -> Option<&str> {
        None
    }

    /// The profile by which it asks.
    fn limits(&self) -> Limits;

    /// The tools that belong to it, as those of a script do. They come beside those that the server is given; of two with one name, the server's
    /// counts.
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        Vec::new()
    }

    /// Goes on from a history. The stream is dropped where the user stops the run.
    fn respond(&self, request: Request) -> BoxStream<'static, Result<Delta, ModelError>>;
}

/// What a model goes on from.
#[derive(Clone, Debug)]
pub struct Request {
    /// The history.
    pub messages: Vec<Message>,
    /// The tools it may call.
    pub tools: Vec<ToolSpec>,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// Who the agent is and what it may do.
    pub context: ToolContext,
    /// Guidance for the asking tool; absent where it is not offered.
    pub guidance: Option<String>,
}

impl Request {
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

/// Why a model could not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    /// Why, in words for the user.
    pub reason: String,
    /// When asking again may help, as far as its endpoint says; `None` where it would not.
    pub retry_after: Option<Duration>,
}

impl ModelError {
    /// The pause before asking again; `None` where this was the last attempt, or asking again would not help.
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
