//! Commits at one server, for clients that watch at another.

use super::{Database, run};
use crate::clock::HandClock;
use crate::house::{app, parts};
use crate::http::{call, get, post, request, says, start};
use crate::replicas::{Mortal, is_end, server, until_idle};
use crate::script::{ASK, Line, Script};
use crate::store::{Before, Behind, Gate, TestSignals};
use crate::visitor::Visitor;
use crate::watcher::{Frame, Watcher};
use ag_ui_stream::reader::EndOutcome;
use ask_user_question::Outcome;
use async_trait::async_trait;
use axum::Router;
use axum::http::Method;
use futures_util::future::join_all;
use futures_util::stream::BoxStream;
use question_agent::branch::ChangedAnswer;
use question_server::Config;
use question_server::limits::{LEASE, SWEEP};
use question_server::store::signals::Signal;
use question_server::store::{Store, StoreError};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::timeout;
use tower::ServiceExt as _;

/// Servers over one database, of one model.
async fn servers<const N: usize>(postgres: &Database, script: &Script) -> [Router; N] {
    let clock = HandClock::new();
    let servers = (0..N).map(async |_| server(&postgres.open().await, &clock, script));
    join_all(servers).await.try_into().expect("there are as many")
}

fn says_text(text: &'static str) -> impl Fn(&Frame) -> bool {
    move |frame| frame.data["delta"] == text
}

