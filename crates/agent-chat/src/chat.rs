//! The hook [`use_agent_chat`], and the handle that it returns.

use crate::cards::{Cards, Picks};
use crate::core::{Core, Handle, Link};
use crate::entry::{Ask, Entry, Item};
use crate::options::ChatOptions;
use crate::send_as::{Reading, SendAs};
use crate::status::{Connection, Status};
use crate::undone::Undone;
use ask_user_question::attachment::Attachment;
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{Outcome, Reply};
use leptos::prelude::*;

/// A conversation with an agent. It is a handle: copy it to each place that needs it.
#[derive(Clone, Copy, Debug)]
pub struct AgentChat {
    /// The transcript, for a keyed list by [`Entry::key`].
    pub entries: ReadSignal<Vec<Entry>>,
    /// The asks that wait for an answer, in the order in which they were asked.
    pub waiting: ReadSignal<Vec<Ask>>,
    /// The asks that are open though the agent goes on without their answers, in the order in which they were asked.
    pub open: ReadSignal<Vec<Ask>>,
    /// What changed answers have undone.
    pub undone: ReadSignal<Undone>,
    /// The status of the conversation.
    pub status: ReadSignal<Status>,
    /// The connection to the agent's server.
    pub connection: ReadSignal<Connection>,
    /// True while an earlier conversation is being restored, so that its entries are not known yet.
    pub restoring: ReadSignal<bool>,
    /// True if a run is open and its agent has sent nothing for eight seconds.
    pub silent: ReadSignal<bool>,
    /// The ids of the messages whose texts are arriving.
    pub arriving: ReadSignal<Vec<String>>,
    /// True if the page's address names another conversation by now; only for one that is [kept in the
    /// address](ChatOptions::kept_in_address).
    /// To open that one, set up the hook again.
    pub address_changed: ReadSignal<bool>,
    pub(crate) cards: Cards,
    core: Handle,
}

/// Sets up a conversation that lives as long as the current owner. The cleanup of the owner aborts its requests.
///
/// On a server, the conversation has no entries and no id, and accepts nothing. A browser that hydrates such a page starts the conversation
/// after the hydration, so both render the same.
#[must_use]
pub fn use_agent_chat(options: ChatOptions) -> AgentChat {
    let ChatOptions { mut config, server, gate, open_tools } = options;
    let is_browser = cfg!(target_arch = "wasm32");
    let may_come_back = config.persistence.is_some();
    // The storage exists only in a browser.
    config.persistence = config.persistence.filter(|_| is_browser);
    let core = Core::new(config, server, gate, open_tools);
    let chat = AgentChat {
        entries: core.conversation.transcript.entries.read_only(),
        waiting: core.conversation.transcript.waiting.read_only(),
        open: core.conversation.transcript.open.read_only(),
        undone: core.conversation.transcript.undone.read_only(),
        status: core.status.read_only(),
        connection: core.connection.read_only(),
        restoring: core.restoring.read_only(),
        silent: core.conversation.silent.read_only(),
        arriving: core.conversation.transcript.arriving.read_only(),
        address_changed: core.address_changed.read_only(),
        cards: Cards::new(),
        core: Handle(StoredValue::new_local(core)),
    };
    let is_taken_over = is_browser && Owner::current_shared_context().is_some_and(|context| context.get_is_hydrating());
    let restores = chat.restoring.get_untracked();
    if !is_browser || is_taken_over {
        chat.with(|core| core.restoring.set(may_come_back));
    }
    if !is_browser {
        // A local value must not be dropped on another thread, which a server may do.
        chat.core.0.dispose();
        return chat;
    }
    on_cleanup(move || {
        chat.with(Core::leave);
    });
    chat.core.listen_to_window();
    effect(move || {
        chat.status.track();
        chat.waiting.track();
        chat.core.watch_silence();
        // Whether a reply is held or being sent depends on the other asks.
        chat.with(|core| core.show_replies());
    });
    if is_taken_over {
        effect(move || {
            chat.with(|core| core.restoring.set(restores));
            chat.core.begin();
        });
    } else {
        chat.core.begin();
    }
    chat
}

/// An effect whose closure is boxed, so that all effects share one instantiation, including those of the cards. This saves a page more than a
/// kilobyte for each effect.
fn effect(act: impl FnMut() + 'static) {
    let act: Box<dyn FnMut()> = Box::new(act);
    Effect::new(act);
}

