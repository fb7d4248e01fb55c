//! The real thing: a socket, and the binary behind one.

use crate::house::server_with;
use crate::http::says;
use ag_ui_stream::EventReader;
use ag_ui_stream::reader::EndOutcome;
use question_server::models::front_desk::FrontDesk;
use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};

/// Posts a first message and gives the whole response. HTTP/1.0, so that the end of the body is the end of the connection.
async fn say_hello(address: SocketAddr) -> String {
    let body = says("t", "u", "hi").to_string();
    let length = body.len();
    let request = format!(
        "POST /agent HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    exchange(address, &request).await
}

pub(crate) async fn exchange(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address)
        .await
        .expect("the server listens");
    stream
        .write_all(request.as_bytes())
        .await
        .expect("the server reads");
    let mut response = String::new();
    stream
        .read_to_string(&mut response)
        .await
        .expect("the server answers in UTF-8");
    response
}

#[track_caller]
fn check_run(response: &str) {
    let (head, body) = response.split_once("\r\n\r\n").expect("there is a head");
    assert!(head.starts_with("HTTP/1.0 200"), "{head}");
    assert!(head.contains("content-type: text/event-stream"), "{head}");
    let mut reader = EventReader::new();
    reader.feed(body.as_bytes());
    assert_eq!(reader.finish().outcome, EndOutcome::Completed);
}

#[tokio::test]
async fn a_run_over_a_socket_ends_and_closes() {
    let model = FrontDesk::new(Duration::from_millis(1));
    let router = server_with(model);
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let server = tokio::spawn(async move { axum::serve(listener, router).await });
    check_run(&say_hello(address).await);
    server.abort();
}

pub(crate) async fn start(args: &[&str]) -> (Child, SocketAddr) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_question-server"))
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the binary starts");
    let stdout = child.stdout.take().expect("stdout is piped");
    let line = BufReader::new(stdout)
        .lines()
        .next_line()
        .await
        .expect("stdout is text")
        .expect("it says where it listens");
    let address = line
        .strip_prefix("listening on http://")
        .unwrap_or_else(|| panic!("{line}"));
    (child, address.parse().expect("it is an address"))
}

#[cfg(unix)]
#[tokio::test]
async fn the_binary_serves_on_loopback_and_ends_when_told() {
    let (mut child, address) = start(&["--port", "0", "--pace", "0"]).await;
    assert!(address.ip().is_loopback() && address.port() != 0);
    check_run(&say_hello(address).await);
    // A stream that never ends by itself does not keep it.
    let mut watcher = TcpStream::connect(address)
        .await
        .expect("the server listens");
    let request = format!("GET /conversations/t/events HTTP/1.1\r\nHost: {address}\r\n\r\n");
    watcher
        .write_all(request.as_bytes())
        .await
        .expect("the server reads");
    let mut first = [0; 12];
    watcher
        .read_exact(&mut first)
        .await
        .expect("the server answers");
    assert_eq!(&first, b"HTTP/1.1 200");

    let pid = child.id().expect("it runs").to_string();
    let told = Command::new("kill")
        .args(["-TERM", &pid])
        .status()
        .await
        .expect("kill exists");
    assert!(told.success());
    let status = tokio::time::timeout(Duration::from_secs(20), child.wait())
        .await
        .expect("it ends")
        .expect("it ends");
    assert!(status.success(), "{status}");
    let mut log = String::new();
    let mut stderr = child.stderr.take().expect("stderr is piped");
    stderr
        .read_to_string(&mut log)
        .await
        .expect("the log is text");
    assert!(
        log.contains("user_message") && !log.contains("\"hi\""),
        "what happens is logged, what is said is not: {log}"
    );
}

#[tokio::test]
async fn what_people_write_is_logged_where_the_operator_asks_for_it() {
    let args = ["--port", "0", "--pace", "0", "--log-contents", "yes"];
    let (mut child, address) = start(&args).await;
    check_run(&say_hello(address).await);
    child.kill().await.expect("it runs");
    let mut log = String::new();
    let mut stderr = child.stderr.take().expect("stderr is piped");
    stderr
        .read_to_string(&mut log)
        .await
        .expect("the log is text");
    assert!(log.contains("\"hi\""), "{log}");
}

#[tokio::test]
async fn a_taken_port_is_a_sentence() {
    let taken = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port is free");
    let port = taken.local_addr().expect("it is bound").port().to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_question-server"))
        .args(["--port", &port])
        .output()
        .await
        .expect("the binary starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said.contains(&port) && said.contains("taken") && !said.contains("panicked"),
        "{said}"
    );
    assert!(output.stdout.is_empty());
}

#[tokio::test]
async fn help_is_printed_and_mistakes_are_sentences() {
    let run = async |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_question-server"))
            .args(args)
            .env("QUESTION_SERVER_PORT", "0")
            .output()
            .await
            .expect("the binary starts");
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.code(),
            said(&output.stdout),
            said(&output.stderr),
        )
    };
    let (code, help, _) = run(&["--help"]).await;
    assert_eq!(code, Some(0));
    assert!(
        help.contains("--port") && help.contains("QUESTION_SERVER_PORT"),
        "{help}"
    );
    for (args, named) in [
        (["--allow-agent", "https://*.example"], "https://*.example"),
        (["--page", "no/such/page"], "no/such/page"),
    ] {
        let (code, _, said) = run(&args).await;
        assert!(
            matches!(code, Some(1 | 2)) && said.contains(named),
            "{said}"
        );
        assert!(!said.contains("panicked"), "{said}");
    }
}