fn kinds(frames: &[Frame]) -> Vec<&str> {
    frames.iter().filter_map(|frame| frame.data["type"].as_str()).collect()
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn an_answer_comes_to_other_servers_as_a_whole() {
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
    here.until(says_text("One.")).await;
    script.go_on();
    here.until(says_text(" Two.")).await;
    script.go_on();
    let (here_last, seen) = (here.until(is_end).await.pop(), there.until(is_end).await);
    let whole = ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "idle", "RUN_FINISHED"];
    assert_eq!(kinds(&seen)[..2], ["llm_requesting", "RUN_STARTED"]);
    assert_eq!(kinds(&seen)[2..], whole);
    assert_eq!(seen[3].data["delta"], "One. Two.");
    assert_eq!(here_last.map(|frame| frame.id).as_ref(), seen.last().map(|frame| &frame.id));
    run.await.expect("it ends").events();
    // Without anybody having to come back.
    post(&second, "/agent", says("t", "u2", "And?")).await.events();
    let (here, there) = (here.until(is_end).await, there.until(is_end).await);
    assert_eq!(here[0].data["input"]["messages"], there[0].data["input"]["messages"]);
    assert_eq!(there[0].data["input"]["messages"][0]["content"], "And?");
    assert_eq!(here.last().map(|frame| &frame.id), there.last().map(|frame| &frame.id));
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_client_that_changes_servers_has_each_message_once() {
    let postgres = Database::new().await;
    let answers =
        [vec![Line::Calls(0, "ask_user_question", ASK)], vec![Line::Says("Two,"), Line::Waits, Line::Says(" then.")]];
    let script = Script::new(answers);
    let [first, second, third] = servers(&postgres, &script).await;
    post(&first, "/agent", says("t", "u", "go")).await.events();
    let mut watcher = Watcher::open(&first, "t", None).await;
    let at_rest = watcher.next().await.id;
    let mut other = Watcher::open(&second, "t", Some(&at_rest)).await;
    assert_eq!(other.next().await.id, at_rest);
    let run = start(&first, "/agent", says("t", "u2", "Two"));
    script.waits().await;
    let mut all = watcher.until(says_text("Two,")).await;
    // During an answer, at a place that only the first server knows: first the history, and then the whole message.
    let middle = all.last().expect("there are some").id.clone();
    let mut back = Watcher::open(&second, "t", Some(&middle)).await;
    let history = back.until(|frame| frame.data["type"] == "MESSAGES_SNAPSHOT").await;
    assert_eq!(history[1].event.as_deref(), Some("reset"));
    script.go_on();
    all.extend(watcher.until(is_end).await);
    let rest = back.until(is_end).await;
    let delta = |frames: &[Frame]| {
        frames.iter().filter_map(|frame| frame.data["delta"].as_str().map(str::to_owned)).collect::<String>()
    };
    assert_eq!(delta(&rest), "Two, then.");
    let elsewhere = other.until(is_end).await;
    assert_eq!(delta(&elsewhere), "Two, then.");
    let results = elsewhere.iter().filter(|frame| frame.data["type"] == "TOOL_CALL_RESULT").count();
    assert_eq!(results, 1, "{elsewhere:?}");
    run.await.expect("it ends").events();
    // A server that had nothing of it in memory goes on from what is stored.
    let (last, missed) = all.split_last().expect("there are some");
    let mut back = Watcher::open(&third, "t", Some(&last.id)).await;
    assert_eq!(back.next().await.id, last.id, "it has missed nothing");
    for id in missed.iter().chain(&elsewhere[..elsewhere.len() - 1]).map(|frame| &frame.id) {
        let mut back = Watcher::open(&third, "t", Some(id)).await;
        let is_within = !id.ends_with("-0") && !id.ends_with('s');
        let told = back.until(is_end).await;
        assert_eq!(told[1].event.as_deref() == Some("reset"), is_within, "{id}");
        assert_eq!(told.last().map(|frame| &frame.id), Some(&last.id));
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
    // Work that only the dead server knew is not continued.
    let told = watcher.until(|frame| frame.data["type"] == "RUN_FINISHED").await;
    let events: Vec<&str> = kinds(&told).into_iter().filter(|kind| kind.starts_with("RUN_")).collect();
    assert_eq!(events, ["RUN_STARTED", "RUN_ERROR", "RUN_STARTED", "RUN_FINISHED"]);
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
    again.next().await;
    drop(reading);
    post(&second, "/agent", says("t", "u3", "Wait")).await.events();
    let rest = again.until(is_end).await;
    assert!(rest.iter().any(says_text("I was")), "{rest:?}");
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

/// A server of this database that is deaf, or slow in these calls.
#[derive(Debug, Default)]
struct Odd {
    signals: TestSignals,
    slow: Option<(&'static str, Gate)>,
}

impl Odd {
    async fn over(self, postgres: &Database) -> Arc<dyn Store> {
        Arc::new(Behind { first: self, store: postgres.open().await })
    }
}

#[async_trait]
impl Before for Odd {
    async fn before(&self, call: &'static str) -> Result<(), StoreError> {
        if let Some((slow, gate)) = &self.slow
            && *slow == call
        {
            gate.pass().await;
        }
        Ok(())
    }

    fn subscribe(&self) -> Option<BoxStream<'static, Option<Signal>>> {
        self.signals.subscribe()
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
    let slow = Odd { slow: Some(("delete", deletes.clone())), ..Odd::default() };
    let second = server(&slow.over(&postgres).await, &HandClock::new(), &script);
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
    deletes.lets(100);
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
    let slow = Odd { slow: Some(("commit", commits.clone())), ..Odd::default() };
    let first = server(&slow.over(&postgres).await, &HandClock::new(), &script);
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
    commits.lets(100);
    let read = reading.await.expect("it does not panic");
    let is_whole = read.as_ref().is_ok_and(|read| !String::from_utf8_lossy(read).contains("RUN_ERROR"));
    assert!(!is_whole, "{read:?}");
    for other in others {
        assert_eq!(other.await.expect("it answers"), 200);
    }
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_branch_comes_to_other_servers_with_the_history() {
    let postgres = Database::new().await;
    let asks = vec![Line::Calls(0, "ask_user_question", ASK)];
    let script = Script::new([asks, vec![Line::Says("Settled.")], vec![Line::Waits, Line::Says("Two, then.")]]);
    let config = Config { changed_answer: ChangedAnswer::Branch, ..Config::default() };
    let server = async || app(&config, parts(script.clone()).store(postgres.open().await));
    let (first, second) = (server().await, server().await);
    let mut visitor = Visitor::new(&first, "v", "t");
    visitor.says("go").await;
    let (call, _) = visitor.waiting();
    let Outcome::Answered(two) = visitor.pick("Two") else { panic!("it answers") };
    visitor.picks("One").await;
    let mut there = Watcher::open(&second, "t", None).await;
    let at_rest = there.next().await.id;
    let changes = tokio::spawn(async move { visitor.changes(&call, &two).await });
    script.waits().await;
    there.end().await;
    let mut there = Watcher::open(&second, "t", Some(&at_rest)).await;
    let history = there.until(|frame| frame.data["type"] == "MESSAGES_SNAPSHOT").await;
    assert_eq!(kinds(&history), ["llm_requesting", "RUN_STARTED", "MESSAGES_SNAPSHOT"]);
    script.go_on();
    let rest = there.until(is_end).await;
    let message = ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"];
    assert_eq!(kinds(&rest), [&message[..], &["idle", "RUN_FINISHED"]].concat());
    assert_eq!(changes.await.expect("it ends"), "Two, then.");
}

/// As one that begins to listen meanwhile, or whose connection was gone for a moment.
#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn what_a_server_missed_it_reads_when_it_knows() {
    let postgres = Database::new().await;
    let script = Script::new(["One.", "Two.", "Three."].map(|text| vec![Line::Says(text)]));
    let first = server(&postgres.open().await, &HandClock::new(), &script);
    let (misses, heard) = unbounded_channel();
    let deaf =
        server(&Odd { signals: TestSignals::new(heard), slow: None }.over(&postgres).await, &HandClock::new(), &script);
    post(&first, "/agent", says("t", "u", "go")).await.events();
    let mut there = Watcher::open(&deaf, "t", None).await;
    there.next().await;
    post(&first, "/agent", says("t", "u2", "And?")).await.events();
    post(&first, "/agent", says("t", "u3", "And then?")).await.events();
    misses.send(None).expect("it listens");
    let last = |frame: &Frame| {
        frame.data["type"] == "RUN_STARTED" && frame.data["input"]["messages"][0]["content"] == "And then?"
    };
    let mut seen = timeout(Duration::from_secs(20), there.until(last)).await.expect("it reads what it missed");
    seen.extend(there.until(is_end).await);
    let message = ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"];
    let run = [&["RUN_STARTED", "llm_requesting"][..], &message, &["idle", "RUN_FINISHED"]].concat();
    assert_eq!(kinds(&seen), [&run[..], &run].concat());
}

#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn a_signal_of_another_version_makes_a_server_look() {
    let postgres = Database::new().await;
    let script = Script::new([vec![Line::Says("One.")]]);
    let [first, second] = servers(&postgres, &script).await;
    post(&first, "/agent", says("t", "u", "go")).await.events();
    let mut watcher = Watcher::open(&second, "t", None).await;
    watcher.next().await;
    let signal = format!(r#"{{"by":"{}","id":"t","news":"told"}}"#, uuid::Uuid::new_v4());
    let change = r#"WITH one AS (UPDATE question_server.conversation SET revision = revision + 1 RETURNING number, revision)
        INSERT INTO question_server.entry SELECT number, revision, NULL, 'state {"type":"idle"}' FROM one"#;
    run(&mut postgres.client().await, &format!("{change}; NOTIFY question_server, '{signal}'")).await;
    assert_eq!(watcher.next().await.data["type"], "idle");
}
