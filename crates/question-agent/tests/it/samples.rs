//! Small things to test with.

use ask_user_question::outcome::AnsweredBy;
use ask_user_question::reply::Selection;
use ask_user_question::{AskUserQuestion, Limits, Outcome, Question, Reply};
use question_agent::call::ToolCall;
use question_agent::event::{Event, Response};
use question_agent::message::{AssistantMessage, UserMessage};
use question_agent::registry::ToolContext;
use question_agent::{Conversation, Effect, Timestamp, intercept};

pub(crate) fn database_ask() -> AskUserQuestion {
    AskUserQuestion::new([Question::new("Which database?", ["Postgres", "SQLite"]).with_header("Database")])
}

pub(crate) fn ask_call(id: &str) -> ToolCall {
    let arguments = serde_json::to_string(&database_ask()).expect("an ask is JSON");
    ToolCall::new(id, "ask_user_question", arguments)
}

pub(crate) fn other_call(id: &str) -> ToolCall {
    ToolCall::new(id, "read_file", r#"{"path":"a"}"#)
}

pub(crate) fn user(id: &str, text: &str) -> UserMessage {
    UserMessage::new(id, text)
}

pub(crate) fn says(id: &str, text: &str) -> Event {
    Event::UserMessage { messages: vec![user(id, text)] }
}

pub(crate) fn responds(id: &str, text: &str, tool_calls: Vec<ToolCall>) -> Event {
    Event::LlmResponse(AssistantMessage { id: id.to_owned(), text: text.to_owned(), tool_calls, origin: None })
}

pub(crate) fn picks(option: usize) -> Outcome {
    let selection = Selection::picked(0, [option]);
    Outcome::Answered(Reply::check(&database_ask(), vec![selection]).expect("the option exists"))
}

pub(crate) fn response(tool_use_id: &str, reply_id: &str, outcome: Outcome) -> Response {
    Response::new(tool_use_id, reply_id, AnsweredBy::Card, outcome)
}

pub(crate) fn replies(tool_use_id: &str, reply_id: &str, outcome: Outcome) -> Event {
    Event::UserQuestionResponse(response(tool_use_id, reply_id, outcome))
}

/// The deadline of intercepted asks.
const DEADLINE: Timestamp = Timestamp(1000);

/// Carries out what interception decides about the running tool: asks wait, everything else is left to the test.
pub(crate) fn intercept_running(conversation: &mut Conversation, effects: &[Effect]) -> Vec<Effect> {
    let Some(Effect::ExecuteTool(call)) = effects.last() else {
        return Vec::new();
    };
    match intercept(&ToolContext::default(), &Limits::RUNTIME, call, Some(DEADLINE)) {
        Some(event) => conversation.handle(event).expect("the running call was judged"),
        None => Vec::new(),
    }
}

/// A conversation that waits for "Which database?" asked by `call-1`, with `behind` still to run.
pub(crate) fn waiting(behind: Vec<ToolCall>) -> Conversation {
    let mut conversation = Conversation::new();
    conversation.handle(says("u1", "set it up")).expect("idle takes a message");
    let calls = std::iter::once(ask_call("call-1")).chain(behind).collect();
    let effects = conversation.handle(responds("a1", "One question.", calls)).expect("the model was asked");
    intercept_running(&mut conversation, &effects);
    assert!(conversation.waiting().is_some(), "{:?}", conversation.state());
    conversation
}
