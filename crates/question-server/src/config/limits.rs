//! The limits and timeouts of the server.

use crate::auth::rate::PerMinute;
use question_agent::ag_ui;
pub use question_agent::ag_ui::{CALL_WEIGHT, MAX_ANSWER_BYTES, MAX_ID_BYTES};
pub use question_models::{MAX_RETRY_PAUSE, MODEL_CALLS};
use std::time::Duration;

/// The limits of clients. The program's are the defaults; a program of your own sets others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The largest body of a request, in bytes. A client sends the whole history each time.
    pub body: usize,
    /// Memory for request bodies being received, in bytes, all clients together. When it is full, requests over 64 KiB are refused
    /// with 503. A client has at most a quarter of it.
    pub bodies: usize,
    /// Memory for histories being sent, in bytes, all clients together. When it is full, requests are refused with 503. A client has at
    /// most a quarter of it.
    pub histories: usize,
    /// The longest text of a user, in bytes: all new messages of a request together, or one answer.
    pub message: usize,
    /// The longest result of a tool that the client runs, in bytes.
    pub tool_result: usize,
    /// The most messages of a conversation. After that it accepts no more from its user.
    pub messages: usize,
    /// The most bytes of a conversation's messages together. After that it accepts no more either.
    pub history: usize,
    /// The most conversations that the server stores. When it is full, new ones are refused with 503, and so are those of an address that
    /// has half of them.
    pub conversations: usize,
    /// Memory for conversations stored in memory, in bytes. When it is full, new messages are refused with 503, and answers are taken.
    pub memory: usize,
    /// The most changes of a conversation per minute; 0 means any number.
    pub changes: PerMinute,
    /// The most new conversations of an owner per minute; 0 means any number. All owners at one address together may start ten times as many.
    pub new: PerMinute,
    /// The most conversations of an owner.
    pub owned: usize,
    /// The most requests of one address per minute; 0 means any number.
    pub requests: PerMinute,
    /// The most open runs and event streams of one address, or of one owner behind a proxy on this machine.
    pub streams: usize,
    /// The most open connections, all clients together. For a further one, the quietest connection of the address with the most is closed.
    pub connections: usize,
    /// The most sessions of clients of MCP, all together. A further one replaces the longest unused one, if that is unused for 10 minutes.
    pub sessions: usize,
}

impl Bounds {
    /// The limits of the content of a request.
    pub(crate) fn of_input(&self) -> ag_ui::Bounds {
        let Self { message, tool_result, messages, history, .. } = *self;
        ag_ui::Bounds { message, tool_result, messages, history, ..ag_ui::Bounds::default() }
    }

    /// The most bytes of one conversation's events that are buffered for slow clients. A run may repeat the whole history.
    pub(crate) fn log(&self) -> usize {
        self.history.saturating_mul(4).max(LEAST_LOG)
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            body: 4 << 20,
            bodies: 64 << 20,
            histories: 256 << 20,
            message: 64 << 10,
            tool_result: 1 << 20,
            messages: 2_000,
            history: 4 << 20,
            conversations: 100_000,
            memory: 512 << 20,
            changes: PerMinute::new(300),
            new: PerMinute::new(60),
            owned: 1_000,
            requests: PerMinute::new(3_000),
            streams: 256,
            connections: 20_000,
            sessions: 1_000,
        }
    }
}

/// The least value of `Bounds::log`.
const LEAST_LOG: usize = 64 << 10;

/// The timeouts for slow clients, since an open connection costs memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// The time for the head of a request, or between two requests.
    pub head: Duration,
    /// The time for the body of a request, after its head.
    pub body: Duration,
    /// The time in which a client must read some of what it is sent.
    pub write: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            // Longer than the minute for which proxies keep an idle connection, so that the proxy closes it, not the server.
            head: Duration::from_secs(75),
            body: Duration::from_secs(60),
            write: Duration::from_secs(60),
        }
    }
}

