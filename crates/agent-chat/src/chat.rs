//! The hook.

use crate::core::{Core, Handle, Link};
use crate::entry::{Ask, Entry};
use crate::options::ChatOptions;
use crate::outbox::Mail;
use crate::status::{Connection, Given, Status};
use crate::trouble::Trouble;
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::reply::Selection;
use ask_user_question::{Outcome, Reply};
use leptos::prelude::*;

/// A conversation with an agent. A handle: copy it wherever it is needed.
#[derive(Clone, Copy, Debug)]
pub struct AgentChat {
    /// The transcript, for a keyed list by [`Entry::key`].
    pub entries: ReadSignal<Vec<Entry>>,
    /// The asks that wait for an answer, in the order in which they were asked.
    pub waiting: ReadSignal<Vec<Ask>>,
    /// Where the conversation stands.
    pub status: ReadSignal<Status>,
    /// Whether the agent's server can be reached.
    pub connection: ReadSignal<Connection>,
    /// Whether an earlier conversation is still to come back, so that nothing is known of it yet.
    pub restoring: ReadSignal<bool>,
    /// Whether a run is open whose agent has said nothing for eight seconds.
    pub silent: ReadSignal<bool>,
    /// The messages whose texts are arriving, by their ids.
    pub arriving: ReadSignal<Vec<String>>,
    /// Whether the page's address names another conversation by now, where this one is [kept in the address](ChatOptions::kept_in_address).
    /// Set the hook up again to open that one.
    pub address_changed: ReadSignal<bool>,
    core: Handle,
}

/// Sets up a conversation that lives as long as the current owner; its requests are aborted when the owner is cleaned up.
///
/// On a server it is a conversation without entries that takes nothing and has no id. A browser that takes such a page over begins after
/// that, so both render the same.
#[must_use]
pub fn use_agent_chat(options: ChatOptions) -> AgentChat {
    let ChatOptions { mut config, server, gate } = options;
    let is_browser = cfg!(target_arch = "wasm32");
    let may_come_back = config.memory.is_some();
    // Nothing is kept on a server.
    config.memory = config.memory.filter(|_| is_browser);
    let core = Core::new(config, server, gate);
    let chat = AgentChat {
        entries: core.conversation.transcript.entries().read_only(),
        waiting: core.conversation.transcript.waiting().read_only(),
        status: core.status.read_only(),
        connection: core.connection.read_only(),
        restoring: core.restoring.read_only(),
        silent: core.conversation.silent().read_only(),
        arriving: core.conversation.transcript.arriving().read_only(),
        address_changed: core.address_changed.read_only(),
        core: Handle(StoredValue::new_local(core)),
    };
    let is_taken_over = is_browser && Owner::current_shared_context().is_some_and(|context| context.get_is_hydrating());
    let restores = chat.restoring.get_untracked();
    if !is_browser || is_taken_over {
        chat.with(|core| core.restoring.set(may_come_back));
    }
    if !is_browser {
        // The handle's value belongs to the browser, and may not leave its thread.
        chat.core.0.dispose();
        return chat;
    }
    on_cleanup(move || {
        chat.with(Core::leave);
    });
    chat.core.listen_to_window();
    Effect::new(move || {
        chat.status.track();
        chat.core.await_silence();
    });
    if is_taken_over {
        Effect::new(move || {
            chat.with(|core| core.restoring.set(restores));
            chat.core.begin();
        });
    } else {
        chat.core.begin();
    }
    chat
}

impl AgentChat {
    /// The conversation's id.
    #[must_use]
    pub fn conversation_id(&self) -> String {
        self.with(|core| core.config.setup.thread_id.clone()).unwrap_or_default()
    }

    /// From which of the [`entries`](Self::entries) on the list is another than at that version, which becomes the present one. A list that is
    /// patched from there costs what is new, however long it is. Versions begin at 0.
    #[must_use]
    pub fn changed_since(&self, version: &mut u64) -> usize {
        self.with(|core| core.conversation.transcript.changed_since(version)).unwrap_or(usize::MAX)
    }

    /// Says something. Where a question waits, this answers it, as far as the text can be taken for an answer. Where the server is not there
    /// just now, it is said as soon as it is again. False where nothing was taken, because a run is open, the text is blank, or it can't be
    /// sent, which [`status`](Self::status) then explains.
    pub fn send(&self, text: &str) -> bool {
        self.say(text, &[], false)
    }

