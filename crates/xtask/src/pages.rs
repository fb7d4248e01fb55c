//! `cargo xtask pages`: pages of JavaScript's frameworks and of its chat toolkits, built by Vite from the packed package, and driven in a
//! browser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail, ensure};

use crate::flags::Pages;
use crate::steps::{self, Log, Step};
use crate::test::{binaries, journeys};
use crate::tools::{self, system};
use crate::{files, pack, wasm, workspace};

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
type InBrowser = fn(&Log) -> Result<Command>;

/// The browsers in which pages can be driven, by what they are called on the command line.
const BROWSERS: [(&str, InBrowser); 3] =
    [("chromium", journeys::chromium), ("firefox", journeys::firefox), ("webkit", journeys::webkit)];

/// Builds the pages of these names, or all, and drives them.
pub(crate) fn pages(options: &Pages) -> Result<()> {
    let known = FRAMEWORKS.iter().chain(&TOOLKITS).map(|(name, _)| *name).collect::<Vec<_>>();
    if let Some(name) = options.name.iter().find(|name| !known.contains(&name.as_str())) {
        bail!("there is no page `{name}`; there are {}", known.join(", "));
    }
    let is_wanted = |known: &&str| options.name.is_empty() || options.name.iter().any(|name| name == known);
    let wanted = &known.iter().copied().filter(is_wanted).collect::<Vec<_>>();
    let name = options.browser.as_deref().unwrap_or("chromium");
    let Some((_, browser)) = BROWSERS.iter().find(|(known, _)| *known == name) else {
        bail!("there is no browser `{name}`; there are {}", BROWSERS.map(|(name, _)| name).join(", "));
    };
    let [tools, package] = pack::steps();
    steps::run_or_fail(&[
        tools,
        package,
        Step::runs("pages", &["package"], |log| build(wanted, log)),
        Step::builds("journeys", &["pages"], |log| drive(wanted, *browser, log)),
    ])?;
    print!("{}", fs::read_to_string(folder().join("weights.txt")).unwrap_or_default());
    Ok(())
}

fn folder() -> PathBuf {
    workspace::scratch("pages")
}

/// Installs what the pages need beside the packed package, looks whether its types say the same to every framework, and builds the pages.
fn build(wanted: &[&str], log: &Log) -> Result<()> {
    let folder = folder();
    files::copy(&workspace::root().join(PAGES), &folder)?;
    // A package of the same version may have another content.
    for stale in ["node_modules/question-card", "node_modules/.package-lock.json", "node_modules/.vite", "dist"] {
        files::remove(&folder.join(stale))?;
    }
    files::write(&folder.join("package.json"), "{ \"private\": true, \"type\": \"module\" }\n")?;
    // Of the frameworks all: the package's types are for each of them.
    let toolkits = TOOLKITS.iter().filter(|(name, _)| wanted.contains(name));
    let packages = FRAMEWORKS.iter().chain(toolkits).flat_map(|(_, packages)| packages.iter());
    let tarball = pack::tarball()?;
    let packages = BUILDERS.iter().chain(packages).map(Path::new).chain([tarball.as_path()]).collect::<Vec<_>>();
    tools::npm_install(&folder, &packages, log)?;

    let node = |script: &str| {
        let mut node = Command::new("node");
        node.arg(folder.join("node_modules").join(script)).current_dir(&folder);
        node
    };
    log.doing("types");
    log.run(node("typescript/bin/tsc").args(["--project", "types"]))?;
    let mut weights = String::new();
    for page in wanted {
        log.doing(page);
        log.run(node("vite/bin/vite.js").arg("build").env("PAGE", page))?;
        weights +=
            &wasm::table(page, &wasm::with_sum(wasm::weigh(&folder.join("dist").join(page), &loaded_by(page)?, log)?));
    }
    files::write(&folder.join("weights.txt"), weights)
}

/// What a page loads to show a card in English.
fn loaded_by(page: &str) -> Result<Vec<String>> {
    let mut loaded = Vec::new();
    for entry in fs::read_dir(folder().join("dist").join(page).join("assets"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let is_other_language = ["de", "es", "ar", "ja"]
            .iter()
            .any(|other| name.starts_with(&format!("{other}-")) || name.starts_with(&format!("{other}_bg-")));
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
        journeys.arg(format!("pages::{}", function(page)));
        journeys.env("XTASK_NODE", system::node(log)?).env("XTASK_PAGES", folder());
        ensure!(log.run_tests(&mut journeys)? > 0, "the page `{page}` has no journey");
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
