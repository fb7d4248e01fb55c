//! The core behind the handle. It decides what to send and applies what arrives, without any I/O.

mod incoming;
mod outgoing;
mod request;

pub(crate) use outgoing::Next;
pub(crate) use request::{Launch, RunEnd};

use crate::browser::{self, Pause};
use crate::chat_state::{AskTools, ChatState};
use crate::config::ChatConfig;
use crate::outbox::{Outbox, PendingMessage, Resend, SendState};
use crate::page_tool::Tools;
use crate::policy::AgentOrigin;
use crate::status::{Connection, Status};
use crate::store::ConversationStore;
use crate::subscription::Subscription;
use crate::tabs::{Channel, TabLock};
use crate::transport::{Abort, TransportTimeouts};
use crate::trouble::Trouble;
use ag_ui_stream::Thread;
use ag_ui_stream::asks::reply::{AskReply, Delivery, NextRun, UserTurn};
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{Limits, Outcome, Phase};
use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;
use std::rc::Rc;

pub(crate) struct Core {
    pub(crate) config: ChatConfig,
    pub(crate) server: Option<&'static ServerHooks>,
    pub(crate) gate: Option<Gate>,
    pub(crate) conversation: ChatState,
    pub(crate) outbox: Outbox,
    pub(crate) status: RwSignal<Status>,
    pub(crate) connection: RwSignal<Connection>,
    pub(crate) restoring: RwSignal<bool>,
    pub(crate) address_changed: RwSignal<bool>,
    pub(crate) origin: AgentOrigin,
    pub(crate) link: Link,
    pub(crate) runner: Option<Rc<dyn ToolRunner>>,
    /// True while the parts of one turn are being collected. Until then, no request starts.
    pub(crate) gathers: bool,
    /// True if a run is to start without a new message or reply.
    pub(crate) reruns: bool,
    /// The last turn and its run id, until it is known whether the agent has the turn. An equal turn is sent under the same run id.
    pub(crate) last_run: Option<(UserTurn, String)>,
    /// True if the last request failed because there was no network. If no server stores the conversation, nothing is sent until there is one.
    pub(crate) waits_for_network: bool,
    /// The number of requests in a row that were lost, so that it is not known if they arrived.
    pub(crate) lost: u32,
    pub(crate) running: Option<Running>,
    /// The timer for the next deadline of a waiting ask.
    pub(crate) deadline: Option<TimeoutHandle>,
    /// The timer for the silence of an open run's agent.
    pub(crate) silence: Option<TimeoutHandle>,
    pub(crate) channel: Option<Channel>,
    /// The lock for the event stream of all tabs or, without a server, for requests to the agent.
    pub(crate) tab_lock: Option<TabLock>,
    pub(crate) event_stream: Option<Abort>,
    /// True if the last attempt to reach the server failed.
    pub(crate) is_disconnected: bool,
    /// The time of the last bytes from the event stream.
    pub(crate) last_received: u64,
    /// True if the browser has left the page. It may restore the page from its cache.
    pub(crate) is_left: bool,
    /// The pause of the synchronisation while it has no work.
    pub(crate) pause: Pause,
}

/// A handle to the core, for tasks that outlive a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handle(pub(crate) StoredValue<Core, LocalStorage>);

impl Handle {
    /// Lends the core. Returns `None` after the owner's cleanup.
    pub(crate) fn with<T>(self, act: impl FnOnce(&mut Core) -> T) -> Option<T> {
        self.0.try_update_value(act)
    }
}

type ByEndpoint = fn(&Core, &[AskReply]) -> Option<(AskReply, Post)>;

/// The functions for a conversation that a server stores.
pub(crate) struct ServerHooks {
    pub(crate) timeouts: TransportTimeouts,
    /// Keeps the conversation in sync with the server until its owner is cleaned up.
    pub(crate) subscribe: fn(Handle),
    /// Checks connection and stream again after a change.
    pub(crate) refresh: fn(&mut Core),
    /// Asks the server to stop the open run. Returns false if none is open.
    pub(crate) stop: fn(Handle) -> bool,
    /// The first of these replies, as a request to the conversation's own endpoints.
    pub(crate) by_endpoint: ByEndpoint,
    /// Opens an interrupt for each reply that needs one.
    pub(crate) bind_interrupts: fn(&mut Core, &[AskReply]),
    /// The request that resumes a run that died with the server.
    pub(crate) resume_run: fn(&Core) -> Option<Post>,
}

