//! The way back: what the next run's input holds, and when it is refused.

use crate::chat::{
    ASK, Chat, FOREIGN, OTHER, about_the_call, all_asks, asked, call, call_of, chat, declines, finished, interrupted,
    legacy, reloaded, reply, request, result, roles, said, say_with, speaks, started,
};
use ag_ui_stream::asks::reply::{AskReply, AskedBy, Delivery, NextRun, Origin, Refusal, RunDefaults, UserTurn};
use ag_ui_stream::input::Tool;
use ag_ui_stream::{Conversation, Message};
use ask_user_question::attachment::Attachment;
use ask_user_question::outcome::{ASKED_TEXT, WITHDRAWN_TEXT};
use ask_user_question::reply::Selection;
use ask_user_question::{Outcome, Phase, Reply};
use json_tree::Json;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// The messages that an input adds to the call's.
fn added(next: &NextRun) -> Value {
    let input = serde_json::to_value(next.input()).unwrap();
    let messages = input["messages"].as_array().unwrap();
    Value::Array(messages[messages.len() - next.messages.len()..].to_vec())
}

fn about(outcome: &str) -> Value {
    json!({"ask": {"toolCallId": "c1", "replyId": "x1", "outcome": outcome, "by": "card"}})
}

#[test]
fn a_user_message_comes_with_the_reply() {
    let mut conversation = asked(ASK, [finished("r1")]);
    let next = conversation.next(Delivery::UserMessage, [conversation.picks("c1", 1)]).unwrap();
    assert_eq!(
        added(&next),
        json!([
            {"role": "tool", "id": "id2", "toolCallId": "c1", "content": "{\"answers\":{\"Which service?\":\"Oil\"}}", "metadata": about("answered")},
            {"role": "user", "id": "id3", "content": "Oil", "metadata": about("answered")},
        ])
    );
    let input = serde_json::to_value(next.input()).unwrap();
    assert_eq!(
        (&input["threadId"], &input["runId"], &input["protocolVersion"]),
        (&json!("t"), &json!("id1"), &json!("1.0"))
    );
    assert_eq!(
        (&input["state"], &input["tools"], &input["context"], &input["forwardedProps"]),
        (&json!({}), &json!([]), &json!([]), &json!({}))
    );
    assert!(input.get("resume").is_none());
    conversation.start_response(&next);
    assert_eq!(conversation.phase("c1"), Phase::Answered);
    assert_eq!(conversation.thread().pending_tool_call_ids(), Vec::<String>::new());
    assert_eq!(conversation.thread().messages().len(), 3);
}

#[test]
fn a_tool_result_comes_alone() {
    let conversation = asked(ASK, [finished("r1")]);
    let next = conversation.next(Delivery::ToolResult, [conversation.picks("c1", 0)]).unwrap();
    assert_eq!(roles(&next.messages), ["tool"]);
    let declined = conversation.next(Delivery::UserMessage, [declines("c1")]).unwrap();
    assert_eq!(
        added(&declined),
        json!([{"role": "tool", "id": "id2", "toolCallId": "c1", "content": "User cancelled the question. This is no answer and no consent.", "metadata": about("declined")}])
    );
}

fn file(name: &str, media_type: &str, url: &str) -> Attachment {
    Attachment { url: url.into(), name: name.into(), media_type: media_type.into(), size: 3 }
}

fn attached() -> AskReply {
    let files = vec![
        file("cat.png", "image/png", "https://example.org/1"),
        file("a.pdf", "application/pdf", "data:application/pdf;base64,QUJD"),
    ];
    let selection = Selection::typed(0, "Like these").with_attachments(files);
    reply(
        "c1",
        Outcome::Answered(
            Reply::check(asked(ASK, []).asks().ask("c1").unwrap().ask.as_ref().unwrap(), vec![selection]).unwrap(),
        ),
    )
}

