//! Questions that wait for a time only.

use crate::clock::HandClock;
use crate::folder::Folder;
use crate::house::{app, parts};
use crate::http::{Answer, get, loaded, post, says};
use crate::script::{ASK, Line, Script};
use crate::visitor::Visitor;
use crate::watcher::{Watcher, until_state};
use ag_ui_stream::asks::reply::Delivery;
use ask_user_question::outcome::EXPIRED_TEXT;
use ask_user_question::{Outcome, Phase};
use axum::Router;
use question_agent::message::Message;
use question_server::Config;
use question_server::store::{SqliteStore, Store};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

/// Asks, and says something once it knows how that went.
fn script() -> Script {
    Script::new([vec![Line::Calls(0, "ask_user_question", ASK)], vec![Line::Waits, Line::Says("Then I decide.")]])
}

fn server(script: &Script, clock: &HandClock, expire_after: Option<Duration>) -> Router {
    let config = Config { expire_after, ..Config::default() };
    let parts = parts(script.clone()).clock(Arc::new(clock.clone()));
    app(&config, parts)
}

/// A visitor whose question waits for at most this time, with the agent's script and clock.
async fn asked(expire_after: Option<Duration>) -> (Script, HandClock, Visitor) {
    let (script, clock) = (script(), HandClock::new());
    let mut visitor = Visitor::new(&server(&script, &clock, expire_after), "v", "t");
    visitor.says("go").await;
    (script, clock, visitor)
}

fn on_disk(script: &Script, clock: &HandClock, store: &Arc<SqliteStore>) -> Router {
    let config = Config { expire_after: Some(HOUR), ..Config::default() };
    let parts = parts(script.clone()).clock(Arc::new(clock.clone())).store(Arc::clone(store) as Arc<dyn Store>);
    app(&config, parts)
}

/// The results of the ask that the model was told, each time that it was asked.
fn told(script: &Script) -> Vec<Vec<String>> {
    let results = |message: &Message| match message {
        Message::Tool(result) => Some(result.content.clone()),
        Message::User(_) | Message::Assistant(_) => None,
    };
    let asked = script.asked();
    asked.iter().map(|request| request.messages.iter().filter_map(results).collect()).collect()
}

#[track_caller]
fn check_expired(refused: &Answer) {
    assert_eq!(refused.refusal(), (409, "already_answered".to_owned()));
    let body = refused.json();
    assert_eq!(body["outcome"], "expired");
    assert_eq!(body["winner"]["content"], EXPIRED_TEXT);
    assert!(body["message"].as_str().is_some_and(|message| message.contains("expired")));
}

#[tokio::test]
async fn unless_told_otherwise_a_question_waits_for_ever() {
    let (script, clock, mut visitor) = asked(None).await;
    clock.advance(100 * 365 * 24 * HOUR);
    let described = get(&visitor.server, "/conversations/t").await.json();
    assert_eq!(described["state"]["type"], "awaiting_user_response");
    assert_eq!(described["state"].get("expiresAt"), None);
    assert_eq!(described["pending"][0].get("expiresAt"), None);
    script.go_on();
    visitor.picks("One").await;
    assert!(visitor.is_asked_nothing());
}

#[tokio::test]
async fn everybody_is_told_until_when_it_waits() {
    let (script, clock) = (script(), HandClock::new());
    let server = server(&script, &clock, Some(HOUR));
    let mut visitor = Visitor::new(&server, "v", "t").delivering(Delivery::Resume);
    visitor.says("go").await;
    let until = "2026-11-20T13:00:00.000Z";
    let described = get(&server, "/conversations/t").await.json();
    assert_eq!(described["state"]["expiresAt"], until);
    assert_eq!(described["pending"][0]["expiresAt"], until);
    let mut watcher = Watcher::open(&server, "t", None).await;
    assert_eq!(watcher.next().await.data["expiresAt"], until);
    let asked = visitor.conversation.asks().asks().next().expect("it asks");
    assert_eq!(asked.expires_at, Some(1_795_176_000_000 + 3_600_000), "by the interrupt");
}

