//! Clients that do not come on: half a head, half a body, and nothing taken of what they are sent.

use crate::house::{app, parts, server_of, server_with};
use crate::http::{post, says};
use crate::script::{Line, Script};
use crate::socket::raw;
use axum::Router;
use question_server::limits::Timeouts;
use question_server::metrics::Counters;
use question_server::{Config, serve};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// The time that the servers here wait for a client.
const A_MOMENT: Duration = Duration::from_millis(50);

/// For a server that would wait for ever.
const LONG: Duration = Duration::from_secs(30);

fn impatient() -> Config {
    Config { timeouts: Timeouts { head: A_MOMENT, body: A_MOMENT, write: A_MOMENT }, ..Config::default() }
}

/// A server behind a socket, what stops it, and its end.
pub(crate) async fn listen(
    router: Router,
    timeouts: Timeouts,
    most: usize,
) -> (SocketAddr, CancellationToken, JoinHandle<()>) {
    let socket = TcpSocket::new_v4().expect("there are sockets");
    // Which its connections take over, so that little is on its way to a client.
    socket.set_send_buffer_size(4096).expect("the system lets it");
    socket.bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a port is free");
    let listener = socket.listen(16).expect("it can be listened on");
    let address = listener.local_addr().expect("it is bound");
    let stop = CancellationToken::new();
    let told = stop.clone().cancelled_owned();
    let serving = tokio::spawn(serve(listener, router, timeouts, most, Counters::default(), told));
    (address, stop, serving)
}

/// Sends this and no more, and gives all that the server says until it hangs up.
async fn says_to(address: SocketAddr, sent: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let sent = stream.write_all(sent.as_bytes()).await;
    sent.expect("the server reads");
    let mut answer = String::new();
    let read = timeout(LONG, stream.read_to_string(&mut answer)).await;
    read.expect("it hangs up").expect("it answers in UTF-8");
    answer
}

#[tokio::test]
async fn a_head_that_does_not_end_is_waited_for_so_long() {
    let config = impatient();
    let (address, ..) = listen(server_of(&config), config.timeouts, 1_000).await;
    for head in ["", "POST /agent HTT", "POST /agent HTTP/1.1\r\nHost: localhost\r\n"] {
        let answer = says_to(address, head).await;
        assert!(!answer.contains("200"), "{answer}");
    }
}

fn post_of(address: SocketAddr, length: u64) -> String {
    format!(
        "POST /agent HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    )
}

#[tokio::test]
async fn a_body_that_does_not_end_is_waited_for_so_long() {
    let config = impatient();
    let (address, ..) = listen(server_of(&config), config.timeouts, 1_000).await;
    let half = post_of(address, 100) + "{\"threadId\"";
    let answer = says_to(address, &half).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(answer.contains(r#""code":"body_timeout""#), "{answer}");
}

#[tokio::test]
async fn a_body_that_says_it_will_be_too_long_is_not_waited_for() {
    let config = Config::default();
    let (address, ..) = listen(server_of(&config), config.timeouts, 1_000).await;
    let answer = says_to(address, &post_of(address, 99_999_999_999)).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

/// A conversation with more in it than the buffers of a socket hold, and a client that has asked for it and reads slowly.
async fn asks_for_a_long_history(request: &str) -> (TcpStream, CancellationToken, JoinHandle<()>) {
    let mut config = impatient();
    config.bounds.body = 2 * HISTORY;
    config.bounds.message = HISTORY;
    config.bounds.history = HISTORY;
    let script = Script::new([vec![Line::Says("I see.")]]);
    let server = app(&config, parts(script));
    let message = says("t", "u", &"x".repeat(HISTORY));
    post(&server, "/agent", message).await.events();
    let (address, stop, serving) = listen(server, config.timeouts, 1_000).await;
    let socket = TcpSocket::new_v4().expect("there are sockets");
    let little = socket.set_recv_buffer_size(4096);
    little.expect("the system lets it");
    let mut stream = socket.connect(address).await.expect("it listens");
    let sent = stream.write_all(request.as_bytes()).await;
    sent.expect("the server reads");
    let mut first = [0; 12];
    let read = stream.read_exact(&mut first).await;
    read.expect("the server answers");
    assert_eq!(&first, b"HTTP/1.1 200");
    (stream, stop, serving)
}

const HISTORY: usize = 2 << 20;

#[tokio::test]
async fn a_client_that_reads_nothing_is_disconnected() {
    let watch = "GET /conversations/t/events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 0-0\r\n\r\n";
    let (mut stream, stop, serving) = asks_for_a_long_history(watch).await;
    // A server that is told to stop goes on for those alone who are being answered.
    stop.cancel();
    let over = timeout(LONG, serving).await;
    over.expect("nobody is").expect("it does not panic");
    let mut rest = Vec::new();
    // If the connection is reset, there may be an error instead of an end.
    let _ = stream.read_to_end(&mut rest).await;
    assert!(rest.len() < HISTORY, "{}", rest.len());
}

#[tokio::test]
async fn a_client_that_reads_next_to_nothing_is_disconnected() {
    let (mut stream, stop, serving) =
        asks_for_a_long_history("GET /conversations/t HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    stop.cancel();
    let (mut taken, mut some) = (0, [0; 256]);
    while let Ok(length @ 1..) = stream.read(&mut some).await {
        taken += length;
        // A client that takes a little each time.
        tokio::time::sleep(A_MOMENT / 10).await;
    }
    assert!(taken < HISTORY, "{taken}");
    timeout(LONG, serving).await.expect("nobody is answered").expect("it does not panic");
}

#[tokio::test]
async fn a_run_may_take_longer_than_any_of_these_times() {
    let script = Script::new([vec![Line::Waits, Line::Says("Here I am.")]]);
    let timeouts = impatient().timeouts;
    let (address, ..) = listen(server_with(script.clone()), timeouts, 1_000).await;
    let body = says("t", "u", "go").to_string();
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let sent = stream.write_all(raw(address, "POST", "/agent", "", &body).as_bytes()).await;
    sent.expect("the server reads");
    script.waits().await;
    // Longer than any of the times that it waits: that nothing happens meanwhile is no event to wait for.
    tokio::time::sleep(4 * A_MOMENT).await;
    script.go_on();
    let mut answer = String::new();
    let read = stream.read_to_string(&mut answer).await;
    read.expect("it answers in UTF-8");
    assert!(answer.contains("RUN_FINISHED"), "{answer}");
}

#[tokio::test]
async fn a_run_that_is_read_too_slowly_does_not_end_as_whole() {
    const PIECE: &str = "A sentence of a model that has much to say. ";
    let mut config = Config::default();
    config.bounds.history = 10_000;
    // The log keeps four times as much.
    let mut lines = vec![Line::Says(PIECE)];
    for _ in 0..2_000 {
        lines.extend([Line::Says(PIECE), Line::Calls(0, "look", "{}")]);
    }
    let (script, watched) = (Script::new([lines]), "/agent");
    let server = app(&config, parts(script.clone()));
    let request = crate::http::request(axum::http::Method::POST, watched, Some(says("t", "u", "go")));
    let response = tower::ServiceExt::oneshot(server.clone(), request).await.expect("it answers");
    // The client reads nothing until the run has ended.
    let state = async || crate::http::get(&server, "/conversations/t").await.json()["state"]["type"].clone();
    while state().await != "idle" && state().await != "failed" {
        tokio::task::yield_now().await;
    }
    let read = axum::body::to_bytes(response.into_body(), usize::MAX).await;
    assert!(read.is_err(), "{read:?}");
}
