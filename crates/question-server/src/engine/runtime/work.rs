//! The work of a run: model requests and tools, until the state machine has no more work.

use super::Runtime;
use super::agent::{ActiveAgent, SubAgent, WorkResult};
use super::responses::{RunEnd, SERVER_STOPPED};
use crate::config::limits::{DELTAS_AT_ONCE, MAX_ASK_RETRIES, MAX_MODEL_CALLS, MAX_UNATTENDED};
use crate::engine::session::{ActiveRun, ActiveSession};
use crate::engine::tools::{Agents, Call, check_ask};
use crate::error::WithCauses;
use crate::live::LogEntry;
use crate::store::signals::Notification;
use crate::store::{Lease, Revision};
use async_trait::async_trait;
use futures_util::future::{BoxFuture, join_all};
use futures_util::{FutureExt as _, StreamExt as _};
use question_agent::ag_ui::{Turn, Work, is_longer, wire};
use question_agent::call::{ToolCall, ToolResult, is_asking_tool};
use question_agent::message::{Message, UserMessage};
use question_agent::registry::ToolContext;
use question_agent::{ConvState, Conversation, Event};
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;
use tokio::sync::Mutex;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;
use uuid::Uuid;

impl Runtime {
    /// Does the work of a run and ends it.
    pub(super) async fn drive(self: Arc<Self>, session: Arc<ActiveSession>, run: ActiveRun, work: Work) {
        let working = async {
            let mut agent = ActiveAgent::Parent { session: Arc::clone(&session), run: run.clone() };
            let _permit = run.permit().await;
            self.work_off(&mut agent, work, &AtomicU32::new(0)).await
        };
        // A panic in a model must not leave the conversation busy.
        let worked = tokio::select! {
            worked = AssertUnwindSafe(working).catch_unwind() => Some(worked),
            () = self.drain.cut_off() => None,
        };
        let is_cut_off = worked.is_none();
        let end = match worked {
            Some(Ok(Err(end))) => end,
            // The last work usually ends the run. This end is for a state machine that stops halfway.
            Some(Ok(Ok(()))) => wire::run_error("internal_error", "The run broke off."),
            Some(Err(_)) => {
                tracing::error!(conversation = %session.name(), "run panicked");
                wire::run_error("internal_error", "The run broke off.")
            }
            None => {
                tracing::info!(conversation = %session.name(), "run cut off by the stop of the server");
                wire::run_error(SERVER_STOPPED, "The server is stopping.")
            }
        };
        let mut state = session.state.lock().await;
        if !run.over.is_cancelled() {
            state.run = None;
            session.hub.push([LogEntry::event(&end)]);
            if self.is_shared() {
                // Another server may resume the run without knowing of this entry, so clients have to reconnect and get the history.
                session.hub.restart(Revision::default(), None);
            }
            run.over.cancel();
        }
        if state.run.is_none() {
            self.held().remove(&session.id);
        }
        state.rest();
        drop(state);
        if is_cut_off {
            self.release(&session.id).await;
        }
        if run.permits.is_some() {
            // Wakes the sweep, which may begin another run.
            self.deadlines_changed.notify_one();
        }
    }

    /// Releases the lease of a conversation, so that another server goes on at once.
    async fn release(&self, id: &str) {
        // A renewal under way may still include this lease, so it has to end first.
        let leases = self.leases.lock().await;
        let lease = Lease { holder: self.holder, until: self.clock.now() };
        let released = self.store.renew(vec![id.to_owned()], lease).await;
        drop(leases);
        match released {
            Ok(()) => self.notify(id, Notification::Released).await,
            Err(error) => tracing::error!(error = %WithCauses(&error), "releasing a lease failed"),
        }
    }

    /// Does the work of a run to its end. Model requests of its sub-agents count in `asked` as well.
    ///
    /// # Errors
    /// The end of the run, if it is another one than that of its last work.
    async fn work_off(&self, agent: &mut ActiveAgent, work: Work, asked: &AtomicU32) -> Result<(), RunEnd> {
        let (mut refused, mut unknown) = (0, 0);
        let mut work = Some(work);
        let unattended = agent.context().await.unattended;
        while let Some(next) = work {
            let stopped = match next {
                _ if unattended > MAX_UNATTENDED => {
                    Some("The agent went on by itself for too long. Say something, and it continues.")
                }
                Work::AskModel if refused > MAX_ASK_RETRIES => {
                    Some("The agent could not put its question into a form that can be asked.")
                }
                Work::AskModel if unknown > MAX_ASK_RETRIES => Some("The agent calls tools that are not there."),
                Work::AskModel if self.is_full(agent).await => {
                    Some("The conversation is too long to go on; start a new one.")
                }
                Work::AskModel if asked.fetch_add(1, Ordering::Relaxed) >= MAX_MODEL_CALLS => {
                    Some("The agent went on calling tools without end.")
                }
                _ => None,
            };
            let done = match (next, stopped) {
                (Work::AskModel, Some(reason)) => {
                    WorkResult::kept(Event::LlmFailed { reason: reason.to_owned(), retryable: false })
                }
                (Work::Execute(call), Some(reason)) => {
                    WorkResult::kept(Event::ToolComplete { result: ToolResult::error(&call.id, reason) })
                }
                (Work::AskModel, None) => {
                    let begun = Instant::now();
                    let done = self.ask_model(agent).instrument(tracing::debug_span!("model")).await;
                    let outcome = match done.event {
                        Event::LlmFailed { .. } => "failed",
                        Event::LlmStopped { .. } => "stopped",
                        _ => "answered",
                    };
                    let took = begun.elapsed().as_secs_f64();
                    self.metrics.model_seconds.get_or_create(&[("outcome", outcome)]).observe(took);
                    done
                }
                (Work::Execute(call), None) => {
                    let is_known =
                        is_asking_tool(call.name()) || self.registry(&agent.context().await).has(call.name());
                    unknown = if is_known { 0 } else { unknown + 1 };
                    let done = self.execute(agent, &call, asked).await?;
                    refused += u32::from(is_refused_ask(&call, &done.event));
                    done
                }
            };
            work = self.feed(agent, done).await?;
        }
        Ok(())
    }

