//! Any program can ask.

use crate::clock::HandClock;
use crate::folder::Folder;
use crate::house::{app, parts, serve, server_with};
use crate::http;
use crate::http::{Answer, call, get, loaded, messages, post, request, says, with_headers};
use crate::replicas;
use crate::script::{ASK, Line, Script};
use crate::visitor::Visitor;
use crate::watcher::{Watcher, until_state};
use ag_ui_stream::Event;
use ag_ui_stream::event::EventType;
use ask_user_question::Outcome;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use question_agent::Timestamp;
use question_server::Config;
use question_server::clock::Clock as _;
use question_server::page::Page;
use question_server::store::{SqliteStore, Store};
use serde_json::{Value, json};
use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::task::yield_now;
use tokio::time::sleep;

pub(crate) fn which() -> Value {
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

#[tokio::test(start_paused = true)]
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
    // Which goes by once all others have nothing to do but to wait.
    sleep(Duration::from_secs(1)).await;
    let reply = json!({"answers": {"Which?": "Two"}, "replyId": "r"});
    assert_eq!(post(&server, "/conversations/t/respond", reply).await.json()["state"]["type"], "idle");
    let told = waits.await.expect("it answers");
    assert_eq!(told.status, 200);
    assert_eq!(
        told.json(),
        json!({"toolCallId": ask, "outcome": "answered", "answers": {"Which?": "Two"}, "via": "rest"})
    );
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
    let call = ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "awaiting_user_response", "RUN_FINISHED"];
    assert_eq!(kinds[kinds.len() - 5..], call);
    assert_eq!(seen.last().map(|end| &end.data["outcome"]["pendingToolCallIds"]), Some(&json!([ask])));
    let mut late = Visitor::new(&server, "w", "t");
    late.conversation = loaded(&json!(messages(&server, "t").await));
    assert!(late.is_asked("Which?"));
    late.picks("One").await;
    let told = status(&server, &ask, 60).await.json();
    assert_eq!((&told["answers"], &told["via"]), (&json!({"Which?": "One"}), &json!("page")));
}

#[tokio::test]
async fn an_answer_says_by_which_way_it_came() {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory());
    let open = || app(&Config::default(), parts(speaks()).store(Arc::clone(&store)));
    let server = open();
    let ask = asked(&server).await;
    let reply = |named: Value| {
        let mut reply = json!({"answers": {"Which?": "One"}, "replyId": "r"});
        reply.as_object_mut().expect("it is one").extend(named.as_object().expect("it is one").clone());
        reply
    };
    let long = "x".repeat(101);
    for odd in [
        json!({"via": ""}),
        json!({"via": "page"}),
        json!({"via": "mcp"}),
        json!({"via": long}),
        json!({"via": 1}),
        json!({"answeredBy": " "}),
        json!({"answeredBy": "Ann\nBob"}),
    ] {
        let refused = post(&server, "/conversations/t/respond", reply(odd.clone())).await;
        assert_eq!(refused.refusal(), (400, "bad_request".to_owned()), "{odd}");
    }
    assert_eq!(status(&server, &ask, 0).await.status, 202, "nothing of it is an answer");
    let named = reply(json!({"via": "slack", "answeredBy": "Ann (U1)"}));
    let mut watcher = Watcher::open(&server, "t", None).await;
    for _ in 0..2 {
        assert_eq!(post(&server, "/conversations/t/respond", named.clone()).await.status, 200);
    }
    let seen = watcher.until(|frame| frame.data["type"] == "TOOL_CALL_RESULT").await;
    let live = &seen.last().expect("it was told").data["metadata"]["ask"];
    let shown = loaded(&json!(messages(&server, "t").await));
    let shown = shown.asks().ask(&ask).and_then(|ask| ask.via.clone()).expect("a reload has it");
    for (via, person) in [(&live["via"], &live["answeredBy"]), (&json!(shown.name), &json!(shown.answered_by))] {
        assert_eq!((via, person), (&json!("slack"), &json!("Ann (U1)")));
    }
    drop(server);
    let told = status(&open(), &ask, 0).await.json();
    assert_eq!((&told["via"], &told["answeredBy"]), (&json!("slack"), &json!("Ann (U1)")));
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
    let open = async || Arc::new(SqliteStore::open(&folder.file()).await.expect("nobody has it")) as Arc<dyn Store>;
    let serve = |store: &Arc<dyn Store>| replicas::server(store, &clock, &speaks());
    let store = open().await;
    let server = serve(&store);
    let asked = asks(&server, json!({"questions": which(), "id": "size", "expiresAfter": 90.0})).await;
    assert_eq!((asked.status.as_u16(), &asked.headers[header::LOCATION]), (201, &"asks/size".parse().expect("legal")));
    drop(server);
    clock.advance(Duration::from_secs(30));
    while Arc::strong_count(&store) > 1 {
        yield_now().await;
    }
    drop(store);
    let store = open().await;
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