/// The most bytes of the files of a conversation.
pub const FILES_OF_CONVERSATION: usize = 64 << 20;
/// The most bytes of the files of an owner.
pub(crate) const FILES_OF_OWNER: usize = 256 << 20;
/// The most bytes of all files together.
pub(crate) const FILES_OF_ALL: usize = 8 << 30;
/// The bytes that each file counts beside its own. To check a new file, SQLite's one writer sums up all files while commits wait: 5 ms for the
/// 130,000 that may be there. With 4 KiB each, they could be two million, which is 100 ms.
pub(crate) const ROOM_OF_A_FILE: usize = 64 << 10;

/// The time for which a file is kept whose conversation has not begun.
pub const LOST_FILES_KEPT_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// The most pictures of a request to a model: the newest ones.
pub(crate) const PICTURES_OF_REQUEST: usize = 8;
/// The most bytes of these pictures. In base64 they are a third longer, and no vendor's request may have more than 20 MB.
pub(crate) const PICTURE_BYTES_OF_REQUEST: usize = 12 << 20;
/// The bytes of pictures in all requests that are being sent, in KiB. Further requests wait.
pub(crate) const PICTURE_KIB_AT_ONCE: usize = 64 << 10;

/// The part of each body that is not counted in [`Bounds::bodies`], in bytes, so that answers get through.
pub(crate) const FREE_OF_A_BODY: usize = 64 << 10;

/// The most requests to the model in one run.
pub const MAX_MODEL_CALLS: u32 = 32;

/// The most runs in a row that an agent starts without a message of its user.
pub const MAX_UNATTENDED: u32 = 8;

/// The most retries of a model in one run: after malformed asks, and in a row after calls of unknown tools.
pub const MAX_ASK_RETRIES: u32 = 3;

/// The most runs at a time without a client, unless the model allows fewer. After a restart, many questions may have expired and many runs may
/// be interrupted.
pub const UNATTENDED: usize = 16;

/// The duration of a lease, unless it is renewed.
pub const LEASE: Duration = Duration::from_secs(15);

/// The time between two renewals of leases, and between two searches for abandoned conversations.
pub const SWEEP: Duration = Duration::from_secs(5);

/// The time that a server has to resume a conversation that it claimed, before other servers claim it.
pub(crate) const CLAIM: Duration = Duration::from_secs(5);

/// The most questions that a server expires at a time, so that others get the rest.
pub(crate) const EXPIRED_AT_A_TIME: usize = 64;

/// The most conversations at a time that are loaded for watchers: a quarter of [`DATABASE_CONNECTIONS`].
pub(crate) const RELOADS_AT_ONCE: usize = 4;

/// The most connections of a server to its database.
#[cfg(feature = "postgres")]
pub(crate) const DATABASE_CONNECTIONS: u32 = 16;

/// The most attempts at a change that other requests overtake, and the longest pause behind the first, which doubles with each.
pub(crate) const MAX_ATTEMPTS: u32 = 10;
pub(crate) const FIRST_ATTEMPT_PAUSE: Duration = Duration::from_millis(2);

/// The time for which signals to other servers are batched.
pub(crate) const SIGNALS_PACE: Duration = Duration::from_millis(20);

/// The time that another server has to stop a run when asked to.
pub(crate) const PEER_STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// The timeout of a database: to connect, to get a connection of the pool, or to answer a statement.
#[cfg(feature = "postgres")]
pub(crate) const DATABASE_PATIENCE: Duration = Duration::from_secs(5);

/// The time that a starting server waits for its database.
#[cfg(feature = "postgres")]
pub(crate) const DATABASE_STARTS: Duration = Duration::from_secs(30);

/// The longest arguments of an ask, in bytes. A question may repeat some answers before it.
pub const MAX_ASK_BYTES: usize = 256 << 10;

/// The most sub-agents of one call.
pub(crate) const MAX_SUB_AGENTS: usize = 8;

