//! Asks of programs, answers and cancels that come as JSON, without AG-UI.

use super::bounds::Bounds;
use super::input::check_id;
use super::intake::check_reply;
use super::refused::Refused;
use super::wire::outcome_of;
use crate::background;
use crate::call::ToolResult;
use crate::event::Response;
use crate::message::{MessageFile, UserMessage};
use crate::time::Timestamp;
use crate::{Conversation, Event, Rejected};
use ask_user_question::limits::ExtraMember;
use ask_user_question::outcome::{AnsweredBy, AskMetadata, DECLINED_TEXT, OutcomeKind, Via};
use ask_user_question::{AskUserQuestion, Limits, Outcome, Reply};
use json_tree::{Plain, plain};
use question_compat::check_text;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Number, Value, json};
use std::num::NonZeroU32;

/// An answer: `{answers, details?, toolCallId?, replyId?, via?, answeredBy?}`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RespondBody {
    #[serde(deserialize_with = "plain")]
    answers: Value,
    details: Option<Plain>,
    tool_call_id: Option<String>,
    reply_id: Option<String>,
    via: Option<String>,
    answered_by: Option<String>,
}

/// An ask of a program: `{questions, id?, expiresAfter?, callback?}`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AskBody {
    /// The program's own id for it: an ask with the same id is asked only once.
    pub id: Option<String>,
    #[serde(deserialize_with = "plain")]
    questions: Value,
    /// The seconds until it expires. A whole number may have a fraction of zero, as some languages write it.
    #[serde(default, deserialize_with = "whole")]
    pub expires_after: Option<NonZeroU32>,
    /// The URL that gets its outcome.
    pub callback: Option<String>,
}

fn whole<'de, D: Deserializer<'de>>(member: D) -> Result<Option<NonZeroU32>, D::Error> {
    let Some(number) = Option::<Number>::deserialize(member)? else { return Ok(None) };
    let text = number.to_string();
    let whole = text.strip_suffix(".0").unwrap_or(&text).parse();
    whole.map(Some).map_err(|_| D::Error::custom(format!("invalid value: {text}, expected a whole number from 1 on")))
}

/// A cancel: `{proceed?, toolCallId?, runId?}`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelBody {
    /// True if the model goes on without an answer.
    #[serde(default)]
    pub proceed: bool,
    /// Stops only this run: if it is over, a waiting question is left alone.
    pub run_id: Option<String>,
    /// Cancels only this question: neither a later one nor a run.
    pub tool_call_id: Option<String>,
}

const ASKS: Limits = Limits::RUNTIME
    .with(ExtraMember::Input)
    .with(ExtraMember::ShowIf)
    .with(ExtraMember::Value)
    .with(ExtraMember::Preview)
    .with(ExtraMember::Image);

impl AskBody {
    /// Reads a body.
    ///
    /// # Errors
    /// If it is no ask.
    pub fn parse(body: &[u8]) -> Result<Self, Refused> {
        let read: Self = parse(body)?;
        check_ids([&read.id, &None])?;
        Ok(read)
    }

    /// The event of the ask: a call of this tool with this id.
    ///
    /// # Errors
    /// All violations of the questions.
    pub fn read(&self, tool: &str, tool_use_id: &str, expires_at: Option<Timestamp>) -> Result<Event, Refused> {
        let asked = json!({"questions": self.questions}).to_string();
        let questions = check_text(&ASKS, &asked).into_valid().map_err(Refused::InvalidAsk)?;
        Ok(Event::program_asked(tool, tool_use_id, questions, expires_at))
    }
}

/// The status of an ask for its program: `{toolCallId, outcome, answers?, details?, text?, via?, answeredBy?}`. Without a result, it has no outcome yet.
#[must_use]
pub fn ask_status(tool_use_id: &str, result: Option<&ToolResult>) -> Value {
    let mut status = json!({"toolCallId": tool_use_id});
    let Some(result) = result else {
        return status;
    };
    status["outcome"] = json!(outcome_of(result));
    let content = json_tree::parse(&result.content).unwrap_or_default();
    for name in ["answers", "details", "text"] {
        if let Some(value) = content.get(name) {
            status[name] = value.clone();
        }
    }
    if let Some(ask) = &result.ask {
        let via = ask.via.as_ref();
        status["via"] = via.map_or(Via::PAGE, |via| &via.name).into();
        if let Some(person) = via.and_then(|via| via.answered_by.as_deref()) {
            status["answeredBy"] = person.into();
        }
    }
    status
}