impl AgentChat {
    /// The conversation's id. It is empty on a server and after the owner's cleanup.
    #[must_use]
    pub fn conversation_id(&self) -> String {
        self.with(|core| core.config.defaults.thread_id.clone()).unwrap_or_default()
    }

    /// Returns the index of the first of the [`entries`](Self::entries) that differs from the list at `version`, or `usize::MAX` if none does,
    /// and sets `version` to the current one. A list view has to patch only the entries from there on. Versions start at 0.
    #[must_use]
    pub fn changed_since(&self, version: &mut u64) -> usize {
        self.with(|core| core.conversation.transcript.changed_since(version)).unwrap_or(usize::MAX)
    }

    /// Sends a message. If a question waits and the text can be matched to it, the text is the answer. A text that does not answer every
    /// question of an ask takes the [picks](Self::set_picks) along. If the server is unreachable, the message is sent once it is back.
    ///
    /// Returns false, and sends nothing, if a run is open, if the text is blank, or if it can't be sent. In the last case
    /// [`status`](Self::status) has the reason.
    pub fn send(&self, text: &str) -> bool {
        self.send_as(SendAs::Matched, text)
    }

    /// Like [`send`](Self::send), if the user has chosen what the text means for the waiting question.
    pub fn send_as(&self, send_as: SendAs, text: &str) -> bool {
        self.send_with_files(send_as, text, Vec::new())
    }

    /// Like [`send_as`](Self::send_as), with files; the text may then be blank. Each file has a URL that the agent can read, as in the result of
    /// an [upload](Self::files). If the text answers a question, the files go along with it. Without a text, they are the answer to a single
    /// question.
    pub fn send_with_files(&self, send_as: SendAs, text: &str, files: Vec<Attachment>) -> bool {
        self.send_text(text, files, &untrack(|| self.picks()), Some(send_as), None)
    }

    /// Sets the current picks on the card of an ask. `AskCard` does this by itself.
    pub fn set_picks(&self, tool_call_id: &str, picked: Vec<Selection>) {
        self.cards.set_picks(tool_call_id, picked);
    }

    fn picks(&self) -> Picks {
        self.waiting.with(|waiting| self.cards.picks(waiting))
    }

    /// Returns what a text would mean if it were [sent](Self::send) now, for a preview. `None` if no question waits for an answer, so that the
    /// text would be a message.
    #[must_use]
    pub fn reading(&self, text: &str) -> Option<Reading> {
        let picks = self.picks();
        let declines = |id: &str| self.cards.is_declining(id);
        self.with(|core| core.read_text(text, &picks, &declines)).flatten()
    }

    /// Sends a message that answers no question, such as the text of an answer that came too late. Like [`send`](Self::send), but also returns
    /// false if a question waits, since that one has to be answered first.
    pub fn send_alone(&self, text: &str) -> bool {
        let waits = self.with(|core| core.conversation.waiting().next().is_some());
        waits == Some(false) && self.send_text(text, Vec::new(), &[], None, None)
    }

    /// Changes the answer to an ask: the agent reads a message of the user that says so. Like [`send_alone`](Self::send_alone), it is refused
    /// while a run is open or a question waits. The ask's [`reply`](ask_user_question::AskSnapshot::reply) tells if it is on its way or
    /// failed, and its [`replaced`](ask_user_question::AskSnapshot::replaced) has the new answer.
    pub fn change_answer(&self, tool_call_id: &str, reply: &Reply) -> bool {
        let waits = self.with(|core| core.conversation.waiting().next().is_some());
        waits == Some(false) && self.send_text(&reply.change_message(), Vec::new(), &[], None, Some(tool_call_id))
    }

    /// Returns true if the answer to an ask can still be [changed](Self::change_answer): at most one turn of the user follows it, not counting
    /// what was [undone](Self::undone), and the ask [takes a change](ag_ui_stream::asks::Asks::takes_change). Tracks the entries.
    #[must_use]
    pub fn can_change(&self, tool_call_id: &str) -> bool {
        let undone = self.undone.get();
        self.entries.with(|entries| {
            let mut turns = 0;
            for entry in entries.iter().rev().filter(|entry| !undone.has(&entry.key)) {
                match &entry.item {
                    Item::Ask(ask) if ask.tool_call_id == tool_call_id => {
                        return self.with(|core| core.conversation.asks().takes_change(tool_call_id)) == Some(true);
                    }
                    Item::Ask(ask) if untrack(|| ask.is_answered()) => turns += 1,
                    Item::User(_) => turns += 1,
                    _ => {}
                }
                if turns > 1 {
                    return false;
                }
            }
            false
        })
    }

