//! Carries out the effects of the state machine: model requests, tools, commits and events for clients.

mod agent;
mod others;
mod pictures;
mod responses;
mod sessions;
mod sweep;
mod work;

use crate::caller::Caller;
use crate::config::Config;
use crate::config::limits::{
    CHECKED_FOR, FIRST_ATTEMPT_PAUSE, LEASE, MAX_ATTEMPTS, OWNERS_OF_A_PEER, PICTURE_KIB_AT_ONCE, RELOADS_AT_ONCE,
    UNATTENDED,
};
use crate::engine::callbacks::{Callbacks, take_ended};
use crate::engine::clock::{Clock, later};
use crate::engine::drain::Drain;
use crate::engine::models::Model;
use crate::engine::session::{ActiveRun, ActiveSession, SessionState};
use crate::engine::tools::{Tool, check_ask};
use crate::engine::web_push::service::WebPush;
use crate::error::ApiError;
use crate::http::sse::{EventStream, Reader};
use crate::live::histories::Preamble;
use crate::live::room::Room;
use crate::live::{LogEntry, Tail};
use crate::metrics::{Counters, Metrics};
use crate::owner::Owner;
use crate::peer::Peer;
use crate::rate::RateLimits;
use crate::store::signals::StopCause;
use crate::store::{Commit, CommitError, Lease, Revision, Store};
use crate::trace::carried;
use ask_user_question::Limits;
use ask_user_question::attachment::FileLimits;
use question_agent::ag_ui::{self, Pending, RunInput, Step, brought_message, wire};
use question_agent::effect::StateChange;
use question_agent::message::Message;
use question_agent::registry::{PermissionMode, ToolContext, ToolRegistry, ToolSpec};
use question_agent::{ConvState, Event, Rejected, background};
pub(crate) use responses::dead_end;
use responses::{catch_up, end_of, entries};
use std::collections::HashSet;
use std::sync::{Arc, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, Notify, Semaphore, mpsc};
use tokio::time::sleep;
use tracing::Instrument as _;
use uuid::Uuid;
use weak_table::WeakValueHashMap;

/// The sessions by their ids. A session is in memory only while something else holds it.
type Sessions = WeakValueHashMap<Box<str>, Weak<ActiveSession>>;

/// The parts that all conversations share.
#[derive(Debug)]
pub(crate) struct Runtime {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) model: Arc<dyn Model>,
    tools: Vec<Arc<dyn Tool>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) config: Config,
    /// The limits of the model's questions and of their answers, with the bounds of files.
    limits: Limits,
    /// The rates of new conversations.
    new_by_owner: RateLimits<Owner>,
    new_by_peer: RateLimits<Option<Peer>>,
    /// The changes of each conversation.
    changes: Arc<RateLimits<String>>,
    /// The sessions in memory, by conversation: only those at work or watched, since a question may wait for days.
    sessions: std::sync::Mutex<Sessions>,
    /// The commits of which the servers that share the store are still to be notified; `None` for a store of one server.
    committed: Option<mpsc::UnboundedSender<(String, Revision)>>,
    /// The id under which this server holds leases.
    holder: Uuid,
    /// The conversations whose leases it renews.
    held: std::sync::Mutex<HashSet<String>>,
    /// Held while leases are renewed or released.
    leases: Mutex<()>,
    /// The permits for loading what other servers changed, so that requests find connections to the store.
    reloads: Arc<Semaphore>,
    /// Notified after a commit that sets a deadline.
    deadlines_changed: Arc<Notify>,
    /// The permits for agents that work without a client.
    unattended: Arc<Semaphore>,
    pub(crate) drain: Drain,
    pub(crate) callbacks: Callbacks,
    /// `None` if no browser is told of questions.
    pub(crate) web_push: Option<WebPush>,
    pub(crate) metrics: Arc<Metrics>,
    /// The number of stored conversations, and the time until which it is known.
    stored_count: std::sync::Mutex<Option<(usize, Instant)>>,
    /// The memory for histories on their way to clients.
    pub(crate) histories: Arc<Room>,
    /// A permit for each KiB of pictures in requests that are being sent to the model.
    picture_room: Arc<Semaphore>,
    /// The time and outcome of the last check of the store.
    checked: Mutex<Option<(Instant, bool)>>,
}

