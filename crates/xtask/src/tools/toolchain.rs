//! Parts of the Rust toolchain that an installation may lack.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use super::search;
use crate::children;
use crate::console::say;
use crate::workspace;

/// Makes sure that the compiler can build for the browser.
///
/// # Errors
///
/// It can't, and rustup is not there or fails to change that.
pub(crate) fn wasm_target() -> Result<()> {
    const TARGET: &str = "wasm32-unknown-unknown";
    if has_target(TARGET) {
        return Ok(());
    }
    if search::on_path("rustup").is_empty() {
        bail!(
            "the Rust toolchain lacks the target {TARGET}, and there is no rustup to add it. Install Rust by https://rustup.rs, \
             or the package of your system that holds this target's standard library"
        );
    }
    say(&format!("Adding the target {TARGET} to the Rust toolchain, which takes some seconds"));
    if !children::run(Command::new("rustup").args(["target", "add", TARGET]))?.success() || !has_target(TARGET) {
        bail!("`rustup target add {TARGET}` failed. Check the network and run this again");
    }
    Ok(())
}

/// Makes sure that rustfmt and clippy are there; rustup's minimal profile leaves them out.
///
/// # Errors
///
/// One is missing, and rustup is not there or fails to change that.
pub(crate) fn lint_components() -> Result<()> {
    let missing =
        |command: &str| children::output_of(Command::new(workspace::cargo()).args([command, "--version"])).is_none();
    for (command, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if !missing(command) {
            continue;
        }
        if search::on_path("rustup").is_empty() {
            bail!("the Rust toolchain lacks {component}, and there is no rustup to add it");
        }
        say(&format!("Adding {component} to the Rust toolchain, which takes some seconds"));
        if !children::run(Command::new("rustup").args(["component", "add", component]))?.success() || missing(command) {
            bail!("`rustup component add {component}` failed. Check the network and run this again");
        }
    }
    Ok(())
}

fn has_target(target: &str) -> bool {
    let libraries = children::output_of(Command::new("rustc").args(["--print", "target-libdir", "--target", target]));
    libraries.is_some_and(|folder| Path::new(&folder).is_dir())
}
