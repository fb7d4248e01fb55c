//! The parts of a thread that only asks read.

use super::{CallState, Thread, calls};
use crate::message::Message;
use json_tree::{Json, Members};

impl Thread {
    pub(crate) fn keys(&self, id: &str) -> impl Iterator<Item = String> {
        (1..=self.calls.uses(id)).rev().map(move |nth| calls::key(id, nth))
    }

    /// The results of a call, in order. They are behind its message, unless a snapshot or an input moved them.
    pub(crate) fn results(&self, key: &str) -> Vec<&Message> {
        self.calls.results(key).iter().map(|slot| &self.messages[self.slots.position(*slot)]).collect()
    }

    /// The messages of the last snapshot or of the last run's input, in its order.
    pub(crate) fn told(&self) -> Vec<&Message> {
        self.told.iter().filter_map(|id| self.message(id)).collect()
    }
}

/// The key in a message's metadata that links it to an ask.
const ABOUT: &str = "ask";

/// Keeps the mark that links a message to the ask that it answers. Agents that rebuild messages from their own store send them without metadata, and
/// nothing else links the message to its ask.
pub(super) fn keep_ask(told: Option<&mut Message>, held: &Message) {
    let ask = held.metadata().and_then(|metadata| metadata.get(ABOUT));
    let Some((told, ask)) = told.filter(|told| told.role == held.role).zip(ask) else {
        return;
    };
    let metadata = told.metadata.get_or_insert_with(|| Json::Object(Members::new()));
    if let Json::Object(members) = metadata
        && members.position(ABOUT).is_none()
    {
        members.put(ABOUT, ask.clone());
    }
}

impl CallState {
    pub(crate) fn is_told_again(&self) -> bool {
        self.again.is_some()
    }
}
