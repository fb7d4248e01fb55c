//! The end of a stream.

use crate::notice::Notice;
use json_tree::codes;

/// The result of reading a stream to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// How the stream ended.
    pub outcome: EndOutcome,
    /// The reason; `None` if it ended well.
    pub error: Option<EndError>,
}

codes! {
    /// The ways in which a stream ends. With several runs, the last one decides.
    #[derive(Default)]
    #[non_exhaustive]
    EndOutcome {
        /// The run succeeded.
        Completed "completed",
        /// The run waits for answers to interrupts.
        Interrupt "interrupt",
        /// The run was stopped.
        Cancelled "cancelled",
        /// The run failed.
        Error "error",
        /// The bytes ended before the run did, which is never a success (`basic/transports#truncation`).
        #[default]
        Truncated "truncated",
        /// The stream broke a rule of the protocol.
        Rejected "rejected",
    }
}

/// The reason why a stream did not end well. `Display` is the agent's own message if the run failed, else a sentence for developers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndError {
    /// The stream violates the protocol.
    #[error(transparent)]
    Refused(Notice),
    /// The bytes ended before the run did.
    #[error(transparent)]
    Truncated(BrokeOff),
    /// The run failed.
    #[error("{message}")]
    Failed {
        /// The agent's own code.
        code: Option<String>,
        /// The agent's own sentence.
        message: String,
    },
}

/// Where a stream broke off.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BrokeOff {
    /// Before a run began.
    #[error("the stream ended before a run began")]
    BeforeRun,
    /// While this run was open.
    #[error("the stream ended while run '{0}' was open")]
    InRun(String),
    /// In the middle of a frame, after the run.
    #[error("the stream broke off in the middle of a frame")]
    InFrame,
}

impl EndError {
    /// The spelling of the refusal's [`Code`](crate::notice::Code), `truncated`, or the failed run's own code (`RUN_ERROR` without one).
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Refused(error) => error.code.as_str(),
            Self::Truncated(_) => "truncated",
            Self::Failed { code, .. } => code.as_deref().unwrap_or("RUN_ERROR"),
        }
    }

    /// The index of the event that caused the end, from 0; `None` if no single event did.
    #[must_use]
    pub fn event_index(&self) -> Option<u64> {
        match self {
            Self::Refused(error) => error.event_index,
            Self::Truncated(_) | Self::Failed { .. } => None,
        }
    }
}
