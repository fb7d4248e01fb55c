//! What runs in a browser: built for WebAssembly, bound to JavaScript, made small and packed.

mod shrink;

pub(crate) use shrink::{minify, shrink};

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::steps::Log;
use crate::tools::{self, system};
use crate::workspace::{self, cargo};

/// The target of everything that runs in a browser.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// A call of cargo for that target, which is brought where it is missing.
pub(crate) fn cargo_for<const N: usize>(arguments: [&str; N], log: &Log) -> Result<Command> {
    system::rust_target(TARGET, log)?;
    let mut cargo = cargo(arguments);
    cargo.args(["--target", TARGET]);
    Ok(cargo)
}

/// What cargo has built for it: `release/app`.
pub(crate) fn built(path: &str) -> PathBuf {
    workspace::target_dir().join(TARGET).join(path).with_extension("wasm")
}

/// Makes of what cargo has built a program of this name in a folder, beside the JavaScript that starts it. Returns the program.
pub(crate) fn bind(built: &Path, name: &str, folder: &Path, log: &Log) -> Result<PathBuf> {
    bind_for("web", built, name, folder, log)
}

/// The same for `web` or `nodejs`.
pub(crate) fn bind_for(host: &str, built: &Path, name: &str, folder: &Path, log: &Log) -> Result<PathBuf> {
    let mut bindgen = tools::wasm_bindgen()?.command("wasm-bindgen", log)?;
    bindgen.args(["--target", host, "--no-typescript", "--out-name", name, "--out-dir"]).arg(folder).arg(built);
    log.run(&mut bindgen)?;
    Ok(folder.join(format!("{name}_bg.wasm")))
}

/// Makes a program small, and leaves its names of imports and exports.
pub(crate) fn optimize(program: &Path, log: &Log) -> Result<()> {
    let mut opt = tools::binaryen().command("wasm-opt", log)?;
    log.run(opt.args(opt_arguments()?).arg(program).arg("--output").arg(program))
}

/// What `wasm-opt` is told for the page.
fn opt_arguments() -> Result<Vec<String>> {
    opt_arguments_in(&workspace::read("index.html")?).context("index.html does not tell wasm-opt's level")
}

fn opt_arguments_in(html: &str) -> Option<Vec<String>> {
    let value = |attribute: &str| {
        let (_, after) = html.split_once(&format!("{attribute}=\""))?;
        Some(after.split_once('"')?.0)
    };
    let level = format!("-O{}", value("data-wasm-opt")?);
    let parameters = value("data-wasm-opt-params").unwrap_or_default();
    Some([level].into_iter().chain(parameters.split_whitespace().map(str::to_owned)).collect())
}

/// Packs each file of a folder beside itself. Node has both compressions.
pub(crate) fn pack(folder: &Path, log: &Log) -> Result<()> {
    log.doing("packs");
    log.run(&mut tools::script(PACK, [folder], log)?)
}

const PACK: &str = r#"
import fs from "node:fs"; import path from "node:path"; import zlib from "node:zlib";
const dist = process.argv[1];
const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGBLOCK } = zlib.constants;
// One block of 4 MB: what is alike is found in all of a program.
const best = { params: { [BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_LGBLOCK]: 22 } };
for (const name of fs.readdirSync(dist, { recursive: true })) {
  const file = path.join(dist, name);
  if (!fs.statSync(file).isFile()) continue;
  const bytes = fs.readFileSync(file);
  fs.writeFileSync(file + ".gz", zlib.gzipSync(bytes, { level: 9 }));
  fs.writeFileSync(file + ".br", zlib.brotliCompressSync(bytes, best));
}
"#;

/// What files weigh by Brotli: a table of `title`, each file below `folder` and all of them together.
pub(crate) fn weights(title: &str, folder: &Path, files: &[String], log: &Log) -> Result<String> {
    log.output(tools::script(WEIGH, [folder], log)?.arg(title).args(files))
}

const WEIGH: &str = r#"
import fs from "node:fs"; import path from "node:path"; import zlib from "node:zlib";
const [, folder, title, ...files] = process.argv;
const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGBLOCK } = zlib.constants;
// One block of 4 MB: what is alike is found in all of a program.
const best = { params: { [BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_LGBLOCK]: 22 } };
const row = (name, bytes) => console.log(("  " + name).padEnd(42) + String(bytes).padStart(8));
let together = 0;
console.log(title);
for (const file of files) {
  const bytes = zlib.brotliCompressSync(fs.readFileSync(path.join(folder, file)), best).length;
  row(file, bytes);
  together += bytes;
}
row("together", together);
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_page_tells_wasm_opt_is_read() {
        let html = r#"<link data-trunk data-wasm-opt="z" data-wasm-opt-params="--one --two">"#;
        assert_eq!(opt_arguments_in(html).unwrap(), ["-Oz", "--one", "--two"]);
        assert_eq!(opt_arguments_in("<link data-trunk>"), None);
        assert!(opt_arguments().unwrap().len() > 1);
    }
}
