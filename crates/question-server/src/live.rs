//! A conversation in the server's memory: what it is, what runs in it and what it has told.

use crate::error::ApiError;
use crate::input::Pending;
use crate::log::Log;
use crate::owner::Owner;
use crate::rate::Allowance;
use crate::store::Stored;
use question_agent::call::ToolCall;
use question_agent::registry::ToolContext;
use question_agent::{ConvState, Conversation};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

/// A conversation that somebody does something with or watches.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) id: String,
    /// Tells the event ids of this process from those of an earlier one.
    epoch: u32,
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
        if self.run.is_none() {
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
        Self {
            known: Known::Events,
            ..self
        }
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
    followers: Arc<AtomicUsize>,
    /// Everything in the log before this position is part of the conversation's messages.
    pub(crate) settled: u64,
}

/// A client that reads the response to its own `POST`; dropped when it goes away.
#[derive(Debug)]
pub(crate) struct Follower(Arc<AtomicUsize>);

impl Live {
    pub(crate) fn new(id: String, stored: Stored, changes: Arc<Allowance>) -> Self {
        Self {
            id,
            owner: stored.owner,
            changes,
            epoch: uuid::Uuid::new_v4().as_fields().0,
            log: Arc::new(Log::new()),
            talk: Mutex::new(Talk {
                conversation: stored.conversation,
                context: stored.context,
                run: None,
                is_away: false,
            }),
        }
    }

    /// Counts a change that a client makes.
    pub(crate) fn allow_change(&self) -> Result<(), ApiError> {
        self.changes
            .take(Instant::now())
            .map_err(ApiError::TooManyRequests)
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
        self.log
            .reaches(position)
            .then_some(Place { position, known })
    }

    /// From where a client reads on that knows the conversation's messages.
    pub(crate) fn settled(&self, talk: &Talk) -> Place {
        let run = talk.run.as_ref();
        Place {
            position: run.map_or_else(|| self.log.next_position(), |run| run.settled),
            known: Known::Messages,
        }
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
            followers: Arc::default(),
            settled: 0,
        }
    }

    /// A run that no client reads as its own.
    pub(crate) fn detached(id: String) -> Self {
        Self {
            is_detached: true,
            ..Self::new(id, Pending::default())
        }
    }

    pub(crate) fn follow(&self) -> Follower {
        self.followers.fetch_add(1, Ordering::Relaxed);
        Follower(Arc::clone(&self.followers))
    }

    /// Whether the clients that read the run as their own have all gone.
    pub(crate) fn is_abandoned(&self) -> bool {
        !self.is_detached && self.followers.load(Ordering::Relaxed) == 0
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
