//! The user's words, wherever they get lost.

use crate::scripted_agent::{self, Call};
use crate::server::{Server, answer, answered, asking, hello, idle, run_finished};
use crate::visitor::{BOTH, COLOUR, SIZE, Visitor};
use agent_chat::{ChatOptions, Delivery, Status, Trouble};
use ask_user_question::reply::Selection;
use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A page to sign in, as a proxy sends it.
const SIGN_IN: &str = "<!doctype html><h1>Sign in</h1>";

/// A conversation in which another client's answer came first, and nothing happens any more.
fn answered_elsewhere() -> Value {
    let mut description = answered("other", "life-12m");
    description["state"] = json!({"type": "idle"});
    description["runId"].take();
    description
}

async fn sees_failure(visitor: &Visitor) {
    visitor.sees("the failure", |chat| matches!(chat.status.get_untracked(), Status::Failed(_))).await;
}

/// The part of a request beyond the history that the server has.
fn said(call: &Call) -> Vec<(String, String)> {
    let said = call.input.messages.iter().filter(|message| message.role() == "user");
    said.map(|message| (message.id().to_owned(), message.text().into_owned())).collect()
}

#[test]
async fn a_message_that_the_server_refuses_outlives_a_reload() {
    let refusal = r#"{"code":"no","message":"Not now."}"#;
    for (status, body) in
        [(401, refusal), (409, refusal), (429, refusal), (500, refusal), (503, refusal), (200, SIGN_IN)]
    {
        let server = Server::new();
        let visitor = Visitor::first(server.options());
        server.describes(idle(&[hello()], "life-2m")).await;
        visitor.sees_lines(&["user: Hello"]).await;
        assert!(visitor.chat.send("More"));
        let call = Call::next().await;
        call.refuses(status, body);
        if status == 409 {
            // Another tab was first with something: the server tells with what.
            server.describes(idle(&[hello()], "life-2m")).await;
        }
        sees_failure(&visitor).await;
        visitor.sees_lines(&["user: Hello", "user: More"]).await;
        drop(visitor);
        let visitor = Visitor::beside(server.options());
        server.describes(idle(&[hello()], "life-2m")).await;
        visitor.sees_lines(&["user: Hello", "user: More"]).await;
        visitor.sees_status(Status::Failed(Trouble::DeliveryUnknown)).await;
        visitor.chat.retry();
        assert_eq!(said(&Call::next().await), said(&call), "{status}");
    }
}

#[test]
async fn a_message_that_failed_goes_along_with_what_is_said_next() {
    let visitor = Visitor::first(ChatOptions::new("/agent"));
    visitor.chat.send("Hello");
    Call::next().await.refuses(500, "{}");
    sees_failure(&visitor).await;
    assert!(visitor.chat.send("Are you there?"));
    visitor.sees_lines(&["user: Hello", "user: Are you there?"]).await;
    let texts: Vec<_> = said(&Call::next().await).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["Hello", "Are you there?"]);
}

#[test]
async fn a_message_beside_a_reply_that_comes_second_still_goes() {
    let server = Server::new();
    let visitor = Visitor::first(server.options());
    server.describes(idle(&[hello()], "life-2m")).await;
    visitor.sees_lines(&["user: Hello"]).await;
    assert!(visitor.chat.send("Any news?"));
    Call::next().await.is_unreachable();
    server.describes(asking("life-9m")).await;
    visitor.sees_lines(&["user: Hello", "ask: answerable", "user: Any news?"]).await;
    visitor.picks("c1", SIZE, 1);
    let both = Call::next().await;
    both.refuses(409, &json!({"code": "already_answered", "message": "No.", "winner": answer("other")}).to_string());
    server.describes(answered_elsewhere()).await;
    let call = Call::next().await;
    assert_eq!(said(&call).last(), said(&both).last());
    assert_eq!(call.input.messages.iter().filter(|message| message.role() == "tool").count(), 1);
    visitor.sees_lines(&["user: Hello", "ask: answered", "user: Any news?"]).await;
}

/// A typed answer stands where it was not said, and its user can send it as a message.
async fn sees_typed_answer_come_second(visitor: &Visitor) {
    visitor.sees_lines(&["user: Hello", "ask: answered", "user: the blue one"]).await;
    visitor.sees_status(Status::Failed(Trouble::NotWaiting)).await;
    visitor.chat.retry();
    let texts: Vec<_> = said(&Call::next().await).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["Hello", "the blue one"]);
}

#[test]
async fn a_typed_answer_that_comes_second_stays_and_can_be_sent_as_a_message() {
    let server = Server::new();
    let (visitor, _stream) = server.asked_visitor().await;
    assert!(visitor.chat.send("the blue one"));
    let winner = json!({"code": "already_answered", "message": "No.", "winner": answer("other")});
    Call::next().await.refuses(409, &winner.to_string());
    server.describes(answered_elsewhere()).await;
    server.heard().await;
    sees_typed_answer_come_second(&visitor).await;

    // One that was lost on its way, while the agent goes on with the other answer.
    let server = Server::new();
    let (visitor, _stream) = server.asked_visitor().await;
    assert!(visitor.chat.send("the blue one"));
    Call::next().await.is_unreachable();
    server.describes(answered("other", "life-5m")).await;
    visitor.sees_status(Status::Running).await;
    server.heard().await.tells("", "life-6", &run_finished(&server.id, "r2"));
    sees_typed_answer_come_second(&visitor).await;
}

