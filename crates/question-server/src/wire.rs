//! The conversation in AG-UI's words.

use crate::input::{Edition, Pending};
use crate::live::Talk;
use ag_ui_stream::event::{
    Event, RunError, RunFinished, RunStarted, ToolCallArgs, ToolCallEnd, ToolCallResult, ToolCallStart,
};
use ag_ui_stream::input::{PROTOCOL_VERSION, RunAgentInput};
use ag_ui_stream::message::{AssistantMessage, CallType, FunctionCall, Message, Metadata, ToolCall, ToolMessage};
use ag_ui_stream::outcome::{Interrupt, InterruptOutcome, RunOutcome, SuccessOutcome};
use ask_user_question::outcome::{AskMetadata, OutcomeKind};
use ask_user_question::{AskUserQuestion, Outcome};
use question_agent::call::{ToolResult, is_asking_tool};
use question_agent::message;
use question_agent::registry::ToolContext;
use question_agent::state::AwaitingUserResponse;
use serde_json::{Map, Value, json};

pub(crate) fn messages(talk: &Talk) -> Vec<Message> {
    let message = |message: &message::Message| match message {
        message::Message::User(user) => user_message(user),
        message::Message::Assistant(assistant) => assistant_message(talk, assistant),
        message::Message::Tool(result) => result_message(result),
    };
    talk.conversation.messages().iter().map(message).collect()
}

/// The events of a call that was held back when the model made it, since the client answers an earlier call; nothing for others.
/// A client that saw it would try to answer it too, and could not answer the first alone.
pub(crate) fn held_back(talk: &Talk, tool_use_id: &str) -> Vec<Event> {
    let owner = talk.conversation.messages().iter().rev().find_map(|message| match message {
        message::Message::Assistant(assistant) => {
            let index = assistant.tool_calls.iter().position(|call| call.id == tool_use_id)?;
            Some((assistant, index))
        }
        message::Message::User(_) | message::Message::Tool(_) => None,
    });
    let Some((assistant, index)) = owner.filter(|(owner, index)| is_behind_a_clients(&talk.context, owner, *index))
    else {
        return Vec::new();
    };
    let call = &assistant.tool_calls[index];
    let mut start = ToolCallStart::new(&call.id, call.name());
    start.parent_message_id = Some(assistant.id.clone());
    vec![start.into(), ToolCallArgs::new(&call.id, call.arguments()).into(), ToolCallEnd::new(&call.id).into()]
}

fn is_behind_a_clients(context: &ToolContext, assistant: &message::AssistantMessage, index: usize) -> bool {
    let mut before = assistant.tool_calls[..index].iter();
    before.any(|call| is_the_clients(context, call.name()))
}

/// Whether a call of this tool is answered by a client: by its user, or by itself.
pub(crate) fn is_the_clients(context: &ToolContext, name: &str) -> bool {
    is_asking_tool(name) || context.is_client_tool(name)
}

pub(crate) fn user_message(user: &message::UserMessage) -> Message {
    let mut message = Message::user(&user.id, &user.text);
    *message.metadata_mut() = metadata(user.ask.as_ref());
    message
}

pub(crate) fn result_message(result: &ToolResult) -> Message {
    let mut message = ToolMessage::new(&result.message_id, &result.tool_use_id, result.content.as_str());
    message.error = result.is_error.then(|| result.content.clone());
    message.metadata = metadata(result.ask.as_ref());
    Message::Tool(message)
}

/// How an ask ended that has this result; `None` where it could not be asked.
pub(crate) fn outcome_of(result: &ToolResult) -> Option<OutcomeKind> {
    if let Some(ask) = &result.ask {
        return Some(ask.outcome);
    }
    // Only replies need their ask to be understood, and they are all marked.
    let nothing = AskUserQuestion::default();
    let outcome = Outcome::parse(&nothing, &result.content)?;
    Some(outcome.kind())
}

pub(crate) fn result_event(result: &ToolResult) -> Event {
    let mut event = ToolCallResult::new(&result.message_id, &result.tool_use_id, result.content.as_str());
    event.metadata = metadata(result.ask.as_ref());
    event.into()
}

