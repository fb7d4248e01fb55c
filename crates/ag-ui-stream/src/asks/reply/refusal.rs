use ask_user_question::Phase;
use std::fmt;

/// The reason why an input must not be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// A run is open; hold the reply until it ends.
    RunOpen {
        /// The run.
        run_id: String,
    },
    /// No ask has this id.
    UnknownAsk {
        /// The id that was named.
        tool_call_id: String,
    },
    /// The ask cannot end so any more.
    NotAnswerable {
        /// The ask.
        tool_call_id: String,
        /// Its phase.
        phase: Phase,
    },
    /// The delivery is `Resume`, and the agent waits for the ask by no interrupt.
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
        /// The ask.
        tool_call_id: String,
        /// The reason, for the user.
        message: String,
    },
    /// Other questions wait for their answers, which go out together.
    QuestionsWait {
        /// The asks.
        tool_call_ids: Vec<String>,
    },
    /// Calls of this client's other tools would be left without a result, which no provider takes.
    OpenCalls {
        /// The calls.
        tool_call_ids: Vec<String>,
    },
    /// Interrupts without a question would be left open, which the protocol forbids. Their asks can be declined.
    OpenInterrupts {
        /// The interrupts.
        interrupt_ids: Vec<String>,
    },
}

/// Words for the user, after "This can't be sent: ".
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RunOpen { .. } => "the agent is still writing",
            Self::UnknownAsk { .. } => "there is no such question",
            Self::NotAnswerable { phase, .. } => {
                return write!(f, "the question is no longer waiting: it is {phase}");
            }
            Self::NoInterrupt { .. } => {
                "the agent did not pause its work for this question, so its answer has to go another way"
            }
            Self::Expired { .. } => "the time for an answer is over",
            Self::Payload { message, .. } => {
                return write!(f, "the agent does not take this answer: {message}");
            }
            Self::QuestionsWait { .. } => "another question waits for its answer",
            Self::OpenCalls { .. } => "the page has not finished something that the agent asked of it",
            Self::OpenInterrupts { .. } => "the agent waits for something that this page can't ask; cancel that first",
        })
    }
}

impl std::error::Error for Refusal {}
