//! The server with many waiting conversations, each with a client on its event stream.

use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::children;
use crate::workspace;

/// Builds the server as users get it and measures it against bare axum and bare SQLite.
///
/// # Errors
///
/// Cargo can't be started.
pub(crate) fn run() -> Result<ExitCode> {
    let mut cargo = Command::new(workspace::cargo());
    cargo.args(["bench", "--profile", "server", "-p", "question-server"]).current_dir(workspace::root());
    let done = children::run(&mut cargo)?.success();
    Ok(if done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
