//! Asks that come as interrupts.

use super::form::{About, InterruptPart, ReplyForm};
use super::list::Asks;
use super::phase::EndedBy;
use super::record::RecordedWaits;
use super::time::parse_deadline;
use super::tracked::{AskSource, InterruptWait, TrackedAsk, about};
use crate::LEGACY;
use crate::input::{ResumeEntry, ResumeStatus};
use crate::message::{Message, unique};
use crate::outcome::Interrupt;
use crate::thread::Thread;
use ask_user_question::outcome::{Outcome, OutcomeKind};
use ask_user_question::{AskUserQuestion, Phase, Question, QuestionOption};
use json_tree::{Json, WireValue};
use std::mem;
use std::slice;
use std::sync::Arc;

impl Asks {
    /// The id of the message before an ask that an interrupt opened; `None` if a call opened it or no message is before it.
    #[must_use]
    pub fn after(&self, id: &str) -> Option<&str> {
        self.find(id)?.after.as_deref()
    }

    pub(crate) fn handle_interrupts(&mut self, thread: &Thread) {
        self.take_interrupts(&RecordedWaits::default(), thread);
    }

    pub(super) fn take_interrupts(&mut self, recorded: &RecordedWaits, thread: &Thread) {
        for interrupt in thread.open_interrupts() {
            self.bind_interrupt(interrupt, recorded, thread);
        }
    }

    /// Finds or opens the asks of an interrupt and makes them wait, again if they were over. An interrupt that can't be shown waits to be cancelled.
    /// A recorded ask keeps the state from its record.
    fn bind_interrupt(&mut self, interrupt: &Interrupt, recorded: &RecordedWaits, thread: &Thread) {
        let (by, mut bound) = (Arc::new(interrupt.clone()), Vec::new());
        let waits =
            |position: usize| self.tracked[position].wait.as_deref().is_some_and(|wait| wait.by.id == interrupt.id);
        if let Some(bound) = self.by_interrupt.get_mut(&interrupt.id) {
            bound.retain(|position| waits(*position));
        }
        for part in (self.parts)(interrupt, self.call_about(interrupt, thread), self.readers.repairs) {
            let known = recorded.position(&interrupt.id, part.decision.as_ref().map_or(0, |decision| decision.at));
            let position = known.or_else(|| self.ask_about(&by, &part, thread));
            let position = position.unwrap_or_else(|| self.open_interrupt(interrupt, thread));
            let deadline = interrupt.expires_at.as_deref().and_then(parse_deadline);
            let tracked = &mut self.tracked[position];
            if waits_beside(tracked, &by, thread).is_some()
                && let Some(wait) = &mut tracked.wait
            {
                wait.also.push(Arc::clone(&by));
                // The ask can be answered until the last of its interrupts expires.
                let later = tracked.snapshot.expires_at.zip(deadline).map(|(one, other)| one.max(other));
                self.set_time(position, later);
                continue;
            }
            if let Some((ask, form)) = &part.asked
                && (tracked.is_given || tracked.snapshot.ask.is_none())
            {
                // There is no call, or its arguments were unreadable, so the ask is taken from the interrupt.
                tracked.form.clone_from(form);
                if !mem::replace(&mut tracked.is_given, true) {
                    tracked.complete(ask.clone(), &mut self.changes);
                }
            }
            if let Some((_, form @ Some(_))) = &part.asked
                && restates(form)
            {
                tracked.form.clone_from(form);
            }
            if tracked.wait.is_none() {
                self.suspended.push(position);
            }
            tracked.wait = Some(Box::new(InterruptWait {
                by: Arc::clone(&by),
                also: Vec::new(),
                decision: part.decision.clone(),
                is_released: false,
            }));
            if known.is_none() {
                tracked.ask_again(thread, &mut self.changes);
            }
            self.set_time(position, deadline);
            bound.push(position);
        }
        for position in bound {
            self.by_interrupt.put(&interrupt.id, position);
        }
    }

