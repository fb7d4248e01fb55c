//! The server is killed, again and again, in the middle of its work.

use crate::folder::Folder;
use crate::http::says;
use crate::socket::start;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

const ROUNDS: usize = 10;
const CLIENTS: usize = 6;

/// What the server has acknowledged of a conversation.
#[derive(Clone, Debug, Default)]
struct Acknowledged {
    messages: Vec<String>,
    /// The ask that a run ended with, unless an answer was sent since.
    waiting: Option<String>,
    /// Call and reply.
    answers: Vec<(String, String)>,
}

type Ledger = Arc<Mutex<HashMap<String, Acknowledged>>>;

/// Sends a request and gives what came back before the connection ended, however it ended.
async fn exchange(address: SocketAddr, method: &str, path: &str, body: Option<&Value>) -> String {
    let Ok(mut stream) = TcpStream::connect(address).await else {
        return String::new();
    };
    let body = body.map(Value::to_string).unwrap_or_default();
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    let mut read = Vec::new();
    if stream.write_all(request.as_bytes()).await.is_ok() {
        // What was read before an error counts.
        let _ = stream.read_to_end(&mut read).await;
    }
    String::from_utf8_lossy(&read).into_owned()
}

/// The asks that the run in a response ended with.
fn pending(response: &str) -> Option<String> {
    let line = response
        .lines()
        .rfind(|line| line.contains("RUN_FINISHED"))?;
    let event: Value = serde_json::from_str(line.strip_prefix("data: ")?).ok()?;
    Some(
        event["outcome"]["pendingToolCallIds"][0]
            .as_str()?
            .to_owned(),
    )
}

/// Talks to the server until it is gone.
async fn talk(
    address: SocketAddr,
    round: usize,
    client: usize,
    ledger: Ledger,
    acks: mpsc::UnboundedSender<()>,
) {
    for visit in 0.. {
        let thread = format!("thread-{round}-{client}-{visit}");
        let note = |change: &dyn Fn(&mut Acknowledged)| {
            let mut ledger = ledger.lock().expect("no test panics with it");
            change(ledger.entry(thread.clone()).or_default());
            // Once the test has seen enough it does not count any more.
            let _ = acks.send(());
        };
        let said = says(&thread, "u1", "hi");
        let response = exchange(address, "POST", "/agent", Some(&said)).await;
        if !response.contains("RUN_STARTED") {
            return;
        }
        note(&|known| known.messages.push("u1".to_owned()));
        let Some(call) = pending(&response) else {
            return;
        };
        note(&|known| known.waiting = Some(call.clone()));
        if visit % 3 == 0 {
            // This one is to be found waiting.
            continue;
        }
        let reply = json!({
            "answers": {"Which service do you need?": "Brake service"},
            "toolCallId": call,
            "replyId": format!("reply-{thread}"),
        });
        note(&|known| known.waiting = None);
        let path = format!("/conversations/{thread}/respond");
        let response = exchange(address, "POST", &path, Some(&reply)).await;
        if !response.starts_with("HTTP/1.0 200") {
            return;
        }
        note(&|known| {
            let answer = (call.clone(), format!("reply-{thread}"));
            known.answers.push(answer);
        });
    }
}

