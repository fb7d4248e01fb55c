//! Reads a client's input. The store is the truth. From the client's history, only new user messages and replies to the waiting ask are
//! taken. All other messages are known already, or not the client's to send.
//!
//! The cost of an input is linear in its length: new messages are counted before they are read, and ids are looked up, not searched for.

use super::bounds::Bounds;
use super::input::{InputMessage, InputTool, Marks, Resume, RunInput};
use super::refused::{Full, Refused};
use super::view::View;
use crate::background;
use crate::branch::{ChangedAnswer, undone};
use crate::call::ToolResult;
use crate::event::Response;
use crate::message::{Message, MessageFile, UserMessage};
use crate::state::AwaitingUserResponse;
use crate::{Conversation, Event, Rejected};
use ag_ui_stream::input::ResumeStatus;
use ask_user_question::outcome::{AnsweredBy, AskMetadata, OutcomeKind};
use ask_user_question::validate::Violation;
use ask_user_question::{AskUserQuestion, Outcome, Reply};
use json_tree::Plain;
use question_compat::match_message;
use serde_json::Value;
use std::cell::LazyCell;
use std::collections::HashSet;

/// The event of an input; `None` if it has nothing new.
///
/// # Errors
/// If it is longer than allowed, or the conversation can't take it now.
pub fn read(bounds: &Bounds, view: View<'_>, input: &RunInput) -> Result<Option<Event>, Refused> {
    let conversation = view.conversation;
    let known = KnownIds::of(conversation);
    if let Some(result) = client_result(bounds, view, &known, input)? {
        check_room(bounds, conversation, 1, result.content.len())?;
        return Ok(Some(Event::ToolComplete { result }));
    }
    let said = new_user_messages(bounds, conversation, &known, input)?;
    if let Some(waiting) = conversation.waiting() {
        if let Some(response) = response(&known, waiting, input, &said)? {
            check_reply(bounds, conversation, &response.outcome)?;
            return Ok(Some(Event::UserQuestionResponse(response)));
        }
        refuse_foreign_reply(&known, waiting, &said)?;
    }
    let (repeated, mut messages): (Vec<UserMessage>, Vec<UserMessage>) =
        said.into_iter().partition(|message| known.is_answered(message.ask.as_ref()));
    // Only the first new message may undo something: a later one would undo the new messages before it as well.
    if bounds.changed_answer == ChangedAnswer::Branch
        && conversation.waiting().is_none()
        && let Some(first) = messages.first_mut()
    {
        first.undoes = undone(conversation.messages(), first);
    }
    if !messages.is_empty() {
        return Ok(Some(Event::UserMessage { messages }));
    }
    refuse_late_reply(conversation, &known, input, &repeated)?;
    refuse_unreadable(&known, input)?;
    Ok(None)
}

struct KnownIds<'a> {
    messages: HashSet<&'a str>,
    answered: HashSet<&'a str>,
}

impl<'a> KnownIds<'a> {
    fn of(conversation: &'a Conversation) -> Self {
        let messages = conversation.messages();
        let answered = conversation.results().map(|result| result.tool_use_id.as_str());
        let open = background::open_ids(messages);
        Self {
            messages: messages.iter().map(Message::id).collect(),
            answered: answered.filter(|call| !open.contains(call)).collect(),
        }
    }

    fn has(&self, message_id: &str) -> bool {
        self.messages.contains(message_id)
    }

    fn is_answered(&self, ask: Option<&AskMetadata>) -> bool {
        // A change of that answer is a message like any other.
        ask.is_some_and(|ask| ask.replaces.is_none() && self.answered.contains(ask.tool_call_id.as_str()))
    }
}

/// The result of the call that the client runs. A message beside it is not lost: clients send their history with each input.
fn client_result(
    bounds: &Bounds,
    view: View<'_>,
    known: &KnownIds<'_>,
    input: &RunInput,
) -> Result<Option<ToolResult>, Refused> {
    let Some(call) = view.clients_call() else {
        return Ok(None);
    };
    let is_new = |tool: &&InputTool| !known.has(&tool.id);
    let mut brought = tool_messages(input).filter(is_new);
    let Some(tool) = brought.find(|tool| tool.tool_call_id == call.id) else {
        return Ok(None);
    };
    let content = tool.text();
    if content.len() > bounds.tool_result {
        return Err(Refused::ToolResultTooLong(bounds.tool_result));
    }
    Ok(Some(ToolResult {
        message_id: tool.id.clone(),
        tool_use_id: call.id.clone(),
        content,
        is_error: tool.has_failed(),
        ask: None,
    }))
}

