//! `cargo xtask agents`: agents of other frameworks behind the built page, each as its recipe starts it.

mod recipe;
mod table;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::children::{self, Child};
use crate::console::say;
use crate::flags::Agents;
use crate::steps::{self, Log, Outcome, Step};
use crate::test::{binaries, journeys};
use crate::tools::system;
use crate::{files, page, workspace};
use recipe::Recipe;
use table::SCENARIOS;

/// Which journeys came to their end, by their names.
type Walked = BTreeMap<&'static str, bool>;

/// Walks through the page with every agent or the named ones, and writes what works into the README of the recipes. Also runs released
/// clients against the server.
pub(crate) fn agents(options: &Agents) -> Result<()> {
    let recipes = Recipe::all()?;
    let known = || recipes.iter().map(|recipe| recipe.name.as_str()).chain([CLIENTS]);
    if let Some(name) = options.name.iter().find(|name| !known().any(|known| known == name.as_str())) {
        bail!("there is no recipe `{name}`, but {}", known().collect::<Vec<_>>().join(", "));
    }
    let is_wanted = |name: &str| options.name.is_empty() || options.name.iter().any(|wanted| wanted == name);

    let walked: Mutex<BTreeMap<&str, Walked>> = Mutex::default();
    let mut steps = vec![Step::builds("native build", &[], binaries::build_journeys)];
    if is_wanted(CLIENTS) {
        steps.push(Step::runs(CLIENTS, &["native build"], |log| clients(&recipes, log)));
        steps.push(Step::builds("curl", &["native build"], journeys::curl));
    }
    let wanted: Vec<_> = recipes.iter().filter(|recipe| is_wanted(&recipe.name)).collect();
    if !wanted.is_empty() {
        steps.extend(page::steps_for_release());
    }
    for recipe in wanted {
        let walked = &walked;
        steps.push(Step::runs(&recipe.name, &["native build", "page for release"], move |log| {
            let outcome = walk(recipe, options.record, log)?;
            let lacks = table::lacks(&table::read()?, &recipe.name)?;
            let other_than_known = |passed| {
                let journeys = outcome.iter().filter(|(name, came)| **came == passed && lacks.contains(name) == passed);
                journeys.map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
            };
            let (mended, failed) = (other_than_known(true), other_than_known(false));
            walked.lock().unwrap_or_else(PoisonError::into_inner).insert(&recipe.name, outcome);
            if !mended.is_empty() {
                say(&format!("{} is said to lack what it did: {mended}", recipe.name));
            }
            if !failed.is_empty() {
                bail!("failed: {failed}; its own words are in {}", log_of(recipe).display());
            }
            Ok(())
        }));
    }
    let ended = steps::run_all(&steps)?;
    table::write(&walked.lock().unwrap_or_else(PoisonError::into_inner), &recipes)?;
    let failed = ended.iter().filter(|step| step.outcome != Outcome::Passed).map(|step| step.name).collect::<Vec<_>>();
    if !failed.is_empty() {
        bail!("{} did not pass; the lines above say why", failed.join(", "));
    }
    Ok(())
}

/// The step that is about clients.
const CLIENTS: &str = "clients";

/// Released clients in front of the server, and `CopilotKit`'s runtime.
fn clients(recipes: &[Recipe], log: &Log) -> Result<()> {
    journeys::released_clients(log)?;
    let copilotkit = recipes.iter().find(|recipe| recipe.name == "copilotkit").context("there is its recipe")?;
    let mut node = Command::new(system::node(log)?);
    node.arg(workspace::root().join("crates/question-server/tests/clients/copilotkit.mjs"));
    log.run(node.arg(workspace::server("debug")).arg(copilotkit.packages(log)?).envs(QUIET))
}

/// Starts the agent and takes every journey with it.
fn walk(recipe: &Recipe, record: bool, log: &Log) -> Result<Walked> {
    let port = free_port()?;
    let _agent = start(recipe, port, log)?;
    log.doing("journeys");
    let mut command = journeys::chromium(log)?;
    command.arg("recipes::");
    command.env("XTASK_AGENT", format!("http://127.0.0.1:{port}{}", recipe.path));
    if record {
        let folder = workspace::root().join("crates/ag-ui-stream/test_data/agents").join(&recipe.name);
        files::make(&folder)?;
        command.env("XTASK_RECORD", folder);
    }
    let mut walked = Walked::new();
    // That one fails may be known of its agent.
    let _ = log.run_reading(&mut command, |line| {
        if let Some((scenario, passed)) = outcome_in(line) {
            walked.insert(scenario, passed);
        }
    });
    match SCENARIOS.iter().find(|scenario| !walked.contains_key(*scenario)) {
        Some(scenario) => bail!("the journey `{scenario}` was not taken"),
        None => Ok(walked),
    }
}

/// The scenario in a line of the harness, and whether it passed.
fn outcome_in(line: &str) -> Option<(&'static str, bool)> {
    let (name, outcome) = line.strip_prefix("test recipes::")?.split_once(" ... ")?;
    Some((SCENARIOS.into_iter().find(|scenario| *scenario == name)?, outcome == "ok"))
}

/// Starts the agent by the command of its recipe, behind the scripted model, and waits until it listens.
fn start(recipe: &Recipe, port: u16, log: &Log) -> Result<Child> {
    let mut command = recipe.starting_at(port, log)?;
    log.doing("starts");
    let path = log_of(recipe);
    let mut file = File::create(&path).with_context(|| format!("can't write {}", path.display()))?;
    // Nobody is told of a test, and nothing is written beside the recipe.
    let (child, output) = Child::start(command.envs(QUIET))?;
    // Reads on for as long as it runs, or it would wait for somebody to read.
    let reading = thread::spawn(move || children::each_line(output, |line| drop(writeln!(file, "{line}"))));
    let begin = Instant::now();
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        if reading.is_finished() || begin.elapsed() > START_LIMIT {
            bail!("it does not listen; what it says is in {}", path.display());
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(child)
}

/// What an agent prints.
fn log_of(recipe: &Recipe) -> PathBuf {
    workspace::scratch(&format!("{} itself.log", recipe.name))
}

/// A port below those that connections get: one of those might be taken before the agent has started.
fn free_port() -> Result<u16> {
    static NEXT: AtomicU16 = AtomicU16::new(8100);
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    let mut ports = (0..1000).map(|_| NEXT.fetch_add(1, Ordering::Relaxed));
    ports.find(is_free).context("there is no free port")
}

/// What keeps agents from asking and telling others over the network, and Python from keeping what it has compiled.
const QUIET: [(&str, &str); 8] = [
    ("AGNO_TELEMETRY", "false"),
    ("ANONYMIZED_TELEMETRY", "false"),
    ("COPILOTKIT_TELEMETRY_DISABLED", "true"),
    ("CREWAI_DISABLE_TELEMETRY", "true"),
    ("LITELLM_LOCAL_MODEL_COST_MAP", "True"),
    ("MASTRA_TELEMETRY_DISABLED", "1"),
    ("OTEL_SDK_DISABLED", "true"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
];

/// How long an agent may take to start: the largest load for half a minute where nothing is cached.
const START_LIMIT: Duration = Duration::from_secs(180);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journey_that_was_taken_is_read_from_the_harness() {
        let [scenario, ..] = SCENARIOS;
        assert_eq!(outcome_in(&format!("test recipes::{scenario} ... ok")), Some((scenario, true)));
        assert_eq!(outcome_in(&format!("test recipes::{scenario} ... FAILED")), Some((scenario, false)));
        assert_eq!(outcome_in("test recipes::another ... ok"), None);
    }
}
