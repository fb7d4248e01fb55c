use ask_user_question::Phase;
use std::fmt;

/// Why an input must not be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// A run is open; hold the reply until it ends.
    RunOpen {
        /// The run.
        run_id: String,
    },
    /// There is no such ask.
    UnknownAsk {
        /// What was named.
        tool_call_id: String,
    },
    /// The ask cannot end so any more.
    NotAnswerable {
        /// The ask.
        tool_call_id: String,
        /// Where it stands.
        phase: Phase,
    },
    /// The delivery is `Resume`, and no interrupt names the ask.
    NoInterrupt {
        /// The ask.
        tool_call_id: String,
    },
    /// The interrupt has expired, so it can only be declined.
    Expired {
        /// The interrupt.
        interrupt_id: String,
    },
    /// The reply is not what the interrupt's schema takes.
    Payload {
        /// The interrupt.
        interrupt_id: String,
        /// What it does not take.
        message: String,
    },
    /// Calls would be left without an answer, which no provider takes.
    OpenCalls {
        /// The calls.
        tool_call_ids: Vec<String>,
    },
    /// Interrupts would be left without an answer, which the protocol forbids.
    OpenInterrupts {
        /// The interrupts.
        interrupt_ids: Vec<String>,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RunOpen { run_id } => write!(f, "run {run_id} is still open"),
            Self::UnknownAsk { tool_call_id } => write!(f, "there is no question {tool_call_id}"),
            Self::NotAnswerable {
                tool_call_id,
                phase,
            } => write!(
                f,
                "the question {tool_call_id} cannot be answered any more: it is {phase}"
            ),
            Self::NoInterrupt { tool_call_id } => {
                write!(f, "no interrupt waits for the question {tool_call_id}")
            }
            Self::Expired { interrupt_id } => write!(f, "the interrupt {interrupt_id} has expired"),
            Self::Payload {
                interrupt_id,
                message,
            } => write!(
                f,
                "the interrupt {interrupt_id} does not take the answer: {message}"
            ),
            Self::OpenCalls { tool_call_ids } => write!(
                f,
                "tool calls would stay unanswered: {}",
                tool_call_ids.join(", ")
            ),
            Self::OpenInterrupts { interrupt_ids } => write!(
                f,
                "interrupts would stay unanswered: {}",
                interrupt_ids.join(", ")
            ),
        }
    }
}

impl std::error::Error for Refusal {}
