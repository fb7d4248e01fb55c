//! The hook.

use crate::core::{Core, Link, Next};
use crate::entry::{Ask, Entry};
use crate::options::{ChatOptions, Gate};
use crate::outbox::Mail;
use crate::policy::{self, Reach};
use crate::status::{Connection, Given, Status};
use crate::tools::Enter;
use crate::trouble::Trouble;
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::reply::Selection;
use ask_user_question::{Outcome, Reply};
use leptos::leptos_dom::helpers::WindowListenerHandle;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::rc::Rc;

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
    core: StoredValue<Core, LocalStorage>,
}

/// Sets up a conversation that lives as long as the current owner; its requests are aborted when the owner is cleaned up.
///
/// On a server it is a conversation without entries that takes nothing and has no id. A browser that takes such a page over begins after
/// that, so both render the same.
#[must_use]
pub fn use_agent_chat(mut options: ChatOptions) -> AgentChat {
    let is_browser = cfg!(target_arch = "wasm32");
    let may_come_back = options.memory.is_some();
    // Nothing is kept on a server.
    options.memory = options.memory.filter(|_| is_browser);
    let core = Core::new(options);
    let chat = AgentChat {
        entries: core.conversation.transcript.entries().read_only(),
        waiting: core.conversation.transcript.waiting().read_only(),
        status: core.status.read_only(),
        connection: core.connection.read_only(),
        restoring: core.restoring.read_only(),
        silent: core.conversation.silent().read_only(),
        arriving: core.conversation.transcript.arriving().read_only(),
        address_changed: core.address_changed.read_only(),
        core: StoredValue::new_local(core),
    };
    let is_taken_over = is_browser && Owner::current_shared_context().is_some_and(|context| context.get_is_hydrating());
    let restores = chat.restoring.get_untracked();
    if !is_browser || is_taken_over {
        chat.with(|core| core.restoring.set(may_come_back));
    }
    if !is_browser {
        // The handle's value belongs to the browser, and may not leave its thread.
        chat.core.dispose();
        return chat;
    }
    on_cleanup(move || {
        chat.with(Core::leave);
    });
    chat.listen_to_window();
    Effect::new(move || {
        chat.status.track();
        chat.await_silence();
    });
    if is_taken_over {
        Effect::new(move || {
            chat.with(|core| core.restoring.set(restores));
            chat.begin();
        });
    } else {
        chat.begin();
    }
    chat
}

impl AgentChat {
    /// The conversation's id.
    #[must_use]
    pub fn conversation_id(&self) -> String {
        self.with(|core| core.options.setup.thread_id.clone()).unwrap_or_default()
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
        let server = self.with(|core| core.options.server).flatten();
        if stopped_calls != Some(true) && !server.is_some_and(|server| (server.stop)(*self)) {
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
            Some(true) => self.begin(),
            Some(false) => drop(self.send_next()),
            None => {}
        }
        self.reconsider();
    }

    fn say(&self, text: &str, picks: &[(String, Vec<Selection>)], stands_alone: bool) -> bool {
        let can_say = self.with(|core| core.can_say()) == Some(true);
        if !can_say || text.trim().is_empty() {
            return false;
        }
        self.with(|core| core.say(text, picks, stands_alone));
        let is_taken = self.send_next();
        if !is_taken {
            self.with(Core::unsay);
        }
        is_taken
    }

    fn hold(&self, tool_call_id: &str, outcome: Outcome) -> Given {
        self.with(|core| core.hold(tool_call_id, outcome, AnsweredBy::Card));
        self.send_next();
        let given = self.with(|core| match core.outbox.mail(tool_call_id) {
            Some(Mail::Sent) => Given::Sent,
            Some(Mail::Held) => Given::Held,
            Some(Mail::Back(trouble)) => Given::Refused(trouble.clone()),
            None => Given::Refused(Trouble::NotWaiting),
        });
        given.unwrap_or(Given::Refused(Trouble::NotWaiting))
    }

