//! `cargo xtask agents`: agents of other makes behind the built page, each as its recipe starts it.

mod environment;
mod recipe;
mod table;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::children::{self, Child};
use crate::console::say;
use crate::flags::Agents;
use crate::steps::{self, Log, Outcome, Step};
use crate::test::{Binary, binaries, journeys};
use crate::{files, page, tools, workspace};
use recipe::{RECIPES, Recipe, SCENARIOS};

/// Walks through the page with every agent or the named ones, and writes what works into the README of the recipes. Also lets clients of
/// other makes talk to the server.
pub(crate) fn agents(options: &Agents) -> Result<()> {
    let (chosen, with_clients) = chosen(&options.name)?;
    let journeys = OnceLock::new();
    let walked: Mutex<BTreeMap<&str, Walked>> = Mutex::new(BTreeMap::new());
    let mut steps = vec![Step::builds("native build", &[], |log| {
        journeys.set(binaries::journeys(log)?).ok().context("a step runs once")
    })];
    if with_clients {
        steps.push(Step::runs(CLIENTS, &["native build"], clients));
    }
    if !chosen.is_empty() {
        steps.extend(page::steps_for_release());
    }
    for &recipe in &chosen {
        let (journeys, walked) = (&journeys, &walked);
        steps.push(Step::runs(recipe.name, &["native build", "page for release"], move |log| {
            let journeys: &Vec<Binary> = journeys.get().context("the step that builds this has passed")?;
            let outcome = walk(recipe, journeys, options.record, log)?;
            let (surprises, mended) = (recipe.surprises(&outcome), recipe.mended(&outcome));
            walked.lock().unwrap_or_else(PoisonError::into_inner).insert(recipe.name, outcome);
            if !mended.is_empty() {
                say(&format!("{} is said to lack what it did: {}", recipe.name, mended.join(", ")));
            }
            if !surprises.is_empty() {
                bail!("failed: {}; its own words are in {}", surprises.join(", "), log_of(recipe)?.display());
            }
            Ok(())
        }));
    }
    let ended = steps::run_all(&steps)?;
    let walked = walked.lock().unwrap_or_else(PoisonError::into_inner);
    table::write(&walked)?;
    let failed = ended.iter().filter(|step| step.outcome != Outcome::Passed).map(|step| step.name).collect::<Vec<_>>();
    if !failed.is_empty() {
        bail!("{} did not pass; the lines above say why", failed.join(", "));
    }
    Ok(())
}

/// Which journeys came to their end, by their names.
type Walked = BTreeMap<&'static str, bool>;

/// The recipes of these names, or all, and whether the clients are meant as well.
fn chosen(names: &[String]) -> Result<(Vec<&'static Recipe>, bool)> {
    if names.is_empty() {
        return Ok((RECIPES.iter().collect(), true));
    }
    let with_clients = names.iter().any(|name| name == CLIENTS);
    let recipes = names.iter().filter(|name| *name != CLIENTS).map(|name| named(name));
    Ok((recipes.collect::<Result<_>>()?, with_clients))
}

fn named(name: &str) -> Result<&'static Recipe> {
    let all = || RECIPES.map(|recipe| recipe.name).join(", ");
    let recipe = RECIPES.iter().find(|recipe| recipe.name == name);
    recipe.with_context(|| format!("there is no recipe `{name}`, but {} and {CLIENTS}", all()))
}

/// The step that is about clients.
const CLIENTS: &str = "clients";

/// Released clients in front of the server, and `CopilotKit`'s runtime.
fn clients(log: &Log) -> Result<()> {
    journeys::released_clients(log)?;
    let mut node = Command::new(tools::node(log)?);
    node.arg(workspace::root().join("crates/question-server/tests/clients/copilotkit.mjs"));
    node.arg(workspace::server("debug")).arg(environment::folder(named("copilotkit")?, log)?);
    node.envs(QUIET);
    log.run(node)
}

