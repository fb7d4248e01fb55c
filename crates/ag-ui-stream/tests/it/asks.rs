//! The interceptor: which phase an ask has when.

use crate::reading::NOW;
use ag_ui_stream::Event;
use ag_ui_stream::asks::{AskChange, Asks};
use ag_ui_stream::message::Message;
use ag_ui_stream::reader::{End, EndOutcome};
use ask_user_question::snapshot::AskPatch;
use ask_user_question::validate::check_text;
use ask_user_question::{Limits, Outcome, Phase};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

pub(crate) const ASK: &str = r#"{"questions":[{"question":"Which service?","header":"Service","options":[{"label":"Brakes"},{"label":"Oil"}]}]}"#;

pub(crate) fn event(json: Value) -> Event {
    serde_json::from_value(json).unwrap()
}

pub(crate) fn started(run: &str) -> Value {
    json!({"type": "RUN_STARTED", "threadId": "t", "runId": run})
}

pub(crate) fn finished(run: &str) -> Value {
    json!({"type": "RUN_FINISHED", "threadId": "t", "runId": run})
}

pub(crate) fn interrupted(run: &str, interrupts: Value) -> Value {
    json!({"type": "RUN_FINISHED", "threadId": "t", "runId": run, "outcome": {"type": "interrupt", "interrupts": interrupts}})
}

pub(crate) fn result(call: &str, content: &str) -> Value {
    json!({"type": "TOOL_CALL_RESULT", "messageId": format!("{call}-result"), "toolCallId": call, "content": content})
}

pub(crate) fn call(id: &str, arguments: &str) -> [Value; 3] {
    [
        json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": "ask_user_question"}),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": arguments}),
        json!({"type": "TOOL_CALL_END", "toolCallId": id}),
    ]
}

fn take(asks: &mut Asks, events: impl IntoIterator<Item = Value>) {
    for json in events {
        asks.handle_event(NOW, &event(json));
    }
}

/// An ask that waits for its answer.
fn waiting() -> Asks {
    let mut asks = Asks::new();
    take(&mut asks, [started("r1")]);
    take(&mut asks, call("c1", ASK));
    take(&mut asks, [finished("r1")]);
    asks
}

#[track_caller]
fn check(asks: &Asks, id: &str, phase: Phase) {
    assert_eq!(asks.ask(id).map(|ask| ask.phase), Some(phase), "{:?}", asks.ask(id));
}

fn user(text: &str, about: Option<(&str, &str)>) -> Message {
    let mut message = json!({"role": "user", "id": "u", "content": text});
    if let Some((call, outcome)) = about {
        message["metadata"] = json!({"ask": {"toolCallId": call, "replyId": "x", "outcome": outcome, "by": "card"}});
    }
    serde_json::from_value(message).unwrap()
}

#[test]
fn only_tools_of_the_right_name_are_asks() {
    let start = |name: &str| event(json!({"type": "TOOL_CALL_START", "toolCallId": name, "toolCallName": name}));
    let mut asks = Asks::new();
    for name in ["ask_user_question", "AskUserQuestion", "ask", "Ask_User_Question"] {
        asks.handle_event(NOW, &start(name));
    }
    let ids: Vec<&str> = asks.asks().map(|ask| ask.tool_call_id.as_str()).collect();
    assert_eq!(ids, ["ask_user_question", "AskUserQuestion"]);
    let mut asks = Asks::with_names(["poll"]);
    asks.handle_event(NOW, &start("poll"));
    asks.handle_event(NOW, &start("ask_user_question"));
    assert_eq!(asks.asks().len(), 1);
}

#[test]
fn a_call_may_name_the_language_of_its_texts() {
    let lang = |metadata: Value| {
        let mut start = call("c1", ASK)[0].clone();
        start["metadata"] = metadata.clone();
        let mut asks = Asks::new();
        take(&mut asks, [started("r1"), start]);
        let streamed = asks.ask("c1").unwrap().lang.clone();
        let history = json!([{"role": "assistant", "id": "a", "toolCalls": [{
            "id": "c1", "type": "function", "metadata": metadata,
            "function": {"name": "ask_user_question", "arguments": ASK},
        }]}]);
        let messages: Vec<Message> = serde_json::from_value(history).unwrap();
        assert_eq!(Asks::replay(&messages).ask("c1").unwrap().lang, streamed);
        streamed
    };
    for tag in ["de", "de-AT", "zh-Hant-TW", "es-419"] {
        assert_eq!(lang(json!({"lang": tag})).as_deref(), Some(tag));
    }
    for other in ["", "d", "de_AT", "de-", "4u", "german language", "en\"onclick"] {
        assert_eq!(lang(json!({"lang": other})), None, "{other:?}");
    }
    assert_eq!(lang(json!({"lang": 7, "theme": "dark"})), None);
}

