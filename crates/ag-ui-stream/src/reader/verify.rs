//! Verification: which event is allowed where.

use super::error::{End, EndError, EndOutcome, ErrorCode, StreamError};
use crate::event::{Event, RunFinished, RunStarted, SubagentStarted, ToolCallStart};
use crate::outcome::RunOutcome;
use std::collections::{BTreeMap, BTreeSet};

/// Holds the order of events to the protocol's rules.
#[derive(Debug, Default)]
pub(super) struct Verifier {
    stage: Stage,
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
        thread_id: String,
        run_id: String,
    },
    Finished(EndOutcome),
    Failed {
        code: Option<String>,
        message: String,
    },
}

/// What is open in the present run. Ordered, so that an error names things in the same order each time.
#[derive(Debug, Default)]
struct Run {
    texts: Open,
    calls: Open,
    reasonings: Open,
    spans: Open,
    /// By owner and name.
    steps: BTreeSet<(Option<String>, String)>,
    subagents: BTreeSet<String>,
    closed_subagents: BTreeSet<String>,
    /// Who owns the messages that began in this run, open or not.
    owners: BTreeMap<String, Option<String>>,
}

/// What is open of one kind, with the subagent that opened it.
#[derive(Debug, Default)]
struct Open(BTreeMap<String, Option<String>>);

type Verdict = Result<(), StreamError>;

impl Verifier {
    /// Takes the next event, or says why it is not allowed.
    pub(super) fn handle_event(&mut self, event: &Event) -> Verdict {
        self.check_stage(event)?;
        let tag = event.subagent_run_id();
        match event {
            Event::RunStarted(started) => self.start(started),
            Event::RunFinished(finished) => return self.finish(finished),
            Event::RunError(error) => {
                self.stage = Stage::Failed { code: error.code.clone(), message: error.message.clone() };
            }
            Event::TextMessageStart(e) => {
                self.run.texts.open("text message", &e.message_id, tag)?;
                self.run.owners.insert(e.message_id.clone(), e.subagent_run_id.clone());
            }
            Event::TextMessageContent(e) => self.run.texts.check("text message", &e.message_id, tag)?,
            Event::TextMessageEnd(e) => self.run.texts.close("text message", &e.message_id, tag)?,
            Event::ToolCallStart(e) => self.run.start_call(e)?,
            Event::ToolCallArgs(e) => self.run.calls.check("tool call", &e.tool_call_id, tag)?,
            Event::ToolCallEnd(e) => self.run.calls.close("tool call", &e.tool_call_id, tag)?,
            Event::ReasoningStart(e) => self.run.spans.open("reasoning", &e.message_id, tag)?,
            Event::ReasoningEnd(e) => self.run.spans.close("reasoning", &e.message_id, tag)?,
            Event::ReasoningMessageStart(e) => self.run.reasonings.open("reasoning message", &e.message_id, tag)?,
            Event::ReasoningMessageContent(e) => self.run.reasonings.check("reasoning message", &e.message_id, tag)?,
            Event::ReasoningMessageEnd(e) => self.run.reasonings.close("reasoning message", &e.message_id, tag)?,
            Event::StepStarted(e) => {
                if !self.run.steps.insert((tag.map(str::to_owned), e.step_name.clone())) {
                    return Err(error(format!("Step '{}' is already active", e.step_name)));
                }
            }
            Event::StepFinished(e) => {
                if !self.run.steps.remove(&(tag.map(str::to_owned), e.step_name.clone())) {
                    return Err(error(format!("Cannot send 'STEP_FINISHED' for step '{}' that was not started", e.step_name)));
                }
            }
            Event::SubagentStarted(e) => self.run.start_subagent(e)?,
            Event::SubagentFinished(e) => self.run.close_subagent(event.name(), &e.subagent_run_id)?,
            Event::SubagentError(e) => self.run.close_subagent(event.name(), &e.subagent_run_id)?,
            Event::ToolCallResult(_)
            | Event::StateSnapshot(_)
            | Event::StateDelta(_)
            | Event::MessagesSnapshot(_)
            | Event::ActivitySnapshot(_)
            | Event::ActivityDelta(_)
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
            Stage::Active { run_id, .. } => Some(run_id),
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
            error: Some(EndError {
                code: "truncated".to_owned(),
                message,
                event_index: None,
            }),
        };
        match &self.stage {
            Stage::Fresh => truncated("the stream ended before a run began".to_owned()),
            Stage::Active { run_id, .. } => {
                truncated(format!("the stream ended while run '{run_id}' was open"))
            }
            Stage::Failed { code, message } => {
                let code = code.clone().unwrap_or_else(|| "RUN_ERROR".to_owned());
                let error = EndError {
                    code,
                    message: message.clone(),
                    event_index: None,
                };
                End {
                    outcome: EndOutcome::Error,
                    error: Some(error),
                }
            }
            Stage::Finished(_) if self.broken => {
                truncated("the stream broke off in the middle of a frame".to_owned())
            }
            Stage::Finished(outcome) => End {
                outcome: *outcome,
                error: None,
            },
        }
    }