/// Refuses a reply with a text that is too long, or for which there is no room.
///
/// # Errors
/// The text is too long, or the conversation is full.
pub fn check_reply(bounds: &Bounds, conversation: &Conversation, outcome: &Outcome) -> Result<(), Refused> {
    let own_words = match outcome {
        Outcome::Answered(reply) => {
            let note = |note: &Option<String>| note.as_ref().map_or(0, String::len);
            let answers = reply.answers().iter();
            answers.map(|it| it.given.typed().map_or(0, |typed| typed.len()) + note(&it.note)).sum()
        }
        Outcome::RepliedInChat { text, partial } => {
            let words = partial.iter().flat_map(|picks| [&picks.other, &picks.note]);
            text.len() + words.flatten().map(String::len).sum::<usize>()
        }
        _ => 0,
    };
    check_words(bounds, own_words)?;
    check_room(bounds, conversation, 1, own_words)
}

/// Refuses messages that a conversation has no room for, by their number and their bytes.
fn check_room(bounds: &Bounds, conversation: &Conversation, messages: usize, bytes: usize) -> Result<(), Refused> {
    let history = conversation.messages();
    if history.len() + messages > bounds.messages {
        return Err(Refused::Full(Full::Messages));
    }
    match is_longer(bounds, history, bytes) {
        true => Err(Refused::Full(Full::History)),
        false => Ok(()),
    }
}

/// Returns true if a history that grows by this number of bytes is longer than it may be.
#[must_use]
pub fn is_longer(bounds: &Bounds, history: &[Message], more: usize) -> bool {
    length_of(history) + more > bounds.history
}

/// The length of the texts of these messages, in bytes.
#[must_use]
pub fn length_of(history: &[Message]) -> usize {
    history.iter().map(length).sum()
}

fn length(message: &Message) -> usize {
    match message {
        Message::User(user) => user.text.len() + files_length(&user.files),
        Message::Assistant(assistant) => {
            let calls = assistant.tool_calls.iter();
            let origin = assistant.origin.as_ref().map_or(0, |origin| origin.text().len());
            let calls = calls.map(|call| call.name().len() + call.arguments().len());
            assistant.text.len() + origin + calls.sum::<usize>()
        }
        Message::Tool(result) => result.content.len(),
    }
}

fn files_length(files: &[MessageFile]) -> usize {
    files.iter().map(|MessageFile { file, .. }| file.url.len() + file.name.len() + file.media_type.len()).sum()
}

fn check_words(bounds: &Bounds, bytes: usize) -> Result<(), Refused> {
    if bytes > bounds.message {
        return Err(Refused::MessageTooLong(bounds.message));
    }
    Ok(())
}

/// The new messages of the user. One without text and files is skipped.
fn new_user_messages(
    bounds: &Bounds,
    conversation: &Conversation,
    known: &KnownIds<'_>,
    input: &RunInput,
) -> Result<Vec<UserMessage>, Refused> {
    let room = bounds.messages.saturating_sub(conversation.messages().len());
    let mut said: Vec<UserMessage> = Vec::new();
    let mut ids = HashSet::new();
    let mut bytes = 0;
    let is_known = |message: &InputMessage| message.id().is_some_and(|id| known.has(id));
    let last_known = input.messages.iter().rposition(is_known).unwrap_or(0);
    let contents = LazyCell::new(|| user_contents(conversation));
    for (index, message) in input.messages.iter().enumerate() {
        let InputMessage::User(user) = message else {
            continue;
        };
        if known.has(&user.id) || !ids.insert(&user.id) {
            continue;
        }
        let text = user.text();
        let is_blank = text.trim().is_empty();
        // Some clients give a message a new id each time they send it.
        let comes_again = |content: &str| index < last_known && contents.contains(content);
        if !is_blank && comes_again(&text) {
            continue;
        }
        let files = bounds.files.as_ref().map(|limits| user.files(limits)).transpose()?.unwrap_or_default();
        if is_blank && files.first().is_none_or(|first| comes_again(&first.file.url)) {
            continue;
        }
        if said.len() == room {
            return Err(Refused::Full(Full::Messages));
        }
        bytes += text.len() + files_length(&files);
        check_words(bounds, bytes)?;
        said.push(UserMessage { id: user.id.clone(), text, files, ask: user.metadata.ask(), undoes: None });
    }
    if !said.is_empty() {
        check_room(bounds, conversation, said.len(), bytes)?;
    }
    Ok(said)
}

