//! The changes that a thread reports for each event.

use crate::chat::{Chat, FOREIGN, call_of, event, finished, messages, result, roles, said, snapshot, started};
use ag_ui_stream::Event;
use ag_ui_stream::message::Message;
use ag_ui_stream::notice::Code;
use ag_ui_stream::thread::{Change, Thread};
use json_tree::Json;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[track_caller]
fn take(thread: &mut Thread, json: Value) -> Change {
    thread.handle_event(&event(json))
}

/// A thread that was told of these events.
fn of(events: impl IntoIterator<Item = Value>) -> Thread {
    let mut thread = Thread::default();
    events.into_iter().for_each(|event| _ = take(&mut thread, event));
    thread
}

fn text(id: &str) -> Value {
    json!({"type": "TEXT_MESSAGE_START", "messageId": id})
}

fn content(id: &str, delta: &str) -> Value {
    json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta})
}

/// A call that begins in a message, or nowhere.
fn start(id: &str, parent: Option<&str>) -> Value {
    let [mut start, ..] = call_of("f", id, "");
    if let Some(parent) = parent {
        start["parentMessageId"] = parent.into();
    }
    start
}

fn call(id: &str, name: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}})
}

#[test]
fn a_text_tells_where_it_grew() {
    let mut thread = Thread::default();
    let end = json!({"type": "TEXT_MESSAGE_END", "messageId": "m1", "metadata": {"a": 1}});
    for (event, change) in [
        (text("m1"), Change::MessageAdded { message: 0 }),
        (content("m1", "Grüß"), Change::TextAppended { message: 0, from: 0 }),
        (content("m1", " dich"), Change::TextAppended { message: 0, from: 6 }),
        (end, Change::MessageChanged { message: 0 }),
        (content("gone", "x"), Change::Nothing),
    ] {
        assert_eq!(take(&mut thread, event.clone()), change, "{event}");
    }
    assert_eq!(thread.message("m1").unwrap().text(), "Grüß dich");
    assert_eq!(thread.message("m1").unwrap().metadata().unwrap(), &json!({"a": 1}));
    assert_eq!(thread.next_warning().unwrap().code, Code::MissingEntity);
}

#[test]
fn a_call_tells_where_it_grew_and_survives_a_snapshot_without_it() {
    let mut thread = Thread::default();
    let [first, second] = ["{\"a\"", ":1}"].map(|delta| call_of("f", "c1", delta)[1].clone());
    let [.., end] = call_of("f", "c1", "");
    for (event, change) in [
        (start("c1", Some("m1")), Change::ToolCallAdded { message: 0, call: 0 }),
        (first, Change::ArgumentsAppended { message: 0, call: 0, from: 0 }),
        (snapshot(&[]), Change::MessagesReplaced),
        (second, Change::Nothing),
    ] {
        assert_eq!(take(&mut thread, event.clone()), change, "{event}");
    }
    assert_eq!(thread.arguments("c1"), Some("{\"a\":1}"));
    take(&mut thread, end);
    let call = thread.call("c1").unwrap();
    assert!(call.ended && !call.is_answered() && call.name == "f");
    assert_eq!(thread.next_warning().unwrap().code, Code::MissingEntity);
}

#[test]
fn a_call_that_broke_off_starts_again_in_its_place() {
    let [start, half, _] = call_of("f", "c1", "{\"a");
    let [again, ..] = call_of("g", "c1", "");
    let mut thread = of([started("r1"), start, half, json!({"type": "RUN_ERROR", "message": "m"}), started("r2")]);
    assert_eq!(take(&mut thread, again), Change::ToolCallChanged { message: 0, call: 0 });
    assert_eq!((thread.arguments("c1"), thread.messages()[0].tool_calls()[0].name.as_str()), (Some(""), "g"));
    assert_eq!(thread.next_warning().unwrap().code, Code::RenamedToolCall);
}

