//! What lies behind the handle: it decides what goes out and takes what comes in, and fetches nothing itself.

mod incoming;
mod outgoing;
mod request;

pub(crate) use request::{Launch, RunEnd, Stop};

use self::request::Running;
use crate::address;
use crate::browser::{self, Rest};
use crate::chat::{Connection, Status};
use crate::conversation::Conversation;
use crate::delivery::Delivery;
use crate::following::Following;
use crate::kept::Kept;
use crate::options::{ChatOptions, Memory};
use crate::outbox::{Outbox, Resend};
use crate::policy::Reach;
use crate::tabs::{Channel, Turn};
use crate::transport::Abort;
use crate::trouble::Trouble;
use ag_ui_stream::asks::reply::{AskReply, Refusal};
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::snapshot::Sending;
use ask_user_question::{AskUserQuestion, Outcome};
use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;
use serde_json::Value;

/// What lies behind the handle.
pub(crate) struct Core {
    pub(crate) options: ChatOptions,
    pub(crate) conversation: Conversation,
    pub(crate) outbox: Outbox,
    pub(crate) status: RwSignal<Status>,
    pub(crate) connection: RwSignal<Connection>,
    pub(crate) restoring: RwSignal<bool>,
    pub(crate) left: RwSignal<bool>,
    /// Where the agent is, seen from the page.
    pub(crate) reach: Reach,
    /// The conversation as its server tells it, where the server does.
    pub(crate) following: Option<Following>,
    /// What this browser keeps of the conversation, where no server does.
    pub(crate) kept: Option<Kept>,
    pub(crate) permission: Permission,
    /// The request that is under way.
    pub(crate) running: Option<Running>,
    /// When the next ask that waits expires.
    pub(crate) deadline: Option<TimeoutHandle>,
    /// The line to the other tabs of this conversation.
    pub(crate) channel: Option<Channel>,
    /// The turn to hold the stream for all tabs.
    pub(crate) turn: Option<Turn>,
    /// The stream of events.
    pub(crate) listening: Option<Abort>,
    /// Whether the server could not be reached the last time.
    pub(crate) broken: bool,
    /// When the stream was heard last.
    pub(crate) heard: u64,
    /// What staying in step rests in while there is nothing to do.
    pub(crate) rest: Rest,
}

/// Whether the page may talk to the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permission {
    /// It is being asked for.
    Unknown,
    Given,
    /// The page may not, or can't be told.
    Refused,
}

impl Core {
    /// In a conversation that may have begun in an earlier life of the page.
    pub(crate) fn new(mut options: ChatOptions) -> Self {
        let named = match options.memory {
            Memory::None => None,
            Memory::Id => Some(options.setup.thread_id.clone()),
            Memory::Address => address::conversation(),
        };
        let is_named = named.is_some();
        options.setup.thread_id = named.unwrap_or(options.setup.thread_id);
        let has_server = options.has_conversations();
        if has_server && options.delivery == Delivery::Resume {
            let interrupts = options.setup.forwarded_props.entry("interrupts");
            interrupts.or_insert(Value::Bool(true));
        }
        let remembers = options.memory != Memory::None;
        // Only a server that tells the conversation recognises what it has.
        let resend = match has_server {
            true => Resend::Safely,
            false => Resend::WhenTold,
        };
        let name = format!("{} {}", options.endpoint.url, options.setup.thread_id);
        Self {
            conversation: Conversation::new(options.approvals.clone()),
            outbox: match remembers {
                true => Outbox::kept(format!("agent-chat outbox {name}"), resend),
                false => Outbox::default(),
            },
            status: RwSignal::new(Status::Idle),
            connection: RwSignal::new(Connection::Online),
            restoring: RwSignal::new(is_named),
            left: RwSignal::new(false),
            reach: Reach::Own,
            following: has_server.then(|| Following::new(is_named)),
            kept: (remembers && !has_server).then(|| Kept::new(&name)),
            permission: Permission::Unknown,
            running: None,
            deadline: None,
            channel: None,
            turn: None,
            listening: None,
            broken: false,
            heard: 0,
            rest: Rest::default(),
            options,
        }
    }

