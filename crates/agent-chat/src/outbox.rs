//! What the user said, until the agent has it. The tab keeps it, so that after a reload the same goes again, under the same id.

use crate::ids::new_id;
use crate::storage::Shelf;
use crate::trouble::Trouble;
use ag_ui_stream::Asks;
use ag_ui_stream::asks::reply::AskReply;
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::{Outcome, Phase};
use serde_json::Value;

/// Where something stands that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mail {
    /// It goes as soon as it may.
    Held,
    /// A request carries it.
    Sent,
    /// It did not reach the agent as far as is known, for this reason. It goes when its user says so.
    Back(Trouble),
}

/// Replies and the message that the agent does not have, as far as is known.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    /// What the tab calls it; nothing is kept without.
    key: Option<String>,
    letters: Vec<Letter>,
    message: Option<Spoken>,
}

/// The reply to an ask.
#[derive(Debug)]
struct Letter {
    tool_call_id: String,
    reply_id: String,
    by: AnsweredBy,
    /// The outcome as the agent reads it.
    content: String,
    /// Not known after a reload, until it is known which asks there are.
    outcome: Option<Outcome>,
    mail: Mail,
}

/// A message.
#[derive(Clone, Debug)]
pub(crate) struct Spoken {
    pub(crate) id: String,
    pub(crate) text: String,
    /// Whether it answers nothing, whatever waits when it goes.
    pub(crate) stands_alone: bool,
    mail: Mail,
}

/// What becomes of what was sent before a reload, of which nobody knows whether it arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resend {
    /// The agent recognises what it has, so it is sent again.
    Safely,
    /// It might be taken twice, so its user has to say so.
    WhenTold,
}

impl Outbox {
    /// What a tab has kept under a name, and keeps there from now on.
    pub(crate) fn kept(key: String, resend: Resend) -> Self {
        let kept = Shelf::Tab.read(&key);
        let kept = kept.and_then(|kept| json_tree::parse(&kept).ok()).unwrap_or_default();
        let letters = kept["held"].as_array().into_iter().flatten();
        Self {
            letters: letters.filter_map(|letter| Letter::read(letter, resend)).collect(),
            message: Spoken::read(&kept["message"], resend),
            key: Some(key),
        }
    }

    /// Holds the reply to an ask, in the place of an earlier one; `content` is how the agent reads it. The same one again keeps its id, so that it is
    /// a retry and not a second answer.
    pub(crate) fn hold(&mut self, tool_call_id: &str, outcome: Outcome, by: AnsweredBy, content: String) {
        let earlier = self.letters.iter().position(|letter| letter.tool_call_id == tool_call_id);
        let earlier = earlier.map(|index| self.letters.remove(index));
        let same = earlier.filter(|letter| letter.outcome.as_ref() == Some(&outcome) && letter.by == by);
        self.letters.push(Letter {
            tool_call_id: tool_call_id.to_owned(),
            reply_id: same.map_or_else(new_id, |letter| letter.reply_id),
            by,
            content,
            outcome: Some(outcome),
            mail: Mail::Held,
        });
        self.keep();
    }

    /// Holds a message, which may answer what waits when it goes, or stands alone.
    pub(crate) fn say(&mut self, text: &str, stands_alone: bool) {
        self.message = Some(Spoken { id: new_id(), text: text.to_owned(), stands_alone, mail: Mail::Held });
        self.keep();
    }

    /// The replies that are held.
    pub(crate) fn held(&self) -> Vec<AskReply> {
        let held = self.letters.iter().filter(|letter| letter.mail == Mail::Held);
        held.filter_map(Letter::reply).collect()
    }

    /// Whether anything is held.
    pub(crate) fn has_held(&self) -> bool {
        self.letters.iter().any(|letter| letter.mail == Mail::Held) || self.held_message().is_some()
    }

    /// The message, wherever it stands.
    pub(crate) fn message(&self) -> Option<&Spoken> {
        self.message.as_ref()
    }

    /// The message that is held.
    pub(crate) fn held_message(&self) -> Option<&Spoken> {
        self.message.as_ref().filter(|message| message.mail == Mail::Held)
    }