impl RespondBody {
    /// Reads a body.
    ///
    /// # Errors
    /// If it is no answer.
    pub fn parse(body: &[u8]) -> Result<Self, Refused> {
        let read: Self = parse(body)?;
        check_ids([&read.tool_call_id, &read.reply_id])?;
        check_name("via", read.via.as_deref())?;
        check_name("answeredBy", read.answered_by.as_deref())?;
        match read.via.as_deref() {
            Some(own @ (Via::PAGE | Via::MCP)) => {
                Err(Refused::BadRequest(format!("`via` cannot be `{own}`, which a program cannot answer by.")))
            }
            _ => Ok(read),
        }
    }

    /// The event of the answer. An absent `toolCallId` means the waiting ask, unless the reply has been taken already: then it is a
    /// repetition. `new_id` names a reply that its client has not named.
    ///
    /// # Errors
    /// If it does not fit the question, or came too late.
    pub fn read(
        &self,
        bounds: &Bounds,
        conversation: &Conversation,
        new_id: impl FnOnce() -> String,
    ) -> Result<Event, Refused> {
        let winner = match (&self.tool_call_id, &self.reply_id) {
            (Some(id), _) => conversation.end_of(id),
            (None, Some(reply_id)) => conversation.result_by(reply_id).cloned().or_else(|| {
                let call = background::answered_by(conversation.messages(), reply_id)?;
                background::winner(conversation.messages(), call)
            }),
            (None, None) => None,
        };
        let open = background::open(conversation.messages());
        let background = match (&self.tool_call_id, &*open) {
            (Some(id), open) => open.iter().find(|(call, _)| call == id),
            (None, [only]) if conversation.waiting().is_none() => Some(only),
            (None, _) => None,
        };
        let expired = || expired(conversation).filter(|_| self.tool_call_id.is_none() && background.is_none());
        let winner = winner.or_else(|| expired().cloned());
        if let Some(winner) = winner {
            let same_reply =
                winner.ask.as_ref().map(|ask| &ask.reply_id) == self.reply_id.as_ref() && self.reply_id.is_some();
            return Err(Refused::Rejected(Rejected::AlreadyAnswered { same_reply, winner: Box::new(winner) }));
        }
        if let Some((call, questions)) = background {
            let reply = self.reply(questions)?;
            reply.check_attachments(bounds.files.as_ref()).map_err(Refused::InvalidReply)?;
            let files = reply.attachments().map(|(at, file)| MessageFile { file: file.clone(), question: Some(at) });
            let said = UserMessage { files: files.collect(), ..UserMessage::new(new_id(), reply.message()) };
            check_reply(bounds, conversation, &Outcome::Answered(reply))?;
            let reply_id = self.reply_id.clone().unwrap_or_else(|| said.id.clone());
            return Ok(ends_ask(call, said, reply_id, OutcomeKind::Answered, self.by_way()));
        }
        let waiting = conversation.waiting().ok_or(Refused::Rejected(Rejected::NotWaiting))?;
        // Validated against another question, the answer would get errors that its user cannot understand.
        let is_foreign = |id: &String| *id != waiting.tool_use_id;
        if self.tool_call_id.as_ref().is_some_and(is_foreign) {
            return Err(Refused::Rejected(Rejected::ForeignReply { waiting: waiting.tool_use_id.clone() }));
        }
        let outcome = Outcome::Answered(self.reply(&waiting.questions)?);
        check_reply(bounds, conversation, &outcome)?;
        let reply_id = self.reply_id.clone().unwrap_or_else(new_id);
        let response = Response::new(&waiting.tool_use_id, reply_id, AnsweredBy::Card, outcome);
        Ok(Event::UserQuestionResponse(Response { via: Some(self.by_way()), ..response }))
    }

    fn by_way(&self) -> Via {
        let name = self.via.clone().unwrap_or_else(|| Via::REST.to_owned());
        Via { name, answered_by: self.answered_by.clone() }
    }

