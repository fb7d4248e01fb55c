//! The files of a card on their way to the agent.

use crate::cards::Page;
use crate::giving::{file, give};
use crate::scripted_agent::Call;
use crate::server::Server;
use crate::visitor::{BOTH, Visitor};
use agent_chat::{Attachment, Entry, FileLimits, SendAs, Status, Trouble};
use leptos::prelude::*;
use question_card::CardOptions;
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::HtmlElement;

/// A page whose cards take pictures.
async fn page(visitor: &Visitor) -> Page {
    let chat = visitor.chat;
    Page::with(visitor, move || CardOptions::new().files(chat.files(FileLimits::PICTURES))).await
}

impl Page {
    fn find(&self, selector: &str) -> Option<HtmlElement> {
        self.place.query_selector(selector).expect("a good selector")?.dyn_into().ok()
    }

    fn chip(&self) -> String {
        self.find(".qc-file")
            .and_then(|chip| chip.text_content())
            .unwrap_or_default()
            .replace(['\u{2068}', '\u{2069}'], "")
    }

    /// Pastes a picture of three bytes into one's own words.
    fn paste(&self) {
        give("paste", &self.find(".qc-other-input").expect("a field"), &[file("my cat.png", "image/png", b"123")]);
    }
}

#[test]
async fn a_file_goes_to_the_server_of_its_conversation_at_once() {
    let server = Server::new();
    let (visitor, _stream) = server.asked_visitor().await;
    let page = page(&visitor).await;
    page.paste();
    let upload = server.posted("/files").await;
    assert_eq!(upload.parameter("name").as_deref(), Some("my cat.png"));
    assert_eq!(upload.parameter("type").as_deref(), Some("image/png"));
    assert_eq!(upload.header("content-type").as_deref(), Some("application/octet-stream"));
    assert_eq!(upload.body(), json!(123));
    for (sent, shown) in [(0, "Uploading…"), (430, "43%"), (439, "43%"), (1000, "100%")] {
        upload.is_sent(sent, 1000);
        visitor.sees(shown, |_| page.chip() == format!("my cat.png3 B{shown}×")).await;
    }
    upload.answers(415, &json!({"code": "unsupported_file", "message": "This is no picture."}));
    visitor.sees("the reason", |_| page.chip().contains("This is no picture.")).await;
    page.find(".qc-file button").expect("a button to try again").click();
    let url = format!("/conversations/{}/files/abc", server.id);
    let there = json!({"url": url, "name": "my cat.png", "type": "image/png", "size": 3});
    server.posted("/files").await.answers(201, &there);
    visitor.sees("the picture", |_| page.find(".qc-thumb").is_some()).await;
    page.find(".qc-submit").expect("the button").click();
    let call = Call::next().await;
    let sent = serde_json::to_value(&call.input).expect("it is JSON").to_string();
    assert!(sent.contains(&url) && sent.contains("1 picture: my cat.png"), "{sent}");
}

#[test]
async fn without_such_a_server_a_small_file_goes_in_the_reply() {
    let visitor = Visitor::asked().await;
    let page = page(&visitor).await;
    page.paste();
    visitor.sees("the picture", |_| page.find(".qc-thumb").is_some()).await;
    page.find(".qc-submit").expect("the button").click();
    let call = Call::next().await;
    let sent = serde_json::to_value(&call.input).expect("it is JSON").to_string();
    assert!(sent.contains("MTIz") && sent.contains("my cat.png"), "{sent}");
}

fn cat() -> Attachment {
    Attachment {
        url: "/conversations/t/files/abc".to_owned(),
        name: "cat.png".to_owned(),
        media_type: "image/png".to_owned(),
        size: 3,
    }
}

