//! The checks themselves.
//!
//! All of them share cargo's one target folder, and no step but one changes `RUSTFLAGS` or features, so that what one has built is
//! there for the next.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Result, anyhow};

use super::browser::{self, Kind};
use super::clients;
use super::journeys;
use super::summary::Outcome;
use crate::args::Group;
use crate::children;
use crate::page;
use crate::tools::browsers::{self, Browser};
use crate::tools::{self, Toolbox};
use crate::workspace;

/// A check with its name.
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) group: Group,
    pub(super) run: fn(&Tools) -> Result<Outcome>,
}

const fn step(group: Group, name: &'static str, run: fn(&Tools) -> Result<Outcome>) -> Step {
    Step { name, group, run }
}

/// Every check, in the order in which they run.
pub(super) const STEPS: &[Step] = &[
    step(Group::Native, "formatting", formatting),
    step(Group::Native, "clippy", clippy),
    step(Group::Native, "documentation", documentation),
    step(Group::Native, "native tests", native_tests),
    step(Group::Native, "documentation tests", documentation_tests),
    step(Group::Native, "card on a server", card_on_a_server),
    step(Group::Wasm, "clippy for wasm32", clippy_for_wasm),
    step(Group::Wasm, "core tests in Node", core_tests_in_node),
    step(Group::Browser, "components in Chromium", components_in_chromium),
    step(Group::Browser, "components in Firefox", components_in_firefox),
    step(Group::E2e, "clients that people have", clients::that_people_have),
    step(Group::E2e, "journeys in Chromium", journeys::in_chromium),
    step(Group::E2e, "no barriers in Chromium", journeys::no_barriers_in_chromium),
    step(Group::E2e, "a stranger's page", journeys::a_strangers_page),
    step(Group::E2e, "journeys in Firefox", journeys::in_firefox),
];

/// Crates whose tests run natively and as WebAssembly from one source.
const CORE: [&str; 3] = ["ask-user-question", "ag-ui-stream", "question-agent"];
/// Crates whose tests need a browser.
const COMPONENTS: [&str; 3] = ["question-card", "agent-chat", "app"];
const WASM: &str = "wasm32-unknown-unknown";

/// What the steps need beyond cargo: there, or why not.
#[derive(Default)]
pub(super) struct Tools {
    lints: Wanted<()>,
    target: Wanted<()>,
    node: Wanted<PathBuf>,
    pub(super) wasm_bindgen: Wanted<PathBuf>,
    page: Wanted<Toolbox>,
    /// The page as users get it, once it is built.
    built: OnceLock<PathBuf>,
    pub(super) axe: Wanted<PathBuf>,
    pub(super) clients: Wanted<PathBuf>,
    pub(super) chromium: Wanted<Browser>,
    pub(super) firefox: Wanted<Browser>,
}

/// A tool; without one, a sentence says why.
#[derive(Default)]
pub(super) enum Wanted<T> {
    #[default]
    NotAsked,
    There(T),
    Missing(String),
}

impl Tools {
    /// Finds or brings what these groups need. What is missing is kept as a reason for the steps that need it.
    pub(super) fn gather(&mut self, groups: &[Group]) -> Result<Outcome> {
        let any = |wanted: &[Group]| wanted.iter().any(|group| groups.contains(group));
        if any(&[Group::Native, Group::Wasm]) {
            self.lints = wanted(tools::lint_components())?;
        }
        if any(&[Group::Wasm, Group::Browser, Group::E2e]) {
            self.target = wanted(tools::wasm_target())?;
            self.wasm_bindgen = wanted(tools::wasm_bindgen())?;
        }
        if any(&[Group::Wasm]) {
            self.node = wanted(tools::node())?;
        }
        if any(&[Group::E2e]) {
            self.page = wanted(Toolbox::for_page(true))?;
            self.axe = wanted(tools::axe())?;
            self.clients = wanted(tools::released_clients())?;
        }
        if any(&[Group::Browser, Group::E2e]) {
            self.chromium = wanted(browsers::chromium())?;
            self.firefox = wanted(browsers::firefox())?;
        }
        Ok(self.judge())
    }

    /// The page as users get it, built when it is first asked for.
    pub(super) fn built(&self) -> Result<PathBuf> {
        if let Some(built) = self.built.get() {
            return Ok(built.clone());
        }
        let built = page::build_for_release(self.page.there()?)?;
        Ok(self.built.get_or_init(|| built).clone())
    }

    /// Firefox is welcome and never needed; browsers, Node and its packages may be missing where nobody promised them.
    fn judge(&self) -> Outcome {
        let basics = [self.lints.reason(), self.target.reason()];
        let built = [self.wasm_bindgen.reason(), self.page.reason()];
        let may_be_missing = [self.node.reason(), self.axe.reason(), self.clients.reason(), self.chromium.reason()];
        let reason = |reasons: &[Option<&str>]| reasons.iter().flatten().next().map(|&reason| reason.to_owned());
        match (reason(&basics).or(reason(&built)), reason(&may_be_missing)) {
            (Some(reason), _) => Outcome::Failed(reason),
            (None, Some(reason)) => not_there(&reason),
            (None, None) => Outcome::Passed,
        }
    }
}

impl<T> Wanted<T> {
    /// Why it is not there.
    pub(super) fn reason(&self) -> Option<&str> {
        match self {
            Self::Missing(reason) => Some(reason),
            Self::NotAsked | Self::There(_) => None,
        }
    }

    /// The tool, for a step whose group has asked for it.
    pub(super) fn there(&self) -> Result<&T> {
        match self {
            Self::There(tool) => Ok(tool),
            Self::Missing(reason) => Err(anyhow!("{reason}")),
            Self::NotAsked => Err(anyhow!("this tool was not asked for")),
        }
    }
}

