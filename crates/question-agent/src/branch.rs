//! A changed answer from which the agent begins anew.
//!
//! The change is a message of the user. If it is taken as a branch, its [`Undone`] says where the history ends from which the agent goes on. What
//! came after that stays in the history, for people. A model reads [`for_model`], in which the new answer stands in the place of the first one, as
//! if the user had given it at once. Nothing else remembers the branch, so a restart and a replay have the same one.

use crate::background::{WITHDRAW, calls, is_asked};
use crate::call::{ToolCall, is_asking_tool};
use crate::message::{Message, Undone, UserMessage};
use ask_user_question::outcome::{AskMetadata, OutcomeKind};
use ask_user_question::{AskUserQuestion, Outcome, Reply};
use json_tree::codes;
use std::borrow::Cow;

codes! {
    /// What an agent does about an answer that its user changes.
    #[derive(Default)]
    ChangedAnswer {
        /// It reads one more message, and goes on.
        #[default]
        Continue "continue",
        /// It begins anew from the answer.
        Branch "branch",
    }
}

/// What this new message undoes, if it changes an answer that the model still knows of.
#[cfg_attr(not(feature = "ag-ui"), expect(dead_code, reason = "only AG-UI's inputs change answers"))]
pub(crate) fn undone(history: &[Message], message: &UserMessage) -> Option<Undone> {
    let ask = message.ask.as_ref().filter(|ask| ask.replaces.is_some())?;
    let history = for_model(history);
    let (owner, index, asked) = owner(&history, &ask.tool_call_id)?;
    Reply::read_change(&asked, &message.text)?;
    let is_answer = |its: Option<&AskMetadata>| {
        its.is_some_and(|its| its.tool_call_id == ask.tool_call_id && its.outcome == OutcomeKind::Answered)
    };
    let (mut from, mut has_answer) = (owner + 1, false);
    for (position, message) in history.iter().enumerate().skip(owner + 1) {
        match message {
            // Providers want the results of all calls of a turn, so those stay.
            Message::Tool(result) if from == position => {
                from += 1;
                has_answer |= is_answer(result.ask.as_ref());
            }
            Message::User(user) if !has_answer && is_answer(user.ask.as_ref()) => (from, has_answer) = (position, true),
            _ => {}
        }
    }
    // The calls behind the question ran because it was answered.
    let behind = &history[owner].as_assistant()?.tool_calls[index + 1..];
    let mut tools: Vec<String> = Vec::new();
    for name in behind.iter().chain(calls(&history[from..])).map(ToolCall::name) {
        if !is_asking_tool(name) && name != WITHDRAW && !tools.iter().any(|known| known == name) {
            tools.push(name.to_owned());
        }
    }
    has_answer.then(|| Undone { after: history[from - 1].id().to_owned(), tools })
}

/// The history as a model reads it: without what changed answers have undone.
#[must_use]
pub fn for_model(history: &[Message]) -> Cow<'_, [Message]> {
    let undoes = |message: &Message| matches!(message, Message::User(user) if user.undoes.is_some());
    if !history.iter().any(undoes) {
        return Cow::Borrowed(history);
    }
    let mut read = Vec::with_capacity(history.len());
    for message in history {
        let answer = message.as_user().and_then(|user| answer_anew(&mut read, user));
        read.push(answer.map_or_else(|| message.clone(), Message::User));
    }
    Cow::Owned(read)
}

/// Truncates the history to the answer that a message changes, and replaces that by the new answer. Returns the user's message that would have
/// come with that answer.
fn answer_anew(read: &mut Vec<Message>, message: &UserMessage) -> Option<UserMessage> {
    let (undone, ask) = (message.undoes.as_ref()?, message.ask.as_ref()?);
    let after = read.iter().rposition(|message| message.id() == undone.after)?;
    let (_, _, asked) = owner(&read[..=after], &ask.tool_call_id)?;
    let reply = Reply::read_change(&asked, &message.text)?;
    read.truncate(after + 1);
    let text = reply.message();
    let content = Outcome::Answered(reply).tool_content(&asked);
    for message in read.iter_mut() {
        if let Message::Tool(result) = message
            && result.tool_use_id == ask.tool_call_id
            && !is_asked(result)
        {
            result.content.clone_from(&content);
        }
    }
    Some(UserMessage { text, ask: Some(AskMetadata { replaces: None, ..ask.clone() }), ..message.clone() })
}

/// The message that made the call of an ask, the index of the call in it, and the ask.
fn owner(history: &[Message], tool_use_id: &str) -> Option<(usize, usize, AskUserQuestion)> {
    history.iter().enumerate().find_map(|(position, message)| {
        let message = message.as_assistant()?;
        let index = message.tool_calls.iter().position(|call| call.id == tool_use_id)?;
        Some((position, index, message.tool_calls[index].asks()?))
    })
}
