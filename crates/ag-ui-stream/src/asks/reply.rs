//! The way back: the input of the run that carries an answer.

mod refusal;

use super::Asks;
use super::followed::{Followed, Source};
use crate::input::{Context, PROTOCOL_VERSION, ResumeEntry, ResumeStatus, RunAgentInput, Tool};
use crate::message::{Message, Metadata, ToolMessage, UserMessage};
use crate::outcome::Interrupt;
use crate::reader::EndOutcome;
use crate::thread::{RunState, Thread};
use ask_user_question::outcome::{
    AnsweredBy, AskMetadata, CANCELLED_TEXT, EXPIRED_TEXT, Outcome, SUPERSEDED_TEXT,
};
use ask_user_question::{Phase, json};
use serde_json::{Map, Value};

pub use refusal::Refusal;

use super::AskChange;
use super::time::parse_deadline;

/// What the agent reads for a call of another tool that its own run left open.
const UNFINISHED_TEXT: &str = "Not finished: the run ended before this tool call had its result.";

/// How one ask ended, on its way to the agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AskReply {
    /// The ask.
    pub tool_call_id: String,
    /// Made by the client once per reply, so that a retry is recognised.
    pub reply_id: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Where the answer was given.
    pub by: AnsweredBy,
}

/// How a reply travels. Interrupts are always answered by `resume`, and acknowledged calls by a user message, whatever is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// A tool message with the reply, then a user message with the selection as text.
    #[default]
    UserMessage,
    /// The tool message alone.
    ToolResult,
    /// The answer to the interrupt that names the call; refused where there is none.
    Resume,
}

/// What every run of this client has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setup {
    /// The conversation.
    pub thread_id: String,
    /// What the agent may call on this client.
    pub tools: Vec<Tool>,
    /// What the agent should know.
    pub context: Vec<Context>,
    /// For the agent's own use.
    pub forwarded_props: Map<String, Value>,
}

/// What the user wants to say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    /// Answers to asks; all that wait must be among them.
    pub replies: Vec<AskReply>,
    /// A message of its own, beside the answers.
    pub text: Option<String>,
}

/// The run to start.
#[derive(Clone, Debug, PartialEq)]
pub struct NextRun {
    /// The body to post.
    pub input: RunAgentInput,
    /// The messages in it that the thread does not have yet, in order.
    pub messages: Vec<Message>,
}

impl NextRun {
    /// Tells thread and asks that the agent took the input: call it when the response begins, before its first event, so that an input that
    /// never arrived leaves everything answerable. What the asks changed comes back.
    pub fn start(&self, thread: &mut Thread, asks: &mut Asks) -> Vec<AskChange> {
        let mut changes = asks.handle_input(&self.input);
        for message in &self.messages {
            thread.push_message(message.clone());
            changes.extend(asks.handle_message(message));
        }
        changes
    }
}

/// Builds the input of the next run. `next_id` gives a new id at each call: first the run's, then one for each new message.
///
/// Calls of the tool that nobody can answer any more (malformed, interrupted, expired, superseded) are closed with a tool message that says so.
///
/// # Errors
/// Why the input must not be sent: above all where it would leave a call or an interrupt without an answer.
pub fn next_run(
    now: u64,
    thread: &Thread,
    asks: &Asks,
    setup: &Setup,
    delivery: Delivery,
    said: &Said,
    mut next_id: impl FnMut() -> String,
) -> Result<NextRun, Refusal> {
    if let RunState::Running { run_id } = thread.run() {
        return Err(Refusal::RunOpen {
            run_id: run_id.clone(),
        });
    }
    let run_id = next_id();
    let mut draft = Draft {
        now,
        thread,
        asks,
        delivery,
        tool: Vec::new(),
        user: Vec::new(),
        resume: Vec::new(),
        command: None,
    };
    for reply in &said.replies {
        draft.add(reply, &mut next_id)?;
    }
    draft.close_lost_asks(said, &mut next_id);
    draft.close_broken_calls(&mut next_id);
    draft.cover_interrupts(said)?;
    if let Some(text) = &said.text {
        draft.user.push(Message::user(next_id(), text.as_str()));
    }
    draft.finish(setup, run_id)
}

