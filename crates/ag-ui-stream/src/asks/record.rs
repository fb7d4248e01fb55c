//! The records of asks in a history. They hold what messages lack, so that a restored conversation has the same asks.

use super::approvals::question;
use super::list::Asks;
use super::phase::{Arguments, EndedBy, Facts};
use super::tracked::{AskSource, ResultsSoFar, TrackedAsk};
use crate::LEGACY;
use crate::outcome::Interrupt;
use crate::thread::Thread;
use ask_user_question::Outcome;
use ask_user_question::outcome::{OutcomeKind, Via};
use json_tree::{Ids, Json};
use std::iter;
use std::sync::Arc;

/// The positions of the asks that wait, by [`part_key`].
#[derive(Default)]
pub(super) struct RecordedWaits(Ids);

impl RecordedWaits {
    pub(super) fn position(&self, interrupt: &str, part: usize) -> Option<usize> {
        self.0.find(&part_key(interrupt, part))
    }
}

fn part_key(interrupt: &str, part: usize) -> String {
    format!("{part} {interrupt}")
}

impl EndedBy {
    const OTHERS: [(Self, &str); 3] =
        [(Self::Result, "result"), (Self::Refusal, "refusal"), (Self::Deadline, "deadline")];

    fn named(name: &str) -> Option<Self> {
        let other = Self::OTHERS.into_iter().find(|(_, own)| *own == name);
        other.map(|(end, _)| end).or_else(|| OutcomeKind::from_word(name).map(Self::Outcome))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Outcome(kind) | Self::Words(kind) => kind.as_str(),
            _ => Self::OTHERS.into_iter().find(|(end, _)| *end == self).map_or("", |(_, name)| name),
        }
    }
}

impl Asks {
    pub(crate) fn records(&self, thread: &Thread) -> impl Iterator<Item = Json<'static>> {
        let dropped = self.positions.iter().filter_map(|(key, _)| thread.record_of_dropped(key));
        self.tracked.iter().map(|it| it.record(thread)).chain(dropped)
    }

    pub(super) fn restore(&mut self, records: &[Json<'static>], thread: &Thread) -> RecordedWaits {
        let mut waits = RecordedWaits::default();
        for record in records {
            let Some(position) = self.restore_ask(record, thread) else {
                continue;
            };
            self.stands = true;
            for twin in record.items("twins").iter().filter(|_| LEGACY).filter_map(Json::as_str) {
                if thread.call(twin).is_some() && !self.positions.has(twin) {
                    self.positions.put(twin, position);
                    self.tracked[position].twins.push(twin.to_owned());
                }
            }
            // The history may no longer have the result messages.
            self.tracked[position].results_so_far = match (is(record, "isAcknowledged"), is(record, "hasLastWord")) {
                (_, true) => ResultsSoFar::Words,
                _ if is(record, "isAsked") => ResultsSoFar::Asked,
                (true, _) => ResultsSoFar::Placeholder,
                _ => ResultsSoFar::None,
            };
            for id in record.items("interrupts").iter().filter_map(|interrupt| interrupt.string("id")) {
                waits.0.put(&part_key(id, number(record, "part")), position);
            }
        }
        waits
    }

    /// Restores an ask from its record. `None` if the record is of something else, or if its messages are gone.
    fn restore_ask(&mut self, record: &Json<'static>, thread: &Thread) -> Option<usize> {
        let (id, source) = (record.string("id")?, AskSource::from_word(record.string("by")?)?);
        let (call, after) = (thread.call(id), record.string("after"));
        if self.positions.has(id)
            || (source == AskSource::Interrupt) == call.is_some()
            || after.is_some_and(|after| thread.message(after).is_none())
        {
            return None;
        }
        let position = self.open(id, source);
        self.begun.pop();
        let (tracked, changes) = (&mut self.tracked[position], &mut self.changes);
        let end = record.string("end").and_then(EndedBy::named);
        let end = match end {
            Some(EndedBy::Outcome(kind)) if is(record, "isInferred") => Some(EndedBy::Words(kind)),
            end => end,
        };
        tracked.set(Facts { is_running: false, end, ..tracked.facts }, changes);
        tracked.after = after.map(str::to_owned);
        match call {
            Some(call) if LEGACY && source == AskSource::Approval => {
                let (ask, form) = thread.held(call).and_then(question).unzip();
                tracked.form = form.flatten();
                ask.into_iter().for_each(|ask| tracked.complete(ask, changes));
            }
            Some(call) => {
                let arguments = thread.arguments_of(call);
                tracked.take_lang(thread.held(call).and_then(|call| call.metadata.as_ref()), changes);
                tracked.feed(arguments, changes);
                if call.ended {
                    tracked.end_arguments(arguments, false, changes);
                }
            }
            None => {}
        }
        if let Some(ask) = record.get("ask").and_then(|ask| self.readers.repairs.read(ask)) {
            tracked.is_given = true;
            tracked.complete(ask, changes);
        } else if is(record, "isUnreadable") {
            tracked.set(Facts { arguments: Arguments::Unreadable, ..tracked.facts }, changes);
        }
        if let Some(outcome) = record.string("outcome").and_then(|content| Outcome::parse(tracked.ask(), content)) {
            tracked.alter(changes).outcome = Some(outcome);
        }
        if let Some(Outcome::Answered(reply)) =
            record.string("replaced").and_then(|content| Outcome::parse(tracked.ask(), content))
        {
            tracked.alter(changes).replaced = Some(reply);
        }
        if let Some(via) = Via::read(record) {
            tracked.alter(changes).via = Some(via);
        }
        if let Some(result) = record.string("result") {
            tracked.set_result(result.to_owned(), changes);
        }
        tracked.passed = number(record, "passed");
        if source == AskSource::Call {
            for question in &self.tracked[position].ask().questions {
                self.by_question.put(question.question.trim(), position);
            }
        }
        if let Some(Json::Number(deadline)) = record.get("expiresAt") {
            self.set_time(position, deadline.as_u64());
        }
        Some(position)
    }
}

