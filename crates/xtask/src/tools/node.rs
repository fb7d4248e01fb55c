//! Node.js, `wasm-opt`, which comes as a package of it, and the packages that tests run and benchmarks measure.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::cache;
use super::debian::Apt;
use super::search;
use crate::children;
use crate::console::say;

/// `wasm-opt` in the version of npm's `binaryen`.
const BINARYEN: &str = "132.0.0";

/// What JavaScript pages read AG-UI streams and growing JSON with, each as it is measured.
const STREAM_PEERS: [&str; 4] = [
    "@ag-ui/client@1.0.0",
    "eventsource-parser@4.1.3",
    "jsonriver@1.1.1",
    "rxjs@7.8.1", // What `@ag-ui/client` is made of.
];

/// What looks for barriers in pages, in the version of npm's `axe-core`.
const AXE: &str = "4.14.1";

/// The versions of `@ag-ui/client` that a server meets, each with a way of its own: the newest, the last before 1.0, which `CopilotKit` pins,
/// and one from before interrupts.
pub(crate) const CLIENTS: [&str; 3] = ["1.0.0", "0.0.59", "0.0.47"];

/// The `node` that runs tests, brought by apt where that may be done.
///
/// # Errors
///
/// It is missing and can't be brought.
pub(crate) fn node() -> Result<PathBuf> {
    ensure_on_path("node")
}

/// A folder with `wasm-opt`, which takes a quarter off the page's wasm.
///
/// # Errors
///
/// It is missing, and there is no npm or no network to bring it.
pub(crate) fn wasm_opt() -> Result<PathBuf> {
    let suitable = |program: &PathBuf| {
        let text = children::output_of(Command::new(program).arg("--version")).unwrap_or_default();
        release_number(&text).is_some_and(|present| Some(present) >= release_number(OLDEST_WASM_OPT))
    };
    if let Some(program) = search::on_path("wasm-opt").into_iter().find(suitable) {
        let folder = program.parent().expect("a file on the PATH lies in a folder");
        return Ok(folder.to_owned());
    }
    node()?;
    let entry = match cache::entry("binaryen", BINARYEN)? {
        Some(entry) => entry,
        None => install_binaryen()?,
    };
    Ok(entry.join("node_modules").join(".bin"))
}

/// A folder in which Node finds the packages that `cargo xtask bench stream` measures.
///
/// # Errors
///
/// They are missing, and there is no npm or no network to bring them.
pub(crate) fn stream_peers() -> Result<PathBuf> {
    node()?;
    let pins = STREAM_PEERS.join("-").replace(['@', '/'], "-");
    match cache::entry("stream-peers", &pins)? {
        Some(entry) => Ok(entry),
        None => {
            say(&format!(
                "Installing {}, which are measured, into {}; this takes some seconds, once",
                STREAM_PEERS.join(", "),
                cache::home()?.display()
            ));
            install("stream-peers", &pins, &STREAM_PEERS)
        }
    }
}

/// A folder in which Node finds each of [`CLIENTS`], as `client-VERSION`.
///
/// # Errors
///
/// They are missing, and there is no npm or no network to bring them; or Node is too old for them.
pub(crate) fn released_clients() -> Result<PathBuf> {
    let node = node()?;
    let version = children::output_of(Command::new(node).arg("--version")).unwrap_or_default();
    if major(&version).is_none_or(|major| major < OLDEST_NODE) {
        bail!("Node.js {OLDEST_NODE} or later is needed, and `node --version` says {version:?}");
    }
    let pins = CLIENTS.join("-");
    match cache::entry("ag-ui-clients", &pins)? {
        Some(entry) => Ok(entry),
        None => {
            say(&format!(
                "Installing @ag-ui/client {}, which the server is tried with, into {}; this takes some seconds, once",
                CLIENTS.join(", "),
                cache::home()?.display()
            ));
            let packages = CLIENTS.map(|pin| format!("client-{pin}@npm:@ag-ui/client@{pin}"));
            let packages: Vec<&str> = packages.iter().map(String::as_str).collect();
            install("ag-ui-clients", &pins, &packages)
        }
    }
}

/// The script that looks for barriers in a page.
///
/// # Errors
///
/// It is missing, and there is no npm or no network to bring it.
pub(crate) fn axe() -> Result<PathBuf> {
    let entry = match cache::entry("axe-core", AXE)? {
        Some(entry) => entry,
        None => {
            say(&format!(
                "Installing axe-core {AXE}, which looks for barriers in pages, into {}; this takes some seconds, once",
                cache::home()?.display()
            ));
            install("axe-core", AXE, &[&format!("axe-core@{AXE}")])?
        }
    };
    Ok(entry.join("node_modules/axe-core/axe.min.js"))
}

fn install_binaryen() -> Result<PathBuf> {
    say(&format!(
        "Installing binaryen {BINARYEN}, whose wasm-opt makes the page smaller, into {}; this takes some seconds, once",
        cache::home()?.display()
    ));
    install("binaryen", BINARYEN, &[&format!("binaryen@{BINARYEN}")])
        .context("the page needs wasm-opt, from npm or on the PATH")
}

/// Fills a cache entry with npm packages.
fn install(name: &str, version: &str, packages: &[&str]) -> Result<PathBuf> {
    let npm = ensure_on_path("npm")?;
    cache::fill_entry(name, version, |folder| {
        let mut command = Command::new(npm);
        command.args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]).arg(folder);
        command.args(packages).current_dir(folder);
        if !children::run(&mut command)?.success() {
            bail!("npm can't install {}. Check the network and run this again", packages.join(", "));
        }
        Ok(())
    })
}

fn ensure_on_path(program: &str) -> Result<PathBuf> {
    let present = || search::on_path(program).into_iter().next();
    if let Some(present) = present() {
        return Ok(present);
    }
    if let Some(apt) = Apt::available() {
        apt.install(&["nodejs", "npm"], "2 minutes")?;
    }
    match present() {
        Some(present) => Ok(present),
        None => bail!(
            "`{program}` is missing. Install Node.js with npm from https://nodejs.org or your system's packages and run this again"
        ),
    }
}

/// The first that has `fetch`.
const OLDEST_NODE: u32 = 18;

/// The first number in `v20.19.2`.
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Older ones refuse what today's compiler emits.
const OLDEST_WASM_OPT: &str = "wasm-opt version 119 (version_119)";

/// The number in `wasm-opt version 132 (version_132)`.
fn release_number(text: &str) -> Option<u32> {
    let (_, after) = text.split_once("version ")?;
    let digits = after.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_version_is_read() {
        assert_eq!(major("v20.19.2"), Some(20));
        assert_eq!(major(""), None);
    }

    #[test]
    fn wasm_opts_release_is_read() {
        assert_eq!(release_number("wasm-opt version 132 (version_132)"), Some(132));
        assert_eq!(release_number("wasm-opt version 108"), Some(108));
        assert_eq!(release_number("wasm-opt: not found"), None);
        assert!(release_number(OLDEST_WASM_OPT).is_some());
    }
}