#[tokio::test]
async fn an_expired_question_lets_the_agent_go_on_and_all_clients_learn_it() {
    let (script, clock, visitor) = asked(Some(HOUR)).await;
    let (call, _) = visitor.waiting();
    let mut watcher = Watcher::open(&visitor.server, "t", None).await;
    watcher.next().await;
    clock.advance(HOUR);
    // No client asks: the clock alone.
    script.waits().await;
    assert_eq!(told(&script), [vec![], vec![EXPIRED_TEXT.to_owned()]]);
    script.go_on();
    let seen = watcher.until(|frame| frame.data["type"] == "idle").await;
    let states: Vec<&Value> =
        seen.iter().filter(|frame| frame.event.is_some()).map(|frame| &frame.data["type"]).collect();
    assert_eq!(states, ["llm_requesting", "idle"]);
    let results: Vec<(&Value, &Value)> = seen
        .iter()
        .filter(|frame| frame.data["type"] == "TOOL_CALL_RESULT")
        .map(|frame| (&frame.data["toolCallId"], &frame.data["content"]))
        .collect();
    assert_eq!(results, [(&json!(call), &json!(EXPIRED_TEXT))]);

    let described = get(&visitor.server, "/conversations/t").await.json();
    assert_eq!(described["pending"], json!([]));
    let page = loaded(&described["messages"]);
    let phases: Vec<Phase> = page.asks().asks().map(|ask| ask.phase).collect();
    assert_eq!(phases, [Phase::Expired], "a page that is loaded now sees it");
    clock.advance(100 * HOUR);
    until_state(&visitor.server, "t", "idle").await;
    assert_eq!(script.times_asked(), 2, "once");
}

#[tokio::test]
async fn a_reply_that_comes_too_late_learns_how_the_question_ended() {
    let (script, clock, mut visitor) = asked(Some(HOUR)).await;
    let (call, _) = visitor.waiting();
    let outcome = visitor.pick("One");
    let said = visitor.reply("late", outcome);
    let by_message = visitor.next_run(&said);
    clock.advance(HOUR);
    // Before the server's own timer may have struck.
    check_expired(&post(&visitor.server, "/agent", json!(by_message.input())).await);

    let by_rest = json!({"answers": {"Which?": "One"}, "toolCallId": call, "replyId": "late"});
    check_expired(&post(&visitor.server, "/conversations/t/respond", by_rest).await);
    let nameless = json!({"answers": {"Which?": "One"}});
    check_expired(&post(&visitor.server, "/conversations/t/respond", nameless).await);
    let resume = json!([{"interruptId": call, "status": "resolved", "payload": {"answers": {"Which?": "One"}}}]);
    let by_resume = json!({"threadId": "t", "runId": "late", "messages": [], "resume": resume});
    check_expired(&post(&visitor.server, "/agent", by_resume).await);
    script.waits().await;
    assert_eq!(told(&script), [vec![], vec![EXPIRED_TEXT.to_owned()]]);

    // Said as a message of its own it is not lost.
    script.go_on();
    until_state(&visitor.server, "t", "idle").await;
    let again = says("t", "on", "One, please");
    post(&visitor.server, "/agent", again).await.events();
    assert_eq!(script.times_asked(), 3);
}

#[tokio::test]
async fn what_is_answered_or_declined_in_time_does_not_expire_later() {
    for declines in [false, true] {
        let (script, clock, mut visitor) = asked(Some(HOUR)).await;
        clock.advance(HOUR - Duration::from_millis(1));
        script.go_on();
        let outcome = if declines { Outcome::Declined } else { visitor.pick("One") };
        visitor.ends_question(outcome).await;
        clock.advance(HOUR);
        until_state(&visitor.server, "t", "idle").await;
        assert_eq!(script.times_asked(), 2);
        let results = told(&script).remove(1);
        assert_eq!(results[0] == r#"{"answers":{"Which?":"One"}}"#, !declines, "{results:?}");
    }
}

#[tokio::test]
async fn the_time_is_kept_when_the_server_ends_and_counts_while_it_is_down() {
    let folder = Folder::new();
    let clock = HandClock::new();
    let open = async || Arc::new(SqliteStore::open(&folder.file()).await.expect("it can be written"));
    for thread in ["early", "late"] {
        let store = open().await;
        let server = on_disk(&script(), &clock, &store);
        Visitor::new(&server, "v", thread).says("go").await;
        drop(server);
        // The last of its tasks comes to its end.
        while Arc::strong_count(&store) > 1 {
            tokio::task::yield_now().await;
        }
        clock.advance(HOUR / 2);
    }
    // Started when the first has just expired.
    let after = Script::new([vec![Line::Waits, Line::Says("Then I decide.")]]);
    let server = on_disk(&after, &clock, &open().await);
    after.waits().await;
    assert_eq!(told(&after), [vec![EXPIRED_TEXT.to_owned()]]);
    let late = get(&server, "/conversations/late").await.json();
    assert_eq!(late["state"]["type"], "awaiting_user_response");
    assert_eq!(late["state"]["expiresAt"], "2026-11-20T13:30:00.000Z");
    after.go_on();
    until_state(&server, "early", "idle").await;
    clock.advance(HOUR);
    until_state(&server, "late", "idle").await;
    assert_eq!(after.times_asked(), 2);
}
