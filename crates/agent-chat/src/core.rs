//! What lies behind the handle: it decides what goes out and takes what comes in, and fetches nothing itself.

mod incoming;
mod outgoing;
mod request;

pub(crate) use outgoing::Next;
pub(crate) use request::{Launch, RunEnd, Stop};

use crate::browser::{self, Pause};
use crate::config::ChatConfig;
use crate::conversation::Conversation;
use crate::following::Following;
use crate::kept::Keep;
use crate::outbox::{Mail, Outbox, Resend};
use crate::policy::Reach;
use crate::status::{Connection, Status};
use crate::tabs::{Channel, TabLock};
use crate::tools::{CallDesk, CallHost};
use crate::transport::{Abort, Patience};
use crate::trouble::Trouble;
use ag_ui_stream::asks::reply::{AskReply, Delivery, NextRun};
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::snapshot::Sending;
use ask_user_question::{Outcome, Phase};
use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;
use std::rc::Rc;

/// What lies behind the handle.
pub(crate) struct Core {
    pub(crate) config: ChatConfig,
    /// The server that has the conversation, if there is one.
    pub(crate) server: Option<&'static Server>,
    /// The gate before an agent of another origin.
    pub(crate) gate: Option<Gate>,
    pub(crate) conversation: Conversation,
    pub(crate) outbox: Outbox,
    pub(crate) status: RwSignal<Status>,
    pub(crate) connection: RwSignal<Connection>,
    pub(crate) restoring: RwSignal<bool>,
    pub(crate) address_changed: RwSignal<bool>,
    /// Where the agent is, seen from the page.
    pub(crate) reach: Reach,
    pub(crate) link: Link,
    /// The calls that the page carries out, where it has tools.
    pub(crate) desk: Option<Rc<dyn CallDesk>>,
    /// Whether the agent is to go on though there is nothing to say.
    pub(crate) again: bool,
    /// The request that is under way.
    pub(crate) running: Option<Running>,
    /// When the next ask that waits expires.
    pub(crate) deadline: Option<TimeoutHandle>,
    /// When the agent of an open run will have been silent for long.
    pub(crate) silence: Option<TimeoutHandle>,
    /// The line to the other tabs of this conversation.
    pub(crate) channel: Option<Channel>,
    /// The turn to hold the stream for all tabs, or where there is none, to talk to the agent.
    pub(crate) turn: Option<TabLock>,
    /// The stream of events.
    pub(crate) listening: Option<Abort>,
    /// Whether the server could not be reached the last time.
    pub(crate) broken: bool,
    /// When the stream was heard last.
    pub(crate) heard: u64,
    /// Whether the browser has left the page, which it may keep to come back to.
    pub(crate) is_left: bool,
    /// What staying in step waits in while there is nothing to do.
    pub(crate) pause: Pause,
}

/// The owner of a conversation, for tasks that outlive a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handle(pub(crate) StoredValue<Core, LocalStorage>);

impl Handle {
    /// Lends the core; `None` once its owner is cleaned up.
    pub(crate) fn with<T>(self, act: impl FnOnce(&mut Core) -> T) -> Option<T> {
        self.0.try_update_value(act)
    }
}

type ByEndpoint = fn(&Core, &[AskReply]) -> Option<(AskReply, Post)>;

/// The functions for a conversation that a server has.
pub(crate) struct Server {
    pub(crate) patience: Patience,
    /// Stays in step for as long as the conversation is shown.
    pub(crate) follow: fn(Handle),
    /// Looks at everything again, because something has changed.
    pub(crate) reconsider: fn(&mut Core),
    /// Asks the server to end the run that is open. False if none is.
    pub(crate) stop: fn(Handle) -> bool,
    /// The first of these replies as the conversation's own endpoints take it.
    pub(crate) by_endpoint: ByEndpoint,
    /// Lets these replies be the answers to interrupts.
    pub(crate) bind_interrupts: fn(&mut Core, &[AskReply]),
    /// Lets a run go on that died with the server.
    pub(crate) revival: fn(&Core) -> Option<Post>,
}

/// The gate before an agent of another origin.
#[derive(Clone)]
pub(crate) struct Gate {
    /// The address of the list of allowed origins.
    pub(crate) list: String,
    /// Asks the list for the origin.
    pub(crate) ask: fn(Handle, list: String, origin: String),
}

/// A request that is under way.
pub(crate) struct Running {
    abort: Abort,
    /// True for a run, whose response has its events.
    is_run: bool,
}