/// An input that is being put together.
struct Draft<'a> {
    now: u64,
    thread: &'a Thread,
    asks: &'a Asks,
    delivery: Delivery,
    tool: Vec<Message>,
    user: Vec<Message>,
    resume: Vec<ResumeEntry>,
    /// The answer to a legacy interrupt.
    command: Option<Value>,
}

impl Draft<'_> {
    fn add(
        &mut self,
        reply: &AskReply,
        next_id: &mut impl FnMut() -> String,
    ) -> Result<(), Refusal> {
        let id = &reply.tool_call_id;
        let asks = self.asks;
        let followed = asks.find(id).ok_or_else(|| Refusal::UnknownAsk {
            tool_call_id: id.clone(),
        })?;
        check_phase(followed, &reply.outcome)?;
        // A call has one result: what the agent closed itself, other than by an acknowledgement, takes no second one.
        let is_closed = self.thread.call(id).is_some_and(|call| call.answered);
        if is_closed && !followed.acknowledged && followed.interrupt.is_none() {
            return Err(Refusal::NotAnswerable {
                tool_call_id: id.clone(),
                phase: followed.snapshot.phase,
            });
        }
        if let Source::Legacy(value) = &followed.source {
            self.command = Some(command(followed, value, &reply.outcome));
            return Ok(());
        }
        if let Some(interrupt) = self.interrupt_of(followed) {
            let entry = self.resume_entry(followed, interrupt, reply)?;
            self.resume.push(entry);
            return Ok(());
        }
        if self.delivery == Delivery::Resume {
            return Err(Refusal::NoInterrupt {
                tool_call_id: id.clone(),
            });
        }
        let metadata = metadata(reply);
        let ask = followed.snapshot.ask.clone().unwrap_or_default();
        if !followed.acknowledged {
            let content = reply.outcome.tool_content(&ask);
            let message = ToolMessage::new(next_id(), id.clone(), content);
            self.tool.push(Message::Tool(ToolMessage {
                metadata: Some(metadata.clone()),
                ..message
            }));
        }
        let text = match &reply.outcome {
            Outcome::Answered(answer) => Some(answer.message()),
            Outcome::RepliedInChat { text, .. } => Some(text.clone()),
            // There is no selection to say; only an acknowledged call has no other way to hear of it.
            outcome => followed.acknowledged.then(|| outcome.tool_content(&ask)),
        };
        if let Some(text) =
            text.filter(|_| followed.acknowledged || self.delivery == Delivery::UserMessage)
        {
            let message = UserMessage::new(next_id(), text);
            self.user.push(Message::User(UserMessage {
                metadata: Some(metadata),
                ..message
            }));
        }
        Ok(())
    }

    /// The interrupt that an ask is to be answered by, while the last run still waits for it.
    fn interrupt_of(&self, followed: &Followed) -> Option<&Interrupt> {
        let interrupt = followed.interrupt.as_ref()?;
        self.thread
            .open_interrupts()
            .iter()
            .find(|open| open.id == interrupt.id)
    }

    fn resume_entry(
        &self,
        followed: &Followed,
        interrupt: &Interrupt,
        reply: &AskReply,
    ) -> Result<ResumeEntry, Refusal> {
        let ask = followed.snapshot.ask.as_ref();
        let payload = match (&reply.outcome, &followed.form) {
            (Outcome::Answered(answer), Some(form)) => {
                Some(form.payload(answer).map_err(|message| Refusal::Payload {
                    interrupt_id: interrupt.id.clone(),
                    message,
                })?)
            }
            (Outcome::Answered(answer), None) => Some(answer.to_json()),
            (Outcome::RepliedInChat { text, .. }, Some(_)) => {
                let message = format!("\"{text}\" is no answer that the agent can take");
                return Err(Refusal::Payload {
                    interrupt_id: interrupt.id.clone(),
                    message,
                });
            }
            (outcome @ Outcome::RepliedInChat { .. }, None) => {
                ask.and_then(|ask| json::parse(&outcome.tool_content(ask)).ok())
            }
            (
                Outcome::Declined | Outcome::Expired | Outcome::Superseded | Outcome::Cancelled,
                _,
            ) => None,
        };
        if payload.is_some() && is_expired(self.now, interrupt) {
            return Err(Refusal::Expired {
                interrupt_id: interrupt.id.clone(),
            });
        }
        let status = if payload.is_some() {
            ResumeStatus::Resolved
        } else {
            ResumeStatus::Cancelled
        };
        Ok(ResumeEntry {
            payload,
            metadata: Some(metadata(reply)),
            ..ResumeEntry::new(interrupt.id.clone(), status)
        })
    }

    /// Gives the calls of asks that are over, and that nobody told the agent about, the result that they are over.
    fn close_lost_asks(&mut self, said: &Said, next_id: &mut impl FnMut() -> String) {
        let (asks, thread) = (self.asks, self.thread);
        for followed in &asks.followed {
            let id = &followed.snapshot.tool_call_id;
            let is_unanswered = thread.call(id).is_some_and(|call| !call.answered);
            if !is_unanswered
                || said.replies.iter().any(|reply| reply.tool_call_id == *id)
                || self.interrupt_of(followed).is_some()
            {
                continue;
            }
            let (content, error) = match followed.snapshot.phase {
                Phase::Malformed => (
                    "Invalid input: the arguments could not be read.",
                    Some("The arguments could not be read."),
                ),
                Phase::Interrupted => (CANCELLED_TEXT, None),
                Phase::Expired => (EXPIRED_TEXT, None),
                Phase::Superseded => (SUPERSEDED_TEXT, None),
                Phase::Streaming
                | Phase::Ready
                | Phase::Answerable
                | Phase::Answered
                | Phase::Declined => continue,
            };
            let message = ToolMessage::new(next_id(), id.clone(), content);
            self.tool.push(Message::Tool(ToolMessage {
                error: error.map(str::to_owned),
                ..message
            }));
        }
    }

    /// Gives the calls of other tools that a run left open when it broke off, failed or was stopped the result that they were not finished:
    /// nobody else will, and no later run could start.
    fn close_broken_calls(&mut self, next_id: &mut impl FnMut() -> String) {
        let is_broken = matches!(
            self.thread.run(),
            RunState::Ended {
                outcome: EndOutcome::Truncated
                    | EndOutcome::Error
                    | EndOutcome::Rejected
                    | EndOutcome::Cancelled
            }
        );
        if !is_broken {
            return;
        }
        let open = self.thread.unanswered_tool_call_ids();
        for id in open.iter().filter(|id| self.asks.find(id).is_none()) {
            let message = ToolMessage::new(next_id(), id.clone(), UNFINISHED_TEXT);
            self.tool.push(Message::Tool(ToolMessage {
                error: Some(UNFINISHED_TEXT.to_owned()),
                ..message
            }));
        }
    }

    /// Sees to it that each interrupt is answered. One that has expired can only be cancelled, which needs nobody.
    fn cover_interrupts(&mut self, said: &Said) -> Result<(), Refusal> {
        let mut open = Vec::new();
        for interrupt in self.thread.open_interrupts() {
            if self
                .resume
                .iter()
                .any(|entry| entry.interrupt_id == interrupt.id)
            {
                continue;
            }
            if is_expired(self.now, interrupt) && !(said.replies.is_empty() && said.text.is_none())
            {
                self.resume.push(ResumeEntry::new(
                    interrupt.id.clone(),
                    ResumeStatus::Cancelled,
                ));
            } else {
                open.push(interrupt.id.clone());
            }
        }
        if open.is_empty() {
            Ok(())
        } else {
            Err(Refusal::OpenInterrupts {
                interrupt_ids: open,
            })
        }
    }

    fn finish(self, setup: &Setup, run_id: String) -> Result<NextRun, Refusal> {
        let messages: Vec<Message> = self.tool.into_iter().chain(self.user).collect();
        let mut thread = self.thread.clone();
        for message in &messages {
            thread.push_message(message.clone());
        }
        let resumed = |id: &String| {
            let mut interrupts = self.thread.open_interrupts().iter();
            interrupts.any(|interrupt| interrupt.tool_call_id.as_ref() == Some(id))
        };
        let open: Vec<String> = thread
            .unanswered_tool_call_ids()
            .into_iter()
            .filter(|id| !resumed(id))
            .collect();
        if !open.is_empty() {
            return Err(Refusal::OpenCalls {
                tool_call_ids: open,
            });
        }
        let mut forwarded_props = setup.forwarded_props.clone();
        forwarded_props.extend(self.command.map(|command| ("command".to_owned(), command)));
        // Activities are for the page; the agent never gets them.
        let history = thread
            .messages()
            .iter()
            .filter(|message| !matches!(message, Message::Activity(_)));
        let input = RunAgentInput {
            protocol_version: Some(PROTOCOL_VERSION.to_owned()),
            // Absent means `{}`, and null is not allowed.
            state: Some(thread.state().clone()).filter(|state| !state.is_null()),
            tools: Some(setup.tools.clone()),
            context: Some(setup.context.clone()),
            forwarded_props: Some(Value::Object(forwarded_props)),
            resume: (!self.resume.is_empty()).then_some(self.resume),
            ..RunAgentInput::new(
                setup.thread_id.clone(),
                run_id,
                history.cloned().collect::<Vec<_>>(),
            )
        };
        Ok(NextRun { input, messages })
    }
}