#[test]
fn files_of_an_answer_are_parts_of_a_user_message_and_named_in_the_result() {
    for delivery in [Delivery::ToolResult, Delivery::UserMessage] {
        let mut conversation = asked(ASK, [finished("r1")]);
        let next = conversation.next(delivery, [attached()]).unwrap();
        let added = added(&next);
        let content = Json::parse(added[0]["content"].as_str().unwrap()).unwrap().into_static();
        assert_eq!(
            *content.get("details").unwrap().as_list().unwrap()[0].get("attachments").unwrap(),
            json!([
                {"url": "https://example.org/1", "name": "cat.png", "type": "image/png", "size": 3},
                {"name": "a.pdf", "type": "application/pdf", "size": 3},
            ])
        );
        assert_eq!(
            added[1]["content"],
            json!([
                {"type": "text", "text": "Like these (2 files: cat.png, a.pdf)"},
                {"type": "image", "source": {"type": "url", "value": "https://example.org/1", "mimeType": "image/png"},
                    "metadata": {"name": "cat.png", "size": 3, "question": 0}},
                {"type": "document", "source": {"type": "data", "value": "QUJD", "mimeType": "application/pdf"},
                    "metadata": {"name": "a.pdf", "size": 3, "question": 0}},
            ])
        );
        conversation.start_response(&next);
        let names: Vec<&str> = conversation.reply_of("c1").attachments().map(|(_, file)| &*file.name).collect();
        assert_eq!(names, ["cat.png", "a.pdf"]);
        assert_eq!(reloaded(&conversation).reply_of("c1"), conversation.reply_of("c1"));
    }
}

#[test]
fn an_acknowledged_call_gets_its_files_by_the_user_message_alone() {
    let mut conversation = acknowledged();
    let next = conversation.next(Delivery::UserMessage, [attached()]).unwrap();
    assert_eq!(roles(&next.messages), ["user"]);
    conversation.start_response(&next);
    let Outcome::Answered(sent) = attached().outcome else { panic!("no answer") };
    assert_eq!((conversation.reply_of("c1"), reloaded(&conversation).reply_of("c1")), (&sent, &sent));

    let mut conversation = acknowledged();
    let partial = sent.selections();
    let outcome = Outcome::RepliedInChat { text: "Why?".to_owned(), partial };
    let next = conversation.next(Delivery::UserMessage, [reply("c1", outcome)]).unwrap();
    conversation.start_response(&next);
    let outcome = conversation.asks().ask("c1").unwrap().outcome.clone();
    assert_eq!(outcome.as_ref().map(|outcome| outcome.attachments().len()), Some(2));
    assert_eq!(reloaded(&conversation).asks().ask("c1").unwrap().outcome, outcome);
}

#[test]
fn a_message_of_its_own_may_have_files_and_no_text() {
    let conversation = chat([started("r1"), finished("r1")]);
    let files = vec![file("cat.png", "image/png", "/files/1")];
    for (text, count) in [(None, 1), (Some("Look".to_owned()), 2)] {
        let turn = UserTurn { text, files: files.clone(), ..UserTurn::default() };
        let next = conversation.say(Delivery::UserMessage, turn).unwrap();
        assert_eq!(added(&next)[0]["content"].as_array().unwrap().len(), count);
        assert_eq!(next.input().messages.last().unwrap().files(), [(None, files[0].clone())]);
    }
}

fn acknowledged() -> Conversation {
    asked(ASK, [result("c1", "Response will follow."), finished("r1")])
}

#[test]
fn an_acknowledged_call_is_answered_by_a_user_message_alone() {
    let conversation = acknowledged();
    for delivery in [Delivery::UserMessage, Delivery::ToolResult] {
        let next = conversation.next(delivery, [conversation.picks("c1", 0)]).unwrap();
        assert_eq!(
            added(&next),
            json!([{"role": "user", "id": "id2", "content": "Brakes", "metadata": about("answered")}])
        );
    }
}

/// The agent has gone on, and its user has spoken about something else.
fn background() -> Conversation {
    let mut conversation =
        asked(ASK, [result("c1", ASKED_TEXT)].into_iter().chain(speaks("m2")).chain([finished("r1")]));
    let next = conversation.say(Delivery::Automatic, said("Hi")).unwrap();
    conversation.start_response(&next);
    conversation.take([started("r2")].into_iter().chain(speaks("m3")).chain([finished("r2")]));
    conversation
}