    fn check_stage(&self, event: &Event) -> Verdict {
        let name = event.name();
        match (&self.stage, event) {
            (Stage::Fresh, Event::RunStarted(_) | Event::RunError(_))
            | (Stage::Finished(_), Event::RunStarted(_) | Event::RunError(_))
            | (Stage::Failed { .. }, Event::RunStarted(_)) => Ok(()),
            (Stage::Fresh, _) => Err(error("First event must be 'RUN_STARTED'")),
            (Stage::Finished(_), _) => Err(error(format!(
                "Cannot send event type '{name}': The run has already finished with 'RUN_FINISHED'"
            ))),
            (Stage::Failed { .. }, _) => Err(error(format!(
                "Cannot send event type '{name}': The run has already errored with 'RUN_ERROR'"
            ))),
            (Stage::Active { .. }, Event::RunStarted(_)) => Err(error(
                "Cannot send 'RUN_STARTED' while a run is still active",
            )),
            (Stage::Active { .. }, _) => Ok(()),
        }
    }

    fn start(&mut self, started: &RunStarted) {
        self.run = Run::default();
        self.stage = Stage::Active {
            thread_id: started.thread_id.clone(),
            run_id: started.run_id.clone(),
        };
    }

    // The ids are required to agree by the specification; the reference client does not look.
    fn finish(&mut self, finished: &RunFinished) -> Verdict {
        self.run.check_closed()?;
        if let Stage::Active { thread_id, run_id } = &self.stage {
            if *run_id != finished.run_id {
                return Err(error(format!(
                    "'RUN_FINISHED' names run '{}' while run '{run_id}' is active",
                    finished.run_id
                )));
            }
            if *thread_id != finished.thread_id {
                return Err(error(format!(
                    "'RUN_FINISHED' names thread '{}' instead of '{thread_id}'",
                    finished.thread_id
                )));
            }
        }
        let outcome = match &finished.outcome {
            None | Some(RunOutcome::Success(_)) => EndOutcome::Completed,
            Some(RunOutcome::Cancelled(_)) => EndOutcome::Cancelled,
            Some(RunOutcome::Interrupt(outcome)) => {
                let mut ids = BTreeSet::new();
                if let Some(twice) = outcome
                    .interrupts
                    .iter()
                    .find(|interrupt| !ids.insert(&interrupt.id))
                {
                    return Err(error(format!(
                        "'RUN_FINISHED' names interrupt '{}' twice",
                        twice.id
                    )));
                }
                EndOutcome::Interrupt
            }
        };
        self.stage = Stage::Finished(outcome);
        Ok(())
    }
}

impl Run {
    fn start_call(&mut self, start: &ToolCallStart) -> Verdict {
        let tag = start.subagent_run_id.as_deref();
        let owner = start
            .parent_message_id
            .as_ref()
            .and_then(|parent| self.owners.get(parent));
        if let (Some(owner), Some(tag)) = (owner, tag)
            && owner.as_deref() != Some(tag)
        {
            let id = &start.tool_call_id;
            return Err(error(format!(
                "Tool call '{id}' of subagent '{tag}' names a parent message that the subagent does not own"
            )));
        }
        self.calls.open("tool call", &start.tool_call_id, tag)
    }

    fn start_subagent(&mut self, start: &SubagentStarted) -> Verdict {
        let id = &start.subagent_run_id;
        if self.closed_subagents.contains(id) || self.subagents.contains(id) {
            return Err(error(format!(
                "Subagent '{id}' was already started in this run"
            )));
        }
        if let Some(parent) = &start.parent_subagent_run_id
            && !self.subagents.contains(parent)
            && !self.closed_subagents.contains(parent)
        {
            return Err(error(format!(
                "Subagent '{id}' names the parent '{parent}', which was not started"
            )));
        }
        self.subagents.insert(id.clone());
        Ok(())
    }

    fn close_subagent(&mut self, event: &str, id: &str) -> Verdict {
        if !self.subagents.remove(id) {
            return Err(error(format!(
                "Cannot send '{event}' for subagent '{id}' that is not active"
            )));
        }
        self.closed_subagents.insert(id.to_owned());
        Ok(())
    }

    fn check_closed(&self) -> Verdict {
        let steps = self.steps.iter().map(|(_, name)| name);
        nothing("steps", steps)?;
        nothing("text messages", self.texts.0.keys())?;
        nothing("reasoning messages", self.reasonings.0.keys())?;
        nothing("reasoning", self.spans.0.keys())?;
        nothing("tool calls", self.calls.0.keys())?;
        nothing("subagents", self.subagents.iter())
    }
}

impl Open {
    fn open(&mut self, what: &str, id: &str, tag: Option<&str>) -> Verdict {
        if self.0.contains_key(id) {
            return Err(error(format!(
                "A {what} with ID '{id}' is already in progress"
            )));
        }
        self.0.insert(id.to_owned(), tag.map(str::to_owned));
        Ok(())
    }

    fn check(&self, what: &str, id: &str, tag: Option<&str>) -> Verdict {
        let Some(owner) = self.0.get(id) else {
            return Err(error(format!("No active {what} found with ID '{id}'")));
        };
        if tag.is_some() && tag != owner.as_deref() {
            return Err(error(format!(
                "The {what} '{id}' continues for another subagent than it began for"
            )));
        }
        Ok(())
    }

    fn close(&mut self, what: &str, id: &str, tag: Option<&str>) -> Verdict {
        self.check(what, id, tag)?;
        self.0.remove(id);
        Ok(())
    }
}

fn nothing<'a>(what: &str, open: impl Iterator<Item = &'a String>) -> Verdict {
    let open: Vec<&str> = open.map(String::as_str).collect();
    if open.is_empty() {
        return Ok(());
    }
    Err(error(format!(
        "Cannot send 'RUN_FINISHED' while {what} are still active: {}",
        open.join(", ")
    )))
}

fn error(message: impl Into<String>) -> StreamError {
    StreamError::new(ErrorCode::Order, message)
}
