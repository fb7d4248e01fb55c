//! The keys of calls. Some models count their calls from 0 in each run, so that several calls of a conversation have one id.

use super::calls::key;
use super::{List, Thread};
use crate::LEGACY;
use crate::message::{Message, Role};
use json_tree::{Ids, natural};

struct ListedCall {
    place: (usize, usize),
    /// It is the nth under its id.
    nth: usize,
    is_answered: bool,
}

impl Thread {
    /// Sets the keys of the calls in a list of messages, and of the results that answer them.
    ///
    /// A call of a message that is there keeps its key. A later call under the id of an earlier one is another one if that was answered or
    /// has other arguments. It is as well if the user spoke in between.
    pub(super) fn set_keys(&mut self, messages: &mut [Message], list: List) {
        let (mut known, mut by_id) = (Vec::<ListedCall>::new(), Ids::default());
        let mut last_user = None;
        for at in 0..messages.len() {
            if messages[at].role == Role::User {
                last_user = Some(at);
            }
            if messages[at].role == Role::Tool {
                let id = messages[at].tool_call_id.clone();
                let call = by_id.find(&id).and_then(|call| known.get_mut(call));
                let nth = match call {
                    Some(call) => {
                        call.is_answered = true;
                        call.nth
                    }
                    None if list == List::Whole => 1,
                    None => self.calls.uses(&id),
                };
                messages[at].set_call_key(self.calls.use_again(&id, nth));
            }
            for call in 0..messages[at].tool_calls.len() {
                let id = messages[at].tool_calls[call].wire_id().to_owned();
                let before = by_id.find(&id).and_then(|call| known.get(call));
                let nth = match before {
                    _ if let Some(nth) = self.nth(messages[at].id(), call, &id) => nth,
                    Some(before)
                        if !LEGACY
                            || before.is_answered
                            || Some(before.place.0) < last_user
                            || !is_same(messages, before.place, (at, call)) =>
                    {
                        free(&by_id, &id, before.nth + 1)
                    }
                    Some(before) => before.nth,
                    None if list == List::Whole => 1,
                    None if self.is_answered(&id) => self.calls.next_use(&id),
                    None => self.calls.uses(&id),
                };
                let key = self.calls.use_again(&id, nth);
                messages[at].tool_calls[call].set_key(key);
                by_id.put(&id, known.len());
                known.push(ListedCall { place: (at, call), nth, is_answered: false });
            }
        }
    }

    fn is_answered(&self, id: &str) -> bool {
        self.call(&self.key(id)).is_some_and(|call| call.is_answered())
    }

    /// The number of a call among those of its id, if the message is there already and holds it at that place.
    fn nth(&self, message: &str, at: usize, id: &str) -> Option<usize> {
        let held = self.message(message)?.tool_calls.get(at).filter(|call| call.wire_id() == id)?;
        Some(nth(&held.id, id))
    }
}

/// The first number from this one on whose key is no call's id.
fn free(ids: &Ids, id: &str, nth: usize) -> usize {
    (nth..).find(|nth| !ids.has(&key(id, *nth))).unwrap_or(nth)
}

/// The number that a key has among the calls of an id.
pub(super) fn nth(key: &str, id: &str) -> usize {
    let nth = key.strip_prefix(id).and_then(|rest| rest.strip_prefix('#'));
    nth.and_then(natural).and_then(|nth| nth.try_into().ok()).unwrap_or(1)
}

fn is_same(messages: &[Message], one: (usize, usize), other: (usize, usize)) -> bool {
    let call = |(message, call): (usize, usize)| &messages[message].tool_calls[call];
    let (one, other) = (call(one), call(other));
    one.name == other.name && one.arguments == other.arguments
}