    /// Whether a message is held or on its way.
    pub(crate) fn has_open_message(&self) -> bool {
        self.message.as_ref().is_some_and(|message| !message.mail.is_back())
    }

    /// Has the message no longer, where it did not reach the agent.
    pub(crate) fn take_message_back(&mut self) -> Option<Spoken> {
        let message = self.message.take_if(|message| message.mail.is_back());
        self.keep();
        message
    }

    /// Holds the message no longer, where it may be an answer.
    pub(crate) fn take_answer(&mut self) -> Option<Spoken> {
        let message = self.message.take_if(|message| message.mail == Mail::Held && !message.stands_alone);
        self.keep();
        message
    }

    /// Holds the reply to an ask no longer. False where none is held; what is on its way can't be taken back.
    pub(crate) fn take_back(&mut self, tool_call_id: &str) -> bool {
        let is_it = |letter: &Letter| letter.mail == Mail::Held && letter.tool_call_id == tool_call_id;
        let count = self.letters.len();
        self.letters.retain(|letter| !is_it(letter));
        self.keep();
        self.letters.len() < count
    }

    /// Where the reply to an ask stands, if there is one.
    pub(crate) fn mail(&self, tool_call_id: &str) -> Option<&Mail> {
        let mut letters = self.letters.iter();
        Some(&letters.find(|letter| letter.tool_call_id == tool_call_id)?.mail)
    }

    /// Whether a reply to an ask is held or on its way.
    pub(crate) fn answers(&self, tool_call_id: &str) -> bool {
        self.mail(tool_call_id).is_some_and(|mail| !mail.is_back())
    }

    /// The asks whose replies a request carries, each with its reply as the agent reads it.
    pub(crate) fn sent(&self) -> impl Iterator<Item = (&str, &str)> {
        let sent = self.letters.iter().filter(|letter| letter.mail == Mail::Sent);
        sent.map(|letter| (letter.tool_call_id.as_str(), letter.content.as_str()))
    }

    /// Whether a request carries anything.
    pub(crate) fn has_sent(&self) -> bool {
        self.sent().next().is_some() || self.message.as_ref().is_some_and(|message| message.mail == Mail::Sent)
    }

    /// Why something did not reach the agent that no card tells of: what was typed.
    pub(crate) fn trouble(&self) -> Option<&Trouble> {
        let typed = self.letters.iter().filter(|letter| letter.by == AnsweredBy::Composer).map(|letter| &letter.mail);
        // The person who stopped a message knows.
        let message = self.message.as_ref().map(|message| &message.mail);
        let message = message.filter(|mail| **mail != Mail::Back(Trouble::Stopped));
        typed.chain(message).find_map(Mail::trouble)
    }

    /// A request carries these replies, and with `message` the message that was held.
    pub(crate) fn send(&mut self, replies: &[AskReply], message: bool) {
        for letter in &mut self.letters {
            if replies.iter().any(|reply| reply.reply_id == letter.reply_id) {
                letter.mail = Mail::Sent;
            }
        }
        if let Some(spoken) = self.message.as_mut().filter(|spoken| message && spoken.mail == Mail::Held) {
            spoken.mail = Mail::Sent;
        }
        self.keep();
    }

    /// What was sent has arrived.
    pub(crate) fn arrive(&mut self) {
        self.letters.retain(|letter| letter.mail != Mail::Sent);
        self.message.take_if(|message| message.mail == Mail::Sent);
        self.keep();
    }

    /// What stands here stands there.
    pub(crate) fn change(&mut self, here: &Mail, there: &Mail) {
        for letter in self.letters.iter_mut().filter(|letter| letter.mail == *here) {
            letter.mail = there.clone();
        }
        if let Some(message) = self.message.as_mut().filter(|message| message.mail == *here) {
            message.mail = there.clone();
            // Nothing waited that it could have answered.
            message.stands_alone |= there.is_back();
        }
        self.keep();
    }

    /// What did not reach the agent goes again.
    pub(crate) fn release(&mut self) {
        for letter in self.letters.iter_mut().filter(|letter| letter.mail.is_back()) {
            letter.mail = Mail::Held;
        }
        self.release_message();
    }

