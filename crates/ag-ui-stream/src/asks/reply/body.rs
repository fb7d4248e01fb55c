//! Writes an input as JSON text.

use super::turn::RunDefaults;
use crate::input::PROTOCOL_VERSION;
use crate::message::{Message, borrowed};
use json_tree::{Json, Members};

pub(super) fn body(
    setup: &RunDefaults,
    run_id: &str,
    history: &[&Message],
    state: &Json<'_>,
    props: &Members<'_>,
    resume: Vec<Json<'_>>,
) -> String {
    let input = Json::object_of(&mut [
        ("threadId", Some(borrowed(&setup.thread_id))),
        ("runId", Some(borrowed(run_id))),
        ("messages", Some(Json::List(history.iter().map(|message| message.to_json_with(whole)).collect()))),
        ("protocolVersion", Some(borrowed(PROTOCOL_VERSION))),
        // An absent state means `{}`; `basic/run-input` does not allow null.
        ("state", (*state != Json::Null).then(|| state.clone())),
        ("tools", Some(Json::List(setup.tools.iter().map(Json::from).collect()))),
        ("context", Some(Json::List(setup.context.iter().map(Json::from).collect()))),
        ("forwardedProps", Some(Json::Object(props.clone()))),
        ("resume", (!resume.is_empty()).then_some(Json::List(resume))),
    ]);
    input.text()
}

/// The arguments of a call, or `{}` if they are not JSON, on which the adapter of `LangGraph` failed in every later run
/// (<https://github.com/ag-ui-protocol/ag-ui/issues/2680>).
fn whole(arguments: &str) -> &str {
    if Json::parse(arguments).is_ok() { arguments } else { "{}" }
}
