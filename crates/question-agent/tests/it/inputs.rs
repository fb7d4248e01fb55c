//! Bytes that clients send, in AG-UI and as plain JSON, and what is read of them.

use crate::samples::{database_ask, other_call, picks, responds, response, says, user, waiting};
use ask_user_question::attachment::FileLimits;
use ask_user_question::outcome::{AnsweredBy, AskMetadata, DECLINED_TEXT, OutcomeKind};
use ask_user_question::{Limits, Outcome};
use question_agent::ag_ui::{
    Bounds, MAX_CLIENT_TOOLS_BYTES, MAX_CONTEXT_BYTES, Refused, RespondBody, RunInput, View, brought_message,
    is_longer, read,
};
use question_agent::call::{ToolCall, ToolResult};
use question_agent::message::{AssistantMessage, Message};
use question_agent::registry::{ContextItem, PermissionMode, ToolContext, ToolRegistry, ToolSpec};
use question_agent::transition::NOT_RUN_CANCELLED;
use question_agent::{Conversation, Event, Timestamp};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// The body of a run with these members beside its ids.
fn body(members: &Value) -> Vec<u8> {
    let mut body = json!({"threadId": "t", "runId": "run"});
    body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    body.to_string().into_bytes()
}

fn input(members: &Value) -> RunInput {
    RunInput::parse(&body(members)).unwrap()
}

/// `metadata` that marks a message as a reply.
fn mark(call: &str, reply: &str) -> Value {
    json!({"ask": {"toolCallId": call, "replyId": reply, "outcome": "answered", "by": "composer"}})
}

fn tool(id: &str, call: &str, content: impl Into<Value>) -> Value {
    json!({"role": "tool", "id": id, "toolCallId": call, "content": content.into()})
}

fn said(id: &str, content: impl Into<Value>) -> Value {
    json!({"role": "user", "id": id, "content": content.into()})
}

fn marked(mut message: Value, metadata: Value) -> Value {
    message["metadata"] = metadata;
    message
}

fn refusal(refused: &Refused) -> Value {
    json!([refused.code(), refused.to_string()])
}

/// The event of an input, or its refusal, as JSON.
fn told(read: Result<Option<Event>, Refused>) -> Value {
    let event = match read {
        Err(refused) => return refusal(&refused),
        Ok(None) => return Value::Null,
        Ok(Some(event)) => event,
    };
    let brought = brought_message(&event).map(str::to_owned);
    match event {
        Event::ToolComplete { result } => json!({"result": result, "brought": brought}),
        Event::UserMessage { messages } => json!({"says": messages}),
        Event::UserQuestionResponse(reply) => json!({
            "reply": [reply.tool_use_id, reply.reply_id, reply.by], "outcome": reply.outcome.tool_content(&database_ask()),
            "brought": brought, "says": reply.messages,
        }),
        event => panic!("{event:?}"),
    }
}

fn reads(conversation: &Conversation, members: &Value) -> Value {
    let context = ToolContext::default();
    told(read(&Bounds::default(), View { conversation, context: &context }, &input(members)))
}

#[track_caller]
fn check(conversation: &Conversation, cases: &[(Value, Value)]) {
    for (members, expected) in cases {
        assert_eq!(reads(conversation, members), *expected, "{members}");
    }
}

/// A conversation whose question was answered with "SQLite" by the reply `r1` in the message `t1`, and which is over.
fn answered() -> Conversation {
    let mut conversation = waiting(vec![]);
    let mut reply = response("call-1", "r1", picks(1));
    reply.tool_message_id = Some("t1".to_owned());
    conversation.handle(Event::UserQuestionResponse(reply)).unwrap();
    conversation.handle(responds("a2", "Done.", vec![])).unwrap();
    conversation
}

fn expired() -> Conversation {
    let mut conversation = waiting(vec![]);
    conversation.handle(Event::QuestionExpired { now: Timestamp(1000) }).unwrap();
    conversation
}

