//! A conversation in the server's memory: what it is, what runs in it and what it has told.

use crate::error::ApiError;
use crate::input::Pending;
use crate::log::Log;
use crate::owner::{Owner, name_in_log};
use crate::rate::Allowance;
use crate::store::Stored;
use question_agent::call::ToolCall;
use question_agent::registry::ToolContext;
use question_agent::{ConvState, Conversation};
use std::borrow::Cow;
use std::sync::{Arc, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// A conversation that somebody does something with or watches.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) id: String,
    /// What its event ids begin with.
    epoch: u32,
    /// Where it is written down how it was left.
    left: Arc<std::sync::Mutex<Option<Left>>>,
    /// What those are told who have missed something, for as long as anybody is still being told it, with the position at which it is true.
    anew: std::sync::Mutex<Option<(u64, Weak<str>)>>,
    /// Whose it is, where it has an owner.
    pub(crate) owner: Option<Owner>,
    /// How often it may still be changed from outside.
    pub(crate) changes: Arc<Allowance>,
    pub(crate) log: Arc<Log>,
    pub(crate) talk: Mutex<Talk>,
}

/// What changes together, under one lock.
#[derive(Debug)]
pub(crate) struct Talk {
    pub(crate) conversation: Conversation,
    pub(crate) context: ToolContext,
    pub(crate) run: Option<Run>,
    /// Whether only the store knows what the conversation is, because it failed or nothing is under way: [`Runtime::talk`](crate::runtime::Runtime::talk)
    /// reads it anew.
    pub(crate) is_away: bool,
    /// How many messages it had when it was left to the store with nothing under way.
    pub(crate) messages_left: Option<usize>,
}

/// A conversation's life in memory. Who watches it counts what happens; it may leave the memory and come back to the same life meanwhile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Life {
    /// What event ids begin with.
    pub(crate) epoch: u32,
    /// How much has happened.
    pub(crate) position: u64,
}

/// How a life was left, with nothing under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Left {
    pub(crate) life: Life,
    pub(crate) messages: usize,
}

/// How many messages a conversation has in which nothing is under way. All that can happen then adds to them: as long as there are so many nothing
/// has, and whoever knows them has missed nothing.
pub(crate) fn messages_at_rest(conversation: &Conversation) -> Option<usize> {
    match conversation.state() {
        ConvState::Idle | ConvState::AwaitingUserResponse(_) => Some(conversation.messages().len()),
        ConvState::LlmRequesting { .. } | ConvState::ToolExecuting(_) | ConvState::Failed { .. } => None,
    }
}

impl Talk {
    /// The call whose result the client is to bring because it runs the tool itself.
    pub(crate) fn clients_call(&self) -> Option<&ToolCall> {
        match self.conversation.state() {
            ConvState::ToolExecuting(executing) => {
                let call = &executing.current_tool;
                Some(call).filter(|call| self.context.is_client_tool(call.name()))
            }
            ConvState::Idle
            | ConvState::LlmRequesting { .. }
            | ConvState::AwaitingUserResponse(_)
            | ConvState::Failed { .. } => None,
        }
    }

    /// Leaves the conversation to the store until somebody does something with it: it may be watched for days while its question waits.
    pub(crate) fn rest(&mut self) {
        if self.run.is_none() && !self.is_away {
            self.messages_left = messages_at_rest(&self.conversation);
            self.conversation = Conversation::new();
            self.context = ToolContext::default();
            self.is_away = true;
        }
    }
}

/// From where a client reads on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) position: u64,
    pub(crate) known: Known,
}

impl Place {
    /// The same place for a client that knows what was before it.
    pub(crate) fn knowing_events(self) -> Self {
        Self { known: Known::Events, ..self }
    }
}

/// What a client knows of what was before its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// Every event, and so the run that goes on.
    Events,
    /// The messages: it has to be told of a run that goes on.
    Messages,
}

/// How long the end of a client's connection may take to be noticed.
const A_MOMENT: Duration = Duration::from_millis(250);

/// What an event id ends with for a client that knows the messages alone.
const MESSAGES_MARK: &str = "m";

/// A run under way.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) id: String,
    /// Told to end the run.
    pub(crate) stop: CancellationToken,
    /// Told once the run has ended.
    pub(crate) over: CancellationToken,
    pub(crate) pending: Pending,
    /// Started over REST, so that no client reads it as its own and none can abandon it.
    is_detached: bool,
    followers: watch::Sender<usize>,
    /// Everything in the log before this position is part of the conversation's messages.
    pub(crate) settled: u64,
}

