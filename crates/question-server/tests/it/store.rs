//! A store that fails, at times.

use crate::clock::HandClock;
use crate::house::{app, front_desk, parts, server_with};
use crate::http::{call, get, post, request, says, start, with_headers};
use crate::script::{ASK, Line, Script, take};
use crate::watcher::{Frame, Watcher, until_state};
use ag_ui_stream::reader::EndOutcome;
use async_trait::async_trait;
use axum::Router;
use axum::http::Method;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use question_agent::message::{Message, UserMessage};
use question_agent::registry::ToolContext;
use question_agent::{Conversation, Event, Timestamp};
use question_server::clock::Clock as _;
use question_server::limits::{LEASE, SWEEP};
use question_server::owner::Owner;
use question_server::rate::PerMinute;
use question_server::store::signals::{Notification, Signal};
use question_server::store::{
    Commit, CommitError, Due, DueKind, Entry, FilePart, FileRoom, Lease, NewFile, NewPushSubscription,
    PushSubscription, Revision, SqliteStore, Store, StoreError, Stored, StoredFile, Webhook,
};
use question_server::{Config, Drain};
use serde_json::json;
use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::iter;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;
use uuid::Uuid;

/// An error with its causes, as its reader gets it.
pub(crate) fn with_causes(error: impl Error) -> String {
    let causes = iter::successors(Some(&error as &dyn Error), |&cause| cause.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// A hook before a store's method with this name.
#[async_trait]
pub(crate) trait Before: fmt::Debug + Send + Sync + 'static {
    async fn before(&self, call: &'static str) -> Result<(), StoreError>;

    /// True if another server commits before each commit.
    fn is_overtaken(&self) -> bool {
        false
    }

    /// The signals in place of the store's own.
    fn subscribe(&self) -> Option<BoxStream<'static, Option<Signal>>> {
        None
    }
}

/// A store, and what happens before it does anything.
#[derive(Debug)]
pub(crate) struct Behind<B> {
    pub(crate) first: B,
    pub(crate) store: Arc<dyn Store>,
}

impl<B> Behind<B> {
    pub(crate) fn new(first: B) -> Self {
        Self { first, store: Arc::new(SqliteStore::in_memory()) }
    }
}

/// A store whose calls are those of another, each after the hook of its name.
macro_rules! delegating {
    ($($call:ident($($argument:ident: $kind:ty),*) -> $done:ty;)*) => {
        #[async_trait]
        impl<B: Before> Store for Behind<B> {
            $(async fn $call(&self, $($argument: $kind),*) -> Result<$done, StoreError> {
                self.first.before(stringify!($call)).await?;
                self.store.$call($($argument),*).await
            })*

            async fn commit(&self, id: &str, base: Option<Revision>, change: Commit<'_>) -> Result<(), CommitError> {
                self.first.before("commit").await?;
                if self.first.is_overtaken() {
                    return Err(CommitError::Conflict);
                }
                self.store.commit(id, base, change).await
            }

            fn subscribe(&self) -> Option<BoxStream<'static, Option<Signal>>> {
                self.first.subscribe().or_else(|| self.store.subscribe())
            }
        }
    };
}

delegating! {
    load(id: &str) -> Option<Stored>;
    owner(id: &str) -> Option<Option<Owner>>;
    count() -> usize;
    count_of(owner: &Owner) -> usize;
    of_owner(owner: &Owner, most: usize) -> Vec<String>;
    put_file(file: NewFile, room: FileRoom) -> bool;
    file(conversation: &str, hash: &str, with: FilePart) -> Option<StoredFile>;
    delete_lost_files(by: Timestamp) -> usize;
    secret(name: &str, fresh: Vec<u8>) -> Vec<u8>;
    put_push_subscription(new: NewPushSubscription) -> ();
    count_push_subscriptions() -> usize;
    push_subscriptions(owner: &Owner) -> Vec<PushSubscription>;
    push_subscription(endpoint: &str) -> Option<PushSubscription>;
    delete_push_subscription(endpoint: &str, owner: Option<&Owner>) -> ();
    check() -> ();
    due(kind: DueKind, now: Timestamp, most: usize) -> Due<String>;
    renew(ids: Vec<String>, lease: Lease) -> ();
    claim_webhooks(now: Timestamp, until: Timestamp, most: usize) -> Due<Webhook>;
    reschedule_webhook(webhook: &Webhook, next_at: Option<Timestamp>) -> ();
    delete(id: &str, revision: Revision) -> bool;
    delete_ended(by: Timestamp) -> Vec<String>;
    entries(id: &str, after: Revision, most: usize) -> Vec<Entry>;
    revisions(ids: Vec<String>) -> Option<HashMap<String, Revision>>;
    publish(signals: Vec<Signal>) -> ();
}