/// A program, a bot's service or a push service that is called: path, headers and body of each call, and its next answers.
#[derive(Clone, Default)]
pub(crate) struct Called {
    got: Arc<Mutex<Vec<(String, HeaderMap, Bytes)>>>,
    answers: Arc<Mutex<Vec<(StatusCode, &'static str)>>>,
    /// The answer once those are given.
    usual: &'static str,
    called: Arc<Notify>,
}

impl Called {
    /// One that answers with these statuses first, and its origin. At `/hangs…` it never answers.
    pub(crate) async fn new(statuses: &[u16]) -> (Self, String) {
        let first: Vec<_> = statuses.iter().map(|status| (*status, "")).collect();
        Self::answering(&first, "").await
    }

    /// The same with the texts of its answers.
    pub(crate) async fn answering(first: &[(u16, &'static str)], usual: &'static str) -> (Self, String) {
        let first = first.iter().rev().map(|(status, text)| (StatusCode::from_u16(*status).expect("it is one"), *text));
        let called = Self { answers: Arc::new(Mutex::new(first.collect())), usual, ..Self::default() };
        let takes = async |State(called): State<Self>, uri: Uri, headers: HeaderMap, body: Bytes| {
            called.got.lock().expect("no test panics with it").push((uri.path().to_owned(), headers, body));
            called.called.notify_one();
            if uri.path().starts_with("/hangs") {
                pending::<()>().await;
            }
            let next = called.answers.lock().expect("no test panics with it").pop();
            next.unwrap_or((StatusCode::CREATED, called.usual))
        };
        let router = Router::new().fallback(takes).with_state(called.clone());
        (called, format!("http://{}", serve(router).await))
    }

    pub(crate) fn got(&self) -> Vec<(String, HeaderMap, Bytes)> {
        self.got.lock().expect("no test panics with it").clone()
    }

    /// Until it was called so often.
    pub(crate) async fn times(&self, times: usize) -> Vec<(String, HeaderMap, Bytes)> {
        while self.got().len() < times {
            self.called.notified().await;
        }
        self.got()
    }
}

pub(crate) const KEY: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn calling_back(store: &Arc<dyn Store>, clock: &HandClock, origin: &str) -> Router {
    let config = Config {
        allow_callbacks: vec![origin.parse().expect("it is an origin")],
        callback_key: Some(KEY.parse().expect("it is a key")),
        ..Config::default()
    };
    app(&config, parts(speaks()).store(Arc::clone(store)).clock(Arc::new(clock.clone())))
}

/// The time at which the next webhook is due, or at which a claim of it ends.
pub(crate) async fn next_webhook(store: &Arc<dyn Store>) -> Option<Timestamp> {
    store.claim_webhooks(Timestamp(0), Timestamp(0), 0).await.expect("it is read").next
}

/// Waits until all webhooks are delivered or dropped.
pub(crate) async fn until_taken(store: &Arc<dyn Store>) {
    while next_webhook(store).await.is_some() {
        yield_now().await;
    }
}

#[tokio::test]
async fn a_program_is_called_until_it_has_taken_the_answer() {
    let (called, origin) = Called::new(&[500]).await;
    let (clock, store): (_, Arc<dyn Store>) = (HandClock::new(), Arc::new(SqliteStore::in_memory()));
    let server = calling_back(&store, &clock, &origin);
    let callback = format!("{origin}/answers");
    let asked = asks(&server, json!({"questions": which(), "id": "a", "callback": callback})).await;
    assert_eq!(asked.status, 201, "{:?}", asked.body);
    let reply = json!({"answers": {"Which?": "One"}});
    assert_eq!(post(&server, "/conversations/t/respond", reply).await.status, 200);
    called.times(1).await;
    let since = clock.now();
    assert_eq!(asks(&server, json!({"questions": which(), "id": "b"})).await.status, 201);
    // Refused, it is tried again, now by the next server.
    let next = calling_back(&store, &clock, &origin);
    drop(server);
    while called.got().len() < 2 {
        clock.advance(Duration::from_secs(1));
        yield_now().await;
    }
    until_taken(&store).await;
    let got = called.times(2).await;
    for (path, headers, body) in &got {
        assert_eq!(path, "/answers");
        assert_eq!(headers["webhook-id"], "a");
        assert_eq!(headers["accept"], "*/*", "some frameworks refuse what asks for a type that they don't have");
        let told: Value = serde_json::from_slice(body).expect("it is JSON");
        let answers = json!({"Which?": "One"});
        assert_eq!(
            told,
            json!({"conversationId": "t", "toolCallId": "a", "outcome": "answered", "answers": answers, "via": "rest"})
        );
        let signed = headers["webhook-signature"].to_str().expect("it is text");
        assert!(signed.starts_with("v1,") && signed.len() == 47, "{signed}");
    }
    assert_ne!(got[0].1["webhook-timestamp"], got[1].1["webhook-timestamp"]);
    assert_eq!(status(&next, "a", 0).await.status, 200);
    let waiting = store.waiting().await.expect("it is read");
    assert_eq!((waiting.count, waiting.since), (1, Some(since)), "what waits meanwhile has waited from its beginning");
}

#[tokio::test]
async fn only_origins_of_the_operators_are_called() {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory());
    let server = calling_back(&store, &HandClock::new(), "http://127.0.0.1:9");
    for url in [
        "http://127.0.0.1:10/answers",
        "https://127.0.0.1:9/answers",
        "http://jobs.example/answers",
        "http://127.0.0.1:9@jobs.example/",
        "file:///etc/passwd",
        "answers",
    ] {
        let refused = asks(&server, json!({"questions": which(), "callback": url})).await;
        assert_eq!(refused.refusal(), (403, "callback_not_allowed".to_owned()), "{url}");
    }
    let smuggled = json!({"callbacks": [{"toolCallId": "a", "url": "http://jobs.example/", "tries": 0}]});
    let mut visitor = Visitor::new(&server, "v", "t").with_forwarded("toolContext", smuggled);
    visitor.says("Hello").await;
    let stored = store.load("t").await.expect("it is read").expect("it is there");
    assert!(stored.context.callbacks.is_empty(), "{:?}", stored.context);
}

/// Asks in a conversation with this callback, and answers.
async fn asks_and_answers(server: &Router, conversation: &str, url: &str) {
    let path = format!("/conversations/{conversation}");
    let asked = post(server, &format!("{path}/asks"), json!({"questions": which(), "id": "a", "callback": url})).await;
    assert_eq!(asked.status, 201, "{:?}", asked.body);
    let reply = json!({"answers": {"Which?": "One"}});
    assert_eq!(post(server, &format!("{path}/respond"), reply).await.status, 200);
}

#[tokio::test]
async fn an_endpoint_that_hangs_holds_back_no_other() {
    let (called, origin) = Called::new(&[]).await;
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory());
    let server = calling_back(&store, &HandClock::new(), &origin);
    for number in 0..20 {
        asks_and_answers(&server, &format!("one-{number}"), &format!("{origin}/hangs")).await;
        asks_and_answers(&server, &format!("each-{number}"), &format!("{origin}/hangs/{number}")).await;
    }
    let before = Instant::now();
    asks_and_answers(&server, "t", &format!("{origin}/answers")).await;
    while !called.got().iter().any(|(path, ..)| path == "/answers") {
        yield_now().await;
    }
    assert!(before.elapsed() < Duration::from_secs(8), "{:?}", before.elapsed());
}

#[tokio::test]
async fn a_callback_that_fails_for_a_day_is_dropped_once() {
    let (called, origin) = Called::new(&[500; 29]).await;
    let (clock, store): (_, Arc<dyn Store>) = (HandClock::new(), Arc::new(SqliteStore::in_memory()));
    let server = calling_back(&store, &clock, &origin);
    asks_and_answers(&server, "t", &format!("{origin}/answers")).await;
    let begun = clock.now();
    while let Some(next) = next_webhook(&store).await {
        // While an attempt is under way this ends its claim, which must not lead to a second one.
        clock.advance(Duration::from_millis(next.0.saturating_sub(clock.now().0).max(1000)));
        yield_now().await;
    }
    assert_eq!(called.got().len(), 29);
    let hours = (clock.now().0 - begun.0) / 3_600_000;
    assert!((23..=25).contains(&hours), "{hours}");
    asks_and_answers(&server, "next", &format!("{origin}/answers")).await;
    until_taken(&store).await;
    assert_eq!(called.got().len(), 30, "nothing more of the dropped one");
}

#[tokio::test]
async fn a_callback_that_is_gone_is_not_called_again() {
    let (called, origin) = Called::new(&[410]).await;
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory());
    let server = calling_back(&store, &HandClock::new(), &origin);
    asks_and_answers(&server, "t", &format!("{origin}/answers")).await;
    until_taken(&store).await;
    assert_eq!(called.got().len(), 1);
}

