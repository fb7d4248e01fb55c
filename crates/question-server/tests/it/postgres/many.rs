//! Three servers over one Postgres behind nginx, which sends each request to the next: clients have tabs everywhere, and servers die.

use super::Postgres;
use crate::http::says;
use crate::killed::{exchange, pending};
use crate::reload::place;
use crate::socket::{binary, listening};
use ag_ui_stream::sse::Decoder;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// The number of tries, and the pause before each: longer than a lease and a sweep in all.
const TRIES: usize = 600;
const PAUSE: Duration = Duration::from_millis(100);

/// The number of clients that answer each question at once, and of tabs that watch it.
const CONTENDERS: usize = 4;
const TABS: usize = 3;

/// The size of a demonstration.
pub(crate) struct Size {
    pub(crate) questions: usize,
    /// Those of them are open at once.
    pub(crate) abreast: usize,
    /// The time between deaths of servers.
    pub(crate) every: Duration,
    pub(crate) kills: usize,
    /// Before which kill the database does.
    pub(crate) database_dies: Option<usize>,
}

struct Server {
    port: u16,
    child: Child,
}

impl Server {
    async fn start(port: u16, database: &str, pace: &str) -> Self {
        let port_text = port.to_string();
        let mut command = binary(&["--port", &port_text, "--pace", pace, "--log", "off", "--database", database]);
        command.args(["--limit-rates", "no"]).stderr(Stdio::null());
        let (child, _) = listening(command).await;
        Self { port, child }
    }
}

async fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    listener.local_addr().expect("it is bound").port()
}

/// The `nginx.conf` of operators, whole.
const OPERATORS_CONF: &str = include_str!("../../../deploy/nginx.conf");

/// Puts nginx with this configuration in front of the servers. Only its places are the test's own. It is gone with the value.
async fn nginx(folder: &Path, servers: &[Server], conf: &str) -> (Child, SocketAddr) {
    let port = free_port().await;
    let own = "http { access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;";
    let of_process =
        "daemon off; master_process off; pid nginx.pid; error_log /dev/null; events { worker_connections 4096; }";
    let mut config = conf.to_owned();
    let replaced = [
        ("events {}", of_process.to_owned()),
        ("http {", own.to_owned()),
        ("listen 80;", format!("listen 127.0.0.1:{port};")),
    ];
    let upstreams =
        (1..).zip(servers).map(|(number, one)| (format!("10.87.0.1{number}:8787"), format!("127.0.0.1:{}", one.port)));
    let upstreams: Vec<_> = upstreams.collect();
    let upstreams = upstreams.iter().map(|(operators, tests)| (&**operators, tests.clone()));
    for (operators, tests) in replaced.into_iter().chain(upstreams) {
        assert!(config.contains(operators), "{operators}: {config}");
        config = config.replacen(operators, &tests, 1);
    }
    std::fs::write(folder.join("nginx.conf"), config).expect("it can be written");
    let program = std::env::var_os("NGINX_PROGRAM").unwrap_or_else(|| "nginx".into());
    let mut command = Command::new(program);
    command.arg("-p").arg(folder).args(["-c", "nginx.conf", "-e", "/dev/null"]).kill_on_drop(true);
    let child = command.stdin(Stdio::null()).spawn().expect("nginx is there: `cargo xtask test postgres` brings it");
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    for _ in 0..TRIES {
        if TcpStream::connect(address).await.is_ok() {
            return (child, address);
        }
        sleep(PAUSE).await;
    }
    panic!("nginx does not listen");
}

/// The final answer, and the number of tries.
async fn until_answered(
    address: SocketAddr,
    method: &str,
    path: &str,
    body: Option<&Value>,
    is_answer: impl Fn(&str) -> bool,
    retries: &AtomicUsize,
) -> String {
    let mut last = String::new();
    for _ in 0..TRIES {
        last = exchange(address, method, path, body).await;
        if is_answer(&last) {
            return last;
        }
        retries.fetch_add(1, Ordering::Relaxed);
        sleep(PAUSE).await;
    }
    panic!("{method} {path} is not mended by trying again: {last}");
}

