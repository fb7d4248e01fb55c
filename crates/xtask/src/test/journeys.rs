//! The page as users get it, the real server, a browser, and a person's way through.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::steps::{Tools, Wanted, cargo, check, not_there};
use super::stranger;
use super::summary::Outcome;
use crate::console::say;
use crate::page;
use crate::tools::browsers;

/// What a test's name begins with if it walks through the stranger's page.
const STRANGER: &str = "stranger::";
/// What the name of a test has in it that needs axe-core.
const BARRIERS: &str = "barriers::";

/// Of the journeys that Chromium takes, those that Firefox does not, by what their names have in them, and why.
const NOT_IN_FIREFOX: [(&str, &str); 9] = [
    ("serve::the_page_works_behind_trunk", "it is about Trunk, and the same in every browser"),
    ("gallery::every_example", "it takes long, and what it looks at is the program's doing, not the browser's"),
    ("card::many::", "Firefox tells nobody how many listeners and nodes it holds"),
    ("card::arriving::", HAS_OWN_TESTS),
    ("card::choosing::", HAS_OWN_TESTS),
    ("card::sending::", HAS_OWN_TESTS),
    ("card::looks::", "Firefox's driver can't force colours, and tells nothing of the accessibility tree"),
    ("card::keys::ime_02", "Firefox's driver has no input method"),
    ("writing::the_enter_that_takes_a_word", "Firefox's driver has no input method"),
];

/// Why a card is asked in Firefox for trusted keys alone.
const HAS_OWN_TESTS: &str = "the card's own tests do the same in Firefox, but for trusted keys, which are taken";

pub(super) fn in_chromium(tools: &Tools) -> Result<Outcome> {
    let which = ["--skip", STRANGER, "--skip", BARRIERS];
    journeys_in_chromium(tools, &which, || tools.built())
}

/// Every example in every state and every look, under the eyes of axe-core.
pub(super) fn no_barriers_in_chromium(tools: &Tools) -> Result<Outcome> {
    match tools.axe.reason() {
        Some(reason) => Ok(not_there(reason)),
        None => journeys_in_chromium(tools, &[BARRIERS], || tools.built()),
    }
}

/// What the README promises to whoever takes the card into a page of their own.
pub(super) fn a_strangers_page(tools: &Tools) -> Result<Outcome> {
    journeys_in_chromium(tools, &[STRANGER], || stranger::build(&tools.wasm_bindgen.there()?.join("wasm-bindgen")))
}

/// The journeys once more, but for a few that are named. Like the component tests in Firefox, they are welcome and never needed.
pub(super) fn in_firefox(tools: &Tools) -> Result<Outcome> {
    if let Some(reason) = tools.firefox.reason() {
        return Ok(Outcome::Skipped(reason.to_owned()));
    }
    let firefox = tools.firefox.there()?;
    let page = tools.built()?;
    for (journey, reason) in NOT_IN_FIREFOX {
        say(&format!("Without {journey}: {reason}"));
    }
    let left_out = NOT_IN_FIREFOX.iter().map(|(journey, _)| *journey);
    let which = [STRANGER, BARRIERS].into_iter().chain(left_out);
    let which: Vec<_> = which.flat_map(|journey| ["--skip", journey]).collect();
    journeys(&which, page, |journeys| {
        journeys.env("XTASK_FIREFOX", &firefox.program).env("XTASK_GECKODRIVER", &firefox.driver);
    })
}

fn journeys_in_chromium(tools: &Tools, which: &[&str], build: impl FnOnce() -> Result<PathBuf>) -> Result<Outcome> {
    if let Some(reason) = tools.chromium.reason() {
        return Ok(not_there(reason));
    }
    let chromium = tools.chromium.there()?;
    let arguments = browsers::chromium_arguments().join(" ");
    journeys(which, build()?, |journeys| {
        journeys
            .env("XTASK_CHROMIUM", &chromium.program)
            .env("XTASK_CHROMEDRIVER", &chromium.driver)
            .env("XTASK_CHROMIUM_ARGUMENTS", arguments);
        if let Wanted::There(axe) = &tools.axe {
            journeys.env("XTASK_AXE", axe);
        }
    })
}

/// The journeys that `which` selects, through this page, in the browser that `name` names.
fn journeys(which: &[&str], page: PathBuf, name: impl FnOnce(&mut Command)) -> Result<Outcome> {
    let built = build_server()?;
    if built != Outcome::Passed {
        return Ok(built);
    }
    let mut journeys = cargo();
    journeys.args(["test", "--workspace", "--test", "e2e", "--"]);
    journeys.args(which);
    journeys.env("XTASK_PAGE", page).env("XTASK_SERVER", page::server_program("debug"));
    // Firefox is taken where it is named, whatever the user's environment names.
    journeys.env_remove("XTASK_FIREFOX");
    name(&mut journeys);
    check(&mut journeys)
}

/// Builds the server, together with the journeys, so that cargo settles on the features that the native tests were built with.
pub(super) fn build_server() -> Result<Outcome> {
    check(cargo().args(["build", "--workspace", "--bin", "question-server", "--test", "e2e"]))
}

#[cfg(test)]
mod tests {
    use super::NOT_IN_FIREFOX;
    use crate::workspace;
    use std::fs;

    #[test]
    fn every_journey_that_firefox_leaves_out_exists() {
        let tests = workspace::root().join("crates/xtask/tests/e2e");
        for (journey, _) in NOT_IN_FIREFOX {
            let (module, name) = journey.rsplit_once("::").expect("a module and a test");
            let file = tests.join(module.replace("::", "/")).with_extension("rs");
            let source = fs::read_to_string(&file).unwrap_or_else(|_| panic!("there is no {}", file.display()));
            let exists = source.contains(&format!("async fn {name}"));
            assert!(exists, "{} has no test {name}…", file.display());
        }
    }
}
