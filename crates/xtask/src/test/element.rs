//! Plain pages with the custom element, from the package's files as they are: one is the README's lines.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::steps::Log;
use crate::tools::system;
use crate::{files, pack, workspace};

const CRATE: &str = "crates/question-element";

/// Builds what the package needs for its tests, lays out the pages, and runs the package without a page.
pub(super) fn build(log: &Log) -> Result<()> {
    pack::build_for_tests(log)?;
    let pages = pages();
    files::remove(&pages)?;
    files::copy(&pack::package(), &pages.join("question-card"))?;
    files::copy(&workspace::root().join(CRATE).join("tests/page"), &pages)?;
    let readme = workspace::read(&format!("{CRATE}/README.md"))?;
    let page = fs::read_to_string(pages.join("readme.html")).context("there is no page for the README's lines")?;
    files::write(&pages.join("index.html"), page.replace("README\n", first_block(&readme, "html")?))?;
    // Without a bundler, an import names the path of its file.
    let app = first_block(&readme, "js")?.replace("\"question-card/define\"", "\"./question-card/define.js\"");
    files::write(&pages.join("app.js"), app)?;
    // As Node resolves it: the agent's side, and the part of the card that a server loads.
    for script in ["tests/agent.mjs", "tests/server.mjs"] {
        let script = workspace::root().join(CRATE).join(script);
        log.run(Command::new(system::node(log)?).arg(script).arg(pack::package()))?;
    }
    Ok(())
}

/// The folder of the pages.
pub(super) fn pages() -> PathBuf {
    workspace::scratch("element")
}

/// The first code block of this language.
fn first_block<'a>(readme: &'a str, language: &str) -> Result<&'a str> {
    let (_, code) = readme.split_once(&format!("\n```{language}\n")).context("the README has no such block")?;
    Ok(code.split_once("```").map_or(code, |(code, _)| code))
}
