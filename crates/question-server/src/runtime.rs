//! Carries out what the state machine decides: asks the model, runs tools, stores, and tells the clients.

mod broken_off;
mod deadlines;
mod lives;
mod sub_agents;
mod tell;
mod work;

use crate::clock::Clock;
use crate::config::Config;
use crate::error::ApiError;
use crate::input::{Pending, RunInput};
use crate::intake;
use crate::limits::{Bounds, SHUTDOWN_GRACE, UNATTENDED};
use crate::live::{Live, Run, Talk};
use crate::log::{Reader, RunEnd};
use crate::models::{Model, SPAWN_AGENTS};
use crate::owner::Caller;
use crate::rate::Allowance;
use crate::sse::{Client, RunStream};
use crate::store::{Change, Store};
use crate::wire;
pub(crate) use broken_off::take_up;
pub(crate) use deadlines::watch_deadlines;
use lives::Slots;
use question_agent::effect::StateChange;
use question_agent::registry::{PermissionMode, ToolContext, ToolRegistry, ToolSpec};
use question_agent::{ConvState, Effect, Event, Rejected};
use std::sync::Arc;
use std::time::{Duration, Instant};
pub(crate) use tell::snapshot;
use tell::{announce, attach, brought_message, catch_up, end_run, taken_messages};
use tokio::sync::{Mutex, MutexGuard, Notify, Semaphore};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Everything that conversations share.
#[derive(Debug)]
pub(crate) struct Runtime {
    store: Arc<dyn Store>,
    model: Arc<dyn Model>,
    clock: Arc<dyn Clock>,
    bounds: Bounds,
    /// How long an ask waits for its reply; `None` where it waits for as long as it takes.
    expire_after: Option<Duration>,
    /// Whether a client may have the agent ask nobody.
    allow_bypass: bool,
    log_contents: bool,
    /// How often a conversation may still be begun.
    new: Allowance,
    slots: Mutex<Slots>,
    /// Told when an ask begins to wait that expires.
    deadlines_changed: Arc<Notify>,
    /// How many agents may still go on by themselves.
    unattended: Arc<Semaphore>,
    shutdown: CancellationToken,
    /// Told when runs that still go on are cut off.
    cut_off: CancellationToken,
}

impl Runtime {
    pub(crate) fn new(
        config: &Config,
        store: Arc<dyn Store>,
        model: Arc<dyn Model>,
        clock: Arc<dyn Clock>,
        shutdown: CancellationToken,
    ) -> Self {
        Self {
            store,
            model,
            clock,
            bounds: config.bounds,
            expire_after: config.expire_after,
            allow_bypass: config.allow_bypass,
            log_contents: config.log_contents,
            new: Allowance::new(Instant::now(), config.bounds.new),
            slots: Mutex::default(),
            deadlines_changed: Arc::default(),
            unattended: Arc::new(Semaphore::new(UNATTENDED.min(config.model_calls.get()))),
            shutdown,
            cut_off: CancellationToken::new(),
        }
    }

    /// Cuts off the runs that still go on some time after the server was told to stop, so that their clients learn of it.
    pub(crate) fn watch_shutdown(&self) {
        let (shutdown, cut_off) = (self.shutdown.clone(), self.cut_off.clone());
        tokio::spawn(async move {
            shutdown.cancelled().await;
            tokio::time::sleep(SHUTDOWN_GRACE).await;
            cut_off.cancel();
        });
    }

    /// What the server bounds.
    pub(crate) fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Whether it can do anything at all.
    pub(crate) async fn is_alive(&self) -> bool {
        self.store.count().await.is_ok()
    }

    /// The tools of a conversation in this context.
    fn registry(&self, context: &ToolContext) -> ToolRegistry {
        let tools = self.model.tools(context);
        let mut context = context.clone();
        // It may have been kept when the operator still allowed it.
        if !self.allow_bypass && context.permission_mode == PermissionMode::BypassPermissions {
            context.permission_mode = PermissionMode::Default;
        }
        let registry = ToolRegistry::new(self.model.limits(), context);
        tools.into_iter().fold(registry, ToolRegistry::with)
    }

    /// The tools of a client that are not named like one of ours.
    fn without_own(&self, context: &ToolContext, mut tools: Vec<ToolSpec>) -> Vec<ToolSpec> {
        let own = self.model.tools(context);
        let own: Vec<String> = own.iter().map(|tool| tool.spec().name).collect();
        tools.retain(|tool| tool.name != SPAWN_AGENTS && !own.contains(&tool.name));
        tools
    }

    /// Told when the server is to stop.
    pub(crate) fn shutdown(&self) -> &CancellationToken {
        &self.shutdown
    }