    /// Returns true if the history is longer than it may be.
    async fn is_full(&self, agent: &ActiveAgent) -> bool {
        agent.look(|_, conversation| is_longer(&self.config.bounds.of_input(), conversation.messages(), 0)).await
    }

    async fn ask_model(&self, agent: &ActiveAgent) -> WorkResult {
        let request = self.request(agent).await;
        let attempt = request.attempt;
        let mut turn = Turn::new(request.context.clone(), || Uuid::new_v4().simple().to_string());
        let finish = |turn: Turn<_>| {
            self.metrics.model_used(turn.usage());
            let (message, events) = turn.finish();
            agent.tell(&events);
            message
        };
        let mut deltas = pin!(self.model_answer(agent, request).ready_chunks(DELTAS_AT_ONCE));
        loop {
            // Yields now and then, so that a model that never pauses does not starve its readers.
            tokio::task::consume_budget().await;
            let arrived = tokio::select! {
                biased;
                () = agent.stop().cancelled() => {
                    let partial = finish(turn);
                    let shown_but_dropped = !partial.tool_calls.is_empty();
                    return WorkResult { shown_but_dropped, ..WorkResult::kept(Event::LlmStopped { partial }) };
                }
                arrived = deltas.next() => arrived,
            };
            let Some(arrived) = arrived else {
                let (shown_but_dropped, is_cut) = (turn.is_rewritten(), turn.is_cut());
                return WorkResult { event: Event::LlmResponse(finish(turn)), shown_but_dropped, is_cut };
            };
            let taken = turn.take(arrived);
            agent.tell(&turn.events());
            match taken {
                Ok(()) => {}
                Err(error) => {
                    // Once clients have seen the beginning of an answer, a retry would show them a second one.
                    let shown_but_dropped = turn.has_begun();
                    let pause = error.pause_after(attempt).filter(|_| !shown_but_dropped);
                    let partial = finish(turn);
                    if let Some(pause) = pause {
                        tokio::select! {
                            () = agent.stop().cancelled() => return WorkResult::kept(Event::LlmStopped { partial }),
                            () = sleep(pause) => {}
                        }
                    }
                    let event = Event::LlmFailed { reason: error.reason, retryable: pause.is_some() };
                    return WorkResult { shown_but_dropped, ..WorkResult::kept(event) };
                }
            }
        }
    }

    /// Checks a call and runs it, unless the check has its result.
    async fn execute(&self, agent: &mut ActiveAgent, call: &ToolCall, asked: &AtomicU32) -> Result<WorkResult, RunEnd> {
        let context = agent.context().await;
        let registry = self.registry(&context);
        let failed = |why| WorkResult::kept(Event::ToolComplete { result: ToolResult::error(&call.id, why) });
        if let Err(too_long) = check_ask(call) {
            return Ok(failed(too_long));
        }
        if let Some(event) = registry.intercept(call, self.deadline()) {
            return Ok(WorkResult::kept(event));
        }
        let Some(tool) = self.tool(&context, call.name()) else {
            return Ok(failed(self.not_offered(&context, call.name())));
        };
        let (stop, limit) = (agent.stop().clone(), tool.time_limit());
        let cancel = stop.child_token();
        let _ends = cancel.clone().drop_guard();
        let agents = Delegation { runtime: self, agent: Mutex::new((agent, None)), context: &context, call, asked };
        let run = tool.run(Call { call, context: &context, cancel, agents: &agents });
        let run = AssertUnwindSafe(run.instrument(tracing::debug_span!("tool", name = call.name())));
        let output = tokio::select! {
            biased;
            () = agents.between(stop.cancelled()) => None,
            ran = run.catch_unwind() => Some(ran.unwrap_or_else(|_| {
                tracing::error!(tool = call.name(), "tool panicked");
                Err("The tool failed.".to_owned())
            })),
            () = agents.between(sleep(limit)) => {
                tracing::warn!(tool = call.name(), "tool timed out");
                Some(Err(format!("The tool took longer than {} seconds.", limit.as_secs())))
            }
        };
        if let (_, Some(end)) = agents.agent.into_inner() {
            return Err(end);
        }
        let Some(output) = output else {
            return Ok(WorkResult::kept(Event::UserCancel { proceed: false }));
        };
        let most = self.config.bounds.tool_result;
        Ok(match output {
            Ok(content) | Err(content) if content.len() > most => {
                failed(format!("The tool's result is longer than {most} bytes."))
            }
            Ok(content) => WorkResult::kept(Event::ToolComplete { result: ToolResult::success(&call.id, content) }),
            Err(why) => failed(why),
        })
    }

