//! The page as users get it, the real server, a browser, and a person's way through.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::binaries::Binary;
use super::{element, linting, stranger};
use crate::steps::Log;
use crate::tools::browsers;
use crate::{page, tools, workspace};

/// The journeys that have steps or commands of their own, by what their names begin with.
const APART: [&str; 6] = ["barriers::", "element::", "pages::", "recipes::", "serve::", "stranger::"];

/// Of the journeys that Chromium takes, those that Firefox does not, by what their names have in them, and why.
const NOT_IN_FIREFOX: [(&str, &str); 8] = [
    ("gallery::every_example", "it takes long, and what it looks at is the program's doing, not the browser's"),
    ("card::many::", "Firefox tells nobody how many listeners and nodes it holds"),
    ("card::arriving::", HAS_OWN_TESTS),
    ("card::choosing::", HAS_OWN_TESTS),
    ("card::sending::", HAS_OWN_TESTS),
    ("card::looks::", "Firefox's driver can't force colours, and tells nothing of the accessibility tree"),
    ("card::keys::ime_02", NO_INPUT_METHOD),
    ("writing::the_enter_that_takes_a_word", NO_INPUT_METHOD),
];

/// Of the custom element's journeys, those that are not for all browsers.
const ELEMENT_NOT_IN_FIREFOX: [(&str, &str); 1] =
    [("element::memory::", "Firefox tells nobody how much memory a page holds")];
const ELEMENT_NOT_IN_WEBKIT: [(&str, &str); 2] = [
    ("element::memory::", "WebKit tells nobody how much memory a page holds"),
    ("element::barriers::", "WebKit's driver sets the size of the window with its bars, and not the page's"),
];

const HAS_OWN_TESTS: &str = "the card's own tests do the same in Firefox, except with trusted keys, which are taken";
const NO_INPUT_METHOD: &str = "Firefox's driver has no input method";

pub(super) fn in_chromium(binaries: &[Binary], log: &Log) -> Result<()> {
    let mut journeys = chromium(binaries, log)?;
    journeys.args(APART.iter().flat_map(|part| ["--skip", part]));
    walk(journeys, log)
}

/// Every example in every state and every look, under the eyes of axe-core.
pub(super) fn barriers(binaries: &[Binary], log: &Log) -> Result<()> {
    let mut journeys = chromium(binaries, log)?;
    journeys.args(["barriers::", "--skip", "element::"]);
    journeys.env("XTASK_AXE", axe(log)?);
    walk(journeys, log)
}

/// `cargo xtask serve`, from its start to Ctrl+C.
pub(super) fn serve(binaries: &[Binary], log: &Log) -> Result<()> {
    let mut journeys = chromium(binaries, log)?;
    journeys.arg("serve::");
    // What the tests have built is there for it, too.
    linting(&mut journeys);
    walk(journeys, log)
}

/// What the README promises to those who take the card into a page of their own.
pub(super) fn stranger(binaries: &[Binary], log: &Log) -> Result<()> {
    let page = stranger::build(log)?;
    let mut journeys = chromium(binaries, log)?;
    journeys.arg("stranger::").env("XTASK_PAGE", page);
    walk(journeys, log)
}

/// The custom element in plain pages.
pub(super) fn element_in_chromium(binaries: &[Binary], log: &Log) -> Result<()> {
    let mut journeys = chromium(binaries, log)?;
    journeys.arg("element::");
    walk_on_elements(journeys, log)
}

/// The same in Firefox.
pub(super) fn element_in_firefox(binaries: &[Binary], log: &Log) -> Result<()> {
    walk_without(firefox(binaries, log)?, &ELEMENT_NOT_IN_FIREFOX, log)
}

/// The same in WebKit, where that is.
pub(super) fn element_in_webkit(binaries: &[Binary], log: &Log) -> Result<()> {
    walk_without(in_this_webkit(binaries, browsers::webkit_here()?)?, &ELEMENT_NOT_IN_WEBKIT, log)
}

/// All journeys of the custom element but these, each with why.
fn walk_without(mut journeys: Command, left_out: &[(&str, &str)], log: &Log) -> Result<()> {
    for (journey, reason) in left_out {
        log.without(format!("{journey}: {reason}"));
    }
    journeys.arg("element::").args(left_out.iter().flat_map(|(name, _)| ["--skip", name]));
    walk_on_elements(journeys, log)
}

