//! What messages say about asks: a replayed history, a snapshot, the client's own words.

use super::calls::speaks;
use super::followed::{Followed, Source, about};
use super::{AskChange, Asks, is_running};
use crate::index::Index;
use crate::message::{Message, Role, unique};
use crate::reader::EndOutcome;
use crate::thread::{RunState, Thread};
use ask_user_question::matching::match_message;
use ask_user_question::outcome::{AskMetadata, Outcome, OutcomeKind};
use ask_user_question::snapshot::AskPatch;
use ask_user_question::{AskUserQuestion, Phase, Reply};
use json_tree::Json;
use std::{mem, slice};

/// What an input says to interrupts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answers {
    pub(crate) resume: Vec<Json<'static>>,
    /// The answers to legacy interrupts.
    pub(crate) command: Option<Json<'static>>,
}

impl Answers {
    /// Those of an input that the walk has passed.
    pub(super) fn of(input: &Json<'_>) -> Self {
        let resume = input.get("resume").and_then(Json::as_list).unwrap_or_default();
        let command = input.get("forwardedProps").and_then(|props| props.get("command"));
        Self { resume: resume.iter().map(unique).collect(), command: command.map(unique) }
    }
}

impl Asks {
    /// What a whole history says, which the thread has taken; its user messages count only for asks that come before them. Calls wait for
    /// approval only if the last run ended well, and nothing else waits.
    pub fn handle_history(&mut self, thread: &Thread) -> Vec<AskChange> {
        let mut changes = Vec::new();
        let messages: Vec<&Message> = thread.messages().iter().collect();
        self.take_history(&messages, thread, &mut changes);
        let ended_well = matches!(
            thread.run(),
            RunState::Idle | RunState::Ended { outcome: EndOutcome::Completed | EndOutcome::Cancelled }
        );
        if ended_well && self.legacy.is_empty() {
            self.ask_approvals(thread, &mut changes);
        }
        self.take_interrupts(thread, &mut changes);
        self.take_legacy(thread, &mut changes);
        changes
    }

    /// What a message of the client's own changes: it comes after everything so far.
    pub fn handle_message(&mut self, message: &Message, thread: &Thread) -> Vec<AskChange> {
        let mut changes = Vec::new();
        match message.role {
            Role::User => self.take_user(message, None, thread, &mut changes),
            Role::Tool => self.note_result(&thread.key(&message.tool_call_id), message, &mut changes),
            _ => {}
        }
        changes
    }

    /// Takes messages in their order.
    pub(super) fn take_history(&mut self, messages: &[&Message], thread: &Thread, changes: &mut Vec<AskChange>) {
        let mut before = Index::default();
        for message in messages {
            match message.role {
                Role::Assistant => {
                    if speaks(message) {
                        self.hear_agent(&|call| before.contains(call), thread, changes);
                    }
                    for call in message.tool_calls() {
                        if self.is_ask(&call.name) {
                            before.insert(&call.id, 0);
                            self.take_call(&call.id, thread, changes);
                        } else if self.is_approval(&call.name) {
                            before.insert(&call.id, 0);
                        }
                    }
                }
                Role::Tool => self.take_tool(message, thread, changes),
                Role::User => self.take_user(message, Some(&before), thread, changes),
                _ => {}
            }
        }
    }

    /// Takes a call whose arguments are complete. One that streamed is known better from its stream, unless that broke off.
    pub(super) fn take_call(&mut self, key: &str, thread: &Thread, changes: &mut Vec<AskChange>) {
        let Some(call) = thread.tool_call(key).filter(|call| self.is_ask(&call.name)) else {
            return;
        };
        let known = self.positions.get(key);
        if known.is_some_and(|known| !self.followed[known].makes_way()) || !thread.call(key).is_some_and(|it| it.ended)
        {
            return;
        }
        let reply = reply_to(key, thread);
        let same = |it: &Followed| {
            let is_same_reply = reply.is_some() && reply == reply_to(&it.id, thread);
            (it.is_waiting() || is_same_reply) && thread.arguments(&it.id) == Some(&*call.arguments)
        };
        if known.is_none()
            && let Some(twin) = self.last_call(same)
        {
            self.positions.insert(key, twin);
            self.followed[twin].twins.push(key.to_owned());
            return;
        }
        let followed = self.open(key, Source::Call, changes);
        followed.take_lang(call.metadata.as_ref(), changes);
        followed.feed(&call.arguments, changes);
        followed.end_arguments(&call.arguments, changes);
        if followed.snapshot.phase == Phase::Ready && !is_running(thread) {
            followed.patch(AskPatch::Phase(Phase::Answerable), changes);
        }
    }

    fn take_tool(&mut self, tool: &Message, thread: &Thread, changes: &mut Vec<AskChange>) {
        let key = &tool.tool_call_id;
        // Only a result that a user gave tells of a question that was asked.
        if about(tool.metadata()).is_some() {
            self.ask_approval(key, thread, changes);
        }
        self.note_result(key, tool, changes);
    }

