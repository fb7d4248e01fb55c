//! What a page carries whose agent is behind `question-server`, and no other page does: one value that names it all.

use crate::chat::AgentChat;
use crate::core::{Core, Post};
use crate::transport::Patience;
use ag_ui_stream::asks::reply::AskReply;
use std::time::Duration;

type ByEndpoint = fn(&Core, &[AskReply]) -> Option<(AskReply, Post)>;

/// What is done about a conversation that its server has.
pub(crate) struct Server {
    pub(crate) patience: Patience,
    /// Stays in step for as long as the conversation is shown.
    pub(crate) follow: fn(AgentChat),
    /// Looks at everything again, because something has changed.
    pub(crate) reconsider: fn(&mut Core),
    /// Asks the server to end the run that is open. False where there is none.
    pub(crate) stop: fn(AgentChat) -> bool,
    /// The first of these replies as the conversation's own endpoints take it.
    pub(crate) by_endpoint: ByEndpoint,
    /// Lets these replies be the answers to interrupts.
    pub(crate) bind_interrupts: fn(&mut Core, &[AskReply]),
    /// Lets a run go on that died with the server.
    pub(crate) revival: fn(&Core) -> Option<Post>,
}

/// It answers at once, and says every 15 seconds that a silent stream is alive.
pub(crate) static QUESTION_SERVER: Server = Server {
    patience: Patience { answer: Duration::from_secs(20), silence: Duration::from_secs(40) },
    follow: AgentChat::follow,
    reconsider: Core::reconsider_stream,
    stop: AgentChat::stop_by_server,
    by_endpoint: Core::by_endpoint,
    bind_interrupts: Core::bind_interrupts,
    revival: Core::revival,
};
