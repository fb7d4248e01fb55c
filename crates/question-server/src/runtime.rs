//! Carries out what the state machine decides: asks the model, runs tools, stores, and tells the clients.

mod agent;
mod lives;
mod others;
mod sub_agents;
mod sweep;
mod tell;
mod work;

use crate::callbacks::{self, Callbacks};
use crate::caller::Caller;
use crate::clock::{Clock, later};
use crate::config::Config;
use crate::drain::Drain;
use crate::error::ApiError;
use crate::histories::Histories;
use crate::limits::{Bounds, CHECKED_FOR, LEASE, OWNERS_OF_A_PEER, UNATTENDED};
use crate::live::{Live, Run, Talk};
use crate::log::{Entry, Reader};
use crate::metrics::{Counters, Metrics};
use crate::models::Model;
use crate::owner::Owner;
use crate::peer::Peer;
use crate::rate::TokenBuckets;
use crate::room::Share;
use crate::sse::{RunReader, RunStream};
use crate::store::signals::{Signals, StopCause};
use crate::store::{Change, CommitError, Lease, Revision, Store, StreamPosition};
use crate::tools::Tool;
use crate::trace::carried;
use lives::Slots;
use question_agent::ag_ui::{self, KnownMessages, Pending, RunInput, Step, brought_message, wire};
use question_agent::effect::StateChange;
use question_agent::message::Message;
use question_agent::registry::{PermissionMode, ToolContext, ToolRegistry, ToolSpec};
use question_agent::{ConvState, Event, Rejected};
use std::collections::HashSet;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use sweep::sweep;
use tell::{attach, catch_up, end_entry, end_of, entries};
use tokio::sync::{Mutex, Notify, Semaphore, mpsc};
use tracing::Instrument as _;
use uuid::Uuid;

/// What conversations are worked on with.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) drain: Drain,
    pub(crate) counters: Counters,
}

/// Everything that conversations share.
#[derive(Debug)]
pub(crate) struct Runtime {
    store: Arc<dyn Store>,
    model: Arc<dyn Model>,
    tools: Vec<Arc<dyn Tool>>,
    clock: Arc<dyn Clock>,
    bounds: Bounds,
    /// The time that an ask waits for its reply; `None` where it waits for as long as it takes.
    expire_after: Option<Duration>,
    /// The time that conversations that have ended are kept; `None` where they stay.
    keep: Option<Duration>,
    /// True if a client may have the agent ask nobody.
    allow_bypass: bool,
    log_contents: bool,
    /// The conversations that may still be started.
    new_by_owner: TokenBuckets<Owner>,
    new_by_peer: TokenBuckets<Option<Peer>>,
    slots: std::sync::Mutex<Slots>,
    /// Where other servers share the store: how they hear of one another.
    signals: Option<Arc<dyn Signals>>,
    /// The commits that those servers have yet to be told of.
    committed: Option<mpsc::UnboundedSender<(String, StreamPosition)>>,
    /// As what it holds leases.
    holder: Uuid,
    /// The conversations in which it works.
    held: std::sync::Mutex<HashSet<String>>,
    /// Notified when an ask begins to wait that expires.
    deadlines_changed: Arc<Notify>,
    /// The number of agents that may still go on by themselves.
    unattended: Arc<Semaphore>,
    drain: Drain,
    callbacks: Callbacks,
    metrics: Arc<Metrics>,
    histories: Histories,
    /// When it was found out last whether the store can commit, and whether it could.
    checked: Mutex<Option<(Instant, bool)>>,
}

impl Runtime {
    /// Starts to work. The tools come before those of the model.
    pub(crate) fn new(config: &Config, parts: Parts) -> Arc<Self> {
        let Parts { store, model, mut tools, clock, drain, counters } = parts;
        tools.extend(model.tools());
        let signals = store.signals();
        let (committed, outgoing) = signals.as_ref().map(|_| mpsc::unbounded_channel()).unzip();
        let metrics = Arc::new(Metrics::new(&counters));
        let runtime = Arc::new(Self {
            histories: Histories::new(&config.bounds, &metrics),
            store,
            signals,
            committed,
            model,
            tools,
            clock,
            bounds: config.bounds,
            expire_after: config.expire_after,
            keep: config.keep,
            allow_bypass: config.allow_bypass,
            log_contents: config.log_contents,
            new_by_owner: TokenBuckets::new(config.bounds.new),
            new_by_peer: TokenBuckets::new(config.bounds.new.times(OWNERS_OF_A_PEER)),
            slots: std::sync::Mutex::default(),
            holder: Uuid::new_v4(),
            held: std::sync::Mutex::default(),
            deadlines_changed: Arc::default(),
            unattended: Arc::new(Semaphore::new(UNATTENDED.min(config.model_calls.get()))),
            drain,
            callbacks: Callbacks::new(config.allow_callbacks.clone(), config.callback_key.clone()),
            metrics,
            checked: Mutex::default(),
        });
        sweep(&runtime);
        if let Some(outgoing) = outgoing {
            others::start_replication(&runtime, outgoing);
        }
        runtime
    }