fn user_contents(conversation: &Conversation) -> HashSet<&str> {
    conversation.messages().iter().filter_map(Message::as_user).map(content).collect()
}

/// The part of a message by which it is known again: its text, or its first file if it has none.
fn content(message: &UserMessage) -> &str {
    let first = message.files.first().filter(|_| message.text.trim().is_empty());
    first.map_or(&message.text, |first| &first.file.url)
}

/// The reply to the waiting ask, by any delivery: a tool message, an interrupt's resume, or the user message alone.
fn response(
    known: &KnownIds<'_>,
    waiting: &AwaitingUserResponse,
    input: &RunInput,
    said: &[UserMessage],
) -> Result<Option<Response>, Refused> {
    let ask = &waiting.questions;
    let for_ask = |id: &str| id == waiting.tool_use_id;
    let tool = tool_messages(input).find(|tool| for_ask(&tool.tool_call_id) && !known.has(&tool.id));
    let resume = input.resume.iter().find(|resume| for_ask(&resume.interrupt_id));
    if let Some(tool) = tool {
        let marked = tool.metadata.ask().filter(|mark| for_ask(&mark.tool_call_id)).map(|mark| mark.outcome);
        let outcome = read_outcome(ask, &tool.text(), marked)?;
        // Some clients send the answer in both places.
        if let Some(resume) = resume
            && read_resume(ask, resume)? != outcome
        {
            return Err(Refused::BadRequest("The tool message and `resume` have different answers.".to_owned()));
        }
        let response = respond(waiting, identity(&tool.metadata, &tool.id), outcome, said);
        return Ok(Some(Response { tool_message_id: Some(tool.id.clone()), ..response }));
    }
    if let Some(resume) = resume {
        let outcome = read_resume(ask, resume)?;
        return Ok(Some(respond(waiting, identity(&resume.metadata, &input.run_id), outcome, said)));
    }
    let is_for_it = |mark: &&AskMetadata| mark.replaces.is_none() && for_ask(&mark.tool_call_id);
    let tapped = said.iter().find_map(|message| Some((message, message.ask.as_ref().filter(is_for_it)?)));
    Ok(tapped.map(|(message, mark)| {
        let outcome = background::read(ask, mark, message);
        // No card would have written this text, so it is matched as typed text.
        let outcome = outcome.unwrap_or_else(|| match_message(ask, &message.text, Vec::new()));
        respond(waiting, (mark.reply_id.clone(), mark.by), outcome, said)
    }))
}

fn respond(
    waiting: &AwaitingUserResponse,
    (reply_id, by): (String, AnsweredBy),
    outcome: Outcome,
    said: &[UserMessage],
) -> Response {
    Response { messages: said.to_vec(), ..Response::new(&waiting.tool_use_id, reply_id, by, outcome) }
}

/// A client may name its reply without further metadata. One that does not name its replies still sends the same message id when it tries
/// again.
fn identity(marks: &Marks, message_id: &str) -> (String, AnsweredBy) {
    match marks.ask() {
        Some(ask) => (ask.reply_id, ask.by),
        None => (marks.reply_id().unwrap_or_else(|| message_id.to_owned()), AnsweredBy::Card),
    }
}

/// Clients of other vendors answer a call with plain text instead of a reply; it is read as a typed message would be, unless it is marked as
/// something else than an answer.
fn read_outcome(ask: &AskUserQuestion, content: &str, marked: Option<OutcomeKind>) -> Result<Outcome, Refused> {
    let by_mark = || {
        let kind = marked.filter(|kind| *kind != OutcomeKind::Answered)?;
        Outcome::read_message(kind, ask, content, Vec::new())
    };
    if let Some(outcome) = Outcome::parse(ask, content).or_else(by_mark) {
        return Ok(outcome);
    }
    match json_tree::parse(content) {
        Ok(Value::String(text)) => Ok(match_message(ask, &text, Vec::new())),
        Ok(Value::Object(object)) => Err(Refused::InvalidReply(violations(ask, &Value::Object(object)))),
        Ok(_) | Err(_) if content.trim().is_empty() => Err(Refused::InvalidReply(violations(ask, &Value::Null))),
        Ok(_) | Err(_) => Ok(match_message(ask, content, Vec::new())),
    }
}

