//! What goes out next: what was said and answered, as the agent takes it.

use super::{Core, Launch, Link, Post, tell_developers};
use crate::following::Following;
use crate::ids::{new_id, now};
use crate::kept::Keep;
use crate::outbox::Mail;
use crate::tabs::TabLock;
use crate::trouble::Trouble;
use ag_ui_stream::Message;
use ag_ui_stream::asks::reply::{AskReply, Delivery, NextRun, Refusal, UserTurn};
use ask_user_question::matching::match_message;
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::reply::Selection;
use ask_user_question::{AskSnapshot, Outcome, Phase};
use json_tree::Json;
use leptos::prelude::*;
use std::rc::Rc;

/// What is to be done next.
pub(crate) enum Next {
    /// Nothing, until something changes.
    Nothing,
    /// To queue for the turn to talk to the agent.
    Turn,
    /// To make a request.
    Request(Box<Launch>),
    /// Nothing, because what was said can't be sent.
    Refused,
}

impl Core {
    /// Holds what was typed. Unless it stands alone, it is decided when it goes what it is: a message of its own, or the answer to what waits.
    pub(crate) fn say(&mut self, text: &str, picks: &[(String, Vec<Selection>)], stands_alone: bool) {
        // Its user goes on: what did not reach the agent goes along.
        if let Some(earlier) = self.outbox.take_message_back() {
            self.conversation.push_message(now(), Message::user(earlier.id, earlier.text));
        }
        // It can't be meant for a question that comes while it waits for the server.
        let stands_alone = stands_alone || self.knows_of_no_question();
        self.outbox.say(text, picks, stands_alone);
        if let Some(memory) = self.config.memory {
            (memory.name)(&self.config.setup.thread_id);
        }
        self.show_mail();
    }

    /// What was typed and can't be sent stays where it was typed.
    pub(crate) fn unsay(&mut self) {
        self.outbox.drop_typed();
        self.show_mail();
    }

    /// Decides what goes out next.
    pub(crate) fn next(&mut self) -> Next {
        if !self.is_free() {
            return Next::Nothing;
        }
        let has_turn = self.turn.as_ref().map(TabLock::is_granted);
        if self.kept().is_some() && has_turn != Some(true) {
            // Two tabs at once would each keep a conversation without the other's turn.
            return match has_turn.is_none() && (self.again || self.outbox.has_held()) {
                true => Next::Turn,
                false => Next::Nothing,
            };
        }
        match self.next_post() {
            Ok(Some(post)) => return Next::Request(Box::new(self.launch(post))),
            Ok(None) => {}
            Err(refusal) => {
                let trouble = Trouble::from(refusal);
                tell_developers(&trouble);
                self.outbox.change(&Mail::Held, &Mail::Back(trouble));
                self.show_mail();
                self.give_turn();
                return Next::Refused;
            }
        }
        self.give_turn();
        Next::Nothing
    }

    /// Queues for the turn to talk to the agent, where that goes by turns. True where it is there at once.
    pub(crate) fn request_turn(&mut self, on_grant: Rc<dyn Fn()>) -> bool {
        self.turn = self.kept().map(|kept| kept.request_turn(on_grant));
        self.turn.as_ref().is_some_and(TabLock::is_granted)
    }

    /// Lets another tab talk to the agent, where that goes by turns.
    fn give_turn(&mut self) {
        if matches!(self.link, Link::Alone(_)) {
            self.turn = None;
        }
    }