/// Whether an ask in its phase can still end so.
fn check_phase(followed: &Followed, outcome: &Outcome) -> Result<(), Refusal> {
    let gives_content = matches!(
        outcome,
        Outcome::Answered(_) | Outcome::RepliedInChat { .. }
    );
    match followed.snapshot.phase {
        Phase::Answerable => Ok(()),
        Phase::Expired | Phase::Malformed | Phase::Interrupted if !gives_content => Ok(()),
        phase => Err(Refusal::NotAnswerable {
            tool_call_id: followed.snapshot.tool_call_id.clone(),
            phase,
        }),
    }
}

/// The answer to a legacy interrupt: the reply and the event that asked for it.
fn command(followed: &Followed, value: &Value, outcome: &Outcome) -> Value {
    let resume = match outcome {
        // A question that was plain text gets plain text.
        Outcome::Answered(reply) if value.get("questions").is_none() => reply.message().into(),
        Outcome::Answered(reply) => reply.to_json(),
        outcome => {
            let ask = followed.snapshot.ask.clone().unwrap_or_default();
            outcome.tool_content(&ask).into()
        }
    };
    json::object([("resume", resume), ("interruptEvent", value.clone())]).into()
}

fn is_expired(now: u64, interrupt: &Interrupt) -> bool {
    interrupt
        .expires_at
        .as_deref()
        .and_then(parse_deadline)
        .is_some_and(|deadline| deadline <= now)
}

fn metadata(reply: &AskReply) -> Metadata {
    let about = AskMetadata {
        tool_call_id: reply.tool_call_id.clone(),
        reply_id: reply.reply_id.clone(),
        outcome: reply.outcome.kind(),
        by: reply.by,
    };
    match about.to_metadata() {
        Value::Object(metadata) => metadata,
        _ => Metadata::new(),
    }
}
