use crate::asks::list::Asks;
use crate::asks::tracked::{AskSource, ResultsSoFar, TrackedAsk};
use json_tree::codes;

codes! {
    /// The way of a reply to the agent. Interrupts are always answered by `resume`, and acknowledged calls by a user message.
    #[derive(Default)]
    #[non_exhaustive]
    Delivery {
        /// The choice of [`Delivery::automatic`], for each ask by itself.
        #[default]
        Automatic "automatic",
        /// A tool message with the reply, then a user message with the selection as text.
        UserMessage "user-message",
        /// The tool message alone.
        ToolResult "tool-result",
        /// The answer to the interrupt that names the call; refused if there is none.
        Resume "resume",
        /// By `POST /conversations/{id}/respond` and `/cancel` beside the agent, which `question-server` has and the host calls. Replies that they
        /// can't express go in a run as [`UserMessage`](Self::UserMessage). Cancelling ends the question, and the agent stays silent.
        Endpoint "rest",
    }
}

/// The owner of the agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The one that the page comes with, such as `question-server`: it takes an answer and a message in one input.
    Own,
    /// Any other: ADK's adapter, for one, continues only if the tool's result is the last message
    /// (<https://github.com/ag-ui-protocol/ag-ui/issues/568>).
    #[default]
    Foreign,
}

/// The way in which an agent asks, which decides how it takes the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskedBy {
    /// A call that waits for its result.
    Call,
    /// A call that the agent gave a result itself, "the answer will follow".
    AcknowledgedCall,
    /// By a call for whose answer it does not wait: it goes on, and takes the answer as a message at any time.
    Background,
    /// An interrupt, in the protocol's form or in the legacy one.
    Interrupt,
}

impl Delivery {
    /// The default way of a reply. It is never [`Automatic`](Self::Automatic).
    ///
    /// ```
    /// use ag_ui_stream::asks::reply::{AskedBy, Delivery, Origin};
    /// assert_eq!(Delivery::automatic(AskedBy::Call, Origin::Foreign), Delivery::ToolResult);
    /// ```
    #[must_use]
    pub fn automatic(asked: AskedBy, agent: Origin) -> Self {
        match (asked, agent) {
            (AskedBy::Interrupt, _) => Self::Resume,
            (AskedBy::AcknowledgedCall | AskedBy::Background, _) | (AskedBy::Call, Origin::Own) => Self::UserMessage,
            (AskedBy::Call, Origin::Foreign) => Self::ToolResult,
        }
    }
}

impl Asks {
    /// The way in which the agent asked; `None` if there is no such ask.
    #[must_use]
    pub fn asked_by(&self, tool_call_id: &str) -> Option<AskedBy> {
        self.find(tool_call_id).map(TrackedAsk::asked_by)
    }

    /// Returns true if a later message of the user may change the answer to this ask. The decision on a call may not, which ran with it, nor
    /// may what an interrupt asked outside of any call: no message can name it.
    #[must_use]
    pub fn takes_change(&self, tool_call_id: &str) -> bool {
        self.find(tool_call_id).is_some_and(TrackedAsk::takes_change)
    }
}

impl TrackedAsk {
    pub(in crate::asks) fn takes_change(&self) -> bool {
        self.source == AskSource::Call && !self.ask().is_approval()
    }

    pub(super) fn asked_by(&self) -> AskedBy {
        if self.source == AskSource::Interrupt || self.waits_by().is_some() {
            AskedBy::Interrupt
        } else if self.is_background() {
            AskedBy::Background
        } else if self.results_so_far != ResultsSoFar::None {
            AskedBy::AcknowledgedCall
        } else {
            AskedBy::Call
        }
    }
}