/// A client that reads the response to its own `POST`; dropped when it goes away.
#[derive(Debug)]
pub(crate) struct Follower(watch::Sender<usize>);

impl Live {
    pub(crate) fn new(
        id: String,
        stored: Stored,
        changes: Arc<Allowance>,
        left: Arc<std::sync::Mutex<Option<Left>>>,
        life: Life,
        log_bytes: usize,
    ) -> Self {
        Self {
            id,
            owner: stored.owner,
            changes,
            epoch: life.epoch,
            left,
            anew: std::sync::Mutex::default(),
            log: Arc::new(Log::new(life.position, log_bytes)),
            talk: Mutex::new(Talk {
                conversation: stored.conversation,
                context: stored.context,
                run: None,
                is_away: false,
                messages_left: None,
            }),
        }
    }

    /// What it is called in the log.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        name_in_log(&self.id, self.owner.as_ref())
    }

    /// Counts a change that a client makes.
    pub(crate) fn allow_change(&self) -> Result<(), ApiError> {
        self.changes.take(Instant::now()).map_err(ApiError::TooManyRequests)
    }

    /// The id by which a client comes back as its `Last-Event-ID`: `LIFE-COUNT`. Clients count as well, to know what they have and what is missing.
    pub(crate) fn event_id(&self, place: Place) -> String {
        let Place { position, known } = place;
        let mark = match known {
            Known::Events => "",
            Known::Messages => MESSAGES_MARK,
        };
        format!("{:08x}-{position}{mark}", self.epoch)
    }

    /// The place that an event id stands for, where this process gave it and still has what follows.
    pub(crate) fn place(&self, event_id: &str) -> Option<Place> {
        let (epoch, rest) = event_id.rsplit_once('-')?;
        let (position, known) = match rest.strip_suffix(MESSAGES_MARK) {
            Some(position) => (position, Known::Messages),
            None => (rest, Known::Events),
        };
        let is_ours = u32::from_str_radix(epoch, 16) == Ok(self.epoch);
        let position = position.parse().ok().filter(|_| is_ours)?;
        self.log.reaches(position).then_some(Place { position, known })
    }

    /// What a client is told at this position that has missed something: the same for all, so that it is there once however many take it, and
    /// however slowly.
    pub(crate) fn anew(&self, position: u64, tell: impl FnOnce() -> String) -> Arc<str> {
        // It is only ever replaced as a whole.
        let mut kept = self.anew.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.as_ref().filter(|(at, _)| *at == position);
        if let Some(told) = known.and_then(|(_, told)| told.upgrade()) {
            return told;
        }
        let told: Arc<str> = tell().into();
        *kept = Some((position, Arc::downgrade(&told)));
        told
    }

    /// From where a client reads on that knows the conversation's messages.
    pub(crate) fn settled(&self, talk: &Talk) -> Place {
        let run = talk.run.as_ref();
        Place { position: run.map_or_else(|| self.log.next_position(), |run| run.settled), known: Known::Messages }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let life = Life { epoch: self.epoch, position: self.log.next_position() };
        let talk = self.talk.get_mut();
        let messages = match talk.is_away {
            true => talk.messages_left,
            false => messages_at_rest(&talk.conversation),
        };
        let left = messages.map(|messages| Left { life, messages });
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = left;
    }
}

impl Run {
    pub(crate) fn new(id: String, pending: Pending) -> Self {
        Self {
            id,
            pending,
            is_detached: false,
            stop: CancellationToken::new(),
            over: CancellationToken::new(),
            followers: watch::Sender::default(),
            settled: 0,
        }
    }

    /// A run that no client reads as its own.
    pub(crate) fn detached(id: String, talk: &Talk) -> Self {
        Self { is_detached: true, ..Self::new(id, Pending::of(&talk.context)) }
    }

    pub(crate) fn follow(&self) -> Follower {
        self.followers.send_modify(|count| *count += 1);
        Follower(self.followers.clone())
    }

    /// Whether the clients that read the run as their own have all gone, or go in a moment: the next request of one that goes may be here
    /// before its going is noticed.
    pub(crate) async fn is_abandoned(&self) -> bool {
        let mut followers = self.followers.subscribe();
        let gone = followers.wait_for(|count| *count == 0);
        !self.is_detached && timeout(A_MOMENT, gone).await.is_ok()
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}
