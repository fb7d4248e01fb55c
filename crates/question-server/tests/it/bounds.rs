//! Every bound of `Bounds`, reached.

use crate::folder::Folder;
use crate::house::{app, front_desk, parts, server_of};
use crate::http::{Answer, by, call, get, post, request, says, with_headers};
use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::{HeaderName, HeaderValue, Method};
use question_server::Config;
use question_server::limits::{Bounds, MAX_ID_BYTES};
use question_server::rate::PerMinute;
use question_server::store::SqliteStore;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;

/// A server with everything else as it is by default.
fn server(change: impl Fn(&mut Bounds)) -> Router {
    let mut config = Config::default();
    change(&mut config.bounds);
    server_of(&config)
}

async fn hello(server: &Router, thread: &str) -> Answer {
    post(server, "/agent", says(thread, "u", "hi")).await
}

#[track_caller]
fn check_refused(refused: &Answer) {
    assert_eq!(refused.refusal(), (429, "too_many_requests".to_owned()));
    let wait: u64 = refused.header("retry-after").parse().expect("it is seconds");
    assert!((1..=61).contains(&wait), "{wait}");
}

#[tokio::test]
async fn changes_of_a_conversation_are_counted_for_it_alone() {
    let server = server(|bounds| bounds.changes = PerMinute::new(2));
    assert_eq!(hello(&server, "one").await.status, 200);
    assert_eq!(hello(&server, "one").await.status, 200);
    let refused = hello(&server, "one").await;
    check_refused(&refused);
    assert_eq!(refused.json()["limit"], "max-changes");
    check_refused(&post(&server, "/conversations/one/cancel", json!({})).await);
    assert_eq!(hello(&server, "another").await.status, 200);
}

/// Somebody who says hello from there, as this owner, through a proxy that says so.
async fn hello_from(server: &Router, thread: &str, peer: &str, owner: Option<&str>) -> Answer {
    let hello = request(Method::POST, "/agent", Some(says(thread, "u", "hi")));
    let hello = with_headers(hello, &[("x-real-ip", peer)]);
    call(
        server,
        match owner {
            Some(owner) => by(owner, hello),
            None => hello,
        },
    )
    .await
}

const ALICE: Option<&str> = Some("alice");
const BOB: Option<&str> = Some("bob");

fn behind_a_proxy(change: impl FnOnce(&mut Bounds)) -> Router {
    let mut config = Config { peer_header: Some(HeaderName::from_static("x-real-ip")), ..Config::default() };
    change(&mut config.bounds);
    server_of(&config)
}

#[tokio::test]
async fn new_conversations_are_counted_for_each_owner_and_for_all_at_one_address() {
    let server = behind_a_proxy(|bounds| bounds.new = PerMinute::new(1));
    assert_eq!(hello_from(&server, "a1", "203.0.113.1", ALICE).await.status, 200);
    check_refused(&hello_from(&server, "a2", "203.0.113.1", ALICE).await);
    assert_eq!(hello_from(&server, "a1", "203.0.113.1", ALICE).await.status, 200, "it is there");
    assert_eq!(hello_from(&server, "b1", "203.0.113.1", BOB).await.status, 200, "another owner");
    // One who makes a new owner each time is still at the same address.
    for number in 0..8 {
        assert_eq!(hello_from(&server, &format!("n{number}"), "203.0.113.1", None).await.status, 200, "{number}");
    }
    let refused = hello_from(&server, "n8", "203.0.113.1", None).await;
    check_refused(&refused);
    assert_eq!(refused.json()["limit"], "max-new");
    assert_eq!(hello_from(&server, "elsewhere", "203.0.113.2", None).await.status, 200);
}

#[tokio::test]
async fn an_owners_conversations_are_bounded() {
    let server = behind_a_proxy(|bounds| bounds.owned = 1);
    assert_eq!(hello_from(&server, "a1", "203.0.113.1", ALICE).await.status, 200);
    let full = hello_from(&server, "a2", "203.0.113.1", ALICE).await.refusal();
    assert_eq!(full, (409, "too_many_owned".to_owned()));
    assert_eq!(hello_from(&server, "b1", "203.0.113.1", BOB).await.status, 200);
    let delete = by("alice", request(Method::DELETE, "/conversations/a1", None));
    assert_eq!(call(&server, delete).await.status, 204);
    assert_eq!(hello_from(&server, "a2", "203.0.113.1", ALICE).await.status, 200);
}

