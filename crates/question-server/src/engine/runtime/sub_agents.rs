//! Sub-agents: agents with a task and no user of their own. The parent knows their task and their last message alone.

use super::agent::{ActiveAgent, SubAgent};
use super::responses::RunResult;
use crate::live::Hub;
use question_agent::message::{Message, UserMessage};
use question_agent::registry::ToolContext;
use question_agent::{ConvState, Conversation, Event};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

impl SubAgent {
    /// A sub-agent of this parent, and the event with its task.
    pub(super) fn new(parent: &ToolContext, task: String, stop: CancellationToken) -> (Self, Event) {
        let context = ToolContext {
            is_sub_agent: true,
            // They have no client either.
            client_tools: Vec::new(),
            ..parent.clone()
        };
        let hub = Hub::new(0);
        let message = UserMessage::new(Uuid::new_v4().to_string(), task);
        let sub = Self { conversation: Conversation::new(), context, hub, stop };
        (sub, Event::UserMessage { messages: vec![message] })
    }
}

/// The last message of a sub-agent, or the reason why there is none.
pub(super) fn last_words(agent: &ActiveAgent, worked: Result<(), RunResult>) -> String {
    let conversation = match (agent, worked) {
        (_, Err(RunResult::Failed { message, .. })) => return format!("The sub-agent broke off: {message}."),
        (ActiveAgent::Sub(sub), _) => &sub.conversation,
        (ActiveAgent::Parent { .. }, _) => return String::new(),
    };
    match (conversation.state(), conversation.messages().last()) {
        (ConvState::Failed { reason }, _) => format!("The sub-agent failed: {reason}"),
        (_, Some(Message::Assistant(message))) => message.text.clone(),
        _ => "The sub-agent said nothing.".to_owned(),
    }
}
