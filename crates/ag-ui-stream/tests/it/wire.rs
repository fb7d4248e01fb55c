//! Events in wire form: every type with every field, and what the rules make of each thing that can be wrong with one.

use ag_ui_stream::input::RunAgentInput;
use ag_ui_stream::notice::Code;
use ag_ui_stream::reader::EndOutcome;
use ag_ui_stream::{Event, EventReader, Message};
use json_tree::Json;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn messages() -> Value {
    json!([
        {"role": "developer", "id": "1", "content": "a", "name": "n", "encryptedValue": "e", "subagentRunId": "s", "metadata": {"k": null}},
        {"role": "system", "id": "2", "content": "a", "name": "n", "encryptedValue": "e", "subagentRunId": "s", "metadata": {}},
        {"role": "assistant", "id": "3", "content": "a", "name": "n", "encryptedValue": "e", "toolCalls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{"}, "encryptedValue": "e", "metadata": {"a": [1]}},
        ]},
        {"role": "user", "id": "4", "name": "n", "content": [
            {"type": "text", "text": "t", "id": "i", "metadata": 1},
            {"type": "image", "source": {"type": "data", "value": "AA==", "mimeType": "image/png"}, "id": "i", "metadata": {}},
            {"type": "audio", "source": {"type": "url", "value": "u", "mimeType": "m"}},
            {"type": "video", "source": {"type": "file", "value": "f", "provider": "p", "mimeType": "m"}},
            {"type": "document", "source": {"type": "url", "value": "u"}},
        ]},
        {"role": "tool", "id": "5", "toolCallId": "c", "content": "r", "error": "x", "encryptedValue": "e"},
        {"role": "activity", "id": "6", "activityType": "t", "content": {"a": {"b": null}}},
        {"role": "reasoning", "id": "7", "content": "r", "encryptedValue": "e"},
    ])
}

fn input() -> Value {
    json!({
        "threadId": "t", "runId": "r", "messages": messages(), "protocolVersion": "1.0", "parentRunId": "p", "state": [1],
        "tools": [{"name": "n", "description": "d", "parameters": {"type": "object"}, "metadata": {}}],
        "context": [{"description": "d", "value": "v"}], "forwardedProps": 1,
        "resume": [{"interruptId": "i", "status": "resolved", "payload": {"a": 1}, "metadata": {}}, {"interruptId": "j", "status": "cancelled"}],
    })
}

