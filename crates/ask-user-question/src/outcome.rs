//! The outcomes of an ask, and their text for the agent.

use crate::attachment::Attachment;
use crate::repairs::Repairs;
use crate::reply::{Answer, Given, Reply, Selected, Selection, details, lenient_details};
use crate::text::is_blank;
use crate::wire::AskUserQuestion;
use json_tree::{Json, codes};
use serde::{Deserialize, Serialize};
use std::mem;

/// Reads the outcome of an ask from a text; `None` if the text is none.
pub type ReadOutcome = fn(&AskUserQuestion, &str) -> Option<Outcome>;

/// Readers of asks and answers in other forms than the tool's own; none by default. The crate `question-compat` has some. A program contains only
/// the code of the readers that it names.
#[derive(Clone, Copy, Debug)]
pub struct Readers {
    /// Brings the arguments of a call into the tool's form.
    pub repairs: &'static Repairs,
    /// Reads a result of an ended call, including one in the tool's own form.
    pub result: ReadOutcome,
    /// Reads a user message that names no ask.
    pub typed: ReadOutcome,
}

impl Default for Readers {
    fn default() -> Self {
        Self { repairs: Default::default(), result: Outcome::parse, typed: |_, _| None }
    }
}

/// How an ask ended. Only `Answered` may be treated as consent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The user answered.
    Answered(Reply),
    /// The user declined, such as by the card's Cancel button.
    Declined,
    /// The user typed a message that does not answer every question.
    RepliedInChat {
        /// The typed text.
        text: String,
        /// The selections made before.
        partial: Vec<Selection>,
    },
    /// The deadline passed.
    Expired,
    /// The user continued with something else.
    Superseded,
    /// The run was stopped.
    Cancelled,
    /// The agent no longer needs the answer.
    Withdrawn,
}

/// The agent's text for [`Outcome::Declined`].
pub const DECLINED_TEXT: &str = "User cancelled the question. This is no answer and no consent.";
/// The short form that other agents write.
const DECLINED_SHORT: &str = "User cancelled the question";
/// The agent's text for [`Outcome::Expired`].
pub const EXPIRED_TEXT: &str =
    "The question expired: the user did not answer in time. This is no answer and no consent.";
/// The agent's text for [`Outcome::Superseded`].
pub const SUPERSEDED_TEXT: &str =
    "The user did not answer the question and went on with something else. This is no answer and no consent.";
/// The agent's text for [`Outcome::Cancelled`].
pub const CANCELLED_TEXT: &str =
    "The run was stopped before the user answered the question. This is no answer and no consent.";
/// The agent's text for [`Outcome::Withdrawn`].
pub const WITHDRAWN_TEXT: &str = "The agent withdrew the question. This is no answer and no consent.";
/// The result of a call whose answer the agent does not wait for. It is not an outcome: the ask stays open.
pub const ASKED_TEXT: &str = "asked; the answer will come as a message";
/// The agent's text beside the one in [`Outcome::RepliedInChat`].
pub const REPLIED_IN_CHAT_TEXT: &str = "The user wrote this instead of answering. Questions marked skipped in `details` are not answered; do not take them as consent.";

impl Outcome {
    /// The content of the tool message: the reply's JSON, or a sentence. For `RepliedInChat` it is JSON with `outcome`, `text` and `details`, but
    /// without `answers`, so that it can't be mistaken for a reply.
    #[must_use]
    pub fn tool_content(&self, ask: &AskUserQuestion) -> String {
        self.to_json(ask).plain_text()
    }

