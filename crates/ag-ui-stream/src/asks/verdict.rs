//! The verdict on an ask, from its results and from the messages after its call. Live events and a history are judged alike.

use super::list::Asks;
use super::tracked::{AskSource, Ending, TrackedAsk, about, is_placeholder};
use crate::index::Index;
use crate::message::{Message, Role};
use crate::reader::EndOutcome;
use crate::thread::{Change, RunState, Thread};
use ask_user_question::outcome::{Outcome, OutcomeKind};
use ask_user_question::text::is_blank;
use ask_user_question::{Phase, Reply};
use json_tree::Json;
use std::mem;

/// Messages in order, and the answers among them to the asks before them.
#[derive(Default)]
pub(super) struct MessageIndex<'t> {
    messages: Vec<&'t Message>,
    /// They are new, so every call except theirs comes before them. Else they do not concern calls that they do not hold.
    is_new: bool,
    /// The positions of calls.
    calls: Index,
    /// The positions of the user messages that name no ask.
    users: Vec<usize>,
    /// The one that was read as an answer: one text answers one ask.
    taken: Option<usize>,
    /// The positions of the messages in which the agent speaks.
    agent: Vec<usize>,
    /// The positions of the first user messages that name an ask, by its id.
    answers: Index,
}

/// The results that are to be judged.
#[derive(Clone, Copy)]
pub(super) enum JudgedResults<'i, 't> {
    /// All of the call and its twins.
    All,
    /// The same, of a history with this index.
    Told(&'i MessageIndex<'t>),
    /// One that was added at this position.
    Added(usize),
}

impl JudgedResults<'_, '_> {
    pub(super) fn added(change: Change) -> Self {
        if let Change::MessageAdded { message } = change { Self::Added(message) } else { Self::All }
    }
}

/// The verdict on one ask.
#[derive(Default)]
pub(super) struct AskVerdict {
    /// It has a result that is no answer.
    acknowledged: bool,
    /// That result is no placeholder, so the ask is over once the agent speaks on.
    stands: bool,
    /// The end, and the position of the message that caused it.
    end: Option<(Ending, usize)>,
    /// That message names no ask.
    is_inferred: bool,
}

impl AskVerdict {
    /// Returns true unless the ask ended before a message.
    pub(super) fn is_open_at(&self, message: Option<usize>) -> bool {
        self.end.as_ref().is_none_or(|(_, at)| Some(*at) > message)
    }
}

impl<'t> MessageIndex<'t> {
    /// The index of messages that the agent sends, or that a conversation begins with.
    pub(super) fn of(messages: Vec<&'t Message>, thread: &Thread) -> Self {
        let mut index = Self { messages, ..Self::default() };
        for (at, message) in index.messages.iter().enumerate() {
            for call in message.tool_calls() {
                index.calls.insert(&call.id, at);
            }
        }
        for (at, message) in index.messages.iter().enumerate() {
            if speaks(message) {
                index.agent.push(at);
            }
            if message.role != Role::User {
                continue;
            }
            let Some(about) = about(message.metadata()) else {
                index.users.push(at);
                continue;
            };
            let is_before = |key: &String| index.calls.get(key).is_none_or(|call| call < at);
            let key = thread.keys(&about.tool_call_id).find(is_before);
            if let Some(key) = key.filter(|key| !index.answers.contains(key)) {
                index.answers.insert(&key, at);
            }
        }
        index
    }

    /// The index of the messages behind a new result, which is behind its call, up to the words of the agent that end an ask.
    fn behind(result: usize, thread: &'t Thread) -> Self {
        let behind = &thread.messages()[result + 1..];
        let end = behind.iter().position(speaks).map_or(behind.len(), |at| at + 1);
        let mut index = Self::of(behind[..end].iter().collect(), thread);
        index.is_new = true;
        index
    }

    /// The index of one new message.
    fn new(message: &'t Message, thread: &Thread) -> Self {
        let mut index = Self::of(vec![message], thread);
        index.is_new = true;
        index
    }

    /// The position of the message that has the call; `None` if the call comes before them all.
    pub(super) fn place(&self, key: &str) -> Option<usize> {
        self.calls.get(key).or_else(|| (!self.is_new).then_some(usize::MAX))
    }
}

/// The first of the positions that is behind another one; the greatest number if none is.
fn first_after(positions: &[usize], place: Option<usize>) -> usize {
    let next = positions.partition_point(|at| Some(*at) <= place);
    positions.get(next).copied().unwrap_or(usize::MAX)
}

