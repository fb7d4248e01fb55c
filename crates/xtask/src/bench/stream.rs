//! The stream reader as a page runs it, as WebAssembly, beside what JavaScript pages read the same streams with.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::children;
use crate::console::say;
use crate::page;
use crate::tools;
use crate::workspace;

/// Builds the module as the page is built and measures it in Node, in one process with its peers.
///
/// # Errors
///
/// A tool or a peer is missing and can't be brought, the module does not build, or what was read differs.
pub(crate) fn run() -> Result<ExitCode> {
    let peers = tools::stream_peers()?;
    let module = build()?;
    say("Measuring, which takes about two minutes");
    let mut node = Command::new(tools::node()?);
    // From a text, Node looks up packages in the folder that it runs in.
    node.args(["--expose-gc", "--input-type=module", "--eval", DRIVER]);
    node.arg(module).current_dir(peers);
    let measured = children::run(&mut node)?.success();
    Ok(if measured { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The module and its JavaScript, made by the same tools with the same settings as the page.
fn build() -> Result<PathBuf> {
    tools::wasm_target()?;
    say("Building the module for release, which takes about a minute from nothing");
    let mut cargo = Command::new(workspace::cargo());
    cargo.args(["build", "--release", "--target", TARGET]);
    cargo.args(["--package", "ag-ui-stream", "--example", EXAMPLE]);
    succeed(cargo.current_dir(workspace::root()))?;

    let built = workspace::target_dir().join(TARGET).join("release/examples");
    let folder = workspace::scratch_dir()?.join("bench");
    let mut bindgen = Command::new(tools::wasm_bindgen()?.join("wasm-bindgen"));
    bindgen.args(["--target", "nodejs", "--out-dir"]).arg(&folder);
    succeed(bindgen.arg(built.join(EXAMPLE).with_extension("wasm")))?;

    let wasm = folder.join(format!("{EXAMPLE}_bg.wasm"));
    let mut opt = Command::new(tools::wasm_opt()?.join("wasm-opt"));
    opt.args(page::wasm_opt_arguments()?);
    succeed(opt.arg(&wasm).arg("--output").arg(&wasm))?;
    Ok(folder.join(EXAMPLE).with_extension("js"))
}

fn succeed(command: &mut Command) -> Result<()> {
    if !children::run(command)?.success() {
        bail!("`{}` failed; its output above says why", command.get_program().display());
    }
    Ok(())
}

const DRIVER: &str = include_str!("stream.mjs");
const TARGET: &str = "wasm32-unknown-unknown";
/// The library target of `ag-ui-stream` that exports what is measured.
const EXAMPLE: &str = "stream_bench";