#[test]
fn a_client_says_who_the_agent_is_but_not_what_only_the_server_knows() {
    let context = |told: Value, allow_bypass| input(&json!({"forwardedProps": told})).context(allow_bypass);
    assert_eq!(context(json!({}), false), Ok(None));
    let plan = ToolContext { plan_mode: true, ..ToolContext::default() };
    assert_eq!(context(json!({"toolContext": {"planMode": true}}), false), Ok(Some(plan.clone())));
    let more = json!({"toolContext": {
        "planMode": true, "isSubAgent": true,
        "clientTools": [{"name": "a", "description": "", "parameters": {}}],
        "context": [{"description": "a", "value": "b"}],
        "callbacks": [{"toolCallId": "c", "url": "u", "tries": 0, "due": null, "until": null}],
    }});
    assert_eq!(context(more, false), Ok(Some(plan)));
    let mode = |mode: &str| json!({"toolContext": {"permissionMode": mode}});
    let bypass = PermissionMode::BypassPermissions;
    for (told, allow, expected) in [
        ("acceptEdits", false, Ok(PermissionMode::AcceptEdits)),
        ("acceptEdits", true, Ok(PermissionMode::AcceptEdits)),
        ("bypassPermissions", true, Ok(bypass)),
        ("bypassPermissions", false, Err(json!(["bypass_not_allowed", "Clients may not bypass permissions here."]))),
    ] {
        let read = context(mode(told), allow);
        assert_eq!(read.map(|read| read.unwrap().permission_mode).map_err(|refused| refusal(&refused)), expected);
    }
    let refused = context(mode("none"), true).unwrap_err();
    assert!(refused.to_string().starts_with("The toolContext cannot be read: "), "{refused}");
}

#[test]
fn a_client_declares_tools_that_a_provider_could_take() {
    let tools = |tools: Value| input(&json!({"tools": tools}));
    let named = |name: &str| json!({"name": name, "description": "It runs.", "parameters": {"type": "object"}});
    let long = "x".repeat(65);
    let names = ["read", "read", "a-B_1", "", "a b", "é", "AskUserQuestion", &long[1..], &long];
    let read = tools(names.iter().map(|name| named(name)).collect());
    let declared = read.client_tools().unwrap();
    let kept: Vec<&str> = declared.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(kept, ["read", "a-B_1", &long[1..]]);
    assert_eq!(declared[0], ToolSpec::new("read", "It runs.", &json!({"type": "object"})));
    assert_eq!(read.client_tool(), Some("AskUserQuestion"));
    assert_eq!(tools(json!([named("ask_user_question")])).client_tool(), Some("ask_user_question"));
    assert_eq!(tools(json!([named("read"), {"no": "name"}])).client_tool(), None);
    let bare = ToolSpec::new("read", "", &json!({"type": "object", "properties": {}}));
    assert_eq!(tools(json!([{"name": "read", "parameters": 1}])).client_tools(), Ok(vec![bare.clone()]));

    let many = |count: usize| (0..count).map(|at| named(&format!("t{at}"))).collect::<Value>();
    assert_eq!(tools(many(64)).client_tools().map(|tools| tools.len()), Ok(64));
    let room = MAX_CLIENT_TOOLS_BYTES - "read".len() - bare.parameters.text().len();
    let wordy = |bytes: usize| json!([{"name": "read", "description": "x".repeat(bytes)}]);
    assert!(tools(wordy(room)).client_tools().is_ok());
    for too_much in [many(65), wordy(room + 1)] {
        let refused = tools(too_much).client_tools().unwrap_err();
        assert_eq!(refused.to_string(), "A client may declare at most 64 tools of 65536 bytes in all.");
    }
}

