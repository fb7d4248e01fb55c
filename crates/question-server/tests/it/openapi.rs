//! The document of the API says what the server does.

use crate::house::{app, front_desk, parts, server};
use crate::http::{Answer, call, get, post, request, says};
use axum::Router;
use axum::http::Method;
use boon::{Compiler, Schemas};
use question_server::Config;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const DOCUMENT: &str = include_str!("../../openapi.json");

fn document() -> Value {
    serde_json::from_str(DOCUMENT).expect("it is JSON")
}

/// Checks an answer against what the document has for its path, method and status.
#[track_caller]
fn check(path: &str, method: &str, answer: &Answer) {
    let document = document();
    let responses = &document["paths"][path][method]["responses"];
    let status = answer.status.as_u16().to_string();
    let response = [&responses[&*status], &responses["default"]].into_iter().find(|response| !response.is_null());
    let response = response.unwrap_or_else(|| panic!("{method} {path} has no {status}"));
    let response = match response["$ref"].as_str() {
        Some(pointer) => document.pointer(&pointer[1..]).expect("it points at something"),
        None => response,
    };
    let content = &response["content"]["application/json"]["schema"]["$ref"];
    let pointer = content.as_str().unwrap_or_else(|| panic!("{method} {path} {status} has no schema"));
    let mut compiler = Compiler::new();
    compiler.add_resource("openapi.json", document.clone()).expect("it is JSON");
    let mut schemas = Schemas::new();
    let schema = compiler.compile(&format!("openapi.json{pointer}"), &mut schemas).expect("it is a schema");
    let given = answer.json();
    if let Err(error) = schemas.validate(&given, schema) {
        panic!("{method} {path} {status}: {error} in {given}");
    }
}

#[test]
fn the_document_has_the_servers_routes_and_no_others() {
    let told: BTreeSet<String> =
        document()["paths"].as_object().into_iter().flatten().map(|(path, _)| path.clone()).collect();
    let source = include_str!("../../src/app.rs").replace("other_agent::PATH", "\"/agent/other\"");
    let routes = source.split(".route(\"").skip(1).filter_map(|route| route.split('"').next());
    // The page's document, which another agent's address leads to, is no part of the API.
    let routes: BTreeSet<String> = routes.filter(|route| *route != "/").map(str::to_owned).collect();
    assert_eq!(routes, told);
}

#[tokio::test]
async fn every_method_of_the_document_is_there_and_no_other() {
    let server = server();
    for (path, methods) in document()["paths"].as_object().into_iter().flatten() {
        // Which is there with --agent alone.
        if path == "/agent/other" {
            continue;
        }
        for method in [Method::GET, Method::POST, Method::DELETE, Method::PUT] {
            // A stream of events never ends; this conversation does not exist.
            let answer = call(
                &server,
                request(
                    method.clone(),
                    &path.replace("{id}", "none").replace("{ask}", "none").replace("{file}", "none"),
                    None,
                ),
            )
            .await;
            let is_told = !methods[method.as_str().to_lowercase()].is_null();
            assert_eq!(answer.status != 405, is_told, "{method} {path}: {}", answer.status);
        }
    }
}

/// Checks that a path answers as the document says, and gives the answer.
async fn got(server: &Router, path: &str, name: &str) -> Answer {
    let answer = get(server, &name.replace("{id}", "t")).await;
    check(path, "get", &answer);
    answer
}

#[tokio::test]
async fn real_answers_are_what_the_document_says() {
    let server = server();
    for path in ["/settings.json", "/healthz", "/readyz"] {
        got(&server, path, path).await;
    }
    assert_eq!(get(&server, "/openapi.json").await.json(), document());

    const CONVERSATION: &str = "/conversations/{id}";
    assert_eq!(got(&server, CONVERSATION, CONVERSATION).await.status, 404);
    post(&server, "/agent", says("t", "u", "hi")).await.events();
    let waiting = got(&server, CONVERSATION, CONVERSATION).await.json();
    assert_eq!(waiting["pending"].as_array().map(Vec::len), Some(1));
    check("/agent", "post", &post(&server, "/agent", json!({"threadId": 1})).await);

    for (action, bodies) in [
        (
            "respond",
            [
                json!({"answers": {"Which service do you need?": 1}}),
                json!({"answers": {}}),
                json!({"answers": {"Which service do you need?": "Oil change"}, "replyId": "r", "toolCallId": waiting["pending"][0]["toolCallId"]}),
                json!({"answers": {"Which service do you need?": "Inspection"}, "toolCallId": waiting["pending"][0]["toolCallId"]}),
            ],
        ),
        ("cancel", [json!({"toolCallId": "none"}), json!({"runId": "none"}), json!({}), json!({})]),
    ] {
        let path = format!("{CONVERSATION}/{action}");
        for body in bodies {
            let answer = post(&server, &path.replace("{id}", "t"), body).await;
            check(&path, "post", &answer);
        }
    }
    got(&server, CONVERSATION, CONVERSATION).await;

    let (asks, status) = (format!("{CONVERSATION}/asks"), format!("{CONVERSATION}/asks/{{ask}}"));
    let questions = json!([{"question": "Which?", "options": [{"label": "One"}, {"label": "Two"}]}]);
    for (body, expected) in [
        (json!({"id": "a", "questions": questions, "expiresAfter": 60}), 201),
        (json!({"id": "a", "questions": questions}), 200),
        (json!({"id": "b", "questions": questions}), 409),
        (json!({"questions": []}), 400),
    ] {
        let answer = post(&server, &asks.replace("{id}", "t"), body).await;
        check(&asks, "post", &answer);
        assert_eq!(answer.status, expected, "{:?}", answer.body);
    }
    let of_a = status.replace("{ask}", "a");
    assert_eq!(got(&server, &status, &of_a).await.status, 202);
    post(&server, "/conversations/t/cancel", json!({})).await;
    assert_eq!(got(&server, &status, &of_a).await.status, 200);
    assert_eq!(post(&server, &asks.replace("{id}", "t"), json!({"id": "c", "questions": questions})).await.status, 201);
    let named = json!({"answers": {"Which?": "One"}, "via": "slack", "answeredBy": "Ann"});
    assert_eq!(post(&server, "/conversations/t/respond", named).await.status, 200);
    assert_eq!(got(&server, &status, &status.replace("{ask}", "c")).await.json()["answeredBy"], "Ann");
    let invalid = post(&server, &asks.replace("{id}", "t"), json!({"questions": []})).await;
    check(&asks, "post", &invalid);
    assert_eq!(invalid.refusal(), (400, "invalid_ask".to_owned()));

    let more = ["--web-push", "mailto:a@chat.example", "--attachments", "pictures", "--name", "Desk"].map(Into::into);
    let (more, _) = question_server::config::read([], more).expect("it is fine");
    let more = app(&more, parts(front_desk()));
    for path in ["/push/key", "/settings.json"] {
        assert_eq!(got(&more, path, path).await.status, 200);
    }
    assert_eq!(got(&server, "/push/key", "/push/key").await.status, 403);

    let mut tokens = Config::default();
    tokens.tokens.push("0123456789abcdef".parse().expect("it is long enough"));
    let closed = app(&tokens, parts(front_desk()));
    assert_eq!(got(&closed, CONVERSATION, CONVERSATION).await.status, 401);
}
