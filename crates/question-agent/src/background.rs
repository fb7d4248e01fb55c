//! Asks for whose answer the agent does not wait.
//!
//! Such a call has [`ASKED_TEXT`] as its result at once. Its ask stays open until a message of the user names it, which is its answer. So the
//! history alone says which asks are open, and a restart loses none.

use crate::call::{ToolCall, ToolInput, ToolResult};
use crate::message::{Message, UserMessage};
use crate::rejected::Rejected;
use ask_user_question::AskUserQuestion;
use ask_user_question::outcome::{ASKED_TEXT, AskMetadata};
use question_compat::from_arguments;
use std::borrow::Cow;
use std::collections::HashSet;

/// Returns true if a result says that the answer comes later.
#[must_use]
pub fn is_asked(result: &ToolResult) -> bool {
    !result.is_error && result.ask.is_none() && result.content == ASKED_TEXT
}

/// The calls of a history whose asks are open in the background.
pub(crate) fn open_ids(history: &[Message]) -> HashSet<&str> {
    let answered: HashSet<&str> =
        history.iter().filter_map(|message| Some(&*answer_in(message)?.1.tool_call_id)).collect();
    let results = history.iter().filter_map(|message| match message {
        Message::Tool(result) => Some(result),
        Message::User(_) | Message::Assistant(_) => None,
    });
    let asked = results.filter(|result| is_asked(result)).map(|result| result.tool_use_id.as_str());
    asked.filter(|id| !answered.contains(id)).collect()
}

/// The asks of a history that are open in the background, by their calls, in the order in which they were asked.
#[must_use]
pub fn open(history: &[Message]) -> Vec<(&str, AskUserQuestion)> {
    let open = open_ids(history);
    let calls = calls(history).filter(|call| open.contains(call.id.as_str()));
    calls.filter_map(|call| Some((call.id.as_str(), asked(&call.input)?))).collect()
}

fn calls(history: &[Message]) -> impl Iterator<Item = &ToolCall> {
    let calls = history.iter().filter_map(|message| match message {
        Message::Assistant(message) => Some(&message.tool_calls),
        Message::User(_) | Message::Tool(_) => None,
    });
    calls.flatten()
}

fn answer_in(message: &Message) -> Option<(&UserMessage, &AskMetadata)> {
    match message {
        Message::User(user) => Some((user, user.ask.as_ref()?)),
        Message::Assistant(_) | Message::Tool(_) => None,
    }
}

fn asked(input: &ToolInput) -> Option<AskUserQuestion> {
    match input {
        ToolInput::AskUserQuestion { arguments, .. } => from_arguments(arguments),
        ToolInput::Other { .. } => None,
    }
}

/// Refuses a second answer to an ask in the background.
pub(crate) fn check(history: &[Message], messages: &[UserMessage]) -> Result<(), Rejected> {
    let asks = messages.iter().filter_map(|message| message.ask.as_ref());
    let late = asks.filter_map(|ask| Some((ask, winner(history, &ask.tool_call_id)?))).next();
    match late {
        Some((ask, winner)) => Err(Rejected::AlreadyAnswered {
            same_reply: winner.ask.as_ref().is_some_and(|won| won.reply_id == ask.reply_id),
            winner: Box::new(winner),
        }),
        None => Ok(()),
    }
}

/// The answer to an ask in the background, in the form of a result, as the answer to one that was waited for has it.
pub(crate) fn winner(history: &[Message], tool_use_id: &str) -> Option<ToolResult> {
    let result = asked_result(history, tool_use_id)?;
    let mut answers = history.iter().filter_map(answer_in);
    let (message, ask) = answers.find(|(_, ask)| ask.tool_call_id == tool_use_id)?;
    Some(ToolResult { content: message.text.clone(), ask: Some(ask.clone()), ..result.clone() })
}

fn asked_result<'a>(history: &'a [Message], tool_use_id: &str) -> Option<&'a ToolResult> {
    history.iter().find_map(|message| match message {
        Message::Tool(result) => Some(result).filter(|result| result.tool_use_id == tool_use_id && is_asked(result)),
        Message::User(_) | Message::Assistant(_) => None,
    })
}

/// The text of a message of the user for a model, which may have asked long before: the answer to an ask in the background names its question.
#[must_use]
pub fn text_for_model<'a>(history: &[Message], message: &'a UserMessage) -> Cow<'a, str> {
    let text = Cow::Borrowed(message.text.as_str());
    let Some(ask) = message.ask.as_ref().filter(|ask| asked_result(history, &ask.tool_call_id).is_some()) else {
        return text;
    };
    let call = calls(history).find(|call| call.id == ask.tool_call_id);
    let Some(question) = call.and_then(|call| asked(&call.input)) else {
        return text;
    };
    let question = question.questions.first().map(|first| first.text().into_owned()).unwrap_or_default();
    Cow::Owned(format!("The answer to your earlier question \u{201C}{question}\u{201D}:\n{text}"))
}
