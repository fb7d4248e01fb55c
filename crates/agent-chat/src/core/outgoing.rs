//! Outgoing messages and replies, in the form that the agent accepts.

use super::{Core, Launch, Link, Post};
use crate::browser;
use crate::ids::{new_id, now};
use crate::outbox::{PendingMessage, SendState};
use crate::send_as::{Reading, SendAs};
use crate::store::ConversationStore;
use crate::tabs::TabLock;
use crate::trouble::Trouble;
use ag_ui_stream::asks::reply::{AskReply, Delivery, NextRun, Refusal, UserTurn};
use ask_user_question::attachment::Attachment;
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::reply::Selection;
use ask_user_question::{AskUserQuestion, Outcome};
use json_tree::Json;
use leptos::prelude::*;
use std::rc::Rc;
use std::sync::Arc;

pub(crate) enum Next {
    /// No action until something changes.
    Nothing,
    /// To queue for the lock on requests to the agent.
    Lock,
    /// To make a request.
    Request(Box<Launch>),
    /// No action, because the held items can't be sent.
    Refused,
}

impl Core {
    /// Holds a text with files. Without `send_as`, it is a message of its own. With it, the text may become the answer to an ask that waits when
    /// it is sent.
    pub(crate) fn hold_text(
        &mut self,
        text: &str,
        files: Vec<Attachment>,
        picks: &[(String, Vec<Selection>)],
        send_as: Option<SendAs>,
        replaces: Option<&str>,
    ) {
        // The user continues: an earlier message that failed becomes part of the history, where no question would take it for its answer.
        let mut earlier = self.outbox.take_failed_message();
        if let Some(earlier) = earlier.take_if(|_| self.conversation.waiting().next().is_none()) {
            self.conversation.push_message(now(), earlier.message());
        }
        // It can't answer a question that arrives while it waits for the server, except for one that is being restored.
        let elsewhere = self.held_elsewhere();
        let is_asked = self.restoring.get_untracked() || !self.unanswered(&elsewhere).is_empty();
        self.outbox.hold_message(text, files, picks, send_as.filter(|_| is_asked), replaces);
        self.answer_by_message(&elsewhere);
        if let Some(earlier) = earlier {
            self.outbox.put_back(earlier);
        }
        if let Some(persistence) = self.config.persistence {
            (persistence.set_id)(&self.config.defaults.thread_id);
        }
        self.show_outbox();
    }

    /// Keeps the id of a conversation that has no message yet.
    #[cfg(feature = "card")]
    pub(crate) fn keep_new_id(&self) {
        if let Some(persistence) = self.config.persistence {
            (persistence.keep_new)(&self.config.endpoint.url, &self.config.defaults.thread_id);
        }
    }

    /// Drops a text that can't be sent. It stays in its input field.
    pub(crate) fn drop_text(&mut self, text: &str) {
        self.outbox.drop_failed_text(text);
        self.show_outbox();
    }

    pub(crate) fn next(&mut self) -> Next {
        if !self.is_free() {
            return Next::Nothing;
        }
        self.waits_for_network &= !browser::is_online();
        if self.waits_for_network {
            self.release_lock();
            return Next::Nothing;
        }
        let has_lock = self.tab_lock.as_ref().map(TabLock::is_granted);
        if self.store().is_some() && has_lock != Some(true) {
            // Without the lock, two tabs would overwrite each other's turns in the store.
            return match has_lock.is_none() && (self.reruns || self.outbox.has_held()) {
                true => Next::Lock,
                false => Next::Nothing,
            };
        }
        match self.next_post() {
            Ok(Some(post)) => return Next::Request(Box::new(self.launch(post))),
            Ok(None) => {}
            Err(refusal) => {
                let trouble = Trouble::from(refusal);
                self.log_details(&trouble);
                self.outbox.replace_state(&SendState::Held, &SendState::Failed(trouble));
                self.show_outbox();
                self.release_lock();
                return Next::Refused;
            }
        }
        self.release_lock();
        Next::Nothing
    }

    /// Queues for the lock on requests to the agent, if tabs take turns. Returns true if it is granted at once.
    pub(crate) fn request_lock(&mut self, on_grant: Rc<dyn Fn()>) -> bool {
        self.tab_lock = self.store().map(|store| store.request_lock(on_grant));
        self.tab_lock.as_ref().is_some_and(TabLock::is_granted)
    }