#[tokio::test]
async fn one_address_shuts_out_nobody_but_itself() {
    let server = behind_a_proxy(|bounds| bounds.requests = PerMinute::new(3));
    for _ in 0..3 {
        assert_eq!(hello_from(&server, "a", "2001:db8::1", ALICE).await.status, 200);
    }
    // A subscriber has a network of addresses.
    check_refused(&hello_from(&server, "a", "2001:db8::2", ALICE).await);
    assert_eq!(hello_from(&server, "b", "2001:db8:0:1::1", BOB).await.status, 200);
    // An unknown client is not counted as one.
    for _ in 0..10 {
        assert_eq!(get(&server, "/healthz").await.status, 200);
    }
}

/// The status of a request from there with these values of the proxy's header.
async fn from_address(server: &Router, named: &[&str], remote: &str) -> u16 {
    let mut asked = request(Method::GET, "/settings.json", None);
    for value in named {
        asked.headers_mut().append("x-real-ip", HeaderValue::from_bytes(value.as_bytes()).expect("it is legal"));
    }
    asked.extensions_mut().insert(ConnectInfo::<SocketAddr>(remote.parse().expect("it is an address")));
    call(server, asked).await.status.as_u16()
}

#[tokio::test]
async fn an_address_is_what_the_operators_own_proxy_says_or_who_connected() {
    const HEADER: Option<HeaderName> = Some(HeaderName::from_static("x-real-ip"));
    let server = |peer_header: Option<HeaderName>| {
        let mut config = Config { peer_header, ..Config::default() };
        config.trusted_proxies.push("10.1.0.0/16".parse().expect("it is a network"));
        config.bounds.requests = PerMinute::new(1);
        server_of(&config)
    };
    for (header, named, remote, counted) in [
        (None, "", "203.0.113.7:1", Some("203.0.113.7:2")),
        (None, "198.51.100.1", "203.0.113.7:1", Some("203.0.113.7:2")),
        (None, "", "[::ffff:203.0.113.7]:1", Some("203.0.113.7:2")),
        (None, "", "[2001:db8:1:2:3:4:5:6]:1", Some("[2001:db8:1:2::]:2")),
        (None, "", "127.0.0.1:1", None),
        (None, "", "[::1]:1", None),
        (None, "", "[::ffff:127.0.0.1]:1", None),
        // The proxy appends to the header of the client.
        (HEADER, "10.0.0.1, 198.51.100.1", "127.0.0.1:1", Some("198.51.100.1")),
        (HEADER, "198.51.100.1", "10.1.2.3:1", Some("198.51.100.1")),
        (HEADER, "198.51.100.1", "[::ffff:10.1.2.3]:1", Some("198.51.100.1")),
        (HEADER, "10.0.0.1, 198.51.100.1:4711", "127.0.0.1:1", Some("198.51.100.1")),
        (HEADER, "[2001:db8:1:2::7]:4711", "127.0.0.1:1", Some("2001:db8:1:2::")),
        (HEADER, "\"[2001:db8:1:2::7]\"", "127.0.0.1:1", Some("2001:db8:1:2::")),
        (HEADER, "unknown", "10.1.2.3:1", Some("10.1.2.3")),
        (HEADER, "", "203.0.113.7:1", Some("203.0.113.7")),
        (HEADER, "", "127.0.0.1:1", Some("127.0.0.1")),
    ] {
        let (server, named) = (server(header.clone()), Some(named).filter(|named| !named.is_empty()));
        assert_eq!(from_address(&server, named.as_slice(), remote).await, 200, "{named:?} {remote}");
        let again = match counted {
            Some(address) if header.is_some() => from_address(&server, &[address], "127.0.0.1:1").await,
            address => from_address(&server, &[], address.unwrap_or(remote)).await,
        };
        assert_eq!(again, if counted.is_some() { 429 } else { 200 }, "{named:?} {remote}");
    }
    // It is one value, and from no one else.
    for (values, remote) in [
        (vec!["198.51.100.1"], "203.0.113.7:1"),
        (vec!["198.51.100.1"], "10.2.0.1:1"),
        (vec!["10.0.0.1", "198.51.100.1"], "127.0.0.1:1"),
        (vec!["198.51.100.1", "198.51.100.1"], "127.0.0.1:1"),
    ] {
        assert_eq!(from_address(&server(HEADER), &values, remote).await, 400, "{values:?} {remote}");
    }
}

#[tokio::test]
async fn a_body_is_so_long_and_no_longer() {
    let input = hello_of(200);
    let length = input.to_string().len();
    let fits = server(|bounds| bounds.body = length);
    assert_eq!(post(&fits, "/agent", input.clone()).await.status, 200);
    let tight = server(|bounds| bounds.body = length - 1);
    for path in ["/agent", "/conversations/t/respond", "/conversations/t/cancel"] {
        let refused = post(&tight, path, input.clone()).await.refusal();
        assert_eq!(refused, (413, "too_large".to_owned()), "{path}");
    }
}

