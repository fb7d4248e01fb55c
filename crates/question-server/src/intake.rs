//! What is taken of a client's input. The store is the truth: of the client's history only user messages that are new and replies to the ask
//! that waits are taken; everything else it holds is known already or not the client's to say.

use crate::error::ApiError;
use crate::input::{InputMessage, InputTool, InputUser, Resume, ResumeStatus, RunInput};
use crate::limits::Bounds;
use crate::live::Talk;
use ask_user_question::json::{self, Plain};
use ask_user_question::matching::match_message;
use ask_user_question::outcome::{AnsweredBy, AskMetadata};
use ask_user_question::validate::Violation;
use ask_user_question::{AskUserQuestion, Outcome, Reply};
use question_agent::call::ToolResult;
use question_agent::event::Response;
use question_agent::message::UserMessage;
use question_agent::state::AwaitingUserResponse;
use question_agent::{Conversation, Event, Rejected};
use serde_json::Value;

/// The event that an input amounts to; `None` where it brings nothing new.
pub(crate) fn read(
    bounds: &Bounds,
    talk: &Talk,
    input: &RunInput,
) -> Result<Option<Event>, ApiError> {
    if let Some(result) = client_result(bounds, talk, input)? {
        return Ok(Some(Event::ToolComplete { result }));
    }
    let conversation = &talk.conversation;
    let said = new_user_messages(bounds, conversation, input)?;
    if let Some(waiting) = conversation.waiting() {
        if let Some(response) = response(conversation, waiting, input, &said)? {
            check_length(bounds, &response.outcome)?;
            return Ok(Some(Event::UserQuestionResponse(response)));
        }
        refuse_foreign_reply(conversation, waiting, &said)?;
    }
    let (repeated, messages): (Vec<UserMessage>, Vec<UserMessage>) = said
        .into_iter()
        .partition(|message| is_answered(conversation, message.ask.as_ref()));
    if !messages.is_empty() {
        return Ok(Some(Event::UserMessage { messages }));
    }
    refuse_late_reply(conversation, input, &repeated)?;
    Ok(None)
}

/// The result of the call that the client runs. What the user says with it comes with the next input: clients send their history each time.
fn client_result(
    bounds: &Bounds,
    talk: &Talk,
    input: &RunInput,
) -> Result<Option<ToolResult>, ApiError> {
    let Some(call) = talk.clients_call() else {
        return Ok(None);
    };
    let is_new = |tool: &&InputTool| !talk.conversation.knows_message(&tool.id);
    let mut brought = tool_messages(input).filter(is_new);
    let Some(tool) = brought.find(|tool| tool.tool_call_id == call.id) else {
        return Ok(None);
    };
    let content = tool.text();
    check_words(bounds, content.len())?;
    Ok(Some(ToolResult {
        message_id: tool.id.clone(),
        tool_use_id: call.id.clone(),
        content,
        is_error: tool.has_failed(),
        ask: None,
    }))
}

/// Refuses an outcome in which the user says more than may be said at a time.
pub(crate) fn check_length(bounds: &Bounds, outcome: &Outcome) -> Result<(), ApiError> {
    let own_words = match outcome {
        Outcome::Answered(reply) => reply
            .answers()
            .iter()
            .flat_map(|answer| [&answer.other, &answer.note])
            .flatten()
            .map(String::len)
            .sum(),
        Outcome::RepliedInChat { text, partial } => {
            let words = partial.iter().flat_map(|picks| [&picks.other, &picks.note]);
            text.len() + words.flatten().map(String::len).sum::<usize>()
        }
        Outcome::Declined | Outcome::Expired | Outcome::Superseded | Outcome::Cancelled => 0,
    };
    check_words(bounds, own_words)
}

fn check_words(bounds: &Bounds, bytes: usize) -> Result<(), ApiError> {
    if bytes > bounds.message {
        return Err(ApiError::BadRequest(format!(
            "A message may have at most {} bytes.",
            bounds.message
        )));
    }
    Ok(())
}

