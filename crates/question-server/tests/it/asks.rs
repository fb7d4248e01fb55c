//! Any program can ask.

use crate::clock::HandClock;
use crate::folder::Folder;
use crate::house::server_with;
use crate::http::{Answer, call, get, loaded, messages, post, request, says};
use crate::replicas;
use crate::script::{ASK, Line, Script};
use crate::visitor::Visitor;
use crate::watcher::{Watcher, until_state};
use ask_user_question::Outcome;
use axum::Router;
use axum::http::{Method, header};
use question_server::store::{SqliteStore, Store};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

fn which() -> Value {
    serde_json::from_str::<Value>(ASK).expect("it is JSON")["questions"].take()
}

async fn asks(server: &Router, body: Value) -> Answer {
    post(server, "/conversations/t/asks", body).await
}

async fn asked(server: &Router) -> String {
    let asked = asks(server, json!({"questions": which()})).await;
    assert_eq!(asked.status, 201, "{:?}", asked.body);
    asked.json()["toolCallId"].as_str().expect("it has a name").to_owned()
}

async fn status(server: &Router, ask: &str, wait: u32) -> Answer {
    get(server, &format!("/conversations/t/asks/{ask}?wait={wait}")).await
}

/// An agent that says one thing.
fn speaks() -> Script {
    Script::new([vec![Line::Says("Hello.")]])
}

#[tokio::test]
async fn a_program_asks_waits_and_gets_the_answer() {
    let script = speaks();
    let server = server_with(script.clone());
    let ask = asked(&server).await;
    let waiting = status(&server, &ask, 0).await;
    assert_eq!((waiting.status.as_u16(), waiting.json()), (202, json!({"toolCallId": ask})));
    let waits = tokio::spawn({
        let (server, ask) = (server.clone(), ask.clone());
        async move { status(&server, &ask, 60).await }
    });
    let reply = json!({"answers": {"Which?": "Two"}, "replyId": "r"});
    assert_eq!(post(&server, "/conversations/t/respond", reply).await.json()["state"]["type"], "idle");
    let told = waits.await.expect("it answers");
    assert_eq!(told.status, 200);
    assert_eq!(told.json(), json!({"toolCallId": ask, "outcome": "answered", "answers": {"Which?": "Two"}}));
    assert_eq!(script.times_asked(), 0, "the model is not needed");
    // It knows of it when it is spoken to.
    post(&server, "/agent", says("t", "u", "Hello?")).await.events();
    assert_eq!(script.asked()[0].messages.len(), 3);
}

#[tokio::test]
async fn its_user_sees_the_question_as_any_other() {
    let server = server_with(speaks());
    let mut visitor = Visitor::new(&server, "v", "t");
    visitor.says("Hello").await;
    let mut watcher = Watcher::open(&server, "t", None).await;
    let ask = asked(&server).await;
    let seen = watcher.until(replicas::is_end).await;
    let kinds: Vec<&Value> = seen.iter().map(|frame| &frame.data["type"]).collect();
    let state = if kinds[1] == "TOOL_CALL_START" { 4 } else { 1 };
    assert_eq!(kinds[state], "awaiting_user_response", "{kinds:?}");
    assert_eq!(seen.last().map(|end| &end.data["outcome"]["pendingToolCallIds"]), Some(&json!([ask])));
    let mut late = Visitor::new(&server, "w", "t");
    late.conversation = loaded(&json!(messages(&server, "t").await));
    assert!(late.is_asked("Which?"));
    late.picks("One").await;
    assert_eq!(status(&server, &ask, 60).await.json()["answers"], json!({"Which?": "One"}));
}

#[tokio::test]
async fn every_end_of_an_ask_is_told_and_none_but_an_answer_has_one() {
    for cancel in [json!({"proceed": true}), json!({})] {
        let server = server_with(speaks());
        let ask = asked(&server).await;
        assert_eq!(post(&server, "/conversations/t/cancel", cancel).await.status, 200);
        let told = status(&server, &ask, 60).await.json();
        assert_eq!(told, json!({"toolCallId": ask, "outcome": "declined"}));
    }
    let server = server_with(speaks());
    let questions = json!([which()[0], {"question": "When?", "options": [{"label": "Now"}, {"label": "Later"}]}]);
    let ask = asks(&server, json!({"questions": questions})).await.json()["toolCallId"].clone();
    post(&server, "/agent", says("t", "u", "Let me think about it")).await.events();
    let told = status(&server, ask.as_str().expect("it is text"), 60).await.json();
    assert_eq!((&told["outcome"], &told["text"]), (&json!("replied_in_chat"), &json!("Let me think about it")));
    assert_eq!(told.get("answers"), None);
    let mut visitor = Visitor::new(&server_with(speaks()), "v", "t");
    let server = visitor.server.clone();
    let ask = asked(&server).await;
    visitor.conversation = loaded(&json!(messages(&server, "t").await));
    visitor.ends_question(Outcome::Superseded).await;
    assert_eq!(status(&server, &ask, 60).await.json()["outcome"], "superseded");
}

