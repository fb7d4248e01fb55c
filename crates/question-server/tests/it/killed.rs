//! The server is killed, again and again, in the middle of its work.

use crate::folder::Folder;
use crate::http::says;
use crate::socket::{self, hello_until, raw, start};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// The number of acknowledgements before each kill: another point of their work each time.
const KILLS: [usize; 10] = [7, 18, 29, 40, 51, 62, 73, 84, 95, 106];
const CLIENTS: usize = 16;

/// As many kills as asked for, each after another number of acknowledgements: from an idle server's to one's at full work.
pub(crate) fn at_random(kills: usize) -> Vec<usize> {
    let steps = std::iter::successors(Some(7_usize), |last| Some((last * 73 + 41) % 127));
    steps.take(kills).collect()
}

/// A pace at which an agent does not get to its first word, in milliseconds.
const NEVER: &str = "600000";

fn quietly<'a>(file: &'a str, pace: &'a str) -> [&'a str; 8] {
    ["--port", "0", "--log", "off", "--database", file, "--pace", pace]
}

/// The parts of a conversation that the server has acknowledged.
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
pub(crate) async fn exchange(address: SocketAddr, method: &str, path: &str, body: Option<&Value>) -> String {
    socket::exchange(address, &raw(address, method, path, "", &body.map(Value::to_string).unwrap_or_default())).await
}

/// The asks that the run in a response ended with.
pub(crate) fn pending(response: &str) -> Option<String> {
    let line = response.lines().rfind(|line| line.contains("RUN_FINISHED"))?;
    let event: Value = serde_json::from_str(line.strip_prefix("data: ")?).ok()?;
    Some(event["outcome"]["pendingToolCallIds"][0].as_str()?.to_owned())
}

