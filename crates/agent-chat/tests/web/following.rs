//! A conversation that its server has: it comes back, goes on and stays in step.

use crate::scripted_agent::{self, Call, Request};
use crate::server::{
    Server, answer, answered, asking, calling, hello, idle, run_finished, run_started, says, size_call,
};
use crate::visitor::{COLOUR, SIZE, Visitor};
use agent_chat::{ChatOptions, Connection, Delivery, Status, Trouble};
use ask_user_question::Phase;
use ask_user_question::snapshot::ReplyState;
use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
async fn a_conversation_comes_back_with_the_question_that_waits() {
    let server = Server::new();
    let visitor = Visitor::first(server.options());
    server.describes(asking("life-4m")).await;
    visitor.sees_lines(&["user: Hello", "ask: answerable"]).await;
    let stream = server.asked("/events").await;
    assert_eq!(stream.header("last-event-id").as_deref(), Some("life-4m"));
    let waiting = visitor.chat.waiting.get_untracked();
    assert_eq!(waiting[0].tool_call_id, "c1");
    visitor.picks("c1", SIZE, 1);
    let call = Call::next().await;
    assert_eq!(call.input.thread_id, server.id);
    assert_eq!(call.input.messages[2].text(), r#"{"answers":{"Which size?":"Large"}}"#);
}

#[test]
async fn a_run_that_is_under_way_goes_on_where_it_is() {
    let server = Server::new();
    let visitor = Visitor::first(server.options());
    server.describes(answered("reply", "9-0m")).await;
    visitor.sees_status(Status::Running).await;
    let stream = server.heard().await;
    stream.tells("state_change", "9-0m", &json!({"type": "llm_requesting"}));
    stream.tells("", "9-0", &run_started(&server.id, "r2", json!([])));
    stream.tells("", "9-1", &says("m1", "Large it "));
    visitor.sees_lines(&["user: Hello", "ask: answered", "agent: Large it "]).await;
    assert!(!visitor.chat.send("Wait"), "the agent is at work");
    // A commit begins the next revision. What another connection tells again is known.
    stream.tells("", "a-0", &says("m1", "is."));
    stream.tells("", "9-1", &says("m1", "Large it "));
    stream.tells("", "a-1s", &run_finished(&server.id, "r2"));
    visitor.sees_lines(&["user: Hello", "ask: answered", "agent: Large it is."]).await;
    visitor.sees_status(Status::Idle).await;
}

#[test]
async fn a_stream_that_breaks_goes_on_within_a_message() {
    let server = Server::new();
    let (visitor, stream) = server.asked_visitor().await;
    stream.tells("", "life-5", &run_started(&server.id, "r2", json!([answer("reply")])));
    stream.tells("", "life-6", &says("m1", "Large "));
    visitor.sees_lines(&["user: Hello", "ask: answered", "agent: Large "]).await;
    stream.breaks_off();
    let next = server.asked("/events").await;
    assert_eq!(next.header("last-event-id").as_deref(), Some("life-6"));
    next.streams();
    // First a known event, then the missed ones.
    next.tells("", "life-6", &says("m1", "Large "));
    next.tells("", "life-7", &says("m1", "it is."));
    visitor.sees_lines(&["user: Hello", "ask: answered", "agent: Large it is."]).await;
}

#[test]
async fn a_server_that_is_not_there_is_tried_again_and_that_is_shown() {
    let server = Server::new();
    let (visitor, stream) = server.asked_visitor().await;
    visitor.sees_connection(Connection::Online).await;
    stream.breaks_off();
    server.asked("/events").await.is_unreachable();
    visitor.sees_connection(Connection::Reconnecting).await;
    // The browser has found a network: there is no reason to wait any longer.
    scripted_agent::is_connected(true);
    let next = server.heard().await;
    visitor.sees_connection(Connection::Online).await;
    drop(next);
}

#[test]
async fn requests_that_are_lost_while_the_server_is_there_are_sent_again_less_and_less_often() {
    let server = Server::new();
    let (visitor, _stream) = server.asked_visitor().await;
    scripted_agent::clock_stands();
    visitor.picks("c1", SIZE, 1);
    // A proxy limits requests, and answers as for a server that is away.
    Call::next().await.refuses(503, "<h1>Slow down</h1>");
    server.describes(asking("life-4m")).await;
    Call::next().await.refuses(503, "<h1>Slow down</h1>");
    visitor.sees_connection(Connection::Reconnecting).await;
    scripted_agent::tick().await;
    assert_eq!(scripted_agent::waiting(), Vec::<String>::new());
    scripted_agent::passes(2_000);
    server.describes(asking("life-4m")).await;
    Call::next().await.runs();
    visitor.sees_lines(&["user: Hello", "ask: answered"]).await;
    visitor.sees_connection(Connection::Online).await;
}

#[test]
async fn a_server_that_does_not_let_the_page_in_any_more_is_not_called_away() {
    let server = Server::new();
    let (visitor, stream) = server.asked_visitor().await;
    stream.breaks_off();
    let refusal = json!({"code": "unauthorized", "message": "No token."});
    server.asked("/events").await.answers(401, &refusal);
    server.asked("").await.answers(401, &refusal);
    let message = Some("No token.".to_owned());
    visitor.sees_status(Status::Failed(Trouble::Refused { status: 401, message })).await;
    assert_eq!(visitor.chat.connection.get_untracked(), Connection::Online);
    // The user has signed in again, in another tab.
    visitor.chat.retry();
    server.describes(asking("life-4m")).await;
    visitor.sees_status(Status::Idle).await;
    server.heard().await;
}

#[test]
async fn without_a_network_the_page_says_so() {
    let server = Server::new();
    let (visitor, stream) = server.asked_visitor().await;
    scripted_agent::is_connected(false);
    visitor.sees_connection(Connection::Offline).await;
    visitor.sees("the stream given up", |_| stream.is_aborted()).await;
    server.asked("/events").await.is_unreachable();
    scripted_agent::is_connected(true);
    server.heard().await;
    visitor.sees_connection(Connection::Online).await;
}

#[test]
async fn a_server_that_was_started_again_tells_everything_again() {
    let server = Server::new();
    let (visitor, stream) = server.asked_visitor().await;
    let before = visitor.keys();
    stream.tells("reset", "", &json!({}));
    let none = run_started(&server.id, "r9", json!([]));
    stream.tells("", "", &none);
    let history =
        json!([hello(), size_call(), answer("reply"), {"id": "m1", "role": "assistant", "content": "Large it is."}]);
    stream.tells("", "", &json!({"type": "MESSAGES_SNAPSHOT", "messages": history}));
    stream.tells("", "other-0", &run_finished(&server.id, "r9"));
    visitor.sees_lines(&["user: Hello", "ask: answered", "agent: Large it is."]).await;
    assert_eq!(visitor.keys()[..2], before[..], "what was shown stays");
    visitor.sees_status(Status::Idle).await;
    stream.tells(
        "",
        "other-1",
        &run_started(&server.id, "r10", json!([{"id": "u9", "role": "user", "content": "More"}])),
    );
    visitor.sees_lines(&["user: Hello", "ask: answered", "agent: Large it is.", "user: More"]).await;
}

#[test]
async fn what_is_missing_is_asked_for() {
    let server = Server::new();
    let (visitor, stream) = server.asked_visitor().await;
    stream.tells("", "life-9", &says("m1", "is."));
    server.describes(answered("reply", "life-9m")).await;
    visitor.sees_lines(&["user: Hello", "ask: answered"]).await;
    let next = server.asked("/events").await;
    assert_eq!(next.header("last-event-id").as_deref(), Some("life-9m"));
}

#[test]
async fn what_another_client_says_and_hears_is_shown() {
    let server = Server::new();
    let (visitor, stream) = server.asked_visitor().await;
    let said = json!([answer("other"), {"id": "u2", "role": "user", "content": "Large", "metadata": answer("other")["metadata"]}]);
    stream.tells("", "life-5", &run_started(&server.id, "r2", said));
    stream.tells("state_change", "life-6", &json!({"type": "llm_requesting"}));
    stream.tells("", "life-7", &says("m1", "Large it is."));
    visitor.sees_lines(&["user: Hello", "ask: answered", "agent: Large it is."]).await;
    visitor.sees_status(Status::Running).await;
    stream.tells("", "life-8", &run_finished(&server.id, "r2"));
    visitor.sees_status(Status::Idle).await;
}

#[test]
async fn a_run_of_ones_own_is_not_shown_twice() {
    let server = Server::new();
    let (visitor, stream) = server.asked_visitor().await;
    visitor.picks("c1", SIZE, 1);
    let call = Call::next().await;
    call.accept();
    let said = serde_json::to_value(&call.input.messages[2..]).expect("messages are JSON");
    let run = &call.input.run_id;
    stream.tells("", "life-5", &run_started(&server.id, run, said));
    stream.tells("", "life-6", &says("m1", "Large "));
    call.says("m1", "Large ");
    call.says("m1", "it is.");
    call.finishes();
    stream.tells("", "life-7", &says("m1", "it is."));
    stream.tells("", "life-8", &run_finished(&server.id, run));
    visitor.sees_status(Status::Idle).await;
    // Later events are shown again.
    stream.tells(
        "",
        "life-9",
        &run_started(&server.id, "r3", json!([{"id": "u9", "role": "user", "content": "More"}])),
    );
    visitor.sees_lines(&["user: Hello", "ask: answered", "agent: Large it is.", "user: More"]).await;
}

#[test]
async fn a_response_that_breaks_off_is_taken_up_from_the_server() {
    let server = Server::new();
    let (visitor, stream) = server.asked_visitor().await;
    visitor.picks("c1", SIZE, 1);
    let call = Call::next().await;
    call.accept();
    call.says("m1", "Large ");
    visitor.sees_lines(&["user: Hello", "ask: answered", "agent: Large "]).await;
    call.breaks_off();
    let mut description = answered("reply", "life-7m");
    description["runId"] = call.input.run_id.as_str().into();
    server.describes(description).await;
    visitor.sees_status(Status::Running).await;
    visitor.sees("the old stream given up", |_| stream.is_aborted()).await;
    let next = server.heard().await;
    next.tells("", "life-8", &says("m1", "Large "));
    next.tells("", "life-9", &says("m1", "it is."));
    next.tells("", "life-10", &run_finished(&server.id, &call.input.run_id));
    visitor.sees_lines(&["user: Hello", "ask: answered", "agent: Large it is."]).await;
    visitor.sees_status(Status::Idle).await;
}

#[test]
async fn a_reply_that_was_lost_on_its_way_goes_again_as_the_same_reply() {
    let server = Server::new();
    let (visitor, _stream) = server.asked_visitor().await;
    visitor.picks("c1", SIZE, 1);
    let lost = Call::next().await;
    lost.is_unreachable();
    let unanswered = server.asked("").await;
    assert_eq!(visitor.reply_to("c1"), ReplyState::Sending);
    unanswered.is_unreachable();
    visitor.sees_connection(Connection::Reconnecting).await;
    scripted_agent::is_connected(true);
    server.describes(asking("other-4m")).await;
    let again = Call::next().await;
    assert_eq!(lost.reply_id(), again.reply_id());
    assert_ne!(lost.input.run_id, again.input.run_id);
    again.runs();
    visitor.sees_lines(&["user: Hello", "ask: answered"]).await;
    assert_eq!(visitor.reply_to("c1"), ReplyState::None);
}

#[test]
async fn a_reply_that_arrived_unheard_is_not_sent_again() {
    let server = Server::new();
    let (visitor, stream) = server.asked_visitor().await;
    visitor.picks("c1", SIZE, 1);
    let call = Call::next().await;
    call.is_unreachable();
    server.describes(answered(&call.reply_id(), "life-5m")).await;
    visitor.sees_lines(&["user: Hello", "ask: answered"]).await;
    visitor.sees_status(Status::Running).await;
    visitor.sees("the old stream given up", |_| stream.is_aborted()).await;
    let next = server.heard().await;
    next.tells("", "life-6", &run_finished(&server.id, "r2"));
    visitor.sees_status(Status::Idle).await;
    assert_eq!(scripted_agent::waiting(), Vec::<String>::new());
    assert_eq!(visitor.reply_to("c1"), ReplyState::None);
}

#[test]
async fn a_reply_on_its_way_survives_a_reload() {
    let server = Server::new();
    let (visitor, _stream) = server.asked_visitor().await;
    visitor.picks("c1", SIZE, 1);
    let before = Call::next().await;
    drop(visitor);
    let visitor = Visitor::beside(server.options());
    server.describes(asking("life-4m")).await;
    let again = Call::next().await;
    assert_eq!(before.reply_id(), again.reply_id());
    assert_eq!(visitor.reply_to("c1"), ReplyState::Sending);
    again.runs();
    visitor.sees_lines(&["user: Hello", "ask: answered"]).await;
    drop(visitor);
    // Once it is there, nothing is sent any more.
    let visitor = Visitor::beside(server.options());
    server.describes(asking("life-4m")).await;
    server.heard().await;
    visitor.sees_lines(&["user: Hello", "ask: answerable"]).await;
    assert_eq!(visitor.reply_to("c1"), ReplyState::None);
    assert_eq!(scripted_agent::waiting(), Vec::<String>::new());
}

#[test]
async fn a_message_on_its_way_survives_a_reload() {
    let server = Server::new();
    let nothing = idle(&[], "life-0m");
    let visitor = Visitor::first(server.options());
    server.describes(nothing.clone()).await;
    visitor.sees("the way free", |chat| chat.send("Hello")).await;
    let before = Call::next().await;
    drop(visitor);
    let visitor = Visitor::beside(server.options());
    server.describes(nothing).await;
    let again = Call::next().await;
    assert_eq!(before.input.messages, again.input.messages);
    visitor.sees_lines(&["user: Hello"]).await;
}

#[test]
async fn what_is_said_before_the_server_is_there_is_said_then() {
    let server = Server::new();
    let visitor = Visitor::first(server.options());
    assert!(visitor.chat.send("large"));
    assert!(!visitor.chat.send("Once more"), "one thing after the other");
    visitor.sees_lines(&["user: large"]).await;
    server.asked("").await.is_unreachable();
    visitor.sees_connection(Connection::Reconnecting).await;
    visitor.sees_lines(&["user: large"]).await;
    scripted_agent::is_connected(true);
    server.describes(asking("life-4m")).await;
    // It turns out to be the answer to what waits.
    let call = Call::next().await;
    assert_eq!(call.input.messages[2].text(), r#"{"answers":{"Which size?":"Large"}}"#);
    call.accept();
    visitor.sees_lines(&["user: Hello", "ask: answered", "user: Large"]).await;
}

#[test]
async fn what_was_said_before_a_question_came_does_not_answer_it() {
    let server = Server::new();
    let visitor = Visitor::first(server.options());
    server.describes(idle(&[hello()], "life-2m")).await;
    server.heard().await;
    assert!(visitor.chat.send("Any news?"));
    Call::next().await.is_unreachable();
    // Meanwhile the agent has asked, in another tab.
    server.describes(asking("life-9m")).await;
    visitor.sees_lines(&["user: Hello", "ask: answerable", "user: Any news?"]).await;
    assert_eq!(visitor.reply_to("c1"), ReplyState::None);
    visitor.picks("c1", SIZE, 1);
    let call = Call::next().await;
    let said: Vec<_> = call.input.messages.iter().map(|it| it.text()).collect();
    assert!(said.ends_with(&["Large".into(), "Any news?".into()]), "{said:?}");
}

/// A conversation in which another client has answered the question, and the agent has asked the next one.
fn asking_next() -> Value {
    json!({
        "messages": [hello(), size_call(), answer("other"), calling("a2", "c2", "ask_user_question", COLOUR)],
        "state": {"type": "awaiting_user_response", "toolCallId": "c2"},
        "pending": [{"toolCallId": "c2"}],
        "lastEventId": "life-9m",
    })
}

/// The server comes back, and the visitor's text stands below a question that it does not answer.
async fn answers_no_later_question(server: &Server, visitor: &Visitor) {
    scripted_agent::is_connected(true);
    server.describes(asking_next()).await;
    visitor.sees_lines(&["user: Hello", "ask: answered", "ask: answerable", "user: blue"]).await;
    assert_eq!(visitor.reply_to("c2"), ReplyState::None);
    visitor.picks("c2", COLOUR, 0);
    let call = Call::next().await;
    let said: Vec<_> = call.input.messages.iter().map(|it| it.text()).collect();
    assert!(said.ends_with(&["Red".into(), "blue".into()]), "{said:?}");
}

#[test]
async fn what_was_said_while_the_server_was_away_answers_no_question_that_came_meanwhile() {
    // Beside a reply that is on its way.
    let server = Server::new();
    let (visitor, _stream) = server.asked_visitor().await;
    visitor.picks("c1", SIZE, 1);
    Call::next().await.is_unreachable();
    server.asked("").await.is_unreachable();
    visitor.sees_connection(Connection::Reconnecting).await;
    assert!(visitor.chat.send("blue"));
    answers_no_later_question(&server, &visitor).await;

    // As the answer to the question that was shown.
    let server = Server::new();
    let (visitor, stream) = server.asked_visitor().await;
    stream.tells("", "life-9", &says("m1", "is."));
    server.asked("").await.is_unreachable();
    visitor.sees_connection(Connection::Reconnecting).await;
    assert!(visitor.chat.send("blue"));
    assert_eq!(visitor.reply_to("c1"), ReplyState::Sending);
    answers_no_later_question(&server, &visitor).await;
}

#[test]
async fn rest_delivers_and_what_follows_comes_by_the_events() {
    let server = Server::new();
    let options = server.options().with_delivery(Delivery::Endpoint);
    let (visitor, stream) = server.asked_visitor_with(options).await;
    visitor.picks("c1", SIZE, 1);
    let post = server.posted("/respond").await;
    let body = post.body();
    assert_eq!(body["answers"], json!({"Which size?": "Large"}));
    assert_eq!(body["toolCallId"], "c1");
    assert!(body["replyId"].is_string());
    stream.tells("", "life-5", &run_started(&server.id, "r2", json!([])));
    let result = answer(body["replyId"].as_str().expect("it is text"));
    stream.tells("", "life-6", &json!({"type": "TOOL_CALL_RESULT", "messageId": "t1", "toolCallId": "c1", "content": result["content"], "metadata": result["metadata"]}));
    post.answers(200, &json!({"state": {"type": "llm_requesting"}}));
    stream.tells("", "life-7", &says("m1", "Large it is."));
    stream.tells("", "life-8", &run_finished(&server.id, "r2"));
    visitor.sees_lines(&["user: Hello", "ask: answered", "agent: Large it is."]).await;
    visitor.sees_status(Status::Idle).await;
    assert_eq!(visitor.reply_to("c1"), ReplyState::None);
}

#[test]
async fn rest_cancels() {
    let server = Server::new();
    let options = server.options().with_delivery(Delivery::Endpoint);
    let (visitor, _stream) = server.asked_visitor_with(options).await;
    visitor.chat.cancel("c1");
    let post = server.posted("/cancel").await;
    assert_eq!(post.body(), json!({"toolCallId": "c1"}));
    post.answers(200, &json!({"state": {"type": "idle"}}));
    visitor.sees_lines(&["user: Hello", "ask: declined"]).await;
}

#[test]
async fn what_rest_can_not_express_goes_in_a_run() {
    let server = Server::new();
    let visitor = Visitor::first(server.options().with_delivery(Delivery::Endpoint));
    server.describes(idle(&[], "life-0m")).await;
    visitor.sees("the way free", |chat| chat.send("Hello")).await;
    assert_eq!(Call::next().await.input.messages[0].text(), "Hello");
}

#[test]
async fn an_answer_by_rest_that_came_second_shows_the_first() {
    let server = Server::new();
    let options = server.options().with_delivery(Delivery::Endpoint);
    let (visitor, _stream) = server.asked_visitor_with(options).await;
    visitor.picks("c1", SIZE, 0);
    let winner = json!({"code": "already_answered", "message": "Another reply was first.", "winner": answer("other")});
    server.posted("/respond").await.answers(409, &winner);
    visitor.sees_lines(&["user: Hello", "ask: answered"]).await;
}

#[test]
async fn a_run_that_died_with_its_server_is_called_back_to_life() {
    let server = Server::new();
    let visitor = Visitor::first(server.options());
    let mut description = answered("reply", "life-5m");
    description["runId"].take();
    server.describes(description).await;
    server.heard().await;
    let call = Call::next().await;
    assert_eq!(call.input.messages, []);
    call.runs_saying("m1", "Large it is.");
    visitor.sees_lines(&["user: Hello", "ask: answered", "agent: Large it is."]).await;
    assert_eq!(scripted_agent::waiting(), Vec::<String>::new());
}

#[test]
async fn a_conversation_that_is_gone_is_started_again() {
    let server = Server::new();
    let (visitor, stream) = server.asked_visitor().await;
    let none = json!({"code": "not_found", "message": "There is no such conversation."});
    stream.ends();
    server.asked("/events").await.answers(404, &none);
    visitor.sees_status(Status::Failed(Trouble::Gone)).await;
    visitor.sees_phase("c1", Phase::Interrupted).await;
    assert!(visitor.chat.send("Hello again"));
    let call = Call::next().await;
    assert_eq!(call.input.messages.len(), 4);
    call.runs();
    server.asked("").await;
}

/// A newcomer, whose conversation no server knows.
async fn newcomer() -> (Visitor, Server) {
    let visitor = Visitor::first(ChatOptions::new("/agent").behind_question_server());
    let id = visitor.chat.conversation_id();
    (visitor, Server { id })
}

fn no_conversation() -> Value {
    json!({"code": "not_found", "message": "There is no such conversation."})
}

#[test]
async fn a_first_message_that_was_lost_goes_again_when_the_server_is_back() {
    let (visitor, server) = newcomer().await;
    assert!(visitor.chat.send("Hello"));
    let lost = Call::next().await;
    assert_eq!(lost.path(), format!("/conversations/{}/agent", server.id), "a balancer sees which it is");
    lost.is_unreachable();
    server.asked("").await.is_unreachable();
    visitor.sees_connection(Connection::Reconnecting).await;
    visitor.sees_lines(&["user: Hello"]).await;
    scripted_agent::is_connected(true);
    server.asked("").await.answers(404, &no_conversation());
    let call = Call::next().await;
    let ids = |call: &Call| -> Vec<String> {
        let messages = call.input.messages.iter();
        messages.map(|message| message.id().to_owned()).collect()
    };
    assert_eq!(ids(&call), ids(&lost), "the same message, once");
    call.runs_saying("m1", "Good day");
    visitor.sees_lines(&["user: Hello", "agent: Good day"]).await;
    visitor.sees_status(Status::Idle).await;
    // A run that has started is followed.
    server.asked("").await;
}

#[test]
async fn a_first_message_that_arrived_unheard_is_not_sent_again() {
    let (visitor, server) = newcomer().await;
    assert!(visitor.chat.send("Hello"));
    let lost = Call::next().await;
    lost.is_unreachable();
    let mut description = asking("life-4m");
    description["messages"][0]["id"] = lost.input.messages[0].id().into();
    server.describes(description).await;
    visitor.sees_lines(&["user: Hello", "ask: answerable"]).await;
    server.heard().await;
    visitor.sends_nothing().await;
}

#[test]
async fn after_the_first_message_is_stopped_another_can_be_sent() {
    let (visitor, server) = newcomer().await;
    assert!(visitor.chat.send("Hello"));
    let first = Call::next().await;
    visitor.chat.stop();
    visitor.sees("the request given up", |_| first.is_aborted()).await;
    visitor.sees_status(Status::Idle).await;
    server.asked("").await.answers(404, &no_conversation());
    visitor.sees("a second message taken", |chat| chat.send("Good day")).await;
    let call = Call::next().await;
    assert_eq!(call.input.messages.last().expect("it says it").text(), "Good day");
    visitor.sees_status(Status::Running).await;
}

#[test]
async fn a_conversation_that_is_gone_takes_what_was_lost_on_its_way() {
    let server = Server::new();
    let (visitor, _stream) = server.asked_visitor().await;
    visitor.picks("c1", SIZE, 1);
    Call::next().await.runs();
    visitor.sees_status(Status::Idle).await;
    assert!(visitor.chat.send("More"));
    Call::next().await.is_unreachable();
    server.asked("").await.answers(404, &no_conversation());
    let again = Call::next().await.input.messages;
    let texts: Vec<_> = again.iter().map(|message| message.text()).collect();
    assert_eq!(texts.iter().filter(|text| *text == "More").count(), 1);
    visitor.sees_status(Status::Running).await;
}

#[test]
async fn whether_a_conversation_is_still_to_come_back_is_known() {
    let server = Server::new();
    let visitor = Visitor::first(server.options());
    assert!(visitor.chat.restoring.get_untracked());
    server.asked("").await.is_unreachable();
    visitor.sees_connection(Connection::Reconnecting).await;
    assert!(visitor.chat.restoring.get_untracked());
    scripted_agent::is_connected(true);
    server.describes(asking("life-4m")).await;
    visitor.sees_lines(&["user: Hello", "ask: answerable"]).await;
    assert!(!visitor.chat.restoring.get_untracked());
    server.heard().await;
    let (newcomer, _) = newcomer().await;
    assert!(!newcomer.chat.restoring.get_untracked());
}

#[test]
async fn what_another_tab_tells_from_the_beginning_is_all_there_is_to_come_back() {
    let server = Server::new();
    let (_first, stream) = server.asked_visitor().await;
    let second = Visitor::beside(server.options());
    server.asked("").await;
    assert!(second.chat.restoring.get_untracked());
    stream.tells("reset", "", &json!({}));
    stream.tells("", "", &run_started(&server.id, "r9", json!([])));
    let history = json!({"type": "MESSAGES_SNAPSHOT", "messages": [hello()]});
    stream.tells("", "", &history);
    stream.tells("", "other-0", &run_finished(&server.id, "r9"));
    second.sees_lines(&["user: Hello"]).await;
    assert!(!second.chat.restoring.get_untracked());
}

#[test]
async fn a_failed_run_is_shown_after_a_reload_and_can_be_tried_again() {
    let server = Server::new();
    let visitor = Visitor::first(server.options());
    let mut description = idle(&[hello()], "life-3m");
    description["state"] = json!({"type": "failed", "reason": "The model is overloaded."});
    server.describes(description).await;
    let reason = Trouble::Agent("The model is overloaded.".to_owned());
    visitor.sees_status(Status::Failed(reason)).await;
    visitor.chat.retry();
    assert_eq!(Call::next().await.input.messages.len(), 1);
}

#[test]
async fn a_failed_run_can_be_tried_again_although_an_answer_before_it_came_too_late() {
    let server = Server::new();
    let (visitor, stream) = server.asked_visitor().await;
    visitor.picks("c1", SIZE, 1);
    Call::next().await.refuses(429, "{}");
    visitor.sees_failed_reply("c1").await;
    let waits = json!({"type": "awaiting_user_response", "toolCallId": "c1", "expiresAt": "2020-01-01T00:00:00Z"});
    stream.tells("state_change", "life-4m", &waits);
    visitor.sees_phase("c1", Phase::Expired).await;
    assert!(visitor.chat.send("And now?"));
    let call = Call::next().await;
    call.accept();
    call.errs("out of credit");
    visitor.sees_status(Status::Failed(Trouble::Agent("out of credit".to_owned()))).await;
    visitor.chat.retry();
    visitor.sees("another run", |_| scripted_agent::waiting() == ["POST /agent"]).await;
    assert_eq!(Call::next().await.input.messages.last().expect("it says something").text(), "And now?");
}

/// A visitor who was asked, and whose agent runs since somebody else has answered.
async fn watches_a_run(server: &Server) -> (Visitor, Request) {
    let (visitor, stream) = server.asked_visitor().await;
    stream.tells("", "life-5", &run_started(&server.id, "r2", json!([answer("other")])));
    visitor.sees_status(Status::Running).await;
    (visitor, stream)
}

/// The server takes what the user has said last, and shows the beginning of what the agent says to that.
async fn begins_to_answer(visitor: &Visitor, call: &Call) {
    call.accept();
    call.says("m1", "Let me th");
    visitor.sees_last_line("agent: Let me th").await;
}

#[test]
async fn stop_asks_the_server_to_end_the_run() {
    let server = Server::new();
    let (visitor, stream) = watches_a_run(&server).await;
    visitor.chat.stop();
    let post = server.posted("/cancel").await;
    assert_eq!(post.body(), json!({"runId": "r2"}));
    stream.tells("", "life-6", &run_finished(&server.id, "r2"));
    post.answers(200, &json!({"state": {"type": "idle"}}));
    let mut description = answered("other", "life-6m");
    description["state"] = json!({"type": "idle"});
    description["runId"].take();
    server.describes(description).await;
    visitor.sees_status(Status::Idle).await;
    // One's own.
    visitor.sees("the way free", |chat| chat.send("More")).await;
    let call = Call::next().await;
    begins_to_answer(&visitor, &call).await;
    visitor.chat.stop();
    let post = server.posted("/cancel").await;
    assert_eq!(post.body(), json!({"runId": call.input.run_id}));
    post.answers(500, &json!({}));
    visitor.sees("the request given up", |_| call.is_aborted()).await;
}

#[test]
async fn stop_ends_no_run_but_the_one_that_it_was_meant_for() {
    let server = Server::new();
    let (visitor, stream) = server.asked_visitor().await;
    visitor.picks("c1", SIZE, 1);
    let call = Call::next().await;
    begins_to_answer(&visitor, &call).await;
    visitor.chat.stop();
    let post = server.posted("/cancel").await;
    call.finishes();
    visitor.sees_status(Status::Idle).await;
    visitor.sees("the way free", |chat| chat.send("More")).await;
    let next = Call::next().await;
    post.is_unreachable();
    visitor.sees("that the page looks again", |_| stream.is_aborted()).await;
    assert!(!next.is_aborted());
}

#[test]
async fn an_event_id_that_no_header_can_carry_is_left_out() {
    let server = Server::new();
    let visitor = Visitor::first(server.options());
    server.describes(asking("\u{2603}-4m")).await;
    let stream = server.heard().await;
    assert_eq!(stream.header("last-event-id"), None);
    visitor.sees_lines(&["user: Hello", "ask: answerable"]).await;
}

#[test]
async fn a_page_that_nobody_sees_leaves_the_stream_to_others() {
    let server = Server::new();
    let (visitor, stream) = watches_a_run(&server).await;
    scripted_agent::is_shown(false);
    scripted_agent::tick().await;
    assert!(!stream.is_aborted(), "somebody waits for the agent's answer");
    stream.tells("", "life-6", &run_finished(&server.id, "r2"));
    visitor.sees_status(Status::Idle).await;
    visitor.sees("the stream given up", |_| stream.is_aborted()).await;
    assert_eq!(scripted_agent::waiting(), Vec::<String>::new());
    scripted_agent::is_shown(true);
    let next = server.asked("/events").await;
    assert_eq!(next.header("last-event-id").as_deref(), Some("life-6"));
}

#[test]
async fn a_page_that_is_left_during_a_run_leaves_the_stream_to_the_next() {
    let server = Server::new();
    let (left, stream) = watches_a_run(&server).await;
    scripted_agent::tells("pagehide");
    left.sees("the stream given up", |_| stream.is_aborted()).await;
    scripted_agent::tick().await;
    assert_eq!(scripted_agent::waiting(), Vec::<String>::new(), "the browser may keep the page as it is");
    let next = Visitor::beside(server.options());
    server.describes(answered("reply", "life-5m")).await;
    server.heard().await.tells("", "life-6", &run_finished(&server.id, "r2"));
    next.sees_status(Status::Idle).await;
    drop(next);

    // The browser comes back to it.
    scripted_agent::tick().await;
    left.sees_status(Status::Running).await;
    scripted_agent::tells("pageshow");
    server.describes(asking("life-9m")).await;
    left.sees_lines(&["user: Hello", "ask: answerable"]).await;
    let again = server.asked("/events").await;
    assert_eq!(again.header("last-event-id").as_deref(), Some("life-9m"));
}

#[test]
async fn tabs_share_one_stream_and_when_its_holder_leaves_another_takes_over() {
    let server = Server::new();
    let (first, stream) = server.asked_visitor().await;
    let second = Visitor::beside(server.options());
    server.describes(asking("life-4m")).await;
    second.sees_phase("c1", Phase::Answerable).await;
    stream.tells("", "life-5", &run_started(&server.id, "r2", json!([answer("other")])));
    stream.tells("", "life-6", &says("m1", "Large "));
    for tab in [&first, &second] {
        tab.sees_lines(&["user: Hello", "ask: answered", "agent: Large "]).await;
    }
    assert_eq!(scripted_agent::waiting(), Vec::<String>::new(), "one stream is enough");
    drop(first);
    let next = server.asked("/events").await;
    assert_eq!(next.header("last-event-id").as_deref(), Some("life-6"));
    next.streams();
    next.tells("", "life-7", &says("m1", "it is."));
    second.sees_lines(&["user: Hello", "ask: answered", "agent: Large it is."]).await;
}

#[test]
async fn a_tab_that_opens_during_a_run_sees_all_of_it() {
    let server = Server::new();
    let (first, stream) = server.asked_visitor().await;
    stream.tells("", "life-5", &run_started(&server.id, "r2", json!([answer("other")])));
    stream.tells("", "life-6", &says("m1", "Large "));
    first.sees_lines(&["user: Hello", "ask: answered", "agent: Large "]).await;
    let second = Visitor::beside(server.options());
    server.describes(answered("other", "life-5m")).await;
    second.sees_lines(&["user: Hello", "ask: answered", "agent: Large "]).await;
    stream.tells("", "life-7", &says("m1", "it is."));
    second.sees_lines(&["user: Hello", "ask: answered", "agent: Large it is."]).await;
}

#[test]
async fn a_history_that_is_too_long_for_an_event_is_asked_for_by_every_tab() {
    let server = Server::new();
    let (first, stream) = server.asked_visitor().await;
    let second = Visitor::beside(server.options());
    server.describes(asking("life-4m")).await;
    second.sees_phase("c1", Phase::Answerable).await;
    stream.tells("reset", "", &json!({}));
    stream.tells("", "", &run_started(&server.id, "r9", json!([])));
    let long = json!({"id": "m9", "role": "assistant", "content": "x".repeat(11 << 20)});
    stream.tells("", "", &json!({"type": "MESSAGES_SNAPSHOT", "messages": [hello(), long]}));
    for _ in 0..2 {
        first.sees("a request for the history", |_| !scripted_agent::waiting().is_empty()).await;
        server.describes(answered("other", "other-5m")).await;
    }
    for tab in [&first, &second] {
        tab.sees_lines(&["user: Hello", "ask: answered"]).await;
    }
    server.heard().await.tells("", "other-6", &run_finished(&server.id, "r2"));
    for tab in [&first, &second] {
        tab.sees_status(Status::Idle).await;
    }
}

#[test]
async fn the_others_are_told_that_the_stream_does_not_flow() {
    let server = Server::new();
    let (first, stream) = server.asked_visitor().await;
    let second = Visitor::beside(server.options());
    server.describes(asking("life-4m")).await;
    second.sees_phase("c1", Phase::Answerable).await;
    stream.breaks_off();
    server.asked("/events").await.is_unreachable();
    for tab in [&first, &second] {
        tab.sees_connection(Connection::Reconnecting).await;
    }
    scripted_agent::is_connected(true);
    server.heard().await;
    for tab in [&first, &second] {
        tab.sees_connection(Connection::Online).await;
    }
}

#[test]
async fn a_page_without_web_locks_streams() {
    for locks in ["none", "refused"] {
        let server = Server::new();
        let visitor = Visitor::first(server.options());
        scripted_agent::locks_are(locks);
        server.describes(asking("life-4m")).await;
        let stream = server.heard().await;
        let second = Visitor::beside(server.options());
        server.describes(asking("life-4m")).await;
        let of_second = server.heard().await;
        let none = json!([answer("reply")]);
        stream.tells("", "life-5", &run_started(&server.id, "r2", none));
        visitor.sees_lines(&["user: Hello", "ask: answered"]).await;
        drop((second, of_second));
    }
    scripted_agent::locks_are("granted");
}

/// An hour from now, as the server writes it, and as the card counts.
fn in_an_hour() -> (String, u64) {
    let at = (js_sys::Date::now() / 1000.0).round() * 1000.0 + 3_600_000.0;
    let text = js_sys::Date::new(&at.into()).to_iso_string();
    (text.into(), at as u64)
}

async fn sees_deadline(visitor: &Visitor, deadline: u64) {
    visitor
        .sees("the deadline", |_| {
            let ask = visitor.ask("c1").snapshot;
            ask.with_untracked(|ask| ask.expires_at) == Some(deadline)
        })
        .await;
}

#[test]
async fn the_servers_deadline_comes_with_the_conversation() {
    let (text, deadline) = in_an_hour();
    let server = Server::new();
    let visitor = Visitor::first(server.options());
    let mut description = asking("life-4m");
    description["pending"][0]["expiresAt"] = text.into();
    server.describes(description).await;
    visitor.sees_lines(&["user: Hello", "ask: answerable"]).await;
    sees_deadline(&visitor, deadline).await;
}

#[test]
async fn the_servers_deadline_comes_with_the_events_and_stays_when_all_is_told_again() {
    let (text, deadline) = in_an_hour();
    let server = Server::new();
    let (visitor, stream) = server.asked_visitor().await;
    let waits = json!({"type": "awaiting_user_response", "toolCallId": "c1", "expiresAt": text});
    stream.tells("state_change", "life-4m", &waits);
    sees_deadline(&visitor, deadline).await;
    stream.breaks_off();
    let stream = server.heard().await;
    stream.tells("reset", "", &json!({}));
    stream.tells("", "", &run_started(&server.id, "r9", json!([])));
    let history = json!([hello(), size_call(), {"id": "m1", "role": "assistant", "content": "Well?"}]);
    let history = json!({"type": "MESSAGES_SNAPSHOT", "messages": history});
    stream.tells("", "", &history);
    stream.tells("", "other-0", &run_finished(&server.id, "r9"));
    visitor.sees_lines(&["user: Hello", "ask: answerable", "agent: Well?"]).await;
    sees_deadline(&visitor, deadline).await;
}

#[test]
async fn a_deadline_of_the_server_expires_the_ask() {
    let server = Server::new();
    let (visitor, stream) = server.asked_visitor().await;
    let waits = json!({"type": "awaiting_user_response", "toolCallId": "c1", "expiresAt": "2020-01-01T00:00:00Z"});
    stream.tells("state_change", "life-4m", &waits);
    visitor.sees_phase("c1", Phase::Expired).await;
}
