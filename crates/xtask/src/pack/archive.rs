//! The archive of a release, under the name that `dist` gives it and `cargo binstall` looks for.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::names::{PROGRAM, Platform};
use super::program::{self, Audience};
use crate::files;
use crate::steps::StepLog;
use crate::tools::system;

pub(super) fn pack(
    folder: &Path,
    platform: &Platform,
    program: &Path,
    audience: Audience,
    log: &StepLog,
) -> Result<()> {
    let name = format!("{PROGRAM}-{}", platform.target);
    let content = folder.join("content/archive").join(&name);
    files::remove(&content)?;
    program::copy_executable(program, &content.join(platform.program()))?;
    program::copy_texts(&content)?;
    let archive = folder.join(platform.archive());
    // xz needs half a minute for the smallest archive.
    let preset = if audience == Audience::Users { "9" } else { "0" };
    log.run(Command::new(system::python(log)?).args(["-c", TAR]).arg(&content).arg(archive).arg(preset))
}

/// Packs a folder reproducibly. Python has its own xz, which a machine may lack.
const TAR: &str = r#"
import lzma, pathlib, sys, tarfile
content, archive = map(pathlib.Path, sys.argv[1:3])
def plain(entry):
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    return entry
with lzma.open(archive, "wb", preset=int(sys.argv[3])) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
    tar.add(content, content.name, filter=plain)
"#;