#[test]
fn a_call_finds_its_message() {
    let mut thread = Thread::new(messages(json!([{"role": "user", "id": "u1", "content": "Hi"}])));
    for (call, parent) in [("c1", None), ("c2", Some("u1")), ("c3", Some("c1")), ("c4", Some(""))] {
        take(&mut thread, start(call, parent));
    }
    let ids: Vec<(&str, usize)> =
        thread.messages().iter().map(|message| (message.id(), message.tool_calls().len())).collect();
    assert_eq!(ids, [("u1", 0), ("c1", 2), ("c2", 1), ("c4", 1)]);
    assert_eq!(thread.next_warning().unwrap().code, Code::ForeignParent);
    assert_eq!(thread.next_warning(), None);
}

#[test]
fn pending_calls_follow_the_rule_of_1_0() {
    let run = |outcome: Value| {
        let ends = |call: &str| call_of("f", call, "")[2].clone();
        let calls = ["c1", "c2"].into_iter().flat_map(|call| [start(call, None), ends(call)]);
        let mut thread = of([started("r")].into_iter().chain(calls).chain([result("c1", "")]));
        let mut end = finished("r");
        end["outcome"] = outcome;
        assert_eq!(take(&mut thread, end), Change::RunEnded);
        thread
    };
    assert_eq!(run(json!({"type": "success"})).pending_tool_call_ids(), ["c2"]);
    assert_eq!(run(json!({"type": "success", "pendingToolCallIds": []})).pending_tool_call_ids(), ["c2"]);
    let mut thread = run(json!({"type": "success", "pendingToolCallIds": ["c2", "elsewhere"]}));
    assert_eq!(thread.pending_tool_call_ids(), ["c2", "elsewhere"]);
    assert_eq!(thread.push_message(Message::tool("t1", "c2", "done")), Change::MessageAdded { message: 3 });
    assert_eq!(thread.pending_tool_call_ids(), ["elsewhere"]);
    assert_eq!(thread.unanswered_tool_call_ids(), Vec::<String>::new());
}

#[test]
fn a_history_has_its_unanswered_calls_pending() {
    let thread = Thread::new(messages(json!([
        {"role": "assistant", "id": "m1", "toolCalls": [call("c1", "f"), call("c2", "f")]},
        {"role": "tool", "id": "x1", "toolCallId": "c1", "content": ""},
    ])));
    assert_eq!(thread.pending_tool_call_ids(), ["c2"]);
}

