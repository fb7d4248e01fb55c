//! `cargo xtask agents`: runs agents of other frameworks behind the built page, each as its recipe starts it, and released clients of AG-UI and MCP
//! against the server. `tests/e2e/recipes` sets them up and compares the results with the README of the recipes.

use std::process::Command;

use anyhow::Result;

use crate::flags::Agents;
use crate::steps::{self, StepLog, StepSpec};
use crate::test::{binaries, journeys};
use crate::tools::{self, system};
use crate::{size, workspace};

const CLIENTS: &str = "clients";

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

/// Starts the agent and runs every journey with it.
fn walk(name: &str, record: bool, log: &StepLog) -> Result<()> {
    system::python(log)?;
    let mut journeys = journeys::chromium(log)?;
    journeys.args(["recipes::", "--skip", "recipes::clients::"]).env("XTASK_RECIPE", name);
    if record {
        journeys.env("XTASK_RECORD", "1");
    }
    run(&mut journeys, log)
}

/// Runs the released clients, and `CopilotKit`'s runtime with its own client, whose packages are those of its recipe.
fn clients(log: &StepLog) -> Result<()> {
    journeys::released_clients(log)?;
    journeys::mcp_clients(log)?;
    run(journeys::journeys()?.arg("recipes::clients::"), log)
}

fn run(journeys: &mut Command, log: &StepLog) -> Result<()> {
    log.run_some(journeys.env("XTASK_NODE", system::node(log)?).env("XTASK_CACHE", tools::cache()?))
}