    /// Answers an ask. The reply is sent once the run has ended and each other waiting ask has its reply. Returns the immediate state; the
    /// [snapshot](Ask::snapshot) has the later ones. A reply to a call that does not wait has [failed](ReplyState::Failed): nothing is sent.
    pub fn reply(&self, tool_call_id: &str, reply: Reply) -> ReplyState {
        self.hold(tool_call_id, Outcome::Answered(reply))
    }

    /// Takes a held reply back and opens its card again, with all its picks. Returns false if the reply is not held any more.
    pub fn take_back(&self, tool_call_id: &str) -> bool {
        self.with(|core| core.take_back(tool_call_id)) == Some(true)
    }

    /// Declines an ask: the agent reads that the user cancelled the question. It is held like a [`reply`](Self::reply).
    pub fn cancel(&self, tool_call_id: &str) -> ReplyState {
        self.hold(tool_call_id, Outcome::Declined)
    }

    /// Stops the open run or, if none is open, the page's running tool calls. Text that arrived stays, and held replies return to their
    /// cards.
    pub fn stop(&self) {
        let stopped_calls = self.with(|core| {
            let has_stopped = core.stop_calls();
            if has_stopped {
                core.take_back_all();
            }
            has_stopped
        });
        let server = self.with(|core| core.server).flatten();
        if stopped_calls != Some(true) && !server.is_some_and(|server| (server.stop)(self.core)) {
            self.with(|core| core.abort());
        }
    }

    /// Renders the failures on cards again after their words ([`ChatOptions::with_words`]) have changed.
    ///
    /// [`ChatOptions::with_words`]: crate::ChatOptions::with_words
    pub fn explain_again(&self) {
        self.with(|core| core.show_replies());
    }

    /// Starts the failed run again: the same one if the agent never received it, otherwise a new one over the same history. If a question
    /// waits, it only clears the failure. A permission check or a history that failed is requested again.
    pub fn retry(&self) {
        let is_refused = self.with(|core| match core.link {
            Link::Denied => {
                core.link = Link::Checking;
                core.status.set(Status::Idle);
                true
            }
            Link::Local(_) | Link::Subscribed(_) if core.is_free() => {
                core.status.set(Status::Idle);
                // A reply whose ask does not wait any more would be refused.
                core.outbox.settle(core.conversation.asks(), core.conversation.thread());
                core.outbox.hold_failed();
                core.reruns = true;
                false
            }
            Link::Checking | Link::Local(_) | Link::Subscribed(_) => false,
        });
        match is_refused {
            Some(true) => self.core.begin(),
            Some(false) => drop(self.core.send_next()),
            None => {}
        }
        self.core.refresh();
    }

    fn send_text(
        &self,
        text: &str,
        files: Vec<Attachment>,
        picks: &[(String, Vec<Selection>)],
        send_as: Option<SendAs>,
        replaces: Option<&str>,
    ) -> bool {
        let can_send_text = self.with(|core| core.can_send_text()) == Some(true);
        if !can_send_text || (text.trim().is_empty() && files.is_empty()) {
            return false;
        }
        self.with(|core| core.gathers = true);
        self.cards.leave();
        self.with(|core| {
            core.gathers = false;
            core.hold_text(text, files, picks, send_as, replaces);
        });
        let is_taken = self.core.send_next();
        if !is_taken {
            self.with(|core| core.drop_text(text));
        }
        is_taken
    }

    fn hold(&self, tool_call_id: &str, outcome: Outcome) -> ReplyState {
        self.with(|core| core.hold(tool_call_id, outcome, AnsweredBy::Card));
        self.core.send_next();
        self.with(|core| core.reply_state(tool_call_id)).unwrap_or_default()
    }

    #[cfg(feature = "card")]
    pub(crate) fn core(&self) -> Handle {
        self.core
    }

    fn with<T>(&self, act: impl FnOnce(&mut Core) -> T) -> Option<T> {
        self.core.with(act)
    }
}