    /// Does what is to be done next. False where what was said can't be sent.
    pub(crate) fn send_next(self) -> bool {
        let desk = self.with(|core| core.desk.clone().filter(|_| core.is_free()));
        if let Some(Some(desk)) = desk {
            let enter: Enter = Rc::new(move |act| {
                self.with(|core| act(core));
            });
            let next = Rc::new(move || {
                self.send_next();
            });
            desk.start(enter, next);
        }
        match self.with(Core::next) {
            Some(Next::Turn) => {
                let on_grant = Rc::new(move || {
                    self.take_turn();
                });
                let is_granted = self.with(|core| core.request_turn(on_grant));
                is_granted != Some(true) || self.take_turn()
            }
            Some(Next::Request(launch)) => {
                spawn_local(self.run(*launch));
                true
            }
            Some(Next::Refused) => false,
            Some(Next::Nothing) | None => true,
        }
    }

    /// It is this tab's turn to talk to the agent, on top of what the others have kept.
    fn take_turn(self) -> bool {
        self.with(Core::read_news);
        self.send_next()
    }

    /// Takes the conversation up as soon as it is known that the page may talk to the agent.
    fn begin(self) {
        let options = self.with(|core| (core.options.endpoint.url.clone(), core.options.gate.clone()));
        let Some((agent, gate)) = options else {
            return;
        };
        let reach = policy::reach(&agent);
        self.with(|core| core.reach = reach.clone());
        match (reach, gate) {
            (Reach::None, _) => self.refuse(Trouble::NotAllowed { agent }),
            (Reach::Own, _) | (Reach::Other(_), None) => self.connect(),
            (Reach::Other(origin), Some(Gate { list, ask })) => ask(self, list, origin),
        }
    }

    /// Asks the list whether the page may talk to this origin.
    pub(crate) fn ask_leave(self, list: String, origin: String) {
        spawn_local(async move {
            match policy::is_allowed(&list, &origin).await {
                Some(true) => self.connect(),
                Some(false) => self.refuse(Trouble::NotAllowed { agent: origin }),
                None => self.refuse(Trouble::Unreachable),
            }
        });
    }

    fn refuse(self, trouble: Trouble) {
        self.with(|core| {
            core.link = Link::Refused;
            core.restoring.set(false);
            core.status.set(Status::Failed(trouble));
        });
    }

    fn connect(self) {
        let server = self.with(|core| {
            core.allow();
            core.options.server
        });
        self.send_next();
        self.await_deadline();
        if let Some(Some(server)) = server {
            (server.follow)(self);
        }
    }

    /// Looks at everything again, because something has changed.
    pub(crate) fn reconsider(self) {
        self.with(|core| match core.options.server {
            Some(server) => (server.reconsider)(core),
            None => core.show_connection(false),
        });
    }

    /// Listens to what the browser tells its pages.
    fn listen_to_window(self) {
        let listeners = [
            // Another tab has kept the conversation.
            window_event_listener(leptos::ev::storage, move |event| {
                if let Some(key) = event.key() {
                    self.with(|core| core.read_others(&key));
                }
            }),
            window_event_listener_untyped("hashchange", move |_| {
                self.with(|core| core.look_at_address());
            }),
            window_event_listener_untyped("pagehide", move |_| {
                self.with(Core::page_left);
                self.reconsider();
            }),
            window_event_listener_untyped("pageshow", move |_| {
                self.with(|core| core.is_left = false);
                self.reconsider();
            }),
            window_event_listener_untyped("online", move |_| self.reconsider()),
            window_event_listener_untyped("offline", move |_| self.reconsider()),
            window_event_listener_untyped("visibilitychange", move |_| self.reconsider()),
        ];
        on_cleanup(move || {
            listeners.into_iter().for_each(WindowListenerHandle::remove);
        });
    }

    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut Core) -> T) -> Option<T> {
        self.core.try_update_value(act)
    }
}
