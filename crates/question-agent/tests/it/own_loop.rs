//! The example of an own loop, as a client of AG-UI sees it.

#[path = "../../examples/own_loop.rs"]
#[expect(dead_code, reason = "only `main` is not used here")]
mod example;

use ag_ui_stream::Conversation;
use ag_ui_stream::asks::reply::{AskReply, Delivery, RunDefaults, UserTurn};
use ag_ui_stream::conversation::Update;
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::reply::Selection;
use ask_user_question::{Outcome, Phase, Reply};
use axum::body::{Body, to_bytes};
use axum::http::Request;
use axum::{Router, http::StatusCode};
use tower::ServiceExt as _;

/// Sends the user's message as the chat page does: the project's own client makes the request and reads the run.
async fn says(server: &Router, client: &mut Conversation, delivery: Delivery, said: &UserTurn) {
    let setup = RunDefaults { thread_id: "t".to_owned(), delivery, ..RunDefaults::default() };
    let mut ids = client.thread().messages().len();
    let next_id = || {
        ids += 1;
        format!("client-{ids}")
    };
    let next = client.request(0, &setup, said, next_id).expect("nothing else is pending");
    client.start_response(&next);
    let response = server.clone().oneshot(Request::post("/").body(Body::from(next.body.clone())).expect("it is one"));
    let response = response.await.expect("it answers");
    let status = response.status();
    let body = to_bytes(response.into_body(), usize::MAX).await.expect("it comes whole");
    assert_eq!(status, StatusCode::OK, "{body:?}");
    client.feed(&body);
    client.finish();
    while let Some(update) = client.next_update(0) {
        match update {
            Update::End(end) => return assert!(end.error.is_none(), "{end:?}"),
            Update::Refused(_) | Update::Warning(_) => panic!("{update:?}"),
            _ => {}
        }
    }
    panic!("the run has no end");
}

#[tokio::test]
async fn an_own_loop_runs_its_tools_and_waits_for_its_user() {
    for delivery in [Delivery::UserMessage, Delivery::ToolResult] {
        let (server, mut client) = (example::app(), Conversation::default());
        let hello = UserTurn { text: Some("A shirt, please".to_owned()), ..UserTurn::default() };
        says(&server, &mut client, Delivery::UserMessage, &hello).await;
        let results: Vec<String> = client
            .thread()
            .messages()
            .iter()
            .filter(|one| one.role() == "tool")
            .map(|one| one.text().into_owned())
            .collect();
        assert_eq!(results, ["12 shirts", "rain"]);
        let ask = client.asks().asks().find(|ask| ask.phase == Phase::Answerable).expect("it asks");
        let question = ask.ask.clone().expect("it is whole");
        let selection = Selection::picked(0, [1]);
        let outcome = Outcome::Answered(Reply::check(&question, vec![selection]).expect("it is legal"));
        let tool_call_id = ask.tool_call_id.clone();
        let reply = AskReply { tool_call_id, reply_id: "reply".to_owned(), outcome, by: AnsweredBy::Card };
        says(&server, &mut client, delivery, &UserTurn { replies: vec![reply], ..UserTurn::default() }).await;
        let ask = client.asks().asks().next().expect("it is there");
        assert_eq!(ask.phase, Phase::Answered);
        assert_eq!(client.thread().messages().last().map(|one| one.text().into_owned()).as_deref(), Some("Thank you."));
    }
}

#[tokio::test]
async fn a_taken_port_is_a_sentence_with_another_to_take() {
    let taken = example::listen("127.0.0.1:0").await.expect("there is a free port");
    let address = taken.local_addr().expect("it is bound").to_string();
    let why = example::listen(&address).await.expect_err("it is taken");
    assert!(why.starts_with(&address) && why.contains("in use") && why.contains("another address"), "{why}");
}
