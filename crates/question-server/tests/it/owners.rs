//! A conversation answers to its owner.

use crate::house::{app, over_each_store, parts, server, server_of};
use crate::http::{Answer, by, call, get, get_with, request, says, with_headers};
use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::{HeaderName, HeaderValue, Method, header};
use question_server::Config;
use question_server::access::AccessToken;
use question_server::limits::Bounds;
use question_server::owner::Owner;
use question_server::store::{SqliteStore, Store};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;

/// As a page sends it; through Trunk's proxy it looks the same, except the forwarded host.
async fn from_page(server: &Router, method: Method, path: &str, body: Option<Value>, cookie: Option<&str>) -> Answer {
    let mut headers = vec![("origin", "http://127.0.0.1:8080"), ("x-forwarded-host", "localhost,127.0.0.1:8080")];
    headers.extend(cookie.map(|cookie| ("cookie", cookie)));
    call(server, with_headers(request(method, path, body), &headers)).await
}

/// The cookie that the server gives, as the browser sends it back.
fn given(answer: &Answer) -> String {
    let cookie = answer.header("set-cookie");
    for attribute in ["; HttpOnly", "; SameSite=Strict", "; Path=/"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    cookie.split(';').next().unwrap_or_default().to_owned()
}

const NOT_FOUND: (u16, &str) = (404, "not_found");

#[tokio::test]
async fn a_page_is_given_a_token_with_its_first_answer_and_keeps_it() {
    let server = server();
    let first = from_page(&server, Method::GET, "/conversations/t", None, None).await;
    assert_eq!(first.status, 404, "there is no conversation yet");
    let cookie = given(&first);
    let made = from_page(&server, Method::POST, "/agent", Some(says("t", "u", "hi")), Some(&cookie)).await;
    assert_eq!(made.status, 200);
    assert!(!made.headers.contains_key(header::SET_COOKIE), "it has one");
    for beside in [cookie.clone(), format!("a=b; {cookie}; c=d"), format!("question_owner=short;{cookie}")] {
        let seen = from_page(&server, Method::GET, "/conversations/t", None, Some(&beside)).await;
        assert_eq!(seen.json()["state"]["type"], "awaiting_user_response", "{beside}");
    }
    for other in ["question_owner=../..", "=;;=", &format!("x{cookie}")] {
        assert_eq!(from_page(&server, Method::GET, "/conversations/t", None, Some(other)).await.status, 404, "{other}");
    }
    let owner = Owner::of("secret");
    assert!(!owner.as_str().contains("secret") && !format!("{owner:?}").contains(owner.as_str()));
}

#[tokio::test]
async fn to_others_an_owned_conversation_is_not_there() {
    let server = server();
    let made = from_page(&server, Method::POST, "/agent", Some(says("t", "u", "hi")), None).await;
    let (owner, stranger) = (given(&made), format!("question_owner={}", "5a".repeat(32)));
    let reply = json!({"answers": {"Which service do you need?": "Brake service"}});
    for cookie in [None, Some(stranger.as_str()), Some("question_owner=")] {
        for (method, path, body) in [
            (Method::GET, "/conversations/t", None),
            (Method::GET, "/conversations/t/events", None),
            (Method::POST, "/conversations/t/respond", Some(reply.clone())),
            (Method::POST, "/conversations/t/cancel", Some(json!({}))),
            (Method::DELETE, "/conversations/t", None),
            (Method::POST, "/agent", Some(says("t", "u", "hi"))),
        ] {
            let refused = from_page(&server, method, path, body, cookie).await.refusal();
            assert_eq!((refused.0, refused.1.as_str()), NOT_FOUND, "{path} {cookie:?}");
        }
    }
    let bare = get(&server, "/conversations/t").await.refusal();
    assert_eq!((bare.0, bare.1.as_str()), NOT_FOUND, "a program without the token");
    let path = "/conversations/t/respond";
    let taken = from_page(&server, Method::POST, path, Some(reply), Some(&owner)).await;
    assert_eq!(taken.status, 200, "nobody has disturbed it");
}

#[tokio::test]
async fn only_a_browser_that_brings_it_back_is_given_a_cookie() {
    let server = server();
    for (site, origin, is_given) in [
        ("same-origin", None, true),
        ("none", None, true),
        ("same-site", Some("http://127.0.0.1:3000"), false),
        ("cross-site", None, false),
        ("", Some("http://127.0.0.1:8787"), true),
        ("", Some("http://127.0.0.1:3000"), false),
        ("", None, false),
    ] {
        let site = Some(site).filter(|site| !site.is_empty()).map(|site| ("sec-fetch-site", site));
        let headers: Vec<_> = site.into_iter().chain(origin.map(|origin| ("origin", origin))).collect();
        let answer = get_with(&server, "/settings.json", &headers).await;
        let found = answer.headers.contains_key(header::SET_COOKIE);
        assert_eq!(found, is_given, "{site:?} {origin:?}");
    }
}

#[tokio::test]
async fn by_tls_the_cookie_is_one_that_no_other_host_can_set() {
    let server = server();
    let ask = async |cookie: Option<&str>| {
        // The proxy with TLS has one without behind it.
        let mut headers = vec![("sec-fetch-site", "same-origin"), ("x-forwarded-proto", "https, http")];
        headers.extend(cookie.map(|cookie| ("cookie", cookie)));
        get_with(&server, "/settings.json", &headers).await
    };
    let cookie = given(&ask(None).await);
    assert!(cookie.starts_with("__Host-question_owner="), "{cookie}");
    let known = ask(Some(&cookie)).await;
    assert!(!known.headers.contains_key(header::SET_COOKIE));
    let planted = cookie.trim_start_matches("__Host-");
    let other = given(&ask(Some(planted)).await);
    assert_ne!(other, cookie, "a new one");
}

const SHARED: &str = "the-token-of-the-command-line";

fn tokens(text: &str) -> Vec<AccessToken> {
    let mut tokens: Vec<AccessToken> = vec![SHARED.parse().expect("it is one")];
    tokens.extend(AccessToken::read_all(text).expect("they are some"));
    tokens
}

#[tokio::test]
async fn nobody_takes_a_name_by_saying_it() {
    let tokens = tokens("front-end 0123456789abcdef\nother fedcba9876543210");
    let server = server_of(&Config { tokens, ..Config::default() });
    let made = by("0123456789abcdef", request(Method::POST, "/agent", Some(says("t", "u", "hi"))));
    assert_eq!(call(&server, made).await.status, 200);
    let reads =
        async |token: &str| call(&server, by(token, request(Method::GET, "/conversations/t", None))).await.status;
    assert_eq!(reads("0123456789abcdef").await, 200);
    // The cookie of the shared token, as a browser has it.
    let welcome = get(&server, &format!("/?token={SHARED}")).await;
    let access = given(&welcome);
    let spoken = ["name front-end", "name:front-end", "front-end", "token:"].map(|said| format!("Bearer {said}"));
    for said in &spoken {
        let headers = [("cookie", access.as_str()), ("authorization", said.as_str())];
        assert_eq!(get_with(&server, "/conversations/t", &headers).await.status, 404, "{said}");
    }
    for token in ["fedcba9876543210", SHARED] {
        assert_eq!(reads(token).await, 404, "{token}");
    }
    // If there are two tokens, the program means the bearer.
    let headers = [("cookie", access.as_str()), ("authorization", "Bearer 0123456789abcdef")];
    assert_eq!(get_with(&server, "/conversations/t", &headers).await.status, 200);
}

#[tokio::test]
async fn a_changed_token_keeps_its_conversations() {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory());
    let server = |token: &str| {
        let config = Config { tokens: vec![token.parse().expect("it is one")], ..Config::default() };
        app(&config, parts(crate::house::front_desk()).store(Arc::clone(&store)))
    };
    let (before, after) = ("first-0123456789", "second-0123456789");
    let said = by(before, request(Method::POST, "/agent", Some(says("t", "u", "hi"))));
    assert_eq!(call(&server(before), said).await.status, 200);
    let read = by(after, request(Method::GET, "/conversations/t", None));
    assert_eq!(call(&server(after), read).await.status, 200);
}

