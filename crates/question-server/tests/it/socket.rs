//! The real thing: a socket, and the binary behind one.

use crate::folder::Folder;
use crate::http::{says, told};
use ag_ui_stream::reader::EndOutcome;
use ag_ui_stream::{Conversation, Event};
#[cfg(unix)]
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// The id of a conversation without an owner opens it.
const UNGUESSABLE: &str = "7f1d0e6c-conversation";

/// Posts a first message and gives the whole response. HTTP/1.0, so that the end of the body is the end of the connection.
pub(crate) async fn say_hello(address: SocketAddr) -> String {
    post(address, "/agent", &says(UNGUESSABLE, "u", "hi")).await
}

pub(crate) async fn post(address: SocketAddr, path: &str, body: &Value) -> String {
    exchange(address, &raw(address, "POST", path, "", &body.to_string())).await
}

pub(crate) async fn get(address: SocketAddr, path: &str) -> String {
    exchange(address, &raw(address, "GET", path, "", "")).await
}

/// A request as it is written to a socket. Each further header ends its line, and replaces the usual one of its name.
pub(crate) fn raw(address: SocketAddr, method: &str, path: &str, headers: &str, body: &str) -> String {
    let usual = [("Host", address.to_string()), ("Content-Type", "application/json".to_owned())];
    let usual = usual.iter().filter(|(name, _)| !headers.contains(name));
    let usual: String = usual.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    format!("{method} {path} HTTP/1.0\r\n{usual}{headers}Content-Length: {length}\r\n\r\n{body}")
}

/// Sends a request and gives what came back before the connection ended, however it ended; nothing if there is no server.
pub(crate) async fn exchange(address: SocketAddr, request: &str) -> String {
    let Ok(mut stream) = TcpStream::connect(address).await else {
        return String::new();
    };
    let mut read = Vec::new();
    if stream.write_all(request.as_bytes()).await.is_ok() {
        // The part read before an error counts.
        let _ = stream.read_to_end(&mut read).await;
    }
    String::from_utf8_lossy(&read).into_owned()
}

/// Sends a message, reads the response until a line that contains this is complete, and returns it with the connection.
pub(crate) async fn hello_until(address: SocketAddr, thread: &str, until: &str) -> (String, BufReader<TcpStream>) {
    let request = raw(address, "POST", "/agent", "", &says(thread, "u1", "hello").to_string());
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let asked = stream.write_all(request.as_bytes()).await;
    asked.expect("it reads");
    let mut seen = String::new();
    let mut lines = BufReader::new(stream);
    loop {
        let begin = seen.len();
        let read = lines.read_line(&mut seen).await.expect("it answers");
        assert!(read > 0, "{seen}");
        if seen[begin..].contains(until) {
            return (seen, lines);
        }
    }
}

/// The events of a run that came whole.
#[track_caller]
pub(crate) fn check_run(response: &str) -> Vec<Event> {
    let (head, body) = response.split_once("\r\n\r\n").expect("there is a head");
    assert!(head.starts_with("HTTP/1.0 200"), "{head}");
    assert!(head.contains("content-type: text/event-stream"), "{head}");
    let mut conversation = Conversation::default();
    conversation.feed(body.as_bytes());
    let (events, end) = told(&mut conversation);
    assert_eq!(end.outcome, EndOutcome::Completed);
    events
}

pub(crate) async fn start(args: &[&str]) -> (Child, SocketAddr) {
    let mut command = binary(args);
    command.stderr(Stdio::piped());
    listening(command).await
}

/// The binary, to be started with these arguments.
pub(crate) fn binary(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_question-server"));
    command.args(args).stdin(Stdio::null()).kill_on_drop(true);
    // The user's own conversations are none of a test's business.
    command.env("QUESTION_SERVER_DATABASE", "memory");
    command
}

