//! Several servers over one store: what one leaves the other takes up, and of all who decide one wins.

use crate::clock::HandClock;
use crate::folder::Folder;
use crate::house::{app, parts};
use crate::http::{Answer, get, post, says};
use crate::metrics::check_counted;
use crate::script::{ASK, Line, Script};
use crate::watcher::{Frame, Watcher, until_state};
use axum::Router;
use futures_util::future::join_all;
use question_agent::Timestamp;
use question_server::Config;
use question_server::clock::Clock as _;
use question_server::limits::{LEASE, SWEEP};
use question_server::store::{SqliteStore, Store};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::task::yield_now;

pub(crate) fn server(store: &Arc<dyn Store>, clock: &HandClock, model: &Script) -> Router {
    let store = Arc::clone(store);
    app(&Config::default(), parts(model.clone()).store(store).clock(Arc::new(clock.clone())))
}

/// A server with threads of its own, which ends without a word.
pub(crate) struct Mortal {
    threads: Runtime,
    server: Router,
}

impl Mortal {
    pub(crate) async fn new(store: &Arc<dyn Store>, clock: &HandClock, model: &Script) -> Self {
        let threads = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("there are threads");
        let (store, clock, model) = (Arc::clone(store), clock.clone(), model.clone());
        let made = threads.spawn(async move { server(&store, &clock, &model) }).await;
        Self { threads, server: made.expect("it can be made") }
    }

    pub(crate) fn starts(&self, path: &'static str, body: Value) {
        let server = self.server.clone();
        self.threads.spawn(async move { post(&server, path, body).await });
    }

    pub(crate) fn dies(self) {
        // Until its threads have ended, so that it does nothing more; a test's own thread may not wait in a runtime.
        let ends = std::thread::spawn(move || self.threads.shutdown_timeout(Duration::from_secs(10)));
        ends.join().expect("it does not panic");
    }
}

/// Until when nobody else may work on the conversation.
async fn leased_until(store: &Arc<dyn Store>) -> Option<Timestamp> {
    let stored = store.load("t").await.expect("it is read").expect("it is there");
    stored.lease.map(|lease| lease.until)
}

pub(crate) fn is_end(frame: &Frame) -> bool {
    matches!(frame.data["type"].as_str(), Some("RUN_FINISHED" | "RUN_ERROR"))
}

/// Until the conversation is at rest, whichever server works on it.
pub(crate) async fn until_idle(servers: &[Router], id: &str) {
    loop {
        for server in servers {
            if get(server, &format!("/conversations/{id}")).await.json()["state"]["type"] == "idle" {
                return;
            }
            yield_now().await;
        }
    }
}

#[tokio::test]
async fn what_a_server_works_on_is_its_own_until_its_lease_is_over() {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory());
    is_its_own_until_its_lease_is_over(async || Arc::clone(&store)).await;
}

/// Each server opens the store for itself; it may be the same.
pub(crate) async fn is_its_own_until_its_lease_is_over(open: impl AsyncFn() -> Arc<dyn Store>) {
    let clock = HandClock::new();
    // The test's own store has connections of its own: those of the first server die with it.
    let store = open().await;
    let hangs = Script::new([vec![Line::Waits, Line::Hangs]]);
    let first = Mortal::new(&open().await, &clock, &hangs).await;
    first.starts("/agent", says("t", "u", "go"));
    hangs.waits().await;

    let goes_on = Script::new([vec![Line::Says("Here I am.")]]);
    let second = server(&open().await, &clock, &goes_on);
    let refused = post(&second, "/agent", says("t", "u2", "And?")).await;
    assert_eq!(refused.refusal().0, 409);
    // As long as it lives it renews its lease.
    let before = leased_until(&store).await;
    clock.advance(SWEEP);
    while leased_until(&store).await == before {
        yield_now().await;
    }
    first.dies();
    clock.advance(LEASE - SWEEP);
    assert!(leased_until(&store).await > Some(clock.now()), "it is renewed");
    assert_eq!(goes_on.times_asked(), 0);
    clock.advance(SWEEP);
    until_state(&second, "t", "idle").await;
    let messages = get(&second, "/conversations/t").await.json()["messages"].clone();
    assert_eq!(messages[1]["content"], "Here I am.", "{messages}");
    check_counted(&second, "question_server_leases_taken_over_total", 1).await;
    assert_eq!(goes_on.times_asked(), 1);
}

#[tokio::test]
async fn of_all_replies_at_all_servers_one_wins() {
    let folder = Folder::new();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.file()).await.expect("it is new"));
    one_reply_wins(async || Arc::clone(&store)).await;
}

