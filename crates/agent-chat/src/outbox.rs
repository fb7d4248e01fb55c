//! What the user said, until the agent has it. The tab keeps it, so that after a reload the same goes again, under the same id.

use crate::ids::new_id;
use crate::json;
use crate::storage::Shelf;
use crate::trouble::Trouble;
use ag_ui_stream::Asks;
use ag_ui_stream::asks::reply::AskReply;
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::reply::Selection;
use ask_user_question::{AskUserQuestion, Outcome, Phase};
use json_tree::Json;

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
    record: Option<Record>,
    letters: Vec<Letter>,
    message: Option<Spoken>,
}

/// How the tab keeps it. The function is a value, so that a page which keeps nothing does not carry it.
#[derive(Clone, Debug)]
struct Record {
    key: String,
    write: fn(&str, &Outbox, &Asks),
}

/// The reply to an ask.
#[derive(Debug)]
struct Letter {
    tool_call_id: String,
    reply_id: String,
    by: AnsweredBy,
    outcome: Written,
    mail: Mail,
}

/// A message.
#[derive(Clone, Debug)]
pub(crate) struct Spoken {
    pub(crate) id: String,
    pub(crate) text: String,
    /// Whether it answers nothing, whatever waits when it goes.
    pub(crate) stands_alone: bool,
    /// What was picked meanwhile on the cards of these calls, as a reply in chat would say it.
    picks: Vec<(String, Written)>,
    mail: Mail,
}

/// How an ask ended.
#[derive(Clone, Debug, PartialEq)]
enum Written {
    Known(Outcome),
    /// Before a reload, as the agent reads it. What that says is known with the ask.
    Kept(String),
}

impl Written {
    fn known(&self) -> Option<&Outcome> {
        match self {
            Self::Known(outcome) => Some(outcome),
            Self::Kept(_) => None,
        }
    }

    fn is_known_with(&mut self, ask: &AskUserQuestion) -> bool {
        if let Self::Kept(content) = self
            && let Some(outcome) = Outcome::parse(ask, content)
        {
            *self = Self::Known(outcome);
        }
        self.known().is_some()
    }

