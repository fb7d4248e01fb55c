//! Servers that share a Postgres: their rate of answers.

use crate::client::{begin, for_each, reply};
use crate::postgres::Postgres;
use crate::process::Server;
use crate::{Outcome, median};
use std::time::Instant;
use tokio::process::Command;

/// The most servers that share it, and the number of turns of each number of servers.
const MOST: usize = 3;
const ROUNDS: usize = 3;

/// The number of answers in a turn, after those that warm up.
const ANSWERS: usize = 320;
const WARM_UP: usize = 64;

/// Measures and prints the table.
pub(crate) async fn measure() -> Outcome<()> {
    if !Postgres::is_here().await {
        println!(
            "Servers that share a Postgres are not measured: install Postgres, or set POSTGRES_PROGRAMS to the folder with `initdb`.\n"
        );
        return Ok(());
    }
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
async fn answers_a_second(count: usize) -> Outcome<f64> {
    let postgres = Postgres::start_with(true).await;
    let mut servers = Vec::new();
    for _ in 0..count {
        let mut command = Command::new(env!("CARGO_BIN_EXE_question-server"));
        command.args(["--port", "0", "--log", "off", "--limit-rates", "no", "--pace", "0"]);
        servers.push(Server::start(command.args(["--database", &postgres.address()])).await?);
    }
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
