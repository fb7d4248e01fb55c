//! What a page can be told of a conversation as a whole.

use crate::trouble::Trouble;

/// Where a conversation stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// It is the user's turn.
    #[default]
    Idle,
    /// A run is open.
    Running,
    /// The last run failed or could not be started; [`AgentChat::retry`](crate::AgentChat::retry) tries again.
    Failed(Trouble),
}

/// Whether the agent's server can be reached, as far as is known without asking it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Connection {
    /// As far as is known.
    #[default]
    Online,
    /// Not a moment ago. What the user has answered goes out as soon as the server is there again.
    Reconnecting,
    /// The machine has no network.
    Offline,
}

/// What became of a reply at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A request carries it.
    Sent,
    /// It goes by itself: when the run has ended, when every other ask that waits has its reply, when the server is there.
    Held,
    /// It can't be sent, for this reason.
    Refused(Trouble),
}
