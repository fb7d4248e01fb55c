//! A store that fails, at times.

use crate::clock::HandClock;
use crate::house::{front_desk, parts, server_with};
use crate::http::{get, post, says, start};
use crate::script::{ASK, Line, Script, take};
use crate::watcher::{Frame, Watcher, until_state};
use ag_ui_stream::reader::EndOutcome;
use axum::Router;
use futures_util::future::BoxFuture;
use question_agent::message::{Message, UserMessage};
use question_agent::registry::ToolContext;
use question_agent::{Conversation, Event, Timestamp};
use question_server::limits::{LEASE, SWEEP};
use question_server::owner::Owner;
use question_server::store::{Change, CommitError, Due, Lease, MemoryStore, Revision, Store, StoreError, Stored, Told};
use question_server::{Config, Parts, app};
use serde_json::json;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use uuid::Uuid;

/// Fails the commit of that number, counted from 0, and panics once in each of these calls.
#[derive(Debug)]
struct FailsOnce {
    store: MemoryStore,
    commits: AtomicUsize,
    failing: usize,
    bugs: Mutex<Vec<&'static str>>,
}

impl FailsOnce {
    fn at(failing: usize) -> Self {
        Self { store: MemoryStore::default(), commits: AtomicUsize::new(0), failing, bugs: Mutex::default() }
    }

    fn bugs(&self) -> MutexGuard<'_, Vec<&'static str>> {
        self.bugs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call(&self, name: &str) {
        let met = self.bugs().extract_if(.., |bug| *bug == name).count();
        assert_eq!(met, 0, "a bug in {name}");
    }
}

impl Store for FailsOnce {
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Stored>, StoreError>> {
        self.call("load");
        self.store.load(id)
    }

    fn commit<'a>(
        &'a self,
        id: &'a str,
        base: Option<Revision>,
        change: Change<'a>,
    ) -> BoxFuture<'a, Result<(), CommitError>> {
        if self.commits.fetch_add(1, Ordering::Relaxed) == self.failing {
            return Box::pin(async { Err(StoreError("the disk is full".to_owned()).into()) });
        }
        self.store.commit(id, base, change)
    }

    fn count(&self) -> BoxFuture<'_, Result<usize, StoreError>> {
        self.store.count()
    }

    fn count_of<'a>(&'a self, owner: &'a Owner) -> BoxFuture<'a, Result<usize, StoreError>> {
        self.store.count_of(owner)
    }

    fn check(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.store.check()
    }

    fn due(&self, now: Timestamp) -> BoxFuture<'_, Result<Due, StoreError>> {
        self.call("due");
        self.store.due(now)
    }

    fn renew(&self, ids: Vec<String>, lease: Lease) -> BoxFuture<'_, Result<(), StoreError>> {
        self.call("renew");
        self.store.renew(ids, lease)
    }

    fn delete<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        self.store.delete(id)
    }

    fn delete_ended(&self, by: Timestamp) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        self.call("delete_ended");
        self.store.delete_ended(by)
    }
}

fn server_failing_at(failing: usize) -> Router {
    let store = FailsOnce::at(failing);
    app(&Config::default(), Parts { store: Arc::new(store), ..parts(front_desk()) })
}

#[tokio::test]
async fn what_is_not_stored_is_not_taken() {
    let server = server_failing_at(0);
    let refused = post(&server, "/agent", says("t", "u", "hi")).await;
    assert_eq!(refused.refusal(), (500, "store_failed".to_owned()));
    let gone = get(&server, "/conversations/t").await.refusal();
    assert_eq!(gone, (404, "not_found".to_owned()));
    let (_, end) = post(&server, "/agent", says("t", "u", "hi")).await.events();
    assert_eq!(end.outcome, EndOutcome::Completed);
}

#[tokio::test]
async fn the_same_reply_again_revives_the_agent() {
    // Commit 3 is the reply, 4 what the model says to it.
    let server = server_failing_at(4);
    post(&server, "/agent", says("t", "u", "hi")).await;
    let waiting = get(&server, "/conversations/t").await.json();
    let mut watcher = Watcher::open(&server, "t", None).await;
    let reply = serde_json::json!({
        "answers": {"Which service do you need?": "Brake service"},
        "toolCallId": waiting["pending"][0]["toolCallId"],
        "replyId": "reply-1",
    });
    let path = "/conversations/t/respond";
    assert_eq!(post(&server, path, reply.clone()).await.status, 200);
    watcher.until(|frame| frame.data["code"] == "store_failed").await;
    assert_eq!(post(&server, path, reply).await.status, 200);
    let asks = |frame: &Frame| frame.data["type"] == "awaiting_user_response";
    watcher.until(asks).await;
}

