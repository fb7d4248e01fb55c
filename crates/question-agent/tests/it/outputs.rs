//! Events for clients: those of a model's answer, of a step, and of a run's beginning and end.

use crate::samples::{ask_call, other_call, picks, replies, responds, response, says, user, waiting};
use question_agent::ag_ui::{
    AnswerTooLong, Delta, MAX_ANSWER_BYTES, Outgoing, Pending, RunInput, Step, Turn, View, Work, wire,
};
use question_agent::call::ToolResult;
use question_agent::registry::{ToolContext, ToolSpec};
use question_agent::{Conversation, Event};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A context in which the client runs the tool `read_file`.
fn with_file_reader() -> ToolContext {
    ToolContext { client_tools: vec![ToolSpec::new("read_file", "", &json!({}))], ..ToolContext::default() }
}

fn plain() -> ToolContext {
    ToolContext::default()
}

/// A conversation that has called these tools.
fn calling(calls: Vec<question_agent::call::ToolCall>) -> Conversation {
    let mut conversation = Conversation::new();
    conversation.handle(says("u1", "go")).unwrap();
    conversation.handle(responds("a1", "", calls)).unwrap();
    conversation
}

/// Events as their type and what they are about.
fn brief(told: &[Outgoing]) -> Vec<String> {
    let word = |told: &Outgoing| match told {
        Outgoing::Event(event) => {
            let event = json!(event);
            format!("{} {}", event["type"].as_str().unwrap(), event["toolCallId"].as_str().unwrap_or_default())
        }
        Outgoing::State(change) => json!(change)["type"].as_str().unwrap().to_owned(),
    };
    told.iter().map(word).collect()
}

#[test]
fn a_call_behind_a_question_is_shown_when_its_turn_has_come() {
    let (context, brought) = (plain(), Some("t1"));
    let mut conversation = waiting(vec![other_call("call-2"), other_call("call-3")]);
    let mut reply = response("call-1", "r1", picks(1));
    (reply.tool_message_id, reply.messages) = (brought.map(str::to_owned), vec![user("u2", "SQLite")]);
    let step = Step::of(conversation.handle(Event::UserQuestionResponse(reply)).unwrap());
    assert!(matches!(&step.work, Some(Work::Execute(call)) if call.id == "call-2"), "{:?}", step.work);
    let view = View { conversation: &conversation, context: &context };
    let shown = ["TOOL_CALL_START call-2", "TOOL_CALL_ARGS call-2", "TOOL_CALL_END call-2"];
    let all = [&["TOOL_CALL_RESULT call-1", "tool_executing"], &shown[..]].concat();
    assert_eq!(brief(&step.outgoing(Some(view), None)), all);
    assert_eq!(brief(&step.outgoing(Some(view), Some("t2"))), all);
    assert_eq!(brief(&step.outgoing(Some(view), brought)), all[1..]);
    assert_eq!(brief(&step.outgoing(None, brought)), ["tool_executing"]);
    let events: Vec<Outgoing> = step.events(view, brought).into_iter().map(Outgoing::Event).collect();
    assert_eq!(brief(&events), shown);
    let start = json!({"type": "TOOL_CALL_START", "toolCallId": "call-2", "toolCallName": "read_file", "parentMessageId": "a1"});
    assert_eq!(json!(step.events(view, brought)[0]), start);

    // Other clients learn which messages the run was started with.
    let ids = |brought| step.taken(brought).iter().map(|message| message.id().to_owned()).collect::<Vec<_>>();
    assert_eq!(
        (ids(brought), ids(None), ids(Some("t2"))),
        (vec!["t1".into(), "u2".into()], vec!["u2".into()], vec!["u2".into()])
    );

    // Calls that never run are shown with their results.
    let mut conversation = waiting(vec![other_call("call-2")]);
    let step = Step::of(conversation.handle(Event::UserCancel { proceed: false }).unwrap());
    let view = View { conversation: &conversation, context: &context };
    let told = brief(&step.outgoing(Some(view), None));
    assert_eq!(told, [&["TOOL_CALL_RESULT call-1"], &shown[..], &["TOOL_CALL_RESULT call-2", "idle"]].concat());
}

