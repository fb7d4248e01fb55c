//! What is on its way, or held until it may go. The tab keeps it, so that after a reload the same goes again, under the same id.

use crate::ids::new_id;
use crate::storage::Shelf;
use ag_ui_stream::Asks;
use ag_ui_stream::asks::reply::{AskReply, NextRun};
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::{Outcome, Phase};
use serde_json::Value;

/// Replies and the message that have not reached the agent, as far as is known.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    /// What the tab calls it; nothing is kept without.
    key: Option<String>,
    resend: Resend,
    held: Vec<Held>,
    message: Option<Spoken>,
    /// The last replies made, so that sending the same one again is a retry and not a second answer.
    made: Vec<AskReply>,
    unsent: Option<Outgoing>,
}

/// A reply on its way to the agent.
#[derive(Clone, Debug)]
struct Held {
    tool_call_id: String,
    reply_id: String,
    by: AnsweredBy,
    /// The outcome as the agent reads it.
    content: String,
    /// Not known after a reload, until it is known which asks there are.
    outcome: Option<Outcome>,
    /// Whether a request carries it.
    is_sent: bool,
}

/// A message on its way to the agent.
#[derive(Clone, Debug)]
pub(crate) struct Spoken {
    pub(crate) id: String,
    pub(crate) text: String,
    /// Whether it answers nothing, whatever waits when it goes.
    pub(crate) stands_alone: bool,
    is_sent: bool,
}

/// What becomes of what was sent before a reload, of which nobody knows whether it arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Resend {
    /// The agent recognises what it has, so it is sent again.
    #[default]
    Safely,
    /// It might be taken twice, so its user has to say so.
    WhenTold,
}

/// A request that is to be made.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    pub(crate) post: Post,
    /// What it answers.
    pub(crate) replies: Vec<AskReply>,
    /// Whether its messages are part of the conversation already.
    pub(crate) started: bool,
}

/// What is posted.
#[derive(Clone, Debug)]
pub(crate) enum Post {
    /// A run, to the agent.
    Run(Box<NextRun>),
    /// A reply, to an endpoint of the conversation.
    Rest { action: &'static str, body: String },
}

impl Outbox {
    /// What a tab has kept under a name, and keeps there from now on.
    pub(crate) fn kept(key: String, resend: Resend) -> Self {
        let kept = Shelf::Tab.read(&key);
        let kept = kept.and_then(|kept| json_tree::parse(&kept).ok()).unwrap_or_default();
        let held = kept["held"].as_array().into_iter().flatten();
        let message = Some(&kept["message"]);
        let message = message.filter(|it| resend == Resend::Safely || it["sent"] != true);
        Self {
            held: held.filter_map(Held::read).collect(),
            message: message.and_then(Spoken::read),
            key: Some(key),
            resend,
            ..Self::default()
        }
    }

    /// Holds the reply to an ask, in the place of an earlier one; `content` is how the agent reads it.
    pub(crate) fn hold(&mut self, tool_call_id: &str, outcome: Outcome, by: AnsweredBy, content: String) {
        let is_same = |made: &&AskReply| made.tool_call_id == tool_call_id && made.outcome == outcome && made.by == by;
        let made = self.made.iter().find(is_same);
        let reply = AskReply {
            tool_call_id: tool_call_id.to_owned(),
            reply_id: made.map_or_else(new_id, |made| made.reply_id.clone()),
            outcome,
            by,
        };
        self.held.retain(|held| held.tool_call_id != tool_call_id);
        self.held.push(Held {
            tool_call_id: reply.tool_call_id.clone(),
            reply_id: reply.reply_id.clone(),
            by,
            content,
            outcome: Some(reply.outcome.clone()),
            is_sent: false,
        });
        self.remember(reply);
        self.keep();
    }

    /// Holds a message, which may answer what waits when it goes, or stands alone.
    pub(crate) fn say(&mut self, text: &str, stands_alone: bool) {
        self.message = Some(Spoken { id: new_id(), text: text.to_owned(), stands_alone, is_sent: false });
        self.keep();
    }

    /// The replies that are held.
    pub(crate) fn held(&self) -> Vec<AskReply> {
        let held = self.held.iter().filter(|held| !held.is_sent);
        held.filter_map(Held::reply).collect()
    }

    /// The message that is held.
    pub(crate) fn message(&self) -> Option<&Spoken> {
        self.message.as_ref().filter(|message| !message.is_sent)
    }

    /// The message that is held or on its way.
    pub(crate) fn any_message(&self) -> Option<&Spoken> {
        self.message.as_ref()
    }

    /// Whether a message is held or on its way.
    pub(crate) fn has_message(&self) -> bool {
        self.message.is_some()
    }

    /// Holds the message no longer, where it may be an answer.
    pub(crate) fn take_answer(&mut self) -> Option<Spoken> {
        let may_answer = |message: &mut Spoken| !message.is_sent && !message.stands_alone;
        let message = self.message.take_if(may_answer);
        self.keep();
        message
    }

    /// Holds the reply to an ask no longer. False where none is held; what is on its way can't be taken back.
    pub(crate) fn take_back(&mut self, tool_call_id: &str) -> bool {
        let count = self.held.len();
        self.held.retain(|held| held.is_sent || held.tool_call_id != tool_call_id);
        self.keep();
        self.held.len() < count
    }

    /// Whether a reply to an ask is held or on its way.
    pub(crate) fn answers(&self, tool_call_id: &str) -> bool {
        let mut held = self.held.iter();
        held.any(|held| held.tool_call_id == tool_call_id)
    }