    fn not_offered(&self, context: &ToolContext, name: &str) -> String {
        match context.is_sub_agent && self.tools.iter().any(|tool| tool.spec().name == name) {
            true => format!("{name} is not available to sub-agents"),
            false => format!("There is no tool named {name}."),
        }
    }

    /// Runs a sub-agent, and returns its last message.
    fn run_sub_agent<'a>(
        &'a self,
        parent: &ToolContext,
        task: String,
        stop: CancellationToken,
        asked: &'a AtomicU32,
    ) -> BoxFuture<'a, String> {
        let (sub, task) = SubAgent::new(parent, task, stop);
        Box::pin(async move {
            let mut agent = ActiveAgent::Sub(Box::new(sub));
            let worked = match self.feed(&mut agent, WorkResult::kept(task)).await {
                Ok(Some(work)) => self.work_off(&mut agent, work, asked).await,
                begun => begun.map(drop),
            };
            last_words(&agent, worked)
        })
    }
}

/// Runs the sub-agents of one call. Their starts and ends are events of its agent; an event that ends the run is kept.
#[derive(Debug)]
struct Delegation<'a> {
    runtime: &'a Runtime,
    agent: Mutex<(&'a mut ActiveAgent, Option<RunEnd>)>,
    context: &'a ToolContext,
    call: &'a ToolCall,
    asked: &'a AtomicU32,
}

impl Delegation<'_> {
    /// Feeds events to the agent. Returns false if its run has ended.
    async fn tell(&self, events: impl Iterator<Item = Event>) -> bool {
        let (agent, end) = &mut *self.agent.lock().await;
        for event in events {
            if end.is_none() {
                *end = self.runtime.feed(agent, WorkResult::kept(event)).await.err();
            }
        }
        end.is_none()
    }

    /// Waits for `then`, and for a commit under way, so that the call can be dropped.
    async fn between(&self, then: impl Future<Output = ()>) {
        then.await;
        drop(self.agent.lock().await);
    }
}

#[async_trait]
impl Agents for Delegation<'_> {
    async fn run(&self, tasks: Vec<String>) -> Vec<String> {
        let ids: Vec<String> = tasks.iter().map(|_| Uuid::new_v4().to_string()).collect();
        let tool_use_id = self.call.id.clone();
        let started =
            |id: &String| Event::SubAgentStarted { tool_use_id: tool_use_id.clone(), sub_agent_id: id.clone() };
        if !self.tell(ids.iter().map(started)).await {
            return Vec::new();
        }
        let stop = self.agent.lock().await.0.stop().child_token();
        let _ends = stop.clone().drop_guard();
        let works =
            tasks.into_iter().map(|task| self.runtime.run_sub_agent(self.context, task, stop.clone(), self.asked));
        let said = join_all(works).await;
        self.tell(ids.into_iter().map(|sub_agent_id| Event::SubAgentFinished { sub_agent_id })).await;
        said
    }
}

fn is_refused_ask(call: &ToolCall, event: &Event) -> bool {
    is_asking_tool(call.name()) && matches!(event, Event::ToolComplete { result } if result.is_error)
}

impl SubAgent {
    /// An agent without a user of its own, and the event with its task. Its parent knows its task and its last message alone.
    fn new(parent: &ToolContext, task: String, stop: CancellationToken) -> (Self, Event) {
        let context = ToolContext {
            is_sub_agent: true,
            // A sub-agent has no client to run tools.
            client_tools: Vec::new(),
            ..parent.clone()
        };
        let message = UserMessage::new(Uuid::new_v4().to_string(), task);
        let sub = Self { conversation: Conversation::new(), context, stop };
        (sub, Event::UserMessage { messages: vec![message] })
    }
}

/// The last message of a sub-agent, or the reason why there is none.
fn last_words(agent: &ActiveAgent, worked: Result<(), RunEnd>) -> String {
    let conversation = match (agent, worked) {
        (_, Err(end)) => return format!("The sub-agent broke off: {}.", end.text("message")),
        (ActiveAgent::Sub(sub), _) => &sub.conversation,
        (ActiveAgent::Parent { .. }, _) => return String::new(),
    };
    match (conversation.state(), conversation.messages().last()) {
        (ConvState::Failed { reason }, _) => format!("The sub-agent failed: {reason}"),
        (_, Some(Message::Assistant(message))) => message.text.clone(),
        _ => "The sub-agent said nothing.".to_owned(),
    }
}
