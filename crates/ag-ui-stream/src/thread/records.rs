//! The records of calls in a history: calls that broke off, and the keys of calls that share an id.

use super::Thread;
use super::keys::nth;
use crate::message::Message;
use json_tree::{Ids, Json, natural};

const BROKEN: &str = "isBroken";

/// The highest ordinal that a stored record may claim for a call.
const MOST: usize = u16::MAX as usize;

impl Thread {
    pub(super) fn records(&self) -> Vec<Json<'static>> {
        let mut records = Vec::new();
        let mut note = |key: &str, wire_id: &str, message: &Message, call: Option<usize>| {
            let is_broken = call.is_some() && self.call(key).is_some_and(|call| !call.ended);
            let is_one_of_several = self.calls.uses(wire_id) > 1;
            if is_broken || is_one_of_several {
                records.push(Json::object_of(&mut [
                    ("id", Some(key.to_owned().into())),
                    ("message", is_one_of_several.then(|| message.id().to_owned().into())),
                    ("call", call.map(Json::from)),
                    (BROKEN, is_broken.then_some(Json::Bool(true))),
                ]));
            }
        };
        for message in &self.messages {
            if let Some(key) = message.tool_call_id() {
                note(key, message.wire_call_id(), message, None);
            }
            for (at, call) in message.tool_calls().iter().enumerate() {
                note(&call.id, call.wire_id(), message, Some(at));
            }
        }
        records
    }

    #[cfg(feature = "asks")]
    pub(crate) fn record_of_dropped(&self, key: &str) -> Option<Json<'static>> {
        let call = self.call(key).filter(|call| self.held(call).is_none())?;
        Some(Json::object_of(&mut [
            ("id", Some(key.to_owned().into())),
            ("name", Some(call.name.clone().into())),
            ("arguments", Some(call.detached.clone().into())),
            (BROKEN, (!call.ended).then_some(Json::Bool(true))),
        ]))
    }

    pub(super) fn restore_keys(&mut self, messages: &mut [Message], records: &[Json<'static>]) {
        let mut places = Ids::default();
        if records.iter().any(|record| record.get("message").is_some()) {
            for (at, message) in messages.iter().enumerate() {
                places.put(message.id(), at);
            }
        }
        for record in records {
            let Some((id, message)) = record.string("id").zip(record.string("message")) else {
                continue;
            };
            let Some(message) = places.find(message).map(|at| &mut messages[at]) else {
                continue;
            };
            let call = record.get("call").and_then(Json::as_index);
            let wire_id = match call.map(|at| message.tool_calls.get_mut(at)) {
                Some(Some(call)) => call.wire_id(),
                None => message.wire_call_id(),
                Some(None) => continue,
            };
            let key = self.calls.use_again(wire_id, nth(id, wire_id).min(MOST));
            match call {
                Some(at) => message.tool_calls[at].set_key(key),
                None => message.set_call_key(key),
            }
        }
    }

    /// Restores calls that are in no message, and marks those that broke off.
    pub(super) fn restore_calls(&mut self, records: &[Json<'static>]) {
        for record in records {
            let Some(id) = record.string("id") else {
                continue;
            };
            if let Some((name, arguments)) = record.string("name").zip(record.string("arguments"))
                && self.call(id).is_none()
            {
                let (wire_id, nth) = id.rsplit_once('#').unwrap_or((id, ""));
                if let Some(nth) = natural(nth).and_then(|nth| usize::try_from(nth).ok()) {
                    self.calls.use_again(wire_id, nth.min(MOST));
                }
                self.calls.restore(id, name, arguments);
            }
            if let Some(call) = self.calls.state_mut(id).filter(|_| record.get(BROKEN).is_some()) {
                call.ended = false;
            }
        }
    }
}