#[tokio::test]
async fn the_same_reply_again_has_a_model_that_failed_try_again() {
    let server = server_with(Script::new([
        vec![Line::Calls(0, "ask_user_question", ASK)],
        vec![Line::Fails(None)],
        vec![Line::Says("Better.")],
    ]));
    post(&server, "/agent", says("t", "u", "go")).await;
    let reply = json!({"answers": {"Which?": "One"}, "replyId": "reply-1"});
    let path = "/conversations/t/respond";
    assert_eq!(post(&server, path, reply.clone()).await.status, 200);
    until_state(&server, "t", "failed").await;
    let taken = post(&server, path, reply).await;
    assert_eq!(taken.status, 200);
    assert_eq!(taken.json()["state"]["type"], "llm_requesting");
    until_state(&server, "t", "idle").await;
}

#[tokio::test]
async fn a_run_that_cannot_be_stored_fails_and_goes_on_when_tried_again() {
    // Commit 0 is the message, 1 the model's answer, 2 the question.
    for failing in [1, 2] {
        let server = server_failing_at(failing);
        let (_, end) = post(&server, "/agent", says("t", "u", "hi")).await.events();
        assert_eq!(end.outcome, EndOutcome::Error);
        assert_eq!(end.error.as_ref().map(|error| error.code()), Some("store_failed"));
        let (events, end) = post(&server, "/agent", says("t", "u", "hi")).await.events();
        assert_eq!(end.outcome, EndOutcome::Completed);
        assert_eq!(events[1].name(), "MESSAGES_SNAPSHOT", "the client may hold half an answer");
        let described = get(&server, "/conversations/t").await.json();
        assert_eq!(described["state"]["type"], "awaiting_user_response");
        assert_eq!(described["messages"].as_array().map(Vec::len), Some(2));
    }
}

#[tokio::test]
async fn an_agent_whose_work_could_not_be_stored_goes_on_by_itself() {
    let store = FailsOnce::at(1);
    let clock = HandClock::new();
    let parts = Parts { store: Arc::new(store), clock: Arc::new(clock.clone()), ..parts(front_desk()) };
    let server = app(&Config::default(), parts);
    let (_, end) = post(&server, "/agent", says("t", "u", "hi")).await.events();
    assert_eq!(end.error.as_ref().map(|error| error.code()), Some("store_failed"));
    clock.advance(LEASE);
    until_state(&server, "t", "awaiting_user_response").await;
}

/// A store whose thread or disk has gone.
#[derive(Debug)]
struct Dead {
    /// Whether a call of it panics.
    breaks: bool,
}

impl Dead {
    fn fails<T: Send, E: From<StoreError> + Send>(&self) -> BoxFuture<'static, Result<T, E>> {
        assert!(!self.breaks, "a store with a bug");
        Box::pin(async { Err(StoreError("the store has stopped".to_owned()).into()) })
    }
}

impl Store for Dead {
    fn load<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<Stored>, StoreError>> {
        self.fails()
    }

    fn commit<'a>(&'a self, _: &'a str, _: Option<Revision>, _: Change<'a>) -> BoxFuture<'a, Result<(), CommitError>> {
        self.fails()
    }

    fn count(&self) -> BoxFuture<'_, Result<usize, StoreError>> {
        self.fails()
    }

    fn count_of<'a>(&'a self, _: &'a Owner) -> BoxFuture<'a, Result<usize, StoreError>> {
        self.fails()
    }

    fn check(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.fails()
    }

    fn due(&self, _: Timestamp) -> BoxFuture<'_, Result<Due, StoreError>> {
        self.fails()
    }

    fn renew(&self, _: Vec<String>, _: Lease) -> BoxFuture<'_, Result<(), StoreError>> {
        self.fails()
    }

    fn delete<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        self.fails()
    }

    fn delete_ended(&self, _: Timestamp) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        self.fails()
    }
}

#[tokio::test]
async fn a_request_that_meets_a_bug_is_answered() {
    let parts = Parts { store: Arc::new(Dead { breaks: true }), ..parts(front_desk()) };
    let server = app(&Config::default(), parts);
    for path in ["/healthz", "/metrics", "/conversations/t"] {
        let answer = get(&server, path).await;
        assert_eq!(answer.refusal(), (500, "internal_error".to_owned()), "{path}");
        assert!(answer.headers.contains_key("x-request-id"), "{path}");
    }
}

