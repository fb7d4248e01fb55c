use crate::asks::list::Asks;
use crate::asks::tracked::{AskSource, ResultsSoFar, TrackedAsk};
use json_tree::codes;

codes! {
    /// How a reply is sent to the agent. Interrupts are always answered by `resume`, and acknowledged calls by a user message.
    #[derive(Default)]
    #[non_exhaustive]
    Delivery {
        /// Chosen for each ask by [`Delivery::automatic`].
        #[default]
        Automatic "automatic",
        /// A tool message with the reply, then a user message with the selection as text.
        UserMessage "user-message",
        /// Only the tool message.
        ToolResult "tool-result",
        /// `resume` of the interrupt that names the call; refused if there is none.
        Resume "resume",
        /// `POST /conversations/{id}/respond` and `/cancel` of `question-server`, called by the host outside of a run. Replies that these endpoints
        /// can't express are sent in a run as [`UserMessage`](Self::UserMessage). Cancelling ends the question, and the agent stays silent.
        Endpoint "rest",
    }
}

/// Whether the agent belongs to the page, which decides what [`Delivery::Automatic`] chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The agent that the page comes with, such as `question-server`: it accepts a tool message and a user message in one input.
    Own,
    /// Any other agent. ADK's adapter, for one, continues only if the tool's result is the last message
    /// (<https://github.com/ag-ui-protocol/ag-ui/issues/568>).
    #[default]
    Foreign,
}

/// How an agent asks, which determines how it takes the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskedBy {
    /// By a call that waits for its result.
    Call,
    /// By a call to which the agent itself gave a result that says that the answer will follow.
    AcknowledgedCall,
    /// By a call that it does not wait for: the agent continues, and takes the answer as a message at any time.
    Background,
    /// By an interrupt, in the protocol's form or as a legacy event.
    Interrupt,
}

impl Delivery {
    /// The default delivery, never [`Automatic`](Self::Automatic).
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
    /// How the agent asked; `None` if there is no such ask.
    #[must_use]
    pub fn asked_by(&self, tool_call_id: &str) -> Option<AskedBy> {
        self.find(tool_call_id).map(TrackedAsk::asked_by)
    }

    /// Returns true if a later message of the user may change the answer to this ask. A decision on a call can't be changed, since the call ran with
    /// it; nor can the answer to an interrupt without a call, since no message can name it.
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
