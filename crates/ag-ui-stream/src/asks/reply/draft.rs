use super::body::body;
use super::delivery::{AskedBy, Delivery};
use super::refusal::Refusal;
use super::turn::{AskReply, NextRun, RunDefaults, UserTurn};
use crate::LEGACY;
use crate::asks::form::{Decision, ReplyForm};
use crate::asks::list::Asks;
use crate::asks::parts::takes_plain_text;
use crate::asks::time::parse_deadline;
use crate::asks::tracked::{AskSource, ResultsSoFar, TrackedAsk};
use crate::input::{ResumeEntry, ResumeStatus};
use crate::message::{Message, Metadata, Role};
use crate::outcome::Interrupt;
use crate::reader::EndOutcome;
use crate::thread::{RunState, Thread, in_place};
use ask_user_question::outcome::{
    AnsweredBy, AskMetadata, CANCELLED_TEXT, DECLINED_TEXT, EXPIRED_TEXT, Outcome, OutcomeKind, SUPERSEDED_TEXT,
};
use ask_user_question::{AskSnapshot, AskUserQuestion, Phase};
use json_tree::Json;
use std::borrow::Cow;
use std::iter;

const UNFINISHED_TEXT: &str = "Not finished: the run ended before this tool call had its result.";

/// The result for an ask whose answer is not known to this client.
const ANSWERED_TEXT: &str = "The user answered this question before.";

pub(super) struct InputDraft<'a> {
    now: u64,
    thread: &'a Thread,
    asks: &'a Asks,
    setup: &'a RunDefaults,
    /// The results of calls (the first `results` messages), then the user's messages.
    messages: Vec<Message>,
    results: usize,
    answers: Vec<(&'a Interrupt, ResumeEntry)>,
    replied: Vec<&'a str>,
}

type NextId<'n> = &'n mut dyn FnMut() -> String;

impl<'a> InputDraft<'a> {
    pub(super) fn new(now: u64, thread: &'a Thread, asks: &'a Asks, setup: &'a RunDefaults) -> Self {
        Self { now, thread, asks, setup, messages: Vec::new(), results: 0, answers: Vec::new(), replied: Vec::new() }
    }

    pub(super) fn add(&mut self, reply: &'a AskReply, next_id: NextId<'_>) -> Result<(), Refusal> {
        let (id, outcome) = (&reply.tool_call_id, &reply.outcome);
        let Some(tracked) = self.asks.find(id) else {
            return Err(Refusal::UnknownAsk { tool_call_id: id.clone() });
        };
        let phase = tracked.snapshot.phase;
        // A call takes one result. If it has one and the ask still waits, as after an acknowledgement, only a user message is sent. The same if the
        // call is in no message any more: the agent would find a result without its call.
        let call = self.thread.call(id);
        let is_closed = call.is_some_and(|call| call.is_answered());
        let is_gone = call.is_some() && self.open_calls(tracked).is_empty();
        let takes_result = tracked.results_so_far == ResultsSoFar::None && !is_closed && !is_gone;
        let waits = tracked.waits_by().is_some() || phase == Phase::Answerable;
        let is_replied = self.replied.contains(&tracked.id());
        if is_replied || !can_end(phase, outcome) || is_closed && tracked.results_so_far == ResultsSoFar::None && !waits
        {
            return Err(Refusal::NotAnswerable { tool_call_id: id.clone(), phase });
        }
        self.replied.push(&tracked.snapshot.tool_call_id);
        if let Some(by) = self.waits_by(tracked) {
            return match tracked.decision() {
                Some(decision) if by.legacy().is_some() || !is_expired(self.now, by) => {
                    self.decide(tracked, decision, by, reply)
                }
                _ => self.answer_interrupts(tracked, reply),
            };
        }
        let agent = self.setup.agent;
        let delivery = match self.setup.delivery {
            // The agent's server waits only for the result.
            _ if tracked.source == AskSource::Approval => Delivery::ToolResult,
            _ if tracked.is_background() => Delivery::UserMessage,
            Delivery::Automatic => match tracked.asked_by() {
                // The interrupt is no longer open.
                AskedBy::Interrupt => Delivery::automatic(AskedBy::Call, agent),
                asked => Delivery::automatic(asked, agent),
            },
            Delivery::Endpoint => Delivery::UserMessage,
            chosen => chosen,
        };
        if delivery == Delivery::Resume {
            return Err(Refusal::NoInterrupt { tool_call_id: id.clone() });
        }
        // A result is text, and a model can't use the bytes of a file in it.
        let has_files = outcome.attachments().iter().any(|(_, file)| !file.url.is_empty());
        if takes_result {
            let told = if has_files { Cow::Owned(outcome.clone().without_data()) } else { Cow::Borrowed(outcome) };
            let (content, error) = result_of(tracked, &told)?;
            for call in self.open_calls(tracked) {
                self.close(next_id(), call, content.clone(), error.clone(), Some(self.metadata(call, reply)));
            }
        }
        if !takes_result || has_files || delivery == Delivery::UserMessage {
            let text = match outcome {
                Outcome::Answered(answer) => answer.message(),
                Outcome::RepliedInChat { text, .. } => text.clone(),
                // Without a selection, the tool message suffices.
                _ if takes_result => return Ok(()),
                outcome => outcome.tool_content(tracked.ask()),
            };
            let attached = outcome.attachments();
            let files = attached.iter().map(|(question, file)| (Some(*question), *file));
            let message = Message::user_with_files(next_id(), text, files);
            self.say(message, Some(self.metadata(id, reply)));
        }
        Ok(())
    }

