//! Attacks: clients that do not read, on the server's memory, and large requests, on its processor.

use crate::client::{begin, for_each, send};
use crate::process::Server;
use crate::{Outcome, median, share};
use std::fmt::Write as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::process::Command;

/// The number of clients that read nothing of a long history.
const READERS: usize = 300;

/// The length of the history in bytes.
const HISTORY: usize = 2 << 20;

/// The most bytes of one of its messages.
const MESSAGE: usize = 60_000;

/// As long as a request may be.
const BODY: usize = 4 << 20;

/// The number of times that each large request is sent.
const TIMES: usize = 15;

/// Measures and prints the tables.
pub(crate) async fn measure() -> Outcome<()> {
    readers().await?;
    requests().await
}

async fn start() -> Outcome<Server> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_question-server"));
    command.args(["--port", "0", "--pace", "0", "--log", "off", "--limit-rates", "no"]);
    Server::start(&mut command).await
}

/// Clients that come back with an id whose events are gone, so that each gets the whole history.
async fn readers() -> Outcome<()> {
    let server = start().await?;
    let address = server.address;
    let text = "x".repeat(MESSAGE);
    for number in 0..HISTORY / MESSAGE {
        let message = format!(r#"{{"id":"u{number}","role":"user","content":"{text}"}}"#);
        let mut stream = send(address, "/agent", &run("long", number, &message)).await?;
        // To the end or not: the agent repeats the message in more events than are kept for this client.
        let _ = stream.read_to_end(&mut Vec::new()).await?;
    }
    for_each(0..READERS, |number| begin(address, format!("t{number}"))).await?;
    let base = server.memory()?;
    let resume = |_| async move {
        let mut stream = TcpStream::connect(address).await?;
        let request = format!(
            "GET /conversations/long/events HTTP/1.1\r\nHost: {address}\r\nLast-Event-ID: 1-1\r\nAccept: text/event-stream\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        // The first byte of many.
        stream.read_u8().await?;
        Ok(stream)
    };
    let waiting = for_each(0..READERS, resume).await?;
    let held = server.memory()?;
    println!("| clients that never read | history, MiB | memory over the base, MiB |");
    println!("|---|---|---|");
    println!("| {} | {:.1} | {:.1} |\n", waiting.len(), HISTORY as f64 / f64::from(1 << 20), (held - base) / 1024.0);
    Ok(())
}

fn run(id: &str, number: usize, messages: &str) -> String {
    format!(r#"{{"threadId":"{id}","runId":"r{number}","protocolVersion":"1.0","messages":[{messages}]}}"#)
}

/// Bodies of about the largest size, in the most expensive shapes.
fn large() -> Vec<(&'static str, String)> {
    let filled = |one: &dyn Fn(usize) -> String, separator: &str| {
        let mut all = String::new();
        for number in 0.. {
            let next = one(number);
            if all.len() + next.len() > BODY - 1_000 {
                break;
            }
            let _ = write!(all, "{}{next}", if number == 0 { "" } else { separator });
        }
        all
    };
    let said = |text: &str| run("large", 0, &format!(r#"{{"id":"u","role":"user","content":"{text}"}}"#));
    let depth = 100;
    let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let with_state = |state: &str| {
        format!(r#"{{"threadId":"large","runId":"r","protocolVersion":"1.0","messages":[],"state":[{state}]}}"#)
    };
    vec![
        ("one text", said(&"x".repeat(BODY - 1_000))),
        ("one text of escapes", said(&filled(&|_| r"\u00e4".to_owned(), ""))),
        (
            "short messages",
            run("large", 0, &filled(&|number| format!(r#"{{"id":"u{number}","role":"user","content":"x"}}"#), ",")),
        ),
        ("numbers", with_state(&filled(&|_| "1".to_owned(), ","))),
        ("nested lists", with_state(&filled(&|_| nested.clone(), ","))),
        ("names", with_state(&filled(&|number| format!(r#"{{"name{number}":0}}"#), ","))),
    ]
}

async fn requests() -> Outcome<()> {
    let server = start().await?;
    println!("| a request of 4 MB | processor time, ms: median, most |");
    println!("|---|---|");
    for (name, body) in large() {
        let mut times = Vec::new();
        for _ in 0..TIMES {
            let before = server.processor_time()?;
            let mut stream = send(server.address, "/agent", &body).await?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).await?;
            times.push(server.processor_time()? - before);
        }
        times.sort_by(f64::total_cmp);
        println!("| {name} | {:.0}, {:.0} |", median(times.clone()), share(&times, 1.0));
    }
    println!();
    Ok(())
}
