//! The keys of calls, which are unique while ids are not: Kimi K3 numbers its calls from 0 in each turn
//! (<https://github.com/fw-ai/fireconnect/issues/16>), and llama.cpp gives all calls the same id
//! (<https://github.com/NousResearch/hermes-agent/issues/70724>).

use super::calls::key;
use super::{List, Thread};
use crate::LEGACY;
use crate::message::{Message, Role};
use json_tree::pieces::is_same as is_same_json;
use json_tree::{Ids, natural};

struct ListedCall {
    place: (usize, usize),
    /// The position of the last user message before the call.
    after: Option<usize>,
    /// The ordinal among the calls with its id, from 1.
    nth: usize,
    is_answered: bool,
    /// The thread already had several calls with this id.
    was_reused: bool,
}

impl Thread {
    /// Sets the keys of the calls and results in a list of messages. Returns the positions of calls that a snapshot has twice: some agents repeat an
    /// answered turn under other message ids, such as Microsoft's Agent Framework (<https://github.com/microsoft/agent-framework/issues/6266>).
    ///
    /// A call of an existing message keeps its key. A later call with the same id is another call if the earlier one was answered, if its arguments
    /// differ, or if the user spoke in between. A call is a copy of another with its id if both have the same name and arguments and follow the same
    /// user message, the copy had no event, and one of the two is answered.
    pub(super) fn set_keys(&mut self, messages: &mut [Message], list: List) -> Vec<(usize, usize)> {
        let (mut known, mut by_id) = (Vec::<ListedCall>::new(), Ids::default());
        let (mut copies, mut last_result) = (Vec::new(), Ids::default());
        if LEGACY && list == List::Snapshot {
            for (at, message) in messages.iter().enumerate().filter(|(_, message)| message.role == Role::Tool) {
                last_result.put(message.wire_call_id(), at);
            }
        }
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
                    None if list == List::Later => self.calls.uses(&id),
                    None => 1,
                };
                messages[at].set_call_key(self.calls.use_again(&id, nth));
            }
            let is_new = self.slots.find(messages[at].id()).is_none();
            for call in 0..messages[at].tool_calls.len() {
                let id = messages[at].tool_calls[call].wire_id().to_owned();
                let before = by_id.find(&id).and_then(|call| known.get(call));
                let is_same = |before: &ListedCall| is_same(messages, before.place, (at, call));
                let is_copy = |before: &ListedCall| {
                    let words = |at: Option<usize>| at.map(|at| messages[at].text());
                    !before.was_reused
                        && before.is_answered != (last_result.find(&id) > Some(at))
                        && words(before.after) == words(last_user)
                        && is_same(before)
                };
                if LEGACY && list == List::Snapshot && is_new && before.is_some_and(is_copy) {
                    copies.push((at, call));
                    continue;
                }
                let was_reused = before.map_or_else(|| self.calls.uses(&id) > 1, |before| before.was_reused);
                let nth = match before {
                    _ if let Some(nth) = self.nth(messages[at].id(), call, &id) => nth,
                    Some(before) if !LEGACY || before.is_answered || before.after != last_user || !is_same(before) => {
                        free(&by_id, &id, before.nth + 1)
                    }
                    Some(before) => before.nth,
                    None if list != List::Later => 1,
                    None if self.is_answered(&id) => self.calls.next_use(&id),
                    None => self.calls.uses(&id),
                };
                let key = self.calls.use_again(&id, nth);
                messages[at].tool_calls[call].set_key(key);
                by_id.put(&id, known.len());
                known.push(ListedCall { place: (at, call), after: last_user, nth, is_answered: false, was_reused });
            }
        }
        copies
    }

    fn is_answered(&self, id: &str) -> bool {
        self.call(&self.key(id)).is_some_and(|call| call.is_answered())
    }

    /// The ordinal of a call that the thread already has in this message at this index.
    fn nth(&self, message: &str, at: usize, id: &str) -> Option<usize> {
        let held = self.message(message)?.tool_calls.get(at).filter(|call| call.wire_id() == id)?;
        Some(nth(&held.id, id))
    }
}

fn free(ids: &Ids, id: &str, nth: usize) -> usize {
    (nth..).find(|nth| !ids.has(&key(id, *nth))).unwrap_or(nth)
}

pub(super) fn nth(key: &str, id: &str) -> usize {
    let nth = key.strip_prefix(id).and_then(|rest| rest.strip_prefix('#'));
    nth.and_then(natural).and_then(|nth| nth.try_into().ok()).unwrap_or(1)
}

fn is_same(messages: &[Message], one: (usize, usize), other: (usize, usize)) -> bool {
    let call = |(message, call): (usize, usize)| &messages[message].tool_calls[call];
    let (one, other) = (call(one), call(other));
    one.name == other.name && is_same_json(&one.arguments, &other.arguments)
}