    /// The content as JSON; a sentence becomes a string.
    #[must_use]
    pub fn to_json(&self, ask: &AskUserQuestion) -> Json<'static> {
        match self {
            Self::Answered(reply) => reply.into(),
            Self::RepliedInChat { text, partial } => Json::object([
                ("outcome", OutcomeKind::RepliedInChat.as_str().into()),
                ("text", text.as_str().into()),
                ("message", REPLIED_IN_CHAT_TEXT.into()),
                ("details", details(&picks_of(ask, partial))),
            ]),
            bare => bare.kind().bare().map_or("", |(_, sentence)| sentence).into(),
        }
    }

    /// Reads the content of a tool message. Returns `None` for an acknowledgement, and for a reply that does not fit the ask.
    ///
    /// In addition to what [`tool_content`](Self::tool_content) writes, it accepts an "Error: " prefix, a sentence as a JSON string, the first
    /// sentence of cancelling alone, `{"outcome": "declined"}` and the like, and `{"status": "cancelled"}` of declined interrupts.
    #[must_use]
    pub fn parse(ask: &AskUserQuestion, content: &str) -> Option<Self> {
        let content = content.trim();
        if let Some(outcome) = Self::from_sentence(content) {
            return Some(outcome);
        }
        match Json::parse(content).ok()? {
            Json::Text(text) => Self::from_sentence(text.trim()),
            json => Self::read(ask, &json),
        }
    }

    /// As [`parse`](Self::parse), for content that is already JSON, such as the payload of a `resume` entry.
    #[must_use]
    pub fn from_json<'a, J>(ask: &AskUserQuestion, json: &'a J) -> Option<Self>
    where
        &'a J: Into<Json<'a>>,
    {
        Self::read(ask, &json.into())
    }

    fn read(ask: &AskUserQuestion, json: &Json<'_>) -> Option<Self> {
        let kind = match json.get("outcome") {
            Some(kind) => Some(OutcomeKind::from_word(kind.as_str()?)?),
            None => None,
        };
        match kind {
            Some(OutcomeKind::RepliedInChat) => Some(Self::RepliedInChat {
                text: json.string("text")?.to_owned(),
                partial: json
                    .get("details")
                    .map(|details| canonical(ask, lenient_details(ask, details)))
                    .unwrap_or_default(),
            }),
            None if json.string("status") == Some("cancelled") => Some(Self::Declined),
            Some(OutcomeKind::Answered) | None => Reply::read(ask, json).map(Self::Answered),
            Some(kind) => kind.bare().map(|(outcome, _)| outcome),
        }
    }

    /// Reads a user message that its client marked with an outcome. `attachments` are its files, each with the index of its question. `None` for an
    /// answer whose text is not as [`Reply::message`] writes it.
    #[must_use]
    pub fn read_message(
        kind: OutcomeKind,
        ask: &AskUserQuestion,
        text: &str,
        attachments: Vec<(usize, Attachment)>,
    ) -> Option<Self> {
        Some(match kind {
            OutcomeKind::Answered => Self::Answered(Reply::read_message_with(ask, text, attachments)?),
            OutcomeKind::RepliedInChat => {
                let mut partial: Vec<Selection> = Vec::new();
                for (question, file) in attachments {
                    match partial.iter_mut().find(|it| it.question == question) {
                        Some(it) => it.attachments.push(file),
                        None => partial.push(Selection::of(question).with_attachments([file])),
                    }
                }
                Self::replied_in_chat(ask, text, partial)
            }
            kind => kind.bare()?.0,
        })
    }

    /// The outcome for a typed message. Keeps the selections that fit the ask, in the order of the questions.
    #[must_use]
    pub fn replied_in_chat(ask: &AskUserQuestion, text: impl Into<String>, partial: Vec<Selection>) -> Self {
        Self::RepliedInChat { text: text.into(), partial: canonical(ask, partial) }
    }

    /// The attached files, each with the index of its question.
    #[must_use]
    pub fn attachments(&self) -> Vec<(usize, &Attachment)> {
        match self {
            Self::Answered(reply) => reply.attachments().collect(),
            Self::RepliedInChat { partial, .. } => {
                partial.iter().flat_map(|picks| picks.attachments.iter().map(|it| (picks.question, it))).collect()
            }
            Self::Declined | Self::Expired | Self::Superseded | Self::Cancelled | Self::Withdrawn => Vec::new(),
        }
    }

    /// Clears the `data:` URLs of files, for a text that goes to a model beside a message with the files.
    #[must_use]
    pub fn without_data(mut self) -> Self {
        let clear = |it: &mut Attachment| {
            if it.is_data() {
                it.url.clear();
            }
        };
        match &mut self {
            Self::Answered(reply) => {
                reply.answers.iter_mut().flat_map(|answer| &mut answer.attachments).for_each(clear);
            }
            Self::RepliedInChat { partial, .. } => {
                partial.iter_mut().flat_map(|picks| &mut picks.attachments).for_each(clear);
            }
            Self::Declined | Self::Expired | Self::Superseded | Self::Cancelled | Self::Withdrawn => {}
        }
        self
    }

    /// The kind, as in `metadata.ask.outcome`.
    #[must_use]
    pub fn kind(&self) -> OutcomeKind {
        match self {
            Self::Answered(_) => OutcomeKind::Answered,
            Self::Declined => OutcomeKind::Declined,
            Self::RepliedInChat { .. } => OutcomeKind::RepliedInChat,
            Self::Expired => OutcomeKind::Expired,
            Self::Superseded => OutcomeKind::Superseded,
            Self::Cancelled => OutcomeKind::Cancelled,
            Self::Withdrawn => OutcomeKind::Withdrawn,
        }
    }

    fn from_sentence(content: &str) -> Option<Self> {
        let sentence = content.strip_prefix("Error:").unwrap_or(content).trim_start();
        if sentence == DECLINED_SHORT {
            return Some(Self::Declined);
        }
        let mut all = OutcomeKind::ALL.iter().filter_map(|kind| kind.bare());
        all.find(|(_, text)| *text == sentence).map(|(outcome, _)| outcome)
    }
}

