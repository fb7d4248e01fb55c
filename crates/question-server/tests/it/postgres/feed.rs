//! What is told at one server, to clients that watch at another.

use super::Database;
use crate::clock::HandClock;
use crate::http::{call, get, post, request, says, start};
use crate::replicas::{Mortal, is_end, server, until_idle};
use crate::script::{ASK, Line, Script, take};
use crate::watcher::{Frame, Watcher};
use ag_ui_stream::reader::EndOutcome;
use async_trait::async_trait;
use axum::Router;
use axum::http::Method;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use question_agent::Timestamp;
use question_server::limits::{LEASE, SWEEP};
use question_server::owner::Owner;
use question_server::store::feed::{Feed, Heard, Piece, Signal};
use question_server::store::{Change, CommitError, Due, Lease, Revision, Store, StoreError, Stored, StreamPosition};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;
use tower::ServiceExt as _;

/// Two servers over one database, of one model.
async fn servers(postgres: &Database, script: &Script) -> [Router; 2] {
    let clock = HandClock::new();
    [server(&postgres.open().await, &clock, script), server(&postgres.open().await, &clock, script)]
}

fn told(frames: &[Frame]) -> Vec<(&str, &Value)> {
    frames.iter().map(|frame| (frame.id.as_str(), &frame.data)).collect()
}