impl Runtime {
    /// Starts the runtime, with the tasks that last as long as it does.
    pub(crate) fn start(
        config: &Config,
        store: Arc<dyn Store>,
        model: Arc<dyn Model>,
        tools: Vec<Arc<dyn Tool>>,
        clock: Arc<dyn Clock>,
        drain: Drain,
        counters: &Counters,
    ) -> Arc<Self> {
        let received = store.subscribe();
        let (committed, outgoing) = received.as_ref().map(|_| mpsc::unbounded_channel()).unzip();
        let metrics = Arc::new(Metrics::new(counters));
        let runtime = Arc::new(Self {
            histories: Arc::new(Room::new(config.bounds.histories, config.bounds.history)),
            picture_room: Arc::new(Semaphore::new(PICTURE_KIB_AT_ONCE)),
            store,
            committed,
            limits: config.limits(&*model),
            model,
            tools,
            clock,
            config: config.clone(),
            new_by_owner: RateLimits::new(config.bounds.new),
            new_by_peer: RateLimits::new(config.bounds.new.times(OWNERS_OF_A_PEER)),
            changes: Arc::new(RateLimits::new(config.bounds.changes)),
            sessions: std::sync::Mutex::default(),
            holder: Uuid::new_v4(),
            held: std::sync::Mutex::default(),
            leases: Mutex::default(),
            reloads: Arc::new(Semaphore::new(RELOADS_AT_ONCE)),
            deadlines_changed: Arc::default(),
            unattended: Arc::new(Semaphore::new(UNATTENDED.min(config.model_calls.get()))),
            drain,
            callbacks: Callbacks::new(
                config.allow_callbacks.clone(),
                config.callback_key.clone(),
                config.notify_url.clone(),
                config.public_origins.first().cloned(),
            ),
            web_push: config.web_push.clone().map(|contact| WebPush::new(contact, config.push_services.clone())),
            metrics,
            stored_count: std::sync::Mutex::default(),
            checked: Mutex::default(),
        });
        runtime.sweep();
        if let Some((received, outgoing)) = received.zip(outgoing) {
            runtime.replicate(received, outgoing);
        }
        runtime
    }

    /// Returns true if other servers may have the same store.
    pub(crate) fn is_shared(&self) -> bool {
        self.committed.is_some()
    }

    /// Fails with a reason if the server drains or its store cannot commit.
    pub(crate) async fn is_ready(&self) -> Result<(), &'static str> {
        if self.drain.is_closed() {
            return Err("draining");
        }
        let mut checked = self.checked.lock().await;
        // A check writes to the disk, and any client may ask for one.
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
        // A stored context may be from a time at which the operator allowed this mode.
        if !self.config.allow_bypass && context.permission_mode == PermissionMode::BypassPermissions {
            context.permission_mode = PermissionMode::Default;
        }
        let registry = ToolRegistry::new(self.limits.clone(), context);
        specs.into_iter().fold(registry, ToolRegistry::with)
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

    pub(crate) fn bounds_of_input(&self) -> ag_ui::Bounds {
        let (files, changed_answer) = (self.limits.attachments().copied(), self.config.changed_answer);
        ag_ui::Bounds { files, changed_answer, ..self.config.bounds.of_input() }
    }

    /// The bounds of the files in answers and messages; `None` takes none.
    pub(crate) fn files(&self) -> Option<&FileLimits> {
        self.limits.attachments()
    }

    /// The metrics in the text format of Prometheus.
    pub(crate) async fn read_metrics(&self) -> Result<String, ApiError> {
        // If the store fails, these gauges keep their values, and the counters of commits show the failure.
        if let (Ok(conversations), Ok(waiting)) = (self.stored().await, self.store.waiting().await) {
            let age = waiting.since.map_or(0, |since| self.clock.now().0.saturating_sub(since.0) / 1000);
            self.metrics.stored(conversations, waiting.count, age);
        }
        self.metrics.read(self.drain.runs(), self.store.pool()).map_err(|_| ApiError::Internal)
    }

    /// Takes a client's input. Returns the response to stream: a new run, or the outcome of the run that took the same input before.
    pub(crate) async fn run(self: Arc<Self>, caller: Caller, input: RunInput) -> Result<EventStream, ApiError> {
        until_taken(|attempt| self.try_run(&caller, &input, attempt)).await
    }

