//! Installs missing tools: by `cargo binstall` if it is there, by `cargo install`, by npm, by apt.
//!
//! An entry of the cache is filled elsewhere and then renamed, so that it is either complete or absent. Compiled parts are kept until the tool is
//! complete, so that an interrupted installation resumes.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::system::{npm, python};
use super::{PinnedTool, ToolSource, cache};
use crate::steps::StepLog;
use crate::{children, files, workspace};

impl PinnedTool {
    /// The folder with the tool's programs, or with the `node_modules` of its packages. Missing or broken parts are installed first.
    pub(crate) fn folder(&self, log: &StepLog) -> Result<PathBuf> {
        if self.folder_here()?.is_none() {
            bring(self, &self.entry()?, log)?;
        }
        self.folder_here()?.with_context(|| format!("{} is not where it was installed", self.name))
    }
}

/// Fills the entry of `tool`.
fn bring(tool: &PinnedTool, entry: &Path, log: &StepLog) -> Result<()> {
    let cache = cache()?;
    files::make(&cache)?;
    // Another clone or step may be installing a tool.
    log.doing("waits for another tool");
    let _lock = lock(&cache)?;
    if tool.is_whole(entry) {
        return Ok(());
    }

    log.doing(&format!("{} {}", tool.name, tool.pin));
    let unfinished = cache.join(".unfinished");
    for folder in [&unfinished, entry] {
        files::remove(folder)?;
    }
    files::make(&unfinished)?;
    match tool.source {
        ToolSource::Cargo(arguments) => {
            if which::which("cargo-binstall").is_err() || binstall(tool, &unfinished, log).is_err() {
                install(tool, arguments, &unfinished, &cache.join(BUILD), log)?;
            }
        }
        ToolSource::Npm(packages) => {
            let packages: Vec<_> = packages.iter().map(|(name, what)| format!("{name}@{what}")).collect();
            npm_install(&unfinished, &packages, log)?;
        }
        ToolSource::Python(_, sums) => {
            let sums: String = sums.iter().map(|sum| format!(" --hash=sha256:{sum}")).collect();
            pip_install(&unfinished, &format!("{}=={}{sums}\n", tool.name, tool.pin), log)?;
        }
    }
    if !tool.is_whole(&unfinished) {
        bail!("{} is installed in {} and does not say that it is {}", tool.name, unfinished.display(), tool.pin);
    }
    fs::rename(&unfinished, entry).with_context(|| format!("can't make {}", entry.display()))
}

/// Locks the cache until the file is dropped. Polls, since a blocking lock would ignore an interrupt.
fn lock(cache: &Path) -> Result<File> {
    let lock = File::create(cache.join(LOCK)).context("can't write into the cache")?;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) if children::interrupted() => bail!("interrupted"),
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(200)),
            Err(TryLockError::Error(problem)) => return Err(problem).context("can't lock the cache"),
        }
    }
}

/// Downloads a compiled program.
fn binstall(tool: &PinnedTool, root: &Path, log: &StepLog) -> Result<()> {
    let mut binstall = cargo_in(root);
    binstall.args(["binstall", "--no-confirm", "--disable-strategies", "compile", "--root"]).arg(root);
    log.run(binstall.arg(format!("{}@{}", tool.name, tool.pin)))
}

/// Compiles a tool, with settings for a fast build instead of a fast program.
fn install(tool: &PinnedTool, arguments: &[&str], root: &Path, build: &Path, log: &StepLog) -> Result<()> {
    let mut install = cargo_in(root);
    install.arg("install").args(arguments).arg("--root").arg(root).arg("--target-dir").arg(build);
    for (setting, value) in
        [("LTO", "off"), ("OPT_LEVEL", "0"), ("CODEGEN_UNITS", "16"), ("DEBUG", "0"), ("STRIP", "none")]
    {
        install.env(format!("CARGO_PROFILE_RELEASE_{setting}"), value);
    }
    install.args(tool.programs.iter().flat_map(|program| ["--bin", program]));
    install.arg(format!("{}@{}", tool.name, tool.pin));
    log.run(&mut install).with_context(|| format!("can't install {} {}", tool.name, tool.pin))
}

/// Installs the packages of the folder's package.json and these packages with npm.
pub(crate) fn npm_install(folder: &Path, packages: &[impl AsRef<OsStr>], log: &StepLog) -> Result<()> {
    let mut npm = Command::new(npm(log)?);
    log.doing("npm install");
    npm.args(["install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]).arg(folder);
    log.run(npm.args(packages).current_dir(folder))
}

/// Installs the package of a line of requirements into a folder, without its dependencies. A machine's own Python may have no pip; a virtual
/// environment has one.
fn pip_install(folder: &Path, requirement: &str, log: &StepLog) -> Result<()> {
    let (environment, requirements) = (folder.join("environment"), folder.join("requirements.txt"));
    files::write(&requirements, requirement)?;
    log.run(Command::new(python(log)?).args(["-m", "venv"]).arg(&environment))?;
    log.doing("pip install");
    let mut pip = Command::new(environment.join("bin/pip"));
    log.run(pip.args(["install", "--quiet", "--no-deps", "--target"]).arg(folder).arg("-r").arg(requirements))?;
    files::remove(&environment)
}

/// Removes cargo's builds of tools, which take a gigabyte and are no longer needed, unless another call compiles.
pub(crate) fn tidy() -> Result<()> {
    let cache = cache()?;
    match File::open(cache.join(LOCK)) {
        Ok(lock) if lock.try_lock().is_ok() => files::remove(&cache.join(BUILD)),
        _ => Ok(()),
    }
}

/// A call of cargo outside of the workspace, so that its settings do not apply.
fn cargo_in(folder: &Path) -> Command {
    let mut cargo = workspace::cargo([]);
    cargo.current_dir(folder);
    for variable in
        ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "CARGO_BUILD_RUSTFLAGS", "CARGO_TARGET_DIR"]
    {
        cargo.env_remove(variable);
    }
    cargo
}

const LOCK: &str = ".lock";
const BUILD: &str = ".build";
