//! What a page shows of a conversation, one entry after another.

use ask_user_question::snapshot::Sending;
use ask_user_question::{AskSnapshot, Phase};
use leptos::prelude::*;

/// One entry of the transcript. Its parts are signals of their own, so that a delta touches only what it changes.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Unique in the conversation and stable for as long as the entry is shown; for a keyed list.
    pub key: EntryKey,
    /// What it is.
    pub item: Item,
}

/// What an entry stands for. Messages, questions and other calls have namespaces of their own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EntryKey {
    /// A message, by its id and how often its text was replaced by another.
    Message(String, u32),
    /// A question, by its call or its interrupt.
    Call(String),
    /// Another tool call, by its `toolCallId`. Where a question comes of it, that is another entry.
    Tool(String),
}

/// What an entry shows.
#[derive(Clone, Debug)]
pub enum Item {
    /// What the user said, unless a tap on a card said it, which has a receipt. It only ever grows; where a snapshot replaces it, that is
    /// another entry.
    User(ArcReadSignal<String>),
    /// What the agent says, in the same way.
    Assistant(ArcReadSignal<String>),
    /// The agent's reasoning, in the same way, with [`ChatOptions::detailed`](crate::ChatOptions::detailed) alone.
    Reasoning(ArcReadSignal<String>),
    /// A question of the agent.
    Ask(Ask),
    /// Another tool call of the agent.
    Tool {
        /// The tool's name.
        name: String,
        /// Whether its result is there.
        done: ArcReadSignal<bool>,
        /// Its arguments and its result, with [`ChatOptions::detailed`](crate::ChatOptions::detailed) alone.
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
    /// Its text; of several parts, their texts.
    pub text: String,
    /// True if the call failed.
    pub is_error: bool,
}

/// A question of the agent: what a card needs to show it.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The call; what [`reply`](crate::AgentChat::reply) and [`cancel`](crate::AgentChat::cancel) take.
    pub tool_call_id: String,
    /// What is known of it.
    pub snapshot: ArcReadSignal<AskSnapshot>,
    /// Where its reply stands.
    pub sending: ArcReadSignal<Sending>,
}

impl Ask {
    /// Whether it has a reply that is held or on its way.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.sending.with(|sending| *sending == Sending::Pending)
    }

    /// Whether it was answered or declined.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.snapshot.with(|ask| matches!(ask.phase, Phase::Answered | Phase::Declined))
    }
}
