//! Finds how an ask ended in the messages after its call. Live messages and those of a history are processed alike, one at a time.

use super::list::{Asks, Groups};
use super::phase::EndedBy;
use super::tracked::{AskSource, ResultsSoFar, about, replaces};
use crate::message::{Message, Role};
use crate::reader::EndOutcome;
use crate::thread::{Change, RunState, Thread};
use ask_user_question::outcome::Outcome;
use ask_user_question::text::is_blank;
use ask_user_question::{Phase, Reply};
use json_tree::{Ids, Json};
use std::mem;

impl Asks {
    /// Processes the history that a conversation begins with. Asks with a record are restored from it. Calls wait for approval only if the last run
    /// completed and no interrupt is open.
    pub(crate) fn handle_history(&mut self, records: &[Json<'static>], thread: &Thread) {
        let waits = self.restore(records, thread);
        self.take_history(self.tracked.len(), thread.messages().iter().collect(), thread);
        let ended_well = matches!(
            thread.run(),
            RunState::Idle | RunState::Ended { outcome: EndOutcome::Completed | EndOutcome::Cancelled }
        );
        if ended_well {
            self.ask_approvals(thread);
        }
        self.take_interrupts(&waits, thread);
    }

    pub(crate) fn handle_message(&mut self, change: Change, thread: &Thread) {
        let (Change::MessageAdded { message } | Change::MessageChanged { message }) = change else {
            return;
        };
        let it = &thread.messages()[message];
        match (it.role, about(it.metadata())) {
            (Role::User, Some(_)) => self.take_marked(it, 0, &[], thread),
            (Role::User, None) => {
                self.take_change(it, 0, thread);
                self.take_words(it, 0..self.tracked.len());
            }
            (Role::Tool, _) => {
                let spoke = self.has_spoken(&it.tool_call_id, message, thread);
                self.take_result(&it.tool_call_id, it, spoke, thread);
            }
            (Role::Developer | Role::System | Role::Assistant | Role::Activity | Role::Reasoning, _) => {}
        }
    }

    pub(crate) fn settle(&mut self, result: &Message, thread: &Thread) {
        if let Some(position) = self.position(&thread.key(&result.tool_call_id)) {
            let tracked = &mut self.tracked[position];
            if let Some((end @ EndedBy::Outcome(_), outcome)) = tracked.read_result(result)
                && (tracked.is_open() || tracked.snapshot.phase == Phase::Expired)
            {
                tracked.end(end, outcome, self.run, &mut self.changes);
                tracked.take_via(result, &mut self.changes);
            }
        }
    }

    /// Processes the messages of a history in order. The first `recorded` asks were restored from records and stay unchanged. If there are any, a
    /// call without a record whose arguments broke off is no ask.
    pub(super) fn take_history(&mut self, recorded: usize, messages: Vec<&Message>, thread: &Thread) {
        // The asks that later messages may end, the positions of their calls, and the results that came before their calls.
        let (mut open, mut places) = (Vec::new(), Ids::default());
        let mut early = Groups::default();
        let mut spoken = None;
        for (at, &message) in messages.iter().enumerate() {
            if speaks(message) {
                spoken = Some(at);
                open.retain(|position| {
                    self.go_on(*position, thread);
                    self.tracked[*position].is_open() || self.tracked[*position].is_inferred()
                });
            }
            for call in message.tool_calls() {
                let is_open = || thread.call(&call.id).is_some_and(|call| !call.ended);
                if recorded > 0 && (self.positions.has(&call.id) || is_open()) {
                    continue;
                }
                self.take_call(&call.id, None, thread);
                places.put(&call.id, at);
                for result in early.get_mut(&call.id).map(mem::take).unwrap_or_default() {
                    self.take_result(&call.id, messages[result], false, thread);
                }
                open.extend(self.position(&call.id));
            }
            let key = &*message.tool_call_id;
            match (message.role, about(message.metadata())) {
                (Role::User, None) => {
                    self.take_change(message, recorded, thread);
                    self.take_words(message, open.drain(..));
                }
                (Role::User, Some(_)) => self.take_marked(message, recorded, &open, thread),
                (Role::Tool, about) => {
                    // Only a result that a user gave shows that the call was shown as a question.
                    if about.is_some() {
                        self.ask_approval(key, thread);
                    }
                    match self.position(key) {
                        None => early.put(key, at),
                        Some(position) if position >= recorded => {
                            let asked = places.find(self.tracked[position].id());
                            let spoke = asked < spoken && !self.tracked[position].is_inferred();
                            self.take_result(key, message, spoke, thread);
                        }
                        Some(_) => {}
                    }
                }
                (Role::Developer | Role::System | Role::Assistant | Role::Activity | Role::Reasoning, _) => {}
            }
        }
        self.take_held(thread);
    }

    /// Processes the results that came before the call was complete.
    pub(super) fn take_results(&mut self, key: &str, thread: &Thread) {
        for result in thread.results(key) {
            let spoke = thread.owner(key).is_some_and(|owner| self.has_spoken(key, owner, thread));
            self.take_result(key, result, spoke, thread);
        }
    }

    /// Returns true if the agent spoke after the call: in a message after `position`, or by this call if it repeats an earlier one.
    fn has_spoken(&self, key: &str, position: usize, thread: &Thread) -> bool {
        self.find(key).is_some_and(|it| thread.owner(key) > thread.owner(it.id()))
            || goes_on(&thread.messages()[position + 1..])
    }

    /// Processes a result of a call. If it is no answer, it ends the ask once the agent speaks on.
    fn take_result(&mut self, key: &str, result: &Message, spoke: bool, thread: &Thread) {
        let Some(position) = self.position(key) else {
            return;
        };
        let it = &mut self.tracked[position];
        // An ask that ended without a readable outcome can still get one from the result.
        let is_known = it.snapshot.outcome.is_some() || it.snapshot.result.is_some();
        if it.is_final() && is_known || it.snapshot.phase == Phase::Streaming || it.has_passed(result, thread) {
            return;
        }
        match it.read_result(result) {
            // If there is no readable ask, only declining counts.
            Some((end, outcome)) if !it.is_lost() || outcome == Some(Outcome::Declined) => {
                it.end(end, outcome, self.run, &mut self.changes);
                it.take_via(result, &mut self.changes);
            }
            _ if it.is_lost() => {}
            _ => {
                it.results_so_far = it.results_so_far.max(ResultsSoFar::of(result));
                let may_end = it.is_open() || it.is_inferred();
                self.stands = true;
                if spoke && may_end {
                    self.end_by_words(position, thread);
                }
            }
        }
    }

    /// The agent speaks in a message, so asks before it whose result is no answer are over.
    pub(super) fn hear_agent(&mut self, message: usize, thread: &Thread) {
        if mem::take(&mut self.stands) {
            for position in 0..self.tracked.len() {
                if thread.owner(self.tracked[position].id()) == Some(message) {
                    self.stands = true;
                } else {
                    self.go_on(position, thread);
                }
            }
        }
    }

    /// Ends an open ask whose results so far are no answers, since the agent speaks on.
    fn go_on(&mut self, position: usize, thread: &Thread) {
        if self.tracked[position].is_open() {
            self.end_by_words(position, thread);
        }
    }

    fn end_by_words(&mut self, position: usize, thread: &Thread) {
        let it = &mut self.tracked[position];
        if it.results_so_far != ResultsSoFar::Words {
            return;
        }
        let results = it.results(&it.twins, thread);
        let told = results.iter().skip(it.passed).rfind(|result| it.read_result(result).is_none());
        let Some(told) = told else {
            return;
        };
        match it.read_words(told) {
            Some(outcome) => {
                it.end(EndedBy::Outcome(outcome.kind()), Some(outcome), self.run, &mut self.changes);
            }
            None => {
                it.set_result(told.text().into_owned(), &mut self.changes);
                it.end(EndedBy::Result, None, self.run, &mut self.changes);
            }
        }
    }

    /// Processes a user message that is marked as the end of an ask, unless the ask is one of the `first`. Asks in `again` accept it even after an
    /// unmarked message has ended them.
    fn take_marked(&mut self, message: &Message, first: usize, again: &[usize], thread: &Thread) {
        let Some(about) = about(message.metadata()) else {
            return;
        };
        let place = thread.position_of(message.id());
        let is_before = |key: &String| thread.owner(key) < place;
        let key = thread.keys(&about.tool_call_id).find(is_before);
        let Some(position) = key.and_then(|key| self.position(&key)).filter(|position| *position >= first) else {
            return;
        };
        let it = &mut self.tracked[position];
        let is_again = it.is_inferred() && again.contains(&position);
        if it.is_final() || !(it.is_open() || it.snapshot.phase == Phase::Expired || is_again) {
            return;
        }
        let files = message.files().into_iter().filter_map(|(question, file)| Some((question?, file)));
        let outcome = Outcome::read_message(about.outcome, it.ask(), &message.text(), files.collect());
        it.end(EndedBy::Outcome(about.outcome), outcome, self.run, &mut self.changes);
        it.take_via(message, &mut self.changes);
    }

    /// Applies a user message that changes the answer to an ask, unless the ask is one of the `first`. The message also counts as an ordinary one.
    fn take_change(&mut self, message: &Message, first: usize, thread: &Thread) {
        let Some(call) = replaces(message.metadata()) else {
            return;
        };
        let place = thread.position_of(message.id());
        let key = thread.keys(&call).find(|key| thread.owner(key) < place);
        if let Some(position) = key.and_then(|key| self.position(&key)).filter(|position| *position >= first) {
            let it = &mut self.tracked[position];
            let changed = Reply::read_change(it.ask(), &message.text()).filter(|_| it.takes_change());
            // Applies even before the answer itself, which may arrive later: only the order of the messages counts.
            if changed.is_some() && it.snapshot.replaced != changed {
                it.alter(&mut self.changes).replaced = changed;
            }
        }
    }

    /// Processes a user message without a mark. It ends the waiting asks, and may answer one of them.
    fn take_words(&mut self, message: &Message, asks: impl Iterator<Item = usize>) {
        let (text, mut is_taken) = (message.text(), false);
        for position in asks {
            let it = &mut self.tracked[position];
            if !it.snapshot.phase.takes_answer() || it.source == AskSource::Interrupt || it.is_background() {
                continue;
            }
            // Approval is never read from unmarked text, which may be about something else.
            let ask = it.snapshot.ask.as_ref().filter(|_| !is_taken && it.source == AskSource::Call);
            let outcome = ask.and_then(|ask| (self.readers.typed)(ask, &text)).unwrap_or(Outcome::Superseded);
            is_taken |= matches!(outcome, Outcome::Answered(_));
            it.end(EndedBy::Words(outcome.kind()), Some(outcome), self.run, &mut self.changes);
        }
    }
}

/// Returns true if the agent speaks before the user's next unmarked message.
fn goes_on(messages: &[Message]) -> bool {
    let is_users = |message: &Message| message.role == Role::User && about(message.metadata()).is_none();
    messages.iter().find(|message| speaks(message) || is_users(message)).is_some_and(speaks)
}

fn speaks(message: &Message) -> bool {
    message.role == Role::Assistant && (!message.tool_calls().is_empty() || !is_blank(&message.text()))
}