/// Starts the binary and waits until it says where it listens.
pub(crate) async fn listening(mut command: Command) -> (Child, SocketAddr) {
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the binary starts");
    let stdout = child.stdout.take().expect("stdout is piped");
    let line = BufReader::new(stdout).lines().next_line().await.expect("stdout is text");
    let Some(line) = line else {
        let ended = child.wait_with_output().await.expect("it ended");
        panic!("it does not listen: {ended:?}");
    };
    let address = line.strip_prefix("listening on http://").unwrap_or_else(|| panic!("{line}"));
    (child, address.parse().expect("it is an address"))
}

#[cfg(unix)]
#[tokio::test]
async fn the_binary_serves_on_loopback_and_ends_when_told() {
    let (mut child, address) = start(&["--port", "0", "--pace", "0"]).await;
    assert!(address.ip().is_loopback() && address.port() != 0);
    check_run(&say_hello(address).await);
    // A stream that never ends by itself does not keep it.
    let mut watcher = TcpStream::connect(address).await.expect("the server listens");
    let request = format!("GET /conversations/{UNGUESSABLE}/events HTTP/1.1\r\nHost: {address}\r\n\r\n");
    watcher.write_all(request.as_bytes()).await.expect("the server reads");
    let mut first = [0; 12];
    watcher.read_exact(&mut first).await.expect("the server answers");
    assert_eq!(&first, b"HTTP/1.1 200");

    tell(&child, Signal::SIGTERM);
    ends_well(&mut child).await;
    let mut log = String::new();
    let mut stderr = child.stderr.take().expect("stderr is piped");
    stderr.read_to_string(&mut log).await.expect("the log is text");
    assert!(
        log.contains("user_message") && !log.contains("\"hi\""),
        "what happens is logged, what is said is not: {log}"
    );
    assert!(!log.contains(UNGUESSABLE), "{log}");
}

#[cfg(unix)]
pub(crate) fn tell(child: &Child, signal: Signal) {
    let pid = child.id().and_then(|pid| i32::try_from(pid).ok()).expect("it runs");
    kill(Pid::from_raw(pid), signal).expect("it is told");
}

#[cfg(unix)]
pub(crate) async fn ends_well(child: &mut Child) {
    let status = timeout(Duration::from_secs(20), child.wait()).await.expect("it ends").expect("it ends");
    assert!(status.success(), "{status}");
}