#[test]
async fn typed_answers_that_failed_stay_beside_the_next() {
    let visitor = Visitor::asked().await;
    for text in ["the blue one", "the red one"] {
        assert!(visitor.chat.send(text));
        Call::next().await.refuses(429, "{}");
        sees_failure(&visitor).await;
    }
    assert!(visitor.chat.send("the green one"));
    let call = Call::next().await;
    assert_eq!(said(&call).last().map(|(_, text)| text.as_str()), Some("the green one"));
    call.runs();
    let beside = ["user: the green one", "user: the blue one\nthe red one"];
    visitor.sees_lines(&["user: Hello", "ask: answered", beside[0], beside[1]]).await;
    visitor.sees_status(Status::Failed(Trouble::NotWaiting)).await;
    visitor.chat.retry();
    assert_eq!(said(&Call::next().await).last().map(|(_, text)| text.as_str()), Some("the blue one\nthe red one"));
}

#[test]
async fn a_typed_answer_that_arrived_unheard_is_not_said_twice() {
    let server = Server::new();
    let (visitor, _stream) = server.asked_visitor().await;
    assert!(visitor.chat.send("the blue one"));
    let lost = Call::next().await;
    lost.is_unreachable();
    server.describes(answered(&lost.reply_id(), "life-5m")).await;
    server.heard().await.tells("", "life-6", &run_finished(&server.id, "r2"));
    visitor.sees_lines(&["user: Hello", "ask: answered"]).await;
    visitor.sees_status(Status::Idle).await;
}

#[test]
async fn a_page_to_sign_in_is_no_acceptance() {
    let visitor = Visitor::asked().await;
    visitor.picks("c1", SIZE, 1);
    let first = Call::next().await;
    first.refuses(200, SIGN_IN);
    visitor.sees_failed_reply("c1").await;
    visitor.sees_lines(&["user: Hello", "ask: answerable"]).await;
    visitor.picks("c1", SIZE, 1);
    assert_eq!(Call::next().await.reply_id(), first.reply_id());
}

#[test]
async fn an_answer_to_a_page_to_sign_in_is_no_answer_by_rest() {
    let server = Server::new();
    let (visitor, _stream) = server.asked_visitor_with(server.options().with_delivery(Delivery::Endpoint)).await;
    visitor.picks("c1", SIZE, 1);
    server.posted("/respond").await.answers_with_page(SIGN_IN);
    visitor.sees_failed_reply("c1").await;
    visitor.sees_lines(&["user: Hello", "ask: answerable"]).await;
}

#[test]
async fn a_page_to_sign_in_is_no_history() {
    let server = Server::new();
    let visitor = Visitor::first(server.options());
    scripted_agent::clock_stands();
    server.asked("").await.answers_with_page(SIGN_IN);
    visitor.sees_unreadable().await;
    assert!(visitor.chat.send("More"), "it is held");
    visitor.chat.retry();
    server.describes(idle(&[hello()], "life-2m")).await;
    let call = Call::next().await;
    assert_eq!(said(&call).last().map(|(_, text)| text.as_str()), Some("More"));
    visitor.sees_lines(&["user: Hello", "user: More"]).await;
}

#[test]
async fn a_stream_under_another_name_is_a_stream() {
    let visitor = Visitor::first(ChatOptions::new("/agent"));
    visitor.chat.send("Hello");
    let call = Call::next().await;
    let run = &call.input.run_id;
    let started = json!({"type": "RUN_STARTED", "threadId": "t", "runId": run});
    let text = json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m1", "delta": "Good day"});
    let finished = json!({"type": "RUN_FINISHED", "threadId": "t", "runId": run});
    call.refuses(200, &format!("data: {started}\n\ndata: {text}\n\ndata: {finished}\n\n"));
    visitor.sees_lines(&["user: Hello", "agent: Good day"]).await;
    visitor.sees_status(Status::Idle).await;
}

#[test]
async fn picks_that_go_along_with_a_held_message_outlive_a_reload() {
    let server = Server::new();
    let waiting = |last_id: &str| {
        let mut description = asking(last_id);
        description["messages"][1]["toolCalls"][0]["function"]["arguments"] = BOTH.into();
        description
    };
    let visitor = Visitor::first(server.options());
    server.describes(waiting("life-4m")).await;
    visitor.sees_lines(&["user: Hello", "ask: answerable"]).await;
    let large = Selection::picked(0, [1]);
    visitor.chat.set_picks("c1", vec![large]);
    assert!(visitor.chat.send("Please stop asking"));
    Call::next().await;
    drop(visitor);
    let visitor = Visitor::beside(server.options());
    server.describes(waiting("life-4m")).await;
    visitor.sees_lines(&["user: Hello", "ask: answerable"]).await;
    let call = Call::next().await;
    let result: Value = serde_json::from_str(&call.input.messages[2].text()).expect("the result is JSON");
    assert_eq!(result["details"][0]["selected"][0]["label"], "Large");
}

