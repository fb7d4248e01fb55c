//! What waiting costs: many conversations with a question open and a client each, and answers that are on the disk.
//!
//! `cargo bench --profile server -p question-server` prints the tables of the README; a number behind `--` is how many conversations wait.

use question_agent::message::UserMessage;
use question_agent::registry::ToolContext;
use question_agent::{Conversation, Effect, Event};
use question_server::store::{Change, SqliteStore, Store as _};
use rusqlite::Connection;
use std::error::Error;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::task::JoinSet;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// How many requests are under way at once.
const ABREAST: usize = 32;

const COMMITS: usize = 3_200;

const PATIENCE: Duration = Duration::from_secs(120);

#[tokio::main]
async fn main() -> Outcome<()> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench");
    // What an earlier run may have left.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    commits(&folder).await?;
    let asked: Vec<usize> = std::env::args()
        .filter_map(|arg| arg.parse().ok())
        .collect();
    let sizes = if asked.is_empty() {
        vec![1_000, 5_000]
    } else {
        asked
    };
    println!(
        "\n| waiting | store | a wait, KiB | a client more, KiB | reply to event, ms (median, 99 %) | replies/s | lost |"
    );
    println!("|---|---|---|---|---|---|---|");
    for size in sizes {
        waiting(size, "memory", None).await?;
        waiting(size, "SQLite", Some(folder.join(format!("{size}.sqlite")))).await?;
    }
    Ok(std::fs::remove_dir_all(&folder)?)
}

/// Commits of one small change each, one after the other and side by side.
async fn commits(folder: &Path) -> Outcome<()> {
    let bare = bare_commits(&folder.join("bare.sqlite"))?;
    let store = Arc::new(SqliteStore::open(&folder.join("store.sqlite"))?);
    let alone = store_commits(&store, 1, "alone").await?;
    let abreast = store_commits(&store, ABREAST, "abreast").await?;
    println!("| commits on disk, synchronous=FULL | a second |\n|---|---|");
    println!("| a bare insert | {bare:.0} |");
    println!("| the store, one client | {alone:.0} |");
    println!("| the store, {ABREAST} clients | {abreast:.0} |");
    Ok(())
}

fn change() -> Outcome<(Conversation, Vec<Effect>)> {
    let mut conversation = Conversation::new();
    let message = UserMessage {
        id: "u".to_owned(),
        text: "Brake service".to_owned(),
        ask: None,
    };
    let effects = conversation.handle(Event::UserMessage {
        messages: vec![message],
    })?;
    Ok((conversation, effects))
}

fn bare_commits(file: &Path) -> Outcome<f64> {
    let database = Connection::open(file)?;
    database.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    database.pragma_update(None, "journal_mode", "WAL")?;
    database.pragma_update(None, "synchronous", "FULL")?;
    database.execute_batch("CREATE TABLE answer (json TEXT NOT NULL) STRICT")?;
    let (conversation, _) = change()?;
    let json = serde_json::to_string(&conversation)?;
    let start = Instant::now();
    for _ in 0..COMMITS {
        database
            .prepare_cached("INSERT INTO answer VALUES (?1)")?
            .execute([&json])?;
    }
    Ok(rate(COMMITS, start))
}

async fn store_commits(store: &Arc<SqliteStore>, abreast: usize, name: &str) -> Outcome<f64> {
    let (conversation, effects) = change()?;
    let start = Instant::now();
    let mut clients = JoinSet::new();
    for client in 0..abreast {
        let (store, conversation, effects) =
            (Arc::clone(store), conversation.clone(), effects.clone());
        let name = name.to_owned();
        clients.spawn(async move {
            let context = ToolContext::default();
            let change = Change {
                owner: None,
                context: &context,
                conversation: &conversation,
                effects: &effects,
            };
            for number in 0..COMMITS / abreast {
                store
                    .commit(&format!("{name}-{client}-{number}"), change)
                    .await?;
            }
            Ok::<_, question_server::store::StoreError>(())
        });
    }
    while let Some(client) = clients.join_next().await {
        client??;
    }
    Ok(rate(COMMITS, start))
}

fn rate(times: usize, start: Instant) -> f64 {
    times as f64 / start.elapsed().as_secs_f64()
}

/// As many conversations as asked for wait, get a client each and are answered.
async fn waiting(size: usize, store: &str, file: Option<PathBuf>) -> Outcome<()> {
    let (server, address) = start(file).await?;
    let pid = server.id().ok_or("the server is gone")?;
    // What the first request alone allocates is no wait's.
    begin(address, "first".to_owned()).await?;
    let empty = resident(pid)?;
    side_by_side(size, move |number| begin(address, format!("t{number}"))).await?;
    let waiting = resident(pid)?;
    let clients = side_by_side(size, move |number| watch(address, number)).await?;
    let watched = resident(pid)?;

    let (latencies, replies, lost) = answer_all(address, clients).await?;
    let kib = |from: u64, to: u64| to.saturating_sub(from) as f64 / size as f64;
    let at = |share: f64| {
        latencies
            .get((latencies.len() as f64 * share) as usize)
            .map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
    };
    println!(
        "| {size} | {store} | {:.1} | {:.1} | {:.1}, {:.1} | {replies:.0} | {lost} |",
        kib(empty, waiting),
        kib(waiting, watched),
        at(0.5),
        at(0.99),
    );
    drop(server);
    Ok(())
}

