//! `cargo xtask pages`: builds pages of JavaScript frameworks and chat toolkits by Vite from the packed package, and tests them in a browser.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::flags::Pages;
use crate::steps::{self, StepLog, StepSpec};
use crate::test::binaries;
use crate::test::journeys::{self, InBrowser};
use crate::tools::{self, system};
use crate::{files, pack, workspace};

/// Builds and tests the named pages, or all.
pub(crate) fn pages(options: &Pages) -> Result<()> {
    let browser: (&str, InBrowser) = match options.browser.as_deref().unwrap_or("chromium") {
        "chromium" => ("Chromium", journeys::chromium),
        "firefox" => ("Firefox", journeys::firefox),
        "webkit" => ("WebKit", journeys::webkit),
        other => bail!("there is no browser `{other}`, but chromium, firefox and webkit"),
    };
    let with = |main| workspace::folders_with("crates/question-element/pages", main);
    let known = [with("main.js")?, with("main.jsx")?, vec![NO_WASM.to_owned()]].concat();
    let wanted = &workspace::wanted(&known, &options.name)?;
    let [tools, package] = pack::card_steps();
    steps::run_or_fail(&[
        tools,
        package,
        StepSpec::runs("pages", &[pack::names::CARD], |log| build(wanted, log)),
        StepSpec::builds("journeys", &["pages"], |log| drive(wanted, browser, log)),
    ])
}

/// The page of the element's own tests, with the program compiled to JavaScript instead of WebAssembly.
const NO_WASM: &str = "no-wasm";
/// The tests of files that are loaded separately, which this program has none of.
const OF_FILES: [&str; 5] = [
    "a_program_that_does_not_come",
    "a_sheet_that_does_not_come",
    "the_language_around",
    "the_document_stays",
    "without_webassembly",
];

fn folder() -> PathBuf {
    workspace::scratch("pages")
}

/// Installs the packages of the pages, checks the package's types with every framework, and builds the pages.
fn build(wanted: &[&str], log: &StepLog) -> Result<()> {
    let folder = folder();
    files::copy(&workspace::root().join("crates/question-element/pages"), &folder)?;
    // A package of the same version may have been built again.
    for stale in ["node_modules/question-card", "node_modules/.package-lock.json", "node_modules/.vite", "dist"] {
        files::remove(&folder.join(stale))?;
    }
    files::copy(&pack::card().1, &folder.join("question-card.tgz"))?;
    // Toolkits have many dependencies, so only the wanted ones are installed. All frameworks are, since the package's types are checked with each.
    let is_toolkit = |page: &&&str| folder.join(page).join("package.json").is_file();
    let mut which: Vec<_> = wanted.iter().filter(is_toolkit).map(|page| format!("--workspace={page}")).collect();
    which.push(if which.is_empty() { "--workspaces=false" } else { "--include-workspace-root" }.to_owned());
    tools::npm_install(&folder, &which, log)?;

    let program = system::node(log)?;
    let node = |script: &str| {
        let mut node = Command::new(&program);
        node.arg(folder.join("node_modules").join(script)).current_dir(&folder);
        node
    };
    log.doing("types");
    log.run(node("typescript/bin/tsc").args(["--project", "types"]))?;
    for page in wanted.iter().filter(|page| **page != NO_WASM) {
        log.doing(page);
        log.run(node("vite/bin/vite.js").arg("build").env("PAGE", page))?;
    }
    Ok(())
}

fn drive(wanted: &[&str], (name, browser): (&str, InBrowser), log: &StepLog) -> Result<()> {
    binaries::build_journeys(log)?;
    for page in wanted {
        let mut journeys = browser(log)?;
        if *page == NO_WASM {
            journeys.arg("element::").args(OF_FILES.iter().flat_map(|name| ["--skip", name]));
            journeys.env("XTASK_NO_WASM", "1").env("XTASK_PACKAGE", pack::card().0);
            journeys::skip_left_out(&mut journeys, name, true, log);
        } else {
            journeys.arg(format!("pages::{}", page.replace('-', "_")));
        }
        journeys
            .env("XTASK_AXE", journeys::axe(log)?)
            .env("XTASK_NODE", system::node(log)?)
            .env("XTASK_PAGES", folder());
        log.run_some(&mut journeys).with_context(|| format!("the page `{page}`"))?;
    }
    Ok(())
}