/// A conversation that only the browser keeps.
fn kept(id: &str) -> ChatOptions {
    ChatOptions::new("/agent").resume(id)
}

#[test]
async fn a_message_that_was_not_accepted_does_not_stand_as_said_after_a_reload() {
    let visitor = Visitor::first(kept("not-accepted"));
    visitor.chat.send("Hello");
    let before = Call::next().await;
    drop(visitor);
    let visitor = Visitor::beside(kept("not-accepted"));
    visitor.sees_lines(&["user: Hello"]).await;
    visitor.sees_status(Status::Failed(Trouble::DeliveryUnknown)).await;
    visitor.sends_nothing().await;
    visitor.chat.retry();
    let again = Call::next().await;
    assert_eq!(said(&again), said(&before), "the same, once");
    again.runs();
    visitor.sees_status(Status::Idle).await;
    drop(visitor);
    let visitor = Visitor::beside(kept("not-accepted"));
    visitor.sees_lines(&["user: Hello"]).await;
    assert_eq!(visitor.chat.status.get_untracked(), Status::Idle);
}

#[test]
async fn a_typed_answer_that_was_not_accepted_is_not_lost_by_a_reload() {
    let visitor = Visitor::asked_with(kept("typed")).await;
    visitor.chat.send("the blue one");
    let before = Call::next().await;
    drop(visitor);
    let visitor = Visitor::beside(kept("typed"));
    visitor.sees_status(Status::Failed(Trouble::DeliveryUnknown)).await;
    visitor.sends_nothing().await;
    visitor.chat.retry();
    let again = Call::next().await;
    assert_eq!(again.reply_id(), before.reply_id());
    let texts = |call: &Call| call.input.messages.iter().map(|it| it.text().into_owned()).collect::<Vec<_>>();
    assert_eq!(texts(&again), texts(&before));
}

#[test]
async fn two_tabs_take_turns() {
    let here = Visitor::first(kept("turns"));
    let there = Visitor::beside(kept("turns"));
    here.chat.send("One");
    let one = Call::next().await;
    one.accept();
    assert!(there.chat.send("Two"));
    there.sees_last_line("user: Two").await;
    there.sends_nothing().await;
    one.says("m1", "First.");
    one.finishes();
    here.sees_status(Status::Idle).await;
    let two = Call::next().await;
    assert_eq!(said(&two).into_iter().map(|(_, text)| text).collect::<Vec<_>>(), ["One", "Two"]);
    two.runs_saying("m2", "Second.");
    let all = ["user: One", "agent: First.", "user: Two", "agent: Second."];
    there.sees_lines(&all).await;
    there.sees_status(Status::Idle).await;
    drop((here, there));
    let visitor = Visitor::beside(kept("turns"));
    visitor.sees_lines(&all).await;
}

#[test]
async fn a_reply_that_waits_for_another_keeps_no_tab_from_its_turn() {
    let visitor = Visitor::asked_twice_with(kept("two")).await;
    visitor.picks("c1", SIZE, 0);
    // Its turn comes, and the other ask has no reply yet.
    let picked = js_sys::Date::now();
    visitor.sees("its turn", |_| js_sys::Date::now() > picked + 200.0).await;
    assert_eq!(scripted_agent::waiting(), Vec::<String>::new());
    visitor.picks("c2", COLOUR, 1);
    let call = Call::next().await;
    assert_eq!(call.input.messages.iter().filter(|message| message.role() == "tool").count(), 2);
}

#[test]
async fn stop_does_not_drop_a_message_that_is_held() {
    let server = Server::new();
    let visitor = Visitor::first(server.options());
    assert!(visitor.chat.send("And the price?"));
    server.describes(answered("other", "life-5m")).await;
    let stream = server.heard().await;
    visitor.sees_status(Status::Running).await;
    visitor.chat.stop();
    server.posted("/cancel").await;
    stream.tells("", "life-6", &run_finished(&server.id, "r2"));
    let call = Call::next().await;
    assert_eq!(said(&call).pop().map(|(_, text)| text).as_deref(), Some("And the price?"));
}

#[test]
async fn a_network_that_returns_while_a_request_hangs_is_tried_at_once() {
    let server = Server::new();
    let (visitor, stream) = server.asked_visitor().await;
    scripted_agent::clock_stands();
    stream.breaks_off();
    let hanging = server.asked("/events").await;
    // The timers stand still: only what the browser tells can end the pause after the failure.
    scripted_agent::is_connected(true);
    hanging.is_unreachable();
    server.heard().await;
    drop(visitor);
}
