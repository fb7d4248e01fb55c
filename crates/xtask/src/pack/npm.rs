//! The npm packages of the program: the launcher, and one for each platform with the program inside, of which npm installs the matching one. An
//! installation downloads nothing else and runs no script.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::names::{self, PLATFORMS, PROGRAM, Platform, REPOSITORY, VERSION};
use super::program;
use crate::steps::StepLog;
use crate::tools::{self, system};
use crate::{files, workspace};

/// The script of the launcher, from the workspace's root.
const LAUNCHER: &str = "crates/question-server/npm/launcher.js";

/// The folder with a package's content before it is packed.
pub(super) fn content(folder: &Path, name: &str) -> PathBuf {
    folder.join("content").join(name)
}

pub(super) fn tarball(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}-{VERSION}.tgz"))
}

/// Packs the folder [`content`].
pub(super) fn pack(folder: &Path, name: &str, log: &StepLog) -> Result<()> {
    let mut npm = Command::new(system::npm(log)?);
    npm.args(["pack", "--silent", "--pack-destination"]).arg(folder).current_dir(content(folder, name));
    log.run(&mut npm)
}

/// Checks that a package has the files that its manifest names, as users of the registry would find them.
pub(super) fn lint(folder: &Path, name: &str, log: &StepLog) -> Result<()> {
    let linters = tools::package_linters().folder(log)?.join("node_modules/.bin");
    log.run(Command::new(linters.join("publint")).arg("--strict").arg(content(folder, name)))
}

pub(super) fn pack_launcher(folder: &Path, log: &StepLog) -> Result<()> {
    let content = content(folder, PROGRAM);
    let programs = PLATFORMS.iter().map(|platform| (platform.npm_package(), json!(VERSION)));
    let own = json!({
        "description": "Asks people for agents: the page, the AG-UI and REST server and the MCP server in one program",
        "keywords": ["agent", "ag-ui", "mcp", "mcp-server", "ask-user-question", "human-in-the-loop"],
        "bin": { PROGRAM: "launcher.js" },
        "mcpName": names::mcp_name(),
        "files": ["launcher.js", "LICENSE-*"],
        "engines": { "node": ">=18" },
        "optionalDependencies": programs.collect::<Map<String, Value>>(),
    });
    write_manifest(&content, PROGRAM, own)?;
    files::copy(&workspace::root().join(LAUNCHER), &content.join("launcher.js"))?;
    program::copy_texts(&content)?;
    pack(folder, PROGRAM, log)
}

pub(super) fn pack_platform(folder: &Path, platform: &Platform, program: &Path, log: &StepLog) -> Result<()> {
    let name = platform.npm_package();
    let content = content(folder, &name);
    let own = json!({
        "description": format!("The program of {PROGRAM} for {} on {}: install {PROGRAM}", platform.os, platform.cpu),
        "os": [platform.os],
        "cpu": [platform.cpu],
        "files": [platform.program(), "LICENSE-*"],
        // Tells Yarn to unpack the package, since the program is started from its place in it.
        "preferUnplugged": true,
    });
    write_manifest(&content, &name, own)?;
    program::copy_executable(program, &content.join(platform.program()))?;
    program::copy_licences(&content)?;
    files::write(
        &content.join("README.md"),
        format!("The program of [{PROGRAM}](https://www.npmjs.com/package/{PROGRAM}), which installs it.\n"),
    )?;
    pack(folder, &name, log)
}

/// Writes a package.json with the members that all packages share, and those in `own`.
fn write_manifest(content: &Path, name: &str, own: Value) -> Result<()> {
    let mut manifest = json!({
        "name": name,
        "version": VERSION,
        "license": "MIT OR Apache-2.0",
        "type": "commonjs",
        "repository": repository(),
    });
    for (key, value) in own.as_object().into_iter().flatten() {
        manifest[key] = value.clone();
    }
    files::remove(content)?;
    files::write(&content.join("package.json"), format!("{manifest:#}\n"))
}

pub(super) fn repository() -> Value {
    json!({ "type": "git", "url": format!("git+{REPOSITORY}.git") })
}