#[tokio::test]
async fn a_server_without_its_store_does_not_say_that_it_is_well() {
    let parts = Parts { store: Arc::new(Dead { breaks: false }), ..parts(front_desk()) };
    let server = app(&Config::default(), parts);
    for path in ["/healthz", "/readyz"] {
        let health = get(&server, path).await;
        assert_eq!(health.status, 503);
        assert_eq!(health.json(), json!({"status": "store_failed"}));
    }
}

/// Lets the test decide when a commit is done, or a load.
#[derive(Debug)]
struct Waits {
    store: MemoryStore,
    loads_wait: AtomicBool,
    begun: Semaphore,
    gate: Semaphore,
}

impl Waits {
    fn new() -> Self {
        Self {
            store: MemoryStore::default(),
            loads_wait: AtomicBool::new(false),
            begun: Semaphore::new(0),
            gate: Semaphore::new(0),
        }
    }

    /// Until it is asked for one.
    async fn begins(&self) {
        take(&self.begun).await;
    }

    async fn wait(&self) {
        self.begun.add_permits(1);
        take(&self.gate).await;
    }
}

impl Store for Waits {
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Stored>, StoreError>> {
        Box::pin(async move {
            if self.loads_wait.load(Ordering::Relaxed) {
                self.wait().await;
            }
            self.store.load(id).await
        })
    }

    fn commit<'a>(
        &'a self,
        id: &'a str,
        base: Option<Revision>,
        change: Change<'a>,
    ) -> BoxFuture<'a, Result<(), CommitError>> {
        Box::pin(async move {
            self.wait().await;
            self.store.commit(id, base, change).await
        })
    }

    fn count(&self) -> BoxFuture<'_, Result<usize, StoreError>> {
        self.store.count()
    }

    fn count_of<'a>(&'a self, owner: &'a Owner) -> BoxFuture<'a, Result<usize, StoreError>> {
        self.store.count_of(owner)
    }

    fn check(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.store.check()
    }

    fn due(&self, _: Timestamp) -> BoxFuture<'_, Result<Due, StoreError>> {
        // No timer runs here: a request for the conversation lets its question expire.
        Box::pin(async { Ok(Due::default()) })
    }

    fn renew(&self, ids: Vec<String>, lease: Lease) -> BoxFuture<'_, Result<(), StoreError>> {
        self.store.renew(ids, lease)
    }

    fn delete<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        self.store.delete(id)
    }

    fn delete_ended(&self, by: Timestamp) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        self.store.delete_ended(by)
    }
}

#[tokio::test]
async fn a_question_that_expires_for_a_reader_who_leaves_has_expired_all_the_same() {
    for path in ["/conversations/t", "/conversations/t/events"] {
        let (store, clock) = (Arc::new(Waits::new()), HandClock::new());
        let script = Script::new([vec![Line::Calls(0, "ask_user_question", ASK)], vec![Line::Waits]]);
        let config = Config { expire_after: Some(Duration::from_secs(60)), ..Config::default() };
        let server = app(
            &config,
            Parts {
                store: Arc::clone(&store) as Arc<dyn Store>,
                clock: Arc::new(clock.clone()),
                ..parts(script.clone())
            },
        );
        // The message, the call and the question.
        store.gate.add_permits(3);
        post(&server, "/agent", says("t", "u", "go")).await.events();
        for _ in 0..3 {
            store.begins().await;
        }
        clock.advance(Duration::from_secs(60));
        tokio::select! {
            biased;
            answer = get(&server, path) => panic!("{answer:?} before it is stored"),
            () = store.begins() => {}
        }
        store.gate.add_permits(1);
        script.waits().await;
    }
}

#[tokio::test]
async fn a_run_that_begins_while_there_is_nothing_to_cancel_goes_on() {
    let store = Arc::new(Waits::new());
    let said = ["One.", "Two."].map(|text| vec![Line::Says(text)]);
    let server =
        app(&Config::default(), Parts { store: Arc::clone(&store) as Arc<dyn Store>, ..parts(Script::new(said)) });
    store.gate.add_permits(2);
    post(&server, "/agent", says("t", "u1", "go")).await.events();
    for _ in 0..2 {
        store.begins().await;
    }
    // It stays in memory, with nothing under way.
    let _watcher = Watcher::open(&server, "t", None).await;
    store.loads_wait.store(true, Ordering::Relaxed);
    let cancelled = start(&server, "/conversations/t/cancel", json!({}));
    store.begins().await;
    let run = start(&server, "/agent", says("t", "u2", "go on"));
    // All of this is one thread: wait until the run queues behind the cancellation.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    store.gate.add_permits(3);
    let cancelled = cancelled.await.expect("it is answered");
    assert_eq!(cancelled.status, 409);
    let (_, end) = run.await.expect("it is answered").events();
    assert_eq!(end.outcome, EndOutcome::Completed);
}