#[test]
fn a_history_has_the_calls_that_clients_may_see() {
    let calls = |conversation: &Conversation, context: &ToolContext| {
        let messages = wire::messages(View { conversation, context });
        let calls = messages.iter().flat_map(|message| message.tool_calls()).map(|call| call.wire_id().to_owned());
        calls.collect::<Vec<_>>()
    };
    let mut conversation = waiting(vec![other_call("call-2"), other_call("call-3")]);
    assert_eq!(calls(&conversation, &plain()), ["call-1"]);
    conversation.handle(replies("call-1", "r1", picks(1))).unwrap();
    assert_eq!(calls(&conversation, &plain()), ["call-1", "call-2"]);
    conversation.handle(Event::ToolComplete { result: ToolResult::error("call-2", "no file") }).unwrap();
    assert_eq!(calls(&conversation, &plain()), ["call-1", "call-2", "call-3"]);
    let view = View { conversation: &conversation, context: &plain() };
    let ask = json!({"toolCallId": "call-1", "replyId": "r1", "outcome": "answered", "by": "card"});
    let snapshot = json!(wire::snapshot(view));
    assert_eq!(snapshot["type"], "MESSAGES_SNAPSHOT");
    let roles: Vec<&Value> = snapshot["messages"].as_array().unwrap().iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool"]);
    assert_eq!(snapshot["messages"][0]["content"], "set it up");
    assert_eq!(snapshot["messages"][2]["metadata"]["ask"], ask);
    assert_eq!(snapshot["messages"][2].get("error"), None);
    assert_eq!(snapshot["messages"][3]["error"], "no file");
    let event = json!(wire::result_event(conversation.result_of("call-1").unwrap()));
    let content = r#"{"answers":{"Which database?":"SQLite"}}"#;
    assert_eq!(
        event,
        json!({"type": "TOOL_CALL_RESULT", "messageId": "call-1-result", "toolCallId": "call-1", "content": content, "metadata": {"ask": ask}})
    );

    // No call is held back behind a tool of the agent's own; every call is, behind one of the client's.
    let conversation = calling(vec![other_call("call-1"), ask_call("call-2")]);
    assert_eq!(calls(&conversation, &plain()), ["call-1", "call-2"]);
    assert_eq!(calls(&conversation, &with_file_reader()), ["call-1"]);
    for (context, call, held_back) in [
        (plain(), "call-2", 0),
        (with_file_reader(), "call-2", 3),
        (with_file_reader(), "call-1", 0),
        (with_file_reader(), "call-9", 0),
    ] {
        let view = View { conversation: &conversation, context: &context };
        assert_eq!(wire::held_back(view, call).len(), held_back, "{call}");
    }
}

