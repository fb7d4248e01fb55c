//! The agent of a conversation, or one of its sub-agents. One loop drives both.

use super::Runtime;
use super::responses::{RunEnd, end_of, entries};
use crate::engine::models::{ModelRequest, Pictures};
use crate::engine::session::{ActiveRun, ActiveSession};
use crate::error::ApiError;
use crate::live::LogEntry;
use crate::trace;
use ag_ui_stream::outcome::RunOutcome;
use question_agent::ag_ui::{Edition, Step, Work, wire};
use question_agent::branch::for_model;
use question_agent::registry::ToolContext;
use question_agent::{ConvState, Conversation, Event};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The note below an answer that was cut.
const ANSWER_CUT: &str = "The answer was cut off: the model had no room for more of it. Ask it to go on.";

/// The agent of a conversation, or one of its sub-agents.
#[derive(Debug)]
pub(super) enum ActiveAgent {
    /// The agent of a conversation: its events are stored and sent to clients.
    Parent { session: Arc<ActiveSession>, run: ActiveRun },
    /// An agent without a user. No client reads its events, and it ends with its parent's run.
    Sub(Box<SubAgent>),
}

#[derive(Debug)]
pub(super) struct SubAgent {
    pub(super) conversation: Conversation,
    pub(super) context: ToolContext,
    pub(super) stop: CancellationToken,
}

/// The outcome of a piece of work.
#[derive(Debug)]
pub(super) struct WorkResult {
    pub(super) event: Event,
    /// True if clients have seen events that are not stored.
    pub(super) shown_but_dropped: bool,
    /// True if an answer ended before it was whole.
    pub(super) is_cut: bool,
}

impl WorkResult {
    pub(super) fn kept(event: Event) -> Self {
        Self { event, shown_but_dropped: false, is_cut: false }
    }
}

impl ActiveAgent {
    /// Sends clients the events of the model's answer. A sub-agent has no clients.
    pub(super) fn tell(&self, events: &[ag_ui_stream::Event]) {
        if let Self::Parent { session, .. } = self {
            session.hub.push(events.iter().map(LogEntry::event));
        }
    }

    /// Cancelled when it is to stop.
    pub(super) fn stop(&self) -> &CancellationToken {
        match self {
            Self::Parent { run, .. } => &run.stop,
            Self::Sub(sub) => &sub.stop,
        }
    }

    /// Calls `look` with its context and its conversation.
    pub(super) async fn look<T>(&self, look: impl FnOnce(&ToolContext, &Conversation) -> T) -> T {
        match self {
            Self::Parent { session, .. } => {
                let state = session.state.lock().await;
                look(&state.context, &state.conversation)
            }
            Self::Sub(sub) => look(&sub.context, &sub.conversation),
        }
    }

    pub(super) async fn context(&self) -> ToolContext {
        self.look(|context, _| context.clone()).await
    }
}

impl Runtime {
    pub(super) async fn request(&self, agent: &ActiveAgent) -> ModelRequest {
        let request = |context: &ToolContext, conversation: &Conversation| {
            let attempt = match conversation.state() {
                ConvState::LlmRequesting { attempt } => *attempt,
                _ => 1,
            };
            let registry = self.registry(context);
            ModelRequest {
                messages: for_model(conversation.messages()).into_owned(),
                pictures: Pictures::new(),
                tools: registry.specs(),
                attempt,
                context: registry.context().clone(),
                guidance: registry.guidance(),
                headers: trace::headers(),
            }
        };
        agent.look(request).await
    }

    /// Feeds the outcome of a piece of work to the state machine, and returns the next.
    pub(super) async fn feed(&self, agent: &mut ActiveAgent, done: WorkResult) -> Result<Option<Work>, RunEnd> {
        match agent {
            ActiveAgent::Parent { session, run } => self.feed_parent(session, run, done).await,
            ActiveAgent::Sub(sub) => match sub.conversation.handle(done.event) {
                Ok(effects) => Ok(Step::of(effects).work),
                Err(rejected) => Err(wire::run_error("internal_error", &rejected.to_string())),
            },
        }
    }

    /// Commits the outcome, and ends the run under the same lock if no work is left: a client that learns of a waiting question can answer it at
    /// once.
    async fn feed_parent(
        &self,
        session: &ActiveSession,
        run: &ActiveRun,
        done: WorkResult,
    ) -> Result<Option<Work>, RunEnd> {
        let stopped = matches!(done.event, Event::LlmStopped { .. } | Event::UserCancel { .. });
        let name = done.event.name();
        let mut state = session.state.lock().await;
        let step = state.conversation.handle(done.event).map(Step::of).map_err(|rejected| {
            tracing::error!(conversation = %session.name(), rejected = rejected.code(), "the state machine rejected the run's own event");
            wire::run_error("internal_error", "The run broke off.")
        })?;
        state.is_away = true;
        let mut live: Vec<LogEntry> = entries(step.outgoing(Some(state.view()), None)).collect();
        let work = step.work.filter(|_| state.view().clients_call().is_none());
        let is_over = work.is_none() && !state.view().is_at_work();
        if is_over {
            let end = match state.conversation.state() {
                ConvState::Failed { reason } => wire::run_error("model_failed", reason),
                _ if stopped => wire::run_finished(Edition::Current, &session.id, &run.id, RunOutcome::Cancelled),
                _ if done.is_cut => wire::run_error("answer_cut", ANSWER_CUT),
                _ => end_of(session, &state, run),
            };
            live.push(LogEntry::event(&end));
        }
        let answers = step.messages.iter().flat_map(|message| wire::whole_answer(&state.context, message));
        let mut told: Vec<LogEntry> = answers.map(|event| LogEntry::event(&event)).collect();
        told.extend(live.iter().cloned());
        if done.shown_but_dropped {
            live.insert(0, LogEntry::event(&wire::snapshot(state.view())));
        }
        let stored = self.commit(session, &mut state, run, name, &step.messages, &told).await;
        let revision = stored.map_err(|error| self.not_stored(session, error))?;
        if is_over {
            // Cleared before clients see the end, so that their next request finds the conversation free.
            state.run = None;
        }
        session.hub.commit(revision, live);
        if is_over {
            run.over.cancel();
        }
        Ok(work)
    }

    fn not_stored(&self, session: &ActiveSession, error: ApiError) -> RunEnd {
        if let ApiError::Overtaken = error {
            tracing::info!(conversation = %session.name(), "lease lost: another server continues the conversation");
            return wire::run_error("overtaken", "Another server goes on with this conversation.");
        }
        tracing::error!(conversation = %session.name(), %error, "commit failed");
        wire::run_error("store_failed", "The conversation could not be stored.")
    }
}