#[tokio::test]
async fn an_origin_that_the_operator_withdrew_is_not_called() {
    let (called, origin) = Called::new(&[]).await;
    let (clock, store): (_, Arc<dyn Store>) = (HandClock::new(), Arc::new(SqliteStore::in_memory()));
    let server = calling_back(&store, &clock, &origin);
    let path = "/conversations/t/asks";
    let body = json!({"questions": which(), "id": "a", "callback": format!("{origin}/answers")});
    assert_eq!(post(&server, path, body).await.status, 201);
    drop(server);
    let next = calling_back(&store, &clock, "http://127.0.0.1:9");
    let reply = json!({"answers": {"Which?": "One"}});
    assert_eq!(post(&next, "/conversations/t/respond", reply).await.status, 200);
    while next_webhook(&store).await.is_some() {
        clock.advance(Duration::from_secs(60 * 60));
        yield_now().await;
    }
    assert!(called.got().is_empty());
}

#[tokio::test]
async fn an_id_that_is_taken_gets_no_other_question_and_no_other_callback() {
    let (clock, store): (_, Arc<dyn Store>) = (HandClock::new(), Arc::new(SqliteStore::in_memory()));
    let server = calling_back(&store, &clock, "http://127.0.0.1:9");
    let ask = |questions| json!({"questions": questions, "id": "one", "callback": "http://127.0.0.1:9/one"});
    let drop = json!([{"question": "Drop the database?", "options": [{"label": "Yes"}, {"label": "No"}]}]);
    let elsewhere = json!({"questions": which(), "id": "one", "callback": "http://127.0.0.1:9/two"});
    assert_eq!(asks(&server, ask(which())).await.status, 201);
    for is_answered in [false, true] {
        assert_eq!(asks(&server, ask(which())).await.status, 200, "its own question again");
        let others = [ask(drop.clone()), elsewhere.clone(), json!({"questions": which(), "id": "one"})];
        // Nobody is called any more once it is answered.
        for other in others.into_iter().take(if is_answered { 1 } else { 3 }) {
            let refused = asks(&server, other).await;
            assert_eq!(refused.refusal(), (409, "duplicate_tool_call".to_owned()), "{is_answered}");
        }
        let reply = json!({"answers": {"Which?": "One"}, "replyId": "r"});
        assert_eq!(post(&server, "/conversations/t/respond", reply).await.status, 200);
    }
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
    let by = |token, method, path, body| http::by(token, request(method, path, body));
    let said = by("ann", Method::POST, "/agent", Some(says("t", "u", "Hello")));
    call(&server, said).await.events();
    let ask = || Some(json!({"questions": which(), "id": "a"}));
    assert_eq!(call(&server, by("bob", Method::POST, "/conversations/t/asks", ask())).await.status, 404);
    assert_eq!(call(&server, by("ann", Method::POST, "/conversations/t/asks", ask())).await.status, 201);
    assert_eq!(call(&server, by("bob", Method::GET, "/conversations/t/asks/a", None)).await.status, 404);
    // A new one is for all who know its name.
    assert_eq!(call(&server, by("bob", Method::POST, "/conversations/new/asks", ask())).await.status, 201);
    assert_eq!(messages(&server, "new").await.len(), 1);
}