#[test]
fn a_run_begins_with_its_messages_and_ends_with_what_waits() {
    let started = json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r", "protocolVersion": "1.1"});
    let without = json!(wire::run_started("t", "r", vec![]));
    assert_eq!(
        (&without["threadId"], &without["runId"], without.get("input")),
        (&started["threadId"], &started["runId"], None)
    );
    assert!(without["protocolVersion"].is_string());
    let with = json!(wire::run_started("t", "r", vec![wire::user_message(&user("u1", "a"))]));
    let message = json!({"role": "user", "id": "u1", "content": "a"});
    let input = json!({"threadId": "t", "runId": "r", "state": {}, "messages": [message], "tools": [], "context": [], "forwardedProps": {}});
    for (name, value) in input.as_object().unwrap() {
        assert_eq!(with["input"][name], *value, "{name}");
    }

    let mut failed = Conversation::new();
    failed.handle(says("u1", "go")).unwrap();
    failed.handle(Event::LlmFailed { reason: "no model".to_owned(), retryable: false }).unwrap();
    let idle = Conversation::new();
    let client = calling(vec![other_call("call-1")]);
    let asks = waiting(vec![]);
    let success = |calls: &[&str]| match calls {
        [] => json!({"type": "success"}),
        calls => json!({"type": "success", "pendingToolCallIds": calls}),
    };
    let schema = json!({
        "type": "object",
        "required": ["answers"],
        "properties": {
            "answers": {"type": "object", "properties": {"Which database?": {"type": "string"}}, "additionalProperties": false},
            "details": {"type": "array", "items": {"type": "object"}},
        },
    });
    let interrupt = json!({"type": "interrupt", "interrupts": [{
        "id": "call-1", "reason": "tool_call", "message": "Which database?", "toolCallId": "call-1", "responseSchema": schema,
        "expiresAt": "1970-01-01T00:00:01.000Z",
    }]});
    let finished = |outcome: Option<Value>| {
        let mut event = json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"});
        if let Some(outcome) = outcome {
            event["outcome"] = outcome;
        }
        event
    };
    let interrupts = json!({"forwardedProps": {"interrupts": true}});
    let current = json!({"protocolVersion": "1.0"});
    let error = json!({"type": "RUN_ERROR", "message": "no model", "code": "model_failed"});
    for (conversation, members, expected) in [
        (&failed, &json!({}), error),
        (&idle, &json!({}), finished(None)),
        (&idle, &current, finished(Some(success(&[])))),
        (&client, &current, finished(Some(success(&["call-1"])))),
        (&asks, &json!({}), finished(None)),
        (&asks, &current, finished(Some(success(&["call-1"])))),
        (&asks, &interrupts, finished(Some(interrupt))),
    ] {
        let mut body = json!({"threadId": "t", "runId": "r"});
        body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        let input = RunInput::parse(body.to_string().as_bytes()).unwrap();
        let context = with_file_reader();
        let view = View { conversation, context: &context };
        assert_eq!(json!(wire::run_end(view, &input)), expected, "{members}");
    }
    let context = plain();
    let view = View { conversation: &idle, context: &context };
    assert_eq!(
        json!(wire::run_finished(
            question_agent::ag_ui::Edition::Current,
            "t",
            "r",
            wire::outcome(view, Pending::Interrupts)
        )),
        finished(Some(success(&[])))
    );
}

/// A turn whose ids are 1, 2 and so on.
fn turn(context: ToolContext) -> Turn<impl FnMut() -> String> {
    let mut ids = 0;
    Turn::new(context, move || {
        ids += 1;
        ids.to_string()
    })
}

fn text(text: &str) -> Delta {
    Delta::Text(text.to_owned())
}

fn start(call: usize, name: &str) -> Delta {
    Delta::CallStart { call, name: name.to_owned() }
}

fn arguments(call: usize, delta: &str) -> Delta {
    Delta::CallArgs { call, delta: delta.to_owned() }
}

fn takes<I: FnMut() -> String>(turn: &mut Turn<I>, deltas: Vec<Delta>) -> Result<(), AnswerTooLong> {
    turn.take(deltas.into_iter().map(Ok))
}

/// Events as their type and what they add.
fn pieces(events: &[impl serde::Serialize]) -> Vec<String> {
    let piece = |event| {
        let event: Value = json!(event);
        let of = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        format!("{} {}{} {}", of("type"), of("messageId"), of("toolCallId"), of("delta")).trim_end().to_owned()
    };
    events.iter().map(piece).collect()
}

#[test]
fn what_arrives_at_the_same_time_is_told_at_once() {
    let mut turn = turn(plain());
    assert!(!turn.has_begun());
    takes(&mut turn, vec![text("a"), text("b"), text(""), start(0, "read_file"), start(1, "read_file")]).unwrap();
    assert!(turn.has_begun());
    let more = [arguments(0, "{"), arguments(0, "}"), arguments(1, "1"), arguments(0, " "), arguments(7, "x")];
    takes(&mut turn, more.to_vec()).unwrap();
    takes(&mut turn, vec![Delta::CallEnd { call: 0 }, arguments(0, "late"), text("c")]).unwrap();
    assert_eq!(
        pieces(&turn.events()),
        [
            "TEXT_MESSAGE_START 1",
            "TEXT_MESSAGE_CONTENT 1 ab",
            "TEXT_MESSAGE_END 1",
            "TOOL_CALL_START call_2",
            "TOOL_CALL_START call_3",
            "TOOL_CALL_ARGS call_2 {}",
            "TOOL_CALL_ARGS call_3 1",
            "TOOL_CALL_ARGS call_2",
            "TOOL_CALL_END call_2",
            "TEXT_MESSAGE_START 1",
            "TEXT_MESSAGE_CONTENT 1 c",
        ]
    );
    let (message, events) = turn.finish();
    assert_eq!(pieces(&events), ["TEXT_MESSAGE_END 1", "TOOL_CALL_END call_3"]);
    assert_eq!((message.id.as_str(), message.text.as_str()), ("1", "abc"));
    let calls: Vec<_> =
        message.tool_calls.iter().map(|call| (call.id.as_str(), call.name(), call.arguments())).collect();
    assert_eq!(calls, [("call_2", "read_file", "{} "), ("call_3", "read_file", "1")]);
}

