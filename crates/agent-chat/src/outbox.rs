//! The user's messages and replies until the agent has them. The tab stores them, so that a reload sends the same again, under the same id.

use crate::ids::new_id;
use crate::json;
use crate::send_as::SendAs;
use crate::storage::Shelf;
use crate::trouble::Trouble;
use ag_ui_stream::asks::reply::AskReply;
use ag_ui_stream::{Asks, Message, Thread};
use ask_user_question::attachment::Attachment;
use ask_user_question::outcome::{AnsweredBy, AskMetadata};
use ask_user_question::reply::Selection;
use ask_user_question::{AskUserQuestion, Outcome, Phase};
use json_tree::Json;

/// The state of an item in the outbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SendState {
    /// It is sent as soon as possible.
    Held,
    /// A request carries it.
    Sent,
    /// It did not reach the agent as far as is known, for this reason. The user has to send it again.
    Failed(Trouble),
}

/// The replies and the message that the agent does not have, as far as is known.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    storage: Option<OutboxStorage>,
    replies: Vec<PendingReply>,
    message: Option<PendingMessage>,
}

/// The tab's storage. The function is a value, so that a page without persistence does not carry it.
#[derive(Clone, Debug)]
struct OutboxStorage {
    key: String,
    write: fn(&str, &Outbox, &Asks),
}

#[derive(Debug)]
struct PendingReply {
    tool_call_id: String,
    reply_id: String,
    by: AnsweredBy,
    content: ReplyContent,
    state: SendState,
}

#[derive(Clone, Debug)]
pub(crate) struct PendingMessage {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) files: Vec<Attachment>,
    /// Its meaning for a question that waits when it is sent; `None` if it answers none.
    pub(crate) send_as: Option<SendAs>,
    pub(crate) picks: CardPicks,
    /// The call whose answer it changes.
    pub(crate) replaces: Option<String>,
    state: SendState,
}

/// The picks on the cards of these calls, each as a reply in chat.
#[derive(Clone, Debug)]
pub(crate) struct CardPicks(Vec<(String, ReplyContent)>);

#[derive(Clone, Debug, PartialEq)]
enum ReplyContent {
    Parsed(Outcome),
    /// Restored from storage, in the form that the agent reads. It is parsed once the ask is known.
    Raw(String),
}

impl ReplyContent {
    fn outcome(&self) -> Option<&Outcome> {
        match self {
            Self::Parsed(outcome) => Some(outcome),
            Self::Raw(_) => None,
        }
    }

    fn parse_for(&mut self, ask: &AskUserQuestion) -> bool {
        if let Self::Raw(content) = self
            && let Some(outcome) = Outcome::parse(ask, content)
        {
            *self = Self::Parsed(outcome);
        }
        self.outcome().is_some()
    }

    fn write(&self, asks: &Asks, tool_call_id: &str) -> Json<'static> {
        match self {
            Self::Parsed(outcome) => {
                let nothing = AskUserQuestion::default();
                let ask = asks.ask(tool_call_id).and_then(|ask| ask.ask.as_deref()).unwrap_or(&nothing);
                outcome.tool_content(ask).into()
            }
            Self::Raw(content) => content.as_str().into(),
        }
    }
}

/// The handling of items that were sent before a reload and may or may not have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resend {
    /// The agent recognises a repeated message, so it is sent again.
    Automatic,
    /// The agent might take it twice, so the user has to send it again.
    Manual,
}

impl Outbox {
    /// An outbox from the tab's storage under this key, where it is persisted from now on.
    pub(crate) fn restored(key: String, resend: Resend) -> Self {
        let stored = Shelf::Tab.read(&key);
        let stored = json::parse(stored.as_deref().unwrap_or_default());
        let replies = json::items(&stored, "held").iter();
        Self {
            replies: replies.filter_map(|pending| PendingReply::read(pending, resend)).collect(),
            message: stored.get("message").and_then(|message| PendingMessage::read(message, resend)),
            storage: Some(OutboxStorage { key, write }),
        }
    }

