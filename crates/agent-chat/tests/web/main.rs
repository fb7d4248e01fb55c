//! The hook against a scripted agent, in a browser.
#![cfg(target_arch = "wasm32")]

mod following;
mod keeping;
mod scripted_agent;
mod server;
mod visitor;

use ag_ui_stream::Message;
use agent_chat::{Status, Trouble};
use ask_user_question::Phase;
use ask_user_question::snapshot::Sending;
use leptos::prelude::*;
use scripted_agent::Call;
use visitor::{COLOUR, SIZE, Visitor};
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
        call.input
            .tools
            .iter()
            .flatten()
            .map(|tool| tool.name.as_str())
            .collect::<Vec<_>>(),
        ["ask_user_question"]
    );
    call.accept();
    call.says("m1", "Good ");
    visitor.sees_lines(&["user: Hello", "agent: Good "]).await;
    call.says("m1", "day");
    visitor
        .sees_lines(&["user: Hello", "agent: Good day"])
        .await;
    assert_eq!(visitor.chat.status.get_untracked(), Status::Running);
    call.finishes();
    visitor.sees_status(Status::Idle).await;
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
async fn an_ask_shows_before_its_arguments_end() {
    let (visitor, call) = Visitor::greeting().await;
    call.begins_ask("c1", r#"{"questions":[{"question":"Which si"#);
    visitor.sees_phase("c1", Phase::Streaming).await;
    visitor
        .sees("the growing text", |_| {
            visitor
                .ask("c1")
                .ask
                .with_untracked(|ask| ask.questions[0].question.text == "Which si")
        })
        .await;
}

#[test]
async fn a_pick_goes_as_tool_message_and_user_message_with_one_reply_id() {
    let visitor = Visitor::asked().await;
    visitor.picks("c1", SIZE, 1);
    let call = Call::next().await;
    assert_eq!(roles(&call), ["user", "assistant", "tool", "user"]);
    assert_eq!(
        call.input.messages[2].text(),
        r#"{"answers":{"Which size?":"Large"}}"#
    );
    assert_eq!(call.input.messages[3].text(), "Large");
    assert_eq!(about(&call, 2), about(&call, 3));
    assert_eq!(visitor.ask("c1").sending.get_untracked(), Sending::Pending);
    call.accept();
    visitor
        .sees_lines(&["user: Hello", "ask: answered", "user: Large"])
        .await;
    assert_eq!(visitor.ask("c1").sending.get_untracked(), Sending::Idle);
}

#[test]
async fn a_pick_before_the_end_of_the_run_is_held() {
    let (visitor, call) = Visitor::greeting().await;
    call.asks("c1", SIZE);
    visitor.sees_phase("c1", Phase::Ready).await;
    visitor.picks("c1", SIZE, 0);
    assert_eq!(visitor.ask("c1").sending.get_untracked(), Sending::Pending);
    call.finishes();
    let call = Call::next().await;
    assert_eq!(
        call.input
            .messages
            .last()
            .map(|message| message.text().into_owned())
            .as_deref(),
        Some("Small")
    );
}

#[test]
async fn two_asks_go_back_together() {
    let (visitor, call) = Visitor::greeting().await;
    call.asks("c1", SIZE);
    call.asks("c2", COLOUR);
    call.finishes();
    visitor.sees_phase("c2", Phase::Answerable).await;
    visitor.sees_status(Status::Idle).await;
    visitor.picks("c1", SIZE, 0);
    assert_eq!(visitor.chat.status.get_untracked(), Status::Idle);
    visitor.picks("c2", COLOUR, 1);
    let call = Call::next().await;
    assert_eq!(
        call.input
            .messages
            .iter()
            .filter(|message| matches!(message, Message::Tool(_)))
            .count(),
        2
    );
}

#[test]
async fn a_typed_text_answers_what_waits() {
    let visitor = Visitor::asked().await;
    assert!(visitor.chat.send("large"));
    let call = Call::next().await;
    assert_eq!(
        call.input.messages[2].text(),
        r#"{"answers":{"Which size?":"Large"}}"#
    );
    assert_eq!(about(&call, 3)["by"], "composer");
}

#[test]
async fn declining_leaves_no_call_open_and_says_nothing_for_the_user() {
    let visitor = Visitor::asked().await;
    visitor.chat.cancel("c1");
    let call = Call::next().await;
    assert_eq!(roles(&call), ["user", "assistant", "tool"]);
    assert_eq!(call.input.messages[2].text(), "User cancelled the question");
    call.accept();
    visitor.sees_lines(&["user: Hello", "ask: declined"]).await;
}

#[test]
async fn a_reply_that_fails_goes_back_to_its_card_and_is_the_same_reply_when_sent_again() {
    let visitor = Visitor::asked().await;
    visitor.picks("c1", SIZE, 1);
    let failed = Call::next().await;
    failed.is_unreachable();
    let reason = Sending::Failed(Trouble::Unreachable.to_string());
    visitor
        .sees("the failure on the card", |_| {
            visitor.ask("c1").sending.get_untracked() == reason
        })
        .await;
    visitor.sees_status(Status::Idle).await;
    visitor.sees_phase("c1", Phase::Answerable).await;
    visitor.picks("c1", SIZE, 1);
    let again = Call::next().await;
    assert_eq!(about(&failed, 2), about(&again, 2));
    assert_ne!(failed.input.run_id, again.input.run_id);
}

#[test]
async fn a_message_that_fails_can_be_tried_again() {
    let visitor = Visitor::new();
    visitor.chat.send("Hello");
    let failed = Call::next().await;
    failed.refuses(
        503,
        r#"{"code":"busy","message":"Too many conversations."}"#,
    );
    visitor
        .sees_status(Status::Failed(Trouble::Refused {
            status: 503,
            message: Some("Too many conversations.".to_owned()),
        }))
        .await;
    visitor.chat.retry();
    let again = Call::next().await;
    assert_eq!(failed.input.messages, again.input.messages);
    again.accept();
    again.finishes();
    visitor.sees_status(Status::Idle).await;
    visitor.sees_lines(&["user: Hello"]).await;
}

#[test]
async fn a_broken_connection_is_no_success_and_keeps_what_arrived() {
    let (visitor, call) = Visitor::greeting().await;
    call.says("m1", "Good");
    visitor.sees_lines(&["user: Hello", "agent: Good"]).await;
    call.breaks_off();
    visitor.sees_status(Status::Failed(Trouble::BrokeOff)).await;
    visitor.sees_lines(&["user: Hello", "agent: Good"]).await;
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
    assert_eq!(visitor.ask("c1").sending.get_untracked(), Sending::Idle);
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
    assert_eq!(visitor.ask("c1").sending.get_untracked(), Sending::Idle);
    visitor.sees_phase("c1", Phase::Answerable).await;
}

#[test]
async fn what_somebody_else_answered_first_is_shown() {
    let visitor = Visitor::asked().await;
    visitor.picks("c1", SIZE, 1);
    let winner = r#"{"code":"already_answered","message":"Another reply was first.","winner":
        {"id":"w","role":"tool","toolCallId":"c1","content":"{\"answers\":{\"Which size?\":\"Small\"}}"}}"#;
    Call::next().await.refuses(409, winner);
    visitor.sees_lines(&["user: Hello", "ask: answered"]).await;
    visitor.sees_status(Status::Idle).await;
    assert!(visitor.chat.send("And now?"));
    assert_eq!(
        roles(&Call::next().await),
        ["user", "assistant", "tool", "user"]
    );
}

