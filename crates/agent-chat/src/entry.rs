//! The entries of a conversation, as a page renders them.

use ask_user_question::attachment::Attachment;
use ask_user_question::{AskSnapshot, Phase};
use leptos::prelude::*;

/// An entry of the transcript. Its parts are signals of their own, so that a delta notifies only its own subscribers.
#[derive(Clone, Debug)]
pub struct Entry {
    /// A key for lists, unique in the conversation and stable while the entry is shown.
    pub key: EntryKey,
    /// What the entry shows, with its signals.
    pub item: Item,
    /// The files of the user's message, whose text may be empty then.
    pub files: Vec<Attachment>,
}

/// The key of an entry. Messages, questions and other calls have separate namespaces.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EntryKey {
    /// A message: its id, and the number of times that its text was replaced by another.
    Message(String, u32),
    /// A question, by its call or its interrupt.
    Call(String),
    /// Another tool call, by its `toolCallId`. A question that comes of it is another entry.
    Tool(String),
}

/// The content of an entry.
#[derive(Clone, Debug)]
pub enum Item {
    /// The user's text, unless it came from a card, which shows a receipt. It only grows; a snapshot that replaces it makes another entry.
    User(ArcReadSignal<String>),
    /// The agent's text. It only grows as well.
    Assistant(ArcReadSignal<String>),
    /// The agent's reasoning, which only grows as well; only with [`ChatOptions::detailed`](crate::ChatOptions::detailed).
    Reasoning(ArcReadSignal<String>),
    /// A question of the agent.
    Ask(Ask),
    /// Another tool call of the agent.
    Tool {
        /// The tool's name.
        name: String,
        /// True if the call has its result.
        done: ArcReadSignal<bool>,
        /// The arguments and the result; `None` without [`ChatOptions::detailed`](crate::ChatOptions::detailed).
        details: Option<CallDetails>,
    },
}

/// The arguments and the result of a call.
#[derive(Clone, Debug)]
pub struct CallDetails {
    /// The arguments as far as they have arrived: the beginning of a JSON text.
    pub arguments: ArcReadSignal<String>,
    /// The result, once it is there.
    pub result: ArcReadSignal<Option<CallResult>>,
}

/// The result of a call, as the agent reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallResult {
    /// The text; for several parts, their texts.
    pub text: String,
    /// True if the call failed.
    pub is_error: bool,
}

/// A question of the agent, with everything that a card needs.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The id of its call, for [`reply`](crate::AgentChat::reply) and [`cancel`](crate::AgentChat::cancel).
    pub tool_call_id: String,
    /// The question as far as it has arrived, with the state of its reply.
    pub snapshot: ArcReadSignal<AskSnapshot>,
}

impl Ask {
    /// Returns true if its reply is held or being sent.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.snapshot.with(|ask| ask.reply.is_pending())
    }

    /// Returns true if it was answered or declined.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.snapshot.with(|ask| matches!(ask.phase, Phase::Answered | Phase::Declined))
    }
}
