//! Builds WebAssembly by cargo, binds it to JavaScript, optimizes and weighs it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::steps::StepLog;
use crate::tools::{self, system};
use crate::workspace::{self, cargo};

/// The target of all code for browsers.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// What a program with one card adds to the page's profile: it shows one ask, so size matters more than speed.
pub(crate) const SMALL_JSON: &str = "profile.release.package.json-tree.opt-level=\"z\"";

/// A call of cargo for this target, which is installed if it is missing.
pub(crate) fn cargo_for<const N: usize>(arguments: [&str; N], log: &StepLog) -> Result<Command> {
    system::rust_target(TARGET, log)?;
    let mut cargo = cargo(arguments);
    cargo.args(["--target", TARGET]);
    Ok(cargo)
}

/// The path of a program that cargo has built for this target, such as `release/app`.
pub(crate) fn built(path: &str) -> PathBuf {
    workspace::target_dir().join(TARGET).join(path).with_extension("wasm")
}

/// Binds a built program for `web` or `nodejs`: writes it with its JavaScript into a folder, under this name. Returns the path of the program.
pub(crate) fn bind(host: &str, built: &Path, name: &str, folder: &Path, log: &StepLog) -> Result<PathBuf> {
    let mut bindgen = tools::wasm_bindgen()?.command("wasm-bindgen", log)?;
    bindgen.args(["--target", host, "--no-typescript", "--out-name", name, "--out-dir"]).arg(folder).arg(built);
    log.run(&mut bindgen)?;
    Ok(folder.join(format!("{name}_bg.wasm")))
}

/// Binds a program for browsers and optimizes it for size, as Trunk does with the page's program.
pub(crate) fn bind_small(built: &Path, name: &str, folder: &Path, log: &StepLog) -> Result<()> {
    optimize(&bind("web", built, name, folder, log)?, log)
}

/// Optimizes a bound program for size, with the options for Trunk in the page's `index.html`.
pub(crate) fn optimize(program: &Path, log: &StepLog) -> Result<()> {
    let index = workspace::read("index.html")?;
    let options = index.split_once("data-wasm-opt-params=\"").and_then(|(_, rest)| rest.split('"').next());
    let mut opt = tools::binaryen().command("wasm-opt", log)?;
    opt.arg("-Oz").args(options.context("index.html has no options of wasm-opt")?.split_whitespace());
    log.run(opt.arg(program).arg("--output").arg(program))
}

/// The sizes of a file in bytes: raw, with gzip, and with Brotli.
pub(crate) type Weights = [u64; 3];

/// Weighs files in a folder.
pub(crate) fn weigh(folder: &Path, files: &[String], log: &StepLog) -> Result<Vec<(String, Weights)>> {
    let printed = log.output(tools::script(WEIGH, [folder], log)?.args(files))?;
    let mut weights = printed.split_whitespace().map(str::parse);
    let mut next = || weights.next().and_then(Result::ok).context("a weight is missing");
    files.iter().map(|file| Ok((file.clone(), [next()?, next()?, next()?]))).collect()
}

const WEIGH: &str = r#"
import fs from "node:fs"; import path from "node:path"; import zlib from "node:zlib";
const [, folder, ...files] = process.argv;
for (const file of files) {
  const bytes = fs.readFileSync(path.join(folder, file));
  console.log(bytes.length, zlib.gzipSync(bytes, { level: 9 }).length, zlib.brotliCompressSync(bytes).length);
}
"#;

pub(crate) fn table(title: &str, rows: &[(String, Weights)]) -> String {
    let mut table = format!("{title:<34}{:>10}{:>10}{:>10}\n", "raw", "gzip", "Brotli");
    for (name, [raw, gzip, brotli]) in rows {
        table += &format!("{name:<34}{raw:>10}{gzip:>10}{brotli:>10}\n");
    }
    table
}

pub(crate) fn with_sum(mut rows: Vec<(String, Weights)>) -> Vec<(String, Weights)> {
    let sum = rows.iter().fold([0; 3], |sum, (_, weights)| [0, 1, 2].map(|at| sum[at] + weights[at]));
    rows.push(("together".to_owned(), sum));
    rows
}
