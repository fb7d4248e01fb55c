//! Asks for whose answer the agent does not wait.
//!
//! Such a call has [`ASKED_TEXT`] as its result at once. Its ask stays open until a message of the user names it, which is its answer, or the agent
//! [withdraws](WITHDRAW) it, which gives the call a second result. So the history alone says which asks are open, and a restart loses none.

use crate::call::{ToolCall, ToolResult};
use crate::context::ToolSpec;
use crate::message::{Message, UserMessage};
use crate::rejected::Rejected;
use crate::state::AwaitingUserResponse;
use ask_user_question::outcome::{ASKED_TEXT, AskMetadata, WITHDRAWN_TEXT};
use ask_user_question::{AskUserQuestion, Outcome};
use serde::Deserialize;
use serde_json::json;
use std::borrow::Cow;
use std::collections::HashSet;

/// The tool by which an agent withdraws such an ask. Agents are offered it beside `blocking`.
pub const WITHDRAW: &str = "withdraw_question";

/// Returns true if a result says that the answer comes later.
#[must_use]
pub fn is_asked(result: &ToolResult) -> bool {
    !result.is_error && result.ask.is_none() && result.content == ASKED_TEXT
}

/// The calls of a history whose asks are open in the background.
pub(crate) fn open_ids(history: &[Message]) -> HashSet<&str> {
    let (mut asked, mut over) = (HashSet::new(), HashSet::new());
    for message in history {
        match message {
            Message::Tool(result) if is_asked(result) => asked.insert(&*result.tool_use_id),
            // A second result of a call withdraws its ask.
            Message::Tool(result) => over.insert(&*result.tool_use_id),
            message => answer_in(message).is_some_and(|(_, ask)| over.insert(&*ask.tool_call_id)),
        };
    }
    asked.retain(|id| !over.contains(id));
    asked
}

/// The background asks that these new messages open, in the form of waiting asks.
#[must_use]
pub fn begun(history: &[Message], new: &[Message]) -> Vec<AwaitingUserResponse> {
    let results = new.iter().filter_map(Message::as_result).filter(|new| is_asked(new));
    let new: Vec<&str> = results.map(|result| result.tool_use_id.as_str()).collect();
    if new.is_empty() {
        return Vec::new();
    }
    let begun = open(history).into_iter().filter(|(call, _)| new.contains(call));
    begun.map(|(call, questions)| AwaitingUserResponse::new(call, questions)).collect()
}

/// The asks of a history that are open in the background, by their calls, in the order in which they were asked.
#[must_use]
pub fn open(history: &[Message]) -> Vec<(&str, AskUserQuestion)> {
    let open = open_ids(history);
    let calls = calls(history).filter(|call| open.contains(call.id.as_str()));
    calls.filter_map(|call| Some((call.id.as_str(), call.asks()?))).collect()
}

pub(crate) fn calls(history: &[Message]) -> impl Iterator<Item = &ToolCall> {
    history.iter().filter_map(Message::as_assistant).flat_map(|turn| &turn.tool_calls)
}

fn answer_in(message: &Message) -> Option<(&UserMessage, &AskMetadata)> {
    let user = message.as_user()?;
    Some((user, user.ask.as_ref()?))
}

pub(crate) fn asked(history: &[Message], tool_use_id: &str) -> Option<AskUserQuestion> {
    calls(history).find(|call| call.id == tool_use_id)?.asks()
}

pub(crate) fn check(history: &[Message], messages: &[UserMessage]) -> Result<(), Rejected> {
    // A change names an ask that is over on purpose.
    let asks = messages.iter().filter_map(|message| message.ask.as_ref()).filter(|ask| ask.replaces.is_none());
    let late = asks.filter_map(|ask| Some((ask, winner(history, &ask.tool_call_id)?))).next();
    match late {
        Some((ask, winner)) => Err(Rejected::AlreadyAnswered {
            same_reply: winner.ask.as_ref().is_some_and(|won| won.reply_id == ask.reply_id),
            winner: Box::new(winner),
        }),
        None => Ok(()),
    }
}

/// The end of a background ask as the result of its call, in the form of the answer to a waiting ask.
pub(crate) fn winner(history: &[Message], tool_use_id: &str) -> Option<ToolResult> {
    let result = asked_result(history, tool_use_id)?;
    let mut answers = history.iter().filter_map(answer_in);
    let Some((message, ask)) = answers.find(|(_, ask)| ask.tool_call_id == tool_use_id) else {
        let mut results = history.iter().filter_map(Message::as_result);
        return results.find(|other| other.tool_use_id == tool_use_id && !is_asked(other)).cloned();
    };
    let content =
        asked(history, tool_use_id).and_then(|question| Some(read(&question, ask, message)?.tool_content(&question)));
    Some(ToolResult {
        content: content.unwrap_or_else(|| message.text.clone()),
        ask: Some(ask.clone()),
        ..result.clone()
    })
}