#[tokio::test]
async fn an_ask_has_a_time_of_its_own_and_outlives_its_server() {
    let folder = Folder::new();
    let clock = HandClock::new();
    let open = || -> Arc<dyn Store> { Arc::new(SqliteStore::open(&folder.file()).expect("nobody has it")) };
    let serve = |store: &Arc<dyn Store>| replicas::server(store, &clock, &speaks());
    let store = open();
    let server = serve(&store);
    let asked = asks(&server, json!({"questions": which(), "id": "size", "expiresAfter": 90})).await;
    assert_eq!((asked.status.as_u16(), &asked.headers[header::LOCATION]), (201, &"asks/size".parse().expect("legal")));
    drop(server);
    clock.advance(Duration::from_secs(30));
    while Arc::strong_count(&store) > 1 {
        tokio::task::yield_now().await;
    }
    drop(store);
    let store = open();
    let server = serve(&store);
    assert_eq!(status(&server, "size", 0).await.status, 202);
    let again = asks(&server, json!({"questions": which(), "id": "size"})).await;
    assert_eq!((again.status.as_u16(), again.json()), (200, json!({"toolCallId": "size"})));
    clock.advance(Duration::from_secs(60));
    let over = status(&server, "size", 60).await;
    assert_eq!((over.status.as_u16(), &over.json()["outcome"]), (200, &json!("expired")));
    until_state(&server, "t", "idle").await;
}

#[cfg(all(unix, feature = "postgres"))]
#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn at_every_replica_over_postgres_it_is_the_same_ask() {
    let (database, clock) = (crate::postgres::Database::new().await, HandClock::new());
    let [first, second] = [database.open().await, database.open().await];
    let [first, second] = [first, second].map(|store| replicas::server(&store, &clock, &speaks()));
    let ask = asked(&first).await;
    let waits = tokio::spawn({
        let (first, ask) = (first.clone(), ask.clone());
        async move { status(&first, &ask, 60).await }
    });
    assert_eq!(status(&second, &ask, 0).await.status, 202);
    let reply = json!({"answers": {"Which?": "Two"}});
    assert_eq!(post(&second, "/conversations/t/respond", reply).await.status, 200);
    assert_eq!(status(&second, &ask, 0).await.json()["outcome"], "answered");
    assert_eq!(waits.await.expect("it answers").json()["answers"], json!({"Which?": "Two"}));
}

#[tokio::test]
async fn what_cannot_be_asked_now_or_at_all_is_refused() {
    let server = server_with(Script::new([vec![Line::Waits, Line::Hangs]]));
    for (body, code) in [
        (json!({"questions": [{"question": "Which?", "options": [{"label": "One"}]}]}), "invalid_ask"),
        (json!({"questions": []}), "invalid_ask"),
        (json!({}), "bad_request"),
        (json!({"questions": which(), "id": ""}), "bad_request"),
        (json!({"questions": which(), "expiresAfter": 0}), "bad_request"),
    ] {
        let refused = asks(&server, body.clone()).await;
        assert_eq!(refused.refusal(), (400, code.to_owned()), "{body}");
    }
    assert_eq!(get(&server, "/conversations/t").await.status, 404, "nothing has begun");
    asked(&server).await;
    assert_eq!(asks(&server, json!({"questions": which()})).await.refusal(), (409, "already_waiting".to_owned()));
    assert_eq!(status(&server, "none", 0).await.refusal().0, 404);
    let odd = get(&server, "/conversations/t/asks/none?wait=long").await;
    assert_eq!(odd.refusal(), (400, "bad_request".to_owned()));
}

#[tokio::test]
async fn only_those_who_may_open_a_conversation_ask_in_it() {
    let server = server_with(speaks());
    let by = |token: &str, method: Method, path: &str, body: Option<Value>| {
        let mut request = request(method, path, body);
        request.headers_mut().insert(header::AUTHORIZATION, format!("Bearer {token}").parse().expect("it is legal"));
        request
    };
    let said = by("ann", Method::POST, "/agent", Some(says("t", "u", "Hello")));
    call(&server, said).await.events();
    let ask = || Some(json!({"questions": which(), "id": "a"}));
    assert_eq!(call(&server, by("bob", Method::POST, "/conversations/t/asks", ask())).await.status, 404);
    assert_eq!(call(&server, by("ann", Method::POST, "/conversations/t/asks", ask())).await.status, 201);
    assert_eq!(call(&server, by("bob", Method::GET, "/conversations/t/asks/a", None)).await.status, 404);
    // A new one is for whoever knows its name.
    assert_eq!(call(&server, by("bob", Method::POST, "/conversations/new/asks", ask())).await.status, 201);
    assert_eq!(messages(&server, "new").await.len(), 1);
}
