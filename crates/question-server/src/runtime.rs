//! Carries out what the state machine decides: asks the model, runs tools, stores, and tells the clients.

mod sub_agents;
mod tell;
mod work;

use crate::error::ApiError;
use crate::input::RunInput;
use crate::intake;
use crate::limits::MAX_CONVERSATIONS;
use crate::live::{Live, Run, Talk};
use crate::log::{Reader, RunEnd};
use crate::models::Model;
use crate::owner::Caller;
use crate::rate::{Allowance, PerMinute};
use crate::sse::RunStream;
use crate::store::{Change, Store, Stored};
use crate::wire;
use question_agent::effect::StateChange;
use question_agent::registry::{ToolContext, ToolRegistry};
use question_agent::{ConvState, Conversation, Effect, Event, Rejected};
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Instant;
pub(crate) use tell::snapshot;
use tell::{announce, attach, brought_message, catch_up, end_run, taken_messages};
use tokio::sync::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// How often clients may do what costs something.
#[derive(Debug)]
pub(crate) struct Rates {
    max_changes: PerMinute,
    new: Allowance,
}

impl Rates {
    pub(crate) fn new(max_changes: PerMinute, max_new: PerMinute) -> Self {
        let new = Allowance::new(Instant::now(), max_new);
        Self { max_changes, new }
    }

    fn changes(&self) -> Allowance {
        Allowance::new(Instant::now(), self.max_changes)
    }

    fn take_new(&self) -> Result<(), ApiError> {
        self.new
            .take(Instant::now())
            .map_err(ApiError::TooManyRequests)
    }
}

/// What is kept of a conversation for as long as the server runs. The conversation itself is in memory only while somebody does something with it
/// or watches it; a question may wait for days.
#[derive(Debug)]
struct Slot {
    live: Weak<Live>,
    changes: Arc<Allowance>,
}

/// Everything that conversations share.
#[derive(Debug)]
pub(crate) struct Runtime {
    store: Arc<dyn Store>,
    model: Arc<dyn Model>,
    rates: Rates,
    lives: Mutex<HashMap<String, Slot>>,
    shutdown: CancellationToken,
}

