//! `cargo xtask agents`: agents of other frameworks behind the built page, each as its recipe starts it. Released clients of AG-UI and MCP come in
//! front of the server. `tests/e2e/recipes` sets them up and compares what they do with the README of the recipes.

use std::process::Command;

use anyhow::Result;

use crate::flags::Agents;
use crate::steps::{self, StepLog, StepSpec};
use crate::test::{binaries, journeys};
use crate::tools::{self, system};
use crate::{size, workspace};

/// The step that runs clients.
const CLIENTS: &str = "clients";

/// Runs every agent or the named ones.
pub(crate) fn agents(options: &Agents) -> Result<()> {
    let mut known = workspace::folders_with("crates/agent-chat/recipes", "README.md")?;
    known.push(CLIENTS.to_owned());
    let wanted = workspace::wanted(&known, &options.name)?;
    let mut steps = vec![StepSpec::builds("native build", &[], binaries::build_journeys)];
    if wanted != [CLIENTS] {
        steps.extend(size::steps_for_release());
    }
    steps.extend(wanted.into_iter().map(|name| match name {
        CLIENTS => StepSpec::runs(name, &["native build"], clients),
        _ => StepSpec::runs(name, &["native build", "page for release"], |log| walk(name, options.record, log)),
    }));
    steps::run_or_fail(&steps)
}

/// Starts the agent and takes every journey with it.
fn walk(name: &str, record: bool, log: &StepLog) -> Result<()> {
    system::python(log)?;
    let mut journeys = journeys::chromium(log)?;
    journeys.args(["recipes::", "--skip", "recipes::clients::"]).env("XTASK_RECIPE", name);
    if record {
        journeys.env("XTASK_RECORD", "1");
    }
    run(&mut journeys, log)
}

/// The clients, and `CopilotKit`'s runtime with its own, whose packages are those of its recipe.
fn clients(log: &StepLog) -> Result<()> {
    journeys::released_clients(log)?;
    journeys::mcp_clients(log)?;
    run(journeys::journeys()?.arg("recipes::clients::"), log)
}

fn run(journeys: &mut Command, log: &StepLog) -> Result<()> {
    log.run_some(journeys.env("XTASK_NODE", system::node(log)?).env("XTASK_CACHE", tools::cache()?))
}