impl TrackedAsk {
    /// The state of the ask that is neither in its call nor in the messages.
    fn record(&self, thread: &Thread) -> Json<'static> {
        let text = |text: &str| Json::from(text.to_owned());
        let flag = |is: bool| is.then_some(Json::Bool(true));
        let count = |count: usize| (count > 0).then(|| count.into());
        let list = |items: Vec<Json<'static>>| (!items.is_empty()).then_some(Json::List(items));
        let snapshot = &self.snapshot;
        let is_open = |by: &Interrupt| thread.open_interrupts().iter().any(|it| it.id == by.id);
        let wait = self.wait.as_deref().filter(|wait| !wait.is_released || is_open(&wait.by));
        // No run was started to answer the interrupt, so the restored ask waits again.
        let is_again = wait.is_some_and(|wait| wait.is_released);
        let passed = if is_again { self.results(&self.twins, thread).len() } else { self.passed };
        let interrupt = |by: &Arc<Interrupt>| Json::object([("id", text(&by.id))]);
        let interrupts = wait.map(|wait| iter::once(&wait.by).chain(&wait.also).map(interrupt).collect());
        Json::object_of(&mut [
            ("id", Some(text(self.id()))),
            ("by", Some(self.source.as_str().into())),
            ("isUnreadable", flag(self.facts.arguments == Arguments::Unreadable)),
            ("ask", snapshot.ask.as_deref().filter(|_| self.is_given).map(Json::from)),
            ("after", self.after.as_deref().map(text)),
            ("end", self.facts.end.filter(|_| !is_again).map(|end| end.name().into())),
            ("outcome", snapshot.outcome.as_ref().map(|outcome| outcome.tool_content(self.ask()).into())),
            ("replaced", snapshot.replaced.as_ref().map(|reply| Json::from(reply).to_string().into())),
            ("via", snapshot.via.as_ref().map(|via| text(&via.name))),
            ("answeredBy", snapshot.via.as_ref().and_then(|via| via.answered_by.as_deref()).map(text)),
            ("result", snapshot.result.as_deref().map(text)),
            ("isAcknowledged", flag(self.results_so_far != ResultsSoFar::None)),
            ("isAsked", flag(self.is_background())),
            ("hasLastWord", flag(self.results_so_far == ResultsSoFar::Words)),
            ("isInferred", flag(self.is_inferred() && !is_again)),
            ("passed", count(passed)),
            ("twins", list(self.twins.iter().map(|twin| text(twin)).collect())),
            ("interrupts", interrupts.map(Json::List)),
            ("part", wait.and_then(|wait| count(wait.decision.as_ref()?.at))),
            ("expiresAt", snapshot.expires_at.map(|at| Json::Number(at.into()))),
        ])
    }
}

fn is(record: &Json<'_>, name: &str) -> bool {
    record.get(name).and_then(Json::as_bool) == Some(true)
}

fn number(record: &Json<'_>, name: &str) -> usize {
    record.get(name).and_then(Json::as_index).unwrap_or_default()
}