#[cfg_attr(not(feature = "ag-ui"), expect(dead_code, reason = "REST, which asks for it, is beside AG-UI"))]
pub(crate) fn answered_by<'a>(history: &'a [Message], reply_id: &str) -> Option<&'a str> {
    let mut answers = history.iter().filter_map(answer_in);
    answers.find(|(_, ask)| ask.reply_id == reply_id).map(|(_, ask)| &*ask.tool_call_id)
}

/// Reads a user's message as the outcome of the ask that its metadata names.
pub(crate) fn read(question: &AskUserQuestion, ask: &AskMetadata, message: &UserMessage) -> Option<Outcome> {
    let files = message.files.iter().filter_map(|file| Some((file.question?, file.file.clone())));
    Outcome::read_message(ask.outcome, question, &message.text, files.collect())
}

pub(crate) fn withdrawing_tool() -> ToolSpec {
    let what = "Withdraws a question that you asked with `blocking: false` and whose answer you no longer need. The user sees that it is \
                closed, and no answer comes.";
    let question = "The text of the question, exactly as you asked it.";
    let question = json!({"type": "string", "description": question});
    let parameters = json!({"type": "object", "properties": {"question": question}, "required": ["question"]});
    ToolSpec::new(WITHDRAW, what, &parameters)
}

#[derive(Deserialize)]
struct Withdrawal {
    question: Option<String>,
}

/// Parses the arguments of [`WITHDRAW`]: returns the question that they name, or an error for the model.
pub(crate) fn named(arguments: &str) -> Result<Option<String>, String> {
    let read = serde_json::from_str(arguments).map(|Withdrawal { question }| question);
    read.map_err(|_| "Invalid input: question: Must be the text of an open question.".to_owned())
}

/// The call of the open ask that an agent means: the one with this text, or the only one. Otherwise an error for the model.
pub(crate) fn meant(history: &[Message], named: Option<&str>) -> Result<String, String> {
    let open = open(history);
    let is_meant = |(call, ask): &&(&str, AskUserQuestion)| {
        let is_its =
            |name: &str| *call == name || ask.questions.iter().any(|question| question.question.trim() == name.trim());
        named.is_none_or(is_its)
    };
    let mut meant = open.iter().filter(is_meant);
    match (meant.next(), meant.next()) {
        (Some((call, _)), None) => Ok((*call).to_owned()),
        _ if open.is_empty() => Err("No question is open: there is nothing to withdraw.".to_owned()),
        _ => {
            let texts = open.iter().flat_map(|(_, ask)| &ask.questions).map(|question| &*question.question);
            let texts = texts.collect::<Vec<_>>().join("\n");
            Err(format!("Invalid input: question: Must be the text of one of the open questions:\n{texts}"))
        }
    }
}

/// The result that withdraws an ask. It is the second result of the ask's call, so models do not get it; they get that of the withdrawing call.
pub(crate) fn withdrawn(call: &str) -> ToolResult {
    ToolResult { message_id: format!("{call}-withdrawn"), ..ToolResult::error(call, WITHDRAWN_TEXT) }
}

/// Returns true for the result of an ask that was withdrawn, which is the second one of its call.
#[must_use]
pub fn is_withdrawn(result: &ToolResult) -> bool {
    result.content == WITHDRAWN_TEXT
}

fn asked_result<'a>(history: &'a [Message], tool_use_id: &str) -> Option<&'a ToolResult> {
    let mut results = history.iter().filter_map(Message::as_result);
    results.find(|result| result.tool_use_id == tool_use_id && is_asked(result))
}

/// The text of a user's message as a model gets it. The answer to a background ask names its question, since the model may have asked long
/// before. A changed answer names the tools whose work it could not undo.
#[must_use]
pub fn text_for_model<'a>(history: &[Message], message: &'a UserMessage) -> Cow<'a, str> {
    let mut text = Cow::Borrowed(message.text.as_str());
    if let Some(undone) = message.undoes.as_ref().filter(|undone| !undone.tools.is_empty()) {
        let tools = undone.tools.join(", ");
        *text.to_mut() +=
            &format!("\n\nI changed this answer. What you did since the first one may stay done: {tools}.");
    }
    let Some(ask) = message.ask.as_ref().filter(|ask| asked_result(history, &ask.tool_call_id).is_some()) else {
        return text;
    };
    let Some(question) = asked(history, &ask.tool_call_id) else {
        return text;
    };
    let question = question.questions.first().map(|first| first.text().into_owned()).unwrap_or_default();
    Cow::Owned(format!("The answer to your earlier question \u{201C}{question}\u{201D}:\n{text}"))
}