fn read_resume(ask: &AskUserQuestion, resume: &Resume) -> Result<Outcome, Refused> {
    match (resume.status, &resume.payload) {
        (ResumeStatus::Resolved, Some(Plain(Value::String(text)))) => read_outcome(ask, text, None),
        (ResumeStatus::Resolved, Some(Plain(payload))) => {
            Outcome::from_json(ask, payload).ok_or_else(|| Refused::InvalidReply(violations(ask, payload)))
        }
        (ResumeStatus::Resolved, None) => Err(Refused::InvalidReply(violations(ask, &Value::Null))),
        _ => Ok(Outcome::Declined),
    }
}

fn violations(ask: &AskUserQuestion, json: &Value) -> Vec<Violation> {
    Reply::parse(ask, json).err().unwrap_or_default()
}

/// Refuses the reply to a question that died with its run. Read as a message, it would dismiss the one that waits now.
fn refuse_foreign_reply(
    known: &KnownIds<'_>,
    waiting: &AwaitingUserResponse,
    said: &[UserMessage],
) -> Result<(), Refused> {
    let ask = said.last().and_then(|message| message.ask.as_ref()).filter(|ask| ask.replaces.is_none());
    match ask.is_some() && !known.is_answered(ask) {
        true => Err(Refused::Rejected(Rejected::ForeignReply { waiting: waiting.tool_use_id.clone() })),
        false => Ok(()),
    }
}

/// Refuses a reply that comes after another has won, with the winner, so that its card can say so. Only the end of the history is checked:
/// a client that stored its losing reply and continued is not refused for ever.
fn refuse_late_reply(
    conversation: &Conversation,
    known: &KnownIds<'_>,
    input: &RunInput,
    repeated: &[UserMessage],
) -> Result<(), Refused> {
    let from_message =
        repeated.last().and_then(|message| message.ask.clone()).map(|ask| (ask.tool_call_id, ask.reply_id));
    let last = input
        .messages
        .iter()
        .rev()
        .find(|message| !matches!(message, InputMessage::User(user) if user.metadata.ask().is_some()));
    let from_tool = match last {
        Some(InputMessage::Tool(tool)) if !known.has(&tool.id) => {
            Some((tool.tool_call_id.clone(), identity(&tool.metadata, &tool.id).0))
        }
        _ => None,
    };
    let resume = input.resume.first().filter(|_| from_tool.is_none() && from_message.is_none());
    let from_resume = resume.map(|resume| (resume.interrupt_id.clone(), identity(&resume.metadata, &input.run_id).0));
    let Some((tool_call_id, reply_id)) = from_tool.or(from_message).or(from_resume) else {
        return Ok(());
    };
    match conversation.end_of(&tool_call_id).as_ref() {
        Some(winner) if winner.ask.as_ref().is_some_and(|ask| ask.reply_id == reply_id) => Ok(()),
        Some(winner) if resume.is_some_and(|resume| says_the_same(conversation, resume, winner)) => Ok(()),
        Some(winner) => {
            Err(Refused::Rejected(Rejected::AlreadyAnswered { same_reply: false, winner: Box::new(winner.clone()) }))
        }
        None => Err(Refused::Rejected(match conversation.waiting() {
            Some(waiting) => Rejected::ForeignReply { waiting: waiting.tool_use_id.clone() },
            None => Rejected::NotWaiting,
        })),
    }
}

/// Returns true if a reply without a name is the answer that won: its client sends it again, in another run.
fn says_the_same(conversation: &Conversation, resume: &Resume, winner: &ToolResult) -> bool {
    let is_named = resume.metadata.ask().is_some() || resume.metadata.reply_id().is_some();
    let ask = background::asked(conversation.messages(), &winner.tool_use_id);
    !is_named
        && ask.is_some_and(|ask| {
            read_resume(&ask, resume).is_ok_and(|outcome| outcome.tool_content(&ask) == winner.content)
        })
}

/// Refuses content that can't be read, such as an image alone, instead of ignoring it. Only the end of the history is checked here, too.
fn refuse_unreadable(known: &KnownIds<'_>, input: &RunInput) -> Result<(), Refused> {
    match input.messages.last() {
        Some(InputMessage::User(user)) if user.is_unreadable() && !known.has(&user.id) => {
            Err(Refused::BadRequest("This agent reads text alone: say it in words.".to_owned()))
        }
        Some(_) | None => Ok(()),
    }
}

fn tool_messages(input: &RunInput) -> impl Iterator<Item = &InputTool> {
    input.messages.iter().filter_map(|message| match message {
        InputMessage::Tool(tool) => Some(tool),
        InputMessage::User(_) | InputMessage::Assistant(_) | InputMessage::Other => None,
    })
}