/// The answer to a user whom the proxy names.
async fn by_proxy(server: &Router, user: &str, method: Method, path: &str, body: Option<Value>) -> Answer {
    call(server, with_headers(request(method, path, body), &[("x-forwarded-user", user)])).await
}

async fn lists_and_deletes_its_own(store: Arc<dyn Store>) {
    let config = Config { owner_header: Some(HeaderName::from_static("x-forwarded-user")), ..Config::default() };
    let server = app(&config, parts(crate::house::front_desk()).store(store));
    for (user, thread) in [("ann", "a1"), ("bob", "b1"), ("ann", "a2")] {
        let said = by_proxy(&server, user, Method::POST, "/agent", Some(says(thread, "u", "hi"))).await;
        assert!(!said.headers.contains_key(header::SET_COOKIE), "its users are known without");
        said.events();
    }
    let list = async |user| by_proxy(&server, user, Method::GET, "/conversations", None).await.json();
    assert_eq!(list("ann").await, json!({"conversations": ["a2", "a1"]}));
    assert_eq!(by_proxy(&server, "bob", Method::GET, "/conversations/a1", None).await.status, 404);
    assert_eq!(by_proxy(&server, "ann", Method::GET, "/conversations/a1", None).await.status, 200);
    assert_eq!(by_proxy(&server, "ann", Method::DELETE, "/conversations", None).await.status, 204);
    assert_eq!(list("ann").await, json!({"conversations": []}));
    assert_eq!(by_proxy(&server, "ann", Method::GET, "/conversations/a1", None).await.status, 404);
    assert_eq!(list("bob").await, json!({"conversations": ["b1"]}));
    let nobody = get(&server, "/conversations").await;
    assert_eq!(nobody.refusal(), (400, "bad_request".to_owned()));
}

