//! Carries out what the state machine decides: asks the model, runs tools, stores, and tells the clients.

use crate::error::ApiError;
use crate::input::RunInput;
use crate::intake;
use crate::limits::MAX_CONVERSATIONS;
use crate::live::{Live, Run, Talk};
use crate::log::{Reader, RunEnd};
use crate::models::{Model, Request};
use crate::sse::RunStream;
use crate::store::Store;
use crate::turn::Turn;
use crate::wire;
use ag_ui_stream::event::MessagesSnapshot;
use ag_ui_stream::outcome::{CancelledOutcome, RunOutcome};
use futures_util::StreamExt as _;
use question_agent::call::{ToolCall, ToolResult};
use question_agent::effect::StateChange;
use question_agent::message::Message;
use question_agent::registry::{ToolContext, ToolRegistry};
use question_agent::{ConvState, Conversation, Effect, Event, Rejected};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

/// Everything that conversations share.
#[derive(Debug)]
pub(crate) struct Runtime {
    store: Arc<dyn Store>,
    model: Arc<dyn Model>,
    registry: ToolRegistry,
    lives: Mutex<HashMap<String, Arc<Live>>>,
    shutdown: CancellationToken,
}

/// What has to be done before the state machine can go on.
#[derive(Debug)]
enum Work {
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

impl Runtime {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        model: Arc<dyn Model>,
        shutdown: CancellationToken,
    ) -> Self {
        Self {
            registry: ToolRegistry::new(model.limits(), ToolContext::default()),
            store,
            model,
            lives: Mutex::default(),
            shutdown,
        }
    }

    /// Told when the server is to stop.
    pub(crate) fn shutdown(&self) -> &CancellationToken {
        &self.shutdown
    }

    /// A conversation that exists.
    pub(crate) async fn open(&self, id: &str) -> Result<Arc<Live>, ApiError> {
        let mut lives = self.lives.lock().await;
        self.find(&mut lives, id)
            .await?
            .ok_or(ApiError::UnknownConversation)
    }

    async fn open_or_create(&self, id: &str) -> Result<Arc<Live>, ApiError> {
        let mut lives = self.lives.lock().await;
        if let Some(live) = self.find(&mut lives, id).await? {
            return Ok(live);
        }
        if lives.len().max(self.store.count().await?) >= MAX_CONVERSATIONS {
            return Err(ApiError::TooManyConversations);
        }
        let live = Arc::new(Live::new(id.to_owned(), Conversation::new()));
        lives.insert(id.to_owned(), Arc::clone(&live));
        Ok(live)
    }

    async fn find(
        &self,
        lives: &mut HashMap<String, Arc<Live>>,
        id: &str,
    ) -> Result<Option<Arc<Live>>, ApiError> {
        if let Some(live) = lives.get(id) {
            return Ok(Some(Arc::clone(live)));
        }
        let Some(conversation) = self.store.load(id).await? else {
            return Ok(None);
        };
        let live = Arc::new(Live::new(id.to_owned(), conversation));
        lives.insert(id.to_owned(), Arc::clone(&live));
        Ok(Some(live))
    }

    /// Takes a client's input and gives the response to stream: a run, or what has become of the one that took the same input before.
    pub(crate) async fn run(self: &Arc<Self>, input: RunInput) -> Result<RunStream, ApiError> {
        let live = self.open_or_create(&input.thread_id).await?;
        let mut talk = loop {
            let talk = live.talk.lock().await;
            let Some(run) = &talk.run else { break talk };
            if intake::read(&talk.conversation, &input)?.is_none() {
                return Ok(attach(&live, &talk, run, &input.run_id));
            }
            if !run.is_abandoned() {
                return Err(Rejected::Busy.into());
            }
            // Its client has gone, as one does that presses Stop; what it says next comes first.
            let run = run.clone();
            drop(talk);
            stop(&run).await;
        };
        let event = match (
            intake::read(&talk.conversation, &input)?,
            talk.conversation.state(),
        ) {
            (Some(event), _) => Some(event),
            (None, ConvState::Failed { .. }) => Some(Event::Retry),
            // The process that worked on it has ended.
            (None, ConvState::LlmRequesting { .. } | ConvState::ToolExecuting(_)) => None,
            (None, ConvState::Idle | ConvState::AwaitingUserResponse(_)) => {
                return Ok(catch_up(&live, &talk, &input));
            }
        };
        let pending = input.pending();
        let run = Run::new(input.run_id, pending);
        let (run, reader) = self.begin(&live, &mut talk, run, event).await?;
        Ok(RunStream::own(reader, run.follow()))
    }

    /// Takes an event from outside of `POST /agent`; the run that follows has no client of its own.
    pub(crate) async fn handle(
        self: &Arc<Self>,
        live: &Arc<Live>,
        mut talk: MutexGuard<'_, Talk>,
        run_id: String,
        event: Event,
    ) -> Result<StateChange, ApiError> {
        let run = Run::detached(run_id);
        self.begin(live, &mut talk, run, Some(event)).await?;
        Ok(StateChange::from(talk.conversation.state()))
    }