    fn reply(&self, questions: &AskUserQuestion) -> Result<Reply, Refused> {
        let mut reply = json!({"answers": self.answers});
        if let Some(Plain(details)) = &self.details {
            reply["details"] = details.clone();
        }
        Reply::parse(questions, &reply).map_err(Refused::InvalidReply)
    }
}

/// The message that ends an ask for whose answer the agent does not wait.
fn ends_ask(call: &str, said: UserMessage, reply_id: String, outcome: OutcomeKind, via: Via) -> Event {
    let (by, via) = (AnsweredBy::Card, Some(via));
    let ask = AskMetadata { tool_call_id: call.to_owned(), reply_id, outcome, by, replaces: None, via };
    Event::UserMessage { messages: vec![UserMessage { ask: Some(ask), ..said }] }
}

impl CancelBody {
    /// Reads a body, which may be empty.
    ///
    /// # Errors
    /// If it is no cancel, or names a run and a question.
    pub fn parse(body: &[u8]) -> Result<Self, Refused> {
        let read: Self = if body.is_empty() { Self::default() } else { parse(body)? };
        check_ids([&read.run_id, &read.tool_call_id])?;
        match read.run_id.is_some() && read.tool_call_id.is_some() {
            true => Err(Refused::BadRequest("Either runId or toolCallId says what is to end.".to_owned())),
            false => Ok(read),
        }
    }

    /// Returns true if the named question was cancelled before, so that the cancel is done.
    ///
    /// # Errors
    /// If the question ended otherwise, or does not wait.
    pub fn is_done(&self, conversation: &Conversation) -> Result<bool, Refused> {
        let Some(tool_call_id) = &self.tool_call_id else {
            return Ok(false);
        };
        if let Some(result) = conversation.end_of(tool_call_id) {
            if outcome_of(&result) == Some(OutcomeKind::Declined) {
                return Ok(true);
            }
            let winner = Box::new(result);
            return Err(Refused::Rejected(Rejected::AlreadyAnswered { same_reply: false, winner }));
        }
        match conversation.waiting() {
            _ if background::open_ids(conversation.messages()).contains(tool_call_id.as_str()) => Ok(false),
            Some(waiting) if waiting.tool_use_id == *tool_call_id => Ok(false),
            Some(waiting) => Err(Refused::Rejected(Rejected::ForeignReply { waiting: waiting.tool_use_id.clone() })),
            None => Err(Refused::Rejected(Rejected::NotWaiting)),
        }
    }

    /// The event of the cancel. An ask for whose answer the agent does not wait is declined by a message, which `new_id` names.
    #[must_use]
    pub fn event(&self, conversation: &Conversation, new_id: impl FnOnce() -> String) -> Event {
        let open = background::open_ids(conversation.messages());
        match self.tool_call_id.as_deref().filter(|call| open.contains(call)) {
            Some(call) => {
                let said = UserMessage::new(new_id(), DECLINED_TEXT);
                let reply_id = said.id.clone();
                ends_ask(call, said, reply_id, OutcomeKind::Declined, Via::named(Via::REST))
            }
            None => Event::UserCancel { proceed: self.proceed },
        }
    }
}

/// The result of the last question, if it expired and none has waited since.
fn expired(conversation: &Conversation) -> Option<&ToolResult> {
    if conversation.waiting().is_some() {
        return None;
    }
    let (last, outcome) = conversation.results().find_map(|result| Some((result, outcome_of(result)?)))?;
    (outcome == OutcomeKind::Expired).then_some(last)
}

/// The maximum length of `via` and `answeredBy`, in characters.
const MAX_NAME: usize = 100;

fn check_name(member: &str, name: Option<&str>) -> Result<(), Refused> {
    let is_one =
        |name: &str| !name.trim().is_empty() && name.chars().count() <= MAX_NAME && !name.chars().any(char::is_control);
    match name.is_none_or(is_one) {
        true => Ok(()),
        false => Err(Refused::BadRequest(format!("`{member}` is a name of 1 to {MAX_NAME} characters in one line."))),
    }
}

fn check_ids(given: [&Option<String>; 2]) -> Result<(), Refused> {
    given.into_iter().flatten().try_for_each(|id| check_id(id))
}

fn parse<T: for<'de> Deserialize<'de>>(body: &[u8]) -> Result<T, Refused> {
    serde_json::from_slice(body).map_err(|error| Refused::BadRequest(format!("The body cannot be read: {error}.")))
}
