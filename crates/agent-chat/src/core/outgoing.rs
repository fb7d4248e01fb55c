//! What goes out next: what was said and answered, as the agent takes it.

use super::Core;
use crate::address;
use crate::chat::Status;
use crate::conversation::Conversation;
use crate::delivery::Delivery;
use crate::ids::{new_id, now};
use crate::options::Memory;
use crate::outbox::{Outgoing, Post};
use ag_ui_stream::Message;
use ag_ui_stream::asks::reply::{AskReply, NextRun, Refusal, Said, next_run};
use ag_ui_stream::input::RunAgentInput;
use ask_user_question::matching::match_message;
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::{AskSnapshot, Outcome, Phase};
use leptos::prelude::*;
use serde_json::Value;

impl Core {
    /// Holds what was typed. Unless it stands alone, it is decided when it goes what it is: a message of its own, or the answer to what waits.
    pub(crate) fn outgoing_text(&mut self, text: &str, stands_alone: bool) -> Result<Option<Outgoing>, Refusal> {
        // It can't be meant for a question that comes while it waits for the server.
        let stands_alone = stands_alone || self.knows_of_no_question();
        self.outbox.say(text, stands_alone);
        if self.options.memory == Memory::Address {
            address::name_conversation(&self.options.setup.thread_id);
        }
        let outgoing = self.outgoing_held();
        self.show_message();
        outgoing
    }

    fn knows_of_no_question(&self) -> bool {
        let may_have_missed = self.following.as_ref().is_some_and(|it| it.stale);
        let is_open = |ask: &AskSnapshot| match ask.phase {
            Phase::Streaming | Phase::Ready | Phase::Answerable => true,
            Phase::Malformed
            | Phase::Answered
            | Phase::Declined
            | Phase::Superseded
            | Phase::Expired
            | Phase::Interrupted => false,
        };
        let is_known = !self.restoring.get_untracked() && !may_have_missed;
        is_known && !self.conversation.asks.asks().any(is_open)
    }

