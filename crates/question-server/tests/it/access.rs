//! A server that others than this machine can reach.

use crate::folder::Folder;
use crate::house::{front_desk, server_of};
use crate::http::{call, get_with, request, says, with_headers};
use crate::socket::{binary, exchange, raw, start, until_logged};
use axum::Router;
use axum::body::BodyDataStream;
use axum::http::Method;
use futures_util::StreamExt as _;
use question_server::access::{AccessToken, Tokens};
use question_server::{Config, Server};
use serde_json::json;
use std::sync::Arc;
use tower::ServiceExt as _;

const TOKEN: &str = "correct-horse-battery-staple";

fn server() -> Router {
    server_of(&Config { tokens: vec![TOKEN.parse().expect("it is long enough")], ..Config::default() })
}

#[tokio::test]
async fn without_the_token_nothing_is_told_but_that_it_lives() {
    let server = server();
    let wrong = format!("Bearer {TOKEN}x");
    let basic = format!("Basic {TOKEN}");
    let unlike = format!("question_access={TOKEN}");
    for headers in [
        &[][..],
        &[("authorization", &wrong[..])],
        &[("authorization", &wrong[..wrong.len() - 2])],
        &[("authorization", "Bearer ")],
        &[("authorization", &basic[..])],
        &[("cookie", &unlike[..])],
        &[("cookie", "question_access=")],
    ] {
        for (method, path, body) in [
            (Method::GET, "/", None),
            (Method::GET, "/settings.json", None),
            (Method::GET, "/conversations/t", None),
            (Method::GET, "/conversations/t/events", None),
            (Method::GET, "/no/such/path", None),
            (Method::GET, "/?token=", None),
            (Method::GET, "/?token=correct-horse-battery-stapl", None),
            (Method::POST, "/agent", Some(says("t", "u", "hi"))),
            (Method::POST, "/conversations/t/respond", Some(json!({}))),
            (Method::POST, "/conversations/t/cancel", Some(json!({}))),
        ] {
            let refused = call(&server, with_headers(request(method, path, body), headers)).await;
            let refusal = refused.refusal();
            assert_eq!(refusal, (401, "unauthorized".to_owned()), "{path} {headers:?}");
            assert_eq!(refused.header("www-authenticate"), "Bearer");
            assert_eq!(refused.header("set-cookie"), "");
        }
        assert_eq!(get_with(&server, "/healthz", headers).await.status, 200);
    }
}

#[tokio::test]
async fn a_stream_breaks_off_with_the_token_that_opened_it() {
    let (old, new) = (TOKEN, "fedcba9876543210");
    let read = |names: &[&str]| {
        let lines: String = names.iter().map(|token| format!("desk {token}\n")).collect();
        AccessToken::read_all(&lines).expect("each is long enough")
    };
    let tokens = Tokens::new(read(&[old, new]));
    let server = Server::builder().model(Arc::new(front_desk())).tokens(tokens.clone()).build();
    let by = |token: &str| [("authorization", format!("Bearer {token}"))];
    let ask = request(Method::POST, "/agent", Some(says("t", "u", "hi")));
    let [(name, bearer)] = by(old);
    call(&server, with_headers(ask, &[(name, &bearer)])).await.events();
    let watch = async |token: &str| -> BodyDataStream {
        let ([(name, bearer)], watch) = (by(token), request(Method::GET, "/conversations/t/events", None));
        let response = server.clone().oneshot(with_headers(watch, &[(name, &bearer)])).await.expect("it answers");
        assert_eq!(response.status(), 200);
        let mut frames = response.into_body().into_data_stream();
        frames.next().await.expect("it begins").expect("it begins");
        frames
    };
    let (mut gone, mut stays) = (watch(old).await, watch(new).await);
    tokens.replace(read(&[new]));
    let end = gone.next().await.expect("it does not look whole");
    assert!(end.is_err() && gone.next().await.is_none(), "{end:?}");
    assert!(futures_util::poll!(stays.next()).is_pending());
}