    /// Takes a user message: the answer to the ask that it names, or something else, which supersedes the asks `before` it (all, if absent).
    fn take_user(&mut self, user: &Message, before: Option<&Index>, thread: &Thread, changes: &mut Vec<AskChange>) {
        let text = user.text();
        if let Some(about) = about(user.metadata()) {
            let is_before = |key: &str| before.is_none_or(|before| before.contains(key));
            let key = thread.keys(&about.tool_call_id).find(|key| is_before(key));
            let key = key.map_or_else(|| thread.key(&about.tool_call_id), Into::into);
            return self.take_answer(&key, &about, &text, changes);
        }
        // One text answers one ask.
        let mut is_taken = false;
        for position in mem::take(&mut self.open) {
            let followed = &mut self.followed[position];
            // An ask that still streams came after the message, whatever the order in which they are seen.
            if !followed.is_waiting()
                || followed.source == Source::Interrupt
                || before.is_some_and(|before| !before.contains(&followed.id))
            {
                if followed.is_open() {
                    self.open.push(position);
                }
                continue;
            }
            let ask = followed.snapshot.ask.as_ref();
            // An approval is never read from what may be about something else.
            let ask = ask.filter(|_| !is_taken && followed.source == Source::Call);
            let picked = ask.and_then(|ask| (self.readers.typed)(ask, &text));
            is_taken |= picked.is_some();
            followed.is_inferred = true;
            followed.settle(picked.or(Some(Outcome::Superseded)), None, self.run, changes);
        }
    }

    fn take_answer(&mut self, key: &str, about: &AskMetadata, text: &str, changes: &mut Vec<AskChange>) {
        let Some(position) = self.positions.get(key) else {
            return;
        };
        let followed = &mut self.followed[position];
        if !followed.is_open() && followed.snapshot.phase != Phase::Expired {
            return;
        }
        let ask = followed.snapshot.ask.as_ref();
        let outcome = match about.outcome {
            OutcomeKind::Answered => ask.and_then(|ask| Reply::read_message(ask, text)).map(Outcome::Answered),
            OutcomeKind::RepliedInChat => ask.map(|ask| Outcome::replied_in_chat(ask, text, Vec::new())),
            OutcomeKind::Declined | OutcomeKind::Expired | OutcomeKind::Superseded | OutcomeKind::Cancelled => None,
        };
        followed.settle(outcome, Some(about.outcome), self.run, changes);
    }

    /// Takes the answers to interrupts. One interrupt may ask for several.
    pub(super) fn take_resume(&mut self, answers: &Answers, changes: &mut Vec<AskChange>) {
        for entry in &answers.resume {
            let text = |name: &str| entry.get(name).and_then(Json::as_str);
            let payload = entry.get("payload").filter(|_| text("status") == Some("resolved"));
            let is_meant = |it: &Followed| it.interrupt().is_some_and(|it| Some(&*it.id) == text("interruptId"));
            self.take_payload(&is_meant, text("status") == Some("resolved"), |_| payload, changes);
        }
        let command = answers.command.as_ref();
        let Some((event, resume)) = command.and_then(|it| Some((it.get("interruptEvent")?, it.get("resume")?))) else {
            return;
        };
        // Several are answered by a list of events and an answer for each id.
        let events = event.as_list().unwrap_or(slice::from_ref(event));
        for event in events {
            let is_meant = |it: &Followed| it.legacy().is_some_and(|it| unique(&it.value) == *event);
            let answer = |it: &Followed| match it.legacy() {
                Some(legacy) if events.len() > 1 => resume.get(&legacy.id),
                _ => Some(resume),
            };
            self.take_payload(&is_meant, true, answer, changes);
        }
    }

    /// Settles the asks that are meant and that their interrupt still waits for.
    fn take_payload<'p>(
        &mut self,
        is_meant: &dyn Fn(&Followed) -> bool,
        is_resolved: bool,
        payload: impl Fn(&Followed) -> Option<&'p Json<'static>>,
        changes: &mut Vec<AskChange>,
    ) {
        for followed in &mut self.followed {
            if followed.can_be_ended() && is_meant(followed) {
                let outcome = match is_resolved {
                    true => payload(followed).and_then(|payload| followed.read_payload(payload)),
                    false => Some(Outcome::Declined),
                };
                followed.settle(outcome, Some(OutcomeKind::Answered), self.run, changes);
            }
        }
    }
}

/// The id of the reply that the client gave to a call.
fn reply_to(key: &str, thread: &Thread) -> Option<String> {
    thread.results(key).find_map(|result| Some(about(result.metadata())?.reply_id))
}

/// The answer that a message gives without saying so, which only labels can do: any other text may mean anything.
pub(super) fn picked(ask: &AskUserQuestion, text: &str) -> Option<Outcome> {
    let Outcome::Answered(reply) = match_message(ask, text, Vec::new()) else {
        return None;
    };
    let only_labels = reply.answers().iter().all(|answer| !answer.selected.is_empty() && answer.other.is_none());
    only_labels.then_some(Outcome::Answered(reply))
}
