//! The page as users get it, the real server, a browser, and a person's way through.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::{binaries, linting, run_some};
use crate::steps::Log;
use crate::tools::system;
use crate::{pack, page, tools, wasm, workspace};

/// The journeys that have steps or commands of their own, by what their names begin with.
const APART: [&str; 6] = ["barriers::", "element::", "pages::", "recipes::", "serve::", "stranger::"];

/// A call of the journeys in a browser, to which names are to be added.
pub(crate) type InBrowser = fn(&Log) -> Result<Command>;

/// Journeys that a browser does not take, by what their names have in them, and why.
pub(super) type LeftOut = &'static [(&'static str, &'static str)];

/// Of the journeys that Chromium takes, those that Firefox does not.
pub(super) const NOT_IN_FIREFOX: LeftOut = &[
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
pub(super) const ELEMENT_NOT_IN_FIREFOX: LeftOut =
    &[("element::memory::", "Firefox tells nobody how much memory a page holds")];
pub(super) const ELEMENT_NOT_IN_WEBKIT: LeftOut = &[
    ("element::memory::", "WebKit tells nobody how much memory a page holds"),
    ("element::barriers::", "WebKit's driver sets the size of the window with its bars, and not the page's"),
];

const HAS_OWN_TESTS: &str = "the card's own tests do the same in Firefox, except with trusted keys, which are taken";
const NO_INPUT_METHOD: &str = "Firefox's driver has no input method";

/// Everything that has no step of its own.
pub(super) fn whole(mut journeys: Command, left_out: LeftOut, log: &Log) -> Result<()> {
    journeys.args(APART.iter().flat_map(|name| ["--skip", name]));
    run_some(leave_out(&mut journeys, left_out, log), log)
}

/// Every example in every state and every look, under the eyes of axe-core.
pub(super) fn barriers(log: &Log) -> Result<()> {
    run_some(chromium(log)?.args(["barriers::", "--skip", "element::"]).env("XTASK_AXE", axe(log)?), log)
}

/// `cargo xtask serve`, from its start to Ctrl+C.
pub(super) fn serve(log: &Log) -> Result<()> {
    let mut journeys = chromium(log)?;
    // The tests' builds serve it, too.
    run_some(linting(&mut journeys).arg("serve::").env("XTASK_TRUNK_PATH", page::path()?), log)
}

/// What the README promises to those who take the card into a page of their own.
pub(super) fn stranger(log: &Log) -> Result<()> {
    system::rust_target(wasm::TARGET, log)?;
    let bindgen = tools::wasm_bindgen()?.folder(log)?.join("wasm-bindgen");
    let mut journey = chromium(log)?;
    journey.env("CARGO", workspace::cargo([]).get_program()).env("XTASK_TARGET", workspace::target_dir());
    run_some(journey.arg("stranger::").env("XTASK_WASM_BINDGEN", bindgen), log)
}

/// Builds what the element's tests need of the npm package, and loads it as Node does: the agent's side, and the part that a server loads.
pub(super) fn element_package(log: &Log) -> Result<()> {
    pack::build_for_tests(log)?;
    for script in ["agent.mjs", "server.mjs"] {
        let script = workspace::root().join("crates/question-element/tests").join(script);
        log.run(Command::new(system::node(log)?).arg(script).arg(pack::package()))?;
    }
    Ok(())
}

/// The custom element in plain pages.
pub(super) fn element(mut journeys: Command, left_out: LeftOut, log: &Log) -> Result<()> {
    journeys.arg("element::").env("XTASK_PACKAGE", pack::package()).env("XTASK_AXE", axe(log)?);
    run_some(leave_out(&mut journeys, left_out, log), log)
}

/// Says which journeys are not taken.
fn leave_out<'a>(journeys: &'a mut Command, left_out: LeftOut, log: &Log) -> &'a mut Command {
    for (journey, reason) in left_out {
        log.without(format!("{journey}: {reason}"));
        journeys.args(["--skip", journey]);
    }
    journeys
}

/// The script that looks for barriers.
fn axe(log: &Log) -> Result<PathBuf> {
    Ok(tools::axe().folder(log)?.join("node_modules/axe-core/axe.min.js"))
}

/// A call of the journeys in Chromium, to which names are to be added. They must have been built.
pub(crate) fn chromium(log: &Log) -> Result<Command> {
    let chromium = system::chromium(log)?;
    let mut journeys = journeys()?;
    journeys.env("XTASK_CHROMIUM", chromium.program).env("XTASK_CHROMEDRIVER", chromium.driver);
    journeys.env("XTASK_CHROMIUM_ARGUMENTS", system::chromium_arguments().join(" "));
    Ok(journeys)
}

/// The same in Firefox.
pub(crate) fn firefox(log: &Log) -> Result<Command> {
    let firefox = system::firefox(log)?;
    let mut journeys = journeys()?;
    journeys.env("XTASK_FIREFOX", firefox.program).env("XTASK_GECKODRIVER", firefox.driver);
    Ok(journeys)
}

/// The same in WebKit.
pub(crate) fn webkit(log: &Log) -> Result<Command> {
    let driver = system::webkit(log)?;
    let mut journeys = journeys()?;
    journeys.env("XTASK_WEBKIT_DRIVER", driver);
    Ok(journeys)
}

/// The same without a browser.
pub(crate) fn journeys() -> Result<Command> {
    let mut journeys = binaries::native("e2e", "xtask")?;
    // The browser is the one that is named.
    journeys.env_remove("XTASK_FIREFOX").env_remove("XTASK_WEBKIT_DRIVER");
    journeys.env("XTASK_PAGE", page::dist()).env("XTASK_SERVER", workspace::server("debug"));
    Ok(journeys)
}

/// The clients of AG-UI that others have released, in Node, with the real server.
pub(crate) fn released_clients(log: &Log) -> Result<()> {
    let mut node = Command::new(system::node(log)?);
    node.arg(workspace::root().join("crates/question-server/tests/clients/main.mjs"));
    log.run(node.arg(workspace::server("debug")).arg(tools::clients().folder(log)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_journey_that_a_browser_leaves_out_exists() {
        for (journey, _) in [NOT_IN_FIREFOX, ELEMENT_NOT_IN_FIREFOX, ELEMENT_NOT_IN_WEBKIT].concat() {
            let (module, name) = journey.rsplit_once("::").expect("a module and a test");
            let file = Path::new("crates/xtask/tests/e2e").join(module.replace("::", "/")).with_extension("rs");
            let source = workspace::read(&file.to_string_lossy()).unwrap();
            assert!(source.contains(&format!("async fn {name}")), "{} has no test {name}…", file.display());
        }
    }
}
