//! Waiting conversations: the memory of each, without and with a client, and the latency from reply to event.

use crate::client::{begin, for_each, reply, until, watch};
use crate::process::Server;
use crate::{ABREAST, Outcome, median, share};
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::process::Command;
use tokio::time::timeout;

/// The number of turns of each.
const ROUNDS: usize = 3;

/// The number of conversations of a server before it is measured, with a client each and without. They run to the end, so that their memory
/// is not used again. The memory that each request needs for a moment has been allocated by then.
const WARM_UP: usize = 8 * ABREAST;

const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    Memory,
    Sqlite,
}

impl Subject {
    const ALL: [Self; 2] = [Self::Memory, Self::Sqlite];

    fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Sqlite => "SQLite",
        }
    }

    async fn start(self, folder: &Path) -> Outcome<Server> {
        let database = match self {
            Self::Memory => "memory".into(),
            Self::Sqlite => {
                let file = folder.join("waits.sqlite");
                for made in ["waits.sqlite", "waits.sqlite-wal"] {
                    // Left by the turn before.
                    let _ = std::fs::remove_file(folder.join(made));
                }
                file.into_os_string()
            }
        };
        let mut command = Command::new(env!("CARGO_BIN_EXE_question-server"));
        command.args(["--port", "0", "--pace", "0", "--log", "off", "--limit-rates", "no", "--database"]);
        Server::start(command.arg(database)).await
    }
}

/// The measurements of one turn.
struct Turn {
    /// KiB of a wait without a client.
    wait: f64,
    /// KiB more with one.
    client: f64,
    /// Milliseconds from a reply to its client's event: median and 99 %.
    latency: [f64; 2],
    replies_a_second: f64,
    lost: usize,
}

/// Measures and prints the table.
pub(crate) async fn measure(sizes: &[usize], folder: &Path) -> Outcome<()> {
    println!(
        "| waiting | store | a wait, KiB | a client more, KiB | reply to event, ms: median, 99 % | replies a second | lost |"
    );
    println!("|---|---|---|---|---|---|---|");
    for &size in sizes {
        let mut turns: [Vec<Turn>; 2] = Default::default();
        for _ in 0..ROUNDS {
            for (subject, turns) in Subject::ALL.into_iter().zip(&mut turns) {
                turns.push(turn(subject, size, folder).await?);
            }
        }
        for (subject, turns) in Subject::ALL.into_iter().zip(&turns) {
            print(subject, size, turns);
        }
    }
    println!();
    Ok(())
}

fn print(subject: Subject, size: usize, turns: &[Turn]) {
    let of = |take: fn(&Turn) -> f64| median(turns.iter().map(take).collect());
    let lost: usize = turns.iter().map(|turn| turn.lost).sum();
    println!(
        "| {size} | {} | {:.1} | {:.1} | {:.2}, {:.2} | {:.0} | {lost} |",
        subject.name(),
        of(|turn| turn.wait).max(0.0),
        of(|turn| turn.client),
        of(|turn| turn.latency[0]),
        of(|turn| turn.latency[1]),
        of(|turn| turn.replies_a_second),
    );
}

/// Starts this number of conversations, gives each a client and answers all.
async fn turn(subject: Subject, size: usize, folder: &Path) -> Outcome<Turn> {
    let server = subject.start(folder).await?;
    let address = server.address;
    let first = follow(address, "first", WARM_UP).await?;
    let (first, lost_first) = answer(address, first).await?;
    for_each(0..WARM_UP, |number| begin(address, format!("quiet-{number}"))).await?;
    let empty = server.memory()?;
    for_each(0..size, |number| begin(address, format!("t{number}"))).await?;
    let waiting = server.memory()?;
    let clients = for_each(0..size, |number| watch(address, format!("t{number}"))).await?;
    let watched = server.memory()?;
    let start = Instant::now();
    let (seen, lost) = answer(address, clients).await?;
    let took = start.elapsed().as_secs_f64();
    let mut times: Vec<f64> = seen.iter().map(|(time, _)| *time).collect();
    times.sort_by(f64::total_cmp);
    drop(first);
    Ok(Turn {
        wait: (waiting - empty) / size as f64,
        client: (watched - waiting) / size as f64,
        latency: [share(&times, 0.5), share(&times, 0.99)],
        replies_a_second: times.len() as f64 / took,
        lost: lost + lost_first,
    })
}

/// Starts waiting conversations, with a client each.
async fn follow(address: SocketAddr, name: &'static str, size: usize) -> Outcome<Vec<(String, TcpStream)>> {
    let names = move |number| format!("{name}-{number}");
    for_each(0..size, |number| begin(address, names(number))).await?;
    for_each(0..size, |number| watch(address, names(number))).await
}

/// Answers every conversation and waits for its client's event. Returns the milliseconds of each, and the number of clients without one.
async fn answer(address: SocketAddr, clients: Vec<(String, TcpStream)>) -> Outcome<(Vec<(f64, TcpStream)>, usize)> {
    let all = clients.len();
    let seen = for_each(clients, |(id, mut stream)| async move {
        let sent = Instant::now();
        let told = async {
            let told = timeout(PATIENCE, until(&mut stream, "TOOL_CALL_RESULT")).await;
            matches!(told, Ok(Ok(()))).then(|| sent.elapsed().as_secs_f64() * 1e3)
        };
        let (replied, told) = tokio::join!(reply(address, &id), told);
        Ok(replied.ok().and(told).map(|time| (time, stream)))
    })
    .await?;
    let seen: Vec<_> = seen.into_iter().flatten().collect();
    let lost = all - seen.len();
    Ok((seen, lost))
}