    /// What is held, if it may go.
    pub(crate) fn outgoing_held(&mut self) -> Result<Option<Outgoing>, Refusal> {
        if !self.is_free() {
            return Ok(None);
        }
        self.answer_by_message();
        self.cancel_by_message();
        let held = self.outbox.held();
        let message = self.outbox.message().cloned();
        if held.is_empty() && message.is_none() {
            return Ok(None);
        }
        if let Some(outgoing) = self.outgoing_rest(&held) {
            return Ok(Some(outgoing));
        }
        self.bind_interrupts(&held);
        let text = message.as_ref().map(|message| message.text.clone());
        match self.outgoing(held, text) {
            Ok(mut outgoing) => {
                if let (Post::Run(run), Some(message)) = (&mut outgoing.post, &message) {
                    name_last(&mut run.messages, &message.id);
                    name_last(&mut run.input.messages, &message.id);
                }
                Ok(Some(outgoing))
            }
            // The other asks wait for their replies.
            Err(Refusal::QuestionsWait { .. } | Refusal::OpenCalls { .. } | Refusal::OpenInterrupts { .. })
                if self.waits_for_others() =>
            {
                Ok(None)
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// What failed, once more.
    pub(crate) fn outgoing_again(&mut self) -> Result<Option<Outgoing>, Refusal> {
        self.status.set(Status::Idle);
        match self.outbox.take_unsent() {
            Some(outgoing) => Ok(Some(outgoing)),
            None if self.conversation.waiting().next().is_some() => Ok(None),
            None if self.conversation.thread.messages().is_empty() => Ok(None),
            None => self.outgoing(Vec::new(), None).map(Some),
        }
    }

    /// Lets the server go on with a run that died with an earlier life of it. It has everything that was said.
    pub(crate) fn outgoing_revival(&mut self) -> Option<Outgoing> {
        let died = self.following.as_ref().is_some_and(|it| it.died);
        if !died || !self.is_free() {
            return None;
        }
        let setup = &self.options.setup;
        let props = Value::Object(setup.forwarded_props.clone());
        let input = RunAgentInput {
            tools: Some(setup.tools.clone()),
            forwarded_props: Some(props),
            ..RunAgentInput::new(setup.thread_id.clone(), new_id(), Vec::new())
        };
        Some(Outgoing {
            post: Post::Run(Box::new(NextRun { input, messages: Vec::new() })),
            replies: Vec::new(),
            started: true,
        })
    }

    /// Takes the message that is held for the answer to what waits.
    fn answer_by_message(&mut self) {
        let waits = self.conversation.waiting();
        let waits: Vec<_> = waits
            .filter(|ask| !self.outbox.answers(&ask.tool_call_id))
            .filter_map(|ask| Some((ask.tool_call_id.clone(), ask.ask.clone()?)))
            .collect();
        if waits.is_empty() {
            return;
        }
        let Some(message) = self.outbox.take_answer() else {
            return;
        };
        let transcript = &self.conversation.transcript;
        let read = waits.iter().map(|(id, ask)| match_message(ask, &message.text, transcript.picks(id)));
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
        self.show_message();
    }

    /// Takes the message that is held for a no to what the agent waits for and nobody could be shown: no run can start before.
    fn cancel_by_message(&mut self) {
        if self.outbox.message().is_none() {
            return;
        }
        let cancelled = self.conversation.unreadable();
        let cancelled = cancelled.filter(|ask| !self.outbox.answers(&ask.tool_call_id));
        let cancelled: Vec<String> = cancelled.map(|ask| ask.tool_call_id.clone()).collect();
        for tool_call_id in cancelled {
            self.hold(&tool_call_id, Outcome::Declined, AnsweredBy::Composer);
        }
    }

    /// Whether another ask still needs its reply before what is held can go.
    pub(crate) fn waits_for_others(&self) -> bool {
        let Self { conversation, outbox, .. } = self;
        let mut open = conversation.waiting().chain(conversation.unreadable());
        open.any(|ask| !outbox.answers(&ask.tool_call_id))
    }

    fn outgoing(&self, replies: Vec<AskReply>, text: Option<String>) -> Result<Outgoing, Refusal> {
        let Conversation { thread, asks, .. } = &self.conversation;
        let said = Said { replies, text };
        let run = next_run(
            now(),
            thread,
            asks,
            &self.options.setup,
            self.options.delivery.in_a_run(self.options.agent()),
            &said,
            new_id,
        )?;
        Ok(Outgoing { post: Post::Run(Box::new(run)), replies: said.replies, started: false })
    }

    /// The first reply as the conversation's own endpoints take it. They take no other outcomes than these two.
    fn outgoing_rest(&self, held: &[AskReply]) -> Option<Outgoing> {
        let reply = held.first()?;
        if self.options.delivery != Delivery::Rest {
            return None;
        }
        let (action, body) = match &reply.outcome {
            Outcome::Answered(answer) => {
                let mut body = answer.to_json();
                body["toolCallId"] = reply.tool_call_id.as_str().into();
                body["replyId"] = reply.reply_id.as_str().into();
                ("/respond", json_tree::text(&body))
            }
            Outcome::Declined => {
                let call = [("toolCallId", reply.tool_call_id.as_str().into())];
                ("/cancel", json_tree::text(&json_tree::object(call).into()))
            }
            Outcome::RepliedInChat { .. } | Outcome::Expired | Outcome::Superseded | Outcome::Cancelled => return None,
        };
        Some(Outgoing { post: Post::Rest { action, body }, replies: vec![reply.clone()], started: true })
    }

    /// The server takes an answer by interrupt whether or not the run that asked ended in one, and a history does not tell.
    fn bind_interrupts(&mut self, held: &[AskReply]) {
        if self.following.is_none() || self.options.delivery != Delivery::Resume {
            return;
        }
        for reply in held {
            if self.conversation.thread.open_interrupts().is_empty() {
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

fn name_last(messages: &mut [Message], id: &str) {
    if let Some(Message::User(user)) = messages.last_mut() {
        id.clone_into(&mut user.id);
    }
}