#[test]
async fn two_interrupts_go_back_together() {
    let (visitor, call) = Visitor::greeting().await;
    call.asks("c1", SIZE);
    call.asks("c2", COLOUR);
    call.interrupts(r#"[{"id":"i1","reason":"tool_call","toolCallId":"c1"},{"id":"i2","reason":"tool_call","toolCallId":"c2"}]"#);
    visitor.sees_status(Status::Idle).await;
    visitor.picks("c1", SIZE, 0);
    assert_eq!(visitor.chat.status.get_untracked(), Status::Idle);
    visitor.picks("c2", COLOUR, 1);
    assert_eq!(Call::next().await.input.resume.iter().flatten().count(), 2);
}

#[test]
async fn an_interrupt_without_a_call_is_shown_after_what_was_said() {
    let (visitor, call) = Visitor::greeting().await;
    call.says("m1", "One thing.");
    call.interrupts(r#"[{"id":"i1","reason":"input_required","message":"Your name?","responseSchema":{"type":"object","properties":{"response":{"type":"string"}},"required":["response"]}}]"#);
    visitor
        .sees_lines(&["user: Hello", "agent: One thing.", "ask: answerable"])
        .await;
}

#[test]
async fn a_deadline_expires_the_ask_by_itself() {
    let (visitor, call) = Visitor::greeting().await;
    call.asks("c1", SIZE);
    let soon = js_sys::Date::new(&(js_sys::Date::now() + 60.0).into()).to_iso_string();
    call.interrupts(&format!(
        r#"[{{"id":"i1","reason":"tool_call","toolCallId":"c1","expiresAt":"{soon}"}}]"#
    ));
    visitor.sees_phase("c1", Phase::Answerable).await;
    visitor.sees_phase("c1", Phase::Expired).await;
}

#[test]
async fn a_text_that_a_snapshot_replaces_is_another_entry() {
    let (visitor, call) = Visitor::greeting().await;
    call.says("m1", "Good day");
    visitor
        .sees_lines(&["user: Hello", "agent: Good day"])
        .await;
    let before = visitor.keys();
    call.event(r#"{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m1","role":"assistant","content":"Bad weather"}]}"#);
    visitor.sees_lines(&["agent: Bad weather"]).await;
    assert!(!before.contains(&visitor.keys()[0]));
}

#[test]
async fn a_breach_of_protocol_ends_the_request() {
    let (visitor, call) = Visitor::greeting().await;
    call.event("[1]");
    visitor
        .sees("the failure", |chat| {
            matches!(
                chat.status.get_untracked(),
                Status::Failed(Trouble::Unreadable(_))
            )
        })
        .await;
    assert!(call.is_aborted());
}

fn roles(call: &Call) -> Vec<&'static str> {
    call.input.messages.iter().map(Message::role).collect()
}

/// `metadata.ask` of a message.
fn about(call: &Call, message: usize) -> serde_json::Value {
    call.input.messages[message]
        .metadata()
        .and_then(|metadata| metadata.get("ask"))
        .cloned()
        .expect("the message is about an ask")
}
