//! The events of a conversation.

use crate::call::{ToolCall, ToolResult};
use crate::message::{AssistantMessage, UserMessage};
use crate::time::Timestamp;
use ask_user_question::outcome::{AnsweredBy, AskMetadata, Via};
use ask_user_question::{AskUserQuestion, Outcome};

/// An event of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The user sent messages: they start a turn, or answer the ask that waits.
    UserMessage {
        /// The messages. There are several if a client was offline; never none.
        messages: Vec<UserMessage>,
    },
    /// The model answered.
    LlmResponse(AssistantMessage),
    /// The model could not answer.
    LlmFailed {
        /// The reason, in words for the user.
        reason: String,
        /// True if asking again may help.
        retryable: bool,
    },
    /// The model was stopped in the middle of its answer.
    LlmStopped {
        /// The text so far; kept unless empty. Calls that were not complete never happened.
        partial: AssistantMessage,
    },
    /// The running tool came to a result.
    ToolComplete {
        /// The result.
        result: ToolResult,
    },
    /// A program asks the user beside the model. Clients see the call as one of the model's; after its result it is the user's turn.
    ProgramAsked {
        /// The new message for the history, with the one call that asks.
        message: AssistantMessage,
        /// The questions.
        questions: AskUserQuestion,
        /// The time at which it expires; `None` if it waits without a limit.
        expires_at: Option<Timestamp>,
    },
    /// The running tool is a valid ask: see [`intercept`](crate::intercept()).
    AskUserQuestionPending {
        /// The id of the call that asks.
        tool_use_id: String,
        /// The questions.
        questions: AskUserQuestion,
        /// The time at which it expires; `None` if it waits without a limit.
        expires_at: Option<Timestamp>,
    },
    /// The running tool [withdraws](crate::background::WITHDRAW) an ask for whose answer the agent does not wait.
    QuestionWithdrawn {
        /// The id of the call that withdraws it.
        tool_use_id: String,
        /// The ask. For [`handle`](crate::Conversation::handle), it is the text of its question, or `None` if only one is open. For
        /// [`transition()`](crate::transition()), it is the id of its call.
        question: Option<String>,
    },
    /// The user replied to an ask.
    UserQuestionResponse(Response),
    /// The deadline of the waiting ask has passed. Feed it before any other event of that moment or later, so that no late reply is taken.
    QuestionExpired {
        /// The present time. Before the deadline, the event is rejected.
        now: Timestamp,
    },
    /// The user cancelled the question or stopped the run.
    UserCancel {
        /// True if the model is notified and continues without an answer; otherwise the run ends.
        proceed: bool,
    },
    /// The user asked to try again after a failure.
    Retry,
    /// The running tool started a sub-agent.
    SubAgentStarted {
        /// The id of the call that started it.
        tool_use_id: String,
        /// The id of the sub-agent.
        sub_agent_id: String,
    },
    /// A sub-agent of the running tool finished. The tool's result follows when all have.
    SubAgentFinished {
        /// The id of the sub-agent.
        sub_agent_id: String,
    },
}

/// A reply to an ask, by any delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The id of the ask's call.
    pub tool_use_id: String,
    /// Made by the client once per reply.
    pub reply_id: String,
    /// The place where the answer was given.
    pub by: AnsweredBy,
    /// The outcome.
    pub outcome: Outcome,
    /// The way by which it came; `None` for AG-UI.
    pub via: Option<Via>,
    /// The id of the tool message that carried it, if one did.
    pub tool_message_id: Option<String>,
    /// The user messages that came with it, such as the selection as text.
    pub messages: Vec<UserMessage>,
}

impl Response {
    /// A reply alone, by AG-UI.
    #[must_use]
    pub fn new(tool_use_id: impl Into<String>, reply_id: impl Into<String>, by: AnsweredBy, outcome: Outcome) -> Self {
        Self {
            tool_use_id: tool_use_id.into(),
            reply_id: reply_id.into(),
            by,
            outcome,
            via: None,
            tool_message_id: None,
            messages: Vec::new(),
        }
    }

    /// The value of `metadata.ask` on the messages of this reply.
    #[must_use]
    pub fn metadata(&self) -> AskMetadata {
        AskMetadata {
            tool_call_id: self.tool_use_id.clone(),
            reply_id: self.reply_id.clone(),
            outcome: self.outcome.kind(),
            by: self.by,
            replaces: None,
            via: self.via.clone(),
        }
    }
}

impl Event {
    /// The ask of a program: a call of this tool with this id, in a message named after it.
    #[must_use]
    pub fn program_asked(
        tool: &str,
        tool_use_id: &str,
        questions: AskUserQuestion,
        expires_at: Option<Timestamp>,
    ) -> Self {
        let arguments = serde_json::to_string(&questions).expect("an ask has only strings for keys");
        let message = AssistantMessage {
            id: format!("{tool_use_id}-ask"),
            text: String::new(),
            tool_calls: vec![ToolCall::new(tool_use_id, tool, arguments)],
            origin: None,
        };
        Self::ProgramAsked { message, questions, expires_at }
    }

    /// The event's name, for logs: an event's content may be private.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::UserMessage { .. } => "user_message",
            Self::LlmResponse(_) => "llm_response",
            Self::LlmFailed { .. } => "llm_failed",
            Self::LlmStopped { .. } => "llm_stopped",
            Self::ToolComplete { .. } => "tool_complete",
            Self::ProgramAsked { .. } => "program_asked",
            Self::AskUserQuestionPending { .. } => "ask_user_question_pending",
            Self::QuestionWithdrawn { .. } => "question_withdrawn",
            Self::UserQuestionResponse(_) => "user_question_response",
            Self::QuestionExpired { .. } => "question_expired",
            Self::UserCancel { .. } => "user_cancel",
            Self::Retry => "retry",
            Self::SubAgentStarted { .. } => "sub_agent_started",
            Self::SubAgentFinished { .. } => "sub_agent_finished",
        }
    }
}