    fn next_post(&mut self) -> Result<Option<Post>, Refusal> {
        let again = std::mem::take(&mut self.again);
        let elsewhere = self.held_elsewhere();
        self.answer_by_message(&elsewhere);
        self.cancel_by_message();
        if again || self.outbox.held_message().is_some() {
            self.stop_calls();
        }
        let mut held = self.outbox.held();
        let message = self.outbox.held_message().cloned();
        if held.is_empty() && message.is_none() {
            return match again && self.can_go_on() {
                true => self.run(UserTurn::default()).map(Some),
                false => Ok(self.server.and_then(|server| (server.revival)(self))),
            };
        }
        if let Some(server) = self.server {
            if let Some((reply, post)) = (server.by_endpoint)(self, &held) {
                self.outbox.send(&[reply], false);
                return Ok(Some(post));
            }
            (server.bind_interrupts)(self, &held);
        }
        let others = elsewhere.into_iter().filter(|reply| self.outbox.mail(&reply.tool_call_id).is_none());
        held.extend(others);
        let (text, text_id) = message.map(|message| (message.text, message.id)).unzip();
        match self.run(UserTurn { replies: held.clone(), text, text_id }) {
            Ok(post) => {
                self.outbox.send(&held, true);
                Ok(Some(post))
            }
            // The other asks wait for their replies.
            Err(Refusal::QuestionsWait { .. } | Refusal::OpenCalls { .. } | Refusal::OpenInterrupts { .. })
                if self.waits_for_others() =>
            {
                self.share_held(None);
                Ok(None)
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// The replies that other tabs hold until the asks that wait here have theirs. They go out with the last one.
    fn held_elsewhere(&self) -> Vec<AskReply> {
        let held = self.kept().and_then(Keep::held).unwrap_or_default();
        self.outbox.held_elsewhere(&held, self.conversation.asks())
    }

    /// Lets the other tabs have the replies that are held, but not the one that was taken back.
    pub(super) fn share_held(&self, taken_back: Option<&str>) {
        let Some(kept) = self.kept() else { return };
        let held = kept.held();
        let all = self.outbox.held_anywhere(held.as_deref().unwrap_or_default(), taken_back, self.conversation.asks());
        if all != held {
            kept.write_held(all.as_deref());
        }
    }

    /// Whether a run over the same history has something to go on with. Where a question waits, its answer starts the next one.
    fn can_go_on(&self) -> bool {
        self.conversation.waiting().next().is_none() && !self.conversation.thread().messages().is_empty()
    }

    /// Lets the server go on with a run that died with an earlier life of it. It has everything that was said. One tab asks for it.
    pub(crate) fn revival(&self) -> Option<Post> {
        if !self.following()?.has_died() || !self.holds_stream() {
            return None;
        }
        Some(Post::Run(Box::new(NextRun::again(&self.config.run_setup(), new_id()))))
    }

    fn knows_of_no_question(&self) -> bool {
        let may_have_missed = self.following().is_some_and(Following::has_missed);
        let is_open = |ask: &AskSnapshot| match ask.phase {
            Phase::Streaming | Phase::Ready | Phase::Answerable => true,
            Phase::Malformed
            | Phase::Answered
            | Phase::Declined
            | Phase::Superseded
            | Phase::Expired
            | Phase::Interrupted
            | Phase::Settled => false,
        };
        let is_known = !self.restoring.get_untracked() && !may_have_missed;
        is_known && !self.conversation.asks().asks().any(is_open)
    }

    /// Takes the message that is held for the answer to what waits.
    fn answer_by_message(&mut self, elsewhere: &[AskReply]) {
        let is_held = |id: &str| elsewhere.iter().any(|reply| reply.tool_call_id == id);
        let waits = self.conversation.waiting();
        let waits: Vec<_> = waits
            .filter(|ask| !self.outbox.answers(&ask.tool_call_id) && !is_held(&ask.tool_call_id))
            .filter_map(|ask| Some((ask.tool_call_id.clone(), ask.ask.clone()?)))
            .collect();
        if waits.is_empty() {
            return;
        }
        let Some(message) = self.outbox.take_answer() else {
            return;
        };
        let read = waits.iter().map(|(id, ask)| match_message(ask, &message.text, message.picks(id, ask)));
        let mut outcomes: Vec<Outcome> = read.collect();
        // One text can't answer two calls: it is for the one that offers it, or else for the first.
        let meant = outcomes.iter().position(picks_an_option).unwrap_or(0);
        let outcome = outcomes.swap_remove(meant);
        let is_answer = matches!(outcome, Outcome::Answered(_));
        for (index, (tool_call_id, _)) in waits.iter().enumerate() {
            if index == meant {
                self.hold(tool_call_id, outcome.clone(), AnsweredBy::Composer);
            } else if !is_answer {
                // Who talks of something else goes past them all.
                self.hold(tool_call_id, Outcome::Superseded, AnsweredBy::Composer);
            }
        }
    }

    /// Takes the message that is held for a no to what the agent waits for and nobody could be shown: no run can start before.
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

    /// Whether another ask still needs its reply, or a call of the page's tools its result, before what is held can go.
    pub(crate) fn waits_for_others(&self) -> bool {
        let Self { conversation, outbox, .. } = self;
        let mut open = conversation.waiting().chain(conversation.unreadable());
        open.any(|ask| !outbox.answers(&ask.tool_call_id)) || self.has_open_call()
    }

    fn run(&self, said: UserTurn) -> Result<Post, Refusal> {
        let run = self.conversation.request(now(), &self.config.run_setup(), &said, new_id)?;
        Ok(Post::Run(Box::new(run)))
    }

    /// The first reply as the conversation's own endpoints take it. They take no other outcomes than these two.
    pub(crate) fn by_endpoint(&self, held: &[AskReply]) -> Option<(AskReply, Post)> {
        let reply = held.first()?;
        if self.config.setup.delivery != Delivery::Endpoint {
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
            Outcome::RepliedInChat { .. } | Outcome::Expired | Outcome::Superseded | Outcome::Cancelled => return None,
        };
        Some((reply.clone(), Post::Endpoint { action, body }))
    }

    /// The server takes an answer by interrupt whether or not the run that asked ended in one, and a history does not tell.
    pub(crate) fn bind_interrupts(&mut self, held: &[AskReply]) {
        if self.config.setup.delivery != Delivery::Resume {
            return;
        }
        for reply in held {
            if self.conversation.thread().open_interrupts().is_empty() {
                self.conversation.interrupt_by(now(), &reply.tool_call_id);
            }
        }
    }
}

/// Whether an outcome is what an ask offers, and nothing in the user's own words.
fn picks_an_option(outcome: &Outcome) -> bool {
    let Outcome::Answered(reply) = outcome else {
        return false;
    };
    reply.answers().iter().all(|answer| answer.other.is_none())
}