#[test]
fn a_turn_says_what_became_of_it() {
    let mut turn = turn(with_file_reader());
    takes(&mut turn, vec![start(0, "read_file")]).unwrap();
    let facts = |turn: &Turn<_>| {
        let usage = turn.usage();
        (turn.has_begun(), turn.is_rewritten(), turn.is_cut(), usage.input, usage.output)
    };
    assert_eq!(facts(&turn), (true, false, false, 0, 0));
    turn.events();
    // Behind a call of the client's, the next is told when its turn has come.
    takes(&mut turn, vec![start(1, "stock"), arguments(1, "{}"), Delta::CallEnd { call: 1 }]).unwrap();
    assert_eq!(pieces(&turn.events()), [""; 0]);
    let whole = |call| Delta::CallArgsAre { call, arguments: "[]".to_owned() };
    takes(&mut turn, vec![whole(9)]).unwrap();
    assert_eq!(facts(&turn), (true, false, false, 0, 0));
    let origin = serde_json::from_value(json!({"a": 1})).unwrap();
    takes(&mut turn, vec![whole(0), Delta::Usage { input: 3, output: 4 }, Delta::Cut, Delta::Origin(origin)]).unwrap();
    assert_eq!(facts(&turn), (true, true, true, 3, 4));
    let (message, _) = turn.finish();
    assert_eq!(message.tool_calls[0].arguments(), "[]");
    assert_eq!(message.origin.unwrap().text(), r#"{"a":1}"#);
    let mut turn = self::turn(plain());
    takes(&mut turn, vec![text("Hm."), Delta::Unsaid]).unwrap();
    assert_eq!(facts(&turn), (true, true, false, 0, 0));
    takes(&mut turn, vec![text("Hello.")]).unwrap();
    assert_eq!(turn.finish().0.text, "Hello.");
}

#[test]
fn an_answer_has_an_end() {
    let called = MAX_ANSWER_BYTES - 1024 - "stock".len();
    let many = |bytes: usize| "x".repeat(bytes);
    let origin = |bytes: usize| Delta::Origin(serde_json::from_value(json!(many(bytes - 2))).unwrap());
    for (before, last) in [
        (vec![], text as fn(&str) -> Delta),
        (vec![text("a")], text),
        (vec![start(0, "stock")], |delta| arguments(0, delta)),
    ] {
        let used = match before.as_slice() {
            [] => 0,
            [Delta::Text(text)] => text.len(),
            _ => MAX_ANSWER_BYTES - called,
        };
        for (bytes, expected) in [(MAX_ANSWER_BYTES - used, Ok(())), (MAX_ANSWER_BYTES - used + 1, Err(AnswerTooLong))]
        {
            let mut turn = turn(plain());
            takes(&mut turn, before.clone()).unwrap();
            assert_eq!(takes(&mut turn, vec![last(&many(bytes))]), expected, "{before:?} {bytes}");
        }
    }
    assert_eq!(takes(&mut turn(plain()), vec![origin(MAX_ANSWER_BYTES)]), Ok(()));
    assert_eq!(takes(&mut turn(plain()), vec![origin(MAX_ANSWER_BYTES + 1)]), Err(AnswerTooLong));
    assert_eq!(AnswerTooLong.to_string(), "The model's answer is longer than 1048576 bytes.");
}