#[test]
fn an_ask_in_the_background_stays_open_until_a_message_names_it() {
    let mut conversation = background();
    let mut again = reloaded(&conversation);
    for conversation in [&mut conversation, &mut again] {
        assert_eq!(conversation.asks().ask("c1").unwrap().phase, Phase::Answerable);
        assert_eq!(conversation.asks().asked_by("c1"), Some(AskedBy::Background));
        for delivery in [Delivery::UserMessage, Delivery::ToolResult, Delivery::Resume] {
            let next = conversation.next(delivery, [conversation.picks("c1", 0)]).unwrap();
            assert_eq!((roles(&next.messages), &added(&next)[0]["metadata"]), (vec!["user"], &about("answered")));
        }
        let declined = conversation.next(Delivery::UserMessage, [declines("c1")]).unwrap();
        assert_eq!((roles(&declined.messages), &added(&declined)[0]["metadata"]), (vec!["user"], &about("declined")));
        let next = conversation.next(Delivery::Automatic, [conversation.picks("c1", 0)]).unwrap();
        conversation.start_response(&next);
        assert_eq!(conversation.asks().ask("c1").unwrap().phase, Phase::Answered);
        assert_eq!(reloaded(conversation).reply_of("c1"), conversation.reply_of("c1"));
        assert!(conversation.next(Delivery::Automatic, [conversation.picks("c1", 1)]).is_err(), "it has its answer");
    }
}

#[test]
fn an_agent_closes_an_ask_in_the_background_by_a_second_result() {
    let mut conversation = background();
    let withdrawn =
        json!({"type": "TOOL_CALL_RESULT", "messageId": "c1-withdrawn", "toolCallId": "c1", "content": WITHDRAWN_TEXT});
    conversation.take([started("r3"), withdrawn].into_iter().chain(speaks("m4")).chain([finished("r3")]));
    for conversation in [&reloaded(&conversation), &conversation] {
        let ask = conversation.asks().ask("c1").unwrap();
        assert_eq!((ask.phase, &ask.outcome), (Phase::Superseded, &Some(Outcome::Withdrawn)));
        assert!(conversation.next(Delivery::Automatic, [conversation.picks("c1", 1)]).is_err(), "it is closed");
    }
}

#[test]
fn the_delivery_follows_what_the_agent_does() {
    let call_waits = || asked(ASK, [finished("r1")]);
    let interrupts = || asked(ASK, [about_the_call()]);
    let table: [(Conversation, AskedBy, Origin, &[&str], bool); 8] = [
        (call_waits(), AskedBy::Call, Origin::Own, &["tool", "user"], false),
        (call_waits(), AskedBy::Call, Origin::Foreign, &["tool"], false),
        (acknowledged(), AskedBy::AcknowledgedCall, Origin::Own, &["user"], false),
        (acknowledged(), AskedBy::AcknowledgedCall, Origin::Foreign, &["user"], false),
        (background(), AskedBy::Background, Origin::Own, &["user"], false),
        (background(), AskedBy::Background, Origin::Foreign, &["user"], false),
        (interrupts(), AskedBy::Interrupt, Origin::Own, &[], true),
        (interrupts(), AskedBy::Interrupt, Origin::Foreign, &[], true),
    ];
    for (conversation, by, agent, sent, resumes) in table {
        assert_eq!(conversation.asks().asked_by("c1"), Some(by));
        let chosen = Delivery::automatic(by, agent);
        for delivery in [Delivery::Automatic, chosen] {
            let said = UserTurn { replies: vec![conversation.picks("c1", 0)], ..UserTurn::default() };
            let next =
                request(&conversation, &RunDefaults { delivery, agent, ..RunDefaults::default() }, said).unwrap();
            assert_eq!(roles(&next.messages), sent, "{by:?} of {agent:?}");
            assert_eq!(next.input().resume.is_some(), resumes, "{by:?} of {agent:?}");
        }
    }
    assert_eq!(call_waits().asks().asked_by("c2"), None);
}