impl Runtime {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        model: Arc<dyn Model>,
        rates: Rates,
        shutdown: CancellationToken,
    ) -> Self {
        Self {
            rates,
            store,
            model,
            lives: Mutex::default(),
            shutdown,
        }
    }

    /// The tools of a conversation in this context.
    fn registry(&self, context: &ToolContext) -> ToolRegistry {
        let tools = self.model.tools(context);
        let registry = ToolRegistry::new(self.model.limits(), context.clone());
        tools.into_iter().fold(registry, ToolRegistry::with)
    }

    /// Told when the server is to stop.
    pub(crate) fn shutdown(&self) -> &CancellationToken {
        &self.shutdown
    }

    /// A conversation that exists; for whom it is not, it does not.
    pub(crate) async fn open(&self, caller: &Caller, id: &str) -> Result<Arc<Live>, ApiError> {
        let mut lives = self.lives.lock().await;
        self.find(&mut lives, id)
            .await?
            .filter(|live| caller.may_open(live.owner.as_ref()))
            .ok_or(ApiError::UnknownConversation)
    }

    /// What a conversation is, for as long as the guard is held.
    pub(crate) async fn talk<'a>(&self, live: &'a Live) -> Result<MutexGuard<'a, Talk>, ApiError> {
        let mut talk = live.talk.lock().await;
        if talk.is_stale {
            let stored = self.store.load(&live.id).await?;
            let (conversation, context) = stored
                .map(|stored| (stored.conversation, stored.context))
                .unwrap_or_default();
            talk.conversation = conversation;
            talk.context = context;
            talk.is_stale = false;
        }
        Ok(talk)
    }

    async fn open_or_create(&self, caller: &Caller, id: &str) -> Result<Arc<Live>, ApiError> {
        let mut lives = self.lives.lock().await;
        if let Some(live) = self.find(&mut lives, id).await? {
            let known = Some(live).filter(|live| caller.may_open(live.owner.as_ref()));
            return known.ok_or(ApiError::UnknownConversation);
        }
        if lives.len().max(self.store.count().await?) >= MAX_CONVERSATIONS {
            return Err(ApiError::TooManyConversations);
        }
        let new = Stored {
            conversation: Conversation::new(),
            context: ToolContext::default(),
            owner: caller.0.clone(),
        };
        self.rates.take_new()?;
        Ok(self.keep(&mut lives, id, new))
    }

    async fn find(
        &self,
        lives: &mut HashMap<String, Slot>,
        id: &str,
    ) -> Result<Option<Arc<Live>>, ApiError> {
        if let Some(live) = lives.get(id).and_then(|slot| slot.live.upgrade()) {
            return Ok(Some(live));
        }
        let Some(stored) = self.store.load(id).await? else {
            return Ok(None);
        };
        Ok(Some(self.keep(lives, id, stored)))
    }

    fn keep(&self, lives: &mut HashMap<String, Slot>, id: &str, stored: Stored) -> Arc<Live> {
        let known = lives.get(id).map(|slot| Arc::clone(&slot.changes));
        let changes = known.unwrap_or_else(|| Arc::new(self.rates.changes()));
        let live = Arc::new(Live::new(id.to_owned(), stored, Arc::clone(&changes)));
        let slot = Slot {
            live: Arc::downgrade(&live),
            changes,
        };
        lives.insert(id.to_owned(), slot);
        live
    }

    /// Takes a client's input and gives the response to stream: a run, or what has become of the one that took the same input before.
    pub(crate) async fn run(
        self: Arc<Self>,
        caller: Caller,
        input: RunInput,
    ) -> Result<RunStream, ApiError> {
        let context = input.context()?;
        let live = self.open_or_create(&caller, &input.thread_id).await?;
        live.allow_change()?;
        let mut talk = loop {
            let talk = self.talk(&live).await?;
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
            (None, state) if is_at_work(state) => None,
            (None, _) => {
                return Ok(catch_up(&live, &talk, &input));
            }
        };
        let pending = input.pending();
        if let (Some(context), Some(_)) = (context, &event) {
            talk.context = context;
        }
        if event.is_some() && is_at_work(talk.conversation.state()) {
            // The process that worked on it has ended, and its user has gone on: that run is over.
            let dead = Run::detached(Uuid::new_v4().to_string());
            let cancel = Event::UserCancel { proceed: false };
            self.begin(&live, &mut talk, dead, Some(cancel)).await?;
        }
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
        // An earlier run may have shown what was not kept.
        let goes_on = matches!(event, None | Some(Event::Retry));
        let effects = match event {
            Some(event) => self.commit(live, talk, event).await?,
            None => talk.conversation.resume(),
        };
        live.log.begin_run(&run.id);
        let reader = live.log.reader(live.log.next_position());
        let taken = taken_messages(&effects, brought.as_deref());
        live.log
            .push_event(&wire::run_started(&live.id, &run.id, taken));
        if goes_on {
            live.log.push_event(&snapshot(&talk.conversation));
        }
        let unseen = (!goes_on).then_some(&talk.conversation);
        let work = announce(live, unseen, effects, brought.as_deref());
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

    /// Lets the state machine take an event and stores what it changed.
    async fn commit(
        &self,
        live: &Live,
        talk: &mut Talk,
        event: Event,
    ) -> Result<Vec<Effect>, ApiError> {
        let name = event.name();
        let effects = talk.conversation.handle(event)?;
        let change = Change {
            owner: live.owner.as_ref(),
            context: &talk.context,
            conversation: &talk.conversation,
            effects: &effects,
        };
        let stored = self.store.commit(&live.id, change).await;
        if let Err(error) = stored {
            talk.is_stale = true;
            return Err(error.into());
        }
        tracing::info!(
            conversation = live.id,
            event = name,
            state = talk.conversation.state().name()
        );
        Ok(effects)
    }
}

/// Whether a run is needed for the conversation to go on.
fn is_at_work(state: &ConvState) -> bool {
    matches!(
        state,
        ConvState::LlmRequesting { .. } | ConvState::ToolExecuting(_)
    )
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
