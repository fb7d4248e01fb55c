//! Pictures and files for answers.

use crate::background::{self, asked, asked_in, asks_and_goes_on, settled};
use crate::clock::HandClock;
use crate::house::{app, front_desk, parts, server, server_of};
use crate::http::{Answer, by, call, get, post, request, run_with, says, with_headers};
use crate::metrics::check_counted;
use crate::models::{asks, done};
use crate::provider::{Provider, Recorded, model_of};
use crate::script::Line;
use crate::store::{Before, Behind};
use ask_user_question::attachment::FileLimits;
use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use question_models::Settings;
use question_server::Config;
use question_server::clock::{Clock as _, SystemClock};
use question_server::limits::{FILES_OF_CONVERSATION, LOST_FILES_KEPT_FOR};
use question_server::store::{FileHead, FileRoom, NewFile, SqliteStore, Store, StoreError};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::task::yield_now;

fn takes_pictures() -> Router {
    server_of(&Config { attachments: Some(FileLimits::PICTURES), ..Config::default() })
}

/// The head of a PNG of this size.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes().into_iter().chain(height.to_be_bytes()));
    bytes.extend(*b"\x08\x02\0\0\0\0\0\0\0");
    bytes
}

fn sends(path: &str, bytes: impl Into<Body>) -> Request<Body> {
    let request = Request::post(path).header(header::HOST, "127.0.0.1:8787");
    request.header(header::CONTENT_TYPE, "application/octet-stream").body(bytes.into()).expect("it is well formed")
}

async fn sent(server: &Router, bytes: Vec<u8>) -> Value {
    let answer = call(server, by("owner", sends("/conversations/t/files?name=a%2Fcat.png", bytes))).await;
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    answer.json()
}

async fn read(server: &Router, owner: &str, url: &Value) -> Answer {
    call(server, by(owner, request(Method::GET, url.as_str().expect("it is an address"), None))).await
}

#[tokio::test]
async fn a_picture_is_served_to_its_owner_alone_as_what_runs_nothing() {
    let server = takes_pictures();
    let file = sent(&server, png(3, 2)).await;
    assert_eq!((&file["name"], &file["type"], &file["size"]), (&json!("cat.png"), &json!("image/png"), &json!(33)));
    let answer = read(&server, "owner", &file["url"]).await;
    assert_eq!((answer.status.as_u16(), &answer.body[..]), (200, &png(3, 2)[..]));
    for (name, value) in [
        ("content-type", "image/png"),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "sandbox; default-src 'none'"),
        ("content-disposition", "inline; filename*=UTF-8''cat%2Epng"),
    ] {
        assert_eq!(answer.header(name), value);
    }
    let tag = answer.header("etag").to_owned();
    let again =
        with_headers(request(Method::GET, file["url"].as_str().unwrap_or_default(), None), &[("if-none-match", &tag)]);
    assert_eq!(call(&server, by("owner", again)).await.status, 304);
    assert_eq!(read(&server, "stranger", &file["url"]).await.status, 404);
    post_as(&server, "owner").await;
    assert_eq!(read(&server, "owner", &file["url"]).await.status, 200);
    assert_eq!(read(&server, "stranger", &file["url"]).await.status, 404);
    call(&server, by("owner", request(Method::DELETE, "/conversations/t", None))).await;
    assert_eq!(read(&server, "owner", &file["url"]).await.status, 404);
}

/// A store that loads no conversation.
#[derive(Debug)]
struct LoadsNone;

#[async_trait]
impl Before for LoadsNone {
    async fn before(&self, call: &'static str) -> Result<(), StoreError> {
        (call != "load").then_some(()).ok_or(StoreError::Unusable("a history is long"))
    }
}

#[tokio::test]
async fn a_file_is_served_without_the_history_of_its_conversation() {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory());
    let config = Config { attachments: Some(FileLimits::PICTURES), ..Config::default() };
    let server = |store| app(&config, parts(front_desk()).store(store));
    let first = server(Arc::clone(&store));
    post_as(&first, "owner").await;
    let file = sent(&first, png(3, 2)).await;
    let second = server(Arc::new(Behind { first: LoadsNone, store }));
    assert_eq!(read(&second, "owner", &file["url"]).await.status, 200);
    assert_eq!(read(&second, "stranger", &file["url"]).await.status, 404);
}