    /// Holds the reply to an ask, in place of an earlier one. An equal reply keeps its id, so that it is a retry and not a second answer. The
    /// text of a different reply that has failed becomes a failed message.
    pub(crate) fn hold(&mut self, tool_call_id: &str, outcome: Outcome, by: AnsweredBy) {
        let earlier = self.replies.iter().position(|pending| pending.tool_call_id == tool_call_id);
        let earlier = earlier.map(|index| self.replies.remove(index));
        let is_equal = |pending: &PendingReply| pending.content.outcome() == Some(&outcome);
        if let Some(failed) = earlier.as_ref().filter(|pending| pending.state.has_failed() && !is_equal(pending)) {
            failed.leave_text(&mut self.message);
        }
        let same = earlier.filter(|pending| is_equal(pending) && pending.by == by);
        self.replies.push(PendingReply {
            tool_call_id: tool_call_id.to_owned(),
            reply_id: same.map_or_else(new_id, |pending| pending.reply_id),
            by,
            content: ReplyContent::Parsed(outcome),
            state: SendState::Held,
        });
    }

    /// Holds a message. With `send_as`, it may answer a waiting ask when it is sent, together with the picks on that ask's card. The change of
    /// an answer replaces a change that has failed; an equal message keeps its id and is a retry.
    pub(crate) fn hold_message(
        &mut self,
        text: &str,
        files: Vec<Attachment>,
        picks: &[(String, Vec<Selection>)],
        send_as: Option<SendAs>,
        replaces: Option<&str>,
    ) {
        let same =
            self.message.take().filter(|earlier| earlier.text == text && earlier.replaces.as_deref() == replaces);
        let picked = |(id, partial): &(String, Vec<Selection>)| {
            let outcome = Outcome::RepliedInChat { text: String::new(), partial: partial.clone() };
            (id.clone(), ReplyContent::Parsed(outcome))
        };
        self.message = Some(PendingMessage {
            id: same.map_or_else(new_id, |earlier| earlier.id),
            text: text.to_owned(),
            files,
            send_as,
            picks: CardPicks(picks.iter().map(picked).collect()),
            replaces: replaces.map(str::to_owned),
            state: SendState::Held,
        });
    }

    pub(crate) fn held(&self) -> Vec<AskReply> {
        let held = self.replies.iter().filter(|pending| pending.state == SendState::Held);
        held.filter_map(PendingReply::ask_reply).collect()
    }

    /// The replies that other tabs hold, for asks that wait here and have no reply of this tab.
    pub(crate) fn held_elsewhere(&self, held: &str, asks: &Asks) -> Vec<AskReply> {
        self.replies_elsewhere(held, asks).iter().filter_map(PendingReply::ask_reply).collect()
    }

    /// The held replies of this tab and the others as JSON, except the one that was taken back. `None` if there are none.
    pub(crate) fn all_held(&self, held: &str, taken_back: Option<&str>, asks: &Asks) -> Option<String> {
        let mut elsewhere = self.replies_elsewhere(held, asks);
        elsewhere.retain(|pending| Some(pending.tool_call_id.as_str()) != taken_back);
        let here = self.replies.iter().filter(|pending| pending.state == SendState::Held);
        let all: Vec<_> = here.chain(&elsewhere).map(|pending| pending.write(asks)).collect();
        (!all.is_empty()).then(|| Json::from(all).to_string())
    }

    fn replies_elsewhere(&self, held: &str, asks: &Asks) -> Vec<PendingReply> {
        let held = json::parse(held);
        let replies = held.as_list().unwrap_or_default().iter();
        let mut replies: Vec<_> =
            replies.filter_map(|pending| PendingReply::read(pending, Resend::Automatic)).collect();
        replies.retain_mut(|pending| self.state_of(&pending.tool_call_id).is_none() && pending.is_for(asks));
        replies
    }

    fn states(&self) -> impl Iterator<Item = &SendState> {
        self.replies.iter().map(|pending| &pending.state).chain(self.message.as_ref().map(|message| &message.state))
    }

    fn states_mut(&mut self) -> impl Iterator<Item = &mut SendState> {
        let replies = self.replies.iter_mut().map(|pending| &mut pending.state);
        replies.chain(self.message.as_mut().map(|message| &mut message.state))
    }

    /// Returns true if a reply or the message is held.
    pub(crate) fn has_held(&self) -> bool {
        self.states().any(|state| *state == SendState::Held)
    }

    pub(crate) fn message(&self) -> Option<&PendingMessage> {
        self.message.as_ref()
    }

    pub(crate) fn held_message(&self) -> Option<&PendingMessage> {
        self.message.as_ref().filter(|message| message.state == SendState::Held)
    }

    /// Returns true if a message is held or being sent.
    pub(crate) fn has_pending_message(&self) -> bool {
        self.message.as_ref().is_some_and(|message| !message.state.has_failed())
    }

