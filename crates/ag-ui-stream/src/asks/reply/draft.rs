use super::{AskReply, Delivery, NextRun, Refusal, Said, Setup};
use crate::asks::followed::{Followed, Source};
use crate::asks::form::{Form, about};
use crate::asks::history::Answers;
use crate::asks::interrupts::{Legacy, raw, takes_reply};
use crate::asks::time::parse_deadline;
use crate::asks::{Asks, reply::AskedBy};
use crate::input::{PROTOCOL_VERSION, ResumeEntry};
use crate::message::{Message, Metadata, Role, borrowed};
use crate::outcome::Interrupt;
use crate::reader::EndOutcome;
use crate::thread::{RunState, Thread};
use ask_user_question::outcome::{AskMetadata, CANCELLED_TEXT, DECLINED_TEXT, EXPIRED_TEXT, Outcome, SUPERSEDED_TEXT};
use ask_user_question::{Phase, Reply};
use json_tree::{Json, Members};

/// What the agent reads for a call of its own tool that its run left open.
const UNFINISHED_TEXT: &str = "Not finished: the run ended before this tool call had its result.";

/// What it reads for an ask that was answered where nobody remembers how.
const ANSWERED_TEXT: &str = "The user answered this question before.";

/// An input that is being put together.
pub(super) struct Draft<'a> {
    now: u64,
    thread: &'a Thread,
    asks: &'a Asks,
    setup: &'a Setup,
    delivery: Delivery,
    tool: Vec<Message>,
    user: Vec<Message>,
    resume: Vec<ResumeEntry>,
    /// The answers to legacy interrupts.
    commands: Vec<(&'a Legacy, Json<'static>)>,
    /// The asks that are answered.
    replied: Vec<&'a str>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(now: u64, thread: &'a Thread, asks: &'a Asks, setup: &'a Setup, delivery: Delivery) -> Self {
        Self {
            now,
            thread,
            asks,
            setup,
            delivery,
            tool: Vec::new(),
            user: Vec::new(),
            resume: Vec::new(),
            commands: Vec::new(),
            replied: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, reply: &AskReply, next_id: &mut impl FnMut() -> String) -> Result<(), Refusal> {
        let id = &reply.tool_call_id;
        let asks = self.asks;
        let followed = asks.find(id).ok_or_else(|| Refusal::UnknownAsk { tool_call_id: id.clone() })?;
        check_phase(followed, &reply.outcome)?;
        // A call has one result. An ask that waits nevertheless, as after an acknowledgement, is answered by a user message alone.
        let is_closed = self.thread.call(id).is_some_and(|call| call.answered);
        let takes_result = !followed.acknowledged && !is_closed;
        let waits = followed.is_suspended() || followed.snapshot.phase == Phase::Answerable;
        if is_closed && !followed.acknowledged && !waits {
            return Err(Refusal::NotAnswerable { tool_call_id: id.clone(), phase: followed.snapshot.phase });
        }
        self.replied.push(&followed.snapshot.tool_call_id);
        if let Some(legacy) = &followed.legacy {
            let answer = legacy_answer(followed, &legacy.value, &reply.outcome)?;
            self.commands.push((legacy, answer));
            return Ok(());
        }
        if let Some(interrupt) = self.interrupt_of(followed) {
            let entry = self.resume_entry(followed, interrupt, reply)?;
            self.resume.push(entry);
            return Ok(());
        }
        let delivery = match self.delivery {
            // Its server waits for the result alone.
            _ if followed.source == Source::Approval => Delivery::ToolResult,
            Delivery::Automatic(agent) => match followed.asked_by() {
                // Its interrupt is over.
                AskedBy::Interrupt => Delivery::automatic(AskedBy::Call, agent),
                asked => Delivery::automatic(asked, agent),
            },
            chosen => chosen,
        };
        if delivery == Delivery::Resume {
            return Err(Refusal::NoInterrupt { tool_call_id: id.clone() });
        }
        let metadata = metadata(reply);
        let ask = followed.snapshot.ask.clone().unwrap_or_default();
        if takes_result {
            let (content, error) = result_of(followed, &reply.outcome)?;
            let message = Message::tool(next_id(), id, content);
            self.tool.push(message.with_error(error).with_metadata(Some(metadata.clone())));
        }
        let text = match &reply.outcome {
            Outcome::Answered(answer) => Some(answer.message()),
            Outcome::RepliedInChat { text, .. } => Some(text.clone()),
            // There is no selection to say; only a closed call has no other way to hear of it.
            outcome => (!takes_result).then(|| outcome.tool_content(&ask)),
        };
        if let Some(text) = text.filter(|_| !takes_result || delivery == Delivery::UserMessage) {
            self.user.push(Message::user(next_id(), text).with_metadata(Some(metadata)));
        }
        Ok(())
    }

    /// Adds a message beside the answers.
    pub(super) fn say(&mut self, id: String, text: &str) {
        self.user.push(Message::user(id, text));
    }

    /// The interrupt that an ask is to be answered by, while the last run still waits for it.
    fn interrupt_of(&self, followed: &Followed) -> Option<&'a Interrupt> {
        let interrupt = followed.interrupt.as_ref()?;
        self.thread.open_interrupts().iter().find(|open| open.id == interrupt.id)
    }

    fn resume_entry(
        &self,
        followed: &Followed,
        interrupt: &Interrupt,
        reply: &AskReply,
    ) -> Result<ResumeEntry, Refusal> {
        let ask = followed.snapshot.ask.as_ref();
        let payload = match (&reply.outcome, &followed.form) {
            (Outcome::Answered(answer), Some(form)) => Some(form_payload(followed, form, answer)?),
            (Outcome::RepliedInChat { text, .. }, Some(_)) => {
                return Err(no_answer(followed, text));
            }
            (Outcome::Answered(answer), None) if raw(interrupt).is_some_and(|it| !takes_reply(it)) => {
                Some(answer.message().into())
            }
            (Outcome::Answered(answer), None) => Some(Json::from(answer)),
            (outcome @ Outcome::RepliedInChat { .. }, None) => {
                ask.and_then(|ask| Some(Json::parse(&outcome.tool_content(ask)).ok()?.into_static()))
            }
            (Outcome::Declined | Outcome::Expired | Outcome::Superseded | Outcome::Cancelled, _) => None,
        };
        if payload.is_some() && is_expired(self.now, interrupt) {
            return Err(Refusal::Expired { interrupt_id: interrupt.id.clone() });
        }
        let (is_resolved, metadata) = (payload.is_some(), Some(metadata(reply)));
        Ok(ResumeEntry { interrupt_id: interrupt.id.clone(), is_resolved, payload, metadata })
    }

    /// Gives the calls of asks that are over, and that nobody told the agent about, the result that they are over.
    pub(super) fn close_lost_asks(&mut self, said: &Said, next_id: &mut impl FnMut() -> String) {
        let (asks, thread) = (self.asks, self.thread);
        for followed in &asks.followed {
            let id = &followed.snapshot.tool_call_id;
            let is_unanswered = thread.call(id).is_some_and(|call| !call.answered);
            if !is_unanswered
                || said.replies.iter().any(|reply| reply.tool_call_id == *id)
                || self.is_waited_for(followed)
            {
                continue;
            }
            let phase = followed.snapshot.phase;
            let text = match phase {
                Phase::Malformed => "Invalid input: the arguments could not be read.",
                Phase::Interrupted => CANCELLED_TEXT,
                Phase::Expired => EXPIRED_TEXT,
                Phase::Superseded => SUPERSEDED_TEXT,
                // An agent that waits for something else still has these calls in hand.
                Phase::Answered if !self.is_suspended() => ANSWERED_TEXT,
                Phase::Declined if !self.is_suspended() => DECLINED_TEXT,
                _ => continue,
            };
            let is_unread = phase == Phase::Malformed;
            let outcome = followed.snapshot.outcome.as_ref().filter(|_| !is_unread);
            let told = outcome.and_then(|outcome| result_of(followed, outcome).ok());
            let unread = is_unread.then(|| "The arguments could not be read.".to_owned());
            let (content, error) = told.unwrap_or_else(|| (text.to_owned(), unread));
            self.close(next_id(), id, content, error.as_deref());
        }
    }

    /// Gives the calls of the agent's own tools that its run left open the result that they were not finished: nobody else will, and no later
    /// run could start. After a run that did not end well that goes for the calls of this page's other tools, too.
    pub(super) fn close_agents_calls(&mut self, next_id: &mut impl FnMut() -> String) {
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
                self.close(next_id(), &id, UNFINISHED_TEXT, Some(UNFINISHED_TEXT));
            }
        }
    }

    fn close(&mut self, id: String, call: &str, content: impl Into<String>, error: Option<&str>) {
        self.tool.push(Message::tool(id, call, content.into()).with_error(error.map(str::to_owned)));
    }

    /// Whether the last run ended in interrupts: the agent still holds its open calls.
    fn is_suspended(&self) -> bool {
        !self.thread.open_interrupts().is_empty() || self.asks.legacy_interrupts().next().is_some()
    }

    /// Whether a call is one of a tool that this page offers.
    fn is_pages(&self, call: &str) -> bool {
        let call = self.thread.call(call);
        call.is_some_and(|call| self.setup.tools.iter().any(|tool| tool.name == call.name))
    }

    /// Whether the agent waits for the answer to an ask by an interrupt.
    fn is_waited_for(&self, followed: &Followed) -> bool {
        followed.legacy.is_some() || self.interrupt_of(followed).is_some()
    }

    /// Cancels the interrupts that have expired, which needs nobody.
    pub(super) fn cancel_expired(&mut self, said: &Said) {
        if said.replies.is_empty() && said.text.is_none() {
            return;
        }
        for interrupt in self.thread.open_interrupts() {
            if !self.resumes(interrupt) && is_expired(self.now, interrupt) {
                self.resume.push(ResumeEntry::cancelled(&interrupt.id));
            }
        }
    }

    fn resumes(&self, interrupt: &Interrupt) -> bool {
        let mut entries = self.resume.iter();
        entries.any(|entry| entry.interrupt_id == interrupt.id)
    }

    pub(super) fn finish(self, run_id: String) -> Result<NextRun, Refusal> {
        self.check_questions()?;
        self.check_interrupts()?;
        self.check_calls()?;
        let mut history: Vec<&Message> = self.thread.messages().iter().collect();
        for result in &self.tool {
            let makes_call =
                |it: &&Message| it.tool_calls().iter().any(|call| Some(&*call.id) == result.tool_call_id());
            let owner = history.iter().position(makes_call);
            let at = owner.map_or(history.len(), |owner| {
                let behind = history[owner + 1..].iter().take_while(|message| message.role == Role::Tool);
                owner + 1 + behind.count()
            });
            history.insert(at, result);
        }
        history.extend(&self.user);
        let mut props = self.setup.forwarded_props.clone();
        let command = command(&self.commands);
        props.extend(command.clone().map(|command| ("command".into(), command)));
        let body = body(self.setup, &run_id, &history, self.thread.state(), &props, &self.resume);
        let answers = Answers { resume: self.resume, command };
        Ok(NextRun { run_id, body, messages: self.tool.into_iter().chain(self.user).collect(), answers })
    }

    /// Refuses to leave a question without its answer.
    fn check_questions(&self) -> Result<(), Refusal> {
        let waits = |followed: &&Followed| {
            let id = &followed.snapshot.tool_call_id;
            let resumed = self.interrupt_of(followed).map(|it| self.resumes(it));
            let is_open = || self.thread.call(id).is_some_and(|call| !call.answered);
            followed.is_open()
                && !self.replied.contains(&id.as_str())
                && match resumed {
                    Some(is_resumed) => !is_resumed,
                    None => followed.legacy.is_some() || is_open(),
                }
        };
        let waiting = self.asks.followed.iter().filter(waits);
        let ids: Vec<String> = waiting.map(|it| it.snapshot.tool_call_id.clone()).collect();
        if ids.is_empty() {
            return Ok(());
        }
        Err(Refusal::QuestionsWait { tool_call_ids: ids })
    }

    fn check_interrupts(&self) -> Result<(), Refusal> {
        let open = self.thread.open_interrupts().iter();
        let open = open.filter(|interrupt| !self.resumes(interrupt));
        let ids: Vec<String> = open.map(|interrupt| interrupt.id.clone()).collect();
        if ids.is_empty() {
            return Ok(());
        }
        Err(Refusal::OpenInterrupts { interrupt_ids: ids })
    }

    /// Refuses to leave a call of this page's other tools without its result. What the agent holds is its own affair, and so is every ask now.
    fn check_calls(&self) -> Result<(), Refusal> {
        let mut open = self.thread.unanswered_tool_call_ids();
        open.retain(|id| {
            let of_interrupt = |it: &Interrupt| it.tool_call_id.as_ref() == Some(id);
            let is_answered = self.tool.iter().any(|it| it.tool_call_id() == Some(id));
            !is_answered
                && self.asks.find(id).is_none()
                && self.is_pages(id)
                && !self.thread.open_interrupts().iter().any(of_interrupt)
        });
        if open.is_empty() {
            return Ok(());
        }
        Err(Refusal::OpenCalls { tool_call_ids: open })
    }
}