    async fn try_run(
        self: &Arc<Self>,
        caller: &Caller,
        input: &RunInput,
        attempt: Attempt,
    ) -> Result<EventStream, ApiError> {
        let context = input.context(self.config.allow_bypass)?;
        let client_tools = input.client_tools()?;
        let client_context = input.client_context()?;
        let session = self.open_or_create(caller, &input.thread_id).await?;
        attempt.count(&session)?;
        // Memory for the history, in case the client needs it again.
        let mut room = self.histories.enter(caller.client());
        let mut state = loop {
            let state = self.lock_with_room(&session, &mut room).await?;
            let run_elsewhere = self.run_elsewhere(&state);
            if state.run.is_none() && run_elsewhere.is_none() {
                break state;
            }
            if ag_ui::read(&self.bounds_of_input(), state.view(), input)?.is_none() {
                return catch_up(&session, &state, input, true, room);
            }
            // The new message takes precedence over a run whose client has gone, as after Stop.
            let run = state.run.clone();
            drop(state);
            let has_ended = match (run, run_elsewhere) {
                (Some(run), _) => run.stop_if_abandoned().await,
                (None, Some(run)) => self.stop_elsewhere(&session, run, StopCause::IfAbandoned).await,
                (None, None) => true,
            };
            if !has_ended {
                return Err(Rejected::Busy.into());
            }
        };
        if self.is_anothers(&state) {
            return Err(Rejected::Busy.into());
        }
        let event = match (ag_ui::read(&self.bounds_of_input(), state.view(), input)?, state.conversation.state()) {
            (Some(event), _) => Some(event),
            (None, ConvState::Failed { .. }) => Some(Event::Retry),
            // The server of that run has died: its work is resumed.
            (None, current) if current.is_at_work() => None,
            (None, _) => return catch_up(&session, &state, input, false, room),
        };
        let pending = input.pending();
        let goes_on = matches!(event, None | Some(Event::ToolComplete { .. }));
        if !goes_on && state.conversation.state().is_at_work() {
            // The user has sent a new message while the agent is at work in no run: its server has died, or its client brought no tool result. That
            // run is cancelled.
            let dead = ActiveRun::detached(Uuid::new_v4().to_string(), &state);
            let cancel = Event::UserCancel { proceed: false };
            self.begin(&session, &mut state, dead, Some(cancel)).await?;
        }
        // The dead run was cancelled in the context in which it made its calls, so the context changes only now.
        let before = state.context.clone();
        if event.is_some() {
            let context = context.unwrap_or_else(|| before.clone());
            state.context = ToolContext {
                client_tool: input.client_tool().map(str::to_owned),
                client_tools: self.without_own(&context, client_tools),
                context: client_context,
                interrupts: pending == Pending::Interrupts,
                unattended: before.unattended,
                callbacks: before.callbacks.clone(),
                ..context
            };
        }
        let run = ActiveRun::new(input.run_id.clone(), pending);
        match self.begin(&session, &mut state, run, event).await {
            Ok((run, tail)) => {
                let (session, reader) = (Arc::clone(&session), Reader::of_run(input, Some(&run)));
                Ok(EventStream { prefix: Preamble::default(), tail: Some(tail), session, reader })
            }
            Err(error) => {
                state.context = before;
                Err(error)
            }
        }
    }

    /// Takes an event from another endpoint than `POST /agent`; its run has no client of its own.
    pub(crate) async fn handle(
        self: &Arc<Self>,
        session: &Arc<ActiveSession>,
        state: &mut SessionState,
        run_id: String,
        event: Event,
    ) -> Result<StateChange, ApiError> {
        let run = ActiveRun::detached(run_id, state);
        self.begin(session, state, run, Some(event)).await?;
        Ok(StateChange::from(state.conversation.state()))
    }

    /// Returns true if another server holds the lease.
    fn is_anothers(&self, state: &SessionState) -> bool {
        let is_anothers = |lease: Lease| lease.holder != self.holder && self.clock.now() < lease.until;
        state.view().is_at_work() && state.lease.is_some_and(is_anothers)
    }

    /// The run in which another server works on it.
    pub(crate) fn run_elsewhere(&self, state: &SessionState) -> Option<String> {
        let is_elsewhere = state.run.is_none() && self.is_shared() && self.is_anothers(state);
        state.told_run.clone().filter(|_| is_elsewhere)
    }