fn says_text(text: &'static str) -> impl Fn(&Frame) -> bool {
    move |frame| frame.data["delta"] == text
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn an_answer_grows_at_every_server() {
    let postgres = Database::new().await;
    let script = Script::new([vec![Line::Says("One."), Line::Waits, Line::Says(" Two."), Line::Waits]]);
    let [first, second] = servers(&postgres, &script).await;
    let run = start(&first, "/agent", says("t", "u", "go"));
    script.waits().await;
    let described = get(&second, "/conversations/t").await.json();
    assert_eq!(described["runId"], "run-u");
    let last = described["lastEventId"].as_str().expect("it is text").to_owned();
    let mut here = Watcher::open(&first, "t", Some(&last)).await;
    let mut there = Watcher::open(&second, "t", Some(&last)).await;
    let seen = there.until(says_text("One.")).await;
    assert_eq!((&seen[0].data["type"], &seen[1].data["type"]), (&json!("llm_requesting"), &json!("RUN_STARTED")));
    script.go_on();
    let mut seen: Vec<Frame> = seen.into_iter().chain(there.until(says_text(" Two.")).await).collect();
    script.go_on();
    seen.extend(there.until(is_end).await);
    assert_eq!(told(&seen), told(&here.until(is_end).await));
    run.await.expect("it ends").events();
    // Without anybody having to come back.
    post(&second, "/agent", says("t", "u2", "And?")).await.events();
    let at_first = here.until(is_end).await;
    assert_eq!(told(&at_first), told(&there.until(is_end).await));
    assert_eq!(at_first[0].data["type"], "RUN_STARTED");
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_connection_that_breaks_goes_on_behind_it_at_another_server() {
    let postgres = Database::new().await;
    let answers =
        [vec![Line::Calls(0, "ask_user_question", ASK)], vec![Line::Says("Two,"), Line::Waits, Line::Says(" then.")]];
    let script = Script::new(answers);
    let [first, second] = servers(&postgres, &script).await;
    post(&first, "/agent", says("t", "u", "go")).await.events();
    let mut watcher = Watcher::open(&first, "t", None).await;
    watcher.next().await;
    let run = start(&first, "/agent", says("t", "u2", "Two"));
    script.waits().await;
    let mut all = watcher.until(says_text("Two,")).await;
    // During an answer, at a place where nobody was before.
    let middle = all.last().expect("there are some").id.clone();
    let mut back = Watcher::open(&second, "t", Some(&middle)).await;
    assert_eq!(back.next().await.id, middle);
    script.go_on();
    all.extend(watcher.until(is_end).await);
    let rest = back.until(is_end).await;
    assert_eq!(told(&rest), told(&all)[all.len() - rest.len()..]);
    assert_eq!(rest[0].data["delta"], " then.");
    run.await.expect("it ends").events();
    drop((watcher, back));
    for (index, frame) in all.iter().enumerate() {
        let mut back = Watcher::open(&second, "t", Some(&frame.id)).await;
        let present = back.next().await;
        assert_eq!((present.event.as_deref(), &present.id), (Some("state_change"), &frame.id));
        for missed in &all[index + 1..] {
            let told = back.next().await;
            assert_eq!((&told.id, &told.data), (&missed.id, &missed.data));
        }
    }
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_run_is_stopped_from_any_server() {
    let postgres = Database::new().await;
    let script = Script::new([vec![Line::Says("I was"), Line::Waits, Line::Hangs]]);
    let [first, second] = servers(&postgres, &script).await;
    let run = start(&first, "/agent", says("t", "u", "go"));
    script.waits().await;
    script.go_on();
    let other = post(&second, "/conversations/t/cancel", json!({"runId": "another"})).await;
    assert_eq!(other.json()["state"]["type"], "llm_requesting", "it is not that run");
    let stopped = post(&second, "/conversations/t/cancel", json!({"runId": "run-u"})).await;
    assert_eq!((stopped.status.as_u16(), &stopped.json()["state"]["type"]), (200, &json!("idle")));
    let (_, end) = run.await.expect("it ends").events();
    assert_eq!(end.outcome, EndOutcome::Cancelled);
    let messages = get(&second, "/conversations/t").await.json()["messages"].clone();
    assert_eq!(messages[1]["content"], "I was", "{messages}");
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_run_whose_server_has_died_is_stopped_all_the_same() {
    let postgres = Database::new().await;
    let (clock, script) = (HandClock::new(), Script::new([vec![Line::Says("I was"), Line::Waits]]));
    let first = Mortal::new(&postgres.open().await, &clock, &script).await;
    let second = server(&postgres.open().await, &clock, &script);
    first.starts("/agent", says("t", "u", "go"));
    script.waits().await;
    let mut watcher = Watcher::open(&second, "t", None).await;
    first.dies();
    let stopped = post(&second, "/conversations/t/cancel", json!({})).await;
    assert_eq!((stopped.status.as_u16(), &stopped.json()["state"]["type"]), (200, &json!("idle")));
    // What only the dead one knew nobody goes on with.
    let last = watcher.next().await.id;
    watcher.end().await;
    let mut back = Watcher::open(&second, "t", Some(&last)).await;
    back.next().await;
    assert_eq!(back.next().await.event.as_deref(), Some("reset"));
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn what_a_client_says_elsewhere_ends_the_run_that_it_has_left() {
    let postgres = Database::new().await;
    let script = Script::new([vec![Line::Says("I was"), Line::Waits, Line::Hangs], vec![Line::Says("Yes?")]]);
    let [first, second] = servers(&postgres, &script).await;
    let body = says("t", "u", "go");
    let reading = first.clone().oneshot(request(Method::POST, "/agent", Some(body.clone()))).await;
    let reading = reading.expect("it answers");
    script.waits().await;
    script.go_on();
    let refused = post(&second, "/agent", says("t", "u2", "Wait")).await;
    assert_eq!(refused.refusal().0, 409, "its client reads it");
    // The same once more is given the rest of it.
    let mut again = Watcher::of(&second, request(Method::POST, "/agent", Some(body))).await;
    again.until(says_text("I was")).await;
    drop(reading);
    post(&second, "/agent", says("t", "u3", "Wait")).await.events();
    let rest = again.until(is_end).await;
    assert_eq!(rest.last().map(|frame| &frame.data["runId"]), Some(&json!("run-u")));
    let messages = get(&first, "/conversations/t").await.json()["messages"].clone();
    let contents: Vec<&Value> = messages.as_array().into_iter().flatten().map(|message| &message["content"]).collect();
    assert_eq!(contents, ["go", "I was", "Wait", "Yes?"]);
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_conversation_that_is_deleted_ends_its_streams_at_every_server() {
    let postgres = Database::new().await;
    let script = Script::new([vec![Line::Says("One.")]]);
    let [first, second] = servers(&postgres, &script).await;
    post(&first, "/agent", says("t", "u", "go")).await.events();
    let mut watcher = Watcher::open(&second, "t", None).await;
    watcher.next().await;
    let deleted = call(&first, request(Method::DELETE, "/conversations/t", None)).await;
    assert_eq!(deleted.status, 204);
    watcher.end().await;
    assert_eq!(get(&second, "/conversations/t").await.refusal().0, 404);
}

/// A store that several servers share, at one that is deaf or slow.
#[derive(Debug)]
struct Odd {
    store: Arc<dyn Store>,
    ears: Option<Arc<Ears>>,
    commits: Gate,
    deletes: Gate,
}

impl Odd {
    async fn new(postgres: &Database) -> Self {
        Self { store: postgres.open().await, ears: None, commits: Gate::default(), deletes: Gate::default() }
    }
}

/// Where calls wait until the test lets them go on. An open one lets through what comes.
#[derive(Clone, Debug, Default)]
struct Gate(Option<[Arc<Semaphore>; 2]>);

impl Gate {
    /// One that lets through this number of calls at first.
    fn letting(calls: usize) -> Self {
        Self(Some([Semaphore::new(0), Semaphore::new(calls)].map(Arc::new)))
    }

    /// Until the next call has come.
    async fn arrived(&self) {
        let [arrived, _] = self.0.as_ref().expect("it is closed");
        take(arrived).await;
    }

    fn opens(&self) {
        let [_, open] = self.0.as_ref().expect("it is closed");
        open.add_permits(100);
    }

    async fn pass(&self) {
        if let Some([arrived, open]) = &self.0 {
            arrived.add_permits(1);
            take(open).await;
        }
    }
}

#[derive(Debug)]
struct Ears {
    feed: Arc<dyn Feed>,
    heard: Mutex<Option<UnboundedReceiver<Heard>>>,
}

#[async_trait]
impl Feed for Ears {
    async fn publish(&self, pieces: Vec<Piece>, signals: Vec<Signal>) -> Result<(), StoreError> {
        self.feed.publish(pieces, signals).await
    }

    fn subscribe(&self) -> BoxStream<'static, Heard> {
        let mut heard = self.heard.lock().expect("no test panics with it").take().expect("a server listens once");
        stream::poll_fn(move |context| heard.poll_recv(context)).boxed()
    }

    async fn read(&self, places: Vec<(String, StreamPosition)>) -> Result<Vec<Piece>, StoreError> {
        self.feed.read(places).await
    }

    async fn prune(&self) -> Result<(), StoreError> {
        self.feed.prune().await
    }
}

#[async_trait]
impl Store for Odd {
    async fn load(&self, id: &str) -> Result<Option<Stored>, StoreError> {
        self.store.load(id).await
    }

    async fn commit(&self, id: &str, base: Option<Revision>, change: Change<'_>) -> Result<(), CommitError> {
        self.commits.pass().await;
        self.store.commit(id, base, change).await
    }

    async fn due(&self, now: Timestamp) -> Result<Due, StoreError> {
        self.store.due(now).await
    }

    async fn renew(&self, ids: Vec<String>, lease: Lease) -> Result<(), StoreError> {
        self.store.renew(ids, lease).await
    }

    async fn delete(&self, id: &str, revision: Revision) -> Result<bool, StoreError> {
        self.deletes.pass().await;
        self.store.delete(id, revision).await
    }

    async fn delete_ended(&self, by: Timestamp) -> Result<Vec<String>, StoreError> {
        self.store.delete_ended(by).await
    }

    async fn check(&self) -> Result<(), StoreError> {
        self.store.check().await
    }

    async fn count(&self) -> Result<usize, StoreError> {
        self.store.count().await
    }

    async fn told(&self, ids: Vec<String>) -> Result<Option<HashMap<String, StreamPosition>>, StoreError> {
        self.store.told(ids).await
    }

    fn feed(&self) -> Option<Arc<dyn Feed>> {
        let ears = self.ears.as_ref().map(|ears| Arc::clone(ears) as Arc<dyn Feed>);
        ears.or_else(|| self.store.feed())
    }

    async fn count_of(&self, owner: &Owner) -> Result<usize, StoreError> {
        self.store.count_of(owner).await
    }

    async fn of_owner(&self, owner: &Owner, most: usize) -> Result<Vec<String>, StoreError> {
        self.store.of_owner(owner, most).await
    }
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_deletion_takes_with_it_what_was_answered_elsewhere_meanwhile() {
    let postgres = Database::new().await;
    let goes_on = vec![Line::Says("I was"), Line::Waits, Line::Hangs];
    let script = Script::new([vec![Line::Calls(0, "ask_user_question", ASK)], goes_on]);
    let [first, _] = servers(&postgres, &script).await;
    let deletes = Gate::letting(0);
    let slow: Arc<dyn Store> = Arc::new(Odd { deletes: deletes.clone(), ..Odd::new(&postgres).await });
    let second = server(&slow, &HandClock::new(), &script);
    post(&first, "/agent", says("t", "u", "go")).await.events();
    let deleting = tokio::spawn({
        let second = second.clone();
        async move { call(&second, request(Method::DELETE, "/conversations/t", None)).await }
    });
    deletes.arrived().await;
    // It has seen the question. Now that is answered elsewhere, and the agent goes on there.
    let answered = post(&first, "/conversations/t/respond", json!({"answers": {"Which?": "One"}})).await;
    assert_eq!(answered.status, 200);
    script.waits().await;
    script.go_on();
    deletes.opens();
    assert_eq!(deleting.await.expect("it answers").status, 204);
    for server in [&first, &second] {
        assert_eq!(get(server, "/conversations/t").await.refusal().0, 404);
    }
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_run_that_was_overtaken_while_others_wait_does_not_end_as_whole() {
    let postgres = Database::new().await;
    let script = Script::new([vec![Line::Says("I was"), Line::Waits, Line::Says(".")], vec![Line::Says("Here I am.")]]);
    // Its beginning is stored, and its end comes late.
    let commits = Gate::letting(1);
    let slow: Arc<dyn Store> = Arc::new(Odd { commits: commits.clone(), ..Odd::new(&postgres).await });
    let first = server(&slow, &HandClock::new(), &script);
    let response = first.clone().oneshot(request(Method::POST, "/agent", Some(says("t", "u", "go")))).await;
    let reading = tokio::spawn(axum::body::to_bytes(response.expect("it answers").into_body(), usize::MAX));
    commits.arrived().await;
    script.waits().await;
    let clock = HandClock::new();
    let second = server(&postgres.open().await, &clock, &script);
    clock.advance(LEASE + SWEEP);
    until_idle(&[second], "t").await;
    script.go_on();
    commits.arrived().await;
    let others = (0..4).map(|_| {
        let first = first.clone();
        tokio::spawn(async move { get(&first, "/conversations/t").await.status })
    });
    let others: Vec<_> = others.collect();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    commits.opens();
    let read = reading.await.expect("it does not panic");
    let is_whole = read.as_ref().is_ok_and(|read| !String::from_utf8_lossy(read).contains("RUN_ERROR"));
    assert!(!is_whole, "{read:?}");
    for other in others {
        assert_eq!(other.await.expect("it answers"), 200);
    }
}

/// As one that begins to listen during an answer, or whose connection was gone for a moment.
#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn what_a_server_missed_of_an_answer_it_reads_when_it_knows() {
    let postgres = Database::new().await;
    let script = Script::new([vec![Line::Says("One."), Line::Waits, Line::Says(" Two."), Line::Waits]]);
    let [first, second] = servers(&postgres, &script).await;
    let (misses, heard) = unbounded_channel();
    let shared = Odd::new(&postgres).await;
    let feed = shared.store.feed().expect("several servers share it");
    let ears = Some(Arc::new(Ears { feed, heard: Mutex::new(Some(heard)) }));
    let deaf: Arc<dyn Store> = Arc::new(Odd { ears, ..shared });
    let deaf = server(&deaf, &HandClock::new(), &script);
    let run = start(&first, "/agent", says("t", "u", "go"));
    script.waits().await;
    let mut here = Watcher::open(&second, "t", None).await;
    here.until(says_text("One.")).await;
    let mut there = Watcher::open(&deaf, "t", None).await;
    there.until(says_text("One.")).await;
    script.go_on();
    here.until(says_text(" Two.")).await;
    misses.send(Heard::Missed).expect("it listens");
    let read = timeout(Duration::from_secs(20), there.until(says_text(" Two."))).await;
    read.expect("it reads what it missed");
    script.go_on();
    run.await.expect("it ends").events();
}
