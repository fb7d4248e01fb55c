//! Verification: which event is allowed where.

use super::error::{End, EndError, EndOutcome, ErrorCode, StreamError, Verdict};
use crate::event::{Event, RunFinished, RunStarted, SubagentStarted, ToolCallStart};
use crate::index::Index;
use crate::message::Message;
use crate::outcome::RunOutcome;

/// Holds the order of events to the protocol's rules.
#[derive(Debug, Default)]
pub(super) struct Verifier {
    stage: Stage,
    /// The conversation, which all runs of a stream belong to.
    thread: Option<String>,
    run: Run,
    /// The bytes broke off in the middle of a frame.
    broken: bool,
}

#[derive(Debug, Default)]
enum Stage {
    /// Nothing came yet.
    #[default]
    Fresh,
    Active {
        run_id: String,
    },
    Finished(EndOutcome),
    Failed {
        code: Option<String>,
        message: String,
    },
}

/// What is open in the present run.
#[derive(Debug, Default)]
struct Run {
    /// By kind: what is open, with the number of its owner.
    open: [Index; 4],
    /// By owner and name.
    steps: Index,
    subagents: Index,
    closed_subagents: Index,
    /// By kind: who owns what began in this run or was told of in it, open or not.
    owners: [Index; 5],
    /// The numbers of the subagents that own something.
    numbers: Index,
}

/// What begins, continues and ends under an id. (An activity never ends.)
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    ReasoningMessage,
    Reasoning,
    Call,
    Activity,
}

/// The parent agent's number; those of subagents follow.
const PARENT: usize = 0;

impl Verifier {
    /// Takes the next event, or says why it is not allowed.
    pub(super) fn handle_event(&mut self, event: &Event) -> Verdict {
        self.check_stage(event)?;
        let tag = event.subagent_run_id();
        match event {
            Event::RunStarted(started) => self.start(started)?,
            Event::RunFinished(finished) => return self.finish(finished),
            Event::RunError(error) => {
                self.stage = Stage::Failed { code: error.code.clone(), message: error.message.clone() };
            }
            Event::TextMessageStart(e) => self.run.start(Kind::Text, &e.message_id, tag)?,
            Event::TextMessageContent(e) => self.run.check(Kind::Text, &e.message_id, tag)?,
            Event::TextMessageEnd(e) => self.run.end(Kind::Text, &e.message_id, tag)?,
            Event::ToolCallStart(e) => self.run.start_call(e)?,
            Event::ToolCallArgs(e) => self.run.check(Kind::Call, &e.tool_call_id, tag)?,
            Event::ToolCallEnd(e) => self.run.end(Kind::Call, &e.tool_call_id, tag)?,
            Event::ReasoningStart(e) => self.run.start(Kind::Reasoning, &e.message_id, tag)?,
            Event::ReasoningEnd(e) => self.run.end(Kind::Reasoning, &e.message_id, tag)?,
            Event::ReasoningMessageStart(e) => {
                self.run.start(Kind::ReasoningMessage, &e.message_id, tag)?;
            }
            Event::ReasoningMessageContent(e) => {
                self.run.check(Kind::ReasoningMessage, &e.message_id, tag)?;
            }
            Event::ReasoningMessageEnd(e) => {
                self.run.end(Kind::ReasoningMessage, &e.message_id, tag)?;
            }
            Event::StepStarted(e) => {
                let step = self.run.step(&e.step_name, tag);
                if !self.run.steps.insert(&step, 0) {
                    return Err(error(format!("Step '{}' is already active", e.step_name)));
                }
            }
            Event::StepFinished(e) => {
                let step = self.run.step(&e.step_name, tag);
                if !self.run.steps.remove(&step) {
                    return Err(error(format!("Cannot send 'STEP_FINISHED' for step '{}' that was not started", e.step_name)));
                }
            }
            Event::SubagentStarted(e) => self.run.start_subagent(e)?,
            Event::SubagentFinished(e) => self.run.close_subagent(event.name(), &e.subagent_run_id)?,
            Event::SubagentError(e) => self.run.close_subagent(event.name(), &e.subagent_run_id)?,
            Event::ToolCallResult(e) => self.run.own_new(Kind::Text, &e.message_id, tag),
            Event::MessagesSnapshot(e) => {
                for message in &e.messages {
                    self.run.own_told(message);
                }
            }
            Event::ActivitySnapshot(e) if e.replace == Some(false) => {
                self.run.own_new(Kind::Activity, &e.message_id, tag);
            }
            Event::ActivitySnapshot(e) => self.run.own(Kind::Activity, &e.message_id, tag),
            Event::ActivityDelta(e) => self.run.check_owner(Kind::Activity, &e.message_id, tag)?,
            Event::StateSnapshot(_)
            | Event::StateDelta(_)
            | Event::ReasoningEncryptedValue(_)
            | Event::Raw(_)
            | Event::Custom(_)
            // Chunks are expanded before.
            | Event::TextMessageChunk(_)
            | Event::ToolCallChunk(_)
            | Event::ReasoningMessageChunk(_) => {}
        }
        Ok(())
    }

