use ask_user_question::Phase;

/// The reason why an input must not be sent. `Display` is for the user and completes "This can't be sent: ".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// A run is open. Hold the reply until it ends.
    #[error("the agent is still writing")]
    RunOpen {
        /// The id of the open run.
        run_id: String,
    },
    /// No ask has this id.
    #[error("there is no such question")]
    UnknownAsk {
        /// The id that was named.
        tool_call_id: String,
    },
    /// The ask can't end with this outcome in its present phase, or it has a reply already.
    #[error("the question is no longer waiting: it is {phase}")]
    NotAnswerable {
        /// The id of the ask.
        tool_call_id: String,
        /// The phase that does not allow the reply.
        phase: Phase,
    },
    /// The delivery is `Resume`, and the agent waits for the ask by no interrupt.
    #[error("the agent did not pause its work for this question, so its answer has to go another way")]
    NoInterrupt {
        /// The id of the ask.
        tool_call_id: String,
    },
    /// The interrupt has expired, so it can only be declined.
    #[error("the time for an answer is over")]
    Expired {
        /// The id of the interrupt.
        interrupt_id: String,
    },
    /// The reply does not match the interrupt's schema.
    #[error("the agent does not take this answer: {message}")]
    Payload {
        /// The id of the ask.
        tool_call_id: String,
        /// The reason, for the user.
        message: String,
    },
    /// Other questions wait, and all answers must be sent together.
    #[error("another question waits for its answer")]
    QuestionsWait {
        /// The ids of the asks without an answer.
        tool_call_ids: Vec<String>,
    },
    /// Calls of this client's other tools have no result, and model providers refuse open calls.
    #[error("the page has not finished something that the agent asked of it")]
    OpenCalls {
        /// The keys of the calls.
        tool_call_ids: Vec<String>,
    },
    /// Open interrupts without a question have no answer, which the protocol forbids. Their asks can be declined.
    #[error("the agent waits for something that this page can't ask; cancel that first")]
    OpenInterrupts {
        /// The ids of the interrupts.
        interrupt_ids: Vec<String>,
    },
}
