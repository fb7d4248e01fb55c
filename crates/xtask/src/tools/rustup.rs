//! Parts of the Rust toolchain that an installation may lack.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::steps::Log;
use crate::{children, workspace};

/// The target of everything that runs in a browser.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// Makes sure that the compiler can build for the browser.
pub(crate) fn wasm_target(log: &Log) -> Result<()> {
    let has_target = || {
        let folder = children::output_of(Command::new("rustc").args(["--print", "target-libdir", "--target", WASM]));
        folder.is_some_and(|folder| Path::new(&folder).is_dir())
    };
    if has_target() { Ok(()) } else { add(&["target", "add", WASM], log) }
}

/// Makes sure that rustfmt and clippy are there; rustup's minimal profile leaves them out.
pub(crate) fn lints(log: &Log) -> Result<()> {
    let has = |command| children::output_of(&mut workspace::cargo([command, "--version"])).is_some();
    if has("fmt") && has("clippy") { Ok(()) } else { add(&["component", "add", "rustfmt", "clippy"], log) }
}

fn add(arguments: &[&str], log: &Log) -> Result<()> {
    let line = format!("rustup {}", arguments.join(" "));
    log.doing(&line);
    let mut rustup = Command::new("rustup");
    rustup.args(arguments);
    log.run(rustup).with_context(|| format!(
        "the Rust toolchain lacks a part, and `{line}` fails. Check the network, or install Rust by https://rustup.rs, and run this again"
    ))
}
