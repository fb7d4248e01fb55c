//! The conversation in AG-UI's words.

use crate::input::Pending;
use ag_ui_stream::event::{Event, RunError, RunFinished, RunStarted, ToolCallResult};
use ag_ui_stream::input::{PROTOCOL_VERSION, RunAgentInput};
use ag_ui_stream::message::{
    AssistantMessage, CallType, FunctionCall, Message, Metadata, ToolCall, ToolMessage,
};
use ag_ui_stream::outcome::{Interrupt, InterruptOutcome, RunOutcome, SuccessOutcome};
use ask_user_question::outcome::AskMetadata;
use question_agent::call::ToolResult;
use question_agent::state::AwaitingUserResponse;
use question_agent::{ConvState, Conversation, message};
use serde_json::{Map, Value, json};

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

/// How a run ends that did not fail: with the ask that waits, where one does.
pub(crate) fn outcome(state: &ConvState, pending: Pending) -> RunOutcome {
    let mut success = SuccessOutcome::new();
    let Some(waiting) = state.waiting() else {
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
    let texts: Vec<&str> = questions
        .iter()
        .map(|question| question.question.as_str())
        .collect();
    let answers: Map<String, Value> = texts
        .iter()
        .map(|text| ((*text).to_owned(), json!({"type": "string"})))
        .collect();
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
    interrupt
}