/// Talks to the server until it is gone.
async fn talk(address: SocketAddr, round: usize, client: usize, ledger: Ledger, acks: mpsc::UnboundedSender<()>) {
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

/// Checks that a conversation has what is known of it, and returns it.
async fn check(address: SocketAddr, thread: &str, known: &Acknowledged) -> Value {
    let response = exchange(address, "GET", &format!("/conversations/{thread}"), None).await;
    let (_, body) = response.split_once("\r\n\r\n").expect("there is an answer");
    let found: Value = serde_json::from_str(body).expect("it is JSON");
    let messages = found["messages"].as_array().unwrap_or_else(|| panic!("{thread} is gone: {found}"));
    for id in &known.messages {
        assert_eq!(
            messages.iter().filter(|message| message["id"] == **id).count(),
            1,
            "{thread} lost {id}, or has it twice"
        );
    }
    for (call, reply) in &known.answers {
        let is_answer =
            |message: &&Value| message["toolCallId"] == **call && message["metadata"]["ask"]["replyId"] == **reply;
        assert_eq!(messages.iter().filter(is_answer).count(), 1, "{thread} lost {reply}: {found}");
    }
    if let Some(call) = &known.waiting {
        assert_eq!(found["state"]["type"], "awaiting_user_response", "{thread}");
        assert_eq!(found["pending"][0]["toolCallId"], **call, "{thread}");
    }
    found
}

/// Watches a conversation until it stands in one of these states. A client that watches while another server takes it up is to come back.
async fn until(address: SocketAddr, thread: &str, states: &[&str]) {
    let is_state = |line: &str| states.iter().any(|state| line.contains(&format!(r#""type":"{state}""#)));
    loop {
        let mut stream = TcpStream::connect(address).await.expect("it listens");
        let request = format!("GET /conversations/{thread}/events HTTP/1.0\r\nHost: {address}\r\n\r\n");
        let asked = stream.write_all(request.as_bytes()).await;
        asked.expect("it reads");
        let mut lines = BufReader::new(stream).lines();
        let head = lines.next_line().await.expect("it is text");
        assert_eq!(head.as_deref(), Some("HTTP/1.0 200 OK"), "{thread} is gone");
        let mut is_change = false;
        while let Some(line) = lines.next_line().await.expect("it is text") {
            if is_change && is_state(&line) {
                return;
            }
            is_change = (is_change && !line.is_empty()) || line == "event: state_change";
        }
    }
}

/// Until the agent has done all that it can without its user.
async fn until_it_rests(address: SocketAddr, thread: &str) {
    until(address, thread, &["idle", "awaiting_user_response"]).await;
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_every_kill() {
    let folder = Folder::new();
    is_there_after_kills(&folder.file_name(), &KILLS).await;
}

#[tokio::test]
#[ignore = "200 kills take minutes: tests/README.md says how to run it, and the ten of the test above run always"]
async fn endurance_of_what_was_acknowledged() {
    let folder = Folder::new();
    is_there_after_kills(&folder.file_name(), &at_random(200)).await;
}

/// The same of any database, and of a kill after each number of acknowledgements.
pub(crate) async fn is_there_after_kills(database: &str, kills: &[usize]) {
    let args = quietly(database, "0");
    let ledger = Ledger::default();
    // Those of the round before at each start, and all in the end.
    let check_those = async |address, is_meant: &dyn Fn(&str) -> bool| {
        let known = ledger.lock().expect("no test panics with it").clone();
        for (thread, known) in known.iter().filter(|(thread, _)| is_meant(thread)) {
            check(address, thread, known).await;
        }
    };
    for (round, &kill) in kills.iter().enumerate() {
        let (mut server, address) = start(&args).await;
        let before = format!("thread-{}-", round.wrapping_sub(1));
        check_those(address, &|thread| thread.starts_with(&before)).await;
        let (acks, mut acknowledged) = mpsc::unbounded_channel();
        let mut clients = JoinSet::new();
        for client in 0..CLIENTS {
            clients.spawn(talk(address, round, client, Arc::clone(&ledger), acks.clone()));
        }
        // During requests of all kinds.
        for _ in 0..kill {
            acknowledged.recv().await.expect("clients go on until the server is gone");
        }
        server.kill().await.expect("it runs");
        while clients.join_next().await.is_some() {}
    }
    let (_server, address) = start(&args).await;
    let restarted = Instant::now();
    let known = ledger.lock().expect("no test panics with it").clone();
    // Watchers have nobody go on: that is for the server alone.
    for thread in known.keys() {
        until_it_rests(address, thread).await;
    }
    let took = restarted.elapsed().as_secs_f64();
    check_those(address, &|_| true).await;
    let waiting = known.values().filter(|known| known.waiting.is_some()).count();
    let answers: usize = known.values().map(|known| known.answers.len()).sum();
    assert!(waiting > kills.len() && answers > kills.len(), "{waiting} waiting, {answers} answered");
    println!(
        "{} kills: {} conversations, {answers} answers, {waiting} wait; all rest {took:.1} s after the last start, with the time to look at each",
        kills.len(),
        known.len()
    );

    // A question that was found waiting can be answered.
    let (thread, call) =
        known.iter().find_map(|(thread, known)| Some((thread, known.waiting.clone()?))).expect("some are waiting");
    let reply = json!({"answers": {"Which service do you need?": "Brake service"}, "toolCallId": call});
    let path = format!("/conversations/{thread}/respond");
    let response = exchange(address, "POST", &path, Some(&reply)).await;
    assert!(response.starts_with("HTTP/1.0 200"), "{response}");
}

/// The work under way when the server is killed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Moment {
    /// Nothing: a question waits.
    Idle,
    /// The agent is in the middle of its question.
    Streaming,
    /// An answer has just been acknowledged, and the agent has not said a word since.
    Answered,
    /// The same of a question that has expired.
    Expired,
}

/// Kills a server at this moment. Returns the time in which the next one lets the agent continue by itself.
async fn goes_on_after_a_kill(database: &str, moment: Moment, thread: &str) -> Duration {
    let (pace, said) = if moment == Moment::Streaming { ("20", "TOOL_CALL_ARGS") } else { ("0", "RUN_FINISHED") };
    let expires: &[&str] = if moment == Moment::Expired { &["--expire-after", "1s"] } else { &[] };
    let (mut server, mut address) = start(&[&quietly(database, pace), expires].concat()).await;
    let (told, _connection) = hello_until(address, thread, said).await;
    let mut known = Acknowledged { messages: vec!["u1".to_owned()], waiting: pending(&told), answers: Vec::new() };
    let reply = json!({
        "answers": {"Which service do you need?": "Brake service"},
        "toolCallId": known.waiting,
        "replyId": "reply-1",
    });
    let responds = async |address| {
        let response = exchange(address, "POST", &format!("/conversations/{thread}/respond"), Some(&reply)).await;
        assert!(response.starts_with("HTTP/1.0 200"), "{response}");
    };
    if matches!(moment, Moment::Answered | Moment::Expired) {
        server.kill().await.expect("it runs");
        (server, address) = start(&[&quietly(database, NEVER), expires].concat()).await;
        let call = known.waiting.take().expect("it asks");
        if moment == Moment::Answered {
            responds(address).await;
            known.answers.push((call, "reply-1".to_owned()));
        } else {
            until(address, thread, &["llm_requesting"]).await;
        }
    }
    server.kill().await.expect("it runs");

    let (_server, address) = start(&quietly(database, "0")).await;
    let restarted = Instant::now();
    until_it_rests(address, thread).await;
    let took = restarted.elapsed();
    let found = check(address, thread, &known).await;
    let last = found["messages"].as_array().and_then(|all| all.last());
    assert_eq!(last.expect("there are messages")["role"], "assistant", "{found}");
    if moment == Moment::Answered {
        // As a client does that has not heard of it.
        responds(address).await;
    }
    took
}

/// Kills at each moment this number of times, and says how long it took at most until the agent had gone on.
pub(crate) async fn goes_on_after_kills_at_each_moment(database: &str, kills: usize) {
    for moment in [Moment::Idle, Moment::Streaming, Moment::Answered, Moment::Expired] {
        let mut longest = Duration::ZERO;
        for kill in 0..kills {
            longest = longest.max(goes_on_after_a_kill(database, moment, &format!("{moment:?}-{kill}")).await);
        }
        println!("{moment:?}: gone on at most {:.2} s after the next start, in {kills} kills", longest.as_secs_f64());
    }
}

#[tokio::test]
async fn an_agent_goes_on_by_itself_after_a_kill_at_each_moment() {
    let folder = Folder::new();
    goes_on_after_kills_at_each_moment(&folder.file_name(), 1).await;
}

#[tokio::test]
#[ignore = "takes minutes"]
async fn endurance_of_agents_that_go_on() {
    let folder = Folder::new();
    goes_on_after_kills_at_each_moment(&folder.file_name(), 20).await;
}

#[tokio::test]
async fn a_run_that_died_with_the_server_does_not_keep_its_conversation_busy() {
    let folder = Folder::new();
    let file = folder.file_name();
    let args = |pace| quietly(&file, pace);
    let hello = json!({"id": "u1", "role": "user", "content": "hello"});

    let (mut server, address) = start(&args(NEVER)).await;
    hello_until(address, "dead", "RUN_STARTED").await;
    server.kill().await.expect("it runs");

    let (_server, address) = start(&args("0")).await;
    let brakes = json!({"id": "u2", "role": "user", "content": "brake service, please"});
    let next = json!({"threadId": "dead", "runId": "r2", "protocolVersion": "1.0", "messages": [hello, brakes]});
    let response = exchange(address, "POST", "/agent", Some(&next)).await;
    assert!(response.starts_with("HTTP/1.0 200"), "{response}");
    assert!(pending(&response).is_some(), "{response}");
}
