//! Questions for whose answers the agent does not wait.

use crate::asks::{Called, KEY};
use crate::house::{app, parts, server_with};
use crate::http::{Answer, get, messages, post, request, says};
use crate::script::{ASK, Line, Script};
use crate::visitor::Visitor;
use ask_user_question::limits::ExtraMember;
use ask_user_question::outcome::{ASKED_TEXT, WITHDRAWN_TEXT};
use ask_user_question::{Outcome, Phase};
use axum::Router;
use axum::http::Method;
use question_server::Config;
use question_server::models::scripted::Scripted;
use serde_json::{Value, json};
use std::time::Duration;

/// A question as a model asks it that goes on.
const LATER: &str =
    r#"{"blocking":false,"questions":[{"question":"Which?","options":[{"label":"One"},{"label":"Two"}]}]}"#;

pub(crate) fn config() -> Config {
    Config { offers: vec![ExtraMember::Blocking], ..Config::default() }
}

pub(crate) fn asks_and_goes_on(more: impl IntoIterator<Item = Vec<Line>>) -> Script {
    let begins = [vec![Line::Calls(0, "ask_user_question", LATER)], vec![Line::Says("I go on.")]];
    Script::new(begins.into_iter().chain(more))
}

/// A server whose agent has asked in the conversation `t`, and the ask.
pub(crate) async fn asked(script: &Script) -> (Router, String) {
    asked_in(app(&config(), parts(script.clone()))).await
}

pub(crate) async fn asked_in(server: Router) -> (Router, String) {
    let run = post(&server, "/agent", says("t", "u1", "go")).await;
    assert!(run.pending().is_empty(), "the agent waits for nothing");
    let described = get(&server, "/conversations/t").await.json();
    assert_eq!(described["state"]["type"], "idle");
    let open = &described["pending"][0];
    assert_eq!((&open["blocking"], &open["questions"][0]["question"]), (&json!(false), &json!("Which?")));
    (server, open["toolCallId"].as_str().expect("it has an id").to_owned())
}

/// The answer as a page sends it.
fn answer(call: &str, message: &str, reply: &str, text: &str) -> Value {
    let ask = json!({"toolCallId": call, "replyId": reply, "outcome": "answered", "by": "card"});
    let message = json!({"role": "user", "id": message, "content": text, "metadata": {"ask": ask}});
    json!({"threadId": "t", "runId": format!("run-{reply}"), "protocolVersion": "1.0", "messages": [message]})
}

