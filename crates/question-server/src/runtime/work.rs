//! Working a run off: the model is asked and tools run until the state machine has nothing more to do.

use super::Runtime;
use super::sub_agents::tasks;
use super::tell::{announce, end_run, failed, snapshot};
use crate::error::ApiError;
use crate::limits::{MAX_ASK_RETRIES, MAX_MODEL_CALLS};
use crate::live::{Live, Run};
use crate::log::RunEnd;
use crate::models::Request;
use crate::turn::Turn;
use crate::wire;
use ag_ui_stream::outcome::{CancelledOutcome, RunOutcome};
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use question_agent::call::{ToolCall, ToolResult, is_asking_tool};
use question_agent::registry::ToolContext;
use question_agent::{ConvState, Event};
use std::sync::Arc;
use uuid::Uuid;

/// What has to be done before the state machine can go on.
#[derive(Debug)]
pub(super) enum Work {
    AskModel,
    Execute(ToolCall),
}

/// What came of a piece of work.
#[derive(Debug)]
struct Done {
    event: Event,
    /// Whether clients have seen something that is not kept.
    shown_but_dropped: bool,
}

impl Done {
    fn kept(event: Event) -> Self {
        Self { event, shown_but_dropped: false }
    }
}

impl Runtime {
    /// Works a run off and tells how it ended.
    pub(super) async fn drive(self: Arc<Self>, live: Arc<Live>, run: Run, work: Work) {
        // A task of its own, so that a bug in a model cannot leave the conversation busy for ever.
        let mut working = tokio::spawn(Arc::clone(&self).work_off(Arc::clone(&live), run.clone(), work));
        let worked = tokio::select! {
            worked = &mut working => worked,
            () = self.cut_off.cancelled() => {
                working.abort();
                working.await
            }
        };
        let end = match worked {
            Ok(Err(end)) => end,
            // It has ended with its last work; should the state machine ever stop halfway, nothing else would end it.
            Ok(Ok(())) => failed("internal_error", "The run broke off."),
            Err(error) if error.is_cancelled() => {
                tracing::info!(conversation = %live.name(), "a run is cut off");
                failed("server_stopped", "The server is stopping.")
            }
            Err(error) => {
                tracing::error!(conversation = %live.name(), %error, "a run broke off");
                failed("internal_error", "The run broke off.")
            }
        };
        let mut talk = live.talk.lock().await;
        if !run.over.is_cancelled() {
            end_run(&live, &mut talk, &run, end);
        }
        talk.rest();
    }

    /// Works a run off to its end, or to the reason why it goes no further.
    async fn work_off(self: Arc<Self>, live: Arc<Live>, run: Run, work: Work) -> Result<(), RunEnd> {
        let mut asked = 0;
        let mut refused = 0;
        let mut work = Some(work);
        while let Some(next) = work {
            let done = match next {
                Work::AskModel if asked == MAX_MODEL_CALLS => Done::kept(Event::LlmFailed {
                    reason: "The agent went on calling tools without end.".to_owned(),
                    retryable: false,
                }),
                Work::AskModel if refused > MAX_ASK_RETRIES => Done::kept(Event::LlmFailed {
                    reason: "The agent could not put its question into a form that can be asked.".to_owned(),
                    retryable: false,
                }),
                Work::AskModel => {
                    asked += 1;
                    self.ask_model(&live, &run).await
                }
                Work::Execute(call) => {
                    let done = self.execute(&live, &run, &call).await?;
                    refused += u32::from(is_refused_ask(&call, &done.event));
                    done
                }
            };
            work = self.feed(&live, &run, done).await?;
        }
        Ok(())
    }

    /// Feeds what came of a piece of work, and gives the next. Where there is none the run ends, in the same breath: a client that learns that a
    /// question waits finds the conversation free to take its answer.
    async fn feed(&self, live: &Live, run: &Run, done: Done) -> Result<Option<Work>, RunEnd> {
        let stopped = matches!(done.event, Event::LlmStopped { .. } | Event::UserCancel { .. });
        let mut talk = live.talk.lock().await;
        let effects = self.commit(live, &mut talk, done.event).await.map_err(|error| match error {
            ApiError::Store(error) => {
                tracing::error!(conversation = %live.name(), %error, "the store failed");
                failed("store_failed", "The conversation could not be stored.")
            }
            other => {
                tracing::error!(
                    conversation = %live.name(),
                    ?other,
                    "the run broke its own rules"
                );
                failed("internal_error", "The run broke off.")
            }
        })?;
        if done.shown_but_dropped {
            live.log.push_event(&snapshot(&talk));
        }
        let work = announce(live, Some(&talk), effects, None);
        let is_clients = talk.clients_call().is_some();
        let work = work.filter(|_| !is_clients);
        if let Some(run) = &mut talk.run {
            run.settled = live.log.next_position();
        }
        if is_clients || (work.is_none() && !talk.conversation.state().is_at_work()) {
            let end = match talk.conversation.state() {
                ConvState::Failed { reason } => failed("model_failed", reason),
                _ if stopped => RunEnd::Finished(RunOutcome::Cancelled(CancelledOutcome::new())),
                _ => RunEnd::Finished(wire::outcome(&talk, run.pending)),
            };
            end_run(live, &mut talk, run, end);
        }
        Ok(work)
    }

