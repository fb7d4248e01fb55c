//! A conversation as a value, to be stored and restored.

use crate::message::{Message, unique};
use crate::notice::Notice;
use crate::outcome::Interrupt;
use crate::protocol::shapes::HISTORY;
use crate::reader::EndOutcome;
use crate::wire::enforce;
use json_tree::Json;

/// A conversation to be stored: its messages, and the state that messages lack. [`Thread::history`](crate::Thread::history) and
/// `Conversation::history` make it, and their `new` restores the conversation.
///
/// As JSON it is an object of `messages`. It may have `state`, `ended`, `interrupts` and `legacyInterrupts`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct History {
    /// The messages, in order. Calls without a tool message are pending.
    pub messages: Vec<Message>,
    /// The shared state; absent means `{}`.
    pub state: Option<Json<'static>>,
    /// The outcome of the last run, if there was one. One that was still open counts as truncated.
    pub ended: Option<EndOutcome>,
    /// The interrupts that wait for answers.
    pub interrupts: Vec<Interrupt>,
    /// The `on_interrupt` events that wait for their answers, each an object of `id` and `value`.
    pub legacy_interrupts: Vec<Json<'static>>,
}

impl History {
    /// Reads a history as a stream's events are read: retired forms are translated, and members that are not described are stripped with a warning.
    ///
    /// # Errors
    /// If a described member is missing or of the wrong kind; the error names the path.
    pub fn from_json(json: Json<'_>) -> Result<(Self, Vec<Notice>), Notice> {
        let (json, warnings) = enforce(json, HISTORY).map_err(|error| *error)?;
        let items = |name: &str| json.get(name).and_then(Json::as_list).unwrap_or_default().iter();
        let ended = json.get("ended").and_then(Json::as_str);
        let history = Self {
            messages: items("messages").map(Message::of).collect(),
            state: json.get("state").map(unique),
            ended: EndOutcome::ALL.iter().copied().find(|outcome| ended == Some(outcome.as_str())),
            interrupts: items("interrupts").map(Interrupt::of).collect(),
            legacy_interrupts: items("legacyInterrupts").map(unique).collect(),
        };
        Ok((history, warnings))
    }
}

impl From<Vec<Message>> for History {
    fn from(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }
}

impl From<&History> for Json<'static> {
    fn from(history: &History) -> Self {
        let mut members = [
            ("messages", Some(Json::List(history.messages.iter().map(Json::from).collect()))),
            ("state", history.state.clone()),
            ("ended", history.ended.map(|outcome| outcome.as_str().into())),
            ("interrupts", Some(Json::List(history.interrupts.iter().map(Json::from).collect()))),
            ("legacyInterrupts", Some(Json::List(history.legacy_interrupts.clone()))),
        ];
        Self::object_of(&mut members)
    }
}