fn new_user_messages(
    bounds: &Bounds,
    conversation: &Conversation,
    input: &RunInput,
) -> Result<Vec<UserMessage>, ApiError> {
    let mut said: Vec<UserMessage> = Vec::new();
    for message in &input.messages {
        let InputMessage::User(user) = message else {
            continue;
        };
        if conversation.knows_message(&user.id) || said.iter().any(|known| known.id == user.id) {
            continue;
        }
        said.extend(read_user_message(bounds, user)?);
    }
    if !said.is_empty() && conversation.messages().len() + said.len() > bounds.messages {
        return Err(ApiError::ConversationFull);
    }
    Ok(said)
}

/// A message without text says nothing.
fn read_user_message(bounds: &Bounds, user: &InputUser) -> Result<Option<UserMessage>, ApiError> {
    let text = user.text();
    check_words(bounds, text.len())?;
    let message = UserMessage {
        id: user.id.clone(),
        text,
        ask: user.ask(),
    };
    Ok((!message.text.trim().is_empty()).then_some(message))
}

/// The reply to the ask that waits, by whichever delivery it came: a tool message, an interrupt's resume, or the user message alone.
fn response(
    conversation: &Conversation,
    waiting: &AwaitingUserResponse,
    input: &RunInput,
    said: &[UserMessage],
) -> Result<Option<Response>, ApiError> {
    let ask = &waiting.questions;
    let for_ask = |id: &str| id == waiting.tool_use_id;
    let tool = tool_messages(input)
        .find(|tool| for_ask(&tool.tool_call_id) && !conversation.knows_message(&tool.id));
    if let Some(tool) = tool {
        let outcome = read_outcome(ask, &tool.text())?;
        let (reply_id, by) = identity(tool.ask(), &tool.id);
        return Ok(Some(Response {
            tool_message_id: Some(tool.id.clone()),
            ..respond(waiting, reply_id, by, outcome, said)
        }));
    }
    if let Some(resume) = input
        .resume
        .iter()
        .find(|resume| for_ask(&resume.interrupt_id))
    {
        let outcome = read_resume(ask, resume)?;
        let (reply_id, by) = identity(resume.ask(), &input.run_id);
        return Ok(Some(respond(waiting, reply_id, by, outcome, said)));
    }
    let tapped = |message: &&UserMessage| {
        message
            .ask
            .as_ref()
            .is_some_and(|ask| for_ask(&ask.tool_call_id))
    };
    Ok(said.iter().find(tapped).map(|message| {
        let outcome = match_message(ask, &message.text, Vec::new());
        let (reply_id, by) = identity(message.ask.clone(), &message.id);
        respond(waiting, reply_id, by, outcome, said)
    }))
}

fn respond(
    waiting: &AwaitingUserResponse,
    reply_id: String,
    by: AnsweredBy,
    outcome: Outcome,
    said: &[UserMessage],
) -> Response {
    Response {
        tool_use_id: waiting.tool_use_id.clone(),
        reply_id,
        by,
        outcome,
        tool_message_id: None,
        messages: said.to_vec(),
    }
}

/// A client that does not name its replies still sends the same message id when it tries again.
fn identity(ask: Option<AskMetadata>, message_id: &str) -> (String, AnsweredBy) {
    match ask {
        Some(ask) => (ask.reply_id, ask.by),
        None => (message_id.to_owned(), AnsweredBy::Card),
    }
}

/// Clients of other makes answer a call with plain text instead of a reply; it is read as a typed message would be.
fn read_outcome(ask: &AskUserQuestion, content: &str) -> Result<Outcome, ApiError> {
    if let Some(outcome) = Outcome::parse(ask, content) {
        return Ok(outcome);
    }
    match json::parse(content) {
        Ok(Value::String(text)) => Ok(match_message(ask, &text, Vec::new())),
        Ok(Value::Object(object)) => Err(ApiError::InvalidReply(violations(
            ask,
            &Value::Object(object),
        ))),
        Ok(_) | Err(_) if content.trim().is_empty() => {
            Err(ApiError::InvalidReply(violations(ask, &Value::Null)))
        }
        Ok(_) | Err(_) => Ok(match_message(ask, content, Vec::new())),
    }
}