#[tokio::test]
async fn a_file_whose_conversation_never_begins_goes_by_itself() {
    let clock = HandClock::new();
    let config = Config { attachments: Some(FileLimits::PICTURES), ..Config::default() };
    let server = app(&config, parts(front_desk()).clock(Arc::new(clock.clone())));
    let lost = sent(&server, png(3, 2)).await;
    clock.advance(LOST_FILES_KEPT_FOR);
    while read(&server, "owner", &lost["url"]).await.status != 404 {
        yield_now().await;
    }
}

async fn post_as(server: &Router, owner: &str) {
    call(server, by(owner, request(Method::POST, "/agent", Some(says("t", "u", "hi"))))).await.events();
}

#[tokio::test]
async fn hostile_files_are_refused_with_a_reason() {
    let server = takes_pictures();
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
    for (query, bytes, why) in [
        ("", Vec::new(), "empty"),
        ("?type=image/png", b"PK\x03\x04zip".to_vec(), "no image/png"),
        ("?type=image/svg%2Bxml", svg.into(), "no image/svg+xml"),
        ("", svg.into(), "not known"),
        ("", png(40_000, 40_000), "40000 × 40000"),
        ("?type=image/jpeg", png(1, 1), "no image/jpeg"),
        ("?type=text/plain", b"words".to_vec(), "These types"),
        ("", [png(1, 1), vec![0; FileLimits::PICTURES.bytes]].concat(), "at most"),
    ] {
        let answer = call(&server, by("owner", sends(&format!("/conversations/t/files{query}"), bytes))).await;
        assert_eq!(answer.refusal(), (400, "bad_file".to_owned()), "{query} {why}");
        assert!(answer.json()["message"].as_str().is_some_and(|said| said.contains(why)), "{:?}", answer.body);
    }
    let form = with_headers(sends("/conversations/t/files", png(1, 1)), &[("content-type", "text/plain")]);
    assert_eq!(call(&server, by("owner", form)).await.status, 415);
    let strangers = sends("/conversations/t/files", png(1, 1));
    assert_eq!(call(&server, strangers).await.status, 404, "without an owner, the conversation has to be there");
    let off = sends("/conversations/t/files", png(1, 1));
    assert_eq!(call(&self::server(), off).await.refusal(), (403, "files_not_allowed".to_owned()));
}

