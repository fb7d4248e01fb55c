//! Events of agents beyond the specification, and their handling.

use crate::chat::{
    ASK, Chat, FOREIGN, NOW, OTHER, all_asks, asked, call, call_of, chat, declines, event, finished, interrupted,
    legacy, messages, reloaded, reply, result, roles, said, speaks, started,
};
use ag_ui_stream::asks::reply::{Delivery, Refusal};
use ag_ui_stream::message::{Content, Message};
use ag_ui_stream::notice::Code;
use ag_ui_stream::outcome::Interrupt;
use ag_ui_stream::reader::EndOutcome;
use ag_ui_stream::thread::RunState;
use ag_ui_stream::{Conversation, EventReader};
use ask_user_question::reply::Selection;
use ask_user_question::{Outcome, Phase, Reply};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A run of these events.
fn run(id: &str, events: impl IntoIterator<Item = Value>) -> Vec<Value> {
    [started(id)].into_iter().chain(events).chain([finished(id)]).collect()
}

fn phases(conversation: &Conversation) -> Vec<(&str, Phase)> {
    conversation.asks().asks().map(|ask| (ask.tool_call_id.as_str(), ask.phase)).collect()
}

/// The messages of a request, as the agent reads them: roles, and the calls' ids with their arguments or results.
fn calls_sent(body: &str) -> Vec<(String, String)> {
    let body: Value = serde_json::from_str(body).unwrap();
    let mut calls = Vec::new();
    for message in body["messages"].as_array().unwrap() {
        for call in message["toolCalls"].as_array().into_iter().flatten() {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            calls.push((text(&call["id"]), text(&call["function"]["arguments"])));
        }
        if message["role"] == "tool" {
            calls.push((message["toolCallId"].as_str().unwrap().to_owned(), message["content"].to_string()));
        }
    }
    calls
}

/// Reads frames and returns how they end, and which warnings they bring.
fn read(frames: &str) -> (EndOutcome, Vec<Code>) {
    let mut reader = EventReader::new();
    reader.feed(frames.as_bytes());
    let mut codes = Vec::new();
    while reader.next_event().is_some() {}
    let end = reader.finish().end;
    while let Some(warning) = reader.next_warning() {
        codes.push(warning.code);
    }
    (end.outcome, codes)
}

