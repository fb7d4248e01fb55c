//! The conversation in AG-UI's words.

use ag_ui_stream::event::{Event, RunError, RunFinished, RunStarted, ToolCallResult};
use ag_ui_stream::input::{PROTOCOL_VERSION, RunAgentInput};
use ag_ui_stream::message::{
    AssistantMessage, CallType, FunctionCall, Message, Metadata, ToolCall, ToolMessage,
};
use ag_ui_stream::outcome::{RunOutcome, SuccessOutcome};
use ask_user_question::outcome::AskMetadata;
use question_agent::call::ToolResult;
use question_agent::{ConvState, Conversation, message};
use serde_json::Value;

pub(crate) fn messages(conversation: &Conversation) -> Vec<Message> {
    conversation.messages().iter().map(message).collect()
}

pub(crate) fn message(message: &message::Message) -> Message {
    match message {
        message::Message::User(user) => user_message(user),
        message::Message::Assistant(assistant) => assistant_message(assistant),
        message::Message::Tool(result) => result_message(result),
    }
}

pub(crate) fn user_message(user: &message::UserMessage) -> Message {
    let mut message = Message::user(&user.id, &user.text);
    *message.metadata_mut() = metadata(user.ask.as_ref());
    message
}

pub(crate) fn result_message(result: &ToolResult) -> Message {
    let mut message = ToolMessage::new(
        &result.message_id,
        &result.tool_use_id,
        result.content.as_str(),
    );
    message.error = result.is_error.then(|| result.content.clone());
    message.metadata = metadata(result.ask.as_ref());
    Message::Tool(message)
}

pub(crate) fn result_event(result: &ToolResult) -> Event {
    let mut event = ToolCallResult::new(
        &result.message_id,
        &result.tool_use_id,
        result.content.as_str(),
    );
    event.metadata = metadata(result.ask.as_ref());
    event.into()
}

fn assistant_message(assistant: &message::AssistantMessage) -> Message {
    let calls = assistant.tool_calls.iter().map(|call| {
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

/// A run begins. What it was started with is echoed, so that other clients of the conversation learn of it.
pub(crate) fn run_started(thread_id: &str, run_id: &str, taken: Vec<Message>) -> Event {
    let mut event = RunStarted::new(thread_id, run_id);
    event.protocol_version = Some(PROTOCOL_VERSION.to_owned());
    if !taken.is_empty() {
        event.input = Some(Box::new(RunAgentInput::new(thread_id, run_id, taken)));
    }
    event.into()
}

pub(crate) fn run_finished(thread_id: &str, run_id: &str, outcome: RunOutcome) -> Event {
    let mut event = RunFinished::new(thread_id, run_id);
    event.outcome = Some(outcome);
    event.into()
}

pub(crate) fn run_error(code: &str, text: &str) -> Event {
    let mut event = RunError::new(text);
    event.code = Some(code.to_owned());
    event.into()
}

/// Success, with the call that waits where one does.
pub(crate) fn success(state: &ConvState) -> RunOutcome {
    let mut success = SuccessOutcome::new();
    success.pending_tool_call_ids = state
        .waiting()
        .map(|waiting| vec![waiting.tool_use_id.clone()]);
    RunOutcome::Success(success)
}
