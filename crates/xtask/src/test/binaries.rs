//! The tests that cargo has built, by path. They run without cargo, which would lock its folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::steps::StepLog;
use crate::workspace::{self, linting, linting_cargo};
use crate::{files, wasm};

pub(super) struct Binary {
    /// The folder of its package, which tests expect as the working folder.
    pub(super) folder: PathBuf,
    pub(super) target: String,
    pub(super) program: PathBuf,
}

/// Crates whose tests run natively and as WebAssembly from one source.
const CORE: [&str; 7] = [
    "json-tree",
    "ask-user-question",
    "question-compat",
    "question-form",
    "ag-ui-stream",
    "question-agent",
    "scripted-agent",
];
/// Crates whose tests need a browser.
const COMPONENTS: [&str; 3] = ["question-card", "agent-chat", "app"];

/// The features that are off by default and have tests. All native builds of the tests share them, or cargo would build twice.
pub(super) const FEATURES: &str = "--features=question-server/otlp";

/// The test binaries that this call of xtask has built.
static NATIVE: OnceLock<Vec<Binary>> = OnceLock::new();
static WASM: OnceLock<Vec<Binary>> = OnceLock::new();

/// Builds all native tests. The journeys are not tested by default, since they need a browser, but the pattern of tests includes them. Examples are
/// built as programs, of which journeys start one: as test targets, each would have a harness without tests.
pub(super) fn build_native(log: &StepLog) -> Result<()> {
    let mut all = linting_cargo(["test", "--workspace", "--lib", "--bins", "--benches", "--test", "*", FEATURES]);
    keep(&NATIVE, build(&mut all, log)?)?;
    log.run(&mut linting_cargo(["build", "--workspace", "--examples", FEATURES]))?;
    keep_server()
}

/// Builds the journeys, and the server that they need.
pub(crate) fn build_journeys(log: &StepLog) -> Result<()> {
    log.run(&mut linting_cargo(["build", "--package", "question-server"]))?;
    keep(&NATIVE, build(&mut linting_cargo(["test", "--package", "xtask", "--test", "e2e"]), log)?)?;
    keep_server()
}

/// The server that the journeys start, with all its features. It is a copy, since `serve` builds another one in cargo's folder.
pub(super) fn server() -> PathBuf {
    workspace::scratch("question-server")
}

fn keep_server() -> Result<()> {
    files::remove(&server())?;
    fs::copy(workspace::server("debug"), server()).context("can't copy the server")?;
    Ok(())
}

/// Builds the WebAssembly tests as few programs, since each costs a run of wasm-bindgen and a start of each browser.
pub(super) fn build_wasm(log: &StepLog) -> Result<()> {
    let mut core = wasm::cargo_for(["test", "--lib", "--tests"], log)?;
    core.args(CORE.iter().flat_map(|name| ["--package", name]));
    let mut components = wasm::cargo_for(["test", "--test", "web", "--features", "question-card/hydrate"], log)?;
    components.args(COMPONENTS.iter().flat_map(|name| ["--package", name]));
    let core = build(linting(&mut core), log)?;
    keep(&WASM, core.into_iter().chain(build(linting(&mut components), log)?).collect())
}

pub(super) fn native(target: &str, package: &str) -> Result<Command> {
    let built = NATIVE.get().context("the step that builds this has passed")?;
    let built = built.iter().find(|binary| binary.target == target && binary.folder.ends_with(package));
    let built = built.with_context(|| format!("`{target}` of {package} is not built"))?;
    let mut tests = Command::new(&built.program);
    tests.current_dir(&built.folder);
    Ok(tests)
}

/// The WebAssembly tests of a package.
pub(super) fn wasm(package: &str) -> Result<impl Iterator<Item = &'static Binary>> {
    let built = WASM.get().context("the step that builds this has passed")?;
    Ok(built.iter().filter(move |binary| binary.folder.ends_with(package)))
}

fn keep(place: &OnceLock<Vec<Binary>>, built: Vec<Binary>) -> Result<()> {
    place.set(built).ok().context("a step runs once")
}

fn build(cargo: &mut Command, log: &StepLog) -> Result<Vec<Binary>> {
    let mut built = Vec::new();
    cargo.args(["--no-run", "--message-format=json-render-diagnostics"]);
    log.run_reading(cargo, |line| built.extend(test_in(line)))?;
    Ok(built)
}

/// The test that a message of cargo describes.
fn test_in(line: &str) -> Option<Binary> {
    let message: Value = serde_json::from_str(line).ok()?;
    let is_test = message["profile"]["test"] == true && message["target"]["kind"][0] != "bench";
    Some(Binary {
        folder: Path::new(message["manifest_path"].as_str()?).parent()?.to_owned(),
        target: message["target"]["name"].as_str()?.to_owned(),
        program: message["executable"].as_str().filter(|_| is_test)?.into(),
    })
}