/// A store with conversations that a server left during their work.
async fn broken_off(ids: &[&str], context: &ToolContext) -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::default());
    for id in ids {
        let message = UserMessage { id: "u".to_owned(), text: "go".to_owned(), ask: None };
        let messages = vec![Message::User(message.clone())];
        let mut conversation = Conversation::new();
        conversation.handle(Event::UserMessage { messages: vec![message] }).expect("it is new");
        let revision = Revision(1);
        let change = Change {
            revision,
            owner: None,
            context,
            state: conversation.state(),
            messages: &messages,
            told: Told { since: revision, frames: 2 },
            frames: &[],
            lease: Some(Lease { holder: Uuid::new_v4(), until: Timestamp(0) }),
            run: None,
            at: Timestamp(0),
        };
        store.commit(id, None, change).await.expect("it is stored");
    }
    store
}

#[tokio::test]
async fn an_agent_that_goes_on_by_itself_ends_its_run_as_its_client_wants() {
    let context = ToolContext { interrupts: true, ..ToolContext::default() };
    let script = Script::new([vec![Line::Waits, Line::Calls(0, "ask_user_question", ASK)]]);
    let parts = Parts { store: broken_off(&["t"], &context).await, ..parts(script.clone()) };
    let server = app(&Config::default(), parts);
    script.waits().await;
    let mut watcher = Watcher::open(&server, "t", None).await;
    script.go_on();
    let ends = |frame: &Frame| frame.data["type"] == "RUN_FINISHED";
    let end = watcher.until(ends).await.pop().expect("it ends");
    assert_eq!(end.data["outcome"]["type"], "interrupt", "{end:?}");
}

#[tokio::test]
async fn no_more_agents_go_on_by_themselves_than_may_ask_the_model() {
    let ids = ["one", "two", "three"];
    let script = Script::new(ids.map(|_| vec![Line::Waits, Line::Says("Here I am.")]));
    let parts = Parts { store: broken_off(&ids, &ToolContext::default()).await, ..parts(script.clone()) };
    let config = Config { model_calls: NonZeroUsize::MIN, ..Config::default() };
    let server = app(&config, parts);
    for asked in 1..=ids.len() {
        script.waits().await;
        assert_eq!(script.times_asked(), asked);
        script.go_on();
    }
    for id in ids {
        until_state(&server, id, "idle").await;
    }
}

#[tokio::test]
async fn what_a_server_does_by_itself_goes_on_behind_a_bug() {
    let ten_years = Duration::from_secs(10 * 365 * 24 * 3600);
    let store = broken_off(&["t"], &ToolContext::default()).await;
    let store = Arc::into_inner(store).expect("nobody else has it");
    let store = Arc::new(FailsOnce { store, ..FailsOnce::at(usize::MAX) });
    // While the agent thinks, it is renewed as well.
    let script = Script::new([vec![Line::Waits, Line::Says("Here I am.")]]);
    let clock = HandClock::new();
    let a_while_passes = async || {
        clock.advance(SWEEP);
        tokio::task::yield_now().await;
    };
    let until_met = async || {
        for _ in 0..10_000 {
            if store.bugs().is_empty() {
                return;
            }
            a_while_passes().await;
        }
        panic!("{:?} are not called any more", store.bugs());
    };
    store.bugs().extend(["due", "load", "delete_ended"]);
    let config = Config { keep: Some(ten_years), ..Config::default() };
    let parts =
        Parts { store: Arc::clone(&store) as Arc<dyn Store>, clock: Arc::new(clock.clone()), ..parts(script.clone()) };
    let server = app(&config, parts);
    until_met().await;
    tokio::select! {
        () = script.waits() => {}
        () = async {
            for _ in 0..10_000 {
                a_while_passes().await;
            }
        } => panic!("the agent does not go on"),
    }
    for again in 0..2 {
        store.bugs().extend(["due", "delete_ended", "renew"]);
        until_met().await;
        assert_eq!(script.times_asked(), 1, "after {again}");
    }
    script.go_on();
    until_state(&server, "t", "idle").await;
}