pub(crate) async fn one_reply_wins(open: impl AsyncFn() -> Arc<dyn Store>) {
    let (clock, script) = (HandClock::new(), Script::new([vec![Line::Calls(0, "ask_user_question", ASK)]]));
    let mut servers = Vec::new();
    for _ in 0..3 {
        servers.push(server(&open().await, &clock, &script));
    }
    post(&servers[0], "/agent", says("t", "u", "go")).await.events();
    let waiting = get(&servers[1], "/conversations/t").await.json();
    let call = waiting["pending"][0]["toolCallId"].clone();
    let replies = (0..30).map(|number: usize| {
        let label = ["One", "Two"][number % 2];
        let reply = json!({"answers": {"Which?": label}, "toolCallId": call, "replyId": format!("reply-{number}")});
        let server = servers[number % servers.len()].clone();
        tokio::spawn(async move { post(&server, "/conversations/t/respond", reply).await })
    });
    let answers: Vec<Answer> = join_all(replies).await.into_iter().map(|answer| answer.expect("it answers")).collect();
    let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!(won.len(), 1);
    until_idle(&servers, "t").await;
    for server in &servers {
        let described = get(server, "/conversations/t").await.json();
        let results = described["messages"].as_array().into_iter().flatten().filter(|one| one["role"] == "tool");
        let results: Vec<&Value> = results.collect();
        assert_eq!(results.len(), 1, "{described}");
        for answer in &lost {
            assert_eq!(answer.json()["code"], "already_answered", "{answer:?}");
            assert_eq!(answer.json()["winner"]["metadata"], results[0]["metadata"]);
        }
    }
    assert_eq!(script.times_asked(), 2, "one server goes on");
}

#[tokio::test]
async fn a_client_that_missed_nothing_goes_on_at_any_server_and_after_a_restart() {
    let folder = Folder::new();
    let open = async || Arc::new(SqliteStore::open(&folder.file()).await.expect("nobody has it")) as Arc<dyn Store>;
    let (clock, script) = (HandClock::new(), Script::new([vec![Line::Says("One.")], vec![Line::Says("Two.")]]));
    let store = open().await;
    let first = server(&store, &clock, &script);
    post(&first, "/agent", says("t", "u", "go")).await.events();
    let last = get(&first, "/conversations/t").await.json()["lastEventId"].clone();
    let last = last.as_str().expect("it is text");
    let told = async |server: &Router| {
        let mut back = Watcher::open(server, "t", Some(last)).await;
        let present = back.next().await;
        assert_eq!((present.event.as_deref(), present.id.as_str()), (Some("state_change"), last));
        back
    };
    let second = server(&store, &clock, &script);
    drop((told(&first).await, told(&second).await));
    drop((first, second));
    // The last of their tasks come to their end.
    clock.advance(SWEEP);
    while Arc::strong_count(&store) > 1 {
        yield_now().await;
    }
    drop(store);

    let store = open().await;
    let (third, fourth) = (server(&store, &clock, &script), server(&store, &clock, &script));
    let mut watcher = told(&third).await;
    post(&third, "/agent", says("t", "u2", "And?")).await.events();
    let seen = watcher.until(is_end).await;
    assert_eq!(seen[0].data["type"], "RUN_STARTED", "nothing is told twice");
    // It is told what happened elsewhere.
    let mut late = Watcher::open(&fourth, "t", Some(last)).await;
    late.next().await;
    let told = late.until(is_end).await;
    assert_eq!((&told[0].data, told[0].event.as_deref()), (&seen[0].data, None));
    assert_eq!(told.last().map(|frame| &frame.id), seen.last().map(|frame| &frame.id));
    let present = Watcher::open(&fourth, "t", seen.last().map(|frame| frame.id.as_str())).await.next().await;
    assert_eq!(Some(&present.id), seen.last().map(|frame| &frame.id));
}

#[tokio::test]
async fn a_run_that_another_server_stops_keeps_nothing() {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory());
    let clock = HandClock::new();
    let script = Script::new([vec![Line::Waits, Line::Says("Too late.")]]);
    let (first, second) = (server(&store, &clock, &script), server(&store, &clock, &script));
    let run = crate::http::start(&first, "/agent", says("t", "u", "go"));
    script.waits().await;
    let stopped = post(&second, "/conversations/t/cancel", json!({})).await;
    assert_eq!((stopped.status.as_u16(), &stopped.json()["state"]["type"]), (200, &json!("idle")));
    script.go_on();
    let (_, end) = run.await.expect("it ends").events();
    assert_eq!(end.error.as_ref().map(|error| error.code()), Some("overtaken"));
    for server in [first, second] {
        let described = get(&server, "/conversations/t").await.json();
        assert_eq!(
            (&described["state"]["type"], described["messages"].as_array().map(Vec::len)),
            (&json!("idle"), Some(1))
        );
    }
}
