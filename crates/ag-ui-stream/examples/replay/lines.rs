//! The lines' members, in the order in which they are printed.

use ag_ui_stream::Thread;
use ag_ui_stream::notice::Notice;
use ag_ui_stream::reader::{End, EndError};
use ask_user_question::AskSnapshot;
use ask_user_question::snapshot::{OptionSnapshot, QuestionSnapshot, TextSnapshot};
use json_tree::Json;

pub(crate) fn warning(warning: &Notice) -> Json<'static> {
    Json::object_of(&mut [
        ("code", Some(warning.code.as_str().into())),
        ("path", warning.path.as_deref().map(Json::from)),
        ("message", Some(warning.to_string().into())),
    ])
}

pub(crate) fn end(end: &End, thread: &Thread) -> Json<'static> {
    let pending = thread.pending_tool_call_ids();
    let pending: Vec<&str> = pending.iter().map(|key| thread.wire_id(key)).collect();
    Json::object([
        ("outcome", end.outcome.as_str().into()),
        ("messages", thread.messages().iter().collect::<Vec<_>>().into()),
        ("state", thread.state().clone()),
        ("pendingToolCallIds", pending.into()),
        ("interrupts", thread.open_interrupts().iter().collect::<Vec<_>>().into()),
        ("error", end.error.as_ref().map(error).unwrap_or_default()),
    ])
}

fn error(error: &EndError) -> Json<'static> {
    Json::object_of(&mut [
        ("code", Some(error.code().into())),
        ("message", Some(error.to_string().into())),
        ("eventIndex", error.event_index().map(|index| Json::Number(index.into()))),
    ])
}

pub(crate) fn ask(ask: &AskSnapshot) -> Json<'static> {
    // As the agent reads it.
    let outcome = ask.ask.as_ref().and_then(|it| Some(ask.outcome.as_ref()?.to_json(it)));
    Json::object_of(&mut [
        ("toolCallId", Some(ask.tool_call_id.as_str().into())),
        ("phase", Some(ask.phase.as_str().into())),
        ("questions", Some(Json::List(ask.questions.iter().map(question).collect()))),
        ("outcome", outcome),
        ("result", ask.result.as_deref().map(Json::from)),
    ])
}

fn question(question: &QuestionSnapshot) -> Json<'static> {
    Json::object_of(&mut [
        ("question", Some(text(&question.question))),
        ("header", question.header.as_ref().map(text)),
        ("multiSelect", Some(question.multi_select.unwrap_or_default().into())),
        ("options", Some(Json::List(question.options.iter().map(option).collect()))),
        ("closed", Some(question.closed.into())),
    ])
}

fn option(option: &OptionSnapshot) -> Json<'static> {
    Json::object_of(&mut [
        ("label", Some(text(&option.label))),
        ("description", option.description.as_ref().map(text)),
        ("closed", Some(option.closed.into())),
    ])
}

fn text(text: &TextSnapshot) -> Json<'static> {
    text.text.as_str().into()
}