#[test]
fn a_snapshot_keeps_what_agents_never_send_back() {
    let held = json!([
        {"role": "reasoning", "id": "g1", "content": "Hmm"},
        {"role": "activity", "id": "a1", "activityType": "search", "content": {}},
        {"role": "user", "id": "u1", "content": "Hi"},
        {"role": "assistant", "id": "m1", "content": "Hello"},
    ]);
    let after = |snapshot: Value| {
        let mut thread = Thread::new(messages(held.clone()));
        take(&mut thread, json!({"type": "MESSAGES_SNAPSHOT", "messages": snapshot}));
        thread.messages().iter().map(|message| message.id().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        after(
            json!([{"role": "assistant", "id": "m2", "content": ""}, {"role": "assistant", "id": "m1", "content": ""}])
        ),
        ["g1", "a1", "m1", "m2"]
    );
    assert_eq!(after(json!([{"role": "reasoning", "id": "g2", "content": ""}])), ["a1", "g2"]);
    assert_eq!(after(json!([{"role": "activity", "id": "a2", "activityType": "x", "content": {}}])), ["g1", "a2"]);
    assert_eq!(
        after(json!([{"role": "user", "id": "u9", "content": "1"}, {"role": "user", "id": "u9", "content": "2"}])),
        ["g1", "a1", "u9"]
    );
}

#[test]
fn an_activity_in_the_place_of_a_call_does_no_harm() {
    let activity = json!({"type": "ACTIVITY_SNAPSHOT", "messageId": "m1", "activityType": "x", "content": {}});
    let mut thread = of([start("c1", Some("m1")), activity]);
    let [_, args, _] = call_of("f", "c1", "{}");
    assert_eq!(take(&mut thread, args), Change::Nothing);
    assert_eq!(thread.arguments("c1"), Some("{}"));
    let mut result = result("c1", "x");
    result["messageId"] = "m1".into();
    take(&mut thread, result);
    assert_eq!(roles(thread.messages()), ["activity", "tool"]);
}

#[test]
fn a_call_is_answered_as_long_as_a_message_answers_it() {
    let held = json!([
        {"role": "assistant", "id": "m1", "toolCalls": [call("c1", "f")]},
        {"role": "tool", "id": "x1", "toolCallId": "c1", "content": ""},
    ]);
    let mut thread = Thread::new(messages(held.clone()));
    assert_eq!(thread.unanswered_tool_call_ids(), Vec::<String>::new());
    let mut snapshot = |messages: &Value| {
        take(&mut thread, json!({"type": "MESSAGES_SNAPSHOT", "messages": messages}));
        thread.unanswered_tool_call_ids()
    };
    assert_eq!(snapshot(&json!([held[0]])), ["c1"]);
    assert_eq!(snapshot(&held), Vec::<String>::new());
    // Something else in the place of the answer.
    thread.push_message(Message::user("x1", "Hi"));
    assert_eq!(thread.unanswered_tool_call_ids(), ["c1"]);
}

#[test]
fn a_result_of_the_run_answers_though_a_snapshot_drops_it() {
    let [start, _, end] = call_of("f", "c1", "");
    let thread = of([started("r"), start, end, result("c1", ""), snapshot(&[]), finished("r")]);
    assert_eq!(thread.pending_tool_call_ids(), Vec::<String>::new());
}

#[test]
fn a_snapshot_puts_a_result_behind_its_call_whatever_its_id() {
    let mut result = result("c1", "");
    result["messageId"] = "c1".into();
    let later = messages(json!([
        {"role": "assistant", "id": "m1", "toolCalls": [call("c1", "f")]},
        {"role": "tool", "id": "c1", "toolCallId": "c1", "content": ""},
    ]));
    let thread = of([start("c1", None), result, snapshot(&later)]);
    assert_eq!(roles(thread.messages()), ["assistant", "tool"]);
}

#[test]
fn text_that_finds_no_place_is_told_of() {
    let mut thread = Thread::new(messages(json!([
        {"role": "user", "id": "u1", "content": [{"type": "text", "text": "Hi"}]},
    ])));
    let mut text = text("u1");
    text["role"] = "user".into();
    take(&mut thread, text);
    assert_eq!(thread.next_warning(), None);
    take(&mut thread, content("u1", "more"));
    assert_eq!(thread.next_warning().unwrap().code, Code::TextDropped);
}

#[test]
fn a_name_that_comes_twice_has_its_last_value_in_what_is_kept() {
    let mut thread = Thread::default();
    let snapshot = r#"{"type":"STATE_SNAPSHOT","snapshot":{"c":1,"b":2,"a":3,"c":4}}"#;
    let delta = r#"{"type":"STATE_DELTA","delta":[{"op":"add","path":"/c","value":9},{"op":"remove","path":"/b"}]}"#;
    for text in [snapshot, delta] {
        thread.handle_event(&Event::from_json(Json::parse(text).unwrap()).unwrap().0);
    }
    assert_eq!(thread.state().text(), r#"{"c":9,"a":3}"#);
    let metadata = Json::parse(r#"{"b":0,"a":{"d":1,"c":2},"b":1}"#).unwrap().into_static();
    let message = Message::user("u", "Hi").with_metadata(Some(metadata));
    assert_eq!(message.metadata().unwrap().text(), r#"{"b":1,"a":{"d":1,"c":2}}"#);
}

#[test]
fn numbers_in_a_state_go_back_in_their_digits() {
    let mut conversation = crate::chat::unread();
    conversation.feed_json(&started("r").to_string());
    conversation.feed_json(r#"{"type":"STATE_SNAPSHOT","snapshot":{"id":123456789012345678901234567890,"v":3.10}}"#);
    conversation.feed_json(r#"{"type":"STATE_DELTA","delta":[{"op":"copy","from":"/id","path":"/same"}]}"#);
    conversation.feed_json(&finished("r").to_string());
    while conversation.next_update(0).is_some() {}
    let next = conversation.say(FOREIGN, said("Hi")).unwrap();
    let state = r#""state":{"id":123456789012345678901234567890,"v":3.10,"same":123456789012345678901234567890}"#;
    assert!(next.body.contains(state), "{}", next.body);
}