    /// The stream broke off in the middle of a frame.
    pub(super) fn handle_break(&mut self) {
        self.broken = true;
    }

    /// The run that is open.
    pub(super) fn run_id(&self) -> Option<&str> {
        match &self.stage {
            Stage::Active { run_id } => Some(run_id),
            Stage::Fresh | Stage::Finished(_) | Stage::Failed { .. } => None,
        }
    }

    /// Whether a run has ended and none is open.
    pub(super) fn is_between_runs(&self) -> bool {
        matches!(self.stage, Stage::Finished(_) | Stage::Failed { .. })
    }

    /// How the stream ended, if this is its end.
    pub(super) fn end(&self) -> End {
        let truncated = |message: String| End {
            outcome: EndOutcome::Truncated,
            error: Some(EndError { code: "truncated".to_owned(), message, event_index: None }),
        };
        match &self.stage {
            Stage::Fresh => truncated("the stream ended before a run began".to_owned()),
            Stage::Active { run_id } => truncated(format!("the stream ended while run '{run_id}' was open")),
            Stage::Failed { code, message } => {
                let code = code.clone().unwrap_or_else(|| "RUN_ERROR".to_owned());
                let error = EndError { code, message: message.clone(), event_index: None };
                End { outcome: EndOutcome::Error, error: Some(error) }
            }
            Stage::Finished(_) if self.broken => truncated("the stream broke off in the middle of a frame".to_owned()),
            Stage::Finished(outcome) => End { outcome: *outcome, error: None },
        }
    }

    fn check_stage(&self, event: &Event) -> Verdict {
        let name = event.name();
        match (&self.stage, event) {
            (Stage::Fresh, Event::RunStarted(_) | Event::RunError(_))
            | (Stage::Finished(_), Event::RunStarted(_) | Event::RunError(_))
            | (Stage::Failed { .. }, Event::RunStarted(_)) => Ok(()),
            (Stage::Fresh, _) => Err(error("First event must be 'RUN_STARTED'")),
            (Stage::Finished(_), _) => {
                Err(error(format!("Cannot send event type '{name}': The run has already finished with 'RUN_FINISHED'")))
            }
            (Stage::Failed { .. }, _) => {
                Err(error(format!("Cannot send event type '{name}': The run has already errored with 'RUN_ERROR'")))
            }
            (Stage::Active { .. }, Event::RunStarted(_)) => {
                Err(error("Cannot send 'RUN_STARTED' while a run is still active"))
            }
            (Stage::Active { .. }, _) => Ok(()),
        }
    }

    // The ids are required to agree by the specification; the reference client does not look.
    fn start(&mut self, started: &RunStarted) -> Verdict {
        self.check_thread("RUN_STARTED", &started.thread_id)?;
        self.thread = Some(started.thread_id.clone());
        self.run = Run::default();
        for message in started.input.iter().flat_map(|input| &input.messages) {
            self.run.own_told(message);
        }
        self.stage = Stage::Active { run_id: started.run_id.clone() };
        Ok(())
    }

    fn check_thread(&self, event: &str, named: &str) -> Verdict {
        match &self.thread {
            Some(thread) if thread != named => {
                Err(error(format!("'{event}' names thread '{named}' instead of '{thread}'")))
            }
            _ => Ok(()),
        }
    }