#[tokio::test]
async fn a_file_too_many_is_refused_by_the_name_of_its_limit() {
    let store = Arc::new(SqliteStore::in_memory());
    // There is room for its bytes alone: however short it is, a file takes more.
    let size = FILES_OF_CONVERSATION - png(3, 2).len();
    let head = FileHead { name: "a.png".to_owned(), media_type: "image/png".to_owned(), size };
    let (conversation, hash) = ("t".to_owned(), "0".repeat(64));
    let file = NewFile { conversation, hash, owner: None, head, bytes: Vec::new(), at: SystemClock.now() };
    let room = FileRoom { of_each: 0, of_conversation: usize::MAX, of_owner: usize::MAX, of_all: usize::MAX };
    assert!(store.put_file(file, room).await.expect("it is stored"));
    let config = Config { attachments: Some(FileLimits::PICTURES), ..Config::default() };
    let server = app(&config, parts(front_desk()).store(store));
    let refused = call(&server, by("owner", sends("/conversations/t/files?name=b.png", png(3, 2)))).await;
    assert_eq!(refused.refusal(), (409, "files_full".to_owned()));
    assert_eq!(refused.json()["limit"], "max-files");
    check_counted(&server, r#"question_server_refusals_total{limit="max-files"}"#, 1).await;
}

#[tokio::test]
async fn an_answer_names_files_that_the_server_has_for_its_conversation() {
    let server = takes_pictures();
    post(&server, "/agent", says("t", "u", "hi")).await.events();
    let sent = call(&server, sends("/conversations/t/files?name=cat.png", png(3, 2))).await.json();
    let question = "Which service do you need?";
    let answer = |file: &Value| {
        let details = json!([{"index": 0, "selected": [], "attachments": [file]}]);
        json!({"answers": {question: "1 picture: cat.png"}, "details": details, "replyId": "r"})
    };
    let hash = "0".repeat(64);
    for url in [
        json!("https://evil.example/cat.png"),
        json!("data:image/png;base64,AAAA"),
        json!(format!("/conversations/t/files/{hash}")),
        json!(format!("//evil.example{}", sent["url"].as_str().unwrap_or_default())),
    ] {
        let mut file = sent.clone();
        file["url"] = url;
        let refused = post(&server, "/conversations/t/respond", answer(&file)).await;
        assert_eq!(refused.refusal(), (400, "invalid_reply".to_owned()));
        assert_eq!(refused.json()["violations"][0]["path"], "details[0].attachments[0]");
    }
    let taken = post(&server, "/conversations/t/respond", answer(&sent)).await;
    assert_eq!(taken.status, 200, "{:?}", taken.body);
    let told = get(&server, "/conversations/t").await.json()["messages"].to_string();
    assert!(told.contains("/files/") && told.contains("cat.png"), "{told}");
    let settings = get(&server, "/settings.json").await.json();
    assert_eq!(settings["profile"], "chat+pictures", "the page offers to attach them");
}

/// A server whose model gives these answers, and sees pictures.
async fn sees(answers: impl IntoIterator<Item = Recorded>) -> (Router, Provider) {
    let provider = Provider::replaying(answers).await;
    let settings =
        Settings { base_url: provider.base_url.clone(), model: "gpt-4o-mini".to_owned(), ..Settings::default() };
    let config = Config { attachments: Some(FileLimits::FILES), ..Config::default() };
    (app(&config, parts(model_of("openai", settings))), provider)
}

/// The messages that the model got after an answer with a picture and a document, and after a further message.
async fn told_of_an_answer_with_files(server: &Router, provider: &Provider) -> [Value; 2] {
    post(server, "/agent", says("t", "u", "hi")).await.events();
    let cat = call(server, sends("/conversations/t/files?name=cat.png", png(3, 2))).await.json();
    let text = call(server, sends("/conversations/t/files?name=a.txt&type=text/plain", "words")).await.json();
    let details = json!([{"index": 0, "selected": [], "attachments": [cat, text]}]);
    let answer = json!({"answers": {"Which size?": "2 files: cat.png, a.txt"}, "details": details});
    let taken = post(server, "/conversations/t/respond", answer).await;
    assert_eq!(taken.status, 200, "{:?}", taken.body);
    provider.is_asked().await;
    provider.is_asked().await;
    while get(server, "/conversations/t").await.json()["state"]["type"] != "idle" {
        yield_now().await;
    }
    post(server, "/agent", says("t", "u2", "And now?")).await.events();
    let asked = provider.asked();
    [1, 2].map(|index: usize| asked[index].1["messages"].clone())
}

#[tokio::test]
async fn a_model_that_sees_gets_the_picture_of_an_answer_with_each_request() {
    let (server, provider) = sees([asks(), done(), done()]).await;
    let data = format!("data:image/png;base64,{}", BASE64.encode(png(3, 2)));
    for told in told_of_an_answer_with_files(&server, &provider).await {
        let result = told[3]["content"].as_str().expect("it is a text");
        assert!(result.contains("The user attached 1 picture (cat.png)."), "{result}");
        assert!(result.contains("The user attached 1 file (a.txt), which this model cannot read."), "{result}");
        assert_eq!(told[4]["content"][1]["image_url"]["url"], data, "{told}");
        assert_eq!(told.to_string().matches(&data).count(), 1);
    }
    let history = get(&server, "/conversations/t").await.json().to_string();
    assert!(!history.contains("base64"), "its bytes are beside the history: {history}");
}

/// A message with these files, as a page sends it.
fn with_files(id: &str, text: &str, files: &[Value]) -> Value {
    let part = |file: &Value| {
        let source = json!({"type": "url", "value": file["url"], "mimeType": file["type"]});
        json!({"type": "image", "source": source, "metadata": {"name": file["name"], "size": file["size"]}})
    };
    let text = (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
    let parts: Vec<Value> = text.into_iter().chain(files.iter().map(part)).collect();
    run_with("t", id, &json!({"id": id, "role": "user", "content": parts}))
}

#[tokio::test]
async fn a_model_sees_the_pictures_of_messages() {
    let (server, provider) = sees([done(), done()]).await;
    let run = async |body| call(&server, by("owner", request(Method::POST, "/agent", Some(body)))).await;
    let (cat, dog) = (sent(&server, png(3, 2)).await, sent(&server, png(4, 2)).await);
    assert_eq!(run(with_files("u", "Look", std::slice::from_ref(&cat))).await.events().1.error, None);
    assert_eq!(run(with_files("u2", "", &[dog.clone(), cat.clone()])).await.events().1.error, None);
    let asked = provider.asked();
    let told = &asked[1].1["messages"];
    let data = |bytes| format!("data:image/png;base64,{}", BASE64.encode(bytes));
    assert_eq!(told[1]["content"][0]["text"], "Look\n\nThe user attached 1 picture (cat.png).");
    assert_eq!(told[1]["content"][1]["image_url"]["url"], data(png(3, 2)));
    assert_eq!(told[3]["content"][0]["text"], "The user attached 2 pictures (cat.png, cat.png).");
    assert_eq!(told[3]["content"][1]["image_url"]["url"], data(png(4, 2)));
    assert_eq!(told[3]["content"].as_array().map(Vec::len), Some(2), "one that it has seen goes once: {told}");
    let history = call(&server, by("owner", request(Method::GET, "/conversations/t", None))).await.json();
    let parts = &history["messages"][2]["content"];
    assert_eq!((&parts[0]["source"]["value"], &parts[0]["metadata"]["name"]), (&dog["url"], &json!("cat.png")));
    assert_eq!(parts[1]["source"]["value"], cat["url"]);
}

#[tokio::test]
async fn a_message_has_files_of_its_conversation_alone() {
    let server = takes_pictures();
    post(&server, "/agent", says("t", "u", "hi")).await.events();
    let sent = call(&server, sends("/conversations/t/files?name=cat.png", png(3, 2))).await.json();
    let with = |member: &str, value: Value| {
        let mut file = sent.clone();
        file[member] = value;
        with_files("u2", "Look", &[file])
    };
    for (input, code, why) in [
        (with("url", json!("https://evil.example/cat.png")), "bad_file", "no such file"),
        (with("url", json!(format!("/conversations/t/files/{}", "0".repeat(64)))), "bad_file", "no such file"),
        (with("type", json!("image/gif")), "bad_file", "no such file"),
        (with("url", json!("data:image/png;base64,AAAA")), "bad_request", "/files first"),
        (with_files("u2", "", &vec![sent.clone(); 5]), "bad_request", "At most 4 files"),
    ] {
        let refused = post(&server, "/agent", input).await;
        assert_eq!(refused.refusal(), (400, code.to_owned()), "{why}");
        assert!(refused.json()["message"].as_str().is_some_and(|said| said.contains(why)), "{:?}", refused.body);
    }
    let (off, alone) = (self::server(), with_files("u", "", std::slice::from_ref(&sent)));
    assert_eq!(post(&off, "/agent", alone).await.refusal(), (400, "bad_request".to_owned()), "it reads text alone");
    post(&off, "/agent", with_files("u", "Look", &[sent])).await.events();
    assert_eq!(get(&off, "/conversations/t").await.json()["messages"][0]["content"], "Look");
}

#[tokio::test]
async fn the_files_of_a_later_answer_go_with_its_message() {
    let script = asks_and_goes_on([vec![Line::Says("I see.")]]);
    let config = Config { attachments: Some(FileLimits::PICTURES), ..background::config() };
    let (server, call) = asked_in(app(&config, parts(script))).await;
    let cat = crate::http::call(&server, sends("/conversations/t/files?name=cat.png", png(3, 2))).await.json();
    let answer = |files: &[Value]| {
        let details = json!([{"index": 0, "selected": [{"index": 1, "label": "Two"}], "attachments": files}]);
        json!({"answers": {"Which?": "Two"}, "details": details, "toolCallId": call, "replyId": "r"})
    };
    let mut elsewhere = cat.clone();
    elsewhere["url"] = json!("https://evil.example/cat.png");
    for (files, path) in [
        (vec![cat.clone(), elsewhere], "details[0].attachments[1]"),
        (vec![cat.clone(); 5], "details[0].attachments[4]"),
    ] {
        let refused = post(&server, "/conversations/t/respond", answer(&files)).await;
        assert_eq!(refused.refusal(), (400, "invalid_reply".to_owned()));
        assert_eq!(refused.json()["violations"][0]["path"], path, "{}", refused.json());
    }
    let taken = post(&server, "/conversations/t/respond", answer(std::slice::from_ref(&cat))).await;
    assert_eq!(taken.status, 200, "{:?}", taken.body);
    let told = settled(&server).await;
    let said = &told["messages"].as_array().expect("messages")[4];
    assert_eq!(said["content"][0]["text"], "Two (1 picture: cat.png)", "{said}");
    assert_eq!(said["content"][1]["source"]["value"], cat["url"]);
    let status = get(&server, &format!("/conversations/t/asks/{call}")).await.json();
    assert_eq!((&status["outcome"], &status["details"][0]["attachments"]), (&json!("answered"), &json!([cat])));
    let off = asked(&asks_and_goes_on([])).await;
    let refused = post(
        &off.0,
        "/conversations/t/respond",
        json!({"answers": {"Which?": "Two"}, "details": answer(&[cat])["details"]}),
    )
    .await;
    assert_eq!(refused.refusal(), (400, "invalid_reply".to_owned()), "no files are taken");
}