    /// A request carries these replies, and where it is a run, the message that was held.
    pub(crate) fn send(&mut self, replies: &[AskReply], is_run: bool) {
        for held in &mut self.held {
            held.is_sent |= replies.iter().any(|reply| reply.reply_id == held.reply_id);
        }
        if let Some(message) = self.message.as_mut().filter(|_| is_run) {
            message.is_sent = true;
        }
        self.keep();
    }

    /// What was sent has arrived, or has come back.
    pub(crate) fn drop_sent(&mut self) {
        self.held.retain(|held| !held.is_sent);
        self.message.take_if(|message| message.is_sent);
        self.keep();
    }

    /// What was sent did not arrive, as far as is known: it is held again.
    pub(crate) fn hold_sent(&mut self) {
        self.held.iter_mut().for_each(|held| held.is_sent = false);
        if let Some(message) = &mut self.message {
            message.is_sent = false;
        }
        self.keep();
    }

    /// Holds nothing any more; the replies that were held come back.
    pub(crate) fn take_held(&mut self) -> Vec<AskReply> {
        let held = self.held();
        self.held.retain(|held| held.is_sent);
        self.message.take_if(|message| !message.is_sent);
        self.keep();
        held
    }

    /// Learns how the asks stand, and what has been said: what is over is not held any longer. The replies that have to go back to their cards come
    /// back.
    pub(crate) fn settle(&mut self, asks: &Asks, is_said: impl Fn(&str) -> bool) -> Vec<AskReply> {
        let resend = self.resend;
        let (mut back, mut made) = (Vec::new(), Vec::new());
        self.held.retain_mut(|held| {
            let Some(snapshot) = asks.ask(&held.tool_call_id) else {
                return false;
            };
            let is_kept = held.outcome.is_none();
            if is_kept {
                let ask = snapshot.ask.as_ref();
                held.outcome = ask.and_then(|ask| Outcome::parse(ask, &held.content));
            }
            let waits = matches!(snapshot.phase, Phase::Ready | Phase::Answerable);
            let Some(reply) = held.reply().filter(|_| waits) else {
                return false;
            };
            let goes_back = is_kept && held.is_sent && resend == Resend::WhenTold;
            held.is_sent = false;
            if goes_back {
                back.push(reply.clone());
            }
            made.push(reply);
            !goes_back
        });
        made.into_iter().for_each(|reply| self.remember(reply));
        self.message.take_if(|message| is_said(&message.id));
        self.keep();
        back
    }

    /// Keeps a request that did not reach the agent.
    pub(crate) fn keep_unsent(&mut self, outgoing: Outgoing) {
        self.unsent = Some(outgoing);
    }

    /// Forgets the request that did not reach the agent: another one carries everything that was said.
    pub(crate) fn drop_unsent(&mut self) {
        self.unsent = None;
    }

    /// The request that did not reach the agent, under a new run id: a run is never started twice.
    pub(crate) fn take_unsent(&mut self) -> Option<Outgoing> {
        let mut outgoing = self.unsent.take()?;
        if let Post::Run(run) = &mut outgoing.post {
            run.input.run_id = new_id();
        }
        Some(outgoing)
    }

    fn remember(&mut self, reply: AskReply) {
        self.made.retain(|made| made.tool_call_id != reply.tool_call_id);
        self.made.push(reply);
    }

    fn keep(&self) {
        let Some(key) = &self.key else { return };
        if self.held.is_empty() && self.message.is_none() {
            return Shelf::Tab.remove(key);
        }
        let held = self.held.iter().map(Held::write).collect();
        let message = self.message.as_ref().map(Spoken::write);
        let kept = object([("held", Value::Array(held)), ("message", message.unwrap_or_default())]);
        Shelf::Tab.write(key, &json_tree::text(&kept));
    }
}

impl Held {
    fn reply(&self) -> Option<AskReply> {
        Some(AskReply {
            tool_call_id: self.tool_call_id.clone(),
            reply_id: self.reply_id.clone(),
            outcome: self.outcome.clone()?,
            by: self.by,
        })
    }

    fn write(&self) -> Value {
        object([
            ("call", self.tool_call_id.as_str().into()),
            ("reply", self.reply_id.as_str().into()),
            ("typed", (self.by == AnsweredBy::Composer).into()),
            ("content", self.content.as_str().into()),
            ("sent", self.is_sent.into()),
        ])
    }

    fn read(kept: &Value) -> Option<Self> {
        let text = |name: &str| kept[name].as_str().map(str::to_owned);
        Some(Self {
            tool_call_id: text("call")?,
            reply_id: text("reply")?,
            by: if kept["typed"] == true { AnsweredBy::Composer } else { AnsweredBy::Card },
            content: text("content")?,
            outcome: None,
            is_sent: kept["sent"] == true,
        })
    }
}

impl Spoken {
    fn write(&self) -> Value {
        object([
            ("id", self.id.as_str().into()),
            ("text", self.text.as_str().into()),
            ("alone", self.stands_alone.into()),
            ("sent", self.is_sent.into()),
        ])
    }

    fn read(kept: &Value) -> Option<Self> {
        Some(Self {
            id: kept["id"].as_str()?.to_owned(),
            text: kept["text"].as_str()?.to_owned(),
            stands_alone: kept["alone"] == true,
            is_sent: false,
        })
    }
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(json_tree::object(members))
}