pub(crate) async fn settled(server: &Router) -> Value {
    loop {
        let told = get(server, "/conversations/t").await.json();
        if told["state"]["type"] == "idle" && told.get("runId").is_none() {
            return told;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn the_answer_is_the_next_message_and_is_taken_once() {
    let server = server_with(Scripted::coding_desk(Duration::ZERO));
    assert_eq!(get(&server, "/settings.json").await.json()["profile"], "coding+blocking");
    let mut dev = Visitor::new(&server, "dev", "t");
    dev.says("Write the release notes").await;
    let (call, _) = dev.waiting();
    let said = dev.picks("Next month").await;
    assert!(said.contains("Next month: done as you wish."), "{said}");
    assert!(dev.is_asked_nothing());
    let told = messages(&server, "t").await;
    let results: Vec<&Value> = told.iter().filter(|message| message["role"] == "tool").collect();
    assert_eq!((results.len(), &results[0]["content"]), (1, &json!(ASKED_TEXT)));
    let marked = told.iter().find(|message| message["metadata"]["ask"]["toolCallId"] == *call).expect("it is marked");
    assert_eq!((&marked["role"], &marked["content"]), (&json!("user"), &json!("Next month")));
    let reply = marked["metadata"]["ask"]["replyId"].as_str().expect("it is named");

    // Sent again, also in another message, it is taken as it was; another answer comes too late.
    let before = told.len();
    for message in [marked["id"].as_str().expect("it has an id"), "new"] {
        assert_eq!(post(&server, "/agent", answer(&call, message, reply, "Next month")).await.status, 200);
    }
    let late = post(&server, "/agent", answer(&call, "u9", "other", "This week")).await;
    assert_eq!(late.refusal(), (409, "already_answered".to_owned()));
    assert_eq!(late.json()["outcome"], "answered", "{}", late.json());
    assert_eq!(messages(&server, "t").await.len(), before);
}

#[tokio::test]
async fn an_answer_during_a_run_waits_with_its_client() {
    let script = asks_and_goes_on([vec![Line::Waits, Line::Says("Done.")], vec![Line::Says("Two it is.")]]);
    let (server, call) = asked(&script).await;
    let run = crate::http::start(&server, "/agent", says("t", "u2", "And the tests?"));
    script.waits().await;
    let early = post(&server, "/agent", answer(&call, "u3", "r", "Two")).await;
    assert_eq!(early.refusal().0, 409, "{}", early.json());
    script.go_on();
    run.await.expect("it ends").events();
    post(&server, "/agent", answer(&call, "u3", "r", "Two")).await.events();
    let asked = script.asked();
    let last = asked.last().expect("it was asked").messages.last().expect("there are messages");
    let question_agent::message::Message::User(last) = last else { panic!("{last:?}") };
    assert_eq!(last.text, "Two");
    assert_eq!(settled(&server).await["pending"], json!([]));
}

#[tokio::test]
async fn programs_answer_and_read_it_as_any_other() {
    let script = asks_and_goes_on([vec![Line::Says("Two it is.")]]);
    let (server, call) = asked(&script).await;
    let status = format!("/conversations/t/asks/{call}");
    assert_eq!(get(&server, &status).await.status, 202);
    let respond = async |body: Value| -> Answer { post(&server, "/conversations/t/respond", body).await };
    let unfit = respond(json!({"answers": {"Which?": "Three", "And?": "No"}, "toolCallId": call})).await;
    assert_eq!(unfit.refusal(), (400, "invalid_reply".to_owned()));
    let reply = json!({"answers": {"Which?": "Two"}, "toolCallId": call, "replyId": "r"});
    assert_eq!(respond(reply.clone()).await.status, 200);
    settled(&server).await;
    assert_eq!(respond(reply).await.status, 200, "the same again");
    assert_eq!(respond(json!({"answers": {"Which?": "Two"}, "replyId": "r"})).await.status, 200);
    let late = respond(json!({"answers": {"Which?": "One"}, "toolCallId": call, "replyId": "s"})).await;
    assert_eq!(late.refusal(), (409, "already_answered".to_owned()));
    let told = get(&server, &status).await;
    let expected = json!({"toolCallId": call, "outcome": "answered", "answers": {"Which?": "Two"}, "via": "rest"});
    assert_eq!((told.status.as_u16(), told.json()), (200, expected));
    assert_eq!(script.times_asked(), 3);
}

#[tokio::test]
async fn a_program_declines_it_and_the_agent_learns_of_it() {
    let script = asks_and_goes_on([vec![Line::Says("Then not.")]]);
    let (server, call) = asked(&script).await;
    for _ in 0..2 {
        let cancel = json!({"toolCallId": call});
        assert_eq!(post(&server, "/conversations/t/cancel", cancel).await.status, 200);
        settled(&server).await;
    }
    let told = get(&server, &format!("/conversations/t/asks/{call}")).await.json();
    assert_eq!(told["outcome"], "declined");
    assert_eq!(script.times_asked(), 3);
}

#[tokio::test]
async fn an_agent_that_is_not_told_of_it_waits() {
    let server = server_with(asks_and_goes_on([]));
    let run = post(&server, "/agent", says("t", "u1", "go")).await;
    assert_eq!(run.pending().len(), 1);
    let specs =
        |script: &Script| -> Vec<String> { script.asked()[0].tools.iter().map(|tool| tool.name.clone()).collect() };
    for (config, names) in
        [(Config::default(), vec!["ask_user_question"]), (config(), vec!["ask_user_question", "withdraw_question"])]
    {
        let script = Script::new([vec![Line::Says("Hello.")]]);
        post(&app(&config, parts(script.clone())), "/agent", says("t", "u1", "go")).await.events();
        assert_eq!(specs(&script), names);
        let guided = script.asked()[0].guidance.as_ref().is_some_and(|guidance| guidance.contains("`blocking`"));
        assert_eq!(guided, names.len() == 2);
    }
    assert!(!ASK.contains("blocking"));
}

#[tokio::test]
async fn a_withdrawn_question_is_closed_for_all() {
    let server = server_with(Scripted::coding_desk(Duration::ZERO));
    let mut dev = Visitor::new(&server, "dev", "t");
    dev.says("Write the release notes").await;
    let (call, _) = dev.waiting();
    let said = dev.says("There is no release").await;
    assert!(said.contains("without a date"), "{said}");
    let outcome =
        |dev: &Visitor| dev.conversation.asks().ask(&call).and_then(|ask| Some((ask.phase, ask.outcome.clone()?)));
    assert_eq!(outcome(&dev), Some((Phase::Superseded, Outcome::Withdrawn)));
    // As a page that loads it has it, too.
    let told = messages(&server, "t").await;
    let loaded = crate::http::loaded(&Value::Array(told.clone()));
    let again = loaded.asks().ask(&call).and_then(|ask| ask.outcome.clone());
    assert_eq!(again, Some(Outcome::Withdrawn));
    let closed = told.iter().filter(|message| message["content"] == WITHDRAWN_TEXT).count();
    assert_eq!(closed, 1);
    // The page's history, which has it, brings nothing new.
    dev.says("Refactor this function").await;
    assert_eq!(get(&server, &format!("/conversations/t/asks/{call}")).await.json()["outcome"], "withdrawn");
    let late = post(&server, "/agent", answer(&call, "u9", "r", "This week")).await;
    assert_eq!(late.refusal(), (409, "already_answered".to_owned()));
    assert_eq!(late.json()["outcome"], "withdrawn", "{}", late.json());
    let respond = json!({"answers": {"When is the release?": "This week"}, "toolCallId": call});
    assert_eq!(post(&server, "/conversations/t/respond", respond).await.refusal().0, 409);
    let pending = get(&server, "/conversations/t").await.json()["pending"].clone();
    assert!(pending.as_array().is_some_and(|asks| asks.iter().all(|ask| ask["toolCallId"] != call)), "{pending}");
}

#[tokio::test]
async fn the_program_that_is_told_of_questions_is_told_of_it() {
    let (called, origin) = Called::new(&[]).await;
    let config = Config {
        notify_url: Some(origin.parse().expect("it is a URL")),
        public_origins: vec!["https://chat.example".parse().expect("it is an origin")],
        callback_key: Some(KEY.parse().expect("it is a key")),
        ..config()
    };
    let script = asks_and_goes_on([vec![Line::Says("Hello.")]]);
    let server = app(&config, parts(script));
    post(&server, "/agent", says("t", "u1", "go")).await.events();
    let (_, _, told) = called.times(1).await.remove(0);
    let told: Value = serde_json::from_slice(&told).expect("it is JSON");
    assert_eq!((&told["type"], &told["blocking"]), (&json!("question.waiting"), &json!(false)));
    let call = get(&server, "/conversations/t").await.json()["pending"][0]["toolCallId"].clone();
    assert_eq!(told["toolCallId"], call);
    // What comes after it tells of it no more.
    post(&server, "/agent", says("t", "u2", "Hello?")).await.events();
    assert_eq!(called.times(1).await.len(), 1);
    let deleted = crate::http::call(&server, request(Method::DELETE, "/conversations/t", None)).await;
    assert_eq!(deleted.status, 204);
}