    pub(super) fn say(&mut self, mut message: Message, metadata: Option<Metadata>) {
        message.metadata = metadata;
        self.messages.push(message);
    }

    /// The calls of an ask that are in a message and have no result.
    fn open_calls(&self, tracked: &'a TrackedAsk) -> Vec<&'a str> {
        let calls = iter::once(tracked.id()).chain(tracked.twins.iter().map(String::as_str));
        calls.filter(|call| self.is_open(call)).collect()
    }

    fn is_open(&self, call: &str) -> bool {
        self.thread.call(call).is_some_and(|it| !it.is_answered()) && self.thread.owner(call).is_some()
    }

    fn close(&mut self, id: String, call: &str, content: String, error: Option<String>, metadata: Option<Metadata>) {
        let mut message = Message::tool(id, self.thread.wire_id(call), content);
        message.set_call_key(call.to_owned());
        (message.error, message.metadata) = (error, metadata);
        self.messages.insert(self.results, message);
        self.results += 1;
    }

    /// The interrupt that the ask's answer resumes, if the last run still waits for it.
    fn waits_by(&self, tracked: &'a TrackedAsk) -> Option<&'a Interrupt> {
        tracked.waits_by().filter(|by| self.is_waiting(by))
    }

    fn is_waiting(&self, by: &Interrupt) -> bool {
        self.thread.open_interrupts().iter().any(|open| open.id == by.id)
    }

    /// Answers each open interrupt of an ask. Expired ones are [cancelled](Self::cancel_expired).
    fn answer_interrupts(&mut self, tracked: &'a TrackedAsk, reply: &AskReply) -> Result<(), Refusal> {
        let mut is_late = Ok(());
        let mut is_sent = false;
        for by in tracked.waits_by_all() {
            if !self.is_waiting(by) {
                continue;
            }
            if let Err(expired) = self.check_deadline(by, &reply.outcome) {
                is_late = Err(expired);
                continue;
            }
            let mut payload = None;
            if gives_content(&reply.outcome) || by.legacy().is_some() {
                let is_plain = takes_plain_text(by);
                payload = Some(answer(tracked, tracked.form.as_deref(), &reply.outcome, is_plain)?);
            }
            // Several decisions may share an interrupt. If it has expired, it takes none of them and is cancelled once.
            if self.entry(by).is_none() {
                self.resume(by, payload, Some(self.metadata(&reply.tool_call_id, reply)));
            }
            is_sent = true;
        }
        if is_sent { Ok(()) } else { is_late }
    }

    fn check_deadline(&self, by: &Interrupt, outcome: &Outcome) -> Result<(), Refusal> {
        if gives_content(outcome) && is_expired(self.now, by) {
            return Err(Refusal::Expired { interrupt_id: by.id.clone() });
        }
        Ok(())
    }

    fn decide(
        &mut self,
        part: &'a TrackedAsk,
        decision: &Decision,
        by: &'a Interrupt,
        reply: &AskReply,
    ) -> Result<(), Refusal> {
        self.check_deadline(by, &reply.outcome)?;
        let checked = if part.form.is_some() { without_files(part.ask(), &reply.outcome) } else { Ok(()) };
        let decided = checked.and_then(|()| decision.form.write(part.ask(), &reply.outcome));
        let refuse = |message| Refusal::Payload { tool_call_id: reply.tool_call_id.clone(), message };
        let decided = decided.map_err(refuse)?;
        if self.entry(by).is_none() {
            let none = Json::List(vec![Json::Null; decision.of]);
            let none = if decision.is_list { none } else { Json::object([("decisions", none)]) };
            let metadata = self.metadata(&reply.tool_call_id, reply);
            self.resume(by, Some(none), Some(metadata));
        }
        let entry = self.answers.iter_mut().find(|(answered, _)| answered.id == by.id);
        let payload = entry.and_then(|(_, entry)| entry.payload.as_mut());
        let decisions = match payload {
            Some(Json::Object(payload)) => payload.find_mut("decisions"),
            list => list,
        };
        if let Some(Json::List(decisions)) = decisions
            && let Some(place) = decisions.get_mut(decision.at)
        {
            *place = decided;
        }
        Ok(())
    }

    /// Adds the answer to an interrupt; without a payload, the interrupt is cancelled.
    fn resume(&mut self, interrupt: &'a Interrupt, payload: Option<Json<'static>>, metadata: Option<Metadata>) {
        let status = if payload.is_some() { ResumeStatus::Resolved } else { ResumeStatus::Cancelled };
        let entry = ResumeEntry { interrupt_id: interrupt.id.clone(), status, payload, metadata };
        self.answers.push((interrupt, entry));
    }

    pub(super) fn close_lost_asks(&mut self, said: &UserTurn, next_id: NextId<'_>) {
        for tracked in &self.asks.tracked {
            let AskSnapshot { tool_call_id: id, phase, outcome, .. } = &tracked.snapshot;
            let open = self.open_calls(tracked);
            if open.is_empty()
                || said.replies.iter().any(|reply| reply.tool_call_id == *id)
                || self.waits_by(tracked).is_some()
            {
                continue;
            }
            let text = match phase {
                Phase::Malformed => "Invalid input: the arguments could not be read.",
                Phase::Interrupted => CANCELLED_TEXT,
                Phase::Expired => EXPIRED_TEXT,
                Phase::Superseded => SUPERSEDED_TEXT,
                // If the agent waits for something else, it still keeps these calls.
                Phase::Answered if !self.is_suspended() => ANSWERED_TEXT,
                Phase::Declined if !self.is_suspended() => DECLINED_TEXT,
                _ => continue,
            };
            let is_unread = *phase == Phase::Malformed;
            let told = outcome.as_ref().filter(|_| !is_unread).and_then(|outcome| result_of(tracked, outcome).ok());
            let (content, error) = told.unwrap_or_else(|| {
                let error = is_unread.then(|| "The arguments could not be read.".to_owned());
                (text.to_owned(), error)
            });
            for call in open {
                self.close(next_id(), call, content.clone(), error.clone(), None);
            }
        }
    }

    /// Adds a result to each call of the agent's own tools that its run left open, since `events/tool-calls` forbids an open call in the next run.
    /// After a run that did not complete, open calls of this page's other tools get one, too.
    pub(super) fn close_agents_calls(&mut self, next_id: NextId<'_>) {
        if self.is_suspended() {
            return;
        }
        let is_broken = matches!(
            self.thread.run(),
            RunState::Ended {
                outcome: EndOutcome::Truncated | EndOutcome::Error | EndOutcome::Rejected | EndOutcome::Cancelled
            }
        );
        for id in self.thread.unanswered_tool_call_ids() {
            if self.asks.find(&id).is_none() && (is_broken || !self.is_pages(&id)) {
                self.close(next_id(), &id, UNFINISHED_TEXT.to_owned(), Some(UNFINISHED_TEXT.to_owned()), None);
            }
        }
    }

    fn is_suspended(&self) -> bool {
        !self.thread.open_interrupts().is_empty()
    }

    fn is_pages(&self, call: &str) -> bool {
        let call = self.thread.call(call);
        call.is_some_and(|call| self.setup.tools.iter().any(|tool| tool.name == call.name))
    }

    pub(super) fn cancel_expired(&mut self) {
        for interrupt in self.thread.open_interrupts() {
            if interrupt.legacy().is_none() && self.entry(interrupt).is_none() && is_expired(self.now, interrupt) {
                self.resume(interrupt, None, None);
            }
        }
    }

    fn metadata(&self, call: &str, reply: &AskReply) -> Metadata {
        self.about(call, &reply.reply_id, reply.outcome.kind(), reply.by).to_metadata()
    }

    pub(super) fn replacing(&self, call: &str, reply_id: &str) -> Metadata {
        let about = self.about(call, reply_id, OutcomeKind::Answered, AnsweredBy::Card);
        AskMetadata { replaces: Some(about.tool_call_id.clone()), ..about }.to_metadata()
    }

    fn about(&self, call: &str, reply_id: &str, outcome: OutcomeKind, by: AnsweredBy) -> AskMetadata {
        let (tool_call_id, reply_id) = (self.thread.wire_id(call).to_owned(), reply_id.to_owned());
        AskMetadata { tool_call_id, reply_id, outcome, by, replaces: None, via: None }
    }

    fn entry(&self, interrupt: &Interrupt) -> Option<&ResumeEntry> {
        self.answers.iter().find(|(answered, _)| answered.id == interrupt.id).map(|(_, entry)| entry)
    }

    pub(super) fn finish(self, run_id: String) -> Result<NextRun, Refusal> {
        self.check()?;
        let (results, said) = self.messages.split_at(self.results);
        let mut history = in_place(self.thread.in_told_order(), results.iter().collect());
        // Activities are only for the page and are never sent to the agent.
        history.retain(|message| message.role != Role::Activity);
        history.extend(said);
        let mut props = self.setup.forwarded_props.clone();
        let (legacy, standard): (Vec<_>, Vec<_>) = self.answers.iter().partition(|(it, _)| it.legacy().is_some());
        if let Some(command) = command(&legacy).filter(|_| LEGACY) {
            props.push(("command".into(), command));
        }
        let resume = standard.into_iter().map(|(_, entry)| Json::from(entry)).collect();
        let body = body(self.setup, &run_id, &history, self.thread.state(), &props, resume);
        let answers = self.answers.into_iter().map(|(_, entry)| entry).collect();
        Ok(NextRun { run_id, body, messages: self.messages, answers })
    }

    /// Fails if the input would leave a question, an interrupt or a call of this page's other tools unanswered.
    fn check(&self) -> Result<(), Refusal> {
        let waiting = self.asks.tracked.iter().filter(|it| self.lacks_answer(it));
        let tool_call_ids: Vec<String> = waiting.map(|it| it.id().to_owned()).collect();
        if !tool_call_ids.is_empty() {
            return Err(Refusal::QuestionsWait { tool_call_ids });
        }
        let open = self.thread.open_interrupts().iter().filter(|it| it.legacy().is_none() && self.entry(it).is_none());
        let interrupt_ids: Vec<String> = open.map(|it| it.id.clone()).collect();
        if !interrupt_ids.is_empty() {
            return Err(Refusal::OpenInterrupts { interrupt_ids });
        }
        let mut tool_call_ids = self.thread.unanswered_tool_call_ids();
        tool_call_ids.retain(|id| self.lacks_result(id));
        if tool_call_ids.is_empty() { Ok(()) } else { Err(Refusal::OpenCalls { tool_call_ids }) }
    }

    fn lacks_answer(&self, tracked: &'a TrackedAsk) -> bool {
        let id = tracked.snapshot.tool_call_id.as_str();
        if self.replied.contains(&id) {
            return false;
        }
        match self.waits_by(tracked) {
            // All decisions of an interrupt are sent together, including those that can't be shown.
            Some(by) if tracked.decision().is_some() && self.entry(by).is_some_and(|it| it.payload.is_some()) => true,
            Some(by) => tracked.is_open() && (by.legacy().is_some() || self.entry(by).is_none()),
            None => tracked.is_open() && self.is_open(id),
        }
    }

    /// Returns true if a call of this page's other tools has no result. The calls of open interrupts are kept by the agent.
    fn lacks_result(&self, id: &String) -> bool {
        let is_held = |it: &Interrupt| it.tool_call_id.as_ref().is_some_and(|call| self.thread.key(call) == *id);
        self.is_pages(id)
            && self.asks.find(id).is_none()
            && !self.messages.iter().any(|message| message.tool_call_id == *id)
            && !self.thread.open_interrupts().iter().any(is_held)
    }
}

fn gives_content(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Answered(_) | Outcome::RepliedInChat { .. })
}

fn can_end(phase: Phase, outcome: &Outcome) -> bool {
    match phase {
        Phase::Answerable => true,
        Phase::Expired | Phase::Malformed | Phase::Interrupted => !gives_content(outcome),
        _ => false,
    }
}

/// The content of the tool message for an outcome, and its error. A dismissed approval is an error, never consent.
fn result_of(tracked: &TrackedAsk, outcome: &Outcome) -> Result<(String, Option<String>), Refusal> {
    let form = tracked.form.as_deref().filter(|_| tracked.source == AskSource::Approval);
    let content = answer(tracked, form, outcome, false)?.plain_text();
    let is_error = form.is_some() && !gives_content(outcome);
    let error = is_error.then(|| content.clone());
    Ok((content, error))
}

/// The content that is sent for an outcome: in the ask's reply format, in the tool's own, or as plain text if the question was plain text.
fn answer(
    tracked: &TrackedAsk,
    form: Option<&dyn ReplyForm>,
    outcome: &Outcome,
    is_plain: bool,
) -> Result<Json<'static>, Refusal> {
    let answer = match (outcome, form) {
        (_, Some(form)) => without_files(tracked.ask(), outcome).and_then(|()| form.write(tracked.ask(), outcome)),
        (Outcome::Answered(reply), None) if is_plain => {
            without_files(tracked.ask(), outcome).map(|()| reply.message().into())
        }
        _ => Ok(outcome.to_json(tracked.ask())),
    };
    let refuse = |message| Refusal::Payload { tool_call_id: tracked.snapshot.tool_call_id.clone(), message };
    answer.map_err(refuse)
}

