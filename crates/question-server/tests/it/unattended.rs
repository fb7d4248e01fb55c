//! The end of an agent's unattended work, and of its costs.

use crate::clock::HandClock;
use crate::house::{app, over_each_store, parts, server_with};
use crate::http::{Answer, get, messages, post, run_with, says};
use crate::script::{ASK, Line, Script};
use crate::watcher::until_state;
use axum::Router;
use question_agent::ConvState;
use question_server::Config;
use question_server::limits::{LEASE, MAX_MODEL_CALLS, MAX_UNATTENDED, UNATTENDED};
use question_server::store::{SqliteStore, Store, suite};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::yield_now;

const PATIENCE: Duration = Duration::from_secs(60);

fn server(store: &Arc<dyn Store>, clock: &HandClock, script: &Script) -> Router {
    let config = Config { expire_after: Some(PATIENCE), ..Config::default() };
    app(&config, parts(script.clone()).store(Arc::clone(store)).clock(Arc::new(clock.clone())))
}

async fn state(server: &Router) -> Value {
    get(server, "/conversations/t").await.json()["state"].clone()
}

/// Lets time go by until the agent has failed.
async fn until_failed(server: &Router, clock: &HandClock, at_a_time: Duration) -> Value {
    loop {
        let state = state(server).await;
        match state["type"].as_str() {
            Some("failed") => return state,
            Some("awaiting_user_response" | "llm_requesting") => clock.advance(at_a_time),
            _ => {}
        }
        yield_now().await;
    }
}

async fn stops_asking_nobody(store: Arc<dyn Store>) {
    let asks = || vec![Line::Calls(0, "ask_user_question", ASK)];
    let script = Script::new((0..100).map(|_| asks()));
    let clock = HandClock::new();
    let server = server(&store, &clock, &script);
    post(&server, "/agent", says("t", "u", "go")).await.events();
    let failed = until_failed(&server, &clock, PATIENCE).await;
    assert!(failed["reason"].as_str().is_some_and(|reason| reason.contains("by itself")), "{failed}");
    assert_eq!(script.times_asked(), 1 + MAX_UNATTENDED as usize);
    // Its user comes back.
    post(&server, "/agent", says("t", "u2", "I am here")).await.events();
    until_state(&server, "t", "awaiting_user_response").await;
    until_failed(&server, &clock, PATIENCE).await;
    assert_eq!(script.times_asked(), 2 * (1 + MAX_UNATTENDED as usize), "it is counted from there");
}

over_each_store!(an_agent_that_asks_nobody_again_and_again_stops: stops_asking_nobody);

#[tokio::test]
async fn a_model_that_breaks_each_time_is_not_asked_for_ever() {
    let script = Script::new((0..100).map(|_| vec![Line::Panics]));
    let (clock, store): (_, Arc<dyn Store>) = (HandClock::new(), Arc::new(SqliteStore::in_memory()));
    let server = server(&store, &clock, &script);
    let (_, end) = post(&server, "/agent", says("t", "u", "go")).await.events();
    assert_eq!(end.error.as_ref().map(|error| error.code()), Some("internal_error"));
    until_failed(&server, &clock, LEASE).await;
    assert!(script.times_asked() <= 1 + MAX_UNATTENDED as usize, "{}", script.times_asked());
}

/// An ask of a program that expires in a second.
async fn asks_for_a_second(server: &Router, id: &str) {
    let mut ask: Value = serde_json::from_str(ASK).expect("it is JSON");
    ask["expiresAfter"] = json!(1);
    assert_eq!(post(server, &format!("/conversations/{id}/asks"), ask).await.status, 201);
}

#[cfg(unix)]
#[tokio::test]
async fn resumed_runs_that_hang_stop_no_deadline() {
    let (store, clock): (Arc<dyn Store>, _) = (Arc::new(SqliteStore::in_memory()), HandClock::new());
    for number in 0..2 * UNATTENDED {
        suite::begins_to_work(&*store, &format!("t{number}")).await;
    }
    let script = Script::new((0..2 * UNATTENDED).map(|_| vec![Line::Hangs]));
    let server = server(&store, &clock, &script);
    while script.times_asked() < UNATTENDED {
        yield_now().await;
    }
    asks_for_a_second(&server, "asked").await;
    clock.advance(Duration::from_secs(1));
    until_idle(&store, "asked").await;
    assert_eq!(script.times_asked(), UNATTENDED);
}

