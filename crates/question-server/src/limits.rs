//! What the server bounds, by name.

use crate::rate::PerMinute;
use std::time::Duration;

/// What is for whoever runs the server to bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The largest body of a request, in bytes. A client sends the whole history each time.
    pub body: usize,
    /// The longest text that a user may send at a time, in bytes: a message, or what an answer says beyond the question's own words.
    pub message: usize,
    /// How many messages one conversation may have before it takes no more from the user.
    pub messages: usize,
    /// How many conversations the server holds.
    pub conversations: usize,
    /// How often a conversation may be changed from outside.
    pub changes: PerMinute,
    /// How often a conversation may be begun, all clients together.
    pub new: PerMinute,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            body: 4 << 20,
            message: 64 << 10,
            messages: 2_000,
            conversations: 10_000,
            changes: PerMinute::new(300),
            new: PerMinute::new(600),
        }
    }
}

/// How often the model is asked in one run, tools and refused asks in between.
pub const MAX_MODEL_CALLS: u32 = 32;

/// How often in one run a model may try again after an ask that could not be asked.
pub const MAX_ASK_RETRIES: u32 = 3;

/// How many tools of its own a client may declare.
pub const MAX_CLIENT_TOOLS: usize = 64;

/// How long all that they say may be, in bytes: it is kept with the conversation.
pub const MAX_CLIENT_TOOLS_BYTES: usize = 64 << 10;

/// How many sub-agents one call may start.
pub const MAX_SUB_AGENTS: usize = 8;

/// How long a model that said when to come back is waited for at most.
pub const MAX_RETRY_PAUSE: Duration = Duration::from_secs(30);

/// The longest id that a client may make, in bytes.
pub const MAX_ID_BYTES: usize = 200;

/// How many events of one conversation are kept for clients that read slowly.
pub const MAX_LOG_ENTRIES: usize = 8_192;

/// How often a stream without events says that it is alive.
pub const HEARTBEAT: Duration = Duration::from_secs(15);

/// How long open streams may go on after the server was told to stop.
pub const SHUTDOWN_GRACE: Duration = Duration::from_secs(3);
