//! Plain pages with the custom element, from the package's files as they are: one is the README's lines.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::stranger::block;
use crate::steps::Log;
use crate::tools::system;
use crate::{files, pack, workspace};

const CRATE: &str = "crates/question-element";

/// Builds what the package needs for its tests, lays out the pages, and looks at the package without one.
pub(super) fn build(log: &Log) -> Result<()> {
    pack::build_for_tests(log)?;
    let pages = pages();
    files::remove(&pages)?;
    files::copy(&pack::package(), &pages.join("question-card"))?;
    files::copy(&workspace::root().join(CRATE).join("tests/page"), &pages)?;
    let readme = workspace::read(&format!("{CRATE}/README.md"))?;
    let page = fs::read_to_string(pages.join("readme.html")).context("there is no page for the README's lines")?;
    files::write(&pages.join("index.html"), page.replace("README\n", block(&readme, "html", "<question-card")?))?;
    // Without a bundler a name says where its file is.
    let app = block(&readme, "js", "app.js")?.replace("\"question-card/define\"", "\"./question-card/define.js\"");
    files::write(&pages.join("app.js"), app)?;
    // As Node resolves it: the agent's side, and what a server loads of the card.
    for script in ["tests/agent.mjs", "tests/server.mjs"] {
        let script = workspace::root().join(CRATE).join(script);
        log.run(Command::new(system::node(log)?).arg(script).arg(pack::package()))?;
    }
    Ok(())
}

/// Where the pages are.
pub(super) fn pages() -> PathBuf {
    workspace::scratch("element")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readmes_example_is_short() {
        let readme = workspace::read(&format!("{CRATE}/README.md")).unwrap();
        let [html, js] = [("html", "<question-card"), ("js", "app.js")].map(|(name, mark)| block(&readme, name, mark));
        let lines = [html, js].into_iter().map(|block| block.unwrap().lines().count()).sum::<usize>();
        assert!(lines <= 15, "{lines} lines");
    }
}