    /// Starts a run with an event, or goes on where an earlier process stopped.
    async fn begin(
        self: &Arc<Self>,
        live: &Arc<Live>,
        talk: &mut Talk,
        mut run: Run,
        event: Option<Event>,
    ) -> Result<(Run, Reader), ApiError> {
        let brought = event.as_ref().and_then(brought_message).map(str::to_owned);
        let effects = match event {
            Some(event) => self.commit(live, talk, event).await?,
            None => talk.conversation.resume(),
        };
        let reader = live.log.reader(live.log.next_position());
        let taken = taken_messages(&effects, brought.as_deref());
        live.log
            .push_event(&wire::run_started(&live.id, &run.id, taken));
        let work = announce(live, effects, brought.as_deref());
        run.settled = live.log.next_position();
        match work {
            Some(work) => {
                talk.run = Some(run.clone());
                tokio::spawn(Arc::clone(self).drive(Arc::clone(live), run.clone(), work));
            }
            None => end_run(
                live,
                talk,
                &run,
                RunEnd::Finished(wire::outcome(talk.conversation.state(), run.pending)),
            ),
        }
        Ok((run, reader))
    }

    /// Lets the state machine take an event and stores what it changed. Where the store fails nothing was taken: the conversation is read anew.
    async fn commit(
        &self,
        live: &Live,
        talk: &mut Talk,
        event: Event,
    ) -> Result<Vec<Effect>, ApiError> {
        let name = event.name();
        let effects = talk.conversation.handle(event)?;
        if let Err(error) = self
            .store
            .commit(&live.id, &talk.conversation, &effects)
            .await
        {
            self.lives.lock().await.remove(&live.id);
            return Err(error.into());
        }
        tracing::info!(
            conversation = live.id,
            event = name,
            state = talk.conversation.state().name()
        );
        Ok(effects)
    }

    async fn drive(self: Arc<Self>, live: Arc<Live>, run: Run, work: Work) {
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
        let mut work = Some(work);
        while let Some(next) = work {
            let done = match next {
                Work::AskModel => self.ask_model(&live, &run).await,
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
            live.log
                .push_event(&MessagesSnapshot::new(wire::messages(&talk.conversation)).into());
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
                    return Done {
                        event,
                        shown_but_dropped: false,
                    };
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
        Done {
            event,
            shown_but_dropped: false,
        }
    }
}

/// Ends a run and waits until it has.
pub(crate) async fn stop(run: &Run) {
    run.stop.cancel();
    run.over.cancelled().await;
}

/// Tells the clients that a run has ended. The conversation is free before they can know, so that what they say next finds it so.
fn end_run(live: &Live, talk: &mut Talk, run: &Run, end: RunEnd) {
    talk.run = None;
    let event = match &end {
        RunEnd::Finished(outcome) => wire::run_finished(&live.id, &run.id, outcome.clone()),
        RunEnd::Failed { code, message } => wire::run_error(code, message),
    };
    live.log.push_end(&event, end);
    run.over.cancel();
}

/// Tells the clients what happened; what is left to do comes back. A result that the client brought itself is not told again.
fn announce(live: &Live, effects: Vec<Effect>, brought: Option<&str>) -> Option<Work> {
    let mut work = None;
    for effect in effects {
        match effect {
            Effect::PersistToolResults { results } => {
                for result in results
                    .iter()
                    .filter(|result| brought != Some(&result.message_id))
                {
                    live.log.push_event(&wire::result_event(result));
                }
            }
            Effect::NotifyStateChange(change) => live.log.push_state(&change),
            Effect::NotifyLlmRequesting { attempt } => {
                live.log.push_state(&StateChange::LlmRequesting { attempt })
            }
            Effect::RequestLlm => work = Some(Work::AskModel),
            Effect::ExecuteTool(call) => work = Some(Work::Execute(call)),
            // Stored already; and a run's end says that the agent is done.
            Effect::PersistMessage(_) | Effect::PersistState | Effect::NotifyAgentDone => {}
        }
    }
    work
}

/// The id of the tool message by which a client delivered its reply.
fn brought_message(event: &Event) -> Option<&str> {
    match event {
        Event::UserQuestionResponse(response) => response.tool_message_id.as_deref(),
        _ => None,
    }
}

/// What a run was started with, for the clients that did not start it.
fn taken_messages(effects: &[Effect], brought: Option<&str>) -> Vec<ag_ui_stream::Message> {
    let is_brought = |result: &&ToolResult| brought == Some(&result.message_id);
    let mut taken = Vec::new();
    for effect in effects {
        match effect {
            Effect::PersistMessage(Message::User(user)) => taken.push(wire::user_message(user)),
            Effect::PersistToolResults { results } => {
                taken.extend(results.iter().filter(is_brought).map(wire::result_message))
            }
            _ => {}
        }
    }
    taken
}

/// What has become of an input that was taken before and whose run has ended.
fn catch_up(live: &Live, talk: &Talk, input: &RunInput) -> RunStream {
    let run_id = &input.run_id;
    RunStream::once(vec![
        wire::run_started(&live.id, run_id, Vec::new()),
        MessagesSnapshot::new(wire::messages(&talk.conversation)).into(),
        wire::run_finished(
            &live.id,
            run_id,
            wire::outcome(talk.conversation.state(), input.pending()),
        ),
    ])
}

/// The same while its run goes on: the rest of that run, under the new run's id.
fn attach(live: &Live, talk: &Talk, run: &Run, run_id: &str) -> RunStream {
    let prefix = vec![
        wire::run_started(&live.id, run_id, Vec::new()),
        MessagesSnapshot::new(wire::messages(&talk.conversation)).into(),
    ];
    RunStream::attached(
        prefix,
        live.log.reader(run.settled),
        run.follow(),
        &live.id,
        run_id,
    )
}

fn failed(code: &'static str, message: &str) -> RunEnd {
    RunEnd::Failed {
        code,
        message: message.to_owned(),
    }
}
