//! The hook against a scripted agent, in a browser.
#![cfg(target_arch = "wasm32")]

#[cfg(feature = "card")]
mod cards;
mod deliveries;
mod details;
#[cfg(feature = "card")]
mod files;
mod following;
#[path = "../../../question-card/tests/web/giving.rs"]
mod giving;
mod keeping;
mod mail;
mod scripted_agent;
mod server;
mod sockets;
mod tools;
mod visitor;

use ag_ui_stream::Message;
use agent_chat::{ChatOptions, SendAs, Status, Trouble};
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{Outcome, Phase};
use leptos::prelude::*;
use scripted_agent::{Call, Request, complaints, passes, tick};
use serde_json::Value;
use visitor::{BOTH, COLOUR, SIZE, Visitor, reply};
use wasm_bindgen_test::{wasm_bindgen_test as test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[test]
async fn what_is_said_shows_at_once_and_the_agent_streams() {
    let visitor = Visitor::new();
    assert!(visitor.chat.send("Hello"));
    visitor.sees_lines(&["user: Hello"]).await;
    let call = Call::next().await;
    assert_eq!(roles(&call), ["user"]);
    assert_eq!(
        call.input.tools.iter().flatten().map(|tool| tool.name.as_str()).collect::<Vec<_>>(),
        ["ask_user_question"]
    );
    call.accept();
    call.says("m1", "Good ");
    visitor.sees_lines(&["user: Hello", "agent: Good "]).await;
    call.says("m1", "day");
    visitor.sees_lines(&["user: Hello", "agent: Good day"]).await;
    assert_eq!(visitor.chat.status.get_untracked(), Status::Running);
    call.finishes();
    visitor.sees_status(Status::Idle).await;
}

#[test]
async fn an_agent_that_says_nothing_for_eight_seconds_is_called_silent_until_it_does() {
    let (visitor, call) = Visitor::greeting().await;
    visitor.sees_status(Status::Running).await;
    tick().await;
    let is_silent = |chat: agent_chat::AgentChat| chat.silent.get_untracked();
    call.says("m1", "Good ");
    visitor.sees_lines(&["user: Hello", "agent: Good "]).await;
    passes(6_000);
    assert!(!is_silent(visitor.chat));
    call.says("m1", "day");
    visitor.sees_lines(&["user: Hello", "agent: Good day"]).await;
    passes(6_000);
    assert!(!is_silent(visitor.chat), "it was heard in between");
    passes(3_000);
    assert!(is_silent(visitor.chat));
    call.says("m1", ".");
    visitor.sees("that it speaks", |chat| !is_silent(chat)).await;
    passes(9_000);
    assert!(is_silent(visitor.chat));
    call.finishes();
    visitor.sees("that nothing is awaited", |chat| !is_silent(chat)).await;
    passes(60_000);
    assert!(!is_silent(visitor.chat));
}

#[test]
async fn nothing_is_sent_while_a_run_is_open_or_the_text_is_blank() {
    let visitor = Visitor::new();
    assert!(!visitor.chat.send(" \n"));
    assert!(visitor.chat.send("Hello"));
    assert!(!visitor.chat.send("Are you there?"));
    visitor.sees_lines(&["user: Hello"]).await;
}

#[test]
async fn a_pick_goes_as_tool_message_and_user_message_with_one_reply_id() {
    let visitor = Visitor::asked().await;
    visitor.picks("c1", SIZE, 1);
    let call = Call::next().await;
    assert_eq!(roles(&call), ["user", "assistant", "tool", "user"]);
    assert_eq!(call.input.messages[2].text(), r#"{"answers":{"Which size?":"Large"}}"#);
    assert_eq!(call.input.messages[3].text(), "Large");
    assert_eq!(about(&call, 2), about(&call, 3));
    assert_eq!(visitor.reply_to("c1"), ReplyState::Sending);
    call.accept();
    visitor.sees_lines(&["user: Hello", "ask: answered"]).await;
    assert_eq!(visitor.reply_to("c1"), ReplyState::None);
}

#[test]
async fn a_pick_before_the_end_of_the_run_is_held() {
    let (visitor, call) = Visitor::greeting().await;
    call.asks("c1", SIZE);
    visitor.sees_phase("c1", Phase::Ready).await;
    visitor.picks("c1", SIZE, 0);
    assert_eq!(visitor.reply_to("c1"), ReplyState::Sending);
    call.finishes();
    let call = Call::next().await;
    assert_eq!(call.input.messages.last().map(|message| message.text().into_owned()).as_deref(), Some("Small"));
}

#[test]
async fn what_becomes_of_a_reply_is_said_at_once() {
    let (visitor, call) = Visitor::greeting().await;
    call.asks("c1", SIZE);
    visitor.sees_phase("c1", Phase::Ready).await;
    let large = || reply(SIZE, 1);
    assert_eq!(visitor.chat.reply("c1", large()), ReplyState::Sending);
    assert!(visitor.chat.take_back("c1"));
    call.finishes();
    visitor.sees_status(Status::Idle).await;
    assert_eq!(visitor.chat.reply("c1", large()), ReplyState::Sending);
    Call::next().await.runs();
    visitor.sees_phase("c1", Phase::Answered).await;
    visitor.sees_status(Status::Idle).await;
    for nobodys in ["c1", "c2"] {
        assert_eq!(
            visitor.chat.reply(nobodys, large()),
            ReplyState::Failed(Trouble::NotWaiting.to_string()),
            "{nobodys}"
        );
    }
}

#[test]
async fn a_reply_that_is_held_can_be_taken_back_and_given_again() {
    let visitor = Visitor::asked_twice().await;
    visitor.picks("c1", SIZE, 0);
    assert!(visitor.chat.take_back("c1"));
    assert_eq!(visitor.reply_to("c1"), ReplyState::None);
    assert!(!visitor.holds("c1") && !visitor.chat.take_back("c1"));
    visitor.picks("c2", COLOUR, 1);
    assert!(visitor.holds("c2"));
    visitor.picks("c1", SIZE, 1);
    let call = Call::next().await;
    assert!(!visitor.chat.take_back("c1"), "it is on its way");
    let said: Vec<_> = call.input.messages.iter().map(Message::text).collect();
    assert!(said.ends_with(&["Blue".into(), "Large".into()]), "{said:?}");
}

#[test]
async fn what_came_too_late_is_never_the_answer_to_another_question() {
    let visitor = Visitor::asked().await;
    assert!(!visitor.chat.send_alone("It also smells of petrol"));
    assert_eq!(visitor.chat.status.get_untracked(), Status::Idle);
    assert_eq!(visitor.reply_to("c1"), ReplyState::None);
    visitor.sees_lines(&["user: Hello", "ask: answerable"]).await;
    visitor.picks("c1", SIZE, 1);
    let call = Call::next().await;
    assert_eq!(call.input.messages[3].text(), "Large");
    call.runs();
    visitor.sees_status(Status::Idle).await;
    assert!(visitor.chat.send_alone("It also smells of petrol"));
    let call = Call::next().await;
    let last = call.input.messages.last().expect("it says something");
    assert_eq!(last.text(), "It also smells of petrol");
    assert_eq!(last.metadata(), None);
}

#[test]
async fn cookies_go_to_another_origin_where_the_page_says_so() {
    for (options, credentials) in
        [(ChatOptions::new("/agent"), "same-origin"), (ChatOptions::new("/agent").with_credentials(), "include")]
    {
        let visitor = Visitor::first(options);
        visitor.chat.send("Hello");
        assert_eq!(Call::next().await.credentials(), credentials);
    }
}

#[test]
async fn each_run_forwards_the_properties_of_the_page() {
    let model = serde_json::Map::from_iter([("model".to_owned(), "small".into())]);
    let visitor = Visitor::first(ChatOptions::new("/agent").with_forwarded_props(model));
    visitor.chat.send("Hello");
    let forwarded = Call::next().await.input.forwarded_props.expect("the run has them");
    assert_eq!(serde_json::to_string(&forwarded).expect("it is JSON"), r#"{"model":"small"}"#);
}

#[test]
async fn an_agent_elsewhere_that_does_not_answer_may_not_let_the_page_in() {
    let visitor = Visitor::first(ChatOptions::new("https://agent.example/agent"));
    visitor.chat.send("Hello");
    Call::next().await.is_unreachable();
    let origin = "https://agent.example".to_owned();
    visitor.sees_status(Status::Failed(Trouble::Elsewhere { origin })).await;
}

#[test]
async fn the_console_says_why_a_request_was_refused_and_which_arguments_are_damaged() {
    let visitor = Visitor::new();
    visitor.chat.send("Hello");
    let missing = r#"{"detail":[{"loc":["body","tools"],"msg":"Field required"}]}"#;
    Call::next().await.refuses(422, missing);
    visitor.sees_status(Status::Failed(Trouble::Refused { status: 422, message: None })).await;
    assert_eq!(complaints(), [format!("agent-chat: /agent: HTTP 422 {missing}")]);

    let (visitor, call) = Visitor::greeting().await;
    call.asks("c1", r#"{"query":"size"}"#);
    visitor.sees_phase("c1", Phase::Malformed).await;
    assert_eq!(complaints(), [r#"agent-chat: call c1 is no question: {"query":"size"}"#]);
}

#[test]
async fn a_users_words_that_arrive_by_and_by_are_shown() {
    let (visitor, call) = Visitor::greeting().await;
    call.event(r#"{"type":"TEXT_MESSAGE_START","messageId":"u2","role":"user"}"#);
    visitor.sees_lines(&["user: Hello"]).await;
    call.event(r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"u2","delta":"And "}"#);
    visitor.sees_lines(&["user: Hello", "user: And "]).await;
    call.event(r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"u2","delta":"bye"}"#);
    visitor.sees_lines(&["user: Hello", "user: And bye"]).await;
    let before = visitor.keys();
    call.event(r#"{"type":"TEXT_MESSAGE_END","messageId":"u2"}"#);
    call.event(r#"{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u2","role":"user","content":"Good bye"}]}"#);
    visitor.sees_lines(&["user: Good bye"]).await;
    assert!(!before.contains(&visitor.keys()[0]), "it is another text");
}

#[test]
async fn the_list_is_the_same_however_it_came() {
    let options = || ChatOptions::new("/agent").resume("pieces");
    let (visitor, call) = Visitor::greeting_with(options()).await;
    call.says("m1", "One.");
    visitor.sees_last_line("agent: One.").await;
    call.event(r#"{"type":"TOOL_CALL_START","toolCallId":"w1","toolCallName":"look_up","parentMessageId":"m1"}"#);
    visitor.sees_last_line("tool: look_up").await;
    call.event(r#"{"type":"TOOL_CALL_START","toolCallId":"w2","toolCallName":"count","parentMessageId":"m1"}"#);
    call.event(r#"{"type":"TOOL_CALL_END","toolCallId":"w2"}"#);
    visitor.sees_last_line("tool: count").await;
    call.says("m2", "Two.");
    visitor.sees_last_line("agent: Two.").await;
    call.event(r#"{"type":"TOOL_CALL_END","toolCallId":"w1"}"#);
    call.event(r#"{"type":"TOOL_CALL_RESULT","messageId":"t1","toolCallId":"w1","content":"42"}"#);
    call.event(r#"{"type":"TEXT_MESSAGE_START","messageId":"m3","role":"assistant"}"#);
    call.event(r#"{"type":"TEXT_MESSAGE_END","messageId":"m3"}"#);
    let before = visitor.keys();
    call.asks("c1", SIZE);
    call.finishes();
    let lines = ["user: Hello", "agent: One.", "tool: look_up, done", "tool: count", "agent: Two.", "ask: answerable"];
    visitor.sees_lines(&lines).await;
    visitor.sees_status(Status::Idle).await;
    let keys = visitor.keys();
    assert_eq!(keys[..before.len()], before, "what was shown stays");
    drop(visitor);
    let visitor = Visitor::beside(options());
    visitor.sees_lines(&lines).await;
    assert_eq!(visitor.keys(), keys);
}

#[test]
async fn only_a_message_that_is_still_to_grow_is_arriving() {
    let (visitor, call) = Visitor::greeting().await;
    let arriving = |expected: &'static [&str]| {
        visitor.sees("what is arriving", move |chat| chat.arriving.with_untracked(|ids| ids == expected))
    };
    call.event(r#"{"type":"TEXT_MESSAGE_START","messageId":"m1","role":"assistant"}"#);
    call.event(r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Good"}"#);
    arriving(&["m1"]).await;
    call.event(r#"{"type":"TEXT_MESSAGE_END","messageId":"m1"}"#);
    arriving(&[]).await;
    call.event(r#"{"type":"TEXT_MESSAGE_START","messageId":"m2","role":"assistant"}"#);
    call.event(r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m2","delta":"day"}"#);
    arriving(&["m2"]).await;
    call.breaks_off();
    arriving(&[]).await;
}

#[test]
async fn a_typed_text_answers_what_waits() {
    let visitor = Visitor::asked().await;
    assert!(visitor.chat.send("large"));
    let call = Call::next().await;
    assert_eq!(call.input.messages[2].text(), r#"{"answers":{"Which size?":"Large"}}"#);
    assert_eq!(about(&call, 3)["by"], "composer");
}

#[test]
async fn a_typed_text_answers_one_of_the_questions_that_wait() {
    // An option of one question answers that question; a text that is no option answers the first.
    for (typed, meant, other, answer) in
        [("blue", "c2", "c1", (SIZE, "Small")), ("Very large", "c1", "c2", (COLOUR, "Red"))]
    {
        let visitor = Visitor::asked_twice().await;
        assert!(visitor.chat.send(typed));
        assert!(visitor.holds(meant) && !visitor.holds(other), "{typed}");
        visitor.sees_phase(other, Phase::Answerable).await;
        visitor.picks(other, answer.0, 0);
        let call = Call::next().await;
        let said: Vec<_> = call.input.messages.iter().map(Message::text).collect();
        let of = |words: &str| said.iter().filter(|text| text.contains(words)).count();
        assert_eq!(of(&typed[1..]), 2, "as a result and as a message: {said:?}");
        assert_eq!(of(answer.1), 2, "{said:?}");
    }
}

#[test]
async fn who_talks_of_something_else_goes_past_all_that_wait() {
    let (visitor, call) = Visitor::greeting().await;
    call.asks("c1", BOTH);
    call.asks("c2", COLOUR);
    call.finishes();
    visitor.sees_status(Status::Idle).await;
    assert!(visitor.chat.send("What are your opening hours?"));
    let call = Call::next().await;
    let said: Vec<_> = call.input.messages.iter().map(Message::text).collect();
    let with = |words: &str| said.iter().any(|text| text.contains(words));
    assert!(with("replied_in_chat"), "{said:?}");
    assert!(with(ask_user_question::outcome::SUPERSEDED_TEXT), "{said:?}");
}

#[test]
async fn a_reply_that_fails_returns_to_its_card_and_keeps_its_id() {
    let visitor = Visitor::asked().await;
    visitor.picks("c1", SIZE, 1);
    let failed = Call::next().await;
    failed.is_unreachable();
    let reason = ReplyState::Failed(Trouble::Unreachable.to_string());
    visitor.sees("the failure on the card", |_| visitor.reply_to("c1") == reason).await;
    visitor.sees_status(Status::Idle).await;
    visitor.sees_phase("c1", Phase::Answerable).await;
    visitor.picks("c1", SIZE, 1);
    let again = Call::next().await;
    assert_eq!(about(&failed, 2), about(&again, 2));
    assert_eq!(failed.input.run_id, again.input.run_id, "the agent may have it, and can recognise it");
    again.refuses(500, "");
    visitor.sees("the refusal", |_| visitor.reply_to("c1") != reason).await;
    visitor.picks("c1", SIZE, 1);
    let third = Call::next().await;
    assert_ne!(third.input.run_id, failed.input.run_id, "the agent is known not to have it");
    third.is_unreachable();
    visitor.sees("the failure on the card", |_| visitor.reply_to("c1") == reason).await;
    visitor.picks("c1", SIZE, 0);
    assert_ne!(Call::next().await.input.run_id, third.input.run_id, "another answer is another run");
}

#[test]
async fn what_is_sent_without_a_network_goes_out_once_when_it_is_back() {
    let visitor = Visitor::asked().await;
    scripted_agent::is_connected(false);
    visitor.picks("c1", SIZE, 1);
    let lost = Call::next().await;
    lost.is_unreachable();
    visitor.sees("the end of the request", |_| visitor.chat.status.get_untracked() == Status::Idle).await;
    assert_eq!(visitor.reply_to("c1"), ReplyState::Sending);
    assert_eq!(scripted_agent::waiting(), [""; 0], "it is not tried in vain");
    scripted_agent::is_connected(true);
    let again = Call::next().await;
    assert_eq!(again.input.run_id, lost.input.run_id);
    again.accept();
    visitor.sees_lines(&["user: Hello", "ask: answered"]).await;

    let visitor = Visitor::asked().await;
    visitor.picks("c1", SIZE, 1);
    let lost = Call::next().await;
    scripted_agent::is_connected(false);
    lost.is_unreachable();
    let reason = ReplyState::Failed(Trouble::Unreachable.to_string());
    visitor.sees("the doubt on the card", |_| visitor.reply_to("c1") == reason).await;
    scripted_agent::is_connected(true);
    tick().await;
    assert_eq!(scripted_agent::waiting(), [""; 0], "it may have arrived: only its user sends it again");
}

#[test]
async fn who_says_what_a_text_is_decides() {
    let question_back = "Could it be both?";
    for (send_as, result) in [(SendAs::Answer, "\"answers\""), (SendAs::Message, "replied_in_chat")] {
        let visitor = Visitor::asked().await;
        assert!(visitor.chat.send_as(send_as, question_back));
        let call = Call::next().await;
        assert!(call.input.messages[2].text().contains(result), "{send_as:?}: {}", call.input.messages[2].text());
        assert_eq!(call.input.messages[3].text(), question_back);
    }
    let visitor = Visitor::asked().await;
    assert!(visitor.chat.send_as(SendAs::Message, "Large"));
    let call = Call::next().await;
    assert!(call.input.messages[2].text().contains("replied_in_chat"), "a label, too, is a message where that is said");
}

#[test]
async fn it_is_known_before_what_a_text_would_be() {
    let visitor = Visitor::asked_twice().await;
    let read = |text: &str| {
        let reading = visitor.chat.reading(text).expect("a question waits");
        (reading.tool_call_id, reading.ask.questions[0].question.clone(), reading.outcome)
    };
    let (call, question, outcome) = read("blue");
    assert_eq!((call.as_str(), question.as_str()), ("c2", "Which colour?"));
    assert!(matches!(outcome, Outcome::Answered(_)));
    assert!(matches!(read("Something else"), (call, _, Outcome::Answered(_)) if call == "c1"));
    assert!(matches!(read("What else is there?").2, Outcome::RepliedInChat { .. }));
    visitor.chat.send("blue");
    assert_eq!(read("blue").0, "c1", "the other one has its reply");
    visitor.picks("c1", SIZE, 0);
    assert_eq!(visitor.chat.reading("blue"), None);
}

#[test]
async fn a_deadline_is_judged_by_the_servers_clock() {
    let visitor = Visitor::first(ChatOptions::new("/agent"));
    visitor.chat.send("Hello");
    let call = Call::next().await;
    let date = js_sys::Date::new_0();
    // The device is ten minutes ahead, and the server gives five.
    passes(600_000);
    call.accept_at(&String::from(date.to_utc_string()));
    call.asks("c1", SIZE);
    let deadline = js_sys::Date::new(&(date.get_time() + 300_000.0).into());
    call.interrupts(&format!(
        r#"[{{"id":"i1","reason":"tool_call","toolCallId":"c1","expiresAt":"{}"}}]"#,
        String::from(deadline.to_iso_string())
    ));
    visitor.sees_phase("c1", Phase::Answerable).await;
    let left = visitor.ask("c1").snapshot.get_untracked().expires_at.map(|at| at as f64 - js_sys::Date::now());
    assert!(left.is_some_and(|left| (290_000.0..=301_000.0).contains(&left)), "the card counts down from it: {left:?}");
    passes(310_000);
    visitor.sees_phase("c1", Phase::Expired).await;

    // A clock that is right again. It is one for all that this browser talks to.
    visitor.chat.send("Hello again");
    let date = js_sys::Date::new(&js_sys::Date::now().into());
    Call::next().await.accept_at(&String::from(date.to_utc_string()));
    visitor.sees_status(Status::Running).await;
}

#[test]
async fn a_file_beside_the_page_does_not_set_the_clock() {
    let (visitor, call) = Visitor::greeting().await;
    call.asks("c1", SIZE);
    call.waits_for_answer(60_000.0);
    visitor.sees_phase("c1", Phase::Answerable).await;
    let text = RwSignal::new(None);
    leptos::task::spawn_local(async move { text.set(agent_chat::text_beside_page("/settings.json").await) });
    // From a cache, as it was ten minutes ago.
    let then = js_sys::Date::new(&(js_sys::Date::now() - 600_000.0).into());
    let file = Request::next("GET /settings.json").await;
    file.answers_at(&String::from(then.to_utc_string()), &serde_json::json!({}));
    visitor.sees("the file", |_| text.get_untracked().as_deref() == Some("{}")).await;
    passes(61_000);
    visitor.sees_phase("c1", Phase::Expired).await;
}

#[test]
async fn the_console_says_what_came_instead_of_events_and_which_tool_is_not_known() {
    let visitor = Visitor::new();
    visitor.chat.send("Hello");
    Call::next().await.refuses(404, "<h1>Not found</h1>\n<p>nginx</p>");
    visitor.sees_status(Status::Failed(Trouble::Refused { status: 404, message: None })).await;
    let told = complaints().remove(0);
    assert!(told.starts_with("agent-chat: /agent: HTTP 404 <h1>Not found</h1>"), "{told}");

    for (kind, body) in [("text/html", "<h1>Traceback</h1>"), ("application/json", r#"{"answer":42}"#)] {
        let visitor = Visitor::new();
        visitor.chat.send("Hello");
        Call::next().await.refuses(200, body);
        visitor.sees_unreadable().await;
        assert_eq!(complaints(), [format!("agent-chat: /agent: {kind} ({body}) is no stream of events")]);
    }

    let visitor = Visitor::new();
    visitor.chat.send("Hello");
    let call = Call::next().await;
    call.writes("{\"type\":\"RUN_STARTED\"}\n\n");
    call.ends();
    visitor.sees_status(Status::Failed(Trouble::BrokeOff)).await;
    let told = complaints().remove(0);
    assert!(told.ends_with("no event in the response, which begins with: {\"type\":\"RUN_STARTED\"}"), "{told}");

    let (visitor, call) = Visitor::greeting().await;
    call.calls("c1", "askUserQuestion", SIZE);
    call.finishes();
    visitor.sees_status(Status::Idle).await;
    let told = complaints().remove(0);
    assert!(told.contains("askUserQuestion") && told.contains("ask_user_question"), "{told}");
}

#[test]
async fn an_agent_that_has_the_tool_is_sent_none() {
    let visitor = Visitor::first(ChatOptions::new("/agent").without_tool());
    visitor.chat.send("Hello");
    let call = Call::next().await;
    assert_eq!(call.input.tools.iter().flatten().count(), 0);
    call.accept();
    call.asks("c1", SIZE);
    call.finishes();
    visitor.sees_phase("c1", Phase::Answerable).await;
}

#[test]
async fn a_message_that_fails_can_be_tried_again() {
    let visitor = Visitor::new();
    visitor.chat.send("Hello");
    let failed = Call::next().await;
    failed.refuses(503, r#"{"code":"busy","message":"Too many conversations."}"#);
    visitor
        .sees_status(Status::Failed(Trouble::Refused {
            status: 503,
            message: Some("Too many conversations.".to_owned()),
        }))
        .await;
    visitor.chat.retry();
    let again = Call::next().await;
    assert_eq!(failed.input.messages, again.input.messages);
    again.runs();
    visitor.sees_status(Status::Idle).await;
    visitor.sees_lines(&["user: Hello"]).await;
}

#[test]
async fn stopping_ends_the_run_and_interrupts_an_unfinished_ask() {
    let (visitor, call) = Visitor::greeting().await;
    call.begins_ask("c1", r#"{"questions":["#);
    visitor.sees_phase("c1", Phase::Streaming).await;
    visitor.chat.stop();
    visitor.sees_status(Status::Idle).await;
    visitor.sees_phase("c1", Phase::Interrupted).await;
    assert!(visitor.chat.send("Again"));
    let call = Call::next().await;
    assert_eq!(roles(&call), ["user", "assistant", "tool", "user"]);
}

#[test]
async fn stopping_before_the_agent_answers_gives_the_pick_back() {
    let visitor = Visitor::asked().await;
    visitor.picks("c1", SIZE, 1);
    Call::next().await;
    visitor.chat.stop();
    visitor.sees_status(Status::Idle).await;
    assert_eq!(visitor.reply_to("c1"), ReplyState::None);
    visitor.picks("c1", SIZE, 0);
    assert_eq!(Call::next().await.input.messages[3].text(), "Small");
}

#[test]
async fn stopping_gives_a_held_pick_back() {
    let (visitor, call) = Visitor::greeting().await;
    call.asks("c1", SIZE);
    visitor.sees_phase("c1", Phase::Ready).await;
    visitor.picks("c1", SIZE, 0);
    visitor.chat.stop();
    visitor.sees_status(Status::Idle).await;
    assert_eq!(visitor.reply_to("c1"), ReplyState::None);
    visitor.sees_phase("c1", Phase::Answerable).await;
}

#[test]
async fn what_somebody_else_answered_first_is_shown() {
    let visitor = Visitor::asked().await;
    visitor.picks("c1", SIZE, 1);
    let winner = r#"{"code":"already_answered","message":"Another reply was first.","winner":
        {"id":"w","role":"tool","toolCallId":"c1","newerThanThePage":true,"content":"{\"answers\":{\"Which size?\":\"Small\"}}"}}"#;
    Call::next().await.refuses(409, winner);
    visitor.sees_lines(&["user: Hello", "ask: answered"]).await;
    visitor.sees_status(Status::Idle).await;
    assert!(visitor.chat.send("And now?"));
    assert_eq!(roles(&Call::next().await), ["user", "assistant", "tool", "user"]);
}

#[test]
async fn an_answer_whose_run_fails_may_have_arrived_and_can_be_sent_again() {
    let (visitor, call) = Visitor::greeting().await;
    call.asks("c1", SIZE);
    call.interrupts(r#"[{"id":"i1","reason":"tool_call","toolCallId":"c1"}]"#);
    visitor.sees_status(Status::Idle).await;
    visitor.picks("c1", SIZE, 0);
    let call = Call::next().await;
    call.accept();
    call.errs("upstream 500");
    visitor.sees_status(Status::Failed(Trouble::Agent("upstream 500".to_owned()))).await;
    visitor.sees_lines(&["user: Hello", "ask: answerable"]).await;
    let told = ReplyState::Failed(Trouble::MayHaveArrived.to_string());
    assert_eq!(visitor.reply_to("c1"), told);
    visitor.picks("c1", SIZE, 0);
    assert_eq!(Call::next().await.input.resume.expect("it resumes")[0].interrupt_id, "i1");
}

#[test]
async fn what_cannot_be_asked_is_cancelled_by_what_is_said_instead() {
    let (visitor, call) = Visitor::greeting().await;
    call.interrupts(r#"[{"id":"i1","reason":"acme:silent"}]"#);
    visitor.sees_lines(&["user: Hello", "ask: malformed"]).await;
    visitor.sees_status(Status::Idle).await;
    assert!(visitor.chat.send_alone("Not now"));
    let call = Call::next().await;
    let resume = serde_json::to_value(&call.input.resume).expect("it is plain data");
    assert_eq!(resume[0]["interruptId"], "i1");
    assert_eq!(resume[0]["status"], "cancelled");
    assert_eq!(roles(&call), ["user", "user"]);
    call.accept();
    visitor.sees_lines(&["user: Hello", "ask: declined", "user: Not now"]).await;
}

#[test]
async fn an_answer_is_held_for_what_cannot_be_asked_beside_it() {
    let (visitor, call) = Visitor::greeting().await;
    call.asks("c1", SIZE);
    call.interrupts(r#"[{"id":"i1","reason":"tool_call","toolCallId":"c1"},{"id":"i2","reason":"acme:silent"}]"#);
    visitor.sees_status(Status::Idle).await;
    visitor.picks("c1", SIZE, 0);
    assert!(visitor.holds("c1"));
    assert_eq!(visitor.chat.status.get_untracked(), Status::Idle);
    visitor.chat.cancel("i2");
    assert_eq!(Call::next().await.input.resume.iter().flatten().count(), 2);
}

#[test]
async fn an_interrupt_without_a_call_is_shown_after_what_was_said() {
    let (visitor, call) = Visitor::greeting().await;
    call.says("m1", "One thing.");
    call.interrupts(r#"[{"id":"i1","reason":"input_required","message":"Your name?","responseSchema":{"type":"object","properties":{"response":{"type":"string"}},"required":["response"]}}]"#);
    visitor.sees_lines(&["user: Hello", "agent: One thing.", "ask: answerable"]).await;
}

#[test]
async fn an_open_call_of_a_tool_that_needs_approval_becomes_a_question() {
    let options = || ChatOptions::new("/agent").with_approvals(["delete_file"]).resume("approval");
    let visitor = Visitor::first(options());
    visitor.chat.send("Tidy up");
    let call = Call::next().await;
    call.accept();
    for event in [
        r#"{"type":"TOOL_CALL_START","toolCallId":"w1","toolCallName":"delete_file"}"#,
        r#"{"type":"TOOL_CALL_ARGS","toolCallId":"w1","delta":"{\"path\": \"a\"}"}"#,
        r#"{"type":"TOOL_CALL_END","toolCallId":"w1"}"#,
    ] {
        call.event(event);
    }
    visitor.sees_lines(&["user: Tidy up", "tool: delete_file"]).await;
    let before = visitor.keys();
    call.finishes();
    let asked = ["user: Tidy up", "ask: answerable"];
    visitor.sees_lines(&asked).await;
    // A keyed list would go on showing the call.
    assert_ne!(visitor.keys()[1], before[1]);
    visitor.sees_status(Status::Idle).await;
    drop(visitor);
    let visitor = Visitor::beside(options());
    visitor.sees_lines(&asked).await;
    let ask = visitor.ask("w1").snapshot.get_untracked().ask;
    let ask = serde_json::to_string(&*ask.expect("it is complete")).expect("it is JSON");
    visitor.picks("w1", &ask, 0);
    let messages = Call::next().await.input.messages;
    let [_, _, result] = &messages[..] else {
        panic!("{messages:?}");
    };
    assert_eq!((result.role(), &*result.text()), ("tool", r#"{"accepted":true}"#));
}

#[test]
async fn a_deadline_expires_the_ask_by_itself() {
    let (visitor, call) = Visitor::greeting().await;
    call.asks("c1", SIZE);
    call.waits_for_answer(1_000.0);
    visitor.sees_phase("c1", Phase::Answerable).await;
    visitor.sees_phase("c1", Phase::Expired).await;
    // What is tried again goes on without the answer.
    visitor.chat.retry();
    let resume = Call::next().await.input.resume.expect("it resumes");
    assert_eq!(resume[0].status, ag_ui_stream::input::ResumeStatus::Cancelled);
}

#[test]
async fn a_breach_of_protocol_ends_the_request() {
    let (visitor, call) = Visitor::greeting().await;
    call.event("[1]");
    visitor.sees_unreadable().await;
    assert!(call.is_aborted());
    let Status::Failed(trouble) = visitor.chat.status.get_untracked() else {
        unreachable!("it was seen");
    };
    let Trouble::Unreadable(details) = &trouble else {
        unreachable!("it was seen");
    };
    let told = trouble.to_string();
    assert!(!told.contains(details.as_str()) && !told.contains("event"), "{told}");
}

fn roles(call: &Call) -> Vec<&'static str> {
    call.input.messages.iter().map(Message::role).collect()
}

/// `metadata.ask` of a message.
fn about(call: &Call, message: usize) -> Value {
    call.input.messages[message]
        .metadata()
        .and_then(|metadata| metadata.get("ask"))
        .expect("the message is about an ask")
        .clone()
        .into_value()
}