/// The part of a user message that is the cat.
fn part(question: Option<usize>) -> Value {
    let mut metadata = json!({"name": "cat.png", "size": 3});
    if let Some(question) = question {
        metadata["question"] = question.into();
    }
    let source = json!({"type": "url", "value": cat().url, "mimeType": "image/png"});
    json!({"type": "image", "source": source, "metadata": metadata})
}

/// The last message of a run, as JSON.
fn last(call: &Call) -> Value {
    serde_json::to_value(call.input.messages.last()).expect("it is JSON")
}

/// The names of the files of the last entry.
fn shown(visitor: &Visitor) -> Vec<String> {
    let names = |entry: &Entry| entry.files.iter().map(|file| file.name.clone()).collect();
    visitor.chat.entries.with_untracked(|entries| entries.last().map(names).unwrap_or_default())
}

#[test]
async fn a_message_of_files_alone_goes_and_outlives_a_reload() {
    let server = Server::new();
    let idle = json!({"messages": [{"id": "u", "role": "user", "content": "Hello"}], "state": {"type": "idle"}});
    let visitor = Visitor::first(server.options());
    server.describes(idle.clone()).await;
    visitor.sees_lines(&["user: Hello"]).await;
    assert!(!visitor.chat.send_with_files(SendAs::Matched, " ", Vec::new()));
    assert!(visitor.chat.send_with_files(SendAs::Matched, "", vec![cat()]));
    assert_eq!(shown(&visitor), ["cat.png"], "at once");
    let call = Call::next().await;
    assert_eq!(last(&call)["content"], json!([part(None)]));
    call.refuses(503, r#"{"code":"no","message":"Not now."}"#);
    visitor.sees("the failure", |chat| matches!(chat.status.get_untracked(), Status::Failed(_))).await;
    drop(visitor);
    let visitor = Visitor::beside(server.options());
    server.describes(idle).await;
    visitor.sees_status(Status::Failed(Trouble::DeliveryUnknown)).await;
    assert_eq!(shown(&visitor), ["cat.png"]);
    visitor.chat.retry();
    assert_eq!(last(&Call::next().await), last(&call));
}

#[test]
async fn files_of_a_history_stand_in_its_entries() {
    let server = Server::new();
    let visitor = Visitor::first(server.options());
    let content = json!([{"type": "text", "text": "Look"}, part(None)]);
    let said = json!({"id": "u", "role": "user", "content": content});
    server.describes(json!({"messages": [said], "state": {"type": "idle"}})).await;
    visitor.sees_lines(&["user: Look"]).await;
    assert_eq!(visitor.chat.entries.with_untracked(|entries| entries[0].files.clone()), [cat()]);
}

#[test]
async fn files_go_along_with_a_typed_answer_and_are_one_alone() {
    for (text, answer) in [("large", "Large"), ("Medium", "Medium"), ("", "1 picture: cat.png")] {
        let visitor = Visitor::asked().await;
        assert!(visitor.chat.send_with_files(SendAs::Matched, text, vec![cat()]));
        let call = Call::next().await;
        let sent = serde_json::to_value(&call.input.messages).expect("it is JSON");
        let result: Value = serde_json::from_str(sent[2]["content"].as_str().expect("a result")).expect("JSON");
        assert_eq!(result["answers"]["Which size?"], answer, "{result}");
        assert_eq!(result["details"][0]["attachments"][0]["name"], "cat.png");
        let said = last(&call);
        assert!(said["content"].as_array().is_some_and(|parts| parts.contains(&part(Some(0)))), "{said}");
    }
}

#[test]
async fn files_beside_several_questions_go_as_a_message() {
    let (visitor, call) = Visitor::greeting().await;
    call.asks("c1", BOTH);
    call.finishes();
    visitor.sees_status(Status::Idle).await;
    assert!(visitor.chat.send_with_files(SendAs::Matched, "See for yourself", vec![cat()]));
    let said = last(&Call::next().await);
    assert_eq!(said["content"], json!([{"type": "text", "text": "See for yourself"}, part(Some(0))]));
}