/// The content of a request.
#[derive(Clone, Debug)]
pub(crate) enum Post {
    /// A run, to the agent.
    Run(Box<NextRun>),
    /// A reply, to an endpoint of the conversation.
    Endpoint { action: &'static str, body: String },
}

/// How the page stands to the agent.
#[derive(Debug)]
pub(crate) enum Link {
    /// It is being asked whether the page may talk to the agent.
    Asking,
    /// The page may not, or can't be told.
    Refused,
    /// No server tells the conversation; what this browser keeps of it, where it does.
    Alone(Option<Box<dyn Keep>>),
    /// The conversation's server tells it.
    Following(Box<Following>),
}

impl Core {
    /// In a conversation that may have started before the page was loaded.
    pub(crate) fn new(mut config: ChatConfig, server: Option<&'static Server>, gate: Option<Gate>) -> Self {
        let known = config.memory.and_then(|memory| (memory.known)(&config.setup.thread_id));
        let is_known = known.is_some();
        config.setup.thread_id = known.unwrap_or(config.setup.thread_id);
        let has_server = server.is_some();
        if has_server && config.setup.delivery == Delivery::Resume {
            let props = &mut config.setup.forwarded_props;
            if !props.iter().any(|(name, _)| name == "interrupts") {
                props.push(("interrupts".into(), true.into()));
            }
        }
        // Only a server that tells the conversation recognises what it has.
        let resend = match has_server {
            true => Resend::Safely,
            false => Resend::WhenTold,
        };
        Self {
            conversation: Conversation::new(config.approvals.clone(), config.details),
            outbox: match config.memory {
                Some(memory) => (memory.outbox)(["agent-chat outbox ", &name(&config)].concat(), resend),
                None => Outbox::default(),
            },
            status: RwSignal::new(Status::Idle),
            connection: RwSignal::new(Connection::Online),
            restoring: RwSignal::new(is_known),
            address_changed: RwSignal::new(false),
            reach: Reach::Own,
            link: Link::Asking,
            desk: config
                .tools
                .as_ref()
                .map(|tools| tools.open(config.memory.map(|_| name(&config)), config.tool_rounds)),
            again: false,
            running: None,
            deadline: None,
            silence: None,
            channel: None,
            turn: None,
            listening: None,
            broken: false,
            heard: 0,
            is_left: false,
            pause: Pause::default(),
            config,
            server,
            gate,
        }
    }

    /// The page may talk to the agent.
    pub(crate) fn allow(&mut self) {
        let is_known = self.restoring.get_untracked();
        self.link = match (self.server, is_known) {
            (Some(_), true) => Link::Following(Box::new(Following::of_known())),
            (Some(_), false) => Link::Following(Box::new(Following::of_new())),
            (None, _) => Link::Alone(self.config.memory.map(|memory| (memory.keep)(&name(&self.config)))),
        };
        self.read_kept();
    }

    /// The conversation as its server tells it, where the server does.
    pub(crate) fn following(&self) -> Option<&Following> {
        match &self.link {
            Link::Following(following) => Some(following),
            Link::Asking | Link::Refused | Link::Alone(_) => None,
        }
    }

    pub(crate) fn following_mut(&mut self) -> Option<&mut Following> {
        match &mut self.link {
            Link::Following(following) => Some(following),
            Link::Asking | Link::Refused | Link::Alone(_) => None,
        }
    }

    /// What this browser keeps of the conversation, where no server does.
    pub(crate) fn kept(&self) -> Option<&dyn Keep> {
        match &self.link {
            Link::Alone(kept) => kept.as_deref(),
            Link::Asking | Link::Refused | Link::Following(_) => None,
        }
    }

    /// Whether something can be sent now.
    pub(crate) fn is_free(&self) -> bool {
        self.running.is_none()
            && match &self.link {
                Link::Asking | Link::Refused => false,
                Link::Alone(_) => true,
                Link::Following(following) => !following.has_missed() && !following.is_others_turn(),
            }
    }

    /// Whether something can be said now. It may have to wait for the permission or for the server.
    pub(crate) fn can_say(&self) -> bool {
        self.running.is_none()
            && !self.outbox.has_open_message()
            && match &self.link {
                Link::Refused => false,
                Link::Asking | Link::Alone(_) => true,
                Link::Following(following) => !following.is_others_turn(),
            }
    }

    /// Whether a call that the page carries out has no result yet.
    pub(super) fn has_open_call(&self) -> bool {
        self.desk.as_ref().is_some_and(|desk| desk.is_busy(self.conversation.thread()))
    }

    /// Gives the calls that the page carries out a result that says that they were stopped. False where there is none.
    pub(crate) fn stop_calls(&mut self) -> bool {
        self.desk.clone().is_some_and(|desk| desk.stop(self))
    }

    /// Drops the handlers of calls that have a result from elsewhere.
    pub(crate) fn drop_answered_calls(&self) {
        if let Some(desk) = &self.desk {
            desk.drop_answered(self.conversation.thread());
        }
    }

