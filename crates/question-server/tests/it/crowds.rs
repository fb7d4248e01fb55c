//! One client that takes all that it can get, and an innocent one beside it.

use crate::house::{app, front_desk, parts, server, server_of};
use crate::http::{Answer, by, call, post, request, says, with_headers};
use crate::metrics::check_counted;
use crate::script::{Line, Script};
use crate::socket::{binary, listening, start, until_logged};
use crate::stalls::listen;
use ag_ui_stream::reader::EndOutcome;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderName, Method};
use futures_util::{StreamExt as _, future, stream};
use question_server::Config;
use question_server::limits::{Bounds, Timeouts};
use question_server::rate::PerMinute;
use question_server::store::{SqliteStore, Store};
use serde_json::json;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;
use tower::ServiceExt as _;

fn limited(change: impl FnOnce(&mut Bounds)) -> Router {
    let mut config = Config::default();
    change(&mut config.bounds);
    server_of(&config)
}

async fn hello_as(server: &Router, owner: &str, thread: &str, text: &str) -> Answer {
    call(server, by(owner, request(Method::POST, "/agent", Some(says(thread, "u", text))))).await
}

const LONG_BODY: usize = 1 << 20;

/// Sends bodies that stall at their ends, each of one of these owners, until this number of them have got there.
async fn stall(server: &Router, owners: impl Iterator<Item = String>, arrived: u32) {
    let held = Arc::new(Semaphore::new(0));
    for owner in owners {
        let is_held = Arc::clone(&held);
        let half = stream::iter((0..LONG_BODY / 1024 - 1).map(|_| Ok::<_, Infallible>(vec![b' '; 1024])));
        let stalls = stream::once(async move {
            is_held.add_permits(1);
            future::pending().await
        });
        let mut stalled = by(&owner, request(Method::POST, "/agent", Some(json!({}))));
        *stalled.body_mut() = Body::from_stream(half.chain(stalls));
        tokio::spawn(server.clone().oneshot(stalled));
    }
    let _ = held.acquire_many(arrived).await.expect("they get there");
}