/// All 31 types, with every field of their own.
fn events() -> Vec<Value> {
    let usage = json!([{"provider": "p", "model": "m", "inputTokens": 1, "outputTokens": 2, "totalTokens": 3, "reasoningTokens": 4,
        "cachedInputTokens": 5, "cacheWriteInputTokens": 9_007_199_254_740_991_i64}]);
    let patch = json!([{"op": "add", "path": "/a~1b~0", "value": null, "note": 1}, {"op": "remove", "path": ""}, {"op": "replace", "path": "/a", "value": 1},
        {"op": "move", "from": "/a", "path": "/b"}, {"op": "copy", "from": "/a", "path": "/b"}, {"op": "test", "path": "/a", "value": 1}]);
    let interrupt = json!({"type": "interrupt", "interrupts": [{"id": "i", "reason": "acme:x", "message": "m", "toolCallId": "c", "responseSchema": {},
        "expiresAt": "2030-01-01T00:00:00Z", "subagentRunId": "s", "metadata": {"a": 1}}]});
    vec![
        json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r", "protocolVersion": "1.0", "parentRunId": "p", "input": input()}),
        json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "result": 1, "outcome": interrupt, "usage": usage}),
        json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": {"type": "success", "pendingToolCallIds": ["a"]}}),
        json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": {"type": "cancelled"}}),
        json!({"type": "RUN_ERROR", "message": "m", "code": "c", "usage": usage}),
        json!({"type": "STEP_STARTED", "stepName": "s"}),
        json!({"type": "STEP_FINISHED", "stepName": "s"}),
        json!({"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "developer", "name": "n"}),
        json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": ""}),
        json!({"type": "TEXT_MESSAGE_END", "messageId": "m"}),
        json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "role": "user", "delta": "d", "name": "n"}),
        json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "n", "parentMessageId": "p"}),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{\"a"}),
        json!({"type": "TOOL_CALL_END", "toolCallId": "c"}),
        json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "n", "parentMessageId": "p", "delta": "d"}),
        json!({"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c", "content": "r", "role": "tool"}),
        json!({"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c", "content": [{"type": "text", "text": "t"}]}),
        json!({"type": "STATE_SNAPSHOT", "snapshot": null}),
        json!({"type": "STATE_DELTA", "delta": patch}),
        json!({"type": "MESSAGES_SNAPSHOT", "messages": messages()}),
        json!({"type": "ACTIVITY_SNAPSHOT", "messageId": "m", "activityType": "a", "content": {"x": null}, "replace": false}),
        json!({"type": "ACTIVITY_DELTA", "messageId": "m", "activityType": "a", "patch": patch}),
        json!({"type": "REASONING_START", "messageId": "m"}),
        json!({"type": "REASONING_MESSAGE_START", "messageId": "m", "role": "reasoning"}),
        json!({"type": "REASONING_MESSAGE_CONTENT", "messageId": "m", "delta": "d"}),
        json!({"type": "REASONING_MESSAGE_END", "messageId": "m"}),
        json!({"type": "REASONING_MESSAGE_CHUNK", "messageId": "m", "delta": "d"}),
        json!({"type": "REASONING_END", "messageId": "m"}),
        json!({"type": "REASONING_ENCRYPTED_VALUE", "subtype": "tool-call", "entityId": "e", "encryptedValue": "v"}),
        json!({"type": "SUBAGENT_STARTED", "subagentRunId": "s", "name": "n", "description": "d", "parentSubagentRunId": "p", "parentToolCallId": "c",
            "parentMessageId": "m"}),
        json!({"type": "SUBAGENT_FINISHED", "subagentRunId": "s", "result": {}, "outcome": {"type": "suspended", "interruptIds": ["i"]}}),
        json!({"type": "SUBAGENT_FINISHED", "subagentRunId": "s", "outcome": {"type": "success"}}),
        json!({"type": "SUBAGENT_ERROR", "subagentRunId": "s", "message": "m", "code": "c"}),
        json!({"type": "RAW", "event": null, "source": "s"}),
        json!({"type": "CUSTOM", "name": "n", "value": null}),
    ]
    .into_iter()
    .map(|mut event| {
        event["timestamp"] = json!(-9_007_199_254_740_991_i64);
        event["rawEvent"] = json!([null]);
        event["metadata"] = json!({"ag-ui": {}, "k": null});
        let unattributed = ["RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT"];
        if !unattributed.contains(&event["type"].as_str().unwrap()) {
            event["subagentRunId"] = json!("s");
        }
        event
    })
    .collect()
}

/// The result of a reader for one event at the start of a stream: the event or the error, and the warnings.
fn read(feed: impl FnOnce(&mut EventReader)) -> (Vec<String>, Vec<String>) {
    let mut reader = EventReader::new();
    feed(&mut reader);
    let events = std::iter::from_fn(|| reader.next_event());
    let events = events
        .map(|event| event.map_or_else(|error| error.to_string(), |event| serde_json::to_string(&event).unwrap()))
        .collect();
    let warnings = std::iter::from_fn(|| reader.next_warning());
    (events, warnings.map(|warning| format!("{} {:?}", warning.code.as_str(), warning.path)).collect())
}

/// An event that is borrowed and one that owns its texts, because its frame has several lines, must agree.
#[track_caller]
fn check_both_ways(event: &Value) -> (Vec<String>, Vec<String>) {
    let text = event.to_string();
    let borrowed = read(|reader| reader.feed(format!("data: {text}\n\n").as_bytes()));
    let owned = read(|reader| reader.feed(format!("data:\ndata: {text}\n\n").as_bytes()));
    assert_eq!(borrowed, owned, "{text}");
    borrowed
}

