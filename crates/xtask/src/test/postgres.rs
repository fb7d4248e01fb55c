//! What the server says of its store, over a real Postgres.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::binaries::Binary;
use crate::steps::Log;
use crate::tools;

/// Runs the tests that start a Postgres for themselves.
pub(super) fn run(binaries: &[Binary], log: &Log) -> Result<()> {
    let is_servers = |binary: &&Binary| binary.target == "it" && binary.folder.ends_with("question-server");
    let built = binaries.iter().find(is_servers).context("the server's tests are not built")?;
    let mut tests = Command::new(&built.program);
    // What takes minutes runs on request: see the server's README.
    tests.args(["--ignored", "--skip", "endurance", "postgres::"]).current_dir(&built.folder);
    tests.env("POSTGRES_PROGRAMS", tools::postgres(log)?).env("NGINX", tools::nginx(log)?);
    ensure!(log.run_tests(tests)? > 0, "no test needs Postgres");
    Ok(())
}
