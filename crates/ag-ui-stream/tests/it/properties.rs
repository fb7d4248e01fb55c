//! Laws that hold for whatever comes.

mod asks;
#[cfg(feature = "legacy")]
mod halves;
#[path = "../../../json-tree/tests/it/laws.rs"]
mod laws;
#[cfg(not(target_arch = "wasm32"))]
mod oracle;
mod patches;
mod runs;
mod streams;

use ag_ui_stream::Event;
use ag_ui_stream::event::EventType;
use ag_ui_stream::thread::{Change, Thread};
use json_tree::Json;
use laws::{cut, cuts, json, law, text_pieces};
use proptest::prelude::*;
use serde_json::{Value, json};

fn pieces<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    cut(bytes.len(), cuts).windows(2).map(|ends| &bytes[ends[0]..ends[1]]).collect()
}

/// Lines that look like server-sent events, with every line end.
fn stream() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => "(data|event|id|retry|other)?:? ?[a-z0-9 :+ä🛢\u{feff}]{0,6}",
        3 => Just(String::new()),
        1 => Just("\u{feff}".to_owned()),
    ];
    let end = prop_oneof![Just("\n"), Just("\r"), Just("\r\n")];
    prop::collection::vec((line, end), 0..24)
        .prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect())
}

/// Patches that often hit something in the documents of [`json`].
fn patch() -> impl Strategy<Value = Vec<Value>> {
    let path = "(/(a|b|c|0|1|2|-|ä|~0|)){0,3}";
    let operation = prop_oneof![
        (path, json()).prop_map(|(path, value)| json!({"op": "add", "path": path, "value": value})),
        path.prop_map(|path| json!({"op": "remove", "path": path})),
        (path, json()).prop_map(|(path, value)| json!({"op": "replace", "path": path, "value": value})),
        (path, path).prop_map(|(from, path)| json!({"op": "move", "from": from, "path": path})),
        (path, path).prop_map(|(from, path)| json!({"op": "copy", "from": from, "path": path})),
    ];
    prop::collection::vec(operation, 0..5)
}

/// A document as a state to which a patch was sent, and true if the patch applied.
fn patched(document: &Value, operations: Vec<Value>) -> (bool, Json<'static>) {
    let mut thread = Thread::default();
    thread.handle_event(&Event::state_snapshot(document));
    let change = thread.handle_event(&Event::new(EventType::StateDelta, [("delta", operations.into())]));
    (change == Change::StateChanged, thread.state().clone())
}