/// Opens the runner of a conversation's calls. The arguments are the page's tools, the browser's name for the conversation if it is persisted,
/// and the maximum number of runs in a row that tool results alone start.
pub(crate) type OpenTools = fn(Tools, Option<String>, u32) -> Rc<dyn ToolRunner>;

/// The runner of a conversation's calls to the page's tools. It is a trait, so that a page without tools does not carry the code.
pub(crate) trait ToolRunner {
    /// Returns true if calls of the page's tools have no result yet.
    fn is_busy(&self, thread: &Thread) -> bool;

    /// Notes the run of a request, with input of the user or without.
    fn note_run(&self, run_id: &str, has_user_input: bool);

    /// Notes that the agent has the results so far.
    fn note_accepted(&self);

    /// Carries out the calls that are due. Each result starts the next request that is due.
    fn start(self: Rc<Self>, handle: Handle);

    /// Drops the handlers of calls that have a result from elsewhere.
    fn drop_answered(&self, thread: &Thread);

    /// Gives each open call a result that says it was stopped. Returns false if no call is open.
    fn stop(&self, core: &mut Core) -> bool;

    /// Drops all handlers with the conversation.
    fn leave(&self);
}

/// The permission check for an agent of another origin.
#[derive(Clone)]
pub(crate) struct Gate {
    /// The address of the list of allowed origins.
    pub(crate) list: String,
    /// Looks the origin up in the list.
    pub(crate) ask: fn(Handle, list: String, origin: String),
}

pub(crate) struct Running {
    abort: Abort,
    /// True for a run; false for a reply to an endpoint.
    is_run: bool,
    /// True if the machine had no network when it began.
    is_offline: bool,
}

/// The content of a request.
#[derive(Clone, Debug)]
pub(crate) enum Post {
    /// A run, for the agent.
    Run(Box<NextRun>),
    /// A reply, for an endpoint of the conversation.
    Endpoint { action: &'static str, body: String },
}

/// The page's link to the agent.
#[derive(Debug)]
pub(crate) enum Link {
    /// The permission to use the agent is being checked.
    Checking,
    /// The permission was refused, or could not be checked.
    Denied,
    /// No server stores the conversation; this browser may.
    Local(Option<Box<dyn ConversationStore>>),
    /// The conversation is subscribed on its server.
    Subscribed(Box<Subscription>),
}

impl Core {
    /// A core for a conversation that may have started before the page was loaded.
    pub(crate) fn new(
        mut config: ChatConfig,
        server: Option<&'static ServerHooks>,
        gate: Option<Gate>,
        open_tools: Option<OpenTools>,
    ) -> Self {
        let earlier_id = config.persistence.and_then(|persistence| (persistence.find_id)(&config.defaults.thread_id));
        let is_restoring = earlier_id.is_some();
        let new_id = || config.persistence.and_then(|persistence| (persistence.find_new)(&config.endpoint.url));
        if let Some(id) = earlier_id.or_else(new_id) {
            config.defaults.thread_id = id;
        }
        let has_server = server.is_some();
        if has_server && config.defaults.delivery == Delivery::Resume {
            let props = &mut config.defaults.forwarded_props;
            if !props.iter().any(|(name, _)| name == "interrupts") {
                props.push(("interrupts".into(), true.into()));
            }
        }
        // Only a server that stores the conversation recognises a repeated message.
        let resend = match has_server {
            true => Resend::Automatic,
            false => Resend::Manual,
        };
        let ask_tools =
            AskTools { ask_tool: config.limits.as_ref().map(Limits::tool_name), approvals: config.approvals.clone() };
        Self {
            conversation: ChatState::new(ask_tools, config.details),
            outbox: match config.persistence {
                Some(persistence) => (persistence.outbox)(["agent-chat outbox ", &name(&config)].concat(), resend),
                None => Outbox::default(),
            },
            status: RwSignal::new(Status::Idle),
            connection: RwSignal::new(Connection::Online),
            restoring: RwSignal::new(is_restoring),
            address_changed: RwSignal::new(false),
            origin: AgentOrigin::Own,
            link: Link::Checking,
            runner: open_tools
                .map(|open| open(config.tools.clone(), config.persistence.map(|_| name(&config)), config.tool_rounds)),
            gathers: false,
            reruns: false,
            last_run: None,
            waits_for_network: false,
            lost: 0,
            running: None,
            deadline: None,
            silence: None,
            channel: None,
            tab_lock: None,
            event_stream: None,
            is_disconnected: false,
            last_received: 0,
            is_left: false,
            pause: Pause::default(),
            config,
            server,
            gate,
        }
    }