    /// Whether something can be sent now.
    pub(crate) fn is_free(&self) -> bool {
        let following = self.following.as_ref();
        self.permission == Permission::Given
            && self.running.is_none()
            && following.is_none_or(|it| !it.stale && !it.is_others_turn())
    }

    /// Whether something can be said now. It may have to wait for the permission or for the server.
    pub(crate) fn can_say(&self) -> bool {
        let following = self.following.as_ref();
        self.permission != Permission::Refused
            && self.running.is_none()
            && !self.outbox.has_message()
            && !following.is_some_and(Following::is_others_turn)
    }

    /// Holds how an ask ended.
    pub(crate) fn hold(&mut self, tool_call_id: &str, outcome: Outcome, by: AnsweredBy) {
        let ask = self.conversation.asks.ask(tool_call_id);
        let nothing = AskUserQuestion::default();
        let ask = ask.and_then(|ask| ask.ask.as_deref()).unwrap_or(&nothing);
        let content = outcome.tool_content(ask);
        self.outbox.hold(tool_call_id, outcome, by, content);
        self.conversation.transcript.set_sending(tool_call_id, Sending::Pending);
    }

    /// Gives a reply that is held back to its card.
    pub(crate) fn take_back(&mut self, tool_call_id: &str) -> bool {
        let was_held = self.outbox.take_back(tool_call_id);
        if was_held {
            self.conversation.transcript.set_sending(tool_call_id, Sending::Idle);
        }
        was_held
    }

    /// Keeps the conversation in this browser, where no server does.
    pub(crate) fn save(&self) {
        let is_empty = self.conversation.thread.messages().is_empty();
        if let Some(kept) = self.kept.as_ref().filter(|_| !is_empty) {
            kept.write(&self.conversation);
        }
    }

    /// The page's address is another one.
    pub(crate) fn look_at_address(&self) {
        if self.options.memory == Memory::Address
            && address::conversation().is_some_and(|id| id != self.options.setup.thread_id)
        {
            self.left.set(true);
        }
    }

    /// The page leaves the conversation.
    pub(crate) fn leave(&mut self) {
        self.save();
        self.abort();
        if let Some(listening) = &self.listening {
            listening.abort();
        }
        if let Some(deadline) = self.deadline.take() {
            deadline.clear();
        }
        self.rest.wake();
    }

    /// What can't be sent goes back to where it was said.
    pub(crate) fn fail(&mut self, refusal: Refusal) {
        let held = self.outbox.take_held();
        self.report(&held, refusal.into());
    }

    /// A card tells its user what became of its reply; what was typed, or nobody's, the page has to tell. A reply that the user stopped goes
    /// back to its card without a word.
    pub(super) fn report(&mut self, replies: &[AskReply], trouble: Trouble) {
        let stopped = trouble == Trouble::Stopped;
        tell_developers(&trouble);
        let sending = if stopped { Sending::Idle } else { Sending::Failed((self.options.words)(&trouble)) };
        self.set_sending(replies, &sending);
        let typed = replies.iter().any(|reply| reply.by == AnsweredBy::Composer);
        if typed || (replies.is_empty() && !stopped) {
            self.status.set(Status::Failed(trouble));
        }
    }

    pub(super) fn set_sending(&self, replies: &[AskReply], sending: &Sending) {
        for reply in replies {
            self.conversation.transcript.set_sending(&reply.tool_call_id, sending.clone());
        }
    }

    /// Shows the message that is held or on its way, where the conversation does not have it yet.
    pub(super) fn show_message(&mut self) {
        let message = self.outbox.any_message();
        let message = message.map(|message| (message.id.clone(), message.text.clone()));
        self.conversation.show_message(message);
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

/// Says in the console what is no word for anybody else.
pub(crate) fn tell_developers(trouble: &Trouble) {
    if let Some(details) = trouble.details() {
        leptos::logging::error!("agent-chat: {details}");
    }
}
