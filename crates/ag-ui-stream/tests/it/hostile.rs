//! Input of a hostile producer.

use crate::chat::{Chat, NOW, chat, started};
use ag_ui_stream::conversation::Update;
use ag_ui_stream::event::EventType;
use ag_ui_stream::notice::Code;
use ag_ui_stream::{Conversation, Event, EventReader, Thread};
use json_tree::Json;
use serde_json::{Value, json};
use std::iter;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const KEY: &str = "$serde_json::private::RawValue";

/// The tests switch `serde_json`'s `raw_value` on, as other crates in a build may: for its own reader, an object with this key alone is JSON
/// inside a string.
#[test]
fn the_key_is_a_key_like_any_other() {
    let mut conversation = crate::chat::unread();
    let sent = json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r", "rawEvent": {KEY: "[1]"}, "metadata": {KEY: "{}"}});
    conversation.feed_json(&sent.to_string());
    let Some(Update::Event { event, .. }) = conversation.next_update(NOW) else { panic!("no event") };
    assert_eq!(event.get("rawEvent"), Some(&Json::from(&sent["rawEvent"])));
    assert_eq!(serde_json::to_value(&event).unwrap(), sent);
    conversation.take([
        json!({"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/a", "value": {KEY: "[1]"}}]}),
        json!({"type": "STATE_DELTA", "delta": [{"op": "test", "path": "/a", "value": {KEY: "[1]"}}, {"op": "copy", "from": "/a", "path": "/b"}]}),
    ]);
    assert_eq!(conversation.thread().state(), &json!({"a": {KEY: "[1]"}, "b": {KEY: "[1]"}}));
}

/// A conversation with this state.
fn holding(state: &Value) -> Conversation {
    chat([started("r"), json!({"type": "STATE_SNAPSHOT", "snapshot": state})])
}

/// Returns true if a patch could be applied.
fn applies(conversation: &mut Conversation, delta: impl Into<Value>) -> bool {
    conversation.feed_json(&json!({"type": "STATE_DELTA", "delta": delta.into()}).to_string());
    let mut applied = true;
    while let Some(update) = conversation.next_update(NOW) {
        match update {
            Update::Warning(warning) => {
                assert_eq!(warning.code, Code::PatchFailed);
                applied = false;
            }
            Update::Refused(error) => panic!("{error}"),
            _ => {}
        }
    }
    applied
}

fn depth(conversation: &Conversation) -> usize {
    iter::successors(Some(conversation.thread().state()), |state| state.get("a")).count()
}

#[test]
fn patches_that_copy_a_state_into_itself_end() {
    let mut conversation = holding(&json!({}));
    // Each copy doubles how deep the state is, if its target is the deepest place so far.
    let copies = (0..17).map(|round| json!([{"op": "copy", "from": "", "path": "/a".repeat(1 << round)}]));
    let applied = copies.filter(|copy| applies(&mut conversation, copy.clone())).count();
    assert_eq!((applied, depth(&conversation)), (6, 64));
}

#[test]
fn patches_that_double_a_state_end() {
    let mut conversation = holding(&json!({}));
    let operations: Vec<Value> = (0..100).map(|n| json!({"op": "copy", "from": "", "path": format!("/{n}")})).collect();
    assert!(!applies(&mut conversation, operations));
    assert_eq!(conversation.thread().state(), &json!({}));
}

#[test]
fn patches_that_move_a_state_ever_deeper_end() {
    let mut conversation = holding(&json!({"a": {}}));
    let deeper = json!([
        {"op": "add", "path": "/b", "value": {}}, {"op": "move", "from": "/a", "path": "/b/a"}, {"op": "move", "from": "/b", "path": "/a"},
    ]);
    let rounds =
        iter::repeat_with(|| applies(&mut conversation, deeper.clone())).take_while(|applied| *applied).count();
    assert_eq!((depth(&conversation), rounds), (127, 125));
}

#[test]
fn patches_copy_no_more_than_is_removed_and_a_bounded_amount() {
    let mut conversation = holding(&json!({"a": "x".repeat(100_000)}));
    let copy = |path: &str| json!({"op": "copy", "from": "/a", "path": path});
    // Each copy takes the place of the last one.
    for _ in 0..50 {
        assert!(applies(&mut conversation, [copy("/b")]));
    }
    let copies = (0..50).filter(|n| applies(&mut conversation, [copy(&format!("/{n}"))]));
    assert_eq!(copies.count(), 9);
    // One patch may not copy and remove for ever either.
    let pair = [copy("/c"), json!({"op": "remove", "path": "/c"})];
    assert!(!applies(&mut conversation, iter::repeat_n(pair, 50).flatten().collect::<Vec<_>>()));
}

#[test]
fn warnings_that_nobody_takes_are_bounded() {
    let mut reader = EventReader::new();
    let unknown = (0..300).map(|n| format!(r#","x{n}":1"#));
    let event = format!(r#"{{"type":"RUN_STARTED","threadId":"t","runId":"r"{}}}"#, unknown.collect::<String>());
    reader.feed_json(&event);
    assert_eq!(iter::from_fn(|| reader.next_warning()).count(), 256);
    let mut thread = Thread::default();
    for _ in 0..300 {
        thread.handle_event(&Event::new(
            EventType::TextMessageContent,
            [("messageId", "gone".into()), ("delta", "x".into())],
        ));
    }
    assert_eq!(iter::from_fn(|| thread.next_warning()).count(), 256);
}
