//! `cargo xtask pages`: pages of JavaScript's frameworks and of its chat toolkits, built by Vite from the packed package, and driven in a
//! browser.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail, ensure};

use crate::flags::Pages;
use crate::steps::{self, Log, Step};
use crate::test::{Binary, binaries, journeys};
use crate::{files, pack, tools, workspace};

/// Where the pages are, from the workspace's root.
const PAGES: &str = "crates/question-element/pages";

/// The page of each framework, with what it needs beside Vite and the package.
const FRAMEWORKS: [(&str, &[&str]); 4] = [
    ("plain", &[]),
    ("react", &["@vitejs/plugin-react@6.3.0", "react@19.3.1", "react-dom@19.3.1"]),
    ("vue", &["@vitejs/plugin-vue@6.0.11", "vue@3.5.45"]),
    ("svelte", &["@sveltejs/vite-plugin-svelte@7.3.1", "svelte@5.57.3"]),
];
/// The page of each toolkit, all of them on React, with what it needs beside that. Of assistant-ui also the packages that its newest
/// versions would bring: not all of those have come to every registry.
const TOOLKITS: [(&str, &[&str]); 3] = [
    ("copilotkit", &["@copilotkit/react-core@1.74.0", "zod@4.6.7"]),
    (
        "assistant-ui",
        &[
            "@assistant-ui/react@0.15.21",
            "@assistant-ui/core@0.3.20",
            "@assistant-ui/store@0.3.14",
            "@assistant-ui/tap@0.9.18",
        ],
    ),
    ("ai-sdk", &["ai@7.0.173", "@ai-sdk/react@4.0.177", "zod@4.6.7"]),
];
/// What builds all of them, and what looks at the package's types.
const BUILDERS: [&str; 3] = ["vite@8.3.8", "typescript@5.9.3", "@types/react@19.3.0"];

/// A call of the journeys in a browser, to which names are to be added.
type InBrowser = fn(&[Binary], &Log) -> Result<Command>;

/// The browsers in which pages can be driven, by what they are called on the command line.
const BROWSERS: [(&str, InBrowser); 3] =
    [("chromium", journeys::chromium), ("firefox", journeys::firefox), ("webkit", journeys::webkit)];

/// Builds the pages of these names, or all, and drives them.
pub(crate) fn pages(options: &Pages) -> Result<()> {
    let known = || FRAMEWORKS.iter().chain(&TOOLKITS).map(|(name, _)| *name);
    if let Some(name) = options.name.iter().find(|name| !known().any(|known| known == name.as_str())) {
        bail!("there is no page `{name}`; there are {}", known().collect::<Vec<_>>().join(", "));
    }
    let wanted: Vec<&str> =
        known().filter(|known| options.name.is_empty() || options.name.iter().any(|name| name == known)).collect();
    let wanted = &wanted;
    let name = options.browser.as_deref().unwrap_or("chromium");
    let Some((_, browser)) = BROWSERS.iter().find(|(known, _)| *known == name) else {
        bail!("there is no browser `{name}`; there are {}", BROWSERS.map(|(name, _)| name).join(", "));
    };
    let [tools, package] = pack::steps();
    steps::run_or_fail(&[
        tools,
        package,
        Step::runs("pages", &["package"], move |log| build(wanted, log)),
        Step::builds("journeys", &["pages"], move |log| drive(wanted, *browser, log)),
    ])?;
    print!("{}", fs::read_to_string(folder()?.join("weights.txt")).unwrap_or_default());
    Ok(())
}

fn folder() -> Result<PathBuf> {
    Ok(workspace::scratch_dir()?.join("pages"))
}

/// Installs what the pages need beside the packed package, looks whether its types say the same to every framework, and builds the pages.
fn build(wanted: &[&str], log: &Log) -> Result<()> {
    let folder = folder()?;
    files::copy(&workspace::root().join(PAGES), &folder)?;
    // A package of the same version may have another content.
    for stale in ["node_modules/question-card", "node_modules/.package-lock.json", "node_modules/.vite", "dist"] {
        files::remove(&folder.join(stale))?;
    }
    files::write(&folder.join("package.json"), "{ \"private\": true, \"type\": \"module\" }\n")?;
    let node = tools::node(log)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]);
    npm.args(BUILDERS);
    // Of the frameworks all: the package's types are for each of them.
    let toolkits = TOOLKITS.iter().filter(|(name, _)| wanted.contains(name));
    npm.args(FRAMEWORKS.iter().chain(toolkits).flat_map(|(_, packages)| packages.iter()));
    npm.arg(pack::tarball()?).current_dir(&folder);
    log.run(npm)?;
    log.doing("types");
    let mut types = Command::new(&node);
    types.args(["node_modules/typescript/bin/tsc", "--project", "types"]).current_dir(&folder);
    log.run(types)?;
    for page in wanted {
        log.doing(page);
        let mut vite = Command::new(&node);
        vite.args(["node_modules/vite/bin/vite.js", "build"]).env("PAGE", page).current_dir(&folder);
        log.run(vite)?;
    }
    files::write(&folder.join("weights.txt"), tools::run_script(WEIGH, &folder.join("dist"), log)?)
}

/// Prints what each page loads to show a card in English, by Brotli.
const WEIGH: &str = r#"
const fs = require("node:fs"), path = require("node:path"), zlib = require("node:zlib");
const dist = process.argv[1];
const best = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 11 } };
for (const page of fs.readdirSync(dist)) {
  const files = fs.readdirSync(path.join(dist, page), { recursive: true }).filter((name) => /\.(js|css|wasm)$/.test(name));
  // Of the languages a page loads one.
  const loaded = files.filter((name) => !/\/(de|es|ar|ja)(_bg)?-/.test(name));
  const weights = loaded.map((name) => [name, zlib.brotliCompressSync(fs.readFileSync(path.join(dist, page, name)), best).length]);
  console.log(page);
  for (const [name, bytes] of weights) console.log("  " + name.padEnd(40) + String(bytes).padStart(8));
  console.log("  together".padEnd(42) + String(weights.reduce((sum, [, bytes]) => sum + bytes, 0)).padStart(8));
}
"#;

fn drive(wanted: &[&str], browser: InBrowser, log: &Log) -> Result<()> {
    let binaries = binaries::journeys(log)?;
    for page in wanted {
        let mut journeys = browser(&binaries, log)?;
        journeys.arg(format!("pages::{}", function(page)));
        journeys.env("XTASK_NODE", tools::node(log)?).env("XTASK_PAGES", folder()?);
        ensure!(log.run_tests(journeys)? > 0, "the page `{page}` has no journey");
    }
    Ok(())
}

/// What the functions of this page's journeys begin with.
fn function(page: &str) -> String {
    page.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_there_and_has_a_journey() {
        let journeys = workspace::read("crates/xtask/tests/e2e/pages.rs").unwrap();
        for (page, _) in FRAMEWORKS.into_iter().chain(TOOLKITS) {
            assert!(workspace::root().join(PAGES).join(page).join("index.html").is_file(), "{page}");
            assert!(journeys.contains(&format!("async fn {}", function(page))), "{page}");
        }
    }
}
