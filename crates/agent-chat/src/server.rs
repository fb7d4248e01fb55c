//! The code for an agent behind `question-server`, as one value that no other page carries.

use crate::core::{Core, Handle, ServerHooks};
use crate::transport::TransportTimeouts;
use std::time::Duration;

/// The server answers at once, and sends a comment every 15 seconds on a silent stream.
pub(crate) static QUESTION_SERVER: ServerHooks = ServerHooks {
    timeouts: TransportTimeouts { response: Duration::from_secs(20), idle: Duration::from_secs(40) },
    subscribe: Handle::subscribe,
    refresh: Core::refresh_stream,
    stop: Handle::stop_by_server,
    by_endpoint: Core::by_endpoint,
    bind_interrupts: Core::bind_interrupts,
    resume_run: Core::resume_run,
};
