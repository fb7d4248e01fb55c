//! The paths and pinned versions of this workspace.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

pub(crate) fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.ancestors().nth(2).expect("crates/xtask is two folders below the root")
}

/// The folder of cargo's builds, from `CARGO_TARGET_DIR` if that is set.
pub(crate) fn target_dir() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// The path of a file or folder that xtask writes: generated settings, the built page, logs, the conversations of `serve`.
///
/// It is below the root even if `CARGO_TARGET_DIR` is elsewhere, so that cargo, started there, finds the workspace's settings.
pub(crate) fn scratch(name: &str) -> PathBuf {
    root().join("target/xtask").join(name)
}

/// A call of the cargo that runs xtask, and so of the right toolchain, in the workspace.
pub(crate) fn cargo<const N: usize>(arguments: [&str; N]) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root()).args(arguments);
    cargo
}

/// A call of cargo that lints this workspace while it builds. `cargo clippy` would build everything once more.
pub(crate) fn linting_cargo<const N: usize>(arguments: [&str; N]) -> Command {
    let mut cargo = cargo(arguments);
    linting(&mut cargo);
    cargo
}

/// Makes this call of cargo lint the crates of the workspace that it builds.
pub(crate) fn linting(command: &mut Command) -> &mut Command {
    if std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false")) {
        // In CI, the folder is built only once.
        command.env("CARGO_INCREMENTAL", "0");
    }
    command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
    command.env("CLIPPY_ARGS", "--deny__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__")
}

/// The program of the server that cargo has built into `folder` of its target folder.
pub(crate) fn server(folder: &str) -> PathBuf {
    target_dir().join(folder).join("question-server")
}

pub(crate) fn locked_version(package: &str) -> Result<String> {
    let lock = read("Cargo.lock")?;
    let (_, after) = lock
        .split_once(&format!("name = \"{package}\"\nversion = \""))
        .with_context(|| format!("Cargo.lock has no package `{package}`"))?;
    Ok(after.split('"').next().unwrap_or_default().to_owned())
}

/// Reads a file of the workspace, as text.
pub(crate) fn read(file: &str) -> Result<String> {
    let path = root().join(file);
    fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))
}

/// The names of the folders in `folder` that have this file, sorted.
pub(crate) fn folders_with(folder: &str, file: &str) -> Result<Vec<String>> {
    let entries = fs::read_dir(root().join(folder)).with_context(|| format!("can't read {folder}"))?.flatten();
    let folders = entries.filter(|entry| entry.path().join(file).is_file());
    let mut names: Vec<_> = folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

/// The requested names, or all known ones.
pub(crate) fn wanted<'a>(known: &'a [String], asked: &[String]) -> Result<Vec<&'a str>> {
    if let Some(name) = asked.iter().find(|name| !known.contains(name)) {
        bail!("there is no `{name}`, but {}", known.join(", "));
    }
    Ok(known.iter().filter(|name| asked.is_empty() || asked.contains(name)).map(String::as_str).collect())
}