    /// Starts a run with an event, or resumes the work of another run if there is none.
    async fn begin(
        self: &Arc<Self>,
        session: &Arc<ActiveSession>,
        state: &mut SessionState,
        run: ActiveRun,
        event: Option<Event>,
    ) -> Result<(ActiveRun, Tail), ApiError> {
        if event.is_none() {
            tracing::info!(conversation = %session.name(), "resuming an interrupted run");
            if state.lease.is_none_or(|lease| lease.holder != self.holder) {
                self.metrics.taken_over.inc();
            }
        }
        let stops = matches!(event, Some(Event::UserCancel { proceed: false }));
        if self.drain.is_closed() && !stops {
            return Err(ApiError::Stopping);
        }
        // These two are taken even if memory is full: a question has no other way to end.
        let is_awaited = matches!(event, Some(Event::UserQuestionResponse(_) | Event::QuestionExpired { .. }));
        if event.is_some() && !stops && !is_awaited {
            self.check_memory()?;
        }
        self.check_files(&session.id, event.as_ref()).await?;
        let brought = event.as_ref().and_then(brought_message).map(str::to_owned);
        let brought = brought.as_deref();
        // An earlier run may have shown events that were not stored.
        let goes_on = matches!(event, None | Some(Event::Retry));
        let name = event.as_ref().map_or("resumed", Event::name);
        let unattended = match event {
            None | Some(Event::QuestionExpired { .. }) => state.context.unattended.saturating_add(1),
            Some(_) => 0,
        };
        let asked = match &event {
            Some(Event::ProgramAsked { message, .. }) => Some(message.clone()),
            _ => None,
        };
        let mut calls = asked.iter().flat_map(|message| &message.tool_calls);
        calls.try_for_each(check_ask).map_err(ApiError::BadRequest)?;
        let step = match event {
            Some(event) => Step::of(state.conversation.handle(event)?),
            None => Step::of(state.conversation.resume()),
        };
        // Until the commit: if that fails or panics, or this is dropped meanwhile, the conversation is loaded again.
        state.is_away = true;
        state.context.unattended = unattended;
        let taken = step.taken(brought);
        let mut told = vec![LogEntry::event(&wire::run_started(&session.id, &run.id, taken))];
        if step.begins_anew() {
            told.push(LogEntry::event(&wire::snapshot(state.view())));
        }
        if let Some(message) = asked {
            let calls = message.tool_calls.iter().flat_map(|call| wire::whole_call(call, &message.id));
            told.extend(calls.map(|event| LogEntry::event(&event)));
        }
        told.extend(entries(step.outgoing((!goes_on).then(|| state.view()), brought)));
        let work = step.work.filter(|_| state.view().clients_call().is_none());
        if work.is_none() {
            told.push(LogEntry::event(&end_of(session, state, &run)));
        }
        let mut live = told.clone();
        if goes_on {
            live.insert(1, LogEntry::event(&wire::snapshot(state.view())));
        }
        // A run whose server died ends where this one begins.
        if state.told_run.is_some() {
            told.insert(0, LogEntry::event(&dead_end()));
        }
        let revision = self.commit(session, state, &run, name, &step.messages, &told).await?;
        if session.hub.has_run() {
            session.hub.push([LogEntry::event(&dead_end())]);
        }
        let reader = session.hub.tail_from_now();
        match work {
            Some(work) => {
                state.run = Some(run.clone());
                self.held().insert(session.id.clone());
                session.hub.commit(revision, live);
                let work = Arc::clone(self).drive(Arc::clone(session), run.clone(), work);
                self.drain.start(carried(work).in_current_span());
            }
            None => {
                session.hub.commit(revision, live);
                run.over.cancel();
            }
        }
        Ok((run, reader))
    }