fn hello_of(bytes: usize) -> Value {
    says("t", "u", &"x".repeat(bytes))
}

#[tokio::test]
async fn a_text_that_is_too_long_is_refused_in_words_for_people() {
    for (most, words) in [(64 << 10, "Shorten your text to 64 KB."), (40, "Shorten your text to 40 bytes.")] {
        let server = server(|bounds| bounds.message = most);
        let refused = post(&server, "/agent", hello_of(most + 1)).await;
        assert_eq!(refused.json()["message"], words);
    }
}

#[tokio::test]
async fn what_a_user_says_at_a_time_is_so_long_and_no_longer() {
    let server = server(|bounds| bounds.message = 40);
    let both = |bytes: usize| {
        let message = |id: &str| json!({"id": id, "role": "user", "content": "y".repeat(bytes)});
        json!({"threadId": "t", "runId": "r", "messages": [message("m1"), message("m2")]})
    };
    for long in [hello_of(41), both(21)] {
        let refused = post(&server, "/agent", long).await;
        assert_eq!(refused.refusal(), (400, "bad_request".to_owned()));
        assert_eq!(refused.json()["limit"], "max-message");
    }
    assert_eq!(post(&server, "/agent", both(20)).await.status, 200);

    // An answer is no way around it, whichever way it comes. The question's own words are not the user's.
    let described = get(&server, "/conversations/t").await.json();
    let call = described["pending"][0]["toolCallId"].clone();
    for (path, body) in each_way(&call, "A rattle, left front, since last Tuesday.") {
        let refused = post(&server, path, body.clone()).await.refusal();
        assert_eq!(refused, (400, "bad_request".to_owned()), "{body}");
    }
    let [(path, picked), ..] = each_way(&call, "Brake service");
    assert_eq!(post(&server, path, picked).await.status, 200);
}

