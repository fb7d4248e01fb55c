//! A conversation as AG-UI sees it.

use crate::call::ToolCall;
use crate::registry::ToolContext;
use crate::{ConvState, Conversation};

/// A conversation, with its client's settings.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The history and the state.
    pub conversation: &'a Conversation,
    /// The agent's settings, with the tools that the client runs.
    pub context: &'a ToolContext,
}

impl<'a> View<'a> {
    /// Returns true if a model or a tool of the host is to continue.
    #[must_use]
    pub fn is_at_work(self) -> bool {
        self.conversation.state().is_at_work() && self.clients_call().is_none()
    }

    /// The call that the client runs itself, and whose result it is to bring.
    #[must_use]
    pub fn clients_call(self) -> Option<&'a ToolCall> {
        match self.conversation.state() {
            ConvState::ToolExecuting(executing) => {
                let call = &executing.current_tool;
                Some(call).filter(|call| self.context.is_client_tool(call.name()))
            }
            ConvState::Idle
            | ConvState::LlmRequesting { .. }
            | ConvState::AwaitingUserResponse(_)
            | ConvState::Failed { .. } => None,
        }
    }
}