    /// Commits the changes of an event, with what is `told` of it to clients that saw nothing yet. Returns the new revision.
    async fn commit(
        &self,
        session: &ActiveSession,
        state: &mut SessionState,
        run: &ActiveRun,
        event: &'static str,
        messages: &[Message],
        told: &[LogEntry],
    ) -> Result<Revision, ApiError> {
        let now = self.clock.now();
        let mut webhooks = take_ended(&mut state.context.callbacks, &state.conversation, &session.id, now);
        let waiting = state.conversation.waiting();
        let begins_to_wait = waiting.filter(|_| state.waiting_since.is_none());
        let is_of_mcp = session.owner().is_some_and(Owner::is_of_mcp);
        let in_background = background::begun(state.conversation.messages(), messages);
        for new in begins_to_wait.into_iter().chain(&in_background).filter(|_| !is_of_mcp) {
            webhooks.extend(self.callbacks.notify(&session.id, new, now));
            webhooks.extend(self.pushes(&session.id, session.owner(), new, now).await);
        }
        let revision = state.revision.unwrap_or_else(|| session.hub.position().revision).next();
        let lease = state.view().is_at_work().then(|| self.lease());
        let told = LogEntry::to_stored(told);
        let change = Commit {
            revision,
            owner: session.owner(),
            peer: session.peer.get().map_or("", String::as_str),
            context: &state.context,
            state: state.conversation.state(),
            messages,
            webhooks: &webhooks,
            told: &told,
            lease,
            run: lease.map(|_| run.id.as_str()),
            at: now,
        };
        let begun = Instant::now();
        let stored = self.store.commit(&session.id, state.revision, change);
        let stored = stored.instrument(tracing::debug_span!("commit", event)).await;
        let outcome = match &stored {
            Ok(()) => "stored",
            Err(CommitError::Conflict) => "conflict",
            Err(CommitError::Failed(_)) => "failed",
        };
        self.metrics.commit_seconds.get_or_create(&[("outcome", outcome)]).observe(begun.elapsed().as_secs_f64());
        if let Err(error) = stored {
            if matches!(error, CommitError::Conflict) && state.revision.is_none() {
                self.forget(&session.id);
            }
            return Err(error.into());
        }
        if state.revision.is_none() {
            self.count_stored(1);
        }
        (state.revision, state.lease, state.is_away) = (Some(revision), lease, false);
        state.told_run = change.run.map(str::to_owned);
        if let Some(committed) = &self.committed {
            // The receiver is gone if the server is about to end.
            let _ = committed.send((session.id.clone(), revision));
        }
        self.metrics.events.get_or_create(&[("event", event)]).inc();
        let asked = state.waiting_since.take();
        state.waiting_since = state.conversation.waiting().map(|_| change.at);
        state.ended_at = change.ended_at();
        if let Some(asked) = asked.filter(|_| ["user_question_response", "user_message"].contains(&event)) {
            let took = Duration::from_millis(change.at.0.saturating_sub(asked.0));
            self.metrics.answer_seconds.observe(took.as_secs_f64());
        }
        tracing::info!(conversation = %session.name(), event, state = state.conversation.state().name(), "event applied");
        let waiting = state.conversation.waiting();
        if waiting.is_some_and(|waiting| waiting.expires_at.is_some()) || !webhooks.is_empty() {
            self.deadlines_changed.notify_one();
        }
        Ok(revision)
    }

    fn lease(&self) -> Lease {
        Lease { holder: self.holder, until: later(self.clock.now(), LEASE) }
    }

    fn held(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        // Ids are only inserted and removed, so a panic leaves the set consistent.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An attempt at a change, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attempt(u32);

impl Attempt {
    /// Counts the change against its client's rate. Further attempts are the server's own, and are not counted.
    pub(crate) fn count(self, session: &ActiveSession) -> Result<(), ApiError> {
        match self.0 {
            0 => session.allow_change(),
            _ => Ok(()),
        }
    }
}

/// Retries a change that other requests overtake, a limited number of times. The pauses are random and grow, since servers that decide the same at
/// the same time would keep overtaking each other.
pub(crate) async fn until_taken<T, F: Future<Output = Result<T, ApiError>>>(
    mut attempt: impl FnMut(Attempt) -> F,
) -> Result<T, ApiError> {
    let mut number = 0;
    loop {
        match attempt(Attempt(number)).await {
            Err(ApiError::Overtaken) if number + 1 < MAX_ATTEMPTS => {
                let longest = FIRST_ATTEMPT_PAUSE * 2_u32.pow(number);
                let chance = u32::from(Uuid::new_v4().as_bytes()[0]);
                sleep(longest * chance / 256).await;
                number += 1;
            }
            done => return done,
        }
    }
}

/// Runs a task to its end, even if its client disconnects: an event that the state machine took must be stored, and stored work must run.
pub(crate) async fn to_the_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, ApiError>> + Send + 'static,
) -> Result<T, ApiError> {
    tokio::spawn(carried(work).in_current_span()).await.unwrap_or_else(|error| {
        tracing::error!(%error, "request handler panicked");
        Err(ApiError::Internal)
    })
}
