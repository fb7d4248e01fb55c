//! `cargo xtask agents`: agents of other frameworks behind the built page, each as its recipe starts it, and released clients in front of the
//! server. `tests/e2e/recipes` sets them up and compares what they do with the README of the recipes.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::flags::Agents;
use crate::steps::{self, Log, Step};
use crate::test::{binaries, journeys, run_some};
use crate::tools::{self, system};
use crate::{page, workspace};

/// The step that is about clients.
const CLIENTS: &str = "clients";

/// Runs every agent or the named ones.
pub(crate) fn agents(options: &Agents) -> Result<()> {
    let known = known()?;
    if let Some(name) = options.name.iter().find(|name| !known.contains(name)) {
        bail!("there is no recipe `{name}`, but {}", known.join(", "));
    }
    let wanted: Vec<_> = known
        .iter()
        .filter(|name| options.name.is_empty() || options.name.contains(name))
        .map(String::as_str)
        .collect();
    let mut steps = vec![Step::builds("native build", &[], binaries::build_journeys)];
    if wanted != [CLIENTS] {
        steps.extend(page::steps_for_release());
    }
    steps.extend(wanted.into_iter().map(|name| match name {
        CLIENTS => Step::runs(name, &["native build"], clients),
        _ => Step::runs(name, &["native build", "page for release"], |log| walk(name, options.record, log)),
    }));
    steps::run_or_fail(&steps)
}

/// The names of the recipes, and of the step beside them.
fn known() -> Result<Vec<String>> {
    let folder = workspace::root().join("crates/agent-chat/recipes");
    let entries = fs::read_dir(&folder).with_context(|| format!("can't read {}", folder.display()))?.flatten();
    let recipes = entries.filter(|entry| entry.path().join("README.md").is_file());
    let mut known: Vec<_> = recipes.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    known.sort();
    known.push(CLIENTS.to_owned());
    Ok(known)
}

/// Starts the agent and takes every journey with it.
fn walk(name: &str, record: bool, log: &Log) -> Result<()> {
    system::python(log)?;
    let mut journeys = journeys::chromium(log)?;
    journeys.args(["recipes::", "--skip", "recipes::clients::"]).env("XTASK_RECIPE", name);
    if record {
        journeys.env("XTASK_RECORD", "1");
    }
    run(&mut journeys, log)
}

/// The clients, and `CopilotKit`'s runtime with its own, whose packages are those of its recipe.
fn clients(log: &Log) -> Result<()> {
    journeys::released_clients(log)?;
    run(journeys::journeys()?.arg("recipes::clients::"), log)
}

fn run(journeys: &mut Command, log: &Log) -> Result<()> {
    run_some(journeys.env("XTASK_NODE", system::node(log)?).env("XTASK_CACHE", tools::cache()?), log)
}
