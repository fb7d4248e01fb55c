//! What messages say about asks: a replayed history, a snapshot, the client's own words.

use super::followed::{Followed, Source, about};
use super::{AskChange, Asks};
use crate::index::Index;
use crate::message::{Message, Role, ToolCall, sorted};
use ask_user_question::matching::match_message;
use ask_user_question::outcome::{AskMetadata, Outcome, OutcomeKind};
use ask_user_question::snapshot::AskPatch;
use ask_user_question::{AskUserQuestion, Phase, Reply};
use json_tree::Json;
use std::slice;

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
        Self { resume: resume.iter().map(sorted).collect(), command: command.map(sorted) }
    }
}

impl Asks {
    /// What a whole history says; its user messages count only for asks that come before them.
    pub fn handle_history(&mut self, messages: &[Message]) -> Vec<AskChange> {
        let mut changes = Vec::new();
        if self.run_is_open {
            self.take_history(messages, &mut changes);
        } else {
            self.open_calls.clear();
            self.take_history(messages, &mut changes);
            self.ask_approvals(&mut changes);
        }
        changes
    }

    /// What a message of the client's own changes: it comes after everything so far.
    pub fn handle_message(&mut self, message: &Message) -> Vec<AskChange> {
        let mut changes = Vec::new();
        match message.role {
            Role::User => self.take_user(message, None, &mut changes),
            Role::Tool => self.take_tool(message, &mut changes),
            _ => {}
        }
        changes
    }

    pub(super) fn take_history(&mut self, messages: &[Message], changes: &mut Vec<AskChange>) {
        let mut before = Index::default();
        for message in messages {
            match message.role {
                Role::Assistant => {
                    for call in message.tool_calls() {
                        if self.is_ask(&call.name) {
                            before.insert(&call.id, 0);
                            self.take_call(call, changes);
                        } else if self.is_approval(&call.name) {
                            before.insert(&call.id, 0);
                            self.note_whole_call(call);
                        }
                    }
                }
                Role::Tool => self.take_tool(message, changes),
                Role::User => {
                    // Who goes on with something else is not asked any more.
                    self.open_calls.clear();
                    self.take_user(message, Some(&before), changes);
                }
                _ => {}
            }
        }
    }

    /// Takes a call whose arguments are complete. One that streamed is known better from its stream.
    fn take_call(&mut self, call: &ToolCall, changes: &mut Vec<AskChange>) {
        if self.positions.contains(&call.id) {
            return;
        }
        let run_is_open = self.run_is_open;
        let followed = self.open(&call.id, Source::Call, changes);
        followed.take_lang(call.metadata.as_ref(), changes);
        followed.feed(&call.arguments, changes);
        followed.end_arguments(changes);
        if followed.snapshot.phase == Phase::Ready && !run_is_open {
            followed.patch(AskPatch::Phase(Phase::Answerable), changes);
        }
    }

    /// In a history it cannot be told in which run a result came, so one that is no answer counts as an acknowledgement.
    fn take_tool(&mut self, tool: &Message, changes: &mut Vec<AskChange>) {
        let open = self.take_open_call(&tool.tool_call_id);
        // Only a result that a user gave tells of a question that was asked.
        if let Some(call) = open.filter(|_| about(tool.metadata()).is_some()) {
            self.ask_approval(&call, changes);
        }
        if let Some(position) = self.positions.get(&tool.tool_call_id) {
            self.followed[position].take_result(&tool.text(), tool.metadata(), true, changes);
        }
    }

    /// Takes a user message: the answer to the ask that it names, or something else, which supersedes the asks `before` it (all, if absent).
    fn take_user(&mut self, user: &Message, before: Option<&Index>, changes: &mut Vec<AskChange>) {
        let text = user.text();
        if let Some(about) = about(user.metadata()) {
            return self.take_answer(&about, &text, changes);
        }
        // One text answers one ask.
        let mut is_taken = false;
        for followed in &mut self.followed {
            let id = followed.snapshot.tool_call_id.as_str();
            let is_before = before.is_none_or(|before| before.contains(id));
            // An ask that still streams came after the message, whatever the order in which they are seen.
            if !is_before
                || !matches!(followed.snapshot.phase, Phase::Ready | Phase::Answerable)
                || followed.source == Source::Interrupt
            {
                continue;
            }
            let ask = followed.snapshot.ask.as_ref();
            // An approval is never read from what may be about something else.
            let ask = ask.filter(|_| !is_taken && followed.source == Source::Call);
            let picked = ask.and_then(|ask| picked(ask, &text));
            is_taken |= picked.is_some();
            followed.settle(picked.or(Some(Outcome::Superseded)), None, changes);
        }
    }

    fn take_answer(&mut self, about: &AskMetadata, text: &str, changes: &mut Vec<AskChange>) {
        let Some(position) = self.positions.get(&about.tool_call_id) else {
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
        followed.settle(outcome, Some(about.outcome), changes);
    }

    pub(super) fn take_resume(&mut self, answers: &Answers, changes: &mut Vec<AskChange>) {
        for entry in &answers.resume {
            let text = |name: &str| entry.get(name).and_then(Json::as_str);
            let is_meant = |it: &Followed| it.interrupt.as_ref().is_some_and(|it| Some(&*it.id) == text("interruptId"));
            let Some(followed) = self.suspended(&is_meant) else {
                continue;
            };
            if text("status") == Some("resolved") {
                let outcome = entry.get("payload").and_then(|payload| followed.read_payload(payload));
                followed.settle(outcome, Some(OutcomeKind::Answered), changes);
            } else {
                followed.settle(Some(Outcome::Declined), None, changes);
            }
        }
        let command = answers.command.as_ref();
        let Some((event, resume)) = command.and_then(|it| Some((it.get("interruptEvent")?, it.get("resume")?))) else {
            return;
        };
        // Several are answered by a list of events and an answer for each id.
        let events = event.as_list().unwrap_or(slice::from_ref(event));
        for event in events {
            let is_meant = |it: &Followed| it.legacy.as_ref().is_some_and(|it| it.value == *event);
            let Some(followed) = self.suspended(&is_meant) else {
                continue;
            };
            let id = followed.legacy.as_ref().map_or("", |legacy| &legacy.id);
            let answer = if events.len() > 1 { resume.get(id) } else { Some(resume) };
            let outcome = answer.and_then(|answer| followed.read_payload(answer));
            followed.settle(outcome, Some(OutcomeKind::Answered), changes);
        }
    }

    /// The ask that is meant and that its interrupt still waits for.
    fn suspended(&mut self, is_meant: &dyn Fn(&Followed) -> bool) -> Option<&mut Followed> {
        self.followed.iter_mut().find(|followed| followed.can_be_ended() && is_meant(followed))
    }
}

/// The answer that a message gives without saying so, which only labels can do: any other text may mean anything.
fn picked(ask: &AskUserQuestion, text: &str) -> Option<Outcome> {
    let Outcome::Answered(reply) = match_message(ask, text, Vec::new()) else {
        return None;
    };
    let only_labels = reply.answers().iter().all(|answer| !answer.selected.is_empty() && answer.other.is_none());
    only_labels.then_some(Outcome::Answered(reply))
}