fn status(response: &str) -> Option<u16> {
    response.split(' ').nth(1)?.parse().ok()
}

/// The events that a tab has seen.
#[derive(Default)]
struct Seen {
    result_at: Option<Instant>,
    /// The pieces of texts, and the texts.
    pieces: usize,
    texts: usize,
    /// The messages and calls that have come as a whole, since the history at the last reset.
    whole: HashSet<String>,
    resets: usize,
    connections: usize,
}

/// Watches until the run with the answer's result is over, on as many connections as it takes.
async fn watch(address: SocketAddr, thread: String, ready: mpsc::Sender<()>) -> Seen {
    let mut seen = Seen::default();
    let mut last: Option<String> = None;
    for _ in 0..TRIES {
        seen.connections += 1;
        if read_on(address, &thread, &mut last, &mut seen, &ready).await.is_some() {
            return seen;
        }
        sleep(PAUSE / 10).await;
    }
    panic!("{thread} is not told the result");
}

async fn read_on(
    address: SocketAddr,
    thread: &str,
    last: &mut Option<String>,
    seen: &mut Seen,
    ready: &mpsc::Sender<()>,
) -> Option<()> {
    let mut stream = TcpStream::connect(address).await.ok()?;
    let resumed = last.as_ref().map(|last| format!("Last-Event-ID: {last}\r\n")).unwrap_or_default();
    let request = format!("GET /conversations/{thread}/events HTTP/1.0\r\nHost: {address}\r\n{resumed}\r\n");
    stream.write_all(request.as_bytes()).await.ok()?;
    let (mut decoder, mut head, mut chunk) = (Decoder::default(), Vec::new(), [0; 4096]);
    let mut is_first = true;
    let mut is_anew = false;
    loop {
        let length = stream.read(&mut chunk).await.ok().filter(|length| *length > 0)?;
        if head.ends_with(b"\r\n\r\n") {
            decoder.feed(&chunk[..length]);
        } else {
            head.extend_from_slice(&chunk[..length]);
            let end = head.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4);
            let Some(end) = end else { continue };
            if status(&String::from_utf8_lossy(&head)) != Some(200) {
                return None;
            }
            decoder.feed(&head.split_off(end));
        }
        while let Some(frame) = decoder.next_frame() {
            let frame = frame.expect("the server writes legal frames");
            if frame.event == "reset" {
                is_anew = true;
                seen.resets += 1;
                seen.whole.clear();
                continue;
            }
            let data: Value = serde_json::from_str(&frame.data).expect("data is JSON");
            let whole = match data["type"].as_str() {
                Some("TEXT_MESSAGE_END") => data["messageId"].as_str(),
                Some("TOOL_CALL_END") => data["toolCallId"].as_str(),
                Some("TOOL_CALL_RESULT") => data["messageId"].as_str(),
                _ => None,
            };
            seen.pieces += usize::from(data["type"] == "TEXT_MESSAGE_CONTENT");
            seen.texts += usize::from(data["type"] == "TEXT_MESSAGE_END");
            assert!(whole.is_none_or(|id| seen.whole.insert(id.to_owned())), "{thread} is told twice: {data}");
            let is_result = |message: &Value| message["role"] == "tool";
            let history = data["messages"].as_array();
            if data["type"] == "TOOL_CALL_RESULT" || history.is_some_and(|all| all.iter().any(is_result)) {
                seen.result_at.get_or_insert_with(Instant::now);
            }
            if !frame.id.is_empty() {
                if let Some(known) = last.as_ref().filter(|_| !is_anew) {
                    let (known, next) = (place(known), place(&frame.id));
                    let is_right = if is_first { known == next } else { known <= next };
                    // The end of a run that its stopping server cut off is no part of a commit: who comes back from there gets the history.
                    let is_cut_off = next == (0, 0) && data["type"] == "RUN_ERROR";
                    assert!(is_right || is_cut_off, "{thread} goes on from {known:?} with {next:?}");
                }
                (is_anew, is_first) = (false, false);
                *last = Some(frame.id.clone());
                // Once it watches; a caller that waits for it knows by the first.
                let _ = ready.try_send(());
            }
            if seen.result_at.is_some() && matches!(data["type"].as_str(), Some("RUN_FINISHED" | "RUN_ERROR")) {
                return Some(());
            }
        }
    }
}