fn assistant_message(talk: &Talk, assistant: &message::AssistantMessage) -> Message {
    let conversation = &talk.conversation;
    let running = conversation.state().open_calls();
    let shown = assistant.tool_calls.iter().enumerate().filter(|(index, call)| {
        !is_behind_a_clients(&talk.context, assistant, *index)
            || running.first() == Some(&call.id.as_str())
            || conversation.result_of(&call.id).is_some()
    });
    let calls = shown.map(|(_, call)| {
        let function = FunctionCall::new(call.name(), call.arguments());
        ToolCall::new(&call.id, CallType::Function, function)
    });
    let calls: Vec<ToolCall> = calls.collect();
    let mut message = AssistantMessage::new(&assistant.id);
    message.content = (!assistant.text.is_empty()).then(|| assistant.text.clone());
    message.tool_calls = (!calls.is_empty()).then_some(calls);
    Message::Assistant(message)
}

fn metadata(ask: Option<&AskMetadata>) -> Option<Metadata> {
    match ask?.to_metadata() {
        Value::Object(metadata) => Some(metadata),
        _ => None,
    }
}

/// A run begins. The messages that it was started with are echoed, so that other clients of the conversation learn of them.
pub(crate) fn run_started(thread_id: &str, run_id: &str, taken: Vec<Message>) -> Event {
    let mut event = RunStarted::new(thread_id, run_id);
    event.protocol_version = Some(PROTOCOL_VERSION.to_owned());
    if !taken.is_empty() {
        event.input = Some(Box::new(whole_input(thread_id, run_id, taken)));
    }
    event.into()
}

/// An input with all members that clients before 1.0 require. The empty ones were for the server alone.
fn whole_input(thread_id: &str, run_id: &str, messages: Vec<Message>) -> RunAgentInput {
    let mut input = RunAgentInput::new(thread_id, run_id, messages);
    input.state = Some(json!({}));
    input.tools = Some(Vec::new());
    input.context = Some(Vec::new());
    input.forwarded_props = Some(json!({}));
    input
}

/// A run has ended, told to a client of this edition. Before 1.0 an interrupt was the only outcome that had anything to say: which calls are left
/// open clients saw for themselves, and none knew that a run can be cancelled.
pub(crate) fn run_finished(edition: Edition, thread_id: &str, run_id: &str, outcome: RunOutcome) -> Event {
    let mut event = RunFinished::new(thread_id, run_id);
    let is_known = edition == Edition::Current || matches!(outcome, RunOutcome::Interrupt(_));
    event.outcome = is_known.then_some(outcome);
    event.into()
}

pub(crate) fn run_error(code: &str, text: &str) -> Event {
    let mut event = RunError::new(text);
    event.code = Some(code.to_owned());
    event.into()
}

/// How a run ends that did not fail: with the call that the client is to answer, where there is one.
pub(crate) fn outcome(talk: &Talk, pending: Pending) -> RunOutcome {
    let mut success = SuccessOutcome::new();
    if let Some(call) = talk.clients_call() {
        success.pending_tool_call_ids = Some(vec![call.id.clone()]);
    }
    let Some(waiting) = talk.conversation.waiting() else {
        return RunOutcome::Success(success);
    };
    match pending {
        Pending::ToolCalls => {
            success.pending_tool_call_ids = Some(vec![waiting.tool_use_id.clone()]);
            RunOutcome::Success(success)
        }
        Pending::Interrupts => {
            let interrupts = vec![interrupt(waiting)];
            RunOutcome::Interrupt(InterruptOutcome { interrupts })
        }
    }
}

/// An interrupt is named like the call that it is about: there is one for each ask, and ids of calls are unique.
fn interrupt(waiting: &AwaitingUserResponse) -> Interrupt {
    let questions = &waiting.questions.questions;
    let texts: Vec<&str> = questions.iter().map(|question| question.question.as_str()).collect();
    let answers: Map<String, Value> =
        texts.iter().map(|text| ((*text).to_owned(), json!({"type": "string"}))).collect();
    let schema = json!({
        "type": "object",
        "required": ["answers"],
        "properties": {
            "answers": {"type": "object", "properties": answers, "additionalProperties": false},
            "details": {"type": "array", "items": {"type": "object"}},
        },
    });
    let mut interrupt = Interrupt::new(&waiting.tool_use_id, "tool_call");
    interrupt.message = Some(texts.join("\n"));
    interrupt.tool_call_id = Some(waiting.tool_use_id.clone());
    interrupt.response_schema = schema.as_object().cloned();
    interrupt.expires_at = waiting.expires_at.map(|time| time.to_string());
    interrupt
}