/// The default timeout of a tool's call.
pub(crate) const TOOL_TIME: Duration = Duration::from_secs(60);

/// The time in which an MCP server has to start and to list its tools. Some are downloaded at their first start.
#[cfg(feature = "mcp")]
pub(crate) const MCP_CONNECT: Duration = Duration::from_secs(60);

/// The longest response of an MCP server, in bytes.
#[cfg(feature = "mcp")]
pub(crate) const MCP_RESPONSE: usize = 4 << 20;

/// The timeout of all sub-agents of a call together.
pub(crate) const SUB_AGENTS_TIME: Duration = Duration::from_secs(1800);

/// The overhead of a buffered event beside its text, in bytes.
pub(crate) const ENTRY_BYTES: usize = 128;

/// The most deltas of an answer that are sent as one event, if they arrived at the same time.
pub(crate) const DELTAS_AT_ONCE: usize = 16;

/// The time after which a stream without events sends a heartbeat.
pub const HEARTBEAT: Duration = Duration::from_secs(15);

/// The time that runs have to end when the server stops. The next start resumes the others.
pub const DRAIN_GRACE: Duration = Duration::from_secs(3);

/// The time that clients have after that to read the ends of their runs.
pub(crate) const FAREWELL: Duration = Duration::from_secs(1);

/// The time that a starting server waits for the previous one to unlock the file: longer than a shutdown takes.
pub(crate) const TAKEOVER: Duration = DRAIN_GRACE.saturating_add(FAREWELL).saturating_mul(2);

/// The timeout of a callback.
pub(crate) const CALLBACK_PATIENCE: Duration = Duration::from_secs(10);

/// The time that a callback waits for a place among the calls of its endpoint before it goes back into the store.
pub(crate) const PLACE_PATIENCE: Duration = Duration::from_secs(5);

/// The time for which a server claims a webhook: longer than an attempt takes.
pub(crate) const WEBHOOK_CLAIM: Duration = PLACE_PATIENCE.saturating_add(CALLBACK_PATIENCE).saturating_mul(2);

/// The attempts of a callback that fails. With the pauses between them they take nearly a day.
pub(crate) const CALLBACK_ATTEMPTS: u32 = 29;

/// The pause before the second attempt, which grows fourfold with each, and the longest.
pub(crate) const FIRST_CALLBACK_PAUSE: Duration = Duration::from_secs(5);
pub(crate) const MAX_CALLBACK_PAUSE: Duration = Duration::from_secs(60 * 60);

/// The most callbacks at the same time: of one server, to one path, and to one origin.
pub(crate) const CALLS_BACK: usize = 256;
pub(crate) const CALLS_BACK_AT_ONCE: usize = 16;
pub(crate) const CALLS_BACK_TO_ORIGIN: usize = 64;

/// The most browsers of one owner that are told of questions. For a further one, the oldest is forgotten.
pub const PUSH_SUBSCRIPTIONS_OF_OWNER: usize = 16;
/// The most browsers of all owners together.
pub(crate) const PUSH_SUBSCRIPTIONS: usize = 100_000;

/// The time for which a push service keeps a message for a browser that is away.
pub(crate) const MAX_PUSH_TTL: Duration = Duration::from_secs(24 * 60 * 60);

/// The longest `?wait=` of a program for the outcome of its ask.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(60);

/// The time for which a health check of the store is cached.
pub(crate) const CHECKED_FOR: Duration = Duration::from_secs(1);

/// The time for which the number of stored conversations is cached, and the least multiple of the time that counting them takes.
pub(crate) const COUNTED_FOR: Duration = Duration::from_secs(1);
pub(crate) const COUNT_PAUSE: u32 = 20;

/// The rate of new conversations of one address, as a multiple of an owner's: people share addresses, and anybody can make up owners.
pub(crate) const OWNERS_OF_A_PEER: u32 = 10;
