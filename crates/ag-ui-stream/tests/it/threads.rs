//! What a thread says about each event.

use ag_ui_stream::Event;
use ag_ui_stream::event::EventType;
use ag_ui_stream::message::Message;
use ag_ui_stream::reader::{End, EndOutcome};
use ag_ui_stream::thread::{Change, RunState, Thread};
use ag_ui_stream::warning::WarningCode;
use json_tree::Json;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[track_caller]
fn event(json: Value) -> Event {
    serde_json::from_value(json).unwrap()
}

fn messages(json: Value) -> Vec<Message> {
    serde_json::from_value(json).unwrap()
}

fn call(id: &str, name: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}})
}

#[test]
fn a_text_tells_where_it_grew() {
    let mut thread = Thread::default();
    let mut take = |event: Event| thread.handle_event(&event);
    assert_eq!(
        take(Event::new(EventType::TextMessageStart, [("messageId", "m1".into())])),
        Change::MessageAdded { message: 0 }
    );
    assert_eq!(
        take(Event::new(EventType::TextMessageContent, [("messageId", "m1".into()), ("delta", "Grüß".into())])),
        Change::TextAppended { message: 0, from: 0 }
    );
    assert_eq!(
        take(Event::new(EventType::TextMessageContent, [("messageId", "m1".into()), ("delta", " dich".into())])),
        Change::TextAppended { message: 0, from: 6 }
    );
    assert_eq!(
        take(event(json!({"type": "TEXT_MESSAGE_END", "messageId": "m1", "metadata": {"a": 1}}))),
        Change::MessageChanged { message: 0 }
    );
    assert_eq!(
        take(Event::new(EventType::TextMessageContent, [("messageId", "gone".into()), ("delta", "x".into())])),
        Change::Nothing
    );
    assert_eq!(thread.message("m1").unwrap().text(), "Grüß dich");
    assert_eq!(thread.message("m1").unwrap().metadata().unwrap(), &json!({"a": 1}));
    assert_eq!(thread.next_warning().unwrap().code, WarningCode::MissingEntity);
}