/// Every way to send this answer to the front desk's first question, with the path of each.
fn each_way(call: &Value, text: &str) -> [(&'static str, Value); 4] {
    let by_rest = json!({"answers": {"Which service do you need?": text}});
    let tool = json!({"id": "tool", "role": "tool", "toolCallId": call, "content": by_rest.to_string()});
    let resume = json!([{"interruptId": call, "status": "resolved", "payload": by_rest}]);
    [
        ("/conversations/t/respond", by_rest),
        ("/agent", json!({"threadId": "t", "runId": "r", "messages": [tool]})),
        ("/agent", json!({"threadId": "t", "runId": "r", "messages": [], "resume": resume})),
        ("/agent", says("t", "u2", text)),
    ]
}

#[tokio::test]
async fn a_full_conversation_takes_nothing_more_whichever_way_it_comes() {
    let server = server(|bounds| bounds.messages = 2);
    assert_eq!(hello(&server, "t").await.status, 200);
    let described = get(&server, "/conversations/t").await.json();
    let call = described["pending"][0]["toolCallId"].clone();
    for (path, body) in each_way(&call, "Brake service") {
        let refused = post(&server, path, body.clone()).await.refusal();
        assert_eq!(refused, (409, "conversation_full".to_owned()), "{body}");
    }
    // A known message is no news, and the question can still be cancelled.
    assert_eq!(hello(&server, "t").await.status, 200);
    let cancelled = post(&server, "/conversations/t/cancel", json!({})).await;
    assert_eq!(cancelled.status, 200);
}

#[tokio::test]
async fn messages_are_so_long_in_all_and_no_longer() {
    let server = server(|bounds| bounds.history = 1_000);
    assert_eq!(post(&server, "/agent", hello_of(600)).await.status, 200, "it fits");
    let typed = says("t", "u2", &"y".repeat(400));
    let full = post(&server, "/agent", typed).await.refusal();
    assert_eq!(full, (409, "conversation_full".to_owned()));
    let answers = json!({"answers": {"Which service do you need?": "y".repeat(400)}});
    let full = post(&server, "/conversations/t/respond", answers).await;
    assert_eq!(full.refusal(), (409, "conversation_full".to_owned()));
}

/// An input with this number of messages, of which the last is too long.
fn many(messages: usize) -> Value {
    let message = |number: usize| {
        let text = "x".repeat(if number + 1 == messages { 100_000 } else { 1 });
        json!({"id": format!("m{number}"), "role": "user", "content": text})
    };
    let messages: Vec<Value> = (0..messages).map(message).collect();
    json!({"threadId": "t", "runId": "r", "messages": messages})
}

/// If each message were compared with all before it, this number would take minutes.
#[tokio::test]
async fn a_request_as_long_as_can_be_costs_its_length() {
    let server = server(|bounds| bounds.messages = 2_000);
    let full = post(&server, "/agent", many(30_000)).await.refusal();
    assert_eq!(full, (409, "conversation_full".to_owned()));
    // Those that are no more are looked at.
    assert_eq!(post(&server, "/agent", many(2_000)).await.refusal().0, 400);
    let names = (0..75_000).map(|number| json!({"name": format!("tool_{number}")}));
    let mut input = says("t", "u", "hi");
    input["tools"] = names.collect();
    let refused = post(&server, "/agent", input).await.refusal();
    assert_eq!(refused, (400, "bad_request".to_owned()));
}

#[tokio::test]
async fn every_id_that_a_client_makes_is_bounded_and_printable() {
    let server = server(|_| ());
    assert_eq!(hello(&server, &"t".repeat(MAX_ID_BYTES)).await.status, 200);
    assert_eq!(hello(&server, "t").await.status, 200);
    let described = get(&server, "/conversations/t").await.json();
    let call = described["pending"][0]["toolCallId"].clone();
    let answers = json!({"Which service do you need?": "Brake service"});
    let content = json!({"answers": answers}).to_string();
    let respond = |reply: &Value, call: &Value| json!({"answers": answers, "replyId": reply, "toolCallId": call});
    let asked = |reply: &Value, call: &Value| json!({"ask": {"toolCallId": call, "replyId": reply, "outcome": "answered", "by": "card"}});
    let run = |message: Value| json!({"threadId": "t", "runId": "r", "messages": [message]});
    for id in ["", "a\nb", "\0", &"x".repeat(MAX_ID_BYTES + 1)] {
        let id = json!(id);
        let tool = json!({"id": "m", "role": "tool", "toolCallId": call, "content": content});
        let user = json!({"id": "m", "role": "user", "content": "Brake service"});
        let with = |message: &Value, key: &str, value: Value| {
            let mut message = message.clone();
            message[key] = value;
            run(message)
        };
        let resume = |interrupt: &Value, metadata: Value| {
            let answer = json!({"interruptId": interrupt, "status": "resolved", "payload": {"answers": answers}, "metadata": metadata});
            json!({"threadId": "t", "runId": "r", "messages": [], "resume": [answer]})
        };
        for (path, body) in [
            ("/conversations/t/respond", respond(&id, &call)),
            ("/conversations/t/respond", respond(&json!("r"), &id)),
            ("/conversations/t/cancel", json!({"runId": id})),
            ("/conversations/t/cancel", json!({"toolCallId": id})),
            ("/agent", with(&user, "id", id.clone())),
            ("/agent", with(&tool, "id", id.clone())),
            ("/agent", with(&tool, "metadata", json!({"ask": {"replyId": id}}))),
            ("/agent", with(&tool, "toolCallId", id.clone())),
            ("/agent", with(&tool, "metadata", asked(&id, &call))),
            ("/agent", with(&user, "metadata", asked(&id, &call))),
            ("/agent", with(&user, "metadata", asked(&json!("r"), &id))),
            ("/agent", resume(&id, json!(null))),
            ("/agent", resume(&call, asked(&id, &call))),
        ] {
            let refused = post(&server, path, body.clone()).await.refusal();
            assert_eq!(refused, (400, "bad_request".to_owned()), "{body}");
        }
    }
    let described = get(&server, "/conversations/t").await.json();
    assert_eq!(described["state"]["type"], "awaiting_user_response");
}

#[tokio::test]
async fn what_a_client_forwards_beside_what_is_known_is_not_kept() {
    const LONG: usize = 1 << 20;
    let folder = Folder::new();
    let store = SqliteStore::open(&folder.file()).await.expect("it can be written");
    let parts = parts(front_desk()).store(Arc::new(store));
    let server = app(&Config::default(), parts);
    let mut input = says("t", "u", "hi");
    let rules = json!({"planMode": true, "allowRules": ["x".repeat(LONG)], "clientTool": "x".repeat(LONG)});
    input["forwardedProps"] = json!({"toolContext": rules, "more": "x".repeat(LONG)});
    assert_eq!(post(&server, "/agent", input).await.status, 200);
    let files = std::fs::read_dir(folder.file().parent().expect("it is in a folder"));
    let lengths = files.expect("it is there").map(|file| {
        let file = file.and_then(|file| file.metadata());
        file.expect("it can be read").len()
    });
    let kept: u64 = lengths.sum();
    assert!(kept < LONG as u64, "{kept}");
}
