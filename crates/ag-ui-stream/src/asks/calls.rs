//! Tracks calls of the tool, from events and from histories, and assigns each to an ask.

use super::list::Asks;
use super::tracked::{AskSource, TrackedAsk, about};
use crate::LEGACY;
use crate::event::{EventRef, EventType};
use crate::thread::{Change, RunState, Thread};
use ask_user_question::Phase;
use json_tree::pieces::{follow, is_same};
use std::mem;

/// The number of recent asks, and of recent calls of one ask, that a new call is compared with. The limit keeps the cost of a call constant.
const LAST: usize = 8;

impl Asks {
    pub(super) fn take_call_event(&mut self, event: &EventRef<'_>, change: Change, thread: &Thread) {
        let key = match change {
            Change::ArgumentsAppended { message, call, .. }
            | Change::ToolCallChanged { message, call }
            | Change::ToolCallAdded { message, call } => &*thread.messages()[message].tool_calls()[call].id,
            Change::Nothing
            | Change::RunStarted { .. }
            | Change::RunEnded
            | Change::MessageAdded { .. }
            | Change::TextAppended { .. }
            | Change::MessageChanged { .. }
            | Change::MessagesReplaced
            | Change::StateChanged => &*thread.key(event.tool_call_id()),
        };
        if let Change::ArgumentsAppended { message, call, .. } = change {
            // Fast path without a search: usually the last ask grows, or a call of another tool.
            if let Some(last) = self.tracked.last_mut()
                && last.id() == key
                && last.snapshot.phase == Phase::Streaming
            {
                return last.feed(event.delta(), &mut self.changes);
            }
            if !self.is_ask(&thread.messages()[message].tool_calls()[call].name) {
                return;
            }
        }
        if let Change::ToolCallAdded { .. } | Change::MessagesReplaced = change {
            self.hear_call(key, thread);
        }
        if self.take_call(key, Some((event, change)), thread) {
            self.take_results(key, thread);
            self.take_held(thread);
        }
    }

    /// A new call counts as the agent speaking on, like a text.
    pub(super) fn hear_call(&mut self, key: &str, thread: &Thread) {
        if self.stands
            && let Some(message) = thread.owner(key)
        {
            self.hear_agent(message, thread);
        }
    }

