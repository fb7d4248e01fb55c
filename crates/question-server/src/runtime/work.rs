//! Working a run off: the model is asked and tools run until the state machine has nothing more to do.

use super::Runtime;
use super::tell::{announce, end_run, failed, snapshot};
use crate::error::ApiError;
use crate::limits::MAX_MODEL_CALLS;
use crate::live::{Live, Run};
use crate::log::RunEnd;
use crate::models::Request;
use crate::turn::Turn;
use crate::wire;
use ag_ui_stream::outcome::{CancelledOutcome, RunOutcome};
use futures_util::StreamExt as _;
use question_agent::call::ToolCall;
use question_agent::{ConvState, Event};
use std::sync::Arc;

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
        Self {
            event,
            shown_but_dropped: false,
        }
    }
}

impl Runtime {
    /// Works a run off and tells how it ended.
    pub(super) async fn drive(self: Arc<Self>, live: Arc<Live>, run: Run, work: Work) {
        // A task of its own, so that a bug in a model cannot leave the conversation busy for ever.
        let working =
            tokio::spawn(Arc::clone(&self).work_off(Arc::clone(&live), run.clone(), work));
        let end = working.await.unwrap_or_else(|error| {
            tracing::error!(conversation = live.id, %error, "a run broke off");
            failed("internal_error", "The run broke off.")
        });
        let mut talk = live.talk.lock().await;
        end_run(&live, &mut talk, &run, end);
    }

    async fn work_off(self: Arc<Self>, live: Arc<Live>, run: Run, work: Work) -> RunEnd {
        let mut stopped = false;
        let mut asked = 0;
        let mut work = Some(work);
        while let Some(next) = work {
            let done = match next {
                Work::AskModel if asked == MAX_MODEL_CALLS => Done::kept(Event::LlmFailed {
                    reason: "The agent went on calling tools without end.".to_owned(),
                    retryable: false,
                }),
                Work::AskModel => {
                    asked += 1;
                    self.ask_model(&live, &run).await
                }
                Work::Execute(call) => self.execute(&call),
            };
            stopped |= matches!(done.event, Event::LlmStopped { .. });
            work = match self.feed(&live, done).await {
                Ok(work) => work,
                Err(end) => return end,
            };
        }
        match live.talk.lock().await.conversation.state() {
            ConvState::Failed { reason } => failed("model_failed", reason),
            _ if stopped => RunEnd::Finished(RunOutcome::Cancelled(CancelledOutcome::new())),
            state => RunEnd::Finished(wire::outcome(state, run.pending)),
        }
    }

    async fn feed(&self, live: &Live, done: Done) -> Result<Option<Work>, RunEnd> {
        let mut talk = live.talk.lock().await;
        let effects =
            self.commit(live, &mut talk, done.event)
                .await
                .map_err(|error| match error {
                    ApiError::Store(error) => {
                        tracing::error!(conversation = live.id, %error, "the store failed");
                        failed("store_failed", "The conversation could not be stored.")
                    }
                    other => {
                        tracing::error!(
                            conversation = live.id,
                            ?other,
                            "the run broke its own rules"
                        );
                        failed("internal_error", "The run broke off.")
                    }
                })?;
        if done.shown_but_dropped {
            live.log.push_event(&snapshot(&talk.conversation));
        }
        let work = announce(live, effects, None);
        if let Some(run) = &mut talk.run {
            run.settled = live.log.next_position();
        }
        Ok(work)
    }

    async fn ask_model(&self, live: &Live, run: &Run) -> Done {
        let request = Request {
            messages: live.talk.lock().await.conversation.messages().to_vec(),
            tools: self.registry.specs(),
            guidance: self.registry.guidance(),
        };
        let mut deltas = self.model.respond(request);
        let mut turn = Turn::new(&live.log);
        loop {
            let delta = tokio::select! {
                biased;
                () = run.stop.cancelled() => {
                    let partial = turn.finish();
                    return Done { shown_but_dropped: !partial.tool_calls.is_empty(), event: Event::LlmStopped { partial } };
                }
                delta = deltas.next() => delta,
            };
            match delta {
                Some(Ok(delta)) => turn.take(delta),
                Some(Err(error)) => {
                    // Clients have read the beginning of an answer: another one behind it would be no retry.
                    let retryable = error.retryable && !turn.has_begun();
                    let shown_but_dropped = turn.has_begun();
                    turn.finish();
                    let reason = error.reason;
                    return Done {
                        event: Event::LlmFailed { reason, retryable },
                        shown_but_dropped,
                    };
                }
                None => {
                    let event = Event::LlmResponse(turn.finish());
                    return Done::kept(event);
                }
            }
        }
    }

    fn execute(&self, call: &ToolCall) -> Done {
        let event = self
            .registry
            .intercept(call)
            .into_event(call)
            .unwrap_or_else(|| Event::ToolComplete {
                result: self.registry.run(call),
            });
        Done::kept(event)
    }
}
