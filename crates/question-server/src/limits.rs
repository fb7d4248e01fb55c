//! What the server bounds, by name.

use crate::rate::PerMinute;
use std::time::Duration;

/// The largest body of a request. A client sends the whole history each time.
pub const MAX_BODY_BYTES: usize = 4 << 20;

/// How many conversations the server holds.
pub const MAX_CONVERSATIONS: usize = 10_000;

/// How often a conversation may be changed from outside, where `--max-changes` does not say otherwise.
pub const MAX_CHANGES: PerMinute = PerMinute::new(300);

/// How often a conversation may be begun, all clients together, where `--max-new` does not say otherwise.
pub const MAX_NEW: PerMinute = PerMinute::new(600);

/// How many messages one conversation may have before it takes no more from the user.
pub const MAX_MESSAGES: usize = 2_000;

/// How often the model is asked in one run, tools and refused asks in between.
pub const MAX_MODEL_CALLS: u32 = 32;

/// How often in one run a model may try again after an ask that could not be asked.
pub const MAX_ASK_RETRIES: u32 = 3;

/// How many sub-agents one call may start.
pub const MAX_SUB_AGENTS: usize = 8;

/// How long a model that said when to come back is waited for at most.
pub const MAX_RETRY_PAUSE: Duration = Duration::from_secs(30);

/// The longest text of one user message, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 64 << 10;

/// The longest id that a client may make, in bytes.
pub const MAX_ID_BYTES: usize = 200;

/// How many events of one conversation are kept for clients that read slowly.
pub const MAX_LOG_ENTRIES: usize = 8_192;

/// How often a stream without events says that it is alive.
pub const HEARTBEAT: Duration = Duration::from_secs(15);

/// How long open streams may go on after the server was told to stop.
pub const SHUTDOWN_GRACE: Duration = Duration::from_secs(3);
