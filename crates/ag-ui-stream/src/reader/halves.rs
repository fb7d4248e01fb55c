//! Surrogate pairs that are cut in two. JSON may escape a character by its two UTF-16 units: `\ud83d\ude00`. A producer in JavaScript that cuts its
//! text between them sends the halves in two deltas (as <https://github.com/elizaOS/eliza/issues/30904> does). A `str` can't hold half a pair, so
//! the first half is kept until the second arrives. A half that stays alone becomes U+FFFD.

use crate::LEGACY;
use crate::protocol::{EntityKind, EventEffect, EventRule};
use crate::wire::{Members, set};
use json_tree::{Halves, Ids, Json};
use std::mem;

const ALONE: char = char::REPLACEMENT_CHARACTER;

/// Joins surrogate halves across the deltas of each message and call.
#[derive(Debug, Default)]
pub(super) struct Joiner {
    halves: Halves,
    /// The first halves that wait, by kind and id of their text, call or reasoning.
    waiting: [Ids; 3],
}

type JoinedSink<'s, 'a> = &'s mut dyn FnMut(&'static EventRule, Members<'a>);

impl Joiner {
    pub(super) fn begin(&mut self, halves: Halves) {
        self.halves = halves;
    }

    /// Returns true if no half waits, so that the event passes unchanged.
    pub(super) fn is_idle(&self) -> bool {
        !LEGACY || self.halves == Halves::default() && self.waiting.iter().all(|waiting| waiting.is_empty())
    }

    /// Passes a verified event to the sink. A waiting half is put before the next delta, or into an extra delta before the end.
    pub(super) fn pass<'a>(&mut self, rule: &'static EventRule, mut event: Members<'a>, sink: JoinedSink<'_, 'a>) {
        match rule.effect {
            _ if !LEGACY => {}
            EventEffect::Grow(entity) => self.join(entity, &mut event),
            EventEffect::Close(entity) => {
                let id = event.string(entity.id()).unwrap_or_default();
                if self.waiting.get_mut(entity as usize).is_some_and(|waiting| waiting.remove(id).is_some()) {
                    by_half(entity, id, event.string("subagentRunId"), sink);
                }
            }
            // When a run fails, open entities get no closing event, so the waiting halves are sent here.
            EventEffect::FailRun => {
                let kinds = [EntityKind::Text, EntityKind::Call, EntityKind::Reasoning];
                for (waiting, entity) in self.waiting.iter_mut().zip(kinds) {
                    for (id, _) in mem::take(waiting).iter() {
                        by_half(entity, id, None, sink);
                    }
                }
            }
            // Other events neither grow nor end an entity.
            _ => {}
        }
        sink(rule, event);
    }

    fn join(&mut self, entity: EntityKind, event: &mut Members<'_>) {
        let id = event.string(entity.id()).unwrap_or_default();
        let delta = event.string("delta").unwrap_or_default();
        let Some(waiting) = self.waiting.get_mut(entity as usize).filter(|_| !delta.is_empty()) else {
            return;
        };
        let halves = mem::take(&mut self.halves);
        let (mut joined, mut rest) = (String::new(), delta);
        if let Some(first) = waiting.remove(id) {
            let first = first as u16;
            let whole = halves.second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
            joined.push(whole.unwrap_or(ALONE));
            if whole.is_some() {
                rest = rest.strip_prefix(ALONE).unwrap_or(rest);
            }
        }
        if let Some(first) = halves.first {
            waiting.put(id, first.into());
            rest = rest.strip_suffix(ALONE).unwrap_or(rest);
        }
        joined += rest;
        if let Some((_, delta)) = event.iter_mut().find(|(key, _)| key == "delta") {
            *delta = Json::Text(joined.into());
        }
    }
}

fn by_half(entity: EntityKind, id: &str, owner: Option<&str>, sink: JoinedSink<'_, '_>) {
    let [_, content, ..] = entity.rows();
    let mut event = content.members();
    set(&mut event, entity.id(), id);
    set(&mut event, "delta", "\u{FFFD}");
    if let Some(owner) = owner {
        set(&mut event, "subagentRunId", owner);
    }
    sink(content, event);
}
