//! A conversation as a value, to be stored and restored.

use crate::message::Message;
use crate::notice::Notice;
use crate::outcome::Interrupt;
use crate::protocol::shapes::HISTORY;
use crate::reader::EndOutcome;
use crate::wire::enforce;
use json_tree::{Json, WireValue, wire_object};

wire_object! {
    /// A conversation to be stored: its messages, and the state that messages lack. [`Thread::history`](crate::Thread::history) and
    /// `Conversation::history` make it, and their `new` restores the conversation.
    ///
    /// As JSON it is an object of `messages`. It may have `state`, `ended`, `interrupts` and `records`.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct History {
        /// The messages, in order. Calls without a tool message are pending.
        pub messages: Vec<Message> = "messages",
        /// The shared state; absent means `{}`.
        pub state: Option<Json<'static>> = "state",
        /// The outcome of the last run, if there was one. One that was still open counts as truncated.
        pub ended: Option<EndOutcome> = "ended",
        /// The interrupts that wait for answers.
        pub interrupts: Vec<Interrupt> = "interrupts",
        /// The records of the asks, and of calls that broke off, each an object with the `id`. A call that has none is judged by the messages.
        pub records: Vec<Json<'static>> = "records",
    }
}

impl History {
    /// Reads a history as a stream's events are read: retired forms are translated, and members that are not described are stripped with a warning.
    ///
    /// # Errors
    /// If a described member is missing or of the wrong kind; the error names the path.
    pub fn from_json(json: Json<'_>) -> Result<(Self, Vec<Notice>), Notice> {
        // An agent may set the state to null, which is another state than none.
        let is_null = json.get("state") == Some(&Json::Null);
        let (json, warnings) = enforce(json, HISTORY).map_err(|error| *error)?;
        let mut history = Self::read(Some(&json));
        history.state = history.state.or(is_null.then_some(Json::Null));
        Ok((history, warnings))
    }
}

impl From<Vec<Message>> for History {
    fn from(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }
}