fn frames(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

#[test]
fn a_text_that_comes_again_as_a_whole_is_shown_once() {
    let texts = |events: Vec<Value>| {
        let conversation = chat(events);
        let messages = conversation.thread().messages().iter();
        messages.map(|message| (message.id().to_owned(), message.text().into_owned())).collect::<Vec<_>>()
    };
    let good = |id: &str| (id.to_owned(), "Good.".to_owned());
    let twice = || speaks("m1").into_iter().chain(speaks("m2"));
    assert_eq!(texts(run("r1", twice())), [good("m1")]);
    assert_eq!(texts(run("r1", twice().chain(speaks("m3")))), [good("m1")]);
    // The call of the second message is a message of its own.
    let mut ask = call("c1", ASK);
    ask[0]["parentMessageId"] = "m2".into();
    let asked = chat(run("r1", twice().chain(ask)));
    assert_eq!(phases(&asked), [("c1", Phase::Answerable)]);
    assert_eq!(roles(asked.thread().messages()), ["assistant", "assistant"]);
    assert_eq!(phases(&reloaded(&asked)), phases(&asked));

    // Another run, another speaker, and what came between make it another text.
    let later = run("r1", speaks("m1")).into_iter().chain(run("r2", speaks("m2")));
    assert_eq!(texts(later.collect()), [good("m1"), good("m2")]);
    let mut other = speaks("m2");
    other[0]["subagentRunId"] = "s".into();
    assert_eq!(texts(run("r1", speaks("m1").into_iter().chain(other))), [good("m1"), good("m2")]);
    let between = call_of("f", "c1", "{}").into_iter().chain([result("c1", "")]);
    let behind = run("r1", speaks("m1").into_iter().chain(between).chain(speaks("m2")));
    assert_eq!(texts(behind).last(), Some(&good("m2")));
}

#[test]
fn a_call_id_that_comes_again_after_its_answer_is_another_call() {
    for again in [OTHER, ASK] {
        let answer = result("c1", r#"{"answers":{"Which service?":"Oil"}}"#);
        let mut live = chat(run("r1", call("c1", ASK).into_iter().chain([answer.clone()])));
        live.take(run("r2", call("c1", again)));
        assert_eq!(phases(&live), [("c1", Phase::Answered), ("c1#2", Phase::Answerable)], "{again}");
        let interrupt = json!([{"id": "i1", "reason": "tool_call", "toolCallId": "c1", "message": "Which service?"}]);
        let mut raised = chat(run("r1", call("c1", ASK).into_iter().chain([answer.clone()])));
        raised.take([started("r2")].into_iter().chain(call("c1", again)).chain([interrupted("r2", interrupt)]));
        assert_eq!(phases(&raised), phases(&live), "{again}");
        assert_eq!(live.thread().arguments("c1"), Some(ASK));
        assert_eq!(live.thread().arguments("c1#2"), Some(again));
        assert_eq!(live.thread().pending_tool_call_ids(), ["c1#2"]);
        // The agent reads its own ids, and the answer is that of its last call.
        let next = live.next(Delivery::UserMessage, [live.picks("c1#2", 0)]).unwrap();
        let sent = calls_sent(&next.body);
        let ids: Vec<&str> = sent.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["c1"; 4], "{}", next.body);
        assert!(sent[3].1.contains(if again == ASK { "Brakes" } else { "Monday" }), "{sent:?}");
        assert!(!next.body.contains("c1#2\",\"re"), "{}", next.body);
        live.start_response(&next);
        assert_eq!(live.phase("c1#2"), Phase::Answered);
        assert_eq!(phases(&reloaded(&live)), phases(&live));
    }
}

#[test]
fn no_call_gets_a_key_that_is_the_id_of_another() {
    let calls = [("c", ASK), ("c#2", ASK), ("c", OTHER)];
    let runs = calls.into_iter().flat_map(|(id, arguments)| {
        run("r", call(id, arguments).into_iter().chain([result(id, r#"{"answers":{"Which service?":"Oil"}}"#)]))
    });
    let live = chat(runs);
    let told = [("c", ASK), ("c#2", ASK), ("c#3", OTHER)];
    for conversation in [&live, &reloaded(&live), &Conversation::new(all_asks(), live.thread().messages().to_vec())] {
        let ids = conversation.asks().asks().map(|ask| ask.tool_call_id.as_str());
        let arguments = ids.map(|id| (id, conversation.thread().arguments(id).unwrap()));
        assert_eq!(arguments.collect::<Vec<_>>(), told);
    }
}

#[test]
fn a_call_id_that_comes_again_in_one_run_is_another_call() {
    let weather = call_of("get_weather", "c", r#"{"city":"Rome"}"#);
    let answered = weather.clone().into_iter().chain([result("c", "sunny")]);
    let first = chat(run("r1", answered.chain(call("c", ASK))));
    assert_eq!(phases(&first), [("c#2", Phase::Answerable)]);
    // Without a result in between it is another one as soon as it differs.
    let second = chat(run("r1", call("c", ASK).into_iter().chain(call("c", OTHER))));
    assert_eq!(phases(&second), [("c", Phase::Answerable), ("c#2", Phase::Answerable)]);
    assert_eq!(second.thread().arguments("c#2"), Some(OTHER));
    let third = chat(run("r1", weather.into_iter().chain(call("c", ASK))));
    assert_eq!(phases(&third), [("c#2", Phase::Answerable)]);
    for conversation in [&first, &second, &third] {
        assert_eq!(phases(&reloaded(conversation)), phases(conversation));
    }
}

#[cfg(feature = "legacy")]
#[test]
fn a_call_that_is_told_again_word_for_word_is_the_same() {
    let interrupt = interrupted("r1", json!([{"id": "i1", "reason": "tool_call", "toolCallId": "w1"}]));
    let spaced = ASK.replace(':', ": ").replace(',', ", ").replace("service", r"ser\u0076ice");
    for (again, cut) in [(ASK, 1), (ASK, 5), (ASK, ASK.len()), (&spaced, 9), (&spaced, 40), (&spaced, spaced.len())] {
        let mut conversation = chat([started("r1")].into_iter().chain(call("w1", ASK)).chain([interrupt.clone()]));
        let next = conversation.next(FOREIGN, [conversation.picks("w1", 1)]).unwrap();
        conversation.start_response(&next);
        let [start, mut args, end] = call("w1", ASK);
        let mut rest = args.clone();
        args["delta"] = again[..cut].into();
        rest["delta"] = again[cut..].into();
        let told = [start, args, rest, end, result("w1", r#"{"answers":{"Which service?":"Oil"}}"#)];
        conversation.take(run("r2", told.into_iter().chain(speaks("m"))));
        assert_eq!(phases(&conversation), [("w1", Phase::Answered)]);
        assert_eq!(conversation.thread().arguments("w1"), Some(ASK));
        let next = conversation.say(FOREIGN, said("Thanks")).unwrap();
        assert_eq!(calls_sent(&next.body).len(), 2, "{}", next.body);
    }
}

#[cfg(feature = "legacy")]
#[test]
fn one_question_under_two_ids_is_one_card() {
    let mut conversation = chat(run("r1", call("c1", ASK).into_iter().chain(call("c2", ASK))));
    assert_eq!(phases(&conversation), [("c1", Phase::Answerable)]);
    assert_eq!(phases(&reloaded(&conversation)), phases(&conversation));
    let next = conversation.next(Delivery::ToolResult, [conversation.picks("c1", 1)]).unwrap();
    let answered: Vec<(String, String)> =
        calls_sent(&next.body).into_iter().filter(|(_, it)| it.contains("Oil")).collect();
    let ids: Vec<&str> = answered.iter().filter(|(_, it)| it.contains("answers")).map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["c1", "c2"], "{}", next.body);
    conversation.start_response(&next);
    assert_eq!(conversation.thread().unanswered_tool_call_ids(), Vec::<String>::new());
    // A snapshot may know the call under another id.
    for arguments in [ASK, &ASK.replace(':', ": ")] {
        let told = json!({"role": "assistant", "id": "m", "toolCalls": [
            {"id": "other", "type": "function", "function": {"name": "ask_user_question", "arguments": arguments}}]});
        let told = json!({"type": "MESSAGES_SNAPSHOT", "messages": [told]});
        let conversation = chat(run("r1", call("c1", ASK).into_iter().chain([told])));
        assert_eq!(phases(&conversation), [("c1", Phase::Answerable)]);
    }
}

#[test]
fn once_the_agent_speaks_on_the_ask_is_over() {
    for (content, phase) in [
        ("The user picked oil.", Phase::Settled),
        ("", Phase::Answerable),
        ("Forwarded to client", Phase::Answerable),
        ("\"Forwarded to client\"\n", Phase::Answerable),
        ("null", Phase::Answerable),
        ("None", Phase::Answerable),
        (r#"{"status":"pending","message":"Shown"}"#, Phase::Answerable),
        (r#"{"status":"shown"}"#, Phase::Settled),
        ("Oil", Phase::Answered),
        ("Error: timed out after 60000 ms", Phase::Expired),
    ] {
        let asked = call("c1", ASK).into_iter().chain([result("c1", content)]);
        let silent = chat(run("r1", asked.clone()));
        assert_eq!(silent.phase("c1"), Phase::Answerable, "{content}");
        let mut later = silent;
        later.take(run("r2", speaks("m")));
        let at_once = chat(run("r1", asked.clone().chain(speaks("m"))));
        let by_call = chat(run("r1", asked.chain(call_of("book", "b", "{}"))));
        for conversation in [&later, &at_once, &by_call] {
            assert_eq!(conversation.phase("c1"), phase, "{content}");
            assert_eq!(phases(&reloaded(conversation)), phases(conversation), "{content}");
        }
        let shown = at_once.asks().ask("c1").unwrap().result.as_deref();
        assert_eq!(shown, (phase == Phase::Settled).then_some(content));
    }
    // The agent says itself that it waits.
    let mut end = finished("r1");
    end["outcome"] = json!({"type": "success", "pendingToolCallIds": ["c1"]});
    let mut unsure = chat(run("r1", call("c1", ASK)));
    unsure.push_message(Message::user("u", "Oil"));
    assert_eq!(unsure.phase("c1"), Phase::Answered);
    unsure.take([started("r2"), end.clone()]);
    assert_eq!(unsure.phase("c1"), Phase::Answerable);
    assert_eq!(phases(&reloaded(&unsure)), phases(&unsure));
    let told = call("c1", ASK).into_iter().chain([result("c1", "Shown to the user.")]).chain(speaks("m"));
    let waiting = chat([started("r1")].into_iter().chain(told).chain([end]));
    assert_eq!(waiting.phase("c1"), Phase::Answerable);
}

#[test]
fn an_interrupt_that_its_own_answer_raises_again_is_the_same_card() {
    let raw = json!({"langgraph": {"raw": {"questions": [{"question": "Which size?", "options": ["S", "M"]}]}}});
    let raised =
        |run: &str| interrupted(run, json!([{"id": "0ab1", "reason": "langgraph:interrupt", "metadata": raw}]));
    let mut conversation = chat([started("r1"), raised("r1"), started("r2"), raised("r2")]);
    assert_eq!(phases(&conversation), [("0ab1", Phase::Answerable)]);
    // A run later it is another one, whose receipt stays.
    conversation.take([started("r3"), finished("r3"), started("r4"), raised("r4")]);
    assert_eq!(conversation.asks().asks().len(), 2);
    assert_eq!(conversation.phase("0ab1"), Phase::Answered);
}

/// An interrupt of the middleware of `LangChain` that waits for decisions about these calls.
fn review(requests: &[(&str, Value, &[&str])]) -> Value {
    let mut actions = Vec::new();
    let mut configs = Vec::new();
    for (name, args, allowed) in requests {
        actions.push(json!({"name": name, "args": args, "description": "Tool execution requires approval"}));
        configs.push(json!({"action_name": name, "allowed_decisions": allowed}));
    }
    json!({"action_requests": actions, "review_configs": configs})
}

#[cfg(feature = "legacy")]
#[test]
fn decisions_go_back_in_the_order_of_the_requests() {
    let args = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let requests = [
        ("ask_user_question", args(OTHER), &["respond"][..]),
        ("delete_file", json!({"path": "a"}), &["approve", "reject"][..]),
        ("ask_user_question", args(ASK), &["respond", "reject"][..]),
    ];
    let raw = review(&requests);
    let calls =
        call("c1", ASK).into_iter().chain(call("c2", OTHER)).chain(call_of("delete_file", "c3", r#"{"path":"a"}"#));
    let interrupt = json!([{"id": "9f31", "reason": "langgraph:interrupt", "metadata": {"langgraph": {"raw": raw}}}]);
    let events: Vec<Value> = [started("r1")].into_iter().chain(calls).collect();
    let standard = chat(events.iter().cloned().chain([legacy(&raw), interrupted("r1", interrupt)]));
    let old = chat(events.iter().cloned().chain([legacy(&json!(raw.to_string())), finished("r1")]));
    for conversation in [&standard, &old] {
        let waiting = conversation.waiting();
        assert_eq!(waiting[..2], ["c1", "c2"], "{waiting:?}");
        assert_eq!(waiting.len(), 3);
        let some = [conversation.picks("c1", 1), conversation.picks("c2", 0)];
        let refused = conversation.next(FOREIGN, some.clone()).unwrap_err();
        assert_eq!(refused, Refusal::QuestionsWait { tool_call_ids: vec![waiting[2].clone()] });
        let all = some.into_iter().chain([conversation.picks(&waiting[2], 1)]);
        let next = conversation.next(FOREIGN, all).unwrap();
        let input: Value = serde_json::from_str(&next.body).unwrap();
        let payload = match input.get("resume") {
            Some(resume) => &resume[0]["payload"],
            None => &input["forwardedProps"]["command"]["resume"],
        };
        assert_eq!(
            *payload,
            json!({"decisions": [
                {"type": "respond", "message": r#"{"answers":{"Which day?":"Monday"}}"#},
                {"type": "reject"},
                {"type": "respond", "message": r#"{"answers":{"Which service?":"Oil"}}"#},
            ]})
        );
        assert_eq!(next.messages.len(), 0, "the calls are answered by the decisions");
        let mut live = chat(events.clone());
        live.take([interrupted(
            "r1",
            json!([{"id": "9f31", "reason": "langgraph:interrupt", "metadata": {"langgraph": {"raw": raw}}}]),
        )]);
        if input.get("resume").is_some() {
            live.start_response(&next);
            assert_eq!([live.phase("c1"), live.phase("c2"), live.phase(&waiting[2])], [Phase::Answered; 3]);
            assert_eq!(live.reply_of("c1").message(), "Oil");
        }
    }
    // An ask that can't be rejected is declined in words.
    let declined = standard.waiting().into_iter().map(|id| declines(&id));
    let next = standard.next(FOREIGN, declined).unwrap();
    let input: Value = serde_json::from_str(&next.body).unwrap();
    let kinds: Vec<&Value> =
        input["resume"][0]["payload"]["decisions"].as_array().unwrap().iter().map(|it| &it["type"]).collect();
    assert_eq!(kinds, ["respond", "reject", "reject"]);
    // A decision is a text, in which no model reads the bytes of a file.
    let mut file = ask_user_question::attachment::Attachment::default();
    (file.url, file.name, file.media_type) = ("data:,abc".into(), "a.txt".into(), "text/plain".into());
    let replies = standard.waiting().into_iter().zip([1, 0, 1]).map(|(id, option)| {
        let ask = standard.asks().ask(&id).unwrap().ask.clone().unwrap();
        let picked = Selection::picked(0, [option]);
        let picked = if id == "c1" { picked.with_attachments([file.clone()]) } else { picked };
        reply(&id, Outcome::Answered(Reply::of(&ask, vec![picked]).unwrap()))
    });
    let next = standard.next(FOREIGN, replies).unwrap();
    assert!(next.body.contains("a.txt") && !next.body.contains("data:,abc"), "{}", next.body);
}

#[cfg(feature = "legacy")]
#[test]
fn an_expired_interrupt_gets_no_decisions_and_is_cancelled_once() {
    let delete = |path: &str| ("delete_file", json!({"path": path}), &["approve", "reject"][..]);
    let metadata = json!({"langgraph": {"raw": review(&[delete("a"), delete("b")])}});
    let expired = json!([{"id": "9f31", "reason": "langgraph:interrupt", "expiresAt": "2026-11-20T11:00:00Z", "metadata": metadata}]);
    let conversation = chat([started("r1"), interrupted("r1", expired)]);
    let asks: Vec<String> = conversation.asks().asks().map(|ask| ask.tool_call_id.clone()).collect();
    assert_eq!(asks.len(), 2);
    for declined in [&asks[..], &asks[1..]] {
        let next = conversation.next(FOREIGN, declined.iter().map(|id| declines(id))).unwrap();
        let resume = serde_json::to_value(next.input().resume).unwrap();
        assert_eq!(resume.as_array().unwrap().len(), 1, "{resume}");
        assert_eq!((&resume[0]["status"], resume[0].get("payload")), (&json!("cancelled"), None), "{resume}");
    }
}

#[cfg(feature = "legacy")]
#[test]
fn a_call_is_approved_with_changes() {
    let args = json!({"path": "a/b.txt", "perms": 420, "tags": ["x"], "text": "one\ntwo\n"});
    let raw = review(&[("write_file", args.clone(), &["approve", "edit", "reject"][..])]);
    let interrupt = json!([{"id": "9f31", "reason": "langgraph:interrupt", "metadata": {"langgraph": {"raw": raw}}}]);
    let waiting = || chat([started("r1"), interrupted("r1", interrupt.clone())]);
    let ask = waiting().asks().ask("9f31").unwrap().ask.clone().unwrap();
    let shown: Vec<_> = ask.questions[1..]
        .iter()
        .map(|asked| (asked.question.as_str(), asked.input.as_ref().and_then(|input| input.default.as_deref())))
        .collect();
    let expected = [("path", "a/b.txt"), ("perms", "420"), ("tags", r#"["x"]"#), ("text", "one\ntwo\n")];
    assert_eq!(shown, expected.map(|(name, text)| (name, Some(text))));
    let typed = |question: usize, text: &str| Selection::typed(question, text);
    let pick = |option: usize| Selection::picked(0, [option]);
    let fields = |path: &str, tags: &str| vec![typed(1, path), typed(2, "420"), typed(3, tags), typed(4, "one\ntwo")];
    let with = |decision: Selection, fields: Vec<Selection>| [vec![decision], fields].concat();
    let mut edited = args.clone();
    (edited["path"], edited["tags"]) = (json!("c.txt"), json!([]));
    for (selections, decision) in [
        (vec![pick(0)], json!({"type": "approve"})),
        // What a field has from the start is no change.
        (with(pick(1), fields("a/b.txt", r#"[ "x" ]"#)), json!({"type": "approve"})),
        (
            with(pick(1), fields("c.txt", "[]")),
            json!({"type": "edit", "edited_action": {"name": "write_file", "args": edited}}),
        ),
        (vec![pick(2)], json!({"type": "reject"})),
        (vec![typed(0, "Not there")], json!({"type": "reject", "message": "Not there"})),
    ] {
        let mut conversation = waiting();
        let outcome = Outcome::Answered(Reply::of(&ask, selections).expect("it is an answer"));
        let next = conversation.next(FOREIGN, [reply("9f31", outcome.clone())]).unwrap();
        let resume = serde_json::to_value(&next.input().resume).unwrap();
        assert_eq!(resume[0]["payload"], json!({"decisions": [decision]}));
        // Another client of the conversation reads it.
        conversation.start_response(&next);
        let read = conversation.asks().ask("9f31").unwrap().outcome.clone();
        if decision["type"] == "reject" {
            assert_eq!(read, Some(outcome), "{decision}");
        } else {
            assert!(matches!(read, Some(Outcome::Answered(_))), "{decision}");
        }
    }
    // No argument breaks its kind.
    assert!(Reply::of(&ask, with(pick(1), fields("c.txt", "[,]"))).is_none());
}

#[cfg(feature = "legacy")]
#[test]
fn an_item_of_agent_inbox_is_answered_in_its_own_words() {
    let item = |action: &str, args: &Value, allowed: &[&str], description: &str| {
        let allows = ["accept", "edit", "respond", "ignore"];
        let config: serde_json::Map<String, Value> =
            allows.iter().map(|it| (format!("allow_{it}"), allowed.contains(it).into())).collect();
        json!({"action_request": {"action": action, "args": args}, "config": config, "description": description})
    };
    let waiting = |raw: &Value| {
        let interrupt = json!([{"id": "9f", "reason": "langgraph:interrupt", "metadata": {"langgraph": {"raw": raw}}}]);
        chat([started("r"), interrupted("r", interrupt)])
    };
    let args = json!({"path": "a.txt"});
    let request = json!({"action": "delete", "args": args});
    let edited = json!({"action": "delete", "args": {"path": "b.txt"}});
    let questions: Value = serde_json::from_str(ASK).unwrap();
    let all = item("delete", &args, &["accept", "edit", "respond", "ignore"], "Delete it?");
    let decide = item("delete", &args, &["accept", "ignore"], "Delete it?");
    let advise = item("delete", &args, &["accept", "respond"], "Delete it?");
    let words = item("delete", &args, &["respond"], "What next?");
    let ask = item("ask_user_question", &questions, &["respond", "ignore"], "");
    let (pick, typed) = (|option: usize| Selection::picked(0, [option]), |text: &str| Selection::typed(0, text));
    let path = |text: &str| Selection::typed(1, text);
    for (item, asked, selections, response) in [
        (&all, "Delete it?", vec![pick(0)], json!({"type": "accept", "args": request})),
        (&all, "Delete it?", vec![pick(1), path("b.txt")], json!({"type": "edit", "args": edited})),
        (&all, "Delete it?", vec![typed("Keep it")], json!({"type": "response", "args": "Keep it"})),
        (&decide, "Delete it?", vec![pick(0)], json!({"type": "accept", "args": request})),
        (&decide, "Delete it?", vec![pick(1)], json!({"type": "ignore", "args": null})),
        (&advise, "Delete it?", vec![pick(1)], json!({"type": "response", "args": "The user rejected this call."})),
        (&words, "What next?", vec![typed("Wait")], json!({"type": "response", "args": "Wait"})),
        (
            &ask,
            "Which service?",
            vec![pick(1)],
            json!({"type": "response", "args": r#"{"answers":{"Which service?":"Oil"}}"#}),
        ),
    ] {
        // A list, a single item, and the list as text in a legacy event.
        let text = legacy(&json!(json!([item]).to_string()));
        for mut conversation in [waiting(&json!([item])), waiting(item), chat([started("r"), text, finished("r")])] {
            let id = conversation.only_waiting();
            let shown = conversation.asks().ask(&id).unwrap().ask.clone().unwrap();
            assert_eq!(shown.questions[0].question, asked);
            let outcome = Outcome::Answered(Reply::of(&shown, selections.clone()).expect("it is an answer"));
            let next = conversation.next(FOREIGN, [reply(&id, outcome)]).unwrap();
            let input: Value = serde_json::from_str(&next.body).unwrap();
            let sent = input.pointer("/resume/0/payload").or(input.pointer("/forwardedProps/command/resume"));
            assert_eq!(sent, Some(&json!([response])));
            conversation.start_response(&next);
            // What is ignored may have been refused or cancelled.
            let phase = if response["type"] == "ignore" { Phase::Declined } else { Phase::Answered };
            assert_eq!(conversation.phase(&id), phase, "{response}");
        }
    }
    let declined = waiting(&json!([decide]));
    let next = declined.next(FOREIGN, [declines("9f")]).unwrap();
    assert_eq!(serde_json::to_value(next.input().resume).unwrap()[0]["payload"][0]["type"], "ignore");
}

#[test]
fn an_answer_that_is_no_object_is_asked_and_given_as_what_it_is() {
    let schema = json!({"type": "string", "enum": ["basic", "pro"]});
    let interrupt = json!([{"id": "i", "reason": "confirmation", "message": "So?", "responseSchema": schema}]);
    let mut conversation = chat([started("r"), interrupted("r", interrupt)]);
    let next = conversation.next(FOREIGN, [conversation.picks("i", 1)]).unwrap();
    assert_eq!(serde_json::to_value(&next.input().resume).unwrap()[0]["payload"], json!("pro"));
    conversation.start_response(&next);
    assert_eq!(conversation.reply_of("i").message(), "pro");
}

#[test]
fn a_form_keeps_its_order_and_its_message() {
    let schema = r#"{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"},"age":{"type":"integer"}}}"#;
    let end = format!(
        r#"{{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{{"type":"interrupt","interrupts":[{{"id":"i","reason":"x","message":"Where shall we ship it?","responseSchema":{schema}}}]}}}}"#
    );
    let mut conversation = chat([started("r")]);
    conversation.feed_json(&end);
    conversation.changes();
    let asked: Vec<String> =
        conversation.asks().ask("i").unwrap().questions.iter().map(|it| it.question.text.clone()).collect();
    assert_eq!(asked, ["Where shall we ship it?\nstreet", "city", "age"]);
}

#[test]
fn nothing_that_is_no_yes_lets_a_foreign_call_be_made() {
    let interrupt = json!([{"id": "i", "reason": "tool_call", "toolCallId": "d", "message": "Delete /?"}]);
    let events = [started("r")].into_iter().chain(call_of("delete", "d", "{}")).chain([interrupted("r", interrupt)]);
    let conversation = chat(events);
    assert!(matches!(conversation.next(FOREIGN, [conversation.types("i", "no")]), Err(Refusal::Payload { .. })));
    let next = conversation.next(FOREIGN, [conversation.picks("i", 1)]).unwrap();
    assert_eq!(serde_json::to_value(&next.input().resume).unwrap()[0]["payload"], json!({"approved": false}));
}

#[test]
fn messages_of_two_kinds_under_one_id_are_two() {
    let reasons = [
        json!({"type": "REASONING_MESSAGE_START", "messageId": "m1", "role": "reasoning"}),
        json!({"type": "REASONING_MESSAGE_CONTENT", "messageId": "m1", "delta": "Hm."}),
        json!({"type": "REASONING_MESSAGE_END", "messageId": "m1"}),
    ];
    let texts = |events: Vec<Value>| -> Vec<(&'static str, String)> {
        let conversation = chat(run("r", events));
        let messages = conversation.thread().messages().iter();
        messages.map(|message| (message.role(), message.text().into_owned())).collect()
    };
    let activity = json!({"type": "ACTIVITY_SNAPSHOT", "messageId": "m1", "activityType": "a", "content": {}});
    let shown = [("activity", String::new()), ("assistant", "Good.".to_owned())];
    assert_eq!(texts([activity].into_iter().chain(speaks("m1")).collect()), shown);
    let both = [("reasoning", "Hm.".to_owned()), ("assistant", "Good.".to_owned())];
    assert_eq!(texts(reasons.iter().cloned().chain(speaks("m1")).collect()), both);
    let [one, other] = &both;
    assert_eq!(texts(speaks("m1").into_iter().chain(reasons).collect()), [other.clone(), one.clone()]);
    let mut conversation =
        Conversation::new(all_asks(), messages(json!([{"role": "user", "id": "m1", "content": "Hi"}])));
    conversation.take(run("r", speaks("m1")));
    let said: Vec<&Content> = conversation.thread().messages().iter().map(Message::content).collect();
    assert_eq!(said, [&Content::Text("Hi".to_owned()), &Content::Text("Good.".to_owned())]);
}

#[test]
fn runs_outlive_what_harms_nobody() {
    let asked: Vec<Value> = [started("r")].into_iter().chain(call("c", ASK)).collect();
    let plain = frames(&asked);
    let end = frames(&[finished("r")]);
    for (between, behind, codes) in [
        ("event: keepalive\ndata: {}\n\n", "", vec![Code::SkippedFrame]),
        ("event: ping\ndata: {\"at\": 1}\n\n", "", vec![Code::SkippedFrame]),
        ("event: ping\ndata: pong\n\n", "", vec![Code::SkippedFrame]),
        ("data: ping\n\ndata: keep-alive\n\n", "", vec![Code::SkippedFrame; 2]),
        ("event: heartbeat\ndata: {\"type\": \"heartbeat\"}\n\n", "", vec![Code::UnknownEvent]),
        ("data:\n\ndata: null\n\ndata:  {} \n\n", "", vec![Code::SkippedFrame; 3]),
        ("data: \"\"\n\ndata: { }\n\ndata: \"[DONE]\"\n\n", "", vec![Code::SkippedFrame; 3]),
        ("data: {\"ping\": 1764}\n\ndata: {\"status\":\"alive\"}\n\n", "", vec![Code::SkippedFrame; 2]),
        ("data: [HEARTBEAT]\n\ndata: : keepalive\n\ndata: DONE\n\n", "", vec![Code::SkippedFrame; 3]),
        ("data: {\"type\":null}\n\ndata: {\"type\":null,\"delta\":\"a\"}\n\n", "", vec![Code::UnknownEvent; 2]),
        ("", "data: [DONE]\n\n", vec![Code::SkippedFrame]),
        (": a comment\n\n", "", vec![]),
    ] {
        let (outcome, warnings) = read(&(plain.clone() + between + &end + behind));
        assert_eq!((outcome, warnings), (EndOutcome::Completed, codes), "{between}{behind}");
    }
    let (outcome, warnings) = read(&(plain.clone() + &frames(&[finished("another")])));
    assert_eq!((outcome, warnings), (EndOutcome::Completed, vec![Code::OtherId]));
    let failed = frames(&[json!({"type": "RUN_ERROR", "message": "overloaded"}), finished("r")]);
    assert_eq!(read(&(plain.clone() + &failed)), (EndOutcome::Error, vec![Code::AfterError]));
    for broken in ["hello", "{\"type\": \"RUN_FINISHED\"}", "{\"type\": \"TEXT_MESSAGE_CHUNK\", \"delta\": \"a\"}"] {
        let failed = frames(&[json!({"type": "RUN_ERROR", "message": "overloaded", "code": null})]);
        let behind = format!("data: {broken}\n\n");
        assert_eq!(read(&(plain.clone() + &failed + &behind)), (EndOutcome::Error, vec![Code::AfterError]), "{broken}");
    }
    let text = speaks("m");
    let thought = [
        json!({"type": "REASONING_MESSAGE_START", "messageId": "r", "role": "reasoning"}),
        json!({"type": "REASONING_MESSAGE_CONTENT", "messageId": "r", "delta": "Hm."}),
        json!({"type": "REASONING_MESSAGE_END", "messageId": "r"}),
    ];
    let span =
        [json!({"type": "REASONING_START", "messageId": "s"}), json!({"type": "REASONING_END", "messageId": "s"})];
    let before = plain.clone() + &frames(&text) + &frames(&thought) + &frames(&span);
    for (late, code) in [
        (json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "}"}), Code::LateArguments),
        (json!({"type": "TOOL_CALL_END", "toolCallId": "c"}), Code::LateArguments),
        (text[1].clone(), Code::LateText),
        (text[2].clone(), Code::LateText),
        (thought[1].clone(), Code::LateText),
        (thought[2].clone(), Code::LateText),
        (span[1].clone(), Code::LateText),
        (started("r"), Code::RepeatedRun),
    ] {
        let late = frames(&[late]);
        assert_eq!(read(&(before.clone() + &late + &end)), (EndOutcome::Completed, vec![code]), "{late}");
    }
    let behind = text.iter().chain(&text[1..]).cloned();
    assert_eq!(chat(run("r", behind)).thread().messages()[0].text(), "Good.Good.");
    for stray in [text[1].clone(), text[2].clone(), started("another")] {
        assert_eq!(read(&(plain.clone() + &frames(&[stray]) + &end)).0, EndOutcome::Rejected);
    }
    // Other data than a heartbeat is still refused.
    for wrong in
        ["7", "{\"at\": 1}", "{\"type\": 1}", "hello", "no ping", "{\"error\": \"null pointer\"}", "{\"error\": null}"]
    {
        let wrong = format!("data: {wrong}\n\n");
        assert_eq!(read(&(plain.clone() + &wrong + &end)).0, EndOutcome::Rejected, "{wrong}");
    }
}

#[test]
fn an_interrupt_ends_the_calls_that_are_open() {
    let [start, args, _] = call("c", ASK);
    let end = interrupted("r", json!([{"id": "i", "reason": "tool_call", "toolCallId": "c"}]));
    let open = [started("r"), start.clone(), args.clone()];
    let events: Vec<Value> = open.iter().cloned().chain([end]).collect();
    assert_eq!(read(&frames(&events)), (EndOutcome::Interrupt, vec![Code::UnendedCall]));
    let mut conversation = crate::chat::unread();
    conversation.feed(frames(&events).as_bytes());
    while conversation.next_update(0).is_some() {}
    assert_eq!(conversation.phase("c"), Phase::Answerable);
    let success: Vec<Value> = open.into_iter().chain([finished("r")]).collect();
    assert_eq!(read(&frames(&success)).0, EndOutcome::Rejected);
}

#[cfg(feature = "legacy")]
#[test]
fn arguments_in_other_pieces_are_put_together() {
    let half = &ASK[..30];
    for pieces in [
        vec!["{}", ASK],
        vec!["{}", half, &ASK[30..]],
        vec![half, &ASK[..60], ASK],
        vec![half, &ASK[30..], ASK],
        vec![ASK, "}"],
    ] {
        let [start, args, end] = call("c", "");
        let pieces = pieces.into_iter().map(|piece| {
            let mut args = args.clone();
            args["delta"] = piece.into();
            args
        });
        let events: Vec<Value> = run("r", [start].into_iter().chain(pieces).chain([end]));
        let conversation = chat(events);
        assert_eq!((conversation.phase("c"), conversation.thread().arguments("c")), (Phase::Answerable, Some(ASK)));
        assert_eq!(conversation.asks().ask("c").unwrap().questions[0].question.text, "Which service?");
    }
}

#[cfg(feature = "legacy")]
#[test]
fn chunks_of_a_call_that_has_ended_go_on_or_are_late() {
    let chunk = |delta: &str| json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "ask_user_question", "delta": delta});
    let between = json!({"type": "STATE_SNAPSHOT", "snapshot": {}});
    let (half, rest) = ASK.split_at(40);
    for events in [
        vec![chunk(half), between.clone(), chunk(rest)],
        vec![chunk(half), between.clone(), chunk(half), chunk(rest)],
        vec![chunk(half), between.clone(), chunk(ASK)],
        vec![chunk(ASK), between.clone(), chunk("}")],
        vec![chunk(ASK), between.clone(), chunk(ASK), chunk("}")],
    ] {
        let conversation = chat(run("r", events));
        assert_eq!(phases(&conversation), [("c", Phase::Answerable)]);
        assert_eq!(conversation.thread().arguments("c"), Some(ASK));
        assert_eq!(phases(&reloaded(&conversation)), phases(&conversation));
    }
}

#[test]
fn a_snapshot_with_the_arguments_of_a_call_makes_no_ask_unreadable() {
    let [start, args, end] = call("c", ASK);
    let piece = |text: &str| json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": text});
    let told = |arguments: &str| {
        let call =
            json!({"id": "c", "type": "function", "function": {"name": "ask_user_question", "arguments": arguments}});
        json!({"type": "MESSAGES_SNAPSHOT", "messages": [{"role": "assistant", "id": "c", "toolCalls": [call]}]})
    };
    let (half, rest) = ASK.split_at(40);
    for events in [
        // The adapter of `LangGraph` has the arguments of Gemini's models in its snapshot alone.
        vec![start.clone(), end.clone(), told(ASK)],
        vec![start.clone(), piece(half), told(ASK), piece(rest), end.clone()],
        vec![start.clone(), piece(half), told(ASK), end.clone()],
        vec![start.clone(), piece(half), told("{}"), piece(rest), end.clone()],
        vec![start, told(ASK), args, end],
    ] {
        let mut conversation = chat(run("r1", events));
        assert_eq!(phases(&conversation), [("c", Phase::Answerable)]);
        assert_eq!(conversation.thread().arguments("c"), Some(ASK));
        assert_eq!(phases(&reloaded(&conversation)), phases(&conversation));
        let next = conversation.next(FOREIGN, [conversation.picks("c", 1)]).unwrap();
        conversation.start_response(&next);
        assert_eq!(conversation.reply_of("c").message(), "Oil");
    }
}

#[test]
fn a_call_that_broke_off_is_asked_once_it_is_whole() {
    let [start, _, end] = call("c", "");
    let half = json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": &ASK[..40]});
    let failed = json!({"type": "RUN_ERROR", "message": "m"});
    let call_json = json!({"id": "c", "type": "function", "function": {"name": "ask_user_question", "arguments": ASK}});
    let told =
        json!({"type": "MESSAGES_SNAPSHOT", "messages": [{"role": "assistant", "id": "c", "toolCalls": [call_json]}]});
    let mut by_snapshot = chat([started("r1"), start.clone(), half.clone(), failed.clone()]);
    assert_eq!(by_snapshot.phase("c"), Phase::Interrupted);
    by_snapshot.take(run("r2", [told]));
    let mut by_stream = chat([started("r1"), start.clone(), half, failed]);
    let whole = json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": ASK});
    by_stream.take(run("r2", [start, whole, end]));
    for conversation in [&by_snapshot, &by_stream] {
        assert_eq!(phases(conversation), [("c", Phase::Answerable)]);
        assert!(
            calls_sent(&conversation.next(FOREIGN, [conversation.picks("c", 0)]).unwrap().body)[0].1.contains("Oil")
        );
    }
}

#[test]
fn a_call_under_the_id_of_an_interrupt_that_is_over_is_asked() {
    let interrupt = interrupted("r1", json!([{"id": "x1", "reason": "input_required", "message": "Name?"}]));
    let mut conversation = chat([started("r1"), interrupt]);
    conversation.take(run("r2", call("x1", ASK)));
    assert_eq!(conversation.phase("x1"), Phase::Answerable);
    assert_eq!(conversation.asks().ask("x1").unwrap().questions[0].question.text, "Which service?");
}

#[test]
fn the_kind_of_an_encrypted_value_goes_back_with_it() {
    let value = |id: &str, kind: &str| json!({"type": "REASONING_ENCRYPTED_VALUE", "subtype": kind, "entityId": id, "encryptedValue": "x", "encryptedValueType": "redacted_thinking"});
    let told = [value("m", "message"), value("c", "tool-call")];
    let conversation = chat(run("r", speaks("m").into_iter().chain(call_of("f", "c", "{}")).chain(told)));
    let text = serde_json::to_string(conversation.thread().messages()).unwrap();
    assert_eq!(text.matches(r#""encryptedValue":"x","encryptedValueType":"redacted_thinking""#).count(), 2, "{text}");
    let read: Vec<Message> = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
    assert_eq!(event(value("m", "message")).text("encryptedValueType"), "redacted_thinking");
}

#[test]
fn a_new_response_begins_with_nothing_of_the_last() {
    let mut conversation = chat([]);
    let next = conversation.say(FOREIGN, said("Hi")).unwrap();
    conversation.start_response(&next);
    conversation.feed(frames(&[started("r1"), finished("r1")]).as_bytes());
    conversation.finish();
    conversation.start_response(&next);
    let text = frames(&[started("r2"), finished("r2")]);
    let (head, tail) = text.split_at(20);
    conversation.feed(head.as_bytes());
    while conversation.next_update(0).is_some() {}
    conversation.feed(tail.as_bytes());
    while let Some(update) = conversation.next_update(0) {
        assert!(!matches!(update, ag_ui_stream::conversation::Update::Refused(_)), "{update:?}");
    }
    assert_eq!(conversation.end(), EndOutcome::Completed);
}

#[test]
fn a_response_that_is_finished_twice_ends_once() {
    let mut conversation = chat([started("r"), finished("r")]);
    assert_eq!(conversation.end(), EndOutcome::Completed);
    conversation.finish();
    assert_eq!(conversation.next_update(NOW), None);
    assert_eq!(conversation.thread().run(), &RunState::Ended { outcome: EndOutcome::Completed });
}

#[test]
fn interrupts_that_the_host_opens_one_by_one_are_all_answered() {
    let asks = call("c1", ASK).into_iter().chain(call("c2", OTHER));
    let mut conversation = chat([started("r")].into_iter().chain(asks).chain([finished("r")]));
    for id in ["c1", "c2"] {
        let mut interrupt = Interrupt::new(id, "tool_call");
        interrupt.tool_call_id = Some(id.to_owned());
        conversation.interrupt(interrupt);
    }
    let replies = [conversation.picks("c1", 0), conversation.picks("c2", 0)];
    let next = conversation.next(Delivery::Resume, replies).unwrap();
    assert_eq!(next.input().resume.unwrap_or_default().len(), 2);
}

#[test]
fn a_call_has_one_result_however_often_it_is_answered_in_a_turn() {
    let conversation = asked(ASK, [finished("r1")]);
    let replies = [conversation.picks("c1", 0), conversation.picks("c1", 1)];
    let refused = conversation.next(Delivery::ToolResult, replies).unwrap_err();
    assert!(matches!(refused, Refusal::NotAnswerable { .. }), "{refused:?}");
}

#[test]
fn a_call_without_arguments_that_comes_again_after_its_answer_is_another_call() {
    let bare = |run: &str| {
        let [start, _, end] = call_of("get_page", "call_0", "");
        [started(run), start, end, finished(run)]
    };
    let mut conversation = chat(bare("r1"));
    conversation.push_message(Message::tool("t", "call_0", "The page"));
    conversation.take(bare("r2"));
    assert_eq!(conversation.thread().pending_tool_call_ids(), ["call_0#2"]);
    assert_eq!(conversation.thread().unanswered_tool_call_ids(), ["call_0#2"]);
}