/// The details of an unfinished reply. A question without a selection counts as skipped.
fn picks_of(ask: &AskUserQuestion, partial: &[Selection]) -> Vec<Answer> {
    let mut answers = Answer::blank(ask);
    for picks in canonical(ask, partial.to_vec()) {
        let (answer, question) = (&mut answers[picks.question], &ask.questions[picks.question]);
        if picks.says_something() {
            let options = picks.selected.iter().map(|&index| Selected::of(index, &question.options[index]));
            answer.given = Given::Picked { options: options.collect(), other: picks.other };
        } else if !picks.attachments.is_empty() {
            answer.given = Given::Attached;
        }
        (answer.note, answer.attachments) = (picks.note, picks.attachments);
    }
    answers
}

/// The selections that fit the ask: at most one per question, in order, without empty ones.
fn canonical(ask: &AskUserQuestion, mut partial: Vec<Selection>) -> Vec<Selection> {
    let mut places = vec![usize::MAX; ask.questions.len()];
    for (at, selection) in partial.iter_mut().enumerate() {
        if fits(ask, selection) && places[selection.question] == usize::MAX {
            places[selection.question] = at;
        }
    }
    places.into_iter().filter_map(|at| partial.get_mut(at).map(mem::take)).collect()
}

/// Removes the parts of a selection that do not fit the ask. Returns true if anything is left.
fn fits(ask: &AskUserQuestion, selection: &mut Selection) -> bool {
    let Some(question) = ask.questions.get(selection.question) else {
        return false;
    };
    selection.selected = question.in_order(&selection.selected);
    selection.other.take_if(|other| is_blank(other));
    selection.note.take_if(|note| is_blank(note));
    selection.attachments.retain(|file| file.flaw().is_none());
    let picked = selection.selected.len() + usize::from(selection.other.is_some());
    let is_given = picked > 0 || !selection.attachments.is_empty();
    let contradicts = picked > 1 && !question.takes_several() || is_given && selection.skipped;
    selection.skipped = false;
    !contradicts && (is_given || selection.note.is_some())
}

codes! {
    /// The kinds of outcome on the wire.
    OutcomeKind {
        /// See [`Outcome::Answered`].
        Answered "answered",
        /// See [`Outcome::Declined`].
        Declined "declined",
        /// See [`Outcome::RepliedInChat`].
        RepliedInChat "replied_in_chat",
        /// See [`Outcome::Expired`].
        Expired "expired",
        /// See [`Outcome::Superseded`].
        Superseded "superseded",
        /// See [`Outcome::Cancelled`].
        Cancelled "cancelled",
        /// See [`Outcome::Withdrawn`].
        Withdrawn "withdrawn",
    }
}