    fn call_about<'t>(&self, interrupt: &Interrupt, thread: &'t Thread) -> About<'t> {
        let key = interrupt.tool_call_id.as_deref().map(|id| thread.key(id));
        match key.and_then(|key| thread.call(&key).map(|call| (call, thread.tool_call(&key)))) {
            Some((call, _)) if self.is_ask(&call.name) => About::Ask,
            Some((_, call)) => About::Foreign(call),
            None => About::Unknown,
        }
    }

    fn open_interrupt(&mut self, interrupt: &Interrupt, thread: &Thread) -> usize {
        // Some agents reuse the id of an earlier interrupt, whose ask stays visible.
        let (mut id, mut run) = (interrupt.id.clone(), self.run);
        while self.positions.has(&id) {
            id = interrupt.id.clone() + "-" + &run.to_string();
            run += 1;
        }
        let position = self.open(&id, AskSource::Interrupt);
        self.tracked[position].after = thread.messages().last().map(|message| message.id().to_owned());
        position
    }

    /// The ask that a part of an interrupt is about. It is the call that the interrupt names, or the ask of an earlier interrupt with the same id
    /// that the ended run was to answer. Otherwise it is the only waiting call that shows the same questions or, if none waits, the only one without
    /// a result from the agent.
    ///
    /// A call with other choices is never used: its answer would consent to something that the user never saw.
    fn ask_about(&self, by: &Arc<Interrupt>, part: &InterruptPart, thread: &Thread) -> Option<usize> {
        // The ask belongs to another part of the same interrupt.
        let is_bound = |tracked: &TrackedAsk| tracked.wait.as_deref().is_some_and(|wait| Arc::ptr_eq(&wait.by, by));
        if let Some(named) = by.tool_call_id.as_deref().and_then(|id| self.position(&thread.key(id)))
            && !is_bound(&self.tracked[named])
            && may_answer(&self.tracked[named], by, part, thread)
        {
            return Some(named);
        }
        let asked = part.asked.as_ref().map(|(ask, _)| ask);
        let is_told = |position: &&usize| {
            let tracked = &self.tracked[**position];
            let is_same = tracked.wait.as_deref().is_some_and(|wait| wait.by.id == by.id);
            is_same && tracked.snapshot.ask.as_deref() == asked && !is_bound(tracked)
        };
        if let Some(told) = self.by_interrupt.get(&by.id).iter().find(is_told) {
            return Some(*told);
        }
        let first = asked.and_then(|ask| ask.questions.first()).map_or("", |question| question.question.trim());
        let (mut waiting, mut open) = (Vec::new(), Vec::new());
        for &position in self.by_question.get(first) {
            let tracked = &self.tracked[position];
            let shows = || asked.is_some_and(|ask| shows(tracked.ask(), ask));
            let is_free = tracked.source == AskSource::Call && tracked.waits_by().is_none();
            if !is_free || is_bound(tracked) || !shows() || waiting.contains(&position) || open.contains(&position) {
                continue;
            }
            if tracked.snapshot.phase == Phase::Answerable {
                waiting.push(position);
            }
            let is_own = |result: &Message| about(result.metadata()).is_none();
            if !thread.results(tracked.id()).into_iter().any(is_own) {
                open.push(position);
            }
        }
        let meant = if waiting.is_empty() { open } else { waiting };
        match meant[..] {
            [only] => Some(only),
            // Decisions come in the same order as the calls.
            [first, ..] if part.decision.is_some() => Some(first),
            _ => None,
        }
    }

    /// A run began, so all interrupts of the last run were answered, even if the answer is unknown.
    pub(super) fn release_interrupts(&mut self, thread: &Thread) {
        for &position in &self.suspended {
            let tracked = &mut self.tracked[position];
            let was_suspended = tracked.waits_by().is_some();
            if let Some(wait) = &mut tracked.wait {
                wait.is_released = true;
            }
            // The call already has a result, so its ask waited only for the interrupt.
            let is_closed = was_suspended && thread.call(tracked.id()).is_some_and(|call| call.is_answered());
            let kind = match tracked.snapshot.phase {
                Phase::Answerable => OutcomeKind::Answered,
                // An ask that can't be shown can only be cancelled.
                Phase::Malformed => OutcomeKind::Declined,
                _ => continue,
            };
            if tracked.source == AskSource::Interrupt || is_closed {
                tracked.end(EndedBy::Outcome(kind), None, self.run, &mut self.changes);
            }
        }
    }

    /// The answers to interrupts in an input, including those to legacy events, which are in a command.
    pub(super) fn answers_in(&self, input: &Json<'_>) -> Vec<ResumeEntry> {
        let mut answers: Vec<ResumeEntry> = input.get("resume").and_then(WireValue::of).unwrap_or_default();
        let command = input.get("forwardedProps").and_then(|props| props.get("command")).filter(|_| LEGACY).map(unique);
        if let Some((event, resume)) =
            command.as_ref().and_then(|it| Some((it.get("interruptEvent")?, it.get("resume")?)))
        {
            // Several interrupts are answered by a list of events and an object of answers by id.
            let events = event.as_list().unwrap_or(slice::from_ref(event));
            for by in self.suspended.iter().flat_map(|position| self.tracked[*position].waits_by_all()) {
                if by.legacy().is_some_and(|value| events.contains(&unique(value))) {
                    let payload = if events.len() > 1 { resume.get(&by.id) } else { Some(resume) };
                    answers.push(ResumeEntry::resolved(&by.id, payload.cloned()));
                }
            }
        }
        answers
    }

    /// Ends the asks whose interrupts are answered. One interrupt may have several asks.
    pub(crate) fn take_resume(&mut self, answers: &[ResumeEntry]) {
        for answer in answers {
            for &position in &self.suspended {
                let tracked = &mut self.tracked[position];
                if tracked.snapshot.phase.is_over() || !tracked.waits_by_all().any(|by| by.id == answer.interrupt_id) {
                    continue;
                }
                let outcome = match answer.status {
                    ResumeStatus::Resolved => answer.payload.as_ref().and_then(|payload| tracked.read_payload(payload)),
                    ResumeStatus::Cancelled => Some(Outcome::Declined),
                };
                let kind = outcome.as_ref().map_or(OutcomeKind::Answered, Outcome::kind);
                // The ask waits again if no run begins or the run fails.
                if let Some(wait) = &mut tracked.wait {
                    wait.is_released = true;
                }
                tracked.end(EndedBy::Outcome(kind), outcome, self.run, &mut self.changes);
            }
        }
    }

    /// The run that took the answers completed, so only the interrupts at its end are still open.
    pub(super) fn forget_interrupts(&mut self) {
        for &position in &self.suspended {
            self.tracked[position].wait.take_if(|wait| wait.is_released);
        }
        self.suspended.retain(|position| self.tracked[*position].wait.is_some());
    }
}