    /// Releases the lock on requests to the agent, if tabs take turns.
    fn release_lock(&mut self) {
        if matches!(self.link, Link::Local(_)) {
            self.tab_lock = None;
        }
    }

    fn next_post(&mut self) -> Result<Option<Post>, Refusal> {
        let reruns = std::mem::take(&mut self.reruns);
        let elsewhere = self.held_elsewhere();
        self.answer_by_message(&elsewhere);
        self.cancel_by_message();
        if reruns || self.outbox.held_message().is_some() {
            self.stop_calls();
        }
        let mut held = self.outbox.held();
        let message = self.outbox.held_message().cloned();
        if held.is_empty() && message.is_none() {
            return match reruns && self.can_go_on() {
                true => self.run(UserTurn::default()).map(Some),
                false => Ok(self.server.and_then(|server| (server.resume_run)(self))),
            };
        }
        if let Some(server) = self.server {
            if let Some((reply, post)) = (server.by_endpoint)(self, &held) {
                self.outbox.send(&[reply], false);
                return Ok(Some(post));
            }
            (server.bind_interrupts)(self, &held);
        }
        let others = elsewhere.into_iter().filter(|reply| self.outbox.state_of(&reply.tool_call_id).is_none());
        held.extend(others);
        let replaces = message.as_ref().and_then(|message| message.replaces.clone());
        let files = message.as_ref().map(|message| message.files.clone()).unwrap_or_default();
        let (text, text_id) = message.map(|message| (message.text, message.id)).unzip();
        match self.run(UserTurn { replies: held.clone(), text, text_id, replaces, files }) {
            Ok(post) => {
                self.outbox.send(&held, true);
                Ok(Some(post))
            }
            // Other asks still wait for their replies.
            Err(Refusal::QuestionsWait { .. } | Refusal::OpenCalls { .. } | Refusal::OpenInterrupts { .. })
                if self.waits_for_others() =>
            {
                self.share_held(None);
                Ok(None)
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// The replies that other tabs hold. They are sent with the last missing one.
    fn held_elsewhere(&self) -> Vec<AskReply> {
        let held = self.store().and_then(ConversationStore::held_replies).unwrap_or_default();
        self.outbox.held_elsewhere(&held, self.conversation.asks())
    }

    /// Shares the held replies with the other tabs, without the one that was taken back.
    pub(super) fn share_held(&self, taken_back: Option<&str>) {
        let Some(store) = self.store() else { return };
        let held = store.held_replies();
        let all = self.outbox.all_held(held.as_deref().unwrap_or_default(), taken_back, self.conversation.asks());
        if all != held {
            store.set_held_replies(all.as_deref());
        }
    }

    /// Returns true if a run over the same history makes sense. If a question waits, its answer starts the next run.
    fn can_go_on(&self) -> bool {
        self.conversation.waiting().next().is_none() && !self.conversation.thread().messages().is_empty()
    }

    /// The request that resumes a run that died with its server. The server has the whole input, and only one tab sends it.
    pub(crate) fn resume_run(&self) -> Option<Post> {
        if !self.subscription()?.has_dead_run() || !self.holds_stream() {
            return None;
        }
        Some(Post::Run(Box::new(NextRun::again(&self.config.run_defaults(), new_id()))))
    }

    /// Turns the held message into the answer to a waiting ask.
    fn answer_by_message(&mut self, elsewhere: &[AskReply]) {
        let waits = self.unanswered(elsewhere);
        if waits.is_empty() {
            return;
        }
        let Some(PendingMessage { text, files, send_as: Some(send_as), picks, .. }) = self.outbox.take_answer() else {
            return;
        };
        let picked = |id: &str, ask: &AskUserQuestion| picks.of(id, ask, &files);
        let Some(Reading { tool_call_id: meant, outcome, .. }) = send_as.read(&waits, &text, &picked) else { return };
        let is_answer = matches!(outcome, Outcome::Answered(_));
        self.hold(&meant, outcome, AnsweredBy::Composer);
        // A message about something else supersedes all waiting asks.
        for (tool_call_id, _) in waits.iter().filter(|(id, _)| !is_answer && *id != meant) {
            self.hold(tool_call_id, Outcome::Superseded, AnsweredBy::Composer);
        }
    }

    /// The asks that wait and have no reply, here or in another tab.
    fn unanswered(&self, elsewhere: &[AskReply]) -> Vec<(String, Arc<AskUserQuestion>)> {
        let is_held = |id: &str| elsewhere.iter().any(|reply| reply.tool_call_id == id);
        let waits = self.conversation.waiting();
        waits
            .filter(|ask| !self.outbox.answers(&ask.tool_call_id) && !is_held(&ask.tool_call_id))
            .filter_map(|ask| Some((ask.tool_call_id.clone(), ask.ask.clone()?)))
            .collect()
    }

    /// The meaning of a text if it were sent now; `None` if no question waits that the user has not declined.
    pub(crate) fn read_text(
        &self,
        text: &str,
        picks: &[(String, Vec<Selection>)],
        declines: &dyn Fn(&str) -> bool,
    ) -> Option<Reading> {
        let mut waits = self.unanswered(&self.held_elsewhere());
        waits.retain(|(id, _)| !declines(id));
        let picked = |id: &str, _: &AskUserQuestion| {
            picks.iter().find(|(it, _)| it == id).map(|(_, picks)| picks.clone()).unwrap_or_default()
        };
        SendAs::Matched.read(&waits, text, &picked)
    }

    /// Turns the held message into the cancellation of each unreadable ask, since no run can start before.
    fn cancel_by_message(&mut self) {
        if self.outbox.held_message().is_none() {
            return;
        }
        let cancelled = self.conversation.unreadable();
        let cancelled = cancelled.filter(|ask| !self.outbox.answers(&ask.tool_call_id));
        let cancelled: Vec<String> = cancelled.map(|ask| ask.tool_call_id.clone()).collect();
        for tool_call_id in cancelled {
            self.hold(&tool_call_id, Outcome::Declined, AnsweredBy::Composer);
        }
    }

    /// Returns true if another ask needs its reply, or a call of the page's tools its result, before the held replies can be sent.
    pub(crate) fn waits_for_others(&self) -> bool {
        let Self { conversation, outbox, runner, .. } = self;
        let mut open = conversation.waiting().chain(conversation.unreadable());
        open.any(|ask| !outbox.answers(&ask.tool_call_id))
            || runner.as_ref().is_some_and(|runner| runner.is_busy(conversation.thread()))
    }

    fn run(&mut self, turn: UserTurn) -> Result<Post, Refusal> {
        // The first id is the run's. If it is reused, an agent that already has the run can recognise it.
        let mut known = self.last_run.take().filter(|(last, _)| *last == turn).map(|(_, run_id)| run_id);
        let next_id = || known.take().unwrap_or_else(new_id);
        let run = self.conversation.request(now(), &self.config.run_defaults(), &turn, next_id)?;
        self.last_run = self.server.is_none().then(|| (turn, run.run_id.clone()));
        Ok(Post::Run(Box::new(run)))
    }

    /// The first reply, as a request to the conversation's own endpoints, which accept only answers and declines.
    pub(crate) fn by_endpoint(&self, held: &[AskReply]) -> Option<(AskReply, Post)> {
        let reply = held.iter().find(|reply| !self.conversation.is_background(&reply.tool_call_id))?;
        if self.config.defaults.delivery != Delivery::Endpoint {
            return None;
        }
        let (action, body) = match &reply.outcome {
            Outcome::Answered(answer) => {
                let mut body = Json::from(answer);
                if let Json::Object(members) = &mut body {
                    members.push(("toolCallId".into(), reply.tool_call_id.as_str().into()));
                    members.push(("replyId".into(), reply.reply_id.as_str().into()));
                }
                ("/respond", body.to_string())
            }
            Outcome::Declined => {
                let call = [("toolCallId", reply.tool_call_id.as_str().into())];
                ("/cancel", Json::object(call).to_string())
            }
            _ => return None,
        };
        Some((reply.clone(), Post::Endpoint { action, body }))
    }

    /// Opens interrupts for replies by `resume`. The server accepts such a reply even if the run did not end in an interrupt, and a history
    /// does not have them.
    pub(crate) fn bind_interrupts(&mut self, held: &[AskReply]) {
        let is_bound = !self.conversation.thread().open_interrupts().is_empty();
        if is_bound || self.config.defaults.delivery != Delivery::Resume {
            return;
        }
        for reply in held {
            if self.conversation.is_background(&reply.tool_call_id) {
                continue;
            }
            self.conversation.open_interrupt(now(), &reply.tool_call_id);
        }
    }
}
