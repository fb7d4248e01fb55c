//! The journeys: users' paths through the built page, with the real server and a browser.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::binaries;
use crate::steps::StepLog;
use crate::tools::system;
use crate::{pack, page, tools, workspace};

/// The prefixes of journeys that have their own steps or commands.
const APART: [&str; 8] =
    ["card::barriers::", "element::", "packages::", "pages::", "recipes::", "serve::", "ssr_chat::", "stranger::"];

/// Returns a call of the journeys in a browser, to which names of journeys are added.
pub(crate) type InBrowser = fn(&StepLog) -> Result<Command>;

/// The journeys that browsers skip, by the beginning of their names, with reasons, one per line. Those of `Chromium alone` would show nothing new in
/// other browsers.
const LEFT_OUT: &str = include_str!("../../tests/e2e/left_out.txt");

/// Runs the journeys of the custom element in plain pages, or all others without a step of their own.
pub(super) fn walk(mut journeys: Command, browser: &str, of_element: bool, log: &StepLog) -> Result<()> {
    journeys.env("XTASK_AXE", axe(log)?);
    if of_element {
        journeys
            .arg("element::")
            .env("XTASK_PACKAGE", pack::card_content_for_tests())
            .env("XTASK_NODE", system::node(log)?);
    } else {
        journeys.args(APART.iter().flat_map(|name| ["--skip", name]));
    }
    skip_left_out(&mut journeys, browser, of_element, log);
    log.run_some(&mut journeys)
}

/// Skips the journeys that a browser leaves out: those of the element, or all others.
pub(crate) fn skip_left_out(journeys: &mut Command, browser: &str, of_element: bool, log: &StepLog) {
    let mut alone = 0;
    for [of, journey, reason] in left_out().filter(|[_, journey, _]| journey.starts_with("element::") == of_element) {
        if of == "Chromium alone" && browser != "Chromium" {
            alone += 1;
        } else if of.split(", ").any(|of| of == browser) {
            log.without(format!("{journey}: {reason}"));
        } else {
            continue;
        }
        journeys.args(["--skip", journey]);
    }
    if alone > 0 {
        log.without(format!("what goes in Chromium alone: {alone} lines of left_out.txt"));
    }
}

/// Checks every example in every state with axe-core.
pub(super) fn barriers(log: &StepLog) -> Result<()> {
    log.run_some(chromium(log)?.arg("card::barriers::").env("XTASK_AXE", axe(log)?))
}

/// Runs `cargo xtask serve` from its start to Ctrl+C.
pub(super) fn serve(log: &StepLog) -> Result<()> {
    let mut journeys = chromium(log)?;
    // It builds with the same settings as the tests, so that their builds are used again.
    log.run_some(workspace::linting(&mut journeys).arg("serve::").env("XTASK_TRUNK_PATH", page::path()?))
}

/// Tests the README's promises to users who put the card into a page of their own, and the page that a server renders.
pub(super) fn stranger(log: &StepLog) -> Result<()> {
    let mut journey = chromium(log)?;
    log.run_some(journey.env("XTASK_TRUNK_PATH", page::path()?).args(["stranger::", "ssr_chat::"]))
}

/// Installs the program's packages into empty folders and uses them.
pub(super) fn packages(log: &StepLog) -> Result<()> {
    system::node(log).and(system::npm(log)).and(system::python(log))?;
    log.run_some(chromium(log)?.arg("packages::").env("XTASK_PACKAGES", pack::folder_for_tests()))
}

/// Builds the npm package's files for the element's tests, and loads them in Node: the agent's side, and the part for a server.
pub(super) fn element_package(log: &StepLog) -> Result<()> {
    pack::card_for_tests(log)?;
    for script in ["agent.mjs", "call.mjs", "server.mjs"] {
        let script = workspace::root().join("crates/question-element/tests").join(script);
        log.run(Command::new(system::node(log)?).arg(script).arg(pack::card_content_for_tests()))?;
    }
    Ok(())
}

/// Tests scripts of pages with a simulated browser: those of web push, and that of a question's page for clients of MCP.
pub(super) fn page_scripts(log: &StepLog) -> Result<()> {
    let scripts = ["app/tests/web_push.mjs", "crates/question-mcp/tests/form_page.mjs"];
    log.run(Command::new(system::node(log)?).arg("--test").args(scripts.map(|script| workspace::root().join(script))))
}

/// The browsers, the journey and the reason in each line.
fn left_out() -> impl Iterator<Item = [&'static str; 3]> {
    LEFT_OUT.lines().filter_map(|line| line.split(" | ").collect::<Vec<_>>().try_into().ok())
}

/// The script of axe-core.
pub(crate) fn axe(log: &StepLog) -> Result<PathBuf> {
    Ok(tools::axe().folder(log)?.join("node_modules/axe-core/axe.min.js"))
}

/// A call of the journeys in Chromium, to which names of journeys are added. They must have been built.
pub(crate) fn chromium(log: &StepLog) -> Result<Command> {
    let chromium = system::chromium(log)?;
    let mut journeys = journeys()?;
    journeys.env("XTASK_CHROMIUM", chromium.program).env("XTASK_CHROMEDRIVER", chromium.driver);
    journeys.env("XTASK_CHROMIUM_ARGUMENTS", system::chromium_arguments());
    Ok(journeys)
}

/// The same in Firefox.
pub(crate) fn firefox(log: &StepLog) -> Result<Command> {
    let firefox = system::firefox(log)?;
    let mut journeys = journeys()?;
    journeys.env("XTASK_FIREFOX", firefox.program).env("XTASK_GECKODRIVER", firefox.driver);
    Ok(journeys)
}

/// The same in WebKit.
pub(crate) fn webkit(log: &StepLog) -> Result<Command> {
    let mut journeys = journeys()?;
    journeys.env("XTASK_WEBKIT_DRIVER", system::webkit(log)?.program);
    Ok(journeys)
}

/// The same without a browser.
pub(crate) fn journeys() -> Result<Command> {
    let mut journeys = binaries::native("e2e", "xtask")?;
    // The environment must not choose another browser.
    journeys.env_remove("XTASK_FIREFOX").env_remove("XTASK_WEBKIT_DRIVER");
    journeys.env("XTASK_PAGE", page::dist()).env("XTASK_SERVER", binaries::server());
    journeys.env("XTASK_DEMO", workspace::scratch("demo")).env("XTASK_TARGET", workspace::target_dir());
    Ok(journeys)
}

/// Runs released clients of AG-UI in Node, against the real server.
pub(crate) fn released_clients(log: &StepLog) -> Result<()> {
    in_node(log, "crates/question-server/tests/clients/main.mjs", &tools::clients())
}

/// Runs released clients of MCP in Node, against the real server.
pub(crate) fn mcp_clients(log: &StepLog) -> Result<()> {
    in_node(log, "crates/question-mcp/tests/clients/main.mjs", &tools::mcp_clients())
}

fn in_node(log: &StepLog, script: &str, clients: &tools::PinnedTool) -> Result<()> {
    let mut node = Command::new(system::node(log)?);
    node.arg(workspace::root().join(script));
    log.run(node.arg(binaries::server()).arg(clients.folder(log)?))
}