/// The other open interrupt of the same run that the ask waits for, if any.
fn waits_beside<'t>(tracked: &'t TrackedAsk, by: &Interrupt, thread: &Thread) -> Option<&'t Interrupt> {
    let first = tracked.waits_by().filter(|first| first.id != by.id)?;
    thread.open_interrupts().iter().any(|it| it.id == first.id).then_some(first)
}

/// Returns true if the answer to the call that an interrupt names also answers this part. Choices in the interrupt must be among those of the call.
/// If the call has another interrupt, this one must ask for the same, or add no question.
fn may_answer(named: &TrackedAsk, by: &Interrupt, part: &InterruptPart, thread: &Thread) -> bool {
    let Some((ask, form)) = &part.asked else {
        return true;
    };
    let is_shown = restates(form) && shows(named.ask(), ask);
    match waits_beside(named, by, thread) {
        Some(first) => {
            part.decision.is_none()
                && (is_shown || first.message == by.message && first.response_schema == by.response_schema)
        }
        None => {
            let has_choices = ask.questions.iter().any(|question| !question.options.is_empty());
            is_shown || !restates(form) || !has_choices || named.snapshot.ask.is_none()
        }
    }
}

fn restates(form: &Option<Arc<dyn ReplyForm>>) -> bool {
    form.as_ref().is_none_or(|form| form.restates())
}

/// Returns true if a call asks every question of an interrupt. The interrupt may omit options and their descriptions.
fn shows(call: &AskUserQuestion, ask: &AskUserQuestion) -> bool {
    let is_shown = |asked: &Question| {
        let text = asked.question.trim();
        call.questions.iter().any(|shown| shown.question.trim() == text && offers(shown, asked))
    };
    !ask.questions.is_empty() && ask.questions.iter().all(is_shown)
}

/// Returns true if a shown question offers the same options as another one, which may omit them or their descriptions.
fn offers(shown: &Question, asked: &Question) -> bool {
    let says = |shown: &Option<String>, asked: &Option<String>| asked.is_none() || asked == shown;
    let is_same = |shown: &QuestionOption, asked: &QuestionOption| {
        shown.label.trim() == asked.label.trim()
            && says(&shown.description, &asked.description)
            && says(&shown.preview, &asked.preview)
    };
    let has = |asked: &QuestionOption| shown.options.iter().any(|shown| is_same(shown, asked));
    asked.options.is_empty() || shown.options.len() == asked.options.len() && asked.options.iter().all(has)
}