    /// Opens the link once the agent is permitted.
    pub(crate) fn on_allowed(&mut self) {
        let is_restoring = self.restoring.get_untracked();
        self.link = match (self.server, is_restoring) {
            (Some(_), true) => Link::Subscribed(Box::new(Subscription::to_existing())),
            (Some(_), false) => Link::Subscribed(Box::new(Subscription::new())),
            (None, _) => {
                Link::Local(self.config.persistence.map(|persistence| (persistence.open_store)(&name(&self.config))))
            }
        };
        self.restore_stored();
    }

    #[cfg(feature = "card")]
    pub(crate) fn has_server(&self) -> bool {
        self.server.is_some()
    }

    pub(crate) fn subscription(&self) -> Option<&Subscription> {
        match &self.link {
            Link::Subscribed(subscription) => Some(subscription),
            Link::Checking | Link::Denied | Link::Local(_) => None,
        }
    }

    pub(crate) fn subscription_mut(&mut self) -> Option<&mut Subscription> {
        match &mut self.link {
            Link::Subscribed(subscription) => Some(subscription),
            Link::Checking | Link::Denied | Link::Local(_) => None,
        }
    }

    /// This browser's store of the conversation, if no server has it.
    pub(crate) fn store(&self) -> Option<&dyn ConversationStore> {
        match &self.link {
            Link::Local(store) => store.as_deref(),
            Link::Checking | Link::Denied | Link::Subscribed(_) => None,
        }
    }

    /// Returns true if a request can start now.
    pub(crate) fn is_free(&self) -> bool {
        self.running.is_none()
            && !self.gathers
            && match &self.link {
                Link::Checking | Link::Denied => false,
                Link::Local(_) => true,
                Link::Subscribed(subscription) => !subscription.is_stale() && !subscription.is_others_run(),
            }
    }

    /// Returns true if a text can be taken now. It may have to wait for the permission or for the server.
    pub(crate) fn can_send_text(&self) -> bool {
        self.running.is_none()
            && !self.outbox.has_pending_message()
            && match &self.link {
                Link::Denied => false,
                Link::Checking | Link::Local(_) => true,
                Link::Subscribed(subscription) => !subscription.is_others_run(),
            }
    }

    /// Gives each open call of the page's own tools a result that says it was stopped. Returns false if no call is open.
    pub(crate) fn stop_calls(&mut self) -> bool {
        self.runner.clone().is_some_and(|runner| runner.stop(self))
    }

    /// Drops the handlers of calls that have a result from elsewhere.
    pub(crate) fn drop_answered_calls(&self) {
        if let Some(runner) = &self.runner {
            runner.drop_answered(self.conversation.thread());
        }
    }

    pub(crate) fn hold(&mut self, tool_call_id: &str, outcome: Outcome, by: AnsweredBy) {
        if by == AnsweredBy::Card {
            // The user continues, so a failed message is sent with the reply.
            self.outbox.hold_failed_message();
        }
        self.outbox.hold(tool_call_id, outcome, by);
        self.show_outbox();
    }

    pub(crate) fn take_back(&mut self, tool_call_id: &str) -> bool {
        let was_held = self.outbox.take_back(tool_call_id);
        self.share_held(Some(tool_call_id));
        self.show_outbox();
        was_held
    }

    pub(crate) fn take_back_all(&mut self) {
        for tool_call_id in self.outbox.held_on_cards() {
            self.take_back(&tool_call_id);
        }
    }

    /// Stores the conversation in this browser, if no server has it.
    pub(crate) fn save(&self) {
        let is_empty = self.conversation.thread().messages().is_empty();
        if let Some(store) = self.store().filter(|_| !is_empty) {
            store.save(&self.conversation);
        }
    }

    /// Handles `pagehide`. The browser may keep this page in its cache: the next page waits for its lock, and a message of another tab would
    /// evict it.
    pub(crate) fn page_left(&mut self) {
        self.save();
        self.is_left = true;
        self.tab_lock = None;
        self.channel = None;
    }

