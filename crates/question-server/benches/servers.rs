//! Servers that share a Postgres: their rate of answers, and the delay from a commit to the clients of another server.

use crate::client::{begin, for_each, reply};
use crate::postgres::Postgres;
use crate::process::Server;
use crate::{Outcome, median, share};
use ag_ui_stream::sse::Decoder;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Instant;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::process::Command;

/// The most servers that share it, and the number of turns of each number of servers.
const MOST: usize = 3;
const ROUNDS: usize = 3;

/// The number of answers in a turn, after those that warm up.
const ANSWERS: usize = 320;
const WARM_UP: usize = 64;

/// The number of conversations that are watched from two servers, a few at once.
const WATCHED: usize = 60;

/// Measures and prints the tables.
pub(crate) async fn measure() -> Outcome<()> {
    if !Postgres::is_here().await {
        println!(
            "Servers that share a Postgres are not measured: install Postgres, or set POSTGRES_PROGRAMS to the folder with `initdb`.\n"
        );
        return Ok(());
    }
    answers().await?;
    commits().await
}

/// Servers over one database, at this pace.
async fn start(database: &str, servers: usize, pace: &str) -> Outcome<Vec<Server>> {
    let mut started = Vec::new();
    for _ in 0..servers {
        let mut command = Command::new(env!("CARGO_BIN_EXE_question-server"));
        command.args(["--port", "0", "--log", "off", "--limit-rates", "no", "--pace", pace]);
        started.push(Server::start(command.args(["--database", database])).await?);
    }
    Ok(started)
}

async fn answers() -> Outcome<()> {
    let mut rounds = Vec::new();
    for round in 0..ROUNDS {
        let mut rates = [0.0; MOST];
        for turn in 0..MOST {
            // In alternating order, so that none always follows the same.
            let servers = if round % 2 == 0 { turn } else { MOST - 1 - turn };
            rates[servers] = answers_a_second(servers + 1).await?;
        }
        rounds.push(rates);
    }
    println!("| servers on one Postgres | answers a second: median, best | beside one server |");
    println!("|---|---|---|");
    for servers in 0..MOST {
        let rates = || rounds.iter().map(|rates| rates[servers]);
        let beside = rounds.iter().map(|rates| rates[servers] / rates[0]);
        println!(
            "| {} | {:.0}, {:.0} | {:.2} |",
            servers + 1,
            median(rates().collect()),
            rates().fold(0.0, f64::max),
            median(beside.collect()),
        );
    }
    println!();
    Ok(())
}

/// Each client goes to the next server, with its question and with its answer.
async fn answers_a_second(servers: usize) -> Outcome<f64> {
    let postgres = Postgres::start_with(true).await;
    let servers = start(&postgres.address(), servers, "0").await?;
    let address = |number: usize| servers[number % servers.len()].address;
    for_each(0..WARM_UP + ANSWERS, |number| begin(address(number), format!("t{number}"))).await?;
    let answer = |number: usize| {
        let address = address(number + 1);
        async move { reply(address, &format!("t{number}")).await }
    };
    for_each(0..WARM_UP, answer).await?;
    let start = Instant::now();
    for_each(WARM_UP..WARM_UP + ANSWERS, answer).await?;
    Ok(ANSWERS as f64 / start.elapsed().as_secs_f64())
}

async fn commits() -> Outcome<()> {
    let postgres = Postgres::start_with(true).await;
    // At the default pace, that of a quick model.
    let servers = start(&postgres.address(), 2, "15").await?;
    let [here, there] = [servers[0].address, servers[1].address];
    let late = for_each(0..WATCHED, |number| watch_from_both(here, there, format!("t{number}"))).await?;
    let mut late: Vec<f64> = late.into_iter().flatten().collect();
    late.sort_by(f64::total_cmp);
    println!("| from one server's client to another's | commits | ms later: median, 99 %, most |");
    println!("|---|---|---|");
    println!(
        "| {WATCHED} conversations, as many at once as clients are | {} | {:.1}, {:.1}, {:.1} |\n",
        late.len(),
        share(&late, 0.5),
        share(&late, 0.99),
        share(&late, 1.0),
    );
    Ok(())
}

/// The delays of commits after an answer at a client of another server, in milliseconds.
async fn watch_from_both(here: SocketAddr, there: SocketAddr, id: String) -> Outcome<Vec<f64>> {
    begin(here, id.clone()).await?;
    let [mut first, mut other] = [Watcher::open(here, &id).await?, Watcher::open(there, &id).await?];
    let (first, other, replied) = tokio::join!(first.until_asked_again(), other.until_asked_again(), reply(here, &id));
    replied?;
    let (first, other) = (first?, other?);
    // For a commit elsewhere, only the end has an id that both servers know.
    let times = other.iter().filter_map(|(event, at)| Some(at.saturating_duration_since(*first.get(event)?)));
    let late: Vec<f64> = times.map(|late| late.as_secs_f64() * 1e3).collect();
    match late.is_empty() {
        true => Err(format!("{id} has no event in common").into()),
        false => Ok(late),
    }
}

/// A client that notes when each event came.
struct Watcher {
    stream: TcpStream,
    decoder: Decoder,
}

impl Watcher {
    /// Watches from the question on that waits.
    async fn open(address: SocketAddr, id: &str) -> Outcome<Self> {
        let mut stream = TcpStream::connect(address).await?;
        // HTTP/1.0 has no chunks.
        let request = format!("GET /conversations/{id}/events HTTP/1.0\r\nHost: {address}\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await?);
        }
        let mut watcher = Self { stream, decoder: Decoder::default() };
        watcher.until("awaiting_user_response").await?;
        Ok(watcher)
    }

    /// The event ids behind that, up to the next question or the agent's end.
    async fn until_asked_again(&mut self) -> Outcome<HashMap<String, Instant>> {
        self.until("RUN_FINISHED").await
    }

    async fn until(&mut self, wanted: &str) -> Outcome<HashMap<String, Instant>> {
        let mut seen = HashMap::new();
        let mut chunk = [0; 4 << 10];
        loop {
            while let Some(frame) = self.decoder.next_frame() {
                let frame = frame?;
                let is_wanted = frame.data.contains(wanted);
                seen.insert(frame.id.to_string(), Instant::now());
                if is_wanted {
                    return Ok(seen);
                }
            }
            match self.stream.read(&mut chunk).await? {
                0 => return Err(format!("the server ended the stream before {wanted}").into()),
                length => self.decoder.feed(&chunk[..length]),
            }
        }
    }
}
