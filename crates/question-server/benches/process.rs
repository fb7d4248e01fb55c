//! Servers in processes of their own, and their memory and processor time.

use crate::Outcome;
use std::fs::read_to_string;
use std::net::SocketAddr;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// A server; ended when it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    process: Child,
}

impl Server {
    /// Starts one and waits until it says where it listens.
    pub(crate) async fn start(command: &mut Command) -> Outcome<Self> {
        // Unless its arguments name another store.
        command.env("QUESTION_SERVER_DATABASE", "memory");
        let mut process = command.stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
        let stdout = process.stdout.take().ok_or("the server has no output")?;
        let line = BufReader::new(stdout).lines().next_line().await?.ok_or("the server ended at its start")?;
        let address = line
            .strip_prefix("listening on http://")
            .ok_or_else(|| format!("the server says something else: {line}"))?;
        Ok(Self { address: address.parse()?, process })
    }

    /// Its memory beside the program, in KiB.
    pub(crate) fn memory(&self) -> Outcome<f64> {
        let pid = self.process.id().ok_or("the server is gone")?;
        let status = read_to_string(format!("/proc/{pid}/status"))?;
        let kib = field(&status, "RssAnon:").ok_or("there is no RssAnon")?;
        Ok(kib.trim_end_matches("kB").trim().parse()?)
    }

    /// The processor time of all its running threads, in milliseconds.
    pub(crate) fn processor_time(&self) -> Outcome<f64> {
        let pid = self.process.id().ok_or("the server is gone")?;
        let mut nanoseconds = 0.0;
        for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
            let schedule = read_to_string(thread?.path().join("schedstat"))?;
            let run: f64 = schedule.split(' ').next().ok_or("there is no time")?.parse()?;
            nanoseconds += run;
        }
        Ok(nanoseconds / 1e6)
    }
}

/// Fails with advice if this process and its servers may not open a file for each client.
pub(crate) fn check_open_files(wanted: usize) -> Outcome<()> {
    let limits = read_to_string("/proc/self/limits")?;
    let limit = field(&limits, "Max open files").and_then(|limits| limits.split(' ').next());
    match limit.and_then(|limit| limit.parse::<usize>().ok()) {
        Some(limit) if limit < wanted => Err(format!(
            "{wanted} open files are needed and {limit} allowed: `ulimit -n {wanted}` first, or say behind -- how many conversations are to wait"
        )
        .into()),
        Some(_) | None => Ok(()),
    }
}

/// The machine of the measurement.
pub(crate) fn machine() -> String {
    let cpus = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = field(&cpus, "model name").map(|name| name.trim_start_matches([':', ' ']));
    let kernel = read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let load = read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{} of {cores} cores, Linux {}, load {} at the start",
        name.unwrap_or("a machine"),
        kernel.trim().split('-').next().unwrap_or_default(),
        load.split(' ').next().unwrap_or_default(),
    )
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim())
}