    /// The message that did not reach the agent goes again.
    pub(crate) fn release_message(&mut self) {
        if let Some(message) = self.message.as_mut().filter(|message| message.mail.is_back()) {
            message.mail = Mail::Held;
        }
        self.keep();
    }

    /// Holds no replies of cards any longer.
    pub(crate) fn drop_picks(&mut self) {
        self.letters.retain(|letter| letter.mail != Mail::Held || letter.by == AnsweredBy::Composer);
        self.keep();
    }

    /// Has nothing any longer that was typed and did not reach the agent.
    pub(crate) fn drop_typed(&mut self) {
        self.letters.retain(|letter| !letter.mail.is_back() || letter.by == AnsweredBy::Card);
        self.take_message_back();
    }

    /// Learns how the asks stand, and what has been said: what is over is dropped, and what was sent is held again. True where a reply was dropped.
    pub(crate) fn settle(&mut self, asks: &Asks, is_said: impl Fn(&str) -> bool) -> bool {
        let count = self.letters.len();
        self.letters.retain_mut(|letter| {
            let Some(snapshot) = asks.ask(&letter.tool_call_id) else {
                return false;
            };
            if letter.outcome.is_none() {
                let ask = snapshot.ask.as_ref();
                letter.outcome = ask.and_then(|ask| Outcome::parse(ask, &letter.content));
            }
            if letter.mail == Mail::Sent {
                letter.mail = Mail::Held;
            }
            letter.outcome.is_some() && matches!(snapshot.phase, Phase::Ready | Phase::Answerable)
        });
        self.message.take_if(|message| is_said(&message.id));
        self.keep();
        self.letters.len() < count
    }

    fn keep(&self) {
        let Some(key) = &self.key else { return };
        if self.letters.is_empty() && self.message.is_none() {
            return Shelf::Tab.remove(key);
        }
        let letters = self.letters.iter().map(Letter::write).collect();
        let message = self.message.as_ref().map(Spoken::write);
        let kept = object([("held", Value::Array(letters)), ("message", message.unwrap_or_default())]);
        Shelf::Tab.write(key, &json_tree::text(&kept));
    }
}

impl Mail {
    pub(crate) fn is_back(&self) -> bool {
        self.trouble().is_some()
    }

    fn trouble(&self) -> Option<&Trouble> {
        match self {
            Self::Held | Self::Sent => None,
            Self::Back(trouble) => Some(trouble),
        }
    }

    fn write(&self) -> Value {
        let word = match self {
            Self::Held => "held",
            Self::Sent => "sent",
            Self::Back(_) => "back",
        };
        word.into()
    }

    /// After a reload, which forgets why.
    fn read(kept: &Value, resend: Resend) -> Self {
        match (kept.as_str(), resend) {
            (Some("back"), _) | (Some("sent"), Resend::WhenTold) => Self::Back(Trouble::Unknown),
            _ => Self::Held,
        }
    }
}

impl Letter {
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
            ("mail", self.mail.write()),
        ])
    }

    fn read(kept: &Value, resend: Resend) -> Option<Self> {
        let text = |name: &str| kept[name].as_str().map(str::to_owned);
        Some(Self {
            tool_call_id: text("call")?,
            reply_id: text("reply")?,
            by: if kept["typed"] == true { AnsweredBy::Composer } else { AnsweredBy::Card },
            content: text("content")?,
            outcome: None,
            mail: Mail::read(&kept["mail"], resend),
        })
    }
}

impl Spoken {
    fn write(&self) -> Value {
        object([
            ("id", self.id.as_str().into()),
            ("text", self.text.as_str().into()),
            ("alone", self.stands_alone.into()),
            ("mail", self.mail.write()),
        ])
    }

    fn read(kept: &Value, resend: Resend) -> Option<Self> {
        let mail = Mail::read(&kept["mail"], resend);
        Some(Self {
            id: kept["id"].as_str()?.to_owned(),
            text: kept["text"].as_str()?.to_owned(),
            stands_alone: kept["alone"] == true || mail.is_back(),
            mail,
        })
    }
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(json_tree::object(members))
}
