//! Reads of a thread for asks alone.

use super::{CallState, Thread, calls};
use crate::message::{Message, Role};

impl Thread {
    /// The keys of the calls to which the agent gave this id, the newest first.
    pub(crate) fn keys(&self, id: &str) -> impl Iterator<Item = String> {
        (1..=self.calls.uses(id)).rev().map(move |nth| calls::key(id, nth))
    }

    /// The results of a call, in order. They are behind its message, unless a snapshot or an input has put them elsewhere.
    pub(crate) fn results(&self, key: &str) -> Vec<&Message> {
        let mut results = Vec::new();
        if self.calls.has_result(key) {
            let behind = self.call(key).and_then(CallState::position).map_or(0, |owner| owner + 1);
            for message in &self.messages[behind..] {
                if message.tool_call_id == key {
                    results.push(message);
                } else if message.role != Role::Tool && !results.is_empty() {
                    break;
                }
            }
        }
        results
    }

    /// The messages of the last snapshot, or of the last run's input, in its order.
    pub(crate) fn told(&self) -> Vec<&Message> {
        self.told.iter().filter_map(|id| self.message(id)).collect()
    }
}

impl CallState {
    /// True while the agent repeats the call.
    pub(crate) fn is_told_again(&self) -> bool {
        self.again.is_some()
    }
}
