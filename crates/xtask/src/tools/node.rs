//! Node.js, and `wasm-opt`, which comes as a package of it.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use super::cache;
use super::debian::Apt;
use super::search;
use crate::children;
use crate::console::say;

/// `wasm-opt` in the version of npm's `binaryen`.
const BINARYEN: &str = "132.0.0";

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
        release_number(&text)
            .is_some_and(|present| Some(present) >= release_number(OLDEST_WASM_OPT))
    };
    if let Some(program) = search::on_path("wasm-opt").into_iter().find(suitable) {
        let folder = program
            .parent()
            .expect("a file on the PATH lies in a folder");
        return Ok(folder.to_owned());
    }
    node()?;
    let entry = match cache::entry("binaryen", BINARYEN)? {
        Some(entry) => entry,
        None => install_binaryen()?,
    };
    Ok(entry.join("node_modules").join(".bin"))
}

fn install_binaryen() -> Result<PathBuf> {
    let npm = ensure_on_path("npm")?;
    say(&format!(
        "Installing binaryen {BINARYEN}, whose wasm-opt makes the page smaller, into {}; this takes some seconds, once",
        cache::home()?.display()
    ));
    cache::fill_entry("binaryen", BINARYEN, |folder| {
        let mut command = Command::new(npm);
        command
            .args([
                "install",
                "--no-audit",
                "--no-fund",
                "--loglevel=error",
                "--prefix",
            ])
            .arg(folder);
        command
            .arg(format!("binaryen@{BINARYEN}"))
            .current_dir(folder);
        if !children::run(&mut command)?.success() {
            bail!(
                "npm can't install binaryen {BINARYEN}. Check the network, or put wasm-opt on the PATH, and run this again"
            );
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
    fn wasm_opts_release_is_read() {
        assert_eq!(
            release_number("wasm-opt version 132 (version_132)"),
            Some(132)
        );
        assert_eq!(release_number("wasm-opt version 108"), Some(108));
        assert_eq!(release_number("wasm-opt: not found"), None);
        assert!(release_number(OLDEST_WASM_OPT).is_some());
    }
}