impl OutcomeKind {
    /// The outcome of this kind and its text for the agent; `None` for kinds that carry data.
    #[must_use]
    pub fn bare(self) -> Option<(Outcome, &'static str)> {
        match self {
            Self::Answered | Self::RepliedInChat => None,
            Self::Declined => Some((Outcome::Declined, DECLINED_TEXT)),
            Self::Expired => Some((Outcome::Expired, EXPIRED_TEXT)),
            Self::Superseded => Some((Outcome::Superseded, SUPERSEDED_TEXT)),
            Self::Cancelled => Some((Outcome::Cancelled, CANCELLED_TEXT)),
            Self::Withdrawn => Some((Outcome::Withdrawn, WITHDRAWN_TEXT)),
        }
    }
}

codes! {
    /// Where an answer was given.
    AnsweredBy {
        /// On the card.
        Card "card",
        /// In the message composer.
        Composer "composer",
    }
}

/// The value of `metadata.ask` on the messages that carry a reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AskMetadata {
    /// The call that is answered.
    pub tool_call_id: String,
    /// An id that the client creates once per reply, so that a retry is recognised.
    pub reply_id: String,
    /// How the ask ended.
    pub outcome: OutcomeKind,
    /// Where the answer was given.
    pub by: AnsweredBy,
    /// The reply or call whose answer this message [changes](Reply::change_message).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    /// The channel of the answer; `None` if it came by the agent's own protocol.
    #[serde(default, flatten, skip_serializing_if = "Option::is_none")]
    pub via: Option<Via>,
}

/// The channel by which an answer came, and who gave it there. Both are claims of the sending program and are not verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Via {
    /// The channel, such as `slack`.
    #[serde(rename = "via")]
    pub name: String,
    /// The person's name, as claimed by the program.
    #[serde(default, rename = "answeredBy", skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
}

impl Via {
    /// The channel of a page, which answers over AG-UI.
    pub const PAGE: &str = "page";
    /// The channel of a REST client that names none.
    pub const REST: &str = "rest";
    /// The channel of an MCP client.
    pub const MCP: &str = "mcp";

    /// A channel without a person.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), answered_by: None }
    }

    /// Reads `{via, answeredBy?}`, which are members of an [`AskMetadata`]; `None` if there is no valid channel.
    #[must_use]
    pub fn read(members: &Json<'_>) -> Option<Self> {
        let answered_by = members.string("answeredBy").map(str::to_owned);
        Some(Self { name: members.string("via")?.to_owned(), answered_by })
    }
}

impl AskMetadata {
    /// The key in a message's `metadata`.
    pub const KEY: &str = "ask";

    /// Reads the value under [`KEY`](Self::KEY) in a message's `metadata`; `None` if it is absent or invalid.
    #[must_use]
    pub fn of(metadata: &Json<'_>) -> Option<Self> {
        Self::read(metadata.get(Self::KEY)?)
    }

    /// Reads the value of [`KEY`](Self::KEY); `None` if it is invalid.
    #[must_use]
    pub fn read(ask: &Json<'_>) -> Option<Self> {
        Some(Self {
            tool_call_id: ask.string("toolCallId")?.to_owned(),
            reply_id: ask.string("replyId")?.to_owned(),
            outcome: OutcomeKind::from_word(ask.string("outcome")?)?,
            by: AnsweredBy::from_word(ask.string("by")?)?,
            replaces: ask.string("replaces").map(str::to_owned),
            via: Via::read(ask),
        })
    }

    /// The `metadata` of a message that has only this.
    #[must_use]
    pub fn to_metadata(&self) -> Json<'static> {
        let mut ask = vec![
            ("toolCallId", self.tool_call_id.as_str().into()),
            ("replyId", self.reply_id.as_str().into()),
            ("outcome", self.outcome.as_str().into()),
            ("by", self.by.as_str().into()),
        ];
        ask.extend(self.replaces.as_deref().map(|replaces| ("replaces", replaces.into())));
        if let Some(via) = &self.via {
            ask.push(("via", via.name.as_str().into()));
            ask.extend(via.answered_by.as_deref().map(|person| ("answeredBy", person.into())));
        }
        Json::object([(Self::KEY, Json::object(ask))])
    }
}