/// The text of an input: a list of history, state and more is written from where it is.
pub(super) fn body(
    setup: &Setup,
    run_id: &str,
    history: &[&Message],
    state: &Json<'_>,
    props: &Members<'_>,
    resume: &[ResumeEntry],
) -> String {
    let mut body = String::from(r#"{"threadId":"#);
    borrowed(&setup.thread_id).write(&mut body);
    body.push_str(r#","runId":"#);
    borrowed(run_id).write(&mut body);
    // Activities are for the page; the agent never gets them.
    let history = history.iter().filter(|message| message.role != Role::Activity);
    list(&mut body, "messages", &mut history.map(|message| with_whole_arguments(message)));
    body.push_str(r#","protocolVersion":"#);
    borrowed(PROTOCOL_VERSION).write(&mut body);
    // Absent means `{}`, and null is not allowed.
    if *state != Json::Null {
        body.push_str(r#","state":"#);
        state.write(&mut body);
    }
    list(&mut body, "tools", &mut setup.tools.iter().map(Json::from));
    list(&mut body, "context", &mut setup.context.iter().map(Json::from));
    body.push_str(r#","forwardedProps":"#);
    json_tree::write_members(&mut body, props);
    if !resume.is_empty() {
        list(&mut body, "resume", &mut resume.iter().map(Json::from));
    }
    body.push('}');
    body
}

fn list<'a>(body: &mut String, name: &str, items: &mut dyn Iterator<Item = Json<'a>>) {
    body.push_str(",\"");
    body.push_str(name);
    body.push_str("\":[");
    for (index, item) in items.enumerate() {
        if index > 0 {
            body.push(',');
        }
        item.write(body);
    }
    body.push(']');
}

/// Some agents read the arguments in the history, so those that never became whole go as an empty object.
fn with_whole_arguments(message: &Message) -> Json<'_> {
    message.to_json_with(|arguments| if Json::parse(arguments).is_ok() { arguments } else { "{}" })
}

/// Whether an ask in its phase can still end so.
fn check_phase(followed: &Followed, outcome: &Outcome) -> Result<(), Refusal> {
    let gives_content = matches!(outcome, Outcome::Answered(_) | Outcome::RepliedInChat { .. });
    match followed.snapshot.phase {
        Phase::Answerable => Ok(()),
        Phase::Expired | Phase::Malformed | Phase::Interrupted if !gives_content => Ok(()),
        phase => Err(Refusal::NotAnswerable { tool_call_id: followed.snapshot.tool_call_id.clone(), phase }),
    }
}

/// The content of the tool message for an outcome, and the error in it: who puts an approval away has not given it.
fn result_of(followed: &Followed, outcome: &Outcome) -> Result<(String, Option<String>), Refusal> {
    let ask = followed.snapshot.ask.clone().unwrap_or_default();
    let content = outcome.tool_content(&ask);
    let form = followed.form.as_ref();
    let Some(form) = form.filter(|_| followed.source == Source::Approval) else {
        return Ok((content, None));
    };
    match outcome {
        Outcome::Answered(reply) => {
            let payload = form_payload(followed, form, reply)?;
            Ok((payload.text(), None))
        }
        Outcome::RepliedInChat { text, .. } => Err(no_answer(followed, text)),
        Outcome::Declined | Outcome::Expired | Outcome::Superseded | Outcome::Cancelled => {
            Ok((content.clone(), Some(content)))
        }
    }
}

/// The answer to an interrupt that describes it by a schema.
fn form_payload(followed: &Followed, form: &Form, reply: &Reply) -> Result<Json<'static>, Refusal> {
    let refuse = |message| refused_payload(followed, message);
    form.payload(reply).map_err(refuse)
}

/// Free text is none that a schema describes.
fn no_answer(followed: &Followed, text: &str) -> Refusal {
    refused_payload(followed, about(text, " is no answer that the agent can take"))
}

fn refused_payload(followed: &Followed, message: String) -> Refusal {
    Refusal::Payload { tool_call_id: followed.snapshot.tool_call_id.clone(), message }
}

/// The answer to a legacy interrupt.
fn legacy_answer(followed: &Followed, value: &Json<'static>, outcome: &Outcome) -> Result<Json<'static>, Refusal> {
    Ok(match (outcome, &followed.form) {
        (Outcome::Answered(reply), Some(form)) => form_payload(followed, form, reply)?,
        (Outcome::RepliedInChat { text, .. }, Some(_)) => return Err(no_answer(followed, text)),
        (Outcome::Answered(reply), None) if takes_reply(value) => Json::from(reply),
        // A question that was plain text gets plain text.
        (Outcome::Answered(reply), None) => reply.message().into(),
        (outcome, _) => {
            let ask = followed.snapshot.ask.clone().unwrap_or_default();
            outcome.tool_content(&ask).into()
        }
    })
}

/// The answers and the events that asked for them. Several answers are told apart by their interrupts' ids, as `LangGraph` has it.
fn command(answers: &[(&Legacy, Json<'static>)]) -> Option<Json<'static>> {
    let (resume, events) = match answers {
        [] => return None,
        [(legacy, answer)] => (answer.clone(), legacy.value.clone()),
        several => {
            let by_id = several.iter().map(|(it, answer)| (it.id.clone().into(), answer.clone()));
            let events = several.iter().map(|(it, _)| it.value.clone());
            (Json::Object(by_id.collect()), Json::List(events.collect()))
        }
    };
    Some(Json::object([("resume", resume), ("interruptEvent", events)]))
}

fn is_expired(now: u64, interrupt: &Interrupt) -> bool {
    interrupt.expires_at.as_deref().and_then(parse_deadline).is_some_and(|deadline| deadline <= now)
}

fn metadata(reply: &AskReply) -> Metadata {
    let about = AskMetadata {
        tool_call_id: reply.tool_call_id.clone(),
        reply_id: reply.reply_id.clone(),
        outcome: reply.outcome.kind(),
        by: reply.by,
    };
    about.to_metadata()
}