    /// Removes and returns the message, if it has failed. The failed change of an answer stays, since its card shows it.
    pub(crate) fn take_failed_message(&mut self) -> Option<PendingMessage> {
        self.message.take_if(|message| message.state.has_failed() && message.replaces.is_none())
    }

    /// Puts a failed message back, before the text of a message written since.
    pub(crate) fn put_back(&mut self, failed: PendingMessage) {
        let later = self.message.take();
        let message = self.message.insert(failed);
        if let Some(later) = later {
            message.text = [&message.text, "\n", &later.text].concat();
            message.files.extend(later.files);
            message.state = later.state;
        }
    }

    /// Removes and returns the held message, if it may be an answer.
    pub(crate) fn take_answer(&mut self) -> Option<PendingMessage> {
        self.message.take_if(|message| message.state == SendState::Held && message.send_as.is_some())
    }

    /// Removes the held reply to an ask. Returns false if none is held; a sent one can't be taken back.
    pub(crate) fn take_back(&mut self, tool_call_id: &str) -> bool {
        let is_it = |pending: &PendingReply| pending.state == SendState::Held && pending.tool_call_id == tool_call_id;
        let count = self.replies.len();
        self.replies.retain(|pending| !is_it(pending));
        self.replies.len() < count
    }

    /// The state of the reply to an ask or of the change of its answer, if there is one.
    pub(crate) fn state_of(&self, tool_call_id: &str) -> Option<&SendState> {
        let mut replies = self.replies.iter();
        let reply = replies.find(|pending| pending.tool_call_id == tool_call_id).map(|pending| &pending.state);
        let change = self.message.as_ref().filter(|message| message.replaces.as_deref() == Some(tool_call_id));
        reply.or(change.map(|message| &message.state))
    }

    /// Returns true if a reply to an ask is held or being sent.
    pub(crate) fn answers(&self, tool_call_id: &str) -> bool {
        self.state_of(tool_call_id).is_some_and(|state| !state.has_failed())
    }

    /// The asks whose replies a request carries, with their outcomes.
    pub(crate) fn sent(&self) -> impl Iterator<Item = (&str, &Outcome)> {
        let sent = self.replies.iter().filter(|pending| pending.state == SendState::Sent);
        sent.filter_map(|pending| Some((pending.tool_call_id.as_str(), pending.content.outcome()?)))
    }

    /// Returns true if a request carries a reply or the message.
    pub(crate) fn has_sent(&self) -> bool {
        self.states().any(|state| *state == SendState::Sent)
    }

    /// The error of a typed text, which no card shows.
    pub(crate) fn trouble(&self) -> Option<&Trouble> {
        let typed =
            self.replies.iter().filter(|pending| pending.by == AnsweredBy::Composer).map(|pending| &pending.state);
        // A message that the user stopped needs no error.
        let message = self.message.as_ref().map(|message| &message.state);
        let message = message.filter(|state| **state != SendState::Failed(Trouble::Stopped));
        typed.chain(message).find_map(SendState::trouble)
    }

    /// Marks these replies as sent and, with `with_message`, the held message.
    pub(crate) fn send(&mut self, replies: &[AskReply], with_message: bool) {
        for pending in &mut self.replies {
            if replies.iter().any(|reply| reply.reply_id == pending.reply_id) {
                pending.state = SendState::Sent;
            }
        }
        if let Some(message) = self.message.as_mut().filter(|message| with_message && message.state == SendState::Held)
        {
            message.state = SendState::Sent;
        }
    }

    pub(crate) fn remove_sent(&mut self) {
        self.replies.retain(|pending| pending.state != SendState::Sent);
        self.message.take_if(|message| message.state == SendState::Sent);
    }

    pub(crate) fn replace_state(&mut self, from: &SendState, to: &SendState) {
        for state in self.states_mut().filter(|state| *state == from) {
            *state = to.clone();
        }
        if let Some(message) = self.message.as_mut().filter(|message| message.state.has_failed()) {
            // When it was sent, no question waited that it could have answered.
            message.send_as = None;
        }
    }

    pub(crate) fn hold_failed(&mut self) {
        for state in self.states_mut().filter(|state| state.has_failed()) {
            *state = SendState::Held;
        }
    }

    pub(crate) fn hold_failed_message(&mut self) {
        if let Some(message) = self.message.as_mut().filter(|message| message.state.has_failed()) {
            message.state = SendState::Held;
        }
    }