/// Fails the commit of that number, counted from 0, and panics once in each of these calls.
#[derive(Debug)]
struct FailsOnce {
    commits: AtomicUsize,
    failing: usize,
    bugs: Mutex<Vec<&'static str>>,
}

impl FailsOnce {
    fn at(failing: usize) -> Self {
        Self { commits: AtomicUsize::new(0), failing, bugs: Mutex::default() }
    }

    fn bugs(&self) -> MutexGuard<'_, Vec<&'static str>> {
        self.bugs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Before for FailsOnce {
    async fn before(&self, call: &'static str) -> Result<(), StoreError> {
        let met = self.bugs().extract_if(.., |bug| *bug == call).count();
        assert_eq!(met, 0, "a bug in {call}");
        let fails = call == "commit" && self.commits.fetch_add(1, Ordering::Relaxed) == self.failing;
        (!fails).then_some(()).ok_or(StoreError::Unusable("the disk is full"))
    }
}

fn server_failing_at(failing: usize) -> Router {
    let store = Behind::new(FailsOnce::at(failing));
    app(&Config::default(), parts(front_desk()).store(Arc::new(store)))
}

#[tokio::test]
async fn what_is_not_stored_is_not_taken() {
    let server = server_failing_at(0);
    let refused = post(&server, "/agent", says("t", "u", "hi")).await;
    assert_eq!(refused.refusal(), (503, "store_failed".to_owned()));
    assert_eq!(refused.header("retry-after"), "1");
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
async fn a_reply_whose_commit_met_a_bug_is_not_taken_yet() {
    let store = Arc::new(Behind::new(FailsOnce::at(usize::MAX)));
    let server = app(&Config::default(), parts(front_desk()).store(Arc::clone(&store) as Arc<dyn Store>));
    post(&server, "/agent", says("t", "u", "hi")).await;
    // Keeps the conversation in memory.
    let _watcher = Watcher::open(&server, "t", None).await;
    store.first.bugs().push("commit");
    let reply = json!({"answers": {"Which service do you need?": "Brake service"}, "replyId": "reply-1"});
    let path = "/conversations/t/respond";
    assert_eq!(post(&server, path, reply.clone()).await.refusal(), (500, "internal_error".to_owned()));
    assert_eq!(post(&server, path, reply).await.status, 200);
    let stored = store.load("t").await.expect("it is read").expect("it is there");
    let is_result = |message: &Message| matches!(message, Message::Tool(_));
    assert!(stored.conversation.messages().iter().any(is_result), "{:?}", stored.conversation.messages());
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
    let store = Behind::new(FailsOnce::at(1));
    let clock = HandClock::new();
    let parts = parts(front_desk()).store(Arc::new(store)).clock(Arc::new(clock.clone()));
    let server = app(&Config::default(), parts);
    let (_, end) = post(&server, "/agent", says("t", "u", "hi")).await.events();
    assert_eq!(end.error.as_ref().map(|error| error.code()), Some("store_failed"));
    clock.advance(LEASE);
    until_state(&server, "t", "awaiting_user_response").await;
}

/// A store whose thread or disk has gone.
#[derive(Debug)]
struct Dead {
    /// True if a call of it panics.
    breaks: bool,
}

#[async_trait]
impl Before for Dead {
    async fn before(&self, _: &'static str) -> Result<(), StoreError> {
        assert!(!self.breaks, "a store with a bug");
        Err(StoreError::Unusable("the store has stopped"))
    }
}

#[tokio::test]
async fn a_request_that_meets_a_bug_is_answered() {
    let parts = parts(front_desk()).store(Arc::new(Behind::new(Dead { breaks: true })));
    let server = app(&Config::default(), parts);
    for path in ["/metrics", "/conversations/t"] {
        let answer = get(&server, path).await;
        assert_eq!(answer.refusal(), (500, "internal_error".to_owned()), "{path}");
        assert!(answer.headers.contains_key("x-request-id"), "{path}");
    }
}

#[tokio::test]
async fn a_server_without_its_store_is_alive_and_not_ready() {
    let parts = parts(front_desk()).store(Arc::new(Behind::new(Dead { breaks: false })));
    let server = app(&Config::default(), parts);
    let ready = get(&server, "/readyz").await;
    assert_eq!((ready.status.as_u16(), ready.json()), (503, json!({"status": "store_failed"})));
    // To end the process would not bring the store back.
    let alive = get(&server, "/healthz").await;
    assert_eq!((alive.status.as_u16(), alive.json()), (200, json!({"status": "ok"})));
}

/// A gate at which calls wait until the test lets them pass.
#[derive(Clone, Debug)]
pub(crate) struct Gate([Arc<Semaphore>; 2]);

impl Gate {
    /// One that lets this number of calls pass at first.
    pub(crate) fn letting(calls: usize) -> Self {
        Self([Semaphore::new(0), Semaphore::new(calls)].map(Arc::new))
    }

    /// Until the next call has come.
    pub(crate) async fn arrived(&self) {
        take(&self.0[0]).await;
    }

    /// Lets this number of calls more pass.
    pub(crate) fn lets(&self, calls: usize) {
        self.0[1].add_permits(calls);
    }

    pub(crate) async fn pass(&self) {
        self.0[0].add_permits(1);
        take(&self.0[1]).await;
    }
}

/// Lets the test decide when a commit is done, or a load.
#[derive(Debug)]
struct Waits {
    loads_wait: AtomicBool,
    gate: Gate,
}

impl Waits {
    fn new() -> Self {
        Self { loads_wait: AtomicBool::new(false), gate: Gate::letting(0) }
    }
}

#[async_trait]
impl Before for Waits {
    async fn before(&self, call: &'static str) -> Result<(), StoreError> {
        let waits = call == "commit" || (call == "load" && self.loads_wait.load(Ordering::Relaxed));
        if waits {
            self.gate.pass().await;
        }
        // No timer runs here: a request for the conversation lets its question expire.
        (call != "due").then_some(()).ok_or(StoreError::Unusable("nothing is due here"))
    }
}

/// Holds back the calls of one kind, while the test wants it.
#[derive(Debug)]
struct Holds {
    call: &'static str,
    holds: AtomicBool,
    gate: Gate,
    signals: TestSignals,
}

impl Holds {
    fn store(call: &'static str) -> Arc<Behind<Self>> {
        Self::store_with(call, TestSignals::default())
    }

    fn store_with(call: &'static str, signals: TestSignals) -> Arc<Behind<Self>> {
        Arc::new(Behind::new(Self { call, holds: AtomicBool::new(false), gate: Gate::letting(0), signals }))
    }

    fn hold(&self, holds: bool) {
        self.holds.store(holds, Ordering::Relaxed);
    }
}

#[async_trait]
impl Before for Holds {
    async fn before(&self, call: &'static str) -> Result<(), StoreError> {
        if call == self.call && self.holds.load(Ordering::Relaxed) {
            self.gate.pass().await;
        }
        Ok(())
    }

    fn subscribe(&self) -> Option<BoxStream<'static, Option<Signal>>> {
        self.signals.subscribe()
    }
}

/// The signals of other servers, as a test tells them.
#[derive(Debug, Default)]
pub(crate) struct TestSignals(Mutex<Option<UnboundedReceiver<Option<Signal>>>>);

impl TestSignals {
    pub(crate) fn new(told: UnboundedReceiver<Option<Signal>>) -> Self {
        Self(Mutex::new(Some(told)))
    }

    pub(crate) fn subscribe(&self) -> Option<BoxStream<'static, Option<Signal>>> {
        let mut told = self.0.lock().expect("no test panics with it").take()?;
        Some(stream::poll_fn(move |context| told.poll_recv(context)).boxed())
    }
}

#[tokio::test]
async fn what_others_changed_is_loaded_by_a_few_at_a_time() {
    let (tell, told) = unbounded_channel();
    let store = Holds::store_with("load", TestSignals::new(told));
    let server = app(&Config::default(), parts(front_desk()).store(Arc::clone(&store) as Arc<dyn Store>));
    let ids: Vec<String> = (0..20).map(|number| format!("t{number}")).collect();
    let mut watchers = Vec::new();
    for id in &ids {
        post(&server, "/agent", says(id, "u", "hi")).await.events();
        watchers.push(Watcher::open(&server, id, None).await);
    }
    store.first.hold(true);
    for id in &ids {
        let notification = Notification::Committed(Revision(u64::MAX));
        let signal = Signal { by: Uuid::new_v4(), id: id.clone(), notification };
        tell.send(Some(signal)).expect("it listens");
    }
    for _ in 0..4 {
        store.first.gate.arrived().await;
    }
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    let fifth = Box::pin(store.first.gate.arrived());
    assert!(futures_util::poll!(fifth).is_pending(), "requests of users find connections");
    store.first.gate.lets(100);
    for _ in 4..ids.len() {
        store.first.gate.arrived().await;
    }
}

#[tokio::test]
async fn what_another_server_tells_costs_a_watcher_no_history() {
    let (tell, told) = unbounded_channel();
    let store = Holds::store_with("load", TestSignals::new(told));
    let there = app(&Config::default(), parts(front_desk()).store(Arc::clone(&store.store)));
    let here = app(&Config::default(), parts(front_desk()).store(Arc::clone(&store) as Arc<dyn Store>));
    post(&there, "/agent", says("t", "u", "hi")).await.events();
    let mut watcher = Watcher::open(&here, "t", None).await;
    store.first.hold(true);
    for (id, text) in [("u2", "Brake service"), ("u3", "Tomorrow")] {
        post(&there, "/agent", says("t", id, text)).await.events();
        let notification = Notification::Committed(Revision(u64::MAX));
        let signal = Signal { by: Uuid::new_v4(), id: "t".to_owned(), notification };
        tell.send(Some(signal)).expect("it listens");
        watcher.until(|frame| frame.data["type"] == "RUN_FINISHED").await;
    }
    drop((watcher, here, there));
    timeout(Duration::from_secs(20), tell.closed()).await.expect("a server that is gone listens no more");
}

#[tokio::test]
async fn what_two_requests_delete_at_once_is_deleted_for_both() {
    let store = Holds::store("delete");
    let server = app(&Config::default(), parts(front_desk()).store(Arc::clone(&store) as Arc<dyn Store>));
    let mine = |method, path, body| {
        let (server, sent) =
            (server.clone(), with_headers(request(method, path, body), &[("authorization", "Bearer me")]));
        tokio::spawn(async move { call(&server, sent).await })
    };
    mine(Method::POST, "/agent", Some(says("t", "u", "hi"))).await.expect("it is answered").events();
    store.first.hold(true);
    let deletions = [(); 2].map(|()| mine(Method::DELETE, "/conversations", None));
    store.first.gate.arrived().await;
    // Until the other one waits for the same conversation.
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    store.first.hold(false);
    store.first.gate.lets(100);
    for deletion in deletions {
        assert_eq!(deletion.await.expect("it is answered").status, 204);
    }
}

/// Counts the calls of one method.
#[derive(Debug)]
pub(crate) struct Calls {
    of: &'static str,
    count: AtomicUsize,
}

impl Calls {
    pub(crate) fn of(method: &'static str) -> Self {
        Self { of: method, count: AtomicUsize::new(0) }
    }

    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl Before for Calls {
    async fn before(&self, call: &'static str) -> Result<(), StoreError> {
        self.count.fetch_add(usize::from(call == self.of), Ordering::Relaxed);
        Ok(())
    }
}

#[tokio::test]
async fn conversations_are_not_counted_for_each_new_one_and_yet_bounded() {
    const MOST: usize = 60;
    let store = Arc::new(Behind::new(Calls::of("count")));
    let mut config = Config::default();
    (config.bounds.conversations, config.bounds.new) = (MOST, PerMinute::new(0));
    let server = app(&config, parts(front_desk()).store(Arc::clone(&store) as Arc<dyn Store>));
    let begins = async |number: usize| post(&server, "/agent", says(&format!("t{number}"), "u", "hi")).await.status;
    // One that is refused before anything of it is kept takes no place.
    let nothing = post(&server, "/agent", says("none", "u", &"x".repeat(65_537))).await;
    assert_eq!(nothing.refusal(), (400, "bad_request".to_owned()));
    for number in 0..MOST {
        assert_eq!(begins(number).await, 200, "{number}");
    }
    assert!(store.first.count() < MOST / 2, "{store:?}");
    assert_eq!(begins(MOST).await, 503);
    assert_eq!(call(&server, request(Method::DELETE, "/conversations/t0", None)).await.status, 204);
    assert_eq!(begins(MOST).await, 200);
    assert_eq!(store.count().await.expect("it is read"), MOST);
}

#[tokio::test(start_paused = true)]
async fn a_slow_store_drops_no_history_and_short_ones_take_little_room() {
    let mut config = Config::default();
    (config.bounds.history, config.bounds.histories) = (64 << 20, 256 << 20);
    let store = Holds::store("load");
    let server = app(&config, parts(front_desk()).store(Arc::clone(&store) as Arc<dyn Store>));
    post(&server, "/agent", says("t", "u", "hi")).await.events();
    store.first.hold(true);
    let reads: Vec<_> = (0..8)
        .map(|_| {
            let server = server.clone();
            tokio::spawn(async move { get(&server, "/conversations/t").await })
        })
        .collect();
    // Much longer than others wait for room. The test's clock jumps there at once.
    tokio::time::sleep(Duration::from_secs(60)).await;
    store.first.hold(false);
    store.first.gate.lets(100);
    for read in reads {
        let read = read.await.expect("it is answered");
        assert_eq!((read.status.as_u16(), &read.json()["state"]["type"]), (200, &json!("awaiting_user_response")));
    }
}

#[tokio::test]
async fn a_lease_that_is_released_stays_so_behind_a_renewal_under_way() {
    let (store, clock) = (Holds::store("renew"), HandClock::new());
    let script = Script::new([vec![Line::Waits, Line::Hangs]]);
    let drain = Drain::default();
    let parts = parts(script.clone()).clock(Arc::new(clock.clone())).drain(drain.clone());
    let server = app(&Config::default(), parts.store(Arc::clone(&store) as Arc<dyn Store>));
    let run = start(&server, "/agent", says("t", "u", "go"));
    script.waits().await;
    store.first.hold(true);
    clock.advance(SWEEP);
    store.first.gate.arrived().await;
    store.first.hold(false);
    let draining = tokio::spawn(async move { drain.run(Duration::ZERO).await });
    run.await.expect("it is told").events();
    // Until what releases the lease has come as far as it can.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    store.first.gate.lets(100);
    draining.await.expect("it ends");
    let lease = store.load("t").await.expect("it is read").expect("it is there").lease.expect("it was at work");
    assert!(lease.until <= clock.now(), "{lease:?}");
}

#[tokio::test]
async fn a_question_that_expires_while_the_server_stops_has_expired() {
    let (store, clock) = (Holds::store("commit"), HandClock::new());
    let drain = Drain::default();
    let config = Config { expire_after: Some(Duration::from_secs(60)), ..Config::default() };
    let script = Script::new([vec![Line::Calls(0, "ask_user_question", ASK)], vec![Line::Hangs]]);
    let parts = parts(script).clock(Arc::new(clock.clone())).drain(drain.clone());
    let server = app(&config, parts.store(Arc::clone(&store) as Arc<dyn Store>));
    post(&server, "/agent", says("t", "u", "hi")).await.events();
    store.first.hold(true);
    clock.advance(Duration::from_secs(60));
    store.first.gate.arrived().await;
    drain.run(Duration::ZERO).await;
    store.first.gate.lets(100);
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    let stored = store.load("t").await.expect("it is read").expect("it is there");
    assert!(stored.conversation.waiting().is_none(), "{:?}", stored.conversation.state());
    let lease = stored.lease.expect("its run has begun");
    assert!(lease.until <= clock.now(), "another server may go on at once: {lease:?}");
}

/// Lets another server be faster each time.
#[derive(Debug, Default)]
struct AlwaysLate(AtomicBool);

#[async_trait]
impl Before for AlwaysLate {
    async fn before(&self, _: &'static str) -> Result<(), StoreError> {
        Ok(())
    }

