//! What a hostile producer sends to overflow the stack. The tests switch `serde_json`'s `raw_value` on, as other crates in a build may: with
//! it, an object with one certain key is JSON inside a string, which is read with a fresh limit on depth.

use ag_ui_stream::event::EventType;
use ag_ui_stream::input::RunAgentInput;
use ag_ui_stream::reader::EndOutcome;
use ag_ui_stream::warning::WarningCode;
use ag_ui_stream::{Asks, Event, EventReader, Thread};
use json_tree::Json;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const KEY: &str = "$serde_json::private::RawValue";

/// JSON text inside JSON text: sixteen times, each inside a hundred arrays.
fn nested() -> String {
    (0..16).fold("0".to_owned(), |text, _| {
        let packed = Value::String(text);
        format!("{}{{\"{KEY}\":{packed}}}{}", "[".repeat(100), "]".repeat(100))
    })
}

/// Sends a run around an event, and gives how it ended.
fn verdict(event: &str) -> EndOutcome {
    let (mut reader, mut thread, mut asks) = (EventReader::new(), Thread::default(), Asks::new());
    let run = |kind: &str| format!(r#"{{"type":"{kind}","threadId":"t","runId":"r"}}"#);
    for data in [&run("RUN_STARTED"), event, &run("RUN_FINISHED")] {
        reader.feed(format!("data: {data}\n\n").as_bytes());
        while let Some(Ok(event)) = reader.next_event() {
            thread.handle_event(&event);
            asks.handle_event(0, &event);
        }
    }
    reader.finish().outcome
}

#[test]
fn raw_values_inside_raw_values_are_plain_json() {
    let nested = nested();
    let object = format!(r#"{{"{KEY}":{}}}"#, Value::String(nested.clone()));
    for event in [
        format!(r#"{{"type":"STATE_SNAPSHOT","snapshot":{nested}}}"#),
        format!(r#"{{"snapshot":{nested},"type":"STATE_SNAPSHOT"}}"#),
        format!(r#"{{"type":"STATE_SNAPSHOT","snapshot":{nested},"zzz":1}}"#),
        format!(r#"{{"zzz":{nested},"type":"STATE_SNAPSHOT","snapshot":1}}"#),
        format!(r#"{{"type":"STATE_DELTA","delta":[{{"op":"add","path":"","value":{nested}}}]}}"#),
        format!(r#"{{"type":"CUSTOM","name":"n","value":{nested},"rawEvent":{nested}}}"#),
        format!(r#"{{"type":"CUSTOM","name":"n","value":1,"metadata":{object}}}"#),
        format!(r#"{{"type":"CUSTOM","name":"on_interrupt","value":{}}}"#, Value::String(nested.clone())),
        format!(r#"{{"type":"ACTIVITY_SNAPSHOT","messageId":"m","activityType":"a","content":{object}}}"#),
    ] {
        let start: String = event.chars().take(70).collect();
        assert_eq!(verdict(&event), EndOutcome::Completed, "{start}");
    }
    // The text after the first member is a frame that begins with the key.
    let whole = format!(r#"{{"a":1,"{KEY}":{},"type":"CUSTOM"}}"#, Value::String(nested));
    assert_eq!(verdict(&whole), EndOutcome::Rejected);
    assert_eq!(verdict(&object), EndOutcome::Rejected);
}

#[test]
fn raw_values_in_an_input_are_plain_json() {
    let nested = nested();
    for more in ["", r#","zzz":1"#] {
        let text =
            format!(r#"{{"threadId":"t","runId":"r","messages":[],"state":{nested},"forwardedProps":{nested}{more}}}"#);
        let (input, _) = RunAgentInput::parse(&text).unwrap();
        assert_eq!(input.state.as_ref().unwrap(), input.forwarded_props.as_ref().unwrap());
    }
}

#[test]
fn the_key_is_a_key_like_any_other() {
    let mut reader = EventReader::new();
    let sent = json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r", "rawEvent": {KEY: "[1]"}, "metadata": {KEY: "{}"}});
    reader.feed_json(&sent.to_string());
    let event: Event = reader.next_event().unwrap().unwrap();
    assert_eq!(event.raw_event(), Some(&Json::from(&sent["rawEvent"])));
    assert_eq!(serde_json::to_value(&event).unwrap(), sent);
    let mut thread = Thread::default();
    for event in [
        json!({"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/a", "value": {KEY: "[1]"}}]}),
        json!({"type": "STATE_DELTA", "delta": [{"op": "test", "path": "/a", "value": {KEY: "[1]"}}, {"op": "copy", "from": "/a", "path": "/b"}]}),
    ] {
        reader.feed_json(&event.to_string());
        thread.handle_event(&reader.next_event().unwrap().unwrap());
    }
    assert_eq!(thread.state(), &json!({"a": {KEY: "[1]"}, "b": {KEY: "[1]"}}));
}

#[test]
fn patches_that_copy_a_state_into_itself_end() {
    let (mut reader, mut thread) = (EventReader::new(), Thread::default());
    reader.feed_json(&json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}).to_string());
    // Each copy doubles how deep the state is, if its target is the deepest place so far.
    for round in 0..17 {
        let path = "/a".repeat(1 << round);
        reader.feed_json(
            &json!({"type": "STATE_DELTA", "delta": [{"op": "copy", "from": "", "path": path}]}).to_string(),
        );
    }
    while let Some(event) = reader.next_event() {
        thread.handle_event(&event.unwrap());
    }
    let depth = std::iter::successors(Some(thread.state()), |state| state.get("a")).count();
    assert_eq!(depth, 64);
    assert_eq!(thread.next_warning().unwrap().code, WarningCode::PatchFailed);
}

#[test]
fn patches_that_double_a_state_end() {
    let (mut reader, mut thread) = (EventReader::new(), Thread::default());
    reader.feed_json(&json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}).to_string());
    let operations: Vec<Value> = (0..100).map(|n| json!({"op": "copy", "from": "", "path": format!("/{n}")})).collect();
    reader.feed_json(&json!({"type": "STATE_DELTA", "delta": operations}).to_string());
    while let Some(event) = reader.next_event() {
        thread.handle_event(&event.unwrap());
    }
    assert_eq!(thread.state(), &json!({}));
    assert_eq!(thread.next_warning().unwrap().code, WarningCode::PatchFailed);
}

/// A thread with this state, to which patches are applied; each gives whether it was.
fn patched(state: Value) -> impl FnMut(Value) -> (bool, Thread) {
    let mut thread = Thread::default();
    let event = |json| serde_json::from_value::<Event>(json).unwrap();
    thread.handle_event(&event(json!({"type": "STATE_SNAPSHOT", "snapshot": state})));
    move |delta| {
        thread.handle_event(&event(json!({"type": "STATE_DELTA", "delta": delta})));
        (thread.next_warning().is_none(), thread.clone())
    }
}

#[test]
fn patches_that_move_a_state_ever_deeper_end() {
    let mut patch = patched(json!({"a": {}}));
    let deeper = json!([
        {"op": "add", "path": "/b", "value": {}}, {"op": "move", "from": "/a", "path": "/b/a"}, {"op": "move", "from": "/b", "path": "/a"},
    ]);
    let mut rounds = 0;
    let thread = loop {
        let (applied, thread) = patch(deeper.clone());
        if !applied {
            break thread;
        }
        rounds += 1;
    };
    let depth = std::iter::successors(Some(thread.state()), |state| state.get("a")).count();
    assert_eq!((depth, rounds), (127, 125));
}

#[test]
fn patches_copy_no_more_than_is_removed_and_a_bounded_amount() {
    let text = "x".repeat(100_000);
    let mut patch = patched(json!({"a": text}));
    // Each copy takes the place of the last one.
    for _ in 0..50 {
        assert!(patch(json!([{"op": "copy", "from": "/a", "path": "/b"}])).0);
    }
    let copies = (0..50).map(|n| patch(json!([{"op": "copy", "from": "/a", "path": format!("/{n}")}])));
    assert_eq!(copies.filter(|(applied, _)| *applied).count(), 9);
    // One patch may not copy and remove for ever either.
    let pair = [json!({"op": "copy", "from": "/a", "path": "/c"}), json!({"op": "remove", "path": "/c"})];
    let many: Vec<Value> = pair.into_iter().cycle().take(100).collect();
    assert!(!patch(many.into()).0);
}

#[test]
fn warnings_that_nobody_takes_are_bounded() {
    let mut reader = EventReader::new();
    let unknown = (0..300).map(|n| format!(r#","x{n}":1"#));
    let event = format!(r#"{{"type":"RUN_STARTED","threadId":"t","runId":"r"{}}}"#, unknown.collect::<String>());
    reader.feed_json(&event);
    let waiting = std::iter::from_fn(|| reader.next_warning()).count();
    assert_eq!((waiting, reader.dropped_warnings()), (256, 44));
    let mut thread = Thread::default();
    for _ in 0..300 {
        thread.handle_event(&Event::new(
            EventType::TextMessageContent,
            [("messageId", "gone".into()), ("delta", "x".into())],
        ));
    }
    let waiting = std::iter::from_fn(|| thread.next_warning()).count();
    assert_eq!((waiting, thread.dropped_warnings()), (256, 44));
}