    /// Handles `pageshow`. A page in the browser's cache has received no events of the server or of other tabs.
    pub(crate) fn page_shown(&mut self) {
        let was_left = std::mem::take(&mut self.is_left);
        if let Some(subscription) = self.subscription_mut().filter(|_| was_left) {
            subscription.invalidate();
        }
        if self.is_free() {
            self.restore_if_changed();
        }
    }

    /// Handles a new fragment of the page's address.
    pub(crate) fn check_address(&self) {
        if self.config.persistence.is_some_and(|persistence| (persistence.is_replaced)(&self.config.defaults.thread_id))
        {
            self.address_changed.set(true);
        }
    }

    /// Ends the conversation with its owner.
    pub(crate) fn leave(&mut self) {
        self.save();
        self.abort();
        if let Some(runner) = &self.runner {
            runner.leave();
        }
        if let Some(event_stream) = &self.event_stream {
            event_stream.abort();
        }
        for timer in [self.deadline.take(), self.silence.take()].into_iter().flatten() {
            timer.clear();
        }
        self.tab_lock = None;
        self.pause.wake();
    }

    /// Shows the state of everything in the outbox, and persists it. A card shows the state of its own reply; a failed text is the page's
    /// status. A reply that the user stopped returns to its card without an error.
    pub(crate) fn show_outbox(&mut self) {
        self.outbox.persist(self.conversation.asks());
        let message = self.outbox.message().map(PendingMessage::message);
        self.conversation.set_unsent(message);
        self.show_replies();
        if let Some(trouble) = self.outbox.trouble().filter(|_| self.status.get_untracked() != Status::Running) {
            self.status.set(Status::Failed(trouble.clone()));
        }
    }

    /// The status while no run is open. It reports a typed text that failed during the last run.
    fn idle(&self) -> Status {
        self.outbox.trouble().map_or(Status::Idle, |trouble| Status::Failed(trouble.clone()))
    }

    /// Shows on each card the state of its own reply.
    pub(crate) fn show_replies(&self) {
        for ask in self.conversation.transcript.asks() {
            ask.set_reply(self.reply_state(&ask.ask.tool_call_id));
        }
    }

    pub(crate) fn reply_state(&self, tool_call_id: &str) -> ReplyState {
        let is_running = || self.status.get_untracked() == Status::Running;
        match self.outbox.state_of(tool_call_id) {
            Some(SendState::Held) if !is_running() && self.waits_for_others() => ReplyState::Held,
            Some(SendState::Held | SendState::Sent) => ReplyState::Sending,
            Some(SendState::Failed(Trouble::Stopped)) => ReplyState::None,
            Some(SendState::Failed(trouble)) => ReplyState::Failed((self.config.words)(trouble)),
            None if self.may_have_arrived(tool_call_id) => {
                ReplyState::Failed((self.config.words)(&Trouble::MayHaveArrived))
            }
            None => ReplyState::None,
        }
    }

    pub(super) fn log_details(&self, trouble: &Trouble) {
        if let Trouble::Unreadable(details) = trouble {
            leptos::logging::error!("agent-chat: {}: {details}", self.config.endpoint.url);
        }
    }

    /// Returns true if an ask waits again because the run with its answer failed.
    fn may_have_arrived(&self, tool_call_id: &str) -> bool {
        let ask = self.conversation.asks().ask(tool_call_id);
        ask.is_some_and(|ask| ask.phase == Phase::Answerable && ask.outcome.is_some())
    }

    pub(crate) fn fail(&self, trouble: Trouble) {
        self.log_details(&trouble);
        self.status.set(Status::Failed(trouble));
    }

    pub(crate) fn show_connection(&mut self, is_disconnected: bool) {
        self.is_disconnected = is_disconnected;
        let connection = if !browser::is_online() {
            Connection::Offline
        } else if is_disconnected {
            Connection::Reconnecting
        } else {
            Connection::Online
        };
        if self.connection.get_untracked() != connection {
            self.connection.set(connection);
        }
    }
}

/// This browser's name for a conversation.
fn name(config: &ChatConfig) -> String {
    [config.endpoint.url.as_str(), config.defaults.thread_id.as_str()].join(" ")
}