#[test]
fn a_patch_carries_no_more_than_its_delta() {
    let mut asks = Asks::new();
    take(
        &mut asks,
        [started("r1"), json!({"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "ask_user_question"})],
    );
    let mut most = 0;
    for index in 0..ASK.len() {
        let delta = &ASK[index..=index];
        let changes =
            asks.handle_event(NOW, &event(json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": delta})));
        most = most.max(changes.len());
        for change in changes {
            if let AskChange::Patched { patch: AskPatch::Append { delta, .. }, .. } = change {
                // White space that was held back comes with the character behind it.
                assert!(delta.len() <= 2, "{delta:?}");
            }
        }
    }
    assert!(most <= 2);
    assert_eq!(asks.ask("c1").unwrap().questions[0].options[1].label.text, "Oil");
}

#[test]
fn what_is_valid_is_shown_whatever_stands_around_it() {
    let other = format!("Other{}", " ".repeat(100));
    let flag = format!("{}true{}", " ".repeat(17), " ".repeat(17));
    let question = |option: &str, flag: &str| {
        format!(r#"{{"question":"Which?","header":"W","multiSelect":{flag},"options":["A","B",{option:?}]}}"#)
    };
    let plain = question("C", "false");
    for arguments in [
        format!(r#"{{"header":"DB","questions":[{plain}]}}"#),
        format!(r#"{{"question":"Stray?","questions":[{plain}]}}"#),
        format!(r#"{{"options":["X","Y"],"question":"Stray?","header":"S","questions":[{plain}]}}"#),
        format!(r#"{{"questions":[{plain}],"question":"Stray?","options":["X","Y"]}}"#),
        format!(r#"{{"questions":[{}]}}"#, question(&other, "false")),
        format!(r#"{{"questions":[{}]}}"#, question("C", &format!("{flag:?}"))),
        question("C", &format!("{flag:?}")),
    ] {
        assert!(check_text(&Limits::RUNTIME, &arguments).is_valid());
        let mut asks = Asks::new();
        take(&mut asks, [started("r1")]);
        take(&mut asks, call("c1", &arguments));
        check(&asks, "c1", Phase::Ready);
        assert_eq!(asks.ask("c1").unwrap().questions[0].question.text, "Which?");
    }
}

#[test]
fn a_question_as_a_plain_text_is_shown_without_options() {
    for text in ["Which service do you need?", "  Which [or none]? ", "1. Which?"] {
        let mut asks = Asks::new();
        take(&mut asks, [started("r1")]);
        take(&mut asks, call("c1", &json!({"questions": text}).to_string()));
        take(&mut asks, [finished("r1")]);
        check(&asks, "c1", Phase::Answerable);
        let shown = &asks.ask("c1").unwrap().questions;
        assert_eq!((shown[0].question.text.as_str(), shown[0].options.len()), (text.trim(), 0));
    }
    for broken in ["", " ", "{\"question\": \"Which?\"", "[]"] {
        let mut asks = Asks::new();
        take(&mut asks, [started("r1")]);
        take(&mut asks, call("c1", &json!({"questions": broken}).to_string()));
        check(&asks, "c1", Phase::Malformed);
    }
}

#[test]
fn a_stream_that_breaks_off_interrupts_what_streams_and_keeps_what_is_complete() {
    let end = End { outcome: EndOutcome::Truncated, error: None };
    let mut asks = Asks::new();
    take(&mut asks, [started("r1")]);
    take(&mut asks, call("c1", ASK));
    take(&mut asks, call("c2", ASK).into_iter().take(2));
    check(&asks, "c1", Phase::Ready);
    check(&asks, "c2", Phase::Streaming);
    asks.handle_end(NOW, &end);
    check(&asks, "c1", Phase::Answerable);
    check(&asks, "c2", Phase::Interrupted);
}

#[test]
fn a_result_in_the_same_run_that_is_no_answer_is_an_acknowledgement() {
    let mut asks = Asks::new();
    take(&mut asks, [started("r1")]);
    take(&mut asks, call("c1", ASK));
    take(&mut asks, [result("c1", "The user response will follow."), finished("r1")]);
    check(&asks, "c1", Phase::Answerable);
    assert!(asks.is_acknowledged("c1"));
    asks.handle_message(&user("Oil", Some(("c1", "answered"))));
    check(&asks, "c1", Phase::Answered);
    let Some(Outcome::Answered(reply)) = &asks.ask("c1").unwrap().outcome else { panic!("no reply") };
    assert_eq!(reply.message(), "Oil");
}

#[test]
fn a_reload_shows_what_a_marked_user_message_says() {
    let several = ASK.replace("Brakes", "Brakes, front").replace("\"options\"", "\"multiSelect\":true,\"options\"");
    for (arguments, text) in [
        (ASK, "Oil (note: soon)"),
        (ASK, "(skipped) (note: later)"),
        (&several, "Brakes, front, Oil (note: both, please)"),
        (&several, "Brakes, front, 2 wipers"),
    ] {
        let call =
            json!({"id": "c1", "type": "function", "function": {"name": "ask_user_question", "arguments": arguments}});
        let history = json!([
            {"role": "assistant", "id": "a", "toolCalls": [call]},
            {"role": "tool", "id": "t", "toolCallId": "c1", "content": "The answer will follow."},
            {"role": "user", "id": "u", "content": text, "metadata": {"ask": {"toolCallId": "c1", "replyId": "x", "outcome": "answered", "by": "card"}}},
        ]);
        let messages: Vec<Message> = serde_json::from_value(history).unwrap();
        let asks = Asks::replay(&messages);
        let Some(Outcome::Answered(reply)) = &asks.ask("c1").unwrap().outcome else { panic!("no reply") };
        assert_eq!(reply.message(), text);
        let read = &reply.answers()[0];
        assert!(read.skipped || !read.selected.is_empty(), "{text}: {read:?}");
        assert_eq!(read.note.is_some(), text.contains("note"), "{text}");
    }
}

#[test]
fn a_result_that_says_how_it_ended_settles_the_ask() {
    for (content, phase) in [
        (r#"{"answers":{"Which service?":"Oil"}}"#, Phase::Answered),
        ("User cancelled the question", Phase::Declined),
        ("Error: User cancelled the question", Phase::Declined),
        ("anything else", Phase::Answered),
        ("Forwarded to client", Phase::Answerable),
        ("[Awaiting external execution]", Phase::Answerable),
    ] {
        let mut asks = waiting();
        take(&mut asks, [started("r2"), result("c1", content)]);
        check(&asks, "c1", phase);
    }
    let mut asks = Asks::new();
    take(&mut asks, [started("r1")]);
    take(&mut asks, call("c1", ASK));
    take(&mut asks, [result("c1", "Invalid input: Must have 1-4 questions"), finished("r1")]);
    check(&asks, "c1", Phase::Malformed);
}

#[test]
fn a_result_that_comes_before_its_ask_is_whole_settles_it_too() {
    for (content, phase) in [
        (r#"{"answers":{"Which service?":"Oil"}}"#, Phase::Answered),
        ("User cancelled the question", Phase::Declined),
        ("Invalid input: Must have 1-4 questions", Phase::Malformed),
        ("anything else", Phase::Answerable),
    ] {
        for at in 0..3 {
            let mut events = call("c1", ASK).to_vec();
            events.insert(at, result("c1", content));
            let mut asks = Asks::new();
            take(&mut asks, [started("r1")]);
            take(&mut asks, events);
            take(&mut asks, [finished("r1")]);
            check(&asks, "c1", phase);
            assert!(phase != Phase::Answerable || asks.is_acknowledged("c1"), "{content} at {at}");
        }
    }
}

#[test]
fn the_first_outcome_holds() {
    let mut asks = waiting();
    take(
        &mut asks,
        [
            started("r2"),
            result("c1", "User cancelled the question"),
            result("c1", r#"{"answers":{"Which service?":"Oil"}}"#),
        ],
    );
    check(&asks, "c1", Phase::Declined);
    asks.handle_message(&user("Something else", None));
    check(&asks, "c1", Phase::Declined);
}

#[test]
fn a_user_message_answers_or_supersedes() {
    let after = |message: &Message| {
        let mut asks = waiting();
        asks.handle_message(message);
        asks.ask("c1").unwrap().phase
    };
    assert_eq!(after(&user("Whatever", Some(("c1", "answered")))), Phase::Answered);
    assert_eq!(after(&user("Whatever", Some(("c1", "declined")))), Phase::Declined);
    assert_eq!(after(&user("Whatever", Some(("c1", "replied_in_chat")))), Phase::Answered);
    assert_eq!(after(&user("Whatever", Some(("another", "answered")))), Phase::Answerable);
    assert_eq!(after(&user("Oil", None)), Phase::Answered);
    assert_eq!(after(&user("How is the weather?", None)), Phase::Superseded);
}

#[test]
fn an_ask_expires_when_its_interrupt_does() {
    let mut asks = Asks::new();
    take(&mut asks, [started("r1")]);
    take(&mut asks, call("c1", ASK));
    let deadline = "2026-11-20T12:00:01Z";
    take(
        &mut asks,
        [interrupted("r1", json!([{"id": "i1", "reason": "tool_call", "toolCallId": "c1", "expiresAt": deadline}]))],
    );
    check(&asks, "c1", Phase::Answerable);
    assert_eq!((asks.interrupt("c1").unwrap().id.as_str(), asks.poll_timeout()), ("i1", Some(NOW + 1000)));
    assert_eq!(asks.handle_timeout(NOW + 999), []);
    let expired = AskChange::Patched { tool_call_id: "c1".into(), patch: AskPatch::Phase(Phase::Expired) };
    assert_eq!(asks.handle_timeout(NOW + 1000), [expired]);
    assert_eq!(asks.poll_timeout(), None);
}

#[test]
fn an_ask_expires_when_its_server_says_so_beside_the_events() {
    let mut asks = waiting();
    assert_eq!(asks.set_deadline("c1", "soon"), []);
    assert_eq!(asks.set_deadline("c2", "2026-11-20T12:00:01Z"), []);
    assert_eq!(asks.poll_timeout(), None);
    let told = AskChange::Patched { tool_call_id: "c1".into(), patch: AskPatch::ExpiresAt(Some(NOW + 1000)) };
    assert_eq!(asks.set_deadline("c1", "2026-11-20T12:00:01Z"), [told]);
    assert_eq!(asks.set_deadline("c1", "2026-11-20T12:00:01Z"), [], "it is known");
    assert_eq!(asks.poll_timeout(), Some(NOW + 1000));
    asks.handle_timeout(NOW + 1000);
    check(&asks, "c1", Phase::Expired);
    assert_eq!(asks.set_deadline("c1", "2026-11-20T13:00:00Z"), []);
}

#[test]
fn an_interrupt_alone_becomes_an_ask() {
    let mut asks = Asks::new();
    take(&mut asks, [started("r1")]);
    take(
        &mut asks,
        [
            json!({"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "delete_file"}),
            json!({"type": "TOOL_CALL_END", "toolCallId": "c1"}),
        ],
    );
    let schema = json!({"type": "object", "properties": {
        "colour": {"enum": ["red", "blue"], "description": "Which colour?"}, "extras": {"type": "array", "items": {"enum": ["a", "b"]}, "title": "Extras"},
        "count": {"type": "integer"},
    }});
    take(
        &mut asks,
        [interrupted(
            "r1",
            json!([
                {"id": "i1", "reason": "tool_call", "toolCallId": "c1", "message": "Delete it?", "responseSchema": {"type": "object", "properties": {"approved": {"type": "boolean"}}}},
                {"id": "i2", "reason": "input_required", "message": "Details", "responseSchema": schema},
                {"id": "i3", "reason": "acme:odd", "message": "Say something"},
                {"id": "i4", "reason": "acme:ask", "metadata": {"questions": [{"question": "In metadata?", "options": ["Yes", "No"]}]}},
                {"id": "i5", "reason": "acme:silent"},
            ]),
        )],
    );
    let mut shown: Vec<(String, Vec<String>)> = asks
        .asks()
        .flat_map(|ask| ask.ask.iter().flat_map(|ask| &ask.questions))
        .map(|question| {
            (question.question.clone(), question.options.iter().map(|option| option.label.clone()).collect())
        })
        .collect();
    let mut expected = [
        ("Delete it?", vec!["Yes", "No"]),
        ("Which colour?", vec!["red", "blue"]),
        ("count", vec![]),
        ("Extras", vec!["a", "b"]),
        ("Say something", vec![]),
        ("In metadata?", vec!["Yes", "No"]),
    ];
    // An object's members come in the order in which `serde_json` keeps them, which is a feature of it.
    shown.sort();
    expected.sort();
    assert_eq!(
        shown,
        expected.map(|(question, options)| (question.to_owned(), options.into_iter().map(str::to_owned).collect()))
    );
}

#[test]
fn a_legacy_interrupt_becomes_an_ask_unless_the_run_ends_with_a_real_one() {
    let legacy = |value: Value| json!({"type": "CUSTOM", "name": "on_interrupt", "value": value});
    let mut asks = Asks::new();
    take(
        &mut asks,
        [
            started("r1"),
            legacy(json!("{\"message\": \"Go on?\", \"choices\": [\"Yes\"]}")),
            legacy(json!("Plain?")),
            legacy(json!(7)),
            finished("r1"),
        ],
    );
    let shown: Vec<&str> =
        asks.asks().flat_map(|ask| &ask.questions).map(|question| question.question.text.as_str()).collect();
    assert_eq!(shown, ["Go on?", "Plain?"]);
    check(&asks, "r1-on_interrupt-2", Phase::Malformed);
    let mut asks = Asks::new();
    take(
        &mut asks,
        [
            started("r1"),
            legacy(json!("Old?")),
            interrupted("r1", json!([{"id": "i1", "reason": "confirmation", "message": "New?"}])),
        ],
    );
    let shown: Vec<&str> = asks.asks().map(|ask| ask.questions[0].question.text.as_str()).collect();
    assert_eq!(shown, ["New?"]);
}

#[test]
fn a_replayed_history_gives_the_phases_of_the_stream() {
    let history: Vec<Message> = serde_json::from_value(json!([
        {"role": "user", "id": "u0", "content": "Hello"},
        assistant("m1", "c1"), {"role": "tool", "id": "t1", "toolCallId": "c1", "content": "{\"answers\":{\"Which service?\":\"Oil\"}}"},
        {"role": "user", "id": "u1", "content": "Oil", "metadata": {"ask": {"toolCallId": "c1", "replyId": "x", "outcome": "answered", "by": "card"}}},
        assistant("m2", "c2"), {"role": "tool", "id": "t2", "toolCallId": "c2", "content": "User cancelled the question"},
        assistant("m3", "c3"), {"role": "user", "id": "u3", "content": "Something else"},
        assistant("m4", "c4"), {"role": "tool", "id": "t4", "toolCallId": "c4", "content": "Response will follow"},
        {"role": "user", "id": "u4", "content": "Brakes"},
        {"role": "assistant", "id": "m5", "toolCalls": [{"id": "c5", "type": "function", "function": {"name": "ask_user_question", "arguments": "{"}}]},
        assistant("m6", "c6"),
    ]))
    .unwrap();
    let asks = Asks::replay(&history);
    let phases: Vec<Phase> = asks.asks().map(|ask| ask.phase).collect();
    assert_eq!(
        phases,
        [Phase::Answered, Phase::Declined, Phase::Superseded, Phase::Answered, Phase::Malformed, Phase::Answerable]
    );
    // The same history as a snapshot in the middle of a run.
    let mut asks = Asks::new();
    take(&mut asks, [started("r1"), json!({"type": "MESSAGES_SNAPSHOT", "messages": history})]);
    check(&asks, "c6", Phase::Ready);
    take(&mut asks, [finished("r1")]);
    let again: Vec<Phase> = asks.asks().map(|ask| ask.phase).collect();
    assert_eq!(again, phases);
    // And once more, which must not change a thing.
    assert_eq!(asks.handle_history(&history), []);
}

fn assistant(id: &str, call: &str) -> Value {
    json!({"role": "assistant", "id": id, "toolCalls": [{"id": call, "type": "function", "function": {"name": "ask_user_question", "arguments": ASK}}]})
}

#[test]
fn what_was_complete_is_not_spoilt_by_what_follows() {
    let mut asks = waiting();
    take(&mut asks, [started("r2")]);
    take(&mut asks, call("c1", ASK));
    check(&asks, "c1", Phase::Answerable);
    assert_eq!(asks.asks().len(), 1);
}