#[tokio::test]
async fn an_owner_deletes_more_than_it_may_have_by_now() {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory());
    let server = |owned| {
        let config = Config { bounds: Bounds { owned, ..Bounds::default() }, ..Config::default() };
        app(&config, parts(crate::house::front_desk()).store(Arc::clone(&store)))
    };
    let before = server(3);
    for thread in ["a", "b", "c"] {
        call(&before, by("ann", request(Method::POST, "/agent", Some(says(thread, "u", "hi"))))).await.events();
    }
    let deleted = call(&server(1), by("ann", request(Method::DELETE, "/conversations", None))).await;
    assert_eq!(deleted.status, 204);
    let listed = call(&before, by("ann", request(Method::GET, "/conversations", None))).await;
    assert_eq!(listed.json(), json!({"conversations": []}));
}

#[tokio::test]
async fn the_user_of_a_proxy_is_one_name_in_utf_8() {
    let config = Config { owner_header: Some(HeaderName::from_static("x-forwarded-user")), ..Config::default() };
    let server = server_of(&config);
    let by_users = async |users: &[&[u8]], method: Method, path: &str, body: Option<Value>| {
        let mut asked = request(method, path, body);
        for user in users {
            let user = HeaderValue::from_bytes(user).expect("it is legal");
            asked.headers_mut().append("x-forwarded-user", user);
        }
        call(&server, asked).await
    };
    let path = "/conversations/t";
    let umlaut = "Jürgen".as_bytes();
    by_users(&[umlaut], Method::POST, "/agent", Some(says("t", "u", "hi"))).await.events();
    assert_eq!(by_users(&[umlaut], Method::GET, path, None).await.status, 200);
    for other in ["Müller".as_bytes(), b"J?rgen", b""] {
        assert_eq!(by_users(&[other], Method::GET, path, None).await.status, 404, "{other:?}");
    }
    assert_eq!(by_users(&[], Method::GET, path, None).await.status, 404);
    // Latin-1, and a value of the client's own beside the proxy's.
    for users in [[b"J\xfcrgen".as_slice()].as_slice(), &[umlaut, b"bob"], &[b"bob", umlaut], &[umlaut, umlaut]] {
        let refused = by_users(users, Method::GET, path, None).await;
        assert_eq!(refused.refusal(), (400, "bad_request".to_owned()), "{users:?}");
    }
    // Only the proxy names users.
    for (from, status) in [("127.0.0.1:4711", 404), ("10.0.0.7:4711", 400)] {
        let mut asked = with_headers(request(Method::GET, path, None), &[("x-forwarded-user", "ann")]);
        asked.extensions_mut().insert(ConnectInfo::<SocketAddr>(from.parse().expect("it is an address")));
        assert_eq!(call(&server, asked).await.status, status, "{from}");
    }
}

over_each_store!(a_user_whom_a_proxy_names_lists_and_deletes_its_own: lists_and_deletes_its_own);
