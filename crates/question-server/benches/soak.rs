//! A server under load for minutes: its memory must not grow after the first.

use crate::client::{begin, for_each, reply, watch};
use crate::process::Server;
use crate::{ABREAST, Outcome};
use std::time::{Duration, Instant};
use tokio::process::Command;

/// The factor by which the memory may grow after the first minute.
const GROWTH: f64 = 1.15;

/// Has clients begin, watch and answer conversations for this number of minutes, and prints the memory after each.
///
/// # Errors
/// If the memory grew, or a request failed.
pub(crate) async fn measure(minutes: usize) -> Outcome<()> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_question-server"));
    // What has ended goes within the first minute, so that as many stay from then on.
    command.args(["--port", "0", "--pace", "0", "--log", "off", "--limit-rates", "no", "--keep", "20s"]);
    let server = Server::start(&mut command).await?;
    let (address, start) = (server.address, Instant::now());
    let (mut answered, mut memory) = (0, Vec::new());
    println!("| minute | answers | memory, MiB |\n|---|---|---|");
    for minute in 1..=minutes.max(2) {
        while start.elapsed() < Duration::from_secs(60) * u32::try_from(minute)? {
            let numbers = answered..answered + 8 * ABREAST;
            answered = numbers.end;
            for_each(numbers, |number| async move {
                let id = format!("t{number}");
                begin(address, id.clone()).await?;
                let (id, _stream) = watch(address, id).await?;
                reply(address, &id).await
            })
            .await?;
        }
        memory.push(server.memory()? / 1024.0);
        println!("| {minute} | {answered} | {:.1} |", memory[minute - 1]);
    }
    println!();
    match memory[minutes.max(2) - 1] <= GROWTH * memory[0] {
        true => Ok(()),
        false => Err("the memory grew".into()),
    }
}