/// Every value within another, by JSON pointer.
fn pointers(value: &Value, path: &str, found: &mut Vec<String>) {
    let mut inner = |key: &str, value: &Value| {
        let path = format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
        found.push(path.clone());
        pointers(value, &path, found);
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(key, value)| inner(key, value)),
        Value::Array(items) => items.iter().enumerate().for_each(|(index, value)| inner(&index.to_string(), value)),
        _ => {}
    }
}

#[test]
fn every_event_survives_the_way_there_and_back() {
    let names: std::collections::BTreeSet<String> = events().iter().map(|event| event["type"].to_string()).collect();
    assert_eq!(names.len(), 31);
    for event in events() {
        let typed: Event = serde_json::from_value(event.clone()).unwrap_or_else(|error| panic!("{event}: {error}"));
        assert_eq!(serde_json::to_value(&typed).unwrap(), event);
        assert_eq!(event["type"], typed.name());
        assert_eq!(event.get("subagentRunId").and_then(Value::as_str), typed.subagent_run_id());
        assert_eq!(
            (typed.get("timestamp"), typed.get("rawEvent")),
            (Some(&Json::from(json!(-9_007_199_254_740_991_i64))), Some(&Json::from(json!([null]))))
        );
        assert_eq!(typed.metadata().unwrap().len(), 2);
        let (_, warnings) = check_both_ways(&event);
        assert_eq!(warnings, Vec::<String>::new(), "{event}");
    }
    let typed: RunAgentInput = serde_json::from_value(input()).unwrap();
    assert_eq!(serde_json::to_value(&typed).unwrap(), input());
}

#[test]
fn both_ways_of_decoding_agree_on_whatever_is_wrong() {
    let wrong = [
        Value::Null,
        json!(1),
        json!(1.5),
        json!("x"),
        json!([]),
        json!({}),
        json!(true),
        json!({"type": "x"}),
        json!([{"type": "x"}]),
    ];
    for event in events() {
        let mut paths = Vec::new();
        pointers(&event, "", &mut paths);
        for path in &paths {
            for value in &wrong {
                let mut changed = event.clone();
                *changed.pointer_mut(path).unwrap() = value.clone();
                check_both_ways(&changed);
            }
            let (parent, key) = path.rsplit_once('/').unwrap();
            let mut changed = event.clone();
            if let Some(members) = changed.pointer_mut(parent).unwrap().as_object_mut() {
                members.remove(key);
                let without = check_both_ways(&changed);
                let mut changed = event.clone();
                *changed.pointer_mut(path).unwrap() = Value::Null;
                let is_malformed = |read: (Vec<String>, _)| read.0.first().is_some_and(|told| told.starts_with('/'));
                assert!(is_malformed(without) || !is_malformed(check_both_ways(&changed)), "null is absent: {changed}");
                let members = changed.pointer_mut(parent).unwrap().as_object_mut().unwrap();
                members.insert("zzz".to_owned(), json!(1));
                check_both_ways(&changed);
            }
        }
    }
}