/// Answers every conversation and waits until each client has seen its own: sorted times, replies a second, and how many saw nothing.
async fn answer_all(
    address: SocketAddr,
    clients: Vec<(usize, TcpStream)>,
) -> Outcome<(Vec<Duration>, f64, usize)> {
    let all = clients.len();
    let next = Arc::new(AtomicUsize::new(0));
    let clients: Arc<Vec<_>> = Arc::new(
        clients
            .into_iter()
            .map(|client| std::sync::Mutex::new(Some(client)))
            .collect(),
    );
    let start = Instant::now();
    let mut workers = JoinSet::new();
    for _ in 0..ABREAST {
        let (next, clients) = (Arc::clone(&next), Arc::clone(&clients));
        workers.spawn(async move {
            let mut times = Vec::new();
            while let Some(slot) = clients.get(next.fetch_add(1, Ordering::Relaxed)) {
                let Some((number, mut stream)) =
                    slot.lock().expect("no worker panics with it").take()
                else {
                    continue;
                };
                let sent = Instant::now();
                let seen = tokio::time::timeout(PATIENCE, until(&mut stream, "TOOL_CALL_RESULT"));
                let (replied, seen) = tokio::join!(reply(address, number), seen);
                if replied.is_ok() && matches!(seen, Ok(Ok(()))) {
                    times.push(sent.elapsed());
                }
            }
            times
        });
    }
    let mut times = workers.join_all().await.concat();
    let replies = rate(times.len(), start);
    times.sort();
    let lost = all - times.len();
    Ok((times, replies, lost))
}

async fn side_by_side<T, F>(size: usize, work: impl Fn(usize) -> F) -> Outcome<Vec<T>>
where
    T: Send + 'static,
    F: Future<Output = Outcome<T>> + Send + 'static,
{
    let mut done = Vec::with_capacity(size);
    let mut under_way = JoinSet::new();
    for number in 0..size {
        if under_way.len() == ABREAST
            && let Some(one) = under_way.join_next().await
        {
            done.push(one??);
        }
        under_way.spawn(work(number));
    }
    while let Some(one) = under_way.join_next().await {
        done.push(one??);
    }
    Ok(done)
}

async fn start(file: Option<PathBuf>) -> Outcome<(Child, SocketAddr)> {
    let database = file.map_or_else(|| "memory".into(), PathBuf::into_os_string);
    let mut server = Command::new(env!("CARGO_BIN_EXE_question-server"))
        .args([
            "--port",
            "0",
            "--pace",
            "0",
            "--log",
            "off",
            "--max-new",
            "0",
            "--max-changes",
            "0",
            "--database",
        ])
        .arg(database)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let stdout = server.stdout.take().ok_or("the server has no output")?;
    let line = BufReader::new(stdout)
        .lines()
        .next_line()
        .await?
        .ok_or("the server says nothing")?;
    let address = line
        .strip_prefix("listening on http://")
        .ok_or("the server says something else")?
        .parse()?;
    Ok((server, address))
}

/// The memory that a process holds, in KiB.
fn resident(pid: u32) -> Outcome<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .ok_or("there is no VmRSS")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse()?)
}

async fn begin(address: SocketAddr, thread: String) -> Outcome<()> {
    let body = format!(
        r#"{{"threadId":"{thread}","runId":"r","messages":[{{"id":"u","role":"user","content":"hi"}}]}}"#
    );
    let mut stream = post(address, "/agent", &body).await?;
    until(&mut stream, "pendingToolCallIds").await
}

async fn reply(address: SocketAddr, number: usize) -> Outcome<()> {
    let body = r#"{"answers":{"Which service do you need?":"Brake service"}}"#;
    let mut stream = post(address, &format!("/conversations/t{number}/respond"), body).await?;
    until(&mut stream, "200 OK").await
}

async fn post(address: SocketAddr, path: &str, body: &str) -> Outcome<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    let length = body.len();
    let request = format!(
        "POST {path} HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await?;
    Ok(stream)
}

async fn watch(address: SocketAddr, number: usize) -> Outcome<(usize, TcpStream)> {
    let mut stream = TcpStream::connect(address).await?;
    let request =
        format!("GET /conversations/t{number}/events HTTP/1.1\r\nHost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    until(&mut stream, "awaiting_user_response").await?;
    Ok((number, stream))
}

async fn until(stream: &mut TcpStream, wanted: &str) -> Outcome<()> {
    let mut read = Vec::new();
    let mut chunk = [0; 4 << 10];
    while !String::from_utf8_lossy(&read).contains(wanted) {
        match stream.read(&mut chunk).await? {
            0 => return Err(format!("the server ended the stream before {wanted}").into()),
            length => read.extend_from_slice(&chunk[..length]),
        }
    }
    Ok(())
}
