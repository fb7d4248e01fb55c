//! The program of `--notify-url` is told of each question that begins to wait.

use crate::asks::{Called, KEY, next_webhook, until_taken, which};
use crate::clock::HandClock;
use crate::config::refused;
use crate::folder::Folder;
use crate::house::{app, parts};
use crate::http::{post, says};
use crate::metrics::metric;
use crate::script::{ASK, Line, Script};
use axum::Router;
use question_server::Config;
use question_server::clock::Clock as _;
use question_server::store::{SqliteStore, Store};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::yield_now;

fn asks_and_ends() -> Script {
    Script::new([
        vec![Line::Says("I have to ask."), Line::Calls(0, "ask_user_question", ASK)],
        vec![Line::Says("Good.")],
    ])
}

fn telling(store: &Arc<dyn Store>, clock: &HandClock, url: Option<&str>) -> Router {
    let config = Config {
        notify_url: url.map(|url| url.parse().expect("it is a URL")),
        public_origins: vec!["https://chat.example".parse().expect("it is an origin")],
        callback_key: Some(KEY.parse().expect("it is a key")),
        ..Config::default()
    };
    app(&config, parts(asks_and_ends()).store(Arc::clone(store)).clock(Arc::new(clock.clone())))
}

#[tokio::test]
async fn a_question_of_the_agent_and_one_of_a_program_are_told_once() {
    let (called, origin) = Called::new(&[]).await;
    let (clock, store): (_, Arc<dyn Store>) = (HandClock::new(), Arc::new(SqliteStore::in_memory()));
    let server = telling(&store, &clock, Some(&format!("{origin}/questions")));
    post(&server, "/agent", says("a b", "u", "Hello")).await.events();
    let (path, _, told) = called.times(1).await.remove(0);
    assert_eq!(path, "/questions");
    let told: Value = serde_json::from_slice(&told).expect("it is JSON");
    let url = "https://chat.example/?agent=#c=a%20b";
    let questions =
        json!([{"question": "Which?", "multiSelect": false, "options": [{"label": "One"}, {"label": "Two"}]}]);
    let call = told["toolCallId"].clone();
    let expected = json!({"type": "question.waiting", "conversationId": "a b", "toolCallId": call, "questions": questions, "url": url});
    assert_eq!(told, expected);

    let preview = json!([{"question": "Which?", "options": [{"label": "One", "preview": "long"}, {"label": "Two", "preview": "long"}]}]);
    let body = json!({"id": "a", "questions": preview, "expiresAfter": 60});
    let asked = post(&server, "/conversations/t/asks", body.clone()).await;
    assert_eq!(asked.status, 201);
    assert_eq!(post(&server, "/conversations/t/asks", body).await.status, 200);
    let (_, headers, told) = called.times(2).await.remove(1);
    let told: Value = serde_json::from_slice(&told).expect("it is JSON");
    assert_eq!((&told["toolCallId"], &told["questions"]), (&json!("a"), &questions), "no preview");
    assert!(told["expiresAt"].is_string(), "{told}");
    assert_ne!(headers["webhook-id"], "a");
    assert!(headers["webhook-signature"].to_str().is_ok_and(|signed| signed.starts_with("v1,")));

    // Neither an answer nor what comes behind it is told.
    assert_eq!(post(&server, "/conversations/t/respond", json!({"answers": {"Which?": "One"}})).await.status, 200);
    until_taken(&store).await;
    assert_eq!(called.times(2).await.len(), 2);
    let taken = r#"question_server_webhooks_total{kind="notification",outcome="taken"}"#;
    assert_eq!(metric(&server, taken).await, 2.0);
}

#[tokio::test]
async fn a_program_that_was_away_is_told_by_the_next_server_under_the_same_id() {
    let (called, origin) = Called::new(&[500]).await;
    let folder = Folder::new();
    let clock = HandClock::new();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("a.sqlite")).await.expect("it opens"));
    let server = telling(&store, &clock, Some(&origin));
    assert_eq!(post(&server, "/conversations/t/asks", json!({"id": "a", "questions": which()})).await.status, 201);
    called.times(1).await;
    drop(server);
    // Its address has changed meanwhile, and so has its secret.
    let next = telling(&store, &clock, Some(&format!("{origin}?secret=new")));
    while called.got().len() < 2 {
        clock.advance(Duration::from_secs(1));
        yield_now().await;
    }
    until_taken(&store).await;
    let got = called.times(2).await;
    // At least once: the hand may set the clock forward beyond a claim while its call is under way.
    for (_, headers, body) in &got {
        assert_eq!((&headers["webhook-id"], body), (&got[0].1["webhook-id"], &got[0].2));
    }
    drop(next);
}

#[tokio::test]
async fn nobody_is_told_by_a_server_that_has_no_program_any_more() {
    let (called, origin) = Called::new(&[500; 9]).await;
    let (clock, store): (_, Arc<dyn Store>) = (HandClock::new(), Arc::new(SqliteStore::in_memory()));
    let server = telling(&store, &clock, Some(&origin));
    assert_eq!(post(&server, "/conversations/t/asks", json!({"id": "a", "questions": which()})).await.status, 201);
    called.times(1).await;
    drop(server);
    let _next = telling(&store, &clock, None);
    while let Some(next) = next_webhook(&store).await {
        clock.advance(Duration::from_millis(next.0.saturating_sub(clock.now().0).max(1000)));
        yield_now().await;
    }
    assert_eq!(called.times(1).await.len(), 1);
}

#[test]
fn a_url_without_what_it_needs_is_refused_and_not_shown() {
    let key = ("QUESTION_SERVER_CALLBACK_KEY", KEY);
    let url = ("QUESTION_SERVER_NOTIFY_URL", "https://bot.example/secret");
    let page = ("QUESTION_SERVER_PUBLIC_ORIGIN", "https://chat.example");
    for (variables, named) in [
        ([url, page].as_slice(), "QUESTION_SERVER_CALLBACK_KEY"),
        (&[url, key], "--public-origin"),
        (&[("QUESTION_SERVER_NOTIFY_URL", "bot.example/secret"), key, page], "looks like"),
        (&[("QUESTION_SERVER_NOTIFY_URL", "file:///secret"), key, page], "looks like"),
    ] {
        let why = refused(variables);
        assert!(why.contains(named) && !why.contains("/secret"), "{why}");
    }
    let config = crate::config::config(&[url, key, page], &[]);
    assert!(config.notify_url.is_some() && !format!("{config:?}").contains("secret"), "{config:?}");
}
