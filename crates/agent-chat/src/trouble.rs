//! The errors of a chat, in words for the user.

use crate::policy::AgentOrigin;
use crate::transport::TransportError;
use ag_ui_stream::asks::reply::Refusal;
use ag_ui_stream::reader::{End, EndOutcome};
use std::fmt;

/// The reason for which a run failed or could not start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The agent did not respond: it is unreachable, or the connection broke before its response, so that it may have the request. Browsers do
    /// not say which. The same turn is sent again as the same run.
    Unreachable,
    /// An agent of another origin is unreachable, or does not allow this page (CORS). Browsers do not say which.
    Elsewhere {
        /// The agent's origin.
        origin: String,
    },
    /// The page may not use that agent. No request was sent.
    NotAllowed {
        /// The agent's address or its origin.
        agent: String,
    },
    /// The server refused the request.
    Refused {
        /// The HTTP status.
        status: u16,
        /// The server's message, if it has one.
        message: Option<String>,
    },
    /// The server has no such conversation any more. The next message starts it again.
    Gone,
    /// The user stopped the request before the agent had accepted it.
    Stopped,
    /// The connection broke in the middle of the response.
    BrokeOff,
    /// The page was left while it was being sent, so that it may or may not have arrived.
    DeliveryUnknown,
    /// The run with the answer failed, so that the agent may or may not have it. It can be sent again.
    MayHaveArrived,
    /// The agent reported an error.
    Agent(String),
    /// The response breaks the protocol, in these words for developers. The browser's console has them as well.
    Unreadable(String),
    /// Not sent, because a run is open.
    RunOpen,
    /// Not sent, because the question does not wait any more.
    NotWaiting,
    /// Not sent, because another question waits as well.
    OthersWait,
    /// Not sent, because the agent waits for something that this page can't provide.
    AgentWaits,
    /// Not sent, because replies use `resume`, and the agent did not stop in an interrupt.
    NothingToResume,
    /// Not sent, because the agent does not accept such an answer.
    Unfit(String),
    /// Not sent, because the agent has called the page's tools in this number of runs in a row. The results wait.
    TooManyRounds(u32),
}

impl Trouble {
    /// Returns the error of a response; `None` if it ended as it should.
    pub(crate) fn from_end(end: End) -> Option<Self> {
        let message = end.error.map(|error| error.to_string()).unwrap_or_default();
        match end.outcome {
            EndOutcome::Completed | EndOutcome::Interrupt | EndOutcome::Cancelled => None,
            EndOutcome::Truncated => Some(Self::BrokeOff),
            EndOutcome::Rejected => Some(Self::Unreadable(message)),
            _ => Some(Self::Agent(message)),
        }
    }

    /// The error of a request, for an agent at this origin.
    pub(crate) fn from_transport(error: TransportError, origin: &AgentOrigin) -> Self {
        match error {
            TransportError::Aborted => Self::Stopped,
            TransportError::Network => match origin {
                // Without a network, CORS is not the cause.
                AgentOrigin::Other(origin) if crate::browser::is_online() => Self::Elsewhere { origin: origin.clone() },
                AgentOrigin::Other(_) | AgentOrigin::Own | AgentOrigin::None => Self::Unreachable,
            },
            TransportError::NoStream { other } => Self::Unreadable(format!("{other} is no stream of events")),
            TransportError::Status { status, body } => Self::Refused { status, message: body.message },
        }
    }
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::RunOpen { .. } => Self::RunOpen,
            Refusal::NotAnswerable { .. } | Refusal::Expired { .. } | Refusal::UnknownAsk { .. } => Self::NotWaiting,
            Refusal::QuestionsWait { .. } => Self::OthersWait,
            Refusal::OpenCalls { .. } | Refusal::OpenInterrupts { .. } => Self::AgentWaits,
            Refusal::NoInterrupt { .. } => Self::NothingToResume,
            Refusal::Payload { message, .. } => Self::Unfit(message),
            refusal => Self::Unfit(refusal.to_string()),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unreachable => "The agent does not answer. Is the connection up?",
            Self::Elsewhere { origin } => {
                return write!(f, "{origin} did not answer. It may be down, or not let this page in (CORS).");
            }
            Self::NotAllowed { agent } => {
                return write!(f, "This page may not talk to {agent}. Its operator can allow that; nothing was sent.");
            }
            Self::Refused { status: 401 | 403, .. } => "The agent does not let you in. It may want a key or a sign-in.",
            Self::Refused { status: 429, .. } => "Too much at once for the agent. Try again in a while.",
            Self::Refused { status: 404 | 405, message: None } => "There is no agent at this address.",
            Self::Refused { status, message } => {
                let sentence = if *status < 500 { "The agent refused this." } else { "The agent had a problem." };
                f.write_str(sentence)?;
                return message.iter().try_for_each(|reason| write!(f, " {reason}"));
            }
            Self::Gone => "The agent does not know this conversation any more. Your next message starts it again.",
            Self::Stopped => "Stopped before the agent had it.",
            Self::BrokeOff => "The connection broke before the agent had finished.",
            Self::DeliveryUnknown => "The page was left while this was on its way. It may not have arrived.",
            Self::MayHaveArrived => "The agent failed after it was sent this answer, and may have it. It can be sent again.",
            Self::Agent(message) => return write!(f, "The agent failed: {message}"),
            Self::Unreadable(_) => "The agent sent something that can't be read. Everything before it stays.",
            Self::RunOpen => "This can't be sent: the agent is still writing.",
            Self::NotWaiting => "This can't be sent: the question is no longer waiting.",
            Self::OthersWait => "This can't be sent: another question waits for its answer.",
            Self::AgentWaits => {
                "This can't be sent: the agent waits for something else, which this page can't give."
            }
            Self::NothingToResume => {
                "This can't be sent by resuming the run: the agent did not stop for an answer. The settings have other ways."
            }
            Self::TooManyRounds(rounds) => {
                return write!(f, "The agent has used this page {rounds} times in a row without a word to you. Try again to let it go on.");
            }
            Self::Unfit(reason) => return write!(f, "The agent does not take this answer: {reason}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Trouble;
    use ag_ui_stream::asks::reply::Refusal;

    #[test]
    fn nothing_is_called_another_question_that_is_none() {
        let ids = || vec!["x".to_owned()];
        let questions = Refusal::QuestionsWait { tool_call_ids: ids() };
        let calls = Refusal::OpenCalls { tool_call_ids: ids() };
        let interrupts = Refusal::OpenInterrupts { interrupt_ids: ids() };
        assert_eq!(Trouble::from(questions), Trouble::OthersWait);
        for refusal in [calls, interrupts] {
            assert_eq!(Trouble::from(refusal), Trouble::AgentWaits);
        }
    }
}