    fn write(&self, asks: &Asks, tool_call_id: &str) -> Json<'static> {
        match self {
            Self::Known(outcome) => {
                let nothing = AskUserQuestion::default();
                let ask = asks.ask(tool_call_id).and_then(|ask| ask.ask.as_deref()).unwrap_or(&nothing);
                outcome.tool_content(ask).into()
            }
            Self::Kept(content) => content.as_str().into(),
        }
    }
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
        let kept = json::parse(kept.as_deref().unwrap_or_default());
        let letters = json::items(&kept, "held").iter();
        Self {
            letters: letters.filter_map(|letter| Letter::read(letter, resend)).collect(),
            message: kept.get("message").and_then(|message| Spoken::read(message, resend)),
            record: Some(Record { key, write }),
        }
    }

    /// Holds the reply to an ask, in the place of an earlier one. The same one again keeps its id, so that it is a retry and not a second answer.
    pub(crate) fn hold(&mut self, tool_call_id: &str, outcome: Outcome, by: AnsweredBy) {
        let earlier = self.letters.iter().position(|letter| letter.tool_call_id == tool_call_id);
        let earlier = earlier.map(|index| self.letters.remove(index));
        let same = earlier.filter(|letter| letter.outcome.known() == Some(&outcome) && letter.by == by);
        self.letters.push(Letter {
            tool_call_id: tool_call_id.to_owned(),
            reply_id: same.map_or_else(new_id, |letter| letter.reply_id),
            by,
            outcome: Written::Known(outcome),
            mail: Mail::Held,
        });
    }

    /// Holds a message, which may answer what waits when it goes, or stands alone. The picks on the cards of these calls go along.
    pub(crate) fn say(&mut self, text: &str, picks: &[(String, Vec<Selection>)], stands_alone: bool) {
        let picked = |(id, partial): &(String, Vec<Selection>)| {
            let outcome = Outcome::RepliedInChat { text: String::new(), partial: partial.clone() };
            (id.clone(), Written::Known(outcome))
        };
        self.message = Some(Spoken {
            id: new_id(),
            text: text.to_owned(),
            stands_alone,
            picks: picks.iter().map(picked).collect(),
            mail: Mail::Held,
        });
    }

    /// The replies that are held.
    pub(crate) fn held(&self) -> Vec<AskReply> {
        let held = self.letters.iter().filter(|letter| letter.mail == Mail::Held);
        held.filter_map(Letter::reply).collect()
    }

    /// The replies that other tabs hold, to asks that wait here and have none of this tab.
    pub(crate) fn held_elsewhere(&self, held: &str, asks: &Asks) -> Vec<AskReply> {
        self.letters_elsewhere(held, asks).iter().filter_map(Letter::reply).collect()
    }

    /// The replies that this tab and the others hold, except the one that was taken back.
    pub(crate) fn held_anywhere(&self, held: &str, taken_back: Option<&str>, asks: &Asks) -> Option<String> {
        let mut elsewhere = self.letters_elsewhere(held, asks);
        elsewhere.retain(|letter| Some(letter.tool_call_id.as_str()) != taken_back);
        let here = self.letters.iter().filter(|letter| letter.mail == Mail::Held);
        let all: Vec<_> = here.chain(&elsewhere).map(|letter| letter.write(asks)).collect();
        (!all.is_empty()).then(|| Json::from(all).to_string())
    }

    fn letters_elsewhere(&self, held: &str, asks: &Asks) -> Vec<Letter> {
        let held = json::parse(held);
        let letters = held.as_list().unwrap_or_default().iter();
        let mut letters: Vec<_> = letters.filter_map(|letter| Letter::read(letter, Resend::Safely)).collect();
        letters.retain_mut(|letter| self.mail(&letter.tool_call_id).is_none() && letter.is_for(asks));
        letters
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
        self.message.take_if(|message| message.mail.is_back())
    }

    /// Holds the message no longer, where it may be an answer.
    pub(crate) fn take_answer(&mut self) -> Option<Spoken> {
        self.message.take_if(|message| message.mail == Mail::Held && !message.stands_alone)
    }

    /// Holds the reply to an ask no longer. False where none is held; what is on its way can't be taken back.
    pub(crate) fn take_back(&mut self, tool_call_id: &str) -> bool {
        let is_it = |letter: &Letter| letter.mail == Mail::Held && letter.tool_call_id == tool_call_id;
        let count = self.letters.len();
        self.letters.retain(|letter| !is_it(letter));
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

    /// The asks whose replies a request carries, each with how it ended.
    pub(crate) fn sent(&self) -> impl Iterator<Item = (&str, &Outcome)> {
        let sent = self.letters.iter().filter(|letter| letter.mail == Mail::Sent);
        sent.filter_map(|letter| Some((letter.tool_call_id.as_str(), letter.outcome.known()?)))
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
    }

    /// What was sent has arrived.
    pub(crate) fn arrive(&mut self) {
        self.letters.retain(|letter| letter.mail != Mail::Sent);
        self.message.take_if(|message| message.mail == Mail::Sent);
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
    }

    /// Holds no replies of cards any longer.
    pub(crate) fn drop_picks(&mut self) {
        self.letters.retain(|letter| letter.mail != Mail::Held || letter.by == AnsweredBy::Composer);
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
            if letter.mail == Mail::Sent {
                letter.mail = Mail::Held;
            }
            letter.is_for(asks)
        });
        self.message.take_if(|message| is_said(&message.id));
        self.letters.len() < count
    }

    /// Keeps all of it in the tab, where it does.
    pub(crate) fn keep(&self, asks: &Asks) {
        if let Some(Record { key, write }) = &self.record {
            write(key, self, asks);
        }
    }
}