    fn is_overtaken(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_that_is_overtaken_again_and_again_is_refused_as_that() {
    let store = Arc::new(Behind::new(AlwaysLate::default()));
    let mut config = Config::default();
    config.bounds.changes = PerMinute::new(5);
    let server = app(&config, parts(front_desk()).store(Arc::clone(&store) as Arc<dyn Store>));
    post(&server, "/agent", says("t", "u", "hi")).await.events();
    store.first.0.store(true, Ordering::Relaxed);
    let reply = json!({"answers": {"Which service do you need?": "Brake service"}});
    let cancel = json!({});
    let more = says("t", "u2", "Brake service");
    for (path, body) in
        [("/conversations/t/respond", reply.clone()), ("/conversations/t/cancel", cancel), ("/agent", more)]
    {
        let refused = post(&server, path, body).await;
        assert_eq!(refused.refusal(), (409, "overtaken".to_owned()), "{path}");
    }
    store.first.0.store(false, Ordering::Relaxed);
    let taken = post(&server, "/conversations/t/respond", reply).await;
    assert_eq!(taken.status, 200, "each request counts as one change: {:?}", taken.body);
}

#[tokio::test]
async fn a_question_that_expires_for_a_reader_who_leaves_has_expired_all_the_same() {
    for path in ["/conversations/t", "/conversations/t/events"] {
        let (store, clock) = (Arc::new(Behind::new(Waits::new())), HandClock::new());
        let script = Script::new([vec![Line::Calls(0, "ask_user_question", ASK)], vec![Line::Waits]]);
        let config = Config { expire_after: Some(Duration::from_secs(60)), ..Config::default() };
        let server = app(
            &config,
            parts(script.clone()).store(Arc::clone(&store) as Arc<dyn Store>).clock(Arc::new(clock.clone())),
        );
        // The message, the call and the question.
        store.first.gate.lets(3);
        post(&server, "/agent", says("t", "u", "go")).await.events();
        for _ in 0..3 {
            store.first.gate.arrived().await;
        }
        clock.advance(Duration::from_secs(60));
        tokio::select! {
            biased;
            answer = get(&server, path) => panic!("{answer:?} before it is stored"),
            () = store.first.gate.arrived() => {}
        }
        store.first.gate.lets(1);
        script.waits().await;
    }
}

#[tokio::test]
async fn a_run_that_begins_while_there_is_nothing_to_cancel_goes_on() {
    let store = Arc::new(Behind::new(Waits::new()));
    let said = ["One.", "Two."].map(|text| vec![Line::Says(text)]);
    let server = app(&Config::default(), parts(Script::new(said)).store(Arc::clone(&store) as Arc<dyn Store>));
    store.first.gate.lets(2);
    post(&server, "/agent", says("t", "u1", "go")).await.events();
    for _ in 0..2 {
        store.first.gate.arrived().await;
    }
    // It stays in memory, with nothing under way.
    let _watcher = Watcher::open(&server, "t", None).await;
    store.first.loads_wait.store(true, Ordering::Relaxed);
    let cancelled = start(&server, "/conversations/t/cancel", json!({}));
    store.first.gate.arrived().await;
    let run = start(&server, "/agent", says("t", "u2", "go on"));
    // All of this is one thread: wait until the run queues behind the cancellation.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    store.first.gate.lets(3);
    let cancelled = cancelled.await.expect("it is answered");
    assert_eq!(cancelled.status, 409);
    let (_, end) = run.await.expect("it is answered").events();
    assert_eq!(end.outcome, EndOutcome::Completed);
}

/// A store with conversations that a server left during their work.
async fn broken_off(ids: &[&str], context: &ToolContext) -> Arc<SqliteStore> {
    let store = Arc::new(SqliteStore::in_memory());
    for id in ids {
        let message = UserMessage::new("u", "go");
        let messages = vec![Message::User(message.clone())];
        let mut conversation = Conversation::new();
        conversation.handle(Event::UserMessage { messages: vec![message] }).expect("it is new");
        let revision = Revision(1);
        let change = Commit {
            revision,
            owner: None,
            peer: "",
            context,
            state: conversation.state(),
            messages: &messages,
            webhooks: &[],
            told: "[]",
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
    let parts = parts(script.clone()).store(broken_off(&["t"], &context).await);
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
    let parts = parts(script.clone()).store(broken_off(&ids, &ToolContext::default()).await);
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
    let store = Arc::new(Behind { first: FailsOnce::at(usize::MAX), store });
    // While the agent thinks, it is renewed as well.
    let script = Script::new([vec![Line::Waits, Line::Says("Here I am.")]]);
    let clock = HandClock::new();
    let a_while_passes = async || {
        clock.advance(SWEEP);
        tokio::task::yield_now().await;
    };
    let until_met = async || {
        for _ in 0..10_000 {
            if store.first.bugs().is_empty() {
                return;
            }
            a_while_passes().await;
        }
        panic!("{:?} are not called any more", store.first.bugs());
    };
    store.first.bugs().extend(["due", "load", "delete_ended"]);
    let config = Config { keep: Some(ten_years), ..Config::default() };
    let parts = parts(script.clone()).store(Arc::clone(&store) as Arc<dyn Store>).clock(Arc::new(clock.clone()));
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
        store.first.bugs().extend(["due", "delete_ended", "renew"]);
        until_met().await;
        assert_eq!(script.times_asked(), 1, "after {again}");
    }
    script.go_on();
    until_state(&server, "t", "idle").await;
}