fn wanted<T>(found: Result<T>) -> Result<Wanted<T>> {
    match found {
        Ok(tool) => Ok(Wanted::There(tool)),
        Err(problem) if children::interrupted() => Err(problem),
        Err(problem) => Ok(Wanted::Missing(format!("{problem:#}"))),
    }
}

/// A machine that promises to check everything may not pass by lacking something.
pub(super) fn not_there(reason: &str) -> Outcome {
    let promised = std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"));
    if promised { Outcome::Failed(reason.to_owned()) } else { Outcome::Skipped(reason.to_owned()) }
}

fn formatting(_: &Tools) -> Result<Outcome> {
    check(cargo().args(["fmt", "--all", "--check"]))
}

fn clippy(_: &Tools) -> Result<Outcome> {
    // The journeys are no ordinary test, or they would run without a browser: cargo leaves them out of "all targets".
    for targets in [&["--all-targets"][..], &["--test", "e2e"]] {
        let mut clippy = cargo();
        clippy.args(["clippy", "--workspace"]).args(targets);
        let outcome = check(clippy.args(["--", "--deny", "warnings"]))?;
        if outcome != Outcome::Passed {
            return Ok(outcome);
        }
    }
    Ok(Outcome::Passed)
}

fn documentation(_: &Tools) -> Result<Outcome> {
    let mut doc = cargo();
    doc.args(["doc", "--workspace", "--lib", "--no-deps"]);
    check(doc.env("RUSTDOCFLAGS", "--deny warnings"))
}

fn native_tests(_: &Tools) -> Result<Outcome> {
    check(cargo().args(["test", "--workspace", "--no-fail-fast", "--lib", "--bins", "--tests"]))
}

fn documentation_tests(_: &Tools) -> Result<Outcome> {
    check(cargo().args(["test", "--workspace", "--doc"]))
}

/// In a call of its own: together with a crate that renders in the browser, Leptos would be built for both, and lose listeners.
fn card_on_a_server(_: &Tools) -> Result<Outcome> {
    check(cargo().args(["test", "--package", "question-card", "--features", "ssr", "--test", "ssr"]))
}

fn clippy_for_wasm(_: &Tools) -> Result<Outcome> {
    let mut clippy = cargo();
    clippy.args(["clippy", "--target", WASM, "--all-targets"]);
    packages(&mut clippy, &CORE);
    packages(&mut clippy, &COMPONENTS);
    check(clippy.args(["--", "--deny", "warnings"]))
}

fn core_tests_in_node(tools: &Tools) -> Result<Outcome> {
    if let Some(reason) = tools.node.reason() {
        return Ok(not_there(reason));
    }
    check(&mut wasm_tests(tools, &CORE)?)
}

fn components_in_chromium(tools: &Tools) -> Result<Outcome> {
    match tools.chromium.reason() {
        Some(reason) => Ok(not_there(reason)),
        None => components(tools, Kind::Chromium, tools.chromium.there()?),
    }
}

fn components_in_firefox(tools: &Tools) -> Result<Outcome> {
    match tools.firefox.reason() {
        Some(reason) => Ok(Outcome::Skipped(reason.to_owned())),
        None => components(tools, Kind::Firefox, tools.firefox.there()?),
    }
}

fn components(tools: &Tools, kind: Kind, browser: &Browser) -> Result<Outcome> {
    let mut tests = wasm_tests(tools, &COMPONENTS)?;
    browser::run_in(&mut tests, kind, browser)?;
    check(&mut tests)
}

fn wasm_tests(tools: &Tools, crates: &[&str]) -> Result<Command> {
    let runner = tools.wasm_bindgen.there()?.join("wasm-bindgen-test-runner");
    let mut tests = cargo();
    tests.args(["test", "--target", WASM, "--no-fail-fast", "--lib", "--bins", "--tests"]);
    packages(&mut tests, crates);
    tests.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner);
    Ok(tests)
}

fn packages(cargo: &mut Command, names: &[&str]) {
    cargo.args(names.iter().flat_map(|name| ["--package", name]));
}

pub(super) fn cargo() -> Command {
    let mut cargo = Command::new(workspace::cargo());
    cargo.current_dir(workspace::root());
    cargo
}

pub(super) fn check(command: &mut Command) -> Result<Outcome> {
    let status = children::run(command)?;
    Ok(if status.success() {
        Outcome::Passed
    } else {
        Outcome::Failed(format!("ended with {status}; its output above says why"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_has_a_step() {
        for group in Group::ALL {
            assert!(STEPS.iter().any(|step| step.group == group), "{group:?}");
        }
    }

    #[test]
    fn the_crates_exist() {
        for name in CORE.iter().chain(&COMPONENTS) {
            let folder = if *name == "app" { "app".to_owned() } else { format!("crates/{name}") };
            assert!(workspace::root().join(folder).join("Cargo.toml").is_file(), "{name}");
        }
    }

    #[test]
    fn a_missing_tool_outranks_a_missing_browser() {
        let tools = Tools {
            wasm_bindgen: Wanted::Missing("no network".into()),
            chromium: Wanted::Missing("no browser".into()),
            ..Tools::default()
        };
        assert_eq!(tools.judge(), Outcome::Failed("no network".into()));
        assert_eq!(Tools::default().judge(), Outcome::Passed);
        let welcome = Tools { firefox: Wanted::Missing("no Firefox".into()), ..Tools::default() };
        assert_eq!(welcome.judge(), Outcome::Passed, "Firefox is never needed");
    }
}