/// Until the store has it as idle: a look over the API would expire it as well.
async fn until_idle(store: &Arc<dyn Store>, id: &str) {
    loop {
        let stored = store.load(id).await.expect("it is read").expect("it is there");
        if matches!(stored.conversation.state(), ConvState::Idle) {
            return;
        }
        yield_now().await;
    }
}

#[tokio::test]
async fn agents_that_go_on_after_a_deadline_and_hang_stop_no_other() {
    let (store, clock): (Arc<dyn Store>, _) = (Arc::new(SqliteStore::in_memory()), HandClock::new());
    let all = 2 * UNATTENDED;
    let asks = (0..all).map(|_| vec![Line::Calls(0, "ask_user_question", ASK)]);
    let script = Script::new(asks.chain((0..all).map(|_| vec![Line::Hangs])));
    let server = server(&store, &clock, &script);
    for number in 0..all {
        post(&server, "/agent", says(&format!("t{number}"), "u", "go")).await.events();
    }
    clock.advance(PATIENCE);
    while script.times_asked() < all + UNATTENDED {
        yield_now().await;
    }
    asks_for_a_second(&server, "asked").await;
    clock.advance(Duration::from_secs(1));
    until_idle(&store, "asked").await;
    assert_eq!(script.times_asked(), all + UNATTENDED);
    for number in 0..all {
        let id = format!("t{number}");
        let stored = store.load(&id).await.expect("it is read").expect("it is there");
        assert!(stored.conversation.waiting().is_none(), "{id} has expired");
    }
}

#[tokio::test]
async fn what_sub_agents_ask_counts_into_the_run() {
    let spawn = r#"{"tasks":["a","b","c","d","e","f","g","h"]}"#;
    let goes_on = (0..300).map(|_| vec![Line::Calls(0, "spawn_agents", spawn)]);
    let script = Script::new(goes_on).with_agents();
    let server = server_with(script.clone());
    let (_, end) = post(&server, "/agent", says("t", "u", "go")).await.events();
    let why = end.error.expect("it has an end").to_string();
    assert!(why.contains("without end"), "{why}");
    assert_eq!(script.times_asked(), MAX_MODEL_CALLS as usize);
}

#[tokio::test]
async fn a_run_that_outgrows_its_history_ends() {
    const LONG: &str = "A long argument, again and again. ";
    let long: &'static str = Box::leak(json!({"text": LONG.repeat(3_000)}).to_string().into_boxed_str());
    let script = Script::new((0..100).map(|_| vec![Line::Calls(0, "look", long)]));
    let mut config = Config::default();
    config.bounds.history = 250_000;
    let server = app(&config, parts(script.clone()));
    let (_, end) = post(&server, "/agent", says("t", "u", "go")).await.events();
    let why = end.error.expect("it is too long").to_string();
    assert!(why.contains("too long"), "{why}");
    let asked = script.times_asked();
    assert!(asked < MAX_MODEL_CALLS as usize && asked * long.len() <= 250_000 + long.len(), "{asked}");
}

#[tokio::test]
async fn what_a_clients_tool_brings_has_a_bound_of_its_own() {
    let calls = || Script::new([vec![Line::Calls(0, "look", "{}")], vec![Line::Says("I see.")]]);
    let mut config = Config::default();
    config.bounds.tool_result = 100_000;
    let brings = async |length: usize| -> Answer {
        let server = app(&config, parts(calls()));
        let mut input = says("t", "u", "go");
        input["tools"] = json!([{"name": "look", "description": "Looks.", "parameters": {"type": "object"}}]);
        post(&server, "/agent", input.clone()).await.events();
        let call = messages(&server, "t").await[1]["toolCalls"][0]["id"].clone();
        let result = json!({"id": "r", "role": "tool", "toolCallId": call, "content": "x".repeat(length)});
        let mut input = run_with("t", "r", &result);
        input["tools"] = json!([{"name": "look"}]);
        post(&server, "/agent", input).await
    };
    assert_eq!(brings(100_000).await.status, 200);
    let refused = brings(100_001).await;
    assert_eq!((refused.status.as_u16(), &refused.json()["limit"]), (400, &json!("max-tool-result")));
}