/// Refuses files if the agent reads answers in its own format or as plain text, which can't carry files.
fn without_files(ask: &AskUserQuestion, outcome: &Outcome) -> Result<(), String> {
    match outcome.attachments().first().and_then(|(question, _)| ask.questions.get(*question)) {
        Some(question) => Err(String::from("\"") + &question.question + "\" takes no files"),
        None => Ok(()),
    }
}

/// The command with the answers and, as `CopilotKit` sends it (<https://github.com/CopilotKit/CopilotKit/pull/3505>), the events that asked for
/// them. Several answers are an object by interrupt id, the only form that `LangGraph` takes
/// (<https://github.com/ag-ui-protocol/ag-ui/issues/2178>).
fn command(answers: &[&(&Interrupt, ResumeEntry)]) -> Option<Json<'static>> {
    let value = |(by, _): &(&Interrupt, ResumeEntry)| by.legacy().cloned().unwrap_or_default();
    let answer = |(_, entry): &(&Interrupt, ResumeEntry)| entry.payload.clone().unwrap_or_default();
    let (resume, events) = match answers {
        [] => return None,
        [only] => (answer(only), value(only)),
        several => {
            let by_id = several.iter().map(|it| (it.0.id.clone().into(), answer(it))).collect();
            (Json::Object(by_id), Json::List(several.iter().map(|it| value(it)).collect()))
        }
    };
    Some(Json::object([("resume", resume), ("interruptEvent", events)]))
}

fn is_expired(now: u64, interrupt: &Interrupt) -> bool {
    interrupt.expires_at.as_deref().and_then(parse_deadline).is_some_and(|deadline| deadline <= now)
}