/// Starts the agent and takes every journey with it.
fn walk(recipe: &Recipe, binaries: &[Binary], record: bool, log: &Log) -> Result<Walked> {
    let port = free_port()?;
    let _agent = start(recipe, port, log)?;
    log.doing("journeys");
    let mut command = journeys::chromium(binaries, log)?;
    command.arg("recipes::");
    command.env("XTASK_AGENT", format!("http://127.0.0.1:{port}{}", recipe.path));
    if record {
        let folder = workspace::root().join("crates/ag-ui-stream/test_data/agents").join(recipe.name);
        files::make(&folder)?;
        command.env("XTASK_RECORD", folder);
    }
    let mut walked = Walked::new();
    // That one fails may be known of its agent.
    let _ = log.run_reading(command, |line| {
        if let Some((scenario, passed)) = outcome_in(line) {
            walked.insert(scenario, passed);
        }
    });
    match SCENARIOS.iter().find(|(scenario, _)| !walked.contains_key(scenario)) {
        Some((scenario, _)) => bail!("the journey `{scenario}` was not taken"),
        None => Ok(walked),
    }
}

/// The scenario in a line of the harness, and whether it passed.
fn outcome_in(line: &str) -> Option<(&'static str, bool)> {
    let (name, outcome) = line.strip_prefix("test recipes::")?.split_once(" ... ")?;
    let (scenario, _) = SCENARIOS.iter().find(|(scenario, _)| *scenario == name)?;
    Some((scenario, outcome == "ok"))
}

/// Starts the agent by the command of its recipe, behind the scripted model, and waits until it listens.
fn start(recipe: &Recipe, port: u16, log: &Log) -> Result<Child> {
    let mut command = environment::python(recipe, log)?;
    command.arg(environment::scripted_model()).args(recipe.start_at(port));
    // Nobody is told of a test, and nothing is written beside the recipe.
    command.envs(QUIET);
    log.doing("starts");
    let path = log_of(recipe)?;
    let mut file = File::create(&path).with_context(|| format!("can't write {}", path.display()))?;
    let (child, output) = Child::start_piped(command)?;
    let (sender, listens) = mpsc::channel();
    let address = format!(":{port}");
    // Reads on for as long as it runs, or it would wait for somebody to read.
    thread::spawn(move || {
        children::each_line(output, |line| {
            let _ = writeln!(file, "{line}");
            if line.contains(&address) {
                let _ = sender.send(());
            }
        });
    });
    match listens.recv_timeout(START_LIMIT) {
        Ok(()) => Ok(child),
        Err(_) => bail!("it does not say that it listens; what it says is in {}", path.display()),
    }
}

/// What an agent prints.
fn log_of(recipe: &Recipe) -> Result<PathBuf> {
    Ok(workspace::scratch_dir()?.join(format!("{} itself.log", recipe.name)))
}

fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("there is no free port")?;
    Ok(listener.local_addr().context("the system does not say which port it gave")?.port())
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
    fn recipes_are_chosen_by_name() {
        let of = |names: &[&str]| chosen(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        let (all, with_clients) = of(&[]).unwrap();
        assert_eq!((all.len(), with_clients), (RECIPES.len(), true));
        let (one, with_clients) = of(&["pydantic-ai"]).unwrap();
        assert_eq!((one[0].name, one.len(), with_clients), ("pydantic-ai", 1, false));
        let (none, with_clients) = of(&[CLIENTS]).unwrap();
        assert_eq!((none.len(), with_clients), (0, true));
        assert!(of(&["skynet"]).unwrap_err().to_string().contains("pydantic-ai"));
    }

    #[test]
    fn a_journey_that_was_taken_is_read_from_the_harness() {
        let (scenario, _) = SCENARIOS[0];
        assert_eq!(outcome_in(&format!("test recipes::{scenario} ... ok")), Some((scenario, true)));
        assert_eq!(outcome_in(&format!("test recipes::{scenario} ... FAILED")), Some((scenario, false)));
        assert_eq!(outcome_in("test recipes::another ... ok"), None);
    }
}