    async fn ask_model(&self, live: &Live, run: &Run) -> Done {
        let request = {
            let talk = live.talk.lock().await;
            let attempt = match talk.conversation.state() {
                ConvState::LlmRequesting { attempt } => *attempt,
                _ => 1,
            };
            Request::new(&self.registry(&talk.context), &talk.conversation, attempt)
        };
        let attempt = request.attempt;
        let mut turn = Turn::new(&live.log, request.context.clone());
        let mut deltas = self.model.respond(request);
        loop {
            let delta = tokio::select! {
                biased;
                () = run.stop.cancelled() => {
                    let partial = turn.finish();
                    return Done { shown_but_dropped: !partial.tool_calls.is_empty(), event: Event::LlmStopped { partial } };
                }
                delta = deltas.next() => delta,
            };
            let Some(delta) = delta else {
                return Done::kept(Event::LlmResponse(turn.finish()));
            };
            match delta.and_then(|delta| turn.take(delta)) {
                Ok(()) => {}
                Err(error) => {
                    // Clients have read the beginning of an answer: another one behind it would be no retry.
                    let shown_but_dropped = turn.has_begun();
                    let pause = error.pause_after(attempt).filter(|_| !shown_but_dropped);
                    let partial = turn.finish();
                    if let Some(pause) = pause {
                        tokio::select! {
                            () = run.stop.cancelled() => return Done::kept(Event::LlmStopped { partial }),
                            // The endpoint said when to come back.
                            () = tokio::time::sleep(pause) => {}
                        }
                    }
                    let event = Event::LlmFailed { reason: error.reason, retryable: pause.is_some() };
                    return Done { event, shown_but_dropped };
                }
            }
        }
    }

    async fn execute(&self, live: &Live, run: &Run, call: &ToolCall) -> Result<Done, RunEnd> {
        let context = live.talk.lock().await.context.clone();
        match tasks(&context, call) {
            Some(Ok(tasks)) => self.spawn_agents(live, run, &context, call, tasks).await,
            Some(Err(result)) => Ok(Done::kept(Event::ToolComplete { result })),
            None => {
                let registry = self.registry(&context);
                let intercepted = registry.intercept(call).into_event(call, self.deadline());
                Ok(Done::kept(intercepted.unwrap_or_else(|| Event::ToolComplete { result: registry.run(call) })))
            }
        }
    }

    /// Lets sub-agents work side by side until the last is done, or the user stops the run.
    async fn spawn_agents(
        &self,
        live: &Live,
        run: &Run,
        context: &ToolContext,
        call: &ToolCall,
        tasks: Vec<String>,
    ) -> Result<Done, RunEnd> {
        let ids: Vec<String> = tasks.iter().map(|_| Uuid::new_v4().to_string()).collect();
        for sub_agent_id in &ids {
            let started = Event::SubAgentStarted { tool_use_id: call.id.clone(), sub_agent_id: sub_agent_id.clone() };
            self.feed(live, run, Done::kept(started)).await?;
        }
        let works = tasks.into_iter().map(|task| self.run_sub_agent(context, task));
        let said = tokio::select! {
            biased;
            () = run.stop.cancelled() => return Ok(Done::kept(Event::UserCancel { proceed: false })),
            said = join_all(works) => said,
        };
        for sub_agent_id in ids {
            let finished = Event::SubAgentFinished { sub_agent_id };
            self.feed(live, run, Done::kept(finished)).await?;
        }
        let result = ToolResult::success(&call.id, said.join("\n\n"));
        Ok(Done::kept(Event::ToolComplete { result }))
    }
}

fn is_refused_ask(call: &ToolCall, event: &Event) -> bool {
    is_asking_tool(call.name()) && matches!(event, Event::ToolComplete { result } if result.is_error)
}