#[tokio::test]
async fn a_person_opens_a_link_once_and_the_browser_has_the_cookie() {
    let server = server();
    let link = format!("/?a=b&token={TOKEN}");
    let welcome = get_with(&server, &link, &[("x-forwarded-proto", "https")]).await;
    assert_eq!(welcome.status, 200);
    assert_eq!(welcome.header("cache-control"), "no-store");
    let page = String::from_utf8_lossy(&welcome.body);
    assert!(page.contains("0;url=/\"") && !page.contains(TOKEN), "{page}");
    let cookie = welcome.header("set-cookie");
    for attribute in ["; HttpOnly", "; SameSite=Strict", "; Path=/", "; Secure"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    assert!(!cookie.contains(TOKEN), "a cookie is not the token");
    let cookie = cookie.split(';').next().expect("it has a value");
    assert!(cookie.starts_with("__Host-question_access="), "{cookie}");
    let by_tls = ("x-forwarded-proto", "https");
    let settings = get_with(&server, "/settings.json", &[("cookie", cookie), by_tls]).await;
    assert_eq!(settings.status, 200);
    // One that any host of the same domain could have set is not taken for it.
    let plain = cookie.trim_start_matches("__Host-");
    let settings = get_with(&server, "/settings.json", &[("cookie", plain), by_tls]).await;
    assert_eq!(settings.status, 401);
    let posted = call(&server, with_headers(request(Method::POST, &link, Some(says("t", "u", "hi"))), &[])).await;
    assert_eq!(posted.status, 401, "a link is opened, not posted to");
    let plain = get_with(&server, &link, &[]).await;
    let cookie = plain.header("set-cookie");
    assert!(cookie.starts_with("question_access=") && !cookie.contains("Secure"));
}

#[tokio::test]
async fn pages_of_allowed_origins_may_read_the_answers_and_no_others() {
    let origin = "https://app.example";
    let server = server_of(&Config {
        tokens: vec![TOKEN.parse().expect("it is long enough")],
        allow_origins: vec![origin.parse().expect("an origin")],
        ..Config::default()
    });
    // The browser asks first, without any token.
    let ask = [
        ("origin", origin),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization,content-type,last-event-id"),
    ];
    let leave = call(&server, with_headers(request(Method::OPTIONS, "/agent", None), &ask)).await;
    assert_eq!(leave.status, 200);
    assert_eq!(leave.header("access-control-allow-origin"), origin);
    assert!(leave.header("access-control-allow-methods").contains("POST"));
    assert_eq!(leave.header("access-control-allow-headers"), ask[2].1);
    assert_eq!(leave.header("access-control-allow-credentials"), "");

    let bearer = format!("Bearer {TOKEN}");
    let from_page = [("origin", origin), ("sec-fetch-site", "cross-site"), ("authorization", bearer.as_str())];
    let said =
        call(&server, with_headers(request(Method::POST, "/agent", Some(says("t", "u", "hi"))), &from_page)).await;
    assert_eq!(said.header("access-control-allow-origin"), origin);
    assert_eq!(said.header("set-cookie"), "", "the browser would not keep it");
    assert!(said.header("access-control-expose-headers").contains("mcp-session-id"), "a client of MCP reads it");
    said.events();
    let described = get_with(&server, "/conversations/t", &from_page).await;
    assert_eq!(described.status, 200, "it comes back as who it was");
    let refused = get_with(&server, "/conversations/t", &from_page[..1]).await;
    assert_eq!(refused.status, 401);
    assert_eq!(refused.header("access-control-allow-origin"), origin, "it may read why");

    let stranger = ("origin", "https://evil.example");
    let headers = [stranger, ("authorization", bearer.as_str())];
    let stranger = get_with(&server, "/conversations/t", &headers).await;
    assert_eq!(stranger.status, 403);
    let local = get_with(&server, "/healthz", &[("origin", "http://localhost:3000")]).await;
    assert_eq!(local.header("access-control-allow-origin"), "");
}

#[tokio::test]
async fn each_name_has_the_conversations_of_all_its_tokens() {
    let folder = Folder::made();
    let file = folder.path().join("tokens");
    let tokens = "alice alices-old-token-0\nalice alices-new-token-1\nbob bobs-only-token-00\n";
    std::fs::write(&file, tokens).expect("there is a disk");
    let file = file.to_str().expect("it is text");
    let (mut child, address) = start(&["--port", "0", "--pace", "0", "--token-file", file]).await;
    let send = async |method: &str, path: &str, body: &str, token: &str| {
        exchange(address, &raw(address, method, path, &format!("Authorization: Bearer {token}\r\n"), body)).await
    };
    let hello = says("t", "u", "hi").to_string();
    let begun = send("POST", "/agent", &hello, "alices-old-token-0").await;
    assert!(begun.contains("RUN_FINISHED"), "{begun}");
    for (token, status) in [
        ("alices-old-token-0", "200"),
        ("alices-new-token-1", "200"),
        ("bobs-only-token-00", "404"),
        ("nobodys-token-at-all", "401"),
    ] {
        let found = send("GET", "/conversations/t", "", token).await;
        assert!(found.starts_with(&format!("HTTP/1.0 {status}")), "{token}: {found}");
    }
    let log = until_logged(&mut child, "status=401").await;
    assert!(log.contains("token=\"alice\"") && !log.contains("alices-"), "{log}");
    let output = binary(&["--token-file", "no/such/file"]).output().await.expect("the binary starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no/such/file"));
}