#[tokio::test]
async fn an_ask_has_the_address_of_its_page_where_there_is_one() {
    let folder = Folder::made();
    std::fs::write(folder.path().join("index.html"), "<!doctype html>").expect("it can be written");
    let showing = |config: &Config| {
        let page = Page::read(folder.path()).expect("it has a document");
        app(config, parts(speaks()).page(page))
    };
    let shown = showing(&Config::default());
    let ask_of = async |shown: &Router, id: &str, headers: &[(&'static str, &str)]| {
        let path = format!("/conversations/{id}/asks");
        let request = request(Method::POST, &path, Some(json!({"questions": which()})));
        call(shown, with_headers(request, headers)).await.json()["url"].take()
    };
    let ask = async |id: &str, headers: &[(&'static str, &str)]| ask_of(&shown, id, headers).await;
    assert_eq!(ask("errand", &[]).await, "http://127.0.0.1:8787/?agent=#c=errand");
    // The id travels as the path has it.
    assert_eq!(ask("a%20b%2F%C3%BC", &[]).await, "http://127.0.0.1:8787/?agent=#c=a%20b%2F%C3%BC");
    let proxied = [("x-forwarded-host", "localhost"), ("x-forwarded-proto", "https")];
    assert_eq!(ask("proxied", &proxied).await, "https://localhost/?agent=#c=proxied");
    let chain = [("x-forwarded-host", "localhost:8443, 127.0.0.1"), ("x-forwarded-proto", "https, http")];
    assert_eq!(ask("chain", &chain).await, "https://localhost:8443/?agent=#c=chain", "as the first proxy was called");
    let public_origins = vec!["https://chat.example".parse().expect("it is an origin")];
    let named = showing(&Config { public_origins, ..Config::default() });
    assert_eq!(ask_of(&named, "proxied", &proxied).await, "https://chat.example/?agent=#c=proxied");
    let bare = asks(&server_with(speaks()), json!({"questions": which()})).await.json();
    assert_eq!(bare["url"], Value::Null, "{bare}");
}

#[tokio::test]
async fn an_ask_is_so_long_and_no_longer() {
    let ask = |label: usize| json!({"questions": [{"question": "Which?", "options": [{"label": "One"}, {"label": "x".repeat(label)}]}]});
    let long = || ask(300_000).to_string().leak();
    let script = Script::new([vec![Line::Calls(0, "ask_user_question", long())], vec![Line::Says("I see.")]]);
    let server = server_with(script.clone());
    let (events, _) = post(&server, "/agent", says("t", "u", "go")).await.events();
    assert_eq!(events.last().map(Event::kind), Some(EventType::RunFinished));
    assert_eq!(script.times_asked(), 2, "the model was told to ask in fewer words");
    let described = get(&server, "/conversations/t").await.json();
    assert_eq!((&described["pending"], &described["state"]["type"]), (&json!([]), &json!("idle")));
    let refused = post(&server, "/conversations/programs/asks", ask(300_000)).await;
    assert_eq!(refused.refusal(), (400, "bad_request".to_owned()));
    assert_eq!(post(&server, "/conversations/programs/asks", ask(70_000)).await.status, 201);
}
