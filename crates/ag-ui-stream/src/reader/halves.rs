//! Halves of characters. UTF-16 has many characters in two halves, and JSON may escape them: `\ud83d\ude00`. A producer that cuts its text
//! at UTF-16 units sends the halves in two deltas. No string here can hold a half, so the first waits for the second. A half that stays
//! alone becomes U+FFFD, wherever in an event it is.

use crate::event::{Event, ReasoningMessageContent, TextMessageContent, ToolCallArgs};
use crate::index::Index;
use json_tree::Halves;
use std::collections::VecDeque;
use std::mem;

const ALONE: char = char::REPLACEMENT_CHARACTER;

/// Joins halves over the deltas of each message and call.
#[derive(Debug, Default)]
pub(super) struct Joiner {
    /// Those of the present event.
    halves: Halves,
    /// First halves, by what they are part of.
    waiting: [Index; 3],
}

/// What deltas make grow.
#[derive(Clone, Copy)]
enum Growing {
    Text,
    Arguments,
    Reasoning,
}

impl Joiner {
    /// The next event begins, with these halves.
    pub(super) fn begin(&mut self, halves: Halves) {
        self.halves = halves;
    }

    /// Whether an event goes on as it is.
    pub(super) fn is_idle(&self) -> bool {
        self.halves == Halves::default() && self.waiting.iter().all(Index::is_empty)
    }

    /// Passes a verified event on. A half that waits goes into the next delta, or into one of its own before the end.
    pub(super) fn pass(&mut self, mut event: Event, events: &mut VecDeque<Event>) {
        match &mut event {
            Event::TextMessageContent(e) => {
                self.join(Growing::Text, &e.message_id, &mut e.delta);
            }
            Event::ToolCallArgs(e) => self.join(Growing::Arguments, &e.tool_call_id, &mut e.delta),
            Event::ReasoningMessageContent(e) => {
                self.join(Growing::Reasoning, &e.message_id, &mut e.delta);
            }
            Event::TextMessageEnd(e) => {
                self.end(Growing::Text, &e.message_id, &e.subagent_run_id, events);
            }
            Event::ToolCallEnd(e) => {
                self.end(Growing::Arguments, &e.tool_call_id, &e.subagent_run_id, events);
            }
            Event::ReasoningMessageEnd(e) => {
                self.end(Growing::Reasoning, &e.message_id, &e.subagent_run_id, events);
            }
            Event::RunError(_) => self.end_all(events),
            _ => {}
        }
        events.push_back(event);
    }

    fn join(&mut self, growing: Growing, id: &str, delta: &mut String) {
        if delta.is_empty() {
            return;
        }
        let waiting = &mut self.waiting[growing as usize];
        let halves = mem::take(&mut self.halves);
        let (mut joined, mut rest) = (String::new(), &**delta);
        if let Some(first) = waiting.get(id).and_then(|first| u16::try_from(first).ok()) {
            waiting.remove(id);
            let units = [Some(first), halves.second].into_iter().flatten();
            joined.extend(char::decode_utf16(units).map(|it| it.unwrap_or(ALONE)));
            if halves.second.is_some() {
                rest = rest.strip_prefix(ALONE).unwrap_or(rest);
            }
        }
        if let Some(first) = halves.first {
            waiting.insert(id, first.into());
            rest = rest.strip_suffix(ALONE).unwrap_or(rest);
        }
        joined += rest;
        *delta = joined;
    }

    fn end(&mut self, growing: Growing, id: &str, subagent: &Option<String>, events: &mut VecDeque<Event>) {
        if self.waiting[growing as usize].remove(id) {
            events.push_back(growing.by_half(id, subagent.clone()));
        }
    }

    /// What grows when a run fails is not ended, but grows no more.
    fn end_all(&mut self, events: &mut VecDeque<Event>) {
        for growing in [Growing::Text, Growing::Arguments, Growing::Reasoning] {
            let waiting = mem::take(&mut self.waiting[growing as usize]);
            events.extend(waiting.ids().map(|id| growing.by_half(id, None)));
        }
    }
}

impl Growing {
    /// The event by which something grows by a half that stayed alone.
    fn by_half(self, id: &str, subagent_run_id: Option<String>) -> Event {
        match self {
            Self::Text => TextMessageContent { subagent_run_id, ..TextMessageContent::new(id, ALONE) }.into(),
            Self::Arguments => ToolCallArgs { subagent_run_id, ..ToolCallArgs::new(id, ALONE) }.into(),
            Self::Reasoning => {
                ReasoningMessageContent { subagent_run_id, ..ReasoningMessageContent::new(id, ALONE) }.into()
            }
        }
    }
}