    /// The asks whose cards have a held reply.
    pub(crate) fn held_on_cards(&self) -> Vec<String> {
        let held = self.held().into_iter().filter(|reply| reply.by == AnsweredBy::Card);
        held.map(|reply| reply.tool_call_id).collect()
    }

    /// Drops the typed replies that have failed, and a failed message with this text.
    pub(crate) fn drop_failed_text(&mut self, text: &str) {
        self.replies.retain(|pending| !pending.state.has_failed() || pending.by == AnsweredBy::Card);
        self.message.take_if(|message| message.state.has_failed() && message.text == text);
    }

    /// Drops the items whose ask or message is settled, and holds again what was sent. A typed reply that came too late becomes a message that
    /// has failed, since no card shows its text. Returns true if a reply was dropped.
    pub(crate) fn settle(&mut self, asks: &Asks, thread: &Thread) -> bool {
        self.message.take_if(|message| thread.message(&message.id).is_some());
        let count = self.replies.len();
        let message = &mut self.message;
        self.replies.retain_mut(|pending| {
            if pending.state == SendState::Sent {
                pending.state = SendState::Held;
            }
            let is_open = pending.is_for(asks);
            if !is_open && !pending.has_arrived(asks, thread) {
                pending.leave_text(message);
            }
            is_open
        });
        self.replies.len() < count
    }

    /// Writes the outbox to the tab's storage, if it has one.
    pub(crate) fn persist(&self, asks: &Asks) {
        if let Some(OutboxStorage { key, write }) = &self.storage {
            write(key, self, asks);
        }
    }
}

fn write(key: &str, outbox: &Outbox, asks: &Asks) {
    if outbox.replies.is_empty() && outbox.message.is_none() {
        return Shelf::Tab.remove(key);
    }
    let replies: Vec<_> = outbox.replies.iter().map(|pending| pending.write(asks)).collect();
    let message = outbox.message.as_ref().map(|message| message.write(asks));
    let stored = Json::object([("held", replies.into()), ("message", message.unwrap_or(Json::Null))]);
    Shelf::Tab.write(key, &stored.to_string());
}

impl SendState {
    pub(crate) fn has_failed(&self) -> bool {
        self.trouble().is_some()
    }

    fn trouble(&self) -> Option<&Trouble> {
        match self {
            Self::Held | Self::Sent => None,
            Self::Failed(trouble) => Some(trouble),
        }
    }

    fn write(&self) -> Json<'static> {
        let word = match self {
            Self::Held => "held",
            Self::Sent => "sent",
            Self::Failed(_) => "back",
        };
        word.into()
    }

    /// Reads a stored state. The reason of a failure is not stored.
    fn read(stored: &Json<'_>, resend: Resend) -> Self {
        match (json::text(stored, "mail"), resend) {
            (Some("back"), _) | (Some("sent"), Resend::Manual) => Self::Failed(Trouble::DeliveryUnknown),
            _ => Self::Held,
        }
    }
}

impl PendingReply {
    /// Returns true if its ask is open. Parses the content.
    fn is_for(&mut self, asks: &Asks) -> bool {
        asks.ask(&self.tool_call_id).is_some_and(|snapshot| {
            let is_parsed = snapshot.ask.as_ref().is_some_and(|ask| self.content.parse_for(ask));
            is_parsed && matches!(snapshot.phase, Phase::Ready | Phase::Answerable)
        })
    }

    /// Returns true if the agent has it: by its id, or as the outcome of its ask, for a resumed run sends no message.
    fn has_arrived(&self, asks: &Asks, thread: &Thread) -> bool {
        let about = |message: &Message| message.metadata().and_then(AskMetadata::of);
        let mut abouts = thread.messages().iter().filter_map(about);
        let outcome = asks.ask(&self.tool_call_id).and_then(|ask| ask.outcome.as_ref());
        abouts.any(|ask| ask.reply_id == self.reply_id) || outcome.is_some_and(|it| Some(it) == self.content.outcome())
    }