/// One question: it is asked, watched, answered by several at once, and one of them wins. Returns the times until each tab knew.
async fn contest(address: SocketAddr, number: usize, retries: Arc<AtomicUsize>) -> (Vec<Duration>, usize, usize) {
    let thread = format!("contested-{number}");
    let asked = |response: &str| pending(response).is_some();
    let said = says(&thread, "u", "hi");
    let response = until_answered(address, "POST", "/agent", Some(&said), asked, &retries).await;
    let call = pending(&response).expect("it asks");
    let mut tabs = JoinSet::new();
    for _ in 0..TABS {
        let (ready, mut is_ready) = mpsc::channel(1);
        tabs.spawn(watch(address, thread.clone(), ready));
        is_ready.recv().await.expect("it watches");
    }
    let mut contenders = JoinSet::new();
    let sent = Instant::now();
    for contender in 0..CONTENDERS {
        let (thread, call, retries) = (thread.clone(), call.clone(), Arc::clone(&retries));
        contenders.spawn(async move {
            let reply_id = format!("reply-{contender}");
            let answers = json!({"Which service do you need?": "Brake service"});
            let reply = json!({"answers": answers, "toolCallId": call, "replyId": reply_id});
            let path = format!("/conversations/{thread}/respond");
            let is_answer = |response: &str| matches!(status(response), Some(200 | 409));
            let response = until_answered(address, "POST", &path, Some(&reply), is_answer, &retries).await;
            assert!(status(&response) == Some(200) || response.contains("already_answered"), "{response}");
            (status(&response) == Some(200)).then_some(reply_id)
        });
    }
    let won: Vec<String> = contenders.join_all().await.into_iter().flatten().collect();
    assert_eq!(won.len(), 1, "{thread} is won by {won:?}");
    let seen = tabs.join_all().await;
    let described = |response: &str| status(response) == Some(200);
    let path = format!("/conversations/{thread}");
    let response = until_answered(address, "GET", &path, None, described, &retries).await;
    let (_, body) = response.split_once("\r\n\r\n").expect("there is a body");
    let found: Value = serde_json::from_str(body).expect("it is JSON");
    let results = found["messages"].as_array().into_iter().flatten();
    let results: Vec<&Value> = results.filter(|message| message["toolCallId"] == *call).collect();
    assert_eq!(results.len(), 1, "{found}");
    assert_eq!(results[0]["metadata"]["ask"]["replyId"], *won[0], "{found}");
    let times = seen.iter().filter_map(|seen| Some(seen.result_at?.saturating_duration_since(sent))).collect();
    let resets = seen.iter().map(|seen| seen.resets).sum();
    let connections = seen.iter().map(|seen| seen.connections).sum();
    (times, resets, connections)
}

