//! The server and the clients of AG-UI that others have released, in Node.

use std::process::Command;

use anyhow::Result;

use super::journeys;
use super::steps::{Tools, check, not_there};
use super::summary::Outcome;
use crate::page;
use crate::tools;
use crate::workspace;

/// What drives them, with a file beside it for each kind of journey.
const DRIVER: &str = "crates/question-server/tests/clients/main.mjs";

pub(super) fn that_people_have(tools: &Tools) -> Result<Outcome> {
    if let Some(reason) = tools.clients.reason() {
        return Ok(not_there(reason));
    }
    let built = journeys::build_server()?;
    if built != Outcome::Passed {
        return Ok(built);
    }
    let mut node = Command::new(tools::node()?);
    node.arg(workspace::root().join(DRIVER))
        .arg(page::server_program("debug"))
        .arg(tools.clients.there()?)
        .args(tools::CLIENTS);
    check(&mut node)
}
