//! Laws that hold for whatever comes.

mod asks;
mod halves;
#[cfg(not(target_arch = "wasm32"))]
mod oracle;
mod patches;
mod runs;
mod streams;

use ag_ui_stream::Event;
use ag_ui_stream::event::EventType;
use ag_ui_stream::thread::{Change, Thread};
use json_tree::Json;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use serde_json::{Map, Value, json};

/// Natively each run takes other cases, and a failure prints its seed; wasm32 has no randomness of its own and takes always the same.
fn law<S: Strategy>(cases: u32, strategy: &S, holds: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let rng_seed = if cfg!(target_arch = "wasm32") { RngSeed::Fixed(7) } else { RngSeed::Random };
    let config = Config { cases, rng_seed, failure_persistence: None, ..Config::default() };
    TestRunner::new(config).run(strategy, holds).unwrap_or_else(|error| panic!("{error}"));
}

/// The places of cuts, from any numbers.
fn cut(length: usize, cuts: &[usize]) -> Vec<usize> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut % (length + 1)).collect();
    places.extend([0, length]);
    places.sort_unstable();
    places
}

fn pieces<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    cut(bytes.len(), cuts).windows(2).map(|ends| &bytes[ends[0]..ends[1]]).collect()
}

fn text_pieces<'a>(text: &'a str, cuts: &[usize]) -> Vec<&'a str> {
    let places = cut(text.len(), cuts);
    let places: Vec<usize> = places.into_iter().map(|place| text.floor_char_boundary(place)).collect();
    places.windows(2).map(|ends| &text[ends[0]..ends[1]]).collect()
}

fn cuts() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(any::<usize>(), 0..20)
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

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[ -~ä€🛢\u{0}-\u{1f}\u{2028}]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-cä\"\\\\]{0,3}", inner, 0..4)
                .prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    })
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
