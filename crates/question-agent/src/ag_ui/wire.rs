//! The conversation as messages and events of AG-UI.

use super::input::{Edition, Pending, RunInput};
use super::view::View;
use crate::ConvState;
use crate::call::{self, ToolResult, is_asking_tool};
use crate::message::{self, Undone};
use crate::registry::ToolContext;
use crate::state::AwaitingUserResponse;
use ag_ui_stream::Event;
use ag_ui_stream::input::{PROTOCOL_VERSION, RunAgentInput};
use ag_ui_stream::message::{Message, Metadata, ToolCall};
use ag_ui_stream::outcome::{Interrupt, RunOutcome};
use ask_user_question::outcome::{AskMetadata, OutcomeKind};
use ask_user_question::{AskUserQuestion, Outcome};
use json_tree::Json;
use serde_json::{Map, Value, json};

/// The history as AG-UI messages.
#[must_use]
pub fn messages(view: View<'_>) -> Vec<Message> {
    let message = |message: &message::Message| match message {
        message::Message::User(user) => user_message(user),
        message::Message::Assistant(assistant) => assistant_message(view, assistant),
        message::Message::Tool(result) => result_message(result),
    };
    view.conversation.messages().iter().map(message).collect()
}

/// The events of a call that was held back because the client answers an earlier call first; none for other calls. A client that saw it
/// early would try to answer it too, and could not answer the first alone.
#[must_use]
pub fn held_back(view: View<'_>, tool_use_id: &str) -> Vec<Event> {
    let owner = view.conversation.messages().iter().rev().find_map(|message| {
        let assistant = message.as_assistant()?;
        Some((assistant, assistant.tool_calls.iter().position(|call| call.id == tool_use_id)?))
    });
    let Some((assistant, index)) = owner.filter(|(owner, index)| is_behind_a_clients(view.context, owner, *index))
    else {
        return Vec::new();
    };
    whole_call(&assistant.tool_calls[index], &assistant.id)
}

/// The events of a complete call, in a message of this id.
#[must_use]
pub fn whole_call(call: &call::ToolCall, message_id: &str) -> Vec<Event> {
    let arguments = Event::tool_call_args(&*call.id, call.arguments());
    vec![call_start(&call.id, call.name(), message_id), arguments, Event::tool_call_end(&*call.id)]
}

/// The events of a complete answer of a model, without the calls that are held back; none for other messages.
#[must_use]
pub fn whole_answer(context: &ToolContext, message: &message::Message) -> Vec<Event> {
    let Some(answer) = message.as_assistant() else {
        return Vec::new();
    };
    let mut events = Vec::new();
    if !answer.text.is_empty() {
        let id = answer.id.as_str();
        let content = Event::text_message_content(id, answer.text.as_str());
        events.extend([text_start(id), content, Event::text_message_end(id)]);
    }
    let shown = answer.tool_calls.iter().enumerate().filter(|(index, _)| !is_behind_a_clients(context, answer, *index));
    events.extend(shown.flat_map(|(_, call)| whole_call(call, &answer.id)));
    events
}

/// The start of an answer's text. No other role is possible here, but the first clients require the member.
pub(crate) fn text_start(message_id: &str) -> Event {
    Event::text_message_start(message_id).with("role", "assistant")
}

pub(crate) fn call_start(id: &str, name: &str, message_id: &str) -> Event {
    Event::tool_call_start(id, name).with("parentMessageId", message_id)
}

fn is_behind_a_clients(context: &ToolContext, assistant: &message::AssistantMessage, index: usize) -> bool {
    let mut before = assistant.tool_calls[..index].iter();
    before.any(|call| is_the_clients(context, call.name()))
}

/// Returns true if a client answers calls of this tool: its user, or the client itself.
pub(crate) fn is_the_clients(context: &ToolContext, name: &str) -> bool {
    is_asking_tool(name) || context.is_client_tool(name)
}

/// A user's message as an AG-UI message.
#[must_use]
pub fn user_message(user: &message::UserMessage) -> Message {
    let files = user.files.iter().map(|file| (file.question, &file.file));
    Message::user_with_files(&user.id, &user.text, files).with_metadata(user_metadata(user))
}

fn user_metadata(user: &message::UserMessage) -> Option<Metadata> {
    let ask = metadata(user.ask.as_ref())?;
    let Some(Undone { after, tools }) = &user.undoes else { return Some(ask) };
    let tools: Vec<Json<'_>> = tools.iter().map(|tool| tool.as_str().into()).collect();
    let undone = Json::object([("after", after.as_str().into()), ("tools", tools.into())]);
    let ask = ask.get(AskMetadata::KEY).cloned().unwrap_or_default();
    Some(Json::object([(AskMetadata::KEY, ask), ("undoes", undone)]).into_static())
}

/// A result as an AG-UI tool message.
#[must_use]
pub fn result_message(result: &ToolResult) -> Message {
    Message::tool(&result.message_id, &result.tool_use_id, result.content.as_str())
        .with_error(result.is_error.then(|| result.content.clone()))
        .with_metadata(metadata(result.ask.as_ref()))
}