async fn check(address: SocketAddr, thread: &str, known: &Acknowledged) {
    let response = exchange(address, "GET", &format!("/conversations/{thread}"), None).await;
    let (_, body) = response.split_once("\r\n\r\n").expect("there is an answer");
    let found: Value = serde_json::from_str(body).expect("it is JSON");
    let messages = found["messages"]
        .as_array()
        .unwrap_or_else(|| panic!("{thread} is gone: {found}"));
    for id in &known.messages {
        assert!(
            messages.iter().any(|message| message["id"] == **id),
            "{thread} lost {id}"
        );
    }
    for (call, reply) in &known.answers {
        let is_answer = |message: &&Value| {
            message["toolCallId"] == **call && message["metadata"]["ask"]["replyId"] == **reply
        };
        assert_eq!(
            messages.iter().filter(is_answer).count(),
            1,
            "{thread} lost {reply}: {found}"
        );
    }
    if let Some(call) = &known.waiting {
        assert_eq!(found["state"]["type"], "awaiting_user_response", "{thread}");
        assert_eq!(found["pending"][0]["toolCallId"], **call, "{thread}");
    }
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_every_kill() {
    let folder = Folder::new();
    let file = folder.file();
    let file = file.to_str().expect("the target folder's name is text");
    let args = [
        "--port",
        "0",
        "--pace",
        "0",
        "--log",
        "off",
        "--database",
        file,
    ];
    let ledger = Ledger::default();
    let check_all = async |address| {
        let known = ledger.lock().expect("no test panics with it").clone();
        for (thread, known) in &known {
            check(address, thread, known).await;
        }
    };
    for round in 0..ROUNDS {
        let (mut server, address) = start(&args).await;
        check_all(address).await;
        let (acks, mut acknowledged) = mpsc::unbounded_channel();
        let mut clients = JoinSet::new();
        for client in 0..CLIENTS {
            clients.spawn(talk(
                address,
                round,
                client,
                Arc::clone(&ledger),
                acks.clone(),
            ));
        }
        // In the midst of requests of all kinds, at another point each time.
        for _ in 0..7 + 11 * round {
            acknowledged
                .recv()
                .await
                .expect("clients go on until the server is gone");
        }
        server.kill().await.expect("it runs");
        while clients.join_next().await.is_some() {}
    }
    let (_server, address) = start(&args).await;
    check_all(address).await;
    let known = ledger.lock().expect("no test panics with it").clone();
    let waiting = known
        .values()
        .filter(|known| known.waiting.is_some())
        .count();
    let answers: usize = known.values().map(|known| known.answers.len()).sum();
    assert!(
        waiting > ROUNDS && answers > ROUNDS,
        "{waiting} waiting, {answers} answered"
    );

    // What was found waiting can be answered.
    let (thread, call) = known
        .iter()
        .find_map(|(thread, known)| Some((thread, known.waiting.clone()?)))
        .expect("some are waiting");
    let reply =
        json!({"answers": {"Which service do you need?": "Brake service"}, "toolCallId": call});
    let path = format!("/conversations/{thread}/respond");
    let response = exchange(address, "POST", &path, Some(&reply)).await;
    assert!(response.starts_with("HTTP/1.0 200"), "{response}");
}

#[tokio::test]
async fn a_run_that_died_with_the_server_does_not_keep_its_conversation_busy() {
    let folder = Folder::new();
    let file = folder.file();
    let file = file.to_str().expect("the target folder's name is text");
    let args = |pace| {
        [
            "--port",
            "0",
            "--log",
            "off",
            "--database",
            file,
            "--pace",
            pace,
        ]
    };
    let hello = json!({"id": "u1", "role": "user", "content": "hello"});

    let (mut server, address) = start(&args("600000")).await;
    let first = json!({"threadId": "dead", "runId": "r1", "messages": [hello]});
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let body = first.to_string();
    let request = format!(
        "POST /agent HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream
        .write_all(request.as_bytes())
        .await
        .expect("it reads");
    let mut seen = String::new();
    while !seen.contains("RUN_STARTED") {
        let mut bytes = [0; 1024];
        let read = stream.read(&mut bytes).await.expect("it answers");
        assert!(read > 0, "{seen}");
        seen.push_str(&String::from_utf8_lossy(&bytes[..read]));
    }
    server.kill().await.expect("it runs");

    let (_server, address) = start(&args("0")).await;
    let brakes = json!({"id": "u2", "role": "user", "content": "brake service, please"});
    let next = json!({"threadId": "dead", "runId": "r2", "messages": [hello, brakes]});
    let response = exchange(address, "POST", "/agent", Some(&next)).await;
    assert!(response.starts_with("HTTP/1.0 200"), "{response}");
    assert!(pending(&response).is_some(), "{response}");
}