    fn finish(&mut self, finished: &RunFinished) -> Verdict {
        self.run.check_closed()?;
        if let Some(run_id) = self.run_id()
            && run_id != finished.run_id
        {
            return Err(error(format!(
                "'RUN_FINISHED' names run '{}' while run '{run_id}' is active",
                finished.run_id
            )));
        }
        self.check_thread("RUN_FINISHED", &finished.thread_id)?;
        let outcome = match &finished.outcome {
            None | Some(RunOutcome::Success(_)) => EndOutcome::Completed,
            Some(RunOutcome::Cancelled(_)) => EndOutcome::Cancelled,
            Some(RunOutcome::Interrupt(outcome)) => {
                let mut ids = Index::default();
                if let Some(twice) = outcome.interrupts.iter().find(|interrupt| !ids.insert(&interrupt.id, 0)) {
                    return Err(error(format!("'RUN_FINISHED' names interrupt '{}' twice", twice.id)));
                }
                EndOutcome::Interrupt
            }
        };
        self.stage = Stage::Finished(outcome);
        Ok(())
    }
}

impl Run {
    /// Begins something, perhaps again: then it keeps its owner.
    fn start(&mut self, kind: Kind, id: &str, tag: Option<&str>) -> Verdict {
        // A call may change its owner; a message may not, since its text would be another's.
        if kind != Kind::Call && kind != Kind::Reasoning {
            self.check_owner(kind, id, tag)?;
        }
        let held = self.owners[kind as usize].get(id);
        let owner = held.filter(|_| tag.is_none()).unwrap_or_else(|| self.number(tag));
        if !self.open[kind as usize].insert(id, owner) {
            let what = kind.name();
            return Err(error(format!("A {what} with ID '{id}' is already in progress")));
        }
        self.owners[kind as usize].insert(id, owner);
        Ok(())
    }

    fn check(&self, kind: Kind, id: &str, tag: Option<&str>) -> Verdict {
        let what = kind.name();
        let Some(opened_by) = self.open[kind as usize].get(id) else {
            return Err(error(format!("No active {what} found with ID '{id}'")));
        };
        // A snapshot may have given it to another while it is open: then both may go on.
        let tag = tag.filter(|tag| !self.owns(tag, opened_by));
        self.check_owner(kind, id, tag)
    }

    /// Refuses what is said in another's name than that of its owner.
    fn check_owner(&self, kind: Kind, id: &str, tag: Option<&str>) -> Verdict {
        let Some(tag) = tag else {
            return Ok(());
        };
        match self.owners[kind as usize].get(id) {
            Some(owner) if !self.owns(tag, owner) => {
                let what = kind.name();
                Err(error(format!("The {what} '{id}' continues for another subagent than it began for")))
            }
            _ => Ok(()),
        }
    }

    fn own(&mut self, kind: Kind, id: &str, tag: Option<&str>) {
        let owner = self.number(tag);
        self.owners[kind as usize].insert(id, owner);
    }

    /// As [`own`](Self::own), where nobody owns it.
    fn own_new(&mut self, kind: Kind, id: &str, tag: Option<&str>) {
        if !self.owners[kind as usize].contains(id) {
            self.own(kind, id, tag);
        }
    }

    /// Takes over whose a message is that was told of as a whole.
    fn own_told(&mut self, message: &Message) {
        let kind = match message {
            Message::Reasoning(_) => Kind::ReasoningMessage,
            Message::Activity(_) => Kind::Activity,
            _ => Kind::Text,
        };
        let tag = message.subagent_run_id();
        match message {
            // A result may have the id of its call's message.
            Message::Tool(_) => self.own_new(kind, message.id(), tag),
            _ => self.own(kind, message.id(), tag),
        }
        for call in message.tool_calls() {
            self.own(Kind::Call, &call.id, tag);
        }
    }

    fn end(&mut self, kind: Kind, id: &str, tag: Option<&str>) -> Verdict {
        self.check(kind, id, tag)?;
        self.open[kind as usize].remove(id);
        Ok(())
    }

