use ask_user_question::Phase;

/// The reason why an input must not be sent. `Display` has words for the user, after "This can't be sent: ".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// A run is open; hold the reply until it ends.
    #[error("the agent is still writing")]
    RunOpen {
        /// The run.
        run_id: String,
    },
    /// No ask has this id.
    #[error("there is no such question")]
    UnknownAsk {
        /// The id that was named.
        tool_call_id: String,
    },
    /// The ask cannot end so any more.
    #[error("the question is no longer waiting: it is {phase}")]
    NotAnswerable {
        /// The ask.
        tool_call_id: String,
        /// Its phase.
        phase: Phase,
    },
    /// The delivery is `Resume`, and the agent waits for the ask by no interrupt.
    #[error("the agent did not pause its work for this question, so its answer has to go another way")]
    NoInterrupt {
        /// The ask.
        tool_call_id: String,
    },
    /// The interrupt has expired, so it can only be declined.
    #[error("the time for an answer is over")]
    Expired {
        /// The interrupt.
        interrupt_id: String,
    },
    /// The reply is not what the interrupt's schema takes.
    #[error("the agent does not take this answer: {message}")]
    Payload {
        /// The ask.
        tool_call_id: String,
        /// The reason, for the user.
        message: String,
    },
    /// Other questions wait for their answers, which go out together.
    #[error("another question waits for its answer")]
    QuestionsWait {
        /// The asks.
        tool_call_ids: Vec<String>,
    },
    /// Calls of this client's other tools would be left without a result, which no provider takes.
    #[error("the page has not finished something that the agent asked of it")]
    OpenCalls {
        /// The calls.
        tool_call_ids: Vec<String>,
    },
    /// Interrupts without a question would be left open, which the protocol forbids. Their asks can be declined.
    #[error("the agent waits for something that this page can't ask; cancel that first")]
    OpenInterrupts {
        /// The interrupts.
        interrupt_ids: Vec<String>,
    },
}
