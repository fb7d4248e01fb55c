//! A conversation as a value, for storage.

use crate::message::Message;
use crate::notice::Notice;
use crate::outcome::Interrupt;
use crate::protocol::shapes::HISTORY;
use crate::reader::EndOutcome;
use crate::wire::enforce;
use json_tree::{Json, WireValue, wire_object};

wire_object! {
    /// A stored conversation: its messages, and the state that the messages do not contain. [`Thread::history`](crate::Thread::history) and
    /// `Conversation::history` return it, and their `new` restores the conversation.
    ///
    /// Its JSON form is an object with `messages` and optional `state`, `ended`, `interrupts` and `records`.
    #[derive(Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct History {
        /// The messages, in order. Calls without a tool message are pending.
        pub messages: Vec<Message> = "messages",
        /// The shared state; absent means `{}`.
        pub state: Option<Json<'static>> = "state",
        /// The outcome of the last run; `None` if there was none. A run that was still open is stored as truncated.
        pub ended: Option<EndOutcome> = "ended",
        /// The interrupts that wait for answers.
        pub interrupts: Vec<Interrupt> = "interrupts",
        /// The records of asks and of calls that broke off, each an object with an `id`. The state of an ask without a record is derived from the
        /// messages.
        pub records: Vec<Json<'static>> = "records",
    }
}

impl History {
    /// Reads a history by the same rules as events: retired forms are translated, and unknown members are stripped with a warning.
    ///
    /// # Errors
    /// If a described member is missing or of the wrong kind; the error names the path.
    pub fn from_json(json: Json<'_>) -> Result<(Self, Vec<Notice>), Notice> {
        // An agent may set the state to null, which differs from an absent state.
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