#[test]
fn a_client_says_what_is_around_its_user() {
    let context = |items: Value| input(&json!({"context": items})).client_context();
    let item = |description: &str, value: &str| ContextItem { description: description.into(), value: value.into() };
    let items =
        json!([{"description": "page", "value": "/a"}, {"value": {"a": 1}}, {"description": "no", "value": null}, 1]);
    assert_eq!(context(items), Ok(vec![item("page", "/a"), item("", r#"{"a":1}"#)]));
    let wordy = |bytes: usize| json!([{"description": "xx", "value": "yyy"}, {"value": "x".repeat(bytes)}]);
    assert_eq!(context(wordy(MAX_CONTEXT_BYTES - 5)).map(|items| items.len()), Ok(2));
    let refused = context(wordy(MAX_CONTEXT_BYTES - 4)).unwrap_err();
    assert_eq!(refused.to_string(), "A client's context may have at most 65536 bytes.");
}

#[test]
fn members_that_are_null_are_absent() {
    let names = ["messages", "resume", "tools", "context", "forwardedProps", "protocolVersion", "state"];
    for name in names {
        assert_eq!(reads(&answered(), &json!({name: null})), Value::Null, "{name}");
    }
}

#[test]
fn an_answer_is_read_from_each_delivery() {
    let outcome = r#"{"answers":{"Which database?":"SQLite"}}"#;
    let own = json!({"answers": {"Which database?": "SQLite"}});
    let reply = |id: &str, by: &str, brought: Option<&str>, says: Value| json!({"reply": ["call-1", id, by], "outcome": outcome, "brought": brought, "says": says});
    let by_tool = |content: Value| json!({"messages": [tool("t1", "call-1", content)]});
    let resume = |payload: Value, metadata: Value| json!({"resume": [{"interruptId": "call-1", "status": "resolved", "payload": payload, "metadata": metadata}]});
    let from_tool = || reply("t1", "card", Some("t1"), json!([]));
    let from_resume = || reply("run", "card", None, json!([]));
    let tapped = || marked(said("u2", "SQLite"), mark("call-1", "r1"));
    let kept = || json!([{"id": "u2", "text": "SQLite", "ask": mark("call-1", "r1")["ask"]}]);
    check(
        &waiting(vec![]),
        &[
            (by_tool(json!(outcome)), from_tool()),
            (by_tool(json!("SQLite")), from_tool()),
            (by_tool(json!("\"SQLite\"")), from_tool()),
            (by_tool(json!([{"type": "text", "text": "SQLite"}, {"type": "image"}])), from_tool()),
            (
                json!({"messages": [marked(tool("t1", "call-1", "SQLite"), mark("call-1", "r1"))]}),
                reply("r1", "composer", Some("t1"), json!([])),
            ),
            (
                json!({"messages": [marked(tool("t1", "call-1", "SQLite"), json!({"ask": {"replyId": "r1"}}))]}),
                reply("r1", "card", Some("t1"), json!([])),
            ),
            (json!({"messages": [tool("t1", "call-1", "SQLite"), tapped()]}), reply("t1", "card", Some("t1"), kept())),
            (resume(own.clone(), json!({})), from_resume()),
            (resume(json!(outcome), json!({})), from_resume()),
            (resume(own.clone(), json!({"ask": {"replyId": "r1"}})), reply("r1", "card", None, json!([]))),
            (resume(own, mark("call-1", "r1")), reply("r1", "composer", None, json!([]))),
            (json!({"messages": [tapped()]}), reply("r1", "composer", None, kept())),
        ],
    );
    let declined = reads(
        &waiting(vec![]),
        &json!({"resume": [{"interruptId": "x", "status": "resolved"}, {"interruptId": "call-1", "status": "cancelled"}]}),
    );
    assert_eq!(declined["outcome"], "User cancelled the question. This is no answer and no consent.");
}

#[test]
fn a_result_that_is_no_outcome_is_what_its_mark_says() {
    let result = |kind: Option<OutcomeKind>, text: &str| {
        let mut result = tool("t1", "call-1", text);
        if let Some(kind) = kind {
            result = marked(result, mark("call-1", "r1"));
            result["metadata"]["ask"]["outcome"] = kind.as_str().into();
        }
        reads(&waiting(vec![]), &json!({"messages": [result]}))["outcome"].clone()
    };
    let text = "They would rather not say.";
    let ends = [Outcome::Declined, Outcome::Expired, Outcome::replied_in_chat(&database_ask(), text, Vec::new())];
    for end in ends {
        assert_eq!(result(Some(end.kind()), text), end.tool_content(&database_ask()));
    }
    assert_eq!(result(Some(OutcomeKind::Answered), text), result(None, text));
}

#[test]
fn a_message_alone_is_what_its_mark_says() {
    let message = |outcome: &str, content: Value| {
        let mut mark = mark("call-1", "r1");
        mark["ask"]["outcome"] = outcome.into();
        json!({"messages": [marked(said("u2", content), mark)]})
    };
    let outcome =
        |outcome: &str, text: &str| reads(&waiting(vec![]), &message(outcome, text.into()))["outcome"].clone();
    for ended in [Outcome::Declined, Outcome::Expired, Outcome::Superseded, Outcome::Cancelled] {
        let told = ended.tool_content(&database_ask());
        for text in [&*told, "SQLite", r#"{"answers":{"Which database?":"SQLite"}}"#] {
            assert_eq!(outcome(ended.kind().as_str(), text), told, "{text}");
        }
    }
    let in_chat = Outcome::replied_in_chat(&database_ask(), "SQLite", Vec::new());
    assert_eq!(outcome("replied_in_chat", "SQLite"), in_chat.tool_content(&database_ask()));
    let answer = |text: &str| serde_json::from_str::<Value>(outcome("answered", text).as_str().unwrap()).unwrap();
    assert_eq!(answer("(skipped)")["answers"], json!({}));
    assert_eq!(answer("Why not both?")["answers"], json!({"Which database?": "Why not both?"}));
    // What the card sends has its files.
    let source = json!({"type": "url", "value": "/files/plan", "mimeType": "image/png"});
    let file = json!({"type": "image", "source": source, "metadata": {"name": "plan.png", "size": 9, "question": 0}});
    let parts = json!([{"type": "text", "text": "SQLite (1 picture: plan.png)"}, file]);
    let (conversation, context) = (waiting(vec![other_call("call-2")]), ToolContext::default());
    let (view, bounds) = (
        View { conversation: &conversation, context: &context },
        Bounds { files: Some(FileLimits::PICTURES), ..Bounds::default() },
    );
    let read_with_file = read(&bounds, view, &input(&message("answered", parts))).unwrap().unwrap();
    let Event::UserQuestionResponse(reply) = read_with_file else { panic!("{read_with_file:?}") };
    assert_eq!(reply.outcome.attachments().len(), 1, "{:?}", reply.outcome);
    // What waits behind a question that was declined does not run.
    let declined = read(&bounds, view, &input(&message("declined", DECLINED_TEXT.into()))).unwrap().unwrap();
    let mut conversation = conversation.clone();
    conversation.handle(declined).unwrap();
    let Some(result) = conversation.result_of("call-2") else { panic!("{:?}", conversation.state()) };
    assert_eq!(result.content, NOT_RUN_CANCELLED);
}

#[test]
fn an_answer_that_does_not_fit_is_refused() {
    let does_not_fit = json!(["invalid_reply", "The answer does not fit the question."]);
    let resolved =
        |payload: Value| json!({"resume": [{"interruptId": "call-1", "status": "resolved", "payload": payload}]});
    let by_tool = |content: &str| json!({"messages": [tool("t1", "call-1", content)]});
    let conversation = waiting(vec![]);
    for members in
        [by_tool(""), by_tool(" "), by_tool("{}"), by_tool(r#"{"a":1}"#), resolved(json!({})), resolved(json!(null))]
    {
        assert_eq!(reads(&conversation, &members), does_not_fit, "{members}");
        let context = ToolContext::default();
        let refused =
            read(&Bounds::default(), View { conversation: &conversation, context: &context }, &input(&members));
        assert!(matches!(&refused, Err(Refused::InvalidReply(violations)) if !violations.is_empty()), "{refused:?}");
    }
}

#[test]
fn a_reply_to_another_question_is_refused() {
    let foreign = json!(["foreign_reply", "another question is waiting: call-1"]);
    let other = |id: &str| marked(said(id, "SQLite"), mark("call-9", "r9"));
    let resume = json!([{"interruptId": "call-9", "status": "cancelled"}]);
    check(
        &waiting(vec![]),
        &[
            (json!({"messages": [said("u2", "hello")]}), json!({"says": [{"id": "u2", "text": "hello"}]})),
            (json!({"messages": [other("u2")]}), foreign.clone()),
            (json!({"messages": [tool("t9", "call-9", "a")]}), foreign.clone()),
            (json!({"messages": [tool("t9", "call-9", "a"), other("u1")]}), foreign.clone()),
            (json!({"messages": [tool("t9", "call-9", "a"), {"role": "assistant", "id": "a1"}]}), Value::Null),
            (json!({"resume": resume}), foreign),
        ],
    );
}

#[test]
fn a_late_reply_learns_who_has_won() {
    let late = json!(["already_answered", "the question has been answered already"]);
    let by_tool =
        |id: &str, reply: &str| json!({"messages": [marked(tool(id, "call-1", "SQLite"), mark("call-1", reply))]});
    let tapped = |reply: &str| json!({"messages": [marked(said("u9", "SQLite"), mark("call-1", reply))]});
    let resume = |reply: &str| json!({"resume": [{"interruptId": "call-1", "status": "resolved", "payload": "SQLite", "metadata": mark("call-1", reply)}]});
    let not_waiting = json!(["not_waiting", "no question is waiting for an answer"]);
    check(
        &answered(),
        &[
            (by_tool("t2", "r2"), late.clone()),
            (tapped("r2"), late.clone()),
            (resume("r2"), late.clone()),
            (by_tool("t2", "r1"), Value::Null),
            (tapped("r1"), Value::Null),
            (resume("r1"), Value::Null),
            // Its message is there already.
            (by_tool("t1", "r2"), Value::Null),
            (json!({"messages": [tool("t9", "call-9", "a")]}), not_waiting),
            (json!({}), Value::Null),
        ],
    );
}

#[test]
fn a_change_of_an_answer_is_a_message_that_keeps_what_it_replaces() {
    let text = "I changed my answer to “Which database?”: Postgres";
    let changed = |call: &str, replaces: Value| {
        let mut mark = mark(call, "r2");
        mark["ask"]["replaces"] = replaces;
        marked(said("u9", text), mark)
    };
    let taken = |message: Value| json!({"says": [{"id": "u9", "text": text, "ask": message["metadata"]["ask"]}]});
    let sent = |message: &Value| json!({"messages": [message]});
    // An id that nobody knows makes it a message all the same.
    let (known, unknown) = (changed("call-1", json!("call-1")), changed("call-9", json!("call-9")));
    check(&answered(), &[(sent(&known), taken(known.clone())), (sent(&unknown), taken(unknown.clone()))]);
    let mut conversation = answered();
    let body = sent(&known);
    let context = ToolContext::default();
    let event = read(&Bounds::default(), View { conversation: &conversation, context: &context }, &input(&body));
    conversation.handle(event.unwrap().unwrap()).unwrap();
    assert_eq!(reads(&conversation, &body), Value::Null, "a second try is the same message");
    let kept = conversation.messages().iter().rev().find_map(|message| match message {
        Message::User(user) => Some(question_agent::ag_ui::wire::user_message(user)),
        _ => None,
    });
    assert_eq!(json!(kept.unwrap())["metadata"], known["metadata"]);
    let refused = RunInput::parse(&body_of_long_id(changed("call-1", json!("i".repeat(10_000)))));
    assert!(refused.is_err(), "an id that nobody would keep");
}

fn body_of_long_id(message: Value) -> Vec<u8> {
    body(&json!({"messages": [message]}))
}

#[test]
fn files_of_a_message_are_read_where_they_are_taken() {
    let taking = Bounds { files: Some(FileLimits::PICTURES), ..Bounds::default() };
    let context = ToolContext::default();
    let reads = |bounds: &Bounds, conversation: &Conversation, messages: &[Value]| {
        told(read(bounds, View { conversation, context: &context }, &input(&json!({"messages": messages}))))
    };
    let part = |kind: &str, value: &str| {
        let source = json!({"type": kind, "value": value, "mimeType": "image/png"});
        json!({"type": "image", "source": source, "metadata": {"name": "a/cat.png", "size": 9, "question": 1}})
    };
    let cat = part("url", "/files/cat");
    let file = json!({"url": "/files/cat", "name": "cat.png", "type": "image/png", "size": 9, "question": 1});
    let alone = [said("x1", vec![cat.clone()])];
    let message = json!({"id": "x1", "text": "", "files": [file]});
    assert_eq!(reads(&taking, &answered(), &alone), json!({"says": [message]}));
    assert_eq!(reads(&Bounds::default(), &answered(), &alone)[0], "bad_request");
    let with_text = [said("x1", vec![json!({"type": "text", "text": "Look"}), part("data", "AAAA")])];
    assert_eq!(reads(&Bounds::default(), &answered(), &with_text), json!({"says": [{"id": "x1", "text": "Look"}]}));
    assert!(reads(&taking, &answered(), &with_text)[1].as_str().unwrap().contains("/files first"));
    let many = [said("x1", vec![cat.clone(); 5])];
    assert_eq!(reads(&taking, &answered(), &many), json!(["bad_request", "At most 4 files are taken."]));
    // The same under another id, before a message that is known.
    let mut conversation = answered();
    let files = serde_json::from_value(message).unwrap();
    conversation.handle(Event::UserMessage { messages: vec![files] }).unwrap();
    conversation.handle(responds("a3", "A cat.", vec![])).unwrap();
    let known = json!({"role": "assistant", "id": "a3"});
    assert_eq!(reads(&taking, &conversation, &[said("x2", vec![cat]), known]), Value::Null);
}

#[test]
fn only_what_is_new_is_taken_of_a_history() {
    let agent = || json!({"role": "assistant", "id": "a2"});
    let says = |messages: Value| json!({"says": messages});
    let only_text = json!(["bad_request", "This agent reads text alone: say it in words."]);
    let picture = |id: &str, more: &[Value]| {
        let mut parts = vec![json!({"type": "image"})];
        parts.extend_from_slice(more);
        json!({"messages": [said(id, parts)]})
    };
    check(
        &answered(),
        &[
            (json!({"messages": [said("u1", "set it up"), agent()]}), Value::Null),
            // A message that comes again under another id, and a new one that a client has put before known ones.
            (json!({"messages": [said("x1", "set it up"), agent()]}), Value::Null),
            (json!({"messages": [said("x1", "other"), agent()]}), says(json!([{"id": "x1", "text": "other"}]))),
            (
                json!({"messages": [agent(), said("x1", "set it up"), said("x1", "set it up"), said("x2", " ")]}),
                says(json!([{"id": "x1", "text": "set it up"}])),
            ),
            (picture("x1", &[]), only_text.clone()),
            (picture("x1", &[json!({"type": "text", "text": " "})]), only_text),
            (picture("x1", &[json!({"text": "a"}), json!({"text": "b"})]), says(json!([{"id": "x1", "text": "a\nb"}]))),
            (picture("u1", &[]), Value::Null),
            (json!({"messages": [said("x1", json!([{"text": " "}]))]}), Value::Null),
        ],
    );
}

#[test]
fn a_client_brings_the_result_of_its_own_tool() {
    let spec = ToolSpec::new("read_file", "", &json!({}));
    let context = ToolContext { client_tools: vec![spec], ..ToolContext::default() };
    let mut conversation = Conversation::new();
    conversation.handle(says("u1", "go")).unwrap();
    conversation.handle(responds("a1", "", vec![other_call("call-1")])).unwrap();
    let bounds = Bounds { tool_result: 3, ..Bounds::default() };
    let view = View { conversation: &conversation, context: &context };
    let result = |is_error: bool| {
        let mut result = json!({"messageId": "t1", "toolUseId": "call-1", "content": "abc"});
        if is_error {
            result["isError"] = json!(true);
        }
        json!({"result": result, "brought": "t1"})
    };
    let failed = json!({"role": "tool", "id": "t1", "toolCallId": "call-1", "content": "abc", "error": "E"});
    let not_waiting = json!(["not_waiting", "no question is waiting for an answer"]);
    let too_long = json!(["bad_request", "The tool's result is longer than 3 bytes; bring a shorter one or an error."]);
    for (message, expected) in [
        (tool("t1", "call-1", "abc"), result(false)),
        (failed, result(true)),
        (tool("t1", "call-1", "abcd"), too_long),
        (tool("t1", "call-9", "abc"), not_waiting),
        (tool("u1", "call-1", "abc"), Value::Null),
    ] {
        assert_eq!(told(read(&bounds, view, &input(&json!({"messages": [message]})))), expected, "{message}");
    }
    let (full, message) = (Bounds { messages: 2, ..bounds }, json!({"messages": [tool("t1", "call-1", "abc")]}));
    assert_eq!(told(read(&full, view, &input(&message)))[0], "conversation_full");
}

#[test]
fn a_history_is_as_long_as_what_is_said_in_it() {
    let call = ToolCall::new("c", "read", "{\"a\":1}");
    let origin = serde_json::from_value(json!("o")).unwrap();
    let assistant =
        AssistantMessage { id: "a".into(), text: "ab".into(), tool_calls: vec![call], origin: Some(origin) };
    let history = [
        Message::User(user("u", "abcde")),
        Message::Assistant(assistant),
        Message::Tool(ToolResult::success("c", "abcdefg")),
    ];
    let length = 5 + (2 + 4 + 7 + 3) + 7;
    let bounds = |history: usize| Bounds { history, ..Bounds::default() };
    for (bound, more, expected) in
        [(length, 0, false), (length, 1, true), (length + 3, 3, false), (length - 1, 0, true)]
    {
        assert_eq!(is_longer(&bounds(bound), &history, more), expected, "{bound} {more}");
    }
}

/// A body of an answer, read for a conversation.
fn answers(conversation: &Conversation, body: &Value) -> Value {
    let read = RespondBody::parse(body.to_string().as_bytes()).unwrap();
    told(read.read(&Bounds::default(), conversation, || "new".to_owned()).map(Some))
}

#[test]
fn an_answer_in_json_is_read_and_a_late_one_learns_of_the_first() {
    let outcome = r#"{"answers":{"Which database?":"SQLite"}}"#;
    let reply = |id: &str| json!({"reply": ["call-1", id, "card"], "outcome": outcome, "brought": null, "says": []});
    let body = |more: Value| {
        let mut body = json!({"answers": {"Which database?": "SQLite"}});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let call = |call: &str| body(json!({"toolCallId": call}));
    let foreign = json!(["foreign_reply", "another question is waiting: call-1"]);
    let first = json!(["already_answered", "the question has been answered already"]);
    let same = json!(["already_answered", "this answer has been delivered already"]);
    let not_waiting = json!(["not_waiting", "no question is waiting for an answer"]);
    let ended = format!("the question has ended already: {}", Outcome::Expired.tool_content(&database_ask()));
    let ended = json!(["already_answered", ended]);
    let own = json!({"answers": {"Which database?": "SQLite"}, "details": [{"index": 0, "selected": [{"index": 1, "label": "SQLite"}]}]});
    let wrong = json!({"answers": {"Which database?": "SQLite"}, "details": [{"index": 7}]});
    for (conversation, body, expected) in [
        (waiting(vec![]), body(json!({})), reply("new")),
        (waiting(vec![]), body(json!({"replyId": "r1", "toolCallId": "call-1"})), reply("r1")),
        (waiting(vec![]), own, reply("new")),
        (waiting(vec![]), call("call-9"), foreign),
        (waiting(vec![]), wrong, json!(["invalid_reply", "The answer does not fit the question."])),
        (answered(), body(json!({"replyId": "r1", "toolCallId": "call-1"})), same.clone()),
        (answered(), body(json!({"replyId": "r1"})), same),
        (answered(), body(json!({"replyId": "r2", "toolCallId": "call-1"})), first.clone()),
        (answered(), call("call-1"), first),
        (answered(), body(json!({})), not_waiting.clone()),
        (expired(), body(json!({})), ended.clone()),
        (expired(), call("call-1"), ended),
        (expired(), call("call-9"), not_waiting),
    ] {
        assert_eq!(answers(&conversation, &body), expected, "{body}");
    }
}

#[test]
fn a_context_keeps_only_what_is_not_as_usual() {
    let context = ToolContext { unattended: 2, ..ToolContext::default() };
    assert_eq!(json!(context)["unattended"], 2);
    assert_eq!(json!(ToolContext::default()).get("unattended"), None);
    let tools = ToolRegistry::new(Limits::RUNTIME, ToolContext::default());
    assert!(tools.has("ask_user_question") && !tools.has("read_file"));
    let ask = AskMetadata {
        tool_call_id: "c".into(),
        reply_id: "r".into(),
        outcome: OutcomeKind::Answered,
        by: AnsweredBy::Composer,
        replaces: None,
        via: None,
    };
    assert_eq!(json!(ask), mark("c", "r")["ask"]);
}