/// Shows that, and says how long answers took to every watcher.
pub(crate) async fn stands(size: Size) {
    let mut postgres = Postgres::start().await;
    let database = postgres.address();
    let mut servers = Vec::new();
    for _ in 0..3 {
        servers.push(Server::start(free_port().await, &database, "0").await);
    }
    let folder = crate::folder::Folder::made();
    let (_nginx, address) = nginx(folder.path(), &servers, &to_any_server()).await;
    let (retries, is_over) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let killer = {
        let is_over = Arc::clone(&is_over);
        tokio::spawn(async move {
            for kill in 0..size.kills {
                sleep(size.every).await;
                if size.database_dies == Some(kill) {
                    postgres.dies_and_starts_again().await;
                }
                let which = kill % servers.len();
                let port = servers[which].port;
                servers[which].child.kill().await.expect("it runs");
                servers[which] = Server::start(port, &database, "0").await;
            }
            is_over.store(true, Ordering::Relaxed);
            (servers, postgres)
        })
    };
    let (mut contests, mut done) = (JoinSet::new(), Vec::new());
    let mut number = 0;
    while number < size.questions || !is_over.load(Ordering::Relaxed) || !contests.is_empty() {
        let may_begin = number < size.questions || !is_over.load(Ordering::Relaxed);
        if may_begin && contests.len() < size.abreast {
            contests.spawn(contest(address, number, Arc::clone(&retries)));
            number += 1;
        } else if let Some(contest) = contests.join_next().await {
            done.push(contest.expect("one wins, and every tab knows"));
        }
    }
    drop(killer.await.expect("servers start again"));
    let mut times: Vec<Duration> = done.iter().flat_map(|(times, ..)| times.clone()).collect();
    times.sort_unstable();
    let share = |share: f64| times[(times.len() as f64 * share) as usize].as_secs_f64() * 1e3;
    let (resets, connections) =
        done.iter().fold((0, 0), |sum, (_, resets, connections)| (sum.0 + resets, sum.1 + connections));
    let counts = HashMap::from([("questions", done.len()), ("told", times.len()), ("connections", connections)]);
    println!(
        "{counts:?}; {resets} times the history instead, {} requests tried again; from the answer to a watcher {:.0} ms in the middle, {:.0} ms for 99 %, {:.0} at most",
        retries.load(Ordering::Relaxed),
        share(0.5),
        share(0.99),
        share(1.0 - f64::EPSILON),
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Postgres and nginx, which `cargo xtask test postgres` brings"]
async fn three_servers_behind_nginx_are_as_one() {
    let every = Duration::from_secs(3);
    stands(Size { questions: 40, abreast: 8, every, kills: 1, database_dies: None }).await;
}

/// The same without its choice by conversation, so that each request may meet another server.
fn to_any_server() -> String {
    OPERATORS_CONF.replacen("hash $place consistent;", "", 1)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Postgres and nginx, which `cargo xtask test postgres` brings"]
async fn a_balancer_that_hashes_the_path_brings_words_to_all() {
    let database = super::Database::new().await;
    let mut servers = Vec::new();
    for _ in 0..3 {
        servers.push(Server::start(free_port().await, &database.address(), "5").await);
    }
    let folder = crate::folder::Folder::made();
    let (_nginx, address) = nginx(folder.path(), &servers, OPERATORS_CONF).await;
    for number in 0..6 {
        let thread = format!("t{number}");
        let path = format!("/conversations/{thread}/agent");
        let asked = exchange(address, "POST", &path, Some(&says(&thread, "u", "hi"))).await;
        assert!(pending(&asked).is_some(), "{asked}");
        let (ready, mut is_ready) = mpsc::channel(1);
        let tab = tokio::spawn(watch(address, thread.clone(), ready));
        is_ready.recv().await.expect("it watches");
        exchange(address, "POST", &path, Some(&says(&thread, "u2", "Brake service"))).await;
        let seen = tab.await.expect("it reads to the end");
        assert!(seen.texts > 0 && seen.pieces > seen.texts, "{} pieces of {} texts", seen.pieces, seen.texts);
    }
}

/// A minute and more: `cargo test -p question-server --test it -- --ignored --nocapture endurance`, with `POSTGRES_PROGRAMS` and `NGINX_PROGRAM`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes"]
async fn endurance_of_three_servers_behind_nginx() {
    let every = Duration::from_secs(5);
    stands(Size { questions: 500, abreast: 8, every, kills: 12, database_dies: Some(6) }).await;
}