impl Asks {
    /// Takes the history that a conversation begins with. Calls wait for approval only if the last run ended well and no interrupt waits.
    /// An ask that has a record is as that says.
    pub(crate) fn handle_history(&mut self, records: &[Json<'static>], thread: &Thread) {
        let waits = self.restore(records, thread);
        self.take_history(self.tracked.len(), MessageIndex::of(thread.messages().iter().collect(), thread), thread);
        let ended_well = matches!(
            thread.run(),
            RunState::Idle | RunState::Ended { outcome: EndOutcome::Completed | EndOutcome::Cancelled }
        );
        if ended_well && waits.legacy.is_empty() {
            self.ask_approvals(thread);
        }
        self.take_interrupts(&waits, thread);
        self.restore_legacy(&waits, thread);
    }

    /// Takes a message that the thread has, and that came in no event.
    pub(crate) fn handle_message(&mut self, change: Change, thread: &Thread) {
        let (Change::MessageAdded { message } | Change::MessageChanged { message }) = change else {
            return;
        };
        let it = &thread.messages()[message];
        match it.role {
            Role::User => self.judge_all(0, MessageIndex::new(&thread.messages()[message], thread), thread),
            Role::Tool => self.take_result(&it.tool_call_id, JudgedResults::added(change), thread),
            _ => {}
        }
    }

    /// Takes a result that the thread does not have.
    pub(crate) fn settle(&mut self, result: &Message, thread: &Thread) {
        if let Some(position) = self.positions.get(&thread.key(&result.tool_call_id)) {
            let tracked = &mut self.tracked[position];
            if let Some(Ending::Over(outcome, kind)) = tracked.read_result(result)
                && (tracked.is_open() || tracked.snapshot.phase == Phase::Expired)
            {
                tracked.settle(outcome, kind, self.run, &mut self.changes);
            }
        }
    }

    /// Takes the messages of a history. The first asks are as they are, and of the other calls only those are asks that did not break off.
    pub(super) fn take_history(&mut self, recorded: usize, index: MessageIndex<'_>, thread: &Thread) {
        for message in &index.messages {
            for call in message.tool_calls() {
                let is_open = || thread.call(&call.id).is_some_and(|call| !call.ended);
                if recorded > 0 && (self.positions.contains(&call.id) || is_open()) {
                    continue;
                }
                self.take_call(&call.id, None, &index, thread);
            }
            // Only a result from a user is the trace of a question.
            if message.role == Role::Tool && about(message.metadata()).is_some() {
                self.ask_approval(&message.tool_call_id, thread);
            }
        }
        self.judge_all(recorded, index, thread);
    }

    /// Takes the results of a call.
    pub(super) fn take_result(&mut self, key: &str, results: JudgedResults<'_, '_>, thread: &Thread) {
        let Some(position) = self.positions.get(key) else {
            return;
        };
        let it = &self.tracked[position];
        let nothing = MessageIndex::default();
        // The results before it were judged when they came.
        let added = match results {
            JudgedResults::Added(at) if it.passed == 0 && !it.is_inferred => Some(at),
            _ => None,
        };
        let taken = match added {
            Some(at) => vec![&thread.messages()[at]],
            None => it.results(&it.twins, thread).into_iter().skip(it.passed).collect(),
        };
        let mut verdict = self.judge_results(&taken, it, &it.twins, &nothing);
        if verdict.stands {
            // The agent or the user may have spoken before the result came.
            let own;
            let index = match (results, added) {
                (JudgedResults::Told(index), _) if !index.messages.is_empty() => index,
                // That of a twin may have been heard of before.
                (_, Some(at)) if *key == *it.id => {
                    own = MessageIndex::behind(at, thread);
                    &own
                }
                _ => {
                    let from = thread.owner(&it.id).unwrap_or_default();
                    own = MessageIndex::of(thread.messages()[from..].iter().collect(), thread);
                    &own
                }
            };
            verdict = self.judge_results(&taken, it, &it.twins, index);
        }
        self.apply(position, verdict, &mut MessageIndex::default());
    }

    /// The agent speaks in a message. The asks before it that have a result are over.
    pub(super) fn hear_agent(&mut self, message: usize, thread: &Thread) {
        if mem::take(&mut self.stands) {
            self.judge_all(0, MessageIndex::new(&thread.messages()[message], thread), thread);
        }
    }

    fn judge_all(&mut self, from: usize, mut index: MessageIndex<'_>, thread: &Thread) {
        for position in from..self.tracked.len() {
            let it = &self.tracked[position];
            let verdict = self.judge(it, &it.twins, &index, thread);
            self.apply(position, verdict, &mut index);
        }
    }

    fn apply(&mut self, position: usize, verdict: AskVerdict, index: &mut MessageIndex<'_>) {
        let tracked = &mut self.tracked[position];
        tracked.acknowledged |= verdict.acknowledged;
        if let Some((end, at)) = verdict.end {
            let is_inferred = verdict.is_inferred;
            if is_inferred && let Ending::Over(_, OutcomeKind::Answered) = end {
                index.taken = Some(at);
            }
            // The same message is judged once.
            if !(is_inferred && tracked.is_inferred) {
                tracked.end(end, self.run, &mut self.changes);
            }
            tracked.is_inferred = is_inferred;
        } else {
            self.stands |= verdict.stands && tracked.is_open();
        }
    }

    /// Judges an ask by the results of its call and of these twins, and by the messages after its call. Other
    /// changes of its phase hold.
    pub(super) fn judge(
        &self,
        it: &TrackedAsk,
        twins: &[String],
        index: &MessageIndex<'_>,
        thread: &Thread,
    ) -> AskVerdict {
        if it.is_final() || it.snapshot.phase == Phase::Streaming {
            return AskVerdict::default();
        }
        let results: Vec<&Message> = it.results(twins, thread).into_iter().skip(it.passed).collect();
        self.judge_results(&results, it, twins, index)
    }

    /// As [`judge`](Self::judge), by these results.
    fn judge_results(
        &self,
        results: &[&Message],
        it: &TrackedAsk,
        twins: &[String],
        index: &MessageIndex<'_>,
    ) -> AskVerdict {
        let mut verdict = AskVerdict::default();
        if it.is_final() || it.snapshot.phase == Phase::Streaming {
            return verdict;
        }
        let mut last = None;
        for &result in results {
            let is_lost = it.snapshot.ask.is_none() || verdict.end.is_some();
            match it.read_result(result) {
                // The user can still decline a call that has no answerable ask.
                Some(end) if !is_lost || matches!(end, Ending::Over(Some(Outcome::Declined), _)) => {
                    let goes_on = matches!(end, Ending::Refused);
                    verdict.end = Some((end, index.place(&it.id).map_or(0, |call| call.saturating_add(1))));
                    if !goes_on {
                        return verdict;
                    }
                }
                _ if is_lost => {}
                _ => {
                    verdict.acknowledged = true;
                    verdict.stands |= !is_placeholder(&result.text());
                    last = Some(result);
                }
            }
        }
        if verdict.end.is_none() {
            let result = last.filter(|_| verdict.stands);
            if let Some((end, at, is_inferred)) = self.first_end(it, twins, result, index) {
                (verdict.end, verdict.is_inferred) = (Some((end, at)), is_inferred);
            }
        }
        verdict
    }

    /// The first end of an ask after its call, its position, and true if a user message that names no ask is the cause. A `result` that is no answer
    /// does so once the agent speaks on.
    fn first_end(
        &self,
        it: &TrackedAsk,
        twins: &[String],
        result: Option<&Message>,
        index: &MessageIndex<'_>,
    ) -> Option<(Ending, usize, bool)> {
        let call = index.place(&it.id);
        let is_judged_again = it.is_inferred && index.calls.contains(&it.id);
        let is_open = it.is_open() || is_judged_again;
        let (mut answer, mut user, mut agent) = (usize::MAX, usize::MAX, usize::MAX);
        if !index.answers.is_empty() && (is_open || it.snapshot.phase == Phase::Expired) {
            let answer_to = |key: &str| index.answers.get(key).unwrap_or(usize::MAX);
            answer = answer_to(&it.id);
            for twin in twins {
                answer = answer.min(answer_to(twin));
            }
        }
        if (it.is_waiting() || is_judged_again) && it.source != AskSource::Interrupt {
            user = first_after(&index.users, call);
        }
        if is_open && result.is_some() {
            agent = first_after(&index.agent, call);
        }
        let first = answer.min(user).min(agent);
        if first == usize::MAX {
            return None;
        }
        let text = index.messages[first].text();
        let end = if first == agent {
            let told = result?.text();
            match (self.readers.result)(it.ask(), &told) {
                Some(outcome) => Ending::of(outcome),
                None => Ending::Told(told.into_owned()),
            }
        } else if first == user {
            // An approval is never read from a text that may be about something else.
            let ask = it.snapshot.ask.as_ref().filter(|_| index.taken != Some(user) && it.source == AskSource::Call);
            Ending::of(ask.and_then(|ask| (self.readers.typed)(ask, &text)).unwrap_or(Outcome::Superseded))
        } else {
            let kind = about(index.messages[first].metadata())?.outcome;
            let outcome = match kind {
                OutcomeKind::Answered => Reply::read_message(it.ask(), &text).map(Outcome::Answered),
                OutcomeKind::RepliedInChat => Some(Outcome::replied_in_chat(it.ask(), &*text, Vec::new())),
                _ => None,
            };
            Ending::Over(outcome, kind)
        };
        Some((end, first, first == user))
    }
}

/// Returns true if the agent speaks in a message.
fn speaks(message: &Message) -> bool {
    message.role == Role::Assistant && (!message.tool_calls().is_empty() || !is_blank(&message.text()))
}