    /// Takes a client's input and gives the response to stream: a run, or what has become of the one that took the same input before.
    pub(crate) async fn run(self: Arc<Self>, caller: Caller, input: RunInput) -> Result<RunStream, ApiError> {
        let context = input.context(self.allow_bypass)?;
        let client_tools = input.client_tools()?;
        let live = self.open_or_create(&caller, &input.thread_id).await?;
        live.allow_change()?;
        let mut talk = loop {
            let talk = self.talk(&live).await?;
            let Some(run) = &talk.run else { break talk };
            if intake::read(&self.bounds, &talk, &input)?.is_none() {
                return Ok(attach(&live, &talk, run, &input));
            }
            let run = run.clone();
            drop(talk);
            if !run.is_abandoned().await && !run.over.is_cancelled() {
                return Err(Rejected::Busy.into());
            }
            // Its client has gone, as one does that presses Stop; what it says next comes first.
            stop(&run).await;
        };
        let event = match (intake::read(&self.bounds, &talk, &input)?, talk.conversation.state()) {
            (Some(event), _) => Some(event),
            (None, ConvState::Failed { .. }) => Some(Event::Retry),
            // The process that worked on it has ended.
            (None, state) if state.is_at_work() => None,
            (None, _) => {
                return Ok(catch_up(&live, &talk, &input));
            }
        };
        let pending = input.pending();
        let goes_on = matches!(event, None | Some(Event::ToolComplete { .. }));
        if !goes_on && talk.conversation.state().is_at_work() {
            // The process that worked on it has ended, or its client has not brought its tool's result; and the user has gone on: that run is over.
            let dead = Run::detached(Uuid::new_v4().to_string(), &talk);
            let cancel = Event::UserCancel { proceed: false };
            self.begin(&live, &mut talk, dead, Some(cancel)).await?;
        }
        let client = Client::of(&input);
        // From here on, and not before: what the dead run left was called under the old one.
        let before = talk.context.clone();
        if event.is_some() {
            let context = context.unwrap_or_else(|| before.clone());
            talk.context = ToolContext {
                client_tool: input.client_tool().map(str::to_owned),
                client_tools: self.without_own(&context, client_tools),
                interrupts: pending == Pending::Interrupts,
                ..context
            };
        }
        let run = Run::new(input.run_id, pending);
        match self.begin(&live, &mut talk, run, event).await {
            Ok((run, reader)) => Ok(RunStream::following(Vec::new(), reader, run.follow(), client)),
            Err(error) => {
                talk.context = before;
                Err(error)
            }
        }
    }

    /// Takes an event from outside of `POST /agent`; the run that follows has no client of its own.
    pub(crate) async fn handle(
        self: &Arc<Self>,
        live: &Arc<Live>,
        mut talk: MutexGuard<'_, Talk>,
        run_id: String,
        event: Event,
    ) -> Result<StateChange, ApiError> {
        let run = Run::detached(run_id, &talk);
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
        // An earlier run may have shown what was not kept.
        let goes_on = matches!(event, None | Some(Event::Retry));
        let effects = match event {
            Some(event) => self.commit(live, talk, event).await?,
            None => talk.conversation.resume(),
        };
        live.log.begin_run(&run.id);
        let reader = live.log.reader(live.log.next_position());
        let taken = taken_messages(&effects, brought.as_deref());
        live.log.push_event(&wire::run_started(&live.id, &run.id, taken));
        if goes_on {
            live.log.push_event(&snapshot(talk));
        }
        let unseen = (!goes_on).then_some(&*talk);
        let work = announce(live, unseen, effects, brought.as_deref());
        let work = work.filter(|_| talk.clients_call().is_none());
        run.settled = live.log.next_position();
        match work {
            Some(work) => {
                talk.run = Some(run.clone());
                tokio::spawn(Arc::clone(self).drive(Arc::clone(live), run.clone(), work));
            }
            None => end_run(live, talk, &run, RunEnd::Finished(wire::outcome(talk, run.pending))),
        }
        Ok((run, reader))
    }

    /// Lets the state machine take an event and stores what it changed.
    async fn commit(&self, live: &Live, talk: &mut Talk, event: Event) -> Result<Vec<Effect>, ApiError> {
        let name = event.name();
        if self.log_contents {
            tracing::info!(conversation = %live.name(), contents = ?event);
        }
        let effects = talk.conversation.handle(event)?;
        let change = Change {
            owner: live.owner.as_ref(),
            context: &talk.context,
            conversation: &talk.conversation,
            effects: &effects,
        };
        let stored = self.store.commit(&live.id, change).await;
        if let Err(error) = stored {
            talk.is_away = true;
            return Err(error.into());
        }
        tracing::info!(
            conversation = %live.name(),
            event = name,
            state = talk.conversation.state().name()
        );
        let waiting = talk.conversation.waiting();
        if waiting.is_some_and(|waiting| waiting.expires_at.is_some()) {
            self.deadlines_changed.notify_one();
        }
        Ok(effects)
    }
}

/// Does something to its end even where the client that asked for it goes away in the middle: what the state machine took must be stored, and what
/// was stored must run.
pub(crate) async fn to_the_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, ApiError>> + Send + 'static,
) -> Result<T, ApiError> {
    tokio::spawn(work).await.unwrap_or_else(|error| {
        tracing::error!(%error, "a request broke off");
        Err(ApiError::Internal)
    })
}

/// Ends a run and waits until it has.
pub(crate) async fn stop(run: &Run) {
    run.stop.cancel();
    run.over.cancelled().await;
}