#[test]
fn an_interrupt_is_answered_by_resume() {
    let mut conversation = asked(ASK, [about_the_call()]);
    let next = conversation.next(Delivery::Resume, [conversation.picks("c1", 1)]).unwrap();
    let resume = serde_json::to_value(&next.input().resume).unwrap();
    let entry = json!({"interruptId": "i1", "status": "resolved", "payload": {"answers": {"Which service?": "Oil"}}, "metadata": about("answered")});
    assert_eq!((resume, next.messages.len()), (json!([entry]), 0));
    let declined = conversation.next(Delivery::UserMessage, [declines("c1")]).unwrap();
    let resume = serde_json::to_value(&declined.input().resume).unwrap();
    assert_eq!(resume, json!([{"interruptId": "i1", "status": "cancelled", "metadata": about("declined")}]));
    conversation.start_response(&next);
    assert_eq!(conversation.phase("c1"), Phase::Answered);
}

#[test]
fn a_payload_is_what_the_schema_describes() {
    let schema = json!({"type": "object", "required": ["approved", "count"], "properties": {"approved": {"type": "boolean"}, "count": {"type": "integer"}}});
    let alone = |schema: Value| {
        let interrupt = json!([{"id": "i1", "reason": "input_required", "message": "Say", "responseSchema": schema}]);
        chat([started("r1"), interrupted("r1", interrupt)])
    };
    let conversation = alone(json!({"type": "object", "properties": {"response": {"type": "string"}}}));
    let next = conversation.next(Delivery::UserMessage, [conversation.types("i1", "johndoe42")]).unwrap();
    assert_eq!(next.input().resume.unwrap()[0].payload, Some(json!({"response": "johndoe42"}).into()));
    let conversation = alone(json!({"type": "object", "properties": {"approved": {"type": "boolean"}}}));
    let next = conversation.next(Delivery::UserMessage, [conversation.picks("i1", 1)]).unwrap();
    assert_eq!(next.input().resume.unwrap()[0].payload, Some(json!({"approved": false}).into()));
    let refused = conversation.next(Delivery::UserMessage, [conversation.types("i1", "well, sure")]);
    assert!(matches!(refused, Err(Refusal::Payload { .. })), "{refused:?}");
    let mut conversation = alone(schema);
    let ask = conversation.asks().ask("i1").unwrap().ask.clone().unwrap();
    let answers = |count: &str| {
        let yes = Selection::picked(0, [0]);
        let count = Selection::typed(1, count);
        Some(reply("i1", Outcome::Answered(Reply::of(&ask, vec![yes, count])?)))
    };
    let next = conversation.next(Delivery::UserMessage, [answers("12").unwrap()]).unwrap();
    assert_eq!(next.input().resume.as_ref().unwrap()[0].payload, Some(json!({"approved": true, "count": 12}).into()));
    assert!(answers("many").is_none() && answers("1.5").is_none(), "the card says so before they are sent");
    conversation.start_response(&next);
    let reply = conversation.reply_of("i1");
    assert_eq!(
        (reply.answers()[0].given.options()[0].label.as_str(), reply.answers()[1].given.typed().as_deref()),
        ("Yes", Some("12"))
    );
}

#[cfg(feature = "legacy")]
#[test]
fn a_legacy_interrupt_is_answered_by_a_command() {
    let value = json!({"question": "Go on?", "options": ["Yes", "No"]});
    let conversation = chat([started("r1"), legacy(&value), finished("r1")]);
    let id = "r1-on_interrupt-0";
    let next = conversation.next(Delivery::UserMessage, [conversation.picks(id, 0)]).unwrap();
    let props = next.input().forwarded_props.unwrap();
    assert_eq!(props, json!({"command": {"resume": "Yes", "interruptEvent": value}}));
}

#[cfg(feature = "legacy")]
#[test]
fn a_reply_in_chat_to_a_legacy_interrupt_is_an_object_as_well() {
    let value: Value = serde_json::from_str(ASK).unwrap();
    let in_chat = |id: &str, conversation: &Conversation| {
        let ask = conversation.asks().ask(id).unwrap().ask.clone().unwrap();
        reply(id, Outcome::replied_in_chat(&ask, "Neither", Vec::new()))
    };
    let old = chat([started("r1"), legacy(&value), finished("r1")]);
    let next = old.next(FOREIGN, [in_chat("r1-on_interrupt-0", &old)]).unwrap();
    let resume = next.input().forwarded_props.unwrap().get("command").unwrap().get("resume").cloned();
    let new = chat([started("r1"), interrupted("r1", json!([{"id": "i1", "reason": "ask", "metadata": value}]))]);
    let next = new.next(FOREIGN, [in_chat("i1", &new)]).unwrap();
    assert_eq!(resume, next.input().resume.unwrap()[0].payload);
    assert_eq!(resume.unwrap().get("text").unwrap().as_str(), Some("Neither"));
}