fn read_resume(ask: &AskUserQuestion, resume: &Resume) -> Result<Outcome, ApiError> {
    match (resume.status, &resume.payload) {
        (ResumeStatus::Cancelled, _) => Ok(Outcome::Declined),
        (ResumeStatus::Resolved, Some(Plain(Value::String(text)))) => read_outcome(ask, text),
        (ResumeStatus::Resolved, Some(Plain(payload))) => Outcome::from_json(ask, payload)
            .ok_or_else(|| ApiError::InvalidReply(violations(ask, payload))),
        (ResumeStatus::Resolved, None) => {
            Err(ApiError::InvalidReply(violations(ask, &Value::Null)))
        }
    }
}

fn violations(ask: &AskUserQuestion, json: &Value) -> Vec<Violation> {
    Reply::parse(ask, json).err().unwrap_or_default()
}

fn is_answered(conversation: &Conversation, ask: Option<&AskMetadata>) -> bool {
    ask.is_some_and(|ask| conversation.result_of(&ask.tool_call_id).is_some())
}

/// Refuses the reply to a question that died with its run. Taken for words, it would put the one that waits now away unanswered.
fn refuse_foreign_reply(
    conversation: &Conversation,
    waiting: &AwaitingUserResponse,
    said: &[UserMessage],
) -> Result<(), ApiError> {
    let ask = said.last().and_then(|message| message.ask.as_ref());
    match ask.is_some() && !is_answered(conversation, ask) {
        true => Err(ApiError::Rejected(Rejected::ForeignReply {
            waiting: waiting.tool_use_id.clone(),
        })),
        false => Ok(()),
    }
}

/// A reply that comes after another has won is refused with the winner, so that its card can say so. Only the end of the history is looked at:
/// a client that kept its losing reply and went on is not refused for ever.
fn refuse_late_reply(
    conversation: &Conversation,
    input: &RunInput,
    repeated: &[UserMessage],
) -> Result<(), ApiError> {
    let from_message = repeated
        .last()
        .and_then(|message| message.ask.clone())
        .map(|ask| (ask.tool_call_id, ask.reply_id));
    let last = input
        .messages
        .iter()
        .rev()
        .find(|message| !matches!(message, InputMessage::User(user) if user.ask().is_some()));
    let from_tool = match last {
        Some(InputMessage::Tool(tool)) if !conversation.knows_message(&tool.id) => {
            Some((tool.tool_call_id.clone(), identity(tool.ask(), &tool.id).0))
        }
        Some(InputMessage::Tool(_) | InputMessage::User(_) | InputMessage::Other) | None => None,
    };
    let from_resume = input.resume.first().map(|resume| {
        (
            resume.interrupt_id.clone(),
            identity(resume.ask(), &input.run_id).0,
        )
    });
    let Some((tool_call_id, reply_id)) = from_tool.or(from_message).or(from_resume) else {
        return Ok(());
    };
    match conversation.result_of(&tool_call_id) {
        Some(winner)
            if winner
                .ask
                .as_ref()
                .is_some_and(|ask| ask.reply_id == reply_id) =>
        {
            Ok(())
        }
        Some(winner) => Err(ApiError::Rejected(Rejected::AlreadyAnswered {
            same_reply: false,
            winner: Box::new(winner.clone()),
        })),
        None => Err(ApiError::Rejected(match conversation.waiting() {
            Some(waiting) => Rejected::ForeignReply {
                waiting: waiting.tool_use_id.clone(),
            },
            None => Rejected::NotWaiting,
        })),
    }
}

fn tool_messages(input: &RunInput) -> impl Iterator<Item = &InputTool> {
    input.messages.iter().filter_map(|message| match message {
        InputMessage::Tool(tool) => Some(tool),
        InputMessage::User(_) | InputMessage::Other => None,
    })
}
