//! The code for an agent behind `question-server`: one value that names it all, and that no other page carries.

use crate::core::{Core, Handle, Server};
use crate::transport::Patience;
use std::time::Duration;

/// It answers at once, and says every 15 seconds that a silent stream is alive.
pub(crate) static QUESTION_SERVER: Server = Server {
    patience: Patience { answer: Duration::from_secs(20), silence: Duration::from_secs(40) },
    follow: Handle::follow,
    reconsider: Core::reconsider_stream,
    stop: Handle::stop_by_server,
    by_endpoint: Core::by_endpoint,
    bind_interrupts: Core::bind_interrupts,
    revival: Core::revival,
};