#[test]
fn nothing_may_be_left_dangling() {
    let [start, _, end] = call_of("locate", "c3", "");
    let mut conversation = asked(ASK, call("c2", OTHER).into_iter().chain([start, end, finished("r1")]));
    let tools = vec![Tool::new("locate", "Where the user is.")];
    let next = |conversation: &Conversation, delivery, replies: &[AskReply]| {
        say_with(conversation, tools.clone(), delivery, UserTurn { replies: replies.to_vec(), ..UserTurn::default() })
    };
    let waiting =
        |asks: &[&str]| Err(Refusal::QuestionsWait { tool_call_ids: asks.iter().map(|id| (*id).to_owned()).collect() });
    let both = [conversation.picks("c1", 0), conversation.picks("c2", 1)];
    assert_eq!(next(&conversation, Delivery::UserMessage, &[]), waiting(&["c1", "c2"]));
    assert_eq!(next(&conversation, Delivery::UserMessage, &both[..1]), waiting(&["c2"]));
    let refused = next(&conversation, Delivery::ToolResult, &both);
    let open = Refusal::OpenCalls { tool_call_ids: vec!["c3".to_owned()] };
    assert_eq!(refused, Err(open));
    conversation.push_message(Message::tool("t3", "c3", "here"));
    let next = next(&conversation, Delivery::UserMessage, &both).unwrap();
    assert_eq!(
        roles(&next.input().messages),
        ["assistant", "tool", "assistant", "tool", "assistant", "tool", "user", "user"]
    );
}

#[test]
fn every_interrupt_must_be_answered() {
    let interrupts = json!([{"id": "i1", "reason": "tool_call", "toolCallId": "c1"}, {"id": "i2", "reason": "acme:silent"},
        {"id": "i3", "reason": "acme:old", "expiresAt": "2026-11-20T11:00:00Z"}]);
    let conversation = asked(ASK, [interrupted("r1", interrupts)]);
    let open = Refusal::OpenInterrupts { interrupt_ids: vec!["i2".to_owned()] };
    assert_eq!(conversation.next(Delivery::UserMessage, [conversation.picks("c1", 0)]), Err(open));
}

#[test]
fn what_has_expired_can_only_be_declined() {
    let interrupts =
        json!([{"id": "i1", "reason": "tool_call", "toolCallId": "c1", "expiresAt": "2026-11-20T11:00:00Z"}]);
    let mut conversation = asked(ASK, [interrupted("r1", interrupts)]);
    assert_eq!(conversation.phase("c1"), Phase::Expired);
    let refused = conversation.next(Delivery::Resume, [conversation.picks("c1", 0)]);
    assert_eq!(refused, Err(Refusal::NotAnswerable { tool_call_id: "c1".to_owned(), phase: Phase::Expired }));
    // Also a run over the same history goes on, as after any other ask that has expired.
    let again = conversation.next(Delivery::UserMessage, []).unwrap();
    let next = conversation.say(Delivery::UserMessage, said("Go on")).unwrap();
    for next in [&again, &next] {
        let resume = serde_json::to_value(next.input().resume).unwrap();
        assert_eq!(resume, json!([{"interruptId": "i1", "status": "cancelled"}]));
    }
    conversation.start_response(&next);
}

#[test]
fn calls_that_nobody_can_answer_are_closed_with_the_next_message() {
    let conversation = asked("{", [finished("r1")]);
    let next = conversation.say(Delivery::UserMessage, said("What?")).unwrap();
    let expected = json!([
        {"role": "tool", "id": "id2", "toolCallId": "c1", "content": "Invalid input: the arguments could not be read.", "error": "The arguments could not be read."},
        {"role": "user", "id": "id3", "content": "What?"},
    ]);
    assert_eq!(added(&next), expected);
}