fn walk_on_elements(mut journeys: Command, log: &Log) -> Result<()> {
    journeys.env("XTASK_PAGE", element::pages()?).env("XTASK_AXE", axe(log)?);
    walk(journeys, log)
}

/// The script that looks for barriers.
fn axe(log: &Log) -> Result<PathBuf> {
    Ok(tools::axe().folder(log)?.join("node_modules/axe-core/axe.min.js"))
}

/// The same in Firefox, except for a few that are named.
pub(super) fn in_firefox(binaries: &[Binary], log: &Log) -> Result<()> {
    for (journey, reason) in NOT_IN_FIREFOX {
        log.without(format!("{journey}: {reason}"));
    }
    let mut journeys = firefox(binaries, log)?;
    journeys.args(NOT_IN_FIREFOX.iter().map(|(name, _)| name).chain(&APART).flat_map(|name| ["--skip", name]));
    walk(journeys, log)
}

/// A call of the journeys in Chromium, to which names are to be added.
///
/// # Errors
///
/// They are not built, or there is no Chromium.
pub(crate) fn chromium(binaries: &[Binary], log: &Log) -> Result<Command> {
    let chromium = browsers::chromium(log)?;
    let mut journeys = journeys(binaries)?;
    journeys.env("XTASK_CHROMIUM", chromium.program).env("XTASK_CHROMEDRIVER", chromium.driver);
    journeys.env("XTASK_CHROMIUM_ARGUMENTS", browsers::chromium_arguments().join(" "));
    Ok(journeys)
}

/// The same in Firefox.
///
/// # Errors
///
/// They are not built, or there is no Firefox.
pub(crate) fn firefox(binaries: &[Binary], log: &Log) -> Result<Command> {
    let firefox = browsers::firefox(log)?;
    let mut journeys = journeys(binaries)?;
    journeys.env("XTASK_FIREFOX", firefox.program).env("XTASK_GECKODRIVER", firefox.driver);
    Ok(journeys)
}

/// The same in WebKit, which is brought where it is missing.
///
/// # Errors
///
/// They are not built, or there is no WebKit.
pub(crate) fn webkit(binaries: &[Binary], log: &Log) -> Result<Command> {
    in_this_webkit(binaries, browsers::webkit(log)?)
}

fn in_this_webkit(binaries: &[Binary], driver: PathBuf) -> Result<Command> {
    let mut journeys = journeys(binaries)?;
    journeys.env("XTASK_WEBKIT_DRIVER", driver);
    Ok(journeys)
}

fn journeys(binaries: &[Binary]) -> Result<Command> {
    let journeys = binaries.iter().find(|binary| binary.target == "e2e").context("the journeys are not built")?;
    let mut command = Command::new(&journeys.program);
    command.current_dir(&journeys.folder);
    // The browser is the one that is named.
    command.env_remove("XTASK_FIREFOX").env_remove("XTASK_WEBKIT_DRIVER");
    command.env("XTASK_PAGE", page::dist()?).env("XTASK_SERVER", workspace::server("debug"));
    Ok(command)
}

fn walk(journeys: Command, log: &Log) -> Result<()> {
    ensure!(log.run_tests(journeys)? > 0, "no journey has such a name");
    Ok(())
}

/// The clients of AG-UI that others have released, in Node, with the real server.
pub(crate) fn released_clients(log: &Log) -> Result<()> {
    let mut node = Command::new(tools::node(log)?);
    node.arg(workspace::root().join("crates/question-server/tests/clients/main.mjs"));
    node.arg(workspace::server("debug")).arg(tools::clients().folder(log)?);
    log.run(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_journey_that_firefox_leaves_out_exists() {
        for (journey, _) in NOT_IN_FIREFOX {
            let (module, name) = journey.rsplit_once("::").expect("a module and a test");
            let file = Path::new("crates/xtask/tests/e2e").join(module.replace("::", "/")).with_extension("rs");
            let source = workspace::read(&file.to_string_lossy()).unwrap();
            assert!(source.contains(&format!("async fn {name}")), "{} has no test {name}…", file.display());
        }
    }
}
