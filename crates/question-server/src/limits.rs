//! What the server bounds, by name.

use crate::config::{Config, positive};
use crate::rate::PerMinute;
use clap::Args;
use question_agent::ag_ui;
pub use question_agent::ag_ui::{
    CALL_WEIGHT, MAX_ANSWER_BYTES, MAX_CLIENT_TOOLS, MAX_CLIENT_TOOLS_BYTES, MAX_CONTEXT_BYTES, MAX_ID_BYTES,
};
use std::num::NonZeroUsize;
use std::time::Duration;

/// What the operator of the server bounds.
#[derive(Args, Clone, Copy, Debug, PartialEq, Eq)]
#[command(next_help_heading = "Limits")]
pub struct Bounds {
    /// The largest body of a request, in bytes. A client sends the whole history each time.
    #[arg(long = "max-body", value_name = "BYTES", value_parser = positive, default_value = "4194304")]
    pub body: usize,
    /// Memory for bodies that are on their way, in bytes, all clients together. When it is full, requests over 64 KiB wait, and the slowest
    /// of the client that has most is given up.
    #[arg(long = "max-bodies", value_name = "BYTES", value_parser = positive, default_value = "67108864")]
    pub bodies: usize,
    /// Memory for histories that clients read, in bytes, all clients together. When it is full, the slowest reading of the client that has most is
    /// given up.
    #[arg(long = "max-histories", value_name = "BYTES", value_parser = positive, default_value = "268435456")]
    pub histories: usize,
    /// The longest text that a user may send at once, in bytes: all messages of a request together, or one answer.
    #[arg(long = "max-message", value_name = "BYTES", value_parser = positive, default_value = "65536")]
    pub message: usize,
    /// The longest result that a client may bring of a tool that it runs, in bytes.
    #[arg(long = "max-tool-result", value_name = "BYTES", value_parser = positive, default_value = "1048576")]
    pub tool_result: usize,
    /// How many messages a conversation may have. After that it takes no more from its user.
    #[arg(long = "max-messages", value_name = "N", value_parser = positive, default_value = "2000")]
    pub messages: usize,
    /// How long the messages of a conversation may be together, in bytes. After that it takes no more either.
    #[arg(long = "max-history", value_name = "BYTES", value_parser = positive, default_value = "4194304")]
    pub history: usize,
    /// How many conversations the server keeps. For a further one, those of the address that has more than half of them make room.
    #[arg(long = "max-conversations", value_name = "N", value_parser = positive, default_value = "10000")]
    pub conversations: usize,
    /// Memory for conversations that are kept there, in bytes. When it is full, the longest of the address that has most is deleted.
    #[arg(long = "max-memory", value_name = "BYTES", value_parser = positive, default_value = "536870912")]
    pub memory: usize,
    /// How often per minute clients may change a conversation; 0 means any number.
    #[arg(long = "max-changes", value_name = "N", default_value = "300")]
    pub changes: PerMinute,
    /// How often per minute an owner may start a conversation; 0 means any number. All owners at one address together may ten times as
    /// often.
    #[arg(long = "max-new", value_name = "N", default_value = "60")]
    pub new: PerMinute,
    /// How many conversations an owner may have.
    #[arg(long = "max-owned", value_name = "N", value_parser = positive, default_value = "1000")]
    pub owned: usize,
    /// How many requests per minute one address may send; 0 means any number.
    #[arg(long = "max-requests", value_name = "N", default_value = "3000")]
    pub requests: PerMinute,
    /// How many runs and event streams one address may have open, or behind a proxy on this machine one owner.
    #[arg(long = "max-streams", value_name = "N", value_parser = positive, default_value = "256")]
    pub streams: usize,
    /// How many connections may be open, all clients together. For a further one, the quietest of the address that has most is closed.
    #[arg(long = "max-connections", value_name = "N", value_parser = positive, default_value = "20000")]
    pub connections: usize,
    /// How many sessions clients of MCP may have, all together. For a further one, the longest unused is closed, if it is unused for 10
    /// minutes; otherwise the further one is refused.
    #[arg(long = "max-sessions", value_name = "N", value_parser = positive, default_value = "1000")]
    pub sessions: usize,
}

impl Bounds {
    /// The bounds of what one request brings.
    pub(crate) fn of_input(&self) -> ag_ui::Bounds {
        let Self { message, tool_result, messages, history, .. } = *self;
        ag_ui::Bounds { message, tool_result, messages, history }
    }

    /// The most bytes of one conversation's events that are kept for clients that read slowly. A run may tell the whole history again.
    pub(crate) fn log(&self) -> usize {
        self.history.saturating_mul(4).max(LEAST_LOG)
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Config::default().bounds
    }
}

/// As much of a conversation's events is kept however short its history may be.
const LEAST_LOG: usize = 64 << 10;

/// The time that the server waits for a client that does not come on. An open connection costs memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For the head of a request, the first as well as the next.
    pub head: Duration,
    /// For its body, from then on.
    pub body: Duration,
    /// For a client that takes nothing of what it is sent.
    pub write: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            // Proxies keep a connection for a minute on which nothing happens: they, and not the server, are to close it.
            head: Duration::from_secs(75),
            body: Duration::from_secs(60),
            write: Duration::from_secs(60),
        }
    }
}

