//! The JSON text of an input.

use super::turn::RunDefaults;
use crate::input::PROTOCOL_VERSION;
use crate::message::{Message, borrowed};
use json_tree::{Json, Members};

/// Writes an input as text at once, without a copy of history and state.
pub(super) fn body(
    setup: &RunDefaults,
    run_id: &str,
    history: &[&Message],
    state: &Json<'_>,
    props: &Members<'_>,
    resume: &[Json<'_>],
) -> String {
    let mut body = String::from(r#"{"threadId":"#);
    borrowed(&setup.thread_id).write(&mut body);
    body.push_str(r#","runId":"#);
    borrowed(run_id).write(&mut body);
    body.push_str(r#","messages":["#);
    for message in history {
        push_item(&mut body, &with_whole_arguments(message));
    }
    body.push_str(r#"],"protocolVersion":"#);
    borrowed(PROTOCOL_VERSION).write(&mut body);
    // An absent state means `{}`, and `basic/run-input` allows no null.
    if *state != Json::Null {
        body.push_str(r#","state":"#);
        state.write(&mut body);
    }
    body.push_str(r#","tools":["#);
    for tool in &setup.tools {
        push_item(&mut body, &tool.into());
    }
    body.push_str(r#"],"context":["#);
    for context in &setup.context {
        push_item(&mut body, &context.into());
    }
    body.push_str(r#"],"forwardedProps":"#);
    json_tree::write_members(&mut body, props);
    if !resume.is_empty() {
        body.push_str(r#","resume":["#);
        for entry in resume {
            push_item(&mut body, entry);
        }
        body.push(']');
    }
    body.push('}');
    body
}

fn push_item(body: &mut String, item: &Json<'_>) {
    if !body.ends_with('[') {
        body.push(',');
    }
    item.write(body);
}

/// The message with `{}` for arguments that are no JSON: the adapter of `LangGraph` failed on them in each later run
/// (<https://github.com/ag-ui-protocol/ag-ui/issues/2680>).
fn with_whole_arguments(message: &Message) -> Json<'_> {
    message.to_json_with(|arguments| if Json::parse(arguments).is_ok() { arguments } else { "{}" })
}
