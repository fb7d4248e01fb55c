//! How replies travel.

use ag_ui_stream::asks::reply::{self, Origin};

/// How a reply travels to the agent. Whatever is chosen, an interrupt is answered by `resume`, and a call that the agent has acknowledged by
/// a user message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// As the agent asks: a call gets its result, and behind [`question-server`](crate::ChatOptions::behind_question_server) the selection as a user
    /// message too.
    #[default]
    Automatic,
    /// In a run: a tool message with the reply, then a user message with the selection as text.
    UserMessage,
    /// In a run: the tool message alone.
    ToolResult,
    /// In a run, as the answer to the interrupt that names the call. Refused where the agent interrupts for no call.
    Resume,
    /// By `POST /conversations/{id}/respond` and `/cancel` beside the agent, which `question-server` has. What the agent says next comes by the
    /// conversation's events. Cancelling ends the question, and the agent says nothing.
    Endpoint,
}

impl Delivery {
    /// Every way.
    pub const ALL: [Self; 5] = [Self::Automatic, Self::UserMessage, Self::ToolResult, Self::Resume, Self::Endpoint];

    /// Its name, as in an address or a setting.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Automatic => "automatic",
            Self::UserMessage => "user-message",
            Self::ToolResult => "tool-result",
            Self::Resume => "resume",
            Self::Endpoint => "rest",
        }
    }

    /// The way so named.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.as_str() == name)
    }

    /// How a reply travels that goes in a run to such an agent.
    pub(crate) fn in_a_run(self, agent: Origin) -> reply::Delivery {
        match self {
            Self::Automatic => reply::Delivery::Automatic(agent),
            // What `/respond` can't express goes as a message.
            Self::UserMessage | Self::Endpoint => reply::Delivery::UserMessage,
            Self::ToolResult => reply::Delivery::ToolResult,
            Self::Resume => reply::Delivery::Resume,
        }
    }
}