/// The part of each body that needs no room in [`Bounds::bodies`], in bytes: answers go through whatever others send.
pub const FREE_OF_A_BODY: usize = 64 << 10;

/// The number of times that the model is asked in one run, tools and refused asks in between.
pub const MAX_MODEL_CALLS: u32 = 32;

/// The number of times that an agent goes on by itself without a word of its user.
pub const MAX_UNATTENDED: u32 = 8;

/// The number of times that a model may try again in one run: after asks that could not be asked, and in a row after calls of tools that are not there.
pub const MAX_ASK_RETRIES: u32 = 3;

/// The bytes that a model's endpoint may send in a row without anything of use.
pub(crate) const MAX_IDLE_BYTES: usize = 1 << 20;

/// Which part of all conversations makes room at once for others where the server is full: what is to go is only found by a look at all.
pub(crate) const CROWDED_OUT_AT_ONCE: usize = 256;

/// The number of agents that go on by themselves at a time, if the model takes as many requests at once. After a restart, many questions may have
/// expired and many runs may be broken off.
pub const UNATTENDED: usize = 16;

/// The time in which nobody else takes up what a server works on, unless it renews that in time.
pub const LEASE: Duration = Duration::from_secs(15);

/// The time between two renewals, and between two looks for what nobody works on.
pub const SWEEP: Duration = Duration::from_secs(5);

/// The time that a server has to take up what it found due, before others do: they share one store.
#[cfg(feature = "postgres")]
pub(crate) const CLAIM: Duration = Duration::from_secs(5);

/// The number of conversations that a server takes up at a time, so that others take up the rest.
#[cfg(feature = "postgres")]
pub(crate) const DUE_AT_A_TIME: usize = 64;

/// The most connections that a server has to its database.
#[cfg(feature = "postgres")]
pub(crate) const DATABASE_CONNECTIONS: usize = 16;

/// The time for which signals for other servers are collected.
pub(crate) const SIGNALS_PACE: Duration = Duration::from_millis(20);

/// The time that another server has to stop a run when it is told to.
pub(crate) const OTHERS_PATIENCE: Duration = Duration::from_secs(1);

/// The time that a database has to be reached, to spare a connection, or to answer a statement.
#[cfg(feature = "postgres")]
pub(crate) const DATABASE_PATIENCE: Duration = Duration::from_secs(5);

/// The time that a server that starts waits for a database that is starting as well.
#[cfg(feature = "postgres")]
pub const DATABASE_STARTS: Duration = Duration::from_secs(30);

/// The number of requests to a model's endpoint at once, by default.
pub const MODEL_CALLS: NonZeroUsize = NonZeroUsize::new(256).expect("it is not zero");

/// The number of sub-agents that one call may start.
pub const MAX_SUB_AGENTS: usize = 8;

/// The time that a call of a tool may take, if the tool does not say otherwise.
pub const TOOL_TIME: Duration = Duration::from_secs(60);

/// The time that sub-agents may take together.
pub const SUB_AGENTS_TIME: Duration = Duration::from_secs(1800);

/// The most time that a model is waited for that said when to come back.
pub const MAX_RETRY_PAUSE: Duration = Duration::from_secs(30);

/// What an event of a conversation that is kept for clients that read slowly takes beside its text, in bytes.
pub(crate) const ENTRY_BYTES: usize = 128;

/// The number of pieces of an answer that are told at once, if they arrived at the same time.
pub(crate) const DELTAS_AT_ONCE: usize = 16;

/// The time after which a stream without events says that it is alive.
pub const HEARTBEAT: Duration = Duration::from_secs(15);

/// The time that runs may go on after the server was told to stop, where nobody says otherwise. What is left of them then goes on after the next start.
pub const DRAIN_GRACE: Duration = Duration::from_secs(3);

/// The time that clients have then to read how their runs ended.
pub const FAREWELL: Duration = Duration::from_secs(1);

/// The time that a server that starts waits for the one before it to let go of the file: longer than that may take to end.
pub const TAKEOVER: Duration = DRAIN_GRACE.saturating_add(FAREWELL).saturating_mul(2);

/// The time that a URL has to take the outcome of an ask.
pub(crate) const CALLBACK_PATIENCE: Duration = Duration::from_secs(10);

/// The time for which a URL is called that does not take it.
pub(crate) const CALLED_BACK_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// The pause before the second try, which grows fourfold with each, and the longest.
pub(crate) const FIRST_CALLBACK_PAUSE: Duration = Duration::from_secs(5);
pub(crate) const MAX_CALLBACK_PAUSE: Duration = Duration::from_secs(60 * 60);

/// The number of URLs that are called at the same time.
pub(crate) const CALLS_BACK_AT_ONCE: usize = 16;

/// The longest that a program may wait for the outcome of its ask in one request.
pub const MAX_WAIT: Duration = Duration::from_secs(60);

/// The time for which the last check of the store stands.
pub const CHECKED_FOR: Duration = Duration::from_secs(1);

/// The number of owners that may begin conversations from one address as often as one may: people share addresses, and owners cost nothing.
pub const OWNERS_OF_A_PEER: u32 = 10;
