//! `cargo xtask size`: what the built page weighs.

use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::children;
use crate::page;
use crate::tools::{self, Toolbox};

/// Builds the page for release and prints each file's size: as it is, by gzip, by Brotli. What the chat page does not load is not summed.
///
/// # Errors
///
/// A tool is missing and can't be brought, or the build fails.
pub(crate) fn size() -> Result<ExitCode> {
    let dist = page::build_for_release(&Toolbox::for_page(true)?)?;
    // Node is there since it packed the page.
    let mut node = Command::new(tools::node()?);
    node.arg("--eval").arg(TABLE).arg(dist);
    let printed = children::run(&mut node)?.success();
    Ok(if printed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

const TABLE: &str = r#"
const fs = require("node:fs"), path = require("node:path");
const dist = process.argv[1];
const files = fs.readdirSync(dist, { recursive: true }).filter((name) => fs.existsSync(path.join(dist, name + ".br")));
const row = (name, sizes) => console.log([name.padEnd(44), ...sizes.map((size) => String(size).padStart(10))].join(""));
const all = [0, 0, 0];
row("file", ["raw", "gzip", "Brotli"]);
for (const name of files.sort()) {
  const sizes = ["", ".gz", ".br"].map((ending) => fs.statSync(path.join(dist, name + ending)).size);
  if (!name.startsWith("gallery")) sizes.forEach((size, index) => (all[index] += size));
  row(name, sizes);
}
row("together, without the gallery", all);
"#;
