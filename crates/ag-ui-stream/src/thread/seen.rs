//! Reads of a thread for asks alone.

use super::{CallState, Thread, calls};
use crate::message::Message;
use json_tree::{Json, Members};

impl Thread {
    pub(crate) fn keys(&self, id: &str) -> impl Iterator<Item = String> {
        (1..=self.calls.uses(id)).rev().map(move |nth| calls::key(id, nth))
    }

    /// The results of a call, in order. They are behind its message, unless a snapshot or an input has put them elsewhere.
    pub(crate) fn results(&self, key: &str) -> Vec<&Message> {
        self.calls.results(key).iter().map(|slot| &self.messages[self.slots.position(*slot)]).collect()
    }

    /// The messages of the last snapshot, or of the last run's input, in its order.
    pub(crate) fn told(&self) -> Vec<&Message> {
        self.told.iter().filter_map(|id| self.message(id)).collect()
    }
}

/// The member of a message's metadata in which a page says which ask the message is about.
const ABOUT: &str = "ask";

/// Keeps what a message of the page's own says about an ask. Some agents tell their messages without metadata, and nothing else says so.
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