/// Has it end, as it should.
#[cfg(unix)]
pub(crate) async fn stops(mut child: Child) {
    tell(&child, Signal::SIGTERM);
    ends_well(&mut child).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_run_whose_client_has_gone_has_its_time_to_end_too() {
    let (mut child, address) = start(&["--port", "0", "--pace", "3600000"]).await;
    drop(hello_until(address, "t", "RUN_STARTED").await);
    tell(&child, Signal::SIGTERM);
    until_logged(&mut child, "run cut off by the stop of the server").await;
    ends_well(&mut child).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_of_tokens_is_read_again_when_the_server_is_told_to() {
    let folder = Folder::new();
    let file = folder.file();
    std::fs::create_dir_all(file.parent().expect("it is in a folder")).expect("it can be made");
    let (old, new) = ("0123456789abcdef", "fedcba9876543210");
    std::fs::write(&file, format!("desk {old}\n")).expect("it can be written");
    let path = file.to_str().expect("it is text");
    let (mut child, address) = start(&["--port", "0", "--token-file", path]).await;
    let is_let_in = async |token: &str| {
        let bearer = format!("Authorization: Bearer {token}\r\n");
        exchange(address, &raw(address, "GET", "/settings.json", &bearer, "")).await.starts_with("HTTP/1.0 200")
    };
    assert!(is_let_in(old).await && !is_let_in(new).await);
    std::fs::write(&file, format!("desk {new}\n")).expect("it can be written");
    tell(&child, Signal::SIGHUP);
    until_logged(&mut child, "reloaded --token-file").await;
    assert!(is_let_in(new).await && !is_let_in(old).await);
    std::fs::write(&file, "none\n").expect("it can be written");
    tell(&child, Signal::SIGHUP);
    until_logged(&mut child, "could not reload --token-file").await;
    assert!(is_let_in(new).await, "those before it stay");
    tell(&child, Signal::SIGTERM);
    ends_well(&mut child).await;
}

#[cfg(unix)]
#[tokio::test]
async fn the_servers_end_may_follow_its_beginning_at_once() {
    for number in 0..20 {
        let (mut child, _) = start(&["--port", "0", "--log", "off"]).await;
        tell(&child, [Signal::SIGTERM, Signal::SIGINT][number % 2]);
        ends_well(&mut child).await;
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_next_server_waits_until_the_one_before_it_has_ended() {
    let folder = Folder::new();
    let file = folder.file_name();
    let args = |pace| ["--port", "0", "--pace", pace, "--database", &file];
    let (mut first, address) = start(&args("600000")).await;
    let (_, mut run) = hello_until(address, "t", "RUN_STARTED").await;
    tell(&first, Signal::SIGTERM);
    let (mut second, _) = start(&args("0")).await;
    let mut rest = String::new();
    run.read_to_string(&mut rest).await.expect("it is text");
    assert!(rest.contains("server_stopped"), "{rest}");
    ends_well(&mut first).await;
    until_logged(&mut second, "another server has the file").await;
}

/// Reads the log until it has this, and gives what was before it.
pub(crate) async fn until_logged(child: &mut Child, what: &str) -> String {
    let stderr = child.stderr.as_mut().expect("stderr is piped");
    let mut lines = BufReader::new(stderr).lines();
    let mut log = String::new();
    while !log.contains(what) {
        let line = lines.next_line().await.expect("the log is text");
        log.push_str(&line.unwrap_or_else(|| panic!("{what} is not in {log}")));
    }
    log
}

#[cfg(unix)]
#[tokio::test]
async fn what_people_write_is_in_no_log_that_does_not_ask_for_it() {
    let folder = Folder::new();
    keeps_words_out_of_its_log(&folder, &folder.file_name()).await;
}

/// The same for any database, and for everything that its client could log. Messages, answers and ids of conversations are private.
#[cfg(unix)]
pub(crate) async fn keeps_words_out_of_its_log(folder: &Folder, database: &str) {
    std::fs::create_dir_all(folder.path()).expect("there is a disk");
    let log = folder.path().join("log");
    let mut command = binary(&["--port", "0", "--pace", "0", "--log", "trace", "--database", database]);
    command.stderr(std::fs::File::create(&log).expect("there is a disk"));
    let (mut server, address) = listening(command).await;
    let said = says(UNGUESSABLE, "u", "a cause of mine");
    let asked = post(address, "/agent", &said).await;
    assert!(asked.contains("RUN_FINISHED"), "{asked}");
    let answers = json!({"answers": {"Which service do you need?": "words of mine"}});
    let answered = post(address, &format!("/conversations/{UNGUESSABLE}/respond"), &answers).await;
    assert!(answered.starts_with("HTTP/1.0 200"), "{answered}");
    let broken = post(address, "/agent", &json!({"threadId": UNGUESSABLE, "messages": "words of mine"})).await;
    assert!(broken.starts_with("HTTP/1.0 400"), "{broken}");
    tell(&server, Signal::SIGTERM);
    ends_well(&mut server).await;
    let log = std::fs::read_to_string(log).expect("it is text");
    assert!(log.contains("user_question_response"), "{log}");
    for private in ["a cause", "of mine", "Which service", "Brake", UNGUESSABLE] {
        assert!(!log.contains(private), "{private} is in {log}");
    }
}

#[tokio::test]
async fn every_request_has_a_name_in_its_response_and_in_the_log() {
    let (mut child, address) = start(&["--port", "0", "--pace", "0"]).await;
    let named = async |id: &str| {
        exchange(address, &raw(address, "GET", "/nowhere", &format!("X-Request-Id: {id}\r\n"), "")).await
    };
    let response = named("from-the-proxy-1").await;
    assert!(response.contains("x-request-id: from-the-proxy-1"), "{response}");
    assert!(!named("a b").await.contains("a b"));
    let nameless = say_hello(address).await;
    let (_, id) = nameless.split_once("x-request-id: ").expect("it has one");
    let id = id.split_once("\r\n").expect("a line ends").0.to_owned();
    let foreign = "GET /nowhere HTTP/1.0\r\nHost: evil.example\r\n\r\n";
    assert!(exchange(address, foreign).await.contains("forbidden_host"));
    let log = until_logged(&mut child, "refused").await;
    for told in ["from-the-proxy-1", &id, "user_message", "POST", "/agent", "status=200", "status=403"] {
        assert!(log.contains(told), "{told} is not in {log}");
    }
    assert!(!log.contains(UNGUESSABLE), "{log}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_log_that_cannot_be_written_stops_nothing() {
    let (reader, gone) = std::io::pipe().expect("there are pipes");
    drop(reader);
    let mut logs = vec![Stdio::from(gone)];
    // A disk that is always full; Linux has one.
    if let Ok(full) = std::fs::File::options().write(true).open("/dev/full") {
        logs.push(Stdio::from(full));
    }
    for log in logs {
        let mut command = binary(&["--port", "0", "--pace", "0", "--log", "trace"]);
        command.stderr(log);
        let (_server, address) = listening(command).await;
        check_run(&say_hello(address).await);
        let reply = json!({"answers": {"Which service do you need?": "Brake service"}});
        let response = post(address, &format!("/conversations/{UNGUESSABLE}/respond"), &reply).await;
        assert!(response.starts_with("HTTP/1.0 200"), "{response}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_log_that_nobody_reads_stops_nothing() {
    let (_unread, log) = std::io::pipe().expect("there are pipes");
    let mut command = binary(&["--port", "0", "--pace", "0", "--log", "trace", "--limit-rates", "no"]);
    command.stderr(log);
    let (mut server, address) = listening(command).await;
    let is_dropping = async || {
        let metrics = get(address, "/metrics").await;
        let dropped = metrics.lines().find_map(|line| line.strip_prefix("question_server_log_lines_dropped_total "));
        dropped.is_some_and(|dropped| dropped != "0")
    };
    let talking = async {
        // As much as a pipe and the server hold, and on.
        let mut threads = 0..;
        while !is_dropping().await {
            for number in threads.by_ref().take(50) {
                hello_until(address, &format!("thread-{number}"), "RUN_FINISHED").await;
            }
        }
    };
    timeout(Duration::from_secs(60), talking).await.expect("the server goes on, and says that lines are missing");
    hello_until(address, "one-more", "RUN_FINISHED").await;
    tell(&server, Signal::SIGTERM);
    ends_well(&mut server).await;
}

#[tokio::test]
async fn help_is_printed_and_mistakes_are_sentences() {
    let run = async |args: &[&str]| {
        let output = binary(args).env("QUESTION_SERVER_PORT", "0").output().await.expect("the binary starts");
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), said(&output.stdout), said(&output.stderr))
    };
    let (code, help, _) = run(&["--help"]).await;
    assert_eq!(code, Some(0));
    assert!(help.contains("--port") && help.contains("QUESTION_SERVER_PORT"), "{help}");
    for (args, named) in
        [(["--allow-agent", "https://*.example"], "https://*.example"), (["--page", "no/such/page"], "no/such/page")]
    {
        let (code, _, said) = run(&args).await;
        assert!(matches!(code, Some(1 | 2)) && said.contains(named), "{said}");
        assert!(!said.contains("panicked"), "{said}");
    }
}

#[tokio::test]
async fn a_start_says_what_starts() {
    let folder = Folder::new();
    let (mut child, _) = start(&["--port", "0", "--database", &folder.file_name()]).await;
    let log = until_logged(&mut child, "started").await;
    for said in [env!("CARGO_PKG_VERSION"), "model=front-desk", "sqlite", "streams: 256"] {
        assert!(log.contains(said), "{said}: {log}");
    }
}