/// The outcome of an ask that has this result; `None` if it could not be asked.
#[must_use]
pub fn outcome_of(result: &ToolResult) -> Option<OutcomeKind> {
    if let Some(ask) = &result.ask {
        return Some(ask.outcome);
    }
    // Only replies need their ask to be read, and every reply was handled above by its metadata.
    let nothing = AskUserQuestion::default();
    let outcome = Outcome::parse(&nothing, &result.content)?;
    Some(outcome.kind())
}

/// The event of a result.
#[must_use]
pub fn result_event(result: &ToolResult) -> Event {
    let event = Event::tool_call_result(&*result.message_id, &*result.tool_use_id, &*result.content);
    match metadata(result.ask.as_ref()) {
        Some(metadata) => event.with("metadata", metadata),
        None => event,
    }
}

fn assistant_message(view: View<'_>, assistant: &message::AssistantMessage) -> Message {
    let calls = shown_calls(view, assistant).map(|call| ToolCall::new(&call.id, call.name(), call.arguments()));
    Message::assistant(&assistant.id, &assistant.text, calls.collect())
}

pub(crate) fn shown_calls<'a>(
    view: View<'a>,
    assistant: &'a message::AssistantMessage,
) -> impl Iterator<Item = &'a call::ToolCall> {
    let conversation = view.conversation;
    let running = conversation.state().open_calls();
    let shown = assistant.tool_calls.iter().enumerate().filter(move |(index, call)| {
        !is_behind_a_clients(view.context, assistant, *index)
            || running.first() == Some(&call.id.as_str())
            || conversation.result_of(&call.id).is_some()
    });
    shown.map(|(_, call)| call)
}

/// The history as an event, for clients whose history may differ.
#[must_use]
pub fn snapshot(view: View<'_>) -> Event {
    Event::messages_snapshot(messages(view).iter().map(Json::from).collect::<Vec<_>>())
}

fn metadata(ask: Option<&AskMetadata>) -> Option<Metadata> {
    ask.map(AskMetadata::to_metadata)
}

/// The start of a run. The messages that started it are echoed, so that other clients of the conversation receive them.
#[must_use]
pub fn run_started(thread_id: &str, run_id: &str, taken: Vec<Message>) -> Event {
    let started = Event::run_started(thread_id, run_id).with("protocolVersion", PROTOCOL_VERSION);
    if taken.is_empty() { started } else { started.with("input", &whole_input(thread_id, run_id, taken)) }
}

/// An input with all members that clients before 1.0 require. State, tools, context and properties are empty, since only the server needed them.
fn whole_input(thread_id: &str, run_id: &str, messages: Vec<Message>) -> RunAgentInput {
    let mut input = RunAgentInput::new(thread_id, run_id, messages);
    input.state = Some(json!({}).into());
    input.tools = Some(Vec::new());
    input.context = Some(Vec::new());
    input.forwarded_props = Some(json!({}).into());
    input
}

/// The end of a run, for a client of this edition. Before 1.0 only an interrupt had an outcome: clients found open calls by themselves, and
/// did not know cancelled runs.
#[must_use]
pub fn run_finished(edition: Edition, thread_id: &str, run_id: &str, outcome: RunOutcome) -> Event {
    let finished = Event::run_finished(thread_id, run_id);
    match edition == Edition::Current || matches!(outcome, RunOutcome::Interrupt { .. }) {
        true => finished.with("outcome", &outcome),
        false => finished,
    }
}

/// The failure of a run.
#[must_use]
pub fn run_error(code: &str, text: &str) -> Event {
    Event::run_error(text).with("code", code)
}

/// The end of a run, for the client that sent this input.
#[must_use]
pub fn run_end(view: View<'_>, input: &RunInput) -> Event {
    match view.conversation.state() {
        ConvState::Failed { reason } => run_error("model_failed", reason),
        _ => run_finished(input.edition(), &input.thread_id, &input.run_id, outcome(view, input.pending())),
    }
}

/// The outcome of a run that did not fail: with the call that the client is to answer, if there is one.
#[must_use]
pub fn outcome(view: View<'_>, pending: Pending) -> RunOutcome {
    let Some(waiting) = view.conversation.waiting() else {
        let call = view.clients_call();
        return RunOutcome::Success { pending_tool_call_ids: call.iter().map(|call| call.id.clone()).collect() };
    };
    match pending {
        Pending::ToolCalls => RunOutcome::Success { pending_tool_call_ids: vec![waiting.tool_use_id.clone()] },
        Pending::Interrupts => RunOutcome::Interrupt { interrupts: vec![interrupt(waiting)] },
    }
}

/// The interrupt of an ask. It has the id of its call: there is one for each ask, and ids of calls are unique.
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
    interrupt.response_schema = Some(schema.into());
    interrupt.expires_at = waiting.expires_at.map(|time| time.to_string());
    interrupt
}