#[test]
fn a_call_tells_where_it_grew_and_survives_a_snapshot_without_it() {
    let mut thread = Thread::default();
    let start =
        event(json!({"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "f", "parentMessageId": "m1"}));
    assert_eq!(thread.handle_event(&start), Change::ToolCallAdded { message: 0, call: 0, new_message: true });
    let args =
        |delta: &str| Event::new(EventType::ToolCallArgs, [("toolCallId", "c1".into()), ("delta", delta.into())]);
    assert_eq!(thread.handle_event(&args("{\"a\"")), Change::ArgumentsAppended { message: 0, call: 0, from: 0 });
    assert_eq!(
        thread.handle_event(&event(json!({"type": "MESSAGES_SNAPSHOT", "messages": []}))),
        Change::MessagesReplaced
    );
    assert_eq!(thread.handle_event(&args(":1}")), Change::Nothing);
    assert_eq!(thread.arguments("c1"), Some("{\"a\":1}"));
    thread.handle_event(&Event::new(EventType::ToolCallEnd, [("toolCallId", "c1".into())]));
    let call = thread.call("c1").unwrap();
    assert!(call.ended && !call.answered && call.name == "f");
    assert_eq!(thread.next_warning().unwrap().code, WarningCode::MissingEntity);
}

#[test]
fn a_call_that_starts_again_keeps_its_arguments() {
    let mut thread = Thread::new(messages(json!([{"role": "assistant", "id": "m1", "toolCalls": [call("c1", "f")]}])));
    let change = thread.handle_event(&Event::new(
        EventType::ToolCallStart,
        [("toolCallId", "c1".into()), ("toolCallName", "g".into())],
    ));
    assert_eq!(change, Change::ToolCallChanged { message: 0, call: 0 });
    assert_eq!((thread.arguments("c1"), thread.messages()[0].tool_calls()[0].name.as_str()), (Some("{}"), "g"));
    assert_eq!(thread.next_warning().unwrap().code, WarningCode::RenamedToolCall);
}

#[test]
fn a_call_finds_its_message() {
    let mut thread = Thread::new(messages(json!([{"role": "user", "id": "u1", "content": "Hi"}])));
    thread.handle_event(&Event::new(
        EventType::ToolCallStart,
        [("toolCallId", "c1".into()), ("toolCallName", "f".into())],
    ));
    thread.handle_event(&event(
        json!({"type": "TOOL_CALL_START", "toolCallId": "c2", "toolCallName": "f", "parentMessageId": "u1"}),
    ));
    thread.handle_event(&event(
        json!({"type": "TOOL_CALL_START", "toolCallId": "c3", "toolCallName": "f", "parentMessageId": "c1"}),
    ));
    thread.handle_event(&event(
        json!({"type": "TOOL_CALL_START", "toolCallId": "c4", "toolCallName": "f", "parentMessageId": ""}),
    ));
    let ids: Vec<(&str, usize)> =
        thread.messages().iter().map(|message| (message.id(), message.tool_calls().len())).collect();
    assert_eq!(ids, [("u1", 0), ("c1", 2), ("c2", 1), ("c4", 1)]);
    assert_eq!(thread.next_warning().unwrap().code, WarningCode::ForeignParent);
    assert_eq!(thread.next_warning(), None);
}

#[test]
fn pending_calls_follow_the_rule_of_1_0() {
    let finish =
        |outcome: Value| event(json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": outcome}));
    let started = event(json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}));
    let run = |outcome: Value| {
        let mut thread = Thread::default();
        thread.handle_event(&started);
        for id in ["c1", "c2"] {
            thread.handle_event(&Event::new(
                EventType::ToolCallStart,
                [("toolCallId", id.into()), ("toolCallName", "f".into())],
            ));
            thread.handle_event(&Event::new(EventType::ToolCallEnd, [("toolCallId", id.into())]));
        }
        thread.handle_event(&event(
            json!({"type": "TOOL_CALL_RESULT", "messageId": "x", "toolCallId": "c1", "content": ""}),
        ));
        assert_eq!(thread.handle_event(&finish(outcome)), Change::RunEnded);
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
fn interrupts_stay_open_until_a_run_ends_without_them() {
    let mut thread = Thread::default();
    let run = |run: &str, outcome: Value| {
        [
            json!({"type": "RUN_STARTED", "threadId": "t", "runId": run}),
            json!({"type": "RUN_FINISHED", "threadId": "t", "runId": run, "outcome": outcome}),
        ]
    };
    for event_json in run("r1", json!({"type": "interrupt", "interrupts": [{"id": "i1", "reason": "confirmation"}]})) {
        thread.handle_event(&event(event_json));
    }
    assert_eq!(thread.open_interrupts()[0].id, "i1");
    assert_eq!(thread.run(), &RunState::Ended { outcome: EndOutcome::Interrupt });
    for event_json in run("r2", json!({"type": "success"})) {
        thread.handle_event(&event(event_json));
    }
    assert!(thread.open_interrupts().is_empty());
}

#[test]
fn a_response_that_breaks_off_ends_the_run_and_keeps_what_came() {
    let mut thread = Thread::default();
    thread.handle_event(&event(json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"})));
    thread.handle_event(&Event::new(EventType::TextMessageStart, [("messageId", "m1".into())]));
    let end = End { outcome: EndOutcome::Truncated, error: None };
    assert_eq!(thread.handle_end(&end), Change::RunEnded);
    assert_eq!(thread.run(), &RunState::Ended { outcome: EndOutcome::Truncated });
    assert_eq!(thread.messages().len(), 1);
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
        thread.handle_event(&event(json!({"type": "MESSAGES_SNAPSHOT", "messages": snapshot})));
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
    let mut thread = Thread::default();
    thread.handle_event(&event(
        json!({"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "f", "parentMessageId": "m1"}),
    ));
    thread.handle_event(&event(
        json!({"type": "ACTIVITY_SNAPSHOT", "messageId": "m1", "activityType": "x", "content": {}}),
    ));
    assert_eq!(
        thread
            .handle_event(&Event::new(EventType::ToolCallArgs, [("toolCallId", "c1".into()), ("delta", "{}".into())])),
        Change::Nothing
    );
    assert_eq!(thread.arguments("c1"), Some("{}"));
    thread.handle_event(&event(
        json!({"type": "TOOL_CALL_RESULT", "messageId": "m1", "toolCallId": "c1", "content": "x"}),
    ));
    let roles: Vec<&str> = thread.messages().iter().map(Message::role).collect();
    assert_eq!(roles, ["activity", "tool"]);
}

#[test]
fn a_patch_applies_whole_or_not_at_all() {
    let mut thread = Thread::default();
    thread.handle_event(&event(json!({"type": "STATE_SNAPSHOT", "snapshot": {"a": 1}})));
    let patch = |patch: Value| event(json!({"type": "STATE_DELTA", "delta": patch}));
    let fails = patch(json!([{"op": "replace", "path": "/a", "value": 2}, {"op": "test", "path": "/a", "value": 3}]));
    assert_eq!((thread.handle_event(&fails), thread.state()), (Change::Nothing, &Json::from(json!({"a": 1}))));
    assert_eq!(thread.next_warning().unwrap().code, WarningCode::PatchFailed);
    assert_eq!(thread.handle_event(&patch(json!([{"op": "copy", "from": "/a", "path": "/b"}]))), Change::StateChanged);
    assert_eq!(thread.state(), &json!({"a": 1, "b": 1}));
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
        thread.handle_event(&event(json!({"type": "MESSAGES_SNAPSHOT", "messages": messages})));
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
    let mut thread = Thread::default();
    for json in [
        json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
        json!({"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "f"}),
        json!({"type": "TOOL_CALL_END", "toolCallId": "c1"}),
        json!({"type": "TOOL_CALL_RESULT", "messageId": "x1", "toolCallId": "c1", "content": ""}),
        json!({"type": "MESSAGES_SNAPSHOT", "messages": []}),
        json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}),
    ] {
        thread.handle_event(&event(json));
    }
    assert_eq!(thread.pending_tool_call_ids(), Vec::<String>::new());
}

#[test]
fn a_snapshot_puts_a_result_behind_its_call_whatever_its_id() {
    let mut thread = Thread::default();
    for json in [
        json!({"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "f"}),
        json!({"type": "TOOL_CALL_RESULT", "messageId": "c1", "toolCallId": "c1", "content": ""}),
        json!({"type": "MESSAGES_SNAPSHOT", "messages": [
            {"role": "assistant", "id": "m1", "toolCalls": [call("c1", "f")]},
            {"role": "tool", "id": "c1", "toolCallId": "c1", "content": ""},
        ]}),
    ] {
        thread.handle_event(&event(json));
    }
    let roles: Vec<&str> = thread.messages().iter().map(Message::role).collect();
    assert_eq!(roles, ["assistant", "tool"]);
}

#[test]
fn text_that_finds_no_place_is_told_of() {
    let mut thread = Thread::new(messages(json!([
        {"role": "user", "id": "u1", "content": [{"type": "text", "text": "Hi"}]},
        {"role": "activity", "id": "a1", "activityType": "x", "content": {}},
    ])));
    for id in ["u1", "a1"] {
        thread.handle_event(&Event::new(EventType::TextMessageStart, [("messageId", id.into())]));
        assert_eq!(thread.next_warning(), None);
        thread.handle_event(&Event::new(
            EventType::TextMessageContent,
            [("messageId", id.into()), ("delta", "more".into())],
        ));
        assert_eq!(thread.next_warning().unwrap().code, WarningCode::TextDropped);
    }
}
