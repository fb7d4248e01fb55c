//! `cargo xtask pages`: pages of JavaScript's frameworks and of its chat toolkits, built by Vite from the packed package, and driven in a
//! browser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::flags::Pages;
use crate::steps::{self, Log, Step};
use crate::test::binaries;
use crate::test::journeys::{self, InBrowser};
use crate::tools::{self, system};
use crate::{files, pack, wasm, workspace};

/// The pages, from the workspace's root. Their `packages.json` has the packages of each.
const PAGES: &str = "crates/question-element/pages";

/// Builds the pages of these names, or all, and drives them.
pub(crate) fn pages(options: &Pages) -> Result<()> {
    let packages: Value = serde_json::from_str(&workspace::read(&format!("{PAGES}/packages.json"))?)?;
    let pages = |kind: &str| packages[kind].as_object().context("packages.json has frameworks and toolkits");
    let known: Vec<&str> = pages("frameworks")?.keys().chain(pages("toolkits")?.keys()).map(String::as_str).collect();
    if let Some(name) = options.name.iter().find(|name| !known.contains(&name.as_str())) {
        bail!("there is no page `{name}`; there are {}", known.join(", "));
    }
    let is_wanted = |page: &&str| options.name.is_empty() || options.name.iter().any(|name| name == page);
    let wanted: Vec<&str> = known.into_iter().filter(is_wanted).collect();
    let browser: InBrowser = match options.browser.as_deref().unwrap_or("chromium") {
        "chromium" => journeys::chromium,
        "firefox" => journeys::firefox,
        "webkit" => journeys::webkit,
        name => bail!("there is no browser `{name}`; there are chromium, firefox, webkit"),
    };
    let [tools, package] = pack::steps();
    steps::run_or_fail(&[
        tools,
        package,
        Step::runs("pages", &["package"], |log| build(&packages, &wanted, log)),
        Step::builds("journeys", &["pages"], |log| drive(&wanted, browser, log)),
    ])?;
    print!("{}", fs::read_to_string(folder().join("weights.txt")).unwrap_or_default());
    Ok(())
}

fn folder() -> PathBuf {
    workspace::scratch("pages")
}

/// Installs the packages, checks the types of the packed package in every framework, and builds the pages.
fn build(packages: &Value, wanted: &[&str], log: &Log) -> Result<()> {
    let folder = folder();
    files::copy(&workspace::root().join(PAGES), &folder)?;
    // A package of the same version may have another content.
    for stale in ["node_modules/question-card", "node_modules/.package-lock.json", "node_modules/.vite", "dist"] {
        files::remove(&folder.join(stale))?;
    }
    files::write(&folder.join("package.json"), "{ \"private\": true, \"type\": \"module\" }\n")?;
    // Of the toolkits those that are wanted: some are large.
    let toolkits = wanted.iter().map(|page| &packages["toolkits"][page]);
    let frameworks = packages["frameworks"].as_object().into_iter().flat_map(|frameworks| frameworks.values());
    let lists = [&packages["builders"]].into_iter().chain(frameworks).chain(toolkits);
    let names = lists.filter_map(Value::as_array).flatten().filter_map(Value::as_str).map(PathBuf::from);
    tools::npm_install(&folder, &names.chain([pack::tarball()?]).collect::<Vec<_>>(), log)?;

    let node = |script: &str| -> Result<Command> {
        let mut node = Command::new(system::node(log)?);
        node.arg(folder.join("node_modules").join(script)).current_dir(&folder);
        Ok(node)
    };
    log.doing("types");
    log.run(node("typescript/bin/tsc")?.args(["--project", "types"]))?;
    let mut weights = String::new();
    for page in wanted {
        log.doing(page);
        log.run(node("vite/bin/vite.js")?.arg("build").env("PAGE", page))?;
        let dist = folder.join("dist").join(page);
        weights += &wasm::table(page, &wasm::with_sum(wasm::weigh(&dist, &loaded_by(&dist)?, log)?));
    }
    files::write(&folder.join("weights.txt"), weights)
}

/// The files that a built page loads to show a card in English.
fn loaded_by(dist: &Path) -> Result<Vec<String>> {
    let mut loaded = Vec::new();
    for entry in fs::read_dir(dist.join("assets"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let is_other_language =
            ["de-", "de_", "es-", "es_", "ar-", "ar_", "ja-", "ja_"].iter().any(|other| name.starts_with(other));
        if [".js", ".css", ".wasm"].iter().any(|ending| name.ends_with(ending)) && !is_other_language {
            loaded.push(format!("assets/{name}"));
        }
    }
    Ok(loaded)
}

fn drive(wanted: &[&str], browser: InBrowser, log: &Log) -> Result<()> {
    binaries::build_journeys(log)?;
    for page in wanted {
        let mut journeys = browser(log)?;
        journeys.arg(format!("pages::{}", page.replace('-', "_")));
        journeys.env("XTASK_NODE", system::node(log)?).env("XTASK_PAGES", folder());
        ensure!(log.run_tests(&mut journeys)? > 0, "the page `{page}` has no journey");
    }
    Ok(())
}