    /// Holds how an ask ended.
    pub(crate) fn hold(&mut self, tool_call_id: &str, outcome: Outcome, by: AnsweredBy) {
        self.outbox.hold(tool_call_id, outcome, by);
        if by == AnsweredBy::Card {
            // Its user goes on.
            self.outbox.release_message();
        }
        self.show_mail();
    }

    /// Gives a reply that is held back to its card.
    pub(crate) fn take_back(&mut self, tool_call_id: &str) -> bool {
        let was_held = self.outbox.take_back(tool_call_id);
        self.share_held(Some(tool_call_id));
        self.show_mail();
        was_held
    }

    /// Keeps the conversation in this browser, where no server does.
    pub(crate) fn save(&self) {
        let is_empty = self.conversation.thread().messages().is_empty();
        if let Some(kept) = self.kept().filter(|_| !is_empty) {
            kept.write(&self.conversation);
        }
    }

    /// The browser leaves the page, and may keep it as it is. The page that comes next waits for the turn.
    pub(crate) fn page_left(&mut self) {
        self.save();
        self.is_left = true;
        self.turn = None;
    }

    /// The page's address is another one.
    pub(crate) fn look_at_address(&self) {
        if self.config.memory.is_some_and(|memory| (memory.is_left)(&self.config.setup.thread_id)) {
            self.address_changed.set(true);
        }
    }

    /// The page leaves the conversation.
    pub(crate) fn leave(&mut self) {
        self.save();
        self.abort();
        if let Some(desk) = &self.desk {
            desk.leave();
        }
        if let Some(listening) = &self.listening {
            listening.abort();
        }
        for timer in [self.deadline.take(), self.silence.take()].into_iter().flatten() {
            timer.clear();
        }
        self.turn = None;
        self.pause.wake();
    }

    /// Shows where everything stands that was said and that the agent does not have, and lets the tab keep it. A card tells its user what became of
    /// its reply; what was typed, the page has to tell. A reply that the user stopped goes back to its card without a word.
    pub(crate) fn show_mail(&mut self) {
        self.outbox.keep(self.conversation.asks());
        let message = self.outbox.message();
        let message = message.map(|message| (message.id.clone(), message.text.clone()));
        self.conversation.show_message(message);
        for ask in self.conversation.transcript.asks() {
            let shown = ask.sending().get_untracked();
            let sending = match self.outbox.mail(ask.tool_call_id()) {
                Some(Mail::Held | Mail::Sent) => Sending::Pending,
                Some(Mail::Back(Trouble::Stopped)) => Sending::Idle,
                Some(Mail::Back(trouble)) => Sending::Failed((self.config.words)(trouble)),
                None if self.may_have_arrived(ask.tool_call_id()) => {
                    Sending::Failed((self.config.words)(&Trouble::MayHaveArrived))
                }
                None if shown == Sending::Pending => Sending::Idle,
                None => continue,
            };
            if shown != sending {
                ask.sending().set(sending);
            }
        }
        if let Some(trouble) = self.outbox.trouble().filter(|_| self.status.get_untracked() != Status::Running) {
            self.status.set(Status::Failed(trouble.clone()));
        }
    }

    /// Whether an ask waits again, since the run failed that took its answer.
    fn may_have_arrived(&self, tool_call_id: &str) -> bool {
        let ask = self.conversation.asks().ask(tool_call_id);
        ask.is_some_and(|ask| ask.phase == Phase::Answerable && ask.outcome.is_some())
    }

    /// Says what is wrong.
    pub(super) fn fail(&self, trouble: Trouble) {
        tell_developers(&trouble);
        self.status.set(Status::Failed(trouble));
    }

    /// Shows whether the server can be reached.
    pub(crate) fn show_connection(&mut self, broken: bool) {
        self.broken = broken;
        let connection = if !browser::is_online() {
            Connection::Offline
        } else if broken {
            Connection::Reconnecting
        } else {
            Connection::Online
        };
        if self.connection.get_untracked() != connection {
            self.connection.set(connection);
        }
    }
}

impl CallHost for Core {
    fn conversation(&mut self) -> &mut Conversation {
        &mut self.conversation
    }

    fn is_followed(&self) -> bool {
        self.following().is_some()
    }

    fn go_on(&mut self) {
        self.again = true;
    }

    fn fail(&self, trouble: Trouble) {
        Self::fail(self, trouble);
    }

    fn save(&self) {
        Self::save(self);
    }
}

/// What this browser calls a conversation.
fn name(config: &ChatConfig) -> String {
    [config.endpoint.url.as_str(), config.setup.thread_id.as_str()].join(" ")
}

/// Says in the console what is no word for anybody else.
pub(crate) fn tell_developers(trouble: &Trouble) {
    if let Some(details) = trouble.details() {
        leptos::logging::error!("agent-chat: {details}");
    }
}