    /// Processes what has arrived of a call. `event` is `None` if no more of it will arrive. Returns true if the call is complete.
    pub(super) fn take_call(&mut self, key: &str, event: Option<(&EventRef<'_>, Change)>, thread: &Thread) -> bool {
        let Some(call) = thread.call(key).filter(|call| self.is_ask(&call.name)) else {
            return false;
        };
        let runs = matches!(thread.run(), RunState::Running { .. });
        if if event.is_none() { !call.ended && runs } else { call.is_told_again() } {
            return false;
        }
        let arguments = thread.arguments_of(call);
        let (event, begins) = event.map_or((None, false), |(event, change)| {
            let is_there = matches!(change, Change::ToolCallChanged { .. });
            (Some(event), is_there && event.kind() == EventType::ToolCallStart)
        });
        let (position, news) = match self.position(key) {
            Some(position) if !begins && !self.tracked[position].makes_way(Some(arguments).filter(|_| call.ended)) => {
                let args = event.filter(|event| event.kind() == EventType::ToolCallArgs);
                (position, args.map_or("", EventRef::delta))
            }
            None if LEGACY && self.repeats(key, arguments, event, thread) => return call.ended,
            None if LEGACY && self.may_repeat(arguments, event, thread) => {
                self.held.push(key.to_owned());
                return false;
            }
            known => {
                let position = self.open_at(known, key, AskSource::Call);
                let metadata = thread.held(call).and_then(|call| call.metadata.as_ref());
                self.tracked[position].take_lang(metadata, &mut self.changes);
                (position, arguments)
            }
        };
        let tracked = &mut self.tracked[position];
        if tracked.snapshot.phase != Phase::Streaming {
            return false;
        }
        tracked.feed(news, &mut self.changes);
        if call.ended {
            tracked.end_arguments(arguments, event.is_some() || runs, &mut self.changes);
            for question in &tracked.ask().questions {
                self.by_question.put(question.question.trim(), position);
            }
        } else if event.is_none() {
            tracked.end_run(&mut self.changes);
        }
        call.ended
    }

    /// Returns true if a call without an ask repeats another call: its arguments are equal, or are so far a prefix of those of a waiting ask. The
    /// agent then asks the same under two ids, and one ask serves both. (The adapter of `LangGraph` does so when a run is resumed,
    /// <https://github.com/ag-ui-protocol/ag-ui/issues/2014>.)
    fn repeats(&mut self, key: &str, arguments: &str, event: Option<&EventRef<'_>>, thread: &Thread) -> bool {
        let known = |it: &TrackedAsk| thread.arguments(it.id()).unwrap_or_default();
        // In a history, the result that ends the other call's ask may come after this call.
        let is_answered = |it: &TrackedAsk| {
            let twins = &it.twins[it.twins.len().saturating_sub(LAST)..];
            let mut results = it.results(twins, thread).into_iter().skip(it.passed);
            thread.owner(it.id()) != thread.owner(key) && results.any(|result| it.read_result(result).is_some())
        };
        let is_waiting = |it: &TrackedAsk| it.snapshot.phase.takes_answer() && !is_answered(it);
        if !thread.call(key).is_some_and(|call| call.ended) {
            let delta = event.map_or(arguments, EventRef::delta);
            // The call was held so far, so its earlier arguments were equal.
            let before = arguments.len().saturating_sub(delta.len());
            let goes_on = |it: &TrackedAsk| known(it).get(before..).is_some_and(|rest| follow(rest, delta).is_some());
            return self.last_call(|it| goes_on(it) && is_waiting(it)).is_some();
        }
        let reply = reply_to(key, thread);
        let twin = self.last_call(|it| {
            (reply.is_some() && reply == reply_to(it.id(), thread) || is_waiting(it)) && is_same(known(it), arguments)
        });
        if let Some(twin) = twin {
            self.positions.put(key, twin);
            self.tracked[twin].twins.push(key.to_owned());
        }
        twin.is_some()
    }

    /// Returns true if a call may repeat an ask that still streams, since the arguments of both agree so far. The call is held until the arguments
    /// of the ask are complete.
    fn may_repeat(&self, arguments: &str, event: Option<&EventRef<'_>>, thread: &Thread) -> bool {
        let delta = event.filter(|event| event.kind() == EventType::ToolCallArgs).map_or(arguments, EventRef::delta);
        let before = arguments.len().saturating_sub(delta.len());
        let may_be_same = |it: &TrackedAsk| {
            let known = thread.arguments(it.id()).unwrap_or_default();
            // The call was held so far, so its earlier arguments were equal.
            let from = before.min(known.len());
            let rests = known.get(from..).zip(arguments.get(from..));
            rests.is_some_and(|(known, rest)| follow(known, rest).or_else(|| follow(rest, known)).is_some())
        };
        self.last_call(|it| it.snapshot.phase == Phase::Streaming && may_be_same(it)).is_some()
    }

    /// Processes the held calls, once the ask that each may repeat is complete or broke off.
    pub(super) fn take_held(&mut self, thread: &Thread) {
        if !LEGACY {
            return;
        }
        for key in mem::take(&mut self.held) {
            let is_streaming =
                matches!(thread.run(), RunState::Running { .. }) && thread.call(&key).is_some_and(|call| !call.ended);
            if is_streaming {
                self.held.push(key);
            } else {
                self.take_whole(&key, thread);
            }
        }
    }

    fn take_whole(&mut self, key: &str, thread: &Thread) {
        if self.take_call(key, None, thread) {
            self.take_results(key, thread);
        }
    }

    fn last_call(&self, is_meant: impl Fn(&TrackedAsk) -> bool) -> Option<usize> {
        let is_it = |position: &usize| {
            let it = &self.tracked[*position];
            it.source == AskSource::Call && is_meant(it)
        };
        (0..self.tracked.len()).rev().take(LAST).find(is_it)
    }

    /// Once one call of an ask has its result, open calls of later messages become asks of their own.
    pub(super) fn part_twins(&mut self, key: &str, thread: &Thread) {
        let Some(ask) = self.position(key) else {
            return;
        };
        let tracked = &mut self.tracked[ask];
        if !LEGACY || tracked.is_open() || tracked.twins.is_empty() {
            return;
        }
        let position = |key: &str| thread.owner(key);
        let is_parted =
            |twin: &str| position(twin) > position(key) && thread.call(twin).is_some_and(|call| !call.is_answered());
        for twin in mem::take(&mut tracked.twins) {
            if is_parted(&twin) {
                self.positions.remove(&twin);
                self.take_whole(&twin, thread);
            } else {
                self.tracked[ask].twins.push(twin);
            }
        }
    }

    /// Processes the calls that the end of a run added, and the list of pending calls. A pending ask that was over waits again.
    pub(super) fn take_pending(&mut self, change: Change, thread: &Thread) {
        if let Change::MessagesReplaced = change {
            for key in thread.unanswered_tool_call_ids() {
                if !self.positions.has(&key) {
                    self.hear_call(&key, thread);
                    self.take_whole(&key, thread);
                }
            }
        }
        for key in thread.pending_tool_call_ids() {
            let is_answered = thread.call(key).is_none_or(|call| call.is_answered());
            let Some(position) = self.position(key) else {
                continue;
            };
            let tracked = &self.tracked[position];
            let is_over = match tracked.snapshot.phase {
                Phase::Settled => true,
                Phase::Answered | Phase::Declined | Phase::Superseded | Phase::Expired => {
                    !is_answered && tracked.over_since < self.run
                }
                _ => false,
            };
            if is_over {
                self.tracked[position].ask_again(thread, &mut self.changes);
            }
        }
    }
}

fn reply_to(key: &str, thread: &Thread) -> Option<String> {
    for result in thread.results(key) {
        if let Some(about) = about(result.metadata()) {
            return Some(about.reply_id);
        }
    }
    None
}