    /// What the server bounds.
    pub(crate) fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Refuses with a word if clients do not get what they ask for, since it is about to end or can't store.
    pub(crate) async fn is_ready(&self) -> Result<(), &'static str> {
        if self.drain.has_begun() {
            return Err("draining");
        }
        let mut checked = self.checked.lock().await;
        // Each time the disk is written to, and anybody may ask.
        let known = checked.filter(|(at, _)| at.elapsed() < CHECKED_FOR);
        let (at, can_store) = match known {
            Some(known) => known,
            None => (Instant::now(), self.store.check().await.is_ok()),
        };
        *checked = Some((at, can_store));
        can_store.then_some(()).ok_or("store_failed")
    }

    /// The tools of a conversation in this context.
    fn registry(&self, context: &ToolContext) -> ToolRegistry {
        let tools = self.tools.iter().filter(|tool| tool.is_offered(context));
        let specs: Vec<ToolSpec> = tools.map(|tool| tool.spec().clone()).collect();
        let mut context = context.clone();
        // It may have been kept when the operator still allowed it.
        if !self.allow_bypass && context.permission_mode == PermissionMode::BypassPermissions {
            context.permission_mode = PermissionMode::Default;
        }
        let registry = ToolRegistry::new(self.model.limits(), context);
        specs.into_iter().fold(registry, ToolRegistry::with_host_tool)
    }

    /// The tool of this name, if a conversation in this context is offered it.
    fn tool(&self, context: &ToolContext, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name == name && tool.is_offered(context))
    }

    /// The tools of a client that are not named like one of the server's.
    fn without_own(&self, context: &ToolContext, mut tools: Vec<ToolSpec>) -> Vec<ToolSpec> {
        tools.retain(|tool| self.tool(context, &tool.name).is_none());
        tools
    }

    /// The name by which clients of this context know the asking tool.
    pub(crate) fn asking_tool(&self, context: &ToolContext) -> &'static str {
        context.asking_tool(&self.model.limits())
    }

    /// The calls that programs are told by how their asks ended.
    pub(crate) fn callbacks(&self) -> &Callbacks {
        &self.callbacks
    }

    /// The clock.
    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// The memory of what clients read.
    pub(crate) fn histories(&self) -> &Histories {
        &self.histories
    }

    /// What is counted.
    pub(crate) fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    /// What is counted, as Prometheus reads it.
    pub(crate) async fn read_metrics(&self) -> Result<String, ApiError> {
        // A store that fails is told by the other numbers.
        if let (Ok(conversations), Ok(waiting)) = (self.store.count().await, self.store.waiting().await) {
            let age = waiting.since.map_or(0, |since| self.clock.now().0.saturating_sub(since.0) / 1000);
            self.metrics.stored(conversations, waiting.count, age);
        }
        self.metrics.read(self.drain.runs(), self.store.pool()).map_err(|_| ApiError::Internal)
    }

    /// The end of the server.
    pub(crate) fn drain(&self) -> &Drain {
        &self.drain
    }

    /// Takes a client's input and gives the response to stream: a run, or what has become of the one that took the same input before.
    pub(crate) async fn run(self: Arc<Self>, caller: Caller, input: RunInput) -> Result<RunStream, ApiError> {
        loop {
            let room = self.histories.room(caller.client()).await;
            match self.try_run(&caller, &input, room).await {
                Err(ApiError::Overtaken) => {}
                ran => return ran,
            }
        }
    }

    /// The room is for the history, where the client is to have it again.
    async fn try_run(self: &Arc<Self>, caller: &Caller, input: &RunInput, room: Share) -> Result<RunStream, ApiError> {
        let context = input.context(self.allow_bypass)?;
        let client_tools = input.client_tools()?;
        let client_context = input.client_context()?;
        let live = self.open_or_create(caller, &input.thread_id).await?;
        live.allow_change()?;
        let mut talk = loop {
            let talk = self.talk(&live).await?;
            if talk.run.is_none() && talk.run_elsewhere.is_none() {
                break talk;
            }
            if ag_ui::read(&self.bounds.of_input(), talk.view(), input)?.is_none() {
                return Ok(attach(&live, &talk, input, |text| self.histories.keep(text, room, &live)));
            }
            // Where its client has gone, as one does that presses Stop, what it says next comes first.
            let (run, run_elsewhere) = (talk.run.clone(), talk.run_elsewhere.clone());
            drop(talk);
            let has_ended = match (run, run_elsewhere) {
                (Some(run), _) => stop_abandoned(&run).await,
                (None, Some(run)) => self.stop_elsewhere(&live, run, StopCause::IfAbandoned).await,
                (None, None) => true,
            };
            if !has_ended {
                return Err(Rejected::Busy.into());
            }
        };
        if self.is_anothers(&talk) {
            return Err(Rejected::Busy.into());
        }
        let event = match (ag_ui::read(&self.bounds.of_input(), talk.view(), input)?, talk.conversation.state()) {
            (Some(event), _) => Some(event),
            (None, ConvState::Failed { .. }) => Some(Event::Retry),
            // The process that worked on it has ended.
            (None, state) if state.is_at_work() => None,
            (None, _) => {
                return Ok(catch_up(&live, &talk, input, |text| self.histories.keep(text, room, &live)));
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
        let client = RunReader::of(input);
        // From here on, and not before: what the dead run left was called under the old one.
        let before = talk.context.clone();
        if event.is_some() {
            let context = context.unwrap_or_else(|| before.clone());
            talk.context = ToolContext {
                client_tool: input.client_tool().map(str::to_owned),
                client_tools: self.without_own(&context, client_tools),
                context: client_context,
                interrupts: pending == Pending::Interrupts,
                unattended: before.unattended,
                callbacks: before.callbacks.clone(),
                ..context
            };
        }
        let run = Run::new(input.run_id.clone(), pending);
        match self.begin(&live, &mut talk, run, event).await {
            Ok((run, reader)) => Ok(RunStream::following(Arc::clone(&live), reader, Some(run.follow()), client)),
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
        talk: &mut Talk,
        run_id: String,
        event: Event,
    ) -> Result<StateChange, ApiError> {
        let run = Run::detached(run_id, talk);
        self.begin(live, talk, run, Some(event)).await?;
        Ok(StateChange::from(talk.conversation.state()))
    }

    /// Returns true if another server works on it.
    fn is_anothers(&self, talk: &Talk) -> bool {
        let is_anothers = |lease: Lease| lease.holder != self.holder && self.clock.now() < lease.until;
        talk.view().is_at_work() && talk.lease.is_some_and(is_anothers)
    }

    /// Starts a run with an event, or goes on where somebody else stopped.
    async fn begin(
        self: &Arc<Self>,
        live: &Arc<Live>,
        talk: &mut Talk,
        mut run: Run,
        event: Option<Event>,
    ) -> Result<(Run, Reader), ApiError> {
        let stops = matches!(event, Some(Event::UserCancel { proceed: false }));
        if self.drain.is_closed() && !stops {
            return Err(ApiError::Stopping);
        }
        if event.is_some() && !stops {
            self.make_room_in_memory(&live.id).await?;
        }
        let brought = event.as_ref().and_then(brought_message).map(str::to_owned);
        let brought = brought.as_deref();
        if let Some(revision) = talk.revision.filter(|_| self.is_anothers(talk)) {
            // Which may tell more than it can store by now.
            live.log.go_on_from(StreamPosition { since: revision.next(), frames: 0 });
        }
        // An earlier run may have shown what was not kept.
        let goes_on = matches!(event, None | Some(Event::Retry));
        let name = event.as_ref().map_or("resumed", Event::name);
        talk.context.unattended = match event {
            None | Some(Event::QuestionExpired { .. }) => talk.context.unattended.saturating_add(1),
            Some(_) => 0,
        };
        let asked = match &event {
            Some(Event::ProgramAsked { message, .. }) => Some(message.clone()),
            _ => None,
        };
        let step = match event {
            Some(event) => self.handle_event(live, talk, event)?,
            None => Step::of(talk.conversation.resume()),
        };
        let taken = step.taken(brought);
        let mut told = vec![Entry::event(&wire::run_started(&live.id, &run.id, taken))];
        if goes_on {
            told.push(Entry::event(&wire::snapshot(talk.view())));
        }
        if let Some(message) = asked {
            let calls = message.tool_calls.iter().flat_map(|call| wire::whole_call(call, &message.id));
            told.extend(calls.map(|event| Entry::event(&event)));
        }
        told.extend(entries(step.outgoing((!goes_on).then(|| talk.view()), brought)));
        let work = step.work.filter(|_| talk.view().clients_call().is_none());
        if work.is_none() {
            told.push(end_entry(live, &run, end_of(talk, &run)));
        }
        self.commit(live, talk, &run, name, &step.messages, &told).await?;
        let reader = live.log.reader(live.log.told().frames);
        talk.run_elsewhere = None;
        match work {
            Some(work) => {
                run.settled = live.log.told().frames + told.len() as u64;
                talk.run = Some(run.clone());
                self.hold(&live.id);
                live.log.push(told);
                let work = Arc::clone(self).drive(Arc::clone(live), run.clone(), work);
                self.drain.start(carried(work).in_current_span());
            }
            None => {
                live.log.push(told);
                run.over.cancel();
            }
        }
        Ok((run, reader))
    }

    /// Lets the state machine take an event.
    fn handle_event(&self, live: &Live, talk: &mut Talk, event: Event) -> Result<Step, Rejected> {
        if self.log_contents {
            tracing::info!(conversation = %live.name(), contents = ?event, "event received");
        }
        talk.conversation.handle(event).map(Step::of)
    }

    /// Stores what an event changed in a run, and what its clients will have been told of it.
    async fn commit(
        &self,
        live: &Live,
        talk: &mut Talk,
        run: &Run,
        event: &'static str,
        messages: &[Message],
        new: &[Entry],
    ) -> Result<(), ApiError> {
        let now = self.clock.now();
        callbacks::arm(&mut talk.context.callbacks, &talk.conversation, now);
        // Calling a program is no event of the conversation: what waits meanwhile waits on.
        let at = talk.waiting_since.filter(|_| callbacks::EVENTS.contains(&event)).unwrap_or(now);
        let before = live.log.told();
        let revision = talk.revision.map_or(before.since, Revision::next);
        let lease = talk.view().is_at_work().then(|| self.lease());
        let told = StreamPosition { frames: before.frames + new.len() as u64, ..before };
        let change = Change {
            revision,
            owner: live.owner(),
            peer: live.peer.get().map_or("", String::as_str),
            context: &talk.context,
            state: talk.conversation.state(),
            messages,
            told,
            lease,
            run: lease.map(|_| run.id.as_str()),
            at,
        };
        let begun = Instant::now();
        let stored = self.store.commit(&live.id, talk.revision, change);
        let stored = stored.instrument(tracing::debug_span!("commit", event)).await;
        let outcome = match &stored {
            Ok(()) => "stored",
            Err(CommitError::Conflict) => "conflict",
            Err(CommitError::Failed(_)) => "failed",
        };
        self.metrics.committed(outcome, begun.elapsed());
        if let Err(error) = stored {
            talk.is_away = true;
            if error == CommitError::Conflict && talk.revision.is_none() {
                self.forget(&live.id);
            }
            return Err(error.into());
        }
        (talk.revision, talk.lease, talk.told) = (Some(revision), lease, told);
        talk.known = KnownMessages::all(&talk.conversation);
        if let Some(committed) = self.committed.as_ref().filter(|_| !new.is_empty()) {
            // Nobody takes it any more if the server is about to end.
            let _ = committed.send((live.id.clone(), told));
        }
        self.metrics.happened(event);
        let asked = talk.waiting_since.take();
        talk.waiting_since = talk.conversation.waiting().map(|_| change.at);
        if let Some(asked) = asked.filter(|_| ["user_question_response", "user_message"].contains(&event)) {
            self.metrics.answered_after(Duration::from_millis(change.at.0.saturating_sub(asked.0)));
        }
        tracing::info!(conversation = %live.name(), event, state = talk.conversation.state().name(), "event applied");
        let waiting = talk.conversation.waiting();
        if waiting.is_some_and(|waiting| waiting.expires_at.is_some())
            || talk.context.callbacks.iter().any(|callback| callback.due.is_some())
        {
            self.deadlines_changed.notify_one();
        }
        Ok(())
    }

    fn lease(&self) -> Lease {
        Lease { holder: self.holder, until: later(self.clock.now(), LEASE) }
    }

    /// Renews the lease of a conversation from now on.
    fn hold(&self, id: &str) {
        self.held().insert(id.to_owned());
    }

    fn held(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        // Names are only put in and taken out.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does something to its end even where the client that asked for it goes away in the middle: what the state machine took must be stored, and what
/// was stored must run.
pub(crate) async fn to_the_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, ApiError>> + Send + 'static,
) -> Result<T, ApiError> {
    tokio::spawn(carried(work).in_current_span()).await.unwrap_or_else(|error| {
        tracing::error!(%error, "request handler panicked");
        Err(ApiError::Internal)
    })
}

/// Ends a run whose client has gone; false where it has not.
async fn stop_abandoned(run: &Run) -> bool {
    if !run.is_abandoned().await && !run.over.is_cancelled() {
        return false;
    }
    stop(run).await;
    true
}

/// Ends a run and waits until it has.
pub(crate) async fn stop(run: &Run) {
    run.stop.cancel();
    run.over.cancelled().await;
}