    fn start_call(&mut self, start: &ToolCallStart) -> Verdict {
        let (id, tag) = (&start.tool_call_id, start.subagent_run_id.as_deref());
        let named = start.parent_message_id.as_deref();
        let parent = named.and_then(|parent| self.owners[Kind::Text as usize].get(parent));
        if let (Some(owner), Some(tag)) = (parent, tag)
            && !self.owns(tag, owner)
        {
            return Err(error(format!(
                "Tool call '{id}' of subagent '{tag}' names a parent message that the subagent does not own"
            )));
        }
        self.start(Kind::Call, id, tag)?;
        if let Some(owner) = parent {
            // It is owned by whom its message is.
            self.open[Kind::Call as usize].insert(id, owner);
            self.owners[Kind::Call as usize].insert(id, owner);
        } else if tag.is_some() {
            // So is the message that is made for it.
            let message = named.filter(|named| !named.is_empty()).unwrap_or(id);
            self.own_new(Kind::Text, message, tag);
        }
        Ok(())
    }

    /// The number of an owner, a new one where it owned nothing before.
    fn number(&mut self, tag: Option<&str>) -> usize {
        let Some(tag) = tag else {
            return PARENT;
        };
        self.numbers.get(tag).unwrap_or_else(|| {
            let number = PARENT + 1 + self.numbers.len();
            self.numbers.insert(tag, number);
            number
        })
    }

    fn owns(&self, tag: &str, owner: usize) -> bool {
        self.numbers.get(tag) == Some(owner)
    }

    /// The key of a step: its owner's number and its name.
    fn step(&mut self, name: &str, tag: Option<&str>) -> String {
        format!("{} {name}", self.number(tag))
    }

    fn start_subagent(&mut self, start: &SubagentStarted) -> Verdict {
        let id = &start.subagent_run_id;
        if self.was_started(id) {
            return Err(error(format!("Subagent '{id}' was already started in this run")));
        }
        if let Some(parent) = &start.parent_subagent_run_id
            && !self.was_started(parent)
        {
            return Err(error(format!("Subagent '{id}' names the parent '{parent}', which was not started")));
        }
        self.subagents.insert(id, 0);
        Ok(())
    }

    fn was_started(&self, subagent: &str) -> bool {
        self.subagents.contains(subagent) || self.closed_subagents.contains(subagent)
    }

    fn close_subagent(&mut self, event: &str, id: &str) -> Verdict {
        if !self.subagents.remove(id) {
            return Err(error(format!("Cannot send '{event}' for subagent '{id}' that is not active")));
        }
        self.closed_subagents.insert(id, 0);
        Ok(())
    }

    fn check_closed(&self) -> Verdict {
        let steps = self.steps.ids();
        let names = steps.map(|step| step.split_once(' ').map_or(step, |(_, name)| name));
        nothing("steps", names.collect())?;
        for kind in Kind::ENDING {
            nothing(kind.plural(), self.open[kind as usize].ids().collect())?;
        }
        nothing("subagents", self.subagents.ids().collect())
    }
}

impl Kind {
    /// Those that end.
    const ENDING: [Self; 4] = [Self::Text, Self::ReasoningMessage, Self::Reasoning, Self::Call];

    fn name(self) -> &'static str {
        match self {
            Self::Text => "text message",
            Self::ReasoningMessage => "reasoning message",
            Self::Reasoning => "reasoning",
            Self::Call => "tool call",
            Self::Activity => "activity",
        }
    }

    fn plural(self) -> &'static str {
        match self {
            Self::Text => "text messages",
            Self::ReasoningMessage => "reasoning messages",
            Self::Reasoning => "reasoning",
            Self::Call => "tool calls",
            Self::Activity => "activities",
        }
    }
}

fn nothing(what: &str, open: Vec<&str>) -> Verdict {
    if open.is_empty() {
        return Ok(());
    }
    Err(error(format!("Cannot send 'RUN_FINISHED' while {what} are still active: {}", open.join(", "))))
}

fn error(message: impl Into<String>) -> Box<StreamError> {
    StreamError::new(ErrorCode::Order, message)
}