fn write(key: &str, outbox: &Outbox, asks: &Asks) {
    if outbox.letters.is_empty() && outbox.message.is_none() {
        return Shelf::Tab.remove(key);
    }
    let letters: Vec<_> = outbox.letters.iter().map(|letter| letter.write(asks)).collect();
    let message = outbox.message.as_ref().map(|message| message.write(asks));
    let kept = Json::object([("held", letters.into()), ("message", message.unwrap_or(Json::Null))]);
    Shelf::Tab.write(key, &kept.to_string());
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

    fn write(&self) -> Json<'static> {
        let word = match self {
            Self::Held => "held",
            Self::Sent => "sent",
            Self::Back(_) => "back",
        };
        word.into()
    }

    /// After a reload, which forgets why.
    fn read(kept: &Json<'_>, resend: Resend) -> Self {
        match (json::text(kept, "mail"), resend) {
            (Some("back"), _) | (Some("sent"), Resend::WhenTold) => Self::Back(Trouble::DeliveryUnknown),
            _ => Self::Held,
        }
    }
}

impl Letter {
    /// True if its ask waits. The content is parsed then.
    fn is_for(&mut self, asks: &Asks) -> bool {
        asks.ask(&self.tool_call_id).is_some_and(|snapshot| {
            let is_known = snapshot.ask.as_ref().is_some_and(|ask| self.outcome.is_known_with(ask));
            is_known && matches!(snapshot.phase, Phase::Ready | Phase::Answerable)
        })
    }

    fn reply(&self) -> Option<AskReply> {
        Some(AskReply {
            tool_call_id: self.tool_call_id.clone(),
            reply_id: self.reply_id.clone(),
            outcome: self.outcome.known()?.clone(),
            by: self.by,
        })
    }

    fn write(&self, asks: &Asks) -> Json<'static> {
        Json::object([
            ("call", self.tool_call_id.as_str().into()),
            ("reply", self.reply_id.as_str().into()),
            ("typed", (self.by == AnsweredBy::Composer).into()),
            ("content", self.outcome.write(asks, &self.tool_call_id)),
            ("mail", self.mail.write()),
        ])
    }

    fn read(kept: &Json<'_>, resend: Resend) -> Option<Self> {
        let text = |name: &str| json::text(kept, name).map(str::to_owned);
        Some(Self {
            tool_call_id: text("call")?,
            reply_id: text("reply")?,
            by: if is_on(kept, "typed") { AnsweredBy::Composer } else { AnsweredBy::Card },
            outcome: Written::Kept(text("content")?),
            mail: Mail::read(kept, resend),
        })
    }
}

impl Spoken {
    /// What was picked meanwhile on the card of a call.
    pub(crate) fn picks(&self, tool_call_id: &str, ask: &AskUserQuestion) -> Vec<Selection> {
        let mut picks = self.picks.iter();
        let mut picked = picks.find(|(id, _)| id == tool_call_id).map(|(_, picked)| picked.clone());
        if let Some(picked) = &mut picked {
            picked.is_known_with(ask);
        }
        match picked {
            Some(Written::Known(Outcome::RepliedInChat { partial, .. })) => partial,
            _ => Vec::new(),
        }
    }

    fn write(&self, asks: &Asks) -> Json<'static> {
        // Each call, and behind it what was picked on its card.
        let picks = self.picks.iter().flat_map(|(id, picked)| [id.as_str().into(), picked.write(asks, id)]);
        Json::object([
            ("id", self.id.as_str().into()),
            ("text", self.text.as_str().into()),
            ("alone", self.stands_alone.into()),
            ("picks", picks.collect::<Vec<_>>().into()),
            ("mail", self.mail.write()),
        ])
    }

    fn read(kept: &Json<'_>, resend: Resend) -> Option<Self> {
        let mail = Mail::read(kept, resend);
        let text = |kept: &Json<'_>| kept.as_str().map(str::to_owned);
        let picked = |pair: &[Json<'_>]| Some((text(&pair[0])?, Written::Kept(text(&pair[1])?)));
        let picks = json::items(kept, "picks");
        Some(Self {
            id: text(kept.get("id")?)?,
            text: text(kept.get("text")?)?,
            stands_alone: is_on(kept, "alone") || mail.is_back(),
            picks: picks.chunks_exact(2).filter_map(picked).collect(),
            mail,
        })
    }
}

fn is_on(kept: &Json<'_>, name: &str) -> bool {
    kept.get(name).and_then(Json::as_bool) == Some(true)
}
