//! The state of a conversation as a whole.

use crate::trouble::Trouble;

/// The status of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// No run is open.
    #[default]
    Idle,
    /// A run is open.
    Running,
    /// The last run failed or could not start. [`AgentChat::retry`](crate::AgentChat::retry) tries again.
    Failed(Trouble),
}

impl Status {
    /// The reason of a failure.
    #[must_use]
    pub fn trouble(&self) -> Option<&Trouble> {
        match self {
            Self::Failed(trouble) => Some(trouble),
            Self::Idle | Self::Running => None,
        }
    }
}

/// The connection to the agent's server, as far as is known without a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Connection {
    /// No failure is known.
    #[default]
    Online,
    /// The last attempt failed. Held messages and replies are sent once the server is back.
    Reconnecting,
    /// The machine has no network.
    Offline,
}