    /// As [`send`](Self::send), with what is picked so far on the cards of these asks. It goes along with a text that does not answer all of an
    /// ask.
    pub fn send_with(&self, text: &str, picks: &[(String, Vec<Selection>)]) -> bool {
        self.say(text, picks, false)
    }

    /// Says something that answers no question, such as what came too late for its own. As [`send`](Self::send), and false also where a question
    /// waits, which has to be answered first.
    pub fn send_alone(&self, text: &str) -> bool {
        let waits = self.with(|core| core.conversation.waiting().next().is_some());
        waits == Some(false) && self.say(text, &[], true)
    }

    /// Answers an ask. Held until the run has ended and every other ask that waits has its reply too. What becomes of it at once is returned; how
    /// it goes on, [`Ask::sending`] tells.
    pub fn reply(&self, tool_call_id: &str, reply: Reply) -> Given {
        self.hold(tool_call_id, Outcome::Answered(reply))
    }

    /// Whether the reply to an ask is held until another one that waits has its own; what has been held long enough goes by itself.
    #[must_use]
    pub fn holds(&self, tool_call_id: &str) -> bool {
        self.status.with(|status| *status != Status::Running)
            && self.waiting.with(|waiting| {
                let mut its = waiting.iter().filter(|ask| ask.tool_call_id == tool_call_id);
                let others = || self.with(|core| core.waits_for_others()) == Some(true);
                its.any(Ask::is_given) && (!waiting.iter().all(Ask::is_given) || others())
            })
    }

    /// Takes the reply to an ask back while it is held: its card is open again, with all that was chosen. False where it is not held any more.
    pub fn take_back(&self, tool_call_id: &str) -> bool {
        self.with(|core| core.take_back(tool_call_id)) == Some(true)
    }

    /// Declines an ask: the agent reads that the user cancelled the question. Held as [`reply`](Self::reply) is.
    pub fn cancel(&self, tool_call_id: &str) -> Given {
        self.hold(tool_call_id, Outcome::Declined)
    }

    /// Ends the open run, or where none is open, the calls that the page carries out. What arrived stays; held replies go back to their cards.
    pub fn stop(&self) {
        let stopped_calls = self.with(|core| {
            let has_stopped = core.stop_calls();
            if has_stopped {
                core.outbox.drop_picks();
                core.show_mail();
            }
            has_stopped
        });
        let server = self.with(|core| core.server).flatten();
        if stopped_calls != Some(true) && !server.is_some_and(|server| (server.stop)(self.core)) {
            self.with(|core| core.abort());
        }
    }

    /// Starts the run again that failed: as it was, where the agent never got it, else as a new one over the same history. Where a question
    /// waits there is nothing to start, only the failure to clear. An agent or a server that did not answer as one is asked again.
    pub fn retry(&self) {
        let is_refused = self.with(|core| match core.link {
            Link::Refused => {
                core.link = Link::Asking;
                core.status.set(Status::Idle);
                true
            }
            Link::Alone(_) | Link::Following(_) if core.is_free() => {
                core.status.set(Status::Idle);
                core.outbox.release();
                core.again = true;
                false
            }
            Link::Asking | Link::Alone(_) | Link::Following(_) => false,
        });
        match is_refused {
            Some(true) => self.core.begin(),
            Some(false) => drop(self.core.send_next()),
            None => {}
        }
        self.core.reconsider();
    }

    fn say(&self, text: &str, picks: &[(String, Vec<Selection>)], stands_alone: bool) -> bool {
        let can_say = self.with(|core| core.can_say()) == Some(true);
        if !can_say || text.trim().is_empty() {
            return false;
        }
        self.with(|core| core.say(text, picks, stands_alone));
        let is_taken = self.core.send_next();
        if !is_taken {
            self.with(Core::unsay);
        }
        is_taken
    }

    fn hold(&self, tool_call_id: &str, outcome: Outcome) -> Given {
        self.with(|core| core.hold(tool_call_id, outcome, AnsweredBy::Card));
        self.core.send_next();
        let given = self.with(|core| match core.outbox.mail(tool_call_id) {
            Some(Mail::Sent) => Given::Sent,
            Some(Mail::Held) => Given::Held,
            Some(Mail::Back(trouble)) => Given::Refused(trouble.clone()),
            None => Given::Refused(Trouble::NotWaiting),
        });
        given.unwrap_or(Given::Refused(Trouble::NotWaiting))
    }

    fn with<T>(&self, act: impl FnOnce(&mut Core) -> T) -> Option<T> {
        self.core.with(act)
    }
}