#[test]
fn the_rest_is_refused_with_a_reason() {
    let mut conversation = asked(ASK, []);
    assert_eq!(
        conversation.next(Delivery::UserMessage, [conversation.picks("c1", 0)]),
        Err(Refusal::RunOpen { run_id: "r1".to_owned() })
    );
    conversation.take([finished("r1")]);
    let refused = conversation.next(Delivery::Resume, [conversation.picks("c1", 0)]);
    assert_eq!(refused, Err(Refusal::NoInterrupt { tool_call_id: "c1".to_owned() }));
    let refused = conversation.next(Delivery::UserMessage, [declines("c9")]);
    assert_eq!(refused, Err(Refusal::UnknownAsk { tool_call_id: "c9".to_owned() }));
    assert_eq!(refused.unwrap_err().to_string(), "there is no such question");
    let first = conversation.next(Delivery::UserMessage, [conversation.picks("c1", 0)]).unwrap();
    let again = conversation.picks("c1", 0);
    conversation.start_response(&first);
    let refused = conversation.next(Delivery::UserMessage, [again]);
    assert_eq!(refused, Err(Refusal::NotAnswerable { tool_call_id: "c1".to_owned(), phase: Phase::Answered }));
}

#[test]
fn a_call_that_its_own_run_left_open_does_not_end_the_conversation() {
    let [start, ..] = call_of("search", "x1", "");
    let mut conversation = chat([started("r1"), start]);
    let refused = conversation.say(Delivery::UserMessage, said("go on"));
    assert!(matches!(refused, Err(Refusal::RunOpen { .. })));
    conversation.end();
    let next = conversation.say(Delivery::UserMessage, said("go on")).unwrap();
    assert_eq!(roles(&next.messages), ["tool", "user"]);
    assert!(next.messages[0].text().starts_with("Not finished"));
}

#[test]
fn a_malformed_ask_that_the_agent_closed_takes_no_second_result() {
    let conversation = asked("{}", [result("c1", "Invalid input: `questions` is missing"), finished("r1")]);
    let refused = conversation.next(Delivery::UserMessage, [declines("c1")]);
    assert!(matches!(refused, Err(Refusal::NotAnswerable { .. })));
}

#[test]
fn a_malformed_ask_that_its_user_cancelled_is_over() {
    let mut conversation = asked("{}", [finished("r1")]);
    assert_eq!(conversation.phase("c1"), Phase::Malformed);
    let next = conversation.next(Delivery::UserMessage, [declines("c1")]).unwrap();
    conversation.start_response(&next);
    assert_eq!(conversation.phase("c1"), Phase::Declined);
    assert_eq!(conversation.asks().ask("c1").unwrap().outcome, Some(Outcome::Declined));
    // A history tells the same.
    let replayed = Conversation::new(all_asks(), conversation.thread().messages().to_vec());
    assert_eq!(replayed.phase("c1"), Phase::Declined);
}

#[test]
fn a_request_that_closes_many_calls_puts_each_result_behind_its_call() {
    let calls = |name: &'static str, count: usize| {
        (0..count).flat_map(move |n| call_of(name, &format!("{name}{n}"), &ASK.replace("Which", &n.to_string())))
    };
    let events = calls("ask_user_question", 12).chain(calls("f", 12));
    let mut conversation = chat([started("r1")].into_iter().chain(events).chain([finished("r1")]));
    let waiting = conversation.waiting();
    let next = conversation
        .say(
            FOREIGN,
            UserTurn { replies: waiting.iter().map(|id| conversation.picks(id, 1)).collect(), ..said("Go on") },
        )
        .unwrap();
    conversation.start_response(&next);
    let messages = conversation.thread().messages();
    assert_eq!(messages.len(), 49);
    for pair in messages[..48].chunks(2) {
        assert_eq!(pair[1].tool_call_id(), Some(&*pair[0].tool_calls()[0].id));
    }
    assert_eq!(messages[48].text(), "Go on");
    assert_eq!(conversation.thread().unanswered_tool_call_ids(), Vec::<String>::new());
    assert_eq!(conversation.thread().pending_tool_call_ids(), Vec::<String>::new());
    for id in &waiting {
        assert_eq!(conversation.reply_of(id).message(), "Oil");
    }
    let sent: Vec<Message> = next.input().messages;
    assert!(sent.iter().map(Message::id).eq(messages.iter().map(Message::id)));
}