#[tokio::test(start_paused = true)]
async fn bodies_of_one_client_leave_room_for_others() {
    // As by default, at a scale of one to sixteen.
    let server = limited(|bounds| (bounds.body, bounds.bodies) = (LONG_BODY, 4 << 20));
    stall(&server, (0..8).map(|_| "mallory".to_owned()), 1).await;
    for innocent in ["alice", "bob"] {
        let read = hello_as(&server, innocent, "t", &"x".repeat(900_000)).await;
        assert_eq!(read.refusal(), (400, "bad_request".to_owned()), "it was read: {:?}", read.body);
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_finds_no_room_is_refused_within_a_second() {
    let server = limited(|bounds| (bounds.body, bounds.bodies) = (LONG_BODY, 4 << 20));
    stall(&server, (0..8).map(|number| format!("mallory-{number}")), 4).await;
    let before = tokio::time::Instant::now();
    let refused = hello_as(&server, "alice", "t", &"x".repeat(900_000)).await;
    assert_eq!(refused.refusal(), (503, "bodies_full".to_owned()));
    assert_eq!((refused.header("retry-after"), &refused.json()["limit"]), ("1", &json!("max-bodies")));
    assert!(before.elapsed() <= Duration::from_secs(1), "{:?}", before.elapsed());
    assert_eq!(hello_as(&server, "alice", "t", "hi").await.status, 200, "a short one needs none");
    // Bodies that stall are given up, and their room is free. The clock is paused, so this turns it and waits for nothing.
    tokio::time::sleep(2 * Timeouts::default().body).await;
    let read = hello_as(&server, "alice", "t2", &"x".repeat(900_000)).await;
    assert_eq!(read.refusal(), (400, "bad_request".to_owned()), "the text is too long, which only a reader knows");
}

/// Somebody who asks the front desk as this owner, from there.
async fn comes(server: &Router, owner: &str, peer: &str) -> Answer {
    let hello = by(owner, request(Method::POST, "/agent", Some(says(owner, "u", "hi"))));
    call(server, with_headers(hello, &[("x-real-ip", peer)])).await
}

async fn picks(server: &Router, owner: &str) -> u16 {
    let reply = json!({"answers": {"Which service do you need?": "Brake service"}});
    let answered =
        call(server, by(owner, request(Method::POST, &format!("/conversations/{owner}/respond"), Some(reply)))).await;
    answered.status.as_u16()
}

/// Owners are made up until far more than the server is full. Innocents come before and afterwards: an address that is known fills half
/// of the server, and others fill all of it.
async fn keeps_innocents(store: Arc<dyn Store>, peer_header: Option<&'static str>) {
    const MOST: usize = 40;
    let mut config = Config { peer_header: peer_header.map(HeaderName::from_static), ..Config::default() };
    (config.bounds.conversations, config.bounds.new) = (MOST, PerMinute::new(0));
    let server = app(&config, parts(front_desk()).store(Arc::clone(&store)));
    // Without the header, everybody comes from this machine.
    let [innocent, attacker] = ["203.0.113.1", "203.0.113.2"];
    let mut waiting = Vec::new();
    assert_eq!(comes(&server, "early", innocent).await.status, 200);
    waiting.push("early".to_owned());
    for number in 0..2 * MOST {
        let made_up = format!("made-up-{number}");
        let came = comes(&server, &made_up, attacker).await;
        if came.status == 200 {
            waiting.push(made_up);
            continue;
        }
        assert_eq!(came.refusal(), (503, "too_many_conversations".to_owned()), "{made_up}");
        assert_eq!((&came.json()["limit"], came.header("retry-after")), (&json!("max-conversations"), "60"));
    }
    let late = comes(&server, "late", innocent).await.status.as_u16();
    assert_eq!((late, waiting.len()), if peer_header.is_some() { (200, 1 + MOST / 2) } else { (503, MOST) });
    for owner in &waiting {
        assert_eq!(picks(&server, owner).await, 200, "{owner}");
    }
    until_state_of(&server, "early").await;
}

/// Until a conversation of this owner waits for the second answer.
async fn until_state_of(server: &Router, owner: &str) {
    loop {
        let path = format!("/conversations/{owner}");
        let seen = call(server, by(owner, request(Method::GET, &path, None))).await;
        assert_eq!(seen.status, 200, "{owner}");
        if seen.json()["pending"][0]["questions"][0]["question"] == "Standard or rush scheduling?" {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn owners_that_are_made_up_crowd_out_nobody_else() {
    for peer_header in [None, Some("x-real-ip")] {
        keeps_innocents(Arc::new(SqliteStore::in_memory()), peer_header).await;
    }
}

#[cfg(all(unix, feature = "postgres"))]
#[tokio::test]
#[ignore = "needs Postgres, which `cargo xtask test postgres` brings"]
async fn owners_that_are_made_up_crowd_out_nobody_else_in_postgres() {
    for peer_header in [None, Some("x-real-ip")] {
        let database = crate::postgres::Database::new().await;
        keeps_innocents(database.open().await, peer_header).await;
    }
}

#[tokio::test]
async fn conversations_in_memory_are_bounded_in_bytes() {
    const MOST: usize = 2 << 20;
    const LONG: usize = 100_000;
    for peer_header in [None, Some("x-real-ip")] {
        let mut config = Config { peer_header: peer_header.map(HeaderName::from_static), ..Config::default() };
        (config.bounds.memory, config.bounds.message, config.bounds.new) = (MOST, LONG, PerMinute::new(0));
        let store = Arc::new(SqliteStore::in_memory());
        let shared: Arc<dyn Store> = Arc::<SqliteStore>::clone(&store);
        let server = app(&config, parts(front_desk()).store(shared));
        assert_eq!(comes(&server, "innocent", "203.0.113.1").await.status, 200);
        let mut waiting = vec!["innocent".to_owned()];
        for number in 0..60 {
            let (owner, text) = (format!("made-up-{number}"), "x".repeat(LONG - number));
            let long = by(&owner, request(Method::POST, "/agent", Some(says(&owner, "u", &text))));
            let long = call(&server, with_headers(long, &[("x-real-ip", "203.0.113.2")])).await;
            match long.status.as_u16() {
                200 => waiting.push(owner),
                _ => assert_eq!((long.refusal().0, &long.json()["limit"]), (503, &json!("max-memory")), "{number}"),
            }
            assert!(store.bytes() <= MOST + 2 * LONG, "{number}: {}", store.bytes());
        }
        assert!((8..40).contains(&waiting.len()), "{}", waiting.len());
        // A question that waits is kept, and its answer is taken.
        for owner in waiting {
            assert_eq!(picks(&server, &owner).await, 200, "{owner}");
        }
        until_state_of(&server, "innocent").await;
    }
    // One conversation alone takes no more than all may.
    let mut config = Config::default();
    (config.bounds.memory, config.bounds.message) = (2 * LONG, LONG);
    let server = app(&config, parts(Script::new([vec![Line::Says("Hello.")]])));
    post(&server, "/agent", says("t", "u", &"x".repeat(LONG))).await.events();
    let full = post(&server, "/agent", says("t", "u2", "more")).await;
    assert_eq!(
        (full.refusal(), &full.json()["limit"]),
        ((503, "too_many_conversations".to_owned()), &json!("max-memory"))
    );
}

#[tokio::test]
async fn streams_are_counted_for_each_client() {
    let config = Config {
        peer_header: Some(HeaderName::from_static("x-real-ip")),
        bounds: Bounds { streams: 2, ..Bounds::default() },
        ..Config::default()
    };
    let server = server_of(&config);
    post(&server, "/agent", says("t", "u", "hi")).await.events();
    let watch = |peer: &str| {
        let watch = request(Method::GET, "/conversations/t/events", None);
        server.clone().oneshot(with_headers(watch, &[("x-real-ip", peer)]))
    };
    let mut open = Vec::new();
    for _ in 0..2 {
        let response = watch("203.0.113.1").await.expect("it answers");
        assert_eq!(response.status(), 200);
        open.push(response);
    }
    let refused = Answer::of(watch("203.0.113.1").await.expect("it answers")).await;
    assert_eq!(refused.refusal(), (429, "too_many_streams".to_owned()));
    assert_eq!(watch("203.0.113.2").await.expect("it answers").status(), 200, "another client");
    open.pop();
    assert_eq!(watch("203.0.113.1").await.expect("it answers").status(), 200, "one was closed");
    check_counted(&server, r#"question_server_refusals_total{limit="max-streams"}"#, 1).await;
}

/// One request over a connection of its own.
async fn asks(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let asked = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(asked.as_bytes()).await.expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("it answers");
    answer
}

#[tokio::test]
async fn a_connection_that_is_too_many_closes_the_quietest() {
    const MOST: usize = 8;
    let server = app(&Config::default(), parts(front_desk()));
    post(&server, "/agent", says("t", "u", "hi")).await.events();
    let (address, ..) = listen(server, Timeouts::default(), MOST).await;
    let mut open = Vec::new();
    for _ in 0..3 * MOST {
        let mut stream = TcpStream::connect(address).await.expect("it listens");
        let watch = format!("GET /conversations/t/events HTTP/1.1\r\nHost: {address}\r\n\r\n");
        stream.write_all(watch.as_bytes()).await.expect("it reads");
        stream.read_exact(&mut [0; 12]).await.expect("it is answered");
        open.push(stream);
    }
    assert!(asks(address, "/healthz").await.starts_with("HTTP/1.1 200"), "others are answered");
    let mut rest = Vec::new();
    // It was the first; whether it ends or is reset is the system's matter.
    let _ = open[0].read_to_end(&mut rest).await;
    assert!(!rest.ends_with(b"0\r\n\r\n"), "it does not look whole");
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_with_few_files_answers_all_the_same() {
    for (limit, is_raised) in [("ulimit -n 64", false), ("ulimit -Sn 64", true)] {
        let server = binary(&["--port", "0", "--pace", "0"]);
        let server = server.as_std().get_program().to_owned();
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("{limit}; exec \"$0\" --port 0 --pace 0 --database memory")])
            .arg(server)
            .kill_on_drop(true);
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        let (mut child, address) = listening(command).await;
        let mut idle = Vec::new();
        for _ in 0..120 {
            idle.push(TcpStream::connect(address).await.expect("it listens"));
        }
        assert!(asks(address, "/healthz").await.starts_with("HTTP/1.1 200"), "{limit}");
        let metrics = asks(address, "/metrics").await;
        let evicted = metrics.contains("question_server_connections_evicted_total 0");
        assert_eq!(evicted, is_raised, "{metrics}");
        if !is_raised {
            until_logged(&mut child, "connection closed for a newer one").await;
        }
    }
}

/// Limits a process from now on, such as the number of files that it may open: `nofile`.
#[cfg(target_os = "linux")]
pub(crate) async fn limit(child: &Child, what: &str, most: &str) {
    let pid = child.id().expect("it runs").to_string();
    let set = Command::new("prlimit").args(["--pid", &pid, &format!("--{what}={most}:")]).status().await;
    assert!(set.expect("every Linux has it").success());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn connections_that_cannot_be_accepted_are_logged_and_counted() {
    let (mut child, address) = start(&["--port", "0", "--pace", "0"]).await;
    assert!(asks(address, "/healthz").await.starts_with("HTTP/1.1 200"));
    let before = std::fs::read_dir(format!("/proc/{}/fd", child.id().expect("it runs"))).expect("it runs").count();
    // Whatever takes them: here the server may have no more than it has.
    limit(&child, "nofile", &before.to_string()).await;
    let mut attack = Vec::new();
    for _ in 0..8 {
        attack.push(TcpStream::connect(address).await.expect("it listens"));
    }
    until_logged(&mut child, "accepting a connection failed").await;
    drop(attack);
    limit(&child, "nofile", "1000").await;
    // An innocent is answered, as soon as there are files again.
    let metrics = asks(address, "/metrics").await;
    let errors = metrics.lines().find_map(|line| line.strip_prefix("question_server_accept_errors_total "));
    assert!(errors.is_some_and(|errors| errors != "0"), "{metrics}");
}

#[tokio::test]
async fn a_body_that_is_too_large_is_told_so() {
    let (address, ..) = listen(server(), Timeouts::default(), 100).await;
    let body = vec![b' '; 6 << 20];
    for head in [format!("Content-Length: {}", body.len()), "Transfer-Encoding: chunked".to_owned()] {
        let mut stream = TcpStream::connect(address).await.expect("it listens");
        let asked =
            format!("POST /agent HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n{head}\r\n\r\n");
        stream.write_all(asked.as_bytes()).await.expect("it reads");
        if head.starts_with('T') {
            stream.write_all(format!("{:x}\r\n", body.len()).as_bytes()).await.expect("it reads");
        }
        stream.write_all(&body).await.expect("it reads on");
        if head.starts_with('T') {
            stream.write_all(b"\r\n0\r\n\r\n").await.expect("it reads to the end");
        }
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await.expect("it answers");
        assert_eq!(&answer, b"HTTP/1.1 413", "{head}");
    }
}

const HISTORY: usize = 1 << 20;

/// A server with room for this number of histories.
fn with_histories(count: usize) -> Router {
    limited(|bounds| {
        (bounds.message, bounds.history, bounds.histories) = (HISTORY, 2 * HISTORY, count * 2 * HISTORY);
    })
}

#[tokio::test(start_paused = true)]
async fn many_who_read_one_history_share_it() {
    let server = with_histories(2);
    post(&server, "/agent", says("t", "u", &"x".repeat(HISTORY))).await.events();
    let last: [&[_]; 2] = [&[], &[("last-event-id", "0-0")]];
    for (path, last) in ["/conversations/t", "/conversations/t/events"].into_iter().zip(last) {
        let mut open = Vec::new();
        for number in 0..100 {
            let ask = by(&format!("reader-{number}"), request(Method::GET, path, None));
            let ask = with_headers(ask, last);
            let mut body = server.clone().oneshot(ask).await.expect("it answers").into_body().into_data_stream();
            let length = body.next().await.expect("it has one").expect("it is sent").len();
            open.push((body, length));
        }
        for (mut body, mut length) in open {
            while length < HISTORY {
                length += body.next().await.expect("it goes on").expect("it is not given up").len();
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn histories_that_are_read_slowly_leave_room_for_others() {
    const ROOM: usize = 4;
    let server = with_histories(ROOM);
    let text = "x".repeat(HISTORY);
    assert_eq!(hello_as(&server, "innocent", "innocent", "hi").await.status, 200);
    let threads: Vec<_> = (0..2 * ROOM).map(|number| format!("t{number}")).collect();
    for thread in &threads {
        hello_as(&server, "mallory", thread, &text).await.events();
    }
    let mut stuck = Vec::new();
    let mut refused = 0;
    for thread in &threads {
        let path = format!("/conversations/{thread}");
        let before = tokio::time::Instant::now();
        let response = server.clone().oneshot(by("mallory", request(Method::GET, &path, None))).await;
        let response = response.expect("it answers");
        if response.status() == 200 {
            stuck.push(response);
            continue;
        }
        let full = Answer::of(response).await;
        assert_eq!((full.refusal(), full.header("retry-after")), ((503, "histories_full".to_owned()), "1"));
        assert!(before.elapsed() <= Duration::from_secs(1), "{:?}", before.elapsed());
        refused += 1;
    }
    assert!((1..=2).contains(&stuck.len()), "{} of {ROOM}", stuck.len());
    // Each way to a history, and an answer.
    let before = tokio::time::Instant::now();
    let mine = call(&server, by("innocent", request(Method::GET, "/conversations/innocent", None))).await;
    assert_eq!(mine.status, 200);
    assert_eq!(hello_as(&server, "innocent", "innocent", "hi").await.events().1.outcome, EndOutcome::Completed);
    assert_eq!(picks(&server, "innocent").await, 200);
    assert!(before.elapsed() < Duration::from_secs(1), "{:?}", before.elapsed());
    check_counted(&server, r#"question_server_refusals_total{limit="max-histories"}"#, refused).await;
    // A client that reads on gets all of it.
    for response in stuck {
        assert!(Answer::of(response).await.body.len() > HISTORY);
    }
}