#[test]
fn a_type_may_stand_anywhere() {
    let (events, _) = read(|reader| {
        reader.feed_json(r#"{"message":"m","rawEvent":{"type":"x"},"type":"RUN_ERROR"}"#);
    });
    assert_eq!(events, [r#"{"type":"RUN_ERROR","message":"m","rawEvent":{"type":"x"}}"#]);
}

#[test]
fn a_frame_that_is_too_long_ends_the_stream() {
    let mut reader = EventReader::new();
    let message = "m".repeat(ag_ui_stream::sse::Decoder::DEFAULT_LIMIT);
    reader.feed(format!("data: {{\"type\":\"RUN_ERROR\",\"message\":\"{message}\"}}\n\n").as_bytes());
    let error = reader.next_event().unwrap().unwrap_err();
    assert_eq!((error.code.as_str(), error.event_index), ("frame-too-long", None));
    assert!(reader.next_event().is_none());
    assert_eq!(reader.finish().end.outcome, EndOutcome::Rejected);
}

#[test]
fn nothing_follows_an_error() {
    let mut reader = EventReader::new();
    reader.feed(b"data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\ndata: 7\n\ndata: {\"type\":\"RUN_ERROR\",\"message\":\"m\"}\n\n");
    assert_eq!(reader.next_event().unwrap().unwrap().name(), "RUN_STARTED");
    let error = reader.next_event().unwrap().unwrap_err();
    assert_eq!((error.code.as_str(), error.event_index), ("not-an-event", Some(1)));
    reader.feed(b"data: {\"type\":\"RUN_ERROR\",\"message\":\"m\"}\n\n");
    assert!(reader.next_event().is_none());
}

#[test]
fn an_input_is_read_as_leniently_as_a_stream() {
    let mut sent = input();
    sent["futureProp"] = json!(1);
    sent["forwardedProps"] = Value::Null;
    sent["messages"][3]["content"][1]["zzz"] = json!(1);
    sent["messages"].as_array_mut().unwrap().push(json!({"role": "oracle", "id": "9"}));
    let (read, warnings) = RunAgentInput::parse(&sent.to_string()).unwrap();
    let mut paths: Vec<&str> = warnings.iter().filter_map(|warning| warning.path.as_deref()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["/futureProp", "/messages/3/content/1/zzz", "/messages/7"]);
    assert_eq!((read.forwarded_props, read.messages.len()), (None, 7));
    sent["messages"][0]["id"] = Value::Null;
    let error = RunAgentInput::parse(&sent.to_string()).unwrap_err();
    assert_eq!(error.path.as_deref(), Some("/messages/0/id"));
    assert_eq!(RunAgentInput::parse("{").unwrap_err().code.as_str(), "invalid-json");
}

#[test]
fn a_schema_keeps_its_order_from_client_to_server() {
    let schema = r#"{"type":"object","properties":{"zebra":{"b":1,"a":2.0},"ant":[{"y":null,"x":""}]}}"#;
    let text = |more: &str| {
        format!(
            r#"{{"threadId":"t","runId":"r","messages":[],"tools":[{{"name":"m","description":"d"}},
                {{"parameters":1,"name":"n","description":"d","parameters": {schema}}}]{more}}}"#
        )
        .replacen("\"parameters\":1,", if more.is_empty() { "" } else { "\"parameters\":1," }, 1)
    };
    // The second is read leniently: it has a member that nobody knows, and one that comes twice.
    for text in [text(""), text(r#","zzz":1"#)] {
        let (input, _) = RunAgentInput::parse(&text).unwrap();
        let tools = input.tools.clone().unwrap();
        assert_eq!(tools[0].parameters, None);
        assert_eq!(tools[1].parameters.as_ref().unwrap().text(), schema);
        let sent = serde_json::to_string(&input).unwrap();
        assert!(sent.contains(schema), "{sent}");
        assert_eq!(RunAgentInput::parse(&sent).unwrap().0, input);
    }
}

#[test]
fn a_message_alone_is_read_as_those_of_a_stream() {
    let read = |json: Value| Message::parse(&json.to_string());
    let (message, warnings) =
        read(json!({"role": "tool", "id": "1", "toolCallId": "c", "content": "r", "newer": 1})).unwrap();
    assert_eq!(message, Message::tool("1", "c", "r"));
    assert_eq!(warnings[0].path.as_deref(), Some("/newer"));
    let error = read(json!({"role": "oracle", "id": "1"})).unwrap_err();
    assert_eq!(error.code, Code::Malformed);
    let error = read(json!({"role": "user", "id": 1, "content": "a"})).unwrap_err();
    assert_eq!(error.path.as_deref(), Some("/id"));
    assert_eq!(Message::parse("{").unwrap_err().code, Code::InvalidJson);
}