    /// Adds a typed text and its files to a message that the user can send.
    fn leave_text(&self, message: &mut Option<PendingMessage>) {
        let (AnsweredBy::Composer, Some(outcome)) = (self.by, self.content.outcome()) else { return };
        let text = match outcome {
            Outcome::Answered(reply) => reply.message(),
            Outcome::RepliedInChat { text, .. } => text.clone(),
            _ => return,
        };
        let files = outcome.attachments().into_iter().map(|(_, file)| file.clone());
        match message {
            Some(message) => {
                message.text = [&message.text, "\n", &text].concat();
                message.files.extend(files);
            }
            None => {
                *message = Some(PendingMessage {
                    id: new_id(),
                    text,
                    files: files.collect(),
                    send_as: None,
                    picks: CardPicks(Vec::new()),
                    replaces: None,
                    state: SendState::Failed(Trouble::NotWaiting),
                });
            }
        }
    }

    fn ask_reply(&self) -> Option<AskReply> {
        Some(AskReply {
            tool_call_id: self.tool_call_id.clone(),
            reply_id: self.reply_id.clone(),
            outcome: self.content.outcome()?.clone(),
            by: self.by,
        })
    }

    fn write(&self, asks: &Asks) -> Json<'static> {
        Json::object([
            ("call", self.tool_call_id.as_str().into()),
            ("reply", self.reply_id.as_str().into()),
            ("typed", (self.by == AnsweredBy::Composer).into()),
            ("content", self.content.write(asks, &self.tool_call_id)),
            ("mail", self.state.write()),
        ])
    }

    fn read(stored: &Json<'_>, resend: Resend) -> Option<Self> {
        let text = |name: &str| json::text(stored, name).map(str::to_owned);
        Some(Self {
            tool_call_id: text("call")?,
            reply_id: text("reply")?,
            by: if is_on(stored, "typed") { AnsweredBy::Composer } else { AnsweredBy::Card },
            content: ReplyContent::Raw(text("content")?),
            state: SendState::read(stored, resend),
        })
    }
}

impl CardPicks {
    /// The picks on the card of a call, with these files for its first question.
    pub(crate) fn of(&self, tool_call_id: &str, ask: &AskUserQuestion, files: &[Attachment]) -> Vec<Selection> {
        let mut picked = self.0.iter().find(|(id, _)| id == tool_call_id).map(|(_, picked)| picked.clone());
        if let Some(picked) = &mut picked {
            picked.parse_for(ask);
        }
        let mut partial = match picked {
            Some(ReplyContent::Parsed(Outcome::RepliedInChat { partial, .. })) => partial,
            _ => Vec::new(),
        };
        if !files.is_empty() {
            let first = partial.iter().position(|picks| picks.question == 0).unwrap_or_else(|| {
                partial.insert(0, Selection::default());
                0
            });
            partial[first].attachments.extend_from_slice(files);
        }
        partial
    }
}

impl PendingMessage {
    pub(crate) fn message(&self) -> Message {
        Message::user_with_files(&*self.id, &*self.text, self.files.iter().map(|file| (None, file)))
    }

    fn write(&self, asks: &Asks) -> Json<'static> {
        // Each call is followed by the picks on its card.
        let picks = self.picks.0.iter().flat_map(|(id, picked)| [id.as_str().into(), picked.write(asks, id)]);
        Json::object([
            ("id", self.id.as_str().into()),
            ("text", self.text.as_str().into()),
            ("files", self.files.iter().map(Attachment::to_json).collect::<Vec<_>>().into()),
            ("as", self.send_as.map_or("", SendAs::name).into()),
            ("picks", picks.collect::<Vec<_>>().into()),
            ("replaces", self.replaces.as_deref().map_or(Json::Null, Into::into)),
            ("mail", self.state.write()),
        ])
    }

    fn read(stored: &Json<'_>, resend: Resend) -> Option<Self> {
        let state = SendState::read(stored, resend);
        let text = |stored: &Json<'_>| stored.as_str().map(str::to_owned);
        let picked = |pair: &[Json<'_>]| Some((text(&pair[0])?, ReplyContent::Raw(text(&pair[1])?)));
        let picks = json::items(stored, "picks");
        Some(Self {
            id: text(stored.get("id")?)?,
            text: text(stored.get("text")?)?,
            files: json::items(stored, "files").iter().filter_map(Attachment::read).collect(),
            send_as: json::text(stored, "as").and_then(SendAs::named).filter(|_| !state.has_failed()),
            picks: CardPicks(picks.chunks_exact(2).filter_map(picked).collect()),
            replaces: json::text(stored, "replaces").map(str::to_owned),
            state,
        })
    }
}

fn is_on(stored: &Json<'_>, name: &str) -> bool {
    stored.get(name).and_then(Json::as_bool) == Some(true)
}
